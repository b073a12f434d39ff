/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect while its properties change: another model takes over between
 * two frames, a model that cannot be loaded does not, and other threads and
 * controllers set every property. No frame is lost, and each has the boxes and
 * the labels of one model. */
#include "gstcommon.h"

#include <gst/controller/controller.h>

#define TURNS 200

static const char *const labels[2][3] = { { "person", "bus", "stop sign" },
  { "one", "two", "three" } };

typedef struct
{
  GstHarness *h;
  GstElement *e;
  GstBus *bus;
  GstCaps *caps;
  guint n; /* frames pushed and pulled */
} Run;

static void
run_begin (Run *run, const char *properties)
{
  memset (run, 0, sizeof *run);
  run->h = test_gst_harness (properties);
  run->e = gst_object_ref (run->h->element);
  run->bus = gst_bus_new ();
  gst_element_set_bus (run->e, run->bus);
  run->caps = test_gst_caps ("NV12", 96, 64);
  gst_harness_set_src_caps (run->h, gst_caps_ref (run->caps));
}

static void
run_end (Run *run)
{
  gst_element_set_bus (run->e, NULL);
  gst_object_unref (run->bus);
  gst_object_unref (run->e);
  gst_harness_teardown (run->h);
  gst_caps_unref (run->caps);
}

/* Which model's labels the frame has: 0, 1, or -1 if there are no boxes. */
static gint
model_of (GstBuffer *out)
{
  g_autoptr (GArray) rois = test_gst_rois (out);
  gint model = -1;

  for (guint i = 0; i < rois->len; i++) {
    const TestBox *box = &g_array_index (rois, TestBox, i);
    gint one = g_str_equal (box->label, labels[1][box->label_id]);

    fail_unless (one || g_str_equal (box->label, labels[0][box->label_id]));
    fail_unless (model < 0 || model == one);
    model = one;
  }
  return model;
}

/* The frames are a second apart, so that the harness, a live source, never falls
 * behind, however slow the machine: the element would warn. */
static gint
run_frame (Run *run)
{
  GstBuffer *in = test_gst_picture_caps (run->caps, 3), *out;
  gint model;

  GST_BUFFER_PTS (in) = run->n * GST_SECOND;
  out = gst_harness_push_and_pull (run->h, in);
  fail_unless (out != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), run->n * GST_SECOND);
  model = model_of (out);
  run->n++;
  gst_buffer_unref (out);
  return model;
}

/* Whether there is a warning that names both models, in its text and in its
 * details. */
static gboolean
pop_refusal (Run *run, const char *asked)
{
  GstMessage *message = gst_bus_pop_filtered (run->bus, GST_MESSAGE_WARNING);
  const GstStructure *details;
  GError *error;
  gchar *debug;

  if (!message)
    return FALSE;
  gst_message_parse_warning (message, &error, &debug);
  gst_message_parse_warning_details (message, &details);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
                   GST_RESOURCE_ERROR_NOT_FOUND),
      "%s", error->message);
  fail_unless (strstr (error->message, asked) != NULL, "%s", error->message);
  fail_unless (details != NULL);
  fail_unless_equals_string (gst_structure_get_string (details, "model-file"),
      asked);
  fail_unless (gst_structure_has_field (details, "active-model-file"));
  g_error_free (error);
  g_free (debug);
  gst_message_unref (message);
  return TRUE;
}

/* Gets the classes, labels and file of the next yolov10-model message; FALSE if
 * there is none. */
