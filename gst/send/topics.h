/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The topics below a prefix, and the states of streams, zones and lines that a broker
 * keeps. For the follower's thread. */

#include "send/discovery.h"
#include "spool/line.h"

G_BEGIN_DECLS

/* Says whether a stream is there. */
typedef void (
    *GstY10PresenceFunc) (const gchar *topic, gboolean is_there, gpointer user);

typedef struct
{
  const gchar *prefix; /* copied */
  /* Of GstY10RetainedConfig. */
  const gchar *folder, *follower, *producer, *broker;
  gboolean home_assistant;
  GstY10StateFunc send;
  GstY10PresenceFunc set_presence;
  void (*watch) (const gchar *filter, gpointer user);
  gpointer user;
} GstY10TopicsConfig;

typedef struct _GstY10Topics GstY10Topics;

GstY10Topics *gst_y10_topics_new (const GstY10TopicsConfig *config);
void gst_y10_topics_free (GstY10Topics *topics);

void gst_y10_topics_set_stream (GstY10Topics *topics, const gchar *stream,
    gboolean is_there);
void gst_y10_topics_set_zones (GstY10Topics *topics, const gchar *stream,
    const gchar *const *zones, const gchar *const *lines);
const gchar *gst_y10_topics_read (GstY10Topics *topics,
    const GstY10SpoolLine *line, const gchar *stream, gboolean is_current);
void gst_y10_topics_note (GstY10Topics *topics, const gchar *topic,
    const gchar *text, gsize length, gboolean is_news);
void gst_y10_topics_sweep (GstY10Topics *topics);
void gst_y10_topics_settle (GstY10Topics *topics);
void gst_y10_topics_repeat (GstY10Topics *topics);
void gst_y10_topics_end (GstY10Topics *topics, gboolean is_over);

G_END_DECLS
