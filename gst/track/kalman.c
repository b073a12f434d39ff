/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Where a moving box is, with what uncertainty: the Kalman filter of SORT and ByteTrack
 * (Bewley et al. 2016; Zhang et al. 2022), with noise that is proportional to the height
 * of the box. Speed is constant but for noise. Three things differ. Time passes in
 * seconds instead of frames, so results may come at any rate; the noise of n short
 * steps is that of a long one. Boxes move with half of ByteTrack's noise: with all of it
 * a prediction repeats the last jitter, and more identities change. And since no noise
 * is shared among the four coordinates, their covariances stay 0: instead of one filter
 * of eight values there are four of two, which give the same. */
#include "track/kalman.h"

/* ByteTrack's unit of time: a frame of a video of 30 frames/s. */
#define RATE 30.0

/* Standard deviations for a box of height 1: of measured positions, of how position and
 * speed change in a unit of time, and of the speed at first. */
#define STD_MEASURED (1.0 / 20)
#define STD_POSITION (1.0 / 40)
#define STD_SPEED (1.0 / 320)
#define STD_FIRST_SPEED (1.0 / 16)

/* Those of the aspect ratio do not depend on the height. */
#define STD_ASPECT 1e-2
#define STD_ASPECT_SPEED 1e-5
#define STD_ASPECT_MEASURED 1e-1

enum
{
  X,
  Y,
  ASPECT,
  HEIGHT
};

/* Boxes of less have no height to divide by. */
#define LEAST_HEIGHT 1e-3

static gdouble
square (gdouble x)
{
  return x * x;
}

static gdouble
height_of (const GstY10Kalman *self)
{
  return MAX (self->axes[HEIGHT].value, LEAST_HEIGHT);
}

static void
to_values (const GstY10TrackBox *box, gdouble values[4])
{
  gdouble height = MAX (box->height, LEAST_HEIGHT);

  values[X] = box->x;
  values[Y] = box->y;
  values[ASPECT] = box->width / height;
  values[HEIGHT] = height;
}

/* Begins with @box, at rest and with an uncertain speed. */
void
gst_y10_kalman_init (GstY10Kalman *self, const GstY10TrackBox *box)
{
  gdouble values[4];

  to_values (box, values);
  for (guint i = 0; i < 4; i++) {
    gdouble position = i == ASPECT ? STD_ASPECT
                                   : 2 * STD_MEASURED * values[HEIGHT];
    gdouble speed = i == ASPECT ? STD_ASPECT_SPEED
                                : STD_FIRST_SPEED * values[HEIGHT];

    self->axes[i] = (GstY10KalmanAxis){
      .value = values[i],
      .var_value = square (position),
      .var_speed = square (speed),
    };
  }
}

/* Lets @seconds pass, which are at least 0. */
void
gst_y10_kalman_predict (GstY10Kalman *self, gdouble seconds)
{
  gdouble t = seconds * RATE, height = height_of (self);

  for (guint i = 0; i < 4; i++) {
    GstY10KalmanAxis *a = &self->axes[i];
    gdouble position = square (
        i == ASPECT ? STD_ASPECT : STD_POSITION * height);
    gdouble speed = square (
        i == ASPECT ? STD_ASPECT_SPEED : STD_SPEED * height);

    a->value += a->speed * t;
    a->var_value += t * (2 * a->covar + t * a->var_speed) + position * t
        + speed * t * t * t / 3;
    a->covar += t * a->var_speed + speed * t * t / 2;
    a->var_speed += speed * t;
  }
}

/* Takes in that the box was seen as @box. */
void
gst_y10_kalman_update (GstY10Kalman *self, const GstY10TrackBox *box)
{
  gdouble values[4], height = height_of (self);

  to_values (box, values);
  for (guint i = 0; i < 4; i++) {
    GstY10KalmanAxis *a = &self->axes[i];
    gdouble noise = square (
        i == ASPECT ? STD_ASPECT_MEASURED : STD_MEASURED * height);
    gdouble gain = a->var_value / (a->var_value + noise);
    gdouble speed_gain = a->covar / (a->var_value + noise);
    gdouble error = values[i] - a->value;

    a->value += gain * error;
    a->speed += speed_gain * error;
    a->var_speed -= speed_gain * a->covar;
    a->covar -= gain * a->covar;
    a->var_value -= gain * a->var_value;
  }
}

/* Keeps the height as it is: that of an object that nobody sees changes any way. */
void
gst_y10_kalman_stop_growing (GstY10Kalman *self)
{
  self->axes[HEIGHT].speed = 0;
}

/* Sets @box to where it will be in @seconds, which are at least 0. */
void
gst_y10_kalman_get_box (const GstY10Kalman *self, gdouble seconds,
    GstY10TrackBox *box)
{
  gdouble v[4];

  for (guint i = 0; i < 4; i++)
    v[i] = self->axes[i].value + self->axes[i].speed * seconds * RATE;
  v[HEIGHT] = MAX (v[HEIGHT], LEAST_HEIGHT);
  *box = (GstY10TrackBox){
    .x = (gfloat) v[X],
    .y = (gfloat) v[Y],
    .width = (gfloat) (MAX (v[ASPECT], 0) * v[HEIGHT]),
    .height = (gfloat) v[HEIGHT],
  };
}
