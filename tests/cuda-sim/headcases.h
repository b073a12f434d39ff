/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Heads with logits that are known to be hard. */

#include "core/head.h"
#include "core/image.h"
#include "core/plan.h"

G_BEGIN_DECLS

#define HEAD_MAX_IMAGES 3

typedef enum
{
  SPREAD,  /* like a trained network's */
  TIES,    /* few values */
  EQUAL,   /* one value */
  LARGE,   /* scores that round to 1 */
  NEAR,    /* bits apart, scores equal in groups */
  SPECIAL, /* NaN, infinities, zeros of both signs */
  N_KINDS,
} HeadKind;

typedef struct
{
  Y10Head head;
  HeadKind kind;
  guint height[3], width[3]; /* anchors */
  guint n_classes, n_bins, images, capacity;
  guint pairs; /* the most of them that go through NMS; 0: best classes do */
} HeadCase;

typedef struct
{
  Y10Graph graph;
  Y10Tensor tensors[6];
  guint channels[6], seg_start[6][2];
  Y10Storage storage[6];
  Y10Plan plan;
  guint8 *arena[HEAD_MAX_IMAGES]; /* planar logits of an image */
  gfloat *logits[6];              /* the same in the kernels' layout */
  guint gap[6];                   /* floats between pixels */
  Y10HeadParams params[HEAD_MAX_IMAGES];
  Y10Letterbox letterbox[HEAD_MAX_IMAGES];
} HeadWorld;

extern const char *const head_kind_names[];

/* These three make up one case; head_world_clear() frees it. */
void head_world_init (HeadWorld *w, const HeadCase *c);
void head_world_fill (HeadWorld *w, const HeadCase *c, GRand *rand);
void head_world_choose (HeadWorld *w, const HeadCase *c, GRand *rand);
void head_world_clear (HeadWorld *w);
/* The most candidates that a head keeps. */
guint head_world_n_candidates (const HeadWorld *w, const HeadCase *c);
/* Runs the head of an image as the ref backend does; the number of @rows. */
guint head_world_run_reference (const HeadWorld *w, const HeadCase *c,
    guint image, Y10Detection *rows);

G_END_DECLS
