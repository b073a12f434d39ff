/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties of yolov10record, which are read when it starts. */
#include "record/element.h"

#include "common/readyonly.h"

GstY10Properties gst_y10_record_properties = {
  .size = sizeof (GstY10RecordSettings),
};

#define ROW(MEMBER, TYPE, ...) \
  gst_y10_properties_add (&gst_y10_record_properties, class, \
      G_STRUCT_OFFSET (GstY10RecordSettings, MEMBER), \
      g_param_spec_##TYPE (__VA_ARGS__))

static void
install_recordings (GObjectClass *class, GParamFlags flags)
{
  /**
   * GstYolov10Record:location:
   *
   * No other element may record there meanwhile.
   *
   * Since: 0.2
   */
  ROW (location, string, "location", "Location",
      "Folder of the recordings of this stream alone; it is made if it is missing",
      "", flags);
  /**
   * GstYolov10Record:stream:
   *
   * If a yolov10overlay of this process declares the same name in its
   * #GstYolov10Overlay:stream and has #GstYolov10Overlay:privacy on, or
   * controlled, only what it has covered is recorded. If anything else arrives,
   * the element posts an error and records nothing more. It follows the links
   * upstream, which end at appsrc.
   *
   * Since: 0.2
   */
  ROW (stream, string, "stream", "Stream",
      "Name of the stream. While a yolov10overlay with privacy has the same, "
      "only what it has covered is recorded. Empty: what arrives is recorded",
      "", flags);
  /**
   * GstYolov10Record:file-duration:
   *
   * Since: 0.2
   */
  ROW (file_duration, uint64, "file-duration", "File duration",
      "A file ends at the first key frame after this time, in nanoseconds",
      GST_SECOND, 24 * 3600 * GST_SECOND, 600 * GST_SECOND, flags);
  /**
   * GstYolov10Record:max-age:
   *
   * One file is deleted at a time, ten seconds apart or when another one is complete, so
   * that a clock that is wrong for a while costs little.
   *
   * Since: 0.2
   */
  ROW (max_age, uint64, "max-age", "Maximum age",
      "Delete recordings, but not clips, that ended longer ago than this, in "
      "nanoseconds. 0: never",
      0, G_MAXINT64, 0, flags);
  /**
   * GstYolov10Record:max-bytes:
   *
   * Clips are deleted only where nothing else is left.
   *
   * Since: 0.2
   */
  ROW (max_bytes, uint64, "max-bytes", "Maximum bytes",
      "Delete the oldest recordings beyond this size of all in the folder. 0: never",
      0, G_MAXINT64, 0, flags);
  /**
   * GstYolov10Record:ring-bytes:
   *
   * Since: 0.2
   */
  ROW (ring_bytes, uint64, "ring-bytes", "Ring bytes",
      "Frames in memory, for clips that are to begin and while the disk is slow, "
      "in bytes; beyond that, the oldest are lost",
      1 << 20, G_MAXINT64, G_GUINT64_CONSTANT (32) << 20, flags);
}

static void
install_clips (GObjectClass *class, GParamFlags flags)
{
  /**
   * GstYolov10Record:mode:
   *
   * Since: 0.2
   */
  ROW (mode, enum, "mode", "Mode", "What is recorded",
      GST_TYPE_YOLOV10_RECORD_MODE, GST_YOLOV10_RECORD_CONTINUOUS, flags);
  /**
   * GstYolov10Record:events:
   *
   * The folder of a #yolov10publish of this process or another one. What one of this process
   * publishes of frames becomes part of the index beside a recording, too.
   *
   * Since: 0.2
   */
  ROW (events, string, "events", "Events",
      "Spool whose events have clips: FOLDER, or FOLDER#STREAM for those of one "
      "stream. Empty: none",
      "", flags);
  /**
   * GstYolov10Record:before:
   *
   * Since: 0.2
   */
  ROW (before, uint64, "before", "Before",
      "How much a clip has from before its event, in nanoseconds", 0,
      600 * GST_SECOND, 5 * GST_SECOND, flags);
  /**
   * GstYolov10Record:after:
   *
   * Since: 0.2
   */
  ROW (after, uint64, "after", "After",
      "How much a clip has from behind its event, in nanoseconds", 0,
      3600 * GST_SECOND, 5 * GST_SECOND, flags);
  /**
   * GstYolov10Record:clip-max-age:
   *
   * Since: 0.2
   */
  ROW (clip_max_age, uint64, "clip-max-age", "Maximum age of clips",
      "Delete clips that ended longer ago than this, in nanoseconds. 0: never",
      0, G_MAXINT64, 0, flags);
}

/* Returns: (transfer full): the settings. Any thread. */
GstY10RecordSettings *
gst_y10_record_get_settings (GstYolov10Record *self)
{
  GstY10RecordSettings *settings;

  GST_OBJECT_LOCK (self);
  settings = gst_y10_settings_ref (self->settings);
  GST_OBJECT_UNLOCK (self);
  return settings;
}

static GstStructure *
get_stats (GstYolov10Record *self)
{
  GstY10RecordCounts counts = { 0 };

  GST_OBJECT_LOCK (self);
  if (self->writer)
    counts = gst_y10_record_writer_count (self->writer);
  GST_OBJECT_UNLOCK (self);
  return gst_structure_new ("stats", "frames", G_TYPE_UINT64, counts.n_frames,
      "lost", G_TYPE_UINT64, counts.n_lost, "files", G_TYPE_UINT64,
      counts.n_files, NULL);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (object);
  g_autoptr (GstY10RecordSettings)
      settings = gst_y10_record_get_settings (self);

  if (g_str_equal (pspec->name, "stats"))
    g_value_take_boxed (value, get_stats (self));
  else
    gst_y10_settings_get (settings, id, value);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (object);
  GstY10RecordSettings *settings;
  gboolean is_closed;

  GST_OBJECT_LOCK (self);
  is_closed = gst_y10_ready_only_is_closed (GST_ELEMENT (self), pspec);
  if (!is_closed) {
    settings = gst_y10_settings_copy (self->settings);
    gst_y10_settings_set (settings, id, value);
    gst_y10_settings_unref (self->settings);
    self->settings = settings;
  }
  GST_OBJECT_UNLOCK (self);
  if (is_closed)
    gst_y10_ready_only_refuse (GST_ELEMENT (self), pspec, value);
}

void
gst_y10_record_props_install (GObjectClass *class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  class->get_property = get_property;
  class->set_property = set_property;
  install_recordings (class, flags);
  install_clips (class, flags);
  /**
   * GstYolov10Record:stats:
   *
   * Since: 0.2
   */
  gst_y10_properties_add (&gst_y10_record_properties, class, 0,
      g_param_spec_boxed ("stats", "Stats",
          "Frames written, frames lost and files, since the element started",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
