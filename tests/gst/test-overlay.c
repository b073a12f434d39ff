/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10overlay as an application sees it: which boxes it draws, what its
 * properties do, and what it leaves alone. Which pixels exactly, and in which
 * formats, is in test-overlay-pixels.c. */

#include "overlaycommon.h"

#include <gstyolov10framemeta.h>
#include <math.h>
#include <string.h>

#define W 320
#define H 240

static const OverlayBox person = { 0, "person", 0.87, 40, 60, 100, 120 };
static const OverlayBox car = { 1, "car", 0.32, 180, 80, 90, 60 };

static GstCaps *caps;

static void
setup (void)
{
  caps = overlay_caps ("NV12", W, H, NULL);
}

static void
teardown (void)
{
  gst_caps_unref (caps);
}

/* Boxes as ROI metas drawn on the gradient, with properties. */
static GstBuffer *
drawn (const gchar * properties, const OverlayBox * boxes, guint n)
{
  GstBuffer *buffer = overlay_picture (caps, FALSE);
  guint i;

  for (i = 0; i < n; i++)
    overlay_add_roi (buffer, &boxes[i]);
  return overlay_run (properties, caps, buffer);
}

static void
assert_same (GstBuffer * a, GstBuffer * b)
{
  fail_unless (overlay_is_same (a, b, caps));
  gst_buffer_unref (a);
  gst_buffer_unref (b);
}

static void
assert_differ (GstBuffer * a, GstBuffer * b)
{
  fail_if (overlay_is_same (a, b, caps));
  gst_buffer_unref (a);
  gst_buffer_unref (b);
}

GST_START_TEST (test_properties)
{
  static const gchar *const names[] = { "line-width", "font-desc",
    "show-label", "show-confidence", "labels", "min-confidence", "privacy"
  };
  GstElement *e = gst_element_factory_make ("yolov10overlay", NULL);
  gboolean show_label, show_confidence;
  gchar *font_desc, *labels;
  gdouble min_confidence;
  guint line_width, i;
  gint privacy;

  fail_unless (e != NULL);
  fail_unless_equals_string (gst_element_factory_get_metadata
      (gst_element_get_factory (e), GST_ELEMENT_METADATA_KLASS),
      "Filter/Editor/Video");
  fail_unless_equals_int (gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE
          (gst_element_get_factory (e))), GST_RANK_NONE);
  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (e),
        names[i]);

    fail_unless (spec != NULL, "no property %s", names[i]);
    fail_unless (spec->flags & GST_PARAM_MUTABLE_PLAYING);
    fail_unless (strlen (g_param_spec_get_blurb (spec)) > 15);
  }
  g_object_get (e, "line-width", &line_width, "font-desc", &font_desc,
      "show-label", &show_label, "show-confidence", &show_confidence, "labels",
      &labels, "min-confidence", &min_confidence, "privacy", &privacy, NULL);
  fail_unless_equals_int (line_width, 0);
  fail_unless_equals_string (font_desc, "");
  fail_unless_equals_string (labels, "");
  fail_unless (show_label && show_confidence);
  fail_unless (min_confidence == 0);
  fail_unless_equals_int (privacy, 0);
  g_free (font_desc);
  g_free (labels);
  gst_object_unref (e);
}

GST_END_TEST;

GST_START_TEST (test_no_boxes_no_copy)
{
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  GstBuffer *in = overlay_picture (caps, FALSE), *out;

  /* Not writable: the element would have to copy it to touch it. */
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out == in);
  gst_buffer_unref (out);

  /* Boxes that are all filtered out are no boxes. */
  overlay_add_roi (in, &person);
  g_object_set (gst_harness_find_element (h, "yolov10overlay"), "labels", "dog",
      NULL);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out == in);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_others_pixels_stay)
{
  GstBuffer *in = overlay_picture (caps, FALSE), *out, *shared;
  GstBuffer *before = gst_buffer_copy_deep (in);

  /* Somebody else holds the buffer. */
  overlay_add_roi (in, &person);
  out = overlay_run (NULL, caps, gst_buffer_ref (in));
  fail_unless (overlay_is_same (in, before, caps));
  fail_if (overlay_is_same (out, before, caps));
  gst_buffer_unref (out);

  /* The buffer is ours alone, its memory is not, as behind a tee. */
  shared = gst_buffer_copy (in);
  gst_buffer_unref (in);
  in = gst_buffer_copy (shared);
  out = overlay_run (NULL, caps, in);
  fail_unless (overlay_is_same (shared, before, caps));
  fail_if (overlay_is_same (out, before, caps));
  gst_buffer_unref (out);
  gst_buffer_unref (shared);
  gst_buffer_unref (before);
}

