/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Makes one clip of events that overlap. A clip that is complete stays open for as long as
 * there can be an event whose first seconds are its last. Who waits for one is in a file, so
 * that none is forgotten by a crash. */
#include "record/clips.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/json-cursor.h"
#include "common/text.h"

#define WISHES "clips.pending" /* in the folder: a line of JSON for each */
#define MAX_DEPTH 4
#define MAX_WISHES 4096 /* more are not told */

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
  gchar *path; /* of the file of wishes */
  const GstY10RecordFolder *folder;
  GQueue old;        /* Wish, of an earlier process */
  GQueue wishes;     /* Wish, that wait for their last frame */
  gboolean reads;    /* the ring's frames */
  gboolean is_dirty; /* wishes are not saved */
  gint64 end;        /* until when, running time, ns */
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

static void
append_text (GString *line, const gchar *name, const gchar *text)
{
  if (!text)
    return;
  g_string_append_printf (line, "\"%s\":", name);
  gst_y10_text_append_json (line, text);
  g_string_append_c (line, ',');
}

static void
append_clip (GString *text, const GstY10RecordClip *clip)
{
  if (!clip->file)
    return;
  g_string_append_c (text, '{');
  append_text (text, "of", clip->event);
  append_text (text, "stream", clip->stream);
  append_text (text, "reason", clip->reason);
  append_text (text, "file", clip->file);
  g_string_append_printf (text, "\"from\":%" G_GINT64_FORMAT "}\n", clip->from);
}

/* Writes the wishes that have a file. Clips need no such file to be made, so a disk that is
 * full is told where they are written. */
static void
save (GstY10RecordClips *self)
{
  GQueue *const queues[] = { &self->old, &self->wishes };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (queues); i++)
    for (GList *l = queues[i]->head; l; l = l->next)
      append_clip (text, &((const Wish *) l->data)->clip);
  self->is_dirty = FALSE;
  if (text->len == 0)
    g_unlink (self->path);
  else if (!g_file_set_contents_full (self->path, text->str, text->len,
               G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
               0640, &error))
    GST_WARNING ("%s", error->message);
}

/* Takes a wish of an earlier process, whose clip ends where that did. */
static void
load_line (GstY10RecordClips *self, Y10Json line)
{
  Wish *wish = g_new0 (Wish, 1);
  GstY10RecordClip *clip = &wish->clip;
  g_autofree gchar *path = NULL;
  GStatBuf status;

  clip->event = y10_json_dup_text (y10_json_find (line, "of"));
  clip->stream = y10_json_dup_text (y10_json_find (line, "stream"));
  clip->reason = y10_json_dup_text (y10_json_find (line, "reason"));
  clip->file = y10_json_dup_text (y10_json_find (line, "file"));
  if (clip->file && !strchr (clip->file, G_DIR_SEPARATOR))
    path = gst_y10_record_folder_make_path (self->folder, clip->file);
  if (!path || g_stat (path, &status) != 0
      || !y10_json_get_int (y10_json_find (line, "from"), &clip->from)) {
    wish_free (wish);
    return;
  }
  clip->to = (gint64) status.st_mtime * G_USEC_PER_SEC;
  g_queue_push_tail (&self->old, wish);
}

static void
load (GstY10RecordClips *self)
{
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (self->path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    Y10Json line;

    if (y10_json_check (lines[i], strlen (lines[i]), MAX_DEPTH, &line, NULL)
        && y10_json_get_kind (line) == Y10_JSON_OBJECT)
      load_line (self, line);
  }
}

/**
 * gst_y10_record_clips_new:
 * @ring: a ring with history
 * @output: where clips go to
 * @folder: of these
 * @func: called for each event whose clip is complete
 * @user: passed to @func
 *
 * All must outlive what is returned.
 *
 * Returns: (transfer full):
 */
GstY10RecordClips *
gst_y10_record_clips_new (GstY10RecordRing *ring, GstY10RecordOutput *output,
    const GstY10RecordFolder *folder, GstY10RecordClipFunc func, gpointer user)
{
  GstY10RecordClips *self = g_new0 (GstY10RecordClips, 1);

  self->folder = folder;
  self->path = gst_y10_record_folder_make_path (folder, WISHES);
  self->ring = ring;
  self->output = output;
  self->func = func;
  self->user = user;
  g_queue_init (&self->wishes);
  g_queue_init (&self->old);
  load (self);
  return self;
}

