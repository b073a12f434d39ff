/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Whose image is next: the exact order of turns, without threads or time. A test
 * takes one step after the other and says who must be in it. */

#include <string.h>

#include "stream/turns.h"

#define MAX_LINES 12

typedef struct
{
  Y10Place place;
  guint line, number;
  guint n_parts; /* 0: queued as a whole */
} Image;

static Y10Lines all;
static Y10Line lines[MAX_LINES];
static Y10Turn step[8];
static guint n_in_step;
static gint64 now;
/* For each change of an image that watch() has queued, its number and a letter for
 * its state. */
static GString *changes;

static void
record_change (Y10Place *place)
{
  static const char letters[] = "?qraw";

  g_string_append_printf (changes, " %u%c", ((Image *) place)->number,
      letters[place->state]);
}

/* Begins a test with @n lines of priority 0. */
static void
begin (guint n)
{
  all = (Y10Lines){ 0 };
  n_in_step = 0;
  now = 1000;
  for (guint i = 0; i < n; i++)
    y10_line_init (&lines[i], &all, 0);
}

/* Queues @n images, numbered from 1. */
static void
queue (guint line, Image *images, guint n)
{
  for (guint i = 0; i < n; i++) {
    images[i] = (Image){ .line = line, .number = i + 1 };
    y10_line_queue (&lines[line], &images[i].place, 1, now);
  }
}

static void
queue_shaped (guint line, Image *images, guint n, guint32 shape)
{
  for (guint i = 0; i < n; i++) {
    images[i] = (Image){ .line = line, .number = i + 1, .place.shape = shape };
    y10_line_queue (&lines[line], &images[i].place, 1, now);
  }
}

static void
queue_parts (guint line, Image *image, guint number, guint n_parts)
{
  *image = (Image){ .line = line, .number = number, .n_parts = n_parts };
  y10_line_queue (&lines[line], &image->place, n_parts, now);
}

static gboolean
replace (guint line, Image *image, guint number, guint n_parts)
{
  *image = (Image){ .line = line, .number = number, .n_parts = n_parts };
  return y10_line_replace (&lines[line], &image->place, MAX (n_parts, 1), now);
}

/* Answers the images of the latest step. */
static void
answer (gboolean failed)
{
  for (guint i = 0; i < n_in_step; i++)
    y10_place_answer (step[i].place, failed);
  n_in_step = 0;
}

/* Takes the next step of at most @max images and asserts who is in it: "line.number
 * line.number", with a letter for the parts of an image, a for the first. The images
 * before are still running if answer() has not been called. */
static void
expect_running (guint max, const char *expected)
{
  g_autoptr (GString) found = g_string_new (NULL);

  n_in_step = y10_lines_fill_step (&all, step, max, now);
  for (guint i = 0; i < n_in_step; i++) {
    const Image *image = (const Image *) step[i].place;

    g_string_append_printf (found, "%s%u.%u", i ? " " : "", image->line,
        image->number);
    if (image->n_parts)
      g_string_append_c (found, (char) ('a' + step[i].part));
  }
  g_assert_cmpstr (found->str, ==, expected);
}

/* The same, and answers them. */
static void
expect_step (guint max, const char *expected)
{
  expect_running (max, expected);
  answer (FALSE);
}

/* However many images a line has queued, it has one image per turn, both within a
 * step of several images and across steps of one. */
static void
test_batches (void)
{
  Image a[6], b[1], c[2];

  begin (4);
  expect_step (4, "");
  queue (1, a, 6);
  queue (2, b, 1);
  queue (3, c, 2);
  g_assert_cmpuint (y10_lines_count_queued (&all), ==, 9);
  expect_step (4, "1.1 2.1 3.1 1.2");
  expect_step (4, "3.2 1.3 1.4 1.5");
  expect_step (4, "1.6");
  expect_step (4, "");
  g_assert_cmpuint (y10_lines_count_queued (&all), ==, 0);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpint (a[i].place.state, ==, Y10_PLACE_ANSWERED);
  /* Nine images of others went before the last one. */
  g_assert_cmpuint (a[5].place.n_before, ==, 8);
  g_assert_cmpuint (b[0].place.n_before, ==, 1);

  begin (3);
  queue (0, a, 3);
  queue (1, b, 1);
  queue (2, c, 2);
  for (guint i = 0; i < 6; i++) {
    static const char *const order[] = { "0.1", "1.1", "2.1", "0.2", "2.2",
      "0.3" };

    expect_step (1, order[i]);
  }
}

/* A new line has its first turn after one of each line that waits. */
static void
test_new_line (void)
{
  Image a[3], b[3], c[2];

  begin (2);
  queue (0, a, 3);
  queue (1, b, 3);
  expect_step (1, "0.1");
  y10_line_init (&lines[2], &all, 0);
  queue (2, c, 2);
  expect_step (4, "1.1 0.2 2.1 1.2");
  /* A line that leaves takes no turn from the others. */
  g_assert_cmpuint (y10_line_withdraw (&lines[1]), ==, 1);
  y10_line_clear (&lines[1]);
  expect_step (4, "0.3 2.2");
}

