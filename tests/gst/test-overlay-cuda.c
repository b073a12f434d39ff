/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10overlay on frames in CUDA memory (cudacommon.h), drawn on by our
 * kernels on a simulated GPU: what it leaves there is to the bit what it draws
 * on the same frame in system memory, which test-overlay-pixels.c looks at, and
 * nothing of a frame comes to the host. */
#include "cudacommon.h"

#include <gst/cuda/gstcudamemory.h>
#include <string.h>

#include "countalloc.h"
#include "overlaycommon.h"
#include "simlaunch.h"

static const gchar *const formats[] = { "NV12", "P010_10LE", "I420", "YV12",
  "NV21", "Y42B", "Y444", "RGBA", "BGRA", "RGBx", "BGRx", "ARGB", "ABGR",
  "RGB", "BGR", "RGBP", "GBR"
};

/* Overlapping, at every edge, partly and wholly outside, as small as can be,
 * with and without label and confidence. */
static const OverlayBox boxes[] = {
  {0, "person", 0.87, 20, 30, 41, 37},
  {1, "car", 0.32, 33, 41, 60, 22},
  {2, "a label that is too long for any frame of this size", 0.5, 3, 61, 30, 9},
  {3, "dog", -1, -17, -9, 40, 33},
  {4, "", 0.99, 77, 5, 300, 200},
  {5, "cat", 0.4, 50, 20, 1, 1},
  {6, "bird", 1.0, 0, 0, 5, 3},
  {7, "cow", 0.6, 500, 500, 20, 20},
  {8, "person", 0.21, 11, 2, 70, 55},
};

static void
setup (void)
{
  fake_cuda.launch = test_sim_launch;
}

static void
teardown (void)
{
  fail_unless_equals_int (fake_cuda.misuses, 0);
  fail_unless_equals_int (test_sim_n_reports (), 0);
  fail_unless_equals_int (fake_cuda.allocations, 0);
}

static void
add_boxes (GstBuffer *buffer, const OverlayBox *all, guint n)
{
  for (guint i = 0; i < n; i++)
    overlay_add_roi (buffer, &all[i]);
}

/* A copy of @picture on the GPU: there, not on its way. */
static GstBuffer *
upload (GstCudaContext *context, GstCaps *caps, GstBuffer *picture)
{
  GstBuffer *buffer = test_cuda_upload (context, caps, picture);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA));
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* The same in system memory. */
static GstBuffer *
download (GstCaps *caps, GstBuffer *buffer)
{
  GstVideoFrame from, to;
  GstVideoInfo info;
  GstBuffer *out;

  fail_unless (gst_video_info_from_caps (&info, caps));
  out = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (out, 0, 0, info.size);
  fail_unless (gst_video_frame_map (&from, &info, buffer, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &info, out, GST_MAP_WRITE));
  fail_unless (gst_video_frame_copy (&to, &from));
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  return out;
}

/* Waits for no frame that will not come. */
static GstBuffer *
push_and_pull (GstHarness *h, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  return gst_harness_pull (h);
}

static GstHarness *
cuda_harness (const gchar *properties, GstCaps *caps)
{
  GstCaps *cuda = test_cuda_caps (caps);
  GstHarness *h = overlay_harness (properties, cuda, FALSE);

  gst_caps_unref (cuda);
  return h;
}

/* Draws @n boxes in both kinds of memory and compares all that is stored. */
static void
check_drawn (GstCudaContext *context, GstCaps *caps, const gchar *properties,
    const OverlayBox *all, guint n)
{
  GstBuffer *picture = overlay_picture (caps, TRUE);
  GstBuffer *in = upload (context, caps, picture), *expected, *out, *found;
  GstHarness *h = cuda_harness (properties, caps);
  GstMemory *memory = gst_buffer_peek_memory (in, 0);
  gchar *text;

  expected = gst_buffer_copy_deep (picture);
  add_boxes (expected, all, n);
  expected = overlay_run (properties, caps, expected);
  add_boxes (in, all, n);
  out = push_and_pull (h, in);
  fail_unless (out != NULL);
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  found = download (caps, out);
  text = gst_caps_to_string (caps);
  fail_unless (overlay_is_same (found, expected, caps), "\"%s\" on %s",
      properties, text);
  g_free (text);
  fail_if (overlay_is_same (found, picture, caps));
  gst_buffer_unref (found);
  gst_buffer_unref (out);
  gst_buffer_unref (expected);
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
}

/* Where GStreamer 1.22 says that V lies is half a row off where it puts it. */
static gboolean
is_misplaced (const gchar *format, gint height)
{
  return height % 2 && (!strcmp (format, "I420") || !strcmp (format, "YV12"));
}

