/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The choice of a model's head: by the caller, by the file's metadata, by the
 * heads that the file contains. */

#include <glib/gstdio.h>
#include <string.h>

#include "util.h"

#define MAX_ROWS 300

static void
remove_head (Y10TestTensors *tensors, gboolean one2one)
{
  for (guint i = tensors->tensors->len; i-- > 0;) {
    Y10TestTensor *t = g_ptr_array_index (tensors->tensors, i);
    gboolean of_one = strstr (t->name, "one2one_") != NULL;

    if (g_str_has_prefix (t->name, "model.23.cv") ? !one2one
                                                  : of_one && one2one)
      y10_test_tensors_remove (tensors, t->name);
  }
}

/* A file with the end-to-end head only is enough, and so is one with the other
 * head only. */
static void
test_one_head (void)
{
  for (guint many = 0; many < 2; many++) {
    Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
    Y10EngineConfig config;
    GError *error = NULL;
    Y10Engine *engine;
    Y10Model *model;

    remove_head (tensors, many);
    model = test_model (tensors, NULL);
    g_assert_cmpint (y10_model_has_head (model, Y10_HEAD_ONE2ONE), ==, !many);
    g_assert_cmpint (y10_model_has_head (model, Y10_HEAD_ONE2MANY), ==, many);
    y10_engine_config_init (&config, sizeof config);
    config.backend = Y10_BACKEND_REF;
    config.width = config.height = 32;
    engine = y10_engine_new (model, &config, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpint (y10_engine_get_head (engine), ==,
        many ? Y10_HEAD_ONE2MANY : Y10_HEAD_ONE2ONE);
    y10_engine_unref (engine);
    config.head = many ? Y10_HEAD_ONE2ONE : Y10_HEAD_ONE2MANY;
    engine = y10_engine_new (model, &config, NULL, &error);
    g_assert_null (engine);
    test_expect_error (error, Y10_ERROR_MODEL,
        many ? "no one2one head" : "no one2many head", NULL);
    error = NULL;
    config.head = many ? Y10_HEAD_ONE2ONE_NMS : Y10_HEAD_ONE2MANY;
    engine = y10_engine_new (model, &config, NULL, &error);
    g_assert_null (engine);
    test_expect_error (error, Y10_ERROR_MODEL,
        many ? "no one2one head" : "no one2many head", NULL);
    y10_model_unref (model);
    y10_test_tensors_free (tensors);
  }
}

/* AUTO takes the head that the metadata name, if the file contains it. */
static void
test_named (void)
{
  static const struct
  {
    const char *metadata;
    Y10Head both, one, many; /* of a file with both heads, or with one */
  } cases[] = {
    { NULL, Y10_HEAD_ONE2ONE, Y10_HEAD_ONE2ONE, Y10_HEAD_ONE2MANY },
    { "{\"head\":\"one2one\"}", Y10_HEAD_ONE2ONE, Y10_HEAD_ONE2ONE,
        Y10_HEAD_ONE2MANY },
    { "{\"head\":\"one2many\"}", Y10_HEAD_ONE2MANY, Y10_HEAD_ONE2ONE,
        Y10_HEAD_ONE2MANY },
    { "{\"head\":\"one2one-nms\"}", Y10_HEAD_ONE2ONE_NMS, Y10_HEAD_ONE2ONE_NMS,
        Y10_HEAD_ONE2MANY },
  };

  for (guint i = 0; i < 3 * G_N_ELEMENTS (cases); i++) {
    const Y10TestFormat format = { .metadata = cases[i / 3].metadata };
    Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
    Y10Head expected = i % 3 == 0 ? cases[i / 3].both
        : i % 3 == 1              ? cases[i / 3].one
                                  : cases[i / 3].many;
    Y10Model *model;
    Y10Engine *engine;

    if (i % 3)
      remove_head (tensors, i % 3 == 2);
    model = test_model (tensors, &format);
    g_assert_cmpint (y10_model_get_head (model), ==, expected);
    engine = test_engine (model, Y10_BACKEND_REF, 32, 32);
    g_assert_cmpint (y10_engine_get_head (engine), ==, expected);
    y10_engine_unref (engine);
    y10_model_unref (model);
    y10_test_tensors_free (tensors);
  }
}

/* The caller's choice overrides the file's. */
static void
test_chosen (void)
{
  const Y10TestFormat format = { .metadata = "{\"head\":\"one2many\"}" };
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  g_autoptr (Y10Model) model = test_model (tensors, &format);

  for (int head = Y10_HEAD_ONE2ONE; head <= Y10_HEAD_ONE2ONE_NMS; head++) {
    Y10EngineConfig config;
    GError *error = NULL;
    Y10Engine *engine;

    y10_engine_config_init (&config, sizeof config);
    config.backend = Y10_BACKEND_REF;
    config.width = config.height = 32;
    config.head = (Y10Head) head;
    engine = y10_engine_new (model, &config, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpint (y10_engine_get_head (engine), ==, head);
    /* The other head is not computed. */
    for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
      Y10OpInfo op = { .size = sizeof op };

      y10_engine_get_op (engine, i, &op);
      g_assert_null (strstr (op.name,
          head == Y10_HEAD_ONE2MANY ? "one2one_cv" : "model.23.cv"));
    }
    y10_engine_unref (engine);
  }
  y10_test_tensors_free (tensors);
}

static void
test_unknown (void)
{
  static const struct
  {
    const char *metadata, *shown;
  } cases[] = {
    { "{\"head\":\"one2two\"}", "\"one2two\"" },
    { "{\"head\":\"\"}", "\"\"" },
    { "{\"head\":\"auto\"}", "\"auto\"" },
    { "{\"head\":\"ONE2MANY\"}", "\"ONE2MANY\"" },
    /* The error shows control characters escaped and shortens the text. */
    { "{\"head\":\"\\u001b[2J\\n0123456789012345678901234567890123456789\"}",
        "\"\\033[2J\\n0123456789012345678901234567890…\"" },
  };
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Y10TestFormat format = { .metadata = cases[i].metadata };
    char *path = test_path ("head.safetensors");
    GError *error = NULL;

    y10_test_tensors_write (tensors, path, &format, &error);
    g_assert_no_error (error);
    g_assert_null (y10_model_load (path, NULL, &error));
    test_expect_error (error, Y10_ERROR_MODEL, path, "\"head\"", cases[i].shown,
        "one2one-nms", NULL);
    g_unlink (path);
    g_free (path);
  }
  y10_test_tensors_free (tensors);
}

