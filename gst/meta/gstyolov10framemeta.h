/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Installed header without a library: reads the frame meta that yolov10detect
 * attaches, and needs GStreamer only. Python reads the same fields with
 * buffer.get_custom_meta ("GstYolov10FrameMeta").get_structure (). */

#include <string.h>

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GST_YOLOV10_FRAME_META_NAME:
 *
 * Name of the #GstCustomMeta, without tags, that an active yolov10detect
 * attaches to every frame. Its structure has these fields:
 *
 * - `version` (uint): 1
 * - `producer` (string): name of the element, unique in a pipeline
 * - `model` (string): the variant, such as "yolov10n"
 * - `width`, `height` (uint): size of the frame that the boxes refer to, in
 *   pixels
 * - `inference` (string): "fresh", "held" or "skipped"
 * - `age` (uint64): age of the boxes in nanoseconds, 0 if fresh: this frame's
 *   timestamp minus that of the inferred frame
 * - `count` (uint): number of records
 * - `record-size` (uint): bytes per record; may grow in later versions
 * - `inspected` (boolean): written beside an inspection meta, which elements that crop,
 *   turn or pad the picture drop
 * - `records` (GBytes): an array of `count` #GstYolov10Record
 * - `labels` (string): the labels of all records, each terminated by "\n"
 * - `parts` (GBytes), since 0.2: the parts of the frame that were inferred, four
 *   floats each: x_min, y_min, x_max, y_max as fractions of the frame. Absent if
 *   the frame was inferred as a whole
 * - `region-shapes` (GBytes), since 0.2: the number of corners of each shape of
 *   the detector's region, guint32. Absent without a region
 * - `region-points` (GBytes), since 0.2: the corners of all shapes, two floats
 *   each: x, y as fractions of the frame
 * - `weak-records` (GBytes), since 0.2: only while a tracker downstream asks for
 *   them: boxes below the detector's confidence, which are no detections. An array
 *   of #GstYolov10Record whose ids are -1 and whose labels are in `weak-labels`
 * - `weak-labels` (string), since 0.2: their labels, each terminated by "\n"
 * - `tracks` (GBytes), since 0.2: an array of #GstYolov10Track, the objects that
 *   a tracker follows and has not lost. Absent if no tracker has seen the frame.
 *   Where no detector attached a frame meta, the tracker attaches one, whose
 *   `producer` is the tracker and whose `model` is %NULL
 * - `track-size` (uint), since 0.2: bytes per track; may grow in later versions
 * - `track-labels` (string), since 0.2: the labels of all tracks, each terminated
 *   by "\n"
 * - `tracker` (string), since 0.2: name of the tracker's element
 * - `zones` (GBytes), since 0.2: an array of #GstYolov10Zone, the zones and lines
 *   that a yolov10zones after the detector watches
 * - `zone-size` (uint): bytes per zone; may grow in later versions
 * - `zone-names` (string): the names of all zones, each terminated by "\n"
 * - `zone-shapes` (GBytes): the number of corners of each shape, guint32, in the
 *   order of the zones; lines have no shape
 * - `zone-points` (GBytes): the corners of all shapes and the two ends of each
 *   line, in the order of the zones, two floats each: x, y as fractions of the frame
 * - `zone_violations`, `dwell_times`, `tripwire_crossings` (string): JSON with DL
 *   Streamer's names, of the objects in zones and of the lines that the frame
 *   shows to be crossed. Absent where there are none
 *
 * If `inference` is "fresh" and `count` is 0, the frame contains no object, or
 * none in the detector's region.
 *
 * Since: 0.1
 */
#define GST_YOLOV10_FRAME_META_NAME "GstYolov10FrameMeta"

/**
 * GstYolov10Record:
 * @id: identifies the detection on the buffer; its ROI and OD metas have the
 *   same id
 * @label_id: class index, from 0 to the model's number of classes - 1
 * @confidence: 0 to 1
 * @x_min: left edge, as a fraction of the frame's width
 * @y_min: top edge, as a fraction of the frame's height
 * @x_max: right edge, as a fraction of the frame's width
 * @y_max: bottom edge, as a fraction of the frame's height
 * @label_offset: offset of its label in `labels`, in bytes
 *
 * One detection in `records`: 32 bytes in native byte order.
 *
 * Since: 0.1
 */
typedef struct
{
  gint32 id;
  gint32 label_id;
  gfloat confidence;
  gfloat x_min, y_min, x_max, y_max;
  guint32 label_offset;
} GstYolov10Record;

/**
 * GST_YOLOV10_TRACK_OBSERVED:
 *
 * Bit of the flags of a #GstYolov10Track: the object was found in the result that
 * the frame shows, be it fresh or held. Otherwise its place is a prediction only.
 *
 * Since: 0.2
 */
#define GST_YOLOV10_TRACK_OBSERVED (1u << 0)

/**
 * GstYolov10Track:
 * @track_id: identifies the object in the stream; from 1, never used again
 * @record_id: id of its detection on this buffer; -1 if there is none, such as on
 *   a frame without boxes
 * @label_id: class index of the label; -1: unknown
 * @confidence: of the detection that was the object's last, 0 to 1
 * @x_min: left edge, as a fraction of the frame's width
 * @y_min: top edge, as a fraction of the frame's height
 * @x_max: right edge, as a fraction of the frame's width
 * @y_max: bottom edge, as a fraction of the frame's height
 * @label_offset: offset of its label in `track-labels`, in bytes
 * @flags: %GST_YOLOV10_TRACK_OBSERVED
 *
 * One object in `tracks`: 48 bytes in native byte order, the last 4 unused. The edges are where the object is expected at the time of
 * this frame, which differs from the place of a held detection. Its label is the
 * class that it was most.
 *
 * Since: 0.2
 */
