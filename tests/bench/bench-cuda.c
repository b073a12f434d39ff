/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* bench-cuda --model FILE [--batch N] [--slots K] …
 *
 * Measures the caller's time from 1080p RGB frames in device memory to rows in
 * host memory: of a single step (latency), then per step with K steps running
 * (throughput). Confidence is 0, so that every image gives 300 rows, the head's
 * maximum cost, and each image is a different frame, so that none stays in a
 * cache. The engine is tuned first, for at most --tune SECONDS. Prints one JSON
 * object, which also has the duration of tuning, the time to the first rows, who
 * computes the convolutions, the ops with their kernels, and figures for comparison: the
 * bytes that the network's plan reads and writes, this GPU's copy rate in the same run, its
 * multiprocessors, clock and cache. --host
 * takes the frames from host memory: for backends without a GPU. */

#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "run/engine.h"

#define WIDTH 1920
#define HEIGHT 1080
#define FRAME_SIZE ((gsize) WIDTH * HEIGHT * 3)
#define MIN_FRAMES 8
#define COPY_SIZE ((gsize) 512 << 20)
#define COPIES 20

typedef struct
{
  Y10Engine *engine;
  guint batch, n_slots, n_frames, next_frame;
  const guint8 *frames; /* n_frames frames, in host or device memory */
  gboolean on_host;
  Y10HeadParams params;
  Y10Detection *rows;
  Y10Step *steps; /* n_slots */
  guint n_rows;
  GArray *step_us, *inference_us; /* of double */
  double start_ms, tune_s; /* until the first rows; until tuning has finished */
  Y10TuningProgress progress;
  double throughput_us;
  guint n_throughput;
} Bench;

/* Noise on a gradient: no area is constant, and all frames differ. */
static void
fill_frame (guint8 *p, guint32 frame)
{
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH * 3; x++) {
      guint32 h = (x * 0x9E3779B1u) ^ (y * 0x85EBCA77u) ^ (frame * 0xC2B2AE3Du);

      h = (h ^ h >> 15) * 0x2C1B3C6Du;
      *p++ = (guint8) ((x + y + 40 * frame) / 8 + (h >> 26));
    }
}

static gboolean
begin (Bench *b, Y10Step *step, GError **error)
{
  Y10Image image = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_RGB,
    .width = WIDTH,
    .height = HEIGHT,
    .memory = b->on_host ? Y10_MEMORY_HOST : Y10_MEMORY_CUDA,
    .stride = { WIDTH * 3 },
  };

  if (!y10_step_begin (b->engine, -1, step, error))
    return FALSE;
  for (guint i = 0; i < b->batch; i++) {
    image.plane[0] = b->frames + b->next_frame * FRAME_SIZE;
    b->next_frame = (b->next_frame + 1) % b->n_frames;
    if (!y10_step_add (step, &image, &b->params, error))
      return FALSE;
  }
  return y10_step_submit (step, error);
}

static gboolean
finish (Bench *b, Y10Step *step, GError **error)
{
  if (!y10_step_wait (step, -1, error))
    return FALSE;
  for (guint i = 0; i < b->batch; i++) {
    gint n = y10_step_read (step, i, b->rows, b->params.max_detections, error);

    if (n < 0)
      return FALSE;
    b->n_rows = (guint) n;
  }
  return TRUE;
}

/* Runs steps one after another until @seconds have passed, at least @min. */
static gboolean
measure_latency (Bench *b, double seconds, guint min, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  gint64 end = start + (gint64) (seconds * G_USEC_PER_SEC);

  g_array_set_size (b->step_us, 0);
  g_array_set_size (b->inference_us, 0);
  while (b->step_us->len < min || g_get_monotonic_time () < end) {
    gint64 before = g_get_monotonic_time ();
    Y10StepTimes times = { .size = sizeof times };
    double us, inference;
    Y10Step step;

    if (!begin (b, &step, error) || !finish (b, &step, error))
      return FALSE;
    us = (double) (g_get_monotonic_time () - before);
    if (!y10_step_get_times (&step, &times, error))
      return FALSE;
    inference = (double) times.inference / 1e3;
    g_array_append_val (b->step_us, us);
    g_array_append_val (b->inference_us, inference);
    y10_step_end (&step);
  }
  return TRUE;
}

/* Keeps all slots busy and always waits for the oldest step. */
static gboolean
measure_throughput (Bench *b, double seconds, guint min, GError **error)
{
  gint64 start, end;
  guint n = 0;

  for (guint i = 0; i < b->n_slots; i++)
    if (!begin (b, &b->steps[i], error))
      return FALSE;
  start = g_get_monotonic_time ();
  end = start + (gint64) (seconds * G_USEC_PER_SEC);
  for (; n < min || g_get_monotonic_time () < end; n++) {
    Y10Step *step = &b->steps[n % b->n_slots];

    if (!finish (b, step, error))
      return FALSE;
    y10_step_end (step);
    if (!begin (b, step, error))
      return FALSE;
  }
  b->throughput_us = (double) (g_get_monotonic_time () - start) / n;
  b->n_throughput = n;
  for (guint i = 0; i < b->n_slots; i++, n++) {
    if (!finish (b, &b->steps[n % b->n_slots], error))
      return FALSE;
    y10_step_end (&b->steps[n % b->n_slots]);
  }
  return TRUE;
}

