/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The inspection meta distinguishes a picture in which a detector found nothing
 * from one that no detector has inspected. Because of its tags and its transform
 * function GStreamer drops it on any change that would invalidate the boxes, or it
 * says so: videocrop, videoflip, videobox, letterboxing, effects that move pixels.
 * Elements that create a new picture, such as compositor, do not copy it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/inspection.h"

#include <math.h>

/* Pixels. A scaler that keeps the aspect ratio still rounds the size; borders up
 * to this width do not shift boxes. */
#define MAX_BORDER 2.0

#define NAME "GstYolov10InspectionMeta"

/* Set by gst_y10_inspection_register(). */
static const GstMetaInfo *inspection_info;

/* Returns the width of the borders if @to shows all of @from undistorted. */
static gdouble
border (const GstVideoInfo *from, const GstVideoInfo *to)
{
  gdouble aspect = (gdouble) from->width * from->par_n * to->par_d
      / ((gdouble) from->height * from->par_d * to->par_n);

  return MAX (to->width - to->height * aspect, to->height - to->width / aspect);
}

static gboolean
is_uniform (const GstVideoInfo *from, const GstVideoInfo *to)
{
  return from->width > 0 && from->height > 0 && from->par_n > 0
      && from->par_d > 0 && to->par_n > 0 && to->par_d > 0
      && border (from, to) <= MAX_BORDER;
}

/* Rounds inwards: nothing is known about pixels outside the region. */
static void
scale_region (GstVideoRectangle *region, gdouble across, gdouble down)
{
  gint x0 = (gint) ceil (region->x * across);
  gint y0 = (gint) ceil (region->y * down);
  gint x1 = (gint) floor ((region->x + region->w) * across);
  gint y1 = (gint) floor ((region->y + region->h) * down);

  *region = (GstVideoRectangle){ x0, y0, MAX (x1 - x0, 0), MAX (y1 - y0, 0) };
}

static gboolean
transform (GstBuffer *to, GstMeta *meta, GstBuffer *from, GQuark type,
    gpointer data)
{
  const GstY10InspectionMeta *old = (const GstY10InspectionMeta *) meta;
  GstY10InspectionMeta new = *old, *copy;

  if (GST_META_TRANSFORM_IS_COPY (type)) {
    if (((GstMetaTransformCopy *) data)->region)
      return FALSE;
  } else if (GST_VIDEO_META_TRANSFORM_IS_SCALE (type)) {
    const GstVideoInfo *in = ((GstVideoMetaTransform *) data)->in_info;
    const GstVideoInfo *out = ((GstVideoMetaTransform *) data)->out_info;

    if (in->width != (gint) old->width || in->height != (gint) old->height)
      return FALSE;
    /* GStreamer scales regions of interest as if there were no borders. */
    if (!is_uniform (in, out))
      new.state = GST_Y10_STATE_MOVED;
    new.width = out->width;
    new.height = out->height;
    scale_region (&new.region, (gdouble) out->width / in->width,
        (gdouble) out->height / in->height);
  } else {
    return FALSE;
  }
  copy = gst_y10_inspection_add (to);
  if (!copy)
    return FALSE;
  new.meta = copy->meta;
  *copy = new;
  return TRUE;
}

static gboolean
init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstY10InspectionMeta *self = (GstY10InspectionMeta *) meta;

  *self = (GstY10InspectionMeta){
    .meta = *meta,
    .state = GST_Y10_STATE_NO_RESULT,
  };
  return TRUE;
}

/**
 * gst_y10_inspection_register:
 *
 * Registers the meta type. Must be called before the other functions, as in
 * class_init. Thread-safe; later calls do nothing.
 */
void
gst_y10_inspection_register (void)
{
  static const gchar *tags[] = { GST_META_TAG_VIDEO_STR,
    GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, NULL };
  static gsize once = 0;

  if (!g_once_init_enter (&once))
    return;
  /* y10 links this code too and also loads the plugin, which may have
   * registered the type already. */
  inspection_info = gst_meta_get_info (NAME);
  if (!inspection_info)
    inspection_info = gst_meta_register (gst_meta_api_type_register (NAME "API",
                                             tags),
        NAME, sizeof (GstY10InspectionMeta), init, NULL, transform);
  g_once_init_leave (&once, 1);
}

/**
 * gst_y10_inspection_add:
 * @buffer: a writable buffer
 *
 * Adds an inspection meta with %GST_Y10_STATE_NO_RESULT.
 *
 * Returns: (transfer none): the new meta
 */
GstY10InspectionMeta *
gst_y10_inspection_add (GstBuffer *buffer)
{
  return (GstY10InspectionMeta *) gst_buffer_add_meta (buffer, inspection_info,
      NULL);
}

/**
 * gst_y10_inspection_next:
 * @buffer: a buffer
 * @state: (inout): iterator state; set to %NULL before the first call
 *
 * Iterates over the inspection metas of @buffer. Each detector adds one.
 *
 * Returns: (transfer none) (nullable): the next meta, or %NULL after the last
 *   one
 */
const GstY10InspectionMeta *
gst_y10_inspection_next (GstBuffer *buffer, gpointer *state)
{
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, state)))
    if (meta->info == inspection_info)
      return (const GstY10InspectionMeta *) meta;
  return NULL;
}
