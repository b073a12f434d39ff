/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which boxes a buffer's metadata means. The same detection may be there three
 * times (GstAnalyticsODMtd, GstVideoRegionOfInterestMeta, a record of
 * GstYolov10FrameMeta), because every element on the way keeps another part of
 * it; it comes out once, from the first of these three that is left, with the
 * confidence from whichever still knows it. Nothing in metadata is believed:
 * what is not finite, not inside of the frame or not of the expected type does
 * not get past this file. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/read.h"

#include <math.h>
#include <string.h>

#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "meta/gstyolov10framemeta.h"

static GQuark quark_detection, quark_label, quark_confidence;
static GQuark quark_object_id, quark_id;

void
gst_y10_boxes_init (GstY10Boxes * boxes)
{
  quark_detection = g_quark_from_static_string ("detection");
  quark_label = g_quark_from_static_string ("label");
  quark_confidence = g_quark_from_static_string ("confidence");
  quark_object_id = g_quark_from_static_string ("object_id");
  quark_id = g_quark_from_static_string ("id");
  boxes->array = g_array_sized_new (FALSE, FALSE, sizeof (GstY10Box), 64);
}

void
gst_y10_boxes_clear (GstY10Boxes * boxes)
{
  g_clear_pointer (&boxes->array, g_array_unref);
}

static gfloat
valid_confidence (gdouble confidence)
{
  return confidence >= 0 && confidence <= 1 ? (gfloat) confidence : -1.0f;
}

/* Edges may be any doubles, NaN among them. */
static gboolean
clip (GstY10Rect * rect, gdouble x0, gdouble y0, gdouble x1, gdouble y1,
    gint width, gint height)
{
  if (!(x0 < x1 && y0 < y1 && x0 < width && y0 < height && x1 > 0 && y1 > 0))
    return FALSE;
  /* Rounded as one: a box's right edge is its neighbour's left. */
  rect->x0 = (gint) (MAX (x0, 0) + 0.5);
  rect->y0 = (gint) (MAX (y0, 0) + 0.5);
  rect->x1 = (gint) (MIN (x1, width) + 0.5);
  rect->y1 = (gint) (MIN (y1, height) + 0.5);
  return !gst_y10_rect_is_empty (rect);
}

static void
add (GstY10Boxes * boxes, const GstY10Box * box)
{
  if (boxes->array->len < GST_Y10_MAX_BOXES)
    g_array_append_vals (boxes->array, box, 1);
  else
    boxes->overflow = TRUE;
}

static void
set_label (GstY10Box * box, const gchar * label)
{
  box->label = label ? label : "";
  box->label_length = strlen (box->label);
}

static gboolean
same_label (const GstY10Box * box, const gchar * label, gsize length)
{
  return box->label_length == length
      && memcmp (box->label, label, length) == 0;
}

/* The same place, but for the rounding of a converter or two. */
static gboolean
same_place (GstY10Rect a, GstY10Rect b)
{
  return ABS (a.x0 - b.x0) <= 3 && ABS (a.y0 - b.y0) <= 3
      && ABS (a.x1 - b.x1) <= 3 && ABS (a.y1 - b.y1) <= 3;
}

#ifdef HAVE_GST_ANALYTICS
/* A tracker relates what it follows to what was detected. One that has lost it
 * does not know any more what this box is. */
static void
find_track (GstY10Box * box, const GstAnalyticsODMtd * detection)
{
  GstAnalyticsMtd track;
  gpointer state = NULL;
  gboolean lost;

  while (!box->tracked
      && gst_analytics_relation_meta_get_direct_related (detection->meta,
          detection->id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
          gst_analytics_tracking_mtd_get_mtd_type (), &state, &track))
    box->tracked = gst_analytics_tracking_mtd_get_info (&track, &box->track_id,
        NULL, NULL, &lost) && !lost;
}

