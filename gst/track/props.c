/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties of yolov10track: names, documentation and storage until the next frame
 * picks the values up. They have the names of ByteTrack's arguments. */
#include "track/element.h"

#include "common/fields.h"
#include "common/readyonly.h"

/* The detector's default confidence, so that all of its boxes count. */
#define DEFAULT_TRACK_THRESH 0.25
#define DEFAULT_WEAK_THRESH 0.1
#define DEFAULT_NEW_THRESH 0.25
#define DEFAULT_MATCH_THRESH 0.7
#define DEFAULT_TRACK_BUFFER GST_SECOND
#define DEFAULT_CLASS_GROUPS ""

enum
{
  PROP_0,
  PROP_TRACK_THRESH,
  PROP_WEAK_THRESH,
  PROP_NEW_THRESH,
  PROP_MATCH_THRESH,
  PROP_TRACK_BUFFER,
  PROP_CLASS_GROUPS,
};

#define FIELD(ID, MEMBER) \
  { \
    PROP_##ID, G_STRUCT_OFFSET (GstYolov10Tracker, MEMBER) \
  }

static const GstY10Field fields[] = { FIELD (TRACK_THRESH,
                                          settings.track_thresh),
  FIELD (WEAK_THRESH, settings.weak_thresh),
  FIELD (NEW_THRESH, settings.new_thresh),
  FIELD (MATCH_THRESH, settings.match_thresh),
  FIELD (TRACK_BUFFER, settings.track_buffer),
  FIELD (CLASS_GROUPS, class_groups), { 0 } };

void
gst_y10_track_props_init (GstYolov10Tracker *self)
{
  self->settings = (GstY10TrackSettings){
    .track_thresh = DEFAULT_TRACK_THRESH,
    .weak_thresh = DEFAULT_WEAK_THRESH,
    .new_thresh = DEFAULT_NEW_THRESH,
    .match_thresh = DEFAULT_MATCH_THRESH,
    .track_buffer = DEFAULT_TRACK_BUFFER,
  };
  self->class_groups = g_ref_string_new (DEFAULT_CLASS_GROUPS);
}

void
gst_y10_track_props_set (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Tracker *self = GST_YOLOV10_TRACKER (object);
  gboolean is_closed;

  GST_OBJECT_LOCK (self);
  is_closed = gst_y10_ready_only_is_closed (GST_ELEMENT (self), pspec);
  if (!is_closed && !gst_y10_fields_set (fields, self, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
  if (is_closed)
    gst_y10_ready_only_refuse (GST_ELEMENT (self), pspec, value);
}

void
gst_y10_track_props_get (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Tracker *self = GST_YOLOV10_TRACKER (object);

  GST_OBJECT_LOCK (self);
  if (!gst_y10_fields_get (fields, self, id, value, pspec))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

void
gst_y10_track_props_install (GObjectClass *class)
{
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  /**
   * GstYolov10Tracker:track-thresh:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_TRACK_THRESH,
      g_param_spec_double ("track-thresh", "Track threshold",
          "Confidence from which boxes are matched with objects first. Those below "
          "only continue objects that no other box matches",
          0, 1, DEFAULT_TRACK_THRESH, playing));
  /**
   * GstYolov10Tracker:weak-thresh:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_WEAK_THRESH,
      g_param_spec_double ("weak-thresh", "Weak threshold",
          "Confidence from which boxes continue an object. yolov10detect upstream "
          "passes on what it finds from here on, for the tracker alone. From "
          "track-thresh on, nothing is asked of it",
          0, 1, DEFAULT_WEAK_THRESH, playing));
  /**
   * GstYolov10Tracker:new-thresh:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_NEW_THRESH,
      g_param_spec_double ("new-thresh", "New threshold",
          "Confidence from which a box begins an object, at least track-thresh. It "
          "gets an id with its second box",
          0, 1, DEFAULT_NEW_THRESH, playing));
  /**
   * GstYolov10Tracker:match-thresh:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_MATCH_THRESH,
      g_param_spec_double ("match-thresh", "Match threshold",
          "Maximum of 1 - IoU between a box and where its object is expected",
          0, 1, DEFAULT_MATCH_THRESH, playing));
  /**
   * GstYolov10Tracker:track-buffer:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_TRACK_BUFFER,
      g_param_spec_uint64 ("track-buffer", "Track buffer",
          "How long an object that is not found keeps its id, in nanoseconds of "
          "presentation time. After a longer gap in the video, of half a second at "
          "least, all ids are new",
          0, G_MAXUINT64, DEFAULT_TRACK_BUFFER, playing));
  /**
   * GstYolov10Tracker:class-groups:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_CLASS_GROUPS,
      g_param_spec_string ("class-groups", "Class groups",
          "Labels between which an object may change and keep its id, such as "
          "\"car,truck,bus;person\"; * for all others. The object's label is the one "
          "with the most confidence so far. Empty: none",
          DEFAULT_CLASS_GROUPS, ready));
}
