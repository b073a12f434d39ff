/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/y10.h>

#include "gsty10attach.h"
#include "gsty10frame.h"

G_BEGIN_DECLS

/* The detections that one frame can have at most, and so the memory that is
 * set aside for them. */
#define GST_Y10_MAX_DETECTIONS 1000

/* The properties that make a session; strings may be NULL. */
typedef struct
{
  gchar *model_file, *label_file, *input_size, *classes;
  Y10BackendKind backend;
  Y10Precision precision;
  Y10Head head;
  guint threads;
  gint device_id;               /* -1: any */
  gboolean cuda_graphs, cuda_tune;
  gpointer cuda_context;        /* CUcontext that outlives the session, or NULL */
} GstY10Settings;

/* All that is needed while frames flow. */
typedef struct
{
  GstY10Settings settings;      /* what it was made from */
  Y10Model *model;
  Y10Engine *engine;            /* NULL while the device is lost */
  GstY10Attacher *attacher;
  Y10Detection *detections;     /* of the latest frame */
  guint8 *wanted_classes;       /* one byte a class */
  guint8 *frame_classes;        /* room for a frame's copy of them */
} GstY10Session;

void gst_y10_settings_clear (GstY10Settings * settings);

gboolean gst_y10_session_takes_cuda (Y10BackendKind backend);
GstY10Session *gst_y10_session_new (const GstY10Settings * settings,
    const gchar * producer, GError ** error);
Y10Engine *gst_y10_session_make_engine (const GstY10Session * session,
    gpointer cuda_context, GCancellable * cancellable, GError ** error);
void gst_y10_session_free (GstY10Session * session);
gint gst_y10_session_infer (GstY10Session * session, GstY10Frame * frame,
    const Y10HeadParams * params, Y10StepTimes * times, GError ** error);

G_END_DECLS
