/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Readings that threads make while others read: each finds the region of interest with
 * what it says, and ThreadSanitizer finds no race. */
#include <gst/video/video.h>
#include <string.h>

#include "meta/read.h"

#define N_THREADS 4
#define N_ROUNDS 200

static GstBuffer *
make_buffer (void)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_add_video_region_of_interest_meta (buffer, "cat", 4, 8, 16,
          32);

  gst_video_region_of_interest_meta_add_param (roi,
      gst_structure_new ("detection", "confidence", G_TYPE_DOUBLE, 0.5, NULL));
  gst_video_region_of_interest_meta_add_param (roi,
      gst_structure_new ("object_id", "id", G_TYPE_INT, 7, NULL));
  return buffer;
}

/* Each thread has a buffer of its own, because the counters of GStreamer's are atomic
 * in code that ThreadSanitizer does not see. */
static gpointer
read_often (gpointer user)
{
  GstBuffer *buffer = user;

  for (guint i = 0; i < N_ROUNDS; i++) {
    GstY10Reading reading = { 0 };
    const GstY10Detection *box;

    gst_y10_reading_init (&reading);
    gst_y10_reading_collect (&reading, buffer, 64, 64);
    g_assert_cmpuint (reading.result.list.n, ==, 1);
    box = &reading.result.list.items[0];
    g_assert_cmpfloat (box->x0, ==, 4);
    g_assert_cmpfloat (box->y1, ==, 40);
    g_assert_cmpfloat (box->confidence, ==, 0.5);
    g_assert_cmpuint (box->label_length, ==, 3);
    g_assert_cmpint (strncmp (box->label, "cat", 3), ==, 0);
    g_assert_true (box->tracked);
    g_assert_cmpuint (box->track_id, ==, 7);
    gst_y10_reading_clear (&reading);
  }
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[N_THREADS];
  GstBuffer *buffers[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    buffers[i] = make_buffer ();
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("reader", read_often, buffers[i]);
  for (guint i = 0; i < N_THREADS; i++) {
    g_thread_join (threads[i]);
    gst_buffer_unref (buffers[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/reading/threads", test_threads);
  return g_test_run ();
}
