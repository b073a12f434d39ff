/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which weights Winograd's F(4 × 4, 3×3) accepts: those of trained networks, of any
 * size, but none whose sums leave the range of fp32. That the results are right
 * is tested by checkop and golden, except where weights are not accepted: then the
 * cpu backend must compute the layer in another way. */

#include <math.h>
#include <string.h>

#include "cpu/conv.h"
#include "util.h"

extern const Y10BackendClass y10_backend_cpu;

#define N_OUT 24
#define N_IN 40

/* Normally distributed, as after training with weight decay, times @scale. */
static gfloat *
make_weights (gdouble scale)
{
  gfloat *w = g_new (gfloat, N_OUT * N_IN * 9);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (guint i = 0; i < N_OUT * N_IN * 9; i++) {
    const gdouble u = 1 - g_rand_double (random);

    w[i] = scale * sqrt (-2 * log (u))
        * cos (2 * G_PI * g_rand_double (random));
  }
  return w;
}

static gboolean
accepts (const gfloat *w)
{
  return y10_cpu_conv_winograd4x4.is_accurate (N_OUT, N_IN, w);
}

static void
test_scales (void)
{
  static const struct
  {
    gdouble scale;
    gboolean accepted;
  } cases[] = { { 1e-15, TRUE }, { 0.02, TRUE }, { 1, TRUE }, { 1e15, TRUE },
    { 3e37, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gfloat *w = make_weights (cases[i].scale);

    g_test_message ("scale %g", cases[i].scale);
    g_assert_cmpint (accepts (w), ==, cases[i].accepted);
    g_free (w);
  }
}

/* Such a layer gives NaN in any way; it must not be taken for an accurate one. */
static void
test_bad_values (void)
{
  static const gfloat values[] = { NAN, INFINITY, -INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    gfloat *w = make_weights (0.02);

    w[0] = values[i];
    g_assert_false (accepts (w));
    g_free (w);
  }
}

/* A layer of zeros is exact. */
static void
test_zeros (void)
{
  g_autofree gfloat *w = g_new0 (gfloat, N_OUT * N_IN * 9);

  g_assert_true (accepts (w));
}

#define SIZE 24 /* 36 tiles: as many as F(4×4) needs */

/* A file of one convolution, without a bias. */
static Y10TensorFile *
open_file (const gfloat *w)
{
  g_autofree char *header = g_strdup_printf (
      "{\"model.0.weight\":{\"dtype\":\"F32\",\"shape\":"
      "[%u,%u,3,3],\"data_offsets\":[0,%u]},\"model.0.bias\":{\"dtype\":\"F32\",\"shape\":[%u],"
      "\"data_offsets\":[%u,%u]}}",
      N_OUT, N_IN, N_OUT * N_IN * 36, N_OUT, N_OUT * N_IN * 36,
      N_OUT * N_IN * 36 + N_OUT * 4);
  static const gfloat bias[N_OUT];
  const guint64 length = strlen (header);
  g_autoptr (GByteArray) data = g_byte_array_new ();
  GError *error = NULL;
  Y10TensorFile *file;
  g_autofree char *path = NULL;

  g_byte_array_append (data, (const guint8 *) &length, 8);
  g_byte_array_append (data, (const guint8 *) header, length);
  g_byte_array_append (data, (const guint8 *) w, N_OUT * N_IN * 36);
  g_byte_array_append (data, (const guint8 *) bias, sizeof bias);
  path = test_write ("winograd.safetensors", data->data, data->len);
  file = y10_tensor_file_open (path, &error);
  g_assert_no_error (error);
  return file;
}

/* The layer, and a pool that keeps it from being the last one. */
static Y10Graph *
make_graph (const gfloat *w)
{
  static const guint in_channels = N_IN, out_channels = N_OUT;
  Y10Graph fields = { .width = 32, .height = 32, .n_classes = 1, .n_bins = 16 };
  Y10TensorFile *file = open_file (w);
  Y10GraphBuilder *b = y10_graph_builder_new (file, 32, 32);
  Y10View in = y10_graph_builder_tensor (b, Y10_ROLE_ACTIVATION, SIZE, SIZE,
      &in_channels, 1);
  Y10View out = y10_graph_builder_tensor (b, Y10_ROLE_ACTIVATION, SIZE, SIZE,
      &out_channels, 1);
  Y10View last = y10_graph_builder_tensor (b, Y10_ROLE_ACTIVATION, SIZE, SIZE,
      &out_channels, 1);
  GError *error = NULL;
  guint conv = y10_weights_add_conv (y10_graph_builder_weights (b), "model.0",
      N_IN, FALSE, &error);
  Y10Graph *graph;

  g_assert_no_error (error);
  y10_graph_builder_op (b,
      &(Y10Op){
          .kind = Y10_OP_CONV,
          .name = g_strdup ("model.0"),
          .in = in,
          .out = out,
          .kernel = 3,
          .stride = 1,
          .pad = 1,
          .groups = 1,
          .conv = conv,
      });
  y10_graph_builder_op (b,
      &(Y10Op){
          .kind = Y10_OP_MAXPOOL5,
          .name = g_strdup ("model.1"),
          .in = out,
          .out = last,
      });
  graph = y10_graph_builder_finish (b, &fields, &error);
  g_assert_no_error (error);
  y10_tensor_file_unref (file);
  return graph;
}

/* The largest difference to the layer in double precision, divided by the outputs'
 * RMS. */
static gdouble
get_error (const gfloat *w, const gfloat *in, const gfloat *out)
{
  gdouble worst = 0, power = 0;

  for (gint o = 0; o < N_OUT; o++)
    for (gint y = 0; y < SIZE; y++)
      for (gint x = 0; x < SIZE; x++) {
        gdouble sum = 0;

        for (gint i = 0; i < N_IN * 9; i++) {
          gint v = y + i % 9 / 3 - 1, u = x + i % 3 - 1;

          if (v >= 0 && v < SIZE && u >= 0 && u < SIZE)
            sum += (gdouble) w[o * N_IN * 9 + i]
                * in[(i / 9 * SIZE + v) * SIZE + u];
        }
        g_assert_true (isfinite (out[(o * SIZE + y) * SIZE + x]));
        worst = MAX (worst, fabs (out[(o * SIZE + y) * SIZE + x] - sum));
        power += sum * sum;
      }
  return worst / sqrt (power / (N_OUT * SIZE * SIZE));
}

/* Runs the layer, which must be computed by @impl and right. */
static void
check_layer (const gfloat *w, const char *impl)
{
  const Y10DeviceConfig config = { .threads = 2, .device_id = -1 };
  Y10Precision precision = Y10_PRECISION_FP32;
  g_autofree gfloat *in = g_new (gfloat, N_IN * SIZE * SIZE);
  g_autofree gfloat *out = g_new (gfloat, N_OUT * SIZE * SIZE);
  Y10Graph *graph = make_graph (w);
  g_autoptr (GRand) random = g_rand_new_with_seed (2);
  GError *error = NULL;
  Y10Device *device = y10_backend_cpu.open (&config, &error);
  Y10Layout layout;
  Y10Plan *plan;
  Y10Program *program;
  Y10Slot *slot;

  for (guint i = 0; i < N_IN * SIZE * SIZE; i++)
    in[i] = g_rand_double_range (random, 0, 1);
  g_assert_true (y10_backend_cpu.layout (device, &precision, &layout, &error));
  plan = y10_plan_new (graph, &layout, &error);
  program = y10_backend_cpu.compile (device, plan, precision, NULL, &error);
  g_assert_no_error (error);
  slot = y10_backend_cpu.slot_new (program, 1, 1, &error);
  g_assert_true (
      y10_backend_cpu.write_tensor (slot, 0, graph->ops[0].in, in, &error));
  g_assert_true (y10_backend_cpu.submit (slot, 1, 0, 1, &error));
  g_assert_true (
      y10_backend_cpu.read_tensor (slot, 0, graph->ops[0].out, out, &error));
  g_assert_cmpstr (strchr (y10_backend_cpu.impl (program, 0), ':') + 1, ==,
      impl);
  g_assert_cmpfloat (get_error (w, in, out), <=, 5e-5);
  y10_backend_cpu.slot_free (slot);
  y10_backend_cpu.program_free (program);
  y10_plan_free (plan);
  y10_graph_free (graph);
  y10_backend_cpu.close (device);
}

/* A value of the tile of noise with which winograd.c compares. */
static gdouble
noise (guint channel, guint y, guint x)
{
  guint32 h = (channel * 36 + y * 6 + x + 1) * 2654435761u;

  h = (h ^ h >> 15) * 2246822519u;
  return (h >> 8) / (gdouble) (1 << 24);
}

/* Makes the first output channel of that tile vanish, so that F(4×4)'s rounding errors are
 * all that is left: removes what it has in common with each of the 16 sums. */
static void
cancel (gfloat *w)
{
  static gdouble sum[16][N_IN * 9], left[N_IN * 9];

  for (guint i = 0; i < N_IN * 9; i++)
    left[i] = w[i];
  for (guint o = 0; o < 16; o++) {
    gdouble norm = 0, part = 0;

    for (guint i = 0; i < N_IN * 9; i++)
      sum[o][i] = noise (i / 9, o / 4 + i % 9 / 3, o % 4 + i % 3);
    for (guint p = 0; p < o; p++) {
      gdouble common = 0;

      for (guint i = 0; i < N_IN * 9; i++)
        common += sum[o][i] * sum[p][i];
      for (guint i = 0; i < N_IN * 9; i++)
        sum[o][i] -= common * sum[p][i];
    }
    for (guint i = 0; i < N_IN * 9; i++)
      norm += sum[o][i] * sum[o][i];
    for (guint i = 0; i < N_IN * 9; i++) {
      sum[o][i] /= sqrt (norm);
      part += sum[o][i] * left[i];
    }
    for (guint i = 0; i < N_IN * 9; i++)
      left[i] -= part * sum[o][i];
  }
  for (guint i = 0; i < N_IN * 9; i++)
    w[i] = (gfloat) left[i];
}

/* What is refused is computed by F(2×2), and right. */
static void
test_fallback (void)
{
  g_autofree gfloat *w = make_weights (0.02);

  check_layer (w, "winograd4x4");
  cancel (w);
  g_assert_false (accepts (w));
  check_layer (w, "winograd2x2");
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/winograd/scales", test_scales);
  g_test_add_func ("/winograd/bad-values", test_bad_values);
  g_test_add_func ("/winograd/zeros", test_zeros);
  g_test_add_func ("/winograd/fallback", test_fallback);
  result = g_test_run ();
  test_dir_remove ();
  return result;
}
