/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Engines shared by streams. A group is an engine and the scheduler that fills
 * its steps, found by a key made of the file and the settings. A new stream
 * joins the group with its key or creates it; the last stream to leave frees it.
 *
 * An image's path: y10_engine_stream_submit() queues it, the scheduler's thread
 * adds it to a step of the engine, and the engine's thread that finds the step
 * done copies its results into the request, ends the step and wakes the stream.
 * A slot is therefore held only as long as the device needs it, however slow a
 * stream is.
 *
 * A lost GPU takes its group with it: the next stream with the same key creates
 * a new group, which later streams share. */

#include "config.h"

#include <y10/stream.h>

#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/sized.h"
#include "run/internal.h"
#include "stream/shared.h"
#include "model/model.h"
#include "stream/scheduler.h"

G_STATIC_ASSERT (sizeof (Y10Request) <= sizeof ((Y10EngineRequest *) 0)->request);
G_STATIC_ASSERT (Y10_MAX_BATCH == Y10_SCHEDULER_MAX_BATCH);

/* Warming up ends after this many runs or nanoseconds. */
#define WARM_RUNS 8
#define WARM_TIME (G_GINT64_CONSTANT (250) * 1000 * 1000)

/* While another thread creates the engine: interval at which the waiting thread
 * checks its cancellable, microseconds. */
#define POLL_INTERVAL 20000

/* A step of the scheduler while the engine runs it. */
typedef struct
{
  Y10Step step;
  const Y10Turn *turns;
  guint n;
} Running;

typedef struct
{
  char *key;
  gint refs;                    /* streams; under the registry's lock, as below */
  gboolean ready;               /* FALSE while a thread creates the engine */
  Y10Engine *engine;
  Y10Scheduler *scheduler;
  gint64 warm_time;
  Running running[Y10_SCHEDULER_MAX_STEPS];     /* by the scheduler's step number */
  guint by_slot[Y10_SCHEDULER_MAX_STEPS];       /* the step number of each slot */
} Group;

struct _Y10EngineStream
{
  int refs;
  Group *group;
  Y10Stream *stream;
};

/* Groups by key. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *registry;

static Y10Request *
inner (Y10EngineRequest *request)
{
  return (Y10Request *) request->request;
}

static Y10EngineRequest *
outer (Y10Request *request)
{
  return (Y10EngineRequest *) ((char *) request
      - offsetof (Y10EngineRequest, request));
}

/* Called with the scheduler's lock held. */
static void
notify_request (Y10Request *inner)
{
  Y10EngineRequest *request = outer (inner);

  request->notify (request, inner->state == Y10_REQUEST_RUNNING
      ? Y10_ENGINE_REQUEST_RUNNING : Y10_ENGINE_REQUEST_DONE,
      request->notify_data);
}

/* Every setting that requires a separate engine; a replaced file counts as a new
 * one. */
static char *
make_key (const Y10Model *model, const Y10EngineConfig *config,
    const char *group)
{
  Y10EngineConfig c = *config;

  y10_engine_resolve_input (model, &c);
  return g_strdup_printf ("%d %d %d %ux%u %u+%u %u %u %d %d %d %p %s %s",
      c.backend, c.precision, c.head, c.width, c.height, c.max_batch,
      c.batch_timeout, c.threads, c.max_detections, c.device_id, c.cuda_graphs,
      c.tune, c.cuda_context, y10_model_get_identity (model),
      group ? group : "");
}

static gboolean
run_once (Y10Engine *engine, const Y10Image *image, gint64 *took)
{
  const Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  gint64 start = y10_clock_ns ();
  gboolean ok;
  Y10Step step;

  if (!y10_step_begin (engine, -1, &step, NULL))
    return FALSE;
  ok = y10_step_add (&step, image, &params, NULL)
      && y10_step_submit (&step, NULL) && y10_step_wait (&step, -1, NULL);
  y10_step_end (&step);
  *took = y10_clock_ns () - start;
  return ok;
}

/* Makes the first image of a stream as fast as later ones. Returns the longest
 * run without the first: the p95 of so few. The first real image reports what
 * fails here. */
