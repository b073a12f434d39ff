/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The skip policy and the held result alone, at times that the test chooses: an
 * element's test knows a frame's time only roughly. Sessions and jobs are
 * stand-ins. */
#include "infer/hold.h"
#include "infer/policy.h"
#include "meta/observation.h"

#define MS GST_MSECOND
#define NONE GST_CLOCK_TIME_NONE

/* Stand-ins. */
static gint n_refs[2]; /* of sessions[] */
static GstY10Session sessions[2];
static gboolean is_whole;

GstY10Session *
gst_y10_session_ref (GstY10Session *session)
{
  n_refs[session - sessions]++;
  return session;
}

void
gst_y10_session_unref (GstY10Session *session)
{
  n_refs[session - sessions]--;
}

GstY10ClassRules *
gst_y10_class_rules_ref (GstY10ClassRules *rules)
{
  return rules;
}

void
gst_y10_class_rules_unref (GstY10ClassRules *rules)
{
}

gboolean
gst_y10_job_get_seen (const GstY10Job *job, GstVideoRectangle *seen)
{
  if (is_whole)
    *seen = (GstVideoRectangle){ 1, 2, 3, 4 };
  return is_whole;
}

void
gst_y10_job_get_areas (const GstY10Job *job, GstY10Areas *areas)
{
  areas->n_parts = 7;
}

/* The interval is that of the caps until half a window has arrived, and never that
 * of a burst. */
static void
test_arrived (void)
{
  static const GstClockTime durations[] = { 40 * MS, 0 };
  GstY10SkipPolicy policy;
  gint64 now = 5 * GST_SECOND;

  for (guint d = 0; d < 2; d++) {
    GstClockTime expected = d ? 33 * MS : 40 * MS;

    gst_y10_policy_reset (&policy);
    for (guint i = 0; i < 100; i++)
      g_assert_cmpuint (gst_y10_policy_arrived (&policy, now + i * 20 * MS,
                            durations[d]),
          ==, i < GST_Y10_POLICY_WINDOW / 2 ? expected : 20 * MS);
    /* Another rate is known as soon as the window has seen only that. */
    now += 99 * 20 * MS;
    for (guint i = 1; i <= GST_Y10_POLICY_WINDOW; i++)
      expected = gst_y10_policy_arrived (&policy, now + i * 60 * MS,
          durations[d]);
    g_assert_cmpuint (expected, ==, 60 * MS);

    gst_y10_policy_reset (&policy);
    for (guint i = 0; i < 30; i++)
      g_assert_cmpuint (gst_y10_policy_arrived (&policy, now, durations[d]), ==,
          d ? 33 * MS : 40 * MS);
  }
}

static void
test_max_wait (void)
{
  g_assert_cmpuint (gst_y10_policy_max_wait (20 * MS, 20 * MS), ==, 25 * MS);
  g_assert_cmpuint (gst_y10_policy_max_wait (100 * MS, 20 * MS), ==, 110 * MS);
  g_assert_cmpuint (gst_y10_policy_max_wait (5 * MS, 40 * MS), ==, 50 * MS);
  g_assert_cmpuint (gst_y10_policy_max_wait (1 * MS, 0), ==, 33 * MS + 8250000);
}

