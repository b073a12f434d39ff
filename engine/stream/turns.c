/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Whose image is next.
 *
 * A turn puts one image, or one part of an image, into a step. While an image is at
 * the head of its line, every other line gets at most one turn, however many images
 * it has queued: the line that has waited for the most turns is eligible, and so is
 * each line that has had no turn since. Among these, the line with the most withdrawn
 * images goes first, so that streams of equal frame rate lose equally many images; a
 * tie goes to the line whose last turn is the longest ago. A line with nothing queued
 * is skipped. Priority comes before all of this: a line with a higher priority always
 * goes first.
 *
 * A step has images of one shape: it ends where only lines are eligible whose next image
 * has another one. So no line gets a turn before another's, whatever their shapes are.
 *
 * An image may consist of several parts, each of which takes a turn: other lines get
 * theirs in between, and the parts go into as many steps as needed. It counts as one
 * image for the limit of a line's running images.
 *
 * Withdrawing takes queued images out at once, but not those in a step: a device
 * that reads pixels cannot be interrupted, so those are answered as usual. */

#include "config.h"

#include "stream/turns.h"

#define NEVER G_MAXINT64

static Y10Place *
head_of (const Y10Line *line)
{
  return line->queue.head->data;
}

/* Whether @line may take a turn. */
static gboolean
is_ready (const Y10Line *line)
{
  return line->queue.length
      && (head_of (line)->n_begun || !line->max_running
          || line->n_running < line->max_running);
}

/* The number of its images that could be in the next step, if that has this shape: those
 * up to the first image of another one. */
static guint
n_ready (const Y10Line *line, guint32 shape)
{
  guint more = line->max_running
      ? line->max_running - MIN (line->max_running, line->n_running)
      : G_MAXUINT;
  guint n = 0;

  for (GList *l = line->queue.head; l; l = l->next) {
    const Y10Place *place = l->data;

    if (place->shape != shape || (!place->n_begun && !more--))
      break;
    n += place->n_parts - place->n_begun;
  }
  return n;
}

/* The turn since which the image at the head of its queue has waited. */
static guint64
waits_since (const Y10Line *line)
{
  return MAX (line->queued_after, line->last_taken);
}

/* Lines of this priority are eligible if they have waited since @since, or had
 * their last turn before it. Returns FALSE if no line is ready. */
static gboolean
find_longest_wait (const Y10Lines *self, gint *priority, guint64 *since)
{
  gboolean found = FALSE;

  for (GList *l = self->all.head; l; l = l->next) {
    const Y10Line *line = l->data;

    if (!is_ready (line) || (found && line->priority < *priority))
      continue;
    *since = found && line->priority == *priority
        ? MIN (*since, waits_since (line))
        : waits_since (line);
    *priority = line->priority;
    found = TRUE;
  }
  return found;
}

static gboolean
goes_before (const Y10Line *line, const Y10Line *other)
{
  return line->n_withdrawn != other->n_withdrawn
      ? line->n_withdrawn > other->n_withdrawn
      : line->last_taken < other->last_taken;
}

/* The line that takes the next turn; NULL if none is ready. @first: nullable: the image
 * whose shape the step has. Lines with another shape at their heads then wait for the next
 * step, and hold up only those that would get a second turn before their first. */
static Y10Line *
choose (const Y10Lines *self, const Y10Place *first)
{
  Y10Line *best = NULL;
  guint64 since = 0;
  gint priority = 0;

  if (!find_longest_wait (self, &priority, &since))
    return NULL;
  for (GList *l = self->all.head; l; l = l->next) {
    Y10Line *line = l->data;

    if (is_ready (line) && line->priority == priority
        && (line->last_taken < since || waits_since (line) == since)
        && (!first || head_of (line)->shape == first->shape)
        && (!best || goes_before (line, best)))
      best = line;
  }
  return best;
}

static void
set_state (Y10Place *place, Y10PlaceState state)
{
  Y10Lines *lines = place->line->lines;

  place->state = state;
  if (lines->changed)
    lines->changed (place);
}

/* Removes a place, which is at the head if any of its parts has begun. */
static void
unqueue (Y10Place *place)
{
  Y10Line *line = place->line;

  g_queue_unlink (&line->queue, &place->link);
  if (place->n_begun && line->queue.length)
    line->queued_at = head_of (line)->arrived_at;
}

