/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Tracker ids, from each kind of metadata that has them, drawn at the box after
 * the label and before the confidence. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "countalloc.h"
#include "overlaycommon.h"
#include "mallocs.h"

#include <math.h>
#include <string.h>

#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#define W 320
#define H 240
#define X 40
#define Y 60

static const OverlayBox person = { 5, "person", 0.87, X, Y, 100, 120 };

static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static GstCaps *caps;

static void
setup (void)
{
  caps = overlay_caps ("RGB", W, H, NULL);
}

static void
teardown (void)
{
  gst_caps_unref (caps);
}

/* Makes a frame with one region; @params adds another structure, or fields of
 * `detection`. */
static GstBuffer *
with_roi (const OverlayBox *box, const gchar *params)
{
  GstStructure *s = params ? gst_structure_from_string (params, NULL) : NULL;
  GstBuffer *buffer = overlay_picture (caps, FALSE);
  GstVideoRegionOfInterestMeta *roi;

  overlay_add_roi (buffer, box);
  roi = gst_buffer_get_video_region_of_interest_meta_id (buffer, box->id);
  fail_unless (roi != NULL && (!params || s));
  if (s && gst_structure_has_name (s, "detection")) {
    GstStructure *detection = gst_video_region_of_interest_meta_get_param (roi,
        "detection");

    for (gint i = 0; i < gst_structure_n_fields (s); i++) {
      const gchar *name = gst_structure_nth_field_name (s, (guint) i);

      gst_structure_set_value (detection, name,
          gst_structure_get_value (s, name));
    }
    gst_structure_free (s);
  } else if (s) {
    gst_video_region_of_interest_meta_add_param (roi, s);
  }
  return buffer;
}

static GstBuffer *
drawn (const gchar *properties, const gchar *params)
{
  return overlay_run (properties, caps, with_roi (&person, params));
}

static void
assert_same (GstBuffer *a, GstBuffer *b)
{
  fail_unless (overlay_is_same (a, b, caps));
  gst_buffer_unref (a);
  gst_buffer_unref (b);
}

/* DL Streamer's gvatrack and Edge Impulse's elements. */
GST_START_TEST (test_sources)
{
  g_autoptr (GstBuffer) seven = drawn (NULL, "object_id, id=(int)7");
  g_autoptr (GstBuffer) eight = drawn (NULL, "object_id, id=(int)8");
  g_autoptr (GstBuffer) none = drawn (NULL, NULL);

  fail_if (overlay_is_same (seven, eight, caps));
  fail_if (overlay_is_same (seven, none, caps));
  /* The picture changes above the box only. */
  overlay_assert_same_outside (seven, none, caps, X, 0, W, Y);
  overlay_assert_same_outside (seven, eight, caps, X, 0, W, Y);
  assert_same (gst_buffer_ref (seven),
      drawn (NULL, "detection, object_id=(guint64)7"));
  assert_same (gst_buffer_ref (none),
      drawn ("show-id=false", "object_id, id=(int)7"));
}

GST_END_TEST;

/* Fields that are no valid tracker id are ignored. */
GST_START_TEST (test_wild)
{
  static const gchar *const params[] = { "object_id", "object_id, id=(int)0",
    "object_id, id=(int)-7", "object_id, id=(string)7",
    "object_id, id=(guint64)7", "object_id, number=(int)7",
    "detection, object_id=(int)7", "detection, object_id=(string)x",
    "detection, id=(int)7", "other, object_id=(guint64)7, id=(int)7" };

  for (guint i = 0; i < G_N_ELEMENTS (params); i++)
    assert_same (drawn (NULL, params[i]), drawn (NULL, NULL));
}

GST_END_TEST;

/* Computes the share of ink in each pixel of the first @width columns of the
 * badge above the box, without the margins. The badge is in the class's colour,
 * its upper left corner free; ink is black or white. */
