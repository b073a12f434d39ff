/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10overlay from an application's view: which boxes it draws, the effects
 * of its properties, and what it leaves unchanged. test-overlay-pixels.c tests
 * the exact pixels in all formats. */

#include "overlaycommon.h"

#include <string.h>

#define W OVERLAY_WIDTH
#define H OVERLAY_HEIGHT

/* Attaches ROI metas to the gradient and draws them with @properties. */
static GstBuffer *
drawn (const gchar *properties, const OverlayBox *boxes, guint n)
{
  GstBuffer *buffer = overlay_picture (overlay_nv12, FALSE);
  guint i;

  for (i = 0; i < n; i++)
    overlay_add_roi (buffer, &boxes[i]);
  return overlay_run (properties, overlay_nv12, buffer);
}

static void
assert_same (GstBuffer *a, GstBuffer *b)
{
  fail_unless (overlay_is_same (a, b, overlay_nv12));
  gst_buffer_unref (a);
  gst_buffer_unref (b);
}

static void
assert_differ (GstBuffer *a, GstBuffer *b)
{
  fail_if (overlay_is_same (a, b, overlay_nv12));
  gst_buffer_unref (a);
  gst_buffer_unref (b);
}

GST_START_TEST (test_properties)
{
  static const gchar *const names[] = { "line-width", "font-desc", "show-label",
    "show-id", "show-confidence", "labels", "min-confidence", "privacy",
    "privacy-trust", "privacy-growth" };
  GstElement *e = gst_element_factory_make ("yolov10overlay", NULL);
  gboolean show_label, show_confidence;
  gchar *font_desc, *labels;
  gdouble min_confidence;
  guint line_width, i;
  gint privacy;

  fail_unless (e != NULL);
  fail_unless_equals_string (
      gst_element_factory_get_metadata (gst_element_get_factory (e),
          GST_ELEMENT_METADATA_KLASS),
      "Filter/Editor/Video");
  fail_unless_equals_int (gst_plugin_feature_get_rank (
                              GST_PLUGIN_FEATURE (gst_element_get_factory (e))),
      GST_RANK_NONE);
  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (e),
        names[i]);

    fail_unless (spec != NULL, "no property %s", names[i]);
    fail_unless (spec->flags & GST_PARAM_MUTABLE_PLAYING);
    fail_unless (strlen (g_param_spec_get_blurb (spec)) > 15);
  }
  g_object_get (e, "line-width", &line_width, "font-desc", &font_desc,
      "show-label", &show_label, "show-confidence", &show_confidence, "labels",
      &labels, "min-confidence", &min_confidence, "privacy", &privacy, NULL);
  fail_unless_equals_int (line_width, 0);
  fail_unless_equals_string (font_desc, "");
  fail_unless_equals_string (labels, "");
  fail_unless (show_label && show_confidence);
  fail_unless (min_confidence == 0);
  fail_unless_equals_int (privacy, 0);
  g_free (font_desc);
  g_free (labels);
  gst_object_unref (e);
}

GST_END_TEST;

GST_START_TEST (test_no_boxes_no_copy)
{
  GstHarness *h = overlay_harness (NULL, overlay_nv12, FALSE);
  GstBuffer *in = overlay_picture (overlay_nv12, FALSE), *out;

  /* The buffer is not writable: the element would have to copy it to change
   * it. */
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out == in);
  gst_buffer_unref (out);

  /* If all boxes are filtered out, the frame passes untouched. */
  overlay_add_roi (in, &overlay_person);
  g_object_set (gst_harness_find_element (h, "yolov10overlay"), "labels", "dog",
      NULL);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out == in);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_others_pixels_stay)
{
  GstBuffer *in = overlay_picture (overlay_nv12, FALSE), *out, *shared;
  g_autoptr (GstBuffer) before = gst_buffer_copy_deep (in);

  /* The buffer has another reference. */
  overlay_add_roi (in, &overlay_person);
  out = overlay_run (NULL, overlay_nv12, gst_buffer_ref (in));
  fail_unless (overlay_is_same (in, before, overlay_nv12));
  fail_if (overlay_is_same (out, before, overlay_nv12));
  gst_buffer_unref (out);

  /* The buffer is writable, its memory is shared, as behind a tee. */
  shared = gst_buffer_copy (in);
  gst_buffer_unref (in);
  in = gst_buffer_copy (shared);
  out = overlay_run (NULL, overlay_nv12, in);
  fail_unless (overlay_is_same (shared, before, overlay_nv12));
  fail_if (overlay_is_same (out, before, overlay_nv12));
  gst_buffer_unref (out);
  gst_buffer_unref (shared);
}

