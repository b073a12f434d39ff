/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect on frames in CUDA memory (cudacommon.h) with a backend that
 * reads them (fakebackend.c): the detections equal those of the same frame in
 * system memory. */
#include "cudadetect.h"

#include <dlfcn.h>

#include "countalloc.h"
#include "fakegate.h"
#include "mallocs.h"

/* Every format, at a size whose rows have padding. */
GST_START_TEST (test_formats)
{
  static const char *const formats[] = { "NV12", "P010_10LE", "I420", "YV12",
    "NV21", "Y42B", "Y444", "RGBA", "BGRA", "RGBx", "BGRx", "ARGB", "ABGR",
    "RGB", "BGR", "RGBP", "GBR" };
  GstCudaContext *context = test_cuda_context (0);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstCaps *caps = test_gst_caps (formats[i], 94, 62);
    GstBuffer *picture = test_gst_picture_caps (caps, 7), *in, *out;
    GArray *expected = test_gst_expected (picture, caps, NULL,
        &cuda_detect_params, Y10_HEAD_AUTO);
    GstHarness *h = cuda_detect_harness ("backend=auto", context, caps);
    GstMemory *memory;

    in = test_cuda_upload (context, caps, picture);
    memory = gst_buffer_peek_memory (in, 0);
    out = gst_harness_push_and_pull (h, in);
    fail_unless (out != NULL, "%s", formats[i]);
    fail_unless (gst_buffer_peek_memory (out, 0) == memory);
    fail_unless_equals_int (fake_cuda.images, i + 1);
    cuda_detect_assert_found (out, expected, 94, 62);
    g_array_unref (expected);
    gst_buffer_unref (out);
    gst_buffer_unref (picture);
    gst_harness_teardown (h);
    gst_caps_unref (caps);
  }
  fail_unless_equals_int (fake_cuda.allocations, 0);
  fail_unless_equals_int (fake_cuda.misuses, 0);
  gst_object_unref (context);
}

GST_END_TEST;

/* Without a video meta the strides come from the memory; a crop meta is
 * honoured. */
GST_START_TEST (test_metas)
{
  const GstVideoRectangle rectangle = { 31, 17, 90, 63 };
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = test_gst_caps ("NV12", 160, 120);
  GstBuffer *picture = test_gst_picture_caps (caps, 5);
  GstHarness *h = cuda_detect_harness ("backend=cuda", context, caps);

  for (guint cropped = 0; cropped < 2; cropped++) {
    GArray *expected = test_gst_expected (picture, caps,
        cropped ? &rectangle : NULL, &cuda_detect_params, Y10_HEAD_AUTO);
    GstBuffer *in = test_cuda_upload (context, caps, picture), *out;

    if (cropped) {
      GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (in);

      crop->x = rectangle.x;
      crop->y = rectangle.y;
      crop->width = rectangle.w;
      crop->height = rectangle.h;
    } else {
      GstMeta *meta = (GstMeta *) gst_buffer_get_video_meta (in);

      GST_META_FLAG_UNSET (meta, GST_META_FLAG_LOCKED);
      fail_unless (gst_buffer_remove_meta (in, meta));
    }
    out = gst_harness_push_and_pull (h, in);
    fail_unless (out != NULL);
    cuda_detect_assert_found (out, expected, 160, 120);
    g_array_unref (expected);
    gst_buffer_unref (out);
  }
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
  fail_unless_equals_int (fake_cuda.misuses, 0);
}

GST_END_TEST;

/* Parts of frames in CUDA memory are read in place: the boxes are those of the
 * same frame in system memory. */
GST_START_TEST (test_parts)
{
  static const char *const properties[] = { "tiles=2x2",
    "region=\"0.1,0.1 0.9,0.2 0.6,0.9\" tiles=2x1" };
  GstCudaContext *context = test_cuda_context (0);
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", 160, 120);
  g_autoptr (GstBuffer) picture = test_gst_picture_caps (caps, 5);
  guint images = 0;

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    gchar *all = g_strdup_printf ("backend=ref " CUDA_DETECT_PROPERTIES " %s",
        properties[i]);
    GstHarness *host = test_gst_harness (all), *h;
    GstBuffer *expected, *out;
    GArray *boxes, *found;

    gst_harness_set_src_caps (host, gst_caps_ref (caps));
    expected = gst_harness_push_and_pull (host, gst_buffer_ref (picture));
    boxes = test_gst_rois (expected);
    fail_unless (boxes->len >= 10);
    g_free (all);
    all = g_strdup_printf ("backend=cuda %s", properties[i]);
    h = cuda_detect_harness (all, context, caps);
    out = gst_harness_push_and_pull (h,
        test_cuda_upload (context, caps, picture));
    found = test_gst_rois (out);
    fail_unless_equals_int (found->len, boxes->len);
    fail_unless (
        !memcmp (found->data, boxes->data, boxes->len * sizeof (TestBox)));
    images += i ? 3 : 5;
    fail_unless_equals_int (fake_cuda.images, images);
    gst_buffer_unref (expected);
    gst_buffer_unref (out);
    g_array_unref (boxes);
    g_array_unref (found);
    g_free (all);
    gst_harness_teardown (host);
    gst_harness_teardown (h);
  }
  fail_unless_equals_int (fake_cuda.misuses, 0);
  gst_object_unref (context);
}

