/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What an engine has for each size of input: a graph, its plan, a program and the slots'
 * memory. The first shape is that of the configured size, has the
 * weights and lives as long as the engine. Others come with the first image that needs
 * them, between two steps; of these the one used longest ago goes when there are too many,
 * but never while a step holds it or the backend works on it. The engine's lock protects
 * the list; only the device thread changes it. */

#include "config.h"

#include "base/clock.h"
#include "base/memory-limit.h"
#include "model/model.h"
#include "run/shape.h"
#include "run/tuning.h"

struct _Y10Shape
{
  guint width, height; /* of the input */
  Y10Graph *graph;
  Y10Plan *plan;
  Y10Program *program;
  Y10Slot **slots;   /* config.n_slots */
  guint64 last_used; /* number of a step */
};

static void
free_shape (const Y10Engine *engine, Y10Shape *shape)
{
  if (shape->program && engine->backend->tune_end)
    engine->backend->tune_end (shape->program);
  for (guint i = 0; i < engine->config.n_slots; i++)
    if (shape->slots[i])
      engine->backend->slot_free (shape->slots[i]);
  if (shape->program)
    engine->backend->program_free (shape->program);
  y10_plan_free (shape->plan);
  y10_graph_free (shape->graph);
  g_free (shape->slots);
  g_free (shape);
}

/* Resolves AUTO to int8 where the file has integers and the backend wants them. */
static gboolean
check_integers (Y10Engine *engine, const Y10Graph *graph, GError **error)
{
  const Y10BackendClass *backend = engine->backend;
  Y10Precision *precision = &engine->config.precision;

  if (*precision == Y10_PRECISION_AUTO && graph->quantized
      && backend->prefers_int8 && backend->prefers_int8 (engine->device))
    *precision = Y10_PRECISION_INT8;
  if (*precision != Y10_PRECISION_INT8 || graph->quantized)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "precision is int8, but %s has no quantized weights; 'y10 quantize' "
      "writes a file that has them",
      y10_model_get_path (engine->model));
  return FALSE;
}

static gboolean
check_auto_size (const Y10Engine *engine, GError **error)
{
  if (!engine->config.auto_size || engine->backend->compile_size)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "backend %s has one input size for all images, not one for each shape (auto); "
      "expected a size such as 640, or another backend",
      engine->backend->name);
  return FALSE;
}

/* Checks the host memory that @shape certainly needs. */
static gboolean
check_memory (const Y10Engine *engine, const Y10Shape *shape, GError **error)
{
  const Y10EngineConfig *c = &engine->config;
  guint64 size = engine->n_shapes ? 0 : y10_plan_weights_size (shape->plan);
  g_autofree char *purpose =
      g_strdup_printf ("%s with %u slot%s of %u image%s of %ux%u",
          y10_model_get_path (engine->model), c->n_slots,
          c->n_slots == 1 ? "" : "s", c->max_batch,
          c->max_batch == 1 ? "" : "s", shape->width, shape->height);

  if (engine->backend->host_arenas)
    size += (guint64) shape->plan->arena_size * c->max_batch * c->n_slots;
  return y10_memory_check (size, purpose, error);
}

