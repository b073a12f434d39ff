/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Files that change while they are read, that are no regular files, or that
 * were made to break the reader: each gives an error that names the file,
 * without a crash or a hang. */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

/* The time limit of calls that must not block. */
#define SECONDS 20

static GError *
load_error (const char *path, const char *labels)
{
  GError *error = NULL;
  Y10Model *model;

  alarm (SECONDS);
  model = y10_model_load (path, labels, &error);
  alarm (0);
  g_assert_null (model);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, labels ? labels : path));
  return error;
}

static char *
write_header (const char *json, gsize length)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 le = GUINT64_TO_LE (length);
  char *path;

  g_byte_array_append (bytes, (const guint8 *) &le, 8);
  g_byte_array_append (bytes, (const guint8 *) json, (guint) length);
  path = test_write ("header.safetensors", bytes->data, bytes->len);
  return path;
}

static void
test_nesting (void)
{
  static const char *const opening[] = { "[", "{\"a\":" };

  for (guint i = 0; i < G_N_ELEMENTS (opening); i++) {
    GString *json = g_string_new ("{\"a\":");
    char *path;

    for (guint d = 0; d < 500000; d++)
      g_string_append (json, opening[i]);
    path = write_header (json->str, json->len);
    test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
        "its header is not JSON", "it nests more than 8 deep", NULL);
    g_free (path);
    g_string_free (json, TRUE);
  }
}

/* The parser takes these for strings that end elsewhere than those of JSON, and the last
 * for a statement that it calls itself for. */
static void
test_hidden_nesting (void)
{
  static const struct
  {
    const char *before, *nested;
  } cases[] = {
    { "{'\"':", "[" },
    { "{\"\\ud800\" \":", "[" },
    { "{\"\\u00\" \":", "{\"a\":" },
    { "{\"a\":1 /\"/,\"b\":", "[" },
    { "{}", "var a = " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GString *json = g_string_new (cases[i].before);
    char *path;

    while (json->len < 4000000)
      g_string_append (json, cases[i].nested);
    path = write_header (json->str, json->len);
    test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
        "its header is not JSON", NULL);
    g_free (path);
    g_string_free (json, TRUE);
  }
}

/* Brackets and quotes in strings are text. */
static void
test_no_nesting (void)
{
  static const char json[] =
      "{\"__metadata__\":{\"a\":\"[[[[[[[[[[\\\"{{{{{{{{{{\\ud83d\\ude97\\u00e4\\\\\"},"
      "\"b]\\\"[[[[[[[[[[\":{\"dtype\":\"F32\",\"shape\":[],"
      "\"data_offsets\":[0,0],\"c\":[[[[[[1]]]]]]}}";
  g_autofree char *path = write_header (json, sizeof json - 1);

  test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
      "\"b]\"[[[[[[[[[[\" has 0 bytes", NULL);
}

/* The escapes are half a surrogate pair each; errors are UTF-8 all the same. */
static void
test_no_text (void)
{
  static const char *const headers[] = {
    "{\"a\":{\"dtype\":\"\\ud800\",\"shape\":[],\"data_offsets\":[0,0]}}",
    "{\"\\ud800\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,0]}}",
    "{\"a\":\xff\xfe}",
    "{\"\xff\":}",
    "{\"\\ud800\" 3}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (headers); i++) {
    char *path = write_header (headers[i], strlen (headers[i]));
    GError *error = load_error (path, NULL);

    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    test_expect_error (error, Y10_ERROR_MODEL_FORMAT, path, NULL);
    g_free (path);
  }
}

static void
test_large_header (void)
{
  gsize length = (4u << 20) + 1;
  char *json = g_malloc (length), *path;

  memset (json, ' ', length);
  json[0] = '{';
  json[length - 1] = '}';
  path = write_header (json, length);
  test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
      "header would have 4194305 bytes", "at most 4194304", NULL);
  g_free (path);
  path = write_header (json + 1, length - 1);
  test_expect_error (load_error (path, NULL), Y10_ERROR_MODEL_FORMAT,
      "not JSON", NULL);
  g_free (path);
  g_free (json);
}

