/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Frames in CUDA memory, as far as tests need no GPU: caps, answers to queries
 * where such frames cannot be read, and no failure where the driver is
 * missing. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <dlfcn.h>

#include "gstcommon.h"

#define FEATURE "memory:CUDAMemory"
#define CUDA_CAPS \
  "video/x-raw(" FEATURE "), format=NV12, width=96, " \
  "height=96, framerate=30/1"

#ifdef HAVE_GST_CUDA
#define HAVE_CUDA TRUE
#else
#define HAVE_CUDA FALSE
#endif

static guint
count_cuda (const GstCaps *caps)
{
  guint n = 0;

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    n += gst_caps_features_contains (gst_caps_get_features (caps, i), FEATURE);
  return n;
}

/* Returns whether the pads' caps contain CUDA memory; both pads must agree. */
static gboolean
offers_cuda (GstElement *e)
{
  static const char *const names[] = { "sink", "src" };
  g_autoptr (GstCaps) cuda = gst_caps_from_string (CUDA_CAPS);
  gboolean offers[2];

  for (guint i = 0; i < 2; i++) {
    GstPad *pad = gst_element_get_static_pad (e, names[i]);
    GstCaps *caps = gst_pad_query_caps (pad, NULL);
    GstCaps *same = gst_pad_query_caps (pad, cuda);

    offers[i] = count_cuda (caps) > 0;
    fail_unless_equals_int (offers[i], !gst_caps_is_empty (same));
    /* System memory is always there. */
    fail_unless (count_cuda (caps) < gst_caps_get_size (caps));
    gst_caps_unref (caps);
    gst_caps_unref (same);
    gst_object_unref (pad);
  }
  fail_unless_equals_int (offers[0], offers[1]);
  return offers[0];
}

/* CUDA memory comes first in the template: a decoder takes the first entry. */
GST_START_TEST (test_template)
{
  g_autoptr (GstElement) e = gst_element_factory_make ("yolov10detect", NULL);
  GstElementClass *class = GST_ELEMENT_GET_CLASS (e);
  static const char *const names[] = { "sink", "src" };
  static const char *const formats[] = { "NV12", "P010_10LE", "I420", "RGBA",
    "BGRA", "RGBx", "BGRx" };

  for (guint i = 0; i < 2; i++) {
    GstCaps *caps = gst_pad_template_get_caps (
        gst_element_class_get_pad_template (class, names[i]));

    fail_unless_equals_int (gst_caps_get_size (caps), 1 + HAVE_CUDA);
    fail_unless_equals_int (count_cuda (caps), HAVE_CUDA);
    fail_unless_equals_int (
        gst_caps_features_contains (gst_caps_get_features (caps, 0), FEATURE),
        HAVE_CUDA);
    for (guint k = 0; HAVE_CUDA && k < G_N_ELEMENTS (formats); k++) {
      GstCaps *one = gst_caps_from_string (CUDA_CAPS);

      gst_caps_set_simple (one, "format", G_TYPE_STRING, formats[k], NULL);
      fail_unless (gst_caps_is_subset (one, caps), "%s", formats[k]);
      gst_caps_unref (one);
    }
    gst_caps_unref (caps);
  }
}

GST_END_TEST;

/* The pads offer CUDA memory until the backend is known, and then only if that
 * backend reads it. */
GST_START_TEST (test_caps_answers)
{
  static const char *const backends[] = { "ref", "cpu", "auto" };

  for (guint i = 0; i < G_N_ELEMENTS (backends); i++) {
    GstElement *e = gst_element_factory_make ("yolov10detect", NULL);
    gboolean before = HAVE_CUDA && i == 2;

    if (i == 2 && y10_backend_probe (Y10_BACKEND_CUDA, NULL)) {
      test_gst_skip ("there is a GPU, so backend=auto takes CUDA memory");
      gst_object_unref (e);
      return;
    }
    gst_util_set_object_arg (G_OBJECT (e), "backend", backends[i]);
    g_object_set (e, "model-file", test_gst_model (), NULL);
    for (guint turn = 0; turn < 2; turn++) {
      fail_unless_equals_int (offers_cuda (e), before);
      gst_element_set_state (e, GST_STATE_READY);
      fail_unless_equals_int (offers_cuda (e), FALSE);
      fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
          GST_STATE_CHANGE_SUCCESS);
      fail_unless_equals_int (offers_cuda (e), FALSE);
      gst_element_set_state (e, GST_STATE_NULL);
    }
    gst_object_unref (e);
  }
}

GST_END_TEST;

