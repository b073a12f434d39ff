/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The choice of auto on the simulated GPU: it takes CUDA after one self-check
 * per driver and build, with any state of the cache folder, but not with a
 * broken kernel, in each precision and on each GPU by itself. Each case is a
 * process: this program with --open BACKEND, which opens an engine and prints the
 * backend, the number of checks and warnings, and the reason. The variables
 * TEST_PRECISION and TEST_CONTEXT choose the precision, and the GPU on which a
 * context is given to the engine. */

#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <y10/y10.h>

#include "control.h"

static const char *program;
static char *folder; /* of caches */
static guint n_checks, n_warnings;

static void
count (const char *domain, GLogLevelFlags level, const char *text,
    gpointer data)
{
  n_checks += strstr (text, "is checked against the reference") != NULL;
  n_warnings += (level & G_LOG_LEVEL_WARNING) != 0;
}

static void
configure (Y10EngineConfig *config, const char *backend)
{
  const char *precision = g_getenv ("TEST_PRECISION");
  const char *gpu = g_getenv ("TEST_CONTEXT");

  y10_engine_config_init (config, sizeof *config);
  config->backend = g_str_equal (backend, "cuda") ? Y10_BACKEND_CUDA
                                                  : Y10_BACKEND_AUTO;
  config->width = config->height = 32;
  config->tune = FALSE;
  while (precision
      && !g_str_equal (precision, y10_precision_get_name (config->precision)))
    config->precision++;
  if (gpu) {
    y10_backend_probe (Y10_BACKEND_CUDA, NULL); /* loads the simulator */
    config->cuda_context = y10_sim_control_get ()->context_new_on (atoi (gpu));
  }
}

static int
open_one (const char *backend)
{
  GError *error = NULL;
  Y10Model *model = y10_model_load (NULL, NULL, &error);
  Y10EngineConfig config;
  Y10Engine *engine;

  g_log_set_default_handler (count, NULL);
  configure (&config, backend);
  engine = model ? y10_engine_new (model, &config, NULL, &error) : NULL;
  if (!engine) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  g_print ("%s checks=%u warnings=%u %s\n",
      y10_backend_get_name (y10_engine_get_backend (engine)), n_checks,
      n_warnings,
      y10_engine_get_fallback_reason (engine)
          ? y10_engine_get_fallback_reason (engine)
          : "");
  y10_engine_unref (engine);
  y10_model_unref (model);
  if (config.cuda_context)
    y10_sim_control_get ()->context_free (config.cuda_context);
  return 0;
}

static GSubprocess *
start (const char *backend, const char *cache, const char *variables)
{
  g_autoptr (GSubprocessLauncher)
      launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_auto (GStrv) pairs = g_strsplit (variables, " ", -1);
  GError *error = NULL;
  GSubprocess *child;

  g_subprocess_launcher_setenv (launcher, "XDG_CACHE_HOME", cache, TRUE);
  g_subprocess_launcher_setenv (launcher, "Y10_SIM_EXIT", "0", TRUE);
  for (guint i = 0; pairs[i]; i++) {
    char *value = strchr (pairs[i], '=');

    if (!value)
      continue;
    *value = '\0';
    g_subprocess_launcher_setenv (launcher, pairs[i], value + 1, TRUE);
  }
  child = g_subprocess_launcher_spawn (launcher, &error, program, "--open",
      backend, NULL);
  g_assert_no_error (error);
  return child;
}

/* Waits for @child; its output must begin with @expected and contain
 * @reason. */
static void
finish (GSubprocess *child, const char *expected, const char *reason)
{
  g_autofree char *line = NULL;
  GError *error = NULL;

  g_subprocess_communicate_utf8 (child, NULL, NULL, &line, NULL, &error);
  g_assert_no_error (error);
  g_test_message ("%s", line);
  g_assert_true (g_subprocess_get_successful (child));
  if (!g_str_has_prefix (line, expected) || !strstr (line, reason))
    g_error ("%s: expected \"%s …%s\"", line, expected, reason);
  g_object_unref (child);
}

static gboolean
opens (const char *backend, const char *cache, const char *variables)
{
  g_autoptr (GSubprocess) child = start (backend, cache, variables);

  return g_subprocess_wait_check (child, NULL, NULL);
}

static void
expect (const char *backend, const char *cache, const char *variables,
    const char *expected, const char *reason)
{
  finish (start (backend, cache, variables), expected, reason);
}

static void
damage_all (const char *cache)
{
  g_autofree char *checks = g_build_filename (cache, "yolov10detect", "checks",
      NULL);
  GDir *dir = g_dir_open (checks, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (checks, name, NULL);
    g_autofree char *text = NULL;
    gsize size;

    g_assert_true (g_file_get_contents (path, &text, &size, NULL));
    text[size / 2] ^= 1;
    g_assert_true (g_file_set_contents (path, text, (gssize) size, NULL));
  }
  g_dir_close (dir);
}

static void
test_cached (void)
{
  g_autofree char *cache = g_build_filename (folder, "cached", NULL);

  expect ("auto", cache, "", "cuda checks=1 warnings=0", "");
  expect ("auto", cache, "", "cuda checks=0 warnings=0", "");
  expect ("auto", cache, "Y10_SIM_DRIVER=13010", "cuda checks=1", "");
  expect ("auto", cache, "Y10_SIM_DRIVER=13010", "cuda checks=0", "");
  expect ("auto", cache, "", "cuda checks=0", "");
  damage_all (cache);
  expect ("auto", cache, "", "cuda checks=1 warnings=0", "");
  expect ("auto", cache, "", "cuda checks=0", "");
}

