/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Logits for tests of the head: random, with ties, with scores that only rounding makes
 * equal, with NaN and infinities; and what the engine's head makes of them. */
#include "headcases.h"

#include <math.h>
#include <string.h>

#include "ref/head.h"

const char *const head_kind_names[] = { "spread", "ties", "equal", "large",
  "near", "special" };

static gfloat
random_float (GRand *rand, gdouble least, gdouble most)
{
  return g_rand_double_range (rand, least, most);
}

static gfloat
random_logit (GRand *rand, HeadKind kind)
{
  static const gfloat special[] = { NAN, INFINITY, -INFINITY, 0.0f, -0.0f,
    1e-42f, -1e-42f, G_MAXFLOAT, -G_MAXFLOAT, 100, -100, -NAN };
  guint32 bits;
  gfloat v;

  switch (kind) {
    case SPREAD:
      return random_float (rand, -12, 6) * random_float (rand, 0, 1);
    case TIES:
      return roundf (random_float (rand, -6, 4) / 0.75f) * 0.75f;
    case EQUAL:
      return 1.5f;
    case LARGE:
      return random_float (rand, 10, 30);
    case NEAR:
      v = 5.0f;
      memcpy (&bits, &v, sizeof bits);
      bits += g_rand_int_range (rand, 0, 64);
      memcpy (&v, &bits, sizeof v);
      return v;
    default:
      return g_rand_boolean (rand)
          ? random_float (rand, -3, 3)
          : special[g_rand_int_range (rand, 0, G_N_ELEMENTS (special))];
  }
}

void
head_world_init (HeadWorld *w, const HeadCase *c)
{
  gsize offset = 0;

  memset (w, 0, sizeof *w);
  w->graph = (Y10Graph){
    .head = c->head,
    .n_classes = c->n_classes,
    .n_bins = c->n_bins,
    .n_levels = 3,
    .tensors = w->tensors,
    .n_tensors = 6,
    .head_kind = c->n_bins == 1 ? Y10_HEAD_KIND_LTRB : Y10_HEAD_KIND_DFL,
    .multi_label = c->pairs > 0,
  };
  w->plan = (Y10Plan){
    .graph = &w->graph,
    .storage = w->storage,
    .layout = { .block = 1, .elem_size = 4 },
  };
  for (guint i = 0; i < 6; i++) {
    guint level = i / 2, area = c->height[level] * c->width[level];

    w->channels[i] = i & 1 ? c->n_classes : 4 * c->n_bins;
    w->tensors[i] = (Y10Tensor){
      .role = Y10_ROLE_LOGITS,
      .height = c->height[level],
      .width = c->width[level],
      .n_segs = 1,
      .seg_channels = &w->channels[i],
    };
    w->seg_start[i][1] = w->channels[i];
    w->storage[i] = (Y10Storage){
      .offset = offset,
      .size = (gsize) area * w->channels[i] * 4,
      .block = 1,
      .elem_size = 4,
      .padded_channels = w->channels[i],
      .seg_start = w->seg_start[i],
    };
    offset += w->storage[i].size;
    *(i & 1 ? &w->graph.cls[level] : &w->graph.box[level]) = (Y10View){ i, 0,
      1 };
    if (i & 1)
      w->graph.n_anchors += area;
    w->graph.stride[level] = 8 << level;
  }
  w->plan.arena_size = offset;
}

