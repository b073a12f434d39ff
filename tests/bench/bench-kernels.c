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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <y10/error.h>

#include "driver/launch.h"
#include "kernels/attention.h"
#include "kernels/depthwise.h"
#include "kernels/epilogue.h"
#include "kernels/head.h"
#include "kernels/igemm.h"
#include "kernels/maxpool5.h"
#include "kernels/preprocess.h"
#include "kernels/upsample2x.h"

#define SETS 4 /* of buffers */
#define SIZE 640
#define SOURCE_WIDTH 1920
#define SOURCE_HEIGHT 1080
#define MAX_PARAMS 512 /* bytes of a kernel's parameters */

typedef struct
{
  const Y10CudaDriver *d;
  Y10CudaKernels kernels;
  CUstream stream;
  CUevent events[2];
  Y10KType type;
  gint batch, repeats, rounds;
  const char *only;
  guint n_printed;
  CUdeviceptr memory, end; /* one allocation, of which the case takes parts */
} Bench;

/* A case: a kernel and SETS parameters that differ in their buffers. */
typedef struct
{
  char name[64];
  CUfunction function;
  Y10KLaunch launch;
  guint8 params[SETS][MAX_PARAMS] __attribute__ ((aligned (16)));
} Case;

static gsize
element_size (const Bench *b)
{
  return b->type == Y10_K_F32 ? 4 : 2;
}

static void *
take (Bench *b, gsize size)
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

  v.data = take (b, (gsize) b->batch * v.image * size);
  return v;
}

