/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The expected results of one run of the engine, and the tolerances. */

#include "decode.h"
#include "run/engine.h"
#include "run/stepops.h"
#include "expected.h"

G_BEGIN_DECLS

#define MAX_ROWS 300

typedef struct
{
  Y10Precision precision;
  double largest; /* |difference| / standard deviation */
  double rms;     /* of the difference over that of the values */
} Tolerance;

typedef struct
{
  double largest, rms;
} Difference;

/* One golden file on one engine. */
typedef struct
{
  Expected *expected;
  gboolean recording; /* record only: prints the results instead of
                                 * comparing them */
  const Tolerance *tolerance;
  Y10Engine *engine;
  const Y10Graph *graph;
  Y10Step step;
  float *logits[2 * Y10_MAX_LEVELS];
  TestLogits decoded;
  Difference worst; /* of all layers and the predictions */
  int worst_layer;
  double worst_score, worst_box; /* of the detections */
  guint n_matched, n_rows;
  guint misses;
  gboolean quiet; /* no table of layers */
} Comparison;

/* By precision; NULL: there is none. */
const Tolerance *tolerance_of (Y10Precision precision);

void miss (Comparison *c, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Compares all @n values of one tensor with its sums and samples. */
Difference compare_sample (Comparison *c, const char *what, Sample *sample,
    const float *got, gsize n);
void note_worst (Comparison *c, Difference d, int layer);
/* Compares c->decoded with the predictions. */
void compare_predictions (Comparison *c);
void compare_detections (Comparison *c, const char *what, const GArray *rows,
    const Y10Detection *got, guint n);

G_END_DECLS
