/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Privacy fails closed: behind each of upstream's elements a frame is either
 * the same picture with known boxes, or it is covered. In most tests no box has
 * the label "nothing", so nothing is drawn, and a frame that the overlay trusts
 * leaves unchanged. test-overlay-privacy-states.c tests the detector's
 * states. */
#include "gstcommon.h"
#include "overlayprivacy.h"

#define WIDTH 640
#define HEIGHT 360
/* With these properties no box is drawn or covered. */
#define PRIVACY "privacy=fill labels=nothing"

/* Frames before and after the overlay. */
static GPtrArray *before, *after;

static GstPadProbeReturn
remember (GstPad *pad, GstPadProbeInfo *info, gpointer frames)
{
  g_ptr_array_add (*(GPtrArray **) frames,
      gst_buffer_copy_deep (GST_PAD_PROBE_INFO_BUFFER (info)));
  return GST_PAD_PROBE_OK;
}

static void
probe (GstElement *e, const gchar *name, GPtrArray **frames)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (e, name);

  *frames = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, remember, frames, NULL);
}

typedef struct
{
  const gchar *elements;   /* around the overlay "o" */
  const gchar *plugins[5]; /* that contain the elements */
  OverlayFate fate;
  const gchar *reason;
} Row;

#define SOURCE \
  "videotestsrc num-buffers=5 pattern=snow ! " \
  "video/x-raw,format=I420,width=640,height=360,framerate=30/1 ! "
#define DETECT "yolov10detect name=d confidence=0.02 max-detections=10 "
#define OVERLAY "yolov10overlay name=o " PRIVACY " ! fakesink"
#define CHANGED "an element downstream of the detector changed the picture"
#define NOBODY "no detector has seen the picture"