/* Bytes that the ops of one image read and write, without padding: the minimum
 * for any implementation that runs these ops one by one. */
static double
activation_bytes (Y10Engine *engine)
{
  const Y10Graph *graph = y10_engine_get_graph (engine);
  const Y10Plan *plan = y10_engine_get_plan (engine);
  double bytes = 0;

  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10View views[] = { graph->ops[i].in, graph->ops[i].out,
      graph->ops[i].add };

    for (guint j = 0; j < G_N_ELEMENTS (views); j++)
      if (views[j].n) {
        const Y10Tensor *t = &graph->tensors[views[j].tensor];

        bytes += (double) y10_graph_view_channels (graph, views[j]) * t->height
            * t->width * plan->storage[views[j].tensor].elem_size;
      }
  }
  return bytes;
}

/* Bytes a second that large copies read and write. */
static gboolean
copy_rate (const Y10CudaDriver *d, double *rate, GError **error)
{
  CUdeviceptr memory = 0;
  CUstream stream = NULL;
  CUevent events[2] = { NULL, NULL };
  float ms = 0;
  gboolean ok;

  ok = y10_cuda_check (d, d->mem_alloc (&memory, 2 * COPY_SIZE),
           "memory to copy", error)
      && y10_cuda_check (d, d->memset_d8_async (memory, 7, 2 * COPY_SIZE, NULL),
          "memory to copy", error)
      && y10_cuda_check (d,
          d->stream_create (&stream, Y10_CU_STREAM_NON_BLOCKING, 0), "a stream",
          error)
      && y10_cuda_check (d, d->stream_synchronize (NULL), "waiting", error)
      && y10_cuda_check (d, d->event_create (&events[0], 0), "an event", error)
      && y10_cuda_check (d, d->event_create (&events[1], 0), "an event", error);
  for (guint i = 0; ok && i < 2 + COPIES; i++)
    ok = (i != 2
             || y10_cuda_check (d, d->event_record (events[0], stream),
                 "an event", error))
        && y10_cuda_check (d,
            d->memcpy_dtod_async (memory + (i % 2) * COPY_SIZE,
                memory + (1 - i % 2) * COPY_SIZE, COPY_SIZE, stream),
            "copying", error);
  ok = ok
      && y10_cuda_check (d, d->event_record (events[1], stream), "an event",
          error)
      && y10_cuda_check (d, d->event_synchronize (events[1]), "waiting", error)
      && y10_cuda_check (d, d->event_elapsed_time (&ms, events[0], events[1]),
          "timing", error);
  *rate = 2.0 * COPIES * COPY_SIZE / (ms / 1e3);
  for (guint i = 0; i < 2; i++)
    if (events[i])
      d->event_destroy (events[i]);
  if (stream)
    d->stream_destroy (stream);
  if (memory)
    d->mem_free (memory);
  return ok;
}

