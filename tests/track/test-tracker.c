/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The tracker without elements: its assignment against all permutations, its filter
 * against one with whole matrices and at changing rates, and identities in made-up scenes. */
#include "track/assign.h"
#include "track/tracker.h"

#include <math.h>
#include <string.h>

#define MS GST_MSECOND

static const GstY10TrackParams defaults = {
  .track_thresh = 0.5f,
  .new_thresh = 0.6f,
  .weak_thresh = 0.1f,
  .match_thresh = 0.8f,
  .track_buffer = GST_SECOND,
};

/* The least sum over all ways to pair rows from @row on with columns that are free. */
static gdouble
least_sum (const gfloat *costs, guint n_rows, guint n_columns, gfloat limit,
    guint row, guint used)
{
  gdouble best;

  if (row == n_rows)
    return 0;
  best = limit + least_sum (costs, n_rows, n_columns, limit, row + 1, used);
  for (guint j = 0; j < n_columns; j++) {
    gfloat cost = costs[row * n_columns + j];

    if (!(used & 1u << j) && cost < limit)
      best = MIN (best,
          cost
              + least_sum (costs, n_rows, n_columns, limit, row + 1,
                  used | 1u << j));
  }
  return best;
}

/* Costs that repeat, costs at the limit and beyond. */
static void
test_assign (void)
{
  GstY10Assigner *assigner = gst_y10_assigner_new (6, 7);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint round = 0; round < 20000; round++) {
    guint n_rows = (guint) g_rand_int_range (rand, 0, 7);
    guint n_columns = (guint) g_rand_int_range (rand, 0, 8);
    gfloat limit = (gfloat) g_rand_double_range (rand, 0.2, 1);
    gboolean coarse = g_rand_boolean (rand);
    gfloat *costs = gst_y10_assigner_get_costs (assigner);
    gint column_of_row[6];
    gdouble sum = 0;
    guint used = 0;

    for (guint i = 0; i < n_rows * n_columns; i++)
      costs[i] = coarse ? (gfloat) g_rand_int_range (rand, 0, 5) / 4
                        : (gfloat) g_rand_double_range (rand, 0, 1.2);
    gst_y10_assigner_solve (assigner, n_rows, n_columns, limit, column_of_row);
    for (guint i = 0; i < n_rows; i++) {
      if (column_of_row[i] < 0) {
        sum += limit;
        continue;
      }
      g_assert_cmpint (column_of_row[i], <, n_columns);
      g_assert_false (used & 1u << column_of_row[i]);
      used |= 1u << column_of_row[i];
      g_assert_true (costs[i * n_columns + column_of_row[i]] < limit);
      sum += costs[i * n_columns + column_of_row[i]];
    }
    g_assert_cmpfloat_with_epsilon (sum,
        least_sum (costs, n_rows, n_columns, limit, 0, 0), 1e-5);
  }
  gst_y10_assigner_free (assigner);
}

/* Many short steps leave what a long one does. */
static void
test_kalman_steps (void)
{
  const GstY10TrackBox first = { 100, 80, 30, 60 },
                       second = { 104, 81, 31, 61 };
  GstY10Kalman one, many;

  gst_y10_kalman_init (&one, &first);
  gst_y10_kalman_predict (&one, 0.1);
  gst_y10_kalman_update (&one, &second);
  many = one;
  /* The height, to which noise is proportional, changes with time. */
  gst_y10_kalman_stop_growing (&one);
  gst_y10_kalman_stop_growing (&many);
  gst_y10_kalman_predict (&one, 0.5);
  for (guint i = 0; i < 100; i++)
    gst_y10_kalman_predict (&many, 0.005);
  for (guint i = 0; i < 4; i++) {
    const GstY10KalmanAxis *a = &one.axes[i], *b = &many.axes[i];

    if (i == 3)
      continue; /* its speed begins again from noise only */
    g_assert_cmpfloat_with_epsilon (a->value, b->value, 1e-9);
    g_assert_cmpfloat_with_epsilon (a->var_value / b->var_value, 1, 1e-6);
    g_assert_cmpfloat_with_epsilon (a->covar / b->covar, 1, 1e-6);
    g_assert_cmpfloat_with_epsilon (a->var_speed / b->var_speed, 1, 1e-6);
  }
}

