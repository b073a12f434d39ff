/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Sends detections through an element, with metadata as the detector writes them, and
 * prints what the element makes of them: the part of evaluate.py that needs GStreamer.
 *
 * usage: replay WIDTH HEIGHT ELEMENT… <detections
 *
 * A line for each frame: PTS AGE N_BOXES N_WEAK; PTS and AGE in nanoseconds, an AGE of 0
 * is a fresh result, -1 none. Then a line for each box: X0 Y0 X1 Y1 CONFIDENCE, in pixels.
 * Prints for each frame "frame N_DETECTIONS N_TRACKS NANOSECONDS", the ids of the
 * detections, -1 for none, and for each object ID X0 Y0 X1 Y1. */
#include "trackcommon.h"

#include <stdio.h>
#include <gst/check/gstharness.h>

#define MAX_BOXES 1024

static GstY10Reading reading;

static gboolean
read_boxes (TrackBox *boxes, guint n)
{
  for (guint i = 0; i < n; i++) {
    boxes[i] = (TrackBox){ .label = "person" };
    if (scanf ("%f %f %f %f %f", &boxes[i].x0, &boxes[i].y0, &boxes[i].x1,
            &boxes[i].y1, &boxes[i].confidence)
        != 5)
      return FALSE;
  }
  return TRUE;
}

static void
print (GstBuffer *buffer, const TrackFrame *frame, gint64 time)
{
  gst_y10_reading_collect (&reading, buffer, frame->width, frame->height);
  printf ("frame %u %u %" G_GINT64_FORMAT "\n", reading.result.list.n,
      reading.tracks.n, time);
  for (guint i = 0; i < reading.result.list.n; i++) {
    const GstY10Detection *d = &reading.result.list.items[i];

    printf ("%" G_GINT64_FORMAT "\n", d->tracked ? (gint64) d->track_id : -1);
  }
  for (guint i = 0; i < reading.tracks.n; i++) {
    const GstY10TrackedObject *o = &reading.tracks.items[i];

    printf ("%" G_GUINT64_FORMAT " %.3f %.3f %.3f %.3f\n", o->id, o->x0, o->y0,
        o->x1, o->y1);
  }
}

int
main (int argc, char **argv)
{
  static TrackBox boxes[MAX_BOXES], weak[MAX_BOXES];
  TrackFrame frame = { .boxes = boxes, .weak = weak, .asked = TRUE };
  long long age;
  unsigned long long pts;
  GstHarness *h;
  gchar *text;

  gst_init (&argc, &argv);
  if (argc < 4) {
    fputs ("usage: replay WIDTH HEIGHT ELEMENT… <detections\n", stderr);
    return 2;
  }
  frame.width = (guint) g_ascii_strtoull (argv[1], NULL, 10);
  frame.height = (guint) g_ascii_strtoull (argv[2], NULL, 10);
  text = g_strjoinv (" ", argv + 3);
  h = gst_harness_new_parse (text);
  g_free (text);
  text = g_strdup_printf ("video/x-raw,format=RGB,width=%u,height=%u",
      frame.width, frame.height);
  gst_harness_set_src_caps_str (h, text);
  g_free (text);
  gst_y10_reading_init (&reading);
  while (scanf ("%llu %lld %u %u", &pts, &age, &frame.n_boxes, &frame.n_weak)
      == 4) {
    GstBuffer *buffer;
    gint64 start;
    struct timespec now;

    if (frame.n_boxes > MAX_BOXES || frame.n_weak > MAX_BOXES
        || !read_boxes (boxes, frame.n_boxes)
        || !read_boxes (weak, frame.n_weak)) {
      fputs ("replay: expected boxes\n", stderr);
      return 1;
    }
    frame.pts = pts;
    frame.age = age > 0 ? (GstClockTime) age : 0;
    frame.state = age < 0 ? GST_Y10_STATE_NO_RESULT
        : age             ? GST_Y10_STATE_HELD
                          : GST_Y10_STATE_FRESH;
    buffer = track_frame_new (&frame);
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
    start = now.tv_sec * (gint64) GST_SECOND + now.tv_nsec;
    buffer = gst_harness_push_and_pull (h, buffer);
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
    if (!buffer)
      return 1;
    print (buffer, &frame,
        now.tv_sec * (gint64) GST_SECOND + now.tv_nsec - start);
    gst_buffer_unref (buffer);
  }
  gst_y10_reading_clear (&reading);
  gst_harness_teardown (h);
  return 0;
}