/* Makes the frames on the device, through one host buffer. */
static gboolean
make_frames (Bench *b, const Y10CudaDriver *d, GError **error)
{
  gsize n = b->on_host ? b->n_frames : 1;
  guint8 *host = g_malloc (n * FRAME_SIZE);
  CUdeviceptr device = 0;
  gboolean ok = TRUE;

  if (!b->on_host)
    ok = y10_cuda_check (d, d->mem_alloc (&device, b->n_frames * FRAME_SIZE),
        "memory for frames", error);
  for (guint i = 0; ok && i < b->n_frames; i++) {
    guint8 *frame = host + (b->on_host ? i * FRAME_SIZE : 0);

    fill_frame (frame, i);
    ok = b->on_host
        || (y10_cuda_check (d,
                d->memcpy_htod_async (device + i * FRAME_SIZE, frame,
                    FRAME_SIZE, NULL),
                "copying a frame", error)
            && y10_cuda_check (d, d->stream_synchronize (NULL),
                "copying a frame", error));
  }
  b->frames = b->on_host ? host : (const guint8 *) (gsize) device;
  if (!b->on_host)
    g_free (host);
  return ok;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
percentile (GArray *values, guint percent)
{
  qsort (values->data, values->len, sizeof (double), compare);
  return g_array_index (values, double, (values->len - 1) * percent / 100);
}

/* Of the dense convolutions, how many each provider computes. */
static void
print_providers (const Bench *b)
{
  guint n_own = 0, n_cudnn = 0;

  for (guint i = 0; i < y10_engine_get_n_ops (b->engine); i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (b->engine, i, &op);
    n_own += g_str_has_prefix (op.impl, "own:");
    n_cudnn += g_str_has_prefix (op.impl, "cudnn:");
  }
  printf (" \"convolutions\":{\"cudnn\":%u,\"own\":%u},\n", n_cudnn, n_own);
}

static void
print_ops (const Bench *b)
{
  for (guint i = 0; i < y10_engine_get_n_ops (b->engine); i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (b->engine, i, &op);
    printf (
        "%s{\"kind\":\"%s\",\"impl\":\"%s\",\"in_channels\":%u,"
        "\"out_channels\":%u,\"out_height\":%u,\"out_width\":%u,"
        "\"kernel\":%u,\"stride\":%u,\"groups\":%u,\"flops\":%" G_GUINT64_FORMAT
        "}",
        i ? ",\n  " : " \"ops\":[", op.kind, op.impl, op.in_channels,
        op.out_channels, op.out_height, op.out_width, op.kernel, op.stride,
        op.groups, op.flops);
  }
  printf ("],\n");
}

/* What the GPU does not say is 0. */
static void
print_gpu (const Y10CudaDriver *d, CUdevice device)
{
  static const int attributes[] = { Y10_CU_MULTIPROCESSORS, Y10_CU_CLOCK_RATE,
    Y10_CU_L2_CACHE_SIZE, Y10_CU_MAJOR, Y10_CU_MINOR };
  int v[G_N_ELEMENTS (attributes)] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (attributes); i++)
    if (d->device_get_attribute (&v[i], attributes[i], device))
      v[i] = 0;
  printf (" \"gpu\":{\"multiprocessors\":%d,\"clock_mhz\":%d,"
          "\"l2_bytes\":%d,\"capability\":\"%d.%d\"},\n",
      v[0], v[1] / 1000, v[2], v[3], v[4]);
}

static void
print_result (Bench *b, const Y10CudaDriver *d, CUdevice device, double rate)
{
  guint width, height;

  y10_engine_get_input_size (b->engine, &width, &height);
  printf ("{\"model\":\"%s\",\"width\":%u,\"height\":%u,\"batch\":%u,"
          "\"backend\":\"%s\",\"precision\":\"%s\",\"device\":\"%s\","
          "\"frames\":\"%s\",\"rows\":%u,\n",
      y10_model_get_variant (y10_engine_get_model (b->engine)), width, height,
      b->batch, y10_backend_get_name (y10_engine_get_backend (b->engine)),
      y10_precision_get_name (y10_engine_get_precision (b->engine)),
      y10_engine_get_device (b->engine), b->on_host ? "host" : "device",
      b->n_rows);
  if (d)
    print_gpu (d, device);
  printf (" \"latency_ms\":{\"median\":%.4f,\"p95\":%.4f,\"min\":%.4f},"
          "\"steps\":%u,\"inference_ms\":%.4f,\n",
      percentile (b->step_us, 50) / 1e3, percentile (b->step_us, 95) / 1e3,
      percentile (b->step_us, 0) / 1e3, b->step_us->len,
      percentile (b->inference_us, 50) / 1e3);
  printf (" \"first_rows_ms\":%.1f,\"tuned\":%s,\"tune_s\":%.1f,"
          "\"looked_at\":[%u,%u],\n",
      b->start_ms, b->progress.finished ? "true" : "false", b->tune_s,
      b->progress.done, b->progress.total);
  printf (" \"slots\":%u,\"throughput_ms\":%.4f,\"throughput_steps\":%u,\n",
      b->n_slots, b->throughput_us / 1e3, b->n_throughput);
  print_providers (b);
  print_ops (b);
  printf (" \"weight_bytes\":%.0f,\"activation_bytes\":%.0f,"
          "\"frame_bytes\":%.0f,\"copy_bytes_per_s\":%.0f}\n",
      (double) y10_engine_get_weights_size (b->engine),
      activation_bytes (b->engine) * b->batch, (double) FRAME_SIZE * b->batch,
      rate);
}

static Y10Engine *
make_engine (Y10Model *model, const Bench *b, const char *precision, int size,
    GError **error)
{
  Y10EngineConfig config;

  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_CUDA;
  for (Y10Precision p = Y10_PRECISION_AUTO; p <= Y10_PRECISION_BF16; p++)
    if (strcmp (precision, y10_precision_get_name (p)) == 0)
      config.precision = p;
  config.width = config.height = (guint) size;
  config.max_batch = b->batch;
  config.n_slots = b->n_slots;
  return y10_engine_new (model, &config, NULL, error);
}

