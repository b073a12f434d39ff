/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Measures the cpu backend's time from a frame to the network's input, for each
 * format, in milliseconds and as a ratio to a memcpy of the 1080p NV12 frame in
 * the same run: the ratio compares between machines. Frames rotate, so that
 * none is still in the first caches. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu/preprocess.h"
#include "core/image.h"

#define N_FRAMES 4
#define MAX_RUNS 1000

typedef struct
{
  guint8 *memory[N_FRAMES];
  gsize size;
  Y10Image image[N_FRAMES];
} Frames;

static gint n_threads = 1;
static gint input_size = 640;
static gdouble seconds = 0.2;
static gboolean as_json = FALSE;
static char *frame_size = NULL;

static const GOptionEntry entries[] = {
  { "threads", 't', 0, G_OPTION_ARG_INT, &n_threads, "Threads (1)", "N" },
  { "input", 'i', 0, G_OPTION_ARG_INT, &input_size,
      "Size of the network's input (640)", "N" },
  { "frame", 'f', 0, G_OPTION_ARG_STRING, &frame_size,
      "Size of the frames (1920x1080)", "WxH" },
  { "seconds", 's', 0, G_OPTION_ARG_DOUBLE, &seconds,
      "Time for each format (0.2)", "S" },
  { "json", 'j', 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL }, { NULL }
};

static gpointer
alloc_aligned (gsize size)
{
  gpointer p = aligned_alloc (64, (size + 63) / 64 * 64);

  if (p == NULL)
    g_error ("no memory for %" G_GSIZE_FORMAT " bytes", size);
  memset (p, 0, size);
  return p;
}

static void
frames_init (Frames *f, Y10PixelFormat format, guint width, guint height)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (format);
  gsize offset[4] = { 0 }, stride[4] = { 0 };
  guint32 seed = 1;

  f->size = 0;
  for (guint p = 0; p < info->n_planes; p++) {
    guint rows = height;

    for (guint c = 0; c < 3; c++) {
      const Y10Component *comp = &info->component[c];

      if (comp->plane == p) {
        stride[p] = MAX (stride[p],
            (gsize) ((width - 1) >> comp->xshift) * comp->step + comp->step);
        rows = (height + (1 << comp->yshift) - 1) >> comp->yshift;
      }
    }
    stride[p] = (stride[p] + 63) / 64 * 64;
    offset[p] = f->size;
    f->size += stride[p] * rows;
  }

  for (guint i = 0; i < N_FRAMES; i++) {
    f->memory[i] = alloc_aligned (f->size);
    for (gsize j = 0; j < f->size; j++)
      f->memory[i][j] = (seed = seed * 1664525 + 1013904223) >> 24;
    f->image[i] = (Y10Image){
      .size = sizeof (Y10Image),
      .format = format,
      .matrix = Y10_MATRIX_BT709,
      .width = width,
      .height = height,
    };
    for (guint p = 0; p < info->n_planes; p++) {
      f->image[i].plane[p] = f->memory[i] + offset[p];
      f->image[i].stride[p] = stride[p];
    }
  }
}

static void
frames_clear (Frames *f)
{
  for (guint i = 0; i < N_FRAMES; i++)
    free (f->memory[i]);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

static gint64
now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

typedef struct
{
  const Frames *frames;
  const Y10Letterbox *letterbox; /* NULL: memcpy */
  Y10ThreadPool *team;
  gpointer scratch, out;
} Run;

static void
run_once (const Run *r, guint frame)
{
  const Frames *f = r->frames;

  if (r->letterbox != NULL)
    y10_cpu_preprocess (&f->image[frame], r->letterbox, r->team, r->scratch,
        r->out);
  else
    memcpy (r->out, f->memory[frame], f->size);
}

static gdouble
median_ms (const Run *r, gdouble *least)
{
  gdouble ms[MAX_RUNS];
  gint64 start = now_ns ();
  guint n = 0;

  for (guint i = 0; i < N_FRAMES; i++)
    run_once (r, i);
  do {
    gint64 t = now_ns ();

    run_once (r, n % N_FRAMES);
    ms[n++] = (now_ns () - t) / 1e6;
  } while (n < MAX_RUNS && (n < 5 || now_ns () - start < seconds * 1e9));
  qsort (ms, n, sizeof (ms[0]), compare);
  *least = ms[0];
  return ms[n / 2];
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- letterbox of each format");
  GError *error = NULL;
  guint width = 1920, height = 1080;
  Y10Letterbox letterbox;
  Y10ThreadPool *team;
  Frames nv12;
  Run copy;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  if (frame_size != NULL
      && sscanf (frame_size, "%ux%u", &width, &height) != 2) {
    g_printerr ("--frame is \"%s\", expected WxH\n", frame_size);
    return 1;
  }
  if (width < 1 || width > Y10_MAX_IMAGE_SIZE || height < 1
      || height > Y10_MAX_IMAGE_SIZE || n_threads < 1 || n_threads > 256
      || input_size < 1 || input_size > 8192) {
    g_printerr ("--frame, --input or --threads out of range\n");
    return 1;
  }

  team = y10_threadpool_new (n_threads, &error);
  if (team == NULL) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  y10_letterbox_init (&letterbox, width, height, input_size, input_size);
  frames_init (&nv12, Y10_PIXEL_NV12, 1920, 1080);
  copy = (Run){ .frames = &nv12, .out = alloc_aligned (nv12.size) };

  if (!as_json)
    g_print ("%ux%u to %dx%d, %d thread%s, %s\n%-10s %8s %8s %8s %8s\n", width,
        height, input_size, input_size, n_threads, n_threads == 1 ? "" : "s",
        y10_cpu_preprocess_impl (), "format", "ms", "least", "memcpy", "ratio");
  for (guint i = 0; i < Y10_PIXEL_TENSOR; i++) {
    Frames frames;
    Run run = { .frames = &frames, .letterbox = &letterbox, .team = team };
    gdouble ms, least, copy_ms, copy_least;

    frames_init (&frames, i, width, height);
    run.scratch = alloc_aligned (
        y10_cpu_preprocess_scratch (input_size, n_threads));
    run.out = alloc_aligned (
        (gsize) 3 * input_size * input_size * sizeof (gfloat));
    copy_ms = median_ms (&copy, &copy_least);
    ms = median_ms (&run, &least);
    if (as_json)
      g_print (
          "{\"bench\": \"letterbox\", \"format\": \"%s\", \"width\": %u, "
          "\"height\": %u, \"input\": %d, \"threads\": %d, \"impl\": \"%s\", "
          "\"median_ms\": %.4f, \"min_ms\": %.4f, \"memcpy_1080p_nv12_ms\": %.4f, "
          "\"ratio\": %.3f}\n",
          y10_pixel_format_get_name (i), width, height, input_size, n_threads,
          y10_cpu_preprocess_impl (), ms, least, copy_ms, ms / copy_ms);
    else
      g_print ("%-10s %8.3f %8.3f %8.3f %8.2f\n", y10_pixel_format_get_name (i),
          ms, least, copy_ms, ms / copy_ms);
    frames_clear (&frames);
    free (run.scratch);
    free (run.out);
  }

  y10_threadpool_free (team);
  frames_clear (&nv12);
  free (copy.out);
  g_option_context_free (context);
  g_free (frame_size);
  return 0;
}