static const Row rows[] = {
  { DETECT "! " OVERLAY, { NULL }, UNTOUCHED, NULL },
  { DETECT "! queue ! " OVERLAY, { NULL }, UNTOUCHED, NULL },
  { DETECT "! tee name=t ! queue ! fakesink t. ! queue ! " OVERLAY, { NULL },
      UNTOUCHED, NULL },
  { DETECT "! videoconvert ! video/x-raw,format=RGB ! " OVERLAY,
      { "videoconvertscale|videoconvert" }, UNTOUCHED, NULL },
  { DETECT "! videoscale ! video/x-raw,width=320,height=180 ! " OVERLAY,
      { "videoconvertscale|videoscale" }, UNTOUCHED, NULL },
  /* The scaler rounds: 16:9 would be 426.67 wide. */
  { DETECT "! videoscale ! video/x-raw,width=426,height=240 ! videoconvert ! "
           "video/x-raw,format=NV12 ! " OVERLAY,
      { "videoconvertscale|videoconvert", "videoconvertscale|videoscale" },
      UNTOUCHED, NULL },
  /* Wide pixels become square ones, and the reverse. Frame metadata do not tell
   * that from distortion. */
  { "videoscale ! video/x-raw,width=480,height=360,pixel-aspect-ratio=4/3 ! " DETECT
    "attach=roi ! videoscale ! video/x-raw,width=640,height=360,"
    "pixel-aspect-ratio=1/1 ! " OVERLAY,
      { "videoconvertscale|videoscale" }, UNTOUCHED, NULL },
  { DETECT "attach=roi ! videoscale ! video/x-raw,width=320,height=240,"
           "pixel-aspect-ratio=4/3 ! " OVERLAY,
      { "videoconvertscale|videoscale" }, UNTOUCHED, NULL },
  { DETECT "! videorate ! video/x-raw,framerate=60/1 ! " OVERLAY,
      { "videorate" }, UNTOUCHED, NULL },
  { DETECT "! videobalance hue=0.5 ! " OVERLAY, { "videofilter" }, UNTOUCHED,
      NULL },

  { DETECT "! videoscale ! video/x-raw,width=320,height=360,"
           "pixel-aspect-ratio=2/1 ! " OVERLAY,
      { "videoconvertscale|videoscale" }, COVERED, CHANGED },
  { DETECT "! videoscale ! video/x-raw,width=320,height=320,"
           "pixel-aspect-ratio=1/1 ! " OVERLAY,
      { "videoconvertscale|videoscale" }, COVERED, CHANGED },
  { DETECT "! videocrop left=64 top=36 ! " OVERLAY, { "videocrop" }, COVERED,
      CHANGED },
  { DETECT "! videocrop left=128 top=72 ! videoscale ! "
           "video/x-raw,width=640,height=360 ! " OVERLAY,
      { "videocrop", "videoconvertscale|videoscale" }, COVERED, CHANGED },
  { DETECT "! aspectratiocrop aspect-ratio=1/1 ! " OVERLAY, { "videocrop" },
      COVERED, CHANGED },
  { DETECT "! videoflip video-direction=180 ! " OVERLAY, { "videofilter" },
      COVERED, CHANGED },
  { DETECT "! videoflip video-direction=horiz ! " OVERLAY, { "videofilter" },
      COVERED, CHANGED },
  { DETECT "! videobox left=-32 right=32 ! " OVERLAY, { "videobox" }, COVERED,
      CHANGED },
  { DETECT "! videobox left=32 right=-32 ! " OVERLAY, { "videobox" }, COVERED,
      CHANGED },
  { DETECT "! compositor ! video/x-raw,width=640,height=360 ! " OVERLAY,
      { "compositor" }, COVERED, NOBODY },
  { DETECT "! videoconvert ! fisheye ! " OVERLAY,
      { "geometrictransform", "videoconvertscale|videoconvert" }, COVERED,
      CHANGED },
  { DETECT "! videoconvert ! mirror ! " OVERLAY,
      { "geometrictransform", "videoconvertscale|videoconvert" }, COVERED,
      CHANGED },
  { DETECT "! videoconvert ! rotate angle=1 ! " OVERLAY,
      { "geometrictransform", "videoconvertscale|videoconvert" }, COVERED,
      CHANGED },

  { DETECT "! videoconvert ! dicetv ! " OVERLAY,
      { "effectv", "videoconvertscale|videoconvert" }, COVERED, CHANGED },
  /* Its output contains parts of earlier pictures. */
  { DETECT "! videoconvert ! quarktv ! " OVERLAY,
      { "effectv", "videoconvertscale|videoconvert" }, COVERED, CHANGED },

  { OVERLAY, { NULL }, COVERED, NOBODY },
  { "yolov10overlay name=o " PRIVACY " ! " DETECT "! fakesink", { NULL },
      COVERED, NOBODY },
  { DETECT "active=false ! " OVERLAY, { NULL }, COVERED, NOBODY },
  { DETECT "attach=0 ! " OVERLAY, { NULL }, COVERED, NOBODY },
  { DETECT "attach=roi ! " OVERLAY, { NULL }, UNTOUCHED, NULL },
  { DETECT "attach=frame ! " OVERLAY, { NULL }, UNTOUCHED, NULL },
  /* Two detectors: both must have inspected the picture. */
  { DETECT "! yolov10detect name=d2 ! " OVERLAY, { NULL }, UNTOUCHED, NULL },
  { DETECT "! videocrop left=1 ! yolov10detect name=d2 ! " OVERLAY,
      { "videocrop" }, COVERED, CHANGED },
};

static GstElement *
prepare (const gchar *elements)
{
  g_autofree gchar *line = g_strdup_printf (SOURCE "%s", elements);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error), *e;
  GstIterator *all = gst_bin_iterate_elements (GST_BIN (pipeline));
  GValue value = G_VALUE_INIT;

  fail_unless (error == NULL, "%s: %s", line, error ? error->message : "");
  while (gst_iterator_next (all, &value) == GST_ITERATOR_OK) {
    e = g_value_get_object (&value);
    if (!strcmp (GST_OBJECT_NAME (e), "d")
        || !strcmp (GST_OBJECT_NAME (e), "d2"))
      g_object_set (e, "model-file", test_gst_model (), NULL);
    g_value_unset (&value);
  }
  gst_iterator_free (all);
  e = gst_bin_get_by_name (GST_BIN (pipeline), "o");
  probe (e, "sink", &before);
  probe (e, "src", &after);
  gst_object_unref (e);
  return pipeline;
}

