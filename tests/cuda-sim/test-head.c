/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The CUDA kernels of the head, simulated, against the engine's head on the
 * host: the same rows in the same order, with the same bits, since both take
 * expf from the C library. The test drops rows that are not finite from the
 * kernels' output, like a slot (cuda/slot.c). Logits are random, with ties,
 * with scores that only rounding makes equal, with NaN and infinities; every
 * case runs twice with different orders of threads and blocks. The contents of
 * the gaps between the logits and the previous contents of scratch memory must
 * make no difference.
 *
 * Compiled kernels (Y10_SIM_PTX) have a GPU's exponential, of which the last bits differ.
 * Then scores and edges are compared with a tolerance, and which row it is only where no
 * other score is as near; of the rows that bits decide, the last ones may be others. */

#include <math.h>
#include <string.h>

#include "headcases.h"
#include "kernels/head.h"
#include "sim.h"

#define RANDOM_CASES 40 /* per test; with -m slow */
#define QUICK_CASES 10
#define PTX_CASES 4 /* its executor is slower */

static void
fill_kernel (Y10KHead *k, const HeadWorld *w, const HeadCase *c)
{
  guint anchor = 0;

  *k = (Y10KHead){
    .n_levels = 3,
    .n_anchors = w->graph.n_anchors,
    .n_classes = c->n_classes,
    .n_bins = c->n_bins,
    .images = c->images,
    .capacity = c->capacity,
    .kind = (int) w->graph.head_kind,
    .best_class = y10_graph_has_best_class (&w->graph),
    .max_pairs = c->pairs ? (int) head_world_n_candidates (w, c) : 0,
  };
  for (guint l = 0; l < 3; l++) {
    guint area = c->height[l] * c->width[l];

    k->level[l] = (Y10KLevel){
      .box = w->logits[2 * l],
      .cls = w->logits[2 * l + 1],
      .box_pixel = w->gap[2 * l],
      .cls_pixel = w->gap[2 * l + 1],
      .box_image = (gint64) area * w->gap[2 * l],
      .cls_image = (gint64) area * w->gap[2 * l + 1],
      .height = c->height[l],
      .width = c->width[l],
      .stride = w->graph.stride[l],
      .first_anchor = anchor,
    };
    anchor += area;
  }
}

static void
fill_params (Y10KHeadParams *to, guint8 *classes, const HeadWorld *w,
    const HeadCase *c)
{
  for (guint n = 0; n < c->images; n++) {
    const Y10HeadParams *p = &w->params[n];
    const Y10Letterbox *l = &w->letterbox[n];

    to[n] = (Y10KHeadParams){
      .floor = y10_head_logit_floor (p->confidence),
      .confidence = p->confidence,
      .iou = p->iou,
      .class_agnostic = p->class_agnostic,
      .max_rows = p->max_detections,
      .all_classes = p->classes == NULL,
      .scale = l->scale,
      .left = l->left,
      .top = l->top,
      .src_width = l->src_width,
      .src_height = l->src_height,
    };
    /* Without a list of classes the kernel must not read the bytes. */
    for (guint k = 0; k < c->n_classes; k++)
      classes[n * c->n_classes + k] = p->classes ? p->classes[k] : 0;
  }
}

static gboolean
same_float (gfloat a, gfloat b)
{
  return memcmp (&a, &b, sizeof a) == 0;
}

static gboolean on_ptx;

/* Of a score, from 0 to 1; and of an edge, relative to what it is made of. */
#define NEAR_SCORE 1e-6f
#define NEAR_EDGE 1e-5f

static gboolean
near_edge (gfloat a, gfloat b, const Y10Detection *row)
{
  const gfloat size = fabsf (row->x0) + fabsf (row->y0) + fabsf (row->x1)
      + fabsf (row->y1);

  return same_float (a, b) || fabsf (a - b) <= NEAR_EDGE * (size + 1);
}

