/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The harness of the tests of the element. Objects move on known paths. */

#include "../gst/gstmain.h"

#include <gst/check/gstharness.h>

#include "meta/gstyolov10framemeta.h"
#include "trackcommon.h"

G_BEGIN_DECLS

#define TRACK_WIDTH 640
#define TRACK_HEIGHT 480
#define TRACK_FRAME (GST_SECOND / 25)
#define TRACK_CAPS "video/x-raw,format=RGB,width=640,height=480,framerate=25/1"

/* Of the frame that was sent last. */
extern GstY10Reading track_reading;

/* A fixture. */
void track_setup (void);
void track_teardown (void);

GstHarness *track_harness (const gchar *properties);
guint track_scene (TrackBox *boxes, gdouble n);
GstBuffer *track_send (GstHarness *h, guint n, gint of);
const GstStructure *track_frame_meta (GstBuffer *buffer);
guint64 track_id_of (GstBuffer *buffer, const gchar *label);
const GstY10TrackedObject *track_object_of (guint64 id);

G_END_DECLS