/* A higher priority comes first, lines of one priority take turns, and the priority
 * may change while images are queued. */
static void
test_priority (void)
{
  Image low[2][4], high[2], lowest[1], first[1];

  begin (4);
  lines[2].priority = -7;
  lines[3].priority = 5;
  queue (0, first, 1);
  expect_step (2, "0.1");
  queue (2, lowest, 1);
  queue (0, low[0], 4);
  queue (1, low[1], 4);
  queue (3, high, 2);
  expect_step (2, "3.1 3.2");
  expect_step (2, "1.1 0.1");
  lines[2].priority = 1;
  expect_step (2, "2.1 1.2");
  expect_step (2, "0.2 1.3");
  expect_step (2, "0.3 1.4");
  expect_step (2, "0.4");
}

/* A step has images of one shape. Those of another one wait for the next step, and so does
 * whoever would pass them a second time. */
static void
test_shapes (void)
{
  Image a[3], b[2], c[2], d[2];

  begin (4);
  queue_shaped (0, a, 3, 1);
  queue_shaped (1, b, 2, 2);
  queue_shaped (2, c, 2, 1);
  queue_shaped (3, d, 2, 2);
  g_assert_cmpint (y10_lines_next_step (&all, 4, 500), ==, 1000);
  expect_step (4, "0.1 2.1");
  expect_step (4, "1.1 3.1");
  expect_step (1, "0.2");
  expect_step (4, "2.2");
  expect_step (4, "1.2 3.2");
  expect_step (4, "0.3");
  expect_step (4, "");
  /* Only images that fit into it fill a step. */
  begin (2);
  queue_shaped (0, a, 1, 1);
  queue_shaped (1, b, 2, 2);
  g_assert_cmpint (y10_lines_next_step (&all, 2, 500), ==, 1500);
  /* Priority is strict. */
  lines[1].priority = 1;
  g_assert_cmpint (y10_lines_next_step (&all, 2, 500), ==, 1000);
  expect_step (4, "1.1 1.2");
  expect_step (4, "0.1");
  /* Of one line, too. */
  queue_shaped (0, a, 2, 1);
  queue_shaped (0, b, 1, 2);
  queue_shaped (0, c, 1, 1);
  expect_step (4, "0.1 0.2");
  expect_step (4, "0.1");
  expect_step (4, "0.1");
}

/* When a step begins: when it is full, or when its oldest image has waited for the
 * batch timeout. */
static void
test_next_step (void)
{
  Image a[2], b[2];

  begin (2);
  g_assert_cmpint (y10_lines_next_step (&all, 3, 500), ==, G_MAXINT64);
  queue (0, a, 1);
  g_assert_cmpint (y10_lines_next_step (&all, 3, 0), ==, 1000);
  g_assert_cmpint (y10_lines_next_step (&all, 3, 500), ==, 1500);
  now = 1100;
  queue (1, b, 1);
  g_assert_cmpint (y10_lines_next_step (&all, 3, 500), ==, 1500);
  g_assert_cmpint (y10_lines_next_step (&all, 2, 500), ==, 1000);
  /* A newer image has waited as long as the one that it replaces. */
  now = 1200;
  g_assert_true (replace (0, &a[1], 2, 0));
  g_assert_cmpint (y10_lines_next_step (&all, 3, 500), ==, 1500);
  expect_running (1, "0.2");
  g_assert_cmpint (a[1].place.arrived_at, ==, 1200);
  g_assert_cmpint (a[1].place.begun_at, ==, 1200);
  g_assert_cmpint (y10_lines_next_step (&all, 3, 500), ==, 1600);
  /* What has reached its limit of running images is no reason to begin. */
  queue (0, a, 1);
  lines[0].max_running = 1;
  y10_line_withdraw (&lines[1]);
  g_assert_cmpint (y10_lines_next_step (&all, 1, 500), ==, G_MAXINT64);
  lines[0].max_running = 2;
  g_assert_cmpint (y10_lines_next_step (&all, 1, 500), ==, 1200);
}

/* A line that has reached its limit of running images is passed over, even if no
 * other line has an image. */
static void
test_max_running (void)
{
  Image a[4], b[1], *running;

  begin (2);
  lines[0].max_running = 1;
  queue (0, a, 4);
  expect_running (4, "0.1");
  running = &a[0];
  queue (1, b, 1);
  expect_step (4, "1.1");
  expect_running (4, "");
  y10_place_answer (&running->place, FALSE);
  expect_running (4, "0.2");
  lines[0].max_running = 3;
  expect_running (4, "0.3 0.4");
  g_assert_cmpuint (lines[0].n_running, ==, 3);
}