/* Row @i of @n; the last one can be any of those that have its score. */
static gboolean
near_row (const Y10KRow *a, const Y10Detection *rows, guint i, guint n)
{
  const Y10Detection *b = &rows[i];
  const gboolean alone = (i == 0
                             || rows[i - 1].confidence - b->confidence
                                 > 2 * NEAR_SCORE)
      && i + 1 < n && b->confidence - rows[i + 1].confidence > 2 * NEAR_SCORE;

  return fabsf (a->score - b->confidence) <= NEAR_SCORE
      && (!alone
          || (a->anchor == b->anchor && a->class_id == b->class_id
              && near_edge (a->x0, b->x0, b) && near_edge (a->y0, b->y0, b)
              && near_edge (a->x1, b->x1, b) && near_edge (a->y1, b->y1, b)));
}

static gboolean
same_row (const Y10KRow *a, const Y10Detection *b)
{
  return same_float (a->x0, b->x0) && same_float (a->y0, b->y0)
      && same_float (a->x1, b->x1) && same_float (a->y1, b->y1)
      && same_float (a->score, b->confidence) && a->class_id == b->class_id
      && a->anchor == b->anchor;
}

static void
launch (const char *name, Y10KLaunch launch, const Y10KHead *k)
{
  const Y10SimKernel *kernel = y10_sim_kernel (name);

  g_assert_nonnull (kernel);
  g_assert_true (y10_sim_run (kernel, launch, 49152, k));
}

static void
run_kernels (const HeadCase *c, Y10KHead *k, Y10KRow *rows, unsigned *counts)
{
  gsize scratch = y10_head_scratch_bytes (k);

  k->scratch = g_malloc (scratch);
  k->rows = rows;
  k->counts = counts;
  memset (k->scratch, g_random_int () & 255, scratch);
  memset (rows, 0xee, c->images * c->capacity * sizeof *rows);
  memset (counts, 0xee, c->images * sizeof *counts);
  launch ("y10_head_scan", y10_head_scan_launch (k), k);
  if (c->head == Y10_HEAD_ONE2ONE)
    launch ("y10_head_select", y10_head_select_launch (k), k);
  else if (c->pairs)
    launch ("y10_head_nms_pairs", y10_head_nms_pairs_launch (k), k);
  else
    launch ("y10_head_nms", y10_head_nms_launch (k), k);
  g_free (k->scratch);
}

static gboolean
compare (const HeadWorld *w, const HeadCase *c, const Y10KRow *rows,
    const unsigned *counts)
{
  Y10Detection *finite = g_new (Y10Detection, c->capacity);
  Y10Detection *expected = g_new (Y10Detection, c->capacity);
  guint8 untouched[sizeof (Y10KRow)];
  gboolean ok = TRUE;

  memset (untouched, 0xee, sizeof untouched);
  for (guint n = 0; n < c->images && ok; n++) {
    guint n_rows = head_world_run_reference (w, c, n, expected);
    const Y10KRow *written = rows + n * c->capacity;
    const Y10KRow *got = (const Y10KRow *) (gconstpointer) finite;
    guint n_written = MIN (counts[n], c->capacity), n_got;

    memcpy (finite, written, n_written * sizeof *finite);
    n_got = y10_head_drop_not_finite (finite, n_written);
    if (counts[n] > c->capacity || n_got != n_rows) {
      g_test_message ("image %u: %u rows of %u, expected %u", n, n_got,
          counts[n], n_rows);
      ok = FALSE;
    }
    for (guint i = 0; i < MIN (n_rows, n_got) && ok; i++)
      if (!(on_ptx ? near_row (&got[i], expected, i, n_rows)
                   : same_row (&got[i], &expected[i]))) {
        const Y10Detection *e = &expected[i];

        g_test_message (
            "image %u row %u: anchor %u class %d score %.9g "
            "%.9g %.9g %.9g %.9g, expected %u %d %.9g %.9g %.9g %.9g %.9g",
            n, i, got[i].anchor, got[i].class_id, got[i].score, got[i].x0,
            got[i].y0, got[i].x1, got[i].y1, e->anchor, e->class_id,
            e->confidence, e->x0, e->y0, e->x1, e->y1);
        ok = FALSE;
      }
    for (guint i = n_written; i < c->capacity && ok; i++)
      if (memcmp (&written[i], untouched, sizeof untouched) != 0) {
        g_test_message ("image %u: row %u written, of %u", n, i, n_written);
        ok = FALSE;
      }
  }
  g_free (expected);
  g_free (finite);
  return ok;
}

