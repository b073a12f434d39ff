/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What yolov10record writes while a yolov10overlay of the same stream covers it, wherever in the
 * process that is: nothing but what came through that overlay. Frames are told apart by their
 * bytes, which are looked for in all files. */
#include "gstcommon.h"
#include "waitfor.h"

#include <glib/gstdio.h>
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <string.h>

#define RAW "video/x-raw,format=I420,width=160,height=120,framerate=25/1"
#define ENCODE \
  "x264enc tune=zerolatency key-int-max=8 speed-preset=ultrafast ! h264parse"
#define N_FRAMES 24
#define KEYS 8 /* frames from one key frame to the next */

static gchar *folder;
static GstCaps *caps;
static GstBuffer *frames[N_FRAMES]; /* what a camera sends */

/* A picture unlike all others. */
static GstBuffer *
new_picture (guint seed)
{
  g_autoptr (GstCaps) raw = gst_caps_from_string (RAW);
  GstBuffer *picture = test_gst_picture_caps (raw, seed);

  GST_BUFFER_PTS (picture) = seed * (GST_SECOND / 25);
  GST_BUFFER_DURATION (picture) = GST_SECOND / 25;
  return picture;
}

static void
setup (void)
{
  GstHarness *h = gst_harness_new_parse (
      ENCODE " ! capsfilter caps=video/x-h264,stream-format=avc,alignment=au");

  folder = g_dir_make_tmp ("y10-record-XXXXXX", NULL);
  gst_harness_set_src_caps_str (h, RAW);
  for (guint i = 0; i < N_FRAMES; i++)
    fail_unless_equals_int (gst_harness_push (h, new_picture (i)), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  for (guint i = 0; i < N_FRAMES; i++) {
    frames[i] = gst_harness_pull (h);
    fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (frames[i],
                                GST_BUFFER_FLAG_DELTA_UNIT),
        i % KEYS != 0);
  }
  caps = gst_pad_get_current_caps (h->sinkpad);
  gst_harness_teardown (h);
}

static void
remove_all (const gchar *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);

  for (const gchar *name; dir && (name = g_dir_read_name (dir));) {
    gchar *inside = g_build_filename (path, name, NULL);

    remove_all (inside);
    g_free (inside);
  }
  if (dir)
    g_dir_close (dir);
  g_remove (path);
}

static void
teardown (void)
{
  for (guint i = 0; i < N_FRAMES; i++)
    gst_buffer_unref (frames[i]);
  gst_caps_unref (caps);
  remove_all (folder);
  g_free (folder);
}

/* Whether @bytes are in any file below @path; where they are none, whether any file has a byte. */
static gboolean
is_in (const gchar *path, gconstpointer bytes, gsize n)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  gboolean found = FALSE;
  gchar *data;
  gsize size;

  if (!dir) {
    fail_unless (g_file_get_contents (path, &data, &size, NULL));
    found = memmem (data, size, bytes, n) != NULL && size > 0;
    g_free (data);
    return found;
  }
  for (const gchar *name; !found && (name = g_dir_read_name (dir));) {
    gchar *inside = g_build_filename (path, name, NULL);

    found = is_in (inside, bytes, n);
    g_free (inside);
  }
  g_dir_close (dir);
  return found;
}

static gboolean
is_recorded (GstBuffer *frame)
{
  GstMapInfo map;
  gboolean found;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_READ));
  found = is_in (folder, map.data, map.size);
  gst_buffer_unmap (frame, &map);
  return found;
}

/* That the first @n frames of the camera are on disk, and no other one. */
static void
assert_recorded (guint n)
{
  for (guint i = 0; i < N_FRAMES; i++)
    fail_unless_equals_int (is_recorded (frames[i]), i < n);
  fail_unless_equals_int (is_in (folder, "", 0), n > 0);
}

static GstElement *
new_overlay (const gchar *stream, const gchar *privacy)
{
  GstElement *overlay = gst_element_factory_make ("yolov10overlay", "cover");

  gst_object_ref_sink (overlay);
  g_object_set (overlay, "stream", stream, NULL);
  gst_util_set_object_arg (G_OBJECT (overlay), "privacy", privacy);
  return overlay;
}

static void
watch (GstHarness *h, const gchar *before, GstBus **bus)
{
  *bus = gst_bus_new ();
  gst_element_set_bus (h->element, *bus);
  if (*before)
    gst_harness_set_src_caps_str (h, RAW);
  else
    gst_harness_set_src_caps (h, gst_caps_ref (caps));
}

