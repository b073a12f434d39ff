/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Frames with the metadata that yolov10detect writes, for tests of what comes after
 * it. */

#include <gst/gst.h>

#include "meta/read.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *label;
  gint class_id;
  gfloat confidence;
  gfloat x0, y0, x1, y1; /* pixels */
} TrackBox;

typedef struct
{
  guint width, height;
  GstClockTime pts;
  GstY10State state; /* NO_DETECTOR: regions of interest by somebody else */
  GstClockTime age;
  const TrackBox *boxes;
  guint n_boxes;
  const TrackBox *weak;
  guint n_weak;
  gboolean asked; /* there is a list of weak boxes */
} TrackFrame;

/* Returns a frame without memory. */
GstBuffer *track_frame_new (const TrackFrame *frame);

G_END_DECLS