/* Every format, even and odd sizes, all that there is to draw. */
GST_START_TEST (test_formats)
{
  static const gint sizes[][2] = { {96, 80}, {131, 67} };
  static const gchar *const properties[] = { "", "line-width=9",
    "privacy=fill show-label=false", "privacy=blur show-confidence=false"
  };
  GstCudaContext *context = test_cuda_context (0);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gint height = sizes[i][1];
    GstCaps *caps = overlay_caps (formats[__i__], sizes[i][0],
        height - is_misplaced (formats[__i__], height), NULL);

    for (guint k = 0; k < G_N_ELEMENTS (properties); k++)
      check_drawn (context, caps, properties[k], boxes, G_N_ELEMENTS (boxes));
    gst_caps_unref (caps);
  }
  gst_object_unref (context);
}

GST_END_TEST;

/* Colours follow the matrix and range of the caps. */
GST_START_TEST (test_colorimetry)
{
  static const gchar *const names[] = { "bt601", "bt709", "1:1:5:1", "bt2020" };
  GstCudaContext *context = test_cuda_context (0);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstCaps *caps = overlay_caps ("NV12", 96, 80, names[i]);

    check_drawn (context, caps, "", boxes, G_N_ELEMENTS (boxes));
    gst_caps_unref (caps);
  }
  gst_object_unref (context);
}

GST_END_TEST;

/* More than one launch takes, in their order. */
GST_START_TEST (test_many)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 160, 120, NULL);
  OverlayBox many[300];
  gchar labels[G_N_ELEMENTS (many)][8];

  for (guint i = 0; i < G_N_ELEMENTS (many); i++) {
    g_snprintf (labels[i], sizeof labels[i], "l%u", i % 40);
    many[i] = (OverlayBox) { i, labels[i], i / 300.0, i * 7 % 150, i * 11 % 110,
      3 + i * 5 % 60, 3 + i * 3 % 50
    };
  }
  check_drawn (context, caps, "", many, 100);
  fail_unless_equals_int (fake_cuda.launches, 1);
  check_drawn (context, caps, "", many, G_N_ELEMENTS (many));
  fail_unless (fake_cuda.launches > 2);
  gst_caps_unref (caps);
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

/* As many frames come out as go in, with their metadata; nothing of them comes
 * to the host, and once the labels are known nothing is allocated on the GPU or
 * copied but rectangles. */
GST_START_TEST (test_no_host_copies)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 320, 240, NULL);
  GstBuffer *picture = overlay_picture (caps, FALSE), *frames[20];
  GstHarness *h = cuda_harness (NULL, caps);
  gsize first = 0;
  gint allocated = 0;

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    frames[i] = upload (context, caps, picture);
    overlay_add_frame_meta (frames[i], "d", 320, 240, boxes, 1);
    add_boxes (frames[i], boxes, G_N_ELEMENTS (boxes));
  }
  fake_cuda.planes_copied = 0;
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    GstBuffer *out = push_and_pull (h, frames[i]);

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
  /* The counter does count. */
  gst_buffer_unref (download (caps, frames[0] = upload (context, caps,
              picture)));
  fail_unless (fake_cuda.planes_copied >= 2 * 320 * 240 * 3 / 2);
  gst_buffer_unref (frames[0]);
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
}

GST_END_TEST;

/* Without boxes a frame is not touched, nor a GPU opened. */
GST_START_TEST (test_no_boxes)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GstBuffer *picture = overlay_picture (caps, FALSE);
  GstBuffer *in = upload (context, caps, picture), *out;
  GstHarness *h = cuda_harness (NULL, caps);
  gint allocated = fake_cuda.allocated;

  out = push_and_pull (h, gst_buffer_ref (in));
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