static gint64
warm_up (Y10Engine *engine, GCancellable *cancellable)
{
  gint64 until = y10_clock_ns () + WARM_TIME, longest = 0, took;
  Y10Image image = {.size = sizeof image,.format = Y10_PIXEL_RGB };
  guint8 *pixels;

  y10_engine_get_input_size (engine, &image.width, &image.height);
  pixels = g_malloc0 ((gsize) image.width * image.height * 3);
  image.plane[0] = pixels;
  image.stride[0] = (gsize) image.width * 3;
  for (guint i = 0; i < 1 + WARM_RUNS; i++) {
    if (g_cancellable_is_cancelled (cancellable)
        || !run_once (engine, &image, &took))
      break;
    if (i || took > WARM_TIME)
      longest = MAX (longest, took);
    if (longest && y10_clock_ns () > until)
      break;
  }
  g_free (pixels);
  return longest;
}

/* A caller compiled against an older library has a struct without parts. */
static gboolean
has_parts (const Y10EngineRequest *request)
{
  return request->size >= Y10_FIRST_SIZE (Y10EngineRequest, region_anchor)
      && request->n_parts;
}

static gboolean
add_image (const Group *self, const Y10Step *step, const Y10Turn *turn,
    GError **error)
{
  const Y10EngineRequest *request = outer (turn->request);
  Y10HeadParams params;
  Y10Image image;

  if (!has_parts (request))
    return y10_step_add (step, request->image, request->params, error);
  y10_part_get_image (&request->parts[turn->part], request->image, &image);
  y10_parts_get_params (request->params, self->engine->config.max_detections,
      &params);
  return y10_step_add (step, &image, &params, error);
}

/* Called on the scheduler's thread. */
static void
begin_step (gpointer data, Y10Scheduler *scheduler, guint number,
    const Y10Turn *turns, guint n)
{
  Group *self = data;
  Running *running = &self->running[number];
  GError *error = NULL;
  gboolean ok;

  /* The engine has a slot for each step of the scheduler. */
  if (!y10_step_begin (self->engine, -1, &running->step, &error)) {
    y10_scheduler_finish (scheduler, number, error);
    g_clear_error (&error);
    return;
  }
  running->turns = turns;
  running->n = n;
  self->by_slot[running->step.slot] = number;
  ok = TRUE;
  for (guint i = 0; ok && i < n; i++)
    ok = add_image (self, &running->step, &turns[i], &error);
  if (ok && y10_step_submit (&running->step, &error))
    return;
  y10_step_end (&running->step);
  y10_scheduler_finish (scheduler, number, error);
  g_clear_error (&error);
}

/* Steps with parts of the same request may finish on two threads. */
static void
add_time (gint64 *sum, gint64 time)
{
  __atomic_add_fetch (sum, time, __ATOMIC_RELAXED);
}

