/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs a case on a backend and on the reference and compares every float of
 * every tensor. Before the run it fills the outputs with NaN and everything
 * else with seeded values: the inputs, and the guards before, between and
 * behind the views. These values must still be there afterwards. A second run
 * must give the same bits. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checkop.h"
#include "base/clock.h"
#include "seeded.h"
#include "tensors.h"

/* Largest |difference| over the RMS of the expected values, and normalised mean
 * square error. Pools and upsampling move values and must not change a bit.
 *
 * fp32: sums of up to 5760 products in any order at a few 1e-7, and Winograd's
 * F(2x2, 3x3) and F(4x4, 3x3) over up to 512 channels at 2e-6 and 3e-6; the largest
 * of many is 10 times that.
 * bf16: the result is rounded to 8 bits (2^-9 of a value of up to 5 RMS), sums
 * stay in fp32; twice, where convolution and SiLU are two kernels of a GPU, which
 * is a whole unit of a value of 4 RMS. Attention rounds its probabilities as well
 * and sums them. fp16 has three bits more; half a unit of a value of 10 RMS is
 * 0.004.
 * int8: where nothing is stored in 8 bits, those of fp32, or of bf16 with AMX, whose
 * floats these are; else see compare_bytes(). */
static const struct
{
  Y10Precision precision;
  Y10OpKind kind;
  double largest, nmse;
} tolerances[] = {
  { Y10_PRECISION_FP32, Y10_OP_CONV, 5e-5, 2e-11 },
  { Y10_PRECISION_FP32, Y10_OP_ATTENTION, 2e-5, 1e-11 },
  { Y10_PRECISION_FP32, Y10_OP_MAXPOOL5, 0, 0 },
  { Y10_PRECISION_FP32, Y10_OP_UPSAMPLE2X, 0, 0 },
  { Y10_PRECISION_FP16, Y10_OP_CONV, 0.006, 5e-7 },
  { Y10_PRECISION_FP16, Y10_OP_ATTENTION, 0.012, 2e-6 },
  { Y10_PRECISION_FP16, Y10_OP_MAXPOOL5, 0, 0 },
  { Y10_PRECISION_FP16, Y10_OP_UPSAMPLE2X, 0, 0 },
  { Y10_PRECISION_BF16, Y10_OP_CONV, 0.04, 1.5e-5 },
  { Y10_PRECISION_BF16, Y10_OP_ATTENTION, 0.06, 5e-5 },
  { Y10_PRECISION_BF16, Y10_OP_MAXPOOL5, 0, 0 },
  { Y10_PRECISION_BF16, Y10_OP_UPSAMPLE2X, 0, 0 },
};

void
result_fail (Result *result, const char *format, ...)
{
  va_list args;

  result->ok = FALSE;
  if (result->why)
    return; /* the first difference is the most telling */
  va_start (args, format);
  result->why = g_strdup_vprintf (format, args);
  va_end (args);
}

/* All tensors of a case for all images. */
typedef struct
{
  guint n;
  float **values; /* [image × n_tensors + tensor] */
} Values;

static Y10View
whole (const Y10Graph *graph, guint tensor)
{
  return (Y10View){ tensor, 0, graph->tensors[tensor].n_segs };
}

static gsize
seg_size (const Y10Graph *graph, guint tensor, guint seg)
{
  const Y10Tensor *t = &graph->tensors[tensor];

  return (gsize) t->seg_channels[seg] * t->height * t->width;
}

static gsize
tensor_size (const Y10Graph *graph, guint tensor)
{
  gsize size = 0;

  for (guint i = 0; i < graph->tensors[tensor].n_segs; i++)
    size += seg_size (graph, tensor, i);
  return size;
}

static gboolean
contains (Y10View view, guint tensor, guint seg)
{
  return view.n && view.tensor == tensor && seg >= view.first
      && seg < view.first + view.n;
}

