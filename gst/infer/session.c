/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A session: the model and the engine made for it, which exist while the
 * element is PAUSED or PLAYING. Creating one may take seconds and fails with a
 * single error. It includes warm-up, so the first frame is as fast as later
 * ones and the inference time is known before the first frame.
 *
 * Sessions are reference counted: queued frames keep theirs when a reload
 * replaces it. The engine may go before the session if its GPU is lost; users
 * bracket inferences with begin and end calls, so that recovery can wait for
 * the last one. */
#include "infer/session.h"

#include <string.h>

#include "common/parse.h"

typedef struct
{
  GstY10Session public; /* must be first */

  GMutex lock;
  GCond changed;
  gint refs;               /* lock; so is everything below */
  Y10EngineStream *stream; /* NULL while the device is lost */
  guint n_inferring;
} Session;

static Y10EngineStream *
make_stream (const GstY10Config *config, Y10Model *model,
    Y10BackendKind backend, gpointer cuda_context, GCancellable *cancellable,
    GError **error)
{
  Y10EngineConfig wanted;

  y10_engine_config_init (&wanted, sizeof wanted);
  wanted.backend = backend;
  wanted.precision = config->precision;
  wanted.head = config->head;
  wanted.threads = config->threads;
  wanted.device_id = config->device_id;
  wanted.cuda_graphs = config->cuda_graphs;
  wanted.tune = config->cuda_tune;
  wanted.cuda_context = cuda_context;
  wanted.max_batch = config->max_batch;
  wanted.batch_timeout = config->batch_timeout;
  wanted.max_detections = GST_Y10_MAX_DETECTIONS;
  if (!gst_y10_parse_input_size (config->text.input_size, &wanted.width,
          &wanted.height, &wanted.auto_size, error))
    return NULL;
  return y10_engine_stream_new (model, &wanted, config->text.engine_group,
      config->priority, cancellable, error);
}

/* Creates a stream to replace a lost one, always on CUDA and never on a slower
 * backend. Any thread. */
Y10EngineStream *
gst_y10_session_make_stream (const GstY10Session *self, gpointer cuda_context,
    GCancellable *cancellable, GError **error)
{
  return make_stream (self->config, self->model, Y10_BACKEND_CUDA, cuda_context,
      cancellable, error);
}

/* Predicts whether a session will compute on GPU @device_id (-1: any) in
 * @precision, before there is one. Mirrors the engine's choice: the highest score, and CUDA if scores
 * are equal, unless its self-check failed. Runs that check, which takes seconds,
 * if there is no verdict yet. */
gboolean
gst_y10_session_takes_cuda (Y10BackendKind backend, Y10Precision precision,
    gint device_id)
{
  Y10EngineConfig config;
  gint score;

  if (backend != Y10_BACKEND_AUTO && backend != Y10_BACKEND_CUDA)
    return FALSE;
  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_CUDA;
  config.precision = precision;
  config.device_id = device_id;
  score = y10_backend_probe (Y10_BACKEND_CUDA, NULL);
  return score > 0
      && (backend == Y10_BACKEND_CUDA
          || (score >= y10_backend_probe (Y10_BACKEND_CPU, NULL)
              && score >= y10_backend_probe (Y10_BACKEND_REF, NULL)
              && y10_backend_check (&config, FALSE, NULL, NULL)));
}

/* Loads the model, creates the engine and warms it up. @cuda_context is a
 * CUcontext that outlives the session, or NULL. @name is the element's, for the
 * metadata. Any thread. */
