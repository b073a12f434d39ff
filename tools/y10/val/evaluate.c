/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Average precision and recall as COCO defines them, to the last bit where possible: the order
 * of equal confidences, crowds, the area of an outline, the rounding of thresholds. It knows
 * neither files nor networks.
 *
 * In each picture and class, the hundred most confident boxes take, one after the other, the
 * object that they overlap most. Objects that are crowds or of another size than asked for may
 * be found, but need not: a box on one of those does not count, nor does a box of such a size
 * on nothing. A crowd takes any number of boxes, and its overlap is the share of the box. */

#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "val/evaluate.h"

#define MOST 100 /* boxes of a picture and class */
#define NONE G_MAXUINT

static const guint most[VAL_N_MOST] = { 1, 10, MOST };

/* From and to, both included. */
static const double areas[VAL_N_AREAS][2] = {
  { 0, 1e10 },
  { 0, 32 * 32 },
  { 32 * 32, 96 * 96 },
  { 96 * 96, 1e10 },
};

/* A box among those of its class: what became of it, a bit for each threshold. */
typedef struct
{
  double confidence;
  guint order, rank; /* over all pictures; in its picture, from 0 */
  guint16 is_matched[VAL_N_AREAS], is_ignored[VAL_N_AREAS];
} Hit;

/* The boxes of a class, by picture, and then in their order. */
typedef struct
{
  guint category, picture, index;
} Key;

/* What one class needs; all arrays have room for the largest. */
typedef struct
{
  const ValInput *input;
  double ious[VAL_N_IOUS], recalls[VAL_N_RECALLS];
  Hit *hits;
  guint n_hits, n_wanted[VAL_N_AREAS];
  double *overlaps; /* hit × object of a picture */
  guint *objects;   /* of a picture, those that must be found first */
  guint8 *is_taken;
  double *best; /* precision that no later one exceeds, of each hit */
} Work;

/* Evenly spaced numbers, with NumPy's rounding. */
static double
spaced (double first, double last, guint n, guint i)
{
  return i == n - 1 ? last : i * ((last - first) / (n - 1)) + first;
}

static double
overlap (const ValBox *box, const ValTruth *truth)
{
  const ValBox *other = &truth->box;
  const double area = box->width * box->height;
  const double width = fmin (box->x + box->width, other->x + other->width)
      - fmax (box->x, other->x);
  const double height = fmin (box->y + box->height, other->y + other->height)
      - fmax (box->y, other->y);

  if (width <= 0 || height <= 0)
    return 0;
  return width * height
      / (truth->is_crowd
              ? area
              : area + other->width * other->height - width * height);
}

static gboolean
is_outside (double area, ValArea range)
{
  return area < areas[range][0] || area > areas[range][1];
}

