/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes detections to a buffer as three kinds of metadata, because converters
 * between the detector and a reader drop one or the other: regions of interest,
 * which most elements read; GstAnalytics object detections, which GStreamer's
 * own elements read since 1.24; and one frame meta, which also records that
 * nothing was found. A detection has the same id in all three: the id assigned
 * by GstAnalytics if that is attached, else the first id above those of earlier
 * detectors on the buffer. Readers can therefore tell a second description of
 * one detection from another detector's. Labels are interned once per model, so
 * that no frame needs a lookup. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/write.h"
#include "meta/gstyolov10framemeta.h"

#include <gst/video/video.h>
#include <y10/report.h>
#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#define FRAME_META_VERSION 1

typedef struct
{
  GQuark quark;
  const gchar *name;            /* interned: buffers may outlive the attacher */
  gchar *line;                  /* with "\n", for the frame meta's labels */
  gsize line_length;
} Label;

struct _GstY10Attacher
{
  gchar *producer;
  gchar *model_name;
  guint n_labels;
  Label *labels;
};

/* Set by gst_y10_attach_register_metas(). */
static const GstMetaInfo *frame_meta_info;

/**
 * gst_y10_attach_register_metas:
 *
 * Registers the meta types. Must be called when the plugin is loaded, before the
 * other functions. Thread-safe; later calls do nothing. The frame meta has no
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

/**
 * gst_y10_attacher_new:
 * @model: the model, which provides the class names; not kept
 * @producer: name of the element
 *
 * Interns the labels of @model. Free it with gst_y10_attacher_free().
 *
 * Returns: (transfer full): a new attacher
 */
GstY10Attacher *
gst_y10_attacher_new (const Y10Model * model, const gchar * producer)
{
  GstY10Attacher *self = g_new0 (GstY10Attacher, 1);

  self->producer = g_strdup (producer);
  self->model_name = g_strdup (y10_model_get_variant (model));
  self->n_labels = y10_model_get_n_classes (model);
  self->labels = g_new0 (Label, self->n_labels);
  for (guint i = 0; i < self->n_labels; i++) {
    Label *label = &self->labels[i];
    const gchar *name = y10_model_get_class_name (model, i);

    label->quark = g_quark_from_string (name);
    label->name = g_quark_to_string (label->quark);
    label->line = g_strconcat (name, "\n", NULL);
    label->line_length = strlen (label->line);
    for (gsize c = 0; c + 1 < label->line_length; c++)
      if (label->line[c] == '\n')
        label->line[c] = ' ';
  }
  return self;
}

/**
 * gst_y10_attacher_free:
 * @self: (nullable): an attacher
 */
void
gst_y10_attacher_free (GstY10Attacher * self)
{
  if (!self)
    return;
  for (guint i = 0; i < self->n_labels; i++)
    g_free (self->labels[i].line);
  g_free (self->labels);
  g_free (self->model_name);
  g_free (self->producer);
  g_free (self);
}

/* Returns the first id above those of other detectors on the buffer. */
static gint
first_free_id (GstBuffer * buffer)
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
      const GstStructure *structure =
          gst_custom_meta_get_structure ((GstCustomMeta *) meta);
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
pixel_box (const GstY10DetectionList * list, const GstY10Detection * d)
{
  Y10Detection row = gst_y10_detection_to_row (d);
  Y10PixelBox box;

  y10_detection_to_pixels (&row, list->width, list->height, &box);
  return box;
}

static void
attach_roi (const GstY10Attacher * self, GstBuffer * buffer,
    const GstY10Findings * findings, const GstY10Detection * d)
{
  const GstY10DetectionList *list = findings->detections;
  const Label *label = &self->labels[d->class_id];
  Y10PixelBox box = pixel_box (list, d);
  GstVideoRegionOfInterestMeta *meta;

  meta = gst_buffer_add_video_region_of_interest_meta_id (buffer,
      label->quark, box.x, box.y, box.w, box.h);
  meta->id = d->id;
  meta->parent_id = d->parent_id;       /* not 0, which is a valid id */
  gst_video_region_of_interest_meta_add_param (meta,
      gst_structure_new ("detection",
          "label_id", G_TYPE_INT, d->class_id,
          "label", G_TYPE_STRING, label->name,
          "confidence", G_TYPE_DOUBLE, (gdouble) d->confidence,
          "x_min", G_TYPE_DOUBLE, d->x0 / list->width,
          "y_min", G_TYPE_DOUBLE, d->y0 / list->height,
          "x_max", G_TYPE_DOUBLE, d->x1 / list->width,
          "y_max", G_TYPE_DOUBLE, d->y1 / list->height,
          "model_name", G_TYPE_STRING, self->model_name, NULL));
  if (findings->hints)
    gst_y10_hints_add (findings->hints, d->class_id, meta);
}

#ifdef HAVE_GST_ANALYTICS
/* Returns the id that the relation meta assigned. */
static gint
attach_analytics (const GstY10Attacher * self,
    GstAnalyticsRelationMeta * relations, const GstY10DetectionList * list,
    const GstY10Detection * d)
{
  Y10PixelBox box = pixel_box (list, d);
  GstAnalyticsODMtd mtd;

  if (!gst_analytics_relation_meta_add_od_mtd (relations,
          self->labels[d->class_id].quark, box.x, box.y, box.w, box.h,
          d->confidence, &mtd))
    return d->id;
  return (gint) mtd.id;
}

static GstAnalyticsRelationMeta *
relation_meta (GstBuffer * buffer)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);

  return relations ? relations
      : gst_buffer_add_analytics_relation_meta (buffer);
}
#endif

