/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Applies class and size limits to a backend's detections. For an image with
 * such limits the backend returns as many rows as the engine has room for,
 * down to the lowest of the confidences, so that a dropped row never
 * displaces another. */

#include "config.h"

#include "core/image.h"
#include "core/limits.h"

gboolean
y10_limits_any (const Y10HeadParams *params)
{
  return params->class_confidence || params->min_width > 0
      || params->min_height > 0 || params->max_width > 0
      || params->max_height > 0;
}

static gfloat
class_confidence (const Y10HeadParams *params, gint class_id)
{
  gfloat own = params->class_confidence ? params->class_confidence[class_id]
                                        : -1;

  return own >= 0 ? own : params->confidence;
}

gfloat
y10_limits_least_confidence (const Y10HeadParams *params, guint n_classes)
{
  gfloat least = params->class_confidence ? 1 : params->confidence;

  for (guint i = 0; params->class_confidence && i < n_classes; i++)
    if (!params->classes || params->classes[i])
      least = MIN (least, class_confidence (params, (gint) i));
  return least;
}

/* A limit up to 1 is a fraction of the image. */
static gfloat
pixels (gfloat limit, guint size)
{
  return limit <= 1 ? limit * (gfloat) size : limit;
}

static gboolean
fits (gfloat size, gfloat least, gfloat most, guint whole)
{
  return size >= pixels (least, whole)
      && (most <= 0 || size <= pixels (most, whole));
}

gboolean
y10_limits_fits (const Y10HeadParams *params, const Y10Detection *row,
    guint width, guint height)
{
  return fits (row->x1 - row->x0, params->min_width, params->max_width, width)
      && fits (row->y1 - row->y0, params->min_height, params->max_height,
          height);
}

guint
y10_limits_apply (const Y10HeadParams *params, const Y10Detection *rows,
    guint n, const Y10Image *image, Y10Detection *out, guint max)
{
  const gdouble x_scale = (gdouble) image->width
      / y10_image_get_display_width (image);
  const gboolean any = y10_limits_any (params);
  guint kept = 0;

  max = MIN (max, params->max_detections);
  for (guint i = 0; i < n && kept < max; i++) {
    Y10Detection row = rows[i];

    row.x0 = (gfloat) (row.x0 * x_scale);
    row.x1 = MIN ((gfloat) (row.x1 * x_scale), (gfloat) image->width);
    if (!any
        || (row.confidence >= class_confidence (params, row.class_id)
            && y10_limits_fits (params, &row, image->width, image->height)))
      out[kept++] = row;
  }
  return kept;
}
