/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Average precision of cases that can be worked out on paper. test-val.py compares with
 * pycocotools. */

#include "config.h"

#include <glib.h>

#include "val/evaluate.h"

#define ANY (-1)

/* A square whose left upper corner is at (@x, 0). */
static ValTruth
object (guint picture, guint category, double x, double side)
{
  return (ValTruth){
    .box = { x, 0, side, side, picture, category },
    .area = side * side,
  };
}

static ValFound
box (guint picture, guint category, double x, double side, double confidence)
{
  return (ValFound){
    .box = { x, 0, side, side, picture, category },
    .confidence = confidence,
  };
}

#define INPUT(n_pictures_, n_categories_, truths_, found_) \
  ((ValInput){ .n_pictures = n_pictures_, \
      .n_categories = n_categories_, \
      .truths = truths_, \
      .n_truths = G_N_ELEMENTS (truths_), \
      .found = found_, \
      .n_found = G_N_ELEMENTS (found_) })

static void
assert_precision (const ValInput *input, ValArea area, int iou, double expected)
{
  g_autofree ValCategory *result = val_evaluate (input);

  g_assert_cmpfloat_with_epsilon (val_average_precision (result,
                                      input->n_categories, area, iou),
      expected, 1e-12);
}

static void
test_half (void)
{
  /* The second box finds nothing: recall ends at 1/2, which are 51 of 101 points. */
  const ValTruth truths[] = { object (0, 0, 0, 50), object (0, 0, 100, 50) };
  const ValFound found[] = { box (0, 0, 0, 50, 0.9), box (0, 0, 300, 50, 0.8) };
  const ValInput input = INPUT (1, 1, truths, found);

  assert_precision (&input, VAL_AREA_ALL, ANY, 51 / 101.0);
  assert_precision (&input, VAL_AREA_MEDIUM, 0, 51 / 101.0);
  assert_precision (&input, VAL_AREA_LARGE, ANY, -1);
}

static void
test_threshold (void)
{
  /* 100 × 100 and the same with an offset of 25 share 75 of 125 columns: IoU is 0.6, and
   * counts at 0.5, 0.55 and 0.6. */
  const ValTruth truths[] = { object (0, 0, 0, 100) };
  const ValFound found[] = { box (0, 0, 25, 100, 0.5) };
  const ValInput input = INPUT (1, 1, truths, found);

  assert_precision (&input, VAL_AREA_ALL, 0, 1);
  assert_precision (&input, VAL_AREA_ALL, 2, 1);
  assert_precision (&input, VAL_AREA_ALL, 3, 0);
  assert_precision (&input, VAL_AREA_ALL, ANY, 0.3);
}

static void
test_order (void)
{
  /* Equal confidences count in the order of the pictures and, within one, of the list. */
  const ValTruth truths[] = { object (1, 0, 0, 50) };
  const ValFound right_first[] = { box (1, 0, 0, 50, 0.5),
    box (1, 0, 200, 50, 0.5) };
  const ValFound wrong_first[] = { box (1, 0, 200, 50, 0.5),
    box (1, 0, 0, 50, 0.5) };
  const ValFound earlier[] = { box (1, 0, 0, 50, 0.5),
    box (0, 0, 200, 50, 0.5) };
  const ValInput inputs[] = { INPUT (2, 1, truths, right_first),
    INPUT (2, 1, truths, wrong_first), INPUT (2, 1, truths, earlier) };

  assert_precision (&inputs[0], VAL_AREA_ALL, ANY, 1);
  assert_precision (&inputs[1], VAL_AREA_ALL, ANY, 0.5);
  assert_precision (&inputs[2], VAL_AREA_ALL, ANY, 0.5);
}

