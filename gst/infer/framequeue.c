/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The frame queue: a ring that the input thread fills and the output task
 * empties in the same order. It decides how many frames may be queued and when
 * the first one leaves, and wakes waiting threads. Frames are fixed-size blocks
 * of memory, allocated once.
 *
 * A frame leaves when its inference is over, or at once if it has none. It
 * leaves "detached", without its result, in two cases: it has waited max wait
 * without getting a turn, or it must make room for a new frame. The job of a
 * detached frame goes on; the queue counts it until it is collected.
 *
 * The queue depends on neither GStreamer nor the engine. It uses plain C and
 * pthread, which ThreadSanitizer understands, and is unit-tested alone. */
#include "infer/framequeue.h"

#include <pthread.h>
#include <time.h>

typedef struct
{
  GstY10FrameQueueState state;
  gboolean detached;
  gint64 leave_at; /* CLOCK_MONOTONIC, in nanoseconds */
} Entry;

struct _GstY10FrameQueue
{
  guint capacity;
  gsize frame_size;
  guint8 *frames;

  pthread_mutex_t lock;
  /* Everything below is under the lock. */
  pthread_cond_t changed;
  Entry *entries;
  guint first, n;       /* the ring */
  guint64 first_number; /* of the first frame; consecutive */
  guint max_frames;
  guint n_detached; /* detached jobs not collected yet */
  gboolean collect; /* a detached job is over */
  gboolean crowded; /* an arriving frame may not wait for room */
  gboolean flushing;
  gint stop;
};

static guint
index_at (const GstY10FrameQueue *self, guint i)
{
  return (self->first + i) % self->capacity;
}

static gpointer
frame_of (const GstY10FrameQueue *self, guint index)
{
  return self->frames + index * self->frame_size;
}

/* Returns the monotonic time in nanoseconds. Any thread. */
gint64
gst_y10_frame_queue_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

/* Creates an empty, flushing queue for at most @capacity frames of @frame_size
 * bytes, which are zeroed. */
GstY10FrameQueue *
gst_y10_frame_queue_new (guint capacity, gsize frame_size)
{
  GstY10FrameQueue *self = g_new0 (GstY10FrameQueue, 1);
  pthread_condattr_t monotonic;

  self->capacity = capacity;
  self->frame_size = (frame_size + 15) & ~(gsize) 15;
  self->frames = g_malloc0 (capacity * self->frame_size);
  self->entries = g_new0 (Entry, capacity);
  self->max_frames = capacity;
  self->first_number = 1;
  self->flushing = TRUE;
  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&self->changed, &monotonic);
  pthread_condattr_destroy (&monotonic);
  return self;
}

/* The queue must be empty, with no thread waiting in it. */
void
gst_y10_frame_queue_free (GstY10FrameQueue *self)
{
  if (!self)
    return;
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  g_free (self->entries);
  g_free (self->frames);
  g_free (self);
}

