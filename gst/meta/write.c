/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes detections to a buffer as three kinds of metadata, because converters
 * between the detector and a reader drop one or the other: regions of interest,
 * which most elements read; GstAnalytics object detections, which GStreamer's
 * own elements read since 1.24; and one frame meta, which also records that
 * nothing was found. A detection has the same id in all three: the id assigned
 * by GstAnalytics if that is attached, else the first id above those of earlier
 * detectors on the buffer. Readers can therefore tell a second description of
 * one detection from another detector's. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/write.h"

#include <string.h>

#include <gst/video/video.h>
#include <y10/report.h>
#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "common/text.h"
#include "meta/gstyolov10framemeta.h"
#include "meta/inspection.h"

#define FRAME_META_VERSION 1

/* Set by gst_y10_attach_register_metas(). */
static const GstMetaInfo *frame_meta_info;

/**
 * gst_y10_attach_register_metas:
 *
 * Registers the meta types. Must be called before the other functions, as in
 * class_init. Thread-safe; later calls do nothing. The frame meta has no
 * tags, so elements assume that it does not depend on size, position or colours
 * and keep it.
 */
void
gst_y10_attach_register_metas (void)
{
  static gsize once = 0;
  static const gchar *no_tags[] = { NULL };

  if (!g_once_init_enter (&once))
    return;
  gst_y10_inspection_register ();
  frame_meta_info = gst_meta_get_info (GST_YOLOV10_FRAME_META_NAME);
  if (!frame_meta_info)
    frame_meta_info = gst_meta_register_custom (GST_YOLOV10_FRAME_META_NAME,
        no_tags, NULL, NULL, NULL);
  g_once_init_leave (&once, 1);
}

/* Returns whether this build attaches analytics metadata, which GStreamer has since
 * 1.24. A function, since only files that know the build's config.h could tell. */
gboolean
gst_y10_attach_has_analytics (void)
{
#ifdef HAVE_GST_ANALYTICS
  return TRUE;
#else
  return FALSE;
#endif
}

/* Returns the first id above those of other detectors on the buffer. */
static gint
first_free_id (GstBuffer *buffer)
{
  gpointer state = NULL;
  gint next = 0;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, &state))) {
    if (meta->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) {
      const GstVideoRegionOfInterestMeta *roi = (gpointer) meta;

      if (roi->id >= next && roi->id < G_MAXINT / 2)
        next = roi->id + 1;
    } else if (meta->info == frame_meta_info) {
      const GstStructure *structure = gst_custom_meta_get_structure (
          (GstCustomMeta *) meta);
      GstYolov10Record record;

      for (guint i = 0;
           gst_yolov10_frame_meta_get_record (structure, i, &record, NULL); i++)
        if (record.id >= next && record.id < G_MAXINT / 2)
          next = record.id + 1;
    }
  }
  return next;
}

static Y10PixelBox
pixel_box (const GstY10Result *result, guint i)
{
  Y10PixelBox box;

  y10_detection_to_pixels (&result->rows[i], result->list.width,
      result->list.height, &box);
  return box;
}

static void
attach_roi (GstBuffer *buffer, const GstY10Result *result, guint i,
    const GstY10Hints *hints)
{
  const GstY10DetectionList *list = &result->list;
  const GstY10Detection *d = &list->items[i];
  Y10PixelBox box = pixel_box (result, i);
  GstVideoRegionOfInterestMeta *meta;

  meta = gst_buffer_add_video_region_of_interest_meta_id (buffer, d->quark,
      box.x, box.y, box.w, box.h);
  meta->id = d->id;
  meta->parent_id = d->parent_id; /* not 0, which is a valid id */
  gst_video_region_of_interest_meta_add_param (meta,
      gst_structure_new ("detection", "label_id", G_TYPE_INT, d->class_id,
          "label", G_TYPE_STRING, g_quark_to_string (d->quark), "confidence",
          G_TYPE_DOUBLE, (gdouble) d->confidence, "x_min", G_TYPE_DOUBLE,
          d->x0 / list->width, "y_min", G_TYPE_DOUBLE, d->y0 / list->height,
          "x_max", G_TYPE_DOUBLE, d->x1 / list->width, "y_max", G_TYPE_DOUBLE,
          d->y1 / list->height, "model_name", G_TYPE_STRING, result->model,
          NULL));
  if (hints)
    gst_y10_hints_add (hints, d->class_id, meta);
}

