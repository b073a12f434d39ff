/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The element yolov10zones: which frames are observations, how zones change, and what an
 * application is told. tests/zones has the rules of zones themselves. */
#include "countalloc.h"
#include "mallocs.h"
#include "zonescommon.h"

#include <string.h>

#include "meta/gstyolov10framemeta.h"
#include "meta/inspection.h"

/* What a detector says of the frame. */
static GstBuffer *
inspected (GstBuffer *buffer, GstY10State state, guint age)
{
  GstY10InspectionMeta *meta = (GstY10InspectionMeta *)
      gst_buffer_add_meta (buffer,
          gst_meta_get_info ("GstYolov10InspectionMeta"), NULL);

  meta->state = state;
  meta->age = age * GST_MSECOND;
  meta->width = ZONES_WIDTH;
  meta->height = ZONES_HEIGHT;
  return buffer;
}

GST_START_TEST (test_messages)
{
  GstMessage *message;
  const GstStructure *structure;
  guint count = 0;

  zones_begin (ZONES_YARD);
  zones_pass (zones_frame (0, 30));
  zones_pass (zones_frame (100, 80));
  zones_expect ("enter yard 100 7;");
  message = zones_pop (GST_MESSAGE_ELEMENT);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, "yolov10-event"));
  fail_unless_equals_string (gst_structure_get_string (structure, "label"),
      "person");
  fail_unless_equals_string (gst_structure_get_string (structure, "source"),
      "z");
  fail_unless (
      gst_structure_get_uint (structure, "count", &count) && count == 1);
  fail_unless_equals_string (gst_structure_get_string (structure, "json"),
      "{\"event\":\"enter\",\"zone\":\"yard\",\"source\":\"z\",\"timestamp\":100000000,"
      "\"id\":7,\"label\":\"person\",\"x\":0.5000,\"y\":0.8000,\"count\":1}");
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (zones_bus, GST_MESSAGE_ELEMENT) == NULL);
  zones_end ();
}

GST_END_TEST;

static GstYolov10Zone
zone_of (const GstStructure *meta, guint i)
{
  GstYolov10Zone zone;
  gsize size;
  const GValue *value = gst_structure_get_value (meta, "zones");
  const guint8 *data;

  fail_unless (value != NULL);
  data = g_bytes_get_data (g_value_get_boxed (value), &size);
  fail_unless (size >= (i + 1) * sizeof zone);
  memcpy (&zone, data + i * sizeof zone, sizeof zone);
  return zone;
}

/* Counts in the frame meta, and DL Streamer's keys. */
GST_START_TEST (test_meta)
{
  GstBuffer *in = zones_frame (100, 80), *out;
  const GstStructure *meta;
  GstYolov10Zone zone;

  zones_begin (
      "hysteresis=0 zones=\"y\\\"ard=0,0.5 1,1; gate=0.1,0.5 -> 0.9,0.5\" limit=3");
  zones_pass (zones_frame (0, 30));
  /* A second owner, as behind a tee: its metadata stays as it is. */
  gst_buffer_ref (in);
  out = zones_push (in);
  fail_unless (out != in);
  fail_unless (test_gst_frame_meta (in, 0) == NULL);
  gst_buffer_unref (in);
  meta = test_gst_frame_meta (out, 0);
  fail_unless (meta != NULL);
  fail_unless_equals_string (gst_structure_get_string (meta, "zone-names"),
      "y\"ard\ngate\n");
  zone = zone_of (meta, 0);
  fail_unless_equals_int (zone.count, 1);
  fail_unless_equals_int (zone.limit, 3);
  fail_unless_equals_int (zone.n_shapes, 1);
  zone = zone_of (meta, 1);
  fail_unless_equals_int (zone.name_offset, 6);
  fail_unless_equals_int (zone.n_shapes, 0);
  fail_unless_equals_int (zone.n_in, 1);
  fail_unless_equals_int (zone.n_out, 0);
  fail_unless_equals_string (gst_structure_get_string (meta, "zone_violations"),
      "[{\"object_id\":7,\"zone_id\":\"y\\\"ard\"}]");
  fail_unless_equals_string (gst_structure_get_string (meta,
                                 "tripwire_crossings"),
      "[{\"object_id\":7,\"tripwire_id\":\"gate\",\"direction\":1}]");
  gst_buffer_unref (out);
  out = zones_push (zones_frame (1600, 80));
  meta = test_gst_frame_meta (out, 0);
  fail_unless (!gst_structure_has_field (meta, "tripwire_crossings"));
  fail_unless_equals_string (gst_structure_get_string (meta, "dwell_times"),
      "[{\"object_id\":7,\"zone_id\":\"y\\\"ard\",\"dwell_time\":1.500}]");
  gst_buffer_unref (out);
  zones_end ();
}