/* Sets the limit, at least 1. Frames already queued stay. */
void
gst_y10_frame_queue_set_max_frames (GstY10FrameQueue *self, guint max_frames)
{
  pthread_mutex_lock (&self->lock);
  self->max_frames = CLAMP (max_frames, 1, self->capacity);
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* While flushing, no frame enters and no thread waits; the caller must drop the
 * queued frames. Ending the flush also clears the stop reason. */
void
gst_y10_frame_queue_set_flushing (GstY10FrameQueue *self, gboolean flushing)
{
  pthread_mutex_lock (&self->lock);
  self->flushing = flushing;
  if (!flushing)
    self->stop = 0;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* Stops the queue with a reason for gst_y10_frame_queue_get_stop(): no frame
 * enters any more, and the output task must drop the queued ones. Only the
 * output task may stop it; any thread may resume it with 0. */
void
gst_y10_frame_queue_stop (GstY10FrameQueue *self, gint why)
{
  pthread_mutex_lock (&self->lock);
  self->stop = why;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* Returns the stop reason, or 0. */
gint
gst_y10_frame_queue_get_stop (GstY10FrameQueue *self)
{
  gint why;

  pthread_mutex_lock (&self->lock);
  why = self->stop;
  pthread_mutex_unlock (&self->lock);
  return why;
}

static gboolean
is_closed (const GstY10FrameQueue *self)
{
  return self->flushing || self->stop;
}

/* Waits for room and returns the place for one frame, holding the contents of
 * an old frame, or NULL when flushing or stopped. With @make_room the first
 * frame leaves detached if the queue is full. gst_y10_frame_queue_note() may
 * use @number from now on. Input thread only. */
gpointer
gst_y10_frame_queue_reserve (GstY10FrameQueue *self, gboolean make_room,
    guint64 *number)
{
  gpointer frame = NULL;

  pthread_mutex_lock (&self->lock);
  while (!is_closed (self) && self->n >= self->max_frames) {
    if (make_room && !self->crowded) {
      self->crowded = TRUE;
      pthread_cond_broadcast (&self->changed);
    }
    pthread_cond_wait (&self->changed, &self->lock);
  }
  self->crowded = FALSE;
  if (!is_closed (self)) {
    guint index = index_at (self, self->n);

    *number = self->first_number + self->n;
    self->entries[index] = (Entry){ GST_Y10_FRAME_QUEUE_SUBMITTED };
    frame = frame_of (self, index);
  }
  pthread_mutex_unlock (&self->lock);
  return frame;
}

/* Appends the reserved frame. @is_inferred tells whether
 * gst_y10_frame_queue_note() will report its inference. @leave_at limits the
 * wait for a turn (CLOCK_MONOTONIC, in nanoseconds). If FALSE, when flushing or
 * stopped, the caller keeps the frame. */
gboolean
gst_y10_frame_queue_commit (GstY10FrameQueue *self, gboolean is_inferred,
    gint64 leave_at)
{
  gboolean ok;

  pthread_mutex_lock (&self->lock);
  ok = !is_closed (self);
  if (ok) {
    Entry *entry = &self->entries[index_at (self, self->n)];

    if (!is_inferred)
      entry->state = GST_Y10_FRAME_QUEUE_OVER;
    entry->leave_at = leave_at;
    self->n++;
    pthread_cond_broadcast (&self->changed);
  }
  pthread_mutex_unlock (&self->lock);
  return ok;
}

/* Reports the inference state of a reserved frame, which may have left already.
 * Any thread; never waits for frames. */
void
gst_y10_frame_queue_note (GstY10FrameQueue *self, guint64 number,
    GstY10FrameQueueState state)
{
  pthread_mutex_lock (&self->lock);
  if (number >= self->first_number)
    self->entries[index_at (self, (guint) (number - self->first_number))]
        .state = state;
  else if (state == GST_Y10_FRAME_QUEUE_OVER)
    self->collect = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

static void
wait_until (GstY10FrameQueue *self, gint64 time)
{
  struct timespec t = {
    .tv_sec = time / 1000000000,
    .tv_nsec = time % 1000000000,
  };

  if (time == GST_Y10_FRAME_QUEUE_FOREVER)
    pthread_cond_wait (&self->changed, &self->lock);
  else
    pthread_cond_timedwait (&self->changed, &self->lock, &t);
}

/* Returns whether the first frame must leave without its result. */
static gboolean
must_detach (const GstY10FrameQueue *self, const Entry *entry)
{
  return (self->crowded && self->n >= self->max_frames)
      || (entry->state == GST_Y10_FRAME_QUEUE_SUBMITTED
          && entry->leave_at <= gst_y10_frame_queue_now ());
}

/* Waits until the output task has something to do, and returns what. @frame is
 * the first frame if it is due; it stays in place until
 * gst_y10_frame_queue_leave(). Also waits while stopped. */
GstY10Next
gst_y10_frame_queue_next (GstY10FrameQueue *self, gpointer *frame)
{
  GstY10Next next = GST_Y10_NEXT_FLUSHING;

  *frame = NULL;
  pthread_mutex_lock (&self->lock);
  while (!self->flushing) {
    Entry *entry = &self->entries[self->first];

    if (self->collect) {
      self->collect = FALSE;
      next = GST_Y10_NEXT_COLLECT;
      break;
    }
    if (self->stop || !self->n) {
      pthread_cond_wait (&self->changed, &self->lock);
      continue;
    }
    if (entry->state == GST_Y10_FRAME_QUEUE_OVER) {
      next = GST_Y10_NEXT_READY;
      *frame = frame_of (self, self->first);
      break;
    }
    if (must_detach (self, entry)) {
      next = GST_Y10_NEXT_DETACH;
      entry->detached = TRUE;
      self->n_detached++;
      *frame = frame_of (self, self->first);
      break;
    }
    wait_until (self,
        entry->state == GST_Y10_FRAME_QUEUE_SUBMITTED
            ? entry->leave_at
            : GST_Y10_FRAME_QUEUE_FOREVER);
  }
  pthread_mutex_unlock (&self->lock);
  return next;
}

/* Removes the first frame. */
void
gst_y10_frame_queue_leave (GstY10FrameQueue *self)
{
  const Entry *entry;

  pthread_mutex_lock (&self->lock);
  entry = &self->entries[self->first];
  if (entry->detached && entry->state == GST_Y10_FRAME_QUEUE_OVER)
    self->collect = TRUE;
  self->first = (self->first + 1) % self->capacity;
  self->first_number++;
  self->n--;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* Accounts for a detached job that is over and was collected. */
void
gst_y10_frame_queue_collected (GstY10FrameQueue *self)
{
  pthread_mutex_lock (&self->lock);
  self->n_detached--;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* Returns the first frame for dropping, to be followed by
 * gst_y10_frame_queue_leave(). Returns NULL if there is none, or if the queue
 * is no longer flushing or stopped, so that the queued frames are valid again.
 * One thread at a time. */
gpointer
gst_y10_frame_queue_drop (GstY10FrameQueue *self)
{
  gpointer frame = NULL;

  pthread_mutex_lock (&self->lock);
  if (is_closed (self) && self->n)
    frame = frame_of (self, self->first);
  pthread_mutex_unlock (&self->lock);
  return frame;
}

/* Waits until all frames have left and, if @with_inferences, all detached jobs
 * are collected. Returns FALSE when flushing. Input thread only. */
gboolean
gst_y10_frame_queue_drain (GstY10FrameQueue *self, gboolean with_inferences)
{
  gboolean flushing;

  pthread_mutex_lock (&self->lock);
  while (!self->flushing && (self->n || (with_inferences && self->n_detached)))
    pthread_cond_wait (&self->changed, &self->lock);
  flushing = self->flushing;
  pthread_mutex_unlock (&self->lock);
  return !flushing;
}

guint
gst_y10_frame_queue_count (GstY10FrameQueue *self)
{
  guint n;

  pthread_mutex_lock (&self->lock);
  n = self->n;
  pthread_mutex_unlock (&self->lock);
  return n;
}
