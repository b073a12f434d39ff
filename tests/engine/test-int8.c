/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Ops on tensors of 8 bits, of the backends ref and cpu: against sums in 64 bits and
 * double precision that this test computes. Sums of integers must be exact on every
 * instruction set: their scales are powers of two here, so that not a bit of the
 * floats may differ: with AMX, these are bfloat16, which all values here fit into, but
 * the outputs. What is rounded to 8 bits after SiLU may differ by one, and
 * only rarely does. */

#include <math.h>
#include <string.h>

#include "core/backend.h"
#include "core/plan.h"
#include "util.h"

extern const Y10BackendClass y10_backend_ref, y10_backend_cpu;

typedef enum
{
  FLOATS,
  BYTES,
} Storage;

typedef struct
{
  const char *name;
  Y10OpKind kind;
  guint in[4], out[4]; /* channels of the segments, ended by 0 */
  guint height, width, kernel, stride;
  gboolean depthwise, integers, silu, add, in_place, logits, picture;
  Storage from, to;
} Case;

static const Case cases[] = {
  { "1×1", Y10_OP_CONV, { 64 }, { 32 }, 20, 20, 1, 1, .integers = TRUE,
      .from = BYTES },
  { "1×1, segments", Y10_OP_CONV, { 16, 9, 40 }, { 5, 37 }, 13, 7, 1, 1,
      .integers = TRUE, .from = BYTES },
  { "1×1 to 8 bits", Y10_OP_CONV, { 24, 24 }, { 48, 16 }, 9, 11, 1, 1,
      .integers = TRUE, .silu = TRUE, .from = BYTES, .to = BYTES },
  { "1×1 to logits", Y10_OP_CONV, { 80 }, { 80 }, 10, 10, 1, 1,
      .integers = TRUE, .logits = TRUE, .from = BYTES },
  { "3×3", Y10_OP_CONV, { 32 }, { 32 }, 17, 23, 3, 1, .integers = TRUE,
      .from = BYTES },
  { "3×3, stride 2", Y10_OP_CONV, { 20 }, { 33 }, 15, 22, 3, 2,
      .integers = TRUE, .from = BYTES },
  { "3×3, one pixel", Y10_OP_CONV, { 3 }, { 3 }, 1, 1, 3, 1, .integers = TRUE,
      .from = BYTES },
  { "7×7", Y10_OP_CONV, { 10 }, { 12 }, 9, 9, 7, 1, .integers = TRUE,
      .from = BYTES },
  { "3×3 with addition", Y10_OP_CONV, { 16, 16 }, { 16, 16 }, 12, 12, 3, 1,
      .integers = TRUE, .silu = TRUE, .add = TRUE, .from = BYTES, .to = BYTES },
  { "1×1, added in place", Y10_OP_CONV, { 32 }, { 40 }, 8, 8, 1, 1,
      .integers = TRUE, .add = TRUE, .in_place = TRUE, .from = BYTES,
      .to = BYTES },
  { "1×1 with addition of floats", Y10_OP_CONV, { 32 }, { 40 }, 8, 8, 1, 1,
      .integers = TRUE, .add = TRUE, .from = BYTES },
  { "float 3×3 from 8 bits", Y10_OP_CONV, { 16, 5 }, { 24 }, 14, 14, 3, 1,
      .silu = TRUE, .from = BYTES },
  { "float 1×1 from 8 bits", Y10_OP_CONV, { 40 }, { 24 }, 14, 14, 1, 1,
      .from = BYTES },
  { "float 3×3 to 8 bits", Y10_OP_CONV, { 16 }, { 24, 8 }, 14, 19, 3, 1,
      .silu = TRUE, .to = BYTES },
  { "float 1×1 on 8 bits", Y10_OP_CONV, { 33 }, { 24 }, 14, 14, 1, 1,
      .add = TRUE, .in_place = TRUE, .from = BYTES, .to = BYTES },
  { "picture to 8 bits", Y10_OP_CONV, { 3 }, { 16 }, 64, 96, 3, 2, .silu = TRUE,
      .picture = TRUE, .to = BYTES },
  { "depthwise 3×3", Y10_OP_CONV, { 16, 24 }, { 16, 24 }, 20, 20, 3, 1,
      .depthwise = TRUE, .silu = TRUE, .from = BYTES, .to = BYTES },
  { "depthwise 3×3, stride 2", Y10_OP_CONV, { 40 }, { 40 }, 21, 18, 3, 2,
      .depthwise = TRUE, .from = BYTES, .to = BYTES },
  { "depthwise 7×7 with addition", Y10_OP_CONV, { 40 }, { 40 }, 9, 12, 7, 1,
      .depthwise = TRUE, .silu = TRUE, .add = TRUE, .from = BYTES,
      .to = BYTES },
  { "depthwise 5×5 to floats", Y10_OP_CONV, { 17 }, { 17 }, 9, 12, 5, 1,
      .depthwise = TRUE, .from = BYTES },
  { "depthwise from floats", Y10_OP_CONV, { 17 }, { 17 }, 9, 12, 3, 1,
      .depthwise = TRUE, .silu = TRUE, .add = TRUE, .to = BYTES },
  { "pool", Y10_OP_MAXPOOL5, { 33, 8 }, { 33, 8 }, 11, 13, 5, 1, .from = BYTES,
      .to = BYTES },
  { "upsampling", Y10_OP_UPSAMPLE2X, { 33, 8 }, { 33, 8 }, 7, 5, 1, 1,
      .from = BYTES, .to = BYTES },
};