static void
raise_time (gint64 *most, gint64 time)
{
  gint64 old = __atomic_load_n (most, __ATOMIC_RELAXED);

  while (old < time && !__atomic_compare_exchange_n (most, &old, time, TRUE,
          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* Adds the step's times to the request of turn @i, once for each request. */
static void
record_times (const Running *running, guint i, const Y10StepTimes *times,
    gint64 now)
{
  const Y10Turn *turn = &running->turns[i];
  Y10EngineRequest *request = outer (turn->request);

  if (turn->part == 0) {
    request->wait_time = turn->request->begun_at - turn->request->came_at;
    request->turns = turn->request->turns;
  }
  for (guint j = 0; j < i; j++)
    if (running->turns[j].request == turn->request)
      return;
  add_time (&request->preprocess_time, times->preprocess);
  add_time (&request->inference_time, times->inference);
  add_time (&request->postprocess_time, times->postprocess);
  raise_time (&request->step_time, now - turn->request->begun_at);
}

static gboolean
read_rows (const Running *running, guint i, GError **error)
{
  const Y10Turn *turn = &running->turns[i];
  Y10EngineRequest *request = outer (turn->request);
  Y10Part *part = has_parts (request) ? &request->parts[turn->part] : NULL;
  gint n = y10_step_read (&running->step, i,
      part ? part->detections : request->detections,
      part ? part->max_detections : request->max_detections, error);

  if (part)
    part->n_detections = n;
  else
    request->n_detections = n;
  return n >= 0;
}

/* Called on a thread of the engine. Its slot may be reused as soon as the step
 * has ended, and its number as soon as the scheduler has finished it. */
static void
step_done (gpointer data, guint slot)
{
  Group *self = data;
  guint number = self->by_slot[slot];
  const Running *running = &self->running[number];
  Y10StepTimes times = {.size = sizeof times };
  GError *error = NULL;
  gboolean ok = y10_step_wait (&running->step, 0, &error);
  gint64 now = y10_clock_ns ();

  ok = ok && y10_step_get_times (&running->step, &times, &error);
  for (guint i = 0; ok && i < running->n; i++) {
    record_times (running, i, &times, now);
    ok = read_rows (running, i, &error);
  }
  y10_step_end (&running->step);
  y10_scheduler_finish (self->scheduler, number, error);
  g_clear_error (&error);
}

static void
free_group (Group *self)
{
  y10_scheduler_free (self->scheduler);
  y10_engine_unref (self->engine);
  g_free (self->key);
  g_free (self);
}

/* Compiles the engine and warms it up: takes from milliseconds to seconds. */
static gboolean
compile_group (Group *self, Y10Model *model, const Y10EngineConfig *config,
    GCancellable *cancellable, GError **error)
{
  Y10SchedulerConfig schedule = {
    .begin = begin_step,.device = self,.batch_timeout = config->batch_timeout,
  };
  Y10EngineConfig c = *config;

  /* Only as many as keep the device busy: images in a step can no longer be
   * withdrawn or replaced. */
  c.n_slots = 0;
  self->engine = y10_engine_new (model, &c, cancellable, error);
  if (!self->engine)
    return FALSE;
  self->warm_time = warm_up (self->engine, cancellable);
  y10_engine_set_done_func (self->engine, step_done, self);
  schedule.n_steps = self->engine->config.n_slots;
  schedule.max_batch = self->engine->config.max_batch;
  self->scheduler = y10_scheduler_new (&schedule, error);
  return self->scheduler != NULL;
}

/* Call with the registry's lock held. Removes a group that has lost its device;
 * its streams keep it. */
static Group *
find_group (const char *key)
{
  Group *group = registry ? g_hash_table_lookup (registry, key) : NULL;

  if (!group || !group->ready || !y10_engine_is_lost (group->engine, NULL))
    return group;
  g_hash_table_remove (registry, key);
  return NULL;
}

/* Call with the registry's lock held. */
static void
remove_group (Group *self)
{
  if (g_hash_table_lookup (registry, self->key) == self)
    g_hash_table_remove (registry, self->key);
  if (!g_hash_table_size (registry))
    g_clear_pointer (&registry, g_hash_table_unref);
}

/* Call with the registry's lock held; it is released meanwhile. Takes @key. */
static Group *
make_group (char *key, Y10Model *model, const Y10EngineConfig *config,
    GCancellable *cancellable, GError **error)
{
  Group *self = g_new0 (Group, 1);
  gboolean ok;

  self->key = key;
  self->refs = 1;
  if (!registry)
    registry = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (registry, self->key, self);
  pthread_mutex_unlock (&registry_lock);
  ok = compile_group (self, model, config, cancellable, error);
  pthread_mutex_lock (&registry_lock);
  if (ok) {
    self->ready = TRUE;
    return self;
  }
  remove_group (self);
  free_group (self);
  return NULL;
}

/* Waits while another thread creates the group. If that fails, this thread
 * tries again. */
static Group *
join_group (Y10Model *model, const Y10EngineConfig *config, const char *name,
    GCancellable *cancellable, GError **error)
{
  char *key = make_key (model, config, name);
  Group *group;

  pthread_mutex_lock (&registry_lock);
  while ((group = find_group (key)) && !group->ready) {
    pthread_mutex_unlock (&registry_lock);
    if (g_cancellable_set_error_if_cancelled (cancellable, error)) {
      g_free (key);
      return NULL;
    }
    g_usleep (POLL_INTERVAL);
    pthread_mutex_lock (&registry_lock);
  }
  if (group) {
    group->refs++;
    g_free (key);
  } else {
    group = make_group (key, model, config, cancellable, error);
  }
  pthread_mutex_unlock (&registry_lock);
  return group;
}

static void
leave_group (Group *group)
{
  gboolean last;

  pthread_mutex_lock (&registry_lock);
  last = --group->refs == 0;
  if (last && registry)
    remove_group (group);
  pthread_mutex_unlock (&registry_lock);
  if (last)
    free_group (group);
}

guint
y10_shared_count (void)
{
  guint n;

  pthread_mutex_lock (&registry_lock);
  n = registry ? g_hash_table_size (registry) : 0;
  pthread_mutex_unlock (&registry_lock);
  return n;
}

/**
 * y10_engine_stream_new:
 * @model: a model
 * @config: configuration of the engine; its @n_slots is ignored
 * @group: (nullable): streams share an engine only if they have the same name
 *   here
 * @priority: see y10_engine_stream_set_priority()
 * @cancellable: (nullable): cancels the creation of the engine
 * @error: return location for a #GError, or %NULL
 *
 * Creates a stream on the engine that streams with the same file, @config and
 * @group share. If there is none yet, compiles the engine and warms it up, which
 * takes from milliseconds to seconds. Class names belong to the model, not to
 * the engine, so streams that share an engine may have different ones.
 *
 * Returns: (transfer full): a stream, or %NULL with any #Y10Error
 *
 * Since: 0.1
 */
Y10EngineStream *
y10_engine_stream_new (Y10Model *model, const Y10EngineConfig *config,
    const char *group, gint priority, GCancellable *cancellable,
    GError **error)
{
  Y10EngineConfig own_config;
  Y10EngineStream *self;
  Group *joined;

  y10_engine_config_init (&own_config, sizeof own_config);
  if (!y10_engine_config_read (&own_config, config, error))
    return NULL;
  joined = join_group (model, &own_config, group, cancellable, error);
  if (!joined)
    return NULL;
  self = g_new0 (Y10EngineStream, 1);
  self->refs = 1;
  self->group = joined;
  self->stream = y10_stream_new (joined->scheduler, priority);
  return self;
}

/**
 * y10_engine_stream_ref:
 * @stream: a stream
 *
 * Returns: (transfer full): @stream
 *
 * Since: 0.1
 */
Y10EngineStream *
y10_engine_stream_ref (Y10EngineStream *stream)
{
  __atomic_add_fetch (&stream->refs, 1, __ATOMIC_RELAXED);
  return stream;
}

/**
 * y10_engine_stream_unref:
 * @stream: (transfer full) (nullable): a stream
 *
 * Releasing the last reference withdraws the queued requests and waits for those
 * in steps. The last stream of an engine frees the engine.
 *
 * Since: 0.1
 */
void
y10_engine_stream_unref (Y10EngineStream *stream)
{
  if (!stream || __atomic_sub_fetch (&stream->refs, 1, __ATOMIC_ACQ_REL))
    return;
  y10_stream_free (stream->stream);
  leave_group (stream->group);
  g_free (stream);
}

/**
 * y10_engine_stream_get_engine:
 * @stream: a stream
 *
 * Returns: (transfer none): its engine, for queries only: all its slots belong
 *   to the streams
 *
 * Since: 0.1
 */
Y10Engine *
y10_engine_stream_get_engine (const Y10EngineStream *stream)
{
  return stream->group->engine;
}

/**
 * y10_engine_stream_get_warm_time:
 * @stream: a stream
 *
 * Returns: duration of an inference on the otherwise idle engine, measured when
 *   it was created, nanoseconds; the longest of a few
 *
 * Since: 0.1
 */
gint64
y10_engine_stream_get_warm_time (const Y10EngineStream *stream)
{
  return stream->group->warm_time;
}

/**
 * y10_engine_stream_get_stats:
 * @stream: a stream
 * @stats: (inout): statistics of its engine over all streams; the caller sets
 *   @size
 *
 * Since: 0.1
 */
void
y10_engine_stream_get_stats (Y10EngineStream *stream,
    Y10EngineStreamStats *stats)
{
  const Y10Engine *engine = stream->group->engine;
  Y10EngineStreamStats own;
  Y10SchedulerStats s;

  y10_scheduler_get_stats (stream->group->scheduler, &s);
  own = (Y10EngineStreamStats) {
    .n_streams = s.n_streams,.n_queued = s.n_queued,.n_running = s.n_running,
    .n_inferences = s.n_answered,.n_failed = s.n_failed,
    .n_withdrawn = s.n_withdrawn,
    .wait_median = s.waits.median,.wait_p95 = s.waits.p95,
    .wait_max = s.waits.max,.per_second = s.waits.per_second,
    .busy = s.busy,
    .weights_size = engine->weights_size,
    .arenas_size = engine->plan->arena_size * engine->config.max_batch
        * engine->config.n_slots,
  };
  memcpy (own.fill, s.fill, sizeof s.fill);
  Y10_SIZED_WRITE (Y10EngineStreamStats, arenas_size, stats, &own);
}

/**
 * y10_engine_stream_set_priority:
 * @stream: a stream
 * @priority: any number; streams of equal priority take turns
 *
 * Streams with a higher priority take their turns first. Under overload the
 * streams with a lower one wait, and forever if a stream with a higher one
 * always has a request queued. Applies to queued requests, too.
 *
 * Since: 0.1
 */
void
y10_engine_stream_set_priority (Y10EngineStream *stream, gint priority)
{
  y10_stream_set_priority (stream->stream, priority);
}

/**
 * y10_engine_stream_set_max_running:
 * @stream: a stream
 * @max_running: maximum number of its requests in steps at a time; 0: no limit
 *
 * Queued requests beyond the limit keep their place.
 *
 * Since: 0.1
 */
void
y10_engine_stream_set_max_running (Y10EngineStream *stream, guint max_running)
{
  y10_stream_set_max_running (stream->stream, max_running);
}

/**
 * y10_engine_stream_reserve:
 * @stream: a stream
 * @format: format of its images
 * @width: width of its images, pixels
 * @height: height of its images, pixels
 *
 * Reserves memory for images of this size in host memory, so that a GPU engine
 * does not allocate when the first ones come: for two images of each of the
 * engine's streams, or a full step, in each slot. Larger images, and more of
 * them, are accepted; the memory grows then. Does nothing on other backends.
 *
 * Call it once the format is known, not from a callback of the stream. It may
 * wait for steps that are running, up to a quarter of a second each.
 *
 * Since: 0.1
 */
void
y10_engine_stream_reserve (Y10EngineStream *stream, Y10PixelFormat format,
    guint width, guint height)
{
  Y10SchedulerStats stats;

  g_return_if_fail (format < Y10_N_PIXEL_FORMATS && width > 0 && height > 0);
  y10_scheduler_get_stats (stream->group->scheduler, &stats);
  y10_engine_reserve (stream->group->engine, format, width, height,
      2 * MAX (stats.n_streams, 1));
}

static gboolean
check_parts (const Y10EngineRequest *request, const Y10Image *image,
    GError **error)
{
  if (request->n_parts > Y10_MAX_PARTS || !request->parts
      || image->format == Y10_PIXEL_TENSOR) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "a request has %u parts%s; expected at most %u, and pixels",
        request->n_parts, request->parts ? "" : ", but parts is NULL",
        Y10_MAX_PARTS);
    return FALSE;
  }
  for (guint i = 0; i < request->n_parts; i++) {
    const Y10Part *p = &request->parts[i];

    if (p->width && p->height && p->width <= image->width
        && p->height <= image->height && p->x <= image->width - p->width
        && p->y <= image->height - p->height && p->detections)
      continue;
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "part %u of a request is %u x %u at %u, %u%s; expected it within the "
        "image of %u x %u", i, p->width, p->height, p->x, p->y,
        p->detections ? "" : " without a buffer", image->width,
        image->height);
    return FALSE;
  }
  return TRUE;
}