GST_END_TEST;

/* The same detections as ROIs, as frame meta, as both, and as what converters
 * leave of them: always the same picture. A box drawn twice would not give it,
 * since its outline darkens what is there. */
GST_START_TEST (test_sources)
{
  const OverlayBox boxes[] = { person, car };
  OverlayBox bare[] = { person, car };
  GstBuffer *rois = drawn (NULL, boxes, 2), *other;

  other = overlay_picture (caps, FALSE);
  overlay_add_frame_meta (other, "d", W, H, boxes, 2);
  assert_same (gst_buffer_ref (rois), overlay_run (NULL, caps, other));

  other = overlay_picture (caps, FALSE);
  overlay_add_frame_meta (other, "d", W, H, boxes, 2);
  overlay_add_roi (other, &person);
  overlay_add_roi (other, &car);
  assert_same (gst_buffer_ref (rois), overlay_run (NULL, caps, other));

  /* A converter took the params: the frame meta still has the confidence. */
  bare[0].confidence = bare[1].confidence = -1;
  other = overlay_picture (caps, FALSE);
  overlay_add_roi (other, &bare[0]);
  overlay_add_roi (other, &bare[1]);
  overlay_add_frame_meta (other, "d", W, H, boxes, 2);
  assert_same (gst_buffer_ref (rois), overlay_run (NULL, caps, other));
  assert_differ (gst_buffer_ref (rois), drawn (NULL, bare, 2));

  /* A frame meta in a frame of twice the size, as behind a scaler. */
  other = overlay_picture (caps, FALSE);
  bare[0] = (OverlayBox) { 0, "person", 0.87, 80, 120, 200, 240 };
  bare[1] = (OverlayBox) { 1, "car", 0.32, 360, 160, 180, 120 };
  overlay_add_frame_meta (other, "d", 2 * W, 2 * H, bare, 2);
  assert_same (rois, overlay_run (NULL, caps, other));
}

GST_END_TEST;

GST_START_TEST (test_removed_rois_stay_away)
{
  const OverlayBox boxes[] = { person, car };
  GstBuffer *other = overlay_picture (caps, FALSE);

  /* An element removed the car's ROI: it is not to come back. */
  overlay_add_roi (other, &person);
  overlay_add_frame_meta (other, "d", W, H, boxes, 2);
  assert_same (drawn (NULL, &person, 1), overlay_run (NULL, caps, other));
}

GST_END_TEST;

GST_START_TEST (test_two_detectors)
{
  /* The same ids and labels, different places. */
  const OverlayBox second = { 0, "person", 0.55, 200, 100, 80, 100 };
  const OverlayBox both[] = { person, second };
  GstBuffer *expected = drawn (NULL, both, 2), *other;

  other = overlay_picture (caps, FALSE);
  overlay_add_frame_meta (other, "d0", W, H, &person, 1);
  overlay_add_frame_meta (other, "d1", W, H, &second, 1);
  assert_same (gst_buffer_ref (expected), overlay_run (NULL, caps, other));

  other = overlay_picture (caps, FALSE);
  overlay_add_roi (other, &person);
  overlay_add_roi (other, &second);
  overlay_add_frame_meta (other, "d0", W, H, &person, 1);
  overlay_add_frame_meta (other, "d1", W, H, &second, 1);
  assert_same (gst_buffer_ref (expected), overlay_run (NULL, caps, other));

  /* The first one's ROI got lost between the two. */
  other = overlay_picture (caps, FALSE);
  overlay_add_frame_meta (other, "d0", W, H, &person, 1);
  overlay_add_roi (other, &second);
  overlay_add_frame_meta (other, "d1", W, H, &second, 1);
  assert_same (expected, overlay_run (NULL, caps, other));
}

GST_END_TEST;

