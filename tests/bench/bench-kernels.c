/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* bench-kernels [--batch N] [--precision fp16|bf16|fp32] [--only NAME]
 *
 * Measures each of our own CUDA kernels at the shapes of yolov10n at 640 × 640, without
 * a model: a CUDA graph of --repeats launches, one after another, each on other buffers
 * than the one before, so that a launch finds its weights in the L2 cache and not more of
 * its input than in a network. Prints one JSON object with microseconds a launch, by the
 * fastest and the median of --rounds runs of the graph. Contents do not matter, but for
 * the head, which gets logits of many sizes; with confidence 0 every anchor is a
 * candidate, with 0.25 few are. */

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <y10/error.h>

#include "kernelbench.h"

#include "kernels/attention.h"
#include "kernels/depthwise.h"
#include "kernels/epilogue.h"
#include "kernels/igemm.h"
#include "kernels/maxpool5.h"
#include "kernels/preprocess.h"
#include "kernels/upsample2x.h"

static gsize
element_size (const Bench *b)
{
  return b->type == Y10_K_F32 ? 4 : 2;
}

void *
bench_take (Bench *b, gsize size)
{
  CUdeviceptr at = (b->end + 255) / 256 * 256;

  b->end = at + size;
  return GSIZE_TO_POINTER (at);
}

/* A tensor of its own, for all images. */
static Y10KView
view (Bench *b, int height, int width, int channels, gsize size)
{
  Y10KView v = {
    .height = height,
    .width = width,
    .channels = channels,
    .pixel = channels,
    .image = (gint64) height * width * channels,
  };

  v.data = bench_take (b, (gsize) b->batch * v.image * size);
  return v;
}

static int
compare (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

/* Captures the launches; the graph runs once unmeasured. */
static gboolean
capture (Bench *b, const Case *c, CUgraphExec *exec, GError **error)
{
  const Y10CudaDriver *d = b->d;
  CUgraph graph = NULL;
  gboolean ok = CHECK (d->stream_begin_capture (b->stream,
                           Y10_CU_CAPTURE_THREAD_LOCAL),
      "capturing");

  for (gint i = 0; ok && i < b->repeats; i++)
    ok = y10_cuda_launch (&b->kernels, c->function, c->launch, b->stream,
        c->params[i % SETS], error);
  ok = ok && CHECK (d->stream_end_capture (b->stream, &graph), "capturing")
      && CHECK (d->graph_instantiate (exec, graph, 0), "a graph");
  if (graph)
    d->graph_destroy (graph);
  return ok && CHECK (d->graph_launch (*exec, b->stream), c->name)
      && CHECK (d->stream_synchronize (b->stream), c->name);
}

gboolean
bench_measure (Bench *b, const Case *c, GError **error)
{
  const Y10CudaDriver *d = b->d;
  g_autofree float *us = g_new0 (float, b->rounds);
  CUgraphExec exec = NULL;
  gboolean ok;

  ok = capture (b, c, &exec, error);
  for (gint i = 0; ok && i < b->rounds; i++) {
    float ms = 0;

    ok = CHECK (d->event_record (b->events[0], b->stream), "an event")
        && CHECK (d->graph_launch (exec, b->stream), c->name)
        && CHECK (d->event_record (b->events[1], b->stream), "an event")
        && CHECK (d->event_synchronize (b->events[1]), c->name)
        && CHECK (d->event_elapsed_time (&ms, b->events[0], b->events[1]),
            "timing");
    us[i] = ms * 1e3f / b->repeats;
  }
  if (exec)
    d->graph_exec_destroy (exec);
  if (!ok)
    return FALSE;
  qsort (us, b->rounds, sizeof *us, compare);
  printf ("%s\n  {\"kernel\":\"%s\",\"blocks\":%u,\"threads\":%u,"
          "\"us\":%.3f,\"median_us\":%.3f}",
      b->n_printed++ ? "," : "", c->name,
      c->launch.grid[0] * c->launch.grid[1] * c->launch.grid[2],
      c->launch.block[0] * c->launch.block[1] * c->launch.block[2], us[0],
      us[b->rounds / 2]);
  return TRUE;
}

gboolean
bench_begin (Bench *b, Case *c, CUfunction function, const char *format, ...)
{
  va_list args;

  memset (c, 0, sizeof *c);
  va_start (args, format);
  g_vsnprintf (c->name, sizeof c->name, format, args);
  va_end (args);
  c->function = function;
  b->end = b->memory;
  return !b->only || g_str_has_prefix (c->name, b->only);
}

static gboolean
depthwise (Bench *b, GError **error)
{
  static const struct
  {
    gint size, channels, kernel, stride;
    gboolean add, linear;
  } cases[] = {
    { 80, 64, 3, 1, 0, 0 },
    { 80, 80, 3, 1, 0, 0 },
    { 40, 128, 3, 1, 0, 0 },
    { 40, 80, 3, 1, 0, 0 },
    { 20, 256, 3, 1, 0, 0 },
    { 20, 80, 3, 1, 0, 0 },
    { 80, 128, 3, 2, 0, 1 },
    { 40, 256, 3, 2, 0, 1 },
    { 40, 128, 3, 2, 0, 1 },
    { 20, 128, 3, 1, 0, 0 },
    { 20, 256, 7, 1, 0, 0 },
    { 20, 128, 3, 1, 1, 0 },
  };
  const gsize size = element_size (b);
  Case c;

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    const gint out = cases[k].size / cases[k].stride, ch = cases[k].channels;

    if (!bench_begin (b, &c, b->kernels.depthwise[b->type],
            "depthwise %dx%d/%d %d at %d%s", cases[k].kernel, cases[k].kernel,
            cases[k].stride, ch, cases[k].size, cases[k].add ? " add" : ""))
      continue;
    for (guint i = 0; i < SETS; i++) {
      Y10KDepthwise p = {
        .in = view (b, cases[k].size, cases[k].size, ch, size),
        .out = view (b, out, out, ch, size),
        .images = b->batch,
        .weight = bench_take (b,
            (gsize) cases[k].kernel * cases[k].kernel * ch * size),
        .bias = bench_take (b, (gsize) ch * 4),
        .kernel = cases[k].kernel,
        .stride = cases[k].stride,
        .pad = cases[k].kernel / 2,
        .silu = !cases[k].linear,
      };

      if (cases[k].add)
        p.add = view (b, out, out, ch, size);
      c.launch = y10_depthwise_launch (&p);
      SET (&c, i, p);
    }
    if (!bench_measure (b, &c, error))
      return FALSE;
  }
  return TRUE;
}

