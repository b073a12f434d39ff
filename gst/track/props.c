/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties of yolov10track. They have the names of ByteTrack's arguments. */
#include "track/element.h"

#define ROW(MEMBER, TYPE, ...) \
  gst_y10_properties_add (&gst_y10_track_properties, class, \
      G_STRUCT_OFFSET (GstY10TrackSettings, MEMBER), \
      g_param_spec_##TYPE (__VA_ARGS__))

GstY10Properties gst_y10_track_properties = {
  .size = sizeof (GstY10TrackSettings),
};

void
gst_y10_track_props_install (GObjectClass *class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  gst_y10_filter_class_init (class);
  /**
   * GstYolov10Tracker:track-thresh:
   *
   * The default is the detector's default confidence, so that all of its boxes count.
   *
   * Since: 0.2
   */
  ROW (track_thresh, double, "track-thresh", "Track threshold",
      "Confidence from which boxes are matched with objects first. Those below "
      "only continue objects that no other box matches",
      0, 1, 0.25, playing);
  /**
   * GstYolov10Tracker:weak-thresh:
   *
   * Since: 0.2
   */
  ROW (weak_thresh, double, "weak-thresh", "Weak threshold",
      "Confidence from which boxes continue an object. yolov10detect upstream "
      "passes on what it finds from here on, for the tracker alone. From "
      "track-thresh on, nothing is asked of it",
      0, 1, 0.1, playing);
  /**
   * GstYolov10Tracker:new-thresh:
   *
   * Since: 0.2
   */
  ROW (new_thresh, double, "new-thresh", "New threshold",
      "Confidence from which a box begins an object, at least track-thresh. It "
      "gets an id with its second box",
      0, 1, 0.25, playing);
  /**
   * GstYolov10Tracker:match-thresh:
   *
   * Since: 0.2
   */
  ROW (match_thresh, double, "match-thresh", "Match threshold",
      "Maximum of 1 - IoU between a box and where its object is expected", 0, 1,
      0.7, playing);
  /**
   * GstYolov10Tracker:track-buffer:
   *
   * Since: 0.2
   */
  ROW (track_buffer, uint64, "track-buffer", "Track buffer",
      "How long an object that is not found keeps its id, in nanoseconds of "
      "presentation time. After a longer gap in the video, of half a second at "
      "least, all ids are new",
      0, G_MAXUINT64, GST_SECOND, playing);
  /**
   * GstYolov10Tracker:class-groups:
   *
   * Since: 0.2
   */
  ROW (class_groups, string, "class-groups", "Class groups",
      "Labels between which an object may change and keep its id, such as "
      "\"car,truck,bus;person\"; * for all others. The object's label is the one "
      "with the most confidence so far. Empty: none",
      "", ready);
}
