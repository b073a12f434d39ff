/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Converts a model to 8-bit integers: observes the range of every channel while
 * the cpu backend runs pictures op by op in fp32, chooses what is stored in 8 bits,
 * and writes the weights as integers. The file is described in
 * weights/quantized.h. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <y10/quantize.h>

#include "model/model.h"
#include "run/engine.h"
#include "run/stepops.h"
#include "weights/weights.h"

/* Each channel's range is widened to a power of its own and that of the widest of
 * its segment. Scales of their own for the channels would let the weights of
 * channels with large scales take all of the integers' range. A channel that the
 * pictures leave silent has at least a part of the widest. */
#define WIDEN 0.5
#define MIN_PART (1. / 64)
#define MIN_RANGE 1e-6
#define MAX_WEIGHT 127
/* The output of this module has values of 100 where most are below 3. It stays in
 * floats, and with it what reads it: integers there alone cost as much accuracy as
 * everywhere else together. */
#define FLOAT_LAYER 1

/* Of one channel. */
typedef struct
{
  gfloat low, high;
} Range;

struct _Y10Quantizer
{
  Y10Engine *engine;
  const Y10Graph *graph;   /* the engine's */
  Range **ranges;          /* of each channel of each tensor */
  gfloat *values, *others; /* as large as the largest tensor */
  guint n_images;
};

static guint
n_channels (const Y10Graph *graph, guint tensor)
{
  return y10_graph_view_channels (graph,
      (Y10View){ tensor, 0, graph->tensors[tensor].n_segs });
}

static guint
first_channel (const Y10Graph *graph, Y10View v)
{
  return y10_graph_view_channels (graph, (Y10View){ v.tensor, 0, v.first });
}

/**
 * y10_quantizer_new:
 * @model: a model whose weights are floats
 * @threads: number of threads, or 0 for one per core
 * @error: return location for a #GError, or %NULL
 *
 * Prepares the conversion of @model, for its input size and head.
 *
 * Returns: (transfer full): a quantizer, or %NULL with %Y10_ERROR_MODEL if
 *   @model has integers already, or with an error of y10_engine_new()
 *
 * Since: 0.2
 */
Y10Quantizer *
y10_quantizer_new (Y10Model *model, guint threads, GError **error)
{
  Y10Quantizer *q;
  Y10EngineConfig config;
  Y10Engine *engine;
  gsize most = 0;

  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_CPU;
  config.precision = Y10_PRECISION_FP32;
  config.threads = threads;
  engine = y10_engine_new (model, &config, NULL, error);
  if (!engine)
    return NULL;
  if (engine->graph->quantized) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s has quantized weights; expected floats",
        y10_model_get_path (model));
    y10_engine_unref (engine);
    return NULL;
  }
  q = g_new0 (Y10Quantizer, 1);
  q->engine = engine;
  q->graph = engine->graph;
  q->ranges = g_new (Range *, q->graph->n_tensors);
  for (guint i = 0; i < q->graph->n_tensors; i++) {
    const Y10Tensor *t = &q->graph->tensors[i];
    guint n = n_channels (q->graph, i);

    q->ranges[i] = g_new0 (Range, n);
    most = MAX (most, (gsize) n * t->height * t->width);
  }
  q->values = g_new (gfloat, most);
  q->others = g_new (gfloat, most);
  return q;
}

/**
 * y10_quantizer_free:
 * @quantizer: (transfer full) (nullable): a quantizer
 *
 * Since: 0.2
 */
void
y10_quantizer_free (Y10Quantizer *q)
{
  if (!q)
    return;
  for (guint i = 0; i < q->graph->n_tensors; i++)
    g_free (q->ranges[i]);
  g_free (q->ranges);
  g_free (q->values);
  g_free (q->others);
  y10_engine_unref (q->engine);
  g_free (q);
}

/**
 * y10_quantizer_get_engine:
 * @quantizer: a quantizer
 *
 * Returns: (transfer none): the engine that runs the pictures in fp32
 *
 * Since: 0.2
 */
Y10Engine *
y10_quantizer_get_engine (const Y10Quantizer *q)
{
  return q->engine;
}