static gdouble *
ink (GstBuffer *buffer, gint width, gint *columns, gint *rows)
{
  guint8 *rgb = overlay_rgb (buffer, caps);
  const guint8 *paper = rgb + 3 * ((Y - 3) * W + X + 1);
  gboolean black = 299 * paper[0] + 587 * paper[1] + 114 * paper[2] > 128000;
  gint x0 = W, y0 = H, x1 = 0, y1 = 0, channel = 0;
  gdouble *all = g_new0 (gdouble, W * H), *found;

  for (gint c = 0; c < 3; c++)
    if (black ? paper[c] > paper[channel] : paper[c] < paper[channel])
      channel = c;
  for (gint y = Y - 12; y < Y - 1; y++)
    for (gint x = X; x < X + width; x++) {
      gdouble value = (rgb[3 * (y * W + x) + channel] - paper[channel])
          / ((black ? 0.0 : 255.0) - paper[channel]);

      all[y * W + x] = value;
      if (value < 0.1)
        continue;
      x0 = MIN (x0, x);
      y0 = MIN (y0, y);
      x1 = MAX (x1, x + 1);
      y1 = MAX (y1, y + 1);
    }
  fail_unless (x0 < x1, "no text");
  *columns = x1 - x0;
  *rows = y1 - y0;
  found = g_new (gdouble, *columns * *rows);
  for (gint y = 0; y < *rows; y++)
    memcpy (found + y * *columns, all + (y0 + y) * W + x0,
        *columns * sizeof *found);
  g_free (all);
  g_free (rgb);
  return found;
}

/* Returns one more than the last column above the box in which @a and @b
 * differ. */
static gint
changed_width (GstBuffer *a, GstBuffer *b)
{
  guint8 *u = overlay_rgb (a, caps), *v = overlay_rgb (b, caps);
  gint width = 0;

  for (gint y = Y - 12; y < Y - 1; y++)
    for (gint x = X; x < W; x++)
      if (memcmp (u + 3 * (y * W + x), v + 3 * (y * W + x), 3))
        width = MAX (width, x - X + 1);
  g_free (u);
  g_free (v);
  return width;
}

/* The digits look the same as in a label of these digits. */
GST_START_TEST (test_digits)
{
  static const gchar *const numbers[] = { "7", "1024", "2147483647" };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    OverlayBox named = person;
    gchar *params = g_strdup_printf ("object_id, id=(int)%s", numbers[i]);
    GstBuffer *before = overlay_picture (caps, FALSE), *label, *number;
    gint n_columns, n_rows, columns, rows;
    gdouble *expected, *found;

    named.label = numbers[i];
    label = overlay_run ("show-confidence=false", caps,
        with_roi (&named, NULL));
    number = drawn ("show-confidence=false show-label=false", params);
    /* Without the outline. */
    expected = ink (label, changed_width (before, label) - 1, &columns, &rows);
    found = ink (number, changed_width (before, number) - 1, &n_columns,
        &n_rows);
    fail_unless_equals_int (n_columns, columns);
    fail_unless_equals_int (n_rows, rows);
    for (gint k = 0; k < columns * rows; k++)
      fail_unless (fabs (found[k] - expected[k]) < 0.03, "%s: %f, %f",
          numbers[i], found[k], expected[k]);
    g_free (expected);
    g_free (found);
    gst_buffer_unref (before);
    gst_buffer_unref (label);
    gst_buffer_unref (number);
    g_free (params);
  }
}

GST_END_TEST;

