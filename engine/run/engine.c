/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Engine: a model compiled by one backend, with its slots. This file creates
 * and frees engines and answers queries about them; device.c runs the
 * threads, step.c implements steps. The engine's lock protects the state of
 * all slots. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <y10/stream.h>

#include "base/clock.h"
#include "base/memory-limit.h"
#include "base/sized.h"
#include "model/model.h"
#include "run/engine.h"
#include "run/registry.h"

#define MAX_THREADS 256
#define MAX_DETECTIONS 8400

/**
 * y10_engine_config_init:
 * @config: (out caller-allocates): a configuration
 * @size: sizeof (Y10EngineConfig)
 *
 * Sets the defaults: everything automatic, a batch size of 1, one slot, 300
 * detections.
 *
 * Since: 0.1
 */
void
y10_engine_config_init (Y10EngineConfig *config, gsize size)
{
  const Y10EngineConfig defaults = {
    .max_batch = 1,
    .n_slots = 1,
    .max_detections = 300,
    .device_id = -1,
    .cuda_graphs = TRUE,
    .tune = TRUE,
  };

  memset (config, 0, size);
  config->size = size;
  Y10_SIZED_WRITE (Y10EngineConfig, batch_timeout, config, &defaults);
}

gboolean
y10_engine_config_read (Y10EngineConfig *to, const Y10EngineConfig *from,
    GError **error)
{
  return Y10_SIZED_READ (Y10EngineConfig, batch_timeout, to, from, error);
}

static gboolean
check_range (const char *what, guint value, guint least, guint most,
    GError **error)
{
  if (value >= least && value <= most)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s is %u; expected %u to %u", what, value, least, most);
  return FALSE;
}

static gboolean
check_input_size (const char *what, guint value, GError **error)
{
  if (y10_is_input_size (value))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "input %s is %u; expected a multiple of 32 from 32 to %u", what, value,
      Y10_MAX_INPUT_SIZE);
  return FALSE;
}

void
y10_engine_resolve_input (const Y10Model *model, Y10EngineConfig *c)
{
  guint width, height;

  y10_model_get_input_size (model, &width, &height);
  if (!c->width)
    c->width = width;
  if (!c->height)
    c->height = height;
  if (c->head == Y10_HEAD_AUTO)
    c->head = y10_model_get_head (model);
}

static gboolean
check_head (const Y10Model *model, const Y10Head *head, GError **error)
{
  if (y10_model_has_head (model, *head))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
      "%s has no %s head (available: %s)", y10_model_get_path (model),
      *head == Y10_HEAD_ONE2MANY ? "one2many" : "one2one",
      *head == Y10_HEAD_ONE2MANY ? "one2one" : "one2many");
  return FALSE;
}

gboolean
y10_engine_config_resolve (const Y10Model *model, Y10EngineConfig *c,
    GError **error)
{
  y10_engine_resolve_input (model, c);
  return check_input_size ("width", c->width, error)
      && check_input_size ("height", c->height, error)
      && check_range ("max_batch", c->max_batch, 0, Y10_MAX_BATCH, error)
      && check_range ("n_slots", c->n_slots, 0, Y10_MAX_SLOTS, error)
      && check_range ("threads", c->threads, 0, MAX_THREADS, error)
      && check_range ("max_detections", c->max_detections, 1, MAX_DETECTIONS,
          error)
      && check_range ("backend", c->backend, 0, y10_backend_count (), error)
      && check_range ("precision", c->precision, 0, Y10_PRECISION_INT8, error)
      && check_range ("head", c->head, 0, Y10_HEAD_ONE2ONE_NMS, error)
      && check_head (model, &c->head, error);
}

static void
resolve_for_backend (const Y10BackendClass *backend, Y10EngineConfig *c)
{
  c->backend = backend->kind;
  if (!c->max_batch)
    c->max_batch = 1;
  if (!c->n_slots)
    c->n_slots = backend->default_slots;
}

