/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads the detections that a buffer's metadata describes. One detection may
 * occur three times (GstAnalyticsODMtd, GstVideoRegionOfInterestMeta, a record
 * of GstYolov10FrameMeta), because each element on the way preserves different
 * metadata. The reader returns it once, from the first of these three that is
 * left, and takes a missing confidence or track from the others. Metadata is
 * untrusted: the reader ignores values that are not finite, outside the frame or
 * of an unexpected type, so callers need no further checks. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/read.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "meta/gstyolov10framemeta.h"

static GQuark quark_detection, quark_label, quark_confidence;
static GQuark quark_object_id, quark_id;

static void
find_quarks (void)
{
  quark_detection = g_quark_from_static_string ("detection");
  quark_label = g_quark_from_static_string ("label");
  quark_confidence = g_quark_from_static_string ("confidence");
  quark_object_id = g_quark_from_static_string ("object_id");
  quark_id = g_quark_from_static_string ("id");
}

/**
 * gst_y10_reading_init:
 * @self: (out caller-allocates): a reading
 *
 * Allocates everything that gst_y10_reading_collect() needs. Free it with
 * gst_y10_reading_clear().
 */
void
gst_y10_reading_init (GstY10Reading *self)
{
  /* Elements are made by any thread, while others read. */
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, find_quarks);
  gst_y10_detection_list_init (&self->result.list, GST_Y10_READ_MAX);
  gst_y10_detection_list_init (&self->weak, GST_Y10_READ_MAX);
  gst_y10_track_list_init (&self->tracks, GST_Y10_READ_MAX);
}

/**
 * gst_y10_reading_clear:
 * @self: a reading
 *
 * Frees the memory that gst_y10_reading_init() allocated.
 */
void
gst_y10_reading_clear (GstY10Reading *self)
{
  gst_y10_detection_list_clear (&self->result.list);
  gst_y10_detection_list_clear (&self->weak);
  gst_y10_track_list_clear (&self->tracks);
}

static gfloat
valid_confidence (gdouble confidence)
{
  return confidence >= 0 && confidence <= 1 ? (gfloat) confidence : -1.0f;
}

/* Sets the edges, which may be any doubles, even NaN, clipped to the frame.
 * Returns FALSE if nothing is left of the box. */
static gboolean
set_edges (GstY10Detection *detection, const GstY10Reading *reading, gdouble x0,
    gdouble y0, gdouble x1, gdouble y1)
{
  const guint width = reading->result.list.width,
              height = reading->result.list.height;
  GstY10Rect rect;

  if (!(x0 < x1 && y0 < y1 && x0 < width && y0 < height && x1 > 0 && y1 > 0))
    return FALSE;
  detection->x0 = MAX (x0, 0);
  detection->y0 = MAX (y0, 0);
  detection->x1 = MIN (x1, width);
  detection->y1 = MIN (y1, height);
  rect = gst_y10_detection_get_rect (detection);
  return !gst_y10_rect_is_empty (&rect);
}

static void
add (GstY10Reading *reading, const GstY10Detection *detection)
{
  if (!gst_y10_detection_list_add (&reading->result.list, detection))
    reading->overflow = TRUE;
}

static void
set_label (GstY10Detection *box, const gchar *label)
{
  box->label = label ? label : "";
  box->label_length = strlen (box->label);
}

static gboolean
same_label (const GstY10Detection *box, const gchar *label, gsize length)
{
  return box->label_length == length && memcmp (box->label, label, length) == 0;
}

/* Tolerates the rounding of two converters in a row. */
static gboolean
same_place (const GstY10Detection *first, const GstY10Detection *second)
{
  GstY10Rect a = gst_y10_detection_get_rect (first);
  GstY10Rect b = gst_y10_detection_get_rect (second);

  return ABS (a.x0 - b.x0) <= 3 && ABS (a.y0 - b.y0) <= 3
      && ABS (a.x1 - b.x1) <= 3 && ABS (a.y1 - b.y1) <= 3;
}

#ifdef HAVE_GST_ANALYTICS
/* Trackers relate a track to the detection. A lost track no longer identifies
 * the object. */
