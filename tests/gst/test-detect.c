/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect from an application's view: its properties and their effects,
 * and the frames that it accepts. */
#include "gstcommon.h"

#include <gst/controller/controller.h>

static const char *const playing[] = { "confidence", "iou-threshold",
  "max-detections", "classes", "class-confidence", "tiles", "tile-overlap",
  "region", "region-anchor", "roi-source", "roi-type", "min-size", "max-size",
  "attach", "active", "model-file", "label-file", "max-queued-frames",
  "late-policy", "inference-interval", "skipped-boxes", "max-hold",
  "post-messages", "priority", "encoder-hints", "ignore-par", NULL };
static const char *const controllable[] = { "confidence", "iou-threshold",
  "active", "inference-interval", "skipped-boxes", "max-hold", NULL };
static const char *const ready[] = { "backend", "precision", "head",
  "input-size", "threads", "class-agnostic-nms", "cuda-device-id",
  "cuda-graphs", "cuda-tune", "in-flight", "engine-group", "max-batch",
  "batch-timeout", NULL };
static const char *const read_only[] = { "active-backend", "active-device",
  "active-precision", "fallback-reason", "stats", "engine-stats", NULL };

static GArray *
boxes_of (GstHarness *h, GstBuffer *picture)
{
  GstBuffer *out = gst_harness_push_and_pull (h, gst_buffer_copy (picture));
  GArray *boxes;

  fail_unless (out != NULL);
  boxes = test_gst_rois (out);
  gst_buffer_unref (out);
  return boxes;
}

static guint
count (GstHarness *h, GstBuffer *picture)
{
  g_autoptr (GArray) boxes = boxes_of (h, picture);
  guint n = boxes->len;

  return n;
}

GST_START_TEST (test_flags)
{
  g_autoptr (GstElement) e = gst_element_factory_make ("yolov10detect", NULL);
  GObjectClass *class = G_OBJECT_GET_CLASS (e);
  guint n_specs, n_ours = 0;
  GParamSpec **specs = g_object_class_list_properties (class, &n_specs);

  for (guint i = 0; i < n_specs; i++) {
    const gchar *name = specs[i]->name;
    GParamFlags flags = specs[i]->flags;

    if (specs[i]->owner_type != G_OBJECT_TYPE (e))
      continue;
    n_ours++;
    fail_unless_equals_int (!!(flags & GST_PARAM_MUTABLE_PLAYING),
        g_strv_contains (playing, name));
    fail_unless_equals_int (!!(flags & GST_PARAM_CONTROLLABLE),
        g_strv_contains (controllable, name));
    fail_unless_equals_int (!!(flags & GST_PARAM_MUTABLE_READY),
        g_strv_contains (ready, name));
    fail_unless_equals_int (!(flags & G_PARAM_WRITABLE),
        g_strv_contains (read_only, name));
    fail_unless (flags & G_PARAM_READABLE);
    fail_unless (strlen (g_param_spec_get_blurb (specs[i])) > 10);
  }
  fail_unless_equals_int (n_ours,
      g_strv_length ((gchar **) playing) + g_strv_length ((gchar **) ready)
          + g_strv_length ((gchar **) read_only));
  g_free (specs);
}

GST_END_TEST;