/* Face detectors attach ROIs with a type, id 0 and nothing else. */
GST_START_TEST (test_foreign_rois)
{
  const OverlayBox faces[] = {
    { 0, "face", -1, 40, 60, 50, 50 }, { 0, "face", -1, 180, 90, 50, 50 },
    { 0, "face", -1, 40, 60, 50, 50 }
  };
  GstBuffer *one = drawn (NULL, faces, 1), *two = drawn (NULL, faces, 2);
  GstBuffer *before = overlay_picture (caps, FALSE);

  fail_unless (overlay_n_changed (before, one, caps, 30, 50, 100, 120) > 100);
  fail_unless (overlay_n_changed (before, one, caps, 170, 80, 240, 150) == 0);
  fail_unless (overlay_n_changed (before, two, caps, 170, 80, 240, 150) > 100);
  /* The third is the first once more. */
  assert_same (gst_buffer_ref (two), drawn (NULL, faces, 3));
  gst_buffer_unref (before);
  gst_buffer_unref (one);
  gst_buffer_unref (two);
}

GST_END_TEST;

static guint
n_warnings (GstBus * bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

GST_START_TEST (test_other_shape)
{
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  GstElement *e = gst_harness_find_element (h, "yolov10overlay");
  GstBus *bus = gst_bus_new ();
  GstBuffer *in, *out;
  guint i;

  gst_element_set_bus (e, bus);
  for (i = 0; i < 3; i++) {
    in = overlay_picture (caps, FALSE);
    /* 16:9 boxes on a 4:3 frame: it was cropped. */
    overlay_add_frame_meta (in, "d", 320, 180, &person, 1);
    out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
    fail_unless (out == in);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (n_warnings (bus), 1);

  /* 1.3 % is too much, 0.6 % may be rounding. */
  in = overlay_picture (caps, FALSE);
  overlay_add_frame_meta (in, "d", 1200, 912, &person, 1);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out == in);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  in = overlay_picture (caps, FALSE);
  overlay_add_frame_meta (in, "d", 1200, 906, &person, 1);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_if (overlay_is_same (in, out, caps));
  gst_buffer_unref (in);
  gst_buffer_unref (out);

  /* ROIs follow the frame: they are drawn whatever the frame meta says. */
  in = overlay_picture (caps, FALSE);
  overlay_add_frame_meta (in, "d", 320, 180, &car, 1);
  overlay_add_roi (in, &person);
  out = gst_harness_push_and_pull (h, in);
  assert_same (out, drawn (NULL, &person, 1));
  fail_unless_equals_int (n_warnings (bus), 0);

  gst_element_set_bus (e, NULL);
  gst_object_unref (bus);
  gst_object_unref (e);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_filters)
{
  const OverlayBox boxes[] = { person, car };
  const OverlayBox unknown = { 3, "car", -1, 180, 80, 90, 60 };

  assert_same (drawn ("labels=person", boxes, 2), drawn (NULL, &person, 1));
  assert_same (drawn ("labels=\"dog, car ,\"", boxes, 2), drawn (NULL, &car,
          1));
  assert_same (drawn ("labels=\" , \"", boxes, 2), drawn (NULL, boxes, 2));
  assert_same (drawn ("labels=Person", boxes, 2), overlay_picture (caps,
          FALSE));
  assert_same (drawn ("min-confidence=0.5", boxes, 2), drawn (NULL, &person,
          1));
  assert_same (drawn ("min-confidence=0.32", boxes, 2), drawn (NULL, boxes, 2));
  assert_same (drawn ("min-confidence=0.9", boxes, 2), overlay_picture (caps,
          FALSE));
  /* What is not known is not below. */
  assert_same (drawn ("min-confidence=1", &unknown, 1), drawn (NULL, &unknown,
          1));
}

GST_END_TEST;

GST_START_TEST (test_text)
{
  GstBuffer *before = overlay_picture (caps, FALSE);
  GstBuffer *both = drawn (NULL, &person, 1);
  GstBuffer *label = drawn ("show-confidence=false", &person, 1);
  GstBuffer *percent = drawn ("show-label=false", &person, 1);
  GstBuffer *none = drawn ("show-label=false show-confidence=false", &person,
      1);
  GstBuffer *big = drawn ("font-desc=\"Sans 24\"", &person, 1);
  GstBuffer *thick = drawn ("line-width=8", &person, 1);
#define ABOVE(b) overlay_n_changed (before, b, caps, 0, 0, W, 59)

  /* Above the box is text, if it is shown. */
  fail_unless_equals_int (ABOVE (none), 0);
  fail_unless (ABOVE (label) > 300 && ABOVE (percent) > 200);
  fail_unless (ABOVE (both) > ABOVE (label));
  fail_unless (ABOVE (both) > ABOVE (percent));
  fail_unless (ABOVE (big) > 2 * ABOVE (both));
  fail_unless (overlay_n_changed (none, thick, caps, 50, 70, 130, 170) == 0);
  fail_unless (overlay_n_changed (none, thick, caps, 40, 60, 140, 180)
      > 2 * (100 + 120) * 4);
#undef ABOVE
  gst_buffer_unref (before);
  gst_buffer_unref (both);
  gst_buffer_unref (label);
  gst_buffer_unref (percent);
  gst_buffer_unref (none);
  gst_buffer_unref (big);
  gst_buffer_unref (thick);
}

GST_END_TEST;

GST_START_TEST (test_changes_while_playing)
{
  const OverlayBox boxes[] = { person, car };
  static const gchar *const steps[] = { "labels=person", "labels=car",
    "line-width=6", "min-confidence=0.5", "labels=person",
    "show-confidence=false", "show-label=false", "font-desc=\"Serif 20\"",
    "show-label=true", "privacy=fill", "line-width=0", "privacy=none"
  };
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  GstElement *e = gst_harness_find_element (h, "yolov10overlay");
  GString *properties = g_string_new (NULL);
  guint i;

  /* Changed one after the other in one element, or set from the start in a
   * new one: no difference. */
  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    gchar **pair = g_strsplit (steps[i], "=", 2);
    GstBuffer *buffer = overlay_picture (caps, FALSE);

    g_strdelimit (pair[1], "\"", ' ');
    gst_util_set_object_arg (G_OBJECT (e), pair[0], g_strstrip (pair[1]));
    g_strfreev (pair);
    g_string_append_printf (properties, " %s", steps[i]);
    overlay_add_roi (buffer, &person);
    overlay_add_roi (buffer, &car);
    assert_same (gst_harness_push_and_pull (h, buffer),
        drawn (properties->str, boxes, 2));
  }
  g_string_free (properties, TRUE);
  gst_object_unref (e);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_caps_change)
{
  static const gchar *const formats[] = { "NV12", "RGB", "I420", "v210" };
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstCaps *other = overlay_caps (formats[i], 200 + 60 * i, 180 + 50 * i,
        NULL);
    GstBuffer *buffer = overlay_picture (other, FALSE), *out;

    overlay_add_roi (buffer, &person);
    gst_harness_set_src_caps (h, gst_caps_ref (other));
    out = gst_harness_push_and_pull (h, gst_buffer_copy (buffer));
    buffer = overlay_run (NULL, other, buffer);
    fail_unless (overlay_is_same (buffer, out, other));
    gst_buffer_unref (buffer);
    gst_buffer_unref (out);
    gst_caps_unref (other);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
add_wild_frame_meta (GstBuffer * buffer, const gchar * name,
    const GValue * value)
{
  GstCustomMeta *meta;
  gpointer state = NULL;
  GstMeta *m, *last = NULL;

  overlay_add_frame_meta (buffer, "wild", W, H, &person, 1);
  while ((m = gst_buffer_iterate_meta (buffer, &state)))
    if (gst_meta_info_is_custom (m->info))
      last = m;
  meta = (GstCustomMeta *) last;
  if (value)
    gst_structure_set_value (gst_custom_meta_get_structure (meta), name, value);
  else
    gst_structure_remove_field (gst_custom_meta_get_structure (meta), name);
}

/* Every field missing, and of every other type and value. */
GST_START_TEST (test_wild_frame_meta)
{
  static const gchar *const fields[] = { "version", "producer", "model",
    "width", "height", "inference", "age", "count", "record-size", "records",
    "labels"
  };
  static const gchar *const values[] = { "(uint)0", "(uint)4294967295",
    "(uint)31", "(uint)33", "(int)-1", "(string)\"\"", "(double)1e300",
    "(string)\"x\\ny\"", "(fraction)1/3", "(gint64)-1"
  };
  GstBuffer *before = overlay_picture (caps, FALSE);
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (fields); i++) {
    for (j = 0; j <= G_N_ELEMENTS (values); j++) {
      GstBuffer *buffer = overlay_picture (caps, FALSE);
      GstStructure *s = NULL;

      if (j < G_N_ELEMENTS (values)) {
        gchar *line = g_strdup_printf ("s,v=%s", values[j]);

        s = gst_structure_from_string (line, NULL);
        fail_unless (s != NULL, "%s", line);
        g_free (line);
      }
      add_wild_frame_meta (buffer, fields[i],
          s ? gst_structure_get_value (s, "v") : NULL);
      overlay_add_roi (buffer, &car);
      buffer = overlay_run (NULL, caps, buffer);
      /* Whatever it says, the car is there. */
      fail_unless (overlay_n_changed (before, buffer, caps, 170, 70, 280,
              150) > 200);
      gst_buffer_unref (buffer);
      if (s)
        gst_structure_free (s);
    }
  }
  gst_buffer_unref (before);
}