static guint
detect_with (const Y10TestTensors *tensors, Y10BackendKind backend,
    Y10Head head, gboolean multi_label, const Y10HeadParams *params,
    Y10Detection *rows)
{
  g_autoptr (Y10Model) model = test_model (tensors, NULL);
  Y10EngineConfig config;
  GError *error = NULL;
  g_autoptr (Y10Engine) engine = NULL;
  g_autofree float *pixels = NULL;
  guint n;

  y10_engine_config_init (&config, sizeof config);
  config.backend = backend;
  config.precision = Y10_PRECISION_FP32;
  config.width = config.height = 96;
  config.head = head;
  config.multi_label = multi_label;
  engine = y10_engine_new (model, &config, NULL, &error);
  g_assert_no_error (error);
  pixels = test_pixels (engine, 0);
  n = test_detect_params (engine, pixels, params, rows, MAX_ROWS);
  return n;
}

static guint
detect (const Y10TestTensors *tensors, Y10BackendKind backend, Y10Head head,
    Y10Detection *rows)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  params.confidence = 0;
  return detect_with (tensors, backend, head, FALSE, &params, rows);
}

/* one2one-nms equals one2many with the weights of the other head, which the
 * golden files compare with PyTorch. */
static void
test_one2one_nms (void)
{
  static const Y10BackendKind backends[] = { Y10_BACKEND_REF, Y10_BACKEND_CPU };
  Y10Detection with[MAX_ROWS], wanted[MAX_ROWS], without[MAX_ROWS];

  for (guint i = 0; i < G_N_ELEMENTS (backends); i++) {
    Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
    guint n, n_without;

    n = detect (tensors, backends[i], Y10_HEAD_ONE2ONE_NMS, with);
    n_without = detect (tensors, backends[i], Y10_HEAD_ONE2ONE, without);
    remove_head (tensors, FALSE);
    for (guint k = 0; k < tensors->tensors->len; k++) {
      Y10TestTensor *t = g_ptr_array_index (tensors->tensors, k);
      char *at = strstr (t->name, "one2one_");

      if (at) {
        y10_test_tensors_data (tensors, t); /* seeded by its name */
        memmove (at, at + strlen ("one2one_"), strlen (at) - 7);
      }
    }
    g_assert_cmpuint (n, ==,
        detect (tensors, backends[i], Y10_HEAD_ONE2MANY, wanted));
    g_assert_cmpuint (n, >, 0);
    g_assert_cmpmem (with, n * sizeof *with, wanted, n * sizeof *wanted);
    /* The result differs from that without NMS. */
    g_assert_true (n != n_without || memcmp (with, without, n * sizeof *with));
    y10_test_tensors_free (tensors);
  }
}