GstY10Session *
gst_y10_session_new (GstY10Config *config, gpointer cuda_context,
    const gchar *name, GCancellable *cancellable, GError **error)
{
  const GstY10ConfigTexts *text = &config->text;
  const gchar *file = text->model_file, *labels = text->label_file;
  gint64 began_at = g_get_monotonic_time ();
  static gint serial;
  Session *session = g_new0 (Session, 1);
  g_autoptr (GstY10Session) self = &session->public;

  session->refs = 1;
  g_mutex_init (&session->lock);
  g_cond_init (&session->changed);
  self->serial = (guint) g_atomic_int_add (&serial, 1) + 1;
  self->began_at = began_at;
  self->config = gst_y10_settings_ref (config);
  self->model = y10_model_load (file && *file ? file : NULL,
      labels && *labels ? labels : NULL, error);
  if (!self->model)
    return NULL;
  self->producer = gst_y10_producer_new (self->model, name);
  self->class_rules = gst_y10_class_rules_new (config, self->model, error);
  if (!self->class_rules)
    return NULL;
  session->stream = make_stream (config, self->model, config->backend,
      cuda_context, cancellable, error);
  if (!session->stream)
    return NULL;
  self->backend = y10_engine_get_backend (
      y10_engine_stream_get_engine (session->stream));
  self->warm_ns = y10_engine_stream_get_warm_time (session->stream);
  return g_steal_pointer (&self);
}

GstY10Session *
gst_y10_session_ref (GstY10Session *self)
{
  Session *session = (Session *) self;

  g_mutex_lock (&session->lock);
  session->refs++;
  g_mutex_unlock (&session->lock);
  return self;
}

static void
free_session (Session *session)
{
  GstY10Session *self = &session->public;

  g_clear_pointer (&session->stream, y10_engine_stream_unref);
  gst_y10_class_rules_unref (self->class_rules);
  g_clear_pointer (&self->model, y10_model_unref);
  gst_y10_producer_free (self->producer);
  gst_y10_settings_unref (self->config);
  g_mutex_clear (&session->lock);
  g_cond_clear (&session->changed);
  g_free (session);
}

/* Joins the engine's thread when dropping the last reference. */
void
gst_y10_session_unref (GstY10Session *self)
{
  Session *session = (Session *) self;
  gint refs;

  if (!self)
    return;
  g_mutex_lock (&session->lock);
  refs = --session->refs;
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
  if (!refs)
    free_session (session);
}

static void
wake (GCancellable *cancellable, gpointer data)
{
  Session *session = data;

  g_mutex_lock (&session->lock);
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
}

/* Waits until the caller holds the last reference, then drops it, so that no
 * frame is delayed by freeing the session. Cancellation only ends the wait. */
