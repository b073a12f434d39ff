/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The frames in flight: a ring that one thread puts frames into and another
 * takes them out of in the same order, while a few of them are inferred. It
 * decides how many frames may be here, which of them is inferred next and when
 * one may leave, and wakes whoever waits when all that ends. What a frame is and
 * how it is inferred it does not know: frames are pieces of memory of one size,
 * made at the start, and nothing is allocated after that.
 *
 * A frame that is to be inferred, whatever has to wait, is begun as soon as a
 * place is free, in order. One that is to be inferred only if there is time is
 * begun when it comes and a place is free; or it is the latest when a place
 * becomes free and has not waited for longer than the patience. It loses nothing
 * by that: it could not have left before the one that is being inferred.
 *
 * Plain C and pthread, which ThreadSanitizer understands, and no pads: it is
 * tested alone. */
#include "gsty10flight.h"

#include <pthread.h>

typedef enum
{
  WAITING,                      /* not inferred yet, or not at all */
  STARTING,                     /* somebody begins it just now */
  RUNNING,                      /* is being inferred, for all we know */
  POLLED,                       /* somebody looks whether that is over */
  DONE,                         /* its result is there */
} State;

typedef struct
{
  State state;
  GstY10Wish wish;
  guint interval;
  guint64 number;
  gint64 came_at;
} Entry;

struct _GstY10Flight
{
  guint capacity;
  gsize frame_size;
  guint8 *frames;

  pthread_mutex_t lock;
  /* All below under the lock. */
  pthread_cond_t changed;
  Entry *entries;
  guint first, n;               /* the ring */
  guint n_running;              /* STARTING, RUNNING or POLLED */
  guint max_frames, max_running;
  gint64 patience;
  guint64 next_number, last_begun;      /* of frames, from 1 */
  gboolean flushing;
  gint stop;
};

static guint
index_at (const GstY10Flight * self, guint i)
{
  return (self->first + i) % self->capacity;
}

static gpointer
frame_of (const GstY10Flight * self, guint index)
{
  return self->frames + index * self->frame_size;
}

static Entry *
entry_of (const GstY10Flight * self, gconstpointer frame)
{
  return &self->entries[((const guint8 *) frame - self->frames)
      / self->frame_size];
}

/**
 * gst_y10_flight_new:
 * @capacity: the most frames there can ever be
 * @frame_size: bytes of each
 *
 * Returns: (transfer full): an empty ring whose frames are zeros, flushing
 */
GstY10Flight *
gst_y10_flight_new (guint capacity, gsize frame_size)
{
  GstY10Flight *self = g_new0 (GstY10Flight, 1);

  self->capacity = capacity;
  self->frame_size = (frame_size + 15) & ~(gsize) 15;
  self->frames = g_malloc0 (capacity * self->frame_size);
  self->entries = g_new0 (Entry, capacity);
  self->max_frames = capacity;
  self->max_running = 1;
  self->next_number = 1;
  self->flushing = TRUE;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  return self;
}

/**
 * gst_y10_flight_free:
 * @self: (nullable): one that is empty and that no thread waits in
 */
void
gst_y10_flight_free (GstY10Flight * self)
{
  if (!self)
    return;
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  g_free (self->entries);
  g_free (self->frames);
  g_free (self);
}

/**
 * gst_y10_flight_set_limits:
 * @self: a flight
 * @max_frames: the most frames here, at least 1; those that are here stay
 * @max_running: the most of them that are inferred at a time, at least 1
 */
