/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Compares a tensor, the predictions and the detections with a golden file. */

#include "compare.h"

#include <math.h>
#include <stdio.h>

/* PyTorch's own variation in fp32, with room for another order of summation:
 * the largest seen was 1e-5 of a layer's deviation. bf16 has 8 bits of
 * mantissa; over 23 layers single values stray far but the mass does not, hence
 * a loose largest and a tight root mean square. fp16 and TF32 have three bits
 * more than bf16. */
static const Tolerance tolerances[] = {
  { Y10_PRECISION_FP32, 1e-4, 1e-5 },
  { Y10_PRECISION_TF32, 0.05, 0.004 },
  { Y10_PRECISION_FP16, 0.05, 0.004 },
  { Y10_PRECISION_BF16, 0.4, 0.03 },
};

#define SCORE_TOLERANCE 1e-4
#define BOX_TOLERANCE 0.05 /* pixels */

const Tolerance *
tolerance_of (Y10Precision precision)
{
  for (guint i = 0; i < G_N_ELEMENTS (tolerances); i++)
    if (tolerances[i].precision == precision)
      return &tolerances[i];
  return NULL;
}

void
miss (Comparison *c, const char *format, ...)
{
  va_list args;

  if (c->misses++ >= 20)
    return;
  va_start (args, format);
  printf ("  MISS ");
  vprintf (format, args);
  printf ("\n");
  va_end (args);
}

static void
sum_up (const float *values, gsize n, double *mean, double *std, double *norm)
{
  double sum = 0, sum_of_squares = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i];
  *mean = sum / (double) n;
  for (gsize i = 0; i < n; i++)
    sum_of_squares += (values[i] - *mean) * (values[i] - *mean);
  *std = sqrt (sum_of_squares / (double) (n - 1)); /* as torch.std */
  *norm = sqrt (sum_of_squares + (double) n * *mean * *mean);
}

/* Records all elements of a tensor. */
static void
record (Sample *sample, const float *values, gsize n)
{
  sum_up (values, n, &sample->mean, &sample->std, &sample->norm);
  sample->n_elements = n;
  sample->n = (guint) n;
  g_free (sample->index); /* of a first run with the same results */
  g_free (sample->value);
  sample->index = g_new (gsize, n);
  sample->value = g_new (double, n);
  for (gsize i = 0; i < n; i++) {
    sample->index[i] = i;
    sample->value[i] = values[i];
  }
}

Difference
compare_sample (Comparison *c, const char *what, Sample *sample,
    const float *got, gsize n)
{
  Difference d = { 0, 0 };
  double mean, std, norm;
  double diff2 = 0, value2 = 0;

  if (c->recording) {
    record (sample, got, n);
    return d;
  }
  if (n != sample->n_elements) {
    miss (c, "%s: %" G_GSIZE_FORMAT " values, expected %" G_GSIZE_FORMAT, what,
        n, sample->n_elements);
    return (Difference){ INFINITY, INFINITY };
  }
  for (guint i = 0; i < sample->n; i++) {
    double difference = fabs (got[sample->index[i]] - sample->value[i]);

    diff2 += difference * difference;
    value2 += sample->value[i] * sample->value[i];
    /* The comparison is written so that NaN counts as the largest. */
    if (!(difference / sample->std <= d.largest))
      d.largest = difference / sample->std;
  }
  d.rms = sqrt (diff2 / value2);

  /* The samples are few; the sums see every element. */
  sum_up (got, n, &mean, &std, &norm);
  if (!(fabs (mean - sample->mean) / sample->std <= c->tolerance->rms)
      || !(fabs (std / sample->std - 1) <= c->tolerance->rms)
      || !(fabs (norm / sample->norm - 1) <= c->tolerance->rms))
    miss (c, "%s: mean %.7g std %.7g norm %.7g, expected %.7g %.7g %.7g", what,
        mean, std, norm, sample->mean, sample->std, sample->norm);
  if (!(d.largest <= c->tolerance->largest) || !(d.rms <= c->tolerance->rms))
    miss (c,
        "%s: largest %.3g of a standard deviation, relative RMS %.3g; "
        "tolerance %.3g and %.3g",
        what, d.largest, d.rms, c->tolerance->largest, c->tolerance->rms);
  return d;
}

void
note_worst (Comparison *c, Difference d, int layer)
{
  if (!(d.largest <= c->worst.largest)) {
    c->worst.largest = d.largest;
    c->worst_layer = layer;
  }
  if (!(d.rms <= c->worst.rms))
    c->worst.rms = d.rms;
}

