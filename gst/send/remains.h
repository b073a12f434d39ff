/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a broker keeps of this spool's streams, and what of it has to go. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const gchar *folder;   /* of the spool */
  const gchar *producer; /* copied */
  const gchar *broker;   /* copied */
  /* Removes what the broker keeps under a topic. */
  void (*remove) (const gchar *topic, gpointer user);
  /* Wants gst_y10_remains_note() for what it keeps below a filter. */
  void (*watch) (const gchar *filter, gpointer user);
  gpointer user;
} GstY10RemainsConfig;

typedef struct _GstY10Remains GstY10Remains;

GstY10Remains *gst_y10_remains_new (const GstY10RemainsConfig *config);
void gst_y10_remains_free (GstY10Remains *remains);

/* A stream, named by the topic that its topics are below, is one of this process. */
void gst_y10_remains_claim (GstY10Remains *remains, const gchar *base,
    const gchar *device);
void gst_y10_remains_tell (GstY10Remains *remains, const gchar *base,
    const gchar *topic);
void gst_y10_remains_withdraw (GstY10Remains *remains, const gchar *base,
    const gchar *topic);
void gst_y10_remains_note (GstY10Remains *remains, const gchar *topic,
    const gchar *text, gsize length, gboolean is_news);
/* Removes what a stream that is claimed has not told. */
void gst_y10_remains_sweep (GstY10Remains *remains, const gchar *base);
/* Removes streams that nobody has claimed. */
void gst_y10_remains_sweep_streams (GstY10Remains *remains);
void gst_y10_remains_repeat (GstY10Remains *remains);
void gst_y10_remains_save (GstY10Remains *remains, gboolean is_over);

G_END_DECLS
