/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10track with metadata as the detector writes them: who gets which id where, what
 * happens while boxes are held or come late, when everything begins anew, and what stays
 * as it was. Objects move on known paths. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "countalloc.h"
#include "mallocs.h"
#include "trackcommon.h"

#include <gst/check/check.h>
#include <gst/check/gstharness.h>
#include <math.h>
#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "meta/gstyolov10framemeta.h"
#include "meta/inspection.h"

#define W 640
#define H 480
#define FRAME (GST_SECOND / 25)
#define CAPS "video/x-raw,format=RGB,width=640,height=480,framerate=25/1"

static GstY10Reading reading;

static void
setup (void)
{
  gst_y10_reading_init (&reading);
}

static void
teardown (void)
{
  gst_y10_reading_clear (&reading);
}

static GstHarness *
harness (const gchar *properties)
{
  gchar *line = g_strdup_printf ("yolov10track name=t %s",
      properties ? properties : "");
  GstHarness *h = gst_harness_new_parse (line);

  g_free (line);
  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

/* Two objects; the second one goes left. */
static guint
scene (TrackBox *boxes, gdouble n)
{
  const gfloat right = (gfloat) (4 * n), left = (gfloat) (3 * n);

  boxes[0] = (TrackBox){ "person", 0, 0.9f, 50 + right, 100, 90 + right, 200 };
  boxes[1] = (TrackBox){ "car", 2, 0.8f, 450 - left, 250, 550 - left, 320 };
  return 2;
}

/* Sends frame @n with the boxes of frame @of. Reads the result. */
static GstBuffer *
send (GstHarness *h, guint n, gint of)
{
  TrackBox boxes[2];
  TrackFrame frame = {
    .width = W,
    .height = H,
    .pts = n * FRAME,
    .boxes = boxes,
    .state = of < 0       ? GST_Y10_STATE_NO_RESULT
        : (guint) of == n ? GST_Y10_STATE_FRESH
                          : GST_Y10_STATE_HELD,
    .age = of < 0 ? 0 : (n - (guint) of) * FRAME,
  };
  GstBuffer *out;

  frame.n_boxes = of < 0 ? 0 : scene (boxes, of);
  out = gst_harness_push_and_pull (h, track_frame_new (&frame));
  fail_unless (out != NULL);
  gst_y10_reading_collect (&reading, out, W, H);
  return out;
}

static const GstStructure *
frame_meta (GstBuffer *buffer)
{
  gpointer state = NULL;

  return gst_yolov10_frame_meta_find (buffer, &state);
}

/* The id of the only detection with the label, from its region. */
static guint64
id_of (GstBuffer *buffer, const gchar *label)
{
  gpointer state = NULL;
  GstMeta *meta;
  guint64 found = 0;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *roi = (gpointer) meta;
    GstStructure *object, *detection;
    gint id = 0;
    guint64 same = 0;

    if (g_strcmp0 (g_quark_to_string (roi->roi_type), label))
      continue;
    object = gst_video_region_of_interest_meta_get_param (roi, "object_id");
    detection = gst_video_region_of_interest_meta_get_param (roi, "detection");
    if (object)
      fail_unless (gst_structure_get_int (object, "id", &id));
    if (detection)
      gst_structure_get_uint64 (detection, "object_id", &same);
    fail_unless_equals_uint64 (same, (guint64) id);
    fail_unless_equals_uint64 (found, 0);
    found = (guint64) id;
  }
  return found;
}

