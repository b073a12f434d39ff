/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Turns without threads or time, for test-turns.c and test-fairness.c. */

#include "stream/turns.h"

G_BEGIN_DECLS

#define TURNS_MAX_LINES 12

typedef struct
{
  Y10Place place;
  guint line, number;
  guint n_parts; /* 0: queued as a whole */
} TurnsImage;

extern Y10Lines turns_all;
extern Y10Line turns_lines[TURNS_MAX_LINES];
extern Y10Turn turns_step[8];
extern guint turns_n_in_step;
extern gint64 turns_now;

/* Begins a test with @n lines of priority 0. */
void turns_begin (guint n);
/* Queues @n images, numbered from 1. */
void turns_queue (guint line, TurnsImage *images, guint n);
gboolean turns_replace (guint line, TurnsImage *image, guint number,
    guint n_parts);
/* Answers the images of the latest step. */
void turns_answer (gboolean failed);

G_END_DECLS
