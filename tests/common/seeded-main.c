/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* seeded SHAPES.json OUT.safetensors [--seed N] [--classes N]: writes a weights
 * file for tests and benchmarks, so that none has to be downloaded. */

#include <stdio.h>

#include "tensors.h"

int
main (int argc, char **argv)
{
  gint64 seed = 0;
  int n_classes = 0, status = 1;
  const GOptionEntry entries[] = { { "seed", 's', 0, G_OPTION_ARG_INT64, &seed,
                                       "seed of the weights", "N" },
    { "classes", 'c', 0, G_OPTION_ARG_INT, &n_classes,
        "number of classes; by default the shapes file's", "N" },
    { NULL } };
  GOptionContext *context = g_option_context_new (
      "SHAPES.json OUT.safetensors");
  Y10TestTensors *tensors = NULL;
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    goto done;
  if (argc != 3) {
    fputs (
        "usage: seeded SHAPES.json OUT.safetensors [--seed N] [--classes N]\n",
        stderr);
    status = 2;
    goto done;
  }
  tensors = y10_test_tensors_new (argv[1], (guint64) seed, &error);
  if (!tensors)
    goto done;
  if (n_classes > 0)
    y10_test_tensors_set_classes (tensors, (guint) n_classes);
  if (y10_test_tensors_write (tensors, argv[2], NULL, &error))
    status = 0;
done:
  if (error)
    fprintf (stderr, "seeded: %s\n", error->message);
  g_clear_error (&error);
  y10_test_tensors_free (tensors);
  g_option_context_free (context);
  return status;
}