GST_END_TEST;

/* The same detections as ROIs, as frame meta, as both, and as converters leave
 * them: always the same picture. A box drawn twice would differ, because its
 * outline darkens the frame. */
GST_START_TEST (test_sources)
{
  const OverlayBox boxes[] = { overlay_person, overlay_car };
  OverlayBox bare[] = { overlay_person, overlay_car };
  GstBuffer *rois = drawn (NULL, boxes, 2), *other;

  other = overlay_picture (overlay_nv12, FALSE);
  overlay_add_frame_meta (other, "d", W, H, boxes, 2);
  assert_same (gst_buffer_ref (rois), overlay_run (NULL, overlay_nv12, other));

  other = overlay_picture (overlay_nv12, FALSE);
  overlay_add_frame_meta (other, "d", W, H, boxes, 2);
  overlay_add_roi (other, &overlay_person);
  overlay_add_roi (other, &overlay_car);
  assert_same (gst_buffer_ref (rois), overlay_run (NULL, overlay_nv12, other));

  /* A converter removed the params: the frame meta still has the confidence. */
  bare[0].confidence = bare[1].confidence = -1;
  other = overlay_picture (overlay_nv12, FALSE);
  overlay_add_roi (other, &bare[0]);
  overlay_add_roi (other, &bare[1]);
  overlay_add_frame_meta (other, "d", W, H, boxes, 2);
  assert_same (gst_buffer_ref (rois), overlay_run (NULL, overlay_nv12, other));
  assert_differ (gst_buffer_ref (rois), drawn (NULL, bare, 2));

  /* A frame meta in a frame of twice the size, as behind a scaler. */
  other = overlay_picture (overlay_nv12, FALSE);
  bare[0] = (OverlayBox){ 0, "person", 0.87, 80, 120, 200, 240 };
  bare[1] = (OverlayBox){ 1, "car", 0.32, 360, 160, 180, 120 };
  overlay_add_frame_meta (other, "d", 2 * W, 2 * H, bare, 2);
  assert_same (rois, overlay_run (NULL, overlay_nv12, other));
}

GST_END_TEST;

GST_START_TEST (test_removed_rois_stay_away)
{
  const OverlayBox boxes[] = { overlay_person, overlay_car };
  GstBuffer *other = overlay_picture (overlay_nv12, FALSE);

  /* An element removed the car's ROI: the car must not be drawn again. */
  overlay_add_roi (other, &overlay_person);
  overlay_add_frame_meta (other, "d", W, H, boxes, 2);
  assert_same (drawn (NULL, &overlay_person, 1),
      overlay_run (NULL, overlay_nv12, other));
}

GST_END_TEST;