static int
compare (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

#define CHECK(call, what) y10_cuda_check (d, call, what, error)

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

static gboolean
measure (Bench *b, const Case *c, GError **error)
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

/* Starts a case: its buffers may take the place of the last one's. Returns whether it
 * is wanted. */
static gboolean
begin (Bench *b, Case *c, CUfunction function, const char *format, ...)
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

#define SET(c, i, p) \
  G_STMT_START \
  { \
    G_STATIC_ASSERT (sizeof (p) <= MAX_PARAMS); \
    memcpy ((c)->params[i], &(p), sizeof (p)); \
  } \
  G_STMT_END

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

    if (!begin (b, &c, b->kernels.depthwise[b->type],
            "depthwise %dx%d/%d %d at %d%s", cases[k].kernel, cases[k].kernel,
            cases[k].stride, ch, cases[k].size, cases[k].add ? " add" : ""))
      continue;
    for (guint i = 0; i < SETS; i++) {
      Y10KDepthwise p = {
        .in = view (b, cases[k].size, cases[k].size, ch, size),
        .out = view (b, out, out, ch, size),
        .images = b->batch,
        .weight = take (b,
            (gsize) cases[k].kernel * cases[k].kernel * ch * size),
        .bias = take (b, (gsize) ch * 4),
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
    if (!measure (b, &c, error))
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
    if (!begin (b, &c, function, "conv %dx%d/%d %d to %d at %d, %dx%d", kernel,
            kernel, stride, in, out, side, t.rows, t.columns))
      continue;
    for (guint i = 0; i < SETS; i++) {
      Y10KIgemm p = {
        .in = view (b, side, side, in, size),
        .out = view (b, out_side, out_side, out, size),
        .weight = take (b, (gsize) kernel * kernel * in * out * size),
        .bias = take (b, (gsize) out * 4),
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
        || !measure (b, &c, error))
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

  if (begin (b, &c, b->kernels.attention[b->type], "attention 400, 2 heads")) {
    for (guint i = 0; i < SETS; i++) {
      Y10KAttention p = {
        .in = view (b, 20, 20, 256, size),
        .out = view (b, 20, 20, 128, size),
        .weight = take (b, 9 * 128 * size),
        .bias = take (b, 128 * 4),
        .heads = 2,
        .key_dim = 32,
        .head_dim = 64,
        .images = b->batch,
      };

      c.launch = y10_attention_launch (&p);
      SET (&c, i, p);
    }
    if (!measure (b, &c, error))
      return FALSE;
  }
  if (begin (b, &c, b->kernels.maxpool5[b->type], "maxpool5 128 at 20")) {
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
    if (!measure (b, &c, error))
      return FALSE;
  }
  for (gint k = 0; k < 2; k++) {
    const gint side = k ? 40 : 20, channels = k ? 128 : 256;

    if (!begin (b, &c, b->kernels.upsample2x[b->type], "upsample2x %d at %d",
            channels, side))
      continue;
    for (guint i = 0; i < SETS; i++) {
      Y10KUpsample2x p = { view (b, side, side, channels, size),
        view (b, 2 * side, 2 * side, channels, size), b->batch };

      c.launch = y10_upsample2x_launch (&p);
      SET (&c, i, p);
    }
    if (!measure (b, &c, error))
      return FALSE;
  }
  for (gint k = 0; k < 3; k++) {
    const gint side = 80 >> k;

    if (!begin (b, &c, b->kernels.epilogue[b->type], "epilogue 64 at %d", side))
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
    if (!measure (b, &c, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
upload (Bench *b, const void *to, gconstpointer from, gsize size,
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

  if (!begin (b, &c, b->kernels.preprocess[b->type], "preprocess RGB"))
    return TRUE;
  for (gint i = 0; i < SIZE; i++)
    taps[i] = (Y10KTap){ { 3 * i, 3 * i + 1 }, { 1024, 1024 } };
  taps_at = take (b, SIZE * sizeof *taps);
  if (!upload (b, taps_at, taps, SIZE * sizeof *taps, error))
    return FALSE;
  for (guint i = 0; i < SETS; i++) {
    Y10KPreprocess p = {
      .out = view (b, SIZE, SIZE, 8, element_size (b)),
      .pictures = take (b, b->batch * sizeof *pictures),
      .images = b->batch,
    };

    for (gint n = 0; n < b->batch; n++)
      pictures[n] = (Y10KPicture){
        .plane = { take (b, (gsize) SOURCE_WIDTH * SOURCE_HEIGHT * 3) },
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
    if (!upload (b, p.pictures, pictures, b->batch * sizeof *pictures, error))
      return FALSE;
    c.launch = y10_preprocess_launch (&p);
    SET (&c, i, p);
  }
  return measure (b, &c, error);
}

#define POOL (1 << 20)

/* Roughly normal. */
static float *
make_noise (void)
{
  GRand *rand = g_rand_new_with_seed (1);
  float *pool = g_new (float, POOL);

  for (gsize i = 0; i < POOL; i++) {
    pool[i] = 0;
    for (gint k = 0; k < 4; k++)
      pool[i] += (float) g_rand_double_range (rand, -1, 1);
  }
  g_rand_free (rand);
  return pool;
}

/* All images' logits of a kind at one level, from all over the pool. */
static const float *
fill_logits (Bench *b, const float *pool, gsize n, float scale, float offset,
    GError **error)
{
  static guint at;
  g_autofree float *values = g_new (float, n);
  float *to = take (b, n * 4);

  for (gsize i = 0; i < n; i++)
    values[i] = scale * pool[at++ % POOL] + offset;
  at += 12345;
  return upload (b, to, values, n * 4, error) ? to : NULL;
}

static gboolean
fill_levels (Bench *b, Y10KHead *p, const float *pool, GError **error)
{
  guint anchors = 0;

  for (gint l = 0; l < 3; l++) {
    const gint side = 80 >> l;
    const gsize pixels = (gsize) side * side * b->batch;

    p->level[l] = (Y10KLevel){
      .cls = fill_logits (b, pool, pixels * 80, 1.5f, -9, error),
      .cls_pixel = 80,
      .box_pixel = 64,
      .cls_image = (gint64) side * side * 80,
      .box_image = (gint64) side * side * 64,
      .height = side,
      .width = side,
      .stride = 8 << l,
      .first_anchor = anchors,
    };
    anchors += (guint) (side * side);
    if (p->level[l].cls)
      p->level[l].box = fill_logits (b, pool, pixels * 64, 1, 0, error);
    if (!p->level[l].box)
      return FALSE;
  }
  p->n_anchors = (int) anchors;
  return TRUE;
}

static gboolean
head (Bench *b, float confidence, GError **error)
{
  const Y10CudaDriver *d = b->d;
  g_autofree float *pool = make_noise ();
  g_autofree Y10KHeadParams *params = g_new0 (Y10KHeadParams, b->batch);
  Case scan, select;
  gboolean wanted, ok = TRUE;

  for (gint n = 0; n < b->batch; n++)
    params[n] = (Y10KHeadParams){
      .floor = confidence > 0 ? logf (confidence / (1 - confidence)) - 1e-3f
                              : -INFINITY,
      .confidence = confidence,
      .iou = 0.7f,
      .max_rows = 300,
      .all_classes = TRUE,
      .scale = 1.0 / 3,
      .top = 140,
      .src_width = SOURCE_WIDTH,
      .src_height = SOURCE_HEIGHT,
    };
  wanted = begin (b, &scan, b->kernels.head_scan, "head_scan");
  wanted |= begin (b, &select, b->kernels.head_select,
      "head_select confidence %g", confidence);
  for (guint i = 0; wanted && ok && i < SETS; i++) {
    Y10KHead p = {
      .n_levels = 3,
      .n_classes = 80,
      .n_bins = 16,
      .images = b->batch,
      .capacity = 300,
      .params = take (b, b->batch * sizeof *params),
      .classes = take (b, (gsize) b->batch * 80),
      .rows = take (b, (gsize) b->batch * 300 * sizeof (Y10KRow)),
      .counts = take (b, (gsize) b->batch * 4),
    };

    ok = fill_levels (b, &p, pool, error)
        && upload (b, p.params, params, b->batch * sizeof *params, error);
    p.scratch = take (b, y10_head_scratch_bytes (&p));
    scan.launch = y10_head_scan_launch (&p);
    select.launch = y10_head_select_launch (&p);
    SET (&scan, i, p);
    SET (&select, i, p);
    /* What head_select reads, even if only that is measured. */
    ok = ok
        && y10_cuda_launch (&b->kernels, scan.function, scan.launch, b->stream,
            scan.params[i], error)
        && CHECK (d->stream_synchronize (b->stream), "head_scan");
  }
  if (ok && wanted && confidence == 0)
    ok = measure (b, &scan, error);
  return ok && (!wanted || measure (b, &select, error));
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
      && other_ops (b, error) && head (b, 0, error) && head (b, 0.25f, error);
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
  GOptionContext *context = g_option_context_new (NULL);
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
  g_option_context_free (context);
  return status;
}
