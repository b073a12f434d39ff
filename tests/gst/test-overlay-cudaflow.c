/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How frames in CUDA memory pass through yolov10overlay (overlaycuda.h): that no
 * pixels are copied to the host, in which contexts and on which streams it draws, and
 * what happens to frames that it cannot draw on. test-overlay-cuda.c compares the
 * pixels, test-overlay-cudacaps.c tests when it accepts such frames. */
#include "overlaycuda.h"

#include <dlfcn.h>
#include <gst/cuda/gstcudamemory.h>
#include <string.h>
#include <y10/painter.h>

#include "countalloc.h"
#include "gstcommon.h"
#include "mallocs.h"

static const OverlayBox boxes[] = {
  { 0, "person", 0.87, 20, 30, 41, 37 },
  { 1, "car", 0.32, 33, 41, 60, 22 },
  { 2, "dog", -1, -17, -9, 40, 33 },
  { 3, "", 0.99, 77, 5, 300, 200 },
};

/* A neighbour that accepts all kinds of memory, but no compositions. */
static GstStaticPadTemplate plain_sink = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-raw(memory:CUDAMemory); video/x-raw"));

static gboolean
do_nothing (const char *kernel, const guint grid[3], const guint block[3],
    guint shared_bytes, const void *params)
{
  return TRUE;
}

#define MEMORY_NEEDS_SYNC (GST_MEMORY_FLAG_LAST << 2)

/* If the producer has a CUDA stream (GStreamer 1.24), the overlay draws on it
 * and marks the memory, so that readers on other streams wait. Otherwise
 * drawing has finished when the frame leaves. */
GST_START_TEST (test_streams)
{
  gpointer (*stream_new) (
      GstCudaContext *) = dlsym (RTLD_DEFAULT, "gst_cuda_stream_new");
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  g_autoptr (GstBuffer) picture = overlay_picture (caps, FALSE);
  GstHarness *h = overlay_cuda_harness (NULL, caps);

  for (guint i = 0; i < 3; i++) {
    gpointer stream = stream_new && i != 1 ? stream_new (context) : NULL;
    GstBuffer *in = test_cuda_upload_by (context, caps, picture, stream), *out;
    GstMapInfo map;

    fail_unless (gst_buffer_map (in, &map, GST_MAP_READ | GST_MAP_CUDA));
    gst_buffer_unmap (in, &map);
    GST_MINI_OBJECT_FLAG_UNSET (gst_buffer_peek_memory (in, 0),
        MEMORY_NEEDS_SYNC);
    overlay_add_boxes (in, boxes, 1);
    out = overlay_push_and_pull (h, in);
    fail_unless_equals_int (GST_MEMORY_FLAG_IS_SET (gst_buffer_peek_memory (out,
                                                        0),
                                MEMORY_NEEDS_SYNC),
        stream != NULL);
    gst_buffer_unref (out);
    if (stream)
      gst_mini_object_unref (stream);
  }
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
}

GST_END_TEST;

#define WARM_UP 4
#define FRAMES 16

typedef struct
{
  const OverlayBox *box;
  guint n;
} Boxes;

/* Returns the host allocations of FRAMES frames whose labels are cached. */
static gint
count_allocations (gconstpointer data)
{
  const Boxes *all = data;
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  g_autoptr (GstBuffer) picture = overlay_picture (caps, FALSE);
  GstBuffer *frames[WARM_UP + FRAMES];
  GstHarness *h = overlay_cuda_harness (NULL, caps);
  gint n;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    frames[i] = overlay_upload (context, caps, picture);
    overlay_add_boxes (frames[i], all->box, all->n);
  }
  n = test_n_frame_allocations (h, &plain_sink, frames, G_N_ELEMENTS (frames),
      WARM_UP);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
  return n;
}

/* Frames with boxes allocate no more than frames without. */
GST_START_TEST (test_frame_path)
{
  static const OverlayBox elsewhere = { 7, "cow", 0.6, 500, 500, 20, 20 };
  const Boxes here = { boxes, G_N_ELEMENTS (boxes) }, none = { &elsewhere, 1 };

  if (!test_mallocs_can_count ())
    return; /* a sanitizer or another C library counts */
  /* The simulator allocates, so it is left out here. */
  fake_cuda.launch = do_nothing;
  fail_unless (test_fewest_allocations (count_allocations, &here)
      <= test_fewest_allocations (count_allocations, &none));
}

GST_END_TEST;

static Y10PaintItem
fill_item (gint x0, gint y0, gint x1, gint y1)
{
  return (Y10PaintItem){
    .kind = Y10_PAINT_FILL,
    .x0 = x0,
    .y0 = y0,
    .x1 = x1,
    .y1 = y1,
  };
}

