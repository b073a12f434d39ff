/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The frames in flight: a ring that one thread puts frames into and another one
 * takes them out of in the same order. It decides how many frames may be here
 * and when the first one leaves, and wakes the threads that wait. Frames are
 * pieces of memory of one size, allocated once.
 *
 * A frame leaves when its inference is over, or when it has none. It leaves
 * without it, "detached", in two cases: its turn with the engine has not come
 * when its time is up, or it has to make room for another one. The inference of
 * a detached frame goes on; the ring counts it until it is collected.
 *
 * The ring knows neither GStreamer nor the engine. It uses plain C and pthread,
 * which ThreadSanitizer understands, and is tested alone. */
#include "infer/framequeue.h"

#include <pthread.h>
#include <time.h>

typedef struct
{
  GstY10FrameQueueState state;
  gboolean detached;
  gint64 leave_at;              /* nanoseconds of CLOCK_MONOTONIC */
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
  guint64 first_number;         /* of the first frame; they are consecutive */
  guint max_frames;
  guint n_detached;             /* inferences that were not collected yet */
  gboolean collect;             /* one of these is over */
  gboolean crowded;             /* a frame waits for room and must not */
  gboolean flushing;
  gint stop;
};

static guint
index_at (const GstY10FrameQueue * self, guint i)
{
  return (self->first + i) % self->capacity;
}

static gpointer
frame_of (const GstY10FrameQueue * self, guint index)
{
  return self->frames + index * self->frame_size;
}

static gint64
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

/**
 * gst_y10_frame_queue_new:
 * @capacity: the most frames there can ever be
 * @frame_size: bytes of each
 *
 * Returns: (transfer full): an empty ring whose frames are zeros, flushing
 */
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

/**
 * gst_y10_frame_queue_free:
 * @self: (nullable): an empty ring that no thread waits in
 */
void
gst_y10_frame_queue_free (GstY10FrameQueue * self)
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
 * gst_y10_frame_queue_set_max_frames:
 * @self: a flight
 * @max_frames: the most frames here, at least 1; those that are here stay
 */