/* "person 7 87%": adding a part does not move the parts before it. */
GST_START_TEST (test_order)
{
  const gchar *seven = "object_id, id=(int)7";
  g_autoptr (GstBuffer) before = overlay_picture (caps, FALSE);
  GstBuffer *label = drawn ("show-id=false show-confidence=false", seven);
  g_autoptr (GstBuffer) number = drawn ("show-confidence=false", seven);
  g_autoptr (GstBuffer) all = drawn (NULL, seven);
  gint w1 = changed_width (before, label), w2 = changed_width (before, number);
  gint w3 = changed_width (before, all);

  fail_unless (0 < w1 && w1 + 4 < w2 && w2 + 12 < w3, "%d %d %d", w1, w2, w3);
  /* Except for the outline. */
  fail_unless_equals_int (overlay_n_changed (label, all, caps, 0, 0, X + w1 - 2,
                              H),
      0);
  fail_unless_equals_int (overlay_n_changed (number, all, caps, 0, 0,
                              X + w2 - 2, H),
      0);
  gst_buffer_unref (label);
}

GST_END_TEST;

GST_START_TEST (test_while_playing)
{
  const gchar *seven = "object_id, id=(int)7";
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  g_autoptr (GstElement) e = gst_harness_find_element (h, "yolov10overlay");
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (e),
      "show-id");
  gboolean shown;

  fail_unless (spec && (spec->flags & GST_PARAM_MUTABLE_PLAYING)
      && (spec->flags & GST_PARAM_CONTROLLABLE));
  g_object_get (e, "show-id", &shown, NULL);
  fail_unless (shown);
  for (guint i = 0; i < 3; i++) {
    g_object_set (e, "show-id", i != 1, NULL);
    assert_same (gst_harness_push_and_pull (h, with_roi (&person, seven)),
        drawn (NULL, i == 1 ? NULL : seven));
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Draws more ids than the cache holds, frame after frame; later ids are still
 * drawn correctly. */
GST_START_TEST (test_many)
{
  GstHarness *h = overlay_harness (NULL, caps, FALSE);

  for (guint frame = 0; frame < 3; frame++) {
    GstBuffer *buffer = overlay_picture (caps, FALSE);

    for (guint i = 0; i < 1024; i++) {
      OverlayBox box = { (gint) i, "car", 0.5, i % 300, i % 200, 20, 20 };
      GstVideoRegionOfInterestMeta *roi;

      overlay_add_roi (buffer, &box);
      roi = gst_buffer_get_video_region_of_interest_meta_id (buffer, box.id);
      gst_video_region_of_interest_meta_add_param (roi,
          gst_structure_new ("object_id", "id", G_TYPE_INT,
              (gint) (1024 * frame + i + 1), NULL));
    }
    gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  }
  for (guint i = 0; i < 2; i++) {
    const gchar *params = i ? "object_id, id=(int)3000"
                            : "object_id, id=(int)7";

    assert_same (gst_harness_push_and_pull (h, with_roi (&person, params)),
        drawn (NULL, params));
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Returns the allocations of 20 frames with ids that were drawn before. */
static gint
count_once (gconstpointer properties)
{
  GstHarness *h = overlay_harness (properties, caps, FALSE);
  GstBuffer *frames[24];
  gint n;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = with_roi (&person,
        i % 2 ? "object_id, id=(int)7"
              : "detection, object_id=(guint64)18446744073709551615");
  n = test_n_frame_allocations (h, &sink, frames, G_N_ELEMENTS (frames), 4);
  gst_harness_teardown (h);
  return n;
}

GST_START_TEST (test_allocations)
{
  if (!test_mallocs_can_count ()) {
    g_print ("not counted: a sanitizer or another C library owns malloc()\n");
    return;
  }
  fail_unless_equals_int (test_fewest_allocations (count_once, "show-id=true"),
      test_fewest_allocations (count_once, "show-id=false"));
}

GST_END_TEST;

#ifdef HAVE_GST_ANALYTICS
typedef struct
{
  guint64 id;
  GstAnalyticsRelTypes relation;
  gboolean lost;
} Track;

#define RELATED GST_ANALYTICS_REL_TYPE_RELATE_TO

/* Relates the detection to its track, like ioutracker. With @roi there is a
 * region of the same id, too. */
static GstBuffer *
tracked (const Track *tracks, guint n, const gchar *roi)
{
  GstBuffer *buffer;
  GstAnalyticsRelationMeta *relations;
  GstAnalyticsTrackingMtd track;
  GstAnalyticsODMtd detection, other;

  if (roi) {
    OverlayBox box = person;

    box.id = 0;
    buffer = with_roi (&box, roi);
  } else {
    buffer = overlay_picture (caps, FALSE);
  }
  relations = gst_buffer_add_analytics_relation_meta (buffer);
  fail_unless (gst_analytics_relation_meta_add_od_mtd (relations,
      g_quark_from_string (person.label), person.x, person.y, person.w,
      person.h, person.confidence, &detection));
  fail_unless_equals_int (detection.id, 0);
  /* The track of another object, outside of the frame. */
  fail_unless (gst_analytics_relation_meta_add_od_mtd (relations,
      g_quark_from_string ("car"), -50, -50, 20, 20, 1, &other));
  fail_unless (
      gst_analytics_relation_meta_add_tracking_mtd (relations, 999, 0, &track));
  fail_unless (gst_analytics_relation_meta_set_relation (relations, RELATED,
      other.id, track.id));
  for (guint i = 0; i < n; i++) {
    fail_unless (gst_analytics_relation_meta_add_tracking_mtd (relations,
        tracks[i].id, 0, &track));
    if (tracks[i].lost)
      fail_unless (gst_analytics_tracking_mtd_set_lost (&track));
    if (tracks[i].relation != GST_ANALYTICS_REL_TYPE_NONE)
      fail_unless (gst_analytics_relation_meta_set_relation (relations,
          tracks[i].relation, detection.id, track.id));
  }
  return overlay_run (NULL, caps, buffer);
}

GST_START_TEST (test_analytics)
{
  const Track none[] = { { 7, GST_ANALYTICS_REL_TYPE_NONE, FALSE },
    { 7, GST_ANALYTICS_REL_TYPE_IS_PART_OF, FALSE }, { 7, RELATED, TRUE } };
  const Track seven = { 7, RELATED, FALSE };
  const Track found_again[] = { { 6, RELATED, TRUE }, { 7, RELATED, FALSE } };
  const gchar *as_roi = "object_id, id=(int)7";

  assert_same (tracked (&seven, 1, NULL), drawn (NULL, as_roi));
  assert_same (tracked (found_again, 2, NULL), drawn (NULL, as_roi));
  for (guint i = 0; i < G_N_ELEMENTS (none); i++)
    assert_same (tracked (&none[i], 1, NULL), drawn (NULL, NULL));
  /* A region of the same detection is not drawn as a second box; its id is used
   * if the analytics metadata have none. */
  assert_same (tracked (&seven, 1, "object_id, id=(int)8"),
      drawn (NULL, as_roi));
  assert_same (tracked (NULL, 0, as_roi), drawn (NULL, as_roi));
}

GST_END_TEST;

/* ioutracker counts from 0, and numbers have 64 bits. */
GST_START_TEST (test_analytics_range)
{
  const Track first = { 0, RELATED, FALSE };
  const Track last = { G_MAXUINT64, RELATED, FALSE };

  assert_same (tracked (&first, 1, NULL),
      drawn (NULL, "detection, object_id=(guint64)0"));
  assert_same (tracked (&last, 1, NULL),
      drawn (NULL, "detection, object_id=(guint64)18446744073709551615"));
}

GST_END_TEST;
#endif

TEST_CHECK_MAIN (ids)
{
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_sources);
  tcase_add_test (tc, test_wild);
  tcase_add_test (tc, test_digits);
  tcase_add_test (tc, test_order);
  tcase_add_test (tc, test_while_playing);
  tcase_add_test (tc, test_many);
  tcase_add_test (tc, test_allocations);
#ifdef HAVE_GST_ANALYTICS
  tcase_add_test (tc, test_analytics);
  tcase_add_test (tc, test_analytics_range);
#endif
}