void
gst_y10_session_retire (GstY10Session *self, GCancellable *cancellable)
{
  Session *session = (Session *) self;
  gulong id = g_cancellable_connect (cancellable, G_CALLBACK (wake), session,
      NULL);

  g_mutex_lock (&session->lock);
  while (session->refs > 1 && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait (&session->changed, &session->lock);
  g_mutex_unlock (&session->lock);
  g_cancellable_disconnect (cancellable, id);
  gst_y10_session_unref (self);
}

/* Uses the classes of @config from the next frame on, unless they are those in use.
 * On error nothing changes. Input thread. */
gboolean
gst_y10_session_use_classes (GstY10Session *self, const GstY10Config *config,
    GError **error)
{
  GstY10ClassRules *rules;

  if (gst_y10_class_rules_are_of (self->class_rules, config))
    return TRUE;
  rules = gst_y10_class_rules_new (config, self->model, error);
  if (!rules)
    return FALSE;
  gst_y10_class_rules_unref (self->class_rules);
  self->class_rules = rules;
  return TRUE;
}

/* Returns a new reference or NULL; call with the lock held. */
static Y10EngineStream *
ref_stream (Session *session)
{
  return session->stream ? y10_engine_stream_ref (session->stream) : NULL;
}

/* Returns a new reference for queries, not for inference, or NULL. */
Y10EngineStream *
gst_y10_session_get_stream (GstY10Session *self)
{
  Session *session = (Session *) self;
  Y10EngineStream *stream;

  g_mutex_lock (&session->lock);
  stream = ref_stream (session);
  g_mutex_unlock (&session->lock);
  return stream;
}

/* Returns a new reference for queries, or NULL. */
Y10Engine *
gst_y10_session_get_engine (GstY10Session *self)
{
  g_autoptr (Y10EngineStream) stream = gst_y10_session_get_stream (self);

  return stream ? y10_engine_ref (y10_engine_stream_get_engine (stream)) : NULL;
}

/* Returns FALSE while the device is lost. */
gboolean
gst_y10_session_has_engine (GstY10Session *self)
{
  g_autoptr (Y10Engine) engine = gst_y10_session_get_engine (self);

  return engine != NULL;
}

/* Returns a stream reference for one inference, to be passed to
 * gst_y10_session_end(), or NULL while the device is lost. */
Y10EngineStream *
gst_y10_session_begin (GstY10Session *self)
{
  Session *session = (Session *) self;
  Y10EngineStream *stream;

  g_mutex_lock (&session->lock);
  stream = ref_stream (session);
  session->n_inferring += stream != NULL;
  g_mutex_unlock (&session->lock);
  return stream;
}

/* Ends an inference and drops @stream, which must no longer hold its frame. */
void
gst_y10_session_end (GstY10Session *self, Y10EngineStream *stream)
{
  Session *session = (Session *) self;

  y10_engine_stream_unref (stream);
  g_mutex_lock (&session->lock);
  session->n_inferring--;
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
}

/* Withdraws all requests that the engine has not started; wakes waiters. */
void
gst_y10_session_withdraw (GstY10Session *self)
{
  g_autoptr (Y10EngineStream) stream = gst_y10_session_get_stream (self);

  if (stream)
    y10_engine_stream_withdraw (stream);
}

/* Has memory ready for frames like @image (width 0: unknown), if they are in system
 * memory. */
void
gst_y10_session_reserve (GstY10Session *self, const Y10Image *image)
{
  g_autoptr (Y10EngineStream) stream = gst_y10_session_get_stream (self);

  if (stream && image->width && image->memory == Y10_MEMORY_HOST)
    y10_engine_stream_reserve (stream, image->format, image->width,
        image->height);
}

void
gst_y10_session_set_priority (GstY10Session *self, gint priority)
{
  g_autoptr (Y10EngineStream) stream = gst_y10_session_get_stream (self);

  if (stream)
    y10_engine_stream_set_priority (stream, priority);
}

/* Tells the engine how many images will often come together: the parts of frames
 * like @image (width 0: unknown) by @rules, which may be NULL. May wait for a
 * running step. */
void
gst_y10_session_expect_parts (GstY10Session *self, const GstY10PartRules *rules,
    const Y10Image *image)
{
  g_autoptr (Y10EngineStream) stream = gst_y10_session_get_stream (self);
  guint width, height, n;

  if (rules && stream && image->width) {
    y10_engine_get_input_size (y10_engine_stream_get_engine (stream), &width,
        &height);
    if (gst_y10_part_rules_count (rules, image, width, height, &n, NULL))
      y10_engine_stream_expect_parts (stream, n);
  }
}

/* Takes the stream away from the session and returns it, or NULL if @stream is
 * no longer the session's. */
Y10EngineStream *
gst_y10_session_lose_stream (GstY10Session *self, Y10EngineStream *stream)
{
  Session *session = (Session *) self;
  Y10EngineStream *lost = NULL;

  g_mutex_lock (&session->lock);
  if (stream == session->stream)
    lost = g_steal_pointer (&session->stream);
  g_mutex_unlock (&session->lock);
  return lost;
}

/* Waits for the last inference to end. The session must have no stream. */
void
gst_y10_session_wait_idle (GstY10Session *self)
{
  Session *session = (Session *) self;

  g_mutex_lock (&session->lock);
  while (session->n_inferring)
    g_cond_wait (&session->changed, &session->lock);
  g_mutex_unlock (&session->lock);
}

/* Gives a session a new stream, taking ownership of it. */
void
gst_y10_session_give_stream (GstY10Session *self, Y10EngineStream *stream)
{
  Session *session = (Session *) self;

  g_mutex_lock (&session->lock);
  session->stream = stream;
  g_mutex_unlock (&session->lock);
}
