/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The numbers of COCO's categories. tools/y10/val compiles this file, too. */

#include <glib.h>

G_BEGIN_DECLS

/* Returns the category of class @index of @n with @names: that of COCO's annotations if
 * these are COCO's 80, else @index + 1. */
guint y10_coco_id (const char *const *names, guint n, guint index);

G_END_DECLS
