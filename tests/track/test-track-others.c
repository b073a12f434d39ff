/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10track beside others: boxes of other detectors, frames that others hold, what
 * upstream's elements read, and what an application is told. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "countalloc.h"
#include "mallocs.h"
#include "trackharness.h"

#include <math.h>

#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "meta/inspection.h"

/* Regions of another detector, which says nothing of frames that it skips: they get ids
 * and a frame meta with records. */
GST_START_TEST (test_foreign)
{
  GstHarness *h = track_harness (NULL);

  for (guint n = 0; n < 60; n++) {
    TrackBox boxes[2];
    TrackFrame frame = {
      .width = TRACK_WIDTH,
      .height = TRACK_HEIGHT,
      .pts = n * TRACK_FRAME,
      .boxes = boxes,
      .state = GST_Y10_STATE_NO_DETECTOR,
      .n_boxes = n % 3 || n > 40 ? 0 : 2,
    };
    GstBuffer *out;

    track_scene (boxes, n);
    out = gst_harness_push_and_pull (h, track_frame_new (&frame));
    gst_y10_reading_collect (&track_reading, out, TRACK_WIDTH, TRACK_HEIGHT);
    fail_unless_equals_int (track_reading.result.list.n, frame.n_boxes);
    if (frame.n_boxes) {
      GstYolov10Record record;
      gchar *label;

      fail_unless_equals_uint64 (track_id_of (out, "person"), 0 + 1);
      fail_unless (gst_yolov10_frame_meta_get_record (track_frame_meta (out), 1,
          &record, &label));
      fail_unless_equals_string (label, "car");
      fail_unless (record.x_min == floorf (boxes[1].x0) / TRACK_WIDTH);
      g_free (label);
    }
    fail_unless_equals_int (track_reading.n_frame_metas, 0);
    /* Nothing more after frame 39, of which nobody tells: gone when overdue. */
    fail_unless_equals_int (track_reading.tracks.n, n <= 45 ? 2 : 0);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Labels in Latin-1 leave those of the others as they are. */
GST_START_TEST (test_foreign_label)
{
  GstHarness *h = track_harness (NULL);
  TrackBox boxes[] = {
    { "caf\xe9", 0, 0.9f, 100, 100, 200, 200 },
    { "person", 1, 0.9f, 300, 100, 400, 200 },
  };
  TrackFrame frame = {
    .width = TRACK_WIDTH,
    .height = TRACK_HEIGHT,
    .boxes = boxes,
    .n_boxes = 2,
    .state = GST_Y10_STATE_NO_DETECTOR,
  };
  GstBuffer *out = gst_harness_push_and_pull (h, track_frame_new (&frame));
  const GstStructure *meta = track_frame_meta (out);

  fail_unless_equals_string (gst_structure_get_string (meta, "labels"),
      "caf?\nperson\n");
  fail_unless_equals_string (gst_structure_get_string (meta, "track-labels"),
      "caf?\nperson\n");
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A frame that others hold, too, such as behind a tee, stays as it is. The memory is the
 * same, and no memory is mapped. */
GST_START_TEST (test_shared)
{
  GstHarness *h = track_harness (NULL);
  TrackBox boxes[2];
  TrackFrame frame = {
    .width = TRACK_WIDTH,
    .height = TRACK_HEIGHT,
    .boxes = boxes,
    .state = GST_Y10_STATE_FRESH,
  };
  GstBuffer *in, *out;

  gst_harness_set_src_caps_str (h,
      "video/x-raw(memory:CUDAMemory),format=NV12,width=640,height=480");
  frame.n_boxes = track_scene (boxes, 0);
  in = track_frame_new (&frame);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out != in);
  fail_unless_equals_uint64 (track_id_of (in, "person"), 0);
  fail_if (gst_structure_has_field (track_frame_meta (in), "tracks"));
  fail_unless_equals_uint64 (track_id_of (out, "person"), 1);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
  frame.pts = TRACK_FRAME;
  in = track_frame_new (&frame);
  out = gst_harness_push_and_pull (h, in);
  fail_unless (out == in);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Returns the text of the first error or warning, or NULL. */
static gchar *
complaint (GstBus *bus, GstMessageType type)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, type);
  GError *error = NULL;
  gchar *text;

  if (!message)
    return NULL;
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  return text;
}

GST_START_TEST (test_bad_groups)
{
  static const gchar *const bad[][2] = { { "car,;person", "empty name" },
    { "car,truck;car", "\"car\" twice" } };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    GstElement *e = gst_element_factory_make ("yolov10track", NULL);
    GstBus *bus = gst_bus_new ();
    gchar *text;

    gst_element_set_bus (e, bus);
    g_object_set (e, "class-groups", bad[i][0], NULL);
    fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    text = complaint (bus, GST_MESSAGE_ERROR);
    fail_unless (text && strstr (text, bad[i][1]), "%s", text);
    g_free (text);
    gst_element_set_state (e, GST_STATE_NULL);
    gst_element_set_bus (e, NULL);
    gst_object_unref (bus);
    gst_object_unref (e);
  }
}

GST_END_TEST;

