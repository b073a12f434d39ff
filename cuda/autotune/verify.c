/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A trial of one convolution on synthetic data, while the network runs on other
 * streams: verifies that the result of a plan matches that of our own kernel. It
 * allocates enough sets of buffers, if they fit, for autotune/measure.c to measure
 * with a cold L2 cache. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "base/half.h"
#include "kernels/conv.h"
#include "autotune/verify.h"

/* A prime, so that the period of the noise is not a multiple of a map's width. */
#define N_NOISE 65537
#define MAX_SETS 64

Y10CudaTrial *
y10_cuda_trial_new (Y10Device *device, GError **error)
{
  const Y10CudaDriver *d = device->driver;
  Y10CudaTrial *t = g_new0 (Y10CudaTrial, 1);
  guint32 state = 1;
  int least = 0, greatest;

  t->device = device;
  t->noise = g_new (gfloat, N_NOISE);
  t->scratch = g_malloc (N_NOISE * sizeof (gfloat));
  for (guint i = 0; i < N_NOISE; i++) {
    state = state * 1664525u + 1013904223u;
    t->noise[i] = (gfloat) (gint32) state / 2147483648.0f;
  }
  if (d->device_get_attribute (&t->l2, Y10_CU_L2_CACHE_SIZE, device->id))
    t->l2 = 0;
  /* The lowest priority, so that the network takes precedence. */
  if (y10_cuda_check (d, d->ctx_get_priority_range (&least, &greatest),
          "the streams' priorities", error)
      && y10_cuda_check (d,
          d->stream_create (&t->stream, Y10_CU_STREAM_NON_BLOCKING, least),
          "a stream", error)
      && y10_cuda_check (d,
          d->event_create (&t->start, Y10_CU_EVENT_BLOCKING_SYNC), "an event",
          error)
      && y10_cuda_check (d,
          d->event_create (&t->end, Y10_CU_EVENT_BLOCKING_SYNC), "an event",
          error))
    return t;
  y10_cuda_trial_free (t);
  return NULL;
}

void
y10_cuda_trial_free (Y10CudaTrial *t)
{
  const Y10CudaDriver *d;

  if (!t)
    return;
  d = t->device->driver;
  if (t->stream)
    d->stream_synchronize (t->stream);
  if (t->memory)
    d->mem_free (t->memory);
  if (t->start)
    d->event_destroy (t->start);
  if (t->end)
    d->event_destroy (t->end);
  if (t->stream)
    d->stream_destroy (t->stream);
  g_free (t->noise);
  g_free (t->scratch);
  g_free (t->expected);
  g_free (t->got);
  g_free (t);
}

static gsize
align (gsize size)
{
  return (size + Y10_CUDA_ALIGN - 1) / Y10_CUDA_ALIGN * Y10_CUDA_ALIGN;
}

/* Offset of a view in its tensor, in bytes: not 0 if there is room, since most views
 * of the network do not begin at 0. */
static gsize
view_start (const Y10CudaConvView *v, gsize elem_size)
{
  return v->pixel >= v->channels + Y10_CUDA_BLOCK ? Y10_CUDA_BLOCK * elem_size
                                                  : 0;
}

static gsize
view_size (const Y10CudaTrial *t, const Y10CudaConvView *v, gsize elem_size)
{
  return v->channels ? align (view_start (v, elem_size)
             + (gsize) v->image * t->desc.images * elem_size)
                     : 0;
}

static gsize
weight_size (const Y10CudaConvDesc *desc, gsize elem_size)
{
  return (gsize) desc->out.channels * desc->kernel * desc->kernel
      * desc->in.channels * elem_size;
}

/* Lays out the memory: as many sets as exceed twice the L2 cache, limited by
 * MAX_SETS and by @most bytes. Returns FALSE if not even one set fits. */
