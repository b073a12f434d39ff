/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* When yolov10overlay accepts frames in CUDA memory: with which libraries, and between
 * which neighbours. */
#include "overlaycuda.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <gst/cuda/gstcudamemory.h>

#include "gstcommon.h"

static const OverlayBox boxes[] = {
  { 0, "person", 0.87, 20, 30, 41, 37 },
  { 1, "car", 0.32, 33, 41, 60, 22 },
  { 2, "dog", -1, -17, -9, 40, 33 },
  { 3, "", 0.99, 77, 5, 300, 200 },
};

/* Neighbours that accept all kinds of memory, but no compositions. */
#define PLAIN_CAPS "video/x-raw(memory:CUDAMemory); video/x-raw"

static GstStaticPadTemplate plain_src = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (PLAIN_CAPS));
static GstStaticPadTemplate plain_sink = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (PLAIN_CAPS));

/* Whether both pads of @e offer CUDA memory for such frames. */
static gboolean
takes (GstElement *e, const gchar *format)
{
  GstCaps *plain = overlay_caps (format, 96, 80, NULL);
  GstCaps *caps = test_cuda_caps (plain);
  gboolean takes[2];

  for (guint i = 0; i < 2; i++) {
    GstPad *pad = gst_element_get_static_pad (e, i ? "src" : "sink");
    GstCaps *found = gst_pad_query_caps (pad, caps);

    takes[i] = !gst_caps_is_empty (found);
    gst_caps_unref (found);
    gst_object_unref (pad);
  }
  gst_caps_unref (plain);
  gst_caps_unref (caps);
  fail_unless_equals_int (takes[0], takes[1]);
  return takes[0];
}

/* Makes a folder in which only a module that cannot be loaded is found; the
 * caller removes the folder. */
static gchar *
hide_module (void)
{
  gchar *folder = g_dir_make_tmp ("y10-no-module-XXXXXX", NULL);
  g_autofree gchar *file = g_build_filename (folder, "liby10-cuda.so", NULL);

  fail_unless (g_file_set_contents (file, "", 0, NULL));
  g_setenv ("Y10_BACKEND_PATH", folder, TRUE);
  return folder;
}

static void
remove_hidden (gchar *folder)
{
  g_autofree gchar *file = g_build_filename (folder, "liby10-cuda.so", NULL);

  g_remove (file);
  g_rmdir (folder);
  g_free (folder);
}

enum
{
  ALL_THERE,
  NO_MODULE,
  NO_DRIVER,
  N_MACHINES
};

/* Without a painter the overlay does not offer CUDA memory. */
GST_START_TEST (test_caps_answers)
{
  static const gchar *const formats[] = { "NV12", "P010_10LE", "I420", "RGBA",
    "BGRA", "RGBx", "BGRx", "RGB", "GBR" };
  GstElement *e = gst_element_factory_make ("yolov10overlay", NULL);
  GstPad *src = gst_check_setup_src_pad (e, &plain_src);
  GstPad *sink = gst_check_setup_sink_pad (e, &plain_sink);
  gchar *hidden = NULL;

  fail_unless (src && sink);
  if (__i__ == NO_MODULE)
    hidden = hide_module ();
  fake_cuda.broken = __i__ == NO_DRIVER;
  for (guint turn = 0; turn < 2; turn++) {
    fail_unless (takes (e, "NV12"));
    gst_element_set_state (e, GST_STATE_READY);
    for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
      fail_unless_equals_int (takes (e, formats[i]), __i__ == ALL_THERE);
    fail_if (takes (e, "v210"));
    gst_element_set_state (e, GST_STATE_NULL);
  }
  gst_check_teardown_src_pad (e);
  gst_check_teardown_sink_pad (e);
  gst_object_unref (e);
  if (hidden)
    remove_hidden (hidden);
}

GST_END_TEST;

static GstPadProbeReturn
add_boxes_to (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  GstBuffer *buffer = gst_buffer_make_writable (
      GST_PAD_PROBE_INFO_BUFFER (info));

  overlay_add_boxes (buffer, boxes, G_N_ELEMENTS (boxes));
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static void
keep_frame (GstElement *sink, GstBuffer *buffer, GstPad *pad, GPtrArray *frames)
{
  g_ptr_array_add (frames, gst_buffer_copy_deep (buffer));
}

#define N_FRAMES 5

/* Runs a small pipeline and attaches boxes to the frames that arrive at "o". */
static GPtrArray *
run_pipeline (const gchar *line, gboolean *in_cuda)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_buffer_unref);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) o = gst_bin_get_by_name (GST_BIN (pipeline), "o");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (o, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GstCaps *caps;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, add_boxes_to, NULL, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (keep_frame), frames);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  caps = gst_pad_get_current_caps (pad);
  *in_cuda = gst_caps_features_contains (gst_caps_get_features (caps, 0),
      GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
  gst_caps_unref (caps);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  return frames;
}

/* Between GStreamer's own elements, which create contexts, frames and copies as
 * on a real GPU: each frame is uploaded once, drawn on there, and downloaded
 * once. */
GST_START_TEST (test_neighbours)
{
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GPtrArray *expected, *found;
  gpointer cuvid = dlopen (FAKE_CUVID, RTLD_NOW | RTLD_GLOBAL);
  gboolean in_cuda;
  gint misuses;

  fail_unless (cuvid != NULL);
  if (!test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("videotestsrc")
      || !test_gst_load_plugin ("nvcodec")
      || !gst_registry_check_feature_version (gst_registry_get (), "cudaupload",
          1, 22, 0)) {
    gst_caps_unref (caps);
    return; /* not installed here */
  }
  expected = run_pipeline (
      "videotestsrc num-buffers=5 ! video/x-raw, "
      "format=NV12, width=96, height=80 ! yolov10overlay name=o ! "
      "fakesink name=sink signal-handoffs=true",
      &in_cuda);
  fail_if (in_cuda);
  fake_cuda.planes_copied = 0;
  misuses = fake_cuda.misuses;
  found = run_pipeline (
      "videotestsrc num-buffers=5 ! video/x-raw, "
      "format=NV12, width=96, height=80 ! cudaupload ! "
      "video/x-raw(memory:CUDAMemory) ! yolov10overlay name=o ! cudadownload "
      "! video/x-raw ! fakesink name=sink signal-handoffs=true",
      &in_cuda);
  fail_unless (in_cuda);
  fail_unless_equals_int (expected->len, N_FRAMES);
  fail_unless_equals_int (found->len, N_FRAMES);
  for (guint i = 0; i < N_FRAMES; i++)
    fail_unless (overlay_is_same (expected->pdata[i], found->pdata[i], caps));
  fail_unless_equals_uint64 (fake_cuda.planes_copied,
      2 * N_FRAMES * 96 * 80 * 3 / 2);
  fail_unless_equals_int (fake_cuda.launches, N_FRAMES);
  fail_unless_equals_int (fake_cuda.misuses, misuses);
  fake_cuda.misuses = 0; /* the elements are missing if the plugin does
                                 * not find the fake GPU */
  g_ptr_array_unref (expected);
  g_ptr_array_unref (found);
  gst_caps_unref (caps);
}

GST_END_TEST;

TEST_CHECK_MAIN (overlay_cudacaps)
{
  tcase_set_timeout (tc, 300);
  tcase_add_checked_fixture (tc, overlay_cuda_setup, overlay_cuda_teardown);
  tcase_add_test (tc, test_neighbours);
  tcase_add_loop_test (tc, test_caps_answers, 0, N_MACHINES);
}
