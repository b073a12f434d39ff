/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "infer/job.h"
#include "infer/policy.h"
#include "common/enums.h"

G_BEGIN_DECLS

/* The properties as they were when a frame came. @params.classes is not set. */
typedef struct
{
  Y10HeadParams params;
  GstYolov10Attach attach;
  GstYolov10SkippedBoxes skipped_boxes;
  GstClockTime max_hold;
  gboolean for_privacy;         /* a result is held however old it is */
  gboolean active, post_messages;
} GstY10FrameParams;

/* A frame on its way through the element, or an event that goes with frames.
 * Lies in the memory of a GstY10FrameQueue and is used again. */
typedef struct
{
  GstBuffer *buffer;            /* one of these two */
  GstEvent *event;

  GstY10Session *session;
  GstY10Hints *hints;           /* for encoders; NULL: none */
  GstY10FrameParams wanted;
  guint width, height;          /* of the frame */
  gboolean lost;                /* could not be looked at */
  gint64 came_at;               /* nanoseconds */
  GstY10Job *job;               /* its inference; NULL: none, or it has left */
} GstY10QueuedFrame;

gint64 gst_y10_queued_frame_now (void);
void gst_y10_queued_frame_begin (GstY10QueuedFrame * entry, GstBuffer * buffer,
    GstY10Session * session, const GstY10FrameParams * wanted,
    const GstVideoInfo * info, gint64 came_at);
GstY10Inference gst_y10_queued_frame_attach (GstY10QueuedFrame * entry,
    GstY10Hold * hold, GstY10Findings * findings,
    GstY10Session ** session);
void gst_y10_queued_frame_end (GstY10QueuedFrame * entry, GstY10Jobs * jobs);

G_END_DECLS
