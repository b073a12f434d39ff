/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Written from the papers (Generalized Focal Loss §3 for the distribution over
 * bins, YOLOv10 §3.1 for the end-to-end choice), not from the engine, so that a
 * mistake in one is not repeated in the other. It sorts everything in full and
 * converts no threshold to a logit. */

#include "decode.h"

#include <math.h>
#include <stdlib.h>

guint
test_logits_n_anchors (const TestLogits *logits)
{
  guint n = 0;

  for (guint i = 0; i < 3; i++)
    n += logits->height[i] * logits->width[i];
  return n;
}

/* Returns the level of @anchor, and makes @anchor the index of the cell in that
 * level. */
static guint
locate (const TestLogits *logits, guint *anchor)
{
  guint level = 0;

  while (*anchor >= logits->height[level] * logits->width[level]) {
    *anchor -= logits->height[level] * logits->width[level];
    level++;
    g_assert_cmpuint (level, <, 3);
  }
  return level;
}

float
test_logits_class (const TestLogits *logits, guint anchor, guint class_id)
{
  guint level = locate (logits, &anchor);
  gsize area = (gsize) logits->height[level] * logits->width[level];

  return logits->cls[level][class_id * area + anchor];
}

void
test_logits_decode (const TestLogits *logits, guint anchor, double box[4])
{
  guint level = locate (logits, &anchor);
  gsize area = (gsize) logits->height[level] * logits->width[level];
  double cx = anchor % logits->width[level] + 0.5;
  double cy = anchor / logits->width[level] + 0.5;
  double stride = logits->stride[level], distance[4];

  for (guint side = 0; side < 4; side++) {
    const float *bins = logits->box[level] + side * logits->n_bins * area
        + anchor;
    double largest = -INFINITY, sum = 0, weighted = 0;

    for (guint i = 0; i < logits->n_bins; i++)
      largest = fmax (largest, bins[i * area]);
    for (guint i = 0; i < logits->n_bins; i++) {
      double e = exp (bins[i * area] - largest);

      sum += e;
      weighted += i * e;
    }
    distance[side] = logits->n_bins == 1 ? bins[0] : weighted / sum;
  }
  box[0] = (cx - distance[0]) * stride;
  box[1] = (cy - distance[1]) * stride;
  box[2] = (cx + distance[2]) * stride;
  box[3] = (cy + distance[3]) * stride;
}

double
test_sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const TestRow *p = a, *q = b;

  /* Compares as float, the type of the results; the anchor breaks ties. */
  if ((float) p->score != (float) q->score)
    return p->score > q->score ? -1 : 1;
  if (p->anchor != q->anchor)
    return p->anchor < q->anchor ? -1 : 1;
  return (p->class_id > q->class_id) - (p->class_id < q->class_id);
}

static void
append (GArray *rows, guint anchor, guint class_id, float logit)
{
  TestRow row = {
    .logit = logit,
    .score = test_sigmoid (logit),
    .anchor = anchor,
    .class_id = class_id,
  };

  g_array_append_val (rows, row);
}

static void
decode_row (const TestLogits *logits, TestRow *row)
{
  double box[4];

  test_logits_decode (logits, row->anchor, box);
  row->x0 = box[0];
  row->y0 = box[1];
  row->x1 = box[2];
  row->y1 = box[3];
}

GArray *
test_one2one (const TestLogits *logits, double confidence, const guint8 *wanted,
    guint max)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (TestRow));
  guint n_anchors = test_logits_n_anchors (logits);

  for (guint a = 0; a < n_anchors; a++)
    for (guint c = 0; c < logits->n_classes; c++) {
      float logit = test_logits_class (logits, a, c);

      if ((!wanted || wanted[c]) && test_sigmoid (logit) >= confidence)
        append (rows, a, c, logit);
    }
  g_array_sort (rows, compare_rows);
  if (rows->len > max)
    g_array_set_size (rows, max);
  for (guint i = 0; i < rows->len; i++)
    decode_row (logits, &g_array_index (rows, TestRow, i));
  return rows;
}

static float
area_of (const float box[4])
{
  return (box[2] - box[0]) * (box[3] - box[1]);
}

static float
overlap (const TestRow *p, const TestRow *q)
{
  float a[4] = { (float) p->x0, (float) p->y0, (float) p->x1, (float) p->y1 };
  float b[4] = { (float) q->x0, (float) q->y0, (float) q->x1, (float) q->y1 };
  float w = fmaxf (0, fminf (a[2], b[2]) - fmaxf (a[0], b[0]));
  float h = fmaxf (0, fminf (a[3], b[3]) - fmaxf (a[1], b[1]));
  float inter = w * h;

  return inter / (area_of (a) + area_of (b) - inter);
}

/* Non-maximum suppression; consumes @rows. */
static GArray *
suppress (const TestLogits *logits, GArray *rows, double iou, gboolean agnostic,
    guint max)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (TestRow));

  for (guint i = 0; i < rows->len && kept->len < max; i++) {
    TestRow *row = &g_array_index (rows, TestRow, i);
    gboolean keep = TRUE;

    decode_row (logits, row);
    for (guint j = 0; keep && j < kept->len; j++) {
      const TestRow *stronger = &g_array_index (kept, TestRow, j);

      if (agnostic || stronger->class_id == row->class_id)
        keep = overlap (stronger, row) <= (float) iou;
    }
    if (keep)
      g_array_append_val (kept, *row);
  }
  g_array_unref (rows);
  return kept;
}

GArray *
test_one2many (const TestLogits *logits, double confidence,
    const guint8 *wanted, double iou, gboolean agnostic, guint max)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (TestRow));
  guint n_anchors = test_logits_n_anchors (logits);

  for (guint a = 0; a < n_anchors; a++) {
    guint best = 0;

    for (guint c = 1; c < logits->n_classes; c++)
      if (test_logits_class (logits, a, c)
          > test_logits_class (logits, a, best))
        best = c;
    if ((!wanted || wanted[best])
        && test_sigmoid (test_logits_class (logits, a, best)) >= confidence)
      append (rows, a, best, test_logits_class (logits, a, best));
  }
  g_array_sort (rows, compare_rows);
  return suppress (logits, rows, iou, agnostic, max);
}

GArray *
test_pairs (const TestLogits *logits, double confidence, const guint8 *wanted,
    double iou, gboolean agnostic, guint max)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (TestRow));
  guint n_anchors = test_logits_n_anchors (logits);

  for (guint a = 0; a < n_anchors; a++)
    for (guint c = 0; c < logits->n_classes; c++)
      if ((!wanted || wanted[c])
          && test_sigmoid (test_logits_class (logits, a, c)) >= confidence)
        append (rows, a, c, test_logits_class (logits, a, c));
  g_array_sort (rows, compare_rows);
  g_array_set_size (rows, MIN (rows->len, 30000));
  return suppress (logits, rows, iou, agnostic, max);
}