GST_START_TEST (test_two_detectors)
{
  /* The same ids and labels, different places. */
  const OverlayBox second = { 0, "person", 0.55, 200, 100, 80, 100 };
  const OverlayBox both[] = { overlay_person, second };
  GstBuffer *expected = drawn (NULL, both, 2), *other;

  other = overlay_picture (overlay_nv12, FALSE);
  overlay_add_frame_meta (other, "d0", W, H, &overlay_person, 1);
  overlay_add_frame_meta (other, "d1", W, H, &second, 1);
  assert_same (gst_buffer_ref (expected),
      overlay_run (NULL, overlay_nv12, other));

  other = overlay_picture (overlay_nv12, FALSE);
  overlay_add_roi (other, &overlay_person);
  overlay_add_roi (other, &second);
  overlay_add_frame_meta (other, "d0", W, H, &overlay_person, 1);
  overlay_add_frame_meta (other, "d1", W, H, &second, 1);
  assert_same (gst_buffer_ref (expected),
      overlay_run (NULL, overlay_nv12, other));

  /* The first box's ROI was lost between the two detectors. */
  other = overlay_picture (overlay_nv12, FALSE);
  overlay_add_frame_meta (other, "d0", W, H, &overlay_person, 1);
  overlay_add_roi (other, &second);
  overlay_add_frame_meta (other, "d1", W, H, &second, 1);
  assert_same (expected, overlay_run (NULL, overlay_nv12, other));
}

GST_END_TEST;

/* Face detectors attach ROIs with a type, id 0 and nothing else. */
GST_START_TEST (test_foreign_rois)
{
  const OverlayBox faces[] = { { 0, "face", -1, 40, 60, 50, 50 },
    { 0, "face", -1, 180, 90, 50, 50 }, { 0, "face", -1, 40, 60, 50, 50 } };
  GstBuffer *one = drawn (NULL, faces, 1), *two = drawn (NULL, faces, 2);
  g_autoptr (GstBuffer) before = overlay_picture (overlay_nv12, FALSE);

  fail_unless (
      overlay_n_changed (before, one, overlay_nv12, 30, 50, 100, 120) > 100);
  fail_unless (
      overlay_n_changed (before, one, overlay_nv12, 170, 80, 240, 150) == 0);
  fail_unless (
      overlay_n_changed (before, two, overlay_nv12, 170, 80, 240, 150) > 100);
  /* The third is the first once more. */
  assert_same (gst_buffer_ref (two), drawn (NULL, faces, 3));
  gst_buffer_unref (one);
  gst_buffer_unref (two);
}

GST_END_TEST;

