/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10track with metadata as the detector writes them: who gets which id where, what
 * happens while boxes are held or come late, and when everything begins anew. */
#include "trackharness.h"

#include <math.h>

static void
assert_near (const GstY10TrackedObject *object, const TrackBox *box,
    gdouble limit)
{
  fail_unless (object != NULL);
  fail_unless (fabs (object->x0 - box->x0) < limit
          && fabs (object->y0 - box->y0) < limit
          && fabs (object->x1 - box->x1) < limit
          && fabs (object->y1 - box->y1) < limit,
      "%g %g %g %g, expected %g %g %g %g", object->x0, object->y0, object->x1,
      object->y1, (gdouble) box->x0, (gdouble) box->y0, (gdouble) box->x1,
      (gdouble) box->y1);
}

/* Each kind of metadata has the same ids, and the boxes are as they were. */
GST_START_TEST (test_ids)
{
  GstHarness *h = track_harness (NULL);

  for (guint n = 0; n < 50; n++) {
    GstBuffer *out = track_send (h, n, (gint) n);
    GstYolov10Record record;
    GstYolov10Track track;
    gchar *label;
    TrackBox boxes[2];

    track_scene (boxes, n);
    fail_unless_equals_uint64 (track_id_of (out, "person"), 1);
    fail_unless_equals_uint64 (track_id_of (out, "car"), 2);
    fail_unless_equals_int (track_reading.result.list.n, 2);
    for (guint i = 0; i < 2; i++) {
      const GstY10Detection *d = &track_reading.result.list.items[i];

      fail_unless (d->tracked);
      fail_unless_equals_uint64 (d->track_id, i + 1);
      fail_unless (gst_yolov10_frame_meta_get_record (track_frame_meta (out), i,
          &record, NULL));
      fail_unless (record.x_min == boxes[i].x0 / TRACK_WIDTH
          && record.y_max == boxes[i].y1 / TRACK_HEIGHT);
      fail_unless (gst_yolov10_frame_meta_get_track (track_frame_meta (out), i,
          &track, &label));
      fail_unless_equals_string (label, boxes[i].label);
      fail_unless_equals_uint64 (track.track_id, i + 1);
      fail_unless_equals_int (track.record_id, record.id);
      fail_unless_equals_int (track.label_id, boxes[i].class_id);
      fail_unless_equals_int (track.flags, GST_YOLOV10_TRACK_OBSERVED);
      fail_unless (track.confidence == boxes[i].confidence);
      g_free (label);
      if (n > 20)
        assert_near (track_object_of (i + 1), &boxes[i], 1);
    }
    fail_if (gst_yolov10_frame_meta_get_track (track_frame_meta (out), 2,
        &track, NULL));
    fail_unless_equals_string (gst_structure_get_string (track_frame_meta (out),
                                   "tracker"),
        "t");
    fail_unless_equals_int (gst_y10_reading_judge (&track_reading, FALSE),
        GST_Y10_STATE_FRESH);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Every third frame is inferred; its result is there at once, or two frames late, on a
 * frame that shows it as held. Held detections have their ids and stay where they were,
 * and objects move on. */
GST_START_TEST (test_held)
{
  GstHarness *h = track_harness (NULL);

  for (guint late = 0; late <= 2; late += 2) {
    gst_harness_push_event (h,
        gst_event_new_stream_start (late ? "late" : "in time"));
    gst_harness_set_src_caps_str (h, TRACK_CAPS);
    for (guint n = 0; n < 90; n++) {
      const gint of = n < late ? -1 : (gint) ((n - late) / 3 * 3);
      GstBuffer *out = track_send (h, n, of);
      TrackBox then[2], now[2];

      track_scene (now, n);
      if (of < 0) {
        fail_unless_equals_int (track_reading.tracks.n, 0);
        gst_buffer_unref (out);
        continue;
      }
      track_scene (then, of);
      fail_unless_equals_int (track_reading.tracks.n, 2);
      for (guint i = 0; i < 2; i++) {
        const guint64 id = i + 1 + (late ? 2 : 0);
        const GstY10TrackedObject *object = track_object_of (id);
        const GstY10Detection *d = &track_reading.result.list.items[i];

        fail_unless_equals_uint64 (track_id_of (out, then[i].label), id);
        fail_unless (object != NULL && object->observed);
        fail_unless_equals_int (object->record_id, d->id);
        fail_unless (
            fabs (d->x0 - then[i].x0) < 1 && fabs (d->x1 - then[i].x1) < 1);
        if (n > 60)
          assert_near (object, &now[i], 2.5);
      }
      fail_unless_equals_int (gst_y10_reading_judge (&track_reading, FALSE),
          (guint) of == n ? GST_Y10_STATE_FRESH : GST_Y10_STATE_HELD);
      gst_buffer_unref (out);
    }
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A box that many frames show is seen once, which is not enough for an id. Frames that
 * were skipped show no boxes, and objects move on for a while. */
GST_START_TEST (test_once)
{
  GstHarness *h = track_harness ("track-buffer=0");
  TrackFrame empty = { .width = TRACK_WIDTH,
    .height = TRACK_HEIGHT,
    .state = GST_Y10_STATE_FRESH };

  gst_buffer_unref (gst_harness_push_and_pull (h, track_frame_new (&empty)));
  for (guint n = 1; n < 8; n++) {
    GstBuffer *out = track_send (h, n, 1);

    fail_unless_equals_uint64 (track_id_of (out, "person"), 0);
    fail_unless_equals_int (track_reading.tracks.n, 0);
    fail_unless_equals_string (track_reading.tracks.tracker, "t");
    gst_buffer_unref (out);
  }
  for (guint n = 8; n < 30; n++)
    gst_buffer_unref (track_send (h, n, (gint) n));
  for (guint n = 30; n < 50; n++) {
    GstBuffer *out = track_send (h, n, -1);
    TrackBox now[2];

    track_scene (now, n);
    fail_unless_equals_int (track_reading.tracks.n, n < 42 ? 2 : 0);
    if (n < 42) {
      const GstY10TrackedObject *object = &track_reading.tracks.items[0];

      fail_if (object->observed);
      fail_unless_equals_int (object->record_id, -1);
      assert_near (object, &now[object->class_id ? 1 : 0], 3);
    }
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
push_segment (GstHarness *h, GstClockTime start)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = start;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* Identities end with a stream, a segment, a flush, a size, and time that runs back or
 * ahead, and are not used again. An equal segment changes nothing. */
GST_START_TEST (test_anew)
{
  GstHarness *h = track_harness (NULL);
  guint64 id = 0;
  guint n = 0;

  for (guint what = 0; what <= 7; what++) {
    GstBuffer *out;

    switch (what) {
      case 1:
        gst_harness_push_event (h, gst_event_new_stream_start ("other"));
        gst_harness_set_src_caps_str (h, TRACK_CAPS);
        break;
      case 2:
        gst_harness_push_event (h, gst_event_new_flush_start ());
        gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
        push_segment (h, 0);
        break;
      case 3:
        push_segment (h, 40);
        break;
      case 4:
        push_segment (h, 40);
        break;
      case 5:
        gst_harness_set_src_caps_str (h,
            "video/x-raw,format=RGB,width=320,height=240");
        gst_harness_set_src_caps_str (h, TRACK_CAPS);
        break;
      case 6:
        n = 0;
        break;
      case 7:
        n += 40;
        break;
      default:
        break;
    }
    out = track_send (h, n, (gint) n);
    if (what == 4) {
      fail_unless_equals_uint64 (track_id_of (out, "person"), id);
    } else {
      fail_unless (track_id_of (out, "person") > id, "%u", what);
    }
    id = MAX (track_id_of (out, "person"), track_id_of (out, "car"));
    if (what == 3 || what == 4)
      id = track_id_of (out, "person");
    gst_buffer_unref (out);
    n++;
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The upstream request: at first, then every 64 frames, and when the property changes;
 * none where there is no second pass. */
GST_START_TEST (test_request)
{
  GstHarness *h = track_harness ("weak-thresh=0.15");
  guint expected = 0;

  for (guint n = 0; n < 200; n++) {
    GstEvent *event;
    guint n_events = 0;

    if (n == 150)
      gst_harness_set (h, "yolov10track", "weak-thresh", 0.2, NULL);
    if (n == 190)
      gst_harness_set (h, "yolov10track", "weak-thresh", 0.6, NULL);
    gst_buffer_unref (track_send (h, n, (gint) n));
    while ((event = gst_harness_try_pull_upstream_event (h))) {
      const GstStructure *s = gst_event_get_structure (event);
      gdouble confidence;

      if (s && gst_structure_has_name (s, "GstYolov10WeakRequest")) {
        fail_unless (gst_structure_get_double (s, "confidence", &confidence));
        fail_unless_equals_float ((gfloat) confidence, n < 150 ? 0.15f : 0.2f);
        fail_unless (strlen (gst_structure_get_string (s, "sender")) > 0);
        n_events++;
      }
      gst_event_unref (event);
    }
    fail_unless_equals_int (n_events,
        n == 0 || n == 64 || n == 128 || n == 150);
    expected += n_events;
  }
  fail_unless_equals_int (expected, 4);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A box that is too weak to be a detection continues an object and begins none, also where
 * the detector's confidence is above new-thresh. */
GST_START_TEST (test_weak)
{
  const gfloat confidence = __i__ ? 0.45f : 0.15f;
  GstHarness *h = track_harness (NULL);
  guint64 id = 0;

  for (guint n = 0; n < 40; n++) {
    TrackBox boxes[2], weak[2];
    TrackFrame frame = {
      .width = TRACK_WIDTH,
      .height = TRACK_HEIGHT,
      .pts = n * TRACK_FRAME,
      .boxes = boxes,
      .weak = weak,
      .state = GST_Y10_STATE_FRESH,
      .asked = TRUE,
    };
    GstBuffer *out;

    track_scene (boxes, n);
    track_scene (weak, n);
    weak[0].confidence = weak[1].confidence = confidence;
    /* The person is half hidden; the car is never more than a guess. */
    if (n >= 10 && n < 30) {
      frame.n_weak = 2;
    } else {
      frame.n_boxes = 1;
      weak[0] = weak[1];
      frame.n_weak = 1;
    }
    out = gst_harness_push_and_pull (h, track_frame_new (&frame));
    gst_y10_reading_collect (&track_reading, out, TRACK_WIDTH, TRACK_HEIGHT);
    fail_unless_equals_int (track_reading.tracks.n, 1);
    id = id ? id : track_reading.tracks.items[0].id;
    fail_unless_equals_uint64 (track_reading.tracks.items[0].id, id);
    fail_unless (track_reading.tracks.items[0].observed);
    fail_unless_equals_int (track_reading.tracks.items[0].record_id,
        frame.n_boxes ? track_reading.result.list.items[0].id : -1);
    fail_unless_equals_uint64 (track_id_of (out, "person"),
        frame.n_boxes ? id : 0);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Two elements count by themselves. */
GST_START_TEST (test_two_streams)
{
  GstHarness *a = track_harness (NULL), *b = track_harness (NULL);

  for (guint n = 0; n < 10; n++) {
    GstBuffer *out = track_send (a, n, (gint) n);

    fail_unless_equals_uint64 (track_id_of (out, "person"), 1);
    gst_buffer_unref (out);
    out = track_send (b, 100 + n, (gint) (100 + n));
    fail_unless_equals_uint64 (track_id_of (out, "person"), 1);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (a);
  gst_harness_teardown (b);
}

GST_END_TEST;

/* Sends a car that is taken for a truck in every third frame. Returns whether it kept
 * its id and is a car to the end. */
static gboolean
keeps_flickering (const gchar *properties)
{
  GstHarness *h = track_harness (properties);
  gboolean is_kept = TRUE;
  guint64 id = 0;

  for (guint n = 0; n < 30; n++) {
    TrackBox box = { n % 3 == 2 ? "truck" : "car", n % 3 == 2 ? 7 : 2, 0.8f,
      100, 100, 200, 160 };
    TrackFrame frame = {
      .width = TRACK_WIDTH,
      .height = TRACK_HEIGHT,
      .pts = n * TRACK_FRAME,
      .boxes = &box,
      .n_boxes = 1,
      .state = GST_Y10_STATE_FRESH,
    };
    GstBuffer *out = gst_harness_push_and_pull (h, track_frame_new (&frame));

    gst_y10_reading_collect (&track_reading, out, TRACK_WIDTH, TRACK_HEIGHT);
    id = id ? id : track_id_of (out, box.label);
    is_kept &= track_id_of (out, box.label) == id;
    if (track_object_of (id)) {
      fail_unless_equals_int (track_object_of (id)->class_id, 2);
      fail_unless (!strncmp (track_object_of (id)->label, "car", 3));
    }
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
  return is_kept;
}

GST_START_TEST (test_groups)
{
  fail_if (keeps_flickering (NULL));
  fail_unless (keeps_flickering ("class-groups=\"person;bus, car ,truck\""));
  fail_unless (keeps_flickering ("class-groups=person;*"));
  fail_if (keeps_flickering ("class-groups=car,person;truck"));
}

GST_END_TEST;

TEST_CHECK_MAIN (track)
{
  tcase_add_checked_fixture (tc, track_setup, track_teardown);
  tcase_set_timeout (tc, 100);
  tcase_add_test (tc, test_ids);
  tcase_add_test (tc, test_held);
  tcase_add_test (tc, test_once);
  tcase_add_test (tc, test_anew);
  tcase_add_test (tc, test_request);
  tcase_add_loop_test (tc, test_weak, 0, 2);
  tcase_add_test (tc, test_two_streams);
  tcase_add_test (tc, test_groups);
}
