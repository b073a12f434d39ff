/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "common/frame.h"
#include "infer/configuration.h"
#include "infer/partrules.h"
#include "infer/session.h"
#include "meta/areas.h"

G_BEGIN_DECLS

typedef struct _GstY10Job GstY10Job;

/* What to do with an arriving frame. */
typedef enum
{
  GST_Y10_INFER_PASS,    /* do not infer */
  GST_Y10_INFER_REPLACE, /* replace the pending request, if any */
  GST_Y10_INFER_NEWEST,  /* likewise, or submit if there is none */
  GST_Y10_INFER_ALL,     /* submit behind pending requests */
} GstY10InferMode;

/* The inference of one frame, which may outlast the frame's stay. */
struct _GstY10Job
{
  GstY10Job *next; /* free list or detached list */
  guint index;     /* in the pool */

  guint64 number; /* of its frame */
  guint epoch;    /* likewise */
  GstClockTime pts;
  GstY10Session *session;
  Y10EngineStream *stream; /* NULL: the device is lost */
  GstY10Config *config;
  GstY10ClassRules *class_rules;
  gboolean is_mapped;
  GstY10Frame frame;
  GstY10FrameParts *parts; /* owned by the part rules; NULL without */
  gboolean is_empty;       /* there is nothing to infer in the frame */
  gfloat weak_confidence;  /* of weak boxes; 1: not asked for */
  Y10HeadParams params;    /* of the objects */
  Y10HeadParams asked;     /* of the engine, for weak boxes, too */
  Y10EngineRequest request;

  /* Valid once the job is over. */
  GError *error;
  gint n;             /* of @rows; -1: no result */
  guint n_weak;       /* of weak boxes behind these */
  Y10Detection *rows; /* room for GST_Y10_MAX_DETECTIONS */
};

/* Pool of jobs, shared by the input thread and the output task. */
typedef struct
{
  GMutex lock;
  GstY10Job *unused; /* lock */
  GstY10Job *jobs;
  Y10Detection *rows;
} GstY10Jobs;

void gst_y10_jobs_init (GstY10Jobs *jobs);
void gst_y10_jobs_begin (GstY10Jobs *jobs, guint n);
void gst_y10_jobs_end (GstY10Jobs *jobs);
void gst_y10_jobs_clear (GstY10Jobs *jobs);
GstY10Job *gst_y10_jobs_take (GstY10Jobs *jobs);
void gst_y10_jobs_give (GstY10Jobs *jobs, GstY10Job *job);

gboolean gst_y10_job_start (GstY10Job *job, GstBuffer *buffer,
    const GstY10FrameFormat *format, guint max_running, GstY10InferMode mode,
    gboolean *submitted);
gboolean gst_y10_job_is_over (GstY10Job *job);
void gst_y10_job_get_areas (const GstY10Job *job, GstY10Areas *areas);
gboolean gst_y10_job_get_seen (const GstY10Job *job, GstVideoRectangle *seen);
void gst_y10_job_finish (GstY10Job *job);

G_END_DECLS
