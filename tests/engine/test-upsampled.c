/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The cpu backend's 1×1 convolutions of channels that have just been upsampled, in all
 * precisions: against double precision. Scales are powers of two and sums are short, so
 * that without SiLU not a bit may differ in any of them. Run one by one, which writes
 * the upsampled channels, and with any number of threads, the ops must give the same
 * bits. */

#include <math.h>
#include <string.h>

#include "cpu/program.h"
#include "util.h"

extern const Y10BackendClass y10_backend_cpu;

typedef struct
{
  guint upsampled, others[3], out; /* channels */
  guint height, width;             /* before they are upsampled */
  gboolean silu, reader;           /* reader: of the upsampled channels alone */
  gboolean joined;                 /* on every instruction set */
} Case;

static const Case cases[] = {
  { 64, { 32 }, 32, 1, 1, .joined = TRUE },
  { 64, { 24, 9 }, 40, 3, 5, .joined = TRUE },
  { 64, { 24, 9 }, 40, 7, 4, .silu = TRUE, .joined = TRUE },
  { 128, { 64 }, 64, 13, 9, .joined = TRUE },
  { 128, { 64 }, 64, 20, 23, .silu = TRUE, .joined = TRUE },
  { 64, { 32 }, 32, 5, 3, .reader = TRUE },
  { 33, { 16 }, 5, 5, 7 },  /* an odd number of blocks: not with USMMLA */
  { 16, { 16 }, 80, 4, 3 }, /* too many sums */
};

typedef struct
{
  guint n_in, n_out;
  gint8 *integers;
  float *weight, *bias, *scale, *in_scale;
  guint8 *zero;
  float *small, *others;
} Data;

static guint
count (const guint *channels)
{
  guint n = 0;

  while (channels[n])
    n++;
  return n;
}

static float *
make_values (GRand *random, const Data *d, guint first, guint n, gsize pixels)
{
  float *values = g_new (float, n *pixels);

  for (guint c = 0; c < n; c++)
    for (gsize i = 0; i < pixels; i++)
      values[c * pixels + i] = (g_rand_int_range (random, 0, 256)
                                   - d->zero[first + c])
          * d->in_scale[first + c];
  return values;
}

static void
data_init (Data *d, const Case *c)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (c->height);
  const gsize pixels = c->height * c->width;

  *d = (Data){ .n_in = c->upsampled, .n_out = c->out };
  for (guint i = 0; i < count (c->others); i++)
    d->n_in += c->others[i];
  d->integers = g_new (gint8, d->n_out * d->n_in);
  d->weight = g_new (float, d->n_out * d->n_in);
  d->bias = g_new (float, d->n_out);
  d->scale = g_new (float, d->n_out);
  d->in_scale = g_new (float, d->n_in);
  d->zero = g_new (guint8, d->n_in);
  for (guint i = 0; i < d->n_in; i++) {
    d->in_scale[i] = ldexpf (1, g_rand_int_range (random, -7, -4));
    d->zero[i] = g_rand_int_range (random, 0, 256);
  }
  for (guint o = 0; o < d->n_out; o++) {
    d->scale[o] = ldexpf (1, -14);
    d->bias[o] = (float) g_rand_int_range (random, -64, 64) / 64;
    for (guint i = 0; i < d->n_in; i++) {
      const gsize at = (gsize) o * d->n_in + i;

      d->integers[at] = g_rand_int_range (random, -128, 128);
      d->weight[at] = d->integers[at] * d->scale[o] / d->in_scale[i];
    }
  }
  d->small = make_values (random, d, 0, c->upsampled, pixels);
  d->others = make_values (random, d, c->upsampled, d->n_in - c->upsampled,
      4 * pixels);
}

static void
data_clear (Data *d)
{
  gpointer all[] = { d->integers, d->weight, d->bias, d->scale, d->in_scale,
    d->zero, d->small, d->others };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_free (all[i]);
}

static double
expect (const Case *c, const Data *d, guint o, guint y, guint x)
{
  double sum = d->bias[o];

  for (guint i = 0; i < d->n_in; i++)
    sum += (double) d->weight[(gsize) o * d->n_in + i]
        * (i < c->upsampled
                ? d->small[((gsize) i * c->height + y / 2) * c->width + x / 2]
                : d->others[((gsize) (i - c->upsampled) * 2 * c->height + y) * 2
                        * c->width
                    + x]);
  return c->silu ? sum / (1 + exp (-sum)) : sum;
}

/* A weights file of any data types. */
typedef struct
{
  GString *header;
  GByteArray *data;
} File;

