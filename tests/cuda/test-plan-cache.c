/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The plan cache: a stored plan is loaded bit for bit, for exactly the same key
 * only; damaged, foreign and world-writable files are rejected. The plans here
 * are arbitrary bytes. */

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autotune/plan_cache.h"

static const Y10PlanCacheKey key = {
  .cudnn = 91900,
  .gpu = "NVIDIA H200",
  .major = 9,
  .minor = 0,
  .multiprocessors = 132,
  .model = "0123456789abcdef",
};

static const Y10CudaConvDesc desc = {
  .precision = Y10_PRECISION_FP16,
  .images = 1,
  .in = { 80, 80, 64, 192, 80 * 80 * 192 },
  .out = { 40, 40, 64, 64, 40 * 40 * 64 },
  .kernel = 3,
  .stride = 2,
  .pad = 1,
  .silu = TRUE,
};

static char *
new_folder (void)
{
  GError *error = NULL;
  char *root = g_dir_make_tmp ("y10-cache-XXXXXX", &error);

  g_assert_no_error (error);
  return root;
}

static void
remove_tree (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    char *below = g_build_filename (path, name, NULL);

    if (!g_file_test (below, G_FILE_TEST_IS_SYMLINK)
        && g_file_test (below, G_FILE_TEST_IS_DIR))
      remove_tree (below);
    g_remove (below);
    g_free (below);
  }
  if (dir)
    g_dir_close (dir);
  g_rmdir (path);
}

static Y10PlanCache *
open_cache (const char *folder, const Y10PlanCacheKey *k)
{
  GString *why = g_string_new (NULL);
  Y10PlanCache *cache = y10_plan_cache_open (folder, k, why);

  g_assert_cmpstr (why->str, ==, "");
  g_assert_nonnull (cache);
  g_string_free (why, TRUE);
  return cache;
}

static void
expect_refused (const char *folder, const char *text)
{
  g_autoptr (GString) why = g_string_new (NULL);

  g_assert_null (y10_plan_cache_open (folder, &key, why));
  g_assert_nonnull (strstr (why->str, text));
  g_assert_nonnull (strstr (why->str, folder));
}