static gboolean
pop_model (Run *run, const char *file, gint model)
{
  GstMessage *message = gst_bus_pop_filtered (run->bus, GST_MESSAGE_ELEMENT);
  const GstStructure *s;
  gchar *all;
  guint64 took;
  guint n;

  if (!message)
    return FALSE;
  s = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (s, "yolov10-model"));
  all = g_strdup_printf ("%s\n%s\n%s\n", labels[model][0], labels[model][1],
      labels[model][2]);
  fail_unless_equals_string (gst_structure_get_string (s, "labels"), all);
  fail_unless_equals_string (gst_structure_get_string (s, "model-file"), file);
  fail_unless_equals_string (gst_structure_get_string (s, "backend"), "cpu");
  fail_unless_equals_string (gst_structure_get_string (s, "precision"), "fp32");
  fail_unless (gst_structure_get_string (s, "device") != NULL);
  fail_unless (gst_structure_get_string (s, "variant") != NULL);
  fail_unless (gst_structure_get_uint (s, "classes", &n) && n == 3);
  fail_unless (gst_structure_get_uint64 (s, "time-to-first-frame", &took));
  fail_unless (took > 0);
  g_free (all);
  gst_message_unref (message);
  return TRUE;
}

/* Each model takes over, with its labels, while frames flow. */
GST_START_TEST (test_takes_over)
{
  const char *const files[] = { test_gst_model (), test_gst_other_model () };
  guint from[2] = { 0, 0 };
  gchar *now;
  Run run;

  run_begin (&run, "backend=cpu precision=fp32 threads=1 confidence=0.02");
  fail_unless_equals_int (run_frame (&run), 0);
  fail_unless (pop_model (&run, files[0], 0));
  for (guint i = 1; i <= TURNS; i++) {
    gint wanted = i % 2;

    if (i % 10 == 0) {
      g_object_set (run.e, "model-file", "/nowhere/at-all.safetensors", NULL);
      while (!pop_refusal (&run, "/nowhere/at-all.safetensors"))
        fail_unless_equals_int (run_frame (&run), !wanted);
      g_object_get (run.e, "model-file", &now, NULL);
      fail_unless_equals_string (now, files[!wanted]);
      g_free (now);
    }
    g_object_set (run.e, "model-file", files[wanted], NULL);
    for (;;) {
      gint model = run_frame (&run);

      from[model]++;
      if (model == wanted)
        break;
    }
    fail_unless (pop_model (&run, files[wanted], wanted));
  }
  fail_unless (from[0] >= TURNS / 2 && from[1] >= TURNS / 2);
  run_end (&run);
}

GST_END_TEST;