/* Loads a weights file and tunes its engine. */
static gboolean
start (Bench *b, const char *path, const char *precision, int size, double tune,
    GError **error)
{
  gint64 before = g_get_monotonic_time ();
  Y10Model *model = y10_model_load (path, NULL, error);

  if (!model)
    return FALSE;
  b->engine = make_engine (model, b, precision, size, error);
  y10_model_unref (model);
  if (!b->engine)
    return FALSE;
  b->params.max_detections = y10_engine_get_max_detections (b->engine);
  b->rows = g_new (Y10Detection, b->params.max_detections);
  if (!measure_latency (b, 0, 1, error))
    return FALSE;
  b->start_ms = (double) (g_get_monotonic_time () - before) / 1e3;
  /* Unfinished tuning is no error: the output has the progress. */
  y10_engine_wait_tuned (b->engine, before + (gint64) (tune * G_USEC_PER_SEC),
      NULL, NULL);
  b->tune_s = (double) (g_get_monotonic_time () - before) / 1e6;
  b->progress.size = sizeof b->progress;
  y10_engine_get_tuning_progress (b->engine, &b->progress);
  return TRUE;
}

/* Uses the GPU's primary context for everything, including the engine. */
static gboolean
run (Bench *b, const char *path, const char *precision, int size, double tune,
    double seconds, GError **error)
{
  GString *why = g_string_new (NULL);
  const Y10CudaDriver *d = b->on_host ? NULL : y10_cuda_driver_get (why);
  CUcontext context;
  CUdevice device = 0;
  double rate = 0;
  gboolean ok;

  ok = b->on_host || d;
  if (!ok)
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_NO_BACKEND, why->str);
  g_string_free (why, TRUE);
  if (ok && d)
    ok = y10_cuda_check (d, d->device_get (&device, 0), "the GPU", error)
        && y10_cuda_check (d, d->primary_ctx_retain (&context, device),
            "a context", error)
        && y10_cuda_check (d, d->ctx_push (context), "a context", error)
        && copy_rate (d, &rate, error);
  ok = ok && make_frames (b, d, error)
      && start (b, path, precision, size, tune, error);
  if (ok) {
    /* The clocks rise, and slots take over the tuned plans. */
    ok = measure_latency (b, seconds, 3, error)
        && measure_latency (b, seconds, 3, error)
        && measure_throughput (b, seconds / 2, 2 * b->n_slots, error)
        && measure_throughput (b, seconds, b->n_slots, error);
  }
  if (ok)
    print_result (b, d, device, rate);
  g_clear_pointer (&b->engine, y10_engine_unref);
  return ok;
}

int
main (int argc, char **argv)
{
  Bench b = { .batch = 1, .n_slots = 4, .params = Y10_HEAD_PARAMS_INIT };
  char *path = NULL, *precision = NULL;
  double seconds = 2, tune = 150;
  int batch = 1, slots = 4, size = 640, status = 1;
  const GOptionEntry entries[] = { { "model", 'm', 0, G_OPTION_ARG_FILENAME,
                                       &path, "weights", "FILE" },
    { "precision", 'p', 0, G_OPTION_ARG_STRING, &precision, "[fp16]", "P" },
    { "size", 's', 0, G_OPTION_ARG_INT, &size, "of the input [640]", "N" },
    { "batch", 'b', 0, G_OPTION_ARG_INT, &batch, "images a step [1]", "N" },
    { "slots", 'k', 0, G_OPTION_ARG_INT, &slots, "in flight [4]", "K" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "of each part [2]", "S" },
    { "tune", 0, 0, G_OPTION_ARG_DOUBLE, &tune, "at most [150]", "S" },
    { "host", 0, 0, G_OPTION_ARG_NONE, &b.on_host, "frames of the host", NULL },
    { NULL } };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  setlocale (LC_ALL, "C.UTF-8");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    goto out;
  if (!path || batch < 1 || batch > 64 || slots < 1 || slots > 16) {
    fprintf (stderr,
        "bench-cuda: --model FILE, --batch 1 to 64, --slots 1 to "
        "16\n");
    goto out;
  }
  b.batch = (guint) batch;
  b.n_slots = (guint) slots;
  b.n_frames = MAX (b.batch, MIN_FRAMES);
  b.params.confidence = 0;
  b.steps = g_new0 (Y10Step, b.n_slots);
  b.step_us = g_array_new (FALSE, FALSE, sizeof (double));
  b.inference_us = g_array_new (FALSE, FALSE, sizeof (double));
  if (run (&b, path, precision ? precision : "fp16", size, tune, seconds,
          &error))
    status = 0;
  g_array_unref (b.inference_us);
  g_array_unref (b.step_us);
  g_free (b.steps);
  g_free (b.rows);
out:
  if (error) {
    fprintf (stderr, "bench-cuda: %s\n", error->message);
    g_error_free (error);
  }
  g_option_context_free (context);
  g_free (precision);
  g_free (path);
  return status;
}