static void
store (const Y10PlanCache *cache, const Y10CudaConvDesc *d,
    Y10CudaConvStage stage, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  GError *error = NULL;
  gboolean ok = y10_plan_cache_store (cache, d, stage, bytes, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

/* @text NULL: a miss. */
static void
expect (const Y10PlanCache *cache, const Y10CudaConvDesc *d,
    Y10CudaConvStage stage, const char *text)
{
  g_autoptr (GBytes) bytes = y10_plan_cache_load (cache, d, stage);

  if (!text) {
    g_assert_null (bytes);
    return;
  }
  g_assert_nonnull (bytes);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
      text, strlen (text));
}

/* Returns the only file in @folder. */
static char *
only_file (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  char *path = NULL;
  const char *name;

  while ((name = g_dir_read_name (dir))) {
    g_assert_null (path);
    path = g_build_filename (folder, name, NULL);
  }
  g_dir_close (dir);
  g_assert_nonnull (path);
  return path;
}

/* Writes in place, because g_file_set_contents() would wait for the disk. */
static void
write_file (const char *path, const char *data, gsize size)
{
  FILE *f = g_fopen (path, "wb");

  g_assert_nonnull (f);
  g_assert_cmpuint (fwrite (data, 1, size, f), ==, size);
  g_assert_cmpint (fclose (f), ==, 0);
}

static void
test_keys (void)
{
  g_autofree char *root = new_folder ();
  char *folder = g_build_filename (root, "a", "b", NULL);
  Y10PlanCache *cache = open_cache (folder, &key);
  Y10PlanCacheKey keys[6] = { key, key, key, key, key, key };
  Y10CudaConvDesc d[19];
  struct stat st;
  char *path;

  g_assert_cmpint (g_stat (folder, &st), ==, 0);
  g_assert_cmpint (st.st_mode & 0777, ==, 0700);
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, NULL);
  store (cache, &desc, Y10_CUDA_CONV_FUSED, "one\nplan");
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, "one\nplan");
  path = only_file (folder);
  g_assert_cmpint (g_stat (path, &st), ==, 0);
  g_assert_cmpint (st.st_mode & 0777, ==, 0600);
  store (cache, &desc, Y10_CUDA_CONV_FUSED, "another");
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, "another");
  g_free (path);
  path = only_file (folder); /* nothing is left behind */
  expect (cache, &desc, Y10_CUDA_CONV_BIAS, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (d); i++)
    d[i] = desc;
  d[0].precision = Y10_PRECISION_BF16;
  d[1].images = 2;
  d[2].in.height++;
  d[3].in.width++;
  d[4].in.channels += 8;
  d[5].in.pixel += 8;
  d[6].in.image += 8;
  d[7].out.height++;
  d[8].out.width++;
  d[9].out.channels += 8;
  d[10].out.pixel += 8;
  d[11].out.image += 8;
  d[12].add = desc.out;
  d[13].kernel = 1;
  d[14].stride = 1;
  d[15].pad = 0;
  d[16].silu = FALSE;
  d[17].out_float = TRUE;
  for (guint i = 0; i < 18; i++)
    expect (cache, &d[i], Y10_CUDA_CONV_FUSED, NULL);
  d[18].silu = 7; /* is TRUE, too */
  expect (cache, &d[18], Y10_CUDA_CONV_FUSED, "another");
  y10_plan_cache_free (cache);

  keys[0].cudnn++;
  keys[1].gpu = "NVIDIA H100";
  keys[2].major++;
  keys[3].minor++;
  keys[4].multiprocessors--;
  keys[5].model = "0123456789abcdee";
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    cache = open_cache (folder, &keys[i]);
    expect (cache, &desc, Y10_CUDA_CONV_FUSED, NULL);
    y10_plan_cache_free (cache);
  }
  cache = open_cache (folder, &key);
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, "another");
  y10_plan_cache_free (cache);
  g_free (path);
  g_free (folder);
  remove_tree (root);
}

static void
test_damage (void)
{
  g_autofree char *root = new_folder ();
  Y10PlanCache *cache = open_cache (root, &key);
  char *path, *data, *other;
  gsize size;

  store (cache, &desc, Y10_CUDA_CONV_FUSED, "a plan that is long enough");
  path = only_file (root);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  for (gsize n = 0; n < size; n++) { /* truncated anywhere */
    write_file (path, data, n);
    expect (cache, &desc, Y10_CUDA_CONV_FUSED, NULL);
  }
  for (gsize n = 0; n < size; n++) { /* a bit flipped anywhere */
    data[n] ^= 1;
    write_file (path, data, size);
    expect (cache, &desc, Y10_CUDA_CONV_FUSED, NULL);
    data[n] ^= 1;
  }
  write_file (path, data, size);
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, "a plan that is long enough");

  g_assert_cmpint (g_chmod (path, 0620), ==, 0);
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, NULL);
  g_assert_cmpint (g_chmod (path, 0602), ==, 0);
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, NULL);
  g_assert_cmpint (g_chmod (path, 0600), ==, 0);

  other = g_strconcat (path, "-moved", NULL);
  g_assert_cmpint (g_rename (path, other), ==, 0);
  g_assert_cmpint (symlink (other, path), ==, 0);
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, NULL);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, NULL);
  g_assert_cmpint (g_rmdir (path), ==, 0);
  g_assert_cmpint (g_remove (other), ==, 0);
  store (cache, &desc, Y10_CUDA_CONV_FUSED, "again");
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, "again");

  y10_plan_cache_free (cache);
  g_free (other);
  g_free (data);
  g_free (path);
  remove_tree (root);
}