static const GstY10TrackedObject *
object_of (guint64 id)
{
  for (guint i = 0; i < reading.tracks.n; i++)
    if (reading.tracks.items[i].id == id)
      return &reading.tracks.items[i];
  return NULL;
}

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
  GstHarness *h = harness (NULL);

  for (guint n = 0; n < 50; n++) {
    GstBuffer *out = send (h, n, (gint) n);
    GstYolov10Record record;
    GstYolov10Track track;
    gchar *label;
    TrackBox boxes[2];

    scene (boxes, n);
    fail_unless_equals_uint64 (id_of (out, "person"), 1);
    fail_unless_equals_uint64 (id_of (out, "car"), 2);
    fail_unless_equals_int (reading.result.list.n, 2);
    for (guint i = 0; i < 2; i++) {
      const GstY10Detection *d = &reading.result.list.items[i];

      fail_unless (d->tracked);
      fail_unless_equals_uint64 (d->track_id, i + 1);
      fail_unless (gst_yolov10_frame_meta_get_record (frame_meta (out), i,
          &record, NULL));
      fail_unless (
          record.x_min == boxes[i].x0 / W && record.y_max == boxes[i].y1 / H);
      fail_unless (gst_yolov10_frame_meta_get_track (frame_meta (out), i,
          &track, &label));
      fail_unless_equals_string (label, boxes[i].label);
      fail_unless_equals_uint64 (track.track_id, i + 1);
      fail_unless_equals_int (track.record_id, record.id);
      fail_unless_equals_int (track.label_id, boxes[i].class_id);
      fail_unless_equals_int (track.flags, GST_YOLOV10_TRACK_OBSERVED);
      fail_unless (track.confidence == boxes[i].confidence);
      g_free (label);
      if (n > 20)
        assert_near (object_of (i + 1), &boxes[i], 1);
    }
    fail_if (
        gst_yolov10_frame_meta_get_track (frame_meta (out), 2, &track, NULL));
    fail_unless_equals_string (gst_structure_get_string (frame_meta (out),
                                   "tracker"),
        "t");
    fail_unless_equals_int (gst_y10_reading_judge (&reading, FALSE),
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
  GstHarness *h = harness (NULL);

  for (guint late = 0; late <= 2; late += 2) {
    gst_harness_push_event (h,
        gst_event_new_stream_start (late ? "late" : "in time"));
    gst_harness_set_src_caps_str (h, CAPS);
    for (guint n = 0; n < 90; n++) {
      const gint of = n < late ? -1 : (gint) ((n - late) / 3 * 3);
      GstBuffer *out = send (h, n, of);
      TrackBox then[2], now[2];

      scene (now, n);
      if (of < 0) {
        fail_unless_equals_int (reading.tracks.n, 0);
        gst_buffer_unref (out);
        continue;
      }
      scene (then, of);
      fail_unless_equals_int (reading.tracks.n, 2);
      for (guint i = 0; i < 2; i++) {
        const guint64 id = i + 1 + (late ? 2 : 0);
        const GstY10TrackedObject *object = object_of (id);
        const GstY10Detection *d = &reading.result.list.items[i];

        fail_unless_equals_uint64 (id_of (out, then[i].label), id);
        fail_unless (object != NULL && object->observed);
        fail_unless_equals_int (object->record_id, d->id);
        fail_unless (
            fabs (d->x0 - then[i].x0) < 1 && fabs (d->x1 - then[i].x1) < 1);
        if (n > 60)
          assert_near (object, &now[i], 2.5);
      }
      fail_unless_equals_int (gst_y10_reading_judge (&reading, FALSE),
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
  GstHarness *h = harness ("track-buffer=0");
  TrackFrame empty = { .width = W, .height = H, .state = GST_Y10_STATE_FRESH };

  gst_buffer_unref (gst_harness_push_and_pull (h, track_frame_new (&empty)));
  for (guint n = 1; n < 8; n++) {
    GstBuffer *out = send (h, n, 1);

    fail_unless_equals_uint64 (id_of (out, "person"), 0);
    fail_unless_equals_int (reading.tracks.n, 0);
    fail_unless_equals_string (reading.tracks.tracker, "t");
    gst_buffer_unref (out);
  }
  for (guint n = 8; n < 30; n++)
    gst_buffer_unref (send (h, n, (gint) n));
  for (guint n = 30; n < 50; n++) {
    GstBuffer *out = send (h, n, -1);
    TrackBox now[2];

    scene (now, n);
    fail_unless_equals_int (reading.tracks.n, n < 42 ? 2 : 0);
    if (n < 42) {
      const GstY10TrackedObject *object = &reading.tracks.items[0];

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
  GstHarness *h = harness (NULL);
  guint64 id = 0;
  guint n = 0;

  for (guint what = 0; what <= 7; what++) {
    GstBuffer *out;

    switch (what) {
      case 1:
        gst_harness_push_event (h, gst_event_new_stream_start ("other"));
        gst_harness_set_src_caps_str (h, CAPS);
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
        gst_harness_set_src_caps_str (h, CAPS);
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
    out = send (h, n, (gint) n);
    if (what == 4) {
      fail_unless_equals_uint64 (id_of (out, "person"), id);
    } else {
      fail_unless (id_of (out, "person") > id, "%u", what);
    }
    id = MAX (id_of (out, "person"), id_of (out, "car"));
    if (what == 3 || what == 4)
      id = id_of (out, "person");
    gst_buffer_unref (out);
    n++;
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Regions of another detector, which says nothing of frames that it skips: they get ids
 * and a frame meta with records. */
GST_START_TEST (test_foreign)
{
  GstHarness *h = harness (NULL);

  for (guint n = 0; n < 60; n++) {
    TrackBox boxes[2];
    TrackFrame frame = {
      .width = W,
      .height = H,
      .pts = n * FRAME,
      .boxes = boxes,
      .state = GST_Y10_STATE_NO_DETECTOR,
      .n_boxes = n % 3 || n > 40 ? 0 : 2,
    };
    GstBuffer *out;

    scene (boxes, n);
    out = gst_harness_push_and_pull (h, track_frame_new (&frame));
    gst_y10_reading_collect (&reading, out, W, H);
    fail_unless_equals_int (reading.result.list.n, frame.n_boxes);
    if (frame.n_boxes) {
      GstYolov10Record record;
      gchar *label;

      fail_unless_equals_uint64 (id_of (out, "person"), 0 + 1);
      fail_unless (gst_yolov10_frame_meta_get_record (frame_meta (out), 1,
          &record, &label));
      fail_unless_equals_string (label, "car");
      fail_unless (record.x_min == floorf (boxes[1].x0) / W);
      g_free (label);
    }
    fail_unless_equals_int (reading.n_frame_metas, 0);
    /* Nothing more after frame 39, of which nobody tells: gone when overdue. */
    fail_unless_equals_int (reading.tracks.n, n <= 45 ? 2 : 0);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Labels in Latin-1 leave those of the others as they are. */
GST_START_TEST (test_foreign_label)
{
  GstHarness *h = harness (NULL);
  TrackBox boxes[] = {
    { "caf\xe9", 0, 0.9f, 100, 100, 200, 200 },
    { "person", 1, 0.9f, 300, 100, 400, 200 },
  };
  TrackFrame frame = {
    .width = W,
    .height = H,
    .boxes = boxes,
    .n_boxes = 2,
    .state = GST_Y10_STATE_NO_DETECTOR,
  };
  GstBuffer *out = gst_harness_push_and_pull (h, track_frame_new (&frame));
  const GstStructure *meta = frame_meta (out);

  fail_unless_equals_string (gst_structure_get_string (meta, "labels"),
      "caf?\nperson\n");
  fail_unless_equals_string (gst_structure_get_string (meta, "track-labels"),
      "caf?\nperson\n");
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The upstream request: at first, then every 64 frames, and when the property changes;
 * none where there is no second pass. */
GST_START_TEST (test_request)
{
  GstHarness *h = harness ("weak-thresh=0.15");
  guint expected = 0;

  for (guint n = 0; n < 200; n++) {
    GstEvent *event;
    guint n_events = 0;

    if (n == 150)
      gst_harness_set (h, "yolov10track", "weak-thresh", 0.2, NULL);
    if (n == 190)
      gst_harness_set (h, "yolov10track", "weak-thresh", 0.6, NULL);
    gst_buffer_unref (send (h, n, (gint) n));
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
  GstHarness *h = harness (NULL);
  guint64 id = 0;

  for (guint n = 0; n < 40; n++) {
    TrackBox boxes[2], weak[2];
    TrackFrame frame = {
      .width = W,
      .height = H,
      .pts = n * FRAME,
      .boxes = boxes,
      .weak = weak,
      .state = GST_Y10_STATE_FRESH,
      .asked = TRUE,
    };
    GstBuffer *out;

    scene (boxes, n);
    scene (weak, n);
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
    gst_y10_reading_collect (&reading, out, W, H);
    fail_unless_equals_int (reading.tracks.n, 1);
    id = id ? id : reading.tracks.items[0].id;
    fail_unless_equals_uint64 (reading.tracks.items[0].id, id);
    fail_unless (reading.tracks.items[0].observed);
    fail_unless_equals_int (reading.tracks.items[0].record_id,
        frame.n_boxes ? reading.result.list.items[0].id : -1);
    fail_unless_equals_uint64 (id_of (out, "person"), frame.n_boxes ? id : 0);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A frame that others hold, too, such as behind a tee, stays as it is. The memory is the
 * same, and no memory is mapped. */
GST_START_TEST (test_shared)
{
  GstHarness *h = harness (NULL);
  TrackBox boxes[2];
  TrackFrame frame = {
    .width = W,
    .height = H,
    .boxes = boxes,
    .state = GST_Y10_STATE_FRESH,
  };
  GstBuffer *in, *out;

  gst_harness_set_src_caps_str (h,
      "video/x-raw(memory:CUDAMemory),format=NV12,width=640,height=480");
  frame.n_boxes = scene (boxes, 0);
  in = track_frame_new (&frame);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out != in);
  fail_unless_equals_uint64 (id_of (in, "person"), 0);
  fail_if (gst_structure_has_field (frame_meta (in), "tracks"));
  fail_unless_equals_uint64 (id_of (out, "person"), 1);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
  frame.pts = FRAME;
  in = track_frame_new (&frame);
  out = gst_harness_push_and_pull (h, in);
  fail_unless (out == in);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Two elements count by themselves. */
GST_START_TEST (test_two_streams)
{
  GstHarness *a = harness (NULL), *b = harness (NULL);

  for (guint n = 0; n < 10; n++) {
    GstBuffer *out = send (a, n, (gint) n);

    fail_unless_equals_uint64 (id_of (out, "person"), 1);
    gst_buffer_unref (out);
    out = send (b, 100 + n, (gint) (100 + n));
    fail_unless_equals_uint64 (id_of (out, "person"), 1);
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
  GstHarness *h = harness (properties);
  gboolean is_kept = TRUE;
  guint64 id = 0;

  for (guint n = 0; n < 30; n++) {
    TrackBox box = { n % 3 == 2 ? "truck" : "car", n % 3 == 2 ? 7 : 2, 0.8f,
      100, 100, 200, 160 };
    TrackFrame frame = {
      .width = W,
      .height = H,
      .pts = n * FRAME,
      .boxes = &box,
      .n_boxes = 1,
      .state = GST_Y10_STATE_FRESH,
    };
    GstBuffer *out = gst_harness_push_and_pull (h, track_frame_new (&frame));

    gst_y10_reading_collect (&reading, out, W, H);
    id = id ? id : id_of (out, box.label);
    is_kept &= id_of (out, box.label) == id;
    if (object_of (id)) {
      fail_unless_equals_int (object_of (id)->class_id, 2);
      fail_unless (!strncmp (object_of (id)->label, "car", 3));
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

/* Returns the text of the first error or warning, or NULL. */
static gchar *
complaint (GstBus *bus, GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (bus, type);
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
  gst_message_unref (message);
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
    GstHarness *h = harness (NULL);
    GstElement *e = gst_harness_find_element (h, "yolov10track");
    GstBus *bus = gst_bus_new ();
    gchar *text;

    gst_element_set_bus (e, bus);
    for (guint n = 0; n < 300; n++) {
      TrackBox box = { "car", 2, 0.8f, 100, 100, 140, 140 };
      TrackFrame frame = {
        .width = W,
        .height = H,
        .pts = n * FRAME,
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
        fail_unless_equals_uint64 (id_of (buffer, "car"), 0);
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
  GstHarness *h = harness (NULL);
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
      .width = W,
      .height = H,
      .pts = i * FRAME,
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
  GstHarness *h = harness (NULL);

  for (guint n = 0; n < 3; n++) {
    GstBuffer *out = send (h, n, (gint) n);
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
      GstClockTime first, last;
      gboolean is_lost;

      fail_unless (gst_analytics_relation_meta_get_direct_related (relations,
          box.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
          gst_analytics_tracking_mtd_get_mtd_type (), &other, &track));
      fail_unless (gst_analytics_tracking_mtd_get_info (&track, &id, &first,
          &last, &is_lost));
      fail_unless_equals_uint64 (id, found + 1);
      fail_unless_equals_uint64 (first, 0);
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

static Suite *
track_suite (void)
{
  Suite *s = suite_create ("yolov10track");
  TCase *tc = tcase_create ("track");

  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_set_timeout (tc, 100);
  tcase_add_test (tc, test_ids);
  tcase_add_test (tc, test_held);
  tcase_add_test (tc, test_once);
  tcase_add_test (tc, test_anew);
  tcase_add_test (tc, test_foreign);
  tcase_add_test (tc, test_foreign_label);
  tcase_add_test (tc, test_request);
  tcase_add_loop_test (tc, test_weak, 0, 2);
  tcase_add_test (tc, test_shared);
  tcase_add_test (tc, test_two_streams);
  tcase_add_test (tc, test_groups);
  tcase_add_test (tc, test_bad_groups);
  tcase_add_test (tc, test_warnings);
  tcase_add_test (tc, test_allocations);
#ifdef HAVE_GST_ANALYTICS
  tcase_add_test (tc, test_analytics);
#endif
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (track);
