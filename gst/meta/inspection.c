/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The meta by which a reader can tell "a detector has seen this very picture and
 * found nothing" from "nobody has looked". Its tags and its transform function
 * make GStreamer drop it wherever the picture changes in a way that boxes do not
 * follow: videocrop, videoflip, videobox, letterboxing, effects that move pixels.
 * An element that creates a new picture, such as compositor, does not copy it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/inspection.h"

#include <math.h>

/* A scaler that keeps the aspect ratio rounds the size; borders that are no wider
 * than that move no box. */
#define MAX_BORDER 2.0

#define NAME "GstYolov10InspectionMeta"

/* Set by gst_y10_inspection_register(). */
static const GstMetaInfo *inspection_info;

/* How wide the borders are if @to shows all of @from without distorting it. */
static gdouble
border (const GstVideoInfo * from, const GstVideoInfo * to)
{
  gdouble aspect = (gdouble) from->width * from->par_n * to->par_d
      / ((gdouble) from->height * from->par_d * to->par_n);

  return MAX (to->width - to->height * aspect, to->height - to->width / aspect);
}

static gboolean
is_uniform (const GstVideoInfo * from, const GstVideoInfo * to)
{
  return from->width > 0 && from->height > 0 && from->par_n > 0
      && from->par_d > 0 && to->par_n > 0 && to->par_d > 0
      && border (from, to) <= MAX_BORDER;
}

/* Rounded inwards: what is outside of the region is not known. */
static void
scale_region (GstVideoRectangle * region, gdouble across, gdouble down)
{
  gint x0 = (gint) ceil (region->x * across);
  gint y0 = (gint) ceil (region->y * down);
  gint x1 = (gint) floor ((region->x + region->w) * across);
  gint y1 = (gint) floor ((region->y + region->h) * down);

  *region = (GstVideoRectangle) { x0, y0, MAX (x1 - x0, 0), MAX (y1 - y0, 0) };
}

static gboolean
transform (GstBuffer * to, GstMeta * meta, GstBuffer * from, GQuark type,
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

    if (in->width != (gint) old->width || in->height != (gint) old->height
        || !is_uniform (in, out))
      return FALSE;
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
init (GstMeta * meta, gpointer params, GstBuffer * buffer)
{
  GstY10InspectionMeta *self = (GstY10InspectionMeta *) meta;

  *self = (GstY10InspectionMeta) {
    .meta = *meta,
    .knowledge = GST_Y10_UNKNOWN_NO_RESULT,
  };
  return TRUE;
}

/**
 * gst_y10_inspection_register:
 *
 * Registers the meta. Call it when the plugin is loaded.
 */
void
gst_y10_inspection_register (void)
{
  static const gchar *tags[] = {
    GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
    GST_META_TAG_VIDEO_ORIENTATION_STR, NULL
  };
  static gsize once = 0;

  if (!g_once_init_enter (&once))
    return;
  /* The y10 command has a copy of this code, and loads the plugin. */
  inspection_info = gst_meta_get_info (NAME);
  if (!inspection_info)
    inspection_info = gst_meta_register (
        gst_meta_api_type_register (NAME "API", tags), NAME,
        sizeof (GstY10InspectionMeta), init, NULL, transform);
  g_once_init_leave (&once, 1);
}

/**
 * gst_y10_inspection_add:
 * @buffer: a writable buffer
 *
 * Returns: (transfer none): a new meta, which says that nothing is known
 */
GstY10InspectionMeta *
gst_y10_inspection_add (GstBuffer * buffer)
{
  return (GstY10InspectionMeta *) gst_buffer_add_meta (buffer, inspection_info,
      NULL);
}

/**
 * gst_y10_inspection_next:
 * @buffer: a buffer
 * @state: (inout): %NULL at first; then what the last call left
 *
 * Returns: (transfer none) (nullable): the next one; each detector adds its own
 */
const GstY10InspectionMeta *
gst_y10_inspection_next (GstBuffer * buffer, gpointer * state)
{
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (buffer, state)))
    if (meta->info == inspection_info)
      return (const GstY10InspectionMeta *) meta;
  return NULL;
}