static void
test_folders (void)
{
  static const int modes[] = { 0720, 0702, 0777, 01777 };
  g_autofree char *root = new_folder ();
  char *folder = g_build_filename (root, "plans", NULL);
  char *link = g_build_filename (root, "link", NULL);
  char *file = g_build_filename (root, "file", NULL);
  Y10PlanCache *cache;
  GBytes *bytes = g_bytes_new_static ("x", 1);
  GError *error = NULL;

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_assert_cmpint (g_chmod (folder, modes[i]), ==, 0);
    expect_refused (folder, "writable by other users");
  }
  g_assert_cmpint (g_chmod (folder, 0755), ==, 0);
  cache = open_cache (folder, &key);
  y10_plan_cache_free (cache);

  g_assert_cmpint (symlink (folder, link), ==, 0);
  expect_refused (link, "cannot use");
  g_assert_true (g_file_set_contents (file, "", 0, NULL));
  expect_refused (file, "cannot use");

  /* The folder vanishes while it is in use: one error, nothing else. */
  cache = open_cache (folder, &key);
  remove_tree (folder);
  expect (cache, &desc, Y10_CUDA_CONV_FUSED, NULL);
  g_assert_false (
      y10_plan_cache_store (cache, &desc, Y10_CUDA_CONV_FUSED, bytes, &error));
  g_assert_nonnull (strstr (error->message, folder));
  g_clear_error (&error);
  y10_plan_cache_free (cache);

  if (geteuid () == 0) {
    g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
    g_assert_cmpint (chown (folder, 65534, (gid_t) -1), ==, 0);
    expect_refused (folder, "another user");
  }
  g_bytes_unref (bytes);
  g_free (file);
  g_free (link);
  g_free (folder);
  remove_tree (root);
}

/* main() sets XDG_CACHE_HOME to a private folder. */
static void
test_default (void)
{
  char *folder = g_build_filename (g_getenv ("XDG_CACHE_HOME"), "yolov10detect",
      "plans", NULL);
  Y10PlanCache *cache = open_cache (NULL, &key);

  g_assert_cmpstr (y10_plan_cache_get_folder (cache), ==, folder);
  store (cache, &desc, Y10_CUDA_CONV_BIAS, "here");
  expect (cache, &desc, Y10_CUDA_CONV_BIAS, "here");
  y10_plan_cache_free (cache);
  g_free (folder);
}

static char *
text_of (guint writer)
{
  return g_strnfill (100000 + writer, (char) ('a' + writer));
}

static gint writing;

static gpointer
write_often (gpointer data)
{
  guint writer = GPOINTER_TO_UINT (data);
  Y10PlanCache *cache = open_cache (NULL, &key);
  char *text = text_of (writer);

  for (guint i = 0; i < 200; i++)
    store (cache, &desc, Y10_CUDA_CONV_FUSED, text);
  g_free (text);
  y10_plan_cache_free (cache);
  g_atomic_int_add (&writing, -1);
  return NULL;
}

/* Readers get one writer's plan or the other's, never a mixture. */
static void
test_together (void)
{
  Y10PlanCache *cache = open_cache (NULL, &key);
  GThread *threads[2];
  guint n = 0;

  g_atomic_int_set (&writing, G_N_ELEMENTS (threads));
  store (cache, &desc, Y10_CUDA_CONV_FUSED, "aaa");
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("writer", write_often, GUINT_TO_POINTER (i));
  while (g_atomic_int_get (&writing) > 0) {
    GBytes *bytes = y10_plan_cache_load (cache, &desc, Y10_CUDA_CONV_FUSED);

    g_assert_nonnull (bytes);
    g_bytes_unref (bytes);
    n++;
  }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_test_message ("%u reads", n);
  y10_plan_cache_free (cache);
}

int
main (int argc, char **argv)
{
  g_autofree char *home = new_folder ();
  int status;

  g_setenv ("XDG_CACHE_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan-cache/keys", test_keys);
  g_test_add_func ("/plan-cache/damage", test_damage);
  g_test_add_func ("/plan-cache/folders", test_folders);
  g_test_add_func ("/plan-cache/default", test_default);
  g_test_add_func ("/plan-cache/together", test_together);
  status = g_test_run ();
  remove_tree (home);
  return status;
}
