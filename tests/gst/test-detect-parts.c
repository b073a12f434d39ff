/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* tiles and region of yolov10detect: the boxes are those of each part inferred alone
 * by the engine, merged; properties change between two frames; bad values are
 * reported; privacy knows that only parts were inferred. test-detect-rois.c has
 * regions of interest. */
#include <stdio.h>

#include "partscommon.h"

static GArray *
expect (GstBuffer *buffer, const GstCaps *caps, const GstVideoRectangle *crop,
    const char *region_text, Y10RegionAnchor anchor, const char *tiles_text,
    const Y10HeadParams *params)
{
  Y10Image image = {
    .size = sizeof image,
    .format = Y10_PIXEL_NV12,
    .width = WIDTH,
    .height = HEIGHT,
  };
  Y10Tiles tiles = { .size = sizeof tiles };
  g_autoptr (Y10Region) region = NULL;
  Y10Part parts[Y10_MAX_PARTS];
  GArray *found;
  guint n;

  if (crop) {
    image.x = crop->x;
    image.y = crop->y;
    image.width = crop->w;
    image.height = crop->h;
  }
  if (region_text)
    region = y10_region_parse (region_text, NULL);
  if (tiles_text)
    fail_unless (y10_tiles_parse (tiles_text, &tiles, NULL));
  fail_unless (y10_parts_plan (&image, region, tiles_text ? &tiles : NULL, 96,
      96, parts, Y10_MAX_PARTS, &n, NULL));
  found = parts_expect (buffer, caps, &image, parts, n, region, anchor, params);
  return found;
}

/* Asserts the values of a field of floats. */
static void
assert_floats (const GstStructure *meta, const char *field,
    const gfloat *expected, guint n)
{
  const GValue *value = gst_structure_get_value (meta, field);
  const gfloat *found;
  gsize size;

  fail_unless (value && G_VALUE_HOLDS (value, G_TYPE_BYTES));
  found = g_bytes_get_data (g_value_get_boxed (value), &size);
  fail_unless_equals_int (size, n * sizeof *found);
  for (guint i = 0; i < n; i++)
    fail_unless (ABS (found[i] - expected[i]) < 1e-6f, "%s %u: %f", field, i,
        found[i]);
}

/* The frame meta has the parts and the region, that of a skipped frame has not. */
GST_START_TEST (test_meta)
{
  static const gfloat parts[] = { 0, 0, 0.5f, 1, 0, 0, 0.3f, 1, 0.2f, 0, 0.5f,
    1 };
  static const gfloat points[] = { 0, 0, 0.5f, 0, 0.5f, 1, 0, 1 };
  g_autoptr (GstCaps) caps = test_gst_caps ("GRAY8", 200, 100);
  GstHarness *h = test_gst_harness (
      "input-size=32 region=\"0,0 0.5,1\" "
      "tiles=2x1 tile-overlap=0.33333333 inference-interval=2");

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  for (guint i = 0; i < 2; i++) {
    GstBuffer *out = gst_harness_push_and_pull (h,
        test_gst_picture_caps (caps, 0));
    const GstStructure *meta = test_gst_frame_meta (out, 0);

    fail_unless_equals_string (gst_structure_get_string (meta, "inference"),
        i ? "skipped" : "fresh");
    if (i == 0) {
      assert_floats (meta, "parts", parts, G_N_ELEMENTS (parts));
      assert_floats (meta, "region-points", points, G_N_ELEMENTS (points));
      fail_unless (gst_structure_has_field (meta, "region-shapes"));
    } else {
      fail_if (gst_structure_has_field (meta, "parts"));
    }
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
check (GstHarness *h, GstBuffer *buffer, GArray *expected)
{
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, buffer);
  g_autoptr (GArray) boxes = test_gst_rois (out);

  fail_unless (expected->len > 0);
  test_gst_assert_same (boxes, expected, WIDTH, HEIGHT);
  g_array_unref (expected);
}

/* Tiles, regions and both, in frames with and without a crop. */
GST_START_TEST (test_same_boxes)
{
  static const struct
  {
    const char *properties, *region, *tiles;
    Y10RegionAnchor anchor;
    gboolean crop;
  } cases[] = {
    { "tiles=2x2", NULL, "2x2", 0, FALSE },
    { "tiles=3x1", NULL, "3x1", 0, TRUE },
    { "tiles=auto", NULL, "auto", 0, FALSE },
    { "tiles=100", NULL, "100", 0, FALSE },
    { "region=\"0.1,0.2 0.6,0.7\"", "0.1,0.2 0.6,0.7", NULL, 0, FALSE },
    { "region=\"0,0 1,0 0.5,1\" region-anchor=overlap", "0,0 1,0 0.5,1", NULL,
        Y10_REGION_ANCHOR_OVERLAP, TRUE },
    { "region=\"0,0 0.5,1; 0.4,0 1,0.3\" tiles=2x1", "0,0 0.5,1; 0.4,0 1,0.3",
        "2x1", 0, FALSE },
  };
  static const GstVideoRectangle crop = { 33, 21, 101, 90 };
  const Y10HeadParams params = {
    .size = sizeof params,
    .confidence = 0.02f,
    .iou = 0.7f,
    .max_detections = 300,
  };
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", WIDTH, HEIGHT);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *properties = g_strdup_printf ("confidence=0.02 %s",
        cases[i].properties);
    GstHarness *h = test_gst_harness (properties);
    GstBuffer *buffer = parts_picture (caps, i);

    if (cases[i].crop) {
      GstVideoCropMeta *meta = gst_buffer_add_video_crop_meta (buffer);

      meta->x = (guint) crop.x;
      meta->y = (guint) crop.y;
      meta->width = (guint) crop.w;
      meta->height = (guint) crop.h;
    }
    gst_harness_set_src_caps (h, gst_caps_ref (caps));
    check (h, buffer,
        expect (buffer, caps, cases[i].crop ? &crop : NULL, cases[i].region,
            cases[i].anchor, cases[i].tiles, &params));
    gst_harness_teardown (h);
    g_free (properties);
  }
}

