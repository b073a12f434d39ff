/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A box by its centre, in any unit that is equal in both directions. */
typedef struct
{
  gfloat x, y, width, height;
} GstY10TrackBox;

/* One coordinate: value, speed, and their covariance. */
typedef struct
{
  gdouble value, speed;
  gdouble var_value, covar, var_speed;
} GstY10KalmanAxis;

/* Centre, aspect ratio (width to height) and height. */
typedef struct
{
  GstY10KalmanAxis axes[4];
} GstY10Kalman;

void gst_y10_kalman_init (GstY10Kalman *kalman, const GstY10TrackBox *box);
void gst_y10_kalman_predict (GstY10Kalman *kalman, gdouble seconds);
void gst_y10_kalman_update (GstY10Kalman *kalman, const GstY10TrackBox *box);
void gst_y10_kalman_stop_growing (GstY10Kalman *kalman);
void gst_y10_kalman_get_box (const GstY10Kalman *kalman, gdouble seconds,
    GstY10TrackBox *box);

G_END_DECLS