/* Somebody else has the frame, too: it gets another one, on the GPU. */
GST_START_TEST (test_shared)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GstBuffer *picture = overlay_picture (caps, FALSE), *out, *a, *b;
  GstBuffer *in = upload (context, caps, picture);
  GstHarness *h = cuda_harness (NULL, caps);

  add_boxes (in, boxes, 2);
  fake_cuda.planes_copied = 0;
  out = push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out != NULL && out != in);
  fail_unless_equals_uint64 (fake_cuda.planes_copied, 0);
  a = download (caps, in);
  b = download (caps, out);
  fail_unless (overlay_is_same (a, picture, caps));
  fail_if (overlay_is_same (b, picture, caps));
  gst_buffer_unref (a);
  gst_buffer_unref (b);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
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
  GstHarness *h = cuda_harness (NULL, caps);

  for (guint i = 0; i < 5; i++) {
    GstBuffer *in = upload (contexts[i / 2 % 2], caps, picture), *out, *now;

    add_boxes (in, boxes, G_N_ELEMENTS (boxes));
    out = push_and_pull (h, in);
    fail_unless (out != NULL);
    now = download (caps, out);
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

/* A GPU that is lost: frames pass as they are and that is said once, unless
 * something is to be hidden. Frames of another context are drawn on again. */
GST_START_TEST (test_lost)
{
  GstCudaContext *contexts[] = { test_cuda_context (0), test_cuda_context (0) };
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GstBuffer *picture = overlay_picture (caps, FALSE);
  GstHarness *h = cuda_harness (NULL, caps);
  GstElement *e = gst_harness_find_element (h, "yolov10overlay");
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (e, bus);
  for (guint i = 0; i < 6; i++) {
    gboolean lost = i >= 1 && i < 4;
    GstBuffer *in = upload (contexts[i >= 4], caps, picture), *out, *found;

    fake_cuda.lost = lost;
    add_boxes (in, boxes, G_N_ELEMENTS (boxes));
    out = push_and_pull (h, in);
    found = download (caps, out);
    fail_unless_equals_int (overlay_is_same (found, picture, caps), lost);
    gst_buffer_unref (found);
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (test_cuda_count_messages (bus, GST_MESSAGE_WARNING),
      1);
  gst_util_set_object_arg (G_OBJECT (e), "privacy", "blur");
  fake_cuda.lost = TRUE;
  for (guint i = 0; i < 2; i++) {
    GstBuffer *in = upload (contexts[1], caps, picture);

    add_boxes (in, boxes, 1);
    fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_ERROR);
  }
  fail_unless (test_cuda_count_messages (bus, GST_MESSAGE_ERROR) >= 1);
  fail_unless_equals_int (test_cuda_count_messages (bus, GST_MESSAGE_WARNING),
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

/* The caps say CUDA memory, the buffer is something else: one error. */
GST_START_TEST (test_not_cuda)
{
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GstBuffer *in = overlay_picture (caps, FALSE);
  GstHarness *h = cuda_harness (NULL, caps);
  GstElement *e = gst_harness_find_element (h, "yolov10overlay");
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (e, bus);
  add_boxes (in, boxes, 1);
  fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_ERROR);
  fail_unless_equals_int (test_cuda_count_messages (bus, GST_MESSAGE_ERROR), 1);
  gst_element_set_bus (e, NULL);
  gst_object_unref (bus);
  gst_object_unref (e);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Neighbours without compositions, which all kinds of memory suit otherwise. */
#define PLAIN_CAPS "video/x-raw(memory:CUDAMemory); video/x-raw"

static GstStaticPadTemplate plain_src = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (PLAIN_CAPS));
static GstStaticPadTemplate plain_sink = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (PLAIN_CAPS));

/* Whether @e says on both sides that such frames can pass in CUDA memory. */
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

enum
{ ALL_THERE, NO_MODULE, NO_DRIVER, N_MACHINES };

/* Where nobody can draw there, frames in CUDA memory are not asked for. */
GST_START_TEST (test_caps_answers)
{
  GstElement *e = gst_element_factory_make ("yolov10overlay", NULL);
  GstPad *src = gst_check_setup_src_pad (e, &plain_src);
  GstPad *sink = gst_check_setup_sink_pad (e, &plain_sink);

  fail_unless (src && sink);
  if (__i__ == NO_MODULE)
    g_setenv ("Y10_BACKEND_PATH", "/nonexistent", TRUE);
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
}

GST_END_TEST;

/* Boxes travel as a composition, and only what privacy hides is drawn. */
GST_START_TEST (test_composition)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL), *both;
  GstBuffer *picture = overlay_picture (caps, TRUE);

  both = test_cuda_caps (caps);
  gst_caps_features_add (gst_caps_get_features (both, 0),
      GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION);
  for (guint hidden = 0; hidden < 2; hidden++) {
    GstHarness *h = overlay_harness (hidden ? "privacy=blur" : NULL, both,
        TRUE);
    GstBuffer *in = upload (context, caps, picture), *out, *found;

    add_boxes (in, boxes, 2);
    fake_cuda.planes_copied = 0;
    out = push_and_pull (h, in);
    fail_unless (out != NULL);
    fail_unless_equals_uint64 (fake_cuda.planes_copied, 0);
    fail_unless (gst_buffer_get_video_overlay_composition_meta (out));
    found = download (caps, out);
    fail_unless_equals_int (overlay_is_same (found, picture, caps), !hidden);
    gst_buffer_unref (found);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
  }
  gst_buffer_unref (picture);
  gst_caps_unref (both);
  gst_caps_unref (caps);
  gst_object_unref (context);
}

GST_END_TEST;

static Suite *
overlay_cuda_suite (void)
{
  Suite *s = suite_create ("yolov10overlay CUDA frames");
  TCase *tc = tcase_create ("cuda");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_loop_test (tc, test_formats, 0, G_N_ELEMENTS (formats));
  tcase_add_test (tc, test_colorimetry);
  tcase_add_test (tc, test_many);
  tcase_add_test (tc, test_no_host_copies);
  tcase_add_test (tc, test_no_boxes);
  tcase_add_test (tc, test_shared);
  tcase_add_test (tc, test_contexts);
  tcase_add_test (tc, test_lost);
  tcase_add_test (tc, test_not_cuda);
  tcase_add_loop_test (tc, test_caps_answers, 0, N_MACHINES);
  tcase_add_test (tc, test_composition);
  return s;
}

GST_CHECK_MAIN (overlay_cuda);