GST_END_TEST;

/* Two elements in a row: the metadata has the zones of both, with different numbers of
 * shapes, also when one of them has others. */
GST_START_TEST (test_two)
{
  GstBuffer *out;
  const GstStructure *meta;
  GstYolov10Zone zone;
  GBytes *shapes, *points;
  const gfloat *xy;

  zones_told = g_string_new (NULL);
  zones_h = gst_harness_new_parse (
      "yolov10zones name=a hysteresis=0 zones=\"yard=0,0.5 1,1; 0,0 0.1,0.1; "
      "up=0,0.6 -> 1,0.6\" ! yolov10zones name=z hysteresis=0 "
      "zones=\"gate=0.1,0.5 -> 0.9,0.5; yard=0,0.6 0.7,0.7 0.7,1\"");
  gst_harness_set_src_caps_str (zones_h,
      "video/x-raw,format=RGB,width=100,height=100,framerate=10/1");
  for (guint i = 0; i < 4; i++) {
    if (i == 3)
      zones_set ("zones", "roof=0,0.3 1,0.6");
    out = zones_push (zones_frame (i * 100, i % 2 ? 80 : 30));
    meta = test_gst_frame_meta (out, 0);
    fail_unless (test_gst_frame_meta (out, 1) == NULL);
    fail_unless_equals_string (gst_structure_get_string (meta, "zone-names"),
        i == 3 ? "yard\nup\nroof\n" : "yard\nup\ngate\nyard\n");
    fail_unless (gst_structure_get (meta, "zone-shapes", G_TYPE_BYTES, &shapes,
        "zone-points", G_TYPE_BYTES, &points, NULL));
    fail_unless_equals_int (g_bytes_get_size (shapes), 3 * sizeof (guint32));
    xy = g_bytes_get_data (points, NULL);
    fail_unless_equals_int (g_bytes_get_size (points),
        (i == 3 ? 4 + 4 + 2 + 4 : 4 + 4 + 2 + 2 + 3) * 2 * sizeof *xy);
    /* The first point of the second element's. */
    fail_unless_equals_float (xy[20], i == 3 ? 0 : 0.1f);
    fail_unless_equals_float (xy[21], i == 3 ? 0.3f : 0.5f);
    zone = zone_of (meta, 0);
    fail_unless_equals_int (zone.count, i % 2);
    zone = zone_of (meta, 2);
    fail_unless_equals_int (zone.name_offset, 8);
    fail_unless_equals_int (zone.n_in, i == 3 ? 0 : (i + 1) / 2);
    if (i == 1) {
      zone = zone_of (meta, 3);
      fail_unless_equals_int (zone.name_offset, 13);
      fail_unless_equals_int (zone.n_shapes, 1);
      fail_unless_equals_string (gst_structure_get_string (meta,
                                     "tripwire_crossings"),
          "[{\"object_id\":7,\"tripwire_id\":\"up\",\"direction\":1},"
          "{\"object_id\":7,\"tripwire_id\":\"gate\",\"direction\":1}]");
    }
    g_bytes_unref (shapes);
    g_bytes_unref (points);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (zones_h);
  g_string_free (zones_told, TRUE);
}

GST_END_TEST;

/* A detector takes the object for a truck now and then; the tracker knows better. */
GST_START_TEST (test_class)
{
  const GstYolov10Track track = {
    .track_id = 7,
    .record_id = -1,
    .label_id = -1,
    .x_min = 0.4f,
    .y_min = 0.6f,
    .x_max = 0.6f,
    .y_max = 0.8f,
  };
  GBytes *bytes = g_bytes_new (&track, sizeof track);
  GstCustomMeta *meta;
  GstBuffer *buffer;

  zones_begin (ZONES_YARD "classes=\"zones_bus, car\"");
  buffer = zones_frame (0, 80);
  meta = gst_buffer_add_custom_meta (buffer, GST_YOLOV10_FRAME_META_NAME);
  gst_structure_set (gst_custom_meta_get_structure (meta), "tracker",
      G_TYPE_STRING, "t", "track-size", G_TYPE_UINT, (guint) sizeof track,
      "tracks", G_TYPE_BYTES, bytes, "track-labels", G_TYPE_STRING, "car\n",
      "width", G_TYPE_UINT, ZONES_WIDTH, "height", G_TYPE_UINT, ZONES_HEIGHT,
      NULL);
  g_bytes_unref (bytes);
  zones_pass (buffer);
  zones_expect ("enter yard 0 7;");
  zones_pass (zones_frame (100, 80));
  zones_expect ("leave yard 100 7 left;");
  zones_end ();
}

GST_END_TEST;

/* Results that come late are observed on the frame that shows them first, at the time
 * of their own; the same boxes on later frames, and frames without a result, say
 * nothing. */
GST_START_TEST (test_late)
{
  zones_begin (ZONES_YARD);
  zones_pass (inspected (zones_frame (0, 30), GST_Y10_STATE_FRESH, 0));
  zones_pass (inspected (zones_frame (100, 30), GST_Y10_STATE_HELD, 100));
  zones_pass (inspected (zones_frame (200, 0), GST_Y10_STATE_NO_RESULT, 0));
  zones_expect ("");
  zones_pass (inspected (zones_frame (300, 80), GST_Y10_STATE_HELD, 200));
  zones_expect ("enter yard 100 7;");
  /* Held boxes are not where the object is now. */
  zones_pass (inspected (zones_frame (400, 30), GST_Y10_STATE_HELD, 300));
  zones_pass (inspected (zones_frame (3300, 0), GST_Y10_STATE_EXPIRED, 0));
  zones_pass (inspected (zones_frame (9000, 0), GST_Y10_STATE_EXPIRED, 0));
  zones_expect ("");
  /* Only an observation without it shows that it has gone. */
  zones_pass (inspected (zones_frame (9100, 0), GST_Y10_STATE_FRESH, 0));
  zones_expect ("leave yard 100 7 lost;");
  zones_end ();
}

GST_END_TEST;

GST_START_TEST (test_moved)
{
  zones_begin (ZONES_YARD);
  zones_pass (inspected (zones_frame (0, 80), GST_Y10_STATE_MOVED, 0));
  zones_pass (inspected (zones_frame (100, 80), GST_Y10_STATE_MOVED, 0));
  zones_expect ("");
  gst_message_unref (zones_pop (GST_MESSAGE_WARNING));
  fail_unless (gst_bus_pop_filtered (zones_bus, GST_MESSAGE_WARNING) == NULL);
  zones_end ();
}

GST_END_TEST;

static void
expect_warning (const gchar *part)
{
  g_autoptr (GstMessage) message = zones_pop (GST_MESSAGE_WARNING);
  GError *error = NULL;
  gchar *debug = NULL;

  gst_message_parse_warning (message, &error, &debug);
  if (!strstr (error->message, part) && !strstr (debug, part))
    ck_abort_msg ("'%s' (%s) lacks '%s'", error->message, debug, part);
  g_error_free (error);
  g_free (debug);
}

GST_START_TEST (test_without_ids)
{
  zones_begin (ZONES_YARD);
  for (guint i = 0; i < 60; i++) {
    GstBuffer *buffer = zones_frame (i * 100, 0);

    gst_buffer_add_video_region_of_interest_meta (buffer, "person", 40, 60, 20,
        20);
    zones_pass (buffer);
  }
  expect_warning ("No object has an identity");
  fail_unless (gst_bus_pop_filtered (zones_bus, GST_MESSAGE_WARNING) == NULL);
  zones_end ();
}

GST_END_TEST;

GST_START_TEST (test_without_time)
{
  GstBuffer *buffer = zones_frame (0, 80);

  zones_begin (ZONES_YARD);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  zones_pass (buffer);
  zones_expect ("");
  expect_warning ("no timestamps");
  zones_end ();
}

GST_END_TEST;

/* A change while playing; a bad one keeps the zones. */
GST_START_TEST (test_changes)
{
  gchar *path = test_gst_file ("zones.json",
      "{\"version\": 1, \"zones\": [{\"name\": "
      "\"top\", \"points\": [[0, 0], [1, 0.5]], \"hysteresis\": 0}]}",
      -1);

  zones_begin (ZONES_YARD);
  zones_pass (zones_frame (0, 80));
  zones_expect ("enter yard 0 7;");
  zones_set ("zones", "yard=0,0.5 1");
  zones_pass (zones_frame (100, 80));
  zones_expect ("");
  expect_warning ("the zones stay as they were: zones: the zone \"yard\"");
  zones_pass (zones_frame (200, 30));
  zones_expect ("leave yard 200 7 left;");
  zones_set ("zones-file", path);
  zones_set ("zones", "");
  zones_pass (zones_frame (300, 30));
  zones_expect (""); /* it was inside already */
  zones_pass (zones_frame (400, 80));
  zones_expect ("leave top 400 7 left;");
  zones_set ("zones-file", "/nowhere/zones.json");
  zones_pass (zones_frame (500, 30));
  zones_expect ("enter top 500 7;");
  expect_warning ("/nowhere/zones.json");
  zones_set ("zones", "yard=0,0.5 1,1");
  zones_pass (zones_frame (600, 30));
  zones_expect ("leave top 500 7 ended;");
  g_free (path);
  zones_end ();
}

GST_END_TEST;

GST_START_TEST (test_bad_start)
{
  GstElement *element = gst_element_factory_make ("yolov10zones", NULL);
  GstMessage *message;

  zones_bus = gst_bus_new ();
  gst_element_set_bus (element, zones_bus);
  g_object_set (element, "zones",
      "{\"version\": 1,\n\"zones\": [{\"name\": \"a\", "
      "\"points\": [[0, 0], [1, 2]]}]}",
      NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  message = zones_pop (GST_MESSAGE_ERROR);
  {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    fail_unless (
        g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
    fail_unless (strstr (error->message, "zones[0].points[1][1] is 2") != NULL);
    g_error_free (error);
  }
  gst_message_unref (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (zones_bus);
}

GST_END_TEST;

/* Any caps, and memory that cannot be mapped. */
GST_START_TEST (test_any_caps)
{
  GstBuffer *in = zones_frame (0, 80), *out;

  zones_begin_caps (ZONES_YARD,
      "video/x-h264,stream-format=byte-stream,alignment=au,width=100,height=100");
  GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (in, 0),
      GST_MEMORY_FLAG_NOT_MAPPABLE);
  out = zones_push (in);
  zones_expect ("enter yard 0 7;");
  gst_buffer_unref (out);
  zones_end ();
}

GST_END_TEST;

/* Frames with @data objects outside of the zone. */
static gint
count_once (gconstpointer data)
{
  static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE ("sink",
      GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  GstBuffer *frames[20];
  gint n;

  zones_begin (ZONES_YARD);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    frames[i] = zones_frame (i * 100, 0);
    for (gint k = 1; k <= GPOINTER_TO_INT (data); k++)
      zones_add_person (frames[i], k, 30);
  }
  n = test_n_frame_allocations (zones_h, &sink, frames, G_N_ELEMENTS (frames),
      10);
  zones_end ();
  return n;
}

/* Objects cost no allocation, only metadata does. */
GST_START_TEST (test_allocations)
{
  if (!test_mallocs_can_count ()) {
    g_print ("not counted: a sanitizer or another C library owns malloc()\n");
    return;
  }
  fail_unless_equals_int (test_fewest_allocations (count_once,
                              GINT_TO_POINTER (1)),
      test_fewest_allocations (count_once, GINT_TO_POINTER (60)));
}

GST_END_TEST;

TEST_GST_MAIN (zones)
{
  tcase_add_test (tc, test_messages);
  tcase_add_test (tc, test_meta);
  tcase_add_test (tc, test_two);
  tcase_add_test (tc, test_class);
  tcase_add_test (tc, test_late);
  tcase_add_test (tc, test_moved);
  tcase_add_test (tc, test_without_ids);
  tcase_add_test (tc, test_without_time);
  tcase_add_test (tc, test_changes);
  tcase_add_test (tc, test_bad_start);
  tcase_add_test (tc, test_any_caps);
  tcase_add_test (tc, test_allocations);
}
