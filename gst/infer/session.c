/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What exists while the element is PAUSED or PLAYING: the model and the engine
 * made for it. Making one may take seconds and says in one error why it cannot
 * be done; it is warmed up then, so that the first frame takes no longer than
 * the others, and how long they take is known before there is one.
 *
 * Whoever needs a session has a reference: frames on their way keep theirs when
 * another model takes over. The engine may go before the session, with its GPU;
 * whoever infers says so before and after, so that it is known when nobody does
 * any more. */
#include "infer/session.h"

#include <string.h>

typedef struct
{
  GstY10Session public;         /* first */

  GMutex lock;
  GCond changed;
  gint refs;                    /* lock, as all below */
  Y10EngineStream *stream;      /* NULL while the device is lost */
  guint n_inferring;
  GBytes *classes;              /* one byte a class */
  GstY10Hints *hints;           /* NULL: none */
} Session;

/**
 * gst_y10_settings_copy:
 * @to: (out caller-allocates): settings that will own their strings
 * @from: settings
 */
void
gst_y10_settings_copy (GstY10Settings * to, const GstY10Settings * from)
{
  *to = *from;
  to->model_file = g_strdup (from->model_file);
  to->label_file = g_strdup (from->label_file);
  to->input_size = g_strdup (from->input_size);
  to->classes = g_strdup (from->classes);
  to->engine_group = g_strdup (from->engine_group);
  to->encoder_hints = g_strdup (from->encoder_hints);
}

/**
 * gst_y10_settings_clear:
 * @settings: settings that own their strings
 */
void
gst_y10_settings_clear (GstY10Settings * settings)
{
  g_clear_pointer (&settings->model_file, g_free);
  g_clear_pointer (&settings->label_file, g_free);
  g_clear_pointer (&settings->input_size, g_free);
  g_clear_pointer (&settings->classes, g_free);
  g_clear_pointer (&settings->engine_group, g_free);
  g_clear_pointer (&settings->encoder_hints, g_free);
}

static Y10EngineStream *
make_stream (const GstY10Settings * settings, Y10Model * model,
    GCancellable * cancellable, GError ** error)
{
  Y10EngineConfig config;

  y10_engine_config_init (&config, sizeof config);
  config.backend = settings->backend;
  config.precision = settings->precision;
  config.head = settings->head;
  config.threads = settings->threads;
  config.device_id = settings->device_id;
  config.cuda_graphs = settings->cuda_graphs;
  config.tune = settings->cuda_tune;
  config.cuda_context = settings->cuda_context;
  config.max_batch = settings->max_batch;
  config.batch_timeout = settings->batch_timeout;
  config.max_detections = GST_Y10_MAX_DETECTIONS;
  if (!gst_y10_parse_input_size (settings->input_size, &config.width,
          &config.height, error))
    return NULL;
  return y10_engine_stream_new (model, &config, settings->engine_group,
      settings->priority, cancellable, error);
}

/**
 * gst_y10_session_make_stream:
 * @self: a session whose engine has lost its device
 * @cuda_context: (nullable): where to make another one
 * @cancellable: gives up early
 * @error: why there is none
 *
 * On the same backend, never on one that is slower. Any thread.
 *
 * Returns: (transfer full): a stream of an engine like that which the session was
 *   made with, or %NULL
 */
Y10EngineStream *
gst_y10_session_make_stream (const GstY10Session * self,
    gpointer cuda_context, GCancellable * cancellable, GError ** error)
{
  GstY10Settings settings = self->settings;

  settings.backend = Y10_BACKEND_CUDA;
  settings.cuda_context = cuda_context;
  return make_stream (&settings, self->model, cancellable, error);
}

/**
 * gst_y10_session_takes_cuda:
 * @backend: the property
 *
 * Whether a session will compute on CUDA, which has to be known before there
 * is one. As the engine chooses: the highest score, CUDA where two are equal.
 */
gboolean
gst_y10_session_takes_cuda (Y10BackendKind backend)
{
  gint score;

  if (backend != Y10_BACKEND_AUTO && backend != Y10_BACKEND_CUDA)
    return FALSE;
  score = y10_backend_probe (Y10_BACKEND_CUDA, NULL);
  return score > 0 && (backend == Y10_BACKEND_CUDA
      || (score >= y10_backend_probe (Y10_BACKEND_CPU, NULL)
          && score >= y10_backend_probe (Y10_BACKEND_REF, NULL)));
}

/**
 * gst_y10_session_new:
 * @settings: the properties
 * @producer: name of the element, for the metadata
 * @cancellable: (nullable): gives up early
 * @error: what could not be done
 *
 * Loads the model, makes the engine and warms it up. Any thread.
 *
 * Returns: (transfer full): the session, or %NULL
 */