static GstElement *
start (const gchar *elements)
{
  GstElement *pipeline = prepare (elements);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static GstCaps *
caps_of_overlay (GstElement *pipeline)
{
  g_autoptr (GstElement) e = gst_bin_get_by_name (GST_BIN (pipeline), "o");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (e, "sink");
  GstCaps *c = gst_pad_get_current_caps (pad);

  return c;
}

/* Returns the next warning, or NULL at EOS. */
static GstMessage *
next_warning (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  fail_unless (message && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    gst_clear_message (&message);
  return message;
}

/* Runs until EOS. Returns the number of privacy's warnings, each of which must
 * contain @reason. */
static guint
wait_for_end (GstElement *pipeline, const gchar *reason)
{
  GstMessage *message;
  guint n = 0;

  while ((message = next_warning (pipeline))) {
    n += overlay_is_privacy_warning (message, reason);
    gst_message_unref (message);
  }
  return n;
}

static void
end (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_ptr_array_unref (before);
  g_ptr_array_unref (after);
}

/* Plugins that all rows need. */
static gboolean
load_all (const gchar *const plugins[5])
{
  if (!test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("videotestsrc"))
    return FALSE;
  for (guint i = 0; i < 5 && plugins[i]; i++) {
    gchar **either = g_strsplit (plugins[i], "|", 2);
    gboolean loaded = test_gst_load_plugin (either[0])
        || (either[1] && test_gst_load_plugin (either[1]));

    g_strfreev (either);
    if (!loaded)
      return FALSE;
  }
  return TRUE;
}

GST_START_TEST (test_neighbours)
{
  const Row *row = &rows[__i__];
  GstElement *pipeline;
  GstCaps *c;
  guint n;

  if (!load_all (row->plugins)) {
    test_gst_skip ("%s: not installed", row->elements);
    return;
  }
  pipeline = start (row->elements);
  n = wait_for_end (pipeline, row->reason);
  fail_unless_equals_int (n, row->fate == COVERED);
  fail_unless (after->len >= 5 && after->len == before->len);
  c = caps_of_overlay (pipeline);
  for (guint i = 0; i < after->len; i++) {
    OverlayFate fate = overlay_fate (before->pdata[i], after->pdata[i], c);

    fail_unless (fate == row->fate, "%s: frame %u is %s, expected %s",
        row->elements, i, overlay_fate_name (fate),
        overlay_fate_name (row->fate));
  }
  gst_caps_unref (c);
  end (pipeline);
}

GST_END_TEST;

/* Returns how many warnings say that boxes are not drawn, until EOS. */
static guint
wait_for_drawn (GstElement *pipeline)
{
  GstMessage *message;
  guint n = 0;

  while ((message = next_warning (pipeline))) {
    GError *error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, "Boxes are not drawn") != NULL);
    g_error_free (error);
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* Without privacy, boxes are drawn where the picture is known, and nowhere else. */
GST_START_TEST (test_drawn)
{
  const Row *row = &rows[__i__];
  const gboolean is_moved = g_strcmp0 (row->reason, CHANGED) == 0;
  GString *elements = g_string_new (row->elements);
  GstElement *pipeline;
  GstCaps *c;

  if (!load_all (row->plugins)) {
    test_gst_skip ("%s: not installed", row->elements);
    g_string_free (elements, TRUE);
    return;
  }
  /* Privacy covers this picture for its shape, but the boxes are right there. */
  if (strstr (row->elements, "pixel-aspect-ratio=2/1")) {
    g_string_free (elements, TRUE);
    return;
  }
  fail_unless_equals_int (g_string_replace (elements, PRIVACY, "", 0), 1);
  pipeline = start (elements->str);
  fail_unless_equals_int (wait_for_drawn (pipeline), is_moved);
  c = caps_of_overlay (pipeline);
  for (guint i = 0; i < after->len; i++) {
    OverlayFate fate = overlay_fate (before->pdata[i], after->pdata[i], c);

    fail_unless (fate == (row->fate == UNTOUCHED ? PARTLY : UNTOUCHED),
        "%s: frame %u is %s", elements->str, i, overlay_fate_name (fate));
  }
  gst_caps_unref (c);
  end (pipeline);
  g_string_free (elements, TRUE);
}

GST_END_TEST;

static GstPadProbeReturn
remove_roi (GstPad *pad, GstPadProbeInfo *info, gpointer index)
{
  GstBuffer *buffer = gst_buffer_make_writable (
      GST_PAD_PROBE_INFO_BUFFER (info));
  GstMeta *meta = NULL;
  gpointer state = NULL;

  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  for (gint i = 0; i <= GPOINTER_TO_INT (index); i++)
    meta = gst_buffer_iterate_meta_filtered (buffer, &state,
        GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
  fail_unless (meta != NULL && gst_buffer_remove_meta (buffer, meta));
  /* Another one with GStreamer's default id does not take its place. */
  if (GPOINTER_TO_INT (index) != 0)
    gst_buffer_add_video_region_of_interest_meta (buffer, "other", 0, 0, 8, 8);
  return GST_PAD_PROBE_OK;
}

/* A single box that is missing makes all of the picture unknown, unless other
 * detectors are trusted, too. */
GST_START_TEST (test_missing_box)
{
  static const gchar *const overlays[] = { "", "privacy-trust=roi" };

  if (!load_all ((const gchar *const[5]){ NULL })) {
    test_gst_skip ("videotestsrc is not installed");
    return;
  }
  for (guint i = 0; i < 2 * 3; i++) {
    gchar *line = g_strdup_printf (DETECT "%s ! yolov10overlay name=o " PRIVACY
                                          " %s ! fakesink",
        i % 2 ? "attach=roi" : "", overlays[i >= 4]);
    GstElement *pipeline = prepare (line), *detect;
    GstCaps *c;
    GstPad *pad;

    detect = gst_bin_get_by_name (GST_BIN (pipeline), "d");
    pad = gst_element_get_static_pad (detect, "src");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, remove_roi,
        GINT_TO_POINTER (i), NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    fail_unless_equals_int (wait_for_end (pipeline,
                                "the detector's boxes did not come through"),
        i < 4);
    c = caps_of_overlay (pipeline);
    for (guint f = 0; f < after->len; f++)
      fail_unless_equals_int (overlay_fate (before->pdata[f], after->pdata[f],
                                  c),
          i < 4 ? COVERED : UNTOUCHED);
    gst_caps_unref (c);
    gst_object_unref (pad);
    gst_object_unref (detect);
    end (pipeline);
    g_free (line);
  }
}

GST_END_TEST;

/* Known objects are covered at their place, and nothing else is. */
GST_START_TEST (test_boxes_are_covered)
{
  static const gchar *const between[] = { "",
    "videoconvert ! video/x-raw,format=BGRx ! ",
    "videoscale ! video/x-raw,width=320,height=180 ! " };

  if (!load_all ((const gchar *const[5]){ "videoconvertscale|videoconvert",
          "videoconvertscale|videoscale" })) {
    test_gst_skip ("no converter is installed");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (between); i++) {
    gchar *line = g_strconcat (DETECT "! ", between[i],
        "yolov10overlay name=o "
        "privacy=fill show-label=false show-confidence=false ! fakesink",
        NULL);
    GstElement *pipeline = start (line);
    guint n_inside = 0, n_shown = 0;
    GstVideoInfo info;
    GstCaps *c;

    fail_unless_equals_int (wait_for_end (pipeline, NULL), 0);
    c = caps_of_overlay (pipeline);
    fail_unless (gst_video_info_from_caps (&info, c));
    for (guint f = 0; f < after->len; f++) {
      GArray *rois = test_gst_rois (before->pdata[f]);
      guint16 *was = overlay_values (before->pdata[f], c);
      guint16 *is = overlay_values (after->pdata[f], c);

      for (gint y = 0; y < info.height; y += 3) {
        for (gint x = 0; x < info.width; x += 3) {
          gsize at = 4 * ((gsize) y * info.width + x);
          gboolean in = FALSE, near = FALSE;

          for (guint r = 0; r < rois->len; r++) {
            const TestBox *b = &g_array_index (rois, TestBox, r);
            gint x0 = (gint) b->x, y0 = (gint) b->y;
            gint x1 = x0 + (gint) b->w, y1 = y0 + (gint) b->h;

            near |= x >= x0 - 8 && y >= y0 - 8 && x < x1 + 8 && y < y1 + 8;
            in |= x >= x0 + 8 && y >= y0 + 8 && x < x1 - 8 && y < y1 - 8;
          }
          if (!near)
            fail_unless (memcmp (was + at, is + at, 8) == 0,
                "frame %u: %d, %d changed, where there is no box", f, x, y);
          n_inside += in;
          n_shown += in && memcmp (was + at, is + at, 8) == 0;
        }
      }
      g_free (was);
      g_free (is);
      g_array_unref (rois);
    }
    /* Some of the noise has the colour that boxes are filled with. */
    fail_unless (n_inside > 100 && n_shown < n_inside / 50, "%u of %u pixels",
        n_shown, n_inside);
    gst_caps_unref (c);
    end (pipeline);
    g_free (line);
  }
}

GST_END_TEST;

TEST_GST_MAIN (overlay_privacy)
{
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_neighbours, 0, G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, test_drawn, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_missing_box);
  tcase_add_test (tc, test_boxes_are_covered);
}