/* A yolov10record named rec behind @before, which takes what the camera sends if it is "". */
static GstHarness *
begin (const gchar *before, const gchar *stream, GstBus **bus)
{
  gchar *line =
      g_strdup_printf ("%syolov10record name=rec location=%s/rec stream=\"%s\"",
          before, folder, stream);
  GstHarness *h = gst_harness_new_parse (line);

  g_free (line);
  watch (h, before, bus);
  return h;
}

static GstFlowReturn
push (GstHarness *h, guint i)
{
  return gst_harness_push (h, gst_buffer_ref (frames[i]));
}

static void
end (GstHarness *h, GstBus *bus)
{
  gst_harness_teardown (h);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
}

/* That there is one message of @type, which names both elements, and no other of an error. */
static void
assert_told (GstBus *bus, GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (bus,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  GError *error;

  fail_unless (message != NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), type);
  fail_unless_equals_string (GST_MESSAGE_SRC_NAME (message), "rec");
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "rec ") != NULL);
  fail_unless (strstr (error->message, "cover") != NULL);
  if (type == GST_MESSAGE_ERROR) {
    fail_unless (
        g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
    fail_unless (strstr (error->message, "expected rec behind") != NULL);
  }
  g_error_free (error);
  gst_message_unref (message);
  fail_unless_equals_int (test_gst_count_messages (bus,
                              GST_MESSAGE_ERROR | GST_MESSAGE_WARNING),
      0);
}

static void
assert_silent (GstBus *bus)
{
  fail_unless_equals_int (test_gst_count_messages (bus,
                              GST_MESSAGE_ERROR | GST_MESSAGE_WARNING),
      0);
}

GST_START_TEST (test_refused)
{
  GstElement *overlay = new_overlay ("yard", __i__ ? "blur" : "fill");
  GstBus *bus;
  GstHarness *h = begin ("", "yard", &bus);

  fail_unless_equals_int (push (h, 0), GST_FLOW_ERROR);
  assert_told (bus, GST_MESSAGE_ERROR);
  assert_recorded (0);
  /* Whoever goes on anyway gets nowhere. */
  for (guint i = 1; i < N_FRAMES; i++)
    fail_unless_equals_int (push (h, i), GST_FLOW_ERROR);
  gst_harness_push_event (h, gst_event_new_eos ());
  end (h, bus);
  assert_recorded (0);
  gst_object_unref (overlay);
}
GST_END_TEST;

/* Frames that arrived before the switch are recorded, and none that came later, even if it is
 * no key frame. */
GST_START_TEST (test_switched_on)
{
  GstElement *overlay = new_overlay ("yard", "none");
  GstBus *bus;
  GstHarness *h = begin ("", "yard", &bus);

  for (guint i = 0; i < 11; i++)
    fail_unless_equals_int (push (h, i), GST_FLOW_OK);
  gst_util_set_object_arg (G_OBJECT (overlay), "privacy", "fill");
  fail_unless_equals_int (push (h, 11), GST_FLOW_ERROR);
  assert_told (bus, GST_MESSAGE_ERROR);
  end (h, bus);
  assert_recorded (11);
  gst_object_unref (overlay);
}
GST_END_TEST;

/* So it is with an overlay that is made later. */
GST_START_TEST (test_added)
{
  GstElement *overlay;
  GstBus *bus;
  GstHarness *h = begin ("", "yard", &bus);

  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (push (h, i), GST_FLOW_OK);
  overlay = new_overlay ("yard", "blur");
  fail_unless_equals_int (push (h, 3), GST_FLOW_ERROR);
  assert_told (bus, GST_MESSAGE_ERROR);
  end (h, bus);
  assert_recorded (3);
  gst_object_unref (overlay);
}
GST_END_TEST;

/* What a controller may switch on counts as on, since the overlay gets frames later. */
GST_START_TEST (test_controlled)
{
  GstElement *overlay = new_overlay ("yard", "none");
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstBus *bus;
  GstHarness *h = begin ("", "yard", &bus);

  fail_unless_equals_int (push (h, 0), GST_FLOW_OK);
  gst_object_add_control_binding (GST_OBJECT (overlay),
      gst_direct_control_binding_new (GST_OBJECT (overlay), "privacy", source));
  gst_object_unref (source);
  for (guint i = 1; i < KEYS; i++)
    fail_unless_equals_int (push (h, i), GST_FLOW_OK);
  fail_unless_equals_int (push (h, KEYS), GST_FLOW_ERROR);
  assert_told (bus, GST_MESSAGE_ERROR);
  end (h, bus);
  assert_recorded (KEYS);
  gst_object_unref (overlay);
}
GST_END_TEST;