static void
find_track (GstY10Detection *box, const GstAnalyticsODMtd *detection)
{
  GstAnalyticsMtd track;
  gpointer state = NULL;
  gboolean lost;

  while (!box->tracked
      && gst_analytics_relation_meta_get_direct_related (detection->meta,
          detection->id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
          gst_analytics_tracking_mtd_get_mtd_type (), &state, &track))
    box->tracked = gst_analytics_tracking_mtd_get_info (&track, &box->track_id,
                       NULL, NULL, &lost)
        && !lost;
}

static void
collect_analytics (GstY10Reading *reading, GstBuffer *buffer)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (
      buffer);
  GstAnalyticsODMtd mtd;
  gpointer state = NULL;

  while (meta
      && gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_od_mtd_get_mtd_type (), &mtd)) {
    GstY10Detection box = { .id = (gint) mtd.id, .class_id = -1 };
    gfloat confidence;
    gint x, y, w, h;

    reading->any = TRUE;
    if (!gst_analytics_od_mtd_get_location (&mtd, &x, &y, &w, &h, &confidence)
        || !set_edges (&box, reading, x, y, (gdouble) x + w, (gdouble) y + h))
      continue;
    box.confidence = valid_confidence (confidence);
    set_label (&box,
        g_quark_to_string (gst_analytics_od_mtd_get_obj_type (&mtd)));
    find_track (&box, &mtd);
    add (reading, &box);
  }
}
#endif

/* Reads a detector's parameters. Edge Impulse's elements add the track there. */
static void
read_detection (GstY10Detection *box, const GstStructure *params)
{
  const GValue *value = gst_structure_id_get_value (params, quark_label);

  if (value && G_VALUE_HOLDS_STRING (value) && g_value_get_string (value))
    set_label (box, g_value_get_string (value));
  value = gst_structure_id_get_value (params, quark_confidence);
  if (value && G_VALUE_HOLDS_DOUBLE (value))
    box->confidence = valid_confidence (g_value_get_double (value));
  else if (value && G_VALUE_HOLDS_FLOAT (value))
    box->confidence = valid_confidence (g_value_get_float (value));
  value = gst_structure_id_get_value (params, quark_object_id);
  if (value && G_VALUE_HOLDS_UINT64 (value)) {
    box->track_id = g_value_get_uint64 (value);
    box->tracked = TRUE;
  }
}

/* DL Streamer's trackers count from 1; 0 means no track. */
static void
read_object_id (GstY10Detection *box, const GstStructure *params)
{
  const GValue *value = gst_structure_id_get_value (params, quark_id);

  if (value && G_VALUE_HOLDS_INT (value) && g_value_get_int (value) > 0) {
    box->track_id = (guint64) g_value_get_int (value);
    box->tracked = TRUE;
  }
}

/* Reads the first parameter of each kind; converters may have dropped them. */
static void
read_params (GstY10Detection *box, const GstVideoRegionOfInterestMeta *roi)
{
  const GstStructure *detection = NULL, *object_id = NULL;
  GList *l;

  for (l = roi->params; l; l = l->next) {
    GQuark name = gst_structure_get_name_id (l->data);

    if (name == quark_detection && !detection)
      detection = l->data;
    else if (name == quark_object_id && !object_id)
      object_id = l->data;
  }
  if (object_id)
    read_object_id (box, object_id);
  if (detection)
    read_detection (box, detection);
}

/* Copies the confidence and track that @box lacks from @more. */
static void
complete (GstY10Detection *box, const GstY10Detection *more)
{
  if (box->confidence < 0)
    box->confidence = more->confidence;
  if (!box->tracked) {
    box->tracked = more->tracked;
    box->track_id = more->track_id;
  }
}

static gboolean
same_edges (const GstY10Detection *a, const GstY10Detection *b)
{
  return a->x0 == b->x0 && a->y0 == b->y0 && a->x1 == b->x1 && a->y1 == b->y1;
}

