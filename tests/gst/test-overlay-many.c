/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* More labels and boxes than yolov10overlay caches and draws. A separate
 * program, because so many labels are more quarks than GLib's first table
 * holds. */

#include "overlaycommon.h"

#define W 320
#define H 240

/* More labels than the cache holds, more boxes than are drawn, frame after
 * frame. */
GST_START_TEST (test_many)
{
  GstCaps *caps = overlay_caps ("NV12", W, H, NULL);
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  guint frame, i;

  for (frame = 0; frame < 4; frame++) {
    GstBuffer *buffer = overlay_picture (caps, FALSE);

    for (i = 0; i < 1500; i++) {
      gchar *label = g_strdup_printf ("%u", 1000 * frame + i);
      OverlayBox box = { i, label, 0.5, i % 300, i % 200, 20, 20 };

      overlay_add_roi (buffer, &box);
      g_free (label);
    }
    gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  }
  gst_harness_teardown (h);
  gst_caps_unref (caps);
}

GST_END_TEST;

TEST_CHECK_MAIN (overlay_many)
{
  tcase_add_test (tc, test_many);
}