#ifdef HAVE_GST_ANALYTICS
/* Returns the id that the relation meta assigned. */
static gint
attach_analytics (GstAnalyticsRelationMeta *relations,
    const GstY10Result *result, guint i)
{
  const GstY10Detection *d = &result->list.items[i];
  Y10PixelBox box = pixel_box (result, i);
  GstAnalyticsODMtd mtd;

  if (!gst_analytics_relation_meta_add_od_mtd (relations, d->quark, box.x,
          box.y, box.w, box.h, d->confidence, &mtd))
    return d->id;
  return (gint) mtd.id;
}

static GstAnalyticsRelationMeta *
relation_meta (GstBuffer *buffer)
{
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta (
      buffer);

  return relations ? relations
                   : gst_buffer_add_analytics_relation_meta (buffer);
}
#endif

static void
fill_record (GstYolov10Record *record, const GstY10DetectionList *list,
    const GstY10Detection *d, gsize label_offset)
{
  record->id = d->id;
  record->label_id = d->class_id;
  record->confidence = d->confidence;
  record->x_min = (gfloat) d->x0 / (gfloat) list->width;
  record->y_min = (gfloat) d->y0 / (gfloat) list->height;
  record->x_max = (gfloat) d->x1 / (gfloat) list->width;
  record->y_max = (gfloat) d->y1 / (gfloat) list->height;
  record->label_offset = (guint32) label_offset;
}

/* Returns the labels as lines; a newline in a label becomes a blank, and what is not UTF-8
 * a question mark: other producers' labels may be anything. */
static gchar *
join_labels (const GstY10DetectionList *list, GstYolov10Record *records)
{
  gsize length = 1, offset = 0;
  gchar *labels;

  for (guint i = 0; i < list->n; i++)
    length += list->items[i].label_length + 1;
  labels = g_malloc (length);
  for (guint i = 0; i < list->n; i++) {
    const GstY10Detection *d = &list->items[i];
    gchar *line = labels + offset;

    fill_record (&records[i], list, d, offset);
    memcpy (line, d->label, d->label_length);
    for (gchar *c = line;
         (c = memchr (c, '\n', (gsize) (line + d->label_length - c)));)
      *c = ' ';
    line[d->label_length] = '\n';
    offset += d->label_length + 1;
  }
  labels[offset] = '\0';
  gst_y10_text_repair (labels);
  return labels;
}

/* Sets fields @name and @labels. */
static void
set_records (GstStructure *structure, const GstY10DetectionList *list,
    const gchar *name, const gchar *labels)
{
  GstYolov10Record *records = g_new (GstYolov10Record, list->n);
  gchar *lines = join_labels (list, records);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value,
      g_bytes_new_take (records, list->n * sizeof *records));
  gst_structure_take_value (structure, name, &value);
  g_value_init (&value, G_TYPE_STRING);
  g_value_take_string (&value, lines);
  gst_structure_take_value (structure, labels, &value);
}

/* Sets the frame meta's fields, except for those that are nobody else's business. */
static void
set_fields (GstStructure *structure, const GstY10Result *result)
{
  const GstY10DetectionList *list = &result->list;

  gst_structure_set (structure, "version", G_TYPE_UINT, FRAME_META_VERSION,
      "producer", G_TYPE_STRING, result->producer, "model", G_TYPE_STRING,
      result->model, "width", G_TYPE_UINT, list->width, "height", G_TYPE_UINT,
      list->height, "inference", G_TYPE_STRING,
      gst_y10_state_get_name (result->state), "age", G_TYPE_UINT64,
      (guint64) result->age, "count", G_TYPE_UINT, list->n, "record-size",
      G_TYPE_UINT, (guint) sizeof (GstYolov10Record), NULL);
  set_records (structure, list, "records", "labels");
  if (result->areas)
    gst_y10_areas_write (result->areas, structure);
}