/* A call that would write outside of a frame, or read outside of a text, is
 * rejected with a message, and nothing is drawn. */
GST_START_TEST (test_wrong_items)
{
  GstCudaContext *context = test_cuda_context (0);
  guint8 coverage[16] = { 0 };
  Y10PaintText text = {
    .size = sizeof (Y10PaintText),
    .width = 4,
    .height = 4,
    .full = coverage,
  };
  Y10Canvas good = { .size = sizeof (Y10Canvas),
    .width = 64,
    .height = 48,
    .n_components = 2,
    .component = { { coverage, 64, 1, 0, 0 }, { coverage, 64, 2, 1, 1 } } },
            canvas;
  Y10PaintItem items[8];
  GError *error = NULL;
  Y10Painter *painter;

  painter = y10_painter_new (gst_cuda_context_get_handle (context), &error);
  g_assert_no_error (error);
  items[0] = fill_item (-1, 0, 4, 4);
  items[1] = fill_item (0, 0, 65, 4);
  items[2] = fill_item (0, 40, 4, 49);
  items[3] = fill_item (4, 0, 4, 4);
  items[4] = fill_item (0, 0, 4, 4);
  items[4].kind = 17;
  items[5] = fill_item (0, 0, 4, 4);
  items[5].kind = Y10_PAINT_SHADE;
  items[5].alpha = 257;
  items[6] = fill_item (0, 0, 6, 4);
  items[6].kind = Y10_PAINT_TEXT;
  items[6].text = &text;
  /* The chroma is subsampled, and the text has no coverage for that. */
  items[7] = items[6];
  items[7].x1 = 4;
  for (guint i = 0; i < G_N_ELEMENTS (items); i++) {
    fail_if (y10_painter_draw (painter, &good, &items[i], 1, NULL, &error));
    g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
    fail_unless (strstr (error->message, "64x48") != NULL);
    g_clear_error (&error);
  }
  items[0] = fill_item (0, 0, 4, 4);
  for (guint i = 0; i < 4; i++) {
    canvas = good;
    if (i == 0)
      canvas.width = 65536;
    else if (i == 1)
      canvas.n_components = 5;
    else if (i == 2)
      canvas.component[1].x_shift = 2;
    else
      canvas.component[0].data = NULL;
    fail_if (y10_painter_draw (painter, &canvas, items, 1, NULL, &error));
    g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
    g_clear_error (&error);
  }
  fail_unless_equals_int (fake_cuda.launches, 0);
  y10_painter_free (painter);
  gst_object_unref (context);
}

GST_END_TEST;

static guint
count_rois (GstBuffer *buffer)
{
  gpointer state = NULL;
  guint n = 0;

  while (gst_buffer_iterate_meta_filtered (buffer, &state,
      GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))
    n++;
  return n;
}

/* Every frame comes out with its metadata; no pixels are copied to the host.
 * Once the labels are cached, nothing is allocated on the GPU, and only
 * rectangles are copied. */
GST_START_TEST (test_no_host_copies)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 320, 240, NULL);
  GstBuffer *picture = overlay_picture (caps, FALSE), *frames[20];
  GstHarness *h = overlay_cuda_harness (NULL, caps);
  gsize first = 0;
  gint allocated = 0;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    frames[i] = overlay_upload (context, caps, picture);
    overlay_add_frame_meta (frames[i], "d", 320, 240, boxes, 1);
    overlay_add_boxes (frames[i], boxes, G_N_ELEMENTS (boxes));
  }
  fake_cuda.planes_copied = 0;
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    GstBuffer *out = overlay_push_and_pull (h, frames[i]);

    fail_unless (out == frames[i]);
    fail_unless_equals_int (count_rois (out), G_N_ELEMENTS (boxes));
    fail_unless (gst_buffer_get_custom_meta (out, "GstYolov10FrameMeta"));
    if (i == 0) {
      first = fake_cuda.bytes_copied;
      allocated = fake_cuda.allocated;
    }
    gst_buffer_unref (out);
  }
  fail_unless_equals_uint64 (fake_cuda.planes_copied, 0);
  fail_unless_equals_int (fake_cuda.launches, G_N_ELEMENTS (frames));
  fail_unless_equals_int (fake_cuda.allocated, allocated);
  fail_unless (fake_cuda.bytes_copied - first < 16384 * G_N_ELEMENTS (frames));
  /* Checks that the counter works. */
  gst_buffer_unref (overlay_download (caps,
      frames[0] = overlay_upload (context, caps, picture)));
  fail_unless (fake_cuda.planes_copied >= 2 * 320 * 240 * 3 / 2);
  gst_buffer_unref (frames[0]);
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
}