/* A weights file of any data types. */
typedef struct
{
  GString *header;
  GByteArray *data;
} File;

static void
add_tensor (File *file, const char *name, const char *dtype, const guint *dim,
    guint n_dims, gconstpointer data, gsize size)
{
  g_string_append_printf (file->header,
      "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[",
      file->header->len > 1 ? "," : "", name, dtype);
  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (file->header, "%s%u", i ? "," : "", dim[i]);
  g_string_append_printf (file->header, "],\"data_offsets\":[%u,%u]}",
      file->data->len, (guint) (file->data->len + size));
  g_byte_array_append (file->data, data, size);
}

static Y10TensorFile *
open_file (File *file)
{
  guint64 length;
  GError *error = NULL;
  char *path;
  Y10TensorFile *opened;

  g_string_append_c (file->header, '}');
  length = file->header->len;
  g_byte_array_prepend (file->data, (const guint8 *) file->header->str, length);
  g_byte_array_prepend (file->data, (const guint8 *) &length, 8);
  path = test_write ("int8.safetensors", file->data->data, file->data->len);
  opened = y10_tensor_file_open (path, &error);
  g_assert_no_error (error);
  g_free (path);
  g_string_free (file->header, TRUE);
  g_byte_array_unref (file->data);
  return opened;
}

/* Everything about a case, as this test sees it. */
typedef struct
{
  guint n_in, n_out, row; /* row: products for an output */
  guint out_height, out_width;
  gint8 *integers;
  float *weight, *bias, *scale; /* scale: of the integers */
  float *in_scale, *out_scale;
  guint8 *in_zero, *out_zero;
  float *in, *add, *out; /* values; those of 8 bits are exact */
  gboolean bf16;         /* how the backend stores floats */
} Data;

static guint
total (const guint *channels)
{
  guint n = 0;

  while (*channels)
    n += *channels++;
  return n;
}

static guint
count (const guint *channels)
{
  guint n = 0;

  while (channels[n])
    n++;
  return n;
}

static float
dequantize (guint8 q, float scale, guint8 zero)
{
  return ((float) q - zero) * scale;
}

static void
fill (GRand *rand, float *values, guint channels, gsize pixels, Storage storage,
    const float *scale, const guint8 *zero)
{
  for (guint c = 0; c < channels; c++)
    for (gsize i = 0; i < pixels; i++)
      *values++ = storage == BYTES
          ? dequantize (g_rand_int_range (rand, 0, 256), scale[c], zero[c])
          : (float) g_rand_int_range (rand, -128, 128) / 64;
}

static void
fill_scales (GRand *rand, guint n, float **scale, guint8 **zero)
{
  *scale = g_new (float, n);
  *zero = g_new (guint8, n);
  for (guint i = 0; i < n; i++) {
    (*scale)[i] = ldexpf (1, g_rand_int_range (rand, -7, -4));
    (*zero)[i] = g_rand_int_range (rand, 0, 256);
  }
}

