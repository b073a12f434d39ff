/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Properties that are plain fields of a structure: a table names the field of
 * each, and the property's GParamSpec has its type and default. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  guint id;     /* of the property; 0 ends a table */
  gsize offset; /* of the field in the structure */
} GstY10Field;

void gst_y10_fields_set_string (gchar **field, const gchar *text);
gboolean gst_y10_fields_set (const GstY10Field *fields, gpointer structure,
    guint id, const GValue *value);
gboolean gst_y10_fields_get (const GstY10Field *fields, gconstpointer structure,
    guint id, GValue *value, GParamSpec *pspec);

G_END_DECLS