typedef struct
{
  guint64 track_id;
  gint32 record_id;
  gint32 label_id;
  gfloat confidence;
  gfloat x_min, y_min, x_max, y_max;
  guint32 label_offset;
  guint32 flags;
} GstYolov10Track;

/**
 * GstYolov10Zone:
 * @name_offset: offset of its name in `zone-names`, in bytes
 * @n_shapes: the number of its shapes; 0: a line
 * @count: objects in the zone
 * @limit: more of them are an occupancy event; 0: none
 * @n_in: how often the line was crossed from left to right, seen from its first end
 * @n_out: likewise, from right to left
 *
 * One zone or line in `zones`: 32 bytes in native byte order.
 *
 * Since: 0.2
 */
typedef struct
{
  guint32 name_offset;
  guint32 n_shapes;
  guint32 count;
  guint32 limit;
  guint64 n_in;
  guint64 n_out;
} GstYolov10Zone;

/**
 * gst_yolov10_frame_meta_find:
 * @buffer: a buffer
 * @state: (inout): iterator state; set to %NULL before the first call
 *
 * Iterates over the frame metas of @buffer. Each detector in a pipeline adds
 * one.
 *
 * Returns: (transfer none) (nullable): the next structure, or %NULL after the
 *   last one
 */
static inline const GstStructure *
gst_yolov10_frame_meta_find (GstBuffer *buffer, gpointer *state)
{
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, state))) {
    if (gst_meta_info_is_custom (meta->info)
        && gst_custom_meta_has_name ((GstCustomMeta *) meta,
            GST_YOLOV10_FRAME_META_NAME))
      return gst_custom_meta_get_structure ((GstCustomMeta *) meta);
  }
  return NULL;
}

/**
 * gst_yolov10_frame_meta_get_record:
 * @structure: from gst_yolov10_frame_meta_find()
 * @index: 0 to `count` - 1
 * @record: (out caller-allocates): the record
 * @label: (out) (optional) (transfer full): the record's label
 *
 * Reads one record. Checks every field it uses, because any element may have
 * written the metadata.
 *
 * Returns: %TRUE, or %FALSE if there is no such record
 */
static inline gboolean
gst_yolov10_frame_meta_get_record (const GstStructure *structure, guint index,
    GstYolov10Record *record, gchar **label)
{
  const GValue *value = gst_structure_get_value (structure, "records");
  const gchar *labels = gst_structure_get_string (structure, "labels");
  guint size = 0, count = 0;
  gsize n_bytes, length;
  const guint8 *bytes;

  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES)
      || !g_value_get_boxed (value)
      || !gst_structure_get_uint (structure, "record-size", &size)
      || !gst_structure_get_uint (structure, "count", &count)
      || size < sizeof *record || index >= count)
    return FALSE;
  bytes = (const guint8 *) g_bytes_get_data ((GBytes *) g_value_get_boxed (
                                                 value),
      &n_bytes);
  if (!bytes || n_bytes / size <= index)
    return FALSE;
  memcpy (record, bytes + (gsize) index * size, sizeof *record);
  if (label) {
    length = labels ? strlen (labels) : 0;
    if (record->label_offset < length) {
      const gchar *start = labels + record->label_offset;
      *label = g_strndup (start, strcspn (start, "\n"));
    } else {
      *label = g_strdup ("");
    }
  }
  return TRUE;
}

/**
 * gst_yolov10_frame_meta_get_track:
 * @structure: from gst_yolov10_frame_meta_find()
 * @index: from 0 on
 * @track: (out caller-allocates): the track
 * @label: (out) (optional) (transfer full): the track's label
 *
 * Reads one of the objects that a tracker follows. Checks every field it uses,
 * because any element may have written the metadata.
 *
 * Returns: %TRUE, or %FALSE if there is no such track
 *
 * Since: 0.2
 */
static inline gboolean
gst_yolov10_frame_meta_get_track (const GstStructure *structure, guint index,
    GstYolov10Track *track, gchar **label)
{
  const GValue *value = gst_structure_get_value (structure, "tracks");
  const gchar *labels = gst_structure_get_string (structure, "track-labels");
  guint size = 0;
  gsize n_bytes, length;
  const guint8 *bytes;

  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES)
      || !g_value_get_boxed (value)
      || !gst_structure_get_uint (structure, "track-size", &size)
      || size < sizeof *track)
    return FALSE;
  bytes = (const guint8 *) g_bytes_get_data ((GBytes *) g_value_get_boxed (
                                                 value),
      &n_bytes);
  if (!bytes || n_bytes / size <= index)
    return FALSE;
  memcpy (track, bytes + (gsize) index * size, sizeof *track);
  if (label) {
    length = labels ? strlen (labels) : 0;
    if (track->label_offset < length) {
      const gchar *start = labels + track->label_offset;
      *label = g_strndup (start, strcspn (start, "\n"));
    } else {
      *label = g_strdup ("");
    }
  }
  return TRUE;
}

G_END_DECLS