static void
data_init (Data *d, const Case *c, GRand *rand)
{
  gsize pixels = (gsize) c->height * c->width, n;

  *d = (Data){ .n_in = total (c->in), .n_out = total (c->out) };
  d->out_height = c->kind == Y10_OP_UPSAMPLE2X
      ? 2 * c->height
      : (c->height - 1) / c->stride + 1;
  d->out_width = c->kind == Y10_OP_UPSAMPLE2X ? 2 * c->width
                                              : (c->width - 1) / c->stride + 1;
  d->row = (c->depthwise ? 1 : d->n_in) * c->kernel * c->kernel;
  n = (gsize) d->n_out * d->row;
  d->integers = g_new (gint8, n);
  d->weight = g_new (float, n);
  d->bias = g_new (float, d->n_out);
  d->scale = g_new (float, d->n_out);
  fill_scales (rand, d->n_in, &d->in_scale, &d->in_zero);
  fill_scales (rand, d->n_out, &d->out_scale, &d->out_zero);
  if (c->kind != Y10_OP_CONV) {
    memcpy (d->out_scale, d->in_scale, d->n_in * sizeof (float));
    memcpy (d->out_zero, d->in_zero, d->n_in);
  }
  for (guint o = 0; o < d->n_out; o++) {
    d->scale[o] = ldexpf (1, -14);
    d->bias[o] = (float) g_rand_int_range (rand, -64, 64) / 64;
    for (guint i = 0; i < d->row; i++) {
      gsize at = (gsize) o * d->row + i;

      d->integers[at] = g_rand_int_range (rand, -128, 128);
      d->weight[at] = c->integers ? d->integers[at] * d->scale[o]
              / d->in_scale[i / (c->kernel * c->kernel)]
                                  : ldexpf (g_rand_int_range (rand, -128, 128),
                                      -7 - (int) ceil (log2 (d->row) / 2));
    }
  }
  d->in = g_new (float, pixels * d->n_in);
  fill (rand, d->in, d->n_in, pixels, c->picture ? FLOATS : c->from,
      d->in_scale, d->in_zero);
  pixels = (gsize) d->out_height * d->out_width;
  d->out = g_new (float, pixels * d->n_out);
  d->add = g_new (float, pixels * d->n_out);
  fill (rand, d->add, d->n_out, pixels, c->to, d->out_scale, d->out_zero);
}

static void
data_clear (Data *d)
{
  gpointer all[] = { d->integers, d->weight, d->bias, d->scale, d->in_scale,
    d->out_scale, d->in_zero, d->out_zero, d->in, d->add, d->out };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_free (all[i]);
}

static double
get (const float *values, const Case *c, guint channel, gint y, gint x)
{
  return y < 0 || x < 0 || y >= (gint) c->height || x >= (gint) c->width
      ? 0
      : values[((gsize) channel * c->height + y) * c->width + x];
}

/* One output, before it is rounded. The products of dequantized values and weights
 * are those of the integers, times powers of two: doubles hold their sums. */
static double
expect (const Case *c, const Data *d, guint o, gint y, gint x)
{
  double sum = 0;
  gint pad = c->kernel / 2;

  if (c->kind == Y10_OP_UPSAMPLE2X)
    return get (d->in, c, o, y / 2, x / 2);
  if (c->kind == Y10_OP_MAXPOOL5) {
    sum = -INFINITY;
    for (gint v = MAX (y - 2, 0); v <= MIN (y + 2, (gint) c->height - 1); v++)
      for (gint u = MAX (x - 2, 0); u <= MIN (x + 2, (gint) c->width - 1); u++)
        sum = MAX (sum, get (d->in, c, o, v, u));
    return sum;
  }
  for (guint i = 0; i < d->row; i++) {
    gint tap = i % (c->kernel * c->kernel);
    guint from = c->depthwise ? o : i / (c->kernel * c->kernel);

    sum += (double) d->weight[(gsize) o * d->row + i]
        * get (d->in, c, from,
            y * (gint) c->stride + tap / (gint) c->kernel - pad,
            x * (gint) c->stride + tap % (gint) c->kernel - pad);
  }
  sum += d->bias[o];
  if (c->silu)
    sum /= 1 + exp (-sum);
  return c->add
      ? sum + d->add[((gsize) o * d->out_height + y) * d->out_width + x]
      : sum;
}