void
gst_y10_record_clips_free (GstY10RecordClips *self)
{
  g_queue_clear_full (&self->wishes, wish_free);
  g_queue_clear_full (&self->old, wish_free);
  g_free (self->path);
  g_free (self);
}

/* Tells of clips that an earlier process has begun and not told of. */
void
gst_y10_record_clips_tell_old (GstY10RecordClips *self)
{
  Wish *wish;

  while ((wish = g_queue_pop_head (&self->old))) {
    self->func (&wish->clip, self->user);
    wish_free (wish);
    save (self);
  }
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
  Wish *wish;

  if (self->reads) {
    self->end = MAX (self->end, to);
  } else {
    if (!gst_y10_record_ring_start (self->ring, GST_Y10_RECORD_CLIPS, from,
            gst_y10_record_output_is_open (self->output), &begin))
      gst_y10_record_output_end (self->output);
    self->reads = TRUE;
    self->end = to;
  }
  if (self->wishes.length >= MAX_WISHES)
    return TRUE;
  wish = g_new0 (Wish, 1);
  wish->end = to;
  wish->clip.event = g_strdup (what->event);
  wish->clip.stream = g_strdup (what->stream);
  wish->clip.reason = g_strdup (what->reason);
  g_queue_push_tail (&self->wishes, wish);
  if (gst_y10_record_output_is_open (self->output)) {
    wish->clip.file = g_strdup (gst_y10_record_output_get_name (self->output));
    wish->clip.from = self->file_from;
    self->is_dirty = TRUE;
  }
  return begin <= from || gst_y10_record_output_is_open (self->output);
}

/* Tells whose last frame is at @time or was before. */
static void
tell (GstY10RecordClips *self, gint64 time)
{
  gboolean is_synced = FALSE;

  for (GList *l = self->wishes.head, *next; l; l = next) {
    Wish *wish = l->data;

    next = l->next;
    if (wish->end > time)
      continue;
    g_queue_delete_link (&self->wishes, l);
    self->is_dirty = TRUE;
    wish->clip.to = self->last;
    is_synced = is_synced || gst_y10_record_output_sync (self->output);
    if (wish->clip.file && is_synced)
      self->func (&wish->clip, self->user);
    wish_free (wish);
  }
}

/* Notes what file events are in that have none. */
static void
note_file (GstY10RecordClips *self, const GstY10RecordFrame *frame)
{
  self->file_from = frame->utc ? frame->utc : frame->arrival;
  for (GList *l = self->wishes.head; l; l = l->next) {
    Wish *wish = l->data;

    if (!wish->clip.file) {
      wish->clip.file = g_strdup (
          gst_y10_record_output_get_name (self->output));
      wish->clip.from = self->file_from;
    }
  }
  self->is_dirty = TRUE;
}

/* The next frame of the ring. */
void
gst_y10_record_clips_write (GstY10RecordClips *self, GstY10RecordFrame *frame)
{
  const guint64 n_files =
      gst_y10_record_output_get_counts (self->output)->n_files;

  gst_y10_record_output_write (self->output, frame);
  if (gst_y10_record_output_get_counts (self->output)->n_files != n_files)
    note_file (self, frame);
  self->last = frame->utc ? frame->utc : frame->arrival;
  tell (self, frame->dts);
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
  save (self);
}

/* Saves who waits, and ends a clip that no event can extend any more, since the ring has
 * @history only. */
void
gst_y10_record_clips_tend (GstY10RecordClips *self, GstClockTime history)
{
  GstY10RecordFrame newest;

  if (self->is_dirty)
    save (self);
  if (!self->reads && gst_y10_record_output_is_open (self->output)
      && gst_y10_record_ring_get_newest (self->ring, &newest)
      && newest.dts - self->end > (gint64) history)
    gst_y10_record_output_end (self->output);
}