/* A tensor that no op touches has no storage in the arena. */
static gboolean
is_used (const CaseGraph *g, guint tensor)
{
  for (guint i = 0; i < g->n_ops; i++) {
    const Y10Op *op = &g->graph->ops[i];

    if (op->in.tensor == tensor || op->out.tensor == tensor
        || (op->add.n && op->add.tensor == tensor))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_written (const CaseGraph *g, guint tensor, guint seg)
{
  for (guint i = 0; i < g->n_ops; i++)
    if (contains (g->graph->ops[i].out, tensor, seg))
      return TRUE;
  return FALSE;
}

static gboolean
is_read (const CaseGraph *g, guint tensor, guint seg)
{
  for (guint i = 0; i < g->n_ops; i++)
    if (contains (g->graph->ops[i].add, tensor, seg)
        || (contains (g->graph->ops[i].in, tensor, seg) && i == 0))
      return TRUE;
  return FALSE;
}

static void
values_init (Values *v, const CaseGraph *g, guint batch)
{
  v->n = batch * g->n_tensors;
  v->values = g_new0 (float *, v->n);
  for (guint i = 0; i < v->n; i++)
    v->values[i] = g_new0 (float, tensor_size (g->graph, i % g->n_tensors));
}

static void
values_clear (Values *v)
{
  for (guint i = 0; i < v->n; i++)
    g_free (v->values[i]);
  g_free (v->values);
}

/* One of 256 values that @channel can have, for @value in [-1, 1). */
static float
byte_value (const Y10Tensor *t, guint channel, float value)
{
  return (floorf ((value + 1) * 128) - t->zero[channel]) * t->scale[channel];
}

static void
values_seed (Values *v, const CaseGraph *g, guint64 seed,
    Y10Precision precision)
{
  float scale = g->graph->ops[0].kind == Y10_OP_ATTENTION ? 3.f : 1.f;

  for (guint i = 0; i < v->n; i++) {
    guint tensor = i % g->n_tensors;
    float *p = v->values[i];
    char name[32];

    g_snprintf (name, sizeof name, "values %u", i);
    y10_seeded_fill (name, seed, tensor_size (g->graph, tensor), p);
    for (guint s = 0, channel = 0; s < g->graph->tensors[tensor].n_segs; s++) {
      const Y10Tensor *t = &g->graph->tensors[tensor];
      gsize n = seg_size (g->graph, tensor, s);
      gboolean fill = is_written (g, tensor, s) && !is_read (g, tensor, s);

      for (gsize j = 0; j < n; j++, p++) {
        *p *= scale;
        *p = t->scale ? byte_value (t, channel + j / (t->height * t->width), *p)
            : t->role == Y10_ROLE_INPUT && precision == Y10_PRECISION_INT8
            ? rintf (*p * 255) / 255 /* of a picture */
            : case_rounded (precision, *p);
        if (fill)
          *p = NAN;
      }
      channel += t->seg_channels[s];
    }
  }
}

static gboolean
run_once (const Instance *instance, const CaseGraph *g, guint batch,
    const Values *before, Values *after, GError **error)
{
  const Y10BackendClass *class = instance->runner->class;

  for (guint i = 0; i < before->n; i++)
    if (is_used (g, i % g->n_tensors)
        && !class->write_tensor (instance->slot, i / g->n_tensors,
            whole (g->graph, i % g->n_tensors), before->values[i], error))
      return FALSE;
  if (!class->submit (instance->slot, batch, 0, g->n_ops, error)
      || (class->wait && !class->wait (instance->slot, error)))
    return FALSE;
  for (guint i = 0; i < after->n; i++)
    if (is_used (g, i % g->n_tensors)
        && !class->read_tensor (instance->slot, i / g->n_tensors,
            whole (g->graph, i % g->n_tensors), after->values[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
same_bits (const float *a, const float *b, gsize n)
{
  return memcmp (a, b, n * sizeof *a) == 0;
}

typedef struct
{
  double largest, sum2, expected2;
  gsize n, where;
  float got, wanted;
} Sums;

static gboolean
add_differences (Sums *sums, const float *got, const float *wanted, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    double d = fabs ((double) got[i] - wanted[i]);

    if (!isfinite (got[i]) || !isfinite (wanted[i])) {
      sums->where = i;
      sums->got = got[i];
      sums->wanted = wanted[i];
      return FALSE;
    }
    sums->sum2 += d * d;
    sums->expected2 += (double) wanted[i] * wanted[i];
    if (d > sums->largest) {
      sums->largest = d;
      sums->where = i;
      sums->got = got[i];
      sums->wanted = wanted[i];
    }
  }
  sums->n += n;
  return TRUE;
}

/* The outputs of an op that has to do with 8 bits. Sums of integers are exact on every
 * instruction set, and scales are powers of two: without SiLU nothing may differ, nor what
 * pools and upsampling move. With SiLU, and where floats are multiplied, the result is within
 * 2e-4 of the reference's (SiLU to 1e-4 of a value, twice), which is 0.013 of a unit of 8
 * bits: so few are rounded to the next unit, and none further. Logits with SiLU, which no
 * network has, are floats. */
static void
compare_bytes (const CaseGraph *g, const Values *got, const Values *wanted,
    Result *result)
{
  const Y10Op *op = &g->graph->ops[0];
  const Y10Tensor *t = &g->graph->tensors[op->out.tensor];
  const gboolean exact = op->kind != Y10_OP_CONV
      || (op->quantized && op->act == Y10_ACT_NONE);
  const gsize pixels = (gsize) t->height * t->width;
  gsize n = 0, n_off = 0;

  for (guint i = op->out.tensor; i < got->n; i += g->n_tensors)
    for (guint s = 0, channel = 0; s < t->n_segs;
         channel += t->seg_channels[s++])
      for (gsize j = 0;
           is_written (g, op->out.tensor, s) && j < t->seg_channels[s] * pixels;
           j++) {
        gsize at = channel * pixels + j;
        double unit = t->scale ? t->scale[at / pixels] : 1;
        double d = fabs ((double) got->values[i][at] - wanted->values[i][at])
            / unit;

        n++;
        n_off += d != 0;
        result->largest = MAX (result->largest, d);
        if (!(d <= (exact ? 0 : t->scale ? 1 : 2e-3)))
          result_fail (result,
              "image %u, element %" G_GSIZE_FORMAT " is %g, expected "
              "%g%s",
              i / g->n_tensors, at, got->values[i][at], wanted->values[i][at],
              exact ? " exactly" : "");
      }
  result->nmse = n_off / (double) n;
  if (t->scale && n_off > 1 + n / 100)
    result_fail (result,
        "%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " elements differ "
        "by a unit of 8 bits",
        n_off, n);
}

static void
compare_values (const CaseGraph *g, const Runner *runner, const Values *before,
    const Values *got, const Values *wanted, Result *result)
{
  Y10OpKind kind = g->graph->ops[0].kind;
  Y10Precision precision = runner->precision != Y10_PRECISION_INT8
      ? runner->precision
      : runner->layout.elem_size == 2 ? Y10_PRECISION_BF16
                                      : Y10_PRECISION_FP32;
  Sums sums = { 0 };
  double rms;

  for (guint i = 0; i < got->n; i++) {
    guint tensor = i % g->n_tensors;
    gsize at = 0;

    for (guint s = 0;
         is_used (g, tensor) && s < g->graph->tensors[tensor].n_segs; s++) {
      gsize n = seg_size (g->graph, tensor, s);

      if (!is_written (g, tensor, s)) {
        if (!same_bits (got->values[i] + at, before->values[i] + at, n))
          result_fail (result,
              "image %u: segment %u of tensor %u was "
              "overwritten",
              i / g->n_tensors, s, tensor);
      } else if (!add_differences (&sums, got->values[i] + at,
                     wanted->values[i] + at, n)) {
        result_fail (result,
            "image %u, segment %u of tensor %u: element %" G_GSIZE_FORMAT
            " is %g, expected %g",
            i / g->n_tensors, s, tensor, sums.where, sums.got, sums.wanted);
        return;
      }
      at += n;
    }
  }
  if (g->graph->quantized) {
    compare_bytes (g, got, wanted, result);
    return;
  }
  rms = sqrt (sums.expected2 / (double) MAX (sums.n, 1)) + 1e-30;
  result->largest = sums.largest / rms;
  result->nmse = sums.sum2 / (sums.expected2 + 1e-30);
  for (guint i = 0; i < G_N_ELEMENTS (tolerances); i++)
    if (tolerances[i].kind == kind && tolerances[i].precision == precision) {
      if (!(result->largest <= tolerances[i].largest)
          || !(result->nmse <= tolerances[i].nmse))
        result_fail (result,
            "element %" G_GSIZE_FORMAT " is %g, expected %g: "
            "%.3g of the RMS, NMSE %.3g; tolerance %.3g and %.3g",
            sums.where, sums.got, sums.wanted, result->largest, result->nmse,
            tolerances[i].largest, tolerances[i].nmse);
      return;
    }
  result_fail (result, "no tolerance for %s in %s", y10_op_kind_get_name (kind),
      y10_precision_get_name (runner->precision));
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
bench (const Instance *instance, const CaseGraph *g, const Options *options,
    Result *result)
{
  const Y10BackendClass *class = instance->runner->class;
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  gint64 start = y10_clock_ns (), now = start;

  for (guint i = 0; i < g->n_ops; i++) {
    const Y10Op *op = &g->graph->ops[i];

    result->flops += (double) y10_graph_op_flops (g->graph, op);
    result->bytes += instance->runner->layout.elem_size
        * (double) (tensor_size (g->graph, op->in.tensor)
            + tensor_size (g->graph, op->out.tensor));
  }
  /* The first quarter of the runs is the warm-up. */
  while ((double) (now - start) < 1e9 * options->seconds || times->len < 5) {
    gint64 before = y10_clock_ns ();
    double ns;

    if (!class->submit (instance->slot, 1, 0, g->n_ops, NULL)
        || (class->wait && !class->wait (instance->slot, NULL)))
      break;
    now = y10_clock_ns ();
    ns = (double) (now - before);
    if ((double) (now - start) > 0.25e9 * options->seconds)
      g_array_append_val (times, ns);
  }
  g_array_sort (times, compare_doubles);
  if (times->len) {
    const double *t = (const double *) (gpointer) times->data;

    result->ns = t[times->len / 2];
    result->spread = (t[times->len * 9 / 10] - t[times->len / 10]) / result->ns;
  }
}

void
run_op_case (const Case *c, const Runner *runner, const Runner *reference,
    const Options *options, Result *result)
{
  CaseGraph *g = case_graph_new (&c->op, options->seed, runner->precision);
  guint batch = c->op.batch;
  Instance tested = { 0 }, truth = { 0 };
  Values before, got, again, wanted;
  GString *why = g_string_new (NULL);
  GError *error = NULL;

  result->ok = TRUE;
  values_init (&before, g, batch);
  values_init (&got, g, batch);
  values_init (&again, g, batch);
  values_init (&wanted, g, batch);
  values_seed (&before, g, options->seed, runner->precision);
  if (!runner->class->supports (runner->device, g->graph, &g->graph->ops[0],
          runner->precision, why)) {
    result->skipped = TRUE;
    result->why = g_strdup (why->len ? why->str : "not supported");
    goto done;
  }
  if (!instance_init (&tested, runner, g->graph, batch, 1, &error)
      || !instance_init (&truth, reference, g->graph, batch, 1, &error)
      || !run_once (&truth, g, batch, &before, &wanted, &error)
      || !run_once (&tested, g, batch, &before, &got, &error)
      || !run_once (&tested, g, batch, &before, &again, &error)) {
    result_fail (result, "%s", error ? error->message : "no reason given");
    goto done;
  }
  g_strlcpy (result->impl, runner->class->impl (tested.program, 0),
      sizeof result->impl);
  compare_values (g, runner, &before, &got, &wanted, result);
  for (guint i = 0; i < got.n; i++)
    if (!same_bits (got.values[i], again.values[i],
            tensor_size (g->graph, i % g->n_tensors)))
      result_fail (result, "two runs gave different bits");
  if (options->bench && result->ok)
    bench (&tested, g, options, result);
done:
  g_clear_error (&error);
  g_string_free (why, TRUE);
  instance_clear (&tested);
  instance_clear (&truth);
  values_clear (&before);
  values_clear (&got);
  values_clear (&again);
  values_clear (&wanted);
  case_graph_free (g);
}
