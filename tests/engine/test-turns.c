/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Whose image is next: the exact order of turns, without threads or time. A test
 * takes one step after the other and says who must be in it. */
#include "turnscommon.h"

/* For each change of an image that watch() has queued, its number and a letter for
 * its state. */
static GString *changes;

static void
record_change (Y10Place *place)
{
  static const char letters[] = "?qraw";

  g_string_append_printf (changes, " %u%c", ((TurnsImage *) place)->number,
      letters[place->state]);
}

static void
queue_shaped (guint line, TurnsImage *images, guint n, guint32 shape)
{
  for (guint i = 0; i < n; i++) {
    images[i] = (TurnsImage){ .line = line,
      .number = i + 1,
      .place.shape = shape };
    y10_line_queue (&turns_lines[line], &images[i].place, 1, turns_now);
  }
}

static void
queue_parts (guint line, TurnsImage *image, guint number, guint n_parts)
{
  *image = (TurnsImage){ .line = line, .number = number, .n_parts = n_parts };
  y10_line_queue (&turns_lines[line], &image->place, n_parts, turns_now);
}

/* Takes the next step of at most @max images and asserts who is in it: "line.number
 * line.number", with a letter for the parts of an image, a for the first. The images
 * before are still running if turns_answer() has not been called. */
static void
expect_running (guint max, const char *expected)
{
  g_autoptr (GString) found = g_string_new (NULL);

  turns_n_in_step = y10_lines_fill_step (&turns_all, turns_step, max,
      turns_now);
  for (guint i = 0; i < turns_n_in_step; i++) {
    const TurnsImage *image = (const TurnsImage *) turns_step[i].place;

    g_string_append_printf (found, "%s%u.%u", i ? " " : "", image->line,
        image->number);
    if (image->n_parts)
      g_string_append_c (found, (char) ('a' + turns_step[i].part));
  }
  g_assert_cmpstr (found->str, ==, expected);
}

/* The same, and answers them. */
static void
expect_step (guint max, const char *expected)
{
  expect_running (max, expected);
  turns_answer (FALSE);
}

/* However many images a line has queued, it has one image per turn, both within a
 * step of several images and across steps of one. */
static void
test_batches (void)
{
  TurnsImage a[6], b[1], c[2];

  turns_begin (4);
  expect_step (4, "");
  turns_queue (1, a, 6);
  turns_queue (2, b, 1);
  turns_queue (3, c, 2);
  g_assert_cmpuint (y10_lines_count_queued (&turns_all), ==, 9);
  expect_step (4, "1.1 2.1 3.1 1.2");
  expect_step (4, "3.2 1.3 1.4 1.5");
  expect_step (4, "1.6");
  expect_step (4, "");
  g_assert_cmpuint (y10_lines_count_queued (&turns_all), ==, 0);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpint (a[i].place.state, ==, Y10_PLACE_ANSWERED);
  /* Nine images of others went before the last one. */
  g_assert_cmpuint (a[5].place.n_before, ==, 8);
  g_assert_cmpuint (b[0].place.n_before, ==, 1);

  turns_begin (3);
  turns_queue (0, a, 3);
  turns_queue (1, b, 1);
  turns_queue (2, c, 2);
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
  TurnsImage a[3], b[3], c[2];

  turns_begin (2);
  turns_queue (0, a, 3);
  turns_queue (1, b, 3);
  expect_step (1, "0.1");
  y10_line_init (&turns_lines[2], &turns_all, 0);
  turns_queue (2, c, 2);
  expect_step (4, "1.1 0.2 2.1 1.2");
  /* A line that leaves takes no turn from the others. */
  g_assert_cmpuint (y10_line_withdraw (&turns_lines[1]), ==, 1);
  y10_line_clear (&turns_lines[1]);
  expect_step (4, "0.3 2.2");
}

/* A higher priority comes first, lines of one priority take turns, and the priority
 * may change while images are queued. */