static void
collect_analytics (GstY10Boxes * boxes, GstBuffer * buffer)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsODMtd mtd;
  gpointer state = NULL;

  while (meta && gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_od_mtd_get_mtd_type (), &mtd)) {
    GstY10Box box = {.id = (gint) mtd.id };
    gfloat confidence;
    gint x, y, w, h;

    boxes->any = TRUE;
    if (!gst_analytics_od_mtd_get_location (&mtd, &x, &y, &w, &h, &confidence)
        || !clip (&box.rect, x, y, (gdouble) x + w, (gdouble) y + h,
            boxes->width, boxes->height))
      continue;
    box.confidence = valid_confidence (confidence);
    set_label (&box,
        g_quark_to_string (gst_analytics_od_mtd_get_obj_type (&mtd)));
    find_track (&box, &mtd);
    add (boxes, &box);
  }
}
#endif

/* What detectors attach; Edge Impulse's say there what they track. */
static void
read_detection (GstY10Box * box, const GstStructure * params)
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

/* DL Streamer's trackers count from 1, and 0 is none. */
static void
read_object_id (GstY10Box * box, const GstStructure * params)
{
  const GValue *value = gst_structure_id_get_value (params, quark_id);

  if (value && G_VALUE_HOLDS_INT (value) && g_value_get_int (value) > 0) {
    box->track_id = (guint64) g_value_get_int (value);
    box->tracked = TRUE;
  }
}

/* The parameters of a region, where a converter has not dropped them: of each
 * kind the first. */
static void
read_params (GstY10Box * box, const GstVideoRegionOfInterestMeta * roi)
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

/* What one kind of metadata knows of a box and another does not. */
static void
complete (GstY10Box * box, const GstY10Box * more)
{
  if (box->confidence < 0)
    box->confidence = more->confidence;
  if (!box->tracked) {
    box->tracked = more->tracked;
    box->track_id = more->track_id;
  }
}

static void
collect_rois (GstY10Boxes * boxes, GstBuffer * buffer)
{
  guint n_before = boxes->array->len;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi =
        (const GstVideoRegionOfInterestMeta *) meta;
    GstY10Box box = {.id = roi->id,.confidence = -1 };
    /* The fields are unsigned, yet producers write negative numbers. */
    gint x = (gint) roi->x, y = (gint) roi->y;
    gint w = (gint) roi->w, h = (gint) roi->h;
    gboolean known = FALSE;
    guint i;

    boxes->any = TRUE;
    if (!clip (&box.rect, x, y, (gdouble) x + w, (gdouble) y + h, boxes->width,
            boxes->height))
      continue;
    set_label (&box, g_quark_to_string (roi->roi_type));
    read_params (&box, roi);

    /* Known from analytics (same id, which our detector takes care of), or
     * the very same region a second time. */
    for (i = 0; i < boxes->array->len && !known; i++) {
      GstY10Box *other = &g_array_index (boxes->array, GstY10Box, i);

      known = other->id == box.id
          && same_label (other, box.label, box.label_length)
          && (i < n_before
          || memcmp (&other->rect, &box.rect, sizeof box.rect) == 0);
      if (known)
        complete (other, &box);
    }
    if (!known)
      add (boxes, &box);
  }
}

/* GstYolov10FrameMeta, unpacked once: looking the fields up for each record
 * would take longer than drawing it. */
typedef struct
{
  const guint8 *records;
  guint count, record_size;
  const gchar *labels;
  gsize labels_length;
} Records;

static gboolean
records_open (Records * records, const GstStructure * structure)
{
  const GValue *value = gst_structure_get_value (structure, "records");
  gsize n_bytes;

  if (!value || !G_VALUE_HOLDS (value, G_TYPE_BYTES)
      || !g_value_get_boxed (value)
      || !gst_structure_get_uint (structure, "count", &records->count)
      || !gst_structure_get_uint (structure, "record-size",
          &records->record_size)
      || records->record_size < sizeof (GstYolov10Record))
    return FALSE;
  records->records = g_bytes_get_data (g_value_get_boxed (value), &n_bytes);
  if (!records->records)
    n_bytes = 0;
  records->count = (guint) MIN (records->count,
      n_bytes / records->record_size);
  records->labels = gst_structure_get_string (structure, "labels");
  if (!records->labels)
    records->labels = "";
  records->labels_length = strlen (records->labels);
  return TRUE;
}