static void
collect_rois (GstY10Reading *reading, GstBuffer *buffer)
{
  GstY10DetectionList *list = &reading->result.list;
  guint n_before = list->n;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi =
        (const GstVideoRegionOfInterestMeta *) meta;
    GstY10Detection box = { .id = roi->id, .class_id = -1, .confidence = -1 };
    /* The fields are unsigned, but producers store negative numbers. */
    gint x = (gint) roi->x, y = (gint) roi->y;
    gint w = (gint) roi->w, h = (gint) roi->h;
    gboolean known = FALSE;
    guint i;

    reading->any = TRUE;
    if (!set_edges (&box, reading, x, y, (gdouble) x + w, (gdouble) y + h))
      continue;
    set_label (&box, g_quark_to_string (roi->roi_type));
    read_params (&box, roi);

    /* Skips a region that analytics metadata already described, for which our
     * detector uses the same id, and a duplicate of an earlier region. */
    for (i = 0; i < list->n && !known; i++) {
      GstY10Detection *other = &list->items[i];

      known = other->id == box.id
          && same_label (other, box.label, box.label_length)
          && (i < n_before || same_edges (other, &box));
      if (known)
        complete (other, &box);
    }
    if (!known)
      add (reading, &box);
  }
}

/* GstYolov10FrameMeta, unpacked once: looking up the fields for each record
 * would take longer than drawing it. */
typedef struct
{
  const guint8 *records;
  guint count, record_size;
  const gchar *labels;
  gsize labels_length;
} Records;

static gboolean
records_open (Records *records, const GstStructure *structure,
    const gchar *name, const gchar *labels)
{
  const GValue *value = gst_structure_get_value (structure, name);
  gsize n_bytes;

  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES)
      || !g_value_get_boxed (value)
      || !gst_structure_get_uint (structure, "record-size",
          &records->record_size)
      || records->record_size < sizeof (GstYolov10Record))
    return FALSE;
  records->records = g_bytes_get_data (g_value_get_boxed (value), &n_bytes);
  if (!records->records)
    n_bytes = 0;
  records->count = (guint) MIN (G_MAXUINT, n_bytes / records->record_size);
  records->labels = gst_structure_get_string (structure, labels);
  if (!records->labels)
    records->labels = "";
  records->labels_length = strlen (records->labels);
  return TRUE;
}

static gboolean
records_get (const Records *records, const GstY10Reading *reading, guint index,
    GstY10Detection *box)
{
  const guint width = reading->result.list.width,
              height = reading->result.list.height;
  GstYolov10Record record;

  memcpy (&record, records->records + (gsize) index * records->record_size,
      sizeof record);
  *box = (GstY10Detection){
    .id = record.id,
    .class_id = record.label_id,
    .label = "",
  };
  if (!set_edges (box, reading, (gdouble) record.x_min * width,
          (gdouble) record.y_min * height, (gdouble) record.x_max * width,
          (gdouble) record.y_max * height))
    return FALSE;
  box->confidence = valid_confidence (record.confidence);
  if (record.label_offset < records->labels_length) {
    box->label = records->labels + record.label_offset;
    box->label_length = strcspn (box->label, "\n");
  }
  return TRUE;
}

/* Compares aspect ratios, within one pixel of rounding: elements that crop,
 * rotate or pad a frame keep the frame meta, whose coordinates are then wrong. */
static gboolean
same_shape (guint width, guint height, guint frame_width, guint frame_height)
{
  gdouble expected = (gdouble) frame_height * width / height;

  return width > 0 && height > 0
      && (fabs (frame_width - expected) <= 0.01 * expected
          || fabs (frame_width - expected) <= 1
          || fabs (frame_height - (gdouble) frame_width * height / width) <= 1);
}

/* Matches one producer's records to detections already read. Each detection
 * matches one producer only: two detectors in series may find the same object. */
static gboolean
claim (GstY10Reading *reading, guint n_others, const Records *records)
{
  gboolean any = FALSE;
  GstY10Detection record;
  guint i, j;

  for (i = 0; i < records->count && i < GST_Y10_READ_MAX; i++) {
    if (!records_get (records, reading, i, &record))
      continue;
    for (j = 0; j < n_others; j++) {
      GstY10Detection *box = &reading->result.list.items[j];

      if (!reading->claimed[j] && box->id == record.id
          && same_place (box, &record)
          && same_label (box, record.label, record.label_length)) {
        reading->claimed[j] = any = TRUE;
        box->class_id = record.class_id;
        if (box->confidence < 0)
          box->confidence = record.confidence;
        break;
      }
    }
  }
  return any;
}

