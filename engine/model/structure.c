/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The networks we can run. A new one is a file with a builder and a row here. */

#include "config.h"

#include "model/structure.h"

static const Y10Structure *const structures[] = {
  &y10_structure_yolov10,
};

const Y10Structure *
y10_structure_find (const Y10TensorFile *file)
{
  for (guint i = 0; i < G_N_ELEMENTS (structures); i++)
    if (structures[i]->probe (file))
      return structures[i];
  return structures[0];
}

Y10Graph *
y10_structure_build (const Y10Structure *structure, const Y10TensorFile *file,
    guint width, guint height, Y10Head head, GError **error)
{
  Y10Graph *graph = structure->build (file, width, height, head, error);

  if (graph)
    graph->head_kind = structure->head_kind;
  return graph;
}