/* backend=cuda never runs the check; a lost context is no verdict. */
static void
test_broken (void)
{
  static const char wrong[] = "Y10_SIM_BREAK=kernel:y10_maxpool5_f16";
  static const char said[] = "cuda: its self-check failed: the ";
  g_autofree char *cache = g_build_filename (folder, "broken", NULL);

  expect ("auto", cache, wrong, "cpu checks=1 warnings=1", said);
  expect ("auto", cache, wrong, "cpu checks=0 warnings=1", said);
  expect ("cuda", cache, wrong, "cuda checks=0 warnings=0", "");
  expect ("auto", cache, "Y10_SIM_DRIVER=13010 Y10_SIM_LOSE=40:700",
      "cpu checks=1 warnings=1", "the context is lost");
  expect ("auto", cache, "Y10_SIM_DRIVER=13010", "cuda checks=1 warnings=0",
      "");
}

/* Each precision has kernels of its own, and a verdict. One that the GPU lacks is
 * no failure: auto takes another backend and warns of nothing. */
static void
test_precisions (void)
{
  static const char wrong[] =
      "Y10_SIM_BREAK=kernel:y10_maxpool5_f32 TEST_PRECISION=fp32";
  g_autofree char *cache = g_build_filename (folder, "precisions", NULL);

  expect ("auto", cache, "Y10_SIM_BREAK=kernel:y10_maxpool5_f32",
      "cuda checks=1 warnings=0", "");
  expect ("auto", cache, wrong, "cpu checks=1 warnings=1",
      "cuda: its self-check failed: the ");
  expect ("auto", cache, wrong, "cpu checks=0 warnings=1", "");
  expect ("auto", cache, "", "cuda checks=0", "");
  /* Without AVX-512 the CPU has no bf16 either, so nothing is left. */
  if (opens ("cpu", cache, "TEST_PRECISION=bf16"))
    expect ("auto", cache, "TEST_PRECISION=bf16", "cpu checks=1 warnings=0",
        "has no precision bf16; it has fp16 and fp32");
  else
    g_assert_false (opens ("auto", cache, "TEST_PRECISION=bf16"));
  expect ("auto", cache, "TEST_PRECISION=bf16 Y10_SIM_CAPABILITY=8.6",
      "cuda checks=1 warnings=0", "");
  expect ("auto", cache, "TEST_PRECISION=tf32 Y10_SIM_CAPABILITY=8.6",
      "cuda checks=1 warnings=0", "");
}

/* The verdict is that of the GPU on which the given context is. */
static void
test_contexts (void)
{
  static const char wrong[] =
      "Y10_SIM_BREAK=kernel:y10_maxpool5_f16 TEST_CONTEXT=1";
  g_autofree char *cache = g_build_filename (folder, "contexts", NULL);

  expect ("auto", cache, "TEST_CONTEXT=0", "cuda checks=1 warnings=0", "");
  expect ("auto", cache, wrong, "cpu checks=1 warnings=1", "differ from");
  expect ("auto", cache, "TEST_CONTEXT=1", "cpu checks=0 warnings=1", "");
  expect ("auto", cache, "", "cuda checks=0 warnings=0", "");
}

static void
test_no_cache (void)
{
  expect ("auto", "/proc/nowhere", "", "cuda checks=1 warnings=0", "");
}

static void
test_concurrent (void)
{
  g_autofree char *cache = g_build_filename (folder, "concurrent", NULL);
  GSubprocess *children[3];

  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    children[i] = start ("auto", cache, "");
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    finish (children[i], "cuda checks=", "");
  expect ("auto", cache, "", "cuda checks=0", "");
}

/* Removes cache folders, which hold checks and nothing else. */
static void
remove_folder (void)
{
  static const char *const caches[] = { "cached", "broken", "precisions",
    "contexts", "concurrent" };

  for (guint i = 0; i < G_N_ELEMENTS (caches); i++) {
    g_autofree char *own = g_build_filename (folder, caches[i], NULL);
    g_autofree char *project = g_build_filename (own, "yolov10detect", NULL);
    g_autofree char *checks = g_build_filename (project, "checks", NULL);
    GDir *dir = g_dir_open (checks, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name (dir))) {
      g_autofree char *path = g_build_filename (checks, name, NULL);

      g_unlink (path);
    }
    if (dir)
      g_dir_close (dir);
    g_rmdir (checks);
    g_rmdir (project);
    g_rmdir (own);
  }
  g_rmdir (folder);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  int status;

  if (argc == 3 && g_str_equal (argv[1], "--open"))
    return open_one (argv[2]);
  program = argv[0];
  folder = g_dir_make_tmp ("y10-auto-XXXXXX", &error);
  g_assert_no_error (error);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/auto/cached", test_cached);
  g_test_add_func ("/auto/broken", test_broken);
  g_test_add_func ("/auto/precisions", test_precisions);
  g_test_add_func ("/auto/contexts", test_contexts);
  g_test_add_func ("/auto/no-cache", test_no_cache);
  g_test_add_func ("/auto/concurrent", test_concurrent);
  status = g_test_run ();
  remove_folder ();
  return status;
}
