/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Makes one clip of events that overlap. A clip that is complete stays open for as long as
 * there can be an event whose first seconds are its last. */
#include "record/clips.h"

/* Somebody who waits for a clip. */
typedef struct
{
  GstY10RecordClip clip;
  gint64 end; /* running time of the last frame that is wanted, ns */
} Wish;

struct _GstY10RecordClips
{
  GstY10RecordRing *ring;
  GstY10RecordOutput *output;
  GstY10RecordClipFunc func;
  gpointer user;
  GQueue wishes;  /* Wish, that wait for their last frame */
  gboolean reads; /* the ring's frames */
  gint64 end;     /* until when, running time, ns */
  gint64 file_from,
      last; /* when the first frame of the file was taken, and the last one */
};

static void
wish_free (gpointer data)
{
  Wish *wish = data;

  g_free (wish->clip.event);
  g_free (wish->clip.stream);
  g_free (wish->clip.reason);
  g_free (wish->clip.file);
  g_free (wish);
}

/**
 * gst_y10_record_clips_new:
 * @ring: a ring with history
 * @output: where clips go to
 * @func: called for each event whose clip is complete
 * @user: passed to @func
 *
 * Both must outlive what is returned.
 *
 * Returns: (transfer full):
 */
GstY10RecordClips *
gst_y10_record_clips_new (GstY10RecordRing *ring, GstY10RecordOutput *output,
    GstY10RecordClipFunc func, gpointer user)
{
  GstY10RecordClips *self = g_new0 (GstY10RecordClips, 1);

  self->ring = ring;
  self->output = output;
  self->func = func;
  self->user = user;
  g_queue_init (&self->wishes);
  return self;
}

void
gst_y10_record_clips_free (GstY10RecordClips *self)
{
  g_queue_clear_full (&self->wishes, wish_free);
  g_free (self);
}

/**
 * gst_y10_record_clips_want:
 * @self: clips
 * @from: running time from which on frames are wanted, ns
 * @to: until when
 * @what: its names, copied
 *
 * Begins a clip, or extends the one that is there.
 *
 * Returns: whether it has frames from @from on
 */
gboolean
gst_y10_record_clips_want (GstY10RecordClips *self, gint64 from, gint64 to,
    const GstY10RecordClip *what)
{
  gint64 begin = from;
  Wish *wish = g_new0 (Wish, 1);

  wish->end = to;
  wish->clip.event = g_strdup (what->event);
  wish->clip.stream = g_strdup (what->stream);
  wish->clip.reason = g_strdup (what->reason);
  if (self->reads) {
    self->end = MAX (self->end, to);
  } else {
    if (!gst_y10_record_ring_start (self->ring, GST_Y10_RECORD_CLIPS, from,
            gst_y10_record_output_is_open (self->output), &begin))
      gst_y10_record_output_end (self->output);
    self->reads = TRUE;
    self->end = to;
  }
  if (gst_y10_record_output_is_open (self->output))
    wish->clip.file = g_strdup (gst_y10_record_output_get_name (self->output));
  g_queue_push_tail (&self->wishes, wish);
  return begin <= from || gst_y10_record_output_is_open (self->output);
}

/* Tells whose last frame was in front of @time. */
static void
tell (GstY10RecordClips *self, gint64 time)
{
  GList *l = self->wishes.head;

  while (l) {
    GList *next = l->next;
    Wish *wish = l->data;

    if (wish->end <= time) {
      g_queue_delete_link (&self->wishes, l);
      wish->clip.from = self->file_from;
      wish->clip.to = self->last;
      if (wish->clip.file) {
        gst_y10_record_output_sync (self->output);
        self->func (&wish->clip, self->user);
      }
      wish_free (wish);
    }
    l = next;
  }
}

/* Notes what file events are in that have none. */
static void
note_file (GstY10RecordClips *self, const GstY10RecordFrame *frame)
{
  self->file_from = frame->utc ? frame->utc : frame->arrival;
  for (GList *l = self->wishes.head; l; l = l->next) {
    Wish *wish = l->data;

    if (!wish->clip.file)
      wish->clip.file = g_strdup (
          gst_y10_record_output_get_name (self->output));
  }
}

/* The next frame of the ring. */
void
gst_y10_record_clips_write (GstY10RecordClips *self, GstY10RecordFrame *frame)
{
  const guint64 n_files =
      gst_y10_record_output_get_counts (self->output)->n_files;

  tell (self, frame->dts);
  gst_y10_record_output_write (self->output, frame);
  if (gst_y10_record_output_get_counts (self->output)->n_files != n_files)
    note_file (self, frame);
  self->last = frame->utc ? frame->utc : frame->arrival;
  if (frame->dts >= self->end) {
    gst_y10_record_ring_stop (self->ring, GST_Y10_RECORD_CLIPS);
    gst_y10_record_output_pause (self->output);
    self->reads = FALSE;
  }
}

/* The stream has ended: so have clips. */
void
gst_y10_record_clips_end (GstY10RecordClips *self)
{
  gst_y10_record_ring_stop (self->ring, GST_Y10_RECORD_CLIPS);
  self->reads = FALSE;
  tell (self, G_MAXINT64);
  gst_y10_record_output_end (self->output);
}

/* Ends a clip that no event can extend any more, since the ring has @history only. */
void
gst_y10_record_clips_tend (GstY10RecordClips *self, GstClockTime history)
{
  GstY10RecordFrame newest;

  if (!self->reads && gst_y10_record_output_is_open (self->output)
      && gst_y10_record_ring_get_newest (self->ring, &newest)
      && newest.dts - self->end > (gint64) history)
    gst_y10_record_output_end (self->output);
}