static gboolean
begin (Y10Engine *engine, const Y10Image *image, Y10Step *step, GError **error)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  if (!y10_step_begin (engine, 0, step, error))
    return FALSE;
  if (y10_step_add (step, image, &params, error))
    return TRUE;
  y10_step_end (step);
  return FALSE;
}

static gboolean
run_op (const Y10Step *step, guint k, gfloat *values, GError **error)
{
  return y10_step_run (step, k, k + 1, error)
      && y10_step_read_tensor (step, 0, step->engine->graph->ops[k].out, values,
          error);
}

static gboolean
observe (Y10Quantizer *q, const Y10Op *op, GError **error)
{
  const Y10Tensor *t = &q->graph->tensors[op->out.tensor];
  Range *range = q->ranges[op->out.tensor] + first_channel (q->graph, op->out);
  guint n = y10_graph_view_channels (q->graph, op->out);
  gsize pixels = (gsize) t->height * t->width;
  const gfloat *p = q->values;

  for (guint c = 0; c < n; c++)
    for (gsize i = 0; i < pixels; i++, p++) {
      if (!isfinite (*p)) {
        g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
            "%s: the output of \"%s\" holds %g; expected finite numbers",
            y10_model_get_path (q->engine->model), op->name, (double) *p);
        return FALSE;
      }
      range[c].low = MIN (range[c].low, *p);
      range[c].high = MAX (range[c].high, *p);
    }
  return TRUE;
}

/**
 * y10_quantizer_add:
 * @quantizer: a quantizer
 * @image: a picture like those that the model will see
 * @error: return location for a #GError, or %NULL
 *
 * Runs the model on @image and widens the ranges of its activations. Use at least 20
 * pictures: with 4 the integers are less than half as accurate.
 *
 * Returns: %FALSE with an error of y10_step_add(), a device error, or
 *   %Y10_ERROR_MODEL if an activation is no finite number
 *
 * Since: 0.2
 */
gboolean
y10_quantizer_add (Y10Quantizer *q, const Y10Image *image, GError **error)
{
  Y10Step step;
  gboolean ok = TRUE;

  if (!begin (q->engine, image, &step, error))
    return FALSE;
  for (guint k = 0; ok && k < q->graph->n_ops; k++)
    ok = run_op (&step, k, q->values, error)
        && observe (q, &q->graph->ops[k], error);
  y10_step_end (&step);
  q->n_images += ok;
  return ok;
}

/**
 * y10_quantizer_compare:
 * @quantizer: a quantizer
 * @engine: an engine of the file that y10_quantizer_save() wrote
 * @image: a picture
 * @signal: (inout): one value for each op of y10_engine_get_op(); the squares of the
 *   op's outputs in fp32 are added to it
 * @noise: (inout): the squares of the differences are added to it
 * @error: return location for a #GError, or %NULL
 *
 * Runs both networks op by op on @image and compares the outputs of all ops. Set
 * @signal and @noise to 0 before the first picture.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT if @engine has another network
 *   or input size, or a device error
 *
 * Since: 0.2
 */
gboolean
y10_quantizer_compare (Y10Quantizer *q, Y10Engine *engine,
    const Y10Image *image, double *signal, double *noise, GError **error)
{
  Y10Step step, other;
  gboolean ok = TRUE;

  if (engine->graph->n_ops != q->graph->n_ops
      || engine->graph->width != q->graph->width
      || engine->graph->height != q->graph->height) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the engine has %u ops and an input of %ux%u; expected %u and %ux%u",
        engine->graph->n_ops, engine->graph->width, engine->graph->height,
        q->graph->n_ops, q->graph->width, q->graph->height);
    return FALSE;
  }
  if (!begin (q->engine, image, &step, error))
    return FALSE;
  if (!begin (engine, image, &other, error)) {
    y10_step_end (&step);
    return FALSE;
  }
  for (guint k = 0; ok && k < q->graph->n_ops; k++) {
    const Y10View out = q->graph->ops[k].out;
    const Y10Tensor *t = &q->graph->tensors[out.tensor];
    gsize n = (gsize) y10_graph_view_channels (q->graph, out) * t->height
        * t->width;

    ok = run_op (&step, k, q->values, error)
        && run_op (&other, k, q->others, error);
    for (gsize i = 0; ok && i < n; i++) {
      double x = q->values[i], d = q->others[i] - x;

      signal[k + 1] += x * x;
      noise[k + 1] += d * d;
    }
  }
  y10_step_end (&step);
  y10_step_end (&other);
  return ok;
}

