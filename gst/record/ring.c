/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A ring of frames. Its lock is held while numbers and pointers change, never while
 * anything is read or written. */
#include "record/ring.h"

#include <string.h>

#define FIRST_CAPACITY 64 /* a power of two */

struct _GstY10RecordRing
{
  GMutex lock;
  GCond changed;
  GstY10RecordFrame *frames; /* frame n is at n modulo the capacity */
  guint64 capacity;
  guint64 begin, end; /* frames that are there */
  guint64 n_bytes, max_bytes;
  guint64 n_lost;
  gboolean lacks_sync; /* drop until the next sync frame */
  gboolean drain;      /* nothing follows for now */
  gboolean is_drained;
  gboolean closed;
};

GstY10RecordRing *
gst_y10_record_ring_new (guint64 max_bytes)
{
  GstY10RecordRing *ring = g_new0 (GstY10RecordRing, 1);

  g_mutex_init (&ring->lock);
  g_cond_init (&ring->changed);
  ring->capacity = FIRST_CAPACITY;
  ring->frames = g_new0 (GstY10RecordFrame, ring->capacity);
  ring->max_bytes = max_bytes;
  ring->is_drained = TRUE;
  return ring;
}

static GstY10RecordFrame *
get_frame (GstY10RecordRing *ring, guint64 n)
{
  return &ring->frames[n & (ring->capacity - 1)];
}

void
gst_y10_record_frame_clear (GstY10RecordFrame *frame)
{
  gst_buffer_unref (frame->buffer);
  gst_y10_record_format_unref (frame->format);
  frame->buffer = NULL;
}

void
gst_y10_record_ring_free (GstY10RecordRing *ring)
{
  for (guint64 n = ring->begin; n < ring->end; n++)
    gst_y10_record_frame_clear (get_frame (ring, n));
  g_free (ring->frames);
  g_mutex_clear (&ring->lock);
  g_cond_clear (&ring->changed);
  g_free (ring);
}

/* Gives up the oldest frame, with those that cannot be decoded without it. */
static void
lose_oldest (GstY10RecordRing *ring)
{
  do {
    GstY10RecordFrame *frame = get_frame (ring, ring->begin++);

    ring->n_bytes -= gst_buffer_get_size (frame->buffer);
    gst_y10_record_frame_clear (frame);
    ring->n_lost++;
  } while (ring->begin < ring->end && !get_frame (ring, ring->begin)->sync);
  ring->lacks_sync = ring->begin == ring->end;
}

/* A ring twice the size, at most as often as the longest backlog has doubled. */
static void
grow (GstY10RecordRing *ring)
{
  GstY10RecordFrame *frames = g_new0 (GstY10RecordFrame, 2 * ring->capacity);

  for (guint64 n = ring->begin; n < ring->end; n++)
    frames[n & (2 * ring->capacity - 1)] = *get_frame (ring, n);
  g_free (ring->frames);
  ring->frames = frames;
  ring->capacity *= 2;
}

/**
 * gst_y10_record_ring_push:
 * @ring: a ring
 * @frame: (transfer full): the next of the stream, its duration unknown; takes its buffer
 *   and format
 *
 * The frame before it now has a duration, and can be taken. Never waits for the disk.
 */
void
gst_y10_record_ring_push (GstY10RecordRing *ring,
    const GstY10RecordFrame *frame)
{
  const gsize size = gst_buffer_get_size (frame->buffer);
  GstY10RecordFrame copy = *frame;

  g_mutex_lock (&ring->lock);
  ring->drain = FALSE;
  ring->is_drained = FALSE;
  if (ring->end > ring->begin) {
    GstY10RecordFrame *last = get_frame (ring, ring->end - 1);

    if (!GST_CLOCK_TIME_IS_VALID (last->duration))
      last->duration = frame->dts > last->dts ? frame->dts - last->dts : 0;
  }
  while (ring->n_bytes + size > ring->max_bytes && ring->begin < ring->end)
    lose_oldest (ring);
  if (frame->sync)
    ring->lacks_sync = FALSE;
  if (ring->lacks_sync || size > ring->max_bytes) {
    gst_y10_record_frame_clear (&copy);
    ring->lacks_sync = TRUE;
    ring->n_lost++;
  } else {
    if (ring->end - ring->begin == ring->capacity)
      grow (ring);
    *get_frame (ring, ring->end++) = copy;
    ring->n_bytes += size;
  }
  g_cond_broadcast (&ring->changed);
  g_mutex_unlock (&ring->lock);
}

/* Waits until all frames have been taken and written. */
void
gst_y10_record_ring_drain (GstY10RecordRing *ring)
{
  g_mutex_lock (&ring->lock);
  ring->drain = TRUE;
  g_cond_broadcast (&ring->changed);
  while (!ring->is_drained && !ring->closed)
    g_cond_wait (&ring->changed, &ring->lock);
  g_mutex_unlock (&ring->lock);
}

/* After GST_Y10_RECORD_DRAINED: what was taken is on disk. */
void
gst_y10_record_ring_set_drained (GstY10RecordRing *ring)
{
  g_mutex_lock (&ring->lock);
  ring->is_drained = TRUE;
  g_cond_broadcast (&ring->changed);
  g_mutex_unlock (&ring->lock);
}

/* No more frames follow. */
void
gst_y10_record_ring_close (GstY10RecordRing *ring)
{
  g_mutex_lock (&ring->lock);
  ring->closed = TRUE;
  g_cond_broadcast (&ring->changed);
  g_mutex_unlock (&ring->lock);
}

/* Whether the oldest frame can be written: the next one is there, or none follows. */
static gboolean
is_ready (GstY10RecordRing *ring)
{
  return ring->begin < ring->end
      && (GST_CLOCK_TIME_IS_VALID (get_frame (ring, ring->begin)->duration)
          || ring->drain || ring->closed);
}

/**
 * gst_y10_record_ring_take:
 * @ring: a ring
 * @deadline: monotonic time, microseconds
 * @frame: (out caller-allocates): the oldest frame, to be cleared; its duration is unknown if
 *   none follows
 */
GstY10RecordTaken
gst_y10_record_ring_take (GstY10RecordRing *ring, gint64 deadline,
    GstY10RecordFrame *frame)
{
  GstY10RecordTaken taken = GST_Y10_RECORD_FRAME;

  g_mutex_lock (&ring->lock);
  while (
      !is_ready (ring) && !ring->closed && (!ring->drain || ring->is_drained))
    if (!g_cond_wait_until (&ring->changed, &ring->lock, deadline))
      break;
  if (is_ready (ring)) {
    *frame = *get_frame (ring, ring->begin++);
    ring->n_bytes -= gst_buffer_get_size (frame->buffer);
  } else if (ring->closed) {
    taken = GST_Y10_RECORD_CLOSED;
  } else if (ring->drain && !ring->is_drained) {
    taken = GST_Y10_RECORD_DRAINED;
  } else {
    taken = GST_Y10_RECORD_TIMEOUT;
  }
  g_mutex_unlock (&ring->lock);
  return taken;
}

guint64
gst_y10_record_ring_get_lost (GstY10RecordRing *ring)
{
  guint64 n_lost;

  g_mutex_lock (&ring->lock);
  n_lost = ring->n_lost;
  g_mutex_unlock (&ring->lock);
  return n_lost;
}
