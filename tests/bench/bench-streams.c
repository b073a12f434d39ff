/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* bench-streams --model FILE [--streams 1,4,16,64] [--max-batch 32] …
 *
 * Measures how many images a second an engine infers for so many streams, how
 * full its steps are, and the time from submitting a frame to its rows. Each
 * stream is a thread that keeps a few frames of 1280 × 720 in NV12 submitted,
 * in device memory unless --host is given. For comparison, measures the same
 * engine with full steps only. Prints one JSON object. */

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <y10/y10.h>

#include "driver/driver.h"
#include "run/engine.h"

#define WIDTH 1280
#define HEIGHT 720
#define FRAME_SIZE ((gsize) WIDTH * HEIGHT * 3 / 2)
#define N_FRAMES 16
#define MAX_IN_FLIGHT 8

typedef struct
{
  Y10Model *model;
  Y10EngineConfig config;
  gboolean on_host;
  const guint8 *frames;
  double seconds, tune;
  guint in_flight;
} Bench;

typedef struct
{
  const Bench *bench;
  guint number;
  gint64 until;   /* microseconds */
  GArray *delays; /* of double, milliseconds */
  guint n_failed;
  Y10EngineStream *stream;
} Client;

static Y10Image
frame_image (const Bench *b, guint i)
{
  const guint8 *p = b->frames + (i % N_FRAMES) * FRAME_SIZE;

  return (Y10Image){
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_NV12,
    .width = WIDTH,
    .height = HEIGHT,
    .memory = b->on_host ? Y10_MEMORY_HOST : Y10_MEMORY_CUDA,
    .plane = { p, p + WIDTH * HEIGHT },
    .stride = { WIDTH, WIDTH },
  };
}

static void
fill_frame (guint8 *p, guint32 frame)
{
  for (gsize i = 0; i < FRAME_SIZE; i++) {
    guint32 h = ((guint32) i * 0x9E3779B1u) ^ (frame * 0xC2B2AE3Du);

    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    p[i] = (guint8) (i % WIDTH / 8 + (h >> 27));
  }
}

/* Makes the frames on the device, in the GPU's primary context, which the
 * engine uses, too. */
static gboolean
make_frames (Bench *b, GError **error)
{
  guint8 *host = g_malloc (N_FRAMES * FRAME_SIZE);
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10CudaDriver *d = b->on_host ? NULL : y10_cuda_driver_get (why);
  CUdeviceptr device = 0;
  CUcontext context;
  CUdevice gpu;
  gboolean ok = b->on_host || d;

  for (guint i = 0; i < N_FRAMES; i++)
    fill_frame (host + i * FRAME_SIZE, i);
  if (!ok)
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_NO_BACKEND, why->str);
  if (ok && d)
    ok = y10_cuda_check (d, d->device_get (&gpu, 0), "the GPU", error)
        && y10_cuda_check (d, d->primary_ctx_retain (&context, gpu),
            "a context", error)
        && y10_cuda_check (d, d->ctx_push (context), "a context", error)
        && y10_cuda_check (d, d->mem_alloc (&device, N_FRAMES * FRAME_SIZE),
            "memory for frames", error)
        && y10_cuda_check (d,
            d->memcpy_htod_async (device, host, N_FRAMES * FRAME_SIZE, NULL),
            "copying frames", error)
        && y10_cuda_check (d, d->stream_synchronize (NULL), "copying frames",
            error);
  b->frames = b->on_host ? host : (const guint8 *) (gsize) device;
  if (!b->on_host)
    g_free (host);
  return ok;
}

static gboolean
begin_full (const Bench *b, Y10Engine *engine, Y10Step *step, GError **error)
{
  const Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  if (!y10_step_begin (engine, -1, step, error))
    return FALSE;
  for (guint i = 0; i < engine->config.max_batch; i++) {
    const Y10Image image = frame_image (b, i);

    if (!y10_step_add (step, &image, &params, error))
      return FALSE;
  }
  return y10_step_submit (step, error);
}

/* Images a second in full steps, with all slots busy. */
static gboolean
measure_engine (const Bench *b, double *per_second, GError **error)
{
  Y10Engine *engine = y10_engine_new (b->model, &b->config, NULL, error);
  gint64 from = 0, now = 0, until = G_MAXINT64;
  guint n_slots, n = 0, counted = 0;
  gboolean ok = engine != NULL;
  Y10Step steps[16];

  if (!ok)
    return FALSE;
  y10_engine_wait_tuned (engine,
      g_get_monotonic_time () + (gint64) (b->tune * G_USEC_PER_SEC), NULL,
      NULL);
  n_slots = engine->config.n_slots;
  for (guint i = 0; ok && i < n_slots; i++)
    ok = begin_full (b, engine, &steps[i], error);
  while (ok && (now = g_get_monotonic_time ()) < until) {
    Y10Step *step = &steps[n++ % n_slots];

    ok = y10_step_wait (step, -1, error);
    y10_step_end (step);
    counted++;
    if (n == 4 * n_slots) { /* all graphs have been captured */
      from = g_get_monotonic_time ();
      until = from + (gint64) (b->seconds * G_USEC_PER_SEC);
      counted = 0;
    }
    ok = ok && begin_full (b, engine, step, error);
  }
  *per_second = counted * engine->config.max_batch * 1e6
      / (double) (now - from);
  for (guint i = 0; i < n_slots; i++)
    y10_step_end (&steps[i]);
  y10_engine_unref (engine);
  return ok;
}