static int
compare_hits (const void *a, const void *b)
{
  const Hit *x = a, *y = b;

  if (x->confidence != y->confidence)
    return x->confidence > y->confidence ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static int
compare_keys (const void *a, const void *b)
{
  const Key *x = a, *y = b;

  if (x->category != y->category)
    return x->category < y->category ? -1 : 1;
  if (x->picture != y->picture)
    return x->picture < y->picture ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* The boxes begin the structs, @stride bytes apart. Ends with a key beyond all others. */
static Key *
sort_boxes (gconstpointer boxes, gsize stride, guint n)
{
  Key *keys = g_new (Key, (gsize) n + 1);

  for (guint i = 0; i < n; i++) {
    const ValBox *box = (const ValBox *) ((const char *) boxes + i * stride);

    keys[i] = (Key){ box->category, box->picture, i };
  }
  qsort (keys, n, sizeof *keys, compare_keys);
  keys[n] = (Key){ G_MAXUINT, G_MAXUINT, 0 };
  return keys;
}

static guint
count_picture (const Key *keys)
{
  guint n = 0;

  while (keys[n].category != G_MAXUINT && keys[n].category == keys[0].category
      && keys[n].picture == keys[0].picture)
    n++;
  return n;
}

/* Adds the most confident of @n boxes of a picture to the hits; returns how many. */
static guint
add_hits (Work *work, const Key *keys, guint n)
{
  const guint first = work->n_hits;

  for (guint i = 0; i < n; i++)
    work->hits[first + i] = (Hit){
      .confidence = work->input->found[keys[i].index].confidence,
      .order = keys[i].index
    };
  qsort (work->hits + first, n, sizeof *work->hits, compare_hits);
  return MIN (n, MOST);
}

/* The objects that count first, then those that may be left out, each in order. */
static guint
order_objects (Work *work, const Key *keys, guint n, ValArea area)
{
  guint n_counting = 0, n_others = 0;

  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n; i++) {
      const ValTruth *truth = &work->input->truths[keys[i].index];
      const gboolean counts = !truth->is_crowd
          && !is_outside (truth->area, area);

      if (counts && pass == 0)
        work->objects[n_counting++] = i;
      else if (!counts && pass == 1)
        work->objects[n_counting + n_others++] = i;
    }
  return n_counting;
}

/* Returns the position in the objects that hit number @hit takes, or NONE. */
static guint
choose (const Work *work, const Key *truths, guint n_truths, guint n_counting,
    guint hit, double threshold)
{
  double least = MIN (threshold, 1 - 1e-10);
  guint chosen = NONE;

  for (guint i = 0; i < n_truths; i++) {
    const guint object = work->objects[i];
    const double iou = work->overlaps[(gsize) hit * n_truths + object];

    if (work->is_taken[i]
        && !work->input->truths[truths[object].index].is_crowd)
      continue;
    if (chosen < n_counting && i >= n_counting)
      break;
    if (iou < least)
      continue;
    least = iou;
    chosen = i;
  }
  return chosen;
}

/* Says what becomes of the last @n hits, which are those of one picture. */
static void
match (Work *work, Hit *hits, guint n, const Key *truths, guint n_truths,
    ValArea area)
{
  const guint n_counting = order_objects (work, truths, n_truths, area);

  work->n_wanted[area] += n_counting;
  for (guint t = 0; t < VAL_N_IOUS; t++) {
    memset (work->is_taken, 0, n_truths);
    for (guint i = 0; i < n; i++) {
      const ValBox *box = &work->input->found[hits[i].order].box;
      const guint chosen = choose (work, truths, n_truths, n_counting, i,
          work->ious[t]);

      if (chosen != NONE) {
        hits[i].is_matched[area] |= 1 << t;
        work->is_taken[chosen] = 1;
      }
      if (chosen != NONE ? chosen >= n_counting
                         : is_outside (box->width * box->height, area))
        hits[i].is_ignored[area] |= 1 << t;
    }
  }
}

static void
add_picture (Work *work, const Key *found, guint n_found, const Key *truths,
    guint n_truths)
{
  const guint n = add_hits (work, found, n_found);
  Hit *hits = work->hits + work->n_hits;

  for (guint i = 0; i < n; i++) {
    hits[i].rank = i;
    for (guint j = 0; j < n_truths; j++)
      work->overlaps[(gsize) i * n_truths + j] =
          overlap (&work->input->found[hits[i].order].box,
              &work->input->truths[truths[j].index]);
  }
  for (guint area = 0; area < VAL_N_AREAS; area++)
    match (work, hits, n, truths, n_truths, area);
  /* Between pictures, equal confidences keep the order of the pictures. */
  for (guint i = 0; i < n; i++)
    hits[i].order = work->n_hits + i;
  work->n_hits += n;
}

/* Walks down the confidences of the hits. */
static void
accumulate (Work *work, ValArea area, ValMost limit, guint t,
    ValCategory *result)
{
  const double n_wanted = work->n_wanted[area];
  double *precision = result->precision[area][t], right = 0, wrong = 0;
  double *recalls = work->best + work->n_hits;
  guint n = 0, at = 0;

  for (guint i = 0; i < work->n_hits; i++) {
    const Hit *hit = &work->hits[i];

    if (hit->rank >= most[limit])
      continue;
    if (!(hit->is_ignored[area] >> t & 1)) {
      if (hit->is_matched[area] >> t & 1)
        right++;
      else
        wrong++;
    }
    recalls[n] = right / n_wanted;
    work->best[n++] = right / (wrong + right + DBL_EPSILON);
  }
  result->recall[area][limit][t] = n ? recalls[n - 1] : 0;
  if (limit != VAL_MOST_100)
    return;
  for (guint i = n; i-- > 1;)
    work->best[i - 1] = MAX (work->best[i - 1], work->best[i]);
  for (guint r = 0; r < VAL_N_RECALLS; r++) {
    while (at < n && recalls[at] < work->recalls[r])
      at++;
    precision[r] = at < n ? work->best[at] : 0;
  }
}

static void
set_unknown (ValCategory *result, ValArea area)
{
  double *precision = &result->precision[area][0][0];
  double *recall = &result->recall[area][0][0];

  for (guint i = 0; i < VAL_N_IOUS * VAL_N_RECALLS; i++)
    precision[i] = -1;
  for (guint i = 0; i < VAL_N_MOST * VAL_N_IOUS; i++)
    recall[i] = -1;
}

static void
finish_category (Work *work, ValCategory *result)
{
  qsort (work->hits, work->n_hits, sizeof *work->hits, compare_hits);
  for (guint area = 0; area < VAL_N_AREAS; area++) {
    set_unknown (result, area);
    for (guint limit = 0; limit < VAL_N_MOST && work->n_wanted[area]; limit++)
      for (guint t = 0; t < VAL_N_IOUS; t++)
        accumulate (work, area, limit, t, result);
  }
}

static void
count_objects (const ValInput *input, const Key *keys, guint n,
    ValCategory *result)
{
  guint n_objects = 0;

  for (guint i = 0; i < n; i++)
    n_objects += !input->truths[keys[i].index].is_crowd;
  result->n_truths += n_objects;
  result->n_pictures += n_objects > 0;
}

/* Takes the boxes of @category from the lists. */
static void
evaluate_category (Work *work, guint category, const Key **found,
    const Key **truths, ValCategory *result)
{
  work->n_hits = 0;
  memset (work->n_wanted, 0, sizeof work->n_wanted);
  while ((*found)->category == category || (*truths)->category == category) {
    const guint picture = (*found)->category != category ? (*truths)->picture
        : (*truths)->category != category
        ? (*found)->picture
        : MIN ((*found)->picture, (*truths)->picture);
    const guint n_found = (*found)->category == category
            && (*found)->picture == picture
        ? count_picture (*found)
        : 0;
    const guint n_truths = (*truths)->category == category
            && (*truths)->picture == picture
        ? count_picture (*truths)
        : 0;

    add_picture (work, *found, n_found, *truths, n_truths);
    count_objects (work->input, *truths, n_truths, result);
    *found += n_found;
    *truths += n_truths;
  }
  finish_category (work, result);
}

/* The most of these boxes in one picture and class. */
static guint
find_largest (const Key *keys)
{
  guint largest = 0, n;

  for (; keys->category != G_MAXUINT; keys += n) {
    n = count_picture (keys);
    largest = MAX (largest, n);
  }
  return largest;
}

ValCategory *
val_evaluate (const ValInput *input)
{
  g_autofree Key *found = sort_boxes (input->found, sizeof *input->found,
      input->n_found);
  g_autofree Key *truths = sort_boxes (input->truths, sizeof *input->truths,
      input->n_truths);
  const guint largest = find_largest (truths);
  const Key *next_found = found, *next_truths = truths;
  ValCategory *results = g_new0 (ValCategory, input->n_categories);
  Work work = {
    .input = input,
    .hits = g_new (Hit, (gsize) input->n_found + 1),
    .overlaps = g_new (double, MOST *(gsize) largest + 1),
    .objects = g_new (guint, (gsize) largest + 1),
    .is_taken = g_new (guint8, (gsize) largest + 1),
    .best = g_new (double, 2 * (gsize) input->n_found + 1),
  };

  for (guint i = 0; i < VAL_N_IOUS; i++)
    work.ious[i] = spaced (0.5, 0.95, VAL_N_IOUS, i);
  for (guint i = 0; i < VAL_N_RECALLS; i++)
    work.recalls[i] = spaced (0, 1, VAL_N_RECALLS, i);
  for (guint i = 0; i < input->n_categories; i++)
    evaluate_category (&work, i, &next_found, &next_truths, &results[i]);
  g_free (work.hits);
  g_free (work.overlaps);
  g_free (work.objects);
  g_free (work.is_taken);
  g_free (work.best);
  return results;
}

double
val_average_precision (const ValCategory *categories, guint n, ValArea area,
    int iou)
{
  double sum = 0;
  guint count = 0;

  for (guint i = 0; i < n; i++)
    for (int t = 0; t < VAL_N_IOUS; t++)
      for (guint r = 0; r < VAL_N_RECALLS && (iou < 0 || t == iou); r++)
        if (categories[i].precision[area][t][r] >= 0) {
          sum += categories[i].precision[area][t][r];
          count++;
        }
  return count ? sum / count : -1;
}

double
val_average_recall (const ValCategory *categories, guint n, ValArea area,
    ValMost limit)
{
  double sum = 0;
  guint count = 0;

  for (guint i = 0; i < n; i++)
    for (guint t = 0; t < VAL_N_IOUS; t++)
      if (categories[i].recall[area][limit][t] >= 0) {
        sum += categories[i].recall[area][limit][t];
        count++;
      }
  return count ? sum / count : -1;
}