static void
test_crowd (void)
{
  /* Boxes within a crowd do not count, however many; the crowd need not be found. */
  ValTruth truths[] = { object (0, 0, 0, 50), object (0, 0, 100, 200) };
  const ValFound found[] = { box (0, 0, 100, 40, 0.9), box (0, 0, 150, 40, 0.9),
    box (0, 0, 0, 50, 0.8) };
  const ValInput input = INPUT (1, 1, truths, found);
  g_autofree ValCategory *result = NULL;

  assert_precision (&input, VAL_AREA_ALL, ANY, 17 / 101.0);
  truths[1].is_crowd = TRUE;
  assert_precision (&input, VAL_AREA_ALL, ANY, 1);
  result = val_evaluate (&input);
  g_assert_cmpuint (result->n_truths, ==, 1);
}

static void
test_area (void)
{
  /* The area of the outline decides, and both limits belong to both sizes. */
  ValTruth truths[] = { object (0, 0, 0, 100) };
  const ValFound found[] = { box (0, 0, 0, 100, 0.9),
    box (0, 0, 300, 100, 0.95) };
  const ValInput input = INPUT (1, 1, truths, found);

  truths[0].area = 32 * 32;
  assert_precision (&input, VAL_AREA_SMALL, ANY,
      1); /* the wrong box is large */
  assert_precision (&input, VAL_AREA_MEDIUM, ANY, 1);
  assert_precision (&input, VAL_AREA_LARGE, ANY, -1);
  assert_precision (&input, VAL_AREA_ALL, ANY, 0.5);
}

static void
assert_recall (const ValCategory *result, ValArea area, ValMost most,
    double expected)
{
  g_assert_cmpfloat_with_epsilon (val_average_recall (result, 1, area, most),
      expected, 1e-12);
}

static void
test_recall (void)
{
  ValTruth truths[200];
  ValFound found[200];
  g_autofree ValCategory *result = NULL;
  ValInput input;

  for (guint i = 0; i < 200; i++) {
    truths[i] = object (0, 0, 50 * i, 40);
    found[i] = box (0, 0, 50 * i, 40, 1 - i / 1000.0);
  }
  input = INPUT (1, 1, truths, found);
  result = val_evaluate (&input);
  assert_recall (result, VAL_AREA_ALL, VAL_MOST_1, 1 / 200.0);
  assert_recall (result, VAL_AREA_ALL, VAL_MOST_10, 10 / 200.0);
  assert_recall (result, VAL_AREA_ALL, VAL_MOST_100, 0.5);
  assert_recall (result, VAL_AREA_SMALL, VAL_MOST_100, -1);
}

static void
test_categories (void)
{
  /* One class is found, one is missed, one has no objects and does not count. */
  const ValTruth truths[] = { object (0, 0, 0, 50), object (0, 1, 0, 50) };
  const ValFound found[] = { box (0, 0, 0, 50, 0.9), box (0, 2, 0, 50, 0.9) };
  const ValInput input = INPUT (1, 3, truths, found);

  assert_precision (&input, VAL_AREA_ALL, ANY, 0.5);
}

static void
test_confusion (void)
{
  /* Class 1 was taken for 0, 0 was found, and another 0 was not; one box is on nothing, and
   * one is too faint. */
  const ValTruth truths[] = { object (0, 1, 0, 50), object (0, 0, 100, 50),
    object (1, 0, 0, 50) };
  const ValFound found[] = { box (0, 0, 2, 50, 0.9), box (0, 0, 100, 50, 0.6),
    box (0, 1, 300, 50, 0.5), box (1, 0, 0, 50, 0.25) };
  const ValInput input = INPUT (2, 2, truths, found);
  const guint expected[] = { 1, 1, 0, 0, 0, 1, 1, 0, 0 };
  g_autofree guint *matrix = val_confuse (&input, 0.25, 0.45);

  g_assert_cmpmem (matrix, sizeof expected, expected, sizeof expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/evaluate/half", test_half);
  g_test_add_func ("/evaluate/threshold", test_threshold);
  g_test_add_func ("/evaluate/order", test_order);
  g_test_add_func ("/evaluate/crowd", test_crowd);
  g_test_add_func ("/evaluate/area", test_area);
  g_test_add_func ("/evaluate/recall", test_recall);
  g_test_add_func ("/evaluate/categories", test_categories);
  g_test_add_func ("/evaluate/confusion", test_confusion);
  return g_test_run ();
}