Y10Engine *
y10_engine_create (Y10Model *model, const Y10EngineConfig *config,
    const Y10BackendClass *backend, const char *fallback_reason,
    GCancellable *cancellable, GError **error)
{
  g_autoptr (Y10Engine) engine = g_new0 (Y10Engine, 1);
  const gint64 start = y10_clock_ns ();
  pthread_condattr_t monotonic;

  engine->refs = 1;
  engine->model = y10_model_ref (model);
  engine->config = *config;
  engine->backend = backend;
  engine->fallback_reason = g_strdup (fallback_reason);
  pthread_mutex_init (&engine->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&engine->changed, &monotonic);
  pthread_cond_init (&engine->work, &monotonic);
  pthread_cond_init (&engine->started, &monotonic);
  pthread_condattr_destroy (&monotonic);
  resolve_for_backend (backend, &engine->config);
  engine->slots = g_new0 (Y10EngineSlot, engine->config.n_slots);
  engine->queued.slots = g_new0 (guint, engine->config.n_slots);
  engine->under_way.slots = g_new0 (guint, engine->config.n_slots);
  if (!y10_engine_start (engine, error))
    return NULL;
  if (!y10_engine_call (engine, y10_engine_make_device, cancellable, error))
    return NULL;
  engine->start_time = y10_clock_ns () - start;
  g_debug ("%s, %ux%u, up to %u images: ready to run after %.0f ms",
      engine->device_name, engine->config.width, engine->config.height,
      engine->config.max_batch, (double) engine->start_time / 1e6);
  return g_steal_pointer (&engine);
}

/**
 * y10_engine_ref:
 * @engine: an engine
 *
 * Returns: (transfer full): @engine
 *
 * Since: 0.1
 */
Y10Engine *
y10_engine_ref (Y10Engine *engine)
{
  __atomic_add_fetch (&engine->refs, 1, __ATOMIC_RELAXED);
  return engine;
}

/**
 * y10_engine_unref:
 * @engine: (transfer full) (nullable): an engine
 *
 * Frees the engine with its last reference; all its steps must have ended by
 * then.
 *
 * Since: 0.1
 */
void
y10_engine_unref (Y10Engine *engine)
{
  if (!engine || __atomic_sub_fetch (&engine->refs, 1, __ATOMIC_ACQ_REL))
    return;
  if (engine->running) {
    pthread_mutex_lock (&engine->lock);
    engine->quit = TRUE;
    pthread_cond_signal (&engine->work);
    pthread_mutex_unlock (&engine->lock);
    pthread_join (engine->thread, NULL);
  }
  pthread_mutex_destroy (&engine->lock);
  pthread_cond_destroy (&engine->changed);
  pthread_cond_destroy (&engine->work);
  pthread_cond_destroy (&engine->started);
  g_clear_error (&engine->lost);
  g_free (engine->slots);
  g_free (engine->queued.slots);
  g_free (engine->under_way.slots);
  g_free (engine->fallback_reason);
  g_free (engine->device_name);
  y10_model_unref (engine->model);
  g_free (engine);
}

const Y10Graph *
y10_engine_get_graph (const Y10Engine *engine)
{
  return engine->graph;
}

const Y10Plan *
y10_engine_get_plan (const Y10Engine *engine)
{
  return engine->plan;
}

/**
 * y10_engine_get_model:
 * @engine: an engine
 *
 * Returns: (transfer none): its model
 *
 * Since: 0.1
 */
Y10Model *
y10_engine_get_model (const Y10Engine *engine)
{
  return engine->model;
}

/**
 * y10_engine_get_backend:
 * @engine: an engine
 *
 * Returns: the backend in use; never %Y10_BACKEND_AUTO
 *
 * Since: 0.1
 */
Y10BackendKind
y10_engine_get_backend (const Y10Engine *engine)
{
  return engine->config.backend;
}

/**
 * y10_engine_get_device:
 * @engine: an engine
 *
 * Returns: (transfer none): a description of the device, such as "AMD EPYC, 2
 *   threads, avx512_bf16"
 *
 * Since: 0.1
 */
const char *
y10_engine_get_device (const Y10Engine *engine)
{
  return engine->device_name;
}

/**
 * y10_engine_get_precision:
 * @engine: an engine
 *
 * Returns: the precision in use; never %Y10_PRECISION_AUTO
 *
 * Since: 0.1
 */
Y10Precision
y10_engine_get_precision (const Y10Engine *engine)
{
  return engine->config.precision;
}

/**
 * y10_engine_get_fallback_reason:
 * @engine: an engine
 *
 * Returns: (transfer none) (nullable): why %Y10_BACKEND_AUTO did not choose a
 *   faster backend, or %NULL if it did or another backend was requested
 *
 * Since: 0.1
 */
const char *
y10_engine_get_fallback_reason (const Y10Engine *engine)
{
  return engine->fallback_reason;
}

/**
 * y10_engine_get_head:
 * @engine: an engine
 *
 * Returns: the head in use; never %Y10_HEAD_AUTO
 *
 * Since: 0.1
 */
Y10Head
y10_engine_get_head (const Y10Engine *engine)
{
  return engine->config.head;
}

/**
 * y10_engine_get_input_size:
 * @engine: an engine
 * @width: (out): width of the network's input, pixels
 * @height: (out): height of the network's input, pixels
 *
 * With @auto_size, the largest; y10_engine_choose_input_size() has that of an image.
 *
 * Since: 0.1
 */
