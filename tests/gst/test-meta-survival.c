/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which metadata survive other elements. The project guarantees only its own
 * part, the frame meta, which every row must keep; the rows also record what
 * GStreamer does to regions of interest. */
#include "gstcommon.h"
#include "meta/inspection.h"

#define WIDTH 640
#define HEIGHT 360
#define FRAMES 4

typedef enum
{
  KEPT, /* each at its place, scaled with the frame */
  LOST,
  LOST_OR_UNTURNED, /* 1.22 keeps them unrotated while the frame turns */
} Fate;

typedef struct
{
  const char *name;
  const char *elements;
  const char *plugins[6]; /* that contain the elements */
  Fate rois;
  gboolean params;
  gdouble scale;
} Row;

static const Row rows[] = {
  { "queue", "queue", { "coreelements" }, KEPT, TRUE, 1 },
  { "tee", "tee name=t ! queue ! fakesink t. ! queue", { "coreelements" }, KEPT,
      TRUE, 1 },
  { "videoconvert, same format", "videoconvert ! video/x-raw,format=I420",
      { "videoconvertscale|videoconvert" }, KEPT, TRUE, 1 },
  { "videoconvert", "videoconvert ! video/x-raw,format=RGB",
      { "videoconvertscale|videoconvert" }, KEPT, FALSE, 1 },
  { "videoscale", "videoscale ! video/x-raw,width=320,height=180",
      { "videoconvertscale|videoscale" }, KEPT, FALSE, 0.5 },
  { "videocrop", "videocrop left=64 top=36", { "videocrop" }, LOST, FALSE, 1 },
  { "videoflip", "videoflip method=clockwise", { "videofilter" },
      LOST_OR_UNTURNED, TRUE, 1 },
  { "videorate", "videorate ! video/x-raw,framerate=30/1", { "videorate" },
      KEPT, TRUE, 1 },
  { "jpegenc, jpegdec", "jpegenc ! jpegdec", { "jpeg" }, KEPT, TRUE, 1 },
  { "x264enc, avdec_h264", "x264enc tune=zerolatency ! h264parse ! avdec_h264",
      { "x264", "videoparsersbad", "libav" }, KEPT, TRUE, 1 },
  { "x264enc, openh264dec",
      "x264enc tune=zerolatency ! video/x-h264,"
      "profile=baseline ! h264parse ! openh264dec",
      { "x264", "videoparsersbad", "openh264" }, KEPT, TRUE, 1 },
};

/* Buffers after the detector, and at the end of the pipeline. */
static GPtrArray *sent, *received;

static GstPadProbeReturn
remember_sent (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_ptr_array_add (sent, gst_buffer_copy (GST_PAD_PROBE_INFO_BUFFER (info)));
  return GST_PAD_PROBE_OK;
}

static void
remember_received (GstElement *sink, GstBuffer *buffer, GstPad *pad,
    gpointer user_data)
{
  g_ptr_array_add (received, gst_buffer_ref (buffer));
}

static void
run (const char *elements)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=%d pattern=smpte "
      "! video/x-raw,format=I420,width=%d,height=%d,framerate=30/1 ! "
      "yolov10detect name=d backend=ref model-file=%s confidence=0.02 "
      "max-detections=10 ! %s ! fakesink name=s signal-handoffs=true",
      FRAMES, WIDTH, HEIGHT, test_gst_model (), elements);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error), *e;
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GstPad *pad;

  g_assert_no_error (error);
  sent = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  received = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  e = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  pad = gst_element_get_static_pad (e, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, remember_sent, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (e);
  e = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  g_signal_connect (e, "handoff", G_CALLBACK (remember_received), NULL);
  gst_object_unref (e);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    ck_abort_msg ("%s: %s", elements, error->message);
  }
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static void
assert_frame_meta (GstBuffer *before, GstBuffer *after)
{
  const GstStructure *was = test_gst_frame_meta (before, 0);
  const GstStructure *is = test_gst_frame_meta (after, 0);

  fail_unless (is != NULL, "the frame meta is lost");
  fail_unless (test_gst_frame_meta (after, 1) == NULL);
  fail_unless (gst_structure_is_equal (was, is));
}

static void
assert_rois (const Row *row, GArray *before, GArray *after)
{
#if GST_CHECK_VERSION(1, 27, 0)
  /* Newer versions rotate them, and some that fill the frame are lost. */
  if (row->rois == LOST_OR_UNTURNED)
    return;
#endif
  if (row->rois == LOST || (row->rois == LOST_OR_UNTURNED && !after->len)) {
    fail_unless_equals_int (after->len, 0);
    return;
  }
  fail_unless_equals_int (after->len, before->len);
  for (guint i = 0; i < after->len; i++) {
    const TestBox *was = &g_array_index (before, TestBox, i);
    const TestBox *is = &g_array_index (after, TestBox, i);

    fail_unless_equals_string (was->label, is->label);
    fail_unless_equals_int (was->id, is->id);
    fail_unless (ABS (is->x - was->x * row->scale) <= 1);
    fail_unless (ABS (is->y - was->y * row->scale) <= 1);
    fail_unless (ABS (is->w - was->w * row->scale) <= 1);
    fail_unless (ABS (is->h - was->h * row->scale) <= 1);
    fail_unless_equals_int (is->label_id >= 0, row->params);
    if (row->params)
      fail_unless (is->confidence == was->confidence && is->x_min == was->x_min
          && is->y_max == was->y_max);
  }
}

