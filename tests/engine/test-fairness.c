/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Whose image is next in the long run: how many turns each line gets, and whose images are
 * withdrawn, without threads or time. */
#include "turnscommon.h"

#include <string.h>

/* One line queues as fast as it can, seven others now and then: while an image
 * waits, no other line has more than one turn, and the fast line has all the
 * remaining turns. */
static void
test_fairness (void)
{
  enum
  {
    N = 8,
    STEPS = 4000,
    DEEP = 4
  };
  static TurnsImage fast[DEEP], slow[N];
  guint taken[N][N] = { 0 }; /* turns of line [j] while line [i] waits */
  guint rest = 0, n_fast = 0, longest = 0;
  gboolean waits[N] = { FALSE };
  guint32 random = 12345;

  turns_begin (N);
  turns_queue (0, fast, DEEP);
  for (guint i = 0; i < STEPS; i++) {
    gboolean alone = TRUE;
    TurnsImage *image;
    guint who;

    turns_n_in_step = y10_lines_fill_step (&turns_all, turns_step, 1,
        turns_now);
    g_assert_cmpuint (turns_n_in_step, ==, 1);
    image = (TurnsImage *) turns_step[0].place;
    who = image->line;
    if (who) {
      guint total = 0;

      for (guint j = 0; j < N; j++) {
        g_assert_cmpuint (taken[who][j], <=, 1);
        total += taken[who][j];
      }
      longest = MAX (longest, total);
      waits[who] = FALSE;
    } else {
      n_fast++;
    }
    for (guint j = 1; j < N; j++) {
      taken[j][who] += waits[j];
      alone &= !waits[j];
    }
    if (alone && !who)
      rest++;
    /* Images come while a step runs: usually few, now and then all at once. */
    for (guint j = 1; j < N; j++) {
      random = random * 1664525 + 1013904223;
      if (waits[j] || image == &slow[j] || (random >> 24 >= 6 && i % 100 != 0))
        continue;
      waits[j] = TRUE;
      memset (taken[j], 0, sizeof taken[j]);
      turns_queue (j, &slow[j], 1);
    }
    turns_answer (FALSE);
    if (!who)
      y10_line_queue (&turns_lines[0], &image->place, 1, turns_now);
  }
  g_test_message (
      "%u of %u steps were the fast line's; another one waited for %u "
      "turns at most",
      n_fast, STEPS, longest);
  g_assert_cmpuint (longest, >=, N - 2); /* else the lines did not compete */
  g_assert_cmpuint (n_fast, >, STEPS / 2);
  g_assert_cmpuint (rest, >, STEPS / 4);
}

/* Four cameras, and time for two of their four pictures per tick: each has its
 * latest picture queued. The camera of higher priority loses none; the others lose
 * equally many. */
static void
test_too_slow (void)
{
  enum
  {
    N = 4,
    TICKS = 60
  };
  static TurnsImage latest[N];
  guint inferred[N] = { 0 };

  turns_begin (N);
  turns_lines[2].priority = 1;
  for (guint tick = 0; tick < TICKS; tick++) {
    for (guint i = 0; i < N; i++)
      turns_queue (i, &latest[i], 1);
    for (guint k = 0; k < 2; k++) {
      turns_n_in_step = y10_lines_fill_step (&turns_all, turns_step, 1,
          turns_now);
      inferred[((TurnsImage *) turns_step[0].place)->line]++;
      turns_answer (FALSE);
    }
    for (guint i = 0; i < N; i++)
      y10_line_withdraw (&turns_lines[i]);
  }
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (inferred[i], ==, i == 2 ? TICKS : TICKS / 3);
}

/* An idle device takes the first image that comes. */
static void
take_if_idle (void)
{
  if (!turns_n_in_step)
    turns_n_in_step = y10_lines_fill_step (&turns_all, turns_step, 1,
        turns_now);
}

/* Cameras of the same rate whose frames come at the same time, in the same order. Now
 * and then frames of many others come too, so that not all can be inferred: all of
 * them lose about equally many. */
static void
test_equal_losses (void)
{
  enum
  {
    FAST = 4,
    SLOW = 8,
    TICKS = 600,
    PER_TICK = 6
  };
  static TurnsImage images[FAST + SLOW][3];
  guint n_came[FAST + SLOW] = { 0 };
  guint n_inferred[FAST] = { 0 }, least = G_MAXUINT, most = 0;

  turns_begin (FAST + SLOW);
  for (guint tick = 0; tick < TICKS; tick++) {
    /* Frames of this tick, then as many steps as the device has time for. */
    for (guint i = 0; i < FAST + SLOW; i++) {
      TurnsImage *image = &images[i][n_came[i] % 3];

      if (i >= FAST && tick % 12)
        continue;
      n_came[i]++;
      if (!turns_replace (i, image, tick, 0))
        turns_queue (i, image, 1);
      take_if_idle ();
    }
    for (guint i = 0; i < PER_TICK && turns_n_in_step; i++) {
      const TurnsImage *image = (const TurnsImage *) turns_step[0].place;

      if (image->line < FAST)
        n_inferred[image->line]++;
      turns_answer (FALSE);
      take_if_idle ();
    }
  }
  for (guint i = 0; i < FAST; i++) {
    least = MIN (least, n_inferred[i]);
    most = MAX (most, n_inferred[i]);
  }
  g_test_message ("%u %u %u %u of %u", n_inferred[0], n_inferred[1],
      n_inferred[2], n_inferred[3], TICKS);
  g_assert_cmpuint (least, <, TICKS); /* else the lines did not compete */
  g_assert_cmpuint (most - least, <=, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fairness/fairness", test_fairness);
  g_test_add_func ("/fairness/too-slow", test_too_slow);
  g_test_add_func ("/fairness/equal-losses", test_equal_losses);
  return g_test_run ();
}
