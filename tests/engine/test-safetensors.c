/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Weights files that users may pass, and the errors they get: each names the
 * file and the fault in it. */

#include <math.h>
#include <string.h>

#include "util.h"

/* A safetensors file from a header; @length 0: the header's own. */
static char *
write_raw (const char *header, guint64 length, gsize n_data)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 le = GUINT64_TO_LE (length ? length : strlen (header));
  guint8 zero = 0;
  char *path;

  g_byte_array_append (bytes, (const guint8 *) &le, 8);
  g_byte_array_append (bytes, (const guint8 *) header, (guint) strlen (header));
  for (gsize i = 0; i < n_data; i++)
    g_byte_array_append (bytes, &zero, 1);
  path = test_write ("bad.safetensors", bytes->data, bytes->len);
  return path;
}

static GError *
load_error (const char *path, const char *labels)
{
  GError *error = NULL;
  Y10Model *model = y10_model_load (path, labels, &error);

  g_assert_null (model);
  g_assert_nonnull (error);
  /* Every error names the file. */
  if (!labels && !strstr (error->message, path)) {
    g_test_message ("\"%s\" does not name %s", error->message, path);
    g_test_fail ();
  }
  return error;
}

static GError *
load_tensors_error (const Y10TestTensors *tensors, const Y10TestFormat *format)
{
  g_autofree char *path = test_path ("bad.safetensors");
  GError *error = NULL;

  y10_test_tensors_write (tensors, path, format, &error);
  g_assert_no_error (error);
  error = load_error (path, NULL);
  return error;
}

static void
test_no_file (void)
{
  g_autofree char *path = test_path ("nowhere.safetensors");

  test_expect_error (load_error (path, NULL), Y10_ERROR_NOT_FOUND,
      "no such file", NULL);
  test_expect_error (load_error (test_dir (), NULL), Y10_ERROR_NOT_FOUND,
      "is a directory", NULL);
}

static void
test_other_files (void)
{
  static const guint8 zip[64] = "PK\3\4yolov10n/data.pkl";
  static const guint8 short_one[5] = { 5, 0, 0, 0, 0 };
  char *path;

  path = test_write ("empty.safetensors", "", 0);
  test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
      "is empty", NULL);
  g_free (path);
  path = test_write ("yolov10n.pt", zip, sizeof zip);
  test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
      "not a valid zip archive", NULL);
  g_free (path);
  path = test_write ("short.safetensors", short_one, sizeof short_one);
  test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
      "expected safetensors", NULL);
  g_free (path);
}

static void
test_truncated (void)
{
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  g_autoptr (GBytes) bytes = y10_test_tensors_serialize (tensors, NULL);
  gsize size, cut[] = { 9, 1000, 0, 0 };
  const guint8 *data = g_bytes_get_data (bytes, &size);

  cut[2] = size / 2;
  cut[3] = size - 1;
  for (guint i = 0; i < G_N_ELEMENTS (cut); i++) {
    char *path = test_write ("cut.safetensors", data, cut[i]);

    if (i < 2)
      test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
          "its header has", i ? "only 992 follow" : "only 1 follow", NULL);
    else
      test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
          "truncated", "tensor \"model.", NULL);
    g_free (path);
  }
  y10_test_tensors_free (tensors);
}

