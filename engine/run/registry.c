/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The backends there are: those inside the library and those that are loaded. */

#include "config.h"

#include "run/registry.h"

const Y10BackendClass *
y10_backend_find (Y10BackendKind kind, GString *why)
{
  switch (kind) {
    case Y10_BACKEND_CPU:
      return &y10_backend_cpu;
    case Y10_BACKEND_REF:
      return &y10_backend_ref;
    case Y10_BACKEND_CUDA:
      return y10_module_load (y10_backend_get_name (kind), why);
    case Y10_BACKEND_AUTO:
      break;
  }
  g_string_append_printf (why, "unknown backend %s",
      y10_backend_get_name (kind));
  return NULL;
}

/**
 * y10_backend_probe:
 * @backend: a backend, not %Y10_BACKEND_AUTO
 * @why: (nullable): a string to append the reason to if @backend cannot run
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
  const Y10BackendClass *class = y10_backend_find (backend, why ? why : unwanted);

  return class ? class->probe (why ? why : unwanted) : 0;
}