static gboolean
lay_out (Y10CudaTrial *t, gsize workspace, gsize most)
{
  const Y10CudaConvDesc *desc = &t->desc;
  gsize others;

  t->in_at = 0;
  t->add_at = t->in_at + view_size (t, &desc->in, t->elem_size);
  t->weight_at = t->add_at + view_size (t, &desc->add, t->elem_size);
  t->out_at = t->weight_at + align (weight_size (desc, t->elem_size));
  t->set_size = t->out_at + view_size (t, &desc->out, t->out_elem_size);
  t->n_sets = (guint) CLAMP (2 * (gsize) t->l2 / t->set_size + 1, 2, MAX_SETS);

  others = align (desc->out.channels * sizeof (gfloat)) + align (workspace)
      + align ((gsize) desc->out.height * desc->out.width * desc->out.channels
          * desc->images * t->elem_size);
  while (t->n_sets > 1 && t->n_sets * t->set_size + others > most)
    t->n_sets--;
  t->bias_at = t->n_sets * t->set_size;
  t->workspace_at = t->bias_at + align (desc->out.channels * sizeof (gfloat));
  t->staging_at = t->workspace_at + align (workspace);
  t->size = t->bias_at + others;
  return t->size <= most;
}

gboolean
y10_cuda_trial_fill (Y10CudaTrial *t, CUdeviceptr to, gsize n, gfloat scale,
    Y10KType type, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  gsize elem_size = type == Y10_K_F32 ? 4 : 2;

  for (guint i = 0; i < N_NOISE; i++) {
    gfloat f = t->noise[i] * scale;
    guint16 h = type == Y10_K_F16 ? y10_half_from_float (f)
                                  : y10_bfloat_from_float (f);

    memcpy (t->scratch + i * elem_size,
        type == Y10_K_F32 ? (void *) &f : (void *) &h, elem_size);
  }
  for (gsize i = 0; i < n; i += N_NOISE)
    if (!y10_cuda_check (d,
            d->memcpy_htod_async (to + i * elem_size, t->scratch,
                MIN (n - i, N_NOISE) * elem_size, t->stream),
            "copying made-up numbers", error))
      return FALSE;
  /* The next call overwrites the scratch buffer. */
  return y10_cuda_check (d, d->stream_synchronize (t->stream),
      "copying made-up numbers", error);
}

static gboolean
fill_sets (Y10CudaTrial *t, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  const Y10CudaConvDesc *desc = &t->desc;
  gsize fan_in = (gsize) desc->kernel * desc->kernel * desc->in.channels;

  /* Gives sums a standard deviation of about 1, where SiLU is nonlinear. */
  if (!y10_cuda_trial_fill (t, t->memory + t->in_at,
          (t->add_at - t->in_at) / t->elem_size, 1, t->type, error)
      || !y10_cuda_trial_fill (t, t->memory + t->add_at,
          (t->weight_at - t->add_at) / t->elem_size, 1, t->type, error)
      || !y10_cuda_trial_fill (t, t->memory + t->weight_at,
          weight_size (desc, 1), 3 / sqrtf ((gfloat) fan_in), t->type, error)
      || !y10_cuda_trial_fill (t, t->memory + t->bias_at, desc->out.channels, 1,
          Y10_K_F32, error))
    return FALSE;
  for (guint i = 1; i < t->n_sets; i++)
    if (!y10_cuda_check (d,
            d->memcpy_dtod_async (t->memory + i * t->set_size, t->memory,
                t->out_at, t->stream),
            "copying made-up numbers", error))
      return FALSE;
  return TRUE;
}

CUdeviceptr
y10_cuda_trial_address (const Y10CudaTrial *t, guint set, gsize at,
    const Y10CudaConvView *v)
{
  return v->channels ? t->memory + set * t->set_size + at
          + view_start (v, at == t->out_at ? t->out_elem_size : t->elem_size)
                     : 0;
}

Y10KView
y10_cuda_trial_view (const Y10CudaTrial *t, guint set, gsize at,
    const Y10CudaConvView *v)
{
  if (!v->channels)
    return (Y10KView){ NULL };
  return (Y10KView){ GSIZE_TO_POINTER (y10_cuda_trial_address (t, set, at, v)),
    v->height, v->width, v->channels, (int) v->pixel, v->image };
}

