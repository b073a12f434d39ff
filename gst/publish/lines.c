/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Prints what detectors have attached to a frame as y10 detect prints it, by the same
 * function of the library: a line for each frame meta, since each detector has its own.
 * Metadata is untrusted: boxes that are none are left out. */
#include "publish/lines.h"

#include <math.h>
#include <string.h>
#include <y10/report.h>

#include "meta/gstyolov10framemeta.h"

#define MAX_OBJECTS 1024

void
gst_y10_frame_lines_init (GstY10FrameLines *self)
{
  self->rows = g_array_sized_new (FALSE, FALSE, sizeof (Y10Detection), 64);
  self->ids = g_array_sized_new (FALSE, FALSE, sizeof (gint), 64);
  self->names = g_ptr_array_sized_new (64);
  self->labels = g_string_sized_new (1024);
}

void
gst_y10_frame_lines_clear (GstY10FrameLines *self)
{
  g_array_unref (self->rows);
  g_array_unref (self->ids);
  g_ptr_array_unref (self->names);
  g_string_free (self->labels, TRUE);
}

/* The array of records of at least @least bytes, and their number; NULL: there is none. */
static const guint8 *
get_records (const GstStructure *structure, const gchar *name,
    const gchar *size_name, gsize least, guint *size, gsize *n)
{
  const GValue *value = gst_structure_get_value (structure, name);
  const guint8 *bytes;
  gsize n_bytes;

  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES)
      || !g_value_get_boxed (value)
      || !gst_structure_get_uint (structure, size_name, size) || *size < least)
    return NULL;
  bytes = g_bytes_get_data (g_value_get_boxed (value), &n_bytes);
  *n = bytes ? n_bytes / *size : 0;
  return bytes;
}

/* The edge in pixels of which @fraction was made: divided by @size again, it gives just
 * that, so that what is printed differs by no digit. */
static gfloat
to_pixels (gfloat fraction, guint size)
{
  const gfloat whole = (gfloat) size, pixels = fraction * whole;
  gfloat below = pixels, above = pixels;

  for (guint i = 0; i < 3; i++) {
    if (below / whole == fraction)
      return below;
    if (above / whole == fraction)
      return above;
    below = nextafterf (below, 0);
    above = nextafterf (above, whole);
  }
  return pixels;
}

static gboolean
is_box (const GstYolov10Record *record)
{
  return record->x_min >= 0 && record->y_min >= 0 && record->x_max <= 1
      && record->y_max <= 1 && record->x_min < record->x_max
      && record->y_min < record->y_max && record->confidence >= 0
      && record->confidence <= 1;
}

/* The number that a tracker has given the object of a record; 0: none. */
static gint
find_track (const guint8 *tracks, guint size, gsize n, gint32 record_id)
{
  for (gsize i = 0; i < n; i++) {
    GstYolov10Track track;

    memcpy (&track, tracks + i * size, sizeof track);
    if (track.record_id == record_id)
      return (gint) track.track_id;
  }
  return 0;
}

/* Copies the labels, which are lines, as strings; returns their length. */
static gsize
take_labels (GstY10FrameLines *self, const GstStructure *structure)
{
  const gchar *labels = gst_structure_get_string (structure, "labels");

  g_string_assign (self->labels, labels ? labels : "");
  for (gchar *c = self->labels->str; (c = strchr (c, '\n')); c++)
    *c = '\0';
  return self->labels->len;
}

static void
add_record (GstY10FrameLines *self, const GstYolov10Record *record, guint width,
    guint height, gsize labels_length)
{
  const Y10Detection row = {
    .x0 = to_pixels (record->x_min, width),
    .y0 = to_pixels (record->y_min, height),
    .x1 = to_pixels (record->x_max, width),
    .y1 = to_pixels (record->y_max, height),
    .confidence = record->confidence,
    .class_id = record->label_id,
  };

  g_array_append_val (self->rows, row);
  g_ptr_array_add (self->names,
      record->label_offset < labels_length
          ? self->labels->str + record->label_offset
          : (gchar *) "");
}

/* Collects the objects. Returns whether a tracker has numbered them. */
static gboolean
collect (GstY10FrameLines *self, const GstStructure *structure, guint width,
    guint height)
{
  guint size = 0, track_size = 0, count = 0;
  gsize n = 0, n_tracks = 0, labels_length = take_labels (self, structure);
  const guint8 *records = get_records (structure, "records", "record-size",
                   sizeof (GstYolov10Record), &size, &n),
               *tracks = get_records (structure, "tracks", "track-size",
                   sizeof (GstYolov10Track), &track_size, &n_tracks);

  gst_structure_get_uint (structure, "count", &count);
  n = records ? MIN (MIN (n, count), MAX_OBJECTS) : 0;
  for (gsize i = 0; i < n; i++) {
    GstYolov10Record record;
    gint id;

    memcpy (&record, records + i * size, sizeof record);
    if (!is_box (&record))
      continue;
    add_record (self, &record, width, height, labels_length);
    id = tracks ? find_track (tracks, track_size, MIN (n_tracks, MAX_OBJECTS),
             record.id)
                : 0;
    g_array_append_val (self->ids, id);
  }
  return gst_structure_has_field (structure, "tracks");
}

