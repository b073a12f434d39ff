/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The convolutions of a network. In a checkpoint they are plain (weight and
 * bias), as trained (weight and BatchNorm), already folded, or a RepVGGDW of
 * two branches; a fetch always returns one weight and one bias. Folding uses
 * double precision and handles one convolution at a time, when a backend
 * fetches it. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "base/half.h"
#include "weights/quantized.h"

/* Set by ultralytics; PyTorch's default is 1e-5. */
#define BATCH_NORM_EPS 1e-3

/* A convolution of the checkpoint with its BatchNorm, if any. */
typedef struct
{
  const Y10TensorEntry *weight;
  const Y10TensorEntry *bias;                      /* nullable */
  const Y10TensorEntry *gamma, *beta, *mean, *var; /* NULL if folded */
} Branch;

typedef struct
{
  Y10ConvShape shape;
  Branch main;
  Branch small; /* RepVGGDW: the 3x3 branch beside the 7x7 */
  Y10Quantized quantized;
} Conv;

struct _Y10Weights
{
  const Y10TensorFile *file;
  const char *network; /* in messages */
  GArray *convs;
};

static void
conv_clear (gpointer p)
{
  g_free (((Conv *) p)->shape.name);
}

Y10Weights *
y10_weights_new (const Y10TensorFile *file)
{
  Y10Weights *weights = g_new0 (Y10Weights, 1);

  weights->file = y10_tensor_file_ref ((Y10TensorFile *) file);
  weights->network = "known network";
  weights->convs = g_array_new (FALSE, TRUE, sizeof (Conv));
  g_array_set_clear_func (weights->convs, conv_clear);
  return weights;
}

void
y10_weights_set_network (Y10Weights *weights, const char *title)
{
  weights->network = title;
}

void
y10_weights_free (Y10Weights *weights)
{
  if (!weights)
    return;
  g_array_unref (weights->convs);
  y10_tensor_file_unref ((Y10TensorFile *) weights->file);
  g_free (weights);
}

G_GNUC_PRINTF (2, 3)
static const Y10TensorEntry *
find (const Y10Weights *weights, const char *format, ...)
{
  g_autofree char *name = NULL;
  va_list args;

  va_start (args, format);
  name = g_strdup_vprintf (format, args);
  va_end (args);
  return y10_tensor_file_find (weights->file, name);
}

gboolean
y10_weights_has (const Y10Weights *weights, const char *module)
{
  return find (weights, "%s.conv.weight", module)
      || find (weights, "%s.conv.conv.weight", module)
      || find (weights, "%s.weight", module);
}

static char *
format_shape (const gsize *dim, guint n)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, i ? ", " : "", dim[i]);
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

static gboolean
check_float (const Y10Weights *weights, const Y10TensorEntry *t, GError **error)
{
  if (t->dtype < Y10_DTYPE_I8)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
      "%s: tensor \"%s\" has dtype %s; expected F64, F32, F16 or BF16",
      y10_tensor_file_get_path (weights->file), t->name, t->dtype_name);
  return FALSE;
}

static gboolean
check_vector (const Y10Weights *weights, const Y10TensorEntry *t, gsize n,
    GError **error)
{
  g_autofree char *found = NULL;

  if (t->n_dims == 1 && t->dim[0] == n)
    return check_float (weights, t, error);
  found = format_shape (t->dim, t->n_dims);
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
      "%s: tensor \"%s\" has shape %s; expected [%" G_GSIZE_FORMAT "]",
      y10_tensor_file_get_path (weights->file), t->name, found, n);
  return FALSE;
}

/* @conv: the name before ".weight"; @bn: (nullable): prefix of the
 * BatchNorm. */
