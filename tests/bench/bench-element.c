/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Measures the time that yolov10detect adds to inference: the time of a 1080p
 * NV12 frame in the element, minus the network's time by the element's own
 * statistics. That leaves the letterbox, the head and the element itself.
 * Without those two, the rest is the element alone: mapping, handing over,
 * metadata. A memcpy of the frame in the same run gives a ratio that compares
 * between machines. Frames rotate, so that none is still in the first caches;
 * figures are medians. */

#include "config.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WIDTH 1920
#define HEIGHT 1080
#define N_FRAMES 4
#define WARM_UP 10
#define MAX_RUNS 512 /* the length of the element's statistics */

static gchar *model = NULL, *backend = NULL, *precision = NULL, *size = NULL;
static gint n_threads = 0;
static gdouble seconds = 5;
static gboolean as_json = FALSE;

static const GOptionEntry entries[] = {
  { "model", 'm', 0, G_OPTION_ARG_FILENAME, &model, "Weights", "FILE" },
  { "backend", 'b', 0, G_OPTION_ARG_STRING, &backend, "Backend (auto)",
      "NAME" },
  { "precision", 'p', 0, G_OPTION_ARG_STRING, &precision, "Precision (auto)",
      "NAME" },
  { "size", 0, 0, G_OPTION_ARG_STRING, &size, "Network input", "N|WxH" },
  { "threads", 't', 0, G_OPTION_ARG_INT, &n_threads, "Threads (0: all)", "N" },
  { "seconds", 's', 0, G_OPTION_ARG_DOUBLE, &seconds, "Time to measure (5)",
      "S" },
  { "json", 'j', 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL }, { NULL }
};