/* Ends an image unless some of its parts are queued or running. */
static void
end_if_over (Y10Place *place)
{
  if (place->n_over < place->n_parts)
    return;
  place->line->n_running--;
  set_state (place,
      place->withdrawn && !place->failed ? Y10_PLACE_WITHDRAWN
                                         : Y10_PLACE_ANSWERED);
}

/* Removes the parts that are not in a step. */
static void
drop_rest (Y10Place *place)
{
  if (place->n_begun == place->n_parts)
    return;
  unqueue (place);
  place->n_parts = place->n_begun;
}

/* An image with parts in steps ends when the last of them does. */
static void
withdraw (Y10Place *place)
{
  Y10Line *line = place->line;

  line->n_withdrawn++;
  line->lines->n_withdrawn += place->n_parts - place->n_begun;
  if (place->n_begun) {
    place->withdrawn = TRUE;
    drop_rest (place);
    end_if_over (place);
  } else {
    unqueue (place);
    set_state (place, Y10_PLACE_WITHDRAWN);
  }
}

/* @begun: whether to withdraw an image with parts in steps, too. */
static guint
withdraw_all (Y10Line *self, gboolean begun)
{
  GList *next;
  guint n = 0;

  for (GList *l = self->queue.head; l; l = next) {
    Y10Place *place = l->data;

    next = l->next;
    if (place->n_begun && !begun)
      continue;
    withdraw (place);
    n++;
  }
  return n;
}

/**
 * y10_line_init:
 * @self: a line
 * @lines: the lines that it takes turns with
 * @priority: initial value of its @priority
 *
 * Adds a line. Its first turn comes after one turn of each other line that is
 * waiting.
 */
void
y10_line_init (Y10Line *self, Y10Lines *lines, gint priority)
{
  *self = (Y10Line){
    .lines = lines,
    .priority = priority,
    .last_taken = lines->n_taken,
    .link.data = self,
  };
  for (GList *l = lines->all.head; l; l = l->next)
    self->n_withdrawn = MAX (self->n_withdrawn,
        ((const Y10Line *) l->data)->n_withdrawn);
  g_queue_push_tail_link (&lines->all, &self->link);
}

/**
 * y10_line_clear:
 * @self: a line with no image queued or running
 *
 * Removes a line.
 */
void
y10_line_clear (Y10Line *self)
{
  g_queue_unlink (&self->lines->all, &self->link);
}

/**
 * y10_line_queue:
 * @self: a line
 * @place: zeroed, or over, but for its @shape
 * @n_parts: number of parts, each of which takes a turn, 1 to 255
 * @now: time
 *
 * Queues an image behind the others of its line.
 */
void
y10_line_queue (Y10Line *self, Y10Place *place, guint n_parts, gint64 now)
{
  *place = (Y10Place){
    .state = Y10_PLACE_QUEUED,
    .line = self,
    .link.data = place,
    .n_parts = (guint8) n_parts,
    .arrived_at = now,
    .shape = place->shape,
    .queued_after = self->lines->n_taken,
  };
  if (!self->queue.length) {
    self->queued_at = now;
    self->queued_after = self->lines->n_taken;
  }
  g_queue_push_tail_link (&self->queue, &place->link);
}

/**
 * y10_line_replace:
 * @self: a line
 * @place: zeroed, or over
 * @n_parts: as for y10_line_queue()
 * @now: time
 *
 * Withdraws all queued images of the line and queues @place instead. An image with
 * parts in steps is not withdrawn: otherwise a stream with a frame interval shorter
 * than its parts need would never get a result. The line keeps its turn and the time
 * that it has waited.
 *
 * Returns: %FALSE if the line had nothing queued; @place was not queued then
 */
gboolean
y10_line_replace (Y10Line *self, Y10Place *place, guint n_parts, gint64 now)
{
  gint64 queued_at = self->queued_at;
  guint64 queued_after = self->queued_after;

  if (!withdraw_all (self, FALSE))
    return FALSE;
  y10_line_queue (self, place, n_parts, now);
  self->queued_at = queued_at;
  self->queued_after = queued_after;
  return TRUE;
}