static void
test_priority (void)
{
  TurnsImage low[2][4], high[2], lowest[1], first[1];

  turns_begin (4);
  turns_lines[2].priority = -7;
  turns_lines[3].priority = 5;
  turns_queue (0, first, 1);
  expect_step (2, "0.1");
  turns_queue (2, lowest, 1);
  turns_queue (0, low[0], 4);
  turns_queue (1, low[1], 4);
  turns_queue (3, high, 2);
  expect_step (2, "3.1 3.2");
  expect_step (2, "1.1 0.1");
  turns_lines[2].priority = 1;
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
  TurnsImage a[3], b[2], c[2], d[2];

  turns_begin (4);
  queue_shaped (0, a, 3, 1);
  queue_shaped (1, b, 2, 2);
  queue_shaped (2, c, 2, 1);
  queue_shaped (3, d, 2, 2);
  g_assert_cmpint (y10_lines_next_step (&turns_all, 4, 500), ==, 1000);
  expect_step (4, "0.1 2.1");
  expect_step (4, "1.1 3.1");
  expect_step (1, "0.2");
  expect_step (4, "2.2");
  expect_step (4, "1.2 3.2");
  expect_step (4, "0.3");
  expect_step (4, "");
  /* Only images that fit into it fill a step. */
  turns_begin (2);
  queue_shaped (0, a, 1, 1);
  queue_shaped (1, b, 2, 2);
  g_assert_cmpint (y10_lines_next_step (&turns_all, 2, 500), ==, 1500);
  /* Priority is strict. */
  turns_lines[1].priority = 1;
  g_assert_cmpint (y10_lines_next_step (&turns_all, 2, 500), ==, 1000);
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
  TurnsImage a[2], b[2];

  turns_begin (2);
  g_assert_cmpint (y10_lines_next_step (&turns_all, 3, 500), ==, G_MAXINT64);
  turns_queue (0, a, 1);
  g_assert_cmpint (y10_lines_next_step (&turns_all, 3, 0), ==, 1000);
  g_assert_cmpint (y10_lines_next_step (&turns_all, 3, 500), ==, 1500);
  turns_now = 1100;
  turns_queue (1, b, 1);
  g_assert_cmpint (y10_lines_next_step (&turns_all, 3, 500), ==, 1500);
  g_assert_cmpint (y10_lines_next_step (&turns_all, 2, 500), ==, 1000);
  /* A newer image has waited as long as the one that it replaces. */
  turns_now = 1200;
  g_assert_true (turns_replace (0, &a[1], 2, 0));
  g_assert_cmpint (y10_lines_next_step (&turns_all, 3, 500), ==, 1500);
  expect_running (1, "0.2");
  g_assert_cmpint (a[1].place.arrived_at, ==, 1200);
  g_assert_cmpint (a[1].place.begun_at, ==, 1200);
  g_assert_cmpint (y10_lines_next_step (&turns_all, 3, 500), ==, 1600);
  /* What has reached its limit of running images is no reason to begin. */
  turns_queue (0, a, 1);
  turns_lines[0].max_running = 1;
  y10_line_withdraw (&turns_lines[1]);
  g_assert_cmpint (y10_lines_next_step (&turns_all, 1, 500), ==, G_MAXINT64);
  turns_lines[0].max_running = 2;
  g_assert_cmpint (y10_lines_next_step (&turns_all, 1, 500), ==, 1200);
}

/* A line that has reached its limit of running images is passed over, even if no
 * other line has an image. */
static void
test_max_running (void)
{
  TurnsImage a[4], b[1], *running;

  turns_begin (2);
  turns_lines[0].max_running = 1;
  turns_queue (0, a, 4);
  expect_running (4, "0.1");
  running = &a[0];
  turns_queue (1, b, 1);
  expect_step (4, "1.1");
  expect_running (4, "");
  y10_place_answer (&running->place, FALSE);
  expect_running (4, "0.2");
  turns_lines[0].max_running = 3;
  expect_running (4, "0.3 0.4");
  g_assert_cmpuint (turns_lines[0].n_running, ==, 3);
}

/* A later image replaces a queued one and inherits its turn; a running one cannot be
 * replaced. */
static void
test_replace (void)
{
  TurnsImage other[2], a[3];

  changes = g_string_new (NULL);
  turns_begin (2);
  g_assert_false (turns_replace (0, &a[0], 9, 0));
  g_assert_cmpint (a[0].place.state, ==, Y10_PLACE_IDLE);
  turns_queue (1, other, 1);
  expect_step (1, "1.1");
  turns_queue (0, a, 1);
  turns_queue (1, other, 2);
  turns_all.changed = record_change;
  g_assert_true (turns_replace (0, &a[1], 2, 0));
  g_assert_true (turns_replace (0, &a[2], 3, 0));
  g_assert_cmpuint (turns_all.n_withdrawn, ==, 2);
  expect_running (1, "0.3");
  g_assert_false (turns_replace (0, &a[0], 4, 0));
  turns_answer (FALSE);
  g_assert_cmpstr (changes->str, ==, " 1w 2w 3r 3a");
  expect_step (2, "1.1 1.2");
  g_string_free (changes, TRUE);
}

/* Withdrawn images leave at once, others of their line lose no turn, and whose stream
 * has lost one goes first. */
static void
test_withdraw (void)
{
  TurnsImage a[4], b[3];

  turns_begin (2);
  turns_queue (0, a, 4);
  turns_queue (1, b, 3);
  g_assert_true (y10_place_withdraw (&b[1].place));
  g_assert_false (y10_place_withdraw (&b[1].place));
  g_assert_cmpint (b[1].place.state, ==, Y10_PLACE_WITHDRAWN);
  expect_running (2, "1.1 0.1");
  g_assert_false (y10_place_withdraw (&a[0].place));
  g_assert_cmpint (a[0].place.state, ==, Y10_PLACE_RUNNING);
  g_assert_cmpuint (y10_line_withdraw (&turns_lines[0]), ==, 3);
  g_assert_cmpuint (y10_line_withdraw (&turns_lines[0]), ==, 0);
  turns_answer (FALSE);
  g_assert_cmpint (a[0].place.state, ==, Y10_PLACE_ANSWERED);
  expect_step (2, "1.3");
  g_assert_cmpuint (turns_all.n_withdrawn, ==, 4);
  /* Line 0 has lost more; that outranks the time since its last turn. */
  turns_queue (1, b, 1);
  turns_queue (0, a, 1);
  expect_step (2, "0.1 1.1");
}