/**
 * gst_y10_frame_meta_add:
 * @buffer: a writable buffer
 * @result: a result, whose detections have ids
 *
 * Adds a frame meta to @buffer, for boxes that no detector of ours vouches for.
 *
 * Returns: (transfer none): its structure
 */
GstStructure *
gst_y10_frame_meta_add (GstBuffer *buffer, const GstY10Result *result)
{
  GstMeta *meta = gst_buffer_add_meta (buffer, frame_meta_info, NULL);
  GstStructure *structure = gst_custom_meta_get_structure (
      (GstCustomMeta *) meta);

  set_fields (structure, result);
  return structure;
}

/**
 * gst_y10_result_describe:
 * @self: a result, after gst_y10_result_attach()
 * @name: name of the structure
 *
 * Builds a structure with the same fields as the frame meta, for messages.
 *
 * Returns: (transfer full): the new structure
 */
GstStructure *
gst_y10_result_describe (const GstY10Result *self, const gchar *name)
{
  GstStructure *structure = gst_structure_new_empty (name);

  set_fields (structure, self);
  return structure;
}

static void
attach_inspection (GstBuffer *buffer, const GstY10Result *result,
    gboolean for_privacy)
{
  GstY10InspectionMeta *meta = gst_y10_inspection_add (buffer);
  const GstY10DetectionList *list = &result->list;

  meta->state = result->state;
  meta->held_for_privacy = for_privacy;
  meta->age = result->age;
  meta->width = list->width;
  meta->height = list->height;
  meta->region = result->region;
  meta->n_detections = list->n;
  for (guint i = 0; i < list->n; i++) {
    meta->first_id = i ? MIN (meta->first_id, list->items[i].id)
                       : list->items[i].id;
    meta->last_id = i ? MAX (meta->last_id, list->items[i].id)
                      : list->items[i].id;
    meta->id_sum += list->items[i].id;
  }
}

/**
 * gst_y10_result_attach:
 * @self: a result that gst_y10_producer_fill() has filled
 * @buffer: a writable buffer, not mapped
 * @attach: the kinds of metadata to write
 * @hints: (nullable): encoder hints for the regions
 * @for_privacy: whether privacy depends on this detector
 *
 * Adds the kinds of metadata in @attach to @buffer, and the inspection meta if
 * there are any. Keeps the metadata of other elements. Sets the ids of the
 * detections.
 */
void
gst_y10_result_attach (GstY10Result *self, GstBuffer *buffer,
    GstYolov10Attach attach, const GstY10Hints *hints, gboolean for_privacy)
{
  GstY10DetectionList *list = &self->list;
  gint id = first_free_id (buffer);
#ifdef HAVE_GST_ANALYTICS
  GstAnalyticsRelationMeta *relations = NULL;

  if (list->n && (attach & GST_YOLOV10_ATTACH_ANALYTICS))
    relations = relation_meta (buffer);
#endif

  for (guint i = 0; i < list->n; i++) {
    GstY10Detection *d = &list->items[i];

    d->id = id;
#ifdef HAVE_GST_ANALYTICS
    if (relations)
      d->id = attach_analytics (relations, self, i);
#endif
    id = d->id + 1;
    if (attach & GST_YOLOV10_ATTACH_ROI)
      attach_roi (buffer, self, i, hints);
  }
  if (attach & GST_YOLOV10_ATTACH_FRAME) {
    GstStructure *structure = gst_y10_frame_meta_add (buffer, self);

    gst_structure_set (structure, "inspected", G_TYPE_BOOLEAN, TRUE, NULL);
    if (self->weak)
      set_records (structure, self->weak, "weak-records", "weak-labels");
  }
  if (attach)
    attach_inspection (buffer, self, for_privacy);
}