/* Where nothing overlaps too much, NMS changes nothing: with all classes of an anchor the
 * rows are those of the end-to-end head, several of one anchor among them; with the best
 * class only, each anchor has one. */
static void
test_multi_label (void)
{
  static const Y10BackendKind backends[] = { Y10_BACKEND_REF, Y10_BACKEND_CPU };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Detection with[MAX_ROWS], wanted[MAX_ROWS];
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);

  params.confidence = 0;
  params.iou = 1;
  for (guint i = 0; i < G_N_ELEMENTS (backends); i++) {
    const guint n = detect_with (tensors, backends[i], Y10_HEAD_ONE2ONE, FALSE,
        &params, wanted);
    gboolean seen[MAX_ROWS] = { FALSE };
    guint n_again = 0;

    g_assert_cmpuint (n, ==, MAX_ROWS);
    g_assert_cmpuint (detect_with (tensors, backends[i], Y10_HEAD_ONE2ONE_NMS,
                          TRUE, &params, with),
        ==, n);
    g_assert_cmpmem (with, n * sizeof *with, wanted, n * sizeof *wanted);
    for (guint k = 0; k < n; k++) {
      g_assert_cmpuint (with[k].anchor, <, MAX_ROWS);
      n_again += seen[with[k].anchor];
      seen[with[k].anchor] = TRUE;
    }
    g_assert_cmpuint (n_again, >, 0);
    g_assert_cmpuint (detect_with (tensors, backends[i], Y10_HEAD_ONE2ONE_NMS,
                          FALSE, &params, with),
        <=, 189);
  }
  y10_test_tensors_free (tensors);
}

/* Asking for some classes gives the boxes of these classes and no others: a place whose best
 * class is another one has none. */
static void
test_classes (void)
{
  static const Y10BackendKind backends[] = { Y10_BACKEND_REF, Y10_BACKEND_CPU };
  static const guint8 classes[] = { 0, 1, 0 };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Detection all[MAX_ROWS], rows[MAX_ROWS];
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);

  params.confidence = 0;
  params.iou = 1;
  for (guint i = 0; i < G_N_ELEMENTS (backends); i++) {
    guint n, n_expected = 0;

    params.classes = NULL;
    n = detect_with (tensors, backends[i], Y10_HEAD_ONE2MANY, FALSE, &params,
        all);
    params.classes = classes;
    for (guint k = 0; k < n; k++)
      if (classes[all[k].class_id])
        all[n_expected++] = all[k];
    g_assert_cmpuint (n_expected, >, 0);
    g_assert_cmpuint (n_expected, <, n);
    n = detect_with (tensors, backends[i], Y10_HEAD_ONE2MANY, FALSE, &params,
        rows);
    g_assert_cmpmem (rows, n * sizeof *rows, all, n_expected * sizeof *all);
  }
  y10_test_tensors_free (tensors);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/heads/one", test_one_head);
  g_test_add_func ("/heads/multi-label", test_multi_label);
  g_test_add_func ("/heads/classes", test_classes);
  g_test_add_func ("/heads/named", test_named);
  g_test_add_func ("/heads/chosen", test_chosen);
  g_test_add_func ("/heads/unknown", test_unknown);
  g_test_add_func ("/heads/one2one-nms", test_one2one_nms);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
