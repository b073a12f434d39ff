/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Chooses the backend that runs a model and explains why others cannot. One whose
 * device this machine does not have is mentioned only if the user requested it. */

#include "config.h"

#include "run/engine.h"
#include "run/registry.h"
#include "run/selfcheck.h"

/* Returns " (cpu and ref can)", or an empty string. */
static char *
list_others (Y10BackendKind asked)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < y10_backend_count (); i++) {
    Y10BackendKind kind = y10_backend_get_preferred (i);

    if (kind != asked && y10_backend_probe (kind, NULL) > 0)
      g_string_append_printf (names, "%s%s", names->len ? " and " : "",
          y10_backend_get_name (kind));
  }
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
  const Y10BackendClass *class = y10_backend_find (kind, why);

  if (class && class->probe (why) > 0)
    return class;
  others = list_others (kind);
  g_set_error (error, Y10_ERROR, Y10_ERROR_NO_BACKEND,
      "backend %s cannot run here%s: %s", y10_backend_get_name (kind), others,
      why->str);
  return NULL;
}

/* Whether auto may take @class; appends the reason to @why and logs one warning
 * per process if its results are not trusted. A device that lacks the precision is
 * passed over without one. */
static gboolean
is_trusted (const Y10BackendClass *class, const Y10EngineConfig *config,
    GString *why)
{
  static gint warned;
  g_autoptr (GError) error = NULL;

  if (y10_backend_check_with (class, config, FALSE, NULL, &error))
    return TRUE;
  if (g_error_matches (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED)) {
    g_string_append (why, error->message);
    return FALSE;
  }
  g_string_append_printf (why, "its self-check failed: %s", error->message);
  if (g_atomic_int_compare_and_exchange (&warned, 0, 1))
    g_warning ("auto does not take the backend %s: %s", class->name, why->str);
  return FALSE;
}

/* Takes the backend with the highest score. *@passed_over gets the reasons of
 * all that cannot run or that failed their check. */
static const Y10BackendClass *
choose_best (const Y10EngineConfig *config, char **passed_over, GError **error)
{
  g_autoptr (GString) reason = g_string_new (NULL);
  const Y10BackendClass *taken = NULL;
  int best = 0;

  for (guint i = 0; i < y10_backend_count (); i++) {
    g_autoptr (GString) why = g_string_new (NULL);
    Y10BackendKind kind = y10_backend_get_preferred (i);
    const Y10BackendClass *class = y10_backend_find (kind, why);
    int score = class ? class->probe (why) : 0;

    /* What limits one that runs is no reason against it. */
    if (score > 0)
      g_string_truncate (why, 0);
    if (score > best && is_trusted (class, config, why)) {
      best = score;
      taken = class;
    }
    if (why->len && y10_backend_is_expected (kind))
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

/**
 * y10_engine_new:
 * @model: a model; the engine takes a reference
 * @config: (nullable): the configuration, or %NULL for the defaults
 * @cancellable: (nullable): cancels the compilation
 * @error: return location for a #GError, or %NULL
 *
 * Compiles @model: chooses the backend, plans the memory, packs the weights and
 * allocates everything that a step needs. Takes from milliseconds to seconds.
 *
 * Returns: (transfer full): an engine, or %NULL with any #Y10Error
 *
 * Since: 0.1
 */
Y10Engine *
y10_engine_new (Y10Model *model, const Y10EngineConfig *config,
    GCancellable *cancellable, GError **error)
{
  g_autofree char *passed_over = NULL;
  const Y10BackendClass *backend;
  Y10EngineConfig own;

  g_return_val_if_fail (model != NULL, NULL);
  y10_engine_config_init (&own, sizeof own);
  if ((config && !y10_engine_config_read (&own, config, error))
      || !y10_engine_config_resolve (model, &own, error))
    return NULL;
  backend = own.backend == Y10_BACKEND_AUTO
      ? choose_best (&own, &passed_over, error)
      : choose_requested (own.backend, error);
  return backend ? y10_engine_create (model, &own, backend, passed_over,
             cancellable, error)
                 : NULL;
}
