/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Both sides of a probe that runs in a child process. The child writes its facts
 * to a separate pipe, because libraries print to stdout and stderr. If the child
 * writes nothing for a minute, it hangs in the driver, and the parent kills it. Time
 * in which it waited for a core does not count. */

#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <y10/y10.h>

#include "base/command.h"
#include "doctor/probe.h"
#include "doctor/silence.h"

#define MAX_SILENCE_US (60 * G_USEC_PER_SEC)

/* --- parent ------------------------------------------------------------- */

static void
parse_facts (GHashTable *facts, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i]; i++) {
    char *tab = strchr (lines[i], '\t');

    if (tab)
      g_hash_table_insert (facts, g_strndup (lines[i], tab - lines[i]),
          g_strdup (tab + 1));
  }
}

/* Reads to the end of the pipe. Returns FALSE after a minute without data. */
static gboolean
read_all (int fd, GPid pid, GString *text)
{
  struct pollfd wanted = { .fd = fd, .events = POLLIN };
  DoctorSilence silence;
  char buffer[4096];

  doctor_silence_begin (&silence, pid);
  for (;;) {
    int ready = poll (&wanted, 1, DOCTOR_SILENCE_STEP_MS);
    gssize n;

    if (ready < 0 && errno == EINTR)
      continue;
    if (ready < 0)
      return FALSE;
    if (ready == 0) {
      if (doctor_silence_measure (&silence) >= MAX_SILENCE_US)
        return FALSE;
      continue;
    }
    n = read (fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return TRUE;
    g_string_append_len (text, buffer, n);
    doctor_silence_begin (&silence, pid);
  }
}

GHashTable *
doctor_probe (const char *name, const char *argument)
{
  GHashTable *facts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  const char *child[] = { "/proc/self/exe", "doctor", DOCTOR_PROBE_OPTION, name,
    argument, NULL };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  char *ended = NULL;
  g_autofree char *self = NULL;
  int fd, status = 0;
  gboolean complete;
  GPid pid;

  self = g_file_read_link ("/proc/self/exe", NULL);
  if (self)
    child[0] = self;
  if (!g_spawn_async_with_pipes (NULL, (char **) child, NULL,
          G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
          &pid, NULL, &fd, NULL, &error)) {
    g_hash_table_insert (facts, g_strdup ("ended"), g_strdup (error->message));
    return facts;
  }
  complete = read_all (fd, pid, text);
  if (!complete)
    kill (pid, SIGKILL);
  close (fd);
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  g_spawn_close_pid (pid);
  if (!complete)
    ended = g_strdup ("no response for a minute");
  else if (WIFSIGNALED (status))
    ended = g_strdup_printf ("signal %d (%s)", WTERMSIG (status),
        g_strsignal (WTERMSIG (status)));
  else if (WEXITSTATUS (status) != TOOL_OK)
    ended = g_strdup_printf ("exit status %d", WEXITSTATUS (status));
  parse_facts (facts, text->str);
  if (ended)
    g_hash_table_insert (facts, g_strdup ("ended"), ended);
  return facts;
}

const char *
doctor_get (GHashTable *facts, const char *key)
{
  return g_hash_table_lookup (facts, key);
}

gint64
doctor_get_int (GHashTable *facts, const char *key, gint64 fallback)
{
  const char *value = doctor_get (facts, key);

  return value ? g_ascii_strtoll (value, NULL, 10) : fallback;
}

int
doctor_probe_backend (GString *why)
{
  g_autoptr (GHashTable) facts = doctor_probe ("backend", NULL);
  const char *text = doctor_get (facts, "why");
  const char *ended = doctor_get (facts, "ended");
  int score = (int) doctor_get_int (facts, "score", 0);

  if (ended) {
    g_string_append_printf (why, "the probe ended with %s", ended);
    score = 0;
  } else if (text) {
    g_string_append (why, text);
  }
  return score;
}

/* --- child -------------------------------------------------------------- */

static FILE *out;

void
doctor_fact (const char *key, const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  /* Flush now: the next call may crash. */
  fprintf (out, "%s\t%s\n", key, g_strdelimit (text, "\n\t", ' '));
  fflush (out);
}

/* @error: why there is no library. */
static void *
report (const char *key, void *library, const char *error)
{
  g_autofree char *name = g_strconcat (key, library ? ".file" : ".error", NULL);
  struct link_map *map;
  char *real;

  if (!library) {
    doctor_fact (name, "%s", error);
  } else if (dlinfo (library, RTLD_DI_LINKMAP, &map) == 0) {
    real = realpath (map->l_name, NULL);
    doctor_fact (name, "%s", real ? real : map->l_name);
    free (real);
  }
  return library;
}

void *
doctor_open (const char *key, const char *soname)
{
  void *library = dlopen (soname, RTLD_NOW | RTLD_LOCAL);

  return report (key, library, library ? NULL : dlerror ());
}

/* As open_library () of cuda/conv/cudnn.c. */
static void *
open_beside_cudnn (const char *soname, const char *major)
{
  g_autofree char *cu = g_strdup_printf ("../../cu%s/lib", major);
  const char *const below[] = { "", "../../cublas/lib", "../../cuda_nvrtc/lib",
    cu };
  void *cudnn = dlopen ("libcudnn.so.9", RTLD_LAZY | RTLD_LOCAL),
       *library = NULL;
  g_autofree char *dir = NULL;
  struct link_map *map;

  if (!cudnn || dlinfo (cudnn, RTLD_DI_LINKMAP, &map) != 0)
    return NULL;
  dir = g_path_get_dirname (map->l_name);
  for (guint i = 0; !library && i < G_N_ELEMENTS (below); i++) {
    g_autofree char *path = g_build_filename (dir, below[i], soname, NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

void *
doctor_open_of_cudnn (const char *key, const char *soname, const char *major)
{
  void *library = dlopen (soname, RTLD_NOW | RTLD_LOCAL);
  g_autofree char *error = library ? NULL : g_strdup (dlerror ());

  if (!library)
    library = open_beside_cudnn (soname, major);
  return report (key, library, error);
}

void
doctor_fact_mapped (const char *prefix, guint *n)
{
  g_autoptr (GHashTable)
      seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *maps = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL))
    maps = g_strdup ("");
  lines = g_strsplit (maps, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    const char *path = strchr (lines[i], '/');
    const char *base = path ? strrchr (path, '/') + 1 : "";

    if (g_str_has_prefix (base, prefix)
        && g_hash_table_add (seen, g_strdup (path))) {
      g_autofree char *key = g_strdup_printf ("loaded.%u", (*n)++);

      doctor_fact (key, "%s", path);
    }
  }
}

static void
probe_backend (const char *argument)
{
  g_autoptr (GString) why = g_string_new (NULL);
  int score = y10_backend_probe (Y10_BACKEND_CUDA, why);

  doctor_fact ("score", "%d", score);
  doctor_fact ("why", "%s", why->str);
}

static void
probe_check (const char *argument)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *device = NULL;
  Y10EngineConfig config;

  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_CUDA;
  config.device_id = (gint) g_ascii_strtoll (argument, NULL, 10);
  y10_backend_check (&config, TRUE, &device, &error);
  if (device)
    doctor_fact ("check.device", "%s", device);
  if (error)
    doctor_fact ("check.error", "%s", error->message);
  /* Of all that the check opens, only the bundled model can be absent. */
  if (g_error_matches (error, Y10_ERROR, Y10_ERROR_NOT_FOUND))
    doctor_fact ("check.no_model", "1");
}

int
doctor_probe_main (const char *name, const char *argument)
{
  static const struct
  {
    const char *name;
    void (*ask) (const char *argument);
  } probes[] = {
    { "backend", probe_backend },
    { "check", probe_check },
    { "driver", doctor_probe_driver },
    { "nvrtc", doctor_probe_nvrtc },
    { "cublaslt", doctor_probe_cublaslt },
    { "cudnn", doctor_probe_cudnn },
    { "nvdec", doctor_probe_nvdec },
  };
  int fd = dup (STDOUT_FILENO);

  if (fd < 0 || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0
      || !(out = fdopen (fd, "w")))
    return TOOL_FAILED;
  for (guint i = 0; i < G_N_ELEMENTS (probes); i++) {
    if (strcmp (name, probes[i].name) == 0) {
      probes[i].ask (argument);
      /* Skip the libraries' destructors, which may hang or crash. */
      fflush (out);
      _exit (TOOL_OK);
    }
  }
  return TOOL_USAGE;
}