void
compare_predictions (Comparison *c)
{
  Sample *sample = &c->expected->pred;
  guint n_classes = c->expected->n_classes, row = 4 + n_classes;
  guint n_anchors = test_logits_n_anchors (&c->decoded);
  float *pred = g_new (float, (gsize) n_anchors *row), *p = pred;
  double score = 0, box = 0;
  Difference d;

  for (guint a = 0; a < n_anchors; a++) {
    double b[4];

    test_logits_decode (&c->decoded, a, b);
    *p++ = (float) ((b[0] + b[2]) / 2);
    *p++ = (float) ((b[1] + b[3]) / 2);
    *p++ = (float) (b[2] - b[0]);
    *p++ = (float) (b[3] - b[1]);
    for (guint i = 0; i < n_classes; i++)
      *p++ = (float) test_sigmoid (test_logits_class (&c->decoded, a, i));
  }
  d = compare_sample (c, "predictions", sample, pred, (gsize) n_anchors * row);
  note_worst (c, d, -1);
  for (guint i = 0; isfinite (d.largest) && i < sample->n; i++) {
    double difference = fabs (pred[sample->index[i]] - sample->value[i]);
    double *worst = sample->index[i] % row < 4 ? &box : &score;

    *worst = MAX (*worst, difference);
  }
  if (!c->quiet && !c->recording)
    printf ("  %-26s %9.2e  rms %9.2e  score %.2e, box %.2e px\n",
        "predictions", d.largest, d.rms, score, box);
  if (c->tolerance->precision == Y10_PRECISION_FP32
      && (!(score <= SCORE_TOLERANCE) || !(box <= BOX_TOLERANCE)))
    miss (c, "predictions: score off by %.3g, box by %.3g px", score, box);
  g_free (pred);
}

static double
clip (double value, guint limit)
{
  return CLAMP (value, 0, (double) limit);
}

/* Distance of a detection from an expected box, which is clipped like the
 * engine's boxes. */
static double
box_distance (const Comparison *c, const Y10Detection *got, const double box[4])
{
  const float edge[4] = { got->x0, got->y0, got->x1, got->y1 };
  double worst = 0;

  for (guint i = 0; i < 4; i++) {
    guint limit = i & 1 ? c->expected->height : c->expected->width;
    double difference = fabs (edge[i] - clip (box[i], limit));

    if (!(difference <= worst))
      worst = isnan (difference) ? INFINITY : difference;
  }
  return worst;
}

static void
check_order (Comparison *c, const Y10Detection *got, guint n)
{
  for (guint i = 1; i < n; i++) {
    const Y10Detection *p = &got[i - 1], *q = &got[i];

    if (!(p->confidence > q->confidence
            || (p->confidence == q->confidence
                && (p->anchor < q->anchor
                    || (p->anchor == q->anchor && p->class_id < q->class_id)))))
      miss (c, "rows %u and %u are not ordered by score, anchor, class", i - 1,
          i);
  }
}

/* Each expected row must occur once, with the same class, score and place.
 * Where the list was cut at 300, rows within the tolerance of the last score
 * may have been cut the other way; in the middle, order among such rows is
 * free. */
void
compare_detections (Comparison *c, const char *what, const GArray *rows,
    const Y10Detection *got, guint n)
{
  g_autofree gboolean *used = g_new0 (gboolean, n + 1);
  double floor = rows->len == MAX_ROWS
      ? g_array_index (rows, ExpectedRow, rows->len - 1).score
      : 0;

  if (n != rows->len)
    miss (c, "%s: %u rows, expected %u", what, n, rows->len);
  check_order (c, got, n);
  for (guint i = 0; i < rows->len; i++) {
    const ExpectedRow *row = &g_array_index (rows, ExpectedRow, i);
    double nearest = INFINITY;
    guint match = n;

    for (guint j = 0; j < n; j++)
      if (!used[j] && got[j].class_id == (gint) row->class_id
          && fabs (got[j].confidence - row->score) <= SCORE_TOLERANCE
          && box_distance (c, &got[j], row->box) < nearest) {
        nearest = box_distance (c, &got[j], row->box);
        match = j;
      }
    if (match == n || nearest > BOX_TOLERANCE) {
      if (row->score - floor > SCORE_TOLERANCE)
        miss (c,
            "%s: row %u, class %u score %.6f at %.2f %.2f %.2f %.2f, "
            "nearest is %.3g px away",
            what, i, row->class_id, row->score, row->box[0], row->box[1],
            row->box[2], row->box[3], nearest);
      continue;
    }
    used[match] = TRUE;
    c->n_matched++;
    c->worst_box = MAX (c->worst_box, nearest);
    c->worst_score = MAX (c->worst_score,
        fabs (got[match].confidence - row->score));
  }
  c->n_rows += rows->len;
  for (guint j = 0; j < n; j++)
    if (!used[j] && got[j].confidence - floor > SCORE_TOLERANCE)
      miss (c, "%s: unexpected class %d score %.6f at %.2f %.2f %.2f %.2f",
          what, got[j].class_id, got[j].confidence, got[j].x0, got[j].y0,
          got[j].x1, got[j].y1);
}
