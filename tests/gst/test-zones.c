/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The element yolov10zones: which frames are observations, when time passes without
 * frames, what ends a stay, and what an application is told. tests/zones has the rules
 * of zones themselves. */
#include "countalloc.h"
#include "gstcommon.h"
#include "mallocs.h"

#include <string.h>

#include "meta/gstyolov10framemeta.h"
#include "meta/inspection.h"

#define MS GST_MSECOND
#define YARD "zones=\"yard=0,0.5 1,1\" hysteresis=0 "
#define WIDTH 100
#define HEIGHT 100

static GstHarness *h;
static GstBus *bus;
static GString *told; /* what the signal has told: "enter yard 100 7;" … */
static gint slow_dwells, in_dwell; /* atomic: whether handlers wait; one does */

static void
on_event (GstElement *element, GstStructure *event, gpointer user)
{
  const gchar *name = gst_structure_get_string (event, "zone");
  guint64 time, id = 0;

  if (g_atomic_int_get (&slow_dwells)
      && !g_strcmp0 (gst_structure_get_string (event, "event"), "dwell")) {
    g_atomic_int_set (&in_dwell, TRUE);
    g_usleep (300000);
  }
  fail_unless (gst_structure_get_uint64 (event, "timestamp", &time));
  gst_structure_get_uint64 (event, "id", &id);
  g_string_append_printf (told, "%s %s %u %u",
      gst_structure_get_string (event, "event"),
      name ? name : gst_structure_get_string (event, "line"),
      (guint) (time / MS), (guint) id);
  if (gst_structure_has_field (event, "reason"))
    g_string_append_printf (told, " %s",
        gst_structure_get_string (event, "reason"));
  g_string_append_c (told, ';');
}

static void
begin_caps (const gchar *properties, const gchar *caps)
{
  gchar *launch = g_strdup_printf ("yolov10zones name=z %s", properties);
  GstElement *element;

  told = g_string_new (NULL);
  bus = gst_bus_new ();
  h = gst_harness_new_parse (launch);
  element = gst_bin_get_by_name (GST_BIN (h->element), "z");
  gst_element_set_bus (h->element, bus);
  g_signal_connect (element, "event", G_CALLBACK (on_event), NULL);
  gst_object_unref (element);
  gst_harness_set_src_caps_str (h, caps);
  g_free (launch);
}

static void
begin (const gchar *properties)
{
  begin_caps (properties,
      "video/x-raw,format=RGB,width=100,height=100,framerate=10/1");
}

static void
end (void)
{
  gst_harness_teardown (h);
  gst_object_unref (bus);
  g_string_free (told, TRUE);
}

static void
set (const gchar *name, const gchar *value)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (h->element), "z");

  g_object_set (element, name, value, NULL);
  gst_object_unref (element);
}

/* A tracked person who stands at @y percent of the picture. */
static void
add_person (GstBuffer *buffer, gint id, guint y)
{
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_add_video_region_of_interest_meta (buffer, "person", 40,
          y - 20, 20, 20);

  roi->id = id;
  gst_video_region_of_interest_meta_add_param (roi,
      gst_structure_new ("object_id", "id", G_TYPE_INT, id, NULL));
}

static GstBuffer *
frame (guint ms, guint y)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 3 + 200,
      NULL);

  GST_BUFFER_PTS (buffer) = ms * MS;
  GST_BUFFER_DURATION (buffer) = 100 * MS;
  if (y)
    add_person (buffer, 7, y);
  return buffer;
}

/* What a detector says of the frame. */
static GstBuffer *
inspected (GstBuffer *buffer, GstY10State state, guint age)
{
  GstY10InspectionMeta *meta = (GstY10InspectionMeta *)
      gst_buffer_add_meta (buffer,
          gst_meta_get_info ("GstYolov10InspectionMeta"), NULL);

  meta->state = state;
  meta->age = age * MS;
  meta->width = WIDTH;
  meta->height = HEIGHT;
  return buffer;
}

static GstBuffer *
push (GstBuffer *buffer)
{
  GstBuffer *out = gst_harness_push_and_pull (h, buffer);

  fail_unless (out != NULL);
  return out;
}