/* Other streams, overlays that hide nothing or are gone, and recordings of no stream. */
GST_START_TEST (test_unaffected)
{
  static const struct
  {
    const gchar *overlay, *privacy, *record;
  } rows[] = { { "yard", "fill", "gate" }, { "yard", "fill", "" },
    { "", "fill", "yard" }, { "", "fill", "" }, { "yard", "none", "yard" } };
  GstElement *gone = new_overlay ("yard", "fill"),
             *overlay = new_overlay (rows[__i__].overlay, rows[__i__].privacy);
  GstBus *bus;
  GstHarness *h;

  if (g_str_equal (rows[__i__].record, "yard"))
    gst_object_unref (g_steal_pointer (&gone));
  h = begin ("", rows[__i__].record, &bus);
  for (guint i = 0; i < N_FRAMES; i++)
    fail_unless_equals_int (push (h, i), GST_FLOW_OK);
  assert_silent (bus);
  end (h, bus);
  assert_recorded (N_FRAMES);
  gst_object_unref (overlay);
  gst_clear_object (&gone);
}
GST_END_TEST;

/* Behind the encoder of what the overlay gives, whatever is switched; but behind another
 * stream's overlay, it is refused. */
GST_START_TEST (test_behind)
{
  GstBus *bus;
  GstHarness *h =
      begin ("yolov10overlay name=cover stream=yard ! queue ! " ENCODE
             " ! tee ! queue ! ",
          "yard", &bus);
  GstElement *overlay = gst_bin_get_by_name (GST_BIN (h->element), "cover"),
             *record = gst_bin_get_by_name (GST_BIN (h->element), "rec");
  guint64 n = 0;

  for (guint i = 0; i < 2 * N_FRAMES; i++) {
    if (i == 5)
      gst_util_set_object_arg (G_OBJECT (overlay), "privacy", "fill");
    fail_unless_equals_int (gst_harness_push (h, new_picture (i)), GST_FLOW_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_for ((n = test_gst_stat (record, "frames")) == 2 * N_FRAMES);
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_ERROR), 0);
  gst_object_unref (overlay);
  gst_object_unref (record);
  end (h, bus);
}
GST_END_TEST;

GST_START_TEST (test_behind_other)
{
  GstElement *overlay = new_overlay ("yard", "fill");
  GstBus *bus;
  GstHarness *h = begin ("yolov10overlay stream=gate privacy=fill ! " ENCODE
                         " ! ",
      "yard", &bus);

  fail_unless_equals_int (gst_harness_push (h, new_picture (0)),
      GST_FLOW_ERROR);
  test_gst_count_messages (bus,
      GST_MESSAGE_WARNING); /* of a picture without detector */
  end (h, bus);
  assert_recorded (0);
  gst_object_unref (overlay);
}
GST_END_TEST;

/* An element that is linked to the camera instead takes nothing of it. */
GST_START_TEST (test_relinked)
{
  GstBus *bus;
  GstHarness *h = begin ("yolov10overlay name=cover stream=yard privacy=fill ! "
                         "x264enc tune=zerolatency ! h264parse name=parse ! ",
      "yard", &bus);
  GstElement *record = gst_bin_get_by_name (GST_BIN (h->element), "rec");
  GstPad *sink = gst_element_get_static_pad (record, "sink"),
         *parser = gst_pad_get_peer (sink),
         *camera = gst_pad_new ("camera", GST_PAD_SRC);
  GstSegment segment;

  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (h, new_picture (i)), GST_FLOW_OK);
  test_gst_count_messages (bus, GST_MESSAGE_WARNING);
  fail_unless (gst_pad_unlink (parser, sink));
  fail_unless (gst_pad_set_active (camera, TRUE));
  fail_unless_equals_int (gst_pad_link_full (camera, sink,
                              GST_PAD_LINK_CHECK_NOTHING),
      GST_PAD_LINK_OK);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (camera, gst_event_new_stream_start ("camera"));
  gst_pad_push_event (camera, gst_event_new_caps (caps));
  gst_pad_push_event (camera, gst_event_new_segment (&segment));
  fail_unless_equals_int (gst_pad_push (camera, gst_buffer_ref (frames[4])),
      GST_FLOW_ERROR);
  assert_told (bus, GST_MESSAGE_ERROR);
  gst_pad_unlink (camera, sink);
  gst_object_unref (camera);
  gst_object_unref (parser);
  gst_object_unref (sink);
  gst_object_unref (record);
  end (h, bus);
  fail_unless (is_in (folder, "moof", 4));
  for (guint i = 0; i < N_FRAMES; i++)
    fail_if (is_recorded (frames[i]));
}
GST_END_TEST;

