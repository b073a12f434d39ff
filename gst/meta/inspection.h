/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Whether the objects in a picture are known, and if not, why. Detectors write
 * the values up to UNKNOWN_PARTIAL; readers use the others for metadata that is
 * missing or that they do not trust. */
typedef enum
{
  GST_Y10_KNOWN_FRESH,          /* this picture was inferred */
  GST_Y10_KNOWN_HELD,           /* an earlier picture was inferred */
  GST_Y10_UNKNOWN_NO_RESULT,    /* no result since the start or a flush */
  GST_Y10_UNKNOWN_OTHER_STREAM, /* the result is from before a new stream or segment */
  GST_Y10_UNKNOWN_NOT_HELD,     /* skipped-boxes=none */
  GST_Y10_UNKNOWN_EXPIRED,      /* the result is too old */
  GST_Y10_UNKNOWN_NO_TIME,      /* no timestamps, so the age is unknown */
  GST_Y10_UNKNOWN_OTHER_SIZE,   /* the result is for a picture of another size */
  GST_Y10_UNKNOWN_OTHER_MODEL,  /* the result is from the previous model */
  GST_Y10_UNKNOWN_LOST,         /* the GPU is lost */
  GST_Y10_UNKNOWN_PARTIAL,      /* only objects in parts of it are reported */

  GST_Y10_UNKNOWN_NO_DETECTOR,  /* no detector has written metadata */
  GST_Y10_UNKNOWN_UNTRUSTED,    /* only regions from another producer */
  GST_Y10_UNKNOWN_MOVED,        /* the picture was modified since detection */
  GST_Y10_UNKNOWN_MISSING,      /* boxes were dropped on the way, if only one */
  GST_Y10_UNKNOWN_OVERFLOW,     /* more boxes than the reader accepts */
} GstY10Knowledge;

#define GST_Y10_N_KNOWLEDGE (GST_Y10_UNKNOWN_OVERFLOW + 1)

/**
 * GstY10InspectionMeta:
 * @meta: parent
 * @knowledge: whether the objects in the picture are known
 * @held_for_privacy: whether the detector has received %GST_Y10_PRIVACY_EVENT
 * @age: age of the result in nanoseconds; 0 unless it is held
 * @width: width of the picture in pixels
 * @height: height of the picture in pixels
 * @region: the part of the picture that was inferred, in pixels
 * @n_detections: number of detections attached
 * @first_id: the smallest id of these; all of them have different ids
 * @last_id: the largest one
 * @id_sum: their sum
 *
 * Proves that a detector inspected this very picture. Copies, scaling and
 * format conversion preserve the meta. Scaling that adds borders or distorts marks it
 * as %GST_Y10_UNKNOWN_MOVED, and any other change of the picture drops it.
 */
typedef struct
{
  GstMeta meta;
  GstY10Knowledge knowledge;
  gboolean held_for_privacy;
  GstClockTime age;
  guint width, height;
  GstVideoRectangle region;
  guint n_detections;
  gint first_id, last_id;
  gint64 id_sum;
} GstY10InspectionMeta;

/* Name of the custom event that yolov10overlay sends upstream when privacy
 * starts or stops to depend on the detectors. Field: `active` (gboolean). */
#define GST_Y10_PRIVACY_EVENT "yolov10-privacy"

void gst_y10_inspection_register (void);
GstY10InspectionMeta *gst_y10_inspection_add (GstBuffer * buffer);
const GstY10InspectionMeta *gst_y10_inspection_next (GstBuffer * buffer,
    gpointer * state);

G_END_DECLS