/* A camera that always has the next frame. */
static void *
run_client (void *data)
{
  Client *client = data;
  const Bench *b = client->bench;
  guint max_rows = y10_engine_get_max_detections (
      y10_engine_stream_get_engine (client->stream));
  Y10EngineRequest requests[MAX_IN_FLIGHT] = { 0 };
  Y10Image images[MAX_IN_FLIGHT];
  gint64 sent[MAX_IN_FLIGHT];
  const Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  gboolean ok = TRUE;

  for (guint n = 0; ok || n % b->in_flight; n++) {
    Y10EngineRequest *request = &requests[n % b->in_flight];
    Y10Image *image = &images[n % b->in_flight];

    if (n >= b->in_flight) {
      double ms;

      y10_engine_request_wait (request, -1);
      client->n_failed += request->n_detections < 0;
      y10_engine_request_end (request);
      ms = (double) (g_get_monotonic_time () - sent[n % b->in_flight]) / 1e3;
      g_array_append_val (client->delays, ms);
    }
    ok = ok && g_get_monotonic_time () < client->until;
    if (!ok)
      continue;
    *image = frame_image (b, client->number + n);
    request->size = sizeof *request;
    request->image = image;
    request->params = &params;
    if (!request->detections)
      request->detections = g_new (Y10Detection, max_rows);
    request->max_detections = max_rows;
    sent[n % b->in_flight] = g_get_monotonic_time ();
    if (!y10_engine_stream_submit (client->stream, request, NULL))
      client->n_failed++;
  }
  for (guint i = 0; i < b->in_flight; i++) {
    y10_engine_request_end (&requests[i]);
    g_free (requests[i].detections);
  }
  return NULL;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Average number of images in a step; -1: there were no steps. */
static double
mean_fill (const Y10EngineStreamStats *before,
    const Y10EngineStreamStats *after)
{
  guint64 images = 0, steps = 0;

  for (guint i = 1; i <= Y10_MAX_BATCH; i++) {
    steps += after->fill[i] - before->fill[i];
    images += i * (after->fill[i] - before->fill[i]);
  }
  return steps ? (double) images / (double) steps : -1;
}

/* Runs all streams for @seconds. */
static void
run_clients (Client *clients, guint n, double seconds)
{
  pthread_t *threads = g_new (pthread_t, n);
  gint64 until = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);

  for (guint i = 0; i < n; i++) {
    clients[i].until = until;
    g_array_set_size (clients[i].delays, 0);
    if (pthread_create (&threads[i], NULL, run_client, &clients[i])) {
      fprintf (stderr, "bench-streams: no thread for stream %u\n", i);
      exit (1);
    }
  }
  for (guint i = 0; i < n; i++)
    pthread_join (threads[i], NULL);
  g_free (threads);
}

static gboolean
measure_streams (const Bench *b, guint n, gboolean last, GError **error)
{
  Client *clients = g_new0 (Client, n);
  g_autoptr (GArray) delays = g_array_new (FALSE, FALSE, sizeof (double));
  Y10EngineStreamStats before = { .size = sizeof before },
                       after = { .size = sizeof after };
  gint64 start;
  guint n_failed = 0, n_open = 0;
  double took;

  for (; n_open < n; n_open++) {
    Client *client = &clients[n_open];

    *client = (Client){ .bench = b, .number = n_open };
    client->delays = g_array_new (FALSE, FALSE, sizeof (double));
    client->stream = y10_engine_stream_new (b->model, &b->config, NULL, 0, NULL,
        error);
    if (!client->stream) {
      g_array_unref (client->delays);
      break;
    }
  }
  if (n_open == n) {
    /* New batch sizes are planned and captured first. */
    run_clients (clients, n, b->seconds / 2);
    y10_engine_wait_tuned (y10_engine_stream_get_engine (clients[0].stream),
        g_get_monotonic_time () + (gint64) (b->tune * G_USEC_PER_SEC), NULL,
        NULL);
    run_clients (clients, n, b->seconds / 2);
    y10_engine_stream_get_stats (clients[0].stream, &before);
    start = g_get_monotonic_time ();
    run_clients (clients, n, b->seconds);
    took = (double) (g_get_monotonic_time () - start) / 1e6;
    y10_engine_stream_get_stats (clients[0].stream, &after);
    for (guint i = 0; i < n; i++) {
      g_array_append_vals (delays, clients[i].delays->data,
          clients[i].delays->len);
      n_failed += clients[i].n_failed;
    }
    qsort (delays->data, delays->len, sizeof (double), compare);
    printf ("  {\"streams\":%u,\"sharing\":%u,\"per_s\":%.1f,\"fill\":%.2f,"
            "\"delay_ms\":{\"median\":%.3f,\"p95\":%.3f},\"failed\":%u}%s\n",
        n, after.n_streams, delays->len / took, mean_fill (&before, &after),
        g_array_index (delays, double, delays->len / 2),
        g_array_index (delays, double, delays->len * 95 / 100), n_failed,
        last ? "" : ",");
    fflush (stdout);
  }
  for (guint i = 0; i < n_open; i++) {
    y10_engine_stream_unref (clients[i].stream);
    g_array_unref (clients[i].delays);
  }
  g_free (clients);
  return n_open == n;
}

