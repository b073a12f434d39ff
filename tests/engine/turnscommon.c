/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Lines of images, and the latest step. */
#include "turnscommon.h"

Y10Lines turns_all;
Y10Line turns_lines[TURNS_MAX_LINES];
Y10Turn turns_step[8];
guint turns_n_in_step;
gint64 turns_now;

void
turns_begin (guint n)
{
  turns_all = (Y10Lines){ 0 };
  turns_n_in_step = 0;
  turns_now = 1000;
  for (guint i = 0; i < n; i++)
    y10_line_init (&turns_lines[i], &turns_all, 0);
}

void
turns_queue (guint line, TurnsImage *images, guint n)
{
  for (guint i = 0; i < n; i++) {
    images[i] = (TurnsImage){ .line = line, .number = i + 1 };
    y10_line_queue (&turns_lines[line], &images[i].place, 1, turns_now);
  }
}

gboolean
turns_replace (guint line, TurnsImage *image, guint number, guint n_parts)
{
  *image = (TurnsImage){ .line = line, .number = number, .n_parts = n_parts };
  return y10_line_replace (&turns_lines[line], &image->place, MAX (n_parts, 1),
      turns_now);
}

void
turns_answer (gboolean failed)
{
  for (guint i = 0; i < turns_n_in_step; i++)
    y10_place_answer (turns_step[i].place, failed);
  turns_n_in_step = 0;
}
