/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A ring of frames: those that a reader has not taken, and before them whole groups of
 * pictures for as long as there is to be history. A file can begin with a sync frame, so
 * audio from before it comes first, and audio waits for its video. The lock is held while numbers and pointers change,
 * never while anything is read or written. */
#include "record/ring.h"

#include <string.h>

#define FIRST_CAPACITY 64 /* a power of two */

#define NOWHERE G_MAXUINT64 /* no frame */

/* How much of the video waits for audio at most, ns. */
#define MAX_AUDIO_DELAY ((gint64) GST_SECOND)

typedef struct
{
  guint64
      next; /* the frame that it takes next, which may be gone if it is not active */
  gboolean active;
} Reader;

struct _GstY10RecordRing
{
  GMainContext *context; /* of whoever takes */
  GMutex lock;
  GCond changed;
  GstY10RecordFrame *frames; /* frame n is at n modulo the capacity */
  guint64 capacity;
  guint64 begin, end; /* frames that are there */
  Reader readers[GST_Y10_RECORD_N_READERS];
  guint64 last;             /* the newest frame of the video; NOWHERE: none */
  GstY10RecordFrame newest; /* its times, even if there was no room for it */
  gint64 audio_end; /* of what has come, ns; G_MAXINT64: there is no audio */
  GstClockTime history;
  guint64 n_bytes, max_bytes;
  guint64 n_lost;
  gboolean is_short;   /* @max_bytes has cost history, or frames */
  gboolean lacks_sync; /* drop until the next sync frame */
  gboolean drain;      /* nothing follows for now */
  gboolean is_drained;
  gboolean closed;
};

/**
 * gst_y10_record_ring_new:
 * @max_bytes: of frames that are kept
 * @history: for how long frames are kept that no reader wants; 0: not at all
 * @has_audio: whether to wait for it
 * @context: is woken up when there is something to take; must outlive the ring
 *
 * Returns: (transfer full): a ring, whose readers take nothing yet
 */