static gboolean
prepare (Y10EngineStream *stream, Y10EngineRequest *request, GError **error)
{
  Y10Image image = { 0 };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  if (request->size < Y10_FIRST_SIZE (Y10EngineRequest, request)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "Y10EngineRequest.size is %" G_GSIZE_FORMAT "; expected sizeof "
        "(Y10EngineRequest), which is %" G_GSIZE_FORMAT, request->size,
        sizeof *request);
    return FALSE;
  }
  request->n_detections = -1;
  request->preprocess_time = request->inference_time = 0;
  request->postprocess_time = request->step_time = 0;
  inner (request)->notify = request->notify ? notify_request : NULL;
  inner (request)->n_parts = 1;
  if (!y10_engine_read_image (stream->group->engine, request->image,
          request->params, &image, &params, error))
    return FALSE;
  if (!has_parts (request))
    return TRUE;
  if (!check_parts (request, &image, error))
    return FALSE;
  inner (request)->n_parts = (guint8) request->n_parts;
  for (guint i = 0; i < request->n_parts; i++)
    request->parts[i].n_detections = -1;
  return TRUE;
}

/**
 * y10_engine_stream_expect_parts:
 * @stream: a stream
 * @n_parts: number of parts of its next requests, 1 for whole images
 *
 * Tells the engine how many images will often be ready at once, so that a GPU
 * prepares steps of this size in the background if it is below @max_batch of the
 * #Y10EngineConfig. Optional: without this call a GPU runs a step of another size
 * as the next larger one that is prepared. May wait for a running step. Not from
 * a callback of the stream.
 *
 * Since: 0.2
 */