GST_END_TEST;

/* If the producer has a CUDA stream, the engine gets it with the frame; another
 * frame may have none. */
GST_START_TEST (test_streams)
{
  gpointer (*stream_new) (
      GstCudaContext *) = dlsym (RTLD_DEFAULT, "gst_cuda_stream_new");
  gpointer (*get_handle) (
      gpointer) = dlsym (RTLD_DEFAULT, "gst_cuda_stream_get_handle");
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = test_gst_caps ("NV12", 96, 96);
  GstBuffer *picture = test_gst_picture_caps (caps, 5);
  GstHarness *h = cuda_detect_harness ("backend=cuda", context, caps);
  guint major, minor, micro, nano;
  GArray *expected = test_gst_expected (picture, caps, NULL,
      &cuda_detect_params, Y10_HEAD_AUTO);

  gst_version (&major, &minor, &micro, &nano);
  fail_unless_equals_int (stream_new != NULL, minor >= 24);
  for (guint i = 0; i < 3; i++) {
    gpointer stream = stream_new && i != 1 ? stream_new (context) : NULL;
    GstBuffer *out = gst_harness_push_and_pull (h,
        test_cuda_upload_by (context, caps, picture, stream));

    cuda_detect_assert_found (out, expected, 96, 96);
    fail_unless (fake_cuda.stream == (stream ? get_handle (stream) : NULL));
    fail_unless_equals_int (fake_cuda.stream != NULL, minor >= 24 && i != 1);
    gst_buffer_unref (out);
    if (stream)
      gst_mini_object_unref (stream);
  }
  g_array_unref (expected);
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
  fail_unless_equals_int (fake_cuda.misuses, 0);
}

GST_END_TEST;

#define WARM_UP 8
#define FRAMES 20

static GstStaticPadTemplate any_sink = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/* Returns the number of allocations of FRAMES frames. */
static gint
count_once (gconstpointer properties)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = test_gst_caps ("NV12", 160, 120);
  g_autoptr (GstBuffer) picture = test_gst_picture_caps (caps, 1);
  GstBuffer *frames[WARM_UP + FRAMES];
  GstHarness *h = cuda_detect_harness (properties, context, caps);
  gint n;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = test_cuda_upload (context, caps, picture);
  n = test_n_frame_allocations (h, &any_sink, frames, G_N_ELEMENTS (frames),
      WARM_UP);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
  return n;
}

static gint
count_allocations (const char *properties)
{
  return test_fewest_allocations (count_once, properties);
}

GST_START_TEST (test_frame_path)
{
  gint base, metas;

  if (!test_mallocs_can_count ()) {
    test_gst_skip ("a sanitizer or another C library owns malloc()");
    return;
  }
  base = count_allocations ("backend=cuda active=false");
  /* All wait for their inferences: one that leaves before is copied, because the
   * engine still reads it. */
  fail_unless_equals_int (count_allocations ("backend=cuda attach=\"\" "
                                             "late-policy=infer-all"),
      base);
  /* Checks that the counter works. */
  metas = count_allocations ("backend=cuda late-policy=infer-all");
  fail_unless (metas > base + FRAMES);
}

GST_END_TEST;

/* The caps have CUDA memory, the buffer has not: one error. */
GST_START_TEST (test_not_cuda)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = test_gst_caps ("NV12", 96, 96);
  GstHarness *h = cuda_detect_harness ("backend=cuda", context, caps);
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (e, bus);
  fail_unless_equals_int (gst_harness_push (h, test_gst_picture_caps (caps, 1)),
      GST_FLOW_ERROR);
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_ERROR), 1);
  gst_element_set_bus (e, NULL);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
}

GST_END_TEST;

/* Frames in another context: the element opens one new engine in that context,
 * unless it belongs to another GPU than the requested one, which is one error
 * and no crash. */
