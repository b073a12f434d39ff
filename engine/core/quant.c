/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which tensors are stored in 8 bits: those whose scales one of their
 * readers has in the file. All that read or write such a tensor use these scales,
 * so they must agree, and ops that only move values must have the same ones on
 * both sides. */

#include "config.h"

#include <string.h>

#include "core/graph.h"

/* Sums of more products of a u8 and an s8 may not fit into 32 bits. */
#define MAX_PRODUCTS 65793

static guint
first_channel (const Y10Tensor *t, guint seg)
{
  guint channels = 0;

  for (guint i = 0; i < seg; i++)
    channels += t->seg_channels[i];
  return channels;
}

const gfloat *
y10_graph_view_scale (const Y10Graph *graph, Y10View v, const guint8 **zero)
{
  const Y10Tensor *t = &graph->tensors[v.tensor];
  guint first = first_channel (t, v.first);

  if (!v.n || !t->scale)
    return NULL;
  if (zero)
    *zero = t->zero + first;
  return t->scale + first;
}

/* Sets the scales of the channels that @op reads. */
static gboolean
read_input (Y10Graph *graph, const Y10Op *op, const char *path, GError **error)
{
  Y10Tensor *t = &graph->tensors[op->in.tensor];
  guint n = y10_graph_view_channels (graph, op->in);
  guint first = first_channel (t, op->in.first);
  guint all = first_channel (t, t->n_segs);
  g_autofree gfloat *scale = g_new (gfloat, n);
  g_autofree guint8 *zero = g_new (guint8, n);

  if (!y10_weights_fetch_input_scale (graph->weights, op->conv, scale, zero,
          error))
    return FALSE;
  if (t->role != Y10_ROLE_ACTIVATION) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s: \"%s\" has an input_scale; expected none, because it reads the "
        "picture",
        path, op->name);
    return FALSE;
  }
  if (!t->scale) {
    t->scale = g_new0 (gfloat, all);
    t->zero = g_new0 (guint8, all);
  }
  for (guint i = 0; i < n; i++) {
    gfloat *s = &t->scale[first + i];
    guint8 *z = &t->zero[first + i];

    if (*s != 0 && (*s != scale[i] || *z != zero[i])) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
          "%s: input channel %u of \"%s\" has the scale %g and the zero point "
          "%u; expected %g and %u, as for another convolution that reads it",
          path, i, op->name, (double) scale[i], zero[i], (double) *s, *z);
      return FALSE;
    }
    *s = scale[i];
    *z = zero[i];
  }
  return TRUE;
}

static gboolean
same_scales (const Y10Graph *graph, Y10View a, Y10View b)
{
  const guint8 *zero_a, *zero_b;
  const gfloat *scale_a = y10_graph_view_scale (graph, a, &zero_a);
  const gfloat *scale_b = y10_graph_view_scale (graph, b, &zero_b);
  guint n = y10_graph_view_channels (graph, a);

  if (!scale_a || !scale_b)
    return scale_a == scale_b;
  return n == y10_graph_view_channels (graph, b)
      && !memcmp (scale_a, scale_b, n * sizeof *scale_a)
      && !memcmp (zero_a, zero_b, n);
}

static const char *
find_fault (const Y10Graph *graph, const Y10Op *op)
{
  const gboolean in = y10_graph_view_scale (graph, op->in, NULL) != NULL;
  const gboolean out = y10_graph_view_scale (graph, op->out, NULL) != NULL;

  switch (op->kind) {
    case Y10_OP_CONV:
      if (op->add.n
          && (y10_graph_view_scale (graph, op->add, NULL) != NULL) != out)
        return "what it adds and its output are stored in the same way";
      if (op->quantized
          && y10_graph_view_channels (graph, op->in) * op->kernel * op->kernel
              > MAX_PRODUCTS)
        return "at most 65793 products for an output";
      break;
    case Y10_OP_MAXPOOL5:
    case Y10_OP_UPSAMPLE2X:
      if (!same_scales (graph, op->in, op->out))
        return "the same scales and zero points of its input and output";
      break;
    case Y10_OP_ATTENTION:
      if (in || out)
        return "no scales of its input and output";
      break;
  }
  return NULL;
}

gboolean
y10_graph_read_scales (Y10Graph *graph, const char *path, GError **error)
{
  for (guint i = 0; i < graph->n_ops; i++) {
    Y10Op *op = &graph->ops[i];

    if (op->kind != Y10_OP_CONV)
      continue;
    if (y10_weights_has_input_scale (graph->weights, op->conv)
        && !read_input (graph, op, path, error))
      return FALSE;
    op->quantized = y10_weights_is_quantized (graph->weights, op->conv);
    graph->quantized |= op->quantized;
  }
  for (guint i = 0; i < graph->n_tensors; i++) {
    const Y10Tensor *t = &graph->tensors[i];
    guint n = t->scale ? first_channel (t, t->n_segs) : 0;

    for (guint c = 0; c < n; c++)
      if (t->scale[c] == 0) {
        g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
            "%s: only some of the %u × %u pixels × %u channels of a tensor have "
            "an input_scale; expected one for all, because they are stored "
            "together",
            path, t->height, t->width, n);
        return FALSE;
      }
  }
  for (guint i = 0; i < graph->n_ops; i++) {
    const char *expected = find_fault (graph, &graph->ops[i]);

    if (expected) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
          "%s: the scales around \"%s\" do not fit; expected %s", path,
          graph->ops[i].name, expected);
      return FALSE;
    }
  }
  return TRUE;
}