static void
pass (GstBuffer *buffer)
{
  gst_buffer_unref (push (buffer));
}

static void
expect (const gchar *events)
{
  fail_unless_equals_string (told->str, events);
  g_string_truncate (told, 0);
}

/* Returns the next message of that type; fails without one. */
static GstMessage *
pop (GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (bus, type);

  fail_unless (message != NULL);
  return message;
}

GST_START_TEST (test_messages)
{
  GstMessage *message;
  const GstStructure *structure;
  guint count = 0;

  begin (YARD);
  pass (frame (0, 30));
  pass (frame (100, 80));
  expect ("enter yard 100 7;");
  message = pop (GST_MESSAGE_ELEMENT);
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
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL);
  end ();
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
  GstBuffer *in = frame (100, 80), *out;
  const GstStructure *meta;
  GstYolov10Zone zone;

  begin (
      "hysteresis=0 zones=\"y\\\"ard=0,0.5 1,1; gate=0.1,0.5 -> 0.9,0.5\" limit=3");
  pass (frame (0, 30));
  /* A second owner, as behind a tee: its metadata stays as it is. */
  gst_buffer_ref (in);
  out = push (in);
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
  out = push (frame (1600, 80));
  meta = test_gst_frame_meta (out, 0);
  fail_unless (!gst_structure_has_field (meta, "tripwire_crossings"));
  fail_unless_equals_string (gst_structure_get_string (meta, "dwell_times"),
      "[{\"object_id\":7,\"zone_id\":\"y\\\"ard\",\"dwell_time\":1.500}]");
  gst_buffer_unref (out);
  end ();
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

  told = g_string_new (NULL);
  h = gst_harness_new_parse (
      "yolov10zones name=a hysteresis=0 zones=\"yard=0,0.5 1,1; 0,0 0.1,0.1; "
      "up=0,0.6 -> 1,0.6\" ! yolov10zones name=z hysteresis=0 "
      "zones=\"gate=0.1,0.5 -> 0.9,0.5; yard=0,0.6 0.7,0.7 0.7,1\"");
  gst_harness_set_src_caps_str (h,
      "video/x-raw,format=RGB,width=100,height=100,framerate=10/1");
  for (guint i = 0; i < 4; i++) {
    if (i == 3)
      set ("zones", "roof=0,0.3 1,0.6");
    out = push (frame (i * 100, i % 2 ? 80 : 30));
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
  gst_harness_teardown (h);
  g_string_free (told, TRUE);
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

  begin (YARD "classes=\"bus, car\"");
  buffer = frame (0, 80);
  meta = gst_buffer_add_custom_meta (buffer, GST_YOLOV10_FRAME_META_NAME);
  gst_structure_set (gst_custom_meta_get_structure (meta), "tracker",
      G_TYPE_STRING, "t", "track-size", G_TYPE_UINT, (guint) sizeof track,
      "tracks", G_TYPE_BYTES, bytes, "track-labels", G_TYPE_STRING, "car\n",
      "width", G_TYPE_UINT, WIDTH, "height", G_TYPE_UINT, HEIGHT, NULL);
  g_bytes_unref (bytes);
  pass (buffer);
  expect ("enter yard 0 7;");
  pass (frame (100, 80));
  expect ("leave yard 100 7 left;");
  end ();
}

GST_END_TEST;

/* Results that come late are observed on the frame that shows them first, at the time
 * of their own; the same boxes on later frames, and frames without a result, say
 * nothing. */
GST_START_TEST (test_late)
{
  begin (YARD);
  pass (inspected (frame (0, 30), GST_Y10_STATE_FRESH, 0));
  pass (inspected (frame (100, 30), GST_Y10_STATE_HELD, 100));
  pass (inspected (frame (200, 0), GST_Y10_STATE_NO_RESULT, 0));
  expect ("");
  pass (inspected (frame (300, 80), GST_Y10_STATE_HELD, 200));
  expect ("enter yard 100 7;");
  /* Held boxes are not where the object is now. */
  pass (inspected (frame (400, 30), GST_Y10_STATE_HELD, 300));
  pass (inspected (frame (3300, 0), GST_Y10_STATE_EXPIRED, 0));
  pass (inspected (frame (9000, 0), GST_Y10_STATE_EXPIRED, 0));
  expect ("");
  /* Only an observation without it shows that it has gone. */
  pass (inspected (frame (9100, 0), GST_Y10_STATE_FRESH, 0));
  expect ("leave yard 100 7 lost;");
  end ();
}

