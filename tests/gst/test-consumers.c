/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Consumers of yolov10detect's metadata. Each test reads the metadata in the
 * way of one consumer: with its names, its types and its arithmetic. The
 * elements themselves are not needed. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcommon.h"

#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#define W 160
#define H 120
#define PROPERTIES "confidence=0.05 max-detections=1000"

/* For the harness's elements; classes are person, bus and "stop sign". */
static GstHarness *
detector (const char *properties)
{
  g_autofree gchar *all = g_strdup_printf (PROPERTIES " %s", properties);
  GstHarness *h = test_gst_harness (all);
  GstCaps *caps = test_gst_caps ("RGB", W, H);

  gst_harness_set_caps (h, gst_caps_ref (caps), caps);
  return h;
}

static GstBuffer *
frame (GstHarness *h, GstClockTime pts)
{
  GstCaps *caps = test_gst_caps ("RGB", W, H);
  GstBuffer *buffer = test_gst_picture_caps (caps, 4);

  gst_caps_unref (caps);
  GST_BUFFER_PTS (buffer) = pts;
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (buffer != NULL);
  return buffer;
}

static GstVideoRegionOfInterestMeta *
next_roi (GstBuffer *buffer, gpointer *state)
{
  return (gpointer) gst_buffer_iterate_meta_filtered (buffer, state,
      GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}

/* gvametaconvert, gvametaaggregate and gvaclassify of DL Streamer. */
GST_START_TEST (test_dlstreamer)
{
  GstHarness *h = detector ("");
  g_autoptr (GstBuffer) out = frame (h, 0);
  static const char *const labels[] = { "person", "bus", "stop sign" };
  GstVideoRegionOfInterestMeta *roi;
  gpointer state = NULL;
  guint n = 0;

  while ((roi = next_roi (out, &state))) {
    GstStructure *s = gst_video_region_of_interest_meta_get_param (roi,
        "detection");
    gdouble x_min, y_min, x_max, y_max, confidence;
    gint label_id;

    fail_unless (s != NULL);
    fail_unless (gst_structure_get_double (s, "x_min", &x_min)
        && gst_structure_get_double (s, "x_max", &x_max)
        && gst_structure_get_double (s, "y_min", &y_min)
        && gst_structure_get_double (s, "y_max", &y_max));
    fail_unless (
        gst_structure_get (s, "confidence", G_TYPE_DOUBLE, &confidence, NULL));
    fail_unless (
        gst_structure_get (s, "label_id", G_TYPE_INT, &label_id, NULL));
    fail_unless (gst_structure_get_string (s, "model_name") != NULL);
    fail_unless (label_id >= 0 && label_id < 3);
    fail_unless_equals_string (g_quark_to_string (roi->roi_type),
        labels[label_id]);
    fail_unless (confidence >= 0.05 && confidence <= 1);
    /* gvametaaggregate clips the coordinates to 0 to 1 and converts them to
     * pixels, which must be those of the region. */
    fail_unless (x_min >= 0 && y_min >= 0 && x_max <= 1 && y_max <= 1);
    fail_unless (ABS (x_min * W - roi->x) <= 1 && ABS (y_min * H - roi->y) <= 1
        && ABS (x_max * W - (roi->x + roi->w)) <= 1
        && ABS (y_max * H - (roi->y + roi->h)) <= 1);
    n++;
  }
  fail_unless (n >= 10);
  gst_harness_teardown (h);
}

GST_END_TEST;

#ifdef HAVE_GST_ANALYTICS
/* From 2025 on they iterate over the object detections and find the region of
 * the same id; without one they create a region. */
GST_START_TEST (test_dlstreamer_analytics)
{
  GstHarness *h = detector ("");
  g_autoptr (GstBuffer) out = frame (h, 0);
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta (
      out);
  GstAnalyticsODMtd mtd;
  gpointer state = NULL;
  guint n = 0;

  while (gst_analytics_relation_meta_iterate (relations, &state,
      gst_analytics_od_mtd_get_mtd_type (), &mtd)) {
    GstVideoRegionOfInterestMeta *roi =
        gst_buffer_get_video_region_of_interest_meta_id (out, (gint) mtd.id);
    gint x, y, width, height;
    gfloat confidence;
    gdouble other;

    fail_unless (roi != NULL);
    fail_unless (gst_analytics_od_mtd_get_location (&mtd, &x, &y, &width,
        &height, &confidence));
    fail_unless (x == (gint) roi->x && y == (gint) roi->y
        && width == (gint) roi->w && height == (gint) roi->h);
    fail_unless (gst_analytics_od_mtd_get_obj_type (&mtd) == roi->roi_type);
    fail_unless (gst_structure_get_double (
        gst_video_region_of_interest_meta_get_param (roi, "detection"),
        "confidence", &other));
    fail_unless (ABS (other - confidence) < 1e-6);
    n++;
  }
  fail_unless (n >= 10);
  gst_harness_teardown (h);
}

GST_END_TEST;
#endif

/* edgeimpulseoverlay and edgeimpulsecrop draw and crop only if both are
 * present; a tracker adds object_id (uint64). */
GST_START_TEST (test_edge_impulse)
{
  GstHarness *h = detector ("");
  g_autoptr (GstBuffer) out = frame (h, 0);
  GstVideoRegionOfInterestMeta *roi;
  gpointer state = NULL;
  guint n = 0;

  while ((roi = next_roi (out, &state))) {
    GstStructure *s = gst_video_region_of_interest_meta_get_param (roi,
        "detection");

    fail_unless (s != NULL);
    fail_unless_equals_int (gst_structure_get_field_type (s, "label"),
        G_TYPE_STRING);
    fail_unless_equals_string (gst_structure_get_string (s, "label"),
        g_quark_to_string (roi->roi_type));
    fail_unless_equals_int (gst_structure_get_field_type (s, "confidence"),
        G_TYPE_DOUBLE);
    fail_if (gst_structure_has_field (s, "object_id"));
    n++;
  }
  fail_unless (n >= 10);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Returns the field of that name, which both have; G_MININT if there is no such
 * structure. */
static gint
delta_qp (GstVideoRegionOfInterestMeta *roi, const gchar *name)
{
  GstStructure *s = gst_video_region_of_interest_meta_get_param (roi, name);
  gint value;

  if (!s)
    return G_MININT;
  fail_if (gst_structure_has_field (s, "priority"));
  fail_unless (gst_structure_get_int (s, "delta-qp", &value));
  return value;
}

/* Returns the QP difference that msdkh264enc and msdkh265enc would use, or
 * G_MININT if they skip the region. */
static gint
msdk (GstVideoRegionOfInterestMeta *roi)
{
  gint value = delta_qp (roi, "roi/msdk");

  return value == G_MININT ? value : CLAMP (value, -51, 51);
}

/* gstreamer-vaapi's encoders; G_MININT: they use their own property. */
static gint
vaapi (GstVideoRegionOfInterestMeta *roi)
{
  gint value = delta_qp (roi, "roi/vaapi");

  fail_unless (value == G_MININT || (value >= -10 && value <= 10));
  return value;
}

/* omxh264enc and omxh265enc of gst-omx on Zynq; maps their nicks to QP
 * differences. */
static gint
omx (GstVideoRegionOfInterestMeta *roi)
{
  GstStructure *s = gst_video_region_of_interest_meta_get_param (roi,
      "roi/omx-alg");
  const gchar *quality;

  if (!s)
    return G_MININT;
  quality = gst_structure_get_string (s, "quality");
  fail_unless (quality != NULL);
  if (g_str_equal (quality, "high"))
    return -5;
  if (g_str_equal (quality, "medium"))
    return 0;
  fail_unless_equals_string (quality, "low");
  return 5;
}

/* NETINT's Quadra encoders convert to thousandths, and their library converts
 * those to a QP difference. */
static gint
niquadra (GstVideoRegionOfInterestMeta *roi)
{
  GstStructure *s = gst_video_region_of_interest_meta_get_param (roi,
      "roi/niquadra");
  gdouble offset;
  gint numerator;

  if (!s)
    return G_MININT;
  fail_unless (gst_structure_get_double (s, "delta-qp", &offset));
  numerator = offset * 1000;
  return CLAMP ((gint) ((gfloat) numerator * 1.0f / (gfloat) 1000 * 25), -25,
      25);
}

static const char *
label (const GstVideoRegionOfInterestMeta *roi)
{
  return g_quark_to_string (roi->roi_type);
}

/* Fails unless the regions of @name have @delta, G_MININT: no hint at all. */
static void
assert_hints (GstBuffer *buffer, const char *name, gint delta)
{
  GstVideoRegionOfInterestMeta *roi;
  gpointer state = NULL;
  guint n = 0;

  while ((roi = next_roi (buffer, &state))) {
    gint nearest = delta == G_MININT ? delta : 0;

    if (!g_str_equal (label (roi), name))
      continue;
    n++;
    if (delta != G_MININT)
      nearest = ABS (delta + 5) <= ABS (delta) ? -5
          : ABS (delta - 5) <= ABS (delta)     ? 5
                                               : 0;
    fail_unless_equals_int (msdk (roi), delta);
    fail_unless_equals_int (vaapi (roi),
        delta == G_MININT ? delta : CLAMP (delta, -10, 10));
    fail_unless_equals_int (niquadra (roi),
        delta == G_MININT ? delta : CLAMP (delta, -25, 25));
    fail_unless_equals_int (omx (roi), nearest);
    fail_unless_equals_int (g_list_length (roi->params),
        delta == G_MININT ? 1 : 5);
    fail_unless (
        gst_video_region_of_interest_meta_get_param (roi, "detection") != NULL);
  }
  fail_unless (n > 0, "no %s", name);
}

static void
assert_frame (GstHarness *h, GstClockTime pts, gint person, gint bus,
    gint stop_sign)
{
  g_autoptr (GstBuffer) out = frame (h, pts);

  assert_hints (out, "person", person);
  assert_hints (out, "bus", bus);
  assert_hints (out, "stop sign", stop_sign);
}

#define HOLD "inference-interval=1000 max-hold=1000000000000"

/* Every encoder gets the same difference, for each value of the property. */
GST_START_TEST (test_hints)
{
  GstHarness *h = detector (HOLD);

  assert_frame (h, 0, G_MININT, G_MININT, G_MININT);
  for (gint delta = -51; delta <= 51; delta++) {
    gchar *hints = g_strdup_printf ("*=%d", delta);

    g_object_set (h->element, "encoder-hints", hints, NULL);
    assert_frame (h, (delta + 52) * GST_SECOND, delta, delta, delta);
    g_free (hints);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_classes)
{
  static const struct
  {
    const char *hints;
    gint person, bus, stop_sign;
  } cases[] = {
    { "person=-8", -8, G_MININT, G_MININT },
    { " person = -8 , bus=+4 ,", -8, 4, G_MININT },
    { "0=-8,stop sign=51", -8, G_MININT, 51 },
    { "person=-8,*=2", -8, 2, 2 },
    { "*=2,1=0", 2, 0, 2 },
    { " , ", G_MININT, G_MININT, G_MININT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *properties = g_strdup_printf ("encoder-hints=\"%s\"",
        cases[i].hints);
    GstHarness *h = detector (properties);
    gchar *hints;

    g_object_get (h->element, "encoder-hints", &hints, NULL);
    fail_unless_equals_string (hints, cases[i].hints);
    assert_frame (h, 0, cases[i].person, cases[i].bus, cases[i].stop_sign);
    gst_harness_teardown (h);
    g_free (hints);
    g_free (properties);
  }
}

GST_END_TEST;

/* A change applies from the next frame on, to held boxes, too; an invalid value
 * changes nothing. */
GST_START_TEST (test_while_playing)
{
  GstHarness *h = detector (HOLD);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstBuffer *held;

  gst_element_set_bus (h->element, bus);
  assert_frame (h, 0, G_MININT, G_MININT, G_MININT);
  g_object_set (h->element, "encoder-hints", "person=-8", NULL);
  held = frame (h, GST_SECOND);
  fail_unless_equals_string (
      gst_structure_get_string (test_gst_frame_meta (held, 0), "inference"),
      "held");
  assert_hints (held, "person", -8);
  assert_hints (held, "bus", G_MININT);
  gst_buffer_unref (held);
  g_object_set (h->element, "encoder-hints", "bus=3", NULL);
  assert_frame (h, 2 * GST_SECOND, G_MININT, 3, G_MININT);
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_WARNING),
      0);
  g_object_set (h->element, "encoder-hints", "zebra=3", NULL);
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_WARNING),
      1);
  assert_frame (h, 3 * GST_SECOND, G_MININT, 3, G_MININT);
  g_object_set (h->element, "encoder-hints", NULL, NULL);
  assert_frame (h, 4 * GST_SECOND, G_MININT, G_MININT, G_MININT);

  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

TEST_GST_MAIN (consumers)
{
  tcase_add_test (tc, test_dlstreamer);
#ifdef HAVE_GST_ANALYTICS
  tcase_add_test (tc, test_dlstreamer_analytics);
#endif
  tcase_add_test (tc, test_edge_impulse);
  tcase_add_test (tc, test_hints);
  tcase_add_test (tc, test_classes);
  tcase_add_test (tc, test_while_playing);
}