/* The op "model.0", and a convolution "model.1", whose file entries say how the
 * output is stored. */
static Y10Graph *
make_graph (const Case *c, const Data *d)
{
  File file = { g_string_new ("{"), g_byte_array_new () };
  const gboolean conv = c->kind == Y10_OP_CONV;
  const guint dim[4] = { d->n_out, c->depthwise ? 1 : d->n_in, c->kernel,
    c->kernel },
              one = 1, next_dim[4] = { 1, d->n_out, 1, 1 };
  g_autofree gint8 *next = g_new0 (gint8, MAX (d->n_out, d->n_in));
  const float zero = 0, unit = 1;
  Y10GraphBuilder *b;
  Y10TensorFile *opened;
  Y10Graph fields = { .width = 32, .height = 32, .n_classes = 1, .n_bins = 16 };
  Y10Graph *graph;
  GError *error = NULL;
  Y10View in, out, add = { 0 }, last;
  gsize n = (gsize) d->n_out * d->row;

  add_tensor (&file, "model.0.weight", c->integers ? "I8" : "F32", dim, 4,
      c->integers ? (gconstpointer) d->integers : d->weight,
      c->integers ? n : n * 4);
  add_tensor (&file, "model.0.bias", "F32", dim, 1, d->bias, d->n_out * 4);
  if (c->integers)
    add_tensor (&file, "model.0.weight_scale", "F32", dim, 1, d->scale,
        d->n_out * 4);
  if (c->from == BYTES && !c->picture) {
    add_tensor (&file, "model.0.input_scale", "F32", &d->n_in, 1, d->in_scale,
        d->n_in * 4);
    add_tensor (&file, "model.0.input_zero_point", "U8", &d->n_in, 1,
        d->in_zero, d->n_in);
  }
  /* A pool's input gets its scales from a reader. */
  if (c->to == BYTES) {
    add_tensor (&file, "model.1.weight", "I8", next_dim, 4, next, d->n_out);
    add_tensor (&file, "model.1.weight_scale", "F32", &one, 1, &unit, 4);
    add_tensor (&file, "model.1.bias", "F32", &one, 1, &zero, 4);
    add_tensor (&file, "model.1.input_scale", "F32", &d->n_out, 1, d->out_scale,
        d->n_out * 4);
    add_tensor (&file, "model.1.input_zero_point", "U8", &d->n_out, 1,
        d->out_zero, d->n_out);
  }
  opened = open_file (&file);
  fields.width = c->picture ? c->width : 32;
  fields.height = c->picture ? c->height : 32;
  b = y10_graph_builder_new (opened, fields.width, fields.height);
  in = c->picture ? y10_graph_builder_input (b)
                  : y10_graph_builder_tensor (b, Y10_ROLE_ACTIVATION, c->height,
                      c->width, c->in, count (c->in));
  out = y10_graph_builder_tensor (b,
      c->logits ? Y10_ROLE_LOGITS : Y10_ROLE_ACTIVATION, d->out_height,
      d->out_width, c->out, count (c->out));
  if (c->add)
    add = c->in_place ? out
                      : y10_graph_builder_tensor (b, Y10_ROLE_ACTIVATION,
                          d->out_height, d->out_width, c->out, count (c->out));
  y10_graph_builder_op (b,
      &(Y10Op){
          .kind = c->kind,
          .name = g_strdup ("model.0"),
          .in = in,
          .out = out,
          .add = add,
          .kernel = c->kernel,
          .stride = c->stride,
          .pad = c->kernel / 2,
          .groups = c->depthwise ? d->n_in : 1,
          .act = c->silu ? Y10_ACT_SILU : Y10_ACT_NONE,
          .conv = conv ? y10_weights_add_conv (y10_graph_builder_weights (b),
                      "model.0", d->n_in, c->depthwise, &error)
                       : 0,
      });
  g_assert_no_error (error);
  for (guint i = 0; i < 3 && c->to == BYTES; i++) {
    const Y10View read[] = { out, add, in };

    if (i && (conv ? i == 2 || !c->add || c->in_place : i == 1))
      continue;
    last = y10_graph_builder_tensor (b, Y10_ROLE_ACTIVATION,
        i == 2 ? c->height : d->out_height, i == 2 ? c->width : d->out_width,
        &one, 1);
    y10_graph_builder_op (b,
        &(Y10Op){
            .kind = Y10_OP_CONV,
            .name = g_strdup ("model.1"),
            .in = read[i],
            .out = last,
            .kernel = 1,
            .stride = 1,
            .groups = 1,
            .conv = y10_weights_add_conv (y10_graph_builder_weights (b),
                "model.1", d->n_out, FALSE, &error),
        });
    g_assert_no_error (error);
  }
  graph = y10_graph_builder_finish (b, &fields, &error);
  g_assert_no_error (error);
  g_assert_true (y10_graph_read_scales (graph, "test", &error));
  y10_tensor_file_unref (opened);
  return graph;
}