static void
expect_silence (Run *run)
{
  GstMessage *message = gst_bus_pop_filtered (run->bus,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  gchar *text = message
      ? gst_structure_to_string (gst_message_get_structure (message))
      : NULL;

  fail_unless (!message, "unexpected: %s", text);
}

static gboolean
has_taken_over (Run *run, const char *file)
{
  GstMessage *message;
  gboolean found = FALSE;

  while ((message = gst_bus_pop_filtered (run->bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (message);

    found = found
        || g_str_equal (gst_structure_get_string (s, "model-file"), file);
    gst_message_unref (message);
  }
  return found;
}

/* Models are set faster than they can be loaded: the last one counts. Other
 * properties set meanwhile apply to the new model, too. */
GST_START_TEST (test_last_counts)
{
  const char *const files[] = { test_gst_model (), test_gst_other_model () };
  gchar *last, *model;
  gsize length;
  Run run;

  run_begin (&run,
      "backend=cpu precision=fp32 threads=1 confidence=0.02 in-flight=2");
  for (guint i = 0; i < TURNS; i++) {
    g_object_set (run.e, "model-file", files[i % 2], NULL);
    run_frame (&run);
  }
  fail_unless (
      g_file_get_contents (test_gst_other_model (), &model, &length, NULL));
  last = test_gst_file ("last.safetensors", model, (gssize) length);
  g_object_set (run.e, "model-file", last, "classes", "2", "encoder-hints",
      "2=4", NULL);
  while (!has_taken_over (&run, last))
    run_frame (&run);
  for (guint i = 0; i < 5; i++) {
    GstBuffer *out = gst_harness_push_and_pull (run.h,
        test_gst_picture_caps (run.caps, 3));
    GArray *rois = test_gst_rois (out);
    GstVideoRegionOfInterestMeta *roi;
    gpointer state = NULL;
    gint delta;

    fail_unless (rois->len > 0);
    for (guint k = 0; k < rois->len; k++)
      fail_unless_equals_string (g_array_index (rois, TestBox, k).label,
          "three");
    while ((roi = (gpointer) gst_buffer_iterate_meta_filtered (out, &state,
                GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
      fail_unless (
          gst_structure_get_int (
              gst_video_region_of_interest_meta_get_param (roi, "roi/msdk"),
              "delta-qp", &delta)
          && delta == 4);
    g_array_unref (rois);
    gst_buffer_unref (out);
  }
  expect_silence (&run);
  run_end (&run);
  g_free (model);
  g_free (last);
}

GST_END_TEST;

typedef struct
{
  Run *run;
  gchar *path;
  gboolean is_set_again;
} Repair;

/* Sets the path again while its file is being loaded, once. */
static void
set_again (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer data)
{
  Repair *repair = data;
  const gchar *text = gst_debug_message_get (message);

  if (repair->is_set_again || strcmp (category->name, "yolov10detect") != 0
      || !g_str_has_prefix (text, "loading ")
      || !g_str_has_suffix (text, repair->path))
    return;
  repair->is_set_again = TRUE;
  g_object_set (repair->run->e, "model-file", repair->path, NULL);
}

/* On the thread that loads models, before it goes on to the next request. */
static GstBusSyncReply
repair_file (GstBus *bus, GstMessage *message, gpointer data)
{
  Repair *repair = data;
  gchar *model;
  gsize length;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    fail_unless (
        g_file_get_contents (test_gst_other_model (), &model, &length, NULL));
    fail_unless (
        g_file_set_contents (repair->path, model, (gssize) length, NULL));
    g_free (model);
  }
  return GST_BUS_PASS;
}

/* The file of a model is repaired and set again while its loading fails: the second
 * request counts, although the path is the same. */
GST_START_TEST (test_repaired)
{
  Repair repair = { 0 };
  gchar *now;
  Run run;

  run_begin (&run, "backend=cpu precision=fp32 threads=1 confidence=0.02");
  fail_unless_equals_int (run_frame (&run), 0);
  repair.run = &run;
  repair.path = test_gst_file ("repaired.safetensors", "broken", 6);
  gst_debug_remove_log_function (NULL);
  gst_debug_add_log_function (set_again, &repair, NULL);
  gst_debug_set_threshold_for_name ("yolov10detect", GST_LEVEL_INFO);
  gst_bus_set_sync_handler (run.bus, repair_file, &repair, NULL);
  g_object_set (run.e, "model-file", repair.path, NULL);
  while (run_frame (&run) != 1)
    ;
  fail_unless (repair.is_set_again);
  g_object_get (run.e, "model-file", &now, NULL);
  fail_unless_equals_string (now, repair.path);
  gst_bus_set_sync_handler (run.bus, NULL, NULL, NULL);
  gst_debug_remove_log_function (set_again);
  gst_debug_set_threshold_for_name ("yolov10detect", GST_LEVEL_NONE);
  gst_debug_add_log_function (gst_debug_log_default, NULL, NULL);
  g_free (now);
  g_free (repair.path);
  run_end (&run);
}

GST_END_TEST;

/* Stopping does not wait for a model that is being loaded, and the next start
 * takes the one that was set last. */
GST_START_TEST (test_stops_while_loading)
{
  const char *const files[] = { test_gst_model (), test_gst_other_model () };
  g_autoptr (GstElement) e = gst_element_factory_make ("yolov10detect", NULL);

  gst_util_set_object_arg (G_OBJECT (e), "backend", "cpu");
  for (guint i = 0; i < 50; i++) {
    g_object_set (e, "model-file", files[i % 2], NULL);
    fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
        GST_STATE_CHANGE_SUCCESS);
    for (guint k = 0; k < i % 4; k++)
      g_object_set (e, "model-file", files[k % 2], NULL);
    g_usleep (i * 997 % 10000);
    fail_unless_equals_int (gst_element_set_state (e, GST_STATE_READY),
        GST_STATE_CHANGE_SUCCESS);
  }
  gst_element_set_state (e, GST_STATE_NULL);
}

GST_END_TEST;

static gint stop_changing;

static gpointer
change_properties (gpointer e)
{
  static const char *const classes[] = { "", "0", "0,2", "2,1" };
  static const char *const hints[] = { "", "*=3", "0=-51,1=51" };

  for (guint i = 0; !g_atomic_int_get (&stop_changing); i++) {
    GstStructure *stats;

    g_object_set (e, "class-confidence", i % 3 ? "" : "*=0.5", "min-size",
        i % 5 ? "0.01" : "", NULL);
    g_object_set (e, "confidence", (i % 100) / 100.0, "classes", classes[i % 4],
        "max-detections", 1 + i % 1000, "active", i % 5 != 0, "iou-threshold",
        (i % 10) / 10.0, "max-queued-frames", i % 20, "late-policy", i % 3,
        "inference-interval", 1 + i % 4, "skipped-boxes", i % 2, "max-hold",
        (guint64) i * GST_MSECOND, "post-messages", i % 2, "encoder-hints",
        hints[i % 3], NULL);
    if (i % 50 == 0)
      g_object_set (e, "model-file",
          i % 100 ? test_gst_other_model () : test_gst_model (), NULL);
    g_object_get (e, "stats", &stats, NULL);
    gst_structure_free (stats);
    g_usleep (200);
  }
  return NULL;
}

static void
control (GstElement *e, const char *property, GstControlSource *source)
{
  fail_unless (gst_object_add_control_binding (GST_OBJECT (e),
      gst_direct_control_binding_new (GST_OBJECT (e), property, source)));
}

/* Another thread and controllers set every property at once. */
GST_START_TEST (test_knobs)
{
  GstControlSource *source = gst_lfo_control_source_new ();
  guint64 sent, frames;
  GstStructure *stats;
  GThread *thread;
  GstBuffer *out;
  guint n;
  Run run;

  run_begin (&run,
      "backend=cpu precision=fp32 threads=1 confidence=0.02 in-flight=4");
  g_object_set (source, "frequency", 3.0, "amplitude", 0.5, "offset", 0.5,
      NULL);
  control (run.e, "confidence", source);
  control (run.e, "skipped-boxes", source);
  g_atomic_int_set (&stop_changing, FALSE);
  thread = g_thread_new ("changer", change_properties, run.e);
  for (guint i = 0; i < 4 * TURNS; i++) {
    GstBuffer *in = test_gst_picture_caps (run.caps, i);

    GST_BUFFER_PTS (in) = gst_util_uint64_scale (i, GST_SECOND, 30);
    fail_unless_equals_int (gst_harness_push (run.h, in), GST_FLOW_OK);
    gst_bus_set_flushing (run.bus, i % 2);
  }
  g_atomic_int_set (&stop_changing, TRUE);
  g_thread_join (thread);
  fail_unless (gst_harness_push_event (run.h, gst_event_new_eos ()));
  for (n = 0; (out = gst_harness_try_pull (run.h)); n++) {
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out),
        gst_util_uint64_scale (n, GST_SECOND, 30));
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (n, 4 * TURNS);
  g_object_get (run.e, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "sent", G_TYPE_UINT64, &sent, "frames",
      G_TYPE_UINT64, &frames, NULL));
  fail_unless (gst_structure_get_uint (stats, "waiting", &n) && n == 0);
  fail_unless_equals_uint64 (sent, 4 * TURNS);
  fail_unless (frames > 0 && frames <= sent);
  gst_structure_free (stats);
  gst_object_unref (source);
  run_end (&run);
}

GST_END_TEST;

TEST_GST_MAIN (detect_reload)
{
  tcase_set_timeout (tc, 900);
  tcase_add_test (tc, test_takes_over);
  tcase_add_test (tc, test_last_counts);
  tcase_add_test (tc, test_repaired);
  tcase_add_test (tc, test_stops_while_loading);
  tcase_add_test (tc, test_knobs);
}