static gboolean
records_get (const Records * records, const GstY10Boxes * boxes, guint index,
    GstY10Box * box)
{
  GstYolov10Record record;

  memcpy (&record, records->records + (gsize) index * records->record_size,
      sizeof record);
  *box = (GstY10Box) {.id = record.id,.label = "" };
  if (!clip (&box->rect, (gdouble) record.x_min * boxes->width,
          (gdouble) record.y_min * boxes->height,
          (gdouble) record.x_max * boxes->width,
          (gdouble) record.y_max * boxes->height, boxes->width, boxes->height))
    return FALSE;
  box->confidence = valid_confidence (record.confidence);
  if (record.label_offset < records->labels_length) {
    box->label = records->labels + record.label_offset;
    box->label_length = strcspn (box->label, "\n");
  }
  return TRUE;
}

/* A crop, a rotation, added borders leave the metadata as it is, and its
 * coordinates wrong; only the shape of the frame tells. One pixel of rounding
 * is no other shape. */
static gboolean
same_shape (guint width, guint height, gint frame_width, gint frame_height)
{
  gdouble expected = (gdouble) frame_height * width / height;

  return width > 0 && height > 0
      && (fabs (frame_width - expected) <= 0.01 * expected
      || fabs (frame_width - expected) <= 1
      || fabs (frame_height - (gdouble) frame_width * height / width) <= 1);
}

/* Marks the boxes that one producer's records are about. A box belongs to one
 * producer only: two detectors in series may have found the same thing. */
static gboolean
claim (GstY10Boxes * boxes, guint n_others, const Records * records)
{
  gboolean any = FALSE;
  GstY10Box record;
  guint i, j;

  for (i = 0; i < records->count && i < GST_Y10_MAX_BOXES; i++) {
    if (!records_get (records, boxes, i, &record))
      continue;
    for (j = 0; j < n_others; j++) {
      GstY10Box *box = &g_array_index (boxes->array, GstY10Box, j);

      if (!box->claimed && box->id == record.id
          && same_place (box->rect, record.rect)
          && same_label (box, record.label, record.label_length)) {
        box->claimed = any = TRUE;
        if (box->confidence < 0)
          box->confidence = record.confidence;
        break;
      }
    }
  }
  return any;
}

static void
collect_frame_metas (GstY10Boxes * boxes, GstBuffer * buffer)
{
  guint n_others = boxes->array->len;
  const GstStructure *structure;
  gpointer state = NULL;

  while ((structure = gst_yolov10_frame_meta_find (buffer, &state))) {
    guint width = 0, height = 0, i;
    Records records;
    GstY10Box box;

    boxes->n_frame_metas++;
    if (!records_open (&records, structure) || records.count == 0)
      continue;
    gst_structure_get_uint (structure, "width", &width);
    gst_structure_get_uint (structure, "height", &height);
    if (!same_shape (width, height, boxes->width, boxes->height)) {
      boxes->foreign_width = width;
      boxes->foreign_height = height;
      continue;
    }
    boxes->any = TRUE;
    boxes->overflow |= records.count > GST_Y10_MAX_BOXES;
    /* Where this producer's boxes came through as ROIs or analytics, these
     * decide: an element in between may have taken some away. */
    if (claim (boxes, n_others, &records))
      continue;
    for (i = 0; i < records.count && i < GST_Y10_MAX_BOXES; i++)
      if (records_get (&records, boxes, i, &box))
        add (boxes, &box);
  }
}

/**
 * gst_y10_boxes_collect:
 * @boxes: what there was before is forgotten
 * @buffer: a frame; must outlive the use of @boxes
 * @width: of the frame, pixels
 * @height: of the frame, pixels
 *
 * Returns: the number of boxes
 */
guint
gst_y10_boxes_collect (GstY10Boxes * boxes, GstBuffer * buffer, gint width,
    gint height)
{
  g_array_set_size (boxes->array, 0);
  boxes->width = width;
  boxes->height = height;
  boxes->foreign_width = boxes->foreign_height = boxes->n_frame_metas = 0;
  boxes->any = boxes->overflow = FALSE;
#ifdef HAVE_GST_ANALYTICS
  collect_analytics (boxes, buffer);
#endif
  collect_rois (boxes, buffer);
  collect_frame_metas (boxes, buffer);
  return boxes->array->len;
}