static gboolean
find_branch (const Y10Weights *weights, const char *conv, const char *bn,
    Branch *branch, GError **error)
{
  const Y10TensorEntry *w = find (weights, "%s.weight", conv);
  const struct
  {
    const char *name;
    const Y10TensorEntry **entry;
  } norm[] = { { "weight", &branch->gamma }, { "bias", &branch->beta },
    { "running_mean", &branch->mean }, { "running_var", &branch->var } };

  if (!w) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s is not a %s: tensor \"%s.weight\" is missing",
        y10_tensor_file_get_path (weights->file), weights->network, conv);
    return FALSE;
  }
  if (w->n_dims != 4 || !w->n_elements || w->dim[2] != w->dim[3]
      || !(w->dim[2] & 1) || w->dim[2] > 7 || w->dim[0] > 65536
      || w->dim[1] > 65536) {
    g_autofree char *found = format_shape (w->dim, w->n_dims);
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s: tensor \"%s\" has shape %s; expected [out, in, k, k] with k of "
        "1, 3, 5 or 7",
        y10_tensor_file_get_path (weights->file), w->name, found);
    return FALSE;
  }
  if (w->dtype != Y10_DTYPE_I8 && !check_float (weights, w, error))
    return FALSE;
  branch->weight = w;
  branch->bias = find (weights, "%s.bias", conv);
  if (branch->bias && !check_vector (weights, branch->bias, w->dim[0], error))
    return FALSE;
  if (!bn || !find (weights, "%s.weight", bn)) {
    if (branch->bias)
      return TRUE;
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s: \"%s\" has neither a bias nor a BatchNorm: \"%s.bias\" %s%s%s",
        y10_tensor_file_get_path (weights->file), conv, conv,
        bn ? "and \"" : "", bn ? bn : "is missing",
        bn ? ".weight\" are missing" : "");
    return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (norm); i++) {
    const Y10TensorEntry *t = find (weights, "%s.%s", bn, norm[i].name);
    if (!t) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
          "%s: tensor \"%s.%s\" is missing",
          y10_tensor_file_get_path (weights->file), bn, norm[i].name);
      return FALSE;
    }
    if (!check_vector (weights, t, w->dim[0], error))
      return FALSE;
    *norm[i].entry = t;
  }
  return TRUE;
}

/* Finds the tensors of a quantized convolution. Its BatchNorm is folded. */
static gboolean
find_quantized (const Y10Weights *weights, Conv *conv, guint in_channels,
    gboolean depthwise, GError **error)
{
  const Branch *b = &conv->main;
  const char *name = b->weight->name;
  g_autofree char *prefix = g_strndup (name,
      strlen (name) - strlen (".weight"));

  if (b->weight->dtype == Y10_DTYPE_I8
      && (depthwise || b->gamma || conv->small.weight))
    return check_float (weights, b->weight, error);
  if (conv->small.weight && !check_float (weights, conv->small.weight, error))
    return FALSE;
  return y10_quantized_find (weights->file, prefix, b->weight, in_channels,
      &conv->quantized, error);
}

static gboolean
find_conv (const Y10Weights *weights, const char *name, Conv *conv,
    GError **error)
{
  g_autofree char *plain = g_strconcat (name, ".conv", NULL);
  g_autofree char *plain_bn = g_strconcat (name, ".bn", NULL);
  g_autofree char *large = g_strconcat (plain, ".conv", NULL);
  g_autofree char *large_bn = g_strconcat (plain, ".bn", NULL);
  g_autofree char *small = g_strconcat (name, ".conv1.conv", NULL);
  g_autofree char *small_bn = g_strconcat (name, ".conv1.bn", NULL);

  if (find (weights, "%s.weight", large)) /* RepVGGDW with separate branches */
    return find_branch (weights, large, large_bn, &conv->main, error)
        && find_branch (weights, small, small_bn, &conv->small, error);
  if (!find (weights, "%s.weight", plain) && find (weights, "%s.weight", name))
    return find_branch (weights, name, NULL, &conv->main, error);
  return find_branch (weights, plain, plain_bn, &conv->main, error);
}

