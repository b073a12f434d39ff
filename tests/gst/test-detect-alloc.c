/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* For each frame, yolov10detect allocates nothing but the metadata. This
 * program's own malloc() counts, in all threads; an inactive detector shows how
 * much GStreamer allocates to pass a frame. */
#include "countalloc.h"
#include "gstcommon.h"
#include "mallocs.h"
#include "weakcommon.h"

#define WARM_UP 8
#define FRAMES 20

static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/* Whether a tracker asks for weak boxes. */
static gboolean asks;

/* Returns the number of allocations of FRAMES frames. */
static gint
count_once (gconstpointer properties)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", 160, 120);
  GstBuffer *frames[WARM_UP + FRAMES];
  GstHarness *h = test_gst_harness (properties);
  gint n;

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  if (asks)
    fail_unless (
        gst_harness_push_upstream_event (h, weak_request ("one", 0.01)));
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = test_gst_picture_caps (caps, i);
  n = test_n_frame_allocations (h, &sink, frames, G_N_ELEMENTS (frames),
      WARM_UP);
  gst_harness_teardown (h);
  return n;
}

static gint
count (const char *properties)
{
  return test_fewest_allocations (count_once, properties);
}

GST_START_TEST (test_frame_path)
{
  static const char *const backends[] = { "ref", "cpu" };

  if (!test_mallocs_can_count ()) {
    test_gst_skip ("a sanitizer or another C library owns malloc()");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (backends); i++) {
    gchar *idle = g_strdup_printf ("backend=%s threads=1 active=false",
        backends[i]);
    gchar *busy = g_strdup_printf ("backend=%s threads=1 confidence=0.02 "
                                   "attach=\"\"",
        backends[i]);
    gchar *tiled =
        g_strdup_printf ("backend=%s threads=1 confidence=0.02 "
                         "attach=\"\" tiles=2x1 region=\"0,0 1,0.9\"",
            backends[i]);
    gchar *metas = g_strdup_printf ("backend=%s threads=1 confidence=0.02",
        backends[i]);
    gint base = count (idle);

    fail_unless_equals_int (count (busy), base);
    if (i) /* ref would take long */
      fail_unless_equals_int (count (tiled), base);
    asks = i > 0;
    if (asks)
      fail_unless_equals_int (count (busy), base);
    asks = FALSE;
    /* Checks that the counter works. */
    fail_unless (count (metas) > base + FRAMES);
    g_free (idle);
    g_free (busy);
    g_free (tiled);
    g_free (metas);
  }
}

GST_END_TEST;

TEST_GST_MAIN (detect_alloc)
{
  tcase_add_test (tc, test_frame_path);
}
