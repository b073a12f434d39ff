/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The same weights give the same detections in every form of storage, and what else a file
 * says of them. */

#include <math.h>
#include <string.h>

#include "util.h"

#define MAX_ROWS 300

/* Many tools write metadata; the reader ignores metadata that it does not
 * understand. */
static void
test_metadata (void)
{
  static const struct
  {
    const char *metadata, *first, *last;
    guint width, height;
  } cases[] = {
    { "{\"names\":\"{0: 'cat', 1: 'dog', 2: \\\"bird's\\\"}\"}", "cat",
        "bird's", 640, 640 },
    { "{\"names\":\"[\\\"cat\\\", \\\"dog\\\", \\\"bird\\\"]\"}", "cat", "bird",
        640, 640 },
    { "{\"names\":\"{\\\"0\\\":\\\"c\\u00e4t\\\",\\\"1\\\":\\\"d\\\","
      "\\\"2\\\":\\\"b\\\"}\",\"imgsz\":\"320\"}",
        "c\xc3\xa4t", "b", 320, 320 },
    { "{\"imgsz\":\"[384, 640]\"}", "class 0", "class 2", 640, 384 },
    { "{\"names\":\"{0: 'cat'}\",\"imgsz\":\"333\"}", "cat", "class 2", 640,
        640 },
    { "{\"names\":\"{0: 'cat', 1: \",\"imgsz\":\"\"}", "class 0", "class 2",
        640, 640 },
  };
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Y10TestFormat format = { .metadata = cases[i].metadata };
    Y10Model *model = test_model (tensors, &format);
    guint width, height;

    g_assert_cmpuint (y10_model_get_n_classes (model), ==, 3);
    g_assert_cmpstr (y10_model_get_class_name (model, 0), ==, cases[i].first);
    g_assert_cmpstr (y10_model_get_class_name (model, 2), ==, cases[i].last);
    y10_model_get_input_size (model, &width, &height);
    g_assert_cmpuint (width, ==, cases[i].width);
    g_assert_cmpuint (height, ==, cases[i].height);
    y10_model_unref (model);
  }
  y10_test_tensors_free (tensors);
}

static guint
detect_file (const Y10TestTensors *tensors, const Y10TestFormat *format,
    Y10Detection *rows)
{
  g_autoptr (Y10Model) model = test_model (tensors, format);
  g_autoptr (Y10Engine) engine = test_engine (model, Y10_BACKEND_REF, 64, 64);
  g_autofree float *pixels = test_pixels (engine, 0);
  guint n = test_detect (engine, pixels, rows, MAX_ROWS);

  return n;
}

static void
assert_same_rows (const Y10Detection *got, guint n_got,
    const Y10Detection *wanted, guint n_wanted)
{
  g_assert_cmpuint (n_wanted, ==, 84 * 3); /* all anchors and classes */
  g_assert_cmpuint (n_got, ==, n_wanted);
  for (guint i = 0; i < n_got; i++)
    g_assert_cmpint (memcmp (&got[i], &wanted[i], sizeof *got), ==, 0);
}

static void
test_prefixes (void)
{
  static const char *const prefixes[] = { "model.model.", "", "model." };
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  Y10Detection wanted[MAX_ROWS], got[MAX_ROWS];
  guint n_wanted = detect_file (tensors, NULL, wanted);

  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++) {
    const Y10TestFormat format = { .prefix = prefixes[i] };
    guint n = detect_file (tensors, &format, got);

    assert_same_rows (got, n, wanted, n_wanted);
  }
  y10_test_tensors_free (tensors);
}

static float
half_to_float (guint16 h)
{
  int exponent = (h >> 10) & 31;
  float mantissa = (float) (h & 1023) / 1024;
  float value = exponent ? ldexpf (1 + mantissa, exponent - 15)
                         : ldexpf (mantissa, -14);

  return h & 0x8000 ? -value : value;
}

/* A 16-bit file is exactly an F32 file of rounded numbers. */
static void
test_dtypes (void)
{
  for (guint half = 0; half < 2; half++) {
    const Y10TestFormat format = { .dtype = half ? "F16" : "BF16" };
    Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
    Y10Detection wanted[MAX_ROWS], got[MAX_ROWS];
    guint n = detect_file (tensors, &format, got), n_wanted;

    for (guint i = 0; i < tensors->tensors->len; i++) {
      Y10TestTensor *t = g_ptr_array_index (tensors->tensors, i);
      float *data = y10_test_tensors_data (tensors, t);

      for (gsize j = 0; j < y10_test_tensor_n (t); j++)
        data[j] = half
            ? half_to_float (y10_test_float_to_half (data[j]))
            : y10_test_bf16_to_float (y10_test_float_to_bf16 (data[j]));
    }
    n_wanted = detect_file (tensors, NULL, wanted);
    assert_same_rows (got, n, wanted, n_wanted);
    y10_test_tensors_free (tensors);
  }
}

/* A file whose writer folded BatchNorm and merged RepVGGDW is the same network
 * up to rounding. */
static void
test_folded (void)
{
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  Y10Detection wanted[MAX_ROWS], got[MAX_ROWS];
  guint n_wanted = detect_file (tensors, NULL, wanted), n;

  y10_test_tensors_fold (tensors);
  g_assert_null (y10_test_tensors_find (tensors, "model.0.bn.weight"));
  g_assert_nonnull (
      y10_test_tensors_find (tensors, "model.22.m.0.cv1.2.conv.weight"));
  n = detect_file (tensors, NULL, got);
  g_assert_cmpuint (n, ==, n_wanted);
  for (guint i = 0; i < n; i++) {
    guint j = 0;

    /* Rounding may swap neighbours. */
    while (j < n
        && (got[j].anchor != wanted[i].anchor
            || got[j].class_id != wanted[i].class_id))
      j++;
    g_assert_cmpuint (j, <, n);
    g_assert_cmpfloat_with_epsilon (got[j].confidence, wanted[i].confidence,
        1e-5);
    g_assert_cmpfloat_with_epsilon (got[j].x0, wanted[i].x0, 1e-3);
    g_assert_cmpfloat_with_epsilon (got[j].y1, wanted[i].y1, 1e-3);
  }
  y10_test_tensors_free (tensors);
}

/* The digest is that of the file that y10_model_save() writes. */
static void
test_digest (void)
{
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  g_autoptr (Y10Model) model = test_model (tensors, NULL);
  g_autofree char *path = test_path ("saved.safetensors");
  g_autofree char *digest = NULL, *expected = NULL, *data = NULL;
  GError *error = NULL;
  gsize size;

  digest = y10_model_digest (model, &error);
  g_assert_no_error (error);
  g_assert_true (y10_model_save (model, path, &error));
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  expected = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guint8 *) data,
      size);
  g_assert_cmpstr (digest, ==, expected);
  y10_test_tensors_free (tensors);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/weights/metadata", test_metadata);
  g_test_add_func ("/weights/prefixes", test_prefixes);
  g_test_add_func ("/weights/dtypes", test_dtypes);
  g_test_add_func ("/weights/folded", test_folded);
  g_test_add_func ("/weights/digest", test_digest);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
