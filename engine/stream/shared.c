/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Engines that streams share. A group is an engine, the scheduler that fills its
 * steps and what both are known by; a stream finds the group of its settings or
 * makes it, and the last one to leave frees it.
 *
 * An image goes this way: y10_engine_stream_submit() queues it, on the
 * scheduler's thread it becomes part of a step of the engine, and the thread of
 * the engine that finds the step done copies its results to where the stream
 * wants them, ends the step and wakes the stream. So a slot is held no longer
 * than the device needs it, however slow a stream is.
 *
 * A GPU that is lost takes its group with it: who asks for one of the same
 * settings afterwards gets a new one, which they all share again. */

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

/* Warming up ends after so many runs, or so many nanoseconds. */
#define WARM_RUNS 8
#define WARM_TIME (G_GINT64_CONSTANT (250) * 1000 * 1000)

/* How often somebody who waits for another one's engine looks whether it is
 * still wanted, microseconds. */
#define LOOK_EVERY 20000

/* A step of the scheduler while the engine has it. */
typedef struct
{
  Y10Step step;
  Y10Request *const *requests;
  guint n;
} Running;

typedef struct
{
  char *key;
  gint refs;                    /* of streams; the registry's lock, as below */
  gboolean ready;               /* else somebody makes it */
  Y10Engine *engine;
  Y10Scheduler *scheduler;
  gint64 warm_time;
  Running running[Y10_SCHEDULER_MAX_STEPS];     /* by the scheduler's number */
  guint by_slot[Y10_SCHEDULER_MAX_STEPS];       /* that number */
} Group;

struct _Y10EngineStream
{
  int refs;
  Group *group;
  Y10Stream *stream;
};

/* Groups by their key. */
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

/* Under the scheduler's lock. */
static void
notify_request (Y10Request *inner)
{
  Y10EngineRequest *request = outer (inner);

  request->notify (request, inner->state == Y10_REQUEST_RUNNING
      ? Y10_ENGINE_REQUEST_RUNNING : Y10_ENGINE_REQUEST_DONE,
      request->notify_data);
}

/* All that makes an engine another one. A file that was replaced is another
 * file. */
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

/* So that no stream's first image is slow. The first run does not count; of so
 * few the p95 is the longest. What fails here the first image will tell. */
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

/* On the scheduler's thread. */
static void
begin_step (gpointer data, Y10Scheduler *scheduler, guint number,
    Y10Request *const *requests, guint n)
{
  Group *self = data;
  Running *running = &self->running[number];
  GError *error = NULL;
  gboolean ok;

  /* There is a slot for each of the scheduler's steps. */
  if (!y10_step_begin (self->engine, -1, &running->step, &error)) {
    y10_scheduler_finish (scheduler, number, error);
    g_clear_error (&error);
    return;
  }
  running->requests = requests;
  running->n = n;
  self->by_slot[running->step.slot] = number;
  ok = TRUE;
  for (guint i = 0; ok && i < n; i++) {
    const Y10EngineRequest *request = outer (requests[i]);

    ok = y10_step_add (&running->step, request->image, request->params,
        &error);
  }
  if (ok && y10_step_submit (&running->step, &error))
    return;
  y10_step_end (&running->step);
  y10_scheduler_finish (scheduler, number, error);
  g_clear_error (&error);
}

/* On a thread of the engine. As soon as the step has ended another one may have
 * its slot, and as soon as it is finished its number. */
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
    const Y10Request *inner = running->requests[i];
    Y10EngineRequest *request = outer (running->requests[i]);

    request->wait_time = inner->begun_at - inner->came_at;
    request->turns = inner->turns;
    request->preprocess_time = times.preprocess;
    request->inference_time = times.inference;
    request->postprocess_time = times.postprocess;
    request->step_time = now - inner->begun_at;
    request->n_detections = y10_step_read (&running->step, i,
        request->detections, request->max_detections, &error);
    ok = request->n_detections >= 0;
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

/* What takes long. */
static gboolean
fill_group (Group *self, Y10Model *model, const Y10EngineConfig *config,
    GCancellable *cancellable, GError **error)
{
  Y10SchedulerConfig schedule = {
    .begin = begin_step,.device = self,.batch_timeout = config->batch_timeout,
  };
  Y10EngineConfig c = *config;

  /* No more than keep the device busy: what has been begun can give way to
   * nobody any more. */
  c.n_slots = 0;
  self->engine = y10_engine_new (model, &c, cancellable, error);
  if (!self->engine)
    return FALSE;
  self->warm_time = warm_up (self->engine, cancellable);
  y10_engine_tell_done (self->engine, step_done, self);
  schedule.n_steps = self->engine->config.n_slots;
  schedule.max_batch = self->engine->config.max_batch;
  self->scheduler = y10_scheduler_new (&schedule, error);
  return self->scheduler != NULL;
}