guint
y10_weights_add_conv (Y10Weights *weights, const char *name, guint in_channels,
    gboolean depthwise, GError **error)
{
  Conv conv = {
    {
        NULL,
    },
  };
  const Y10TensorEntry *w;
  gsize expected[4];

  if (!find_conv (weights, name, &conv, error))
    return G_MAXUINT;
  w = conv.main.weight;
  memcpy (expected, w->dim, sizeof expected);
  expected[1] = depthwise ? 1 : in_channels;
  if (depthwise)
    expected[0] = in_channels;
  if (conv.small.weight
      && (conv.small.weight->dim[0] != w->dim[0]
          || conv.small.weight->dim[1] != w->dim[1]
          || conv.small.weight->dim[2] > w->dim[2])) {
    w = conv.small.weight;
    expected[2] = expected[3] = 3;
  }
  if (w->dim[0] != expected[0] || w->dim[1] != expected[1]
      || w != conv.main.weight) {
    g_autofree char *found = format_shape (w->dim, 4);
    g_autofree char *wanted = format_shape (expected, 4);
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s: tensor \"%s\" has shape %s; expected %s",
        y10_tensor_file_get_path (weights->file), w->name, found, wanted);
    return G_MAXUINT;
  }
  if (!find_quantized (weights, &conv, in_channels, depthwise, error))
    return G_MAXUINT;
  conv.shape = (Y10ConvShape){
    .name = g_strdup (name),
    .out_channels = w->dim[0],
    .in_channels = w->dim[1],
    .kernel = w->dim[2],
    .groups = depthwise ? in_channels : 1,
  };
  g_array_append_val (weights->convs, conv);
  return weights->convs->len - 1;
}

guint
y10_weights_get_n (const Y10Weights *weights)
{
  return weights->convs->len;
}

const Y10ConvShape *
y10_weights_get_shape (const Y10Weights *weights, guint conv)
{
  return &g_array_index (weights->convs, Conv, conv).shape;
}

const char *
y10_weights_get_dtype (const Y10Weights *weights, guint conv)
{
  return g_array_index (weights->convs, Conv, conv).main.weight->dtype_name;
}

/* @data: from y10_tensor_file_read_tensor(). */
static gdouble
get_element (const Y10TensorEntry *t, const guint8 *data, gsize i)
{
  union
  {
    guint32 u;
    gfloat f;
  } v;
  union
  {
    guint64 u;
    gdouble d;
  } w;
  guint16 h;

  if (t->dtype == Y10_DTYPE_I8)
    return (gint8) data[i];
  if (t->dtype == Y10_DTYPE_F64) {
    memcpy (&w.u, data + 8 * i, 8);
    w.u = GUINT64_FROM_LE (w.u);
    return w.d;
  }
  if (t->dtype == Y10_DTYPE_F32) {
    memcpy (&v.u, data + 4 * i, 4);
    v.u = GUINT32_FROM_LE (v.u);
    return v.f;
  }
  memcpy (&h, data + 2 * i, 2);
  h = GUINT16_FROM_LE (h);
  return t->dtype == Y10_DTYPE_F16 ? y10_half_to_float (h)
                                   : y10_bfloat_to_float (h);
}

/* Reads a vector as doubles; returns @value for each element if @t is NULL. */
static gdouble *
read_vector (const Y10Weights *weights, const Y10TensorEntry *t, gsize n,
    gdouble value, GError **error)
{
  g_autofree guint8 *data = t
      ? y10_tensor_file_read_tensor (weights->file, t, error)
      : NULL;
  gdouble *v;

  if (t && !data)
    return NULL;
  v = g_new (gdouble, n);
  for (gsize i = 0; i < n; i++)
    v[i] = t ? get_element (t, data, i) : value;
  return v;
}

