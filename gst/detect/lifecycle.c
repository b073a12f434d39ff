/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Creates and destroys the session, and opens the CUDA context. The session exists
 * from start() to stop(), unless a reload replaces it or frames arrive in another
 * CUDA context; the context, from NULL to READY on, until NULL. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/lifecycle.h"

#include "common/elementerror.h"
#include "detect/messages.h"
#include "detect/output.h"
#include "detect/recovery.h"
#include "detect/reload.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

/* Decides whether to accept CUDA memory: the backend must read it and there
 * must be a context to share. */
void
gst_y10_lifecycle_open_cuda (GstYolov10Detect *self)
{
  Y10BackendKind backend;
  Y10Precision precision;
  g_autoptr (GError) error = NULL;
  gboolean takes;
  gint device_id;

  GST_OBJECT_LOCK (self);
  backend = self->config->backend;
  precision = self->config->precision;
  device_id = self->config->device_id;
  GST_OBJECT_UNLOCK (self);
  takes = gst_y10_session_takes_cuda (backend, precision, device_id)
      && gst_y10_cuda_open (self->cuda, device_id, &error);
  if (error)
    GST_WARNING_OBJECT (self, "cannot accept frames in CUDA memory: %s",
        error->message);
  GST_OBJECT_LOCK (self);
  self->takes_cuda = takes;
  GST_OBJECT_UNLOCK (self);
}

/* Returns FALSE if a property has a bad value, for any model. */
static gboolean
check (GstYolov10Detect *self, const GstY10Config *config, GError **error)
{
  Y10Image image;

  GST_OBJECT_LOCK (self);
  image = self->image;
  GST_OBJECT_UNLOCK (self);
  return gst_y10_config_check (config, error)
      && gst_y10_config_suits (config, &image, error);
}

/* Warns of a bad value that was set while the model was loading, and asks for the
 * model that was; the first frame tells whether the classes fit. */
static void
catch_up (GstYolov10Detect *self)
{
  g_autoptr (GstY10Config) config = NULL;
  g_autoptr (GError) error = NULL;

  /* Open first, so that later changes trigger reload requests of their own. */
  gst_y10_reload_open (self->reload);
  config = gst_yolov10_detect_get_config (self);
  if (!check (self, config, &error))
    GST_Y10_ELEMENT_WARNING (self, error);
  if (g_strcmp0 (self->session->config->text.model_file,
          config->text.model_file))
    gst_y10_reload_request (self->reload);
}

gboolean
gst_y10_lifecycle_begin (GstYolov10Detect *self, GError **error)
{
  g_autoptr (GstY10Config) config = gst_yolov10_detect_get_config (self);
  GstY10Session *session = NULL;
  g_autoptr (Y10Engine) engine = NULL;

  if (check (self, config, error)) {
    g_autofree gchar *name = gst_object_get_name (GST_OBJECT (self));

    gst_y10_lifecycle_open_cuda (
        self); /* properties may have changed in READY */
    session = gst_y10_session_new (config, gst_y10_cuda_get_handle (self->cuda),
        name, NULL, error);
  }
  if (!session)
    return FALSE;
  engine = gst_y10_session_get_engine (session);
  GST_INFO_OBJECT (self, "%s on %s, %s; inference time %" GST_TIME_FORMAT,
      y10_model_get_variant (session->model), y10_engine_get_device (engine),
      y10_precision_get_name (y10_engine_get_precision (engine)),
      GST_TIME_ARGS (session->warm_ns));
  GST_OBJECT_LOCK (self);
  self->session = session;
  if (y10_engine_get_backend (engine) != Y10_BACKEND_CUDA)
    self->takes_cuda = FALSE;
  gst_y10_latency_expect (&self->latency, session->warm_ns);
  GST_OBJECT_UNLOCK (self);
  gst_yolov10_detect_introduce (self, session);
  catch_up (self);
  gst_y10_messages_engine_changed (GST_ELEMENT (self));
  return TRUE;
}

void
gst_y10_lifecycle_end (GstYolov10Detect *self)
{
  GstY10Session *session;

  gst_y10_reload_close (self->reload);
  gst_y10_recovery_stop (self->recovery);
  gst_y10_output_forget (self);
  GST_OBJECT_LOCK (self);
  session = g_steal_pointer (&self->session);
  GST_OBJECT_UNLOCK (self);
  /* Joins the engine's thread, so not under the lock. */
  gst_y10_session_unref (session);
}

/* Recreates the session in @buffer's context. The engine cannot read frames
 * from a context other than its own, and the producer will keep using this
 * one. */
gboolean
gst_y10_lifecycle_restart_in_context (GstYolov10Detect *self, GstBuffer *buffer,
    GError **error)
{
  gint device_id;

  GST_WARNING_OBJECT (self,
      "frames are in another CUDA context: restarting in "
      "that one; all elements of a pipeline should share a context");
  GST_OBJECT_LOCK (self);
  device_id = self->config->device_id;
  GST_OBJECT_UNLOCK (self);
  gst_y10_lifecycle_end (self);
  return gst_y10_cuda_adopt (self->cuda, buffer, device_id, error)
      && gst_y10_lifecycle_begin (self, error);
}

/* Switches to a reloaded session, if one is ready. With @withdraw, the old session's
 * requests would get their turn too late. Queued frames keep the old one. If that one
 * has lost its GPU, they leave first, so that its recovery can be stopped; if they
 * cannot, returns FALSE, and the reloaded session stays ready. */
gboolean
gst_y10_lifecycle_apply_reload (GstYolov10Detect *self, gboolean withdraw)
{
  GstY10Session *new, *old;
  gboolean slower;

  if (!gst_y10_reload_is_ready (self->reload))
    return TRUE;
  if (!gst_y10_session_has_engine (self->session)) {
    if (!gst_y10_frame_queue_drain (self->frame_queue, TRUE))
      return FALSE;
    gst_y10_recovery_stop (self->recovery);
  }
  new = gst_y10_reload_take (self->reload);
  GST_OBJECT_LOCK (self);
  old = self->session;
  self->session = new;
  slower = gst_y10_latency_expect (&self->latency, new->warm_ns);
  GST_OBJECT_UNLOCK (self);
  gst_yolov10_detect_introduce (self, new);
  if (withdraw)
    gst_y10_session_withdraw (old);
  gst_y10_reload_retire (self->reload, old);
  gst_y10_messages_engine_changed (GST_ELEMENT (self));
  if (slower)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
  return TRUE;
}
