/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the tests of weak boxes, which a detector lists where a tracker asks for
 * them. */

#include "gstcommon.h"

G_BEGIN_DECLS

GstEvent *weak_request (const char *sender, gdouble confidence);

/* Returns the weak boxes of a frame; NULL if it does not say. */
GArray *weak_get (GstBuffer *buffer);
guint weak_count (GstBuffer *buffer);
gboolean weak_is_there (GstBuffer *buffer);
/* Whether only weak boxes have such a field. */
gboolean weak_is_field (const gchar *name);

/* Fails unless all metadata of both buffers are equal, except for weak boxes, which
 * only @with may have. */
void weak_assert_same (GstBuffer *without, GstBuffer *with);

G_END_DECLS