/* The filter with all of its eight values in one state, as the papers have it: x = F x,
 * P = F P F' + Q; K = P H' (H P H' + R)^-1, x = x + K (z - H x), P = (I - K H) P. */
typedef struct
{
  gdouble x[8], p[8][8]; /* x, y, aspect, height, and their speeds */
} Whole;

static void
whole_predict (Whole *w, gdouble frames)
{
  const gdouble h = w->x[3];
  gdouble f[8][8] = { { 0 } }, fp[8][8], next[8][8], x[8];

  for (guint i = 0; i < 8; i++)
    f[i][i] = 1;
  for (guint i = 0; i < 4; i++)
    f[i][i + 4] = frames;
  for (guint i = 0; i < 8; i++) {
    x[i] = 0;
    for (guint j = 0; j < 8; j++) {
      x[i] += f[i][j] * w->x[j];
      fp[i][j] = 0;
      for (guint k = 0; k < 8; k++)
        fp[i][j] += f[i][k] * w->p[k][j];
    }
  }
  for (guint i = 0; i < 8; i++)
    for (guint j = 0; j < 8; j++) {
      next[i][j] = 0;
      for (guint k = 0; k < 8; k++)
        next[i][j] += fp[i][k] * f[j][k];
    }
  for (guint i = 0; i < 4; i++) {
    gdouble position = i == 2 ? 1e-2 : h / 40, speed = i == 2 ? 1e-5 : h / 320;

    next[i][i] += position * position * frames
        + speed * speed * pow (frames, 3) / 3;
    next[i][i + 4] += speed * speed * frames * frames / 2;
    next[i + 4][i] += speed * speed * frames * frames / 2;
    next[i + 4][i + 4] += speed * speed * frames;
  }
  memcpy (w->x, x, sizeof x);
  memcpy (w->p, next, sizeof next);
}

/* Inverts by Gauss and Jordan. */
static void
invert (gdouble a[4][4], gdouble inverse[4][4])
{
  for (guint i = 0; i < 4; i++)
    for (guint j = 0; j < 4; j++)
      inverse[i][j] = i == j;
  for (guint i = 0; i < 4; i++) {
    gdouble pivot = a[i][i];

    for (guint j = 0; j < 4; j++) {
      a[i][j] /= pivot;
      inverse[i][j] /= pivot;
    }
    for (guint k = 0; k < 4; k++) {
      gdouble factor = k == i ? 0 : a[k][i];

      for (guint j = 0; j < 4; j++) {
        a[k][j] -= factor * a[i][j];
        inverse[k][j] -= factor * inverse[i][j];
      }
    }
  }
}

static void
whole_update (Whole *w, const gdouble z[4])
{
  const gdouble h = w->x[3];
  gdouble sum[4][4], inverse[4][4], gain[8][4], p[8][8], x[8];

  for (guint i = 0; i < 4; i++)
    for (guint j = 0; j < 4; j++)
      sum[i][j] = w->p[i][j]
          + (i != j        ? 0
                  : i == 2 ? 1e-1 * 1e-1
                           : h / 20 * h / 20);
  invert (sum, inverse);
  for (guint i = 0; i < 8; i++)
    for (guint j = 0; j < 4; j++) {
      gain[i][j] = 0;
      for (guint k = 0; k < 4; k++)
        gain[i][j] += w->p[i][k] * inverse[k][j];
    }
  memcpy (p, w->p, sizeof p);
  memcpy (x, w->x, sizeof x);
  for (guint i = 0; i < 8; i++)
    for (guint k = 0; k < 4; k++)
      w->x[i] += gain[i][k] * (z[k] - x[k]);
  for (guint i = 0; i < 8; i++)
    for (guint j = 0; j < 8; j++)
      for (guint k = 0; k < 4; k++)
        w->p[i][j] -= gain[i][k] * p[k][j];
}

