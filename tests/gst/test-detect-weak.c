/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Weak boxes, which a tracker asks for: they are what the engine finds below the
 * detector's confidence, and a request changes nothing else that the detector says of
 * a frame, byte for byte. */
#include <string.h>

#include "partscommon.h"
#include "weakcommon.h"

/* Frames for which a request holds. */
#define HOLDS 128

static GstCaps *caps;

static void
setup (void)
{
  caps = test_gst_caps ("RGB", WIDTH, HEIGHT);
}

static void
teardown (void)
{
  gst_caps_unref (caps);
}

static void
ask (GstHarness *h, const char *sender, gdouble confidence)
{
  fail_unless (
      gst_harness_push_upstream_event (h, weak_request (sender, confidence)));
}

static GstHarness *
harness (const char *properties)
{
  GstHarness *h = test_gst_harness (properties);

  gst_harness_set_caps (h, gst_caps_ref (caps), gst_caps_ref (caps));
  return h;
}

/* Frame @i, with its picture. */
static GstBuffer *
through (GstHarness *h, guint i)
{
  return gst_harness_push_and_pull (h, test_gst_picture_at (caps, i, i));
}

/* What the weak boxes should be: the rows of the engine from @confidence on that are no
 * @strong ones, as many as these leave of @max. Takes both arrays. */
static void
assert_weak (GstBuffer *buffer, GArray *all, GArray *strong, guint max)
{
  GArray *expected = g_array_new (FALSE, FALSE, sizeof (Y10Detection));
  g_autoptr (GArray) found = weak_get (buffer);

  for (guint i = 0; i < all->len && expected->len + strong->len < max; i++) {
    const Y10Detection *row = &g_array_index (all, Y10Detection, i);
    gboolean is_strong = FALSE;

    for (guint k = 0; k < strong->len && !is_strong; k++)
      is_strong = !memcmp (&g_array_index (strong, Y10Detection, k), row,
          sizeof *row);
    if (!is_strong)
      g_array_append_val (expected, *row);
  }
  fail_unless (found && expected->len > 0);
  test_gst_assert_same (found, expected, WIDTH, HEIGHT);
  g_array_unref (expected);
  g_array_unref (all);
  g_array_unref (strong);
}

/* For both heads and backends. The other backend's boxes are its own, so only the
 * reference is compared with the engine. */
GST_START_TEST (test_contents)
{
  static const char *const backends[] = { "ref", "cpu" };
  static const char *const heads[] = { "one2one", "one2many" };
  static const Y10Head kinds[] = { Y10_HEAD_ONE2ONE, Y10_HEAD_ONE2MANY };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  for (guint i = 0; i < 4; i++) {
    gchar *properties = g_strdup_printf ("backend=%s head=%s threads=1 "
                                         "confidence=0.2",
        backends[i / 2], heads[i % 2]);
    GstHarness *plain = harness (properties), *h = harness (properties);
    GstBuffer *picture = test_gst_picture_at (caps, 4, 4);
    GstBuffer *without, *with;
    GArray *strong, *all;

    params.confidence = 0.2f;
    strong = test_gst_expected (picture, caps, NULL, &params, kinds[i % 2]);
    params.confidence = 0.05f;
    all = test_gst_expected (picture, caps, NULL, &params, kinds[i % 2]);
    fail_unless (strong->len > 0 && all->len > strong->len);
    without = gst_harness_push_and_pull (plain, gst_buffer_ref (picture));
    ask (h, "one", 0.05);
    with = gst_harness_push_and_pull (h, picture);
    weak_assert_same (without, with);
    if (i / 2 == 0) {
      assert_weak (with, all, strong, 300);
    } else {
      fail_unless (weak_count (with) > 0);
      g_array_unref (all);
      g_array_unref (strong);
    }
    gst_buffer_unref (without);
    gst_buffer_unref (with);
    gst_harness_teardown (plain);
    gst_harness_teardown (h);
    g_free (properties);
  }
}

GST_END_TEST;

