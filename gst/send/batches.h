/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Which of the lines that wait go into one request. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 serial;
  gchar *text;
  gsize length;
} GstY10BatchLine;

typedef struct
{
  GQueue lines; /* GstY10BatchLine, the oldest first */
  guint most_lines;
  gboolean is_ndjson;

  /* Of a batch that was refused: its lines that are left, and how many go at a time. */
  guint left, part;
  /* Sizes of requests that were taken and that were too large: the largest, the least. */
  gsize taken, too_large;
} GstY10Batches;

void gst_y10_batches_init (GstY10Batches *batches);
void gst_y10_batches_empty (GstY10Batches *batches);
GstY10BatchLine *gst_y10_batch_line_new (guint64 serial, const gchar *text,
    gsize length);
void gst_y10_batch_line_free (gpointer line);
void gst_y10_batches_put (GstY10Batches *batches, GstY10BatchLine *line);
GPtrArray *gst_y10_batches_cut (GstY10Batches *batches);
GBytes *gst_y10_batches_make_body (const GstY10Batches *batches,
    const GPtrArray *lines);
void gst_y10_batches_note_taken (GstY10Batches *batches, guint n, gsize size);
void gst_y10_batches_note_refused (GstY10Batches *batches, GPtrArray *lines,
    gsize size, gboolean is_too_large);

G_END_DECLS