/* A later image replaces a queued one and inherits its turn; a running one cannot be
 * replaced. */
static void
test_replace (void)
{
  Image other[2], a[3];

  changes = g_string_new (NULL);
  begin (2);
  g_assert_false (replace (0, &a[0], 9, 0));
  g_assert_cmpint (a[0].place.state, ==, Y10_PLACE_IDLE);
  queue (1, other, 1);
  expect_step (1, "1.1");
  queue (0, a, 1);
  queue (1, other, 2);
  all.changed = record_change;
  g_assert_true (replace (0, &a[1], 2, 0));
  g_assert_true (replace (0, &a[2], 3, 0));
  g_assert_cmpuint (all.n_withdrawn, ==, 2);
  expect_running (1, "0.3");
  g_assert_false (replace (0, &a[0], 4, 0));
  answer (FALSE);
  g_assert_cmpstr (changes->str, ==, " 1w 2w 3r 3a");
  expect_step (2, "1.1 1.2");
  g_string_free (changes, TRUE);
}

/* Withdrawn images leave at once, others of their line lose no turn, and whose stream
 * has lost one goes first. */
static void
test_withdraw (void)
{
  Image a[4], b[3];

  begin (2);
  queue (0, a, 4);
  queue (1, b, 3);
  g_assert_true (y10_place_withdraw (&b[1].place));
  g_assert_false (y10_place_withdraw (&b[1].place));
  g_assert_cmpint (b[1].place.state, ==, Y10_PLACE_WITHDRAWN);
  expect_running (2, "1.1 0.1");
  g_assert_false (y10_place_withdraw (&a[0].place));
  g_assert_cmpint (a[0].place.state, ==, Y10_PLACE_RUNNING);
  g_assert_cmpuint (y10_line_withdraw (&lines[0]), ==, 3);
  g_assert_cmpuint (y10_line_withdraw (&lines[0]), ==, 0);
  answer (FALSE);
  g_assert_cmpint (a[0].place.state, ==, Y10_PLACE_ANSWERED);
  expect_step (2, "1.3");
  g_assert_cmpuint (all.n_withdrawn, ==, 4);
  /* Line 0 has lost more; that outranks the time since its last turn. */
  queue (1, b, 1);
  queue (0, a, 1);
  expect_step (2, "0.1 1.1");
}

/* Between two parts each other line has its turn, and the image is answered with its
 * last part. */
static void
test_parts (void)
{
  static const char *const order[] = { "0.1a", "1.1", "2.1", "0.1b", "1.2",
    "0.1c", "1.3", "0.1d", "0.2a" };
  Image tiled, last, a[3], b[1];

  begin (3);
  queue_parts (0, &tiled, 1, 4);
  queue_parts (0, &last, 2, 1);
  queue (1, a, 3);
  queue (2, b, 1);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    g_assert_cmpint (tiled.place.state, ==,
        i == 0      ? Y10_PLACE_QUEUED
            : i < 8 ? Y10_PLACE_RUNNING
                    : Y10_PLACE_ANSWERED);
    expect_step (1, order[i]);
  }
  g_assert_cmpint (last.place.state, ==, Y10_PLACE_ANSWERED);

  /* Parts fill steps, and continue in the next step where they do not fit. */
  begin (2);
  queue_parts (0, &tiled, 1, 5);
  queue (1, a, 1);
  g_assert_cmpuint (y10_lines_count_queued (&all), ==, 6);
  expect_step (4, "0.1a 1.1 0.1b 0.1c");
  expect_step (4, "0.1d 0.1e");

  /* The limit of running images does not hold up the parts of one that runs. */
  begin (1);
  lines[0].max_running = 1;
  queue_parts (0, &tiled, 1, 3);
  queue_parts (0, &last, 2, 2);
  expect_running (1, "0.1a");
  expect_running (4, "0.1b 0.1c");
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint (y10_lines_fill_step (&all, step, 4, now), ==, 0);
    y10_place_answer (&tiled.place, FALSE);
  }
  expect_step (4, "0.2a 0.2b");
}

/* A newer image replaces one that waits, but none with a part in a step. */
static void
test_replace_parts (void)
{
  Image tiled[3];

  begin (1);
  queue_parts (0, &tiled[0], 1, 2);
  expect_step (1, "0.1a");
  g_assert_false (replace (0, &tiled[1], 2, 2));
  g_assert_cmpint (tiled[1].place.state, ==, Y10_PLACE_IDLE);
  queue_parts (0, &tiled[1], 2, 2);
  g_assert_true (replace (0, &tiled[2], 3, 2));
  g_assert_cmpint (tiled[1].place.state, ==, Y10_PLACE_WITHDRAWN);
  expect_step (1, "0.1b");
  expect_step (4, "0.3a 0.3b");
}