GstY10Session *
gst_y10_session_new (const GstY10Settings * settings, const gchar * producer,
    GCancellable * cancellable, GError ** error)
{
  const gchar *file = settings->model_file, *labels = settings->label_file;
  gint64 began_at = g_get_monotonic_time ();
  static gint serial;
  GstY10Session *self;
  Session *session;

  session = g_new0 (Session, 1);
  self = &session->public;
  session->refs = 1;
  g_mutex_init (&session->lock);
  g_cond_init (&session->changed);
  self->serial = (guint) g_atomic_int_add (&serial, 1) + 1;
  self->began_at = began_at;
  gst_y10_settings_copy (&self->settings, settings);
  self->model = y10_model_load (file && *file ? file : NULL,
      labels && *labels ? labels : NULL, error);
  if (!self->model)
    goto failed;
  self->attacher = gst_y10_attacher_new (self->model, producer);
  if (!gst_y10_session_set_classes (self, settings->classes, error)
      || !gst_y10_session_set_encoder_hints (self, settings->encoder_hints,
          error))
    goto failed;
  session->stream = make_stream (settings, self->model, cancellable, error);
  if (!session->stream)
    goto failed;
  self->warm_ns = y10_engine_stream_get_warm_time (session->stream);
  return self;

failed:
  gst_y10_session_unref (self);
  return NULL;
}

/**
 * gst_y10_session_ref:
 * @self: a session
 *
 * Returns: (transfer full): @self
 */
GstY10Session *
gst_y10_session_ref (GstY10Session * self)
{
  Session *session = (Session *) self;

  g_mutex_lock (&session->lock);
  session->refs++;
  g_mutex_unlock (&session->lock);
  return self;
}

static void
free_session (Session * session)
{
  GstY10Session *self = &session->public;

  g_clear_pointer (&session->stream, y10_engine_stream_unref);
  g_clear_pointer (&session->classes, g_bytes_unref);
  g_clear_pointer (&session->hints, gst_y10_hints_unref);
  g_clear_pointer (&self->model, y10_model_unref);
  gst_y10_attacher_free (self->attacher);
  gst_y10_settings_clear (&self->settings);
  g_mutex_clear (&session->lock);
  g_cond_clear (&session->changed);
  g_free (session);
}

/**
 * gst_y10_session_unref:
 * @self: (nullable): a session; freeing it joins the engine's thread
 */
void
gst_y10_session_unref (GstY10Session * self)
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
wake (GCancellable * cancellable, gpointer data)
{
  Session *session = data;

  g_mutex_lock (&session->lock);
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
}

/**
 * gst_y10_session_retire:
 * @self: (transfer full): a session that no new frame goes to
 * @cancellable: ends the waiting
 *
 * Waits until nobody else has it, so that it is freed here and keeps no frame
 * waiting.
 */
void
gst_y10_session_retire (GstY10Session * self, GCancellable * cancellable)
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

/**
 * gst_y10_session_set_classes:
 * @self: a session
 * @text: (nullable): the property `classes`
 * @error: what in it is not known; then nothing changes
 */
gboolean
gst_y10_session_set_classes (GstY10Session * self, const gchar * text,
    GError ** error)
{
  Session *session = (Session *) self;
  guint n = y10_model_get_n_classes (self->model);
  guint8 *wanted = g_malloc (n);
  GBytes *old;

  if (!gst_y10_parse_classes (text, self->model, wanted, error)) {
    g_free (wanted);
    return FALSE;
  }
  g_mutex_lock (&session->lock);
  old = session->classes;
  session->classes = g_bytes_new_take (wanted, n);
  g_mutex_unlock (&session->lock);
  g_clear_pointer (&old, g_bytes_unref);
  return TRUE;
}

/**
 * gst_y10_session_get_classes:
 * @self: a session
 *
 * Returns: (transfer full): one byte a class, non-zero where it is wanted
 */
GBytes *
gst_y10_session_get_classes (GstY10Session * self)
{
  Session *session = (Session *) self;
  GBytes *classes;

  g_mutex_lock (&session->lock);
  classes = g_bytes_ref (session->classes);
  g_mutex_unlock (&session->lock);
  return classes;
}

/**
 * gst_y10_session_set_encoder_hints:
 * @self: a session
 * @text: (nullable): the property `encoder-hints`
 * @error: what in it is not known; then nothing changes
 */
gboolean
gst_y10_session_set_encoder_hints (GstY10Session * self, const gchar * text,
    GError ** error)
{
  Session *session = (Session *) self;
  GstY10Hints *hints, *old;

  if (!gst_y10_hints_parse (text, self->model, &hints, error))
    return FALSE;
  g_mutex_lock (&session->lock);
  old = session->hints;
  session->hints = hints;
  g_mutex_unlock (&session->lock);
  gst_y10_hints_unref (old);
  return TRUE;
}

/**
 * gst_y10_session_get_encoder_hints:
 * @self: a session
 *
 * Returns: (transfer full) (nullable): what encoders are told
 */
GstY10Hints *
gst_y10_session_get_encoder_hints (GstY10Session * self)
{
  Session *session = (Session *) self;
  GstY10Hints *hints;

  g_mutex_lock (&session->lock);
  hints = gst_y10_hints_ref (session->hints);
  g_mutex_unlock (&session->lock);
  return hints;
}

