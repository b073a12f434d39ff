/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Sends lines to the server that a URI names. A transport lives in the follower's thread and
 * attaches its sources to that thread's main context; it has no locks and never blocks. */

#include "send/credentials.h"
#include "send/uri.h"

G_BEGIN_DECLS

/* Valid during the call; a transport copies what it needs for longer. */
typedef struct
{
  guint64 serial;      /* counts up; 0: no answer is expected */
  const gchar *topic;  /* appended to the URI's path */
  const gchar *stream; /* order holds within a stream */
  const gchar *text;
  gsize length;
  gboolean retain; /* a state: the broker keeps the last one */
  gboolean alone;  /* has failed before: to be sent by itself */
} GstY10Message;

/* Called in the follower's thread, but never from within start() or stop(). */
typedef struct
{
  /* Messages may be sent. */
  void (*connected) (gpointer user);
  /* Nothing arrives for now; the transport goes on by itself. */
  void (*troubled) (gpointer user, const GError *error);
  /* Messages may not be sent any more. Those that are not done are sent again after the next
   * connected(). @by_message: one that was under way may be the cause. Returns whether to
   * reconnect at once, which shows whose fault it is. */
  gboolean (*lost) (gpointer user, const GError *error, gboolean by_message);
  /* The other side has taken a message, or, with an error, never will. */
  void (*done) (gpointer user, guint64 serial, const GError *error);
  /* A message has no answer yet, and others need not wait for it. */
  void (*late) (gpointer user, guint64 serial, const GError *error);
  /* A message was not taken this time, which says nothing about others. */
  void (*failed) (gpointer user, guint64 serial, const GError *error);
  /* A message below a topic that is watched: what the broker keeps, or news. */
  void (*noted) (gpointer user, const gchar *topic, const gchar *text,
      gsize length, gboolean is_news);
} GstY10TransportCallbacks;

/* Borrowed while a transport lives. */
typedef struct
{
  const gchar *uri;
  const GstY10Credentials *credentials;
  const gchar *producer; /* names this spool */
  gint64 max_delay;      /* microseconds; 0: any */
  gint64 timeout;        /* microseconds to wait for an answer */
  const GstY10TransportCallbacks *callbacks;
  gpointer user;
} GstY10TransportConfig;

typedef gpointer GstY10Transport;

typedef struct
{
  const gchar *schemes[3];
  const gchar *library, *package; /* what it needs, for errors */
  gboolean has_states;            /* topics, and messages that are kept */
  gboolean has_lanes; /* one that is alone is sent beside the others */

  /* Checks the configuration; opens no connection. NULL: error. NULL itself if the build
   * lacks the library. */
  GstY10Transport (*open) (const GstY10TransportConfig *config, GError **error);
  void (*free) (GstY10Transport self);
  guint (*get_window) (GstY10Transport self); /* most messages under way */

  /* In the follower's thread. */
  void (*start) (GstY10Transport self);
  void (*send) (GstY10Transport self, const GstY10Message *message);
  void (*flush) (GstY10Transport self); /* NULL: send() has sent it */
  /* Another stream comes or goes, with the topic that says whether it is there. NULL if
   * not has_states. */
  void (*set_presence) (GstY10Transport self, const gchar *topic,
      gboolean is_there);
  /* Tells of what the broker keeps below a filter of topics, after each connected().
   * NULL if not has_states. */
  void (*watch) (GstY10Transport self, const gchar *filter);
  /* Whether the other side has all that was sent; NULL: if all is done(). */
  gboolean (*is_idle) (GstY10Transport self);
  void (*stop) (GstY10Transport self);
} GstY10TransportClass;

extern const GstY10TransportClass gst_y10_mqtt, gst_y10_webhook, gst_y10_kafka;

const GstY10TransportClass *gst_y10_transport_find (const gchar *uri,
    GError **error);

G_END_DECLS