void
y10_engine_stream_expect_parts (Y10EngineStream *stream, guint n_parts)
{
  y10_engine_request_batch_size (stream->group->engine, n_parts);
}

/**
 * y10_engine_stream_submit:
 * @stream: a stream
 * @request: (transfer none): a request that is neither queued nor running
 * @error: return location for a #GError, or %NULL
 *
 * Queues a request behind the others of its stream. Does not block.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT or %Y10_ERROR_UNSUPPORTED;
 *   the request was not queued then
 *
 * Since: 0.1
 */
gboolean
y10_engine_stream_submit (Y10EngineStream *stream, Y10EngineRequest *request,
    GError **error)
{
  if (!prepare (stream, request, error))
    return FALSE;
  y10_stream_submit (stream->stream, inner (request));
  return TRUE;
}

/**
 * y10_engine_stream_replace:
 * @stream: a stream
 * @request: (transfer none): a request that is neither queued nor running
 * @replaced: (out): whether @request was queued; %FALSE if the stream had no
 *   queued request
 * @error: return location for a #GError, or %NULL
 *
 * Withdraws the queued requests of the stream and queues @request in their
 * place, without losing the stream's turn. A stream whose frames cannot all be
 * inferred uses this to have its newest frame inferred. Does not block.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT or %Y10_ERROR_UNSUPPORTED;
 *   nothing has changed then
 *
 * Since: 0.1
 */
