/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Recovery from a GPU lost while playing. Frames keep flowing without
 * detections. A separate thread frees the lost engine, looks for a usable
 * context and rebuilds the engine, first after a second, then with exponential
 * backoff. It always uses the same backend: silently running slower would be
 * worse than running without detections and a warning.
 *
 * The session and its model stay; only the engine is missing. The output task
 * takes the engine away and the recovery thread sets a new one. Frames still
 * queued on the lost engine fail one by one. Only then can the engine be freed,
 * and with it whatever keeps the GPU from coming back. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/recovery.h"

#include "common/elementerror.h"
#include "detect/messages.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

#define FIRST (GST_Y10_RECOVER_FIRST * G_TIME_SPAN_SECOND)
#define LONGEST (GST_Y10_RECOVER_LONGEST * G_TIME_SPAN_SECOND)

struct _GstY10Recovery
{
  GstYolov10Detect *detect;  /* not owned; it owns this object */
  GCancellable *cancellable; /* of the attempt in progress */
  GMutex lock;
  GCond stopped;
  gboolean stopping; /* lock */

  /* Output task; the input thread while the queue is empty; the recovery thread
   * while it runs. */
  GThread *thread;
  GstY10Session *session;
  Y10EngineStream *lost;
  gint64 delay, recovered_at; /* microseconds */
  guint attempts;
  gboolean told_restart;
};

/* Borrows @detect, which must outlive it. */
GstY10Recovery *
gst_y10_recovery_new (GstYolov10Detect *detect)
{
  GstY10Recovery *self = g_new0 (GstY10Recovery, 1);

  self->detect = detect;
  self->cancellable = g_cancellable_new ();
  self->delay = FIRST;
  g_mutex_init (&self->lock);
  g_cond_init (&self->stopped);
  return self;
}

/* Call after gst_y10_recovery_stop(). */
void
gst_y10_recovery_free (GstY10Recovery *self)
{
  g_object_unref (self->cancellable);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->stopped);
  g_free (self);
}

/* Returns FALSE if interrupted by a stop. */
static gboolean
sleep_on (GstY10Recovery *self, gint64 duration)
{
  gint64 until = g_get_monotonic_time () + duration;
  gboolean stopping;

  g_mutex_lock (&self->lock);
  while (
      !self->stopping && g_cond_wait_until (&self->stopped, &self->lock, until))
    ;
  stopping = self->stopping;
  g_mutex_unlock (&self->lock);
  return !stopping;
}

/* Uses a shared or a new context. Without one the engine creates its own, which
 * is enough for frames in system memory. */
static Y10EngineStream *
make_stream (GstY10Recovery *self, GError **error)
{
  GstYolov10Detect *detect = self->detect;
  g_autoptr (GError) why = NULL;

  if (!gst_y10_cuda_open (detect->cuda, self->session->config->device_id, &why))
    GST_DEBUG_OBJECT (detect, "cannot open a CUDA context: %s", why->message);
  return gst_y10_session_make_stream (self->session,
      gst_y10_cuda_get_handle (detect->cuda), self->cancellable, error);
}

static void
post_recovered (GstY10Recovery *self, guint64 skipped)
{
  GstYolov10Detect *detect = self->detect;

  GST_INFO_OBJECT (detect,
      "recovered the device after %u attempts; "
      "%" G_GUINT64_FORMAT " frames skipped since the start",
      self->attempts, skipped);
  gst_element_post_message (GST_ELEMENT (detect),
      gst_message_new_element (GST_OBJECT (detect),
          gst_structure_new ("yolov10-recovered", "attempts", G_TYPE_UINT,
              self->attempts, "skipped", G_TYPE_UINT64, skipped, NULL)));
  gst_y10_messages_engine_changed (GST_ELEMENT (detect));
}

/* CUDA documents that after most of these errors the process has to be
 * restarted. After an illegal address no new context works. Only the first failure
 * of one posts a warning: after another error, a later attempt can succeed. */
