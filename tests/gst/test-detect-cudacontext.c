/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The CUDA context that yolov10detect selects, with GStreamer's own CUDA
 * library on a fake driver (fakecuda.c). */
#include "cudacommon.h"

#include <gst/cuda/gstcudautils.h>

#include "gstcommon.h"

static GstElement *
make_element (const char *properties)
{
  gchar *line = g_strdup_printf ("yolov10detect name=d model-file=%s %s",
      test_gst_model (), properties);
  GError *error = NULL;
  GstElement *e = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  g_free (line);
  return e;
}

static gboolean
takes_cuda (GstElement *e)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw(memory:CUDAMemory)");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (e, "sink");
  g_autoptr (GstCaps) found = gst_pad_query_caps (pad, caps);
  gboolean takes = !gst_caps_is_empty (found);

  gst_caps_unref (caps);
  return takes;
}

/* Without a context in the pipeline the element takes the primary one and
 * publishes it; the last user releases it. */
GST_START_TEST (test_primary)
{
  static const char *const properties[] = { "backend=cuda", "backend=auto",
    "backend=cuda cuda-device-id=1" };

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    GstElement *e = make_element (properties[i]);
    GstBus *bus = gst_bus_new ();
    guint device = i == 2, id;
    GstCudaContext *cuda;

    gst_element_set_bus (e, bus);
    gst_element_set_state (e, GST_STATE_READY);
    fail_unless_equals_int (fake_cuda.primaries[device], 1);
    fail_unless_equals_int (fake_cuda.contexts, 0);
    fail_unless (takes_cuda (e));
    fail_unless_equals_int (test_gst_count_messages (bus,
                                GST_MESSAGE_HAVE_CONTEXT),
        1);
    cuda = test_cuda_ask_context (e);
    fail_unless (cuda != NULL);
    g_object_get (cuda, "cuda-device-id", &id, NULL);
    fail_unless_equals_int (id, device);
    gst_element_set_state (e, GST_STATE_PAUSED);
    fail_unless (fake_cuda.context == gst_cuda_context_get_handle (cuda));
    fail_unless_equals_int (test_gst_count_messages (bus,
                                GST_MESSAGE_HAVE_CONTEXT),
        0);
    fail_unless (takes_cuda (e));
    gst_element_set_state (e, GST_STATE_NULL);
    gst_element_set_bus (e, NULL);
    gst_object_unref (bus);
    gst_object_unref (e);
    fail_unless_equals_int (fake_cuda.primaries[device], 1);
    gst_object_unref (cuda);
    fail_unless_equals_int (fake_cuda.primaries[device], 0);
  }
  fail_unless_equals_int (fake_cuda.misuses, 0);
}

GST_END_TEST;

static GstPadProbeReturn
answer_peer (GstPad *pad, GstPadProbeInfo *info, gpointer cuda)
{
  g_autoptr (GstElement) helper = gst_bin_new (NULL);
  gboolean ok = gst_cuda_handle_context_query (helper,
      GST_PAD_PROBE_INFO_QUERY (info), cuda);

  return ok ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

static GstBusSyncReply
answer_message (GstBus *bus, GstMessage *message, gpointer cuda)
{
  const gchar *type;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT
      && gst_message_parse_context_type (message, &type)
      && g_str_equal (type, GST_CUDA_CONTEXT_TYPE))
    test_cuda_give_context (GST_ELEMENT (GST_MESSAGE_SRC (message)), cuda);
  return GST_BUS_PASS;
}

enum
{
  GIVEN,
  DOWNSTREAM,
  UPSTREAM,
  APPLICATION,
  N_OWNERS
};

/* The element takes a context that the pipeline has, unless it belongs to
 * another GPU than the requested one. */
GST_START_TEST (test_adopted)
{
  for (guint i = 0; i < 2 * N_OWNERS; i++) {
    gboolean other = i >= N_OWNERS;
    GstElement *e = make_element (
        other ? "backend=cuda cuda-device-id=0" : "backend=cuda");
    GstCudaContext *cuda = test_cuda_context (1), *taken;
    GstBus *bus = gst_bus_new ();
    GstPad *src = gst_pad_new ("src", GST_PAD_SRC);
    GstPad *sink = gst_pad_new ("sink", GST_PAD_SINK);
    GstPad *e_src = gst_element_get_static_pad (e, "src");
    GstPad *e_sink = gst_element_get_static_pad (e, "sink");

    gst_pad_link (src, e_sink);
    gst_pad_link (e_src, sink);
    gst_element_set_bus (e, bus);
    if (i % N_OWNERS == GIVEN)
      test_cuda_give_context (e, cuda);
    else if (i % N_OWNERS == APPLICATION)
      gst_bus_set_sync_handler (bus, answer_message, cuda, NULL);
    else
      gst_pad_add_probe (i % N_OWNERS == UPSTREAM ? src : sink,
          GST_PAD_PROBE_TYPE_QUERY_BOTH, answer_peer, cuda, NULL);

    for (guint turn = 0; turn < 2; turn++) {
      gst_element_set_state (e, GST_STATE_PAUSED);
      taken = test_cuda_ask_context (e);
      fail_unless_equals_int (taken == cuda, !other);
      fail_unless (fake_cuda.context == gst_cuda_context_get_handle (taken));
      fail_unless_equals_int (fake_cuda.primaries[0], other);
      gst_object_unref (taken);
      gst_element_set_state (e, GST_STATE_NULL);
    }
    gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
    gst_element_set_bus (e, NULL);
    gst_object_unref (bus);
    gst_pad_unlink (src, e_sink);
    gst_pad_unlink (e_src, sink);
    gst_object_unref (src);
    gst_object_unref (sink);
    gst_object_unref (e_src);
    gst_object_unref (e_sink);
    gst_object_unref (e);
    gst_object_unref (cuda);
    fail_unless_equals_int (fake_cuda.contexts, 0);
    fail_unless_equals_int (fake_cuda.primaries[0], 0);
  }
  fail_unless_equals_int (fake_cuda.misuses, 0);
}

GST_END_TEST;

/* The backend works and GStreamer's CUDA library does not: frames come in
 * system memory. */
GST_START_TEST (test_no_context)
{
  g_autoptr (GstElement) e = make_element ("backend=cuda");
  gchar *backend;

  fake_cuda.broken = TRUE;
  fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
      GST_STATE_CHANGE_SUCCESS);
  fail_if (takes_cuda (e));
  fail_unless (test_cuda_ask_context (e) == NULL);
  g_object_get (e, "active-backend", &backend, NULL);
  fail_unless_equals_string (backend, "cuda");
  g_free (backend);
  gst_element_set_state (e, GST_STATE_NULL);
}

GST_END_TEST;

TEST_GST_MAIN (detect_cudacontext)
{
  tcase_set_timeout (tc, 300);
  tcase_add_test (tc, test_primary);
  tcase_add_test (tc, test_adopted);
  tcase_add_test (tc, test_no_context);
}