GST_START_TEST (test_defaults)
{
  g_autoptr (GstElement) e = gst_element_factory_make ("yolov10detect", NULL);
  gchar *model, *labels, *size, *classes, *hints, *backend, *reason;
  gint kind, precision, head;
  gdouble confidence, iou;
  gboolean agnostic, active, graphs, tune;
  guint most, threads, attach, flight, queued, interval;
  gint policy, boxes;
  guint64 hold;

  g_object_get (e, "in-flight", &flight, "max-queued-frames", &queued,
      "late-policy", &policy, "inference-interval", &interval, "skipped-boxes",
      &boxes, "max-hold", &hold, NULL);
  fail_unless (!flight && !queued && !policy && interval == 1 && !boxes
      && hold == GST_SECOND);
  g_object_get (e, "model-file", &model, "label-file", &labels, "input-size",
      &size, "classes", &classes, "encoder-hints", &hints, "active-backend",
      &backend, "fallback-reason", &reason, "backend", &kind, "precision",
      &precision, "head", &head, "confidence", &confidence, "iou-threshold",
      &iou, "cuda-graphs", &graphs, "cuda-tune", &tune, "class-agnostic-nms",
      &agnostic, "active", &active, "max-detections", &most, "threads",
      &threads, "attach", &attach, NULL);
  fail_unless (!model && !labels && !backend && !reason);
  fail_unless_equals_string (size, "");
  fail_unless_equals_string (classes, "");
  fail_unless_equals_string (hints, "");
  fail_unless (
      !kind && !precision && !head && !agnostic && active && graphs && tune);
  fail_unless (confidence == 0.25 && iou == 0.7);
  fail_unless (most == 300 && threads == 0 && attach == 7);
  g_free (size);
  g_free (classes);
  g_free (hints);

  gst_util_set_object_arg (G_OBJECT (e), "backend", "cuda");
  gst_util_set_object_arg (G_OBJECT (e), "precision", "bf16");
  gst_util_set_object_arg (G_OBJECT (e), "head", "one2many");
  gst_util_set_object_arg (G_OBJECT (e), "attach", "roi+frame");
  g_object_get (e, "backend", &kind, "precision", &precision, "head", &head,
      "attach", &attach, NULL);
  fail_unless (kind == 3 && precision == 4 && head == 2 && attach == 5);
}

GST_END_TEST;

/* GLib complains of a value out of range with a warning, from 2.84 on with a
 * critical one. */
#define ASSERT_REFUSED(code) \
  do { \
    if (glib_check_version (2, 84, 0)) \
      ASSERT_WARNING (code); \
    else \
      ASSERT_CRITICAL (code); \
  } while (0)

GST_START_TEST (test_ranges)
{
  g_autoptr (GstElement) e = gst_element_factory_make ("yolov10detect", NULL);
  gdouble confidence, iou;
  guint most, threads;

  ASSERT_REFUSED (g_object_set (e, "confidence", 1.01, NULL));
  ASSERT_REFUSED (g_object_set (e, "confidence", -0.01, NULL));
  ASSERT_REFUSED (g_object_set (e, "iou-threshold", 2.0, NULL));
  ASSERT_REFUSED (g_object_set (e, "max-detections", 0, NULL));
  ASSERT_REFUSED (g_object_set (e, "max-detections", 1001, NULL));
  ASSERT_REFUSED (g_object_set (e, "threads", 257, NULL));
  ASSERT_REFUSED (g_object_set (e, "cuda-device-id", -2, NULL));
  ASSERT_REFUSED (g_object_set (e, "inference-interval", 0, NULL));
  ASSERT_REFUSED (g_object_set (e, "in-flight", 9, NULL));
  ASSERT_REFUSED (g_object_set (e, "max-queued-frames", 65, NULL));
  g_object_get (e, "confidence", &confidence, "iou-threshold", &iou,
      "max-detections", &most, "threads", &threads, NULL);
  fail_unless (confidence == 0.25 && iou == 0.7 && most == 300 && !threads);
  g_object_set (e, "confidence", 1.0, "iou-threshold", 0.0, "max-detections",
      1000, "threads", 256, NULL);
  g_object_get (e, "confidence", &confidence, "iou-threshold", &iou,
      "max-detections", &most, "threads", &threads, NULL);
  fail_unless (confidence == 1 && iou == 0 && most == 1000 && threads == 256);
}

GST_END_TEST;

