/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The recipe in C gives the same results as the recipe in numpy: single values,
 * and the SHA-256 of whole files and inputs. All golden files depend on
 * this. */

#include <glib.h>
#include <string.h>

#include "seeded.h"
#include "tensors.h"

static void
test_values (void)
{
  static const struct
  {
    const char *name;
    gsize dim[4];
    guint n_dims;
    gsize index;
    float value;
  } expected[] = {
    /* seed 1 */
    { "model.0.conv.weight", { 16, 3, 3, 3 }, 4, 5, 0x1.4c2302p-4f },
    { "model.4.m.1.cv2.conv.weight", { 12, 12, 3, 3 }, 4, 100,
        -0x1.592dbcp-5f },
    { "model.10.attn.proj.conv.weight", { 32, 32, 1, 1 }, 4, 7,
        0x1.58fa12p-4f },
    { "model.23.one2one_cv3.0.2.weight", { 3, 24, 1, 1 }, 4, 10,
        0x1.0c2704p+3f },
    { "model.23.one2one_cv3.0.2.bias", { 3 }, 1, 1, -0x1.340cdcp+2f },
    { "model.23.cv2.1.2.bias", { 64 }, 1, 63, 0x1.a2f34cp-2f },
    { "model.1.bn.running_var", { 16 }, 1, 3, 0x1.8da858p-1f },
    { "model.1.bn.weight", { 16 }, 1, 3, 0x1.22f37cp+0f },
    { "model.1.bn.running_mean", { 16 }, 1, 15, -0x1.1737e0p-5f },
    { "model.23.dfl.conv.weight", { 1, 16, 1, 1 }, 4, 9, 9.f },
  };
  float buffer[12 * 12 * 9];

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    y10_seeded_tensor (expected[i].name, expected[i].dim, expected[i].n_dims, 1,
        buffer);
    g_test_message ("%s", expected[i].name);
    g_assert_cmpfloat (buffer[expected[i].index], ==, expected[i].value);
  }
}

static void
test_images (void)
{
  static const struct
  {
    guint64 seed;
    const char *sha256;
  } expected[] = {
    { 0, "9260d468b8d9a65634bd4d02b6c783de2716d2a710dddc3448ef0adc28b4bbbf" },
    { 5, "8d6581676fa36a55606d0714f8b1237efe4fb6ba6589533f80f6531d735de1e9" },
  };
  const gsize n = 3 * 320 * 320;
  g_autofree float *images = g_new (float, n);

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    char *sum;

    y10_seeded_images (n, expected[i].seed, images);
    sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256,
        (const guchar *) images, n * sizeof *images);
    g_assert_cmpstr (sum, ==, expected[i].sha256);
    g_free (sum);
  }
}

static void
test_files (void)
{
  static const struct
  {
    const char *shapes;
    guint64 seed;
    const char *sha256;
  } expected[] = {
    { "tiny-nc3", 0,
        "311f51e2f9071b8f6763f249a19cf7aa617b006732a1ff049aa07ebb65ab6730" },
    { "tiny-nc3", 7,
        "56a124d5e84ab8fb2054615a5d03412a8bcee7c6a76bb3275049cf5dd6e919dd" },
    { "tiny-x-nc3", 0,
        "def3c13a20870d0a4b9cdbe90f34da3f1fca04d775ad787421f2ee93b124770d" },
    { "yolov10n-nc3", 0,
        "f98253951158dc2f5ae0dd2c800ef585819a757ee63ecec7d2405b200d633637" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    char *shapes = g_strconcat (TEST_DATA_DIR "/", expected[i].shapes,
        ".shapes.json", NULL);
    GError *error = NULL;
    Y10TestTensors *tensors = y10_test_tensors_new (shapes, expected[i].seed,
        &error);
    GBytes *bytes;
    char *sum;

    g_assert_no_error (error);
    bytes = y10_test_tensors_serialize (tensors, NULL);
    sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
    g_test_message ("%s seed %" G_GUINT64_FORMAT, expected[i].shapes,
        expected[i].seed);
    g_assert_cmpstr (sum, ==, expected[i].sha256);
    g_free (sum);
    g_bytes_unref (bytes);
    y10_test_tensors_free (tensors);
    g_free (shapes);
  }
}

static void
test_half (void)
{
  /* IEEE 754: exact values, ties to even in both directions, subnormals, the
   * largest. */
  g_assert_cmphex (y10_test_float_to_half (1.f), ==, 0x3C00);
  g_assert_cmphex (y10_test_float_to_half (-2.f), ==, 0xC000);
  g_assert_cmphex (y10_test_float_to_half (1.f + 0x1p-11f), ==, 0x3C00);
  g_assert_cmphex (y10_test_float_to_half (1.f + 0x3p-11f), ==, 0x3C02);
  g_assert_cmphex (y10_test_float_to_half (65504.f), ==, 0x7BFF);
  g_assert_cmphex (y10_test_float_to_half (0x1p-24f), ==, 0x0001);
  g_assert_cmphex (y10_test_float_to_half (0x1.ff8p-15f), ==, 0x03FF);
  g_assert_cmphex (y10_test_float_to_half (-0.f), ==, 0x8000);
  g_assert_cmphex (y10_test_float_to_bf16 (1.f + 0x1p-8f), ==, 0x3F80);
  g_assert_cmphex (y10_test_float_to_bf16 (1.f + 0x3p-8f), ==, 0x3F82);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/seeded/values", test_values);
  g_test_add_func ("/seeded/images", test_images);
  g_test_add_func ("/seeded/files", test_files);
  g_test_add_func ("/seeded/half", test_half);
  return g_test_run ();
}