static void
test_choose (void)
{
  static const struct
  {
    gboolean skip;
    guint interval;
    GstClockTime running_time, late_until;
    const char *modes; /* of seven frames */
  } cases[] = {
    { FALSE, 1, 0, NONE, "aaaaaaa" },
    { FALSE, 3, 0, NONE, "appappa" },
    { TRUE, 1, 0, NONE, "nnnnnnn" },
    { TRUE, 3, 0, NONE, "nrrnrrn" },
    { TRUE, 1, 9, 10, "ppppppp" },
    { FALSE, 1, 9, 10, "ppppppp" },
    { FALSE, 1, 10, 10, "aaaaaaa" },
    { FALSE, 1, NONE, 10, "aaaaaaa" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const GstY10PolicyInput input = {
      .skip = cases[i].skip,
      .every_nth = cases[i].interval,
      .running_time = cases[i].running_time,
      .late_until = cases[i].late_until,
    };
    GstY10SkipPolicy policy;
    char found[8] = "";

    gst_y10_policy_reset (&policy);
    for (guint k = 0; k < 7; k++) {
      GstY10InferMode mode = gst_y10_policy_choose (&policy, &input);

      found[k] = "prna"[mode];
      if (mode == GST_Y10_INFER_NEWEST || mode == GST_Y10_INFER_ALL)
        gst_y10_policy_submitted (&policy);
    }
    g_assert_cmpstr (found, ==, cases[i].modes);
  }
}

/* A frame that is due but was not taken leaves the next one due. */
static void
test_not_taken (void)
{
  const GstY10PolicyInput input = { .every_nth = 5, .late_until = NONE };
  GstY10SkipPolicy policy;

  gst_y10_policy_reset (&policy);
  for (guint k = 0; k < 3; k++)
    g_assert_cmpint (gst_y10_policy_choose (&policy, &input), ==,
        GST_Y10_INFER_ALL);
}

/* A lag is reported from a second on, and again when it has doubled. */
static void
test_behind (void)
{
  static const struct
  {
    gint64 lag; /* milliseconds */
    gboolean told;
  } frames[] = {
    { 0, FALSE },
    { 999, FALSE },
    { 1000, TRUE },
    { 1500, FALSE },
    { 1999, FALSE },
    { 2000, TRUE },
    { 3999, FALSE },
    { 0, FALSE },
    { 3000, FALSE },
    { 4500, TRUE },
    { 8999, FALSE },
    { 9000, TRUE },
  };
  GstY10SkipPolicy policy;

  gst_y10_policy_reset (&policy);
  /* The first frame of a source is often late itself. */
  g_assert_cmpuint (gst_y10_policy_behind (&policy, 77 * GST_SECOND, 0), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    GstClockTime running_time = i * 40 * MS;
    gint64 now = 70 * GST_SECOND + running_time + frames[i].lag * MS;

    g_assert_cmpuint (gst_y10_policy_behind (&policy, now, NONE), ==, 0);
    g_assert_cmpuint (gst_y10_policy_behind (&policy, now, running_time), ==,
        frames[i].told ? frames[i].lag * MS : 0);
  }
}

static void
test_max_running (void)
{
  for (guint skip = 0; skip < 2; skip++)
    g_assert_cmpuint (gst_y10_policy_max_running (5, skip), ==, 5);
  g_assert_cmpuint (gst_y10_policy_max_running (0, TRUE), ==, 1);
  g_assert_cmpuint (gst_y10_policy_max_running (0, FALSE), ==, 2);
}

static void
test_auto_frames (void)
{
  g_assert_cmpuint (gst_y10_policy_auto_frames (FALSE, 3, 900 * MS, 10 * MS),
      ==, 5);
  g_assert_cmpuint (gst_y10_policy_auto_frames (TRUE, 1, 0, 33 * MS), ==, 3);
  g_assert_cmpuint (gst_y10_policy_auto_frames (TRUE, 1, 99 * MS, 33 * MS), ==,
      6);
  g_assert_cmpuint (gst_y10_policy_auto_frames (TRUE, 1, 100 * MS, 33 * MS), ==,
      7);
  g_assert_cmpuint (gst_y10_policy_auto_frames (TRUE, 1, 67 * MS, 0), ==, 6);
  g_assert_cmpuint (gst_y10_policy_auto_frames (TRUE, 2, 9 * GST_SECOND, 1), ==,
      32);
}

static void
expect (const GstY10Hold *hold, guint epoch, GstClockTime pts,
    GstClockTime max_age, guint width, guint height, GstY10State state,
    GstClockTime expected)
{
  GstClockTime age = 0;

  g_assert_cmpint (gst_y10_hold_find (hold, epoch, pts, max_age, width, height,
                       &age),
      ==, state);
  if (state == GST_Y10_STATE_HELD)
    g_assert_cmpuint (age, ==, expected);
}

/* To which frames a result applies, and that it keeps its session only. */
static void
test_hold (void)
{
  Y10Detection rows[2] = { { .anchor = 5 }, { .anchor = 6 } };
  GstY10Job job = {
    .epoch = 3,
    .pts = 100,
    .session = &sessions[0],
    .frame = { .width = 640, .height = 480 },
    .n = 2,
    .rows = rows,
  };
  GstY10Hold hold;

  gst_y10_hold_init (&hold);
  expect (&hold, 3, 100, NONE, 640, 480, GST_Y10_STATE_NO_RESULT, 0);
  is_whole = TRUE;
  gst_y10_hold_keep (&hold, &job);
  rows[1].anchor = 0;
  g_assert_cmpuint (hold.n, ==, 2);
  g_assert_cmpint (hold.detections[1].anchor, ==, 6);
  g_assert_false (hold.partial);
  g_assert_cmpint (hold.region.h, ==, 4);
  g_assert_cmpuint (hold.areas.n_parts, ==, 7);
  expect (&hold, 3, 100, 0, 640, 480, GST_Y10_STATE_HELD, 0);
  expect (&hold, 3, 160, 60, 640, 480, GST_Y10_STATE_HELD, 60);
  expect (&hold, 3, 161, 60, 640, 480, GST_Y10_STATE_EXPIRED, 0);
  expect (&hold, 3, 40, 60, 640, 480, GST_Y10_STATE_HELD, 60);
  expect (&hold, 3, 39, 60, 640, 480, GST_Y10_STATE_EXPIRED, 0);
  expect (&hold, 4, 100, NONE, 640, 480, GST_Y10_STATE_OTHER_STREAM, 0);
  expect (&hold, 3, 100, NONE, 641, 480, GST_Y10_STATE_OTHER_SIZE, 0);
  expect (&hold, 3, 100, NONE, 640, 481, GST_Y10_STATE_OTHER_SIZE, 0);
  /* Even if boxes are held for ever: the overlay needs their age. */
  expect (&hold, 3, NONE, NONE, 640, 480, GST_Y10_STATE_NO_TIME, 0);
  job.pts = NONE;
  is_whole = FALSE;
  gst_y10_hold_keep (&hold, &job);
  g_assert_true (hold.partial);
  expect (&hold, 3, 100, NONE, 640, 480, GST_Y10_STATE_NO_TIME, 0);
  expect (&hold, 3, NONE, NONE, 640, 480, GST_Y10_STATE_NO_TIME, 0);
  g_assert_cmpint (n_refs[0], ==, 1);
  /* The result of another model: the former one can be freed. */
  job.session = &sessions[1];
  gst_y10_hold_keep (&hold, &job);
  g_assert_cmpint (n_refs[0], ==, 0);
  g_assert_cmpint (n_refs[1], ==, 1);
  gst_y10_hold_forget (&hold);
  expect (&hold, 3, 100, NONE, 640, 480, GST_Y10_STATE_NO_RESULT, 0);
  gst_y10_hold_clear (&hold);
  g_assert_cmpint (n_refs[1], ==, 0);
}

static void
expect_observed (GstY10Observations *self, GstY10State state, GstClockTime pts,
    GstClockTime age, GstY10Observation expected, GstClockTime expected_time)
{
  GstClockTime time = NONE;

  g_assert_cmpint (gst_y10_observations_take (self, state, pts, age, &time), ==,
      expected);
  if (expected != GST_Y10_OBSERVATION_NONE)
    g_assert_cmpuint (time, ==, expected_time);
}

/* Each result is observed once, at the time of its picture, whichever frame shows it
 * first. */
static void
test_observations (void)
{
  const GstY10Observation none = GST_Y10_OBSERVATION_NONE,
                          new = GST_Y10_OBSERVATION_NEW;
  GstY10Observations seen = { 0 };

  expect_observed (&seen, GST_Y10_STATE_NO_RESULT, 0, 0, none, 0);
  expect_observed (&seen, GST_Y10_STATE_FRESH, 0, 0, new, 0);
  expect_observed (&seen, GST_Y10_STATE_HELD, 40, 40, none, 0);
  expect_observed (&seen, GST_Y10_STATE_FRESH_PARTIAL, 80, 0, new, 80);
  expect_observed (&seen, GST_Y10_STATE_FRESH, 80, 0, none, 0);
  /* The results of frames 120 and 200 come too late for these frames. */
  expect_observed (&seen, GST_Y10_STATE_HELD, 120, 40, none, 0);
  expect_observed (&seen, GST_Y10_STATE_HELD, 160, 40, new, 120);
  expect_observed (&seen, GST_Y10_STATE_HELD, 200, 80, none, 0);
  expect_observed (&seen, GST_Y10_STATE_EXPIRED, 240, 0, none, 0);
  expect_observed (&seen, GST_Y10_STATE_HELD_OTHER_SETTINGS, 280, 80, new, 200);
  expect_observed (&seen, GST_Y10_STATE_FRESH, NONE, 0, none, 0);
  expect_observed (&seen, GST_Y10_STATE_HELD, 30, 40, none, 0);
  /* A camera starts again, without a segment. */
  expect_observed (&seen, GST_Y10_STATE_FRESH, 10, 0,
      GST_Y10_OBSERVATION_RESTARTED, 10);
  expect_observed (&seen, GST_Y10_STATE_FRESH, 50, 0, new, 50);
  /* Other detectors do not say what they know. */
  expect_observed (&seen, GST_Y10_STATE_NO_DETECTOR, 90, 0, new, 90);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/policy/arrived", test_arrived);
  g_test_add_func ("/policy/max-wait", test_max_wait);
  g_test_add_func ("/policy/choose", test_choose);
  g_test_add_func ("/policy/not-taken", test_not_taken);
  g_test_add_func ("/policy/behind", test_behind);
  g_test_add_func ("/policy/max-running", test_max_running);
  g_test_add_func ("/policy/auto-frames", test_auto_frames);
  g_test_add_func ("/policy/hold", test_hold);
  g_test_add_func ("/policy/observations", test_observations);
  return g_test_run ();
}
