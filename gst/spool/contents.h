/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What is in the folder of a spool when a process begins to write to it. */

#include "spool/naming.h"
#include "spool/position.h"

G_BEGIN_DECLS

#define GST_Y10_MARK_FILE "acknowledged"

typedef struct
{
  guint64 number;
  guint64 size; /* what is safe of it */
  gint64
      written_at; /* its last line, monotonic; earlier processes' by their age */
} GstY10Segment;

/* How far a follower has come. */
typedef struct
{
  const gchar *name; /* interned; empty: of the file "acknowledged" */
  GstY10SpoolPosition at;
  gboolean is_open, must_save;
} GstY10Mark;

typedef struct
{
  int folder, lock_file;
  GArray *segments; /* GstY10Segment, in their order */
  guint64 next, bytes;
  GstY10Naming naming;
  GArray *marks; /* GstY10Mark, of all followers that there have been */
} GstY10Contents;

gboolean gst_y10_contents_find (GstY10Contents *found, const gchar *path,
    guint mode, guint64 next, GError **error);
gboolean gst_y10_contents_write_state (int folder, const gchar *path,
    const GstY10Naming *naming, guint64 next, GError **error);

G_END_DECLS
