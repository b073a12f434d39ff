/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* What is known about the objects in a picture. A detector writes the values up
 * to UNKNOWN_LOST; a reader adds why it does not trust what it found. */
typedef enum
{
  GST_Y10_KNOWN_FRESH,          /* this picture was inferred */
  GST_Y10_KNOWN_HELD,           /* an earlier one was */
  GST_Y10_UNKNOWN_NO_RESULT,    /* none yet since the start or a flush */
  GST_Y10_UNKNOWN_NOT_HELD,     /* skipped-boxes=none */
  GST_Y10_UNKNOWN_EXPIRED,      /* the result is too old */
  GST_Y10_UNKNOWN_NO_TIME,      /* of unknown age: there are no timestamps */
  GST_Y10_UNKNOWN_OTHER_SIZE,   /* the result is of a picture of another size */
  GST_Y10_UNKNOWN_OTHER_MODEL,  /* the result is the previous model's */
  GST_Y10_UNKNOWN_LOST,         /* the GPU is lost */

  GST_Y10_UNKNOWN_NO_DETECTOR,  /* no detector has written anything */
  GST_Y10_UNKNOWN_UNTRUSTED,    /* there are only regions, of another producer */
  GST_Y10_UNKNOWN_MOVED,        /* the picture is not the one it was */
  GST_Y10_UNKNOWN_MISSING,      /* the boxes have not come through */
  GST_Y10_UNKNOWN_OVERFLOW,     /* more boxes than a reader takes */
} GstY10Knowledge;

#define GST_Y10_N_KNOWLEDGE (GST_Y10_UNKNOWN_OVERFLOW + 1)

/**
 * GstY10InspectionMeta:
 * @meta: parent
 * @knowledge: what the detector knows
 * @held_for_privacy: whether the detector has been told that privacy depends on
 *   its results
 * @age: of the result, nanoseconds; 0 unless it is held
 * @width: of the picture, pixels
 * @height: of the picture, pixels
 * @region: the part of the picture that was inferred, pixels
 * @n_detections: how many were attached
 *
 * Says that a detector has seen this very picture. It survives copies, scaling
 * and conversion of formats; whatever else is done to the picture removes it.
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
} GstY10InspectionMeta;

/* What yolov10overlay sends upstream: a custom event with this name and the field
 * `active` (gboolean). */
#define GST_Y10_PRIVACY_EVENT "yolov10-privacy"

void gst_y10_inspection_register (void);
GstY10InspectionMeta *gst_y10_inspection_add (GstBuffer * buffer);
const GstY10InspectionMeta *gst_y10_inspection_next (GstBuffer * buffer,
    gpointer * state);

G_END_DECLS
