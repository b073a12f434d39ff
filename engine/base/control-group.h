/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A control group that this process is in. @version: 1 or 2. @folder: where its
 * files are, without the root. @name: its path, "/" for the outermost. */
typedef void (*Y10ControlGroupFunc) (guint version, const char *folder,
    const char *name, gpointer user);

/* Calls @func for each group of this process with @controller, such as
 * "memory", from the innermost to the outermost: the limits of all apply.
 * Some of their folders may not exist. @root: "" or, for tests, a folder that
 * contains proc/ and sys/. */
void y10_control_group_foreach (const char *root, const char *controller,
    Y10ControlGroupFunc func, gpointer user);
/* Returns the text of @root/@folder/@file, or NULL. */
char *y10_control_group_read (const char *root, const char *folder,
    const char *file);

G_END_DECLS