/* Four filters of two values do what one of eight does. */
static void
test_kalman_whole (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  GstY10TrackBox box = { 200, 150, 40, 90 };
  GstY10Kalman kalman;
  Whole whole = { .x = { 200, 150, 40.0 / 90, 90 } };

  for (guint i = 0; i < 4; i++) {
    whole.p[i][i] = pow (i == 2 ? 1e-2 : 90.0 / 10, 2);
    whole.p[i + 4][i + 4] = pow (i == 2 ? 1e-5 : 90.0 / 16, 2);
  }
  gst_y10_kalman_init (&kalman, &box);
  for (guint n = 0; n < 100; n++) {
    gdouble seconds = g_rand_double_range (rand, 0.01, 0.2), z[4];

    gst_y10_kalman_predict (&kalman, seconds);
    whole_predict (&whole, seconds * 30);
    box.x += (gfloat) g_rand_double_range (rand, -2, 6);
    box.y += (gfloat) g_rand_double_range (rand, -3, 3);
    box.width = (gfloat) g_rand_double_range (rand, 35, 45);
    box.height = (gfloat) g_rand_double_range (rand, 85, 95);
    z[0] = box.x;
    z[1] = box.y;
    z[2] = (gdouble) box.width / box.height;
    z[3] = box.height;
    gst_y10_kalman_update (&kalman, &box);
    whole_update (&whole, z);
    for (guint i = 0; i < 4; i++) {
      const GstY10KalmanAxis *a = &kalman.axes[i];

      g_assert_cmpfloat_with_epsilon (a->value, whole.x[i], 1e-4);
      g_assert_cmpfloat_with_epsilon (a->speed, whole.x[i + 4], 1e-4);
      g_assert_cmpfloat_with_epsilon (a->var_value, whole.p[i][i], 1e-4);
      g_assert_cmpfloat_with_epsilon (a->covar, whole.p[i][i + 4], 1e-4);
      g_assert_cmpfloat_with_epsilon (a->var_speed, whole.p[i + 4][i + 4],
          1e-4);
    }
  }
}

/* An object at a constant speed is predicted exactly, at rates that change. */
static void
test_kalman_speed (void)
{
  GstY10Kalman kalman;
  GstY10TrackBox box = { 0, 50, 40, 80 }, predicted;
  gdouble t = 0;

  gst_y10_kalman_init (&kalman, &box);
  for (guint i = 0; i < 200; i++) {
    gdouble dt = i % 3 == 0 ? 0.1 : 0.033;

    t += dt;
    gst_y10_kalman_predict (&kalman, dt);
    box.x = (gfloat) (60 * t);
    gst_y10_kalman_update (&kalman, &box);
  }
  gst_y10_kalman_get_box (&kalman, 2, &predicted);
  g_assert_cmpfloat_with_epsilon (predicted.x, 60 * (t + 2), 0.5);
  g_assert_cmpfloat_with_epsilon (predicted.y, 50, 0.01);
  g_assert_cmpfloat_with_epsilon (predicted.width, 40, 0.01);
  g_assert_cmpfloat_with_epsilon (predicted.height, 80, 0.01);
}

static GstY10Observed
object (gfloat x, gfloat y, gfloat confidence)
{
  return (GstY10Observed){
    .box = { x, y, 20, 40 },
    .confidence = confidence,
    .class_id = 1,
  };
}

/* Two people pass each other behind a pole: each keeps its identity, and weak
 * detections bridge what strong ones miss. */