/* Each tile at one shape: "conv 3x3/1 64 to 64 at 80, 64x32". Where the module has no
 * tensor cores, as in the simulator, there is none. */
static gboolean
tiles (Bench *b, gint side, gint in, gint out, gint kernel, gint stride,
    GError **error)
{
  const Y10CudaDriver *d = b->d;
  const gint out_side = side / stride;
  int major = 0, minor = 0;
  CUdevice id = 0;

  d->ctx_get_device (&id);
  y10_cuda_get_capability (d, id, &major, &minor);
  for (gint tile = 0; tile < Y10_N_IGEMM_TILES; tile++) {
    const Y10KIgemmTile t = y10_igemm_tile (tile);
    g_autofree char *name = g_strdup_printf ("y10_igemm_%s_%dx%d_k%d",
        b->type == Y10_K_F16        ? "f16"
            : b->type == Y10_K_BF16 ? "bf16"
                                    : "f32",
        t.rows, t.columns, kernel);
    const gsize size = element_size (b);
    CUfunction function;
    Case c;

    if (b->type == Y10_K_F32 && !y10_igemm_has_floats (tile))
      continue;
    if ((b->type != Y10_K_F16 && major < 8)
        || d->module_get_function (&function, b->kernels.module, name))
      return TRUE;
    if (!bench_begin (b, &c, function, "conv %dx%d/%d %d to %d at %d, %dx%d",
            kernel, kernel, stride, in, out, side, t.rows, t.columns))
      continue;
    for (guint i = 0; i < SETS; i++) {
      Y10KIgemm p = {
        .in = view (b, side, side, in, size),
        .out = view (b, out_side, out_side, out, size),
        .weight = bench_take (b, (gsize) kernel * kernel * in * out * size),
        .bias = bench_take (b, (gsize) out * 4),
        .stride = stride,
        .pad = kernel / 2,
        .silu = TRUE,
      };

      y10_igemm_prepare (&p, b->batch, kernel, (int) size);
      c.launch = y10_igemm_launch (&p, tile, major < 8 ? 2 : G_MAXINT);
      SET (&c, i, p);
    }
    if ((c.launch.shared_bytes > 49152
            && !CHECK (d->func_set_attribute (function,
                           Y10_CU_FUNC_MAX_DYNAMIC_SHARED,
                           (int) c.launch.shared_bytes),
                c.name))
        || !bench_measure (b, &c, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
convolutions (Bench *b, GError **error)
{
  static const gint cases[][5] = {
    { 640, 8, 16, 3, 2 },
    { 320, 16, 32, 3, 2 },
    { 160, 16, 16, 3, 1 },
    { 160, 48, 32, 1, 1 },
    { 160, 32, 64, 3, 2 },
    { 80, 32, 32, 3, 1 },
    { 80, 128, 64, 1, 1 },
    { 80, 64, 64, 3, 1 },
    { 40, 64, 64, 3, 1 },
    { 40, 256, 128, 1, 1 },
    { 40, 128, 64, 3, 1 },
    { 20, 256, 256, 1, 1 },
    { 20, 384, 256, 1, 1 },
    { 20, 128, 128, 3, 1 },
    { 20, 256, 64, 3, 1 },
    { 80, 80, 80, 1, 1 },
  };
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < G_N_ELEMENTS (cases); i++)
    ok = tiles (b, cases[i][0], cases[i][1], cases[i][2], cases[i][3],
        cases[i][4], error);
  return ok;
}

static gboolean
other_ops (Bench *b, GError **error)
{
  const gsize size = element_size (b);
  Case c;

  if (bench_begin (b, &c, b->kernels.attention[b->type],
          "attention 400, 2 heads")) {
    for (guint i = 0; i < SETS; i++) {
      Y10KAttention p = {
        .in = view (b, 20, 20, 256, size),
        .out = view (b, 20, 20, 128, size),
        .weight = bench_take (b, 9 * 128 * size),
        .bias = bench_take (b, 128 * 4),
        .heads = 2,
        .key_dim = 32,
        .head_dim = 64,
        .images = b->batch,
      };

      c.launch = y10_attention_launch (&p);
      SET (&c, i, p);
    }
    if (!bench_measure (b, &c, error))
      return FALSE;
  }
  if (bench_begin (b, &c, b->kernels.maxpool5[b->type], "maxpool5 128 at 20")) {
    for (guint i = 0; i < SETS; i++) {
      Y10KMaxPool5 p = {
        .in = view (b, 20, 20, 128, size),
        .n = 3,
        .images = b->batch,
      };

      for (gint k = 0; k < p.n; k++)
        p.out[k] = view (b, 20, 20, 128, size);
      c.launch = y10_maxpool5_launch (&p);
      SET (&c, i, p);
    }
    if (!bench_measure (b, &c, error))
      return FALSE;
  }
  for (gint k = 0; k < 2; k++) {
    const gint side = k ? 40 : 20, channels = k ? 128 : 256;

    if (!bench_begin (b, &c, b->kernels.upsample2x[b->type],
            "upsample2x %d at %d", channels, side))
      continue;
    for (guint i = 0; i < SETS; i++) {
      Y10KUpsample2x p = { view (b, side, side, channels, size),
        view (b, 2 * side, 2 * side, channels, size), b->batch };

      c.launch = y10_upsample2x_launch (&p);
      SET (&c, i, p);
    }
    if (!bench_measure (b, &c, error))
      return FALSE;
  }
  for (gint k = 0; k < 3; k++) {
    const gint side = 80 >> k;

    if (!bench_begin (b, &c, b->kernels.epilogue[b->type], "epilogue 64 at %d",
            side))
      continue;
    for (guint i = 0; i < SETS; i++) {
      Y10KEpilogue p = {
        .in = view (b, side, side, 64, size),
        .out = view (b, side, side, 64, size),
        .silu = TRUE,
        .images = b->batch,
      };

      c.launch = y10_epilogue_launch (&p);
      SET (&c, i, p);
    }
    if (!bench_measure (b, &c, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
bench_upload (Bench *b, const void *to, gconstpointer from, gsize size,
    GError **error)
{
  const Y10CudaDriver *d = b->d;

  return CHECK (d->memcpy_htod_async (GPOINTER_TO_SIZE (to), from, size,
                    b->stream),
             "copying")
      && CHECK (d->stream_synchronize (b->stream), "copying");
}

/* RGB frames of 1920 × 1080; the letterbox is 360 rows high. */
static gboolean
preprocess (Bench *b, GError **error)
{
  const gint height = SIZE * SOURCE_HEIGHT / SOURCE_WIDTH;
  g_autofree Y10KTap *taps = g_new0 (Y10KTap, SIZE);
  g_autofree Y10KPicture *pictures = g_new0 (Y10KPicture, b->batch);
  Y10KTap *taps_at;
  Case c;

  if (!bench_begin (b, &c, b->kernels.preprocess[b->type], "preprocess RGB"))
    return TRUE;
  for (gint i = 0; i < SIZE; i++)
    taps[i] = (Y10KTap){ { 3 * i, 3 * i + 1 }, { 1024, 1024 } };
  taps_at = bench_take (b, SIZE * sizeof *taps);
  if (!bench_upload (b, taps_at, taps, SIZE * sizeof *taps, error))
    return FALSE;
  for (guint i = 0; i < SETS; i++) {
    Y10KPreprocess p = {
      .out = view (b, SIZE, SIZE, 8, element_size (b)),
      .pictures = bench_take (b, b->batch * sizeof *pictures),
      .images = b->batch,
    };

    for (gint n = 0; n < b->batch; n++)
      pictures[n] = (Y10KPicture){
        .plane = { bench_take (b, (gsize) SOURCE_WIDTH * SOURCE_HEIGHT * 3) },
        .stride = { SOURCE_WIDTH * 3 },
        .sample_size = 1,
        .component = { { 0, 3, 0, 0, 0 }, { 0, 3, 1, 0, 0 },
            { 0, 3, 2, 0, 0 } },
        .column = taps_at,
        .row = taps_at,
        .top = (SIZE - height) / 2,
        .width = SIZE,
        .height = height,
      };
    if (!bench_upload (b, p.pictures, pictures, b->batch * sizeof *pictures,
            error))
      return FALSE;
    c.launch = y10_preprocess_launch (&p);
    SET (&c, i, p);
  }
  return bench_measure (b, &c, error);
}

/* Uses the first GPU's primary context. */
static gboolean
run (Bench *b, GError **error)
{
  GString *why = g_string_new (NULL);
  const Y10CudaDriver *d = b->d = y10_cuda_driver_get (why);
  /* The largest case by far are the frames. */
  const gsize bytes = (gsize) SETS * b->batch * (24 << 20) + (64 << 20);
  CUcontext context;
  CUdevice device;
  char name[128] = "";
  gboolean ok = d != NULL;

  if (!ok)
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_NO_BACKEND, why->str);
  g_string_free (why, TRUE);
  ok = ok && CHECK (d->device_get (&device, 0), "the GPU")
      && CHECK (d->device_get_name (name, sizeof name, device), "the GPU")
      && CHECK (d->primary_ctx_retain (&context, device), "a context")
      && CHECK (d->ctx_push (context), "a context")
      && y10_cuda_kernels_load (&b->kernels, d, error)
      && CHECK (d->stream_create (&b->stream, Y10_CU_STREAM_NON_BLOCKING, 0),
          "a stream")
      && CHECK (d->event_create (&b->events[0], 0), "an event")
      && CHECK (d->event_create (&b->events[1], 0), "an event")
      && CHECK (d->mem_alloc (&b->memory, bytes), "memory")
      && CHECK (d->memset_d8_async (b->memory, 0x2c, bytes, b->stream),
          "memory")
      && CHECK (d->stream_synchronize (b->stream), "memory");
  if (!ok)
    return FALSE;
  printf ("{\"device\":\"%s\",\"batch\":%d,\"precision\":\"%s\",\"repeats\":%d,"
          "\"kernels\":[",
      name, b->batch,
      b->type == Y10_K_F32       ? "fp32"
          : b->type == Y10_K_F16 ? "fp16"
                                 : "bf16",
      b->repeats);
  ok = preprocess (b, error) && depthwise (b, error) && convolutions (b, error)
      && other_ops (b, error) && bench_head (b, 0, error)
      && bench_head (b, 0.25f, error);
  printf ("\n]}\n");
  d->mem_free (b->memory);
  d->event_destroy (b->events[0]);
  d->event_destroy (b->events[1]);
  d->stream_destroy (b->stream);
  y10_cuda_kernels_unload (&b->kernels);
  d->ctx_pop (&context);
  d->primary_ctx_release (device);
  return ok;
}

int
main (int argc, char **argv)
{
  Bench b = { .batch = 1, .repeats = 20, .rounds = 30, .type = Y10_K_F16 };
  g_autofree char *precision = NULL, *only = NULL;
  int status = 1;
  const GOptionEntry entries[] = { { "batch", 'b', 0, G_OPTION_ARG_INT,
                                       &b.batch, "images a launch [1]", "N" },
    { "precision", 'p', 0, G_OPTION_ARG_STRING, &precision, "[fp16]", "P" },
    { "only", 0, 0, G_OPTION_ARG_STRING, &only, "kernels whose line begins so",
        "NAME" },
    { "repeats", 0, 0, G_OPTION_ARG_INT, &b.repeats, "launches in a graph [20]",
        "N" },
    { "rounds", 0, 0, G_OPTION_ARG_INT, &b.rounds, "runs of the graph [30]",
        "N" },
    { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  GError *error = NULL;

  setlocale (LC_ALL, "C.UTF-8");
  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error)) {
    b.only = only;
    if (precision)
      b.type = strcmp (precision, "fp32") == 0 ? Y10_K_F32
          : strcmp (precision, "bf16") == 0    ? Y10_K_BF16
                                               : Y10_K_F16;
    if (b.batch < 1 || b.batch > 64 || b.repeats < 1 || b.rounds < 1)
      fprintf (stderr,
          "bench-kernels: --batch 1 to 64, --repeats and --rounds "
          "from 1 on\n");
    else if (run (&b, &error))
      status = 0;
  }
  if (error) {
    fprintf (stderr, "bench-kernels: %s\n", error->message);
    g_error_free (error);
  }
  return status;
}