/* Between two parts each other line has its turn, and the image is answered with its
 * last part. */
static void
test_parts (void)
{
  static const char *const order[] = { "0.1a", "1.1", "2.1", "0.1b", "1.2",
    "0.1c", "1.3", "0.1d", "0.2a" };
  TurnsImage tiled, last, a[3], b[1];

  turns_begin (3);
  queue_parts (0, &tiled, 1, 4);
  queue_parts (0, &last, 2, 1);
  turns_queue (1, a, 3);
  turns_queue (2, b, 1);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    g_assert_cmpint (tiled.place.state, ==,
        i == 0      ? Y10_PLACE_QUEUED
            : i < 8 ? Y10_PLACE_RUNNING
                    : Y10_PLACE_ANSWERED);
    expect_step (1, order[i]);
  }
  g_assert_cmpint (last.place.state, ==, Y10_PLACE_ANSWERED);

  /* Parts fill steps, and continue in the next step where they do not fit. */
  turns_begin (2);
  queue_parts (0, &tiled, 1, 5);
  turns_queue (1, a, 1);
  g_assert_cmpuint (y10_lines_count_queued (&turns_all), ==, 6);
  expect_step (4, "0.1a 1.1 0.1b 0.1c");
  expect_step (4, "0.1d 0.1e");

  /* The limit of running images does not hold up the parts of one that runs. */
  turns_begin (1);
  turns_lines[0].max_running = 1;
  queue_parts (0, &tiled, 1, 3);
  queue_parts (0, &last, 2, 2);
  expect_running (1, "0.1a");
  expect_running (4, "0.1b 0.1c");
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint (y10_lines_fill_step (&turns_all, turns_step, 4,
                          turns_now),
        ==, 0);
    y10_place_answer (&tiled.place, FALSE);
  }
  expect_step (4, "0.2a 0.2b");
}

/* A newer image replaces one that waits, but none with a part in a step. */
static void
test_replace_parts (void)
{
  TurnsImage tiled[3];

  turns_begin (1);
  queue_parts (0, &tiled[0], 1, 2);
  expect_step (1, "0.1a");
  g_assert_false (turns_replace (0, &tiled[1], 2, 2));
  g_assert_cmpint (tiled[1].place.state, ==, Y10_PLACE_IDLE);
  queue_parts (0, &tiled[1], 2, 2);
  g_assert_true (turns_replace (0, &tiled[2], 3, 2));
  g_assert_cmpint (tiled[1].place.state, ==, Y10_PLACE_WITHDRAWN);
  expect_step (1, "0.1b");
  expect_step (4, "0.3a 0.3b");
}

/* If a part is in a step, withdrawing drops the others, and the image ends with that
 * step; so it does when a part fails, and that outranks a withdrawal. */
static void
test_part_ends (void)
{
  TurnsImage tiled[2];
  Y10Turn first;

  turns_begin (1);
  queue_parts (0, &tiled[0], 1, 3);
  expect_running (1, "0.1a");
  g_assert_false (y10_place_withdraw (&tiled[0].place));
  g_assert_false (y10_place_withdraw (&tiled[0].place));
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_RUNNING);
  turns_answer (FALSE);
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_WITHDRAWN);
  g_assert_cmpuint (turns_all.n_withdrawn, ==, 2);
  expect_step (4, "");

  queue_parts (0, &tiled[0], 1, 5);
  queue_parts (0, &tiled[1], 2, 1);
  expect_running (1, "0.1a");
  first = turns_step[0];
  expect_running (1, "0.1b");
  turns_answer (TRUE);
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_RUNNING);
  y10_place_answer (first.place, FALSE);
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_ANSWERED);
  expect_step (4, "0.2a");

  queue_parts (0, &tiled[0], 3, 3);
  expect_running (1, "0.3a");
  g_assert_false (y10_place_withdraw (&tiled[0].place));
  turns_answer (TRUE);
  g_assert_cmpint (tiled[0].place.state, ==, Y10_PLACE_ANSWERED);
  g_assert_cmpuint (turns_lines[0].n_running, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/turns/batches", test_batches);
  g_test_add_func ("/turns/new-line", test_new_line);
  g_test_add_func ("/turns/priority", test_priority);
  g_test_add_func ("/turns/shapes", test_shapes);
  g_test_add_func ("/turns/next-step", test_next_step);
  g_test_add_func ("/turns/max-running", test_max_running);
  g_test_add_func ("/turns/replace", test_replace);
  g_test_add_func ("/turns/withdraw", test_withdraw);
  g_test_add_func ("/turns/parts", test_parts);
  g_test_add_func ("/turns/replace-parts", test_replace_parts);
  g_test_add_func ("/turns/part-ends", test_part_ends);
  return g_test_run ();
}
