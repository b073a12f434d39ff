/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Whose image is next. A line is one stream's queue of images; a place is an image
 * in it; a turn puts an image into a step. Nothing here locks, waits, reads a clock or
 * allocates: the caller passes the time, and protects the lines of one Y10Lines by
 * one lock. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct _Y10Line Y10Line;
typedef struct _Y10Place Y10Place;
typedef struct _Y10Lines Y10Lines;

/**
 * Y10PlaceState:
 * @Y10_PLACE_IDLE: never queued
 * @Y10_PLACE_QUEUED: waiting for its turn
 * @Y10_PLACE_RUNNING: in a step
 * @Y10_PLACE_ANSWERED: its step has finished, or that of its last part
 * @Y10_PLACE_WITHDRAWN: withdrawn before all of it was in steps
 *
 * State of an image. Each time that it is queued ends exactly once, answered or
 * withdrawn: it is over then.
 */
typedef enum
{
  Y10_PLACE_IDLE,
  Y10_PLACE_QUEUED,
  Y10_PLACE_RUNNING,
  Y10_PLACE_ANSWERED,
  Y10_PLACE_WITHDRAWN,
} Y10PlaceState;

/**
 * Y10Place:
 * @arrived_at: when it was queued, nanoseconds of the monotonic clock
 * @begun_at: when its step began, likewise
 * @n_before: turns, of images or parts of images, that were taken between the two
 * @shape: a step has images of one shape only; set before it is queued, any number
 *
 * An image to be inferred, as a whole or in parts. It is running once a step holds
 * one of its parts, and answered when all of its parts are. When a part fails,
 * those that are not in a step yet are dropped. Zeroed before it is first queued; it
 * may be queued again once it is over. It lies in memory that is declared with
 * another type.
 */
struct _Y10Place
{
  Y10PlaceState state;
  guint n_before;
  gint64 arrived_at, begun_at;
  guint32 shape;
  /*< private >*/
  guint64 queued_after; /* turns that had been taken then */
  Y10Line *line;
  GList link; /* in the line's queue */
  guint8 n_parts;
  guint8 n_begun, n_over; /* parts put into steps; parts answered */
  guint withdrawn : 1;    /* while parts of it were running */
  guint failed : 1;       /* one of its parts */
} __attribute__ ((may_alias));

/**
 * Y10Line:
 * @priority: lines with a higher one take their turns first
 * @max_running: maximum number of its images in steps at a time; 0: no limit
 * @n_running: number of its images in steps
 *
 * The images of one stream. The caller may change @priority and @max_running at any
 * time; both apply to images already queued, too.
 */
struct _Y10Line
{
  gint priority;
  guint max_running;
  guint n_running;
  /*< private >*/
  Y10Lines *lines;
  gint64 queued_at;     /* when the head of the queue, or the image that it
                                 * replaced, was queued */
  guint64 queued_after; /* turns that had been taken then */
  guint64 last_taken;   /* number of its latest turn; at first of that of any
                                 * line */
  guint64 n_withdrawn;  /* images; a new line starts with the most of any
                                 * other */
  GQueue queue;         /* of places */
  GList link;           /* in lines->all */
};

/**
 * Y10Lines:
 * @changed: called at each change of a place's state after it has been queued
 * @all: all lines
 * @n_taken: number of turns that have been taken, of images or parts of images
 * @n_withdrawn: number of withdrawn images, or parts of images
 *
 * What decides between lines. Set @changed; the rest starts as zeros.
 */
struct _Y10Lines
{
  void (*changed) (Y10Place *place);
  GQueue all;
  guint64 n_taken;
  guint64 n_withdrawn;
};

/**
 * Y10Turn:
 * @place: an image
 * @part: index of its part, from 0
 *
 * One image of a step, or one part of an image.
 */
typedef struct
{
  Y10Place *place;
  guint part;
} Y10Turn;

void y10_line_init (Y10Line *self, Y10Lines *turns, gint priority);
void y10_line_clear (Y10Line *self);
void y10_line_queue (Y10Line *self, Y10Place *place, guint n_parts, gint64 now);
gboolean y10_line_replace (Y10Line *self, Y10Place *place, guint n_parts,
    gint64 now);
guint y10_line_withdraw (Y10Line *self);

gboolean y10_place_withdraw (Y10Place *self);
void y10_place_answer (Y10Place *self, gboolean failed);

gint64 y10_lines_next_step (const Y10Lines *self, guint max_batch,
    gint64 batch_timeout);
guint y10_lines_fill_step (Y10Lines *self, Y10Turn *step, guint max_batch,
    gint64 now);
guint y10_lines_count_queued (const Y10Lines *self);

static inline gboolean
y10_place_is_over (const Y10Place *self)
{
  return self->state == Y10_PLACE_ANSWERED
      || self->state == Y10_PLACE_WITHDRAWN;
}

G_END_DECLS