void
y10_engine_get_input_size (const Y10Engine *engine, guint *width, guint *height)
{
  *width = engine->config.width;
  *height = engine->config.height;
}

/**
 * y10_engine_get_auto_size:
 * @engine: an engine
 *
 * Returns: whether each image gets an input of its own shape
 *
 * Since: 0.2
 */
gboolean
y10_engine_get_auto_size (const Y10Engine *engine)
{
  return engine->config.auto_size;
}

/**
 * y10_engine_get_threads:
 * @engine: an engine
 *
 * Returns: number of compute threads
 *
 * Since: 0.1
 */
guint
y10_engine_get_threads (const Y10Engine *engine)
{
  return engine->config.threads;
}

/**
 * y10_engine_get_max_batch:
 * @engine: an engine
 *
 * Returns: the most images of a step
 *
 * Since: 0.2
 */
guint
y10_engine_get_max_batch (const Y10Engine *engine)
{
  return engine->config.max_batch;
}

/**
 * y10_engine_get_start_time:
 * @engine: an engine
 *
 * Returns: how long y10_engine_new() took, nanoseconds. On a GPU it includes
 *   preparing steps of one and of max_batch images
 *
 * Since: 0.1
 */
gint64
y10_engine_get_start_time (const Y10Engine *engine)
{
  return engine->start_time;
}

/**
 * y10_engine_get_max_detections:
 * @engine: an engine
 *
 * Returns: maximum number of detections of an image
 *
 * Since: 0.1
 */
guint
y10_engine_get_max_detections (const Y10Engine *engine)
{
  return engine->config.max_detections;
}

/**
 * y10_engine_get_arena_size:
 * @engine: an engine
 *
 * Returns: size of the activations of one image of the largest input size in one slot,
 *   bytes
 *
 * Since: 0.1
 */
gsize
y10_engine_get_arena_size (const Y10Engine *engine)
{
  return engine->plan->arena_size;
}

/**
 * y10_engine_get_weights_size:
 * @engine: an engine
 *
 * Returns: size of the packed weights, which all slots share, bytes
 *
 * Since: 0.1
 */
gsize
y10_engine_get_weights_size (const Y10Engine *engine)
{
  return engine->weights_size;
}

/**
 * y10_engine_get_n_ops:
 * @engine: an engine
 *
 * Returns: number of ops: preprocess, the network's ops, head
 *
 * Since: 0.1
 */
guint
y10_engine_get_n_ops (const Y10Engine *engine)
{
  return engine->graph->n_ops + 2;
}

static void
write_op_info (Y10OpInfo *to, Y10OpInfo from)
{
  Y10_SIZED_WRITE (Y10OpInfo, flops, to, &from);
}

/**
 * y10_engine_get_op:
 * @engine: an engine
 * @index: 0 to y10_engine_get_n_ops() - 1
 * @info: (inout): description of the op; the caller sets @size
 *
 * Describes one op.
 *
 * Since: 0.1
 */
void
y10_engine_get_op (const Y10Engine *engine, guint index, Y10OpInfo *info)
{
  const Y10Graph *graph = engine->graph;
  const Y10Op *op;

  g_return_if_fail (index < graph->n_ops + 2);
  if (index == 0) {
    write_op_info (info,
        (Y10OpInfo){
            .name = "preprocess",
            .kind = "preprocess",
            .impl = engine->backend->name,
            .in_channels = 3,
            .out_channels = 3,
            .out_height = graph->height,
            .out_width = graph->width,
        });
    return;
  }
  if (index == graph->n_ops + 1) {
    write_op_info (info,
        (Y10OpInfo){
            .name = "head",
            .kind = "head",
            .impl = engine->backend->name,
            .in_channels = 4 * graph->n_bins + graph->n_classes,
            .out_channels = 6,
            .out_height = engine->config.max_detections,
            .out_width = 1,
        });
    return;
  }
  op = &graph->ops[index - 1];
  write_op_info (info,
      (Y10OpInfo){
          .name = op->name,
          .kind = y10_op_kind_get_name (op->kind),
          .impl = engine->backend->impl (engine->program, index - 1),
          .in_channels = y10_graph_view_channels (graph, op->in),
          .out_channels = y10_graph_view_channels (graph, op->out),
          .out_height = graph->tensors[op->out.tensor].height,
          .out_width = graph->tensors[op->out.tensor].width,
          .kernel = op->kernel,
          .stride = op->stride,
          .groups = op->groups,
          .flops = y10_graph_op_flops (graph, op),
      });
}