GST_END_TEST;

/* Without boxes the overlay neither touches a frame nor opens a GPU. */
GST_START_TEST (test_no_boxes)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GstBuffer *picture = overlay_picture (caps, FALSE);
  GstBuffer *in = overlay_upload (context, caps, picture), *out;
  GstHarness *h = overlay_cuda_harness (NULL, caps);
  gint allocated = fake_cuda.allocated;

  out = overlay_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out == in);
  fail_unless_equals_int (fake_cuda.launches, 0);
  fail_unless_equals_int (fake_cuda.allocated, allocated);
  fail_unless_equals_int (fake_cuda.primaries[0], 0);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
}

GST_END_TEST;

/* Frames of one context after those of another. */
GST_START_TEST (test_contexts)
{
  GstCudaContext *contexts[] = { test_cuda_context (0), test_cuda_context (1) };
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GstBuffer *picture = overlay_picture (caps, FALSE), *first = NULL;
  GstHarness *h = overlay_cuda_harness (NULL, caps);

  for (guint i = 0; i < 5; i++) {
    GstBuffer *in = overlay_upload (contexts[i / 2 % 2], caps, picture), *out,
              *now;

    overlay_add_boxes (in, boxes, G_N_ELEMENTS (boxes));
    out = overlay_push_and_pull (h, in);
    fail_unless (out != NULL);
    now = overlay_download (caps, out);
    fail_unless (!first || overlay_is_same (first, now, caps));
    gst_buffer_replace (&first, now);
    gst_buffer_unref (now);
    gst_buffer_unref (out);
  }
  gst_buffer_unref (first);
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (contexts[0]);
  gst_object_unref (contexts[1]);
  fail_unless_equals_int (fake_cuda.contexts, 0);
}

GST_END_TEST;

/* After the loss of the GPU frames pass unchanged with one warning, unless
 * privacy has to cover something. On frames of another context the overlay
 * draws again. */
GST_START_TEST (test_lost)
{
  GstCudaContext *contexts[] = { test_cuda_context (0), test_cuda_context (0) };
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GstBuffer *picture = overlay_picture (caps, FALSE);
  GstHarness *h = overlay_cuda_harness (NULL, caps);
  GstElement *e = gst_harness_find_element (h, "yolov10overlay");
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (e, bus);
  for (guint i = 0; i < 6; i++) {
    gboolean lost = i >= 1 && i < 4;
    GstBuffer *in = overlay_upload (contexts[i >= 4], caps, picture), *out,
              *found;

    fake_cuda.lost = lost;
    overlay_add_boxes (in, boxes, G_N_ELEMENTS (boxes));
    out = overlay_push_and_pull (h, in);
    found = overlay_download (caps, out);
    fail_unless_equals_int (overlay_is_same (found, picture, caps), lost);
    gst_buffer_unref (found);
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_WARNING),
      1);
  gst_util_set_object_arg (G_OBJECT (e), "privacy", "blur");
  fake_cuda.lost = TRUE;
  for (guint i = 0; i < 2; i++) {
    GstBuffer *in = overlay_upload (contexts[1], caps, picture);

    overlay_add_boxes (in, boxes, 1);
    fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_ERROR);
  }
  fail_unless (test_gst_count_messages (bus, GST_MESSAGE_ERROR) >= 1);
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_WARNING),
      0);
  gst_element_set_bus (e, NULL);
  gst_object_unref (bus);
  gst_object_unref (e);
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (contexts[0]);
  gst_object_unref (contexts[1]);
}

GST_END_TEST;

/* The caps have CUDA memory, the buffer has not: one error. */
GST_START_TEST (test_not_cuda)
{
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GstBuffer *in = overlay_picture (caps, FALSE);
  GstHarness *h = overlay_cuda_harness (NULL, caps);
  g_autoptr (GstElement) e = gst_harness_find_element (h, "yolov10overlay");
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (e, bus);
  overlay_add_boxes (in, boxes, 1);
  fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_ERROR);
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_ERROR), 1);
  gst_element_set_bus (e, NULL);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
}

GST_END_TEST;

TEST_CHECK_MAIN (overlay_cudaflow)
{
  tcase_set_timeout (tc, 300);
  tcase_add_checked_fixture (tc, overlay_cuda_setup, overlay_cuda_teardown);
  tcase_add_test (tc, test_streams);
  tcase_add_test (tc, test_frame_path);
  tcase_add_test (tc, test_wrong_items);
  tcase_add_test (tc, test_no_host_copies);
  tcase_add_test (tc, test_no_boxes);
  tcase_add_test (tc, test_contexts);
  tcase_add_test (tc, test_lost);
  tcase_add_test (tc, test_not_cuda);
}