/* Whoever declares nothing is warned once, of an overlay of the same pipeline, and gets all. */
GST_START_TEST (test_undeclared)
{
  GstBus *bus;
  GstElement *bin = gst_bin_new (NULL), *overlay = new_overlay ("yard", "fill"),
             *record = gst_element_factory_make ("yolov10record", "rec");
  gchar *location = g_build_filename (folder, "rec", NULL);
  GstHarness *h;

  g_object_set (record, "location", location, NULL);
  gst_bin_add_many (GST_BIN (bin), overlay, record, NULL);
  h = gst_harness_new_with_element (record, "sink", NULL);
  watch (h, "", &bus);
  for (guint i = 0; i < N_FRAMES; i++)
    fail_unless_equals_int (push (h, i), GST_FLOW_OK);
  assert_told (bus, GST_MESSAGE_WARNING);
  end (h, bus);
  assert_recorded (N_FRAMES);
  gst_object_unref (overlay);
  gst_object_unref (bin);
  g_free (location);
}
GST_END_TEST;

/* Returns the pipeline, playing. */
static GstElement *
play (const gchar *elements)
{
  gchar *line = g_strdup_printf ("videotestsrc is-live=true ! " RAW " ! %s",
      elements);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  g_free (line);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void
stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* The camera, its recording and what is shown of it, each in a pipeline of its own. */
GST_START_TEST (test_pipelines)
{
  gchar *line = g_strdup_printf (ENCODE
      " ! yolov10record name=rec stream=yard location=%s/plain",
      folder);
  GstElement *plain = play (line), *covered, *record;
  GstBus *bus = gst_element_get_bus (plain);
  GstMessage *message;
  GError *error;
  guint64 n;

  g_free (line);
  line = g_strdup_printf (
      "yolov10overlay name=cover stream=yard ! " ENCODE
      " ! yolov10record name=covered stream=yard location=%s/covered",
      folder);
  covered = play (line);
  g_free (line);
  record = gst_bin_get_by_name (GST_BIN (plain), "rec");
  test_wait_for (test_gst_stat (record, "frames") > 10);
  gst_object_unref (record);
  record = gst_bin_get_by_name (GST_BIN (covered), "covered");
  test_wait_for (test_gst_stat (record, "frames") > 10);
  gst_child_proxy_set (GST_CHILD_PROXY (covered), "cover::privacy", 2, NULL);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless_equals_string (GST_MESSAGE_SRC_NAME (message), "rec");
  fail_unless (strstr (error->message, "cover") != NULL);
  g_error_free (error);
  gst_message_unref (message);
  n = test_gst_stat (record, "frames");
  test_wait_for (test_gst_stat (record, "frames") > n + 20);
  gst_object_unref (bus);
  gst_object_unref (record);
  bus = gst_element_get_bus (covered);
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_ERROR), 0);
  gst_object_unref (bus);
  stop (plain);
  stop (covered);
}
GST_END_TEST;

TEST_GST_MAIN (record_privacy)
{
  if (!test_gst_load_plugin ("x264")
      || !test_gst_load_plugin ("videoparsersbad")
      || !test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("videotestsrc")) {
    test_gst_skip ("there is no x264enc");
    return;
  }
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_loop_test (tc, test_refused, 0, 2);
  tcase_add_test (tc, test_switched_on);
  tcase_add_test (tc, test_added);
  tcase_add_test (tc, test_controlled);
  tcase_add_loop_test (tc, test_unaffected, 0, 5);
  tcase_add_test (tc, test_behind);
  tcase_add_test (tc, test_behind_other);
  tcase_add_test (tc, test_relinked);
  tcase_add_test (tc, test_undeclared);
  tcase_add_test (tc, test_pipelines);
}
