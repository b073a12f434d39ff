/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads the memory limit and the CPU quota from trees of proc/ and sys/ like those of
 * kernels, systemd and container runtimes. An engine that needs more must fail with both
 * numbers before it maps any memory. */

#include <glib/gstdio.h>
#include <string.h>

#include "base/cpus.h"
#include "base/memory-limit.h"
#include "util.h"

#define MEMINFO "MemTotal:       16318480 kB\nMemFree:         8104152 kB\n"
#define PHYSICAL (G_GUINT64_CONSTANT (16318480) * 1024)
#define GIB (G_GUINT64_CONSTANT (1) << 30)
#define V1_NONE "9223372036854771712\n"

typedef struct
{
  const char *name;
  struct
  {
    const char *path, *text;
  } file[6];
  guint64 limit; /* of memory */
  const char *what;
  guint cpus; /* 0: no quota */
  double quota;
  const char *quota_of;
} Tree;

static const Tree trees[] = {
  { "nothing is known", { { NULL, NULL } }, G_MAXUINT64, "this machine" },
  { "no groups", { { "proc/meminfo", MEMINFO } }, PHYSICAL, "this machine" },
  { "no number", { { "proc/meminfo", "MemTotal: many kB\n" } }, G_MAXUINT64,
      "this machine" },
  { "v2, no limit",
      { { "proc/meminfo", MEMINFO },
          { "proc/self/cgroup", "0::/user.slice/a.scope\n" },
          { "sys/fs/cgroup/user.slice/a.scope/memory.max", "max\n" },
          { "sys/fs/cgroup/user.slice/memory.max", "max\n" } },
      PHYSICAL, "this machine" },
  { "v2",
      { { "proc/meminfo", MEMINFO },
          { "proc/self/cgroup", "0::/user.slice/a.scope\n" },
          { "sys/fs/cgroup/user.slice/a.scope/memory.max", "2147483648\n" } },
      2 * GIB, "the control group /user.slice/a.scope" },
  { "v2, nested: the outer is less",
      { { "proc/meminfo", MEMINFO },
          { "proc/self/cgroup", "0::/user.slice/u/a.scope\n" },
          { "sys/fs/cgroup/user.slice/u/a.scope/memory.max", "4294967296\n" },
          { "sys/fs/cgroup/user.slice/u/memory.max", "max\n" },
          { "sys/fs/cgroup/user.slice/memory.max", "1073741824\n" } },
      GIB, "the control group /user.slice" },
  { "v2, more than there is",
      { { "proc/meminfo", MEMINFO }, { "proc/self/cgroup", "0::/a\n" },
          { "sys/fs/cgroup/a/memory.max", "1099511627776\n" } },
      PHYSICAL, "this machine" },
  { "v2, container with a namespace of its own",
      { { "proc/meminfo", MEMINFO }, { "proc/self/cgroup", "0::/\n" },
          { "sys/fs/cgroup/memory.max", "536870912\n" } },
      GIB / 2, "the control group /" },
  { "v2, container with the host's path",
      { { "proc/meminfo", MEMINFO },
          { "proc/self/cgroup", "0::/system.slice/docker-3f1c.scope\n" },
          { "sys/fs/cgroup/memory.max", "536870912\n" } },
      GIB / 2, "the control group /" },
  { "v1",
      { { "proc/meminfo", MEMINFO },
          { "proc/self/cgroup",
              "12:pids:/x\n5:cpu,memory:/docker/3f1c\n"
              "1:name=systemd:/docker/3f1c\n0::/x\n" },
          { "sys/fs/cgroup/memory/memory.limit_in_bytes", V1_NONE },
          { "sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
              "3221225472\n" },
          { "sys/fs/cgroup/memory/docker/3f1c/memory.limit_in_bytes",
              V1_NONE } },
      3 * GIB, "the control group /docker" },
  { "v1, of another controller",
      { { "proc/meminfo", MEMINFO },
          { "proc/self/cgroup", "12:pids:/x\n5:memory_x:/x\n" },
          { "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1\n" } },
      PHYSICAL, "this machine" },
  { "v2, a quota of two CPUs",
      { { "proc/self/cgroup", "0::/a/b\n" },
          { "sys/fs/cgroup/a/b/cpu.max", "200000 100000\n" },
          { "sys/fs/cgroup/a/cpu.max", "max 100000\n" } },
      G_MAXUINT64, "this machine", 2, 2, "/a/b" },
  { "v2, a quota of a half",
      { { "proc/self/cgroup", "0::/\n" },
          { "sys/fs/cgroup/cpu.max", "50000 100000\n" } },
      G_MAXUINT64, "this machine", 1, 0.5, "/" },
  { "v2, the outer quota is less",
      { { "proc/self/cgroup", "0::/a/b\n" },
          { "sys/fs/cgroup/a/b/cpu.max", "300000 100000\n" },
          { "sys/fs/cgroup/a/cpu.max", "10000 20000\n" } },
      G_MAXUINT64, "this machine", 1, 0.5, "/a" },
  { "v2, a quota that is rounded up",
      { { "proc/self/cgroup", "0::/a\n" },
          { "sys/fs/cgroup/a/cpu.max", "100001 100000\n" } },
      G_MAXUINT64, "this machine", 2, 1.00001, "/a" },
  { "v1, a quota",
      { { "proc/self/cgroup", "3:cpu,cpuacct:/docker/3f1c\n" },
          { "sys/fs/cgroup/cpu/docker/3f1c/cpu.cfs_quota_us", "100000\n" },
          { "sys/fs/cgroup/cpu/docker/3f1c/cpu.cfs_period_us", "100000\n" },
          { "sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us", "-1\n" },
          { "sys/fs/cgroup/cpu/docker/cpu.cfs_period_us", "100000\n" } },
      G_MAXUINT64, "this machine", 1, 1, "/docker/3f1c" },
  { "v2, quotas that say nothing",
      { { "proc/self/cgroup", "0::/a/b/c\n" },
          { "sys/fs/cgroup/a/b/c/cpu.max", "\n" },
          { "sys/fs/cgroup/a/b/cpu.max", "0 100000\n" },
          { "sys/fs/cgroup/a/cpu.max", "100000\n" },
          { "sys/fs/cgroup/cpu.max", "100000 0\n" } },
      G_MAXUINT64, "this machine", 0 },
  { "garbage",
      { { "proc/meminfo", MEMINFO },
          { "proc/self/cgroup", ":::\n\n0\n0::\n0::no-slash\n5:memory\n" } },
      PHYSICAL, "this machine" },
};