static void
test_identity (void)
{
  GstY10Tracker *tracker = gst_y10_tracker_new ();
  guint64 ids[2], first[2] = { 0 };

  for (guint i = 0; i < 120; i++) {
    GstClockTime time = i * 33 * MS;
    GstY10Observed seen[2];
    guint n = 0;

    seen[n++] = object (10 + i * 2.f, 50, i % 10 < 3 ? 0.2f : 0.9f);
    /* Not seen at all for half a second. */
    if (i < 50 || i > 65)
      seen[n++] = object (250 - i * 2.f, 120, 0.8f);
    gst_y10_tracker_observe (tracker, &defaults, time, seen, n, ids);
    if (i == 5)
      memcpy (first, ids, sizeof first);
    if (i > 5 && (i < 50 || i > 65)) {
      g_assert_cmpuint (ids[0], ==, first[0]);
      g_assert_cmpuint (ids[1], ==, first[1]);
    }
  }
  g_assert_cmpuint (first[0], !=, first[1]);
  gst_y10_tracker_free (tracker);
}

/* Who stays away for longer than the buffer is somebody else, also after a reset, and
 * identities are not used again. */
static void
test_lost (void)
{
  GstY10Tracker *tracker = gst_y10_tracker_new ();
  GstY10Observed seen = object (50, 50, 0.9f);
  GstClockTime time = 0;
  guint64 id, last = 0;
  guint n_tracks;

  for (guint round = 0; round < 3; round++) {
    for (guint i = 0; i < 5; i++, time += 40 * MS)
      gst_y10_tracker_observe (tracker, &defaults, time, &seen, 1, &id);
    g_assert_cmpuint (id, >, last);
    last = id;
    /* Not seen, but within the buffer. */
    for (guint i = 0; i < 20; i++, time += 40 * MS)
      gst_y10_tracker_observe (tracker, &defaults, time, NULL, 0, NULL);
    gst_y10_tracker_observe (tracker, &defaults, time += 40 * MS, &seen, 1,
        &id);
    g_assert_cmpuint (id, ==, last);
    if (round == 0) {
      for (guint i = 0; i < 40; i++, time += 40 * MS)
        gst_y10_tracker_observe (tracker, &defaults, time, NULL, 0, NULL);
      gst_y10_tracker_get_tracks (tracker, &n_tracks);
      g_assert_cmpuint (n_tracks, ==, 0);
    } else {
      gst_y10_tracker_reset (tracker);
      time = 0;
    }
  }
  gst_y10_tracker_free (tracker);
}

/* Somebody walks up to a person who stands there, and is not seen any more. Where both are
 * expected, the one who stands there is found, even if the box is nearer to the other. */
static void
test_passing (void)
{
  GstY10Tracker *tracker = gst_y10_tracker_new ();
  guint64 ids[2], standing = 0;

  for (guint i = 0; i <= 45; i++) {
    const GstY10Observed seen[] = { object (i == 45 ? 102 : 100, 50, 0.9f),
      object (102 - 4 * (45 - (gfloat) i), 50, 0.9f) };

    gst_y10_tracker_observe (tracker, &defaults, i * 40 * MS, seen,
        i <= 25 ? 2 : 1, ids);
    standing = i == 10 ? ids[0] : standing;
    if (i > 10)
      g_assert_cmpuint (ids[0], ==, standing);
  }
  gst_y10_tracker_free (tracker);
}