static void
run_case (const HeadCase *c, guint32 seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  guint8 *classes = g_malloc (c->images * c->n_classes);
  unsigned *counts = g_new (unsigned, c->images);
  Y10KRow *rows[2] = { NULL };
  Y10KHeadParams params[HEAD_MAX_IMAGES];
  Y10KHead k;
  HeadWorld w;

  head_world_init (&w, c);
  head_world_fill (&w, c, rand);
  head_world_choose (&w, c, rand);
  fill_kernel (&k, &w, c);
  fill_params (params, classes, &w, c);
  k.params = params;
  k.classes = classes;
  for (guint i = 0; i < 2; i++) {
    rows[i] = g_new (Y10KRow, c->images * c->capacity);
    y10_sim_set_seed (2 * (guint64) seed + i);
    run_kernels (c, &k, rows[i], counts);
    if (!compare (&w, c, rows[i], counts)) {
      g_test_message ("%s, %s, %u anchors, %u classes, %u bins, %u images, "
                      "capacity %u, seed %u",
          c->head == Y10_HEAD_ONE2ONE ? "one2one"
              : c->pairs              ? "pairs"
                                      : "one2many",
          head_kind_names[c->kind], w.graph.n_anchors, c->n_classes, c->n_bins,
          c->images, c->capacity, seed);
      g_test_fail ();
      break;
    }
  }
  for (guint i = 0; i < 2; i++)
    g_free (rows[i]);
  g_free (classes);
  g_free (counts);
  head_world_clear (&w);
  g_rand_free (rand);
}

static guint
one_of (GRand *rand, const guint *values, guint n)
{
  return values[g_rand_int_range (rand, 0, n)];
}

#define ONE_OF(rand, ...) \
  one_of (rand, (guint[]){ __VA_ARGS__ }, \
      sizeof ((guint[]){ __VA_ARGS__ }) / sizeof (guint))

static void
choose_grids (HeadCase *c, guint width, guint height)
{
  for (guint l = 0; l < 3; l++) {
    c->width[l] = width >> l;
    c->height[l] = height >> l;
  }
}

static void
test_random (gconstpointer data)
{
  guint32 first = GPOINTER_TO_UINT (data);
  guint n = on_ptx ? PTX_CASES : g_test_slow () ? RANDOM_CASES : QUICK_CASES;

  for (guint32 i = 0; i < n && !g_test_failed (); i++) {
    GRand *rand = g_rand_new_with_seed (first + i);
    HeadCase c = {
      .head = g_rand_boolean (rand) ? Y10_HEAD_ONE2ONE : Y10_HEAD_ONE2MANY,
      .kind = g_rand_int_range (rand, 0, N_KINDS),
      .n_classes = ONE_OF (rand, 1, 2, 3, 4, 5, 7, 33, 80, 129),
      .n_bins = ONE_OF (rand, 1, 5, 8, 16),
      .images = g_rand_int_range (rand, 1, HEAD_MAX_IMAGES + 1),
      .capacity = ONE_OF (rand, 1, 2, 7, 300, 300, 1024, 1025, 3000),
    };

    /* Few pairs, so that rows tell which ones they are. */
    if (c.head == Y10_HEAD_ONE2MANY && g_rand_boolean (rand))
      c.pairs = ONE_OF (rand, 1, 7, 100, 1024, 2000, 30000);
    choose_grids (&c, 4 * g_rand_int_range (rand, 1, 10),
        4 * g_rand_int_range (rand, 1, 10));
    run_case (&c, first + i);
    g_rand_free (rand);
  }
}

