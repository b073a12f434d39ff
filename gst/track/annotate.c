/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes ids to the detections of a frame, in the fields that readers of each kind of
 * metadata look for, and the objects to the frame meta. Adds to what is there, and moves
 * or removes no box: what a detector found is what others rely on. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "track/element.h"

#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "meta/gstyolov10framemeta.h"
#include "meta/write.h"

/* Returns the id of the object that a region shows, or 0. */
static guint64
find_id (const GstYolov10Tracker *self, const GstVideoRegionOfInterestMeta *roi)
{
  const GstY10DetectionList *list = &self->reading.result.list;
  /* The fields are unsigned, but producers store negative numbers. */
  const gint x = (gint) roi->x, y = (gint) roi->y;
  const GstY10Rect place = { CLAMP (x, 0, (gint) self->width),
    CLAMP (y, 0, (gint) self->height),
    CLAMP ((gint64) x + (gint) roi->w, 0, self->width),
    CLAMP ((gint64) y + (gint) roi->h, 0, self->height) };

  for (guint i = 0; i < list->n; i++) {
    GstY10Rect rect = gst_y10_detection_get_rect (&list->items[i]);

    if (self->ids[i] && list->items[i].id == roi->id
        && ABS (rect.x0 - place.x0) <= 3 && ABS (rect.y0 - place.y0) <= 3
        && ABS (rect.x1 - place.x1) <= 3 && ABS (rect.y1 - place.y1) <= 3)
      return self->ids[i];
  }
  return 0;
}

/* As DL Streamer's gvatrack does, whose ids have 31 bits, and Edge Impulse's
 * elements. */
static void
annotate_roi (GstVideoRegionOfInterestMeta *roi, guint64 id)
{
  GstStructure *object = gst_video_region_of_interest_meta_get_param (roi,
      "object_id");
  GstStructure *detection = gst_video_region_of_interest_meta_get_param (roi,
      "detection");

  if (detection)
    gst_structure_set (detection, "object_id", G_TYPE_UINT64, id, NULL);
  if (id > G_MAXINT)
    return;
  if (object)
    gst_structure_set (object, "id", G_TYPE_INT, (gint) id, NULL);
  else
    gst_video_region_of_interest_meta_add_param (roi,
        gst_structure_new ("object_id", "id", G_TYPE_INT, (gint) id, NULL));
}

static void
annotate_rois (const GstYolov10Tracker *self, GstBuffer *buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *roi = (gpointer) meta;
    guint64 id = find_id (self, roi);

    if (id)
      annotate_roi (roi, id);
  }
}

#ifdef HAVE_GST_ANALYTICS
/* Relates each detection with an id to its object, as upstream's trackers do. */
static void
annotate_analytics (GstYolov10Tracker *self, GstBuffer *buffer)
{
  const GstY10DetectionList *list = &self->reading.result.list;
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta (
      buffer);

  for (guint i = 0; relations && i < list->n; i++) {
    const GstY10Detection *d = &list->items[i];
    GstAnalyticsTrackingMtd track;
    GstAnalyticsODMtd box;
    const GstY10Track *object;
    gint x, y, w, h;
    gfloat confidence;

    /* Records and regions may have the same ids as other members. */
    if (!self->ids[i] || d->id < 0
        || !gst_analytics_relation_meta_get_od_mtd (relations, (guint) d->id,
            &box)
        || !gst_analytics_od_mtd_get_location (&box, &x, &y, &w, &h,
            &confidence)
        || ABS (MAX (x, 0) - (gint) d->x0) > 3
        || ABS (MAX (y, 0) - (gint) d->y0) > 3)
      continue;
    object = gst_y10_tracker_find (self->tracker, self->ids[i]);
    if (gst_analytics_relation_meta_add_tracking_mtd (relations, self->ids[i],
            object ? object->began : self->pts, &track))
      gst_analytics_relation_meta_set_relation (relations,
          GST_ANALYTICS_REL_TYPE_RELATE_TO, box.id, track.id);
  }
}
#endif

/* Returns the frame meta of a detector, or one of our own for its boxes. NULL if there
 * is nothing to say. */
static GstStructure *
find_frame_meta (GstYolov10Tracker *self, GstBuffer *buffer)
{
  GstY10Result result = self->reading.result;
  gpointer state = NULL;
  const GstStructure *structure;

  while ((structure = gst_yolov10_frame_meta_find (buffer, &state)))
    if (!gst_y10_tracks_made_meta (structure))
      return (GstStructure *) structure; /* the buffer is ours to write to */
  if (result.list.n == 0 && self->tracks.n == 0)
    return NULL;
  result.producer = self->name;
  result.model = NULL;
  result.weak = NULL;
  if (result.state == GST_Y10_STATE_NO_DETECTOR && result.list.n)
    result.state = GST_Y10_STATE_FRESH;
  return gst_y10_frame_meta_add (buffer, &result);
}

/* Writes what gst_y10_track_observe() has found to a writable @buffer. */
void
gst_y10_track_annotate (GstYolov10Tracker *self, GstBuffer *buffer)
{
  GstStructure *structure;

  annotate_rois (self, buffer);
#ifdef HAVE_GST_ANALYTICS
  annotate_analytics (self, buffer);
#endif
  structure = find_frame_meta (self, buffer);
  if (structure)
    gst_y10_tracks_write (&self->tracks, self->width, self->height, structure);
}