void
head_world_fill (HeadWorld *w, const HeadCase *c, GRand *rand)
{
  for (guint n = 0; n < c->images; n++)
    w->arena[n] = g_malloc (w->plan.arena_size);
  for (guint i = 0; i < 6; i++) {
    guint area = w->tensors[i].height * w->tensors[i].width;
    guint channels = w->channels[i], pixel = (channels + 7) / 8 * 8;
    gboolean bad = c->kind == SPECIAL && g_rand_int_range (rand, 0, 4) == 0;

    w->gap[i] = pixel + 8 * g_rand_int_range (rand, 0, 3);
    w->logits[i] = g_new (gfloat, (gsize) c->images * area * w->gap[i]);
    /* Fills the gaps with logits better than any real one. */
    for (gsize j = 0; j < (gsize) c->images * area * w->gap[i]; j++)
      w->logits[i][j] = 1e30f;
    for (guint n = 0; n < c->images; n++) {
      gfloat *planar = (gfloat *) (gpointer) (w->arena[n]
          + w->storage[i].offset);

      for (guint k = 0; k < channels; k++)
        for (guint j = 0; j < area; j++) {
          gfloat v = i & 1        ? random_logit (rand, c->kind)
              : bad && j % 5 == 0 ? random_logit (rand, SPECIAL)
                                  : random_float (rand, -3, 3);

          planar[(gsize) k * area + j] = v;
          w->logits[i][((gsize) n * area + j) * w->gap[i] + k] = v;
        }
    }
  }
}

void
head_world_choose (HeadWorld *w, const HeadCase *c, GRand *rand)
{
  static const gfloat confidences[] = { 0, 0.001f, 0.25f, 0.25f, 0.5f, 0.9f,
    1 };
  static const gfloat ious[] = { 0, 0.3f, 0.45f, 0.7f, 1 };

  for (guint n = 0; n < c->images; n++) {
    Y10HeadParams *p = &w->params[n];
    guint8 *classes = NULL;
    guint unwanted = g_rand_int_range (rand, 0, 5);

    if (unwanted) {
      classes = g_new (guint8, c->n_classes);
      for (guint k = 0; k < c->n_classes; k++)
        classes[k] = unwanted == 1 ? 255 : k % unwanted != 0;
      if (g_rand_int_range (rand, 0, 16) == 0)
        memset (classes, 0, c->n_classes);
    }
    *p = (Y10HeadParams){
      .confidence =
          confidences[g_rand_int_range (rand, 0, G_N_ELEMENTS (confidences))],
      .iou = ious[g_rand_int_range (rand, 0, G_N_ELEMENTS (ious))],
      .class_agnostic = g_rand_boolean (rand),
      .classes = classes,
      .max_detections = g_rand_boolean (rand)
          ? c->capacity
          : (guint) g_rand_int_range (rand, 1, c->capacity + 1)
    };
    /* A threshold among the scores: some pass the rounded floor, but not the
     * exact threshold. */
    if (c->kind == NEAR && g_rand_boolean (rand))
      p->confidence = y10_head_sigmoid (5 + 1.5e-5f);
    y10_letterbox_init (&w->letterbox[n], g_rand_int_range (rand, 1, 2000),
        g_rand_int_range (rand, 1, 1200), 8 * c->width[0], 8 * c->height[0]);
  }
}

void
head_world_clear (HeadWorld *w)
{
  for (guint i = 0; i < 6; i++)
    g_free (w->logits[i]);
  for (guint n = 0; n < HEAD_MAX_IMAGES; n++) {
    g_free (w->arena[n]);
    g_free ((gpointer) w->params[n].classes);
  }
}

guint
head_world_n_candidates (const HeadWorld *w, const HeadCase *c)
{
  const guint n = y10_head_capacity (&w->graph, c->capacity);

  return c->pairs ? MIN (c->pairs, n) : n;
}

/* Runs the head like the ref backend. */
guint
head_world_run_reference (const HeadWorld *w, const HeadCase *c, guint image,
    Y10Detection *rows)
{
  guint capacity = head_world_n_candidates (w, c), n;
  Y10Candidate *candidates = g_new (Y10Candidate, capacity);
  gfloat *boxes = g_new (gfloat, y10_head_n_floats (&w->graph, capacity));
  guint8 *keep = g_malloc (capacity);
  Y10TopK topk;

  y10_topk_init (&topk, candidates, capacity,
      y10_head_logit_floor (w->params[image].confidence));
  y10_ref_head_scan (&w->plan, w->arena[image], &w->params[image], &topk);
  n = y10_head_finish (&w->plan, w->arena[image], &topk, &w->params[image],
      &w->letterbox[image], boxes, keep, rows);
  g_free (candidates);
  g_free (boxes);
  g_free (keep);
  return n;
}
