/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/y10.h>

#include "common/frame.h"
#include "meta/write.h"

G_BEGIN_DECLS

/* Limit of detections per frame; memory is allocated for this many. */
#define GST_Y10_MAX_DETECTIONS 1000

/* Limit and automatic number of concurrent inferences. */
#define GST_Y10_MAX_IN_FLIGHT 8
#define GST_Y10_AUTO_IN_FLIGHT 2

/* Properties that define a session; strings may be NULL. */
typedef struct
{
  gchar *model_file, *label_file, *input_size, *classes, *engine_group;
  gchar *encoder_hints, *class_confidence;
  Y10BackendKind backend;
  Y10Precision precision;
  Y10Head head;
  guint threads;
  guint in_flight;              /* 0: automatic */
  guint max_batch, batch_timeout;       /* of engine steps; 0: automatic */
  gint priority;                /* when the session was created */
  gint device_id;               /* -1: any */
  gboolean cuda_graphs, cuda_tune;
  gpointer cuda_context;        /* CUcontext that outlives the session, or NULL */
} GstY10Settings;

/* What frames need while flowing. These fields never change; engine and classes
 * do, and have getters. */
typedef struct
{
  GstY10Settings settings;      /* the session was created from */
  Y10Model *model;
  GstY10Attacher *attacher;
  guint serial;                 /* unique within the process */
  gint64 began_at;              /* time of the request, microseconds */
  gint64 warm_ns;               /* p95 of an inference at warm-up */
} GstY10Session;

void gst_y10_settings_copy (GstY10Settings * to, const GstY10Settings * from);
void gst_y10_settings_clear (GstY10Settings * settings);

gboolean gst_y10_session_takes_cuda (Y10BackendKind backend,
    Y10Precision precision, gint device_id);
GstY10Session *gst_y10_session_new (const GstY10Settings * settings,
    const gchar * producer, GCancellable * cancellable, GError ** error);
GstY10Session *gst_y10_session_ref (GstY10Session * session);
void gst_y10_session_unref (GstY10Session * session);
void gst_y10_session_retire (GstY10Session * session,
    GCancellable * cancellable);

gboolean gst_y10_session_set_classes (GstY10Session * session,
    const gchar * text, GError ** error);
GBytes *gst_y10_session_get_classes (GstY10Session * session);
gboolean gst_y10_session_set_class_confidence (GstY10Session * session,
    const gchar * text, GError ** error);
GBytes *gst_y10_session_get_class_confidence (GstY10Session * session);
gboolean gst_y10_session_set_encoder_hints (GstY10Session * session,
    const gchar * text, GError ** error);
GstY10Hints *gst_y10_session_get_encoder_hints (GstY10Session * session);

Y10Engine *gst_y10_session_get_engine (GstY10Session * session);
gboolean gst_y10_session_has_engine (GstY10Session * session);
Y10EngineStream *gst_y10_session_get_stream (GstY10Session * session);
Y10EngineStream *gst_y10_session_begin (GstY10Session * session);
void gst_y10_session_end (GstY10Session * session, Y10EngineStream * stream);
void gst_y10_session_withdraw (GstY10Session * session);
void gst_y10_session_reserve (GstY10Session * session,
    const GstY10FrameFormat * format);
void gst_y10_session_set_priority (GstY10Session * session, gint priority);

Y10EngineStream *gst_y10_session_lose_stream (GstY10Session * session,
    Y10EngineStream * stream);
void gst_y10_session_wait_idle (GstY10Session * session);
Y10EngineStream *gst_y10_session_make_stream (const GstY10Session * session,
    gpointer cuda_context, GCancellable * cancellable, GError ** error);
void gst_y10_session_give_stream (GstY10Session * session,
    Y10EngineStream * stream);

G_END_DECLS