/* Neighbours that prefer CUDA memory and take both get system memory. */
GST_START_TEST (test_negotiates_system)
{
  GstElement *pipeline, *d, *filter, *sink;
  GstBus *bus;
  GstMessage *message;
  GstCaps *caps;
  GstPad *pad;

  if (!test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("videotestsrc")) {
    test_gst_skip ("no videotestsrc");
    return;
  }
  pipeline = gst_parse_launch (
      "videotestsrc num-buffers=2 ! "
      "yolov10detect name=d ! capsfilter name=c ! fakesink name=s",
      NULL);
  d = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  filter = gst_bin_get_by_name (GST_BIN (pipeline), "c");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  caps = gst_caps_from_string ("video/x-raw(" FEATURE "), width=96, height=96;"
                               "video/x-raw, width=96, height=96");
  g_object_set (d, "model-file", test_gst_model (), NULL);
  gst_util_set_object_arg (G_OBJECT (d), "backend", "cpu");
  g_object_set (filter, "caps", caps, NULL);
  gst_caps_unref (caps);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  pad = gst_element_get_static_pad (sink, "sink");
  caps = gst_pad_get_current_caps (pad);
  fail_unless_equals_int (count_cuda (caps), 0);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (d);
  gst_object_unref (filter);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_device_id)
{
  g_autoptr (GstElement) e = gst_element_factory_make ("yolov10detect", NULL);
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (e),
      "cuda-device-id");
  gint id;

  fail_unless_equals_int (G_PARAM_SPEC_INT (spec)->minimum, -1);
  fail_unless_equals_int (G_PARAM_SPEC_INT (spec)->maximum, G_MAXINT);
  g_object_get (e, "cuda-device-id", &id, NULL);
  fail_unless_equals_int (id, -1);
  g_object_set (e, "cuda-device-id", 3, NULL);
  g_object_get (e, "cuda-device-id", &id, NULL);
  fail_unless_equals_int (id, 3);
}

GST_END_TEST;

/* The element ignores contexts that hold no GstCudaContext, with a driver or
 * without. */
GST_START_TEST (test_contexts)
{
  static const char *const types[] = { "gst.cuda.context",
    "gst.other.context" };
  g_autoptr (GstElement) e = gst_element_factory_make ("yolov10detect", NULL);

  g_object_set (e, "model-file", test_gst_model (), NULL);
  gst_util_set_object_arg (G_OBJECT (e), "backend", "cpu");
  for (guint i = 0; i < 4; i++) {
    GstContext *context = gst_context_new (types[i & 1], TRUE);
    GstQuery *query = gst_query_new_context ("gst.cuda.context");
    GstPad *pad = gst_element_get_static_pad (e, i & 1 ? "sink" : "src");
    GstContext *answer = NULL;

    gst_structure_set (gst_context_writable_structure (context),
        "gst.cuda.context", G_TYPE_STRING, "not a context", NULL);
    gst_element_set_context (e, context);
    fail_if (gst_pad_query (pad, query));
    gst_query_parse_context (query, &answer);
    fail_unless (answer == NULL);
    gst_element_set_state (e, i < 2 ? GST_STATE_READY : GST_STATE_PAUSED);
    gst_context_unref (context);
    gst_query_unref (query);
    gst_object_unref (pad);
  }
  gst_element_set_state (e, GST_STATE_NULL);
}

GST_END_TEST;

/* A GPU that the engine can use and GStreamer cannot: frames come in system
 * memory. The backend is a fake, see fakebackend.c. */
GST_START_TEST (test_no_driver)
{
  gpointer driver = dlopen ("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  GstElement *e;
  gchar *backend;

  if (driver) {
    dlclose (driver);
    test_gst_skip ("there is an NVIDIA driver");
    return;
  }
  g_setenv ("Y10_BACKEND_PATH", FAKE_BACKEND_DIR, TRUE);
  e = gst_element_factory_make ("yolov10detect", NULL);
  g_object_set (e, "model-file", test_gst_model (), NULL);
  for (guint turn = 0; turn < 2; turn++) {
    fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
        GST_STATE_CHANGE_SUCCESS);
    g_object_get (e, "active-backend", &backend, NULL);
    fail_unless_equals_string (backend, "cuda");
    g_free (backend);
    fail_unless_equals_int (offers_cuda (e), FALSE);
    gst_element_set_state (e, GST_STATE_NULL);
  }
  gst_object_unref (e);
}

GST_END_TEST;

/* Offers a pool of at least 4 buffers and at most @max (0: unlimited). */
static GstPadProbeReturn
offer_pool (GstPad *pad, GstPadProbeInfo *info, gpointer max)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (query, NULL, 1000, 4, GPOINTER_TO_UINT (max));
  return GST_PAD_PROBE_HANDLED;
}

/* In CUDA memory the layout differs from the caps' default, so the answer
 * offers video meta; and it adds the frames that the queue holds. */
GST_START_TEST (test_allocation)
{
  static const guint maxima[] = { 0, 8, 4 };
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", 96, 96);
  g_autoptr (GstCaps) cuda = gst_caps_from_string (CUDA_CAPS);
  guint size, min, max;

  for (guint i = 0; i < 4; i++) {
    GstHarness *h = test_gst_harness ("max-queued-frames=3");
    GstQuery *query = gst_query_new_allocation (cuda, TRUE);

    if (i)
      gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
          offer_pool, GUINT_TO_POINTER (maxima[i - 1]), NULL);
    gst_harness_set_caps (h, gst_caps_copy (caps), gst_caps_copy (caps));
    fail_unless (gst_pad_peer_query (h->srcpad, query));
    fail_unless (
        gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
    fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
    gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
    fail_unless_equals_int (size, i ? 1000 : 96 * 144);
    fail_unless_equals_int (min, i ? 4 + 3 : 1 + 3);
    fail_unless (!max || max >= min);
    gst_query_unref (query);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

TEST_GST_MAIN (detect_cuda)
{
  tcase_add_test (tc, test_template);
  tcase_add_test (tc, test_caps_answers);
  tcase_add_test (tc, test_negotiates_system);
  tcase_add_test (tc, test_device_id);
  tcase_add_test (tc, test_contexts);
  tcase_add_test (tc, test_no_driver);
  tcase_add_test (tc, test_allocation);
}
