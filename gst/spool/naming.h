/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The producer that names a spool's lines, as the file state has it. */

#include <glib.h>

G_BEGIN_DECLS

#define GST_Y10_PRODUCER_SIZE 17
#define GST_Y10_HOST_SIZE 17
#define GST_Y10_STATE_SIZE 1024
#define GST_Y10_MAX_EARLIER 16

typedef struct
{
  gchar producer[GST_Y10_PRODUCER_SIZE];
  guint64 until; /* number of the first segment that it does not name */
} GstY10EarlierProducer;

typedef struct
{
  gchar producer[GST_Y10_PRODUCER_SIZE];
  gchar host[GST_Y10_HOST_SIZE]; /* where the folder is */
  guint64 next;                  /* number of the next segment */
  GstY10EarlierProducer earlier[GST_Y10_MAX_EARLIER]; /* the oldest first */
  guint n_earlier;
} GstY10Naming;

void gst_y10_naming_init (GstY10Naming *naming, int folder);
gboolean gst_y10_naming_read (GstY10Naming *naming, const gchar *state,
    guint64 next);
void gst_y10_naming_write (const GstY10Naming *naming, guint64 next,
    gchar *state);
const gchar *gst_y10_naming_get_producer (const GstY10Naming *naming,
    guint64 segment);

G_END_DECLS