/* Each property that may change while playing does so with the next frame. */
GST_START_TEST (test_while_playing)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("RGB", 96, 96);
  GstBuffer *picture = test_gst_picture_caps (caps, 1), *out;
  GstHarness *h = test_gst_harness ("confidence=0.01 max-detections=1000");
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  GArray *all, *some;
  guint n_bus = 0, width;
  gdouble middle;
  gchar *size;

  gst_harness_set_caps (h, gst_caps_ref (caps), gst_caps_ref (caps));
  all = boxes_of (h, picture);
  fail_unless (all->len >= 10, "only %u boxes to test with", all->len);

  middle = g_array_index (all, TestBox, all->len / 2).confidence;
  g_object_set (e, "confidence", middle, NULL);
  some = boxes_of (h, picture);
  fail_unless (some->len > 0 && some->len < all->len);
  for (guint i = 0; i < all->len; i++)
    fail_unless_equals_int (i < some->len,
        g_array_index (all, TestBox, i).confidence >= middle);
  g_array_unref (some);
  g_object_set (e, "confidence", 0.01, NULL);

  g_object_set (e, "max-detections", 3, NULL);
  fail_unless_equals_int (count (h, picture), 3);
  g_object_set (e, "max-detections", 1000, NULL);

  for (guint i = 0; i < all->len; i++)
    n_bus += g_array_index (all, TestBox, i).label_id == 1;
  fail_unless (n_bus > 0 && n_bus < all->len);
  g_object_set (e, "classes", " bus", NULL);
  some = boxes_of (h, picture);
  fail_unless_equals_int (some->len, n_bus);
  for (guint i = 0; i < some->len; i++)
    fail_unless_equals_string (g_array_index (some, TestBox, i).label, "bus");
  g_array_unref (some);
  g_object_set (e, "classes", "stop sign, 0", NULL);
  fail_unless_equals_int (count (h, picture), all->len - n_bus);
  g_object_set (e, "classes", "", NULL);
  fail_unless_equals_int (count (h, picture), all->len);

  g_object_set (e, "class-confidence", "bus=0.01,*=1", "confidence", 0.99,
      NULL);
  fail_unless_equals_int (count (h, picture), n_bus);
  g_object_set (e, "class-confidence", "", "confidence", 0.01, NULL);
  width = g_array_index (all, TestBox, all->len / 2).w;
  size = g_strdup_printf ("%ux0.001", width);
  g_object_set (e, "min-size", size, NULL);
  some = boxes_of (h, picture);
  g_free (size);
  fail_unless (some->len > 0 && some->len < all->len, "%u of %u", some->len,
      all->len);
  for (guint i = 0; i < some->len; i++)
    fail_unless (g_array_index (some, TestBox, i).w + 1 >= width);
  g_array_unref (some);
  size = g_strdup_printf ("%ux1", width);
  g_object_set (e, "min-size", "", "max-size", size, NULL);
  some = boxes_of (h, picture);
  g_free (size);
  fail_unless (some->len > 0 && some->len < all->len, "%u of %u", some->len,
      all->len);
  for (guint i = 0; i < some->len; i++)
    fail_unless (g_array_index (some, TestBox, i).w <= width + 1);
  g_array_unref (some);
  g_object_set (e, "max-size", "", NULL);
  fail_unless_equals_int (count (h, picture), all->len);

  gst_util_set_object_arg (G_OBJECT (e), "attach", "frame");
  out = gst_harness_push_and_pull (h, gst_buffer_copy (picture));
  fail_unless_equals_int (test_gst_n_metas (out), 2);
  fail_unless (test_gst_frame_meta (out, 0) != NULL);
  gst_buffer_unref (out);
  gst_util_set_object_arg (G_OBJECT (e), "attach", "roi");
  out = gst_harness_push_and_pull (h, gst_buffer_copy (picture));
  fail_unless_equals_int (test_gst_n_metas (out), all->len + 1);
  fail_unless (test_gst_frame_meta (out, 0) == NULL);
  gst_buffer_unref (out);
  gst_util_set_object_arg (G_OBJECT (e), "attach", "");
  out = gst_harness_push_and_pull (h, gst_buffer_copy (picture));
  fail_unless_equals_int (test_gst_n_metas (out), 0);
  gst_buffer_unref (out);
  gst_util_set_object_arg (G_OBJECT (e), "attach", "roi+analytics+frame");

  g_object_set (e, "active", FALSE, NULL);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (picture));
  fail_unless (out == picture);
  fail_unless_equals_int (test_gst_n_metas (out), 0);
  gst_buffer_unref (out);
  g_object_set (e, "active", TRUE, NULL);
  fail_unless_equals_int (count (h, picture), all->len);

  g_array_unref (all);
  gst_harness_teardown (h);
  gst_buffer_unref (picture);
}