static void
add_tensor (File *file, const char *module, const char *name, const char *dtype,
    guint rows, guint columns, gconstpointer data, gsize size)
{
  g_autofree char *shape = columns
      ? g_strdup_printf ("%u,%u,1,1", rows, columns)
      : g_strdup_printf ("%u", rows);

  g_string_append_printf (file->header,
      "%s\"%s.%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%u,%u]}",
      file->header->len > 1 ? "," : "", module, name, dtype, shape,
      file->data->len, (guint) (file->data->len + size));
  g_byte_array_append (file->data, data, size);
}

/* The convolution of @n_in channels, to @n_out. */
static void
add_conv (File *file, const char *module, const Data *d, guint n_in,
    guint n_out, gboolean int8)
{
  const gsize n = (gsize) n_out * n_in;

  add_tensor (file, module, "weight", int8 ? "I8" : "F32", n_out, n_in,
      int8 ? (gconstpointer) d->integers : d->weight, int8 ? n : 4 * n);
  add_tensor (file, module, "bias", "F32", n_out, 0, d->bias, n_out * 4);
  if (!int8)
    return;
  add_tensor (file, module, "weight_scale", "F32", n_out, 0, d->scale,
      n_out * 4);
  add_tensor (file, module, "input_scale", "F32", n_in, 0, d->in_scale,
      n_in * 4);
  add_tensor (file, module, "input_zero_point", "U8", n_in, 0, d->zero, n_in);
}

static Y10TensorFile *
make_file (const Case *c, const Data *d, gboolean int8)
{
  File file = { g_string_new ("{"), g_byte_array_new () };
  g_autofree char *path = NULL;
  GError *error = NULL;
  Y10TensorFile *opened;
  guint64 length;

  add_conv (&file, "model.0", d, d->n_in, d->n_out, int8);
  add_conv (&file, "model.1", d, c->upsampled, 1, int8);
  add_conv (&file, "model.2", d, c->upsampled, 1, int8);
  g_string_append_c (file.header, '}');
  length = file.header->len;
  g_byte_array_prepend (file.data, (const guint8 *) file.header->str, length);
  g_byte_array_prepend (file.data, (const guint8 *) &length, 8);
  path = test_write ("upsampled.safetensors", file.data->data, file.data->len);
  opened = y10_tensor_file_open (path, &error);
  g_assert_no_error (error);
  g_string_free (file.header, TRUE);
  g_byte_array_unref (file.data);
  return opened;
}

static Y10View
add_views (Y10GraphBuilder *b, guint height, guint width, const guint *channels)
{
  return y10_graph_builder_tensor (b, Y10_ROLE_ACTIVATION, height, width,
      channels, count (channels));
}

static void
add_op (Y10GraphBuilder *b, const char *name, guint n_in, Y10View in,
    Y10View out, gboolean silu)
{
  GError *error = NULL;

  y10_graph_builder_op (b,
      &(Y10Op){
          .kind = n_in ? Y10_OP_CONV : Y10_OP_UPSAMPLE2X,
          .name = g_strdup (name),
          .in = in,
          .out = out,
          .kernel = 1,
          .stride = 1,
          .groups = 1,
          .act = silu ? Y10_ACT_SILU : Y10_ACT_NONE,
          .conv = n_in ? y10_weights_add_conv (y10_graph_builder_weights (b),
                      name, n_in, FALSE, &error)
                       : 0,
      });
  g_assert_no_error (error);
}

/* Ops 0 and 1 are what is tested; those behind say how tensors are stored. */
static Y10Graph *
make_graph (const Case *c, const Data *d, gboolean int8)
{
  Y10TensorFile *file = make_file (c, d, int8);
  Y10Graph fields = { .width = 32, .height = 32, .n_classes = 1, .n_bins = 16 };
  Y10GraphBuilder *b = y10_graph_builder_new (file, 32, 32);
  const guint height = 2 * c->height, width = 2 * c->width, one[] = { 1, 0 };
  const guint upsampled[] = { c->upsampled, 0 };
  Y10View small = add_views (b, c->height, c->width, upsampled);
  Y10View cat[] = { add_views (b, height, width, upsampled),
    add_views (b, height, width, c->others) };
  Y10View all = y10_graph_builder_concat (b, cat, 2);
  Y10View out = y10_graph_builder_tensor (b,
      c->silu ? Y10_ROLE_ACTIVATION : Y10_ROLE_LOGITS, height, width, &c->out,
      1);
  Y10Graph *graph;
  GError *error = NULL;

  add_op (b, "up", 0, small, cat[0], FALSE);
  add_op (b, "model.0", d->n_in, all, out, c->silu);
  add_op (b, "model.1", c->upsampled, small,
      add_views (b, c->height, c->width, one), FALSE);
  if (c->reader)
    add_op (b, "model.2", c->upsampled, cat[0],
        add_views (b, height, width, one), FALSE);
  graph = y10_graph_builder_finish (b, &fields, &error);
  g_assert_no_error (error);
  g_assert_true (y10_graph_read_scales (graph, "test", &error));
  y10_tensor_file_unref (file);
  return graph;
}