/* With the registry's lock taken. One that has lost its device is for those
 * alone who have it. */
static Group *
find_group (const char *key)
{
  Group *group = registry ? g_hash_table_lookup (registry, key) : NULL;

  if (!group || !group->ready || !y10_engine_is_lost (group->engine, NULL))
    return group;
  g_hash_table_remove (registry, key);
  return NULL;
}

/* With the registry's lock taken. */
static void
remove_group (Group *self)
{
  if (g_hash_table_lookup (registry, self->key) == self)
    g_hash_table_remove (registry, self->key);
  if (!g_hash_table_size (registry))
    g_clear_pointer (&registry, g_hash_table_unref);
}

/* With the registry's lock taken, but not while it is made. Takes @key. */
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
  ok = fill_group (self, model, config, cancellable, error);
  pthread_mutex_lock (&registry_lock);
  if (ok) {
    self->ready = TRUE;
    return self;
  }
  remove_group (self);
  free_group (self);
  return NULL;
}

/* Where somebody makes it just now it is waited for; where that fails it is made
 * here, and fails again or not. */
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
    g_usleep (LOOK_EVERY);
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
 * @config: what is wanted of the engine; its @n_slots is not looked at
 * @group: (nullable): streams of another name do not share an engine with it
 * @priority: as for y10_engine_stream_set_priority()
 * @cancellable: (nullable): gives up early
 * @error: where to say why there is none
 *
 * Joins the streams that were made with the same file, @config and @group, or
 * makes the engine and warms it up, which takes from milliseconds to seconds. The
 * names of classes are each stream's own: they are not part of an engine.
 *
 * Returns: (transfer full): a stream, or %NULL with any %Y10_ERROR
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
 * With the last reference its queued requests are withdrawn and those under way
 * waited for; with the last stream goes the engine.
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
 * Returns: (transfer none): its engine, to ask what it is. Its slots are the
 *   streams'
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
 * Returns: what an inference took when the engine was new and did nothing else,
 *   nanoseconds: the longest of a few
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
 * @stats: (inout): of its engine, for all streams; the caller sets its size
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
 * @priority: any number; streams of a higher one have their turns first, so that
 *   it is others that wait where not all can be inferred. Those of the same
 *   number take turns
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
 * @max_running: the most of its requests that the engine has in steps at a time, 0
 *   for any number
 *
 * What the stream has queued beyond that keeps its place.
 *
 * Since: 0.1
 */
void
y10_engine_stream_set_max_running (Y10EngineStream *stream, guint max_running)
{
  y10_stream_set_max_running (stream->stream, max_running);
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
  inner (request)->notify = request->notify ? notify_request : NULL;
  return y10_engine_read_image (stream->group->engine, request->image,
      request->params, &image, &params, error);
}

/**
 * y10_engine_stream_submit:
 * @stream: a stream
 * @request: (transfer none): a request that is not under way
 * @error: where to say what is wrong with it
 *
 * Queues a request behind the others of its stream, and returns at once.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT or %Y10_ERROR_UNSUPPORTED;
 *   then it was not
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
 * @request: (transfer none): a request that is not under way
 * @replaced: (out): whether it was queued; %FALSE when the stream had no request
 *   whose turn has not come
 * @error: where to say what is wrong with it
 *
 * Withdraws the requests of a stream whose turn has not come and queues @request
 * in their place. So a stream that cannot have all its frames inferred has its
 * newest one inferred, and loses no turn by it. Returns at once.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT or %Y10_ERROR_UNSUPPORTED;
 *   then nothing has changed
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
 * Withdraws all its requests whose turn has not come, and wakes who waits for
 * them. Returns at once.
 *
 * Returns: how many were taken back
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
 * @until: the time of g_get_monotonic_time() to wait for, -1 for ever, 0 for
 *   not at all
 *
 * Waits until it is over. One that was withdrawn is over, too, and has neither
 * result nor error. By one thread at a time.
 *
 * Returns: %FALSE when it is still under way
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
  return TRUE;
}

/**
 * y10_engine_request_end:
 * @request: a request
 *
 * Takes it back, or waits for its step: afterwards its pixels may go. Frees its
 * error.
 *
 * Since: 0.1
 */
void
y10_engine_request_end (Y10EngineRequest *request)
{
  y10_request_withdraw (inner (request));
  y10_engine_request_wait (request, -1);
  g_clear_error (&request->error);
}
