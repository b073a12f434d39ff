/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which class was taken for which, as Ultralytics counts it since 8.4: in each picture, the
 * boxes take, the most confident first, the object that they overlap most and that is not
 * taken, whatever its class. Crowds, which Ultralytics' labels do not have, are left out. */

#include "config.h"

#include "val/evaluate.h"

/* Ultralytics adds this where it divides. */
#define TINY 1e-7

/* The boxes and objects of one picture, as indices in the input. */
typedef struct
{
  GArray *truths, *found;
} Picture;

static double
overlap (const ValBox *a, const ValBox *b)
{
  const double width = MIN (a->x + a->width, b->x + b->width)
      - MAX (a->x, b->x);
  const double height = MIN (a->y + a->height, b->y + b->height)
      - MAX (a->y, b->y);
  const double both = MAX (width, 0) * MAX (height, 0);

  return both / (a->width * a->height + b->width * b->height - both + TINY);
}

static int
compare_found (gconstpointer a, gconstpointer b, gpointer user)
{
  const ValFound *found = user;
  const guint x = *(const guint *) a, y = *(const guint *) b;

  if (found[x].confidence != found[y].confidence)
    return found[x].confidence > found[y].confidence ? -1 : 1;
  return x < y ? -1 : x > y;
}

static Picture *
sort_by_picture (const ValInput *input, double confidence)
{
  Picture *pictures = g_new (Picture, input->n_pictures);

  for (guint i = 0; i < input->n_pictures; i++) {
    pictures[i].truths = g_array_new (FALSE, FALSE, sizeof (guint));
    pictures[i].found = g_array_new (FALSE, FALSE, sizeof (guint));
  }
  for (guint i = 0; i < input->n_truths; i++)
    if (!input->truths[i].is_crowd)
      g_array_append_val (pictures[input->truths[i].box.picture].truths, i);
  for (guint i = 0; i < input->n_found; i++)
    if (input->found[i].confidence > confidence)
      g_array_append_val (pictures[input->found[i].box.picture].found, i);
  return pictures;
}

/* Returns the position of the object that @box takes, or -1. */
static int
take (const ValInput *input, const GArray *truths, const guint8 *is_taken,
    const ValBox *box, double least)
{
  int best = -1;

  for (guint i = 0; i < truths->len; i++) {
    const guint truth = g_array_index (truths, guint, i);
    double iou;

    if (is_taken[truth])
      continue;
    iou = overlap (box, &input->truths[truth].box);
    if (iou > least) {
      least = iou;
      best = (int) i;
    }
  }
  return best;
}

static void
count (const ValInput *input, Picture *picture, double iou, guint8 *is_taken,
    guint *matrix)
{
  const gsize size = (gsize) input->n_categories + 1;

  g_array_sort_with_data (picture->found, compare_found,
      (gpointer) input->found);
  for (guint i = 0; i < picture->found->len; i++) {
    const ValBox *box =
        &input->found[g_array_index (picture->found, guint, i)].box;
    const int at = take (input, picture->truths, is_taken, box, iou);
    gsize column = size - 1;

    if (at >= 0) {
      const guint truth = g_array_index (picture->truths, guint, at);

      is_taken[truth] = 1;
      column = input->truths[truth].box.category;
    }
    matrix[box->category * size + column]++;
  }
  for (guint i = 0; i < picture->truths->len; i++) {
    const guint truth = g_array_index (picture->truths, guint, i);

    if (!is_taken[truth])
      matrix[(size - 1) * size + input->truths[truth].box.category]++;
  }
}

guint *
val_confuse (const ValInput *input, double confidence, double iou)
{
  const gsize size = (gsize) input->n_categories + 1;
  guint *matrix = g_new0 (guint, size * size);
  g_autofree guint8 *is_taken = g_new0 (guint8, (gsize) input->n_truths + 1);
  g_autofree Picture *pictures = sort_by_picture (input, confidence);

  for (guint i = 0; i < input->n_pictures; i++) {
    count (input, &pictures[i], iou, is_taken, matrix);
    g_array_unref (pictures[i].truths);
    g_array_unref (pictures[i].found);
  }
  return matrix;
}