GstY10RecordRing *
gst_y10_record_ring_new (guint64 max_bytes, GstClockTime history,
    gboolean has_audio, GMainContext *context)
{
  GstY10RecordRing *ring = g_new0 (GstY10RecordRing, 1);

  g_mutex_init (&ring->lock);
  g_cond_init (&ring->changed);
  ring->context = context;
  ring->capacity = FIRST_CAPACITY;
  ring->frames = g_new0 (GstY10RecordFrame, ring->capacity);
  ring->max_bytes = max_bytes;
  ring->history = history;
  ring->lacks_sync = TRUE;
  ring->is_drained = TRUE;
  ring->last = NOWHERE;
  ring->audio_end = has_audio ? G_MININT64 : G_MAXINT64;
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

static void
drop_oldest (GstY10RecordRing *ring)
{
  GstY10RecordFrame *frame = get_frame (ring, ring->begin++);

  ring->n_bytes -= gst_buffer_get_size (frame->buffer);
  gst_y10_record_frame_clear (frame);
}

void
gst_y10_record_ring_free (GstY10RecordRing *ring)
{
  while (ring->begin < ring->end)
    drop_oldest (ring);
  g_free (ring->frames);
  g_mutex_clear (&ring->lock);
  g_cond_clear (&ring->changed);
  g_free (ring);
}

/* The first frame that a reader still wants; NOWHERE: there is no reader. */
static guint64
get_wanted (const GstY10RecordRing *ring)
{
  guint64 wanted = NOWHERE;

  for (guint i = 0; i < GST_Y10_RECORD_N_READERS; i++)
    if (ring->readers[i].active)
      wanted = MIN (wanted, ring->readers[i].next);
  return wanted;
}

/* The first sync frame from @n on, or the end. */
static guint64
find_sync (GstY10RecordRing *ring, guint64 n)
{
  while (n < ring->end && !get_frame (ring, n)->sync)
    n++;
  return n;
}

/* Drops what is neither wanted nor history. */
static void
forget (GstY10RecordRing *ring)
{
  const guint64 wanted = MIN (get_wanted (ring), ring->end);

  if (ring->history == 0) {
    while (ring->begin < wanted)
      drop_oldest (ring);
    return;
  }
  while (ring->begin < wanted) {
    const guint64 second = find_sync (ring, ring->begin + 1);

    if (second > wanted || second == ring->end
        || get_frame (ring, ring->end - 1)->dts - get_frame (ring, second)->dts
            < (gint64) ring->history)
      break;
    while (ring->begin < second)
      drop_oldest (ring);
  }
}

/* Gives up the oldest frame, with those that cannot be decoded without it. */
static void
lose_oldest (GstY10RecordRing *ring)
{
  const guint64 wanted = get_wanted (ring);
  const guint64 second = find_sync (ring, ring->begin + 1);

  ring->is_short = TRUE;
  ring->n_lost += second - MIN (wanted, second);
  while (ring->begin < second)
    drop_oldest (ring);
  for (guint i = 0; i < GST_Y10_RECORD_N_READERS; i++)
    if (ring->readers[i].active)
      ring->readers[i].next = MAX (ring->readers[i].next, ring->begin);
  ring->lacks_sync = ring->begin == ring->end;
}

/* A ring twice the size, at most as often as what is kept has doubled. */
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

/* The newest frame of the video; NULL: it is not there. */
static GstY10RecordFrame *
get_last (GstY10RecordRing *ring)
{
  return ring->last != NOWHERE && ring->last >= ring->begin
      ? get_frame (ring, ring->last)
      : NULL;
}

/* The newest frame of the video now has a duration, until @dts. */
static void
end_last (GstY10RecordRing *ring, gint64 dts)
{
  GstY10RecordFrame *last = get_last (ring);

  if (last && !GST_CLOCK_TIME_IS_VALID (last->duration))
    last->duration = dts > last->dts ? dts - last->dts : 0;
}

/* The first frame that no reader has taken yet. */
static guint64
get_untaken (const GstY10RecordRing *ring)
{
  guint64 n = ring->begin;

  for (guint i = 0; i < GST_Y10_RECORD_N_READERS; i++)
    n = MAX (n, MIN (ring->readers[i].next, ring->end));
  return n;
}

/* The stream has another format, which a file may begin with that has only other audio. */
static void
change_format (GstY10RecordRing *ring, GstY10RecordFormat *format)
{
  for (guint64 n = get_untaken (ring); n < ring->end; n++) {
    GstY10RecordFrame *frame = get_frame (ring, n);

    if (frame->format != format
        && gst_y10_record_format_is_same_video (frame->format, format)) {
      gst_y10_record_format_unref (frame->format);
      frame->format = gst_y10_record_format_ref (format);
    }
  }
}

/* Adds a frame, in front of those of the other track that are later. */
static void
add (GstY10RecordRing *ring, const GstY10RecordFrame *frame)
{
  const guint64 first = get_untaken (ring);
  guint64 n = ring->end;

  if (n > first && get_frame (ring, n - 1)->format != frame->format)
    change_format (ring, frame->format);
  for (ring->end++; n > first; n--) {
    const GstY10RecordFrame *before = get_frame (ring, n - 1);

    if (before->track == frame->track || before->dts <= frame->dts)
      break;
    *get_frame (ring, n) = *before;
    if (n - 1 == ring->last)
      ring->last = n;
  }
  if (frame->track == GST_Y10_RECORD_VIDEO)
    ring->last = n;
  *get_frame (ring, n) = *frame;
}

/* Whether the next frame of @reader can be written. What nothing follows need not wait. */
static gboolean
is_ready (GstY10RecordRing *ring, const Reader *reader)
{
  const GstY10RecordFrame *frame;

  if (!reader->active || reader->next >= ring->end)
    return FALSE;
  if (ring->drain || ring->closed)
    return TRUE;
  frame = get_frame (ring, reader->next);
  if (frame->track == GST_Y10_RECORD_AUDIO)
    return frame->dts <= ring->newest.dts;
  return GST_CLOCK_TIME_IS_VALID (frame->duration)
      && (!frame->sync || ring->audio_end >= frame->dts
          || ring->newest.dts - frame->dts >= MAX_AUDIO_DELAY);
}

static void
wake (GstY10RecordRing *ring)
{
  g_cond_broadcast (&ring->changed);
  g_main_context_wakeup (ring->context);
}

/**
 * gst_y10_record_ring_push:
 * @ring: a ring
 * @frame: (transfer full): the next of the stream; takes its buffer and format
 *
 * Of the video, a frame has a duration, and can be taken, when the next one is there; of
 * audio, when the video has come as far. Never waits for the disk.
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
  g_cond_broadcast (&ring->changed);
  if (frame->track == GST_Y10_RECORD_AUDIO) {
    ring->audio_end = frame->dts + (gint64) frame->duration;
  } else {
    end_last (ring, frame->dts);
    ring->newest = *frame;
  }
  forget (ring);
  while (ring->n_bytes + size > ring->max_bytes && ring->begin < ring->end)
    lose_oldest (ring);
  if (frame->sync)
    ring->lacks_sync = FALSE;
  if (ring->lacks_sync || size > ring->max_bytes) {
    gst_y10_record_frame_clear (&copy);
    ring->lacks_sync = TRUE;
    if (get_wanted (ring) != NOWHERE)
      ring->n_lost++;
  } else {
    if (ring->end - ring->begin == ring->capacity)
      grow (ring);
    add (ring, &copy);
    ring->n_bytes += size;
  }
  for (guint i = 0; i < GST_Y10_RECORD_N_READERS; i++)
    if (is_ready (ring, &ring->readers[i])) {
      wake (ring);
      break;
    }
  g_mutex_unlock (&ring->lock);
}

/* Waits until all frames have been taken and written. */
void
gst_y10_record_ring_drain (GstY10RecordRing *ring)
{
  g_mutex_lock (&ring->lock);
  ring->drain = TRUE;
  wake (ring);
  while (ring->drain && !ring->is_drained && !ring->closed)
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
  wake (ring);
  g_mutex_unlock (&ring->lock);
}

/**
 * gst_y10_record_ring_start:
 * @ring: a ring
 * @reader: one that does not read
 * @from: running time, ns
 * @resumes: whether it may go on where it has stopped
 * @begin: (out): when the first frame that it takes is decoded; %G_MAXINT64 if that is
 *   still to come
 *
 * From now on @reader takes frames from the last sync frame on that is decoded no later than
 * @from, or from the first one; if it @resumes, only those that it has not taken yet.
 *
 * Returns: whether it has taken some of these already
 */
gboolean
gst_y10_record_ring_start (GstY10RecordRing *ring, GstY10RecordReader reader,
    gint64 from, gboolean resumes, gint64 *begin)
{
  Reader *self = &ring->readers[reader];
  guint64 first;

  g_mutex_lock (&ring->lock);
  first = find_sync (ring, ring->begin);
  for (guint64 n = first; n < ring->end && get_frame (ring, n)->dts <= from;
       n++)
    if (get_frame (ring, n)->sync)
      first = n;
  resumes = resumes && self->next >= first && self->next > ring->begin;
  if (!resumes)
    self->next = first;
  self->active = TRUE;
  *begin = self->next < ring->end ? get_frame (ring, self->next)->dts
                                  : G_MAXINT64;
  g_mutex_unlock (&ring->lock);
  return resumes;
}

/* @reader takes nothing from now on. */
void
gst_y10_record_ring_stop (GstY10RecordRing *ring, GstY10RecordReader reader)
{
  g_mutex_lock (&ring->lock);
  ring->readers[reader].active = FALSE;
  g_mutex_unlock (&ring->lock);
}

/**
 * gst_y10_record_ring_take:
 * @ring: a ring
 * @reader: (out): who takes it: the one that is farthest behind
 * @frame: (out caller-allocates): its next frame, to be cleared; its duration is unknown if
 *   none follows
 *
 * Never waits.
 */
GstY10RecordTaken
gst_y10_record_ring_take (GstY10RecordRing *ring, GstY10RecordReader *reader,
    GstY10RecordFrame *frame)
{
  GstY10RecordTaken taken = GST_Y10_RECORD_NONE;
  guint64 n = NOWHERE;

  g_mutex_lock (&ring->lock);
  for (guint i = 0; i < GST_Y10_RECORD_N_READERS; i++)
    if (is_ready (ring, &ring->readers[i]) && ring->readers[i].next < n) {
      *reader = i;
      n = ring->readers[i].next;
    }
  if (n != NOWHERE) {
    taken = GST_Y10_RECORD_FRAME;
    *frame = *get_frame (ring, n);
    gst_buffer_ref (frame->buffer);
    gst_y10_record_format_ref (frame->format);
    ring->readers[*reader].next++;
    forget (ring);
  } else if (ring->closed) {
    taken = GST_Y10_RECORD_CLOSED;
  } else if (ring->drain && !ring->is_drained) {
    taken = GST_Y10_RECORD_DRAINED;
  }
  g_mutex_unlock (&ring->lock);
  return taken;
}

/* Sets @frame, but for its buffer and format, to the newest one of the video. Returns whether
 * there has been one. */
gboolean
gst_y10_record_ring_get_newest (GstY10RecordRing *ring,
    GstY10RecordFrame *frame)
{
  g_mutex_lock (&ring->lock);
  *frame = ring->newest;
  g_mutex_unlock (&ring->lock);
  frame->buffer = NULL;
  frame->format = NULL;
  return frame->arrival != 0;
}

/* Keeps no more than what readers want, from now on, and gives no more time for clips. */
void
gst_y10_record_ring_forget (GstY10RecordRing *ring)
{
  g_mutex_lock (&ring->lock);
  ring->history = 0;
  ring->newest.arrival = 0;
  forget (ring);
  g_mutex_unlock (&ring->lock);
}

/* Whether there was no room for all that is wanted. */
gboolean
gst_y10_record_ring_is_short (GstY10RecordRing *ring)
{
  gboolean is_short;

  g_mutex_lock (&ring->lock);
  is_short = ring->is_short;
  g_mutex_unlock (&ring->lock);
  return is_short;
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