/* Whether a detector has attached it, and not a tracker or zones where there was none. */
static gboolean
is_of_detector (const GstStructure *structure, guint *width, guint *height)
{
  const gchar *tracker = gst_structure_get_string (structure, "tracker");

  return gst_structure_get_uint (structure, "width", width)
      && gst_structure_get_uint (structure, "height", height) && *width > 0
      && *height > 0 && *width <= G_MAXINT && *height <= G_MAXINT
      && gst_structure_has_field (structure, "records")
      && (!tracker
          || g_strcmp0 (tracker,
              gst_structure_get_string (structure, "producer")));
}

/**
 * gst_y10_frame_lines_make:
 * @self: what to make lines with
 * @buffer: a frame
 * @func: gets a line for each detector that has handled the frame
 * @user: passed to @func
 */
void
gst_y10_frame_lines_make (GstY10FrameLines *self, GstBuffer *buffer,
    GstY10LineFunc func, gpointer user)
{
  const GstStructure *structure;
  gpointer state = NULL;

  while ((structure = gst_yolov10_frame_meta_find (buffer, &state))) {
    const gchar *producer = gst_structure_get_string (structure, "producer");
    Y10Report report = {
      .size = sizeof report,
      .source = producer ? producer : "",
      .timestamp = GST_BUFFER_PTS_IS_VALID (buffer)
          ? (gint64) GST_BUFFER_PTS (buffer)
          : -1,
      .inference = gst_structure_get_string (structure, "inference"),
    };
    gboolean is_tracked;
    g_autofree gchar *json = NULL;

    if (!is_of_detector (structure, &report.width, &report.height))
      continue;
    g_array_set_size (self->rows, 0);
    g_array_set_size (self->ids, 0);
    g_ptr_array_set_size (self->names, 0);
    is_tracked = collect (self, structure, report.width, report.height);
    report.detections = (const Y10Detection *) self->rows->data;
    report.n_detections = self->rows->len;
    report.ids = is_tracked ? (const gint *) self->ids->data : NULL;
    report.labels = (const char *const *) self->names->pdata;
    json = y10_report_to_json (NULL, &report);
    func (json, user);
  }
}

/**
 * gst_y10_frame_find_track:
 * @frame: a frame
 * @id: number that a tracker has given an object
 * @box: (out): the object's x and y of the first corner and of the second, as fractions of
 *   the frame
 *
 * Returns: whether the frame has it
 */
gboolean
gst_y10_frame_find_track (GstBuffer *frame, guint64 id, gfloat box[4])
{
  const GstStructure *structure;
  gpointer state = NULL;

  while (id && (structure = gst_yolov10_frame_meta_find (frame, &state))) {
    guint size = 0, track_size = 0;
    gsize n = 0, n_tracks = 0;
    const guint8 *records = get_records (structure, "records", "record-size",
                     sizeof (GstYolov10Record), &size, &n),
                 *tracks = get_records (structure, "tracks", "track-size",
                     sizeof (GstYolov10Track), &track_size, &n_tracks);

    n = records && tracks ? MIN (n, MAX_OBJECTS) : 0;
    n_tracks = MIN (n_tracks, MAX_OBJECTS);
    for (gsize i = 0; i < n; i++) {
      GstYolov10Record record;

      memcpy (&record, records + i * size, sizeof record);
      if (!is_box (&record)
          || find_track (tracks, track_size, n_tracks, record.id) != (gint) id)
        continue;
      box[0] = record.x_min;
      box[1] = record.y_min;
      box[2] = record.x_max;
      box[3] = record.y_max;
      return TRUE;
    }
  }
  return FALSE;
}

/**
 * gst_y10_event_line:
 * @structure: of a custom event
 *
 * Returns: (nullable): the JSON of an event of yolov10zones; %NULL if it is none
 */
const gchar *
gst_y10_event_line (const GstStructure *structure)
{
  static const gchar head[] = "{\"event\":";
  const gchar *json;

  if (!structure || !gst_structure_has_name (structure, "yolov10-event"))
    return NULL;
  json = gst_structure_get_string (structure, "json");
  return json && g_str_has_prefix (json, head) && g_str_has_suffix (json, "}")
          && !strchr (json, '\n')
      ? json
      : NULL;
}