/**
 * y10_line_withdraw:
 * @self: a line
 *
 * Withdraws all queued images, and the parts that are not in a step of the one that
 * has begun.
 *
 * Returns: the number of withdrawn images
 */
guint
y10_line_withdraw (Y10Line *self)
{
  return withdraw_all (self, TRUE);
}

/**
 * y10_place_withdraw:
 * @self: an image that has been queued
 *
 * Withdraws one image if it is still queued. If some of its parts are in steps,
 * withdraws the others. Other queued images of the line lose no turn.
 *
 * Returns: whether all of it was withdrawn; if not, it is over or in a step
 */
gboolean
y10_place_withdraw (Y10Place *self)
{
  gboolean queued = self->state == Y10_PLACE_QUEUED;

  if (queued
      || (self->state == Y10_PLACE_RUNNING && self->n_begun < self->n_parts))
    withdraw (self);
  return queued;
}

/**
 * y10_place_answer:
 * @self: an image with a part in a step
 * @failed: whether it has an error
 *
 * Records that one part of the image has a result or an error. The last part ends
 * the image.
 */
void
y10_place_answer (Y10Place *self, gboolean failed)
{
  self->n_over++;
  if (failed) {
    self->failed = TRUE;
    drop_rest (self);
  }
  end_if_over (self);
}

/**
 * y10_lines_next_step:
 * @self: lines
 * @max_batch: maximum number of images, or parts of images, in a step
 * @batch_timeout: nanoseconds that an image waits for others to fill its step
 *
 * Returns: when the next step begins if no further image comes and no image is
 *   answered: in the past if it is full; %G_MAXINT64 if no line is ready
 */
gint64
y10_lines_next_step (const Y10Lines *self, guint max_batch,
    gint64 batch_timeout)
{
  const Y10Line *next = choose (self, NULL);
  gint64 oldest = NEVER;
  guint n = 0;

  for (GList *l = self->all.head; next && l; l = l->next) {
    const Y10Line *line = l->data;

    if (is_ready (line)) {
      n += n_ready (line, head_of (next)->shape);
      oldest = MIN (oldest, line->queued_at);
    }
  }
  return !n || n >= max_batch ? oldest : oldest + batch_timeout;
}

/* Takes the next turn of a step that begins with @first, if any. FALSE: no line is ready
 * for that. */
static gboolean
take_turn (Y10Lines *self, const Y10Place *first, gint64 now, Y10Turn *turn)
{
  Y10Line *line = choose (self, first);
  Y10Place *place;

  if (!line)
    return FALSE;
  place = head_of (line);
  *turn = (Y10Turn){ place, place->n_begun++ };
  if (turn->part == 0) {
    place->begun_at = now;
    place->n_before = (guint) (self->n_taken - place->queued_after);
    line->n_running++;
  }
  line->last_taken = ++self->n_taken;
  if (place->n_begun == place->n_parts)
    unqueue (place);
  if (turn->part == 0)
    set_state (place, Y10_PLACE_RUNNING);
  return TRUE;
}

/**
 * y10_lines_fill_step:
 * @self: lines
 * @step: (out caller-allocates) (array length=max_batch): the images of the step
 * @max_batch: maximum number of images, or parts of images, in a step
 * @now: time
 *
 * Takes turns until the step is full, no line is ready, or it is the turn of an image of
 * another shape. The images of one line are in its order.
 *
 * Returns: number of images, or parts of images, in @step
 */
guint
y10_lines_fill_step (Y10Lines *self, Y10Turn *step, guint max_batch, gint64 now)
{
  guint n = 0;

  while (n < max_batch
      && take_turn (self, n ? step[0].place : NULL, now, &step[n]))
    n++;
  return n;
}

/**
 * y10_lines_count_queued:
 * @self: lines
 *
 * Returns: number of images, or parts of images, that wait for their turn
 */
guint
y10_lines_count_queued (const Y10Lines *self)
{
  guint n = 0;

  for (GList *l = self->all.head; l; l = l->next)
    for (GList *p = ((const Y10Line *) l->data)->queue.head; p; p = p->next) {
      const Y10Place *place = p->data;

      n += place->n_parts - place->n_begun;
    }
  return n;
}