static gsize
image_size (const Y10CudaTrial *t)
{
  return (gsize) t->desc.out.image * t->out_elem_size;
}

/* Copies the current output of the compared images to host memory. */
static gboolean
fetch (Y10CudaTrial *t, guint8 *to, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  CUdeviceptr out = y10_cuda_trial_address (t, 0, t->out_at, &t->desc.out);
  gsize size = image_size (t);

  for (guint i = 0; i < t->n_looked_at; i++)
    if (!y10_cuda_check (d,
            d->memcpy_dtoh_async (to + i * size, out + t->looked_at[i] * size,
                size, t->stream),
            "copying an output", error))
      return FALSE;
  return y10_cuda_check (d, d->stream_synchronize (t->stream),
      "running a convolution", error);
}

static gfloat
value (const Y10CudaTrial *t, const guint8 *data, gsize i)
{
  guint16 h;
  gfloat f;

  if (t->out_type == Y10_K_F32) {
    memcpy (&f, data + i * sizeof f, sizeof f);
    return f;
  }
  memcpy (&h, data + i * sizeof h, sizeof h);
  return t->type == Y10_K_F16 ? y10_half_to_float (h) : y10_bfloat_to_float (h);
}

/* Returns TRUE if element @i of an image is inside the view. */
static gboolean
is_inside (const Y10CudaConvView *v, gsize i)
{
  return i % (gsize) v->pixel < (gsize) v->channels
      && i / (gsize) v->pixel < (gsize) v->height * v->width;
}

gboolean
y10_cuda_trial_run_reference (Y10CudaTrial *t, GError **error)
{
  const Y10CudaKernels *kernels = &t->device->kernels;
  const Y10CudaConvDesc *desc = &t->desc;
  const gsize per_image = (gsize) desc->out.image;
  Y10KConv p = {
    .in = y10_cuda_trial_view (t, 0, t->in_at, &desc->in),
    .out = y10_cuda_trial_view (t, 0, t->out_at, &desc->out),
    .add = y10_cuda_trial_view (t, 0, t->add_at, &desc->add),
    .weight = GSIZE_TO_POINTER (t->memory + t->weight_at),
    .bias = GSIZE_TO_POINTER (t->memory + t->bias_at),
    .images = (int) desc->images,
    .out_float = desc->out_float,
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = desc->pad,
    .silu = desc->silu,
  };
  double sum = 0;
  gsize n = 0;

  if (!y10_cuda_launch (kernels, kernels->conv[t->type], y10_conv_launch (&p),
          t->stream, &p, error)
      || !fetch (t, t->expected, error))
    return FALSE;
  for (gsize i = 0; i < t->n_looked_at * per_image; i++)
    if (is_inside (&desc->out, i % per_image)) {
      double v = value (t, t->expected, i);

      sum += v * v;
      n++;
    }
  t->rms = sqrt (sum / (double) n);
  return TRUE;
}

/* Chooses the first image, the last, and one between them. */
static void
choose_images (Y10CudaTrial *t)
{
  guint n = t->desc.images;

  t->n_looked_at = MIN (n, Y10_TRIAL_MAX_IMAGES);
  t->looked_at[0] = 0;
  t->looked_at[1] = n > 2 ? n / 2 : n - 1;
  t->looked_at[2] = n - 1;
  t->expected = g_realloc (t->expected, t->n_looked_at * image_size (t));
  t->got = g_realloc (t->got, t->n_looked_at * image_size (t));
}

