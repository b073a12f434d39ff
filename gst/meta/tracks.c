/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How the objects that a tracker follows travel in the frame meta: an array of
 * GstYolov10Track, and their labels as lines, as for records. The presence of the
 * fields tells that a tracker has seen the frame. They stand beside the records and
 * change none of them: what a detector found stays what privacy relies on. */
#include "meta/tracks.h"

#include <string.h>

#include "common/text.h"
#include "meta/gstyolov10framemeta.h"

G_STATIC_ASSERT (sizeof (GstYolov10Track) == 48);

/**
 * gst_y10_track_list_init:
 * @self: (out caller-allocates): a list
 * @capacity: maximum number of objects
 *
 * Allocates the list once, so that no frame allocates. Free it with
 * gst_y10_track_list_clear().
 */
void
gst_y10_track_list_init (GstY10TrackList *self, guint capacity)
{
  *self = (GstY10TrackList){
    .capacity = capacity,
    .items = g_new (GstY10TrackedObject, capacity),
  };
}

/**
 * gst_y10_track_list_clear:
 * @self: a list
 *
 * Frees the memory that gst_y10_track_list_init() allocated.
 */
void
gst_y10_track_list_clear (GstY10TrackList *self)
{
  g_free (self->items);
  *self = (GstY10TrackList){ 0 };
}

/**
 * gst_y10_track_list_begin:
 * @self: a list
 *
 * Empties the list for a new frame, which no tracker has seen so far.
 */
void
gst_y10_track_list_begin (GstY10TrackList *self)
{
  self->n = 0;
  self->tracker = NULL;
}

/**
 * gst_y10_track_list_add:
 * @self: a list
 * @object: an object; the list copies it, but not its label
 *
 * Returns: %TRUE, or %FALSE if the list is full
 */
gboolean
gst_y10_track_list_add (GstY10TrackList *self,
    const GstY10TrackedObject *object)
{
  if (self->n == self->capacity)
    return FALSE;
  self->items[self->n++] = *object;
  return TRUE;
}

/**
 * gst_y10_tracked_object_get_rect:
 * @self: an object
 *
 * Returns: its box in whole pixels, rounded as those of detections are
 */
GstY10Rect
gst_y10_tracked_object_get_rect (const GstY10TrackedObject *self)
{
  return (GstY10Rect){ (gint) (self->x0 + 0.5), (gint) (self->y0 + 0.5),
    (gint) (self->x1 + 0.5), (gint) (self->y1 + 0.5) };
}

static GBytes *
write_objects (const GstY10TrackList *list, guint width, guint height)
{
  GstYolov10Track *tracks = g_new0 (GstYolov10Track, list->n);
  gsize offset = 0;

  for (guint i = 0; i < list->n; i++) {
    const GstY10TrackedObject *o = &list->items[i];

    tracks[i] = (GstYolov10Track){
      .track_id = o->id,
      .record_id = o->record_id,
      .label_id = o->class_id,
      .confidence = o->confidence,
      .x_min = (gfloat) o->x0 / (gfloat) width,
      .y_min = (gfloat) o->y0 / (gfloat) height,
      .x_max = (gfloat) o->x1 / (gfloat) width,
      .y_max = (gfloat) o->y1 / (gfloat) height,
      .label_offset = (guint32) offset,
      .flags = o->observed ? GST_YOLOV10_TRACK_OBSERVED : 0,
    };
    offset += o->label_length + 1;
  }
  return g_bytes_new_take (tracks, list->n * sizeof *tracks);
}

/* Returns the labels as lines; a newline in a label becomes a blank, and what is not UTF-8
 * a question mark. */
static gchar *
join_labels (const GstY10TrackList *list)
{
  gsize length = 1;
  gchar *labels, *end;

  for (guint i = 0; i < list->n; i++)
    length += list->items[i].label_length + 1;
  labels = end = g_malloc (length);
  for (guint i = 0; i < list->n; i++) {
    const GstY10TrackedObject *o = &list->items[i];

    for (gsize k = 0; k < o->label_length; k++)
      *end++ = o->label[k] == '\n' ? ' ' : o->label[k];
    *end++ = '\n';
  }
  *end = '\0';
  gst_y10_text_repair (labels);
  return labels;
}

