/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One label that boxes had. */
typedef struct
{
  gchar *name;
  gsize length;  /* bytes */
  gint class_id; /* of a model; -1: unknown */
  guint group;   /* boxes of one group may be the same object */
} GstY10TrackClass;

/* All labels so far, each with a number, and the groups that the user named. */
typedef struct _GstY10ClassGroups GstY10ClassGroups;

GstY10ClassGroups *gst_y10_class_groups_new (void);
void gst_y10_class_groups_free (GstY10ClassGroups *groups);
gboolean gst_y10_class_groups_set (GstY10ClassGroups *groups, const gchar *text,
    GError **error);
gboolean gst_y10_class_groups_check (const GstY10ClassGroups *groups,
    const gchar *what, const gchar *const *classes, const gchar *model,
    GError **error);
guint gst_y10_class_groups_find (GstY10ClassGroups *groups, const gchar *label,
    gsize length, gint class_id);
const GstY10TrackClass *
gst_y10_class_groups_get (const GstY10ClassGroups *groups, guint number);

G_END_DECLS