GST_END_TEST;

GST_START_TEST (test_moved)
{
  begin (YARD);
  pass (inspected (frame (0, 80), GST_Y10_STATE_MOVED, 0));
  pass (inspected (frame (100, 80), GST_Y10_STATE_MOVED, 0));
  expect ("");
  gst_message_unref (pop (GST_MESSAGE_WARNING));
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  end ();
}

GST_END_TEST;

static void
expect_warning (const gchar *part)
{
  GstMessage *message = pop (GST_MESSAGE_WARNING);
  GError *error = NULL;
  gchar *debug = NULL;

  gst_message_parse_warning (message, &error, &debug);
  if (!strstr (error->message, part) && !strstr (debug, part))
    ck_abort_msg ("'%s' (%s) lacks '%s'", error->message, debug, part);
  g_error_free (error);
  g_free (debug);
  gst_message_unref (message);
}

GST_START_TEST (test_without_ids)
{
  begin (YARD);
  for (guint i = 0; i < 60; i++) {
    GstBuffer *buffer = frame (i * 100, 0);

    gst_buffer_add_video_region_of_interest_meta (buffer, "person", 40, 60, 20,
        20);
    pass (buffer);
  }
  expect_warning ("No object has an identity");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  end ();
}

GST_END_TEST;

GST_START_TEST (test_without_time)
{
  GstBuffer *buffer = frame (0, 80);

  begin (YARD);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  pass (buffer);
  expect ("");
  expect_warning ("no timestamps");
  end ();
}

GST_END_TEST;

/* Dwells come while there are no frames, by gaps. */
GST_START_TEST (test_gap)
{
  begin (YARD "dwell=3000000000");
  pass (frame (0, 80));
  expect ("enter yard 0 7;");
  fail_unless (
      gst_harness_push_event (h, gst_event_new_gap (100 * MS, 2800 * MS)));
  expect ("");
  fail_unless (
      gst_harness_push_event (h, gst_event_new_gap (2900 * MS, 200 * MS)));
  expect ("dwell yard 3000 7;");
  fail_unless (
      gst_harness_push_event (h, gst_event_new_gap (3100 * MS, 9000 * MS)));
  expect ("");
  end ();
}

GST_END_TEST;

/* And of a live source that fell silent, by the clock. */
GST_START_TEST (test_clock)
{
  GstTestClock *clock;
  GstClockID id;

  begin (YARD "dwell=3000000000");
  gst_harness_use_testclock (h);
  gst_harness_set_upstream_latency (h, 40 * MS);
  gst_harness_play (h);
  clock = gst_harness_get_testclock (h);
  gst_test_clock_set_time (clock, 140 * MS);
  pass (frame (100, 80));
  expect ("enter yard 100 7;");
  fail_unless (gst_test_clock_peek_next_pending_id (clock, &id));
  /* Due at 3100 ms, 40 ms late, and results may be a second later. */
  fail_unless_equals_uint64 (gst_clock_id_get_time (id), 4140 * MS);
  gst_clock_id_unref (id);
  fail_unless (gst_harness_crank_single_clock_wait (h));
  for (guint i = 0; i < 1000 && !told->len; i++)
    g_usleep (1000);
  expect ("dwell yard 3100 7;");
  fail_unless_equals_int (gst_test_clock_peek_id_count (clock), 0);
  gst_object_unref (clock);
  end ();
}

GST_END_TEST;

/* A test clock calls whoever waits for it from here. */
static gpointer
crank (gpointer user)
{
  return GINT_TO_POINTER (gst_harness_crank_single_clock_wait (h));
}

