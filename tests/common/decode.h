/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A second implementation of the head, in double, plain and slow, with which
 * the tests compare the engine's head. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint n_classes, n_bins;
  guint height[3], width[3], stride[3];
  const float *box[3]; /* 4 × n_bins planes of height × width */
  const float *cls[3]; /* n_classes planes */
} TestLogits;

typedef struct
{
  double x0, y0, x1, y1; /* input pixels, not clipped */
  double score;
  float logit;
  guint anchor, class_id;
} TestRow;

guint test_logits_n_anchors (const TestLogits *logits);
void test_logits_decode (const TestLogits *logits, guint anchor, double box[4]);
float test_logits_class (const TestLogits *logits, guint anchor,
    guint class_id);
double test_sigmoid (double x);

/* @wanted: a byte per class, or NULL. Both return GArrays of TestRow ordered by
 * score, anchor, class. This one returns at most @max pairs of anchor and wanted
 * class with at least @confidence. */
GArray *test_one2one (const TestLogits *logits, double confidence,
    const guint8 *wanted, guint max);
/* This one returns the best class of every anchor if it is wanted, after non-maximum
 * suppression like that of torchvision.ops.nms. */
GArray *test_one2many (const TestLogits *logits, double confidence,
    const guint8 *wanted, double iou, gboolean agnostic, guint max);
/* And this one the pairs of anchor and wanted class, the best 30,000, after it. */
GArray *test_pairs (const TestLogits *logits, double confidence,
    const guint8 *wanted, double iou, gboolean agnostic, guint max);

G_END_DECLS
