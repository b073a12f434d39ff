/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "infer/configuration.h"
#include "infer/hold.h"
#include "infer/job.h"

G_BEGIN_DECLS

/* A frame on its way through the element, or an event travelling with frames.
 * Lives in a place of a GstY10FrameQueue, which is reused. */
typedef struct
{
  GstBuffer *buffer; /* either a buffer or an event */
  GstEvent *event;

  GstY10Session *session;
  GstY10ClassRules *class_rules;
  GstY10Config *config;   /* when the frame came */
  gboolean for_privacy;   /* hold results regardless of age */
  gfloat weak_confidence; /* of weak boxes; 1: not asked for */
  guint epoch;            /* of the input; see GstY10Hold */
  guint width, height;    /* of the frame */
  gboolean lost;          /* not inferred: device lost */
  gint64 arrived_at;      /* by gst_y10_frame_queue_now() */
  GstY10Job *job;         /* NULL: none, or detached */
} GstY10QueuedFrame;

void gst_y10_queued_frame_begin (GstY10QueuedFrame *frame, GstBuffer *buffer,
    GstY10Session *session, GstY10Config *config, guint epoch,
    const GstVideoInfo *info, gint64 arrived_at);
GstY10Session *gst_y10_queued_frame_attach (GstY10QueuedFrame *frame,
    GstY10Hold *hold, GstY10Result *result, GstY10DetectionList *weak);
void gst_y10_queued_frame_end (GstY10QueuedFrame *frame, GstY10Jobs *jobs);

G_END_DECLS