static void
run_backend (const Y10BackendClass *class, const Y10Graph *graph, const Case *c,
    Data *d)
{
  const Y10DeviceConfig config = { .threads = 2, .device_id = -1 };
  Y10Precision precision = Y10_PRECISION_INT8;
  Y10Layout layout;
  GError *error = NULL;
  Y10Device *device = class->open (&config, &error);
  Y10Plan *plan;
  Y10Program *program;
  Y10Slot *slot;
  const Y10Op *op = &graph->ops[0];

  g_assert_no_error (error);
  g_assert_true (class->layout (device, &precision, &layout, &error));
  d->bf16 = layout.elem_size == 2;
  plan = y10_plan_new (graph, &layout, &error);
  program = class->compile (device, plan, precision, NULL, &error);
  g_assert_no_error (error);
  g_test_message ("%s: %s", class->name, class->impl (program, 0));
  slot = class->slot_new (program, 1, 1, &error);
  g_assert_no_error (error);
  class->write_tensor (slot, 0, op->in, d->in, &error);
  if (c->add)
    class->write_tensor (slot, 0, op->add, d->add, &error);
  class->submit (slot, 1, 0, 1, &error);
  class->read_tensor (slot, 0, op->out, d->out, &error);
  g_assert_no_error (error);
  class->slot_free (slot);
  class->program_free (program);
  y10_plan_free (plan);
  class->close (device);
}

/* In units of the last place of 8 bits, or relative to the largest output. */
static void
compare (const Case *c, const Data *d)
{
  gsize n_off = 0, n = 0;

  for (guint o = 0; o < d->n_out; o++)
    for (guint y = 0; y < d->out_height; y++)
      for (guint x = 0; x < d->out_width; x++, n++) {
        double wanted = expect (c, d, o, y, x), got = d->out[n];

        if (c->to == BYTES) {
          double q = CLAMP (rint (wanted / d->out_scale[o] + d->out_zero[o]), 0,
              255);
          double off = fabs (got / d->out_scale[o] + d->out_zero[o] - q);

          if (c->kind != Y10_OP_CONV)
            g_assert_cmpfloat (off, ==, 0);
          g_assert_cmpfloat (off, <=, 1);
          n_off += off != 0;
        } else if (d->bf16 && !c->logits) {
          g_assert_cmpfloat (fabs (got - wanted), <=, fabs (wanted) / 256);
        } else if (c->integers && !c->silu && !c->add) {
          g_assert_cmpfloat (got, ==, (float) wanted);
        } else {
          g_assert_cmpfloat (fabs (got - wanted), <=, 1e-3);
        }
      }
  g_assert_cmpuint (n_off * 100, <=, n);
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (c - cases);
  Y10Graph *graph;
  Data d;

  data_init (&d, c, rand);
  graph = make_graph (c, &d);
  run_backend (&y10_backend_ref, graph, c, &d);
  compare (c, &d);
  run_backend (&y10_backend_cpu, graph, c, &d);
  compare (c, &d);
  y10_graph_free (graph);
  data_clear (&d);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *path = g_strdup_printf ("/int8/%s", cases[i].name);

    g_test_add_data_func (path, &cases[i], test_case);
    g_free (path);
  }
  result = g_test_run ();
  test_dir_remove ();
  return result;
}
