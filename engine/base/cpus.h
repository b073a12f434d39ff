/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Number of CPUs on which this thread may run; at least 1. */
guint y10_cpus_allowed (void);
/* The CPUs whose time the control groups of this process grant, such as 1.5; 0: there
 * is no quota. @group: (nullable): set to the name of the group with the least. @root: "" or,
 * for tests, a folder that contains proc/ and sys/. */
double y10_cpus_quota (const char *root, char **group);
/* The CPUs on which this thread may run, but no more than that quota, rounded up. */
guint y10_cpus_granted (const char *root);

G_END_DECLS