GST_END_TEST;

GST_START_TEST (test_wild_records)
{
  const gfloat edges[] = { NAN, INFINITY, -INFINITY, -1e30f, 1e30f, -0.1f, 0,
    0.5f, 1, 1.1f
  };
  const guint n = G_N_ELEMENTS (edges);
  GstBuffer *before = overlay_picture (caps, FALSE);
  guint i;

  /* All pairs of edges, each as a box of its own. */
  for (i = 0; i < n * n; i++) {
    gfloat a = edges[i / n], b = edges[i % n];
    OverlayBox box = { 0, "p", a, 0, 0, 0, 0 };
    GstBuffer *buffer = overlay_picture (caps, FALSE), *out;
    gboolean visible = a < b && a < 1 && b > 0;
    GstYolov10Record *record;
    GstCustomMeta *meta;
    GBytes *bytes;

    overlay_add_frame_meta (buffer, "d", W, H, &box, 1);
    record = g_new0 (GstYolov10Record, 1);
    record->confidence = a;
    record->x_min = record->y_min = a;
    record->x_max = record->y_max = b;
    record->label_offset = i % 3 ? 0 : G_MAXUINT32;
    bytes = g_bytes_new_take (record, sizeof *record);
    meta = gst_buffer_get_custom_meta (buffer, GST_YOLOV10_FRAME_META_NAME);
    gst_structure_set (gst_custom_meta_get_structure (meta), "records",
        G_TYPE_BYTES, bytes, NULL);
    g_bytes_unref (bytes);
    out = overlay_run (NULL, caps, buffer);
    fail_unless (overlay_is_same (before, out, caps) != visible,
        "edges %g and %g", a, b);
    gst_buffer_unref (out);
  }
  gst_buffer_unref (before);
}