/* Which tensors are stored in 8 bits: all that convolutions read, except those of
 * attention; and both sides of ops that move or add values, or none. */
static gboolean *
choose_tensors (const Y10Graph *graph)
{
  gboolean *chosen = g_new0 (gboolean, graph->n_tensors), changed = TRUE;

  for (guint k = 0; k < graph->n_ops; k++)
    if (graph->ops[k].kind == Y10_OP_CONV)
      chosen[graph->ops[k].in.tensor] = TRUE;
  for (guint k = 0; k < graph->n_ops; k++)
    if (graph->ops[k].kind == Y10_OP_ATTENTION)
      chosen[graph->ops[k].in.tensor] = chosen[graph->ops[k].out.tensor] =
          FALSE;
  for (guint i = 0; i < graph->n_tensors; i++)
    chosen[i] &= graph->tensors[i].role == Y10_ROLE_ACTIVATION;
  if (graph->n_layers > FLOAT_LAYER)
    chosen[graph->layer[FLOAT_LAYER].tensor] = FALSE;
  while (changed) {
    changed = FALSE;
    for (guint k = 0; k < graph->n_ops; k++) {
      const Y10Op *op = &graph->ops[k];
      const Y10View other = op->kind == Y10_OP_MAXPOOL5
              || op->kind == Y10_OP_UPSAMPLE2X
          ? op->in
          : op->add;

      if (other.n && chosen[other.tensor] != chosen[op->out.tensor]) {
        chosen[other.tensor] = chosen[op->out.tensor] = FALSE;
        changed = TRUE;
      }
    }
  }
  return chosen;
}

/* Pools and upsampling need equal ranges on both sides. */
static void
join_ranges (const Y10Quantizer *q)
{
  gboolean changed = TRUE;

  while (changed) {
    changed = FALSE;
    for (guint k = 0; k < q->graph->n_ops; k++) {
      const Y10Op *op = &q->graph->ops[k];
      Range *a = q->ranges[op->in.tensor] + first_channel (q->graph, op->in);
      Range *b = q->ranges[op->out.tensor] + first_channel (q->graph, op->out);
      guint n = y10_graph_view_channels (q->graph, op->out);

      if (op->kind != Y10_OP_MAXPOOL5 && op->kind != Y10_OP_UPSAMPLE2X)
        continue;
      for (guint c = 0; c < n; c++) {
        const Range both = { MIN (a[c].low, b[c].low),
          MAX (a[c].high, b[c].high) };

        changed |= memcmp (&a[c], &both, sizeof both)
            || memcmp (&b[c], &both, sizeof both);
        a[c] = b[c] = both;
      }
    }
  }
}

/* The scales and zero points of the channels of a segment. */
static void
choose_scales (const Range *range, guint n, gfloat *scale, guint8 *zero)
{
  double widest = MIN_RANGE;

  for (guint c = 0; c < n; c++)
    widest = MAX (widest, (double) range[c].high - range[c].low);
  for (guint c = 0; c < n; c++) {
    double low = range[c].low, high = range[c].high;
    double own = MAX (high - low, MIN_RANGE);
    double factor = pow (widest / own, 1 - WIDEN);

    low *= factor;
    high = MAX (high * factor, low + widest * MIN_PART);
    scale[c] = (gfloat) ((high - low) / 255);
    zero[c] = (guint8) CLAMP (rint (-low / scale[c]), 0, 255);
  }
}

static void
add_tensor (Y10TensorChanges *changes, const char *prefix, const char *what,
    const char *dtype, const guint *dim, guint n_dims, gpointer data)
{
  Y10NewTensor t = {
    .name = g_strdup_printf ("%s.%s", prefix, what),
    .dtype = dtype,
    .n_dims = n_dims,
    .data = data,
    .size = dtype[0] == 'F' ? 4 : 1,
  };

  for (guint i = 0; i < n_dims; i++) {
    t.dim[i] = dim[i];
    t.size *= dim[i];
  }
  g_array_append_val (changes->add, t);
}

