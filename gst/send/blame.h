/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Whose fault it is that something was not taken: a line's, or the other side's. */

#include "send/flights.h"

G_BEGIN_DECLS

typedef struct
{
  GstY10Flights *flights;
  guint full;     /* most lines under way */
  guint window;   /* likewise, while a line is looked for that does harm */
  guint n_losses; /* in a row, with nothing taken between them */
  guint64 alone;  /* serial of what is sent by itself; 0: none */
  guint64 probed; /* of the suspect that another line was sent for; 0: none */
} GstY10Blame;

void gst_y10_blame_init (GstY10Blame *blame, GstY10Flights *flights,
    guint window);
/* @serial is over: it was taken or refused. */
void gst_y10_blame_answered (GstY10Blame *blame, guint64 serial);
/* @serial was not taken. It is sent again later, by itself. */
void gst_y10_blame_failed (GstY10Blame *blame, guint64 serial,
    const gchar *reason);
/* The connection is lost. Returns whether to try again at once. */
gboolean gst_y10_blame_lost (GstY10Blame *blame, gboolean by_message,
    const gchar *reason);
gboolean gst_y10_blame_is_hopeless (const GstY10Flight *flight);

G_END_DECLS