void
gst_y10_frame_queue_set_max_frames (GstY10FrameQueue * self, guint max_frames)
{
  pthread_mutex_lock (&self->lock);
  self->max_frames = CLAMP (max_frames, 1, self->capacity);
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_frame_queue_set_flushing:
 * @self: a flight
 * @flushing: whether no frame comes in and nobody waits
 *
 * Wakes all who wait. The caller has to drop the frames that are here. When
 * flushing ends, a reason to stop is forgotten, too.
 */
void
gst_y10_frame_queue_set_flushing (GstY10FrameQueue * self, gboolean flushing)
{
  pthread_mutex_lock (&self->lock);
  self->flushing = flushing;
  if (!flushing)
    self->stop = 0;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_frame_queue_stop:
 * @self: a flight
 * @why: 0 to go on, else what gst_y10_frame_queue_get_stop() returns from now on
 *
 * For the thread that sends frames on: no frame comes in any more, and that
 * thread has to drop those that are here. Any thread may pass 0.
 */
void
gst_y10_frame_queue_stop (GstY10FrameQueue * self, gint why)
{
  pthread_mutex_lock (&self->lock);
  self->stop = why;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_frame_queue_get_stop:
 * @self: a flight
 *
 * Returns: why it has stopped, 0 when it has not
 */
gint
gst_y10_frame_queue_get_stop (GstY10FrameQueue * self)
{
  gint why;

  pthread_mutex_lock (&self->lock);
  why = self->stop;
  pthread_mutex_unlock (&self->lock);
  return why;
}

static gboolean
is_closed (const GstY10FrameQueue * self)
{
  return self->flushing || self->stop;
}

/**
 * gst_y10_frame_queue_reserve:
 * @self: a flight
 * @make_room: whether the first frame has to leave without its inference when
 *   there is no room
 * @number: (out): the frame's number, for gst_y10_frame_queue_note(), which may be
 *   called from now on
 *
 * Waits for room. Only the thread that brings frames may call it.
 *
 * Returns: (transfer none) (nullable): where to put a frame before it is
 *   committed, with the contents of the frame that was there last; %NULL when
 *   flushing or stopped
 */
gpointer
gst_y10_frame_queue_reserve (GstY10FrameQueue * self, gboolean make_room,
    guint64 * number)
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
    self->entries[index] = (Entry) { GST_Y10_FRAME_QUEUE_QUEUED };
    frame = frame_of (self, index);
  }
  pthread_mutex_unlock (&self->lock);
  return frame;
}

/**
 * gst_y10_frame_queue_commit:
 * @self: a flight
 * @is_inferred: whether gst_y10_frame_queue_note() tells of an inference of the frame
 *   that was reserved
 * @leave_at: when it leaves even if its turn has not come, nanoseconds of
 *   CLOCK_MONOTONIC, or %GST_Y10_FRAME_QUEUE_FOREVER
 *
 * Puts the frame in.
 *
 * Returns: %FALSE when flushing or stopped; then the frame is still the caller's
 */
gboolean
gst_y10_frame_queue_commit (GstY10FrameQueue * self, gboolean is_inferred,
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

/**
 * gst_y10_frame_queue_note:
 * @self: a flight
 * @number: of a frame that was reserved, and that may have left
 * @state: where its inference is
 *
 * Any thread. Does not block.
 */
void
gst_y10_frame_queue_note (GstY10FrameQueue * self, guint64 number,
    GstY10FrameQueueState state)
{
  pthread_mutex_lock (&self->lock);
  if (number >= self->first_number)
    self->entries[index_at (self,
            (guint) (number - self->first_number))].state = state;
  else if (state == GST_Y10_FRAME_QUEUE_OVER)
    self->collect = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

static void
wait_until (GstY10FrameQueue * self, gint64 time)
{
  struct timespec t = {.tv_sec = time / 1000000000,.tv_nsec =
        time % 1000000000
  };

  if (time == GST_Y10_FRAME_QUEUE_FOREVER)
    pthread_cond_wait (&self->changed, &self->lock);
  else
    pthread_cond_timedwait (&self->changed, &self->lock, &t);
}

/* Whether it cannot wait for its inference. */
static gboolean
must_detach (const GstY10FrameQueue * self, const Entry * entry)
{
  return (self->crowded && self->n >= self->max_frames)
      || (entry->state == GST_Y10_FRAME_QUEUE_QUEUED && entry->leave_at <= now ());
}

/**
 * gst_y10_frame_queue_next:
 * @self: a flight
 * @frame: (out) (nullable): the first frame, when that is to leave. It stays in
 *   its place until gst_y10_frame_queue_leave()
 *
 * Waits until there is something to do, also while it has stopped.
 *
 * Returns: what
 */
GstY10Next
gst_y10_frame_queue_next (GstY10FrameQueue * self, gpointer * frame)
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
    wait_until (self, entry->state == GST_Y10_FRAME_QUEUE_QUEUED ? entry->leave_at
        : GST_Y10_FRAME_QUEUE_FOREVER);
  }
  pthread_mutex_unlock (&self->lock);
  return next;
}

/**
 * gst_y10_frame_queue_leave:
 * @self: a flight
 *
 * The first frame is gone.
 */
void
gst_y10_frame_queue_leave (GstY10FrameQueue * self)
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

/**
 * gst_y10_frame_queue_collected:
 * @self: a flight
 *
 * The inference of a frame that left without it is over, and nothing of it is
 * left.
 */
void
gst_y10_frame_queue_collected (GstY10FrameQueue * self)
{
  pthread_mutex_lock (&self->lock);
  self->n_detached--;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/**
 * gst_y10_frame_queue_drop:
 * @self: a flight that is flushing or has stopped
 *
 * For clearing, by one thread: the first frame, to be followed by
 * gst_y10_frame_queue_leave().
 *
 * Returns: (nullable): the frame; %NULL when there is none, or when the flight
 *   goes on and those that are here are good again
 */
gpointer
gst_y10_frame_queue_drop (GstY10FrameQueue * self)
{
  gpointer frame = NULL;

  pthread_mutex_lock (&self->lock);
  if (is_closed (self) && self->n)
    frame = frame_of (self, self->first);
  pthread_mutex_unlock (&self->lock);
  return frame;
}

/**
 * gst_y10_frame_queue_drain:
 * @self: a flight
 * @with_inferences: whether to wait for inferences of frames that have left, too
 *
 * Waits until all frames are gone. Only the thread that brings them may call
 * it.
 *
 * Returns: %FALSE when it is flushing
 */
gboolean
gst_y10_frame_queue_drain (GstY10FrameQueue * self, gboolean with_inferences)
{
  gboolean flushing;

  pthread_mutex_lock (&self->lock);
  while (!self->flushing && (self->n || (with_inferences && self->n_detached)))
    pthread_cond_wait (&self->changed, &self->lock);
  flushing = self->flushing;
  pthread_mutex_unlock (&self->lock);
  return !flushing;
}

/**
 * gst_y10_frame_queue_count:
 * @self: a flight
 *
 * Returns: how many frames are here
 */
guint
gst_y10_frame_queue_count (GstY10FrameQueue * self)
{
  guint n;

  pthread_mutex_lock (&self->lock);
  n = self->n;
  pthread_mutex_unlock (&self->lock);
  return n;
}