/* What is seen once is nobody yet. Detections of other groups are other objects. */
static void
test_new (void)
{
  GstY10Tracker *tracker = gst_y10_tracker_new ();
  GstY10Observed seen[2] = { object (50, 50, 0.9f), object (50, 50, 0.9f) };
  guint64 ids[2];
  guint n_tracks;

  gst_y10_tracker_observe (tracker, &defaults, 0, NULL, 0, NULL);
  gst_y10_tracker_observe (tracker, &defaults, 40 * MS, seen, 1, ids);
  g_assert_cmpuint (ids[0], ==, 0);
  gst_y10_tracker_observe (tracker, &defaults, 80 * MS, seen, 1, ids);
  g_assert_cmpuint (ids[0], ==, 1);
  /* The same time again: nothing. */
  gst_y10_tracker_observe (tracker, &defaults, 80 * MS, seen, 1, ids);
  g_assert_cmpuint (ids[0], ==, 0);
  seen[1].group = 7;
  gst_y10_tracker_observe (tracker, &defaults, 120 * MS, seen, 2, ids);
  gst_y10_tracker_observe (tracker, &defaults, 160 * MS, seen, 2, ids);
  g_assert_cmpuint (ids[0], ==, 1);
  g_assert_cmpuint (ids[1], ==, 2);
  gst_y10_tracker_get_tracks (tracker, &n_tracks);
  g_assert_cmpuint (n_tracks, ==, 2);
  g_assert_null (gst_y10_tracker_find (tracker, 0));
  g_assert_cmpuint (gst_y10_tracker_find (tracker, 2)->group, ==, 7);
  gst_y10_tracker_free (tracker);
}

/* A car that is a truck now and then stays what it was most. */
static void
test_class (void)
{
  GstY10Tracker *tracker = gst_y10_tracker_new ();
  guint64 id;

  for (guint i = 0; i < 60; i++) {
    GstY10Observed seen = object (50, 50, 0.9f);

    seen.class_id = i % 3 == 1 ? 7 : i % 20 == 9 ? 10 + i : 2;
    gst_y10_tracker_observe (tracker, &defaults, i * 40 * MS, &seen, 1, &id);
    g_assert_cmpuint (id, ==, 1);
    g_assert_cmpuint (gst_y10_tracker_find (tracker, id)->classes[0].class_id,
        ==, 2);
  }
  gst_y10_tracker_free (tracker);
}

/* As many as there is room for, all on one another, and more. */
static void
test_crowd (void)
{
  GstY10Tracker *tracker = gst_y10_tracker_new ();
  guint n = GST_Y10_MAX_OBSERVED + 100, n_tracks;
  g_autofree GstY10Observed *seen = g_new0 (GstY10Observed, n);
  g_autofree guint64 *ids = g_new0 (guint64, n);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  for (guint round = 0; round < 3; round++) {
    for (guint i = 0; i < n; i++) {
      seen[i] = object ((gfloat) g_rand_double_range (rand, 0, 640),
          (gfloat) g_rand_double_range (rand, 0, 360),
          (gfloat) g_rand_double_range (rand, 0.05, 1));
      seen[i].class_id = seen[i].group = (guint) g_rand_int_range (rand, 0, 2);
    }
    gst_y10_tracker_observe (tracker, &defaults, round * 40 * MS, seen, n, ids);
    gst_y10_tracker_get_tracks (tracker, &n_tracks);
    g_assert_cmpuint (n_tracks, <=, GST_Y10_MAX_TRACKS);
    for (guint i = 0; i < n; i++) {
      const GstY10Track *track = gst_y10_tracker_find (tracker, ids[i]);

      g_assert_true (i < GST_Y10_MAX_OBSERVED || ids[i] == 0);
      if (ids[i])
        g_assert_cmpuint (track->group, ==, seen[i].group);
      for (guint j = 0; j < i; j++)
        g_assert_true (ids[i] == 0 || ids[i] != ids[j]);
    }
  }
  gst_y10_tracker_free (tracker);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tracker/assign", test_assign);
  g_test_add_func ("/tracker/kalman-steps", test_kalman_steps);
  g_test_add_func ("/tracker/kalman-whole", test_kalman_whole);
  g_test_add_func ("/tracker/kalman-speed", test_kalman_speed);
  g_test_add_func ("/tracker/identity", test_identity);
  g_test_add_func ("/tracker/lost", test_lost);
  g_test_add_func ("/tracker/passing", test_passing);
  g_test_add_func ("/tracker/new", test_new);
  g_test_add_func ("/tracker/class", test_class);
  g_test_add_func ("/tracker/crowd", test_crowd);
  return g_test_run ();
}