/**
 * gst_y10_tracks_write:
 * @list: objects, with the name of their tracker
 * @width: width of the frame in pixels
 * @height: height of the frame in pixels
 * @structure: of a frame meta, mutable
 *
 * Sets the fields of a tracker, also where there are no objects.
 */
void
gst_y10_tracks_write (const GstY10TrackList *list, guint width, guint height,
    GstStructure *structure)
{
  GValue value = G_VALUE_INIT;

  gst_structure_set (structure, "tracker", G_TYPE_STRING, list->tracker,
      "track-size", G_TYPE_UINT, (guint) sizeof (GstYolov10Track), NULL);
  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, write_objects (list, width, height));
  gst_structure_take_value (structure, "tracks", &value);
  g_value_init (&value, G_TYPE_STRING);
  g_value_take_string (&value, join_labels (list));
  gst_structure_take_value (structure, "track-labels", &value);
}

/* Sets the edges, which may be any floats, even NaN, clipped to the frame. Returns
 * FALSE if nothing is left of the box. */
static gboolean
set_edges (GstY10TrackedObject *object, const GstYolov10Track *track,
    guint width, guint height)
{
  GstY10Rect rect;

  if (!(track->x_min < track->x_max && track->y_min < track->y_max
          && track->x_min < 1 && track->y_min < 1 && track->x_max > 0
          && track->y_max > 0))
    return FALSE;
  object->x0 = MAX (track->x_min, 0) * (gdouble) width;
  object->y0 = MAX (track->y_min, 0) * (gdouble) height;
  object->x1 = MIN (track->x_max, 1) * (gdouble) width;
  object->y1 = MIN (track->y_max, 1) * (gdouble) height;
  rect = gst_y10_tracked_object_get_rect (object);
  return !gst_y10_rect_is_empty (&rect);
}

/**
 * gst_y10_tracks_read:
 * @list: a list, to which the objects are added
 * @structure: of a frame meta, from any element
 * @width: width of the frame in pixels
 * @height: height of the frame in pixels
 *
 * Reads the fields of a tracker, if there are any. Objects outside of the frame,
 * with values that are none, or for which there is no room are left out. Labels
 * point into @structure. Allocates nothing.
 */
void
gst_y10_tracks_read (GstY10TrackList *list, const GstStructure *structure,
    guint width, guint height)
{
  const GValue *value = gst_structure_get_value (structure, "tracks");
  const gchar *labels = gst_structure_get_string (structure, "track-labels");
  const gchar *tracker = gst_structure_get_string (structure, "tracker");
  gsize n_bytes, length = labels ? strlen (labels) : 0;
  guint size = 0;
  const guint8 *bytes;

  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES)
      || !g_value_get_boxed (value)
      || !gst_structure_get_uint (structure, "track-size", &size)
      || size < sizeof (GstYolov10Track))
    return;
  list->tracker = tracker ? tracker : "";
  bytes = g_bytes_get_data (g_value_get_boxed (value), &n_bytes);
  for (gsize i = 0; bytes && i < n_bytes / size && list->n < list->capacity;
       i++) {
    GstYolov10Track track;
    GstY10TrackedObject object;

    memcpy (&track, bytes + i * size, sizeof track);
    object = (GstY10TrackedObject){
      .id = track.track_id,
      .record_id = track.record_id,
      .class_id = track.label_id,
      .label = "",
      .confidence = track.confidence >= 0 && track.confidence <= 1
          ? track.confidence
          : -1,
      .observed = (track.flags & GST_YOLOV10_TRACK_OBSERVED) != 0,
    };
    if (!set_edges (&object, &track, width, height))
      continue;
    if (track.label_offset < length) {
      object.label = labels + track.label_offset;
      object.label_length = strcspn (object.label, "\n");
    }
    gst_y10_track_list_add (list, &object);
  }
}

/**
 * gst_y10_tracks_made_meta:
 * @structure: of a frame meta
 *
 * Returns: whether a tracker attached this frame meta, because no detector had
 */
gboolean
gst_y10_tracks_made_meta (const GstStructure *structure)
{
  const gchar *tracker = gst_structure_get_string (structure, "tracker");

  return tracker
      && !g_strcmp0 (tracker, gst_structure_get_string (structure, "producer"));
}