GST_END_TEST;

/* The results of one2many depend on iou-threshold and class-agnostic-nms. */
GST_START_TEST (test_nms)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("RGB", 96, 96);
  g_autoptr (GstBuffer) picture = test_gst_picture_caps (caps, 1);
  guint n[3];

  for (guint agnostic = 0; agnostic < 2; agnostic++) {
    GstHarness *h = test_gst_harness (agnostic
            ? "head=one2many confidence=0.01 class-agnostic-nms=true"
            : "head=one2many confidence=0.01");
    GstElement *e = gst_object_ref (h->element);

    gst_harness_set_caps (h, gst_caps_ref (caps), gst_caps_ref (caps));
    for (guint i = 0; i < 3; i++) {
      const gdouble iou[] = { 0.9, 0.45, 0.1 };
      Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
      GArray *expected, *boxes;

      params.confidence = 0.01;
      params.iou = iou[i];
      params.class_agnostic = agnostic;
      g_object_set (e, "iou-threshold", iou[i], NULL);
      expected = test_gst_expected (picture, caps, NULL, &params,
          Y10_HEAD_ONE2MANY);
      boxes = boxes_of (h, picture);
      test_gst_assert_same (boxes, expected, 96, 96);
      n[i] = boxes->len;
      g_array_unref (boxes);
      g_array_unref (expected);
    }
    fail_unless (n[0] > n[1] && n[1] > n[2] && n[2] > 0);
    gst_object_unref (e);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static void
control (GstElement *e, const char *property, gdouble first, gdouble second)
{
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *values = (gpointer) source;

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_timed_value_control_source_set (values, 0, first);
  gst_timed_value_control_source_set (values, GST_SECOND, second);
  fail_unless (gst_object_add_control_binding (GST_OBJECT (e),
      gst_direct_control_binding_new_absolute (GST_OBJECT (e), property,
          source)));
  gst_object_unref (source);
}

/* Controlled properties take their values at the frame's stream time. */
GST_START_TEST (test_controlled)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("RGB", 96, 96);
  GstBuffer *picture = test_gst_picture_caps (caps, 1), *out;
  GstHarness *h = test_gst_harness ("");
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  GstControlBinding *binding;
  guint all;

  gst_harness_set_caps (h, gst_caps_ref (caps), gst_caps_ref (caps));
  control (e, "confidence", 0.01, 1.0);
  control (e, "iou-threshold", 0.5, 0.25);
  GST_BUFFER_PTS (picture) = 0;
  all = count (h, picture);
  fail_unless (all >= 10);
  GST_BUFFER_PTS (picture) = GST_SECOND;
  fail_unless_equals_int (count (h, picture), 0);
  for (guint second = 0; second < 2; second++) {
    gdouble iou;

    GST_BUFFER_PTS (picture) = second * GST_SECOND;
    count (h, picture);
    g_object_get (e, "iou-threshold", &iou, NULL);
    fail_unless (iou == (second ? 0.25 : 0.5));
  }
  binding = gst_object_get_control_binding (GST_OBJECT (e), "confidence");
  gst_object_remove_control_binding (GST_OBJECT (e), binding);
  gst_object_unref (binding);
  g_object_set (e, "confidence", 0.01, NULL);

  control (e, "active", 1, 0);
  GST_BUFFER_PTS (picture) = 0;
  fail_unless_equals_int (count (h, picture), all);
  GST_BUFFER_PTS (picture) = GST_SECOND + 1;
  out = gst_harness_push_and_pull (h, gst_buffer_ref (picture));
  fail_unless (out == picture && !test_gst_n_metas (out));
  gst_buffer_unref (out);
  gst_harness_teardown (h);
  gst_buffer_unref (picture);
}

GST_END_TEST;