static void
remove_tree (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    char *child = g_build_filename (path, name, NULL);

    remove_tree (child);
    g_free (child);
  }
  if (dir)
    g_dir_close (dir);
  g_remove (path);
}

static void
test_tree (gconstpointer data)
{
  const Tree *tree = data;
  char *root = test_path ("root"), *what = NULL, *quota_of = NULL;
  GError *error = NULL;

  g_mkdir (root, 0700);
  for (guint i = 0; i < G_N_ELEMENTS (tree->file) && tree->file[i].path; i++) {
    char *path = g_build_filename (root, tree->file[i].path, NULL);
    char *folder = g_path_get_dirname (path);

    g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
    g_file_set_contents (path, tree->file[i].text, -1, &error);
    g_assert_no_error (error);
    g_free (folder);
    g_free (path);
  }
  g_assert_cmpuint (y10_memory_limit (root, &what), ==, tree->limit);
  g_assert_cmpstr (what, ==, tree->what);
  g_assert_cmpuint (y10_cpus_granted (root), ==,
      tree->cpus ? MIN (tree->cpus, y10_cpus_allowed ()) : y10_cpus_allowed ());
  g_assert_cmpfloat (y10_cpus_quota (root, &quota_of), ==, tree->quota);
  g_assert_cmpstr (quota_of, ==, tree->quota_of);
  g_free (quota_of);
  g_free (what);
  remove_tree (root);
  g_free (root);
}

/* A network of two megabytes that needs a terabyte: many images of the largest
 * input size. */
static void
test_engine_too_large (void)
{
  static const Y10BackendKind kinds[] = { Y10_BACKEND_REF, Y10_BACKEND_CPU };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
    Y10EngineConfig config;
    GError *error = NULL;
    Y10Engine *engine;
    Y10Model *model = test_model (tensors, NULL);

    y10_engine_config_init (&config, sizeof config);
    config.backend = kinds[i];
    config.width = config.height = 8192;
    config.max_batch = 64;
    config.n_slots = 16;
    engine = y10_engine_new (model, &config, NULL, &error);
    g_assert_null (engine);
    test_expect_error (error, Y10_ERROR_NO_MEMORY, "model.safetensors",
        "16 slots of 64 images of 8192x8192", "would need", " MB of memory; ",
        " has ", NULL);
    y10_model_unref (model);
    y10_test_tensors_free (tensors);
  }
}

static void
test_check (void)
{
  GError *error = NULL;
  char *what = NULL;
  guint64 limit = y10_memory_limit ("", &what);

  g_test_message ("%s has %" G_GUINT64_FORMAT " bytes", what, limit);
  g_assert_true (y10_memory_check (0, "nothing", &error));
  g_assert_true (y10_memory_check (limit, "everything", &error));
  g_assert_no_error (error);
  if (limit < G_MAXUINT64) {
    g_assert_false (y10_memory_check (limit + 1, "too much", &error));
    test_expect_error (error, Y10_ERROR_NO_MEMORY, "too much would need", what,
        NULL);
  }
  g_free (what);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (trees); i++) {
    char *name = g_strconcat ("/control-group/", trees[i].name, NULL);

    g_test_add_data_func (name, &trees[i], test_tree);
    g_free (name);
  }
  g_test_add_func ("/control-group/check", test_check);
  g_test_add_func ("/control-group/engine", test_engine_too_large);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
