/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What PyTorch computed: a golden file. */

#include <glib.h>

G_BEGIN_DECLS

#define MAX_LAYERS 32

/* A tensor by its sums and some of its elements, batch of one. */
typedef struct
{
  gsize n_elements;
  double mean, std, norm;
  guint n;
  gsize *index;
  double *value;
} Sample;

/* Input pixels, not clipped. */
typedef struct
{
  double box[4]; /* x0 y0 x1 y1 */
  double score;
  guint class_id;
} ExpectedRow;

typedef struct
{
  char *path, *name;
  char *shapes;  /* NULL: beside it */
  char *variant; /* such as "yolov10n" */
  guint height, width, n_classes;
  guint64 seed;
  gboolean one2many;
  double confidence, iou; /* one2many */
  guint n_layers;         /* may be 0 for one2many */
  Sample layers[MAX_LAYERS];
  Sample pred;      /* anchors × (cx cy w h scores) */
  GArray *rows;     /* one2one, or class-aware NMS */
  GArray *agnostic; /* one2many: class-agnostic NMS */
} Expected;

Expected *expected_load (const char *path, GError **error);
void expected_free (Expected *expected);
/* For recording the results of a shapes file's network at another size. */
Expected *expected_of_reference (const char *shapes, guint width, guint height,
    gboolean one2many);
/* The shapes file: beside it. */
char *expected_shapes_path (const Expected *expected);

G_END_DECLS
