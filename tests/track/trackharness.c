/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The harness of the tests of the element, and what they read from a frame. */
#include "trackharness.h"

GstY10Reading track_reading;

void
track_setup (void)
{
  gst_y10_reading_init (&track_reading);
}

void
track_teardown (void)
{
  gst_y10_reading_clear (&track_reading);
}

GstHarness *
track_harness (const gchar *properties)
{
  gchar *line = g_strdup_printf ("yolov10track name=t %s",
      properties ? properties : "");
  GstHarness *h = gst_harness_new_parse (line);

  g_free (line);
  gst_harness_set_src_caps_str (h, TRACK_CAPS);
  return h;
}

/* Two objects; the second one goes left. */
guint
track_scene (TrackBox *boxes, gdouble n)
{
  const gfloat right = (gfloat) (4 * n), left = (gfloat) (3 * n);

  boxes[0] = (TrackBox){ "person", 0, 0.9f, 50 + right, 100, 90 + right, 200 };
  boxes[1] = (TrackBox){ "car", 2, 0.8f, 450 - left, 250, 550 - left, 320 };
  return 2;
}

/* Sends frame @n with the boxes of frame @of. Reads the result. */
GstBuffer *
track_send (GstHarness *h, guint n, gint of)
{
  TrackBox boxes[2];
  TrackFrame frame = {
    .width = TRACK_WIDTH,
    .height = TRACK_HEIGHT,
    .pts = n * TRACK_FRAME,
    .boxes = boxes,
    .state = of < 0       ? GST_Y10_STATE_NO_RESULT
        : (guint) of == n ? GST_Y10_STATE_FRESH
                          : GST_Y10_STATE_HELD,
    .age = of < 0 ? 0 : (n - (guint) of) * TRACK_FRAME,
  };
  GstBuffer *out;

  frame.n_boxes = of < 0 ? 0 : track_scene (boxes, of);
  out = gst_harness_push_and_pull (h, track_frame_new (&frame));
  fail_unless (out != NULL);
  gst_y10_reading_collect (&track_reading, out, TRACK_WIDTH, TRACK_HEIGHT);
  return out;
}

const GstStructure *
track_frame_meta (GstBuffer *buffer)
{
  gpointer state = NULL;

  return gst_yolov10_frame_meta_find (buffer, &state);
}

/* The id of the only detection with the label, from its region. */
guint64
track_id_of (GstBuffer *buffer, const gchar *label)
{
  gpointer state = NULL;
  GstMeta *meta;
  guint64 found = 0;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *roi = (gpointer) meta;
    GstStructure *object, *detection;
    gint id = 0;
    guint64 same = 0;

    if (g_strcmp0 (g_quark_to_string (roi->roi_type), label))
      continue;
    object = gst_video_region_of_interest_meta_get_param (roi, "object_id");
    detection = gst_video_region_of_interest_meta_get_param (roi, "detection");
    if (object)
      fail_unless (gst_structure_get_int (object, "id", &id));
    if (detection)
      gst_structure_get_uint64 (detection, "object_id", &same);
    fail_unless_equals_uint64 (same, (guint64) id);
    fail_unless_equals_uint64 (found, 0);
    found = (guint64) id;
  }
  return found;
}

const GstY10TrackedObject *
track_object_of (guint64 id)
{
  for (guint i = 0; i < track_reading.tracks.n; i++)
    if (track_reading.tracks.items[i].id == id)
      return &track_reading.tracks.items[i];
  return NULL;
}