/* What the streaming thread tells comes after what the clock's thread is telling. */
GST_START_TEST (test_clock_order)
{
  GThread *clock;

  begin (YARD "dwell=3000000000");
  gst_harness_use_testclock (h);
  gst_harness_set_upstream_latency (h, 0);
  gst_harness_play (h);
  pass (frame (100, 80));
  expect ("enter yard 100 7;");
  g_atomic_int_set (&slow_dwells, TRUE);
  clock = g_thread_new ("clock", crank, NULL);
  while (!g_atomic_int_get (&in_dwell))
    g_usleep (1000);
  pass (frame (4200, 30));
  expect ("dwell yard 3100 7;leave yard 4200 7 left;");
  fail_unless (g_thread_join (clock) != NULL);
  g_atomic_int_set (&slow_dwells, FALSE);
  end ();
}

GST_END_TEST;

/* Waits until the element waits for that time. */
static void
expect_wait (GstTestClock *clock, guint ms)
{
  GstClockID id;

  for (guint i = 0; i < 5000 && gst_test_clock_peek_id_count (clock) != 1; i++)
    g_usleep (1000);
  fail_unless (gst_test_clock_peek_next_pending_id (clock, &id));
  fail_unless_equals_uint64 (gst_clock_id_get_time (id), ms * MS);
  gst_clock_id_unref (id);
}

/* The latency may grow to more than the time that has passed. */
GST_START_TEST (test_clock_latency)
{
  GstTestClock *clock;

  begin (YARD "dwell=100000000");
  gst_harness_use_testclock (h);
  gst_harness_set_upstream_latency (h, 0);
  gst_harness_play (h);
  clock = gst_harness_get_testclock (h);
  pass (frame (0, 80));
  expect ("enter yard 0 7;");
  expect_wait (clock, 1100);
  gst_harness_set_upstream_latency (h, 5000 * MS);
  gst_pad_push_event (h->sinkpad, gst_event_new_latency (5000 * MS));
  fail_unless (gst_harness_crank_single_clock_wait (h));
  expect_wait (clock, 6100);
  expect ("");
  gst_object_unref (clock);
  end ();
}

GST_END_TEST;