GST_START_TEST (test_active_properties)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("RGB", 96, 96);
  g_autoptr (GstBuffer) picture = test_gst_picture_caps (caps, 1);
  GstHarness *h = test_gst_harness ("");
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  const char *const stages[] = { "preprocess", "inference", "postprocess" };
  gchar *backend, *device, *precision;
  GstStructure *stats;
  guint64 frames;

  gst_harness_set_caps (h, gst_caps_ref (caps), gst_caps_ref (caps));
  g_object_get (e, "active-backend", &backend, "active-device", &device,
      "active-precision", &precision, "stats", &stats, NULL);
  fail_unless_equals_string (backend, "ref");
  fail_unless_equals_string (precision, "fp32");
  fail_unless (device && *device);
  fail_unless (gst_structure_get_uint64 (stats, "frames", &frames));
  fail_unless_equals_uint64 (frames, 0);
  g_free (backend);
  g_free (device);
  g_free (precision);
  gst_structure_free (stats);

  for (guint i = 0; i < 4; i++)
    count (h, picture);
  g_object_get (e, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "frames", &frames));
  fail_unless_equals_uint64 (frames, 4);
  for (guint i = 0; i < 3; i++) {
    guint64 v[3];
    const char *const kinds[] = { "median", "p95", "max" };

    for (guint k = 0; k < 3; k++) {
      gchar *field = g_strdup_printf ("%s-%s", stages[i], kinds[k]);

      fail_unless (gst_structure_get_uint64 (stats, field, &v[k]));
      g_free (field);
    }
    fail_unless (0 < v[0] && v[0] <= v[1] && v[1] <= v[2]);
    fail_unless (v[2] < 60 * GST_SECOND);
  }
  gst_structure_free (stats);

  gst_element_set_state (e, GST_STATE_NULL);
  g_object_get (e, "active-backend", &backend, "active-device", &device,
      "active-precision", &precision, NULL);
  fail_unless (!backend && !device && !precision);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* auto reports the backend that it chose and, if there is an NVIDIA GPU that it
 * did not take, the reason; the boxes are the same. */
GST_START_TEST (test_auto)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("RGB", 96, 96);
  g_autoptr (GstBuffer) picture = test_gst_picture_caps (caps, 1);
  GstHarness *h = test_gst_harness ("backend=auto precision=fp32");
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  gchar *backend, *reason;
  g_autoptr (GArray) boxes = NULL;
  g_autoptr (GArray) expected = NULL;

  gst_harness_set_caps (h, gst_caps_ref (caps), gst_caps_ref (caps));
  g_object_get (e, "active-backend", &backend, "fallback-reason", &reason,
      NULL);
  fail_unless (!g_str_equal (backend, "auto"));
  if (system (
          "ls /dev/nvidia* /dev/nvhost-gpu /usr/lib/wsl/lib/libcuda* 2>&1 | "
          "grep -qv 'cannot access' || "
          "grep -qs 0x10de /sys/bus/pci/devices/*/vendor")
      != 0)
    fail_if (reason, "reason: %s", reason);
  else if (!g_str_equal (backend, "cuda"))
    fail_unless (reason && strstr (reason, "cuda"), "reason: %s", reason);
  g_free (backend);
  g_free (reason);
  boxes = boxes_of (h, picture);
  expected = test_gst_expected (picture, caps, NULL, NULL, Y10_HEAD_AUTO);
  fail_unless_equals_int (boxes->len, expected->len);
  for (guint i = 0; i < boxes->len; i++)
    fail_unless (ABS (g_array_index (boxes, TestBox, i).confidence
                     - g_array_index (expected, Y10Detection, i).confidence)
        < 1e-4);
  gst_harness_teardown (h);
}

GST_END_TEST;

TEST_GST_MAIN (detect)
{
  tcase_add_test (tc, test_flags);
  tcase_add_test (tc, test_defaults);
  tcase_add_test (tc, test_ranges);
  tcase_add_test (tc, test_while_playing);
  tcase_add_test (tc, test_nms);
  tcase_add_test (tc, test_controlled);
  tcase_add_test (tc, test_active_properties);
  tcase_add_test (tc, test_auto);
}
