/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a follower sends, and what has become of it. For its thread, but where it says
 * otherwise. */

#include "send/blame.h"
#include "send/stats.h"
#include "send/topics.h"
#include "send/transport.h"
#include "spool/reader.h"

G_BEGIN_DECLS

typedef struct
{
  /* The follower sets these. */
  GstY10Spool *spool;
  const gchar *name; /* of the follower; interned */
  const GstY10TransportClass *class;
  GstY10Transport transport;
  GstY10Topics *topics; /* NULL: the transport has none */
  gint64 max_delay;     /* microseconds; 0: any */

  GSource *wake; /* more lines, or a window with room */
  GSource *due;  /* a line that was put aside */
  GstY10SpoolReader *reader;
  GstY10SpoolPosition head;  /* behind the lines that have a flight */
  GstY10SpoolPosition began; /* what lies before is of earlier processes */
  GstY10SpoolPosition sent;  /* up to here, lines have been sent before */
  GstY10Flights flights;
  GstY10Blame blame;
  gboolean is_connected, is_lost, caught_up, is_pumping;
  gboolean is_proven;  /* something was taken by this connection */
  gboolean is_failing; /* as was told */
  gint64 told_at;      /* of a single line; 0: never */
  GString *text, *refused;

  GMutex lock;
  GstY10FollowerStats stats;
} GstY10Delivery;

extern const GstY10TransportCallbacks gst_y10_delivery_callbacks;

void gst_y10_delivery_begin (GstY10Delivery *delivery, GMainContext *context);
void gst_y10_delivery_end (GstY10Delivery *delivery);
void gst_y10_delivery_wake (gpointer delivery);
void gst_y10_delivery_pump (GstY10Delivery *delivery);
gboolean gst_y10_delivery_is_over (const GstY10Delivery *delivery);

G_END_DECLS