GST_END_TEST;

GST_START_TEST (test_wild_rois)
{
  const guint edges[] = { 0, 1, 2, 160, 239, 240, 319, 320, 321, 65536,
    G_MAXINT - 1, G_MAXINT, (guint) G_MAXINT + 1, (guint) -100, (guint) -1
  };
  const guint n = G_N_ELEMENTS (edges);
  GstBuffer *buffer, *before = overlay_picture (caps, FALSE);
  GstVideoRegionOfInterestMeta *roi;
  guint i;

  for (i = 0; i < n * n; i++) {
    guint x = edges[i / n], w = edges[i % n];

    buffer = overlay_picture (caps, FALSE);
    roi = gst_buffer_add_video_region_of_interest_meta (buffer, "x", x, x, w,
        w);
    roi->id = i % 2 ? G_MININT : G_MAXINT;
    buffer = overlay_run (NULL, caps, buffer);
    /* As numbers with a sign, which producers mean. */
    fail_unless (overlay_is_same (before, buffer, caps) == ((gint) w <= 0
            || (gint) x >= H || (gint64) (gint) x + (gint) w <= 0),
        "x %d, width %d", (gint) x, (gint) w);
    gst_buffer_unref (buffer);
  }

  /* Params of the wrong name, types and values. */
  buffer = overlay_picture (caps, FALSE);
  for (i = 0; i < 6; i++) {
    static const gchar *const params[] = {
      "detection, confidence=(string)high, label=(int)3",
      "detection, confidence=(double)1e300", "detection",
      "roi/x264enc, delta-qp=(int)5", "detection, confidence=(double)-1",
      "detection, label=(string)NULL, confidence=(float)0.5"
    };

    roi = gst_buffer_add_video_region_of_interest_meta (buffer, "x", 40 * i,
        50, 30, 30);
    roi->id = i;
    gst_video_region_of_interest_meta_add_param (roi,
        gst_structure_from_string (params[i], NULL));
  }
  buffer = overlay_run ("show-label=false", caps, buffer);
  for (i = 0; i < 6; i++)
    fail_unless (overlay_n_changed (before, buffer, caps, 40 * i, 50,
            40 * i + 30, 80) > 100, "ROI %u", i);
  gst_buffer_unref (buffer);
  gst_buffer_unref (before);
}

