/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* usage: test-cudnn MISSING TEXT
 *
 * Loads cuDNN while no library whose name starts with MISSING can be found,
 * neither by the backend nor by cuDNN itself. Expects TEXT in the reason, or,
 * if TEXT is empty, success. Exits with 77 where cuDNN is really missing. */

#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "conv/conv.h"
#include "conv/cudnn.h"

static const char *missing;
static gboolean was_missed;

void *dlopen (const char *name, int flags);

/* Replaces the C library's dlopen() for every library in this process. */
void *
dlopen (const char *name, int flags)
{
  static void *(*real) (const char *name, int flags);
  const char *base = name ? strrchr (name, '/') : NULL;

  if (!real)
    *(void **) &real = dlsym (RTLD_NEXT, "dlopen");
  base = base ? base + 1 : name;
  if (missing && *missing && base && g_str_has_prefix (base, missing)) {
    was_missed = TRUE;
    name = "/nonexistent/libmissing.so"; /* for dlerror () */
  }
  return real (name, flags);
}

/* Runs in another process: whether cuDNN loads without the replacement. */
static gboolean
is_complete (const char *program, GString *why)
{
  const char *const argv[] = { program, "", "", NULL };
  char *out = NULL;
  int status = 0;
  gboolean ok = g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL,
                    NULL, &out, NULL, &status, NULL)
      && g_spawn_check_wait_status (status, NULL);

  g_string_append (why, out ? out : "");
  g_free (out);
  return ok;
}

int
main (int argc, char **argv)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10Cudnn *cudnn;
  gboolean ok;

  if (argc != 3)
    return 2;
  if (*argv[1] && !is_complete (argv[0], why)) {
    g_print ("skipped: %s\n", why->str);
    return 77;
  }
  g_string_truncate (why, 0);
  missing = argv[1];
  ok = y10_cudnn_get (why) != NULL;
  cudnn = y10_cudnn_get (NULL);
  if (ok != (cudnn != NULL))
    return 1;
  if (ok && y10_cudnn_can_compile (cudnn, why))
    g_print ("cuDNN %u for CUDA %u\n", cudnn->version, cudnn->cuda_major);
  g_print ("%s\n", why->str);
  if (*missing && !was_missed) {
    g_print ("no library requested %s\n", missing);
    return 1;
  }
  /* A second attempt gives the same result. */
  if (!ok) {
    GString *again = g_string_new (NULL);

    y10_cudnn_get (again);
    ok = g_str_equal (again->str, why->str);
    g_string_free (again, TRUE);
    if (!ok)
      return 1;
  }
  ok = *argv[2] ? strstr (why->str, argv[2]) != NULL : why->len == 0;
  return !ok;
}