static guint
n_warnings (GstBus *bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

GST_START_TEST (test_other_shape)
{
  GstHarness *h = overlay_harness (NULL, overlay_nv12, FALSE);
  g_autoptr (GstElement) e = gst_harness_find_element (h, "yolov10overlay");
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstBuffer *in, *out;
  guint i;

  gst_element_set_bus (e, bus);
  for (i = 0; i < 3; i++) {
    in = overlay_picture (overlay_nv12, FALSE);
    /* 16:9 boxes on a 4:3 frame: it was cropped. */
    overlay_add_frame_meta (in, "d", 320, 180, &overlay_person, 1);
    out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
    fail_unless (out == in);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (n_warnings (bus), 1);

  /* 1.3 % is too much, 0.6 % may be rounding. */
  in = overlay_picture (overlay_nv12, FALSE);
  overlay_add_frame_meta (in, "d", 1200, 912, &overlay_person, 1);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out == in);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  in = overlay_picture (overlay_nv12, FALSE);
  overlay_add_frame_meta (in, "d", 1200, 906, &overlay_person, 1);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_if (overlay_is_same (in, out, overlay_nv12));
  gst_buffer_unref (in);
  gst_buffer_unref (out);

  /* ROIs follow the frame: they are drawn regardless of the frame meta. */
  in = overlay_picture (overlay_nv12, FALSE);
  overlay_add_frame_meta (in, "d", 320, 180, &overlay_car, 1);
  overlay_add_roi (in, &overlay_person);
  out = gst_harness_push_and_pull (h, in);
  assert_same (out, drawn (NULL, &overlay_person, 1));
  fail_unless_equals_int (n_warnings (bus), 0);

  gst_element_set_bus (e, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_filters)
{
  const OverlayBox boxes[] = { overlay_person, overlay_car };
  const OverlayBox unknown = { 3, "car", -1, 180, 80, 90, 60 };

  assert_same (drawn ("labels=person", boxes, 2),
      drawn (NULL, &overlay_person, 1));
  assert_same (drawn ("labels=\"dog, car ,\"", boxes, 2),
      drawn (NULL, &overlay_car, 1));
  assert_same (drawn ("labels=\" , \"", boxes, 2), drawn (NULL, boxes, 2));
  assert_same (drawn ("labels=Person", boxes, 2),
      overlay_picture (overlay_nv12, FALSE));
  assert_same (drawn ("min-confidence=0.5", boxes, 2),
      drawn (NULL, &overlay_person, 1));
  assert_same (drawn ("min-confidence=0.32", boxes, 2), drawn (NULL, boxes, 2));
  assert_same (drawn ("min-confidence=0.9", boxes, 2),
      overlay_picture (overlay_nv12, FALSE));
  /* An unknown confidence is not below the minimum. */
  assert_same (drawn ("min-confidence=1", &unknown, 1),
      drawn (NULL, &unknown, 1));
}

GST_END_TEST;

/* Where two labels cannot be at the same place, the more confident one stays and is on top,
 * in whatever order the detections come. */
GST_START_TEST (test_order)
{
  const OverlayBox less = { 2, "person", 0.55, 50, 64, 100, 120 };
  const OverlayBox boxes[] = { overlay_person, less },
                   reversed[] = { less, overlay_person };
  GstBuffer *one = drawn (NULL, &overlay_person, 1),
            *two = drawn (NULL, boxes, 2);
  g_autoptr (GstBuffer) other = drawn (NULL, &less, 1);

  /* The badges of both, each alone, are above their boxes. */
  fail_unless (
      overlay_n_changed (one, other, overlay_nv12, 50, 48, 100, 58) > 0);
  fail_unless_equals_int (overlay_n_changed (one, two, overlay_nv12, 0, 0, 100,
                              59),
      0);
  assert_same (two, drawn (NULL, reversed, 2));
  gst_buffer_unref (one);
}

GST_END_TEST;

GST_START_TEST (test_text)
{
  g_autoptr (GstBuffer) before = overlay_picture (overlay_nv12, FALSE);
  g_autoptr (GstBuffer) both = drawn (NULL, &overlay_person, 1);
  GstBuffer *label = drawn ("show-confidence=false", &overlay_person, 1);
  GstBuffer *percent = drawn ("show-label=false", &overlay_person, 1);
  GstBuffer *none = drawn ("show-label=false show-confidence=false",
      &overlay_person, 1);
  GstBuffer *big = drawn ("font-desc=\"Sans 24\"", &overlay_person, 1);
  g_autoptr (GstBuffer) thick = drawn ("line-width=8", &overlay_person, 1);
#define ABOVE(b) overlay_n_changed (before, b, overlay_nv12, 0, 0, W, 59)

  /* Above the box is text, if it is shown. */
  fail_unless_equals_int (ABOVE (none), 0);
  fail_unless (ABOVE (label) > 300 && ABOVE (percent) > 200);
  fail_unless (ABOVE (both) > ABOVE (label));
  fail_unless (ABOVE (both) > ABOVE (percent));
  fail_unless (ABOVE (big) > 2 * ABOVE (both));
  fail_unless (
      overlay_n_changed (none, thick, overlay_nv12, 50, 70, 130, 170) == 0);
  fail_unless (overlay_n_changed (none, thick, overlay_nv12, 40, 60, 140, 180)
      > 2 * (100 + 120) * 4);
#undef ABOVE
  gst_buffer_unref (label);
  gst_buffer_unref (percent);
  gst_buffer_unref (none);
  gst_buffer_unref (big);
}

GST_END_TEST;

GST_START_TEST (test_changes_while_playing)
{
  const OverlayBox boxes[] = { overlay_person, overlay_car };
  static const gchar *const steps[] = { "labels=person", "labels=car",
    "line-width=6", "min-confidence=0.5", "labels=person",
    "show-confidence=false", "show-label=false", "font-desc=\"Serif 20\"",
    "show-label=true", "privacy-trust=roi", "privacy=fill", "line-width=0",
    "privacy=none" };
  GstHarness *h = overlay_harness (NULL, overlay_nv12, FALSE);
  g_autoptr (GstElement) e = gst_harness_find_element (h, "yolov10overlay");
  g_autoptr (GString) properties = g_string_new (NULL);
  guint i;

  /* Changing the properties one after another gives the same as setting them in
   * a new element. */
  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    gchar **pair = g_strsplit (steps[i], "=", 2);
    GstBuffer *buffer = overlay_picture (overlay_nv12, FALSE);

    g_strdelimit (pair[1], "\"", ' ');
    gst_util_set_object_arg (G_OBJECT (e), pair[0], g_strstrip (pair[1]));
    g_strfreev (pair);
    g_string_append_printf (properties, " %s", steps[i]);
    overlay_add_roi (buffer, &overlay_person);
    overlay_add_roi (buffer, &overlay_car);
    assert_same (gst_harness_push_and_pull (h, buffer),
        drawn (properties->str, boxes, 2));
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_caps_change)
{
  static const gchar *const formats[] = { "NV12", "RGB", "I420", "v210" };
  GstHarness *h = overlay_harness (NULL, overlay_nv12, FALSE);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstCaps *other = overlay_caps (formats[i], 200 + 60 * i, 180 + 50 * i,
        NULL);
    GstBuffer *buffer = overlay_picture (other, FALSE), *out;

    overlay_add_roi (buffer, &overlay_person);
    gst_harness_set_src_caps (h, gst_caps_ref (other));
    out = gst_harness_push_and_pull (h, gst_buffer_copy (buffer));
    buffer = overlay_run (NULL, other, buffer);
    fail_unless (overlay_is_same (buffer, out, other));
    gst_buffer_unref (buffer);
    gst_buffer_unref (out);
    gst_caps_unref (other);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_states)
{
  GstHarness *h = overlay_harness (NULL, overlay_nv12, FALSE);
  g_autoptr (GstElement) e = gst_harness_find_element (h, "yolov10overlay");
  GstBuffer *buffer;
  guint i;

  for (i = 0; i < 3; i++) {
    buffer = overlay_picture (overlay_nv12, FALSE);
    overlay_add_roi (buffer, &overlay_person);
    assert_same (gst_harness_push_and_pull (h, buffer),
        drawn (NULL, &overlay_person, 1));
    fail_unless (
        gst_element_set_state (e, GST_STATE_NULL) == GST_STATE_CHANGE_SUCCESS);
    gst_harness_play (h);
    gst_harness_set_src_caps (h, gst_caps_ref (overlay_nv12));
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Sources of raw files count bytes, not time. */
GST_START_TEST (test_segment_in_bytes)
{
  GstHarness *h = overlay_harness (NULL, overlay_nv12, FALSE);
  GstBuffer *buffer = overlay_picture (overlay_nv12, FALSE);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  overlay_add_roi (buffer, &overlay_person);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  assert_same (gst_harness_push_and_pull (h, buffer),
      drawn (NULL, &overlay_person, 1));
  gst_harness_teardown (h);
}

GST_END_TEST;

TEST_CHECK_MAIN (overlay)
{
  tcase_add_checked_fixture (tc, overlay_setup, overlay_teardown);
  tcase_add_test (tc, test_properties);
  tcase_add_test (tc, test_no_boxes_no_copy);
  tcase_add_test (tc, test_others_pixels_stay);
  tcase_add_test (tc, test_sources);
  tcase_add_test (tc, test_removed_rois_stay_away);
  tcase_add_test (tc, test_two_detectors);
  tcase_add_test (tc, test_foreign_rois);
  tcase_add_test (tc, test_other_shape);
  tcase_add_test (tc, test_filters);
  tcase_add_test (tc, test_order);
  tcase_add_test (tc, test_text);
  tcase_add_test (tc, test_changes_while_playing);
  tcase_add_test (tc, test_caps_change);
  tcase_add_test (tc, test_states);
  tcase_add_test (tc, test_segment_in_bytes);
}
