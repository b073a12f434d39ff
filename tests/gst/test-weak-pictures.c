/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Real weights and pictures: where a tracker asks for weak boxes the objects, which NMS
 * selects for some heads, are the same bytes. Photographs are skipped where there are
 * none. */
#include "weakcommon.h"

#define SHARED TEST_DATA_DIR "/../../../shared"
#define WEIGHTS SHARED "/models/yolov10n-coco.safetensors"

/* Before the first frame. */
static GstPadProbeReturn
ask (GstPad *pad, GstPadProbeInfo *info, gpointer detector)
{
  GstPad *src;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  src = gst_element_get_static_pad (detector, "src");
  gst_pad_send_event (src, weak_request ("one", 0.05));
  gst_object_unref (src);
  return GST_PAD_PROBE_REMOVE;
}

static GstBuffer *
infer (const char *path, const char *properties, gboolean asks)
{
  gchar *line =
      g_strdup_printf ("filesrc location=%s ! %s ! videoconvert ! "
                       "video/x-raw,format=RGB ! yolov10detect name=d %s ! "
                       "fakesink name=s enable-last-sample=true",
          path, g_str_has_suffix (path, "png") ? "pngdec" : "jpegdec",
          properties);
  GstElement *pipeline = gst_parse_launch (line, NULL), *detector, *end;
  GstMessage *message;
  GstSample *sample;
  GstBuffer *buffer;
  g_autoptr (GstBus) bus = NULL;

  fail_unless (pipeline != NULL);
  detector = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  end = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  if (asks) {
    GstPad *pad = gst_element_get_static_pad (detector, "sink");

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, ask, detector,
        NULL);
    gst_object_unref (pad);
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, 240 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s",
      line);
  g_object_get (end, "last-sample", &sample, NULL);
  buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
  gst_sample_unref (sample);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (detector);
  gst_object_unref (end);
  gst_object_unref (pipeline);
  g_free (line);
  return buffer;
}

static void
compare (const char *path, const char *properties)
{
  g_autoptr (GstBuffer) without = infer (path, properties, FALSE);
  g_autoptr (GstBuffer) with = infer (path, properties, TRUE);
  g_autoptr (GArray) strong = test_gst_rois (with);

  g_print ("%s, %s: %u objects, %u weak boxes\n", path, properties, strong->len,
      weak_count (with));
  fail_unless (strong->len >= 2 && weak_count (with) > 0);
  weak_assert_same (without, with);
}

static void
load_plugins (void)
{
  static const char *const plugins[] = { "coreelements", "jpeg", "png" };

  for (guint i = 0; i < G_N_ELEMENTS (plugins); i++)
    fail_unless (test_gst_load_plugin (plugins[i]), "%s", plugins[i]);
  fail_unless (test_gst_load_plugin ("videoconvert")
      || test_gst_load_plugin ("videoconvertscale"));
}

/* With COCO's weights, of which there is one head. */
GST_START_TEST (test_photographs)
{
  static const char *const photos[] = { "bus.jpg", "zidane.jpg" };
  static const char *const backends[] = { "cpu", "ref input-size=256" };
  static const char *const heads[] = { "one2one", "one2one-nms" };

  if (!g_file_test (WEIGHTS, G_FILE_TEST_EXISTS)) {
    test_gst_skip ("there are no weights in ../shared");
    return;
  }
  load_plugins ();
  for (guint i = 0; i < 8; i++) {
    gchar *path = g_build_filename (SHARED, "media", photos[i / 4], NULL);
    gchar *properties = g_strdup_printf ("model-file=" WEIGHTS
                                         " backend=%s head=%s",
        backends[i / 2 % 2], heads[i % 2]);

    compare (path, properties);
    g_free (properties);
    g_free (path);
  }
}

GST_END_TEST;

/* With the bundled model, which has both heads. */
GST_START_TEST (test_codes)
{
  static const char *const properties[] = { "backend=cpu head=one2one",
    "backend=cpu head=one2many", "backend=ref input-size=192 head=one2one",
    "backend=ref input-size=192 head=one2many" };

  load_plugins ();
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    compare (TEST_DATA_DIR "/../../pipelines/codes.png", properties[i]);
}

GST_END_TEST;

TEST_GST_MAIN (weak_pictures)
{
  tcase_set_timeout (tc, 600);
  tcase_add_test (tc, test_codes);
  tcase_add_test (tc, test_photographs);
}