/* Of applications that recalculate the latency at once, whoever asks for that. */
static gboolean
answer_latency (GstPad *pad, GstObject *parent, GstQuery *query)
{
  static gboolean is_told;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!is_told) {
    is_told = TRUE;
    gst_pad_push_event (h->sinkpad, gst_event_new_latency (40 * MS));
  }
  gst_query_set_latency (query, TRUE, 40 * MS, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* What answers the element's query may send it an event. */
GST_START_TEST (test_clock_query)
{
  GstTestClock *clock;

  begin (YARD "dwell=100000000");
  gst_harness_use_testclock (h);
  gst_pad_set_query_function (h->srcpad, answer_latency);
  gst_harness_play (h);
  clock = gst_harness_get_testclock (h);
  pass (frame (0, 80));
  expect_wait (clock, 1140);
  gst_object_unref (clock);
  end ();
}

GST_END_TEST;

static void
push_segment (GstClockTime start)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = start;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* What ends a stream ends a stay, before anybody behind is told. An equal segment ends
 * nothing. */
GST_START_TEST (test_ends)
{
  GstEvent *eos;

  begin (YARD);
  pass (frame (0, 80));
  pass (frame (100, 80));
  expect ("enter yard 0 7;");
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  expect ("leave yard 100 7 ended;");
  push_segment (0);
  pass (frame (0, 80));
  expect ("enter yard 0 7;");
  push_segment (0);
  expect ("");
  push_segment (100 * MS);
  expect ("leave yard 0 7 ended;");
  pass (frame (500, 80));
  expect ("enter yard 500 7;");
  /* Time jumps back without a word. */
  pass (frame (100, 80));
  expect ("leave yard 500 7 ended;enter yard 100 7;");
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  expect ("leave yard 100 7 ended;");
  while ((eos = gst_harness_pull_event (h))
      && GST_EVENT_TYPE (eos) != GST_EVENT_EOS)
    gst_event_unref (eos);
  gst_event_unref (eos);
  end ();
}

GST_END_TEST;

GST_START_TEST (test_stop)
{
  begin (YARD);
  pass (frame (0, 80));
  expect ("enter yard 0 7;");
  gst_element_set_state (h->element, GST_STATE_NULL);
  expect ("leave yard 0 7 ended;");
  end ();
}

GST_END_TEST;

/* A change while playing; a bad one keeps the zones. */
GST_START_TEST (test_changes)
{
  gchar *path = test_gst_file ("zones.json",
      "{\"version\": 1, \"zones\": [{\"name\": "
      "\"top\", \"points\": [[0, 0], [1, 0.5]], \"hysteresis\": 0}]}",
      -1);

  begin (YARD);
  pass (frame (0, 80));
  expect ("enter yard 0 7;");
  set ("zones", "yard=0,0.5 1");
  pass (frame (100, 80));
  expect ("");
  expect_warning ("the zones stay as they were: zones: the zone \"yard\"");
  pass (frame (200, 30));
  expect ("leave yard 200 7 left;");
  set ("zones-file", path);
  set ("zones", "");
  pass (frame (300, 30));
  expect (""); /* it was inside already */
  pass (frame (400, 80));
  expect ("leave top 400 7 left;");
  set ("zones-file", "/nowhere/zones.json");
  pass (frame (500, 30));
  expect ("enter top 500 7;");
  expect_warning ("/nowhere/zones.json");
  set ("zones", "yard=0,0.5 1,1");
  pass (frame (600, 30));
  expect ("leave top 500 7 ended;");
  g_free (path);
  end ();
}

GST_END_TEST;

GST_START_TEST (test_bad_start)
{
  GstElement *element = gst_element_factory_make ("yolov10zones", NULL);
  GstMessage *message;

  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  g_object_set (element, "zones",
      "{\"version\": 1,\n\"zones\": [{\"name\": \"a\", "
      "\"points\": [[0, 0], [1, 2]]}]}",
      NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  message = pop (GST_MESSAGE_ERROR);
  {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    fail_unless (
        g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
    fail_unless (strstr (error->message, "zones[0].points[1] is 2") != NULL);
    g_error_free (error);
  }
  gst_message_unref (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GST_END_TEST;

/* Any caps, and memory that cannot be mapped. */
GST_START_TEST (test_any_caps)
{
  GstBuffer *in = frame (0, 80), *out;

  begin_caps (YARD,
      "video/x-h264,stream-format=byte-stream,alignment=au,width=100,height=100");
  GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (in, 0),
      GST_MEMORY_FLAG_NOT_MAPPABLE);
  out = push (in);
  expect ("enter yard 0 7;");
  gst_buffer_unref (out);
  end ();
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

  begin (YARD);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    frames[i] = frame (i * 100, 0);
    for (gint k = 1; k <= GPOINTER_TO_INT (data); k++)
      add_person (frames[i], k, 30);
  }
  n = test_n_frame_allocations (h, &sink, frames, G_N_ELEMENTS (frames), 10);
  end ();
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

int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("zones");
  TCase *tcase = tcase_create ("all");

  test_gst_init (&argc, &argv);
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_messages);
  tcase_add_test (tcase, test_meta);
  tcase_add_test (tcase, test_two);
  tcase_add_test (tcase, test_class);
  tcase_add_test (tcase, test_late);
  tcase_add_test (tcase, test_moved);
  tcase_add_test (tcase, test_without_ids);
  tcase_add_test (tcase, test_without_time);
  tcase_add_test (tcase, test_gap);
  tcase_add_test (tcase, test_clock);
  tcase_add_test (tcase, test_clock_order);
  tcase_add_test (tcase, test_clock_latency);
  tcase_add_test (tcase, test_clock_query);
  tcase_add_test (tcase, test_ends);
  tcase_add_test (tcase, test_stop);
  tcase_add_test (tcase, test_changes);
  tcase_add_test (tcase, test_bad_start);
  tcase_add_test (tcase, test_any_caps);
  tcase_add_test (tcase, test_allocations);
  return test_gst_run (suite, "zones", __FILE__);
}