/* What cannot be followed is told, once. */
GST_START_TEST (test_warnings)
{
  static const gchar *const texts[] = { "without timestamps",
    "changed the picture", "too far apart", "too far apart" };

  for (guint what = 0; what < G_N_ELEMENTS (texts); what++) {
    GstHarness *h = track_harness (NULL);
    GstElement *e = gst_harness_find_element (h, "yolov10track");
    GstBus *bus = gst_bus_new ();
    gchar *text;

    gst_element_set_bus (e, bus);
    for (guint n = 0; n < 300; n++) {
      TrackBox box = { "car", 2, 0.8f, 100, 100, 140, 140 };
      TrackFrame frame = {
        .width = TRACK_WIDTH,
        .height = TRACK_HEIGHT,
        .pts = n * TRACK_FRAME,
        .boxes = &box,
        .n_boxes = 1,
        .state = GST_Y10_STATE_FRESH,
      };
      GstBuffer *buffer;

      if (what == 2)
        box.x0 = (gfloat) (n % 7 * 80), box.x1 = box.x0 + 40;
      if (what == 3)
        frame.pts = n * 3 * GST_SECOND;
      buffer = track_frame_new (&frame);
      if (what == 0)
        GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
      if (what == 1) {
        gpointer state = NULL;

        /* As videocrop does. */
        gst_buffer_remove_meta (buffer,
            (GstMeta *) gst_y10_inspection_next (buffer, &state));
      }
      buffer = gst_harness_push_and_pull (h, buffer);
      if (what < 2)
        fail_unless_equals_uint64 (track_id_of (buffer, "car"), 0);
      gst_buffer_unref (buffer);
    }
    text = complaint (bus, GST_MESSAGE_WARNING);
    fail_unless (text && strstr (text, texts[what]), "%u: %s", what, text);
    g_free (text);
    fail_if (gst_bus_have_pending (bus));
    gst_element_set_bus (e, NULL);
    gst_object_unref (bus);
    gst_object_unref (e);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/* Returns the allocations of 20 frames, with so many objects that weak boxes continue and
 * of which every other frame shows none. */
static gint
count_allocations (gconstpointer n_objects)
{
  GstHarness *h = track_harness (NULL);
  const guint n = GPOINTER_TO_UINT (n_objects);
  GstBuffer *frames[24];
  TrackBox boxes[100];
  gint found;

  for (guint i = 0; i < n; i++) {
    const gfloat x = (gfloat) (i % 10 * 60), y = (gfloat) (i / 10 * 45);

    boxes[i] = (TrackBox){ "person", 0, 0, x, y, x + 40, y + 40 };
  }
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    TrackFrame frame = {
      .width = TRACK_WIDTH,
      .height = TRACK_HEIGHT,
      .pts = i * TRACK_FRAME,
      .boxes = boxes,
      .weak = boxes,
      .asked = TRUE,
      .state = i < 4 || i % 2 ? GST_Y10_STATE_FRESH : GST_Y10_STATE_NO_RESULT,
    };

    for (guint k = 0; k < n; k++)
      boxes[k].confidence = i < 4 ? 0.9f : 0.2f;
    if (i < 4)
      frame.n_boxes = n;
    else if (i % 2)
      frame.n_weak = n;
    frames[i] = track_frame_new (&frame);
  }
  found = test_n_frame_allocations (h, &sink, frames, G_N_ELEMENTS (frames), 4);
  gst_harness_teardown (h);
  return found;
}

/* Nothing is allocated for objects and boxes, only for what is attached. */
GST_START_TEST (test_allocations)
{
  gint few;

  if (!test_mallocs_can_count ()) {
    g_print ("not counted: a sanitizer or another C library owns malloc()\n");
    return;
  }
  few = test_fewest_allocations (count_allocations, GUINT_TO_POINTER (1));
  fail_unless (few > 0);
  fail_unless_equals_int (test_fewest_allocations (count_allocations,
                              GUINT_TO_POINTER (100)),
      few);
}

GST_END_TEST;

#ifdef HAVE_GST_ANALYTICS
GST_START_TEST (test_analytics)
{
  GstHarness *h = track_harness (NULL);

  for (guint n = 0; n < 3; n++) {
    GstBuffer *out = track_send (h, n, (gint) n);
    GstAnalyticsRelationMeta *relations =
        gst_buffer_get_analytics_relation_meta (out);
    gpointer state = NULL;
    GstAnalyticsODMtd box;
    guint found = 0;

    while (gst_analytics_relation_meta_iterate (relations, &state,
        gst_analytics_od_mtd_get_mtd_type (), &box)) {
      GstAnalyticsTrackingMtd track;
      gpointer other = NULL;
      guint64 id;
      GstClockTime begun, last;
      gboolean is_lost;

      fail_unless (gst_analytics_relation_meta_get_direct_related (relations,
          box.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
          gst_analytics_tracking_mtd_get_mtd_type (), &other, &track));
      fail_unless (gst_analytics_tracking_mtd_get_info (&track, &id, &begun,
          &last, &is_lost));
      fail_unless_equals_uint64 (id, found + 1);
      fail_unless_equals_uint64 (begun, 0);
      fail_if (is_lost);
      found++;
    }
    fail_unless_equals_int (found, 2);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;
#endif

TEST_CHECK_MAIN (track_others)
{
  tcase_add_checked_fixture (tc, track_setup, track_teardown);
  tcase_set_timeout (tc, 100);
  tcase_add_test (tc, test_foreign);
  tcase_add_test (tc, test_foreign_label);
  tcase_add_test (tc, test_shared);
  tcase_add_test (tc, test_bad_groups);
  tcase_add_test (tc, test_warnings);
  tcase_add_test (tc, test_allocations);
#ifdef HAVE_GST_ANALYTICS
  tcase_add_test (tc, test_analytics);
#endif
}
