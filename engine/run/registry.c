/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The backends there are: those inside the library and those that are loaded. Beside
 * the public enum, only this file knows which. */

#include "config.h"

#include "run/registry.h"

#include <stdlib.h>

#include "base/nvidia.h"
#include "core/module.h"

typedef struct
{
  Y10BackendKind kind;
  const Y10BackendClass *class;  /* NULL: in a module */
  gboolean (*has_device) (void); /* NULL: every machine has one */
} Backend;

/* The first is preferred where scores are equal. */
static const Backend backends[] = {
  { Y10_BACKEND_CUDA, NULL, y10_nvidia_present },
  { Y10_BACKEND_CPU, &y10_backend_cpu, NULL },
  { Y10_BACKEND_REF, &y10_backend_ref, NULL },
};

static const Backend *
find (Y10BackendKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (backends); i++)
    if (backends[i].kind == kind)
      return &backends[i];
  return NULL;
}

guint
y10_backend_count (void)
{
  return G_N_ELEMENTS (backends);
}

Y10BackendKind
y10_backend_get_preferred (guint i)
{
  return backends[i].kind;
}

const Y10BackendClass *
y10_backend_find (Y10BackendKind kind, GString *why)
{
  const Backend *backend = find (kind);

  if (!backend)
    g_string_append_printf (why, "unknown backend %s",
        y10_backend_get_name (kind));
  else if (!backend->class)
    return y10_module_load (y10_backend_get_name (kind), why);
  return backend ? backend->class : NULL;
}

gboolean
y10_backend_is_expected (Y10BackendKind kind)
{
  const Backend *backend = find (kind);

  return !backend->has_device || secure_getenv ("Y10_BACKEND_PATH")
      || backend->has_device ();
}

/**
 * y10_backend_probe:
 * @backend: a backend, not %Y10_BACKEND_AUTO
 * @why: (nullable): a string to append to: the reason if @backend cannot run,
 *   else what limits it, if anything does
 *
 * Checks whether a backend can run on this machine.
 *
 * Returns: 0 if @backend cannot run on this machine, else a score: the higher,
 *   the faster
 *
 * Since: 0.1
 */
int
y10_backend_probe (Y10BackendKind backend, GString *why)
{
  g_autoptr (GString) unwanted = g_string_new (NULL);
  const Y10BackendClass *class = y10_backend_find (backend,
      why ? why : unwanted);

  return class ? class->probe (why ? why : unwanted) : 0;
}
