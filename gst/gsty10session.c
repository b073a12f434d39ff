/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What exists while the element is PAUSED or PLAYING: the model, the engine
 * made for it, and the memory a frame needs. Making one may take seconds and
 * says in one error why it cannot be done; a frame then allocates nothing. Not
 * locked: the element shares out who may touch what. */
#include "gsty10session.h"

/* The engine waits for as long as it takes. */
#define FOREVER -1

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
}

static void
copy_settings (GstY10Settings * to, const GstY10Settings * from)
{
  *to = *from;
  to->model_file = g_strdup (from->model_file);
  to->label_file = g_strdup (from->label_file);
  to->input_size = g_strdup (from->input_size);
  to->classes = g_strdup (from->classes);
}

static Y10Engine *
make_engine (const GstY10Settings * settings, Y10Model * model,
    GCancellable * cancellable, GError ** error)
{
  Y10EngineConfig config;

  y10_engine_config_init (&config);
  config.backend = settings->backend;
  config.precision = settings->precision;
  config.head = settings->head;
  config.threads = settings->threads;
  config.device_id = settings->device_id;
  config.cuda_graphs = settings->cuda_graphs;
  config.tune = settings->cuda_tune;
  config.cuda_context = settings->cuda_context;
  config.max_batch = 1;
  config.n_slots = 1;
  config.max_rows = GST_Y10_MAX_DETECTIONS;
  if (!gst_y10_parse_input_size (settings->input_size, &config.width,
          &config.height, error))
    return NULL;
  return y10_engine_new (model, &config, cancellable, error);
}

/**
 * gst_y10_session_make_engine:
 * @self: a session whose engine has lost its device
 * @cuda_context: (nullable): where to make another one
 * @cancellable: gives up early
 * @error: why there is none
 *
 * On the same backend, never on one that is slower. Any thread.
 *
 * Returns: (transfer full): an engine like that which the session was made
 *   with, or %NULL
 */
Y10Engine *
gst_y10_session_make_engine (const GstY10Session * self,
    gpointer cuda_context, GCancellable * cancellable, GError ** error)
{
  GstY10Settings settings = self->settings;

  settings.backend = Y10_BACKEND_CUDA;
  settings.cuda_context = cuda_context;
  return make_engine (&settings, self->model, cancellable, error);
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
 * @error: what could not be done
 *
 * Loads the model and makes the engine.
 *
 * Returns: (transfer full): the session, or %NULL
 */
GstY10Session *
gst_y10_session_new (const GstY10Settings * settings, const gchar * producer,
    GError ** error)
{
  const gchar *file = settings->model_file, *labels = settings->label_file;
  GstY10Session *self;
  guint n_classes;

  self = g_new0 (GstY10Session, 1);
  copy_settings (&self->settings, settings);
  self->model = y10_model_load (file && *file ? file : NULL,
      labels && *labels ? labels : NULL, error);
  if (!self->model)
    goto failed;
  n_classes = y10_model_get_n_classes (self->model);
  self->wanted_classes = g_malloc (n_classes);
  self->frame_classes = g_malloc (n_classes);
  self->detections = g_new (Y10Detection, GST_Y10_MAX_DETECTIONS);
  self->attacher = gst_y10_attacher_new (self->model, producer);
  if (!gst_y10_parse_classes (settings->classes, self->model,
          self->wanted_classes, error))
    goto failed;
  self->engine = make_engine (settings, self->model, NULL, error);
  if (!self->engine)
    goto failed;
  return self;

failed:
  gst_y10_session_free (self);
  return NULL;
}

/**
 * gst_y10_session_free:
 * @self: (nullable): a session that no frame is in
 */
void
gst_y10_session_free (GstY10Session * self)
{
  if (!self)
    return;
  g_clear_pointer (&self->engine, y10_engine_unref);
  g_clear_pointer (&self->model, y10_model_unref);
  gst_y10_attacher_free (self->attacher);
  gst_y10_settings_clear (&self->settings);
  g_free (self->detections);
  g_free (self->wanted_classes);
  g_free (self->frame_classes);
  g_free (self);
}

/* Boxes are relative to the region that was read. */
static void
move_to_frame (GstY10Session * self, gint n, const Y10Image * image)
{
  for (gint i = 0; i < n; i++) {
    Y10Detection *d = &self->detections[i];

    d->x0 += image->x;
    d->x1 += image->x;
    d->y0 += image->y;
    d->y1 += image->y;
  }
}

/**
 * gst_y10_session_infer:
 * @self: the session
 * @frame: a mapped frame; unmapped when this returns, and as soon as the
 *   engine has read it
 * @params: what is wanted of it
 * @times: (out): where the time went
 * @error: what the engine could not do
 *
 * Runs the network. The detections, in pixels of the whole frame, are in
 * @self->detections until the next call.
 *
 * Returns: how many there are, -1 on error
 */
gint
gst_y10_session_infer (GstY10Session * self, GstY10Frame * frame,
    const Y10HeadParams * params, Y10StepTimes * times, GError ** error)
{
  gboolean ok;
  Y10Step step;
  gint n = -1;

  if (!y10_engine_begin (self->engine, FOREVER, &step, error)) {
    gst_y10_frame_unmap (frame);
    return -1;
  }
  ok = y10_step_add (&step, &frame->image, params, error)
      && y10_step_submit (&step, error)
      && y10_step_wait_input (&step, FOREVER, error);
  gst_y10_frame_unmap (frame);
  if (ok && y10_step_wait (&step, FOREVER, error)
      && y10_step_get_times (&step, times, error))
    n = y10_step_read (&step, 0, self->detections, GST_Y10_MAX_DETECTIONS,
        error);
  y10_step_end (&step);
  move_to_frame (self, n, &frame->image);
  return n;
}