static gboolean
check_ops (const Y10Engine *engine, const Y10Graph *graph, GError **error)
{
  for (guint i = 0; i < graph->n_ops; i++) {
    g_autoptr (GString) why = g_string_new (NULL);

    if (!engine->backend->supports (engine->device, graph, &graph->ops[i],
            engine->config.precision, why)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
          "backend %s cannot run \"%s\": %s", engine->backend->name,
          graph->ops[i].name, why->str);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
plan_shape (Y10Engine *engine, Y10Shape *shape, GError **error)
{
  Y10EngineConfig *c = &engine->config;
  Y10Layout layout;

  shape->graph = y10_model_build_graph (engine->model, shape->width,
      shape->height, c->head, error);
  if (!shape->graph || !check_integers (engine, shape->graph, error))
    return FALSE;
  shape->graph->multi_label = c->multi_label;
  if (!engine->backend->layout (engine->device, &c->precision, &layout, error))
    return FALSE;
  shape->plan = y10_plan_new (shape->graph, &layout, error);
  return shape->plan && check_memory (engine, shape, error)
      && check_ops (engine, shape->graph, error);
}

static Y10Slot *
new_slot (const Y10Engine *engine, const Y10Shape *shape, guint i,
    GError **error)
{
  const Y10BackendClass *backend = engine->backend;

  return engine->n_shapes && backend->slot_new_size
      ? backend->slot_new_size (shape->program, engine->shapes[0]->slots[i],
          error)
      : backend->slot_new (shape->program, engine->config.max_batch,
          engine->config.max_detections, error);
}

static void
prepare (Y10Engine *engine, Y10Shape *shape, guint n)
{
  if (engine->backend->request_batch_size)
    engine->backend->request_batch_size (shape->program, n, y10_engine_tuned,
        engine);
}

void
y10_engine_prepare_batch_size (Y10Engine *engine, guint n)
{
  engine->batch_sizes |= (guint64) 1 << (n - 1);
  for (guint i = 0; i < engine->n_shapes; i++)
    prepare (engine, engine->shapes[i], n);
}

static gboolean
fill_shape (Y10Engine *engine, Y10Shape *shape, GCancellable *cancellable,
    GError **error)
{
  const Y10BackendClass *backend = engine->backend;
  const Y10EngineConfig *c = &engine->config;

  if (!plan_shape (engine, shape, error))
    return FALSE;
  shape->program = engine->n_shapes
      ? backend->compile_size (engine->program, shape->plan, c->precision,
          error)
      : backend->compile (engine->device, shape->plan, c->precision,
          cancellable, error);
  if (!shape->program)
    return FALSE;
  for (guint i = 0; i < c->n_slots; i++) {
    shape->slots[i] = new_slot (engine, shape, i, error);
    if (!shape->slots[i])
      return FALSE;
  }
  for (guint n = 1; n < c->max_batch; n++)
    if (engine->batch_sizes >> (n - 1) & 1)
      prepare (engine, shape, n);
  return TRUE;
}

static Y10Shape *
add_shape (Y10Engine *engine, guint width, guint height,
    GCancellable *cancellable, GError **error)
{
  Y10Shape *shape = g_new0 (Y10Shape, 1);

  shape->width = width;
  shape->height = height;
  shape->slots = g_new0 (Y10Slot *, engine->config.n_slots);
  if (!fill_shape (engine, shape, cancellable, error)) {
    free_shape (engine, shape);
    return NULL;
  }
  pthread_mutex_lock (&engine->lock);
  engine->shapes[engine->n_shapes++] = shape;
  pthread_mutex_unlock (&engine->lock);
  return shape;
}

static void
bind (Y10Engine *engine, Y10EngineSlot *slot, const Y10Shape *shape)
{
  slot->shape = shape;
  slot->slot = shape->slots[slot - engine->slots];
}

gboolean
y10_engine_make_first_shape (Y10Engine *engine, GCancellable *cancellable,
    GError **error)
{
  const Y10EngineConfig *c = &engine->config;
  Y10Shape *shape;

  if (!check_auto_size (engine, error))
    return FALSE;
  shape = add_shape (engine, c->width, c->height, cancellable, error);
  if (!shape)
    return FALSE;
  engine->graph = shape->graph;
  engine->plan = shape->plan;
  engine->program = shape->program;
  for (guint i = 0; i < c->n_slots; i++)
    bind (engine, &engine->slots[i], shape);
  return TRUE;
}

void
y10_engine_free_shapes (Y10Engine *engine)
{
  while (engine->n_shapes)
    free_shape (engine, engine->shapes[--engine->n_shapes]);
}

/* Call with the lock held. */
static gboolean
is_held (const Y10Engine *engine, const Y10Shape *shape)
{
  for (guint i = 0; i < engine->config.n_slots; i++)
    if (engine->slots[i].state != Y10_SLOT_FREE
        && engine->slots[i].shape == shape)
      return TRUE;
  return FALSE;
}

/* The index of the shape that no step holds and that was used longest ago, of those used
 * after step @after; 0: there is none. Call with the lock held. */
static guint
find_oldest (const Y10Engine *engine, guint64 after)
{
  guint oldest = 0;

  for (guint i = 1; i < engine->n_shapes; i++) {
    const Y10Shape *shape = engine->shapes[i];

    if (shape->last_used > after && !is_held (engine, shape)
        && (!oldest || shape->last_used < engine->shapes[oldest]->last_used))
      oldest = i;
  }
  return oldest;
}

static gboolean
may_free (const Y10Engine *engine, const Y10Shape *shape)
{
  return !engine->backend->may_free
      || engine->backend->may_free (shape->program);
}

/* Takes the shape out of the list that nobody holds and that was used longest ago; NULL:
 * there is none. One that the backend still works on is spared, and goes the next
 * time. Call with the lock held. */
static Y10Shape *
take_oldest (Y10Engine *engine)
{
  Y10Shape *oldest;
  guint at = find_oldest (engine, 0);

  while (at && !may_free (engine, engine->shapes[at]))
    at = find_oldest (engine, engine->shapes[at]->last_used);
  if (!at)
    return NULL;
  oldest = engine->shapes[at];
  engine->shapes[at] = engine->shapes[--engine->n_shapes];
  for (guint i = 0; i < engine->config.n_slots; i++)
    if (engine->slots[i].shape == oldest)
      bind (engine, &engine->slots[i], engine->shapes[0]);
  return oldest;
}

static void
make_room (Y10Engine *engine)
{
  Y10Shape *oldest;

  do {
    pthread_mutex_lock (&engine->lock);
    oldest = engine->n_shapes >= Y10_MAX_SHAPES ? take_oldest (engine) : NULL;
    pthread_mutex_unlock (&engine->lock);
    if (oldest)
      free_shape (engine, oldest);
  } while (oldest);
}

static Y10Shape *
find_or_add (Y10Engine *engine, guint width, guint height, GError **error)
{
  Y10Shape *shape;
  gint64 start;

  for (guint i = 0; i < engine->n_shapes; i++)
    if (engine->shapes[i]->width == width
        && engine->shapes[i]->height == height)
      return engine->shapes[i];
  make_room (engine);
  start = y10_clock_ns ();
  shape = add_shape (engine, width, height, NULL, error);
  if (shape)
    g_debug ("an input of %ux%u, the %u., after %.1f ms: %" G_GSIZE_FORMAT
             " bytes of weights of its own",
        width, height, engine->n_shapes,
        (double) (y10_clock_ns () - start) / 1e6,
        engine->backend->weights_size (shape->program));
  return shape;
}

Y10Shape *
y10_engine_need_shape (Y10Engine *engine, guint width, guint height,
    GError **error)
{
  Y10Shape *shape = find_or_add (engine, width, height, error);

  if (shape)
    shape->last_used = ++engine->n_entered;
  return shape;
}

gboolean
y10_slot_enter_shape (Y10Engine *engine, Y10EngineSlot *slot, GError **error)
{
  Y10Shape *shape;

  if (!engine->config.auto_size)
    return TRUE;
  shape = y10_engine_need_shape (engine, slot->width, slot->height, error);
  if (!shape)
    return FALSE;
  pthread_mutex_lock (&engine->lock);
  bind (engine, slot, shape);
  pthread_mutex_unlock (&engine->lock);
  return TRUE;
}

const Y10Graph *
y10_step_get_graph (const Y10Step *step)
{
  return step->engine->slots[step->slot].shape->graph;
}

gsize
y10_engine_get_all_arenas_size (Y10Engine *engine)
{
  gsize size = 0;

  pthread_mutex_lock (&engine->lock);
  for (guint i = 0; i < engine->n_shapes; i++)
    size += engine->shapes[i]->plan->arena_size;
  pthread_mutex_unlock (&engine->lock);
  return size * engine->config.max_batch * engine->config.n_slots;
}

gsize
y10_engine_get_more_weights_size (Y10Engine *engine)
{
  gsize size = 0;

  pthread_mutex_lock (&engine->lock);
  for (guint i = 1; i < engine->n_shapes; i++)
    size += engine->backend->weights_size (engine->shapes[i]->program);
  pthread_mutex_unlock (&engine->lock);
  return size;
}

guint
y10_engine_count_shapes (Y10Engine *engine)
{
  guint n;

  pthread_mutex_lock (&engine->lock);
  n = engine->n_shapes;
  pthread_mutex_unlock (&engine->lock);
  return n;
}