/* Factor and offset that fold the BatchNorm and bias of a branch. */
static gboolean
read_affine (const Y10Weights *weights, const Branch *b, gdouble *scale,
    gdouble *shift, GError **error)
{
  gsize n = b->weight->dim[0];
  g_autofree gdouble *gamma = read_vector (weights, b->gamma, n, 1, error);
  g_autofree gdouble *beta = NULL, *mean = NULL, *var = NULL, *bias = NULL;

  if (!gamma || !(beta = read_vector (weights, b->beta, n, 0, error))
      || !(mean = read_vector (weights, b->mean, n, 0, error))
      || !(var = read_vector (weights, b->var, n, 1, error))
      || !(bias = read_vector (weights, b->bias, n, 0, error)))
    return FALSE;
  for (gsize o = 0; o < n; o++) {
    scale[o] = b->gamma ? gamma[o] / sqrt (var[o] + BATCH_NORM_EPS) : 1;
    shift[o] = scale[o] * bias[o] + (beta[o] - scale[o] * mean[o]);
  }
  return TRUE;
}

/* Adds a branch to weight and bias, its kernel centred in @kernel × @kernel. */
static gboolean
fold_branch (const Y10Weights *weights, const Branch *branch, guint kernel,
    gfloat *weight, gfloat *bias, GError **error)
{
  const Y10TensorEntry *w = branch->weight;
  guint k = w->dim[2], margin = (kernel - k) / 2;
  gsize out = w->dim[0], in = w->dim[1];
  g_autofree gdouble *scale = g_new (gdouble, out);
  g_autofree gdouble *shift = g_new (gdouble, out);
  g_autofree guint8 *data = NULL;

  if (!read_affine (weights, branch, scale, shift, error))
    return FALSE;
  data = y10_tensor_file_read_tensor (weights->file, w, error);
  if (!data)
    return FALSE;
  for (gsize o = 0; o < out; o++) {
    bias[o] += (gfloat) shift[o];
    for (gsize i = 0; i < in; i++)
      for (guint y = 0; y < k; y++)
        for (guint x = 0; x < k; x++)
          weight[((o * in + i) * kernel + y + margin) * kernel + x + margin] +=
              (gfloat) (scale[o]
                  * get_element (w, data, ((o * in + i) * k + y) * k + x));
  }
  return TRUE;
}

static gboolean
check_finite (const Y10Weights *weights, const Conv *conv, const gfloat *values,
    gsize n, const char *what, GError **error)
{
  for (gsize i = 0; i < n; i++)
    if (!isfinite (values[i])) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
          "%s: the %s of \"%s\" (tensor \"%s\" and what is folded into it) "
          "holds %g; expected finite numbers",
          y10_tensor_file_get_path (weights->file), what, conv->shape.name,
          conv->main.weight->name, values[i]);
      return FALSE;
    }
  return TRUE;
}

/* From integers to floats, in place. */
static gboolean
dequantize (const Y10Weights *weights, const Conv *conv, gfloat *weight,
    GError **error)
{
  const Y10ConvShape *s = &conv->shape;
  guint taps = s->kernel * s->kernel;
  g_autofree gfloat *scale = g_new (gfloat, s->out_channels);
  g_autofree gfloat *input = g_new (gfloat, s->in_channels);

  if (!y10_quantized_read_scale (weights->file, conv->quantized.weight_scale,
          scale, error)
      || !y10_quantized_read_scale (weights->file, conv->quantized.input_scale,
          input, error))
    return FALSE;
  for (guint o = 0; o < s->out_channels; o++)
    for (guint i = 0; i < s->in_channels; i++)
      for (guint t = 0; t < taps; t++, weight++)
        *weight = (gfloat) ((gdouble) *weight * scale[o] / input[i]);
  return TRUE;
}