static void
compare (const char *properties, gdouble confidence, Y10HeadParams *params,
    gfloat *classes)
{
  GstHarness *plain = harness (properties), *h = harness (properties);
  GstBuffer *picture = test_gst_picture_at (caps, 4, 4), *without, *with;
  GArray *strong, *all;

  params->class_confidence = classes;
  strong = test_gst_expected (picture, caps, NULL, params, Y10_HEAD_AUTO);
  if (confidence < params->confidence)
    params->confidence = (gfloat) confidence;
  for (guint i = 0; classes && i < 3; i++)
    if (confidence < classes[i])
      classes[i] = (gfloat) confidence;
  {
    const guint max = params->max_detections;

    params->max_detections = 1000;
    all = test_gst_expected (picture, caps, NULL, params, Y10_HEAD_AUTO);
    params->max_detections = max;
  }
  without = gst_harness_push_and_pull (plain, gst_buffer_ref (picture));
  ask (h, "one", confidence);
  with = gst_harness_push_and_pull (h, picture);
  weak_assert_same (without, with);
  fail_unless (strong->len > 0);
  assert_weak (with, all, strong, params->max_detections);
  gst_buffer_unref (without);
  gst_buffer_unref (with);
  gst_harness_teardown (plain);
  gst_harness_teardown (h);
}

/* Weak boxes of a class with a high confidence stand before objects of others, from
 * which they take no place. What is too small is neither. */
GST_START_TEST (test_limits)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  gfloat classes[] = { 0.01f, -1, 0.27f };

  params.confidence = 0.28f;
  params.max_detections = 20;
  compare ("confidence=0.28 max-detections=20", 0.2, &params, NULL);

  params.confidence = 0.15f;
  params.max_detections = 500;
  params.min_width = 12;
  params.min_height = 8;
  compare ("confidence=0.15 max-detections=500 min-size=12x8 "
           "class-confidence=\"person=0.01,stop sign=0.27\"",
      0.12, &params, classes);
}

GST_END_TEST;

