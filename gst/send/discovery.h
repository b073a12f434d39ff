/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Tells Home Assistant by MQTT which sensors and triggers there are. */

#include <glib.h>

G_BEGIN_DECLS

/* Sends a state, which the broker keeps. */
typedef void (*GstY10StateFunc) (const gchar *topic, const gchar *text,
    gsize length, gpointer user);
typedef struct
{
  const gchar *prefix, *stream;
  const gchar *presence, *events; /* topics of the stream */
  const gchar *name;              /* of the zone or line */
  const gchar *state;             /* its topic */
  gboolean is_line;
} GstY10Discovery;

gchar *gst_y10_discovery_make_device (const gchar *prefix, const gchar *stream);
void gst_y10_discovery_send (const GstY10Discovery *discovery,
    GstY10StateFunc send, gpointer user);

G_END_DECLS