GST_END_TEST;

GST_START_TEST (test_wild_labels)
{
  static const gchar *const labels[] = { "", " ", "\xff\xfe\x80", "\t\v\a",
    "<b>&amp;</b>", "\xf0\x9f\x9a\x97 \xe8\xbb\x8a \xd7\x9e\xd7\x9b", "%s%n",
    "\xe2\x80\xaeright to left", "\xc3", "a\xcc\x81\xcc\x81\xcc\x81"
  };
  gchar *huge = g_strnfill (100000, 'W');
  GstBuffer *buffer, *before = overlay_picture (caps, FALSE);
  guint i;

  for (i = 0; i <= G_N_ELEMENTS (labels); i++) {
    OverlayBox box = { 0, i < G_N_ELEMENTS (labels) ? labels[i] : huge, 0.5,
      100, 100, 50, 50
    };

    buffer = overlay_picture (caps, FALSE);
    /* GStreamer keeps other bytes out of structures, but not out of types. */
    if (g_utf8_validate (box.label, -1, NULL)) {
      overlay_add_frame_meta (buffer, "d", W, H, &box, 1);
      overlay_add_roi (buffer, &box);
    }
    box.confidence = -1;
    box.x = 200;
    overlay_add_roi (buffer, &box);
    buffer = overlay_run (NULL, caps, buffer);
    fail_unless (overlay_n_changed (before, buffer, caps, 198, 98, 252,
            152) > 300, "label %u", i);
    gst_buffer_unref (buffer);
  }
  gst_buffer_unref (before);
  g_free (huge);
}

GST_END_TEST;

/* More labels than are remembered, more boxes than are drawn, frame after
 * frame. */
GST_START_TEST (test_many)
{
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  guint frame, i;

  for (frame = 0; frame < 4; frame++) {
    GstBuffer *buffer = overlay_picture (caps, FALSE);

    for (i = 0; i < 1500; i++) {
      gchar *label = g_strdup_printf ("%u", 1000 * frame + i);
      OverlayBox box = { i, label, 0.5, i % 300, i % 200, 20, 20 };

      overlay_add_roi (buffer, &box);
      g_free (label);
    }
    gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_states)
{
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  GstElement *e = gst_harness_find_element (h, "yolov10overlay");
  GstBuffer *buffer;
  guint i;

  for (i = 0; i < 3; i++) {
    buffer = overlay_picture (caps, FALSE);
    overlay_add_roi (buffer, &person);
    assert_same (gst_harness_push_and_pull (h, buffer), drawn (NULL, &person,
            1));
    fail_unless (gst_element_set_state (e, GST_STATE_NULL)
        == GST_STATE_CHANGE_SUCCESS);
    gst_harness_play (h);
    gst_harness_set_src_caps (h, gst_caps_ref (caps));
  }
  gst_object_unref (e);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Sources of raw files count bytes, not time. */
GST_START_TEST (test_segment_in_bytes)
{
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  GstBuffer *buffer = overlay_picture (caps, FALSE);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  overlay_add_roi (buffer, &person);
  GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
  assert_same (gst_harness_push_and_pull (h, buffer), drawn (NULL, &person,
          1));
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
overlay_suite (void)
{
  Suite *s = suite_create ("yolov10overlay");
  TCase *tc = tcase_create ("general");

  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_properties);
  tcase_add_test (tc, test_no_boxes_no_copy);
  tcase_add_test (tc, test_others_pixels_stay);
  tcase_add_test (tc, test_sources);
  tcase_add_test (tc, test_removed_rois_stay_away);
  tcase_add_test (tc, test_two_detectors);
  tcase_add_test (tc, test_foreign_rois);
  tcase_add_test (tc, test_other_shape);
  tcase_add_test (tc, test_filters);
  tcase_add_test (tc, test_text);
  tcase_add_test (tc, test_changes_while_playing);
  tcase_add_test (tc, test_caps_change);
  tcase_add_test (tc, test_wild_frame_meta);
  tcase_add_test (tc, test_wild_records);
  tcase_add_test (tc, test_wild_rois);
  tcase_add_test (tc, test_wild_labels);
  tcase_add_test (tc, test_many);
  tcase_add_test (tc, test_states);
  tcase_add_test (tc, test_segment_in_bytes);
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (overlay);