GST_END_TEST;

/* A change applies from the next frame on, and makes no new engine. */
GST_START_TEST (test_change)
{
  const Y10HeadParams params = {
    .size = sizeof params,
    .confidence = 0.02f,
    .iou = 0.7f,
    .max_detections = 300,
  };
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", WIDTH, HEIGHT);
  GstHarness *h = test_gst_harness ("confidence=0.02");
  GstStructure *stats;
  guint64 inferences;
  GstBuffer *buffer;
  gchar *text;

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  buffer = parts_picture (caps, 0);
  check (h, buffer,
      test_gst_expected (buffer, caps, NULL, &params, Y10_HEAD_AUTO));
  g_object_set (h->element, "tiles", "2x2", NULL);
  buffer = parts_picture (caps, 1);
  check (h, buffer, expect (buffer, caps, NULL, NULL, 0, "2x2", &params));
  g_object_set (h->element, "region", "0,0.5 1,1", "tiles", "none", NULL);
  buffer = parts_picture (caps, 2);
  check (h, buffer, expect (buffer, caps, NULL, "0,0.5 1,1", 0, NULL, &params));
  g_object_set (h->element, "region", "", NULL);
  buffer = parts_picture (caps, 3);
  check (h, buffer,
      test_gst_expected (buffer, caps, NULL, &params, Y10_HEAD_AUTO));
  g_object_get (h->element, "engine-stats", &stats, "tiles", &text, NULL);
  fail_unless_equals_string (text, "none");
  fail_unless (gst_structure_get_uint64 (stats, "inferences", &inferences));
  fail_unless_equals_uint64 (inferences, 1 + 5 + 1 + 1);
  gst_structure_free (stats);
  g_free (text);
  gst_harness_teardown (h);
}

GST_END_TEST;

static gchar *
next_message (GstBus *bus, GstMessageType type)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, type);
  GError *error;
  gchar *text;

  if (!message)
    return NULL;
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR,
                   GST_LIBRARY_ERROR_SETTINGS),
      "%s", error->message);
  text = g_strdup (error->message);
  printf ("%s\n", text);
  g_error_free (error);
  return text;
}

static const struct
{
  const char *property, *value, *found, *expected;
} bad[] = {
  { "tiles", "big", "tiles: tiles are \"big\"", "or \"none\"" },
  { "tiles", "9x9", "tiles: tiles are \"9x9\", which is 81 tiles",
      "at most 64" },
  { "region", "0,0 2,2", "region: a region contains the point \"2,2\"",
      "from 0 to 1" },
  { "region", "0,0 0,1", "region: the region's rectangle \"0,0 0,1\" is empty",
      "opposite corners" },
  { "roi-type", ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,", "roi-type: found 33 types",
      "at most 32" },
};

/* A bad value is an error at the start, and a warning that changes nothing
 * while playing. */
GST_START_TEST (test_bad_values)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    gchar *line = g_strdup_printf ("yolov10detect model-file=%s backend=ref "
                                   "%s=\"%s\"",
        test_gst_model (), bad[i].property, bad[i].value);
    GstElement *e = gst_parse_launch (line, NULL);
    GstBus *bus = gst_bus_new ();
    gchar *text;

    gst_element_set_bus (e, bus);
    fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    text = next_message (bus, GST_MESSAGE_ERROR);
    fail_unless (
        text && strstr (text, bad[i].found) && strstr (text, bad[i].expected));
    g_free (text);
    gst_element_set_state (e, GST_STATE_NULL);
    gst_element_set_bus (e, NULL);
    gst_object_unref (bus);
    gst_object_unref (e);
    g_free (line);
  }
}