static void
test_case (gconstpointer data)
{
  guint n = g_test_slow () && !on_ptx ? 3 : 1;

  for (guint32 seed = 1; seed <= n && !g_test_failed (); seed++)
    run_case (data, seed);
}

/* Two or three rows whose order changes by rounding only: no other row of the
 * list shows that it must be sorted again. */
static void
test_pairs (void)
{
  for (guint32 seed = 1; seed <= 40 && !g_test_failed (); seed++) {
    const HeadCase c = {
      .head = Y10_HEAD_ONE2ONE,
      .kind = NEAR,
      .height = { 4, 2, 1 },
      .width = { 4, 2, 1 },
      .n_classes = 3,
      .n_bins = 1,
      .images = 2,
      .capacity = 2 + seed % 2,
    };

    run_case (&c, seed);
  }
}

int
main (int argc, char **argv)
{
  /* The sizes in use, and ones that exceed the shared memory. */
  static const struct
  {
    const char *name;
    HeadCase c;
  } cases[] = {
/* clang-format off */
#define CASE_OF(name, head, kind, size, classes, rows, pairs) { \
    "/" name "/" #kind "/" #size "x" #classes "/" #rows, \
    { head, kind, { size / 8, size / 16, size / 32 }, \
      { size / 8, size / 16, size / 32 }, classes, 16, 1, rows, pairs } }
/* clang-format on */
#define CASE(head, kind, size, classes, rows) \
  CASE_OF (#head, Y10_HEAD_##head, kind, size, classes, rows, 0)
#define PAIRS(kind, size, classes, rows) \
  CASE_OF ("PAIRS", Y10_HEAD_ONE2MANY, kind, size, classes, rows, 30000)
    CASE (ONE2ONE, SPREAD, 32, 80, 300),
    CASE (ONE2ONE, SPREAD, 640, 80, 300),
    CASE (ONE2ONE, SPREAD, 1280, 8, 300),
    CASE (ONE2ONE, SPREAD, 320, 1000, 300),
    CASE (ONE2ONE, EQUAL, 320, 1000, 300),
    CASE (ONE2ONE, TIES, 640, 80, 1025),
    CASE (ONE2ONE, SPREAD, 640, 3, 8400),
    CASE (ONE2MANY, SPREAD, 32, 80, 300),
    CASE (ONE2MANY, SPREAD, 640, 80, 300),
    CASE (ONE2MANY, TIES, 1280, 8, 300),
    CASE (ONE2MANY, EQUAL, 640, 3, 300),
    CASE (ONE2MANY, SPREAD, 320, 1000, 300),
    CASE (ONE2MANY, SPREAD, 640, 3, 8400),
    PAIRS (SPREAD, 640, 80, 300),
    PAIRS (TIES, 640, 80, 300),
    PAIRS (EQUAL, 320, 1000, 300),
    PAIRS (NEAR, 1408, 2, 300),
#undef PAIRS
#undef CASE
#undef CASE_OF
  };

  g_test_init (&argc, &argv, NULL);
  on_ptx = g_getenv ("Y10_SIM_PTX") != NULL;
  for (guint32 first = 0; first < 6 * RANDOM_CASES; first += RANDOM_CASES) {
    char *name = g_strdup_printf ("/random/%u", first);

    g_test_add_data_func (name, GUINT_TO_POINTER (first), test_random);
    g_free (name);
  }
  g_test_add_func ("/pairs", test_pairs);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add_data_func (cases[i].name, &cases[i].c, test_case);
  return g_test_run ();
}
