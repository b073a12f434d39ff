/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#include "stepcommon.h"

#include <string.h>

StepOptions options = { .backend = Y10_BACKEND_REF };

static gboolean
parse_backend (const char *name)
{
  g_autoptr (GString) why = g_string_new (NULL);
  gboolean ok;

  for (options.backend = Y10_BACKEND_REF; options.backend <= Y10_BACKEND_CUDA;
       options.backend++)
    if (strcmp (name, y10_backend_get_name (options.backend)) == 0)
      break;
  if (options.backend > Y10_BACKEND_CUDA)
    g_error ("there is no backend %s", name);
  ok = y10_backend_probe (options.backend, why);
  if (!ok)
    g_print ("%s: %s\n", name, why->str);
  return ok;
}

gboolean
take_backend (int *argc, char ***argv)
{
  if (*argc < 3 || strcmp ((*argv)[1], "--backend") != 0)
    return TRUE;
  if (!parse_backend ((*argv)[2]))
    return FALSE;
  (*argv)[2] = (*argv)[0];
  *argc -= 2;
  *argv += 2;
  return TRUE;
}

Y10Engine *
make_engine (guint n_slots, guint max_batch)
{
  Y10EngineConfig config;

  pico_config_init (&config, options.backend);
  config.tune = options.expect_tuned || options.wait_tuned;
  if (options.expect_tuned)
    config.precision = Y10_PRECISION_FP32;
  config.n_slots = n_slots;
  config.max_batch = max_batch;
  return pico_engine (&config, NULL);
}

void
default_params (Y10HeadParams *params)
{
  *params = (Y10HeadParams) Y10_HEAD_PARAMS_INIT;
  params->confidence = 0;
  params->max_detections = MAX_ROWS;
}