GST_END_TEST;

GST_START_TEST (test_bad_changes)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", WIDTH, HEIGHT);
  GstHarness *h = test_gst_harness ("tiles=2x1 region=\"0,0 1,0.9\"");
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstStructure *stats;
  guint64 inferences;
  gchar *text, *value;

  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  gst_buffer_unref (gst_harness_push_and_pull (h, parts_picture (caps, 0)));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_object_set (h->element, bad[i].property, bad[i].value, NULL);
    text = next_message (bus, GST_MESSAGE_WARNING);
    fail_unless (
        text && strstr (text, bad[i].found) && strstr (text, bad[i].expected));
    g_free (text);
  }
  /* Bad for frames of this size. */
  g_object_set (h->element, "tile-overlap", 0.8, "tiles", "32", NULL);
  text = next_message (bus, GST_MESSAGE_WARNING);
  fail_unless (text && strstr (text, "tiles: tiles of 32 pixels are ")
      && strstr (text, "at most 64"));
  g_free (text);
  g_object_get (h->element, "tiles", &value, "region", &text, NULL);
  fail_unless_equals_string (value, "2x1");
  fail_unless_equals_string (text, "0,0 1,0.9");
  g_free (value);
  g_free (text);
  gst_buffer_unref (gst_harness_push_and_pull (h, parts_picture (caps, 1)));
  g_object_get (h->element, "engine-stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "inferences", &inferences));
  fail_unless_equals_uint64 (inferences, 2 * 3);
  gst_structure_free (stats);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Tiles that suit one frame size and not the next. */
GST_START_TEST (test_bad_size)
{
  GstCaps *caps = test_gst_caps ("NV12", 320, 240);
  GstHarness *h = test_gst_harness ("tiles=128");
  g_autoptr (GstBus) bus = gst_bus_new ();
  gchar *text;

  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  gst_buffer_unref (gst_harness_push_and_pull (h, parts_picture (caps, 0)));
  gst_caps_unref (caps);
  caps = test_gst_caps ("NV12", 1920, 1080);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  fail_unless (gst_harness_push (h, parts_picture (caps, 1)) < GST_FLOW_OK);
  text = next_message (bus, GST_MESSAGE_ERROR);
  fail_unless (text && strstr (text, "tiles: tiles of 128 pixels are ")
      && strstr (text, "for 1920 x 1080 pixels; expected at most 64"));
  g_free (text);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Privacy covers what is outside a rectangle in which all boxes count, and all of
 * the frame with any other region. */
GST_START_TEST (test_privacy)
{
  static const struct
  {
    const char *region;
    gboolean known;
  } cases[] = {
    { "region=\"0.5,0 1,1\" region-anchor=overlap", TRUE },
    { "region=\"0.5,0 1,1\"", FALSE },
    { "region=\"0.5,0 1,0 1,1\" region-anchor=overlap", FALSE },
    { "tiles=2x1", TRUE },
    { "roi-source=meta", FALSE },
  };
  g_autoptr (GstCaps) caps = test_gst_caps ("GRAY8", 200, 100);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *line = g_strdup_printf (
        "yolov10detect model-file=%s backend=ref "
        "confidence=1.0 late-policy=infer-all %s ! yolov10overlay "
        "privacy=fill",
        test_gst_model (), cases[i].region);
    GstHarness *h = gst_harness_new_parse (line);
    GstBuffer *in = parts_picture (caps, i), *out;
    GstMapInfo before, after;
    gboolean left, right;

    gst_harness_set_src_caps (h, gst_caps_ref (caps));
    out = gst_harness_push_and_pull (h, gst_buffer_copy_deep (in));
    fail_unless (gst_buffer_map (in, &before, GST_MAP_READ));
    fail_unless (gst_buffer_map (out, &after, GST_MAP_READ));
    fail_unless_equals_int (before.size, after.size);
    left = !memcmp (before.data + 200 * 50, after.data + 200 * 50, 100);
    right = !memcmp (before.data + 200 * 50 + 100, after.data + 200 * 50 + 100,
        100);
    fail_unless_equals_int (left, i == 3);
    fail_unless_equals_int (right, cases[i].known);
    gst_buffer_unmap (in, &before);
    gst_buffer_unmap (out, &after);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
    g_free (line);
  }
}

GST_END_TEST;

TEST_GST_MAIN (detect_parts)
{
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_same_boxes);
  tcase_add_test (tc, test_change);
  tcase_add_test (tc, test_meta);
  tcase_add_test (tc, test_bad_values);
  tcase_add_test (tc, test_bad_changes);
  tcase_add_test (tc, test_bad_size);
  if (gst_element_factory_find ("yolov10overlay"))
    tcase_add_test (tc, test_privacy);
}