/* The detections of a frame meta, of which it has as many as it says. */
static gboolean
open_detections (Records *records, const GstStructure *structure)
{
  guint count = 0;

  if (!records_open (records, structure, "records", "labels")
      || !gst_structure_get_uint (structure, "count", &count))
    return FALSE;
  records->count = MIN (records->count, count);
  return records->count > 0;
}

/* Too many weak boxes are no overflow: privacy does not depend on them. */
static void
collect_weak (GstY10Reading *reading, const GstStructure *structure)
{
  Records records;
  GstY10Detection box;

  if (!records_open (&records, structure, "weak-records", "weak-labels"))
    return;
  reading->result.weak = &reading->weak;
  for (guint i = 0; i < records.count && i < GST_Y10_READ_MAX; i++)
    if (records_get (&records, reading, i, &box))
      gst_y10_detection_list_add (&reading->weak, &box);
}

static void
collect_frame_metas (GstY10Reading *reading, GstBuffer *buffer)
{
  guint n_others = reading->result.list.n;
  const GstStructure *structure;
  gpointer state = NULL;

  while ((structure = gst_yolov10_frame_meta_find (buffer, &state))) {
    guint width = 0, height = 0, i;
    gboolean is_inspected, fits;
    Records records;
    GstY10Detection box;

    if (!gst_y10_tracks_made_meta (structure) && !reading->n_frame_metas++) {
      reading->result.producer = gst_structure_get_string (structure,
          "producer");
      reading->result.model = gst_structure_get_string (structure, "model");
    }
    reading->n_inspected += gst_structure_get_boolean (structure, "inspected",
                                &is_inspected)
        && is_inspected;
    gst_structure_get_uint (structure, "width", &width);
    gst_structure_get_uint (structure, "height", &height);
    fits = same_shape (width, height, reading->result.list.width,
        reading->result.list.height);
    if (fits) {
      collect_weak (reading, structure);
      gst_y10_tracks_read (&reading->tracks, structure,
          reading->result.list.width, reading->result.list.height);
    }
    if (!open_detections (&records, structure))
      continue;
    if (!fits) {
      reading->foreign_width = width;
      reading->foreign_height = height;
      continue;
    }
    reading->any = TRUE;
    reading->overflow |= records.count > GST_Y10_READ_MAX;
    /* This producer's ROIs or analytics take precedence: an element in between
     * may have removed some on purpose. */
    if (claim (reading, n_others, &records))
      continue;
    for (i = 0; i < records.count && i < GST_Y10_READ_MAX; i++)
      if (records_get (&records, reading, i, &box))
        add (reading, &box);
  }
}

/**
 * gst_y10_reading_collect:
 * @self: a reading; the new detections replace the previous ones
 * @buffer: a frame, which must outlive the use of the result's strings: they
 *   point into its metadata
 * @width: width of the frame in pixels
 * @height: height of the frame in pixels
 *
 * Reads what the metadata of @buffer says into @self->result. Allocates nothing.
 */
void
gst_y10_reading_collect (GstY10Reading *self, GstBuffer *buffer, guint width,
    guint height)
{
  gst_y10_detection_list_begin (&self->result.list, width, height);
  gst_y10_detection_list_begin (&self->weak, width, height);
  self->result.weak = NULL;
  gst_y10_track_list_begin (&self->tracks);
  self->result.pts = GST_BUFFER_PTS (buffer);
  self->result.producer = self->result.model = NULL;
  self->foreign_width = self->foreign_height = self->n_frame_metas = 0;
  self->n_inspected = self->n_inspections = self->n_attached = 0;
  self->any = self->overflow = self->moved = self->missing = FALSE;
#ifdef HAVE_GST_ANALYTICS
  collect_analytics (self, buffer);
#endif
  collect_rois (self, buffer);
  memset (self->claimed, 0, self->result.list.n);
  collect_frame_metas (self, buffer);
  gst_y10_reading_inspect (self, buffer);
}