static gboolean
add_weights (const Y10Graph *graph, const Y10Op *op, const char *prefix,
    const gfloat *input_scale, Y10TensorChanges *changes, GError **error)
{
  const Y10ConvShape *s = y10_weights_get_shape (graph->weights, op->conv);
  guint taps = s->kernel * s->kernel, row = s->in_channels * taps;
  guint dim[4] = { s->out_channels, s->in_channels, s->kernel, s->kernel };
  gsize n = (gsize) s->out_channels * row;
  g_autofree gfloat *weight = g_new (gfloat, n);
  gfloat *bias = g_new (gfloat, s->out_channels);
  gfloat *scale = g_new (gfloat, s->out_channels);
  gint8 *integers = g_new (gint8, n);

  add_tensor (changes, prefix, "weight", "I8", dim, 4, integers);
  add_tensor (changes, prefix, "weight_scale", "F32", dim, 1, scale);
  add_tensor (changes, prefix, "bias", "F32", dim, 1, bias);
  if (!y10_weights_fetch (graph->weights, op->conv, weight, bias, error))
    return FALSE;
  for (guint o = 0; o < s->out_channels; o++) {
    gfloat *w = weight + (gsize) o * row;
    gfloat most = 0;

    for (guint i = 0; i < row; i++) {
      w[i] *= input_scale[i / taps];
      most = MAX (most, fabsf (w[i]));
    }
    scale[o] = MAX (most / MAX_WEIGHT, 1e-12f);
    for (guint i = 0; i < row; i++)
      integers[(gsize) o * row + i] = (gint8) CLAMP (rintf (w[i] / scale[o]),
          -MAX_WEIGHT, MAX_WEIGHT);
  }
  y10_weights_list_names (graph->weights, op->conv, changes->drop);
  return TRUE;
}

static gboolean
add_op (const Y10Quantizer *q, const Y10Op *op, Y10TensorChanges *changes,
    GError **error)
{
  const Y10Graph *graph = q->graph;
  const Y10Tensor *t = &graph->tensors[op->in.tensor];
  guint n = y10_graph_view_channels (graph, op->in), at = 0;
  const Range *range = q->ranges[op->in.tensor] + first_channel (graph, op->in);
  g_autofree char *prefix = NULL;
  gfloat *scale;
  guint8 *zero;

  prefix = y10_weights_get_prefix (graph->weights, op->conv);
  scale = g_new (gfloat, n);
  zero = g_new (guint8, n);
  for (guint i = op->in.first; i < op->in.first + op->in.n; i++) {
    choose_scales (range + at, t->seg_channels[i], scale + at, zero + at);
    at += t->seg_channels[i];
  }
  add_tensor (changes, prefix, "input_scale", "F32", &n, 1, scale);
  add_tensor (changes, prefix, "input_zero_point", "U8", &n, 1, zero);
  return op->groups > 1
      || add_weights (graph, op, prefix, scale, changes, error);
}

/**
 * y10_quantizer_save:
 * @quantizer: a quantizer that has seen pictures
 * @path: the file to create or replace
 * @error: return location for a #GError, or %NULL
 *
 * Writes a safetensors file with the weights of most convolutions as integers, and
 * the scales of the activations that they read. The other tensors keep their data
 * types. An engine of it runs in any precision; in %Y10_PRECISION_INT8 it uses
 * the integers.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT if there was no picture, or with
 *   an error of y10_model_save()
 *
 * Since: 0.2
 */
gboolean
y10_quantizer_save (Y10Quantizer *q, const char *path, GError **error)
{
  g_autofree gboolean *chosen = NULL;
  Y10TensorChanges changes;
  gboolean ok = TRUE;

  if (!q->n_images) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "no picture was added; the ranges of the activations depend on "
        "pictures");
    return FALSE;
  }
  y10_tensor_changes_init (&changes);
  join_ranges (q);
  chosen = choose_tensors (q->graph);
  for (guint k = 0; ok && k < q->graph->n_ops; k++) {
    const Y10Op *op = &q->graph->ops[k];

    if (op->kind == Y10_OP_CONV && chosen[op->in.tensor])
      ok = add_op (q, op, &changes, error);
  }
  ok = ok && y10_model_save_changed (q->engine->model, &changes, path, error);
  y10_tensor_changes_clear (&changes);
  return ok;
}