static void
warn_restart (GstY10Recovery *self, const GError *why)
{
  g_autoptr (GError) error = NULL;

  if (self->told_restart
      || !g_error_matches (why, Y10_ERROR, Y10_ERROR_DEVICE_LOST))
    return;
  self->told_restart = TRUE;
  error = g_error_copy (why);
  g_prefix_error (&error,
      "recovery in a new CUDA context failed, and CUDA may "
      "require that this process is restarted; attempts continue, and frames "
      "pass without detections: ");
  GST_Y10_ELEMENT_WARNING (self->detect, error);
}

static gboolean
attempt (GstY10Recovery *self)
{
  GstYolov10Detect *detect = self->detect;
  g_autoptr (GError) error = NULL;
  Y10EngineStream *stream = make_stream (self, &error);
  guint64 skipped;

  self->attempts++;
  if (!stream) {
    GST_WARNING_OBJECT (detect, "attempt %u to rebuild the engine: %s",
        self->attempts, error->message);
    warn_restart (self, error);
    gst_y10_cuda_lose (detect->cuda);
    return FALSE;
  }
  self->recovered_at = g_get_monotonic_time ();
  GST_OBJECT_LOCK (detect);
  detect->stats.recoveries++;
  skipped = detect->stats.skipped;
  GST_OBJECT_UNLOCK (detect);
  gst_y10_session_give_stream (self->session, stream);
  gst_yolov10_detect_introduce (detect, self->session);
  /* From here on the device may be lost again and the output task restart
   * recovery. */
  post_recovered (self, skipped);
  return TRUE;
}

static gpointer
run (gpointer data)
{
  GstY10Recovery *self = data;
  gint64 delay;

  gst_y10_session_wait_idle (self->session);
  g_clear_pointer (&self->lost, y10_engine_stream_unref);
  gst_y10_cuda_lose (self->detect->cuda);
  do {
    delay = self->delay;
    GST_DEBUG_OBJECT (self->detect, "next attempt in %" G_GINT64_FORMAT " s",
        delay / G_TIME_SPAN_SECOND);
    self->delay = MIN (2 * delay, LONGEST);
  } while (sleep_on (self, delay) && !attempt (self));
  return NULL;
}

static void
warn (GstY10Recovery *self, const GError *why)
{
  g_autoptr (GError) error = g_error_copy (why);

  g_prefix_error (&error,
      "the device is lost; frames pass without detections "
      "until it recovers: ");
  GST_Y10_ELEMENT_WARNING (self->detect, error);
}

/* Joins the thread but keeps the backoff delay. */
static void
end_thread (GstY10Recovery *self)
{
  g_mutex_lock (&self->lock);
  self->stopping = TRUE;
  g_cond_signal (&self->stopped);
  g_mutex_unlock (&self->lock);
  g_cancellable_cancel (self->cancellable);
  g_clear_pointer (&self->thread, g_thread_join);
  g_cancellable_reset (self->cancellable);
  self->stopping = FALSE;
  g_clear_pointer (&self->session, gst_y10_session_unref);
}

/* Takes the engine away from @session, posts a warning and starts the recovery
 * thread, unless an earlier frame already did. Output task only. */
void
gst_y10_recovery_start (GstY10Recovery *self, GstY10Session *session,
    Y10EngineStream *stream, const GError *why)
{
  GstYolov10Detect *detect = self->detect;
  g_autoptr (GError) error = NULL;
  Y10EngineStream *lost = gst_y10_session_lose_stream (session, stream);

  if (!lost)
    return;
  warn (self, why);
  /* It rebuilt this engine, or the engine of a replaced session. */
  end_thread (self);
  self->session = gst_y10_session_ref (session);
  self->lost = lost;
  if (g_get_monotonic_time () - self->recovered_at > LONGEST)
    self->delay = FIRST;
  self->attempts = 0;
  self->told_restart = FALSE;
  gst_y10_messages_engine_changed (GST_ELEMENT (detect));
  self->thread = g_thread_try_new ("y10-recover", run, self, &error);
  if (!self->thread) {
    GST_Y10_ELEMENT_WARNING (detect, error);
    g_clear_pointer (&self->lost, y10_engine_stream_unref);
  }
}

/* Cancels a running recovery and resets the backoff. Call with an empty frame
 * queue. Blocks only until the current attempt notices the cancellation. */
void
gst_y10_recovery_stop (GstY10Recovery *self)
{
  end_thread (self);
  self->delay = FIRST;
}