GST_START_TEST (test_other_context)
{
  for (guint wrong = 0; wrong < 2; wrong++) {
    GstCudaContext *ours = test_cuda_context (0),
                   *theirs = test_cuda_context (wrong);
    GstCaps *caps = test_gst_caps ("NV12", 96, 96);
    GstBuffer *picture = test_gst_picture_caps (caps, 3), *out;
    GArray *expected = test_gst_expected (picture, caps, NULL,
        &cuda_detect_params, Y10_HEAD_AUTO);
    GstHarness *h = cuda_detect_harness ("backend=cuda cuda-device-id=0", ours,
        caps);
    GstElement *e = gst_object_ref (h->element);
    GstBus *bus = gst_bus_new ();
    gint opened = fake_cuda.opened;

    gst_element_set_bus (e, bus);
    fail_unless (fake_cuda.context == gst_cuda_context_get_handle (ours));
    for (guint i = 0; i < 3; i++) {
      GstBuffer *in = test_cuda_upload (theirs, caps, picture);

      if (wrong) {
        fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_ERROR);
        continue;
      }
      out = gst_harness_push_and_pull (h, in);
      fail_unless (out != NULL);
      cuda_detect_assert_found (out, expected, 96, 96);
      gst_buffer_unref (out);
      fail_unless_equals_int (fake_cuda.opened, opened + 1);
      fail_unless (fake_cuda.context == gst_cuda_context_get_handle (theirs));
    }
    fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_ERROR),
        wrong);
    gst_element_set_bus (e, NULL);
    gst_object_unref (bus);
    gst_object_unref (e);
    g_array_unref (expected);
    gst_buffer_unref (picture);
    gst_harness_teardown (h);
    gst_caps_unref (caps);
    gst_object_unref (ours);
    gst_object_unref (theirs);
    fail_unless_equals_int (fake_cuda.contexts, 0);
  }
  fail_unless_equals_int (fake_cuda.misuses, 0);
}

GST_END_TEST;

typedef struct
{
  GstHarness *h;
  GstBuffer *in;
  GstFlowReturn flow;
} Push;

static gpointer
push (gpointer data)
{
  Push *push = data;

  push->flow = gst_harness_push (push->h, g_steal_pointer (&push->in));
  return NULL;
}

static gpointer
flush (gpointer data)
{
  gst_pad_push_event (((Push *) data)->h->srcpad, gst_event_new_flush_start ());
  return NULL;
}

/* A frame in another context waits for the inference of an earlier one, and a flush
 * wakes it: that is no error. */
GST_START_TEST (test_other_context_flushed)
{
  GstCudaContext *ours = test_cuda_context (0), *theirs = test_cuda_context (0);
  GstCaps *caps = test_gst_caps ("NV12", 96, 96);
  GstBuffer *picture = test_gst_picture_caps (caps, 3);
  GThread *pusher, *flusher;
  FakeGate gate;
  Push two;

  fake_gate_begin (&gate);
  fake_gate_open (&gate);
  two.h = cuda_detect_harness ("backend=cuda", ours, caps);
  fake_gate_close (&gate);
  fail_unless_equals_int (gst_harness_push (two.h,
                              test_cuda_upload (ours, caps, picture)),
      GST_FLOW_OK);
  fake_gate_await (&gate);
  two.in = test_cuda_upload (theirs, caps, picture);
  pusher = g_thread_new ("push", push, &two);
  /* Too short a sleep may miss a defect, but never fails a correct element. */
  g_usleep (100 * 1000);
  /* It waits for the output task, and that one for the inference. */
  flusher = g_thread_new ("flush", flush, &two);
  g_thread_join (pusher);
  fail_unless_equals_int (two.flow, GST_FLOW_FLUSHING);
  fake_gate_open (&gate);
  g_thread_join (flusher);
  gst_harness_teardown (two.h);
  fake_gate_end (&gate);
  g_unsetenv ("Y10_FAKE_GATE");
  gst_buffer_unref (picture);
  gst_caps_unref (caps);
  gst_object_unref (ours);
  gst_object_unref (theirs);
  fail_unless_equals_int (fake_cuda.misuses, 0);
}

GST_END_TEST;

TEST_GST_MAIN (detect_cudaframes)
{
  tcase_set_timeout (tc, 300);
  tcase_add_test (tc, test_formats);
  tcase_add_test (tc, test_metas);
  tcase_add_test (tc, test_parts);
  tcase_add_test (tc, test_streams);
  tcase_add_test (tc, test_frame_path);
  tcase_add_test (tc, test_not_cuda);
  tcase_add_test (tc, test_other_context);
  tcase_add_test (tc, test_other_context_flushed);
}
