/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Chooses the backend that runs a model and explains why others cannot. CUDA is
 * mentioned only if the user requested it or the machine has a GPU for it. */

#include "config.h"

#include <stdlib.h>

#include "run/internal.h"
#include "base/nvidia.h"

/* Order of preference of auto when scores are equal. */
static const Y10BackendKind preference[] = {
  Y10_BACKEND_CUDA, Y10_BACKEND_CPU, Y10_BACKEND_REF
};

/* Returns NULL and appends the reason to @why if it is not installed. */
static const Y10BackendClass *
find_backend (Y10BackendKind kind, GString *why)
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
  const Y10BackendClass *class = find_backend (backend, why ? why : unwanted);

  return class ? class->probe (why ? why : unwanted) : 0;
}

/* Returns " (cpu and ref can)", or an empty string. */
static char *
list_others (Y10BackendKind asked)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (preference); i++)
    if (preference[i] != asked && y10_backend_probe (preference[i], NULL) > 0)
      g_string_append_printf (names, "%s%s", names->len ? " and " : "",
          y10_backend_get_name (preference[i]));
  if (names->len) {
    g_string_prepend (names, " (");
    g_string_append (names, " can)");
  }
  return g_string_free (names, FALSE);
}

static const Y10BackendClass *
choose_requested (Y10BackendKind kind, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  g_autofree char *others = NULL;
  const Y10BackendClass *class = find_backend (kind, why);

  if (class && class->probe (why) > 0)
    return class;
  others = list_others (kind);
  g_set_error (error, Y10_ERROR, Y10_ERROR_NO_BACKEND,
      "backend %s cannot run here%s: %s", y10_backend_get_name (kind), others,
      why->str);
  return NULL;
}

/* Whether auto reports that @kind is missing. Setting Y10_BACKEND_PATH
 * counts as a request for it. */
static gboolean
is_expected (Y10BackendKind kind)
{
  return kind != Y10_BACKEND_CUDA || secure_getenv ("Y10_BACKEND_PATH")
      || y10_nvidia_present ();
}

/* Whether auto may take @class; appends the reason to @why and logs one warning
 * per process if its results are not trusted. */
static gboolean
is_trusted (const Y10BackendClass *class, const Y10EngineConfig *config,
    GString *why)
{
  static gint warned;
  g_autoptr (GError) error = NULL;

  if (y10_backend_check_with (class, config, FALSE, NULL, &error))
    return TRUE;
  g_string_append_printf (why, "its self-check failed: %s", error->message);
  if (g_atomic_int_compare_and_exchange (&warned, 0, 1))
    g_warning ("auto does not take the backend %s: %s", class->name, why->str);
  return FALSE;
}

/* Takes the backend with the highest score. *@passed_over gets the reasons of
 * all that cannot run or that failed their check. */
static const Y10BackendClass *
choose_best (const Y10EngineConfig *config, char **passed_over,
    GError **error)
{
  g_autoptr (GString) reason = g_string_new (NULL);
  const Y10BackendClass *taken = NULL;
  int best = 0;

  for (guint i = 0; i < G_N_ELEMENTS (preference); i++) {
    g_autoptr (GString) why = g_string_new (NULL);
    Y10BackendKind kind = preference[i];
    const Y10BackendClass *class = find_backend (kind, why);
    int score = class ? class->probe (why) : 0;

    if (score > best && is_trusted (class, config, why)) {
      best = score;
      taken = class;
    }
    if (why->len && is_expected (kind))
      g_string_append_printf (reason, "%s%s: %s", reason->len ? "; " : "",
          y10_backend_get_name (kind), why->str);
  }
  if (!taken)
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_BACKEND,
        "no backend can run here: %s", reason->str);
  else if (reason->len)
    *passed_over = g_strdup (reason->str);
  return taken;
}

const Y10BackendClass *
y10_backend_choose (const Y10EngineConfig *config, char **passed_over,
    GError **error)
{
  return config->backend == Y10_BACKEND_AUTO
      ? choose_best (config, passed_over, error)
      : choose_requested (config->backend, error);
}

/**
 * y10_backend_check:
 * @backend: a backend, not %Y10_BACKEND_AUTO
 * @device_id: index of the GPU, -1 for the first usable one
 * @again: whether to ignore and replace a verdict from earlier
 * @device: (out) (optional) (nullable) (transfer full): description of the device
 *   that was opened, as y10_engine_get_device() returns it; %NULL if none was,
 *   also where an earlier verdict holds
 * @error: location of an error
 *
 * Checks a backend as %Y10_BACKEND_AUTO does before it takes it: one picture
 * through an engine with the bundled model, compared with the reference backend.
 * Takes seconds the first time; the verdict is stored in the user's cache folder
 * for this combination of GPU, driver, libraries and build. Backends that run on
 * the CPU pass without a check. Any thread; one check at a time runs.
 *
 * Returns: %TRUE if @backend computes correctly, else %FALSE with
 *   %Y10_ERROR_BACKEND for wrong results, or the error that prevented the check
 *
 * Since: 0.2
 */
gboolean
y10_backend_check (Y10BackendKind backend, gint device_id, gboolean again,
    char **device, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10BackendClass *class = find_backend (backend, why);
  Y10EngineConfig config;

  if (device)
    *device = NULL;
  if (!class || class->probe (why) == 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_BACKEND,
        "backend %s cannot run here: %s", y10_backend_get_name (backend),
        why->str);
    return FALSE;
  }
  y10_engine_config_init (&config, sizeof config);
  config.device_id = device_id;
  return y10_backend_check_with (class, &config, again, device, error);
}