static gboolean
run (Bench *b, const char *path, const char *streams, GError **error)
{
  gchar **counts = g_strsplit (streams, ",", -1);
  double per_second;
  gboolean ok;

  b->model = y10_model_load (path, NULL, error);
  ok = b->model && make_frames (b, error)
      && measure_engine (b, &per_second, error);
  if (ok)
    printf ("{\"model\":\"%s\",\"backend\":\"%s\",\"max_batch\":%u,"
            "\"in_flight\":%u,\"frames\":\"%s\",\n \"full_steps_per_s\":%.1f,"
            "\"runs\":[\n",
        y10_model_get_variant (b->model),
        y10_backend_get_name (b->config.backend), b->config.max_batch,
        b->in_flight, b->on_host ? "host" : "device", per_second);
  for (guint i = 0; ok && counts[i]; i++)
    ok = measure_streams (b, (guint) CLAMP (atoi (counts[i]), 1, 1024),
        !counts[i + 1], error);
  if (ok)
    printf (" ]}\n");
  y10_model_unref (b->model);
  if (b->on_host)
    g_free ((gpointer) b->frames);
  g_strfreev (counts);
  return ok;
}

int
main (int argc, char **argv)
{
  Bench b = { .seconds = 3, .tune = 120 };
  char *path = NULL, *streams = NULL, *backend = NULL;
  int max_batch = 32, in_flight = 2, size = 640, status = 1;
  const GOptionEntry entries[] = { { "model", 'm', 0, G_OPTION_ARG_FILENAME,
                                       &path, "weights", "FILE" },
    { "backend", 0, 0, G_OPTION_ARG_STRING, &backend, "[cuda]", "B" },
    { "streams", 'n', 0, G_OPTION_ARG_STRING, &streams, "[1,4,16,64]", "N,…" },
    { "max-batch", 'b', 0, G_OPTION_ARG_INT, &max_batch, "[32]", "N" },
    { "in-flight", 'k', 0, G_OPTION_ARG_INT, &in_flight, "of a stream [2]",
        "K" },
    { "size", 's', 0, G_OPTION_ARG_INT, &size, "of the input [640]", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &b.seconds, "of each part [3]",
        "S" },
    { "tune", 0, 0, G_OPTION_ARG_DOUBLE, &b.tune,
        "at most, before each part [120]", "S" },
    { "host", 0, 0, G_OPTION_ARG_NONE, &b.on_host, "frames of the host", NULL },
    { NULL } };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  setlocale (LC_ALL, "C.UTF-8");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    goto out;
  if (!path || max_batch < 1 || in_flight < 1 || in_flight > MAX_IN_FLIGHT) {
    fprintf (stderr,
        "bench-streams: --model FILE, --max-batch from 1, "
        "--in-flight 1 to %d\n",
        MAX_IN_FLIGHT);
    goto out;
  }
  y10_engine_config_init (&b.config, sizeof b.config);
  b.config.backend = Y10_BACKEND_CUDA;
  for (guint i = Y10_BACKEND_REF; backend && i <= Y10_BACKEND_CUDA; i++)
    if (!strcmp (backend, y10_backend_get_name (i)))
      b.config.backend = i;
  b.config.width = b.config.height = (guint) size;
  b.config.max_batch = (guint) max_batch;
  b.config.n_slots = 0;
  b.in_flight = (guint) in_flight;
  if (run (&b, path, streams ? streams : "1,4,16,64", &error))
    status = 0;
out:
  if (error) {
    fprintf (stderr, "bench-streams: %s\n", error->message);
    g_error_free (error);
  }
  g_option_context_free (context);
  g_free (backend);
  g_free (streams);
  g_free (path);
  return status;
}