/* What the convolution gives, at once or op by op. Returns whether both ops were
 * joined. */
static gboolean
run (const Y10Graph *graph, const Data *d, Y10Precision precision,
    guint threads, gboolean at_once, float *out)
{
  const Y10BackendClass *cpu = &y10_backend_cpu;
  const Y10DeviceConfig config = { .threads = threads, .device_id = -1 };
  const Y10View up = graph->ops[0].out, in = graph->ops[1].in;
  const Y10View others = { in.tensor, up.first + up.n, in.n - up.n };
  GError *error = NULL;
  Y10Device *device = cpu->open (&config, &error);
  Y10Layout layout;
  Y10Plan *plan;
  Y10Program *program;
  Y10Slot *slot;
  gboolean joined;

  g_assert_no_error (error);
  cpu->layout (device, &precision, &layout, &error);
  plan = y10_plan_new (graph, &layout, &error);
  program = cpu->compile (device, plan, precision, NULL, &error);
  g_assert_no_error (error);
  joined = program->ops[0].joint != NULL;
  slot = cpu->slot_new (program, 1, 1, &error);
  g_assert_no_error (error);
  cpu->poison (slot);
  cpu->write_tensor (slot, 0, graph->ops[0].in, d->small, &error);
  cpu->write_tensor (slot, 0, others, d->others, &error);
  if (at_once) {
    cpu->submit (slot, 1, 0, 2, &error);
  } else {
    cpu->submit (slot, 1, 0, 1, &error);
    cpu->submit (slot, 1, 1, 2, &error);
  }
  cpu->read_tensor (slot, 0, graph->ops[1].out, out, &error);
  g_assert_no_error (error);
  cpu->slot_free (slot);
  cpu->program_free (program);
  y10_plan_free (plan);
  cpu->close (device);
  return joined;
}

static void
compare (const Case *c, const Data *d, const float *out)
{
  for (guint o = 0; o < d->n_out; o++)
    for (guint y = 0; y < 2 * c->height; y++)
      for (guint x = 0; x < 2 * c->width; x++, out++) {
        const double wanted = expect (c, d, o, y, x);

        if (c->silu) /* bfloat16 at worst */
          g_assert_cmpfloat_with_epsilon (*out, wanted,
              1e-3 + fabs (wanted) / 128);
        else
          g_assert_cmpfloat (*out, ==, wanted);
      }
}

static void
test_case (const Case *c, Y10Precision precision)
{
  Y10Graph *graph;
  Data d;
  gsize size;
  float *out, *other;
  gboolean joined;

  data_init (&d, c);
  graph = make_graph (c, &d, precision == Y10_PRECISION_INT8);
  size = 4 * (gsize) c->height * c->width * d.n_out * sizeof *out;
  out = g_malloc (size);
  other = g_malloc (size);
  g_test_message ("%s: %u channels of %u × %u, to %u",
      y10_precision_get_name (precision), c->upsampled, c->height, c->width,
      c->out);
  joined = run (graph, &d, precision, 1, TRUE, out);
  g_assert_true (joined || !c->joined);
  g_assert_false (joined && c->reader);
  compare (c, &d, out);
  for (guint threads = 1; threads <= 3; threads += 2)
    for (guint at_once = 0; at_once < 2; at_once++) {
      run (graph, &d, precision, threads, at_once, other);
      g_assert_cmpmem (out, size, other, size);
    }
  y10_graph_free (graph);
  g_free (out);
  g_free (other);
  data_clear (&d);
}

static void
test_precision (gconstpointer data)
{
  const Y10Precision precision = GPOINTER_TO_INT (data);

  if (!y10_cpu_kernels (precision)) {
    g_test_skip ("this CPU has no such kernels");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    test_case (&cases[i], precision);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/upsampled/fp32", GINT_TO_POINTER (Y10_PRECISION_FP32),
      test_precision);
  g_test_add_data_func ("/upsampled/bf16", GINT_TO_POINTER (Y10_PRECISION_BF16),
      test_precision);
  g_test_add_data_func ("/upsampled/int8", GINT_TO_POINTER (Y10_PRECISION_INT8),
      test_precision);
  result = g_test_run ();
  test_dir_remove ();
  return result;
}