/* Headers of one or two tensors that no tool writes. */
static void
test_bad_headers (void)
{
  static const struct
  {
    const char *header;
    guint64 length; /* 0: the actual length */
    gsize n_data;
    const char *text[3];
  } bad[] = {
    { "{}", G_GUINT64_CONSTANT (1) << 60, 0,
        { "header would have 1152921504606846976 bytes", "at most" } },
    { "{}", 1000, 0, { "header has 1000 bytes", "only 2 follow" } },
    { "{\"a\":", 0, 0, { "not JSON" } },
    { " []", 0, 0, { "not a JSON object" } },
    { "{\"a\":3}", 0, 0, { "\"a\" is not an object" } },
    { "{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 0, 4,
        { "tensor \"a\" has no dtype" } },
    { "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 0, 4,
        { "shape of tensor \"a\"" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 0, 4,
        { "shape of tensor \"a\"" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}}", 0,
        4, { "shape of tensor \"a\"" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],"
      "\"data_offsets\":[0,4]}}",
        0, 4, { "shape of tensor \"a\"", "8" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 0, 4,
        { "data_offsets of tensor \"a\"" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,\"4\"]}}", 0,
        4, { "data_offsets of tensor \"a\"" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 0, 4,
        { "tensor \"a\" lies at bytes 4 to 0 of 4" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 0, 4,
        { "tensor \"a\" lies at bytes 0 to 8 of 4", "truncated" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],"
      "\"data_offsets\":[9223372036854775800,9223372036854775804]}}",
        0, 4, { "tensor \"a\" lies at bytes 9223372036854775800" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],"
      "\"data_offsets\":[0,99999999999999999999]}}",
        0, 4, { "\"a\"" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}",
        0, 12, { "tensors \"a\" and \"b\" overlap" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],"
      "\"data_offsets\":[0,4]}}",
        0, 4, { "shape of tensor", "overflows" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],"
      "\"data_offsets\":[0,0]}}",
        0, 4, { "\"a\" has 0 bytes", "4611686018427387904 elements of 4" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 0, 8,
        { "\"a\" has 8 bytes", "3 elements of 4" } },
    { "{\"a\":{\"dtype\":\"F99\",\"shape\":[1],\"data_offsets\":[0,4]}}", 0, 4,
        { "\"a\" has dtype \"F99\"", "expected F64, F32, F16 or BF16" } },
    { "{\"0.conv.weight\":{\"dtype\":\"F32\",\"shape\":[1],"
      "\"data_offsets\":[0,4]},\"model.0.conv.weight\":{\"dtype\":\"F32\","
      "\"shape\":[1],\"data_offsets\":[4,8]}}",
        0, 8, { "\"model.0.conv.weight\" occurs twice" } },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
      "\"\\u0061\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
        0, 8, { "tensor \"model.a\" occurs twice" } },
    { "{\"__metadata__\":7}", 0, 0, { "__metadata__ is not an object" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    char *path = write_raw (bad[i].header, bad[i].length, bad[i].n_data);

    test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
        bad[i].text[0], bad[i].text[1], bad[i].text[2], NULL);
    g_free (path);
  }
}

static void
test_missing_tensors (void)
{
  static const char *const names[] = {
    "model.0.conv.weight",
    "model.2.cv2.bn.running_var",
    "model.10.attn.pe.conv.weight",
    "model.22.m.0.cv1.2.conv1.conv.weight",
    "model.23.one2one_cv2.1.2.bias",
    "model.16.cv1.bn.weight",
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
    const char *module_end = g_strrstr (names[i], ".");
    char *module = g_strndup (names[i], (gsize) (module_end - names[i]));

    y10_test_tensors_remove (tensors, names[i]);
    test_expect_error (load_tensors_error (tensors, NULL), Y10_ERROR_MODEL,
        module, "missing", NULL);
    g_free (module);
    y10_test_tensors_free (tensors);
  }
}

static void
test_wrong_shapes (void)
{
  static const struct
  {
    const char *name;
    guint dim, size;
    const char *found, *expected;
  } wrong[] = {
    { "model.0.conv.weight", 1, 4, "[16, 4, 3, 3]", "[16, 3, 3, 3]" },
    { "model.4.cv1.conv.weight", 1, 25, "[24, 25, 1, 1]", "[24, 24, 1, 1]" },
    { "model.2.cv1.bn.bias", 0, 15, "[15]", "[16]" },
    { "model.5.cv2.conv.weight", 1, 2, "[32, 2, 3, 3]", "[32, 1, 3, 3]" },
    { "model.3.conv.weight", 2, 4, "[24, 16, 4, 3]", "k" },
    { "model.23.one2one_cv3.1.2.weight", 1, 7, "[3, 7, 1, 1]",
        "[3, 24, 1, 1]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);

    y10_test_tensors_find (tensors, wrong[i].name)->dim[wrong[i].dim] =
        wrong[i].size;
    test_expect_error (load_tensors_error (tensors, NULL), Y10_ERROR_MODEL,
        wrong[i].name, wrong[i].found, wrong[i].expected, NULL);
    y10_test_tensors_free (tensors);
  }
}

/* Classes that differ between levels fit each convolution, not the network. */
static void
test_levels_disagree (void)
{
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);

  y10_test_tensors_find (tensors, "model.23.one2one_cv3.2.2.weight")->dim[0] =
      4;
  y10_test_tensors_find (tensors, "model.23.one2one_cv3.2.2.bias")->dim[0] = 4;
  test_expect_error (load_tensors_error (tensors, NULL), Y10_ERROR_MODEL,
      "model.23.one2one_cv3.2", "4 classes", "expected 3", NULL);
  y10_test_tensors_free (tensors);
}

/* The beginning of a network, without a head that is known and with one. */
static void
test_unknown (void)
{
  static const struct
  {
    const char *name;
    gsize dim[4];
  } convs[] = {
    { "model.0", { 16, 3, 3, 3 } },
    { "model.1", { 32, 16, 3, 3 } },
    { "model.2.cv1", { 32, 32, 1, 1 } },
    { "model.2.cv2", { 32, 48, 1, 1 } },
    { "model.2.m.0.cv1", { 16, 16, 3, 3 } },
    { "model.2.m.0.cv2", { 16, 16, 3, 3 } },
    { "model.3", { 64, 32, 3, 3 } },
    { "model.4.cv1", { 64, 64, 1, 1 } },
    { "model.4.cv2", { 64, 96, 1, 1 } },
    { "model.4.m.0.cv1", { 32, 32, 3, 3 } },
    { "model.4.m.0.cv2", { 32, 32, 3, 3 } },
    { "model.5", { 128, 64, 3, 3 } },
    { "model.22.cv2.0.0", { 64, 64, 3, 3 } },
  };
  Y10TestTensors tensors = { g_ptr_array_new (), 0 };

  for (guint i = 0; i < G_N_ELEMENTS (convs); i++) {
    char *weight = g_strconcat (convs[i].name, ".conv.weight", NULL);
    char *bias = g_strconcat (convs[i].name, ".conv.bias", NULL);

    y10_test_tensors_add (&tensors, weight, convs[i].dim, 4, NULL);
    y10_test_tensors_add (&tensors, bias, convs[i].dim, 1, NULL);
    g_free (weight);
    g_free (bias);
  }
  test_expect_error (load_tensors_error (&tensors, NULL), Y10_ERROR_MODEL,
      "is not a YOLOv8, YOLOv10, YOLO11 or YOLO26", "model.22.cv3.2.2.weight",
      "model.23.one2one_cv3.2.2.weight", NULL);
  /* The head of a YOLOv8. */
  y10_test_tensors_add (&tensors, "model.22.cv3.2.2.weight",
      (const gsize[]){ 3, 64, 1, 1 }, 4, NULL);
  test_expect_error (load_tensors_error (&tensors, NULL), Y10_ERROR_MODEL,
      "is not a YOLOv8: tensor \"model.6.cv1.conv.weight\" is missing", NULL);
  for (guint i = 0; i < tensors.tensors->len; i++) {
    Y10TestTensor *t = g_ptr_array_index (tensors.tensors, i);

    g_free (t->name);
    g_free (t);
  }
  g_ptr_array_unref (tensors.tensors);
}

static void
test_not_finite (void)
{
  static const char *const names[][2] = {
    { "model.6.m.0.cv1.conv.weight", "\"model.6.m.0.cv1\"" },
    { "model.22.m.0.cv1.2.conv1.bn.running_mean", "\"model.22.m.0.cv1.2\"" },
    { "model.23.one2one_cv3.0.2.bias", "\"model.23.one2one_cv3.0.2\"" },
    { "model.10.attn.pe.conv.weight", "\"model.10.attn.pe\"" },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (names); i++) {
    Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
    Y10TestTensor *t = y10_test_tensors_find (tensors, names[i / 2][0]);
    GError *error = NULL;
    Y10EngineConfig config;
    Y10Engine *engine;
    Y10Model *model;

    y10_test_tensors_data (tensors,
        t)[y10_test_tensor_n (t) - 1] = i & 1 ? -INFINITY : NAN;
    model = test_model (tensors, NULL);
    y10_engine_config_init (&config, sizeof config);
    config.backend = Y10_BACKEND_REF;
    config.width = config.height = 32;
    engine = y10_engine_new (model, &config, NULL, &error);
    g_assert_null (engine);
    test_expect_error (error, Y10_ERROR_MODEL, names[i / 2][1], "finite",
        i & 1 ? "inf" : "nan", NULL);
    y10_model_unref (model);
    y10_test_tensors_free (tensors);
  }
}

/* A weight of integers: the file is sound, the network is not. */
static void
test_integer_weight (void)
{
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  GBytes *bytes = y10_test_tensors_serialize (tensors, NULL);
  gsize size;
  guint8 *data = g_bytes_unref_to_data (bytes, &size);
  char *at = g_strstr_len ((char *) data + 8, 200, "F32"), *path;

  memcpy (at, "I32", 3);
  path = test_write ("bad.safetensors", data, size);
  test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL,
      "model.0.conv.weight", "I32", "expected F64, F32, F16 or BF16", NULL);
  g_free (path);
  g_free (data);
  y10_test_tensors_free (tensors);
}

static void
test_labels (void)
{
  static const struct
  {
    const char *text;
    const char *found; /* NULL: right */
  } files[] = {
    { "cat\ndog\nbird\n", NULL },
    { "cat\r\ndog\r\nbird", NULL },
    { "\xef\xbb\xbf"
      "cat\ndog\nbird\n\n",
        NULL },
    { "cat\ndog\n", "has 2 labels; expected 3, one for each class" },
    { "cat\ndog\nbird\ncow\n", "has 4 labels; expected 3, one for each class" },
    { "", "has 0 labels; expected 3, one for each class" },
    { "cat\nd\xff\xfeg\nbird\n", "not UTF-8 in line 2" },
  };
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  g_autofree char *path = test_path ("labels.safetensors");
  g_autofree char *nowhere = test_path ("nowhere.txt");
  GError *error = NULL;

  y10_test_tensors_write (tensors, path, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    char *labels = test_write ("labels.txt", files[i].text,
        strlen (files[i].text));

    if (files[i].found) {
      test_expect_error (load_error (path, labels), Y10_ERROR_LABELS, labels,
          files[i].found, NULL);
    } else {
      Y10Model *model = y10_model_load (path, labels, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (y10_model_get_class_name (model, 0), ==, "cat");
      g_assert_cmpstr (y10_model_get_class_name (model, 2), ==, "bird");
      g_assert_null (y10_model_get_class_name (model, 3));
      g_assert_cmpint (y10_model_find_class (model, "dog"), ==, 1);
      g_assert_cmpint (y10_model_find_class (model, "Dog"), ==, -1);
      y10_model_unref (model);
    }
    g_free (labels);
  }
  test_expect_error (load_error (path, nowhere), Y10_ERROR_LABELS, nowhere,
      "no such file", NULL);
  y10_test_tensors_free (tensors);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/weights/no-file", test_no_file);
  g_test_add_func ("/weights/other-files", test_other_files);
  g_test_add_func ("/weights/truncated", test_truncated);
  g_test_add_func ("/weights/bad-headers", test_bad_headers);
  g_test_add_func ("/weights/missing-tensors", test_missing_tensors);
  g_test_add_func ("/weights/wrong-shapes", test_wrong_shapes);
  g_test_add_func ("/weights/levels-disagree", test_levels_disagree);
  g_test_add_func ("/weights/unknown", test_unknown);
  g_test_add_func ("/weights/not-finite", test_not_finite);
  g_test_add_func ("/weights/integer", test_integer_weight);
  g_test_add_func ("/weights/labels", test_labels);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