gboolean
y10_cuda_trial_begin (Y10CudaTrial *t, const Y10CudaConvDesc *desc,
    gsize workspace, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  gsize available = 0, total;

  t->desc = *desc;
  t->type = y10_cuda_type (desc->precision);
  t->out_type = desc->out_float ? Y10_K_F32 : t->type;
  t->elem_size = t->type == Y10_K_F32 ? 4 : 2;
  t->out_elem_size = t->out_type == Y10_K_F32 ? 4 : 2;
  if (!y10_cuda_check (d, d->mem_get_info (&available, &total),
          "asking for free memory", error))
    return FALSE;
  if (!lay_out (t, workspace, MAX (available / 4, t->memory_size))) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
        "trying a "
        "convolution takes %" G_GSIZE_FORMAT " bytes; %zu are free",
        t->size, available);
    return FALSE;
  }
  if (t->size > t->memory_size) {
    if (t->memory)
      d->mem_free (t->memory);
    t->memory = t->memory_size = 0;
    if (!y10_cuda_check (d, d->mem_alloc (&t->memory, t->size),
            "memory to try convolutions", error))
      return FALSE;
    t->memory_size = t->size;
  }
  choose_images (t);
  return fill_sets (t, error) && y10_cuda_trial_run_reference (t, error);
}

/* The tolerance for rounding, relative to a value and to the outputs' root mean
 * square. fp16 and bf16: one unit in the last place (2^-10, 2^-7), as much again
 * for the GPU's approximate exponential, and the sum doubled. TF32: factors have 11
 * significant bits, and the errors of hundreds of products add up randomly: five
 * standard deviations. fp32: thousands of additions in another order. The errors of
 * a wrong plan are as large as the values. */
static double
allowed (Y10Precision precision)
{
  switch (precision) {
    case Y10_PRECISION_FP16:
      return 1.0 / 256;
    case Y10_PRECISION_BF16:
      return 1.0 / 32;
    case Y10_PRECISION_TF32:
      return 1.0 / 128;
    default:
      return 1.0 / 8192;
  }
}

static gboolean
compare (const Y10CudaTrial *t, double *difference, GError **error)
{
  const Y10CudaConvView *out = &t->desc.out;
  const gsize per_image = (gsize) out->image;
  const double limit = allowed (t->desc.precision);
  double worst = 0;
  guint8 untouched[4];

  memset (untouched, 0xff, sizeof untouched);
  for (gsize i = 0; i < t->n_looked_at * per_image; i++)
    if (is_inside (out, i % per_image)) {
      double e = value (t, t->expected, i);
      double d = fabs (value (t, t->got, i) - e)
          / (limit * (fabs (e) + t->rms));

      if (!(d <= worst)) /* NaN, an unwritten output, is the worst */
        worst = isnan (d) ? INFINITY : d;
    } else if (memcmp (t->got + i * t->out_elem_size, untouched,
                   t->out_elem_size)) {
      worst = INFINITY;
    }
  *difference = worst;
  if (worst <= 1)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND,
      "its output differs from "
      "that of our own kernel by %.3g times the tolerance",
      worst);
  return FALSE;
}

gboolean
y10_cuda_trial_clear (Y10CudaTrial *t, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;

  return y10_cuda_check (d,
      d->memset_d8_async (t->memory + t->out_at, 0xff, t->set_size - t->out_at,
          t->stream),
      "clearing an output", error);
}

gboolean
y10_cuda_trial_compare (Y10CudaTrial *t, double *difference, GError **error)
{
  return fetch (t, t->got, error) && compare (t, difference, error);
}

gboolean
y10_cuda_trial_verify (Y10CudaTrial *t, Y10CudaConvPlan *plan,
    double *difference, GError **error)
{
  const Y10CudaConvDesc *desc = &t->desc;

  *difference = 0;
  return y10_cuda_trial_clear (t, error)
      && y10_cuda_conv_plan_run (plan, t->stream,
          y10_cuda_trial_address (t, 0, t->in_at, &desc->in),
          t->memory + t->weight_at, t->memory + t->bias_at,
          y10_cuda_trial_address (t, 0, t->add_at, &desc->add),
          y10_cuda_trial_address (t, 0, t->out_at, &desc->out),
          t->memory + t->workspace_at, error)
      && y10_cuda_trial_compare (t, difference, error);
}