static int
compare (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

static gdouble
median (gdouble *values, guint n)
{
  qsort (values, n, sizeof *values, compare);
  return values[(n - 1) / 2];
}

static gdouble
now_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Noise in blocks on a gradient: gives the letterbox work, and the head an
 * occasional detection. */
static GstBuffer *
make_frame (guint seed)
{
  const gsize bytes = WIDTH * HEIGHT * 3 / 2;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, bytes, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < bytes; i += 32) {
    guint8 value = g_rand_int_range (rand, 32, 192);

    for (gsize k = i; k < MIN (i + 32, bytes); k++)
      map.data[k] = value + k % 32;
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static gdouble
memcpy_ms (GstBuffer **frames)
{
  gdouble ms[MAX_RUNS];
  GstMapInfo map[N_FRAMES];
  guint8 *to;
  guint i;

  for (i = 0; i < N_FRAMES; i++)
    gst_buffer_map (frames[i], &map[i], GST_MAP_READ);
  to = g_malloc0 (map[0].size);
  for (i = 0; i < MAX_RUNS; i++) {
    gdouble start = now_ms ();

    memcpy (to, map[i % N_FRAMES].data, map[0].size);
    ms[i] = now_ms () - start;
  }
  g_free (to);
  for (i = 0; i < N_FRAMES; i++)
    gst_buffer_unmap (frames[i], &map[i]);
  return median (ms, MAX_RUNS);
}

static gdouble
stage_ms (const GstStructure *stats, const gchar *field)
{
  guint64 ns = 0;

  gst_structure_get_uint64 (stats, field, &ns);
  return ns / 1e6;
}

/* Milliseconds of one frame in the element; -1 on failure. */
static gdouble
push (GstHarness *harness, GstBuffer *frame)
{
  /* Shares the memory and carries no metadata of an earlier round. */
  GstBuffer *buffer = gst_buffer_copy_region (frame, GST_BUFFER_COPY_MEMORY, 0,
      -1);
  gdouble start = now_ms ();
  gdouble ms;

  if (gst_harness_push (harness, buffer) != GST_FLOW_OK)
    return -1;
  /* Another thread pushes it. */
  buffer = gst_harness_pull (harness);
  ms = now_ms () - start;
  if (!buffer)
    return -1;
  gst_buffer_unref (buffer);
  return ms;
}

static GstHarness *
make_harness (GError **error)
{
  GstHarness *harness;
  GstElement *element = gst_element_factory_make ("yolov10detect", NULL);
  GstCaps *caps;
  gchar *threads = g_strdup_printf ("%d", n_threads);

  if (!element) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer does not find yolov10detect; set GST_PLUGIN_PATH");
    g_free (threads);
    return NULL;
  }
  gst_util_set_object_arg (G_OBJECT (element), "model-file", model);
  gst_util_set_object_arg (G_OBJECT (element), "threads", threads);
  if (backend)
    gst_util_set_object_arg (G_OBJECT (element), "backend", backend);
  if (precision)
    gst_util_set_object_arg (G_OBJECT (element), "precision", precision);
  if (size)
    gst_util_set_object_arg (G_OBJECT (element), "input-size", size);
  g_free (threads);
  harness = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "NV12",
      "width", G_TYPE_INT, WIDTH, "height", G_TYPE_INT, HEIGHT, "framerate",
      GST_TYPE_FRACTION, 30, 1, "colorimetry", G_TYPE_STRING, "bt709", NULL);
  gst_harness_set_src_caps (harness, caps);
  return harness;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GstBuffer *frames[N_FRAMES];
  gdouble total[MAX_RUNS], total_ms, pre, inference, post, copy, start, more;
  GstStructure *stats = NULL;
  gchar *device = NULL;
  GError *error = NULL;
  GstHarness *harness;
  guint n = 0, i;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || !model) {
    fprintf (stderr, "bench-element: %s\n",
        error ? error->message : "no --model");
    return 2;
  }
  g_option_context_free (context);
  gst_init (NULL, NULL);
  harness = make_harness (&error);
  if (!harness) {
    fprintf (stderr, "bench-element: %s\n", error->message);
    return 1;
  }
  for (i = 0; i < N_FRAMES; i++)
    frames[i] = make_frame (i);
  for (i = 0; i < WARM_UP; i++) {
    if (push (harness, frames[i % N_FRAMES]) < 0) {
      fprintf (stderr,
          "bench-element: the element failed; GST_DEBUG=2 says "
          "why\n");
      return 1;
    }
  }
  start = now_ms ();
  while (n < MAX_RUNS && (n < 20 || now_ms () - start < 1000 * seconds)) {
    total[n] = push (harness, frames[n % N_FRAMES]);
    n++;
  }
  g_object_get (harness->element, "stats", &stats, "active-device", &device,
      NULL);
  copy = memcpy_ms (frames);
  total_ms = median (total, n);
  pre = stage_ms (stats, "preprocess-median");
  inference = stage_ms (stats, "inference-median");
  post = stage_ms (stats, "postprocess-median");
  more = total_ms - inference;

  if (as_json)
    printf ("{\"bench\": \"element\", \"format\": \"NV12\", \"width\": %d, "
            "\"height\": %d, \"frames\": %u, \"total_ms\": %.4f, "
            "\"preprocess_ms\": %.4f, \"inference_ms\": %.4f, "
            "\"postprocess_ms\": %.4f, \"minus_inference_ms\": %.4f, "
            "\"minus_engine_ms\": %.4f, \"memcpy_1080p_nv12_ms\": %.4f, "
            "\"ratio\": %.3f}\n",
        WIDTH, HEIGHT, n, total_ms, pre, inference, post, more,
        more - pre - post, copy, more / copy);
  else
    printf (
        "%s, %u frames of %dx%d NV12\n"
        "in the element   %8.3f ms\n"
        "  letterbox      %8.3f\n  network        %8.3f\n  head           %8.3f\n"
        "  the rest       %8.3f\nminus inference  %8.3f ms, %.2f times a memcpy "
        "of the frame (%.3f ms)\n",
        device, n, WIDTH, HEIGHT, total_ms, pre, inference, post,
        more - pre - post, more, more / copy, copy);

  gst_structure_free (stats);
  g_free (device);
  for (i = 0; i < N_FRAMES; i++)
    gst_buffer_unref (frames[i]);
  gst_harness_teardown (harness);
  return 0;
}
