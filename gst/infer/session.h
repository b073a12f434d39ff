/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/y10.h>

#include "common/frame.h"
#include "infer/classrules.h"
#include "infer/configuration.h"
#include "meta/result.h"

G_BEGIN_DECLS

/* What frames need while flowing. These fields never change, but for the class
 * rules; the engine may, and has a getter. */
typedef struct
{
  GstY10Config *config; /* the session was created from */
  Y10Model *model;
  GstY10Producer *producer; /* of results, by @model */
  guint serial;             /* unique within the process */
  Y10BackendKind backend;   /* of its engines, also while the device is lost */
  gint64 began_at;          /* time of the request, microseconds */
  gint64 warm_ns;           /* p95 of an inference at warm-up */
  GstY10ClassRules *class_rules; /* of the last configuration that suits
                                         * @model; input thread */
} GstY10Session;

gboolean gst_y10_session_takes_cuda (Y10BackendKind backend,
    Y10Precision precision, gint device_id);
GstY10Session *gst_y10_session_new (GstY10Config *config, gpointer cuda_context,
    const gchar *name, GCancellable *cancellable, GError **error);
GstY10Session *gst_y10_session_ref (GstY10Session *session);
void gst_y10_session_unref (GstY10Session *session);
void gst_y10_session_retire (GstY10Session *session, GCancellable *cancellable);

gboolean gst_y10_session_use_classes (GstY10Session *session,
    const GstY10Config *config, GError **error);

Y10Engine *gst_y10_session_get_engine (GstY10Session *session);
gboolean gst_y10_session_has_engine (GstY10Session *session);
Y10EngineStream *gst_y10_session_get_stream (GstY10Session *session);
Y10EngineStream *gst_y10_session_begin (GstY10Session *session);
void gst_y10_session_end (GstY10Session *session, Y10EngineStream *stream);
void gst_y10_session_withdraw (GstY10Session *session);
void gst_y10_session_reserve (GstY10Session *session, const Y10Image *image);
void gst_y10_session_set_priority (GstY10Session *session, gint priority);
void gst_y10_session_expect_parts (GstY10Session *session,
    const GstY10PartRules *rules, const Y10Image *image);

Y10EngineStream *gst_y10_session_lose_stream (GstY10Session *session,
    Y10EngineStream *stream);
void gst_y10_session_wait_idle (GstY10Session *session);
Y10EngineStream *gst_y10_session_make_stream (const GstY10Session *session,
    gpointer cuda_context, GCancellable *cancellable, GError **error);
void gst_y10_session_give_stream (GstY10Session *session,
    Y10EngineStream *stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10Session, gst_y10_session_unref)

G_END_DECLS
