/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Number of CPUs on which this thread may run; at least 1. */
guint y10_cpus_allowed (void);
/* The same, but no more than the CPU time that the control groups of this
 * process grant, rounded up. @root: "" or, for tests, a folder that contains
 * proc/ and sys/. */
guint y10_cpus_granted (const char *root);

G_END_DECLS
