/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "meta/read.h"

G_BEGIN_DECLS

typedef enum
{
  GST_Y10_OBSERVATION_NONE, /* the frame shows nothing that was not known */
  GST_Y10_OBSERVATION_NEW,
  GST_Y10_OBSERVATION_RESTARTED, /* new, and time has jumped back: forget all */
} GstY10Observation;

/* The observations of one stream so far; all zero before the first. */
typedef struct
{
  gboolean any;
  GstClockTime time; /* of the latest observation */
  GstClockTime pts;  /* of the frame that showed it */
} GstY10Observations;

GstY10Observation gst_y10_observations_take (GstY10Observations *observations,
    GstY10State state, GstClockTime pts, GstClockTime age, GstClockTime *time);

G_END_DECLS
