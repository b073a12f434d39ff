/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A slot in host memory: the parameters and rows of each image, the memory of
 * the head, and what a backend's class does with them and with the arenas. */

#include "config.h"

#include <string.h>

#include "core/host-slot.h"

void
y10_host_slot_init (Y10HostSlot *slot, const Y10Plan *plan, guint max_batch,
    guint max_rows)
{
  const Y10Graph *graph = plan->graph;
  guint capacity = y10_head_capacity (graph, max_rows);

  *slot = (Y10HostSlot){
    .plan = plan,
    .max_batch = max_batch,
    .max_rows = max_rows,
    .images = g_new0 (Y10HostImage, max_batch),
    .candidates = g_new (Y10Candidate, capacity),
    .capacity = capacity,
    .boxes = g_new (gfloat, y10_head_n_floats (graph, capacity)),
    .keep = g_new (guint8, capacity),
  };
  for (guint i = 0; i < max_batch; i++) {
    slot->images[i].classes = g_new0 (guint8, graph->n_classes);
    slot->images[i].rows = g_new0 (Y10Detection, max_rows);
    slot->images[i].result.rows = slot->images[i].rows;
  }
}

void
y10_host_slot_clear (Y10HostSlot *slot)
{
  for (guint i = 0; i < slot->max_batch; i++) {
    g_free (slot->images[i].classes);
    g_free (slot->images[i].rows);
  }
  g_free (slot->images);
  g_free (slot->candidates);
  g_free (slot->boxes);
  g_free (slot->keep);
}

gfloat *
y10_host_slot_floats (const Y10HostSlot *slot, guint i, Y10View view)
{
  return (gfloat *) (y10_host_slot_arena (slot, i)
      + y10_plan_view_offset (slot->plan, view));
}

void
y10_host_slot_set_image (Y10HostSlot *slot, guint i,
    const Y10Letterbox *letterbox, const Y10HeadParams *params)
{
  Y10HostImage *image = &slot->images[i];

  image->params = *params;
  image->letterbox = *letterbox;
  if (params->classes) {
    memcpy (image->classes, params->classes, slot->plan->graph->n_classes);
    image->params.classes = image->classes;
  }
}

void
y10_host_slot_begin_head (Y10HostSlot *slot, guint i, Y10TopK *topk)
{
  y10_topk_init (topk, slot->candidates, slot->capacity,
      y10_head_logit_floor (slot->images[i].params.confidence));
}

void
y10_host_slot_finish_head (Y10HostSlot *slot, guint i, Y10TopK *topk)
{
  Y10HostImage *image = &slot->images[i];

  image->result.n = y10_head_finish (slot->plan, y10_host_slot_arena (slot, i),
      topk, &image->params, &image->letterbox, slot->boxes, slot->keep,
      image->rows);
}

static Y10HostSlot *
get_host (Y10Slot *slot)
{
  return (Y10HostSlot *) slot;
}

const Y10Rows *
y10_host_slot_rows (Y10Slot *slot, guint i)
{
  return &get_host (slot)->images[i].result;
}

void
y10_host_slot_times (Y10Slot *slot, gint64 *inference, gint64 *postprocess)
{
  *inference = get_host (slot)->inference;
  *postprocess = get_host (slot)->postprocess;
}

gboolean
y10_host_slot_read_tensor (Y10Slot *slot, guint i, Y10View view, gfloat *nchw,
    GError **error)
{
  const Y10HostSlot *host = get_host (slot);

  y10_plan_view_export (host->plan, view, y10_host_slot_arena (host, i), nchw);
  return TRUE;
}

gboolean
y10_host_slot_write_tensor (Y10Slot *slot, guint i, Y10View view,
    const gfloat *nchw, GError **error)
{
  const Y10HostSlot *host = get_host (slot);

  y10_plan_view_import (host->plan, view, y10_host_slot_arena (host, i), nchw);
  return TRUE;
}

void
y10_host_slot_poison (Y10Slot *slot)
{
  const Y10HostSlot *host = get_host (slot);

  memset (host->arenas, 0xff, host->arena_stride * host->max_batch);
  for (guint i = 0; i < host->max_batch; i++)
    memset (host->images[i].rows, 0xff, host->max_rows * sizeof (Y10Detection));
}