/* Each of the alternatives "a|b": GStreamer's plugins have been renamed. */
static gboolean
load_any (const char *names)
{
  gchar **list = g_strsplit (names, "|", -1);
  gboolean loaded = FALSE;

  for (guint i = 0; list[i] && !loaded; i++)
    loaded = test_gst_load_plugin (list[i]);
  g_strfreev (list);
  return loaded;
}

GST_START_TEST (test_row)
{
  const Row *row = &rows[__i__];
  guint total = 0;

  fail_unless (test_gst_load_plugin ("coreelements"));
  if (!test_gst_load_plugin ("videotestsrc")) {
    test_gst_skip ("videotestsrc is not installed");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (row->plugins) && row->plugins[i]; i++) {
    if (!load_any (row->plugins[i])) {
      test_gst_skip ("%s: plugin %s is not installed", row->name,
          row->plugins[i]);
      return;
    }
  }
  run (row->elements);
  fail_unless_equals_int (sent->len, FRAMES);
  /* GStreamer 1.28's videorate outputs the last frame twice. */
  fail_unless (received->len == FRAMES
      || (GST_CHECK_VERSION (1, 27, 0) && received->len == FRAMES + 1));
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *before = g_ptr_array_index (sent, i);
    GstBuffer *after = g_ptr_array_index (received, i);
    GArray *was = test_gst_rois (before), *is = test_gst_rois (after);

    assert_frame_meta (before, after);
    assert_rois (row, was, is);
    total += was->len;
    g_array_unref (was);
    g_array_unref (is);
  }
  fail_unless (total >= FRAMES, "nothing to lose");
  g_ptr_array_unref (sent);
  g_ptr_array_unref (received);
}

GST_END_TEST;

/* Transforms the inspection of a picture of 640 x 360 pixels, of which the part from
 * 3, 5 to 10, 12 was inferred. Returns what is left of it, or NULL. */
static const GstY10InspectionMeta *
transform_inspection (GstBuffer *to, GQuark type, gpointer data)
{
  const GstMetaInfo *info = gst_meta_get_info ("GstYolov10InspectionMeta");
  g_autoptr (GstBuffer) from = gst_buffer_new ();
  GstY10InspectionMeta *meta;
  const GstMeta *made;
  gboolean ok;

  fail_unless (info != NULL);
  meta = (GstY10InspectionMeta *) gst_buffer_add_meta (from, info, NULL);
  meta->state = GST_Y10_STATE_FRESH;
  meta->width = WIDTH;
  meta->height = HEIGHT;
  meta->region = (GstVideoRectangle){ 3, 5, 7, 7 };
  ok = info->transform_func (to, &meta->meta, from, type, data);
  made = gst_buffer_get_meta (to, info->api);
  fail_unless_equals_int (ok, made != NULL);
  return (const GstY10InspectionMeta *) made;
}

/* An inspection is about one picture: it must not become one of another. */
GST_START_TEST (test_inspection)
{
  static const struct
  {
    guint from_width, from_height, width, height;
    gboolean kept;
    GstVideoRectangle region;
  } cases[] = {
    { 640, 360, 640, 360, TRUE, { 3, 5, 7, 7 } },
    /* Rounded inwards: from 1.5, 2.5 to 5, 6. */
    { 640, 360, 320, 180, TRUE, { 2, 3, 3, 3 } },
    { 640, 360, 1280, 720, TRUE, { 6, 10, 14, 14 } },
    /* Less than a pixel is left. */
    { 640, 360, 64, 36, TRUE, { 1, 1, 0, 0 } },
    { 600, 360, 300, 180, FALSE, { 0 } },
    { 640, 300, 320, 150, FALSE, { 0 } },
    { 320, 180, 640, 360, FALSE, { 0 } },
  };
  GstElement *detect = gst_check_setup_element ("yolov10detect");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *to = gst_buffer_new ();
    GstVideoInfo in, out;
    GstVideoMetaTransform scale = { &in, &out };
    const GstY10InspectionMeta *meta;

    gst_video_info_set_format (&in, GST_VIDEO_FORMAT_I420, cases[i].from_width,
        cases[i].from_height);
    gst_video_info_set_format (&out, GST_VIDEO_FORMAT_I420, cases[i].width,
        cases[i].height);
    meta = transform_inspection (to,
        gst_video_meta_transform_scale_get_quark (), &scale);
    fail_unless ((meta != NULL) == cases[i].kept, "case %u", i);
    if (meta) {
      fail_unless_equals_int (meta->state, GST_Y10_STATE_FRESH);
      fail_unless_equals_int (meta->width, cases[i].width);
      fail_unless_equals_int (meta->height, cases[i].height);
      fail_unless (!memcmp (&meta->region, &cases[i].region,
                       sizeof meta->region),
          "case %u: %d, %d, %d x %d", i, meta->region.x, meta->region.y,
          meta->region.w, meta->region.h);
    }
    gst_buffer_unref (to);
  }
  /* Copies of all of the picture, and no other transform. */
  for (guint i = 0; i < 3; i++) {
    GstBuffer *to = gst_buffer_new ();
    GstMetaTransformCopy copy = { .region = i == 1, .offset = 0, .size = 100 };
    GQuark type = g_quark_from_string (i == 2 ? "gst-other" : "gst-copy");

    fail_unless ((transform_inspection (to, type, &copy) != NULL) == (i == 0));
    gst_buffer_unref (to);
  }
  gst_check_teardown_element (detect);
}

GST_END_TEST;

TEST_GST_MAIN (meta_survival)
{
  tcase_add_test (tc, test_inspection);
  tcase_add_loop_test (tc, test_row, 0, G_N_ELEMENTS (rows));
}