void
gst_y10_flight_set_limits (GstY10Flight * self, guint max_frames,
    guint max_running)
{
  pthread_mutex_lock (&self->lock);
  self->max_frames = CLAMP (max_frames, 1, self->capacity);
  self->max_running = MAX (max_running, 1);
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_flight_set_patience:
 * @self: a flight
 * @patience: for how long a frame may have waited that is inferred only if
 *   there is time, in the unit of the times given elsewhere
 */
void
gst_y10_flight_set_patience (GstY10Flight * self, gint64 patience)
{
  pthread_mutex_lock (&self->lock);
  self->patience = patience;
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_flight_set_flushing:
 * @self: a flight
 * @flushing: whether nothing comes in and nobody waits
 *
 * Wakes all who wait. The frames that are here have to be dropped by whoever
 * does this. When it ends, a reason to stop is forgotten, too.
 */
void
gst_y10_flight_set_flushing (GstY10Flight * self, gboolean flushing)
{
  pthread_mutex_lock (&self->lock);
  self->flushing = flushing;
  if (!flushing) {
    self->stop = 0;
    self->last_begun = 0;
  }
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_flight_stop:
 * @self: a flight
 * @why: 0 to go on, else what gst_y10_flight_get_stop() is to say
 *
 * For the thread that sends frames on: nothing comes in any more. It then has to
 * drop those that are here. 0 may come from any thread.
 */
void
gst_y10_flight_stop (GstY10Flight * self, gint why)
{
  pthread_mutex_lock (&self->lock);
  self->stop = why;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_flight_get_stop:
 * @self: a flight
 *
 * Returns: why it has stopped, 0 when it has not
 */
gint
gst_y10_flight_get_stop (GstY10Flight * self)
{
  gint why;

  pthread_mutex_lock (&self->lock);
  why = self->stop;
  pthread_mutex_unlock (&self->lock);
  return why;
}

static gboolean
is_closed (const GstY10Flight * self)
{
  return self->flushing || self->stop;
}

/**
 * gst_y10_flight_reserve:
 * @self: a flight
 *
 * Waits for room. Only the thread that brings frames may call it.
 *
 * Returns: (transfer none) (nullable): where to put a frame before it is
 *   committed, as it was left there; %NULL when flushing or stopped
 */
gpointer
gst_y10_flight_reserve (GstY10Flight * self)
{
  gpointer frame = NULL;

  pthread_mutex_lock (&self->lock);
  while (!is_closed (self) && self->n >= self->max_frames)
    pthread_cond_wait (&self->changed, &self->lock);
  if (!is_closed (self))
    frame = frame_of (self, index_at (self, self->n));
  pthread_mutex_unlock (&self->lock);
  return frame;
}

static void
begin (GstY10Flight * self, Entry * entry)
{
  entry->state = STARTING;
  self->last_begun = entry->number;
  self->n_running++;
}

static gboolean
is_due (const GstY10Flight * self, const Entry * entry)
{
  return !self->last_begun
      || entry->number >= self->last_begun + entry->interval;
}

/* A place may be free: who gets it, if anybody. */
static Entry *
begin_next (GstY10Flight * self, gint64 now)
{
  if (is_closed (self) || self->n_running >= self->max_running)
    return NULL;
  for (guint i = 0; i < self->n; i++) {
    Entry *entry = &self->entries[index_at (self, i)];

    if (entry->state == WAITING && entry->wish == GST_Y10_WISH_INFER) {
      begin (self, entry);
      return entry;
    }
  }
  /* Of the others only the latest comes into question. */
  if (self->n) {
    Entry *entry = &self->entries[index_at (self, self->n - 1)];

    if (entry->state == WAITING && entry->wish == GST_Y10_WISH_IF_FREE
        && now - entry->came_at <= self->patience && is_due (self, entry)) {
      begin (self, entry);
      return entry;
    }
  }
  return NULL;
}

/**
 * gst_y10_flight_commit:
 * @self: a flight
 * @wish: what may become of the frame that was reserved
 * @interval: of frames that are inferred only if there is time, every how many
 *   at most
 * @came_at: when it came
 * @now: the time
 *
 * Puts it in.
 *
 * Returns: whether it is in now, and whether the caller has to begin its
 *   inference and to call gst_y10_flight_started()
 */
GstY10Commit
gst_y10_flight_commit (GstY10Flight * self, GstY10Wish wish, guint interval,
    gint64 came_at, gint64 now)
{
  GstY10Commit result = GST_Y10_COMMIT_REFUSED;

  pthread_mutex_lock (&self->lock);
  if (!is_closed (self)) {
    Entry *entry = &self->entries[index_at (self, self->n)];

    *entry = (Entry) { WAITING, wish, interval, self->next_number++, came_at };
    self->n++;
    result = GST_Y10_COMMIT_QUEUED;
    if (wish != GST_Y10_WISH_PASS && self->n_running < self->max_running
        && (wish == GST_Y10_WISH_INFER || is_due (self, entry))) {
      begin (self, entry);
      result = GST_Y10_COMMIT_START;
    }
    pthread_cond_broadcast (&self->changed);
  }
  pthread_mutex_unlock (&self->lock);
  return result;
}

/**
 * gst_y10_flight_poll:
 * @self: a flight
 *
 * The thread that sends frames on may be held up for longer than an inference
 * takes. So that its place is not, the other one looks in from time to time.
 *
 * Returns: (nullable): the first frame that is being inferred, unless somebody
 *   waits for it already. To be given back by gst_y10_flight_unpoll(), or by
 *   gst_y10_flight_finish() with its result
 */
gpointer
gst_y10_flight_poll (GstY10Flight * self)
{
  gpointer frame = NULL;

  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->n && !frame; i++) {
    Entry *entry = &self->entries[index_at (self, i)];

    if (entry->state == RUNNING) {
      entry->state = POLLED;
      frame = frame_of (self, index_at (self, i));
    } else if (entry->state == STARTING || entry->state == POLLED) {
      break;
    }
  }
  pthread_mutex_unlock (&self->lock);
  return frame;
}

/**
 * gst_y10_flight_unpoll:
 * @self: a flight
 * @frame: from gst_y10_flight_poll(); it is not over yet
 */
void
gst_y10_flight_unpoll (GstY10Flight * self, gpointer frame)
{
  pthread_mutex_lock (&self->lock);
  entry_of (self, frame)->state = RUNNING;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_flight_started:
 * @self: a flight
 * @frame: one that was to be begun
 *
 * Its inference has begun, or has failed to.
 */
void
gst_y10_flight_started (GstY10Flight * self, gpointer frame)
{
  pthread_mutex_lock (&self->lock);
  entry_of (self, frame)->state = RUNNING;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_flight_finish:
 * @self: a flight
 * @frame: one whose inference is over
 * @now: the time
 *
 * Returns: (nullable): the frame that the caller has to begin in its place
 */
gpointer
gst_y10_flight_finish (GstY10Flight * self, gpointer frame, gint64 now)
{
  gpointer other = NULL;
  Entry *next;

  pthread_mutex_lock (&self->lock);
  entry_of (self, frame)->state = DONE;
  self->n_running--;
  next = begin_next (self, now);
  if (next)
    other = frame_of (self, (guint) (next - self->entries));
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  return other;
}

/**
 * gst_y10_flight_next:
 * @self: a flight
 * @to_start: (out): whether the caller has to begin its inference first
 * @to_wait: (out): whether the caller has to wait for its result, and then to
 *   call gst_y10_flight_finish()
 *
 * Waits for the first frame, also while it has stopped. It stays in its place
 * until gst_y10_flight_leave(). One that the caller begins needs no
 * gst_y10_flight_started().
 *
 * Returns: (nullable): the frame; %NULL when flushing
 */
gpointer
gst_y10_flight_next (GstY10Flight * self, gboolean * to_start,
    gboolean * to_wait)
{
  gpointer frame = NULL;

  *to_start = *to_wait = FALSE;
  pthread_mutex_lock (&self->lock);
  for (;;) {
    Entry *entry = &self->entries[self->first];

    if (self->flushing)
      break;
    if (self->stop || !self->n) {
      pthread_cond_wait (&self->changed, &self->lock);
      continue;
    }
    if (entry->state == WAITING) {
      if (entry->wish == GST_Y10_WISH_INFER) {
        /* Nobody had the place for it, or the limit has changed. */
        begin (self, entry);
        *to_start = *to_wait = TRUE;
      } else {
        entry->state = DONE;    /* it is too late for it now */
      }
      frame = frame_of (self, self->first);
      break;
    }
    if (entry->state == RUNNING || entry->state == DONE) {
      *to_wait = entry->state == RUNNING;
      if (*to_wait)
        entry->state = POLLED;
      frame = frame_of (self, self->first);
      break;
    }
    pthread_cond_wait (&self->changed, &self->lock);
  }
  pthread_mutex_unlock (&self->lock);
  return frame;
}

/**
 * gst_y10_flight_leave:
 * @self: a flight
 *
 * The first frame is gone.
 */
void
gst_y10_flight_leave (GstY10Flight * self)
{
  pthread_mutex_lock (&self->lock);
  self->first = (self->first + 1) % self->capacity;
  self->n--;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_flight_drop:
 * @self: one that is flushing or has stopped
 * @running: (out): whether there is a result to wait for
 *
 * For clearing, by one thread: the first frame, to be followed by
 * gst_y10_flight_leave(). Waits while somebody is about to begin it.
 *
 * Returns: (nullable): the frame; %NULL when there is none, or when it goes on
 *   and those that are here are good again
 */
gpointer
gst_y10_flight_drop (GstY10Flight * self, gboolean * running)
{
  gpointer frame = NULL;
  Entry *entry;

  *running = FALSE;
  pthread_mutex_lock (&self->lock);
  entry = &self->entries[self->first];
  while (is_closed (self) && self->n
      && (entry->state == STARTING || entry->state == POLLED))
    pthread_cond_wait (&self->changed, &self->lock);
  if (is_closed (self) && self->n) {
    frame = frame_of (self, self->first);
    *running = entry->state == RUNNING;
    if (*running)
      self->n_running--;
    entry->state = DONE;
  }
  pthread_mutex_unlock (&self->lock);
  return frame;
}

/**
 * gst_y10_flight_drain:
 * @self: a flight
 *
 * Waits until all frames are gone. Only the thread that brings them may call
 * it.
 *
 * Returns: %FALSE when it is flushing
 */
gboolean
gst_y10_flight_drain (GstY10Flight * self)
{
  gboolean flushing;

  pthread_mutex_lock (&self->lock);
  while (!self->flushing && self->n)
    pthread_cond_wait (&self->changed, &self->lock);
  flushing = self->flushing;
  pthread_mutex_unlock (&self->lock);
  return !flushing;
}

/**
 * gst_y10_flight_index:
 * @self: a flight
 * @frame: one of its frames
 *
 * Returns: its place in memory, from 0 to the capacity - 1
 */
guint
gst_y10_flight_index (GstY10Flight * self, gconstpointer frame)
{
  return (guint) (entry_of (self, frame) - self->entries);
}

/**
 * gst_y10_flight_count:
 * @self: a flight
 * @frames: (out): how many frames are here
 * @running: (out): how many of them are being inferred
 */
void
gst_y10_flight_count (GstY10Flight * self, guint * frames, guint * running)
{
  pthread_mutex_lock (&self->lock);
  *frames = self->n;
  *running = self->n_running;
  pthread_mutex_unlock (&self->lock);
}