static void
fill_record (GstYolov10Record * record, const GstY10DetectionList * list,
    const GstY10Detection * d, gsize label_offset)
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

/* Sets the frame meta's fields. */
static void
describe (const GstY10Attacher * self, GstStructure * structure,
    const GstY10Findings * findings)
{
  const GstY10DetectionList *list = findings->detections;
  guint n = list->n;
  GstYolov10Record *records = g_new (GstYolov10Record, n);
  gsize offset = 0, length = 1;
  GValue value = G_VALUE_INIT;
  gchar *labels;

  for (guint i = 0; i < n; i++)
    length += self->labels[list->items[i].class_id].line_length;
  labels = g_malloc (length);
  labels[length - 1] = '\0';
  for (guint i = 0; i < n; i++) {
    const GstY10Detection *d = &list->items[i];
    const Label *label = &self->labels[d->class_id];

    fill_record (&records[i], list, d, offset);
    memcpy (labels + offset, label->line, label->line_length);
    offset += label->line_length;
  }

  gst_structure_set (structure,
      "version", G_TYPE_UINT, FRAME_META_VERSION,
      "producer", G_TYPE_STRING, self->producer,
      "model", G_TYPE_STRING, self->model_name,
      "width", G_TYPE_UINT, list->width,
      "height", G_TYPE_UINT, list->height,
      "inference", G_TYPE_STRING,
      findings->inference ? findings->inference : "fresh",
      "age", G_TYPE_UINT64, (guint64) findings->age,
      "count", G_TYPE_UINT, n,
      "record-size", G_TYPE_UINT, (guint) sizeof *records, NULL);
  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value,
      g_bytes_new_take (records, n * sizeof *records));
  gst_structure_take_value (structure, "records", &value);
  g_value_init (&value, G_TYPE_STRING);
  g_value_take_string (&value, labels);
  gst_structure_take_value (structure, "labels", &value);
  if (findings->areas)
    gst_y10_areas_write (findings->areas, structure);
}

/**
 * gst_y10_attacher_list:
 * @self: an attacher
 * @list: a list, prepared by gst_y10_detection_list_begin()
 * @rows: (array length=n_rows): the engine's rows, in pixels of the frame
 * @n_rows: number of rows; @list drops those beyond its capacity
 *
 * Appends @rows with their labels, which stay valid until @self is freed.
 * Allocates nothing.
 */
void
gst_y10_attacher_list (const GstY10Attacher * self, GstY10DetectionList * list,
    const Y10Detection * rows, guint n_rows)
{
  for (guint i = 0; i < n_rows; i++) {
    const Y10Detection *row = &rows[i];
    const Label *label = &self->labels[row->class_id];

    gst_y10_detection_list_add (list, &(GstY10Detection) {
        .x0 = row->x0,.y0 = row->y0,.x1 = row->x1,.y1 = row->y1,
        .class_id = row->class_id,.parent_id = -1,.confidence = row->confidence,
        .label = label->name,.label_length = label->line_length - 1
    });
  }
}

/**
 * gst_y10_attacher_describe:
 * @self: an attacher
 * @name: name of the structure
 * @findings: the result for a frame, after gst_y10_attacher_attach()
 *
 * Builds a structure with the same fields as the frame meta, for messages.
 *
 * Returns: (transfer full): the new structure
 */
GstStructure *
gst_y10_attacher_describe (const GstY10Attacher * self, const gchar * name,
    const GstY10Findings * findings)
{
  GstStructure *structure = gst_structure_new_empty (name);

  describe (self, structure, findings);
  return structure;
}

static void
attach_inspection (GstBuffer * buffer, const GstY10Findings * findings)
{
  GstY10InspectionMeta *meta = gst_y10_inspection_add (buffer);
  const GstY10DetectionList *list = findings->detections;

  meta->knowledge = findings->knowledge;
  meta->held_for_privacy = findings->for_privacy;
  meta->age = findings->age;
  meta->width = list->width;
  meta->height = list->height;
  meta->region = findings->region;
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
 * gst_y10_attacher_attach:
 * @self: an attacher
 * @buffer: a writable buffer, not mapped
 * @findings: the result for the frame
 *
 * Adds the kinds of metadata in @findings->attach to @buffer, and the inspection
 * meta if there are any. Keeps the metadata of other elements. Sets the ids of
 * the detections.
 */
void
gst_y10_attacher_attach (const GstY10Attacher * self, GstBuffer * buffer,
    const GstY10Findings * findings)
{
  GstY10DetectionList *list = findings->detections;
  gint id = first_free_id (buffer);
#ifdef HAVE_GST_ANALYTICS
  GstAnalyticsRelationMeta *relations = NULL;

  if (list->n && (findings->attach & GST_YOLOV10_ATTACH_ANALYTICS))
    relations = relation_meta (buffer);
#endif

  for (guint i = 0; i < list->n; i++) {
    GstY10Detection *d = &list->items[i];

    d->id = id;
#ifdef HAVE_GST_ANALYTICS
    if (relations)
      d->id = attach_analytics (self, relations, list, d);
#endif
    id = d->id + 1;
    if (findings->attach & GST_YOLOV10_ATTACH_ROI)
      attach_roi (self, buffer, findings, d);
  }
  if (findings->attach & GST_YOLOV10_ATTACH_FRAME) {
    GstMeta *meta = gst_buffer_add_meta (buffer, frame_meta_info, NULL);
    GstStructure *structure =
        gst_custom_meta_get_structure ((GstCustomMeta *) meta);

    describe (self, structure, findings);
    gst_structure_set (structure, "inspected", G_TYPE_BOOLEAN, TRUE, NULL);
  }
  if (findings->attach)
    attach_inspection (buffer, findings);
}