gboolean
y10_engine_stream_replace (Y10EngineStream *stream, Y10EngineRequest *request,
    gboolean *replaced, GError **error)
{
  *replaced = FALSE;
  if (!prepare (stream, request, error))
    return FALSE;
  *replaced = y10_stream_replace (stream->stream, inner (request));
  return TRUE;
}

/**
 * y10_engine_stream_withdraw:
 * @stream: a stream
 *
 * Withdraws all queued requests of the stream and wakes the threads that wait
 * for them. Does not block.
 *
 * Returns: the number of withdrawn requests
 *
 * Since: 0.1
 */
guint
y10_engine_stream_withdraw (Y10EngineStream *stream)
{
  return y10_stream_withdraw (stream->stream);
}

/* Moves the scheduler's error into the request. */
static void
take_error (Y10EngineRequest *request)
{
  Y10Request *own = inner (request);

  if (own->error)
    g_propagate_error (&request->error, g_steal_pointer (&own->error));
}

/**
 * y10_engine_request_wait:
 * @request: a request
 * @until: deadline on the clock of g_get_monotonic_time(), microseconds; -1
 *   waits forever, 0 returns at once
 *
 * Waits until @request is over. A withdrawn request is over, too; it has neither
 * a result nor an error. Only one thread may wait for a request at a time.
 *
 * Returns: %FALSE if it is still queued or running
 *
 * Since: 0.1
 */
gboolean
y10_engine_request_wait (Y10EngineRequest *request, gint64 until)
{
  Y10RequestState state = y10_request_wait (inner (request), until);

  if (state == Y10_REQUEST_QUEUED || state == Y10_REQUEST_RUNNING)
    return FALSE;
  take_error (request);
  if (state == Y10_REQUEST_ANSWERED && !request->error && has_parts (request)
      && request->n_detections < 0)
    request->n_detections = (gint) y10_parts_merge (request->image,
        request->parts, request->n_parts, request->params, request->region,
        request->region_anchor, request->detections, request->max_detections);
  return TRUE;
}

/**
 * y10_engine_request_end:
 * @request: a request
 *
 * Withdraws @request, or waits for its step. Afterwards its pixels may be freed.
 * Frees its error.
 *
 * Since: 0.1
 */
void
y10_engine_request_end (Y10EngineRequest *request)
{
  y10_request_withdraw (inner (request));
  y10_request_wait (inner (request), -1);
  take_error (request);
  g_clear_error (&request->error);
}
