/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Merges the detections of an image's parts.
 *
 * An object at the edge of a part is seen whole by another part that reaches
 * beyond this edge, so a box that ends there is dropped: of all ways that were
 * measured this one gains most. Then of two boxes of one class and two parts that
 * overlap by more than 0.6 the less confident one is dropped. Boxes of the same
 * part never compete, since the network has told these objects apart, and boxes
 * are never averaged: the numbers are in docs/design.md. */

#include "config.h"

#include <string.h>

#include <y10/parts.h>

#include "core/limits.h"

/* Tolerance, as a fraction of the part's size: regressed boxes end near the edge
 * that cuts them, within a few pixels of the network's input. */
#define EDGE (1.0f / 128)

#define MAX_IOU 0.6f

static gfloat
iou (const Y10Detection *a, const Y10Detection *b)
{
  gfloat width = MIN (a->x1, b->x1) - MAX (a->x0, b->x0);
  gfloat height = MIN (a->y1, b->y1) - MAX (a->y0, b->y0);
  gfloat both;

  if (!(width > 0 && height > 0))
    return 0;
  both = width * height;
  return both
      / ((a->x1 - a->x0) * (a->y1 - a->y0) + (b->x1 - b->x0) * (b->y1 - b->y0)
          - both);
}

typedef struct
{
  gfloat x0, y0, x1, y1;
} Edges;

static Edges
edges_of (const Y10Part *part)
{
  return (Edges){ (gfloat) part->x, (gfloat) part->y,
    (gfloat) (part->x + part->width), (gfloat) (part->y + part->height) };
}

/* Whether an edge of @other, too, may cut @row, a detection of @own. */
static gboolean
is_near_edge (const Edges *other, const Edges *own, const Y10Detection *row)
{
  const gfloat across = (other->x1 - other->x0) * EDGE;
  const gfloat down = (other->y1 - other->y0) * EDGE;

  return (other->x0 > own->x0 && row->x0 < other->x0 + across)
      || (other->y0 > own->y0 && row->y0 < other->y0 + down)
      || (other->x1 < own->x1 && row->x1 > other->x1 - across)
      || (other->y1 < own->y1 && row->y1 > other->y1 - down);
}

/* Whether @other extends beyond an edge of @own at which @row ends. */
static gboolean
continues (const Edges *other, const Edges *own, const Y10Detection *row)
{
  const gfloat across = (own->x1 - own->x0) * EDGE;
  const gfloat down = (own->y1 - own->y0) * EDGE;

  return (row->x0 < own->x0 + across && other->x0 < own->x0)
      || (row->y0 < own->y0 + down && other->y0 < own->y0)
      || (row->x1 > own->x1 - across && other->x1 > own->x1)
      || (row->y1 > own->y1 - down && other->y1 > own->y1);
}

static gboolean
is_cut (const Y10Part *parts, guint n_parts, guint part,
    const Y10Detection *row)
{
  const Edges own = edges_of (&parts[part]);

  for (guint i = 0; i < n_parts; i++) {
    const Edges other = edges_of (&parts[i]);

    if (i != part && continues (&other, &own, row)
        && !is_near_edge (&other, &own, row))
      return TRUE;
  }
  return FALSE;
}

/* Maps rows from the part to the image and removes those that are cut. */
static guint
prepare (const Y10Part *parts, guint n_parts, guint part)
{
  const Y10Part *self = &parts[part];
  guint n = 0;

  for (gint i = 0; i < self->n_detections; i++) {
    Y10Detection row = self->detections[i];

    row.x0 += (gfloat) self->x;
    row.x1 += (gfloat) self->x;
    row.y0 += (gfloat) self->y;
    row.y1 += (gfloat) self->y;
    if (!is_cut (parts, n_parts, part, &row))
      self->detections[n++] = row;
  }
  return n;
}

/* The remaining rows of all parts. */
typedef struct
{
  guint at[Y10_MAX_PARTS], n[Y10_MAX_PARTS];
} Rest;

/* Finds the part with the most confident row; the first one of equals. */
static gboolean
find_best (const Y10Part *parts, guint n_parts, const Rest *rest, guint *best)
{
  gboolean found = FALSE;

  for (guint i = 0; i < n_parts; i++) {
    if (rest->at[i] == rest->n[i])
      continue;
    if (!found
        || parts[i].detections[rest->at[i]].confidence
            > parts[*best].detections[rest->at[*best]].confidence)
      *best = i;
    found = TRUE;
  }
  return found;
}

/* Removes the detections of @row's object by other parts. */
static void
suppress (const Y10Part *parts, guint n_parts, Rest *rest, guint part,
    const Y10Detection *row)
{
  for (guint i = 0; i < n_parts; i++) {
    Y10Detection *rows = parts[i].detections;
    guint n = rest->at[i];

    if (i == part)
      continue;
    for (guint j = rest->at[i]; j < rest->n[i]; j++)
      if (rows[j].class_id != row->class_id || iou (&rows[j], row) <= MAX_IOU)
        rows[n++] = rows[j];
    rest->n[i] = n;
  }
}

static gboolean
is_wanted (const Y10Image *image, const Y10HeadParams *params,
    const Y10Region *region, Y10RegionAnchor anchor, const Y10Detection *row)
{
  const gdouble width = image->width, height = image->height;

  return y10_limits_fits (params, row, image->width, image->height)
      && (!region
          || y10_region_has_box (region, anchor, row->x0 / width,
              row->y0 / height, row->x1 / width, row->y1 / height));
}

/**
 * y10_parts_merge:
 * @image: the image; only its rectangle is read
 * @parts: (array length=n_parts): its parts. Their @detections are overwritten
 * @n_parts: at most %Y10_MAX_PARTS
 * @params: parameters for the image: its @max_detections and size limits; the
 *   rest has been applied to each part
 * @region: (nullable): boxes outside it are dropped
 * @anchor: condition for a box to be in @region
 * @detections: (out) (array length=max_detections): buffer for the detections,
 *   in pixels of the image, best first
 * @max_detections: size of @detections
 *
 * Merges the detections of parts. A box that ends at an edge of its part is
 * dropped if another part shows it whole and continues at that edge. Of two boxes
 * of one class and different parts with an intersection over union above 0.6 the
 * less confident one is dropped. Allocates nothing. Any thread.
 *
 * Returns: the number of detections
 *
 * Since: 0.2
 */
guint
y10_parts_merge (const Y10Image *image, const Y10Part *parts, guint n_parts,
    const Y10HeadParams *params, const Y10Region *region,
    Y10RegionAnchor anchor, Y10Detection *detections, guint max_detections)
{
  Y10HeadParams own = Y10_HEAD_PARAMS_INIT;
  Rest rest = { 0 };
  guint n = 0, best = 0;

  g_return_val_if_fail (n_parts <= Y10_MAX_PARTS, 0);
  memcpy (&own, params, MIN (params->size, sizeof own));
  max_detections = MIN (max_detections, own.max_detections);
  for (guint i = 0; i < n_parts; i++)
    rest.n[i] = prepare (parts, n_parts, i);
  while (n < max_detections && find_best (parts, n_parts, &rest, &best)) {
    const Y10Detection row = parts[best].detections[rest.at[best]++];

    if (!is_wanted (image, &own, region, anchor, &row))
      continue;
    suppress (parts, n_parts, &rest, best, &row);
    detections[n++] = row;
  }
  return n;
}