gboolean
y10_weights_fetch (const Y10Weights *weights, guint index, gfloat *weight,
    gfloat *bias, GError **error)
{
  const Conv *conv = &g_array_index (weights->convs, Conv, index);
  const Y10ConvShape *s = &conv->shape;
  gsize n = (gsize) s->out_channels * s->in_channels * s->kernel * s->kernel;

  memset (weight, 0, n * sizeof *weight);
  memset (bias, 0, s->out_channels * sizeof *bias);
  if (!fold_branch (weights, &conv->main, s->kernel, weight, bias, error)
      || (conv->small.weight
          && !fold_branch (weights, &conv->small, s->kernel, weight, bias,
              error)))
    return FALSE;
  if (conv->quantized.weight_scale
      && !dequantize (weights, conv, weight, error))
    return FALSE;
  return check_finite (weights, conv, weight, n, "weight", error)
      && check_finite (weights, conv, bias, s->out_channels, "bias", error);
}

char *
y10_weights_get_prefix (const Y10Weights *weights, guint index)
{
  const char *name =
      g_array_index (weights->convs, Conv, index).main.weight->name;

  return g_strndup (name, strlen (name) - strlen (".weight"));
}

void
y10_weights_list_names (const Y10Weights *weights, guint index,
    GHashTable *names)
{
  const Conv *conv = &g_array_index (weights->convs, Conv, index);
  const Branch *branches[] = { &conv->main, &conv->small };

  for (guint i = 0; i < G_N_ELEMENTS (branches); i++) {
    const Branch *b = branches[i];
    const Y10TensorEntry *entries[] = { b->weight, b->bias, b->gamma, b->beta,
      b->mean, b->var };

    for (guint j = 0; j < G_N_ELEMENTS (entries); j++)
      if (entries[j])
        g_hash_table_add (names, g_strdup (entries[j]->name));
  }
}

gboolean
y10_weights_is_quantized (const Y10Weights *weights, guint index)
{
  return g_array_index (weights->convs, Conv, index).quantized.weight_scale
      != NULL;
}

gboolean
y10_weights_fetch_quantized (const Y10Weights *weights, guint index,
    gint8 *weight, gfloat *scale, gfloat *bias, GError **error)
{
  const Conv *conv = &g_array_index (weights->convs, Conv, index);
  guint n = conv->shape.out_channels;
  g_autofree gdouble *shift = g_new (gdouble, n), *one = g_new (gdouble, n);
  g_autofree guint8 *data = NULL;

  if (!read_affine (weights, &conv->main, one, shift, error)
      || !(data = y10_tensor_file_read_tensor (weights->file, conv->main.weight,
               error))
      || !y10_quantized_read_scale (weights->file, conv->quantized.weight_scale,
          scale, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    bias[i] = (gfloat) shift[i];
  memcpy (weight, data, conv->main.weight->size);
  return check_finite (weights, conv, bias, n, "bias", error);
}

gboolean
y10_weights_has_input_scale (const Y10Weights *weights, guint index)
{
  return g_array_index (weights->convs, Conv, index).quantized.input_scale
      != NULL;
}

gboolean
y10_weights_fetch_input_scale (const Y10Weights *weights, guint index,
    gfloat *scale, guint8 *zero, GError **error)
{
  const Y10Quantized *q =
      &g_array_index (weights->convs, Conv, index).quantized;
  g_autofree guint8 *data = y10_tensor_file_read_tensor (weights->file,
      q->input_zero_point, error);

  if (!data
      || !y10_quantized_read_scale (weights->file, q->input_scale, scale,
          error))
    return FALSE;
  memcpy (zero, data, q->input_zero_point->n_elements);
  return TRUE;
}

guint64
y10_weights_get_n_parameters (const Y10Weights *weights)
{
  guint64 n = 0;

  for (guint i = 0; i < weights->convs->len; i++) {
    const Y10ConvShape *s = y10_weights_get_shape (weights, i);
    n += (guint64) s->out_channels
        * (s->in_channels * s->kernel * s->kernel + 1);
  }
  return n;
}
