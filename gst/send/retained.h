/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The retained messages of this spool's streams: which a broker has, and which are stale. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const gchar *folder; /* of the spool */
  const gchar
      *follower; /* its name; the file of one that has a name has it, too */
  const gchar *producer; /* copied */
  const gchar *broker;   /* copied */
  /* Removes what the broker keeps under a topic. */
  void (*remove) (const gchar *topic, gpointer user);
  /* Wants gst_y10_retained_note() for what it keeps below a filter. */
  void (*watch) (const gchar *filter, gpointer user);
  gpointer user;
} GstY10RetainedConfig;

typedef struct _GstY10Retained GstY10Retained;

GstY10Retained *gst_y10_retained_new (const GstY10RetainedConfig *config);
void gst_y10_retained_free (GstY10Retained *retained);

/* A stream, named by the topic that its topics are below, is one of this process. */
void gst_y10_retained_claim (GstY10Retained *retained, const gchar *base,
    const gchar *device);
void gst_y10_retained_tell (GstY10Retained *retained, const gchar *base,
    const gchar *topic);
void gst_y10_retained_withdraw (GstY10Retained *retained, const gchar *base,
    const gchar *topic);
void gst_y10_retained_note (GstY10Retained *retained, const gchar *topic,
    const gchar *text, gsize length, gboolean is_news);
/* Removes what a stream that is claimed has not told. */
void gst_y10_retained_sweep (GstY10Retained *retained, const gchar *base);
/* Removes streams that nobody has claimed. */
void gst_y10_retained_sweep_streams (GstY10Retained *retained);
void gst_y10_retained_repeat (GstY10Retained *retained);
void gst_y10_retained_save (GstY10Retained *retained, gboolean is_over);

G_END_DECLS