/* Opening a FIFO does not wait for a writer; a link is followed. */
static void
test_no_files (void)
{
  char *fifo = test_path ("fifo"), *link = test_path ("link");
  g_autofree char *model = test_path ("model.safetensors");
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  GError *error = NULL;
  const struct
  {
    const char *path, *kind;
  } files[] = { { fifo, "a FIFO" }, { link, "a FIFO" },
    { "/dev/zero", "a character device" },
    { "/dev/full", "a character device" }, { test_dir (), "a directory" } };

  y10_test_tensors_write (tensors, model, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_cmpint (symlink (fifo, link), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    test_expect_error (load_error (files[i].path, NULL), Y10_ERROR_NOT_FOUND,
        files[i].kind, "expected a regular file", NULL);
    test_expect_error (load_error (model, files[i].path), Y10_ERROR_LABELS,
        files[i].kind, "expected a regular file", NULL);
  }
  g_free (fifo);
  g_free (link);
  y10_test_tensors_free (tensors);
}

/* Sparse: it takes no room. */
static void
test_large_labels (void)
{
  g_autofree char *model = test_path ("model.safetensors");
  g_autofree char *labels = test_write ("labels.txt", "cat\n", 4);
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  GError *error = NULL;

  y10_test_tensors_write (tensors, model, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (truncate (labels, (off_t) 1 << 40), ==, 0);
  test_expect_error (load_error (model, labels), Y10_ERROR_LABELS,
      "has 1099511627776 bytes", "at most 4194304", NULL);
  y10_test_tensors_free (tensors);
}

static Y10Engine *
make_engine (Y10Model *model, GError **error)
{
  Y10EngineConfig config;

  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_REF;
  config.width = config.height = 32;
  return y10_engine_new (model, &config, NULL, error);
}

typedef enum
{
  TRUNCATE,
  GROW,
  REWRITE,
  TOUCH,
  RENAME
} Change;

static void
change_file (const char *path, Change how)
{
  const struct timespec later[2] = { { 2000000000, 0 }, { 2000000000, 0 } };
  g_autofree char *aside = g_strconcat (path, ".new", NULL);
  int fd = open (path, O_RDWR | O_CLOEXEC);
  struct stat s;

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (fstat (fd, &s), ==, 0);
  if (how == TRUNCATE) { /* as cp begins */
    g_assert_cmpint (ftruncate (fd, 1000), ==, 0);
  } else if (how == GROW) {
    g_assert_cmpint (ftruncate (fd, s.st_size + 1), ==, 0);
  } else if (how == REWRITE) {
    g_assert_cmpint (pwrite (fd, "xxxx", 4, s.st_size / 2), ==, 4);
    g_assert_cmpint (futimens (fd, later), ==, 0);
  } else if (how == TOUCH) {
    g_assert_cmpint (futimens (fd, later), ==, 0);
  } else {
    g_assert_true (g_file_set_contents (aside, "new", 3, NULL));
    g_assert_cmpint (g_rename (aside, path), ==, 0);
  }
  close (fd);
}

/* The file changes between loading the model and creating its engine; while the
 * file was mapped, TRUNCATE killed the process. */
static void
test_changed (void)
{
  static const struct
  {
    Change how;
    const char *found; /* NULL: no harm */
  } changes[] = {
    { TRUNCATE,
        "is shorter than when it was opened: found 1000 bytes, expected " },
    { GROW, "was written to after it was opened" },
    { REWRITE, "was written to after it was opened" },
    { TOUCH, "was written to after it was opened" },
    { RENAME, NULL },
  };
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  g_autofree char *path = test_path ("changed.safetensors");

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    GError *error = NULL;
    Y10Engine *engine;
    Y10Model *model;

    g_unlink (path);
    y10_test_tensors_write (tensors, path, NULL, &error);
    g_assert_no_error (error);
    model = y10_model_load (path, NULL, &error);
    g_assert_no_error (error);
    change_file (path, changes[i].how);
    engine = make_engine (model, &error);
    if (changes[i].found) {
      g_assert_null (engine);
      test_expect_error (error, Y10_ERROR_MODEL_FORMAT, path, changes[i].found,
          "renaming (mv)", NULL);
    } else {
      g_assert_no_error (error);
      y10_engine_unref (engine);
    }
    y10_model_unref (model);
  }
  y10_test_tensors_free (tensors);
}

/* The engine reads nothing after that. */
static void
test_changed_later (void)
{
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  g_autofree char *path = test_path ("changed.safetensors");
  Y10Detection before[300], after[300];
  GError *error = NULL;
  g_autoptr (Y10Engine) engine = NULL;
  g_autoptr (Y10Model) model = NULL;
  g_autofree float *pixels = NULL;
  guint n;

  y10_test_tensors_write (tensors, path, NULL, &error);
  g_assert_no_error (error);
  model = y10_model_load (path, NULL, &error);
  g_assert_no_error (error);
  engine = make_engine (model, &error);
  g_assert_no_error (error);
  pixels = test_pixels (engine, 0);
  n = test_detect (engine, pixels, before, 300);
  change_file (path, TRUNCATE);
  g_assert_cmpuint (test_detect (engine, pixels, after, 300), ==, n);
  g_assert_cmpint (memcmp (before, after, n * sizeof *before), ==, 0);
  y10_test_tensors_free (tensors);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/untrusted/nesting", test_nesting);
  g_test_add_func ("/untrusted/hidden-nesting", test_hidden_nesting);
  g_test_add_func ("/untrusted/no-nesting", test_no_nesting);
  g_test_add_func ("/untrusted/no-text", test_no_text);
  g_test_add_func ("/untrusted/large-header", test_large_header);
  g_test_add_func ("/untrusted/no-files", test_no_files);
  g_test_add_func ("/untrusted/large-labels", test_large_labels);
  g_test_add_func ("/untrusted/changed", test_changed);
  g_test_add_func ("/untrusted/changed-later", test_changed_later);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