/* (transfer full) (nullable); with the lock taken. */
static Y10EngineStream *
ref_stream (Session * session)
{
  return session->stream ? y10_engine_stream_ref (session->stream) : NULL;
}

/**
 * gst_y10_session_get_stream:
 * @self: a session
 *
 * Returns: (transfer full) (nullable): its stream, to ask, not to infer
 */
Y10EngineStream *
gst_y10_session_get_stream (GstY10Session * self)
{
  Session *session = (Session *) self;
  Y10EngineStream *stream;

  g_mutex_lock (&session->lock);
  stream = ref_stream (session);
  g_mutex_unlock (&session->lock);
  return stream;
}

/**
 * gst_y10_session_get_engine:
 * @self: a session
 *
 * Returns: (transfer full) (nullable): its engine, to ask
 */
Y10Engine *
gst_y10_session_get_engine (GstY10Session * self)
{
  Y10EngineStream *stream = gst_y10_session_get_stream (self);
  Y10Engine *engine = NULL;

  if (stream)
    engine = y10_engine_ref (y10_engine_stream_get_engine (stream));
  y10_engine_stream_unref (stream);
  return engine;
}

/**
 * gst_y10_session_has_engine:
 * @self: a session
 *
 * Returns: %FALSE while its device is lost
 */
gboolean
gst_y10_session_has_engine (GstY10Session * self)
{
  Y10Engine *engine = gst_y10_session_get_engine (self);
  gboolean has = engine != NULL;

  g_clear_pointer (&engine, y10_engine_unref);
  return has;
}

/**
 * gst_y10_session_begin:
 * @self: a session
 *
 * Returns: (transfer full) (nullable): its stream, for one inference that
 *   gst_y10_session_end() ends; %NULL while the device is lost
 */
Y10EngineStream *
gst_y10_session_begin (GstY10Session * self)
{
  Session *session = (Session *) self;
  Y10EngineStream *stream;

  g_mutex_lock (&session->lock);
  stream = ref_stream (session);
  session->n_inferring += stream != NULL;
  g_mutex_unlock (&session->lock);
  return stream;
}

/**
 * gst_y10_session_end:
 * @self: a session
 * @stream: (transfer full): from gst_y10_session_begin(), without a frame of it
 */
void
gst_y10_session_end (GstY10Session * self, Y10EngineStream * stream)
{
  Session *session = (Session *) self;

  y10_engine_stream_unref (stream);
  g_mutex_lock (&session->lock);
  session->n_inferring--;
  g_cond_broadcast (&session->changed);
  g_mutex_unlock (&session->lock);
}

/**
 * gst_y10_session_withdraw:
 * @self: a session
 *
 * Takes back all frames that the engine has not begun with, and wakes who waits
 * for them.
 */
void
gst_y10_session_withdraw (GstY10Session * self)
{
  Y10EngineStream *stream = gst_y10_session_get_stream (self);

  if (stream)
    y10_engine_stream_withdraw (stream);
  y10_engine_stream_unref (stream);
}

/**
 * gst_y10_session_set_priority:
 * @self: a session
 * @priority: the property
 */
void
gst_y10_session_set_priority (GstY10Session * self, gint priority)
{
  Y10EngineStream *stream = gst_y10_session_get_stream (self);

  if (stream)
    y10_engine_stream_set_priority (stream, priority);
  y10_engine_stream_unref (stream);
}

/**
 * gst_y10_session_lose_stream:
 * @self: a session
 * @stream: (nullable): one whose engine has lost its device
 *
 * Returns: (transfer full) (nullable): the session's stream, which it has no
 *   more; %NULL when it is not, or no longer, @stream
 */
Y10EngineStream *
gst_y10_session_lose_stream (GstY10Session * self, Y10EngineStream * stream)
{
  Session *session = (Session *) self;
  Y10EngineStream *lost = NULL;

  g_mutex_lock (&session->lock);
  if (stream == session->stream)
    lost = g_steal_pointer (&session->stream);
  g_mutex_unlock (&session->lock);
  return lost;
}

/**
 * gst_y10_session_wait_idle:
 * @self: a session without an engine
 *
 * Waits until the last inference has ended.
 */
void
gst_y10_session_wait_idle (GstY10Session * self)
{
  Session *session = (Session *) self;

  g_mutex_lock (&session->lock);
  while (session->n_inferring)
    g_cond_wait (&session->changed, &session->lock);
  g_mutex_unlock (&session->lock);
}

/**
 * gst_y10_session_give_stream:
 * @self: a session without an engine
 * @stream: (transfer full): of an engine like that which it had
 */
void
gst_y10_session_give_stream (GstY10Session * self, Y10EngineStream * stream)
{
  Session *session = (Session *) self;

  g_mutex_lock (&session->lock);
  session->stream = stream;
  g_mutex_unlock (&session->lock);
}