/* All places are the objects'. */
GST_START_TEST (test_no_place)
{
  static const char *const properties[] = { "confidence=0.2 max-detections=5",
    "confidence=0.2 max-detections=5 class-confidence=\"person=0.3,bus=0.1\"" };

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    GstHarness *plain = harness (properties[i]), *h = harness (properties[i]);
    GstBuffer *without = through (plain, 4), *with;

    ask (h, "one", 0.05);
    with = through (h, 4);
    weak_assert_same (without, with);
    fail_unless (weak_is_there (with));
    fail_unless_equals_int (weak_count (with), 0);
    gst_buffer_unref (without);
    gst_buffer_unref (with);
    gst_harness_teardown (plain);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* In parts, and only where the region is. */
GST_START_TEST (test_parts)
{
  const char *properties = "confidence=0.25 tiles=2x1 region=\"0,0 1,0.6\"";
  GstHarness *plain = harness (properties), *h = harness (properties);
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Image image = { .size = sizeof image, .width = WIDTH, .height = HEIGHT };
  Y10Region *region = y10_region_parse ("0,0 1,0.6", NULL);
  GstBuffer *picture = test_gst_picture_at (caps, 4, 4), *without, *with;
  GArray *found[2];

  for (guint i = 0; i < 2; i++) {
    Y10Tiles tiles = { .size = sizeof tiles };
    Y10Part parts[Y10_MAX_PARTS];
    guint n;

    params.confidence = i ? 0.2f : 0.25f;
    fail_unless (y10_tiles_parse ("2x1", &tiles, NULL));
    fail_unless (y10_parts_plan (&image, region, &tiles, 96, 96, parts,
        Y10_MAX_PARTS, &n, NULL));
    found[i] = parts_expect (picture, caps, &image, parts, n, region,
        Y10_REGION_ANCHOR_BOTTOM, &params);
  }
  without = gst_harness_push_and_pull (plain, gst_buffer_ref (picture));
  ask (h, "one", 0.2);
  with = gst_harness_push_and_pull (h, picture);
  weak_assert_same (without, with);
  fail_unless (found[0]->len > 0);
  assert_weak (with, found[1], found[0], 300);
  y10_region_unref (region);
  gst_buffer_unref (without);
  gst_buffer_unref (with);
  gst_harness_teardown (plain);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Held frames show the weak boxes of the frame that was inferred, while a request
 * holds. */
GST_START_TEST (test_held)
{
  GstHarness *h = harness ("confidence=0.25 inference-interval=1000 "
                           "max-hold=18446744073709551615");
  GArray *shown, *boxes;

  ask (h, "one", 0.2);
  for (guint i = 0; i < HOLDS + 3; i++) {
    GstBuffer *out = gst_harness_push_and_pull (h,
        test_gst_picture_at (caps, 4, i));

    fail_unless_equals_string (
        gst_structure_get_string (test_gst_frame_meta (out, 0), "inference"),
        i ? "held" : "fresh");
    boxes = weak_get (out);
    fail_unless (!boxes == (i >= HOLDS), "frame %u", i);
    if (!i)
      shown = g_array_ref (boxes);
    if (boxes) {
      fail_unless (boxes->len == shown->len && shown->len > 0
          && !memcmp (boxes->data, shown->data, shown->len * sizeof (TestBox)));
      g_array_unref (boxes);
    }
    gst_buffer_unref (out);
  }
  /* That result still knows them. */
  ask (h, "one", 0.2);
  {
    GstBuffer *out = gst_harness_push_and_pull (h,
        test_gst_picture_at (caps, 4, HOLDS + 3));

    fail_unless_equals_int (weak_count (out), shown->len);
    gst_buffer_unref (out);
  }
  g_array_unref (shown);
  gst_harness_teardown (h);
}

GST_END_TEST;

static guint
n_weak_of_picture (GstHarness *h)
{
  GstBuffer *out = gst_harness_push_and_pull (h,
      test_gst_picture_at (caps, 4, 4));
  guint n = weak_count (out);

  gst_buffer_unref (out);
  return n;
}

/* A result without weak boxes has none to hold. */
GST_START_TEST (test_held_without)
{
  GstHarness *h = harness ("confidence=0.25 inference-interval=1000");

  gst_buffer_unref (through (h, 0));
  ask (h, "one", 0.2);
  for (guint i = 1; i < 3; i++) {
    GstBuffer *out = through (h, i);

    fail_if (weak_is_there (out));
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The least of all senders counts; each one's request ends by itself, and a new one
 * takes the place of the old one. */
GST_START_TEST (test_senders)
{
  GstHarness *h = harness ("confidence=0.25 input-size=32");
  guint more, most;

  ask (h, "one", 0.2);
  more = n_weak_of_picture (h);
  ask (h, "two", 0.1);
  most = n_weak_of_picture (h);
  fail_unless (0 < more && more < most);
  for (guint i = 2; i < HOLDS; i++) {
    if (i == 100)
      ask (h, "one", 0.2);
    fail_unless_equals_int (n_weak_of_picture (h), most);
  }
  /* The second one was asked for one frame later. */
  fail_unless_equals_int (n_weak_of_picture (h), most);
  fail_unless_equals_int (n_weak_of_picture (h), more);
  ask (h, "one", 0.1);
  fail_unless_equals_int (n_weak_of_picture (h), most);
  ask (h, "one", 1);
  {
    GstBuffer *out = through (h, 4);

    fail_if (weak_is_there (out));
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Events of another form, and of more senders than there can be, change nothing. */
GST_START_TEST (test_wild)
{
  static const char *const fields[] = {
    "",
    ", sender=(string)a",
    ", confidence=(double)0.02",
    ", sender=(string)a, confidence=(float)0.02",
    ", sender=(int)1, confidence=(double)0.02",
    ", sender=(string)a, confidence=(double)-0.02",
    ", sender=(string)a, confidence=(double)1.5",
    ", sender=(string)a, confidence=(double)nan",
  };
  GstHarness *h = harness ("confidence=0.25 input-size=32");
  GstBuffer *out;
  guint more;

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    gchar *text = g_strdup_printf ("GstYolov10WeakRequest%s", fields[i]);
    GstStructure *s = gst_structure_from_string (text, NULL);

    fail_unless (s != NULL, "%s", text);
    gst_harness_push_upstream_event (h,
        gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s));
    g_free (text);
  }
  out = through (h, 4);
  fail_if (weak_is_there (out));
  gst_buffer_unref (out);
  ask (h, "first", 0.2);
  more = n_weak_of_picture (h);
  for (guint i = 0; i < 100; i++) {
    gchar *sender = g_strdup_printf ("%u", i);

    ask (h, sender, i < 15 ? 0.2 : 0.1);
    g_free (sender);
  }
  fail_unless (more > 0);
  fail_unless_equals_int (n_weak_of_picture (h), more);
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
on_detections (GstElement *element, GstBuffer *buffer, GstStructure *structure,
    gpointer count)
{
  for (gint i = 0; i < gst_structure_n_fields (structure); i++)
    fail_if (
        weak_is_field (gst_structure_nth_field_name (structure, (guint) i)));
  fail_unless (gst_structure_get_uint (structure, "count", count));
}

/* Neither the signal nor the messages have weak boxes, and both detectors of a series get
 * the request. */
GST_START_TEST (test_elsewhere)
{
  gchar *json[2];

  for (guint i = 0; i < 2; i++) {
    GstHarness *h = harness ("confidence=0.25 post-messages=true");
    GstBus *bus = gst_bus_new ();
    GstMessage *message;
    GstBuffer *out;
    GstEvent *event;
    guint count = 0, said = 0;

    gst_element_set_bus (h->element, bus);
    g_signal_connect (h->element, "detections", G_CALLBACK (on_detections),
        &count);
    if (i)
      ask (h, "one", 0.2);
    out = through (h, 4);
    fail_unless (!i == !weak_count (out));
    fail_unless (
        gst_structure_get_uint (test_gst_frame_meta (out, 0), "count", &said));
    fail_unless_equals_int (count, said);
    gst_buffer_unref (out);
    do {
      message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
      fail_unless (message != NULL);
      json[i] = g_strdup (
          gst_structure_get_string (gst_message_get_structure (message),
              "json"));
      gst_message_unref (message);
    } while (!json[i]);
    event = gst_harness_try_pull_upstream_event (h);
    while (event && !gst_event_has_name (event, "GstYolov10WeakRequest")) {
      gst_event_unref (event);
      event = gst_harness_try_pull_upstream_event (h);
    }
    fail_unless (!event == !i);
    gst_clear_event (&event);
    gst_element_set_bus (h->element, NULL);
    gst_object_unref (bus);
    gst_harness_teardown (h);
  }
  fail_unless_equals_string (json[0], json[1]);
  g_free (json[0]);
  g_free (json[1]);
}

GST_END_TEST;

/* Behind a tee, our tracker in one branch changes nothing in the other one but the weak
 * boxes that it asks for. */
GST_START_TEST (test_tee)
{
  const gchar *detector = "backend=ref confidence=0.25 late-policy=infer-all "
                          "inference-interval=2";
  GstHarness *h[2];
  guint n = 0;

  fail_unless (test_gst_load_plugin ("coreelements"));
  for (guint i = 0; i < 2; i++) {
    gchar *line = g_strdup_printf (
        "yolov10detect name=d model-file=%s %s ! "
        "tee name=t t. ! queue ! %s fakesink async=false t. ! queue",
        test_gst_model (), detector,
        i ? "yolov10track weak-thresh=0.2 track-thresh=0.25 !" : "");

    h[i] = gst_harness_new_parse (line);
    gst_harness_set_src_caps (h[i], gst_caps_ref (caps));
    g_free (line);
  }
  for (guint i = 0; i < 30 || (!n && i < 1000); i++) {
    GstBuffer *without = through (h[0], i), *with = through (h[1], i);

    weak_assert_same (without, with);
    n += weak_count (with);
    gst_buffer_unref (without);
    gst_buffer_unref (with);
  }
  /* When the request comes depends on the threads. */
  fail_unless (n > 0);
  gst_harness_teardown (h[0]);
  gst_harness_teardown (h[1]);
}

GST_END_TEST;

TEST_GST_MAIN (detect_weak)
{
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_contents);
  tcase_add_test (tc, test_limits);
  tcase_add_test (tc, test_no_place);
  tcase_add_test (tc, test_parts);
  tcase_add_test (tc, test_held);
  tcase_add_test (tc, test_held_without);
  tcase_add_test (tc, test_senders);
  tcase_add_test (tc, test_wild);
  tcase_add_test (tc, test_elsewhere);
  tcase_add_test (tc, test_tee);
}
