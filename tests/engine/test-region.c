/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Regions: which texts describe one, and which boxes are in it. */

#include <y10/error.h>
#include <y10/parts.h>

static void
test_text (void)
{
  static const char *const wrong[] = { "", ";", "0,0", "0,0 1", "0,0 0,1",
    "0,0 1,1;", "0,0 1,1 0.5,0.5", "0,0 1.1,1", "-0.1,0 1,1", "nan,0 1,1",
    "inf,0 1,1", "0x1,0 1,1", "0,0,0,0 1,1", "a", "0,0 1,1 ;x", "0, 0 1,1",
    "0,0 1,1e9", "1e-1e,0 1,1", "0.25,0.125 0.5,0.25 1,0.5",
    "0.5,0.25 0.5,0.5 0.5,1", "0.25,0.5 0.5,0.5 1,0.5" };
  g_autoptr (GString) many = g_string_new ("0,0 1,1");
  GError *error = NULL;
  Y10Region *region;
  gdouble x, y;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    region = y10_region_parse (wrong[i], &error);
    g_test_message ("\"%s\": %s", wrong[i], error ? error->message : "taken");
    g_assert_null (region);
    g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
    g_clear_error (&error);
  }
  region = y10_region_parse (" 1,1  0.25,.5\t;\n0,0 1e-1,0 0,0.5 0.25,0.25",
      &error);
  g_assert_no_error (error);
  g_assert_cmpuint (y10_region_get_n_shapes (region), ==, 2);
  g_assert_cmpuint (y10_region_get_n_points (region, 0), ==, 4);
  y10_region_get_point (region, 0, 1, &x, &y);
  g_assert_cmpfloat (x, ==, 0.25);
  g_assert_cmpfloat (y, ==, 1);
  g_assert_cmpuint (y10_region_get_n_points (region, 1), ==, 4);
  /* Beyond the last shape, and the last point. */
  g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL,
      "*shape < region->n_shapes*");
  g_assert_cmpuint (y10_region_get_n_points (region, 2), ==, 0);
  g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL,
      "*shape < region->n_shapes*");
  y10_region_get_point (region, 2, 0, &x, &y);
  g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, "*point < region->*");
  y10_region_get_point (region, 1, 4, &x, &y);
  g_test_assert_expected_messages ();
  y10_region_unref (region);

  for (guint i = 0; i < 31; i++)
    g_string_append (many, ";0,0 1,1");
  region = y10_region_parse (many->str, &error);
  g_assert_no_error (error);
  y10_region_unref (region);
  g_string_append (many, ";0,0 1,1");
  g_assert_null (y10_region_parse (many->str, &error));
  g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_string_truncate (many, 0);
  for (guint i = 0; i < 300; i++)
    g_string_append_printf (many, "0,0.%u ", i);
  g_assert_null (y10_region_parse (many->str, &error));
  g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
}

static void
test_boxes (void)
{
  const Y10RegionAnchor bottom = Y10_REGION_ANCHOR_BOTTOM;
  const Y10RegionAnchor overlap = Y10_REGION_ANCHOR_OVERLAP;
  /* The lower half, and a triangle above. */
  Y10Region *region = y10_region_parse ("0,0.5 1,1; 0,0 1,0 0.5,0.25", NULL);

  g_assert_true (y10_region_has_box (region, bottom, .4, .3, .6, .7));
  g_assert_true (y10_region_has_box (region, bottom, .4, .3, .6, 1));
  g_assert_false (y10_region_has_box (region, bottom, .4, .3, .6, .45));
  g_assert_true (y10_region_has_box (region, bottom, .4, .0, .6, .2));
  g_assert_false (y10_region_has_box (region, bottom, .0, .0, .2, .2));
  g_assert_true (y10_region_has_box (region, overlap, .0, .0, .2, .2));
  g_assert_false (y10_region_has_box (region, overlap, 0, .3, 1, .45));
  g_assert_true (y10_region_has_box (region, overlap, 0, .3, 1, .51));
  /* Inside a shape, around a shape, and edges that only touch. */
  g_assert_true (y10_region_has_box (region, overlap, .4, .6, .5, .7));
  g_assert_true (y10_region_has_box (region, overlap, 0, 0, 1, 1));
  g_assert_false (y10_region_has_box (region, overlap, .4, .3, .6, .5));
  y10_region_unref (region);
}

/* A point on an edge that two shapes share is in one of them: the one to its right,
 * or below. */
static void
test_shared_edges (void)
{
  static const char *const texts[] = { "0,0 0.5,1", "0.5,0 1,1", "0,0 1,0.5",
    "0,0.5 1,1" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    Y10Region *region = y10_region_parse (texts[i], NULL);

    g_assert_true (y10_region_has_box (region, Y10_REGION_ANCHOR_BOTTOM, 0.25,
                       0.25, 0.75, 0.5)
        == (i % 2 == 1));
    y10_region_unref (region);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/region/text", test_text);
  g_test_add_func ("/region/boxes", test_boxes);
  g_test_add_func ("/region/shared-edges", test_shared_edges);
  return g_test_run ();
}