/* If a part is in a step, withdrawing drops the others, and the image ends with that
 * step; so it does when a part fails, and that outranks a withdrawal. */
static void
test_part_ends (void)
{
  Image tiled[2];
  Y10Turn first;

  begin (1);
  queue_parts (0, &tiled[0], 1, 3);
  expect_running (1, "0.1a");
  g_assert_false (y10_place_withdraw (&tiled[0].place));
  g_assert_false (y10_place_withdraw (&tiled[0].place));
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_RUNNING);
  answer (FALSE);
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_WITHDRAWN);
  g_assert_cmpuint (all.n_withdrawn, ==, 2);
  expect_step (4, "");

  queue_parts (0, &tiled[0], 1, 5);
  queue_parts (0, &tiled[1], 2, 1);
  expect_running (1, "0.1a");
  first = step[0];
  expect_running (1, "0.1b");
  answer (TRUE);
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_RUNNING);
  y10_place_answer (first.place, FALSE);
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_ANSWERED);
  expect_step (4, "0.2a");

  queue_parts (0, &tiled[0], 3, 3);
  expect_running (1, "0.3a");
  g_assert_false (y10_place_withdraw (&tiled[0].place));
  answer (TRUE);
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_ANSWERED);
  g_assert_cmpuint (lines[0].n_running, ==, 0);
}

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
  static Image fast[DEEP], slow[N];
  guint taken[N][N] = { 0 }; /* turns of line [j] while line [i] waits */
  guint rest = 0, n_fast = 0, longest = 0;
  gboolean waits[N] = { FALSE };
  guint32 random = 12345;

  begin (N);
  queue (0, fast, DEEP);
  for (guint i = 0; i < STEPS; i++) {
    gboolean alone = TRUE;
    Image *image;
    guint who;

    n_in_step = y10_lines_fill_step (&all, step, 1, now);
    g_assert_cmpuint (n_in_step, ==, 1);
    image = (Image *) step[0].place;
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
      queue (j, &slow[j], 1);
    }
    answer (FALSE);
    if (!who)
      y10_line_queue (&lines[0], &image->place, 1, now);
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
  static Image latest[N];
  guint inferred[N] = { 0 };

  begin (N);
  lines[2].priority = 1;
  for (guint tick = 0; tick < TICKS; tick++) {
    for (guint i = 0; i < N; i++)
      queue (i, &latest[i], 1);
    for (guint k = 0; k < 2; k++) {
      n_in_step = y10_lines_fill_step (&all, step, 1, now);
      inferred[((Image *) step[0].place)->line]++;
      answer (FALSE);
    }
    for (guint i = 0; i < N; i++)
      y10_line_withdraw (&lines[i]);
  }
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (inferred[i], ==, i == 2 ? TICKS : TICKS / 3);
}

/* An idle device takes the first image that comes. */
static void
take_if_idle (void)
{
  if (!n_in_step)
    n_in_step = y10_lines_fill_step (&all, step, 1, now);
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
  static Image images[FAST + SLOW][3];
  guint n_came[FAST + SLOW] = { 0 };
  guint n_inferred[FAST] = { 0 }, least = G_MAXUINT, most = 0;

  begin (FAST + SLOW);
  for (guint tick = 0; tick < TICKS; tick++) {
    /* Frames of this tick, then as many steps as the device has time for. */
    for (guint i = 0; i < FAST + SLOW; i++) {
      Image *image = &images[i][n_came[i] % 3];

      if (i >= FAST && tick % 12)
        continue;
      n_came[i]++;
      if (!replace (i, image, tick, 0))
        queue (i, image, 1);
      take_if_idle ();
    }
    for (guint i = 0; i < PER_TICK && n_in_step; i++) {
      const Image *image = (const Image *) step[0].place;

      if (image->line < FAST)
        n_inferred[image->line]++;
      answer (FALSE);
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
  g_test_add_func ("/turns/batches", test_batches);
  g_test_add_func ("/turns/new-line", test_new_line);
  g_test_add_func ("/turns/priority", test_priority);
  g_test_add_func ("/turns/next-step", test_next_step);
  g_test_add_func ("/turns/shapes", test_shapes);
  g_test_add_func ("/turns/max-running", test_max_running);
  g_test_add_func ("/turns/replace", test_replace);
  g_test_add_func ("/turns/withdraw", test_withdraw);
  g_test_add_func ("/turns/parts", test_parts);
  g_test_add_func ("/turns/replace-parts", test_replace_parts);
  g_test_add_func ("/turns/part-ends", test_part_ends);
  g_test_add_func ("/turns/fairness", test_fairness);
  g_test_add_func ("/turns/too-slow", test_too_slow);
  g_test_add_func ("/turns/equal-losses", test_equal_losses);
  return g_test_run ();
}
