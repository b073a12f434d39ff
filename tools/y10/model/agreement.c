/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Compares the detections of two networks as COCO compares detections with what
 * people have marked: the first network's confident detections are the objects. The
 * average precision is the mean over the classes that occur and over the smallest
 * IoU of 0.5, 0.55, … 0.95; the precision at a recall is the best one at that or
 * a higher recall. Recall counts what the second network finds with the same
 * confidence and an IoU of 0.5. */

#include "config.h"

#include <string.h>

#include "model/agreement.h"

#define N_LIMITS 10 /* IoU 0.5, 0.55, … */

typedef struct
{
  gint32 class_id;
  float confidence;
  guint order; /* of arrival, for equal confidences */
  guint hits;  /* bit i: has an object at limit i */
} Row;

struct _ToolAgreement
{
  GArray *rows;     /* Row */
  guint *n_objects; /* of each class */
  guint n_classes, n_expected, n_found;
};

ToolAgreement *
tool_agreement_new (guint n_classes)
{
  ToolAgreement *self = g_new0 (ToolAgreement, 1);

  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  self->n_objects = g_new0 (guint, n_classes);
  self->n_classes = n_classes;
  return self;
}

void
tool_agreement_free (ToolAgreement *self)
{
  if (!self)
    return;
  g_array_unref (self->rows);
  g_free (self->n_objects);
  g_free (self);
}

static double
get_iou (const Y10Detection *a, const Y10Detection *b)
{
  double w = (double) MIN (a->x1, b->x1) - MAX (a->x0, b->x0);
  double h = (double) MIN (a->y1, b->y1) - MAX (a->y0, b->y0);
  double both = MAX (w, 0) * MAX (h, 0);
  double all = ((double) a->x1 - a->x0) * ((double) a->y1 - a->y0)
      + ((double) b->x1 - b->x0) * ((double) b->y1 - b->y0) - both;

  return all > 0 ? both / all : 0;
}

/* Gives @row the object of its class that it covers best and that no better row has
 * taken. */
static gboolean
take_object (const Y10Detection *row, const Y10Detection *objects, guint n,
    double limit, guint8 *taken)
{
  double best = limit;
  gint found = -1;

  for (guint i = 0; i < n; i++)
    if (!taken[i] && objects[i].class_id == row->class_id) {
      double iou = get_iou (row, &objects[i]);

      if (iou >= best) {
        best = iou;
        found = (gint) i;
      }
    }
  if (found >= 0)
    taken[found] = 1;
  return found >= 0;
}

void
tool_agreement_add (ToolAgreement *self, const Y10Detection *expected,
    guint n_expected, const Y10Detection *rows, guint n_rows, float confidence)
{
  guint n = 0, first = self->rows->len;
  g_autofree guint8 *taken = NULL;

  while (n < n_expected && expected[n].confidence >= confidence)
    self->n_objects[expected[n++].class_id]++;
  self->n_expected += n;
  taken = g_malloc (MAX (n, 1));
  for (guint i = 0; i < n_rows; i++) {
    const Row row = { rows[i].class_id, rows[i].confidence, first + i, 0 };

    g_array_append_val (self->rows, row);
  }
  for (guint limit = 0; limit < N_LIMITS; limit++) {
    memset (taken, 0, n);
    for (guint i = 0; i < n_rows; i++)
      if (take_object (&rows[i], expected, n, 0.5 + 0.05 * limit, taken)) {
        g_array_index (self->rows, Row, first + i).hits |= 1u << limit;
        self->n_found += limit == 0 && rows[i].confidence >= confidence;
      }
  }
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;

  if (x->class_id != y->class_id)
    return x->class_id < y->class_id ? -1 : 1;
  if (x->confidence != y->confidence)
    return x->confidence > y->confidence ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* From the last row to the first, so that the best precision of what follows is
 * known. */
static double
get_ap (const Row *rows, guint n, guint n_objects, guint limit)
{
  guint hits = 0;
  double best = 0, sum = 0;

  for (guint i = 0; i < n; i++)
    hits += rows[i].hits >> limit & 1;
  for (guint i = n; i-- > 0;)
    if (rows[i].hits >> limit & 1) {
      best = MAX (best, (double) hits / (i + 1));
      sum += best;
      hits--;
    }
  return sum / n_objects;
}

ToolAgreementResult
tool_agreement_get (ToolAgreement *self)
{
  ToolAgreementResult result = { self->n_expected, self->n_found, 1, 1 };
  const Row *rows;
  double sum = 0;
  guint classes = 0;

  g_array_sort (self->rows, compare_rows);
  rows = (const Row *) self->rows->data;
  for (guint c = 0, begin = 0, end = 0; c < self->n_classes; c++, begin = end) {
    while (end < self->rows->len && rows[end].class_id == (gint32) c)
      end++;
    if (!self->n_objects[c])
      continue;
    classes++;
    for (guint limit = 0; limit < N_LIMITS; limit++)
      sum += get_ap (rows + begin, end - begin, self->n_objects[c], limit)
          / N_LIMITS;
  }
  if (classes) {
    result.recall = (double) self->n_found / self->n_expected;
    result.ap = sum / classes;
  }
  return result;
}
