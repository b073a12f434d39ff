/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Takes frames out of the ring and hands them to whoever writes them, and what was seen to
 * the recordings that have it. Nothing here waits for anything but the disk. */
#include "record/writer.h"

#include <string.h>

#include "common/text.h"
#include "record/notes.h"
#include "spool/utc.h"

/* Frames are on the disk no later than this after they were written, milliseconds. */
#define SYNC_INTERVAL 1000

/* Old files are looked for that often, and whenever a file ends; microseconds. */
#define RETENTION_INTERVAL (10 * G_USEC_PER_SEC)

/* How long after its frame an event is told at most: the detector and its queue. */
#define MAX_LATENESS (5 * GST_SECOND)

/* Frames that are written before events and timers are looked for. */
#define FRAMES_AT_ONCE 16

/* Of what was seen, bytes that are kept for clips. */
#define MAX_SEEN (G_GUINT64_CONSTANT (8) << 20)

/* Of the signal, as of the property. */
#define MAX_AFTER (3600 * GST_SECOND)

/* For how long a spool may become one of this process, microseconds. */
#define MAX_JOIN_TIME (10 * G_USEC_PER_SEC)

/* What was seen in a frame, until no clip can begin before it. */
typedef struct
{
  gint64 arrival; /* monotonic */
  GstClockTime pts;
  gsize length;
  gchar line[];
} Seen;

struct _GstY10RecordWriter
{
  GstY10RecordWriterConfig config; /* without its strings */
  GstY10RecordFolder *folder;
  GMainContext *context;
  GstY10RecordRing *ring;
  GThread *thread;
  /* The thread's. */
  gchar *stream;
  GstY10RecordOutput *continuous, *clips_output; /* NULL: not wanted */
  GstY10RecordClips *clips;
  GstY10RecordNotes *notes; /* NULL: none are */
  GQueue seen;              /* Seen, for clips that are to begin */
  guint64 n_seen;           /* bytes of these */
  gint64 opened_at;         /* monotonic */
  gint64 next_retention;    /* monotonic */
  gboolean has_told_old;
  gboolean is_missing; /* the folder */
  gboolean is_short_reported;
  gboolean is_deletion_reported;
  /* @lock */
  GMutex lock;
  GstY10RecordCounts counts;
};

static void
report_file (const gchar *name, const GError *error, gpointer user)
{
  GstY10RecordWriter *writer = user;

  writer->next_retention = 0;
  writer->config.report (name, error, writer->config.user);
}

/* Deletes what is too old or too much, but never what is written. */
static void
delete_old (GstY10RecordWriter *writer)
{
  const gint64 now = g_get_monotonic_time ();
  const gchar *current[GST_Y10_RECORD_N_KINDS + 1] = { NULL };
  g_autoptr (GError) error = NULL;
  guint n = 0;

  if (now < writer->next_retention)
    return;
  writer->next_retention = now + RETENTION_INTERVAL;
  if (writer->continuous && gst_y10_record_output_is_open (writer->continuous))
    current[n++] = gst_y10_record_output_get_name (writer->continuous);
  if (writer->clips && gst_y10_record_output_is_open (writer->clips_output))
    current[n++] = gst_y10_record_output_get_name (writer->clips_output);
  if (gst_y10_record_folder_delete_old (writer->folder, current,
          &writer->config.limits, &error)) {
    writer->is_deletion_reported = FALSE;
    return;
  }
  if (!writer->is_deletion_reported)
    writer->config.report (NULL, error, writer->config.user);
  writer->is_deletion_reported = TRUE;
}

/* How much of the stream the ring keeps for clips. */
static GstClockTime
get_history (const GstY10RecordWriterConfig *config)
{
  return config->has_clips ? config->before + MAX_LATENESS : 0;
}

/* Since an event comes after its frame, and only its line says how long after, the clip
 * begins as if it had happened with the frame and ends as if with the line. A timestamp
 * that is not of this stream's time, since another process has told it, is of no use. */
static void
want_clip (GstY10RecordWriter *writer, GstClockTime before, GstClockTime after,
    GstClockTime pts, gint64 utc, const GstY10RecordClip *what)
{
  GstY10RecordFrame newest;
  g_autoptr (GError) error = NULL;
  gint64 told, happened;

  if (!gst_y10_record_ring_get_newest (writer->ring, &newest))
    return;
  told = newest.dts
      - CLAMP (newest.arrival - utc, 0, (gint64) MAX_LATENESS / 1000) * 1000;
  happened = told;
  if (GST_CLOCK_TIME_IS_VALID (pts) && GST_CLOCK_TIME_IS_VALID (newest.pts)) {
    const gint64 time = newest.dts + newest.offset
        - GST_CLOCK_DIFF (pts, newest.pts);

    if (time <= told && told - time <= (gint64) MAX_LATENESS)
      happened = time;
  }
  if (gst_y10_record_clips_want (writer->clips, happened - (gint64) before,
          told + (gint64) after, what)
      || writer->is_short_reported
      || !gst_y10_record_ring_is_short (writer->ring))
    return;
  writer->is_short_reported = TRUE;
  error = g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      "a clip begins less than %" G_GUINT64_FORMAT
      " ms before its event: ring-bytes is too small to keep the frames since "
      "the key frame before that",
      before / GST_MSECOND);
  writer->config.report (NULL, error, writer->config.user);
}

/* Keeps what was seen for clips that begin before it. */
static void
keep (GstY10RecordWriter *writer, const GstY10RecordNote *note)
{
  const gint64 now = g_get_monotonic_time ();
  const gint64 history = (get_history (&writer->config) + MAX_LATENESS)
      / GST_USECOND;
  Seen *seen = g_malloc (sizeof (Seen) + note->length), *oldest;

  seen->arrival = now;
  seen->pts = note->pts;
  seen->length = note->length;
  memcpy (seen->line, note->line, note->length);
  g_queue_push_tail (&writer->seen, seen);
  writer->n_seen += seen->length;
  while ((oldest = g_queue_peek_head (&writer->seen))
      && (oldest->arrival + history < now || writer->n_seen > MAX_SEEN)) {
    writer->n_seen -= oldest->length;
    g_free (g_queue_pop_head (&writer->seen));
  }
}

/* What another process has seen is of frames whose times are not those of this pipeline. */
static void
on_note (const GstY10RecordNote *note, gpointer user)
{
  GstY10RecordWriter *writer = user;
  const gboolean is_ours = gst_y10_record_notes_can_tell (writer->notes);

  if (is_ours && writer->continuous)
    gst_y10_record_output_note (writer->continuous, note->pts, note->line,
        note->length);
  if (!writer->clips)
    return;
  if (is_ours) {
    gst_y10_record_output_note (writer->clips_output, note->pts, note->line,
        note->length);
    keep (writer, note);
  }
  if (note->event)
    want_clip (writer, writer->config.before, writer->config.after,
        is_ours ? note->pts : GST_CLOCK_TIME_NONE, note->utc,
        &(GstY10RecordClip){ .event = (gchar *) note->event,
            .stream = (gchar *) note->stream });
}

static void
append_text (GString *line, const gchar *name, const gchar *text)
{
  if (!text)
    return;
  g_string_append_printf (line, ",\"%s\":", name);
  gst_y10_text_append_json (line, text);
}

static void
append_utc (GString *line, const gchar *name, gint64 utc)
{
  g_string_append_printf (line, ",\"%s\":\"", name);
  gst_y10_utc_append (line, utc);
  g_string_append_c (line, '"');
}

/* Tells the spool's followers, and the application. */
static void
on_clip (const GstY10RecordClip *clip, gpointer user)
{
  GstY10RecordWriter *writer = user;
  g_autoptr (GString) line = g_string_new ("{\"event\":\"clip\"");

  append_text (line, "of", clip->event);
  append_text (line, "reason", clip->reason);
  append_text (line, "file", clip->file);
  append_utc (line, "from", clip->from);
  append_utc (line, "to", clip->to);
  append_text (line, "stream", clip->stream ? clip->stream : writer->stream);
  append_utc (line, "utc", g_get_real_time ());
  g_string_append_c (line, '}');
  if (writer->notes)
    gst_y10_record_notes_tell (writer->notes, line->str);
  writer->config.on_clip (clip, writer->config.user);
}

/* Clips have what was seen before they began, too. */
static void
write_clip (GstY10RecordWriter *writer, GstY10RecordFrame *frame)
{
  const GstClockTime unnoted =
      gst_y10_record_output_get_unnoted (writer->clips_output, frame);

  gst_y10_record_clips_write (writer->clips, frame);
  for (GList *l = GST_CLOCK_TIME_IS_VALID (unnoted) ? writer->seen.head : NULL;
       l; l = l->next) {
    const Seen *seen = l->data;

    if (seen->pts >= unnoted)
      gst_y10_record_output_note (writer->clips_output, seen->pts, seen->line,
          seen->length);
  }
}

static void
count (GstY10RecordWriter *writer)
{
  GstY10RecordOutput *outputs[] = { writer->continuous, writer->clips_output };
  GstY10RecordCounts counts = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
    if (outputs[i]) {
      const GstY10RecordCounts *more = gst_y10_record_output_get_counts (
          outputs[i]);

      counts.n_frames += more->n_frames;
      counts.n_lost += more->n_lost;
      counts.n_files += more->n_files;
    }
  g_mutex_lock (&writer->lock);
  writer->counts = counts;
  g_mutex_unlock (&writer->lock);
}

static void
end_files (GstY10RecordWriter *writer)
{
  if (writer->continuous)
    gst_y10_record_output_end (writer->continuous);
  if (writer->clips)
    gst_y10_record_clips_end (writer->clips);
}

/* Says once that the folder is gone, and goes on in the one that is there. */
static void
find_folder (GstY10RecordWriter *writer)
{
  g_autoptr (GError) error = NULL;
  const gboolean found = gst_y10_record_folder_find (writer->folder, &error);

  if (found)
    error = g_error_new (G_FILE_ERROR, G_FILE_ERROR_NOENT,
        "location: the folder was removed or replaced; recordings go on in the "
        "one that is there now");
  if (error && (found || !writer->is_missing)) {
    end_files (writer);
    writer->config.report (NULL, error, writer->config.user);
  }
  writer->is_missing = error && !found;
}

static gboolean
tend (gpointer user)
{
  GstY10RecordWriter *writer = user;

  find_folder (writer);

  if (writer->continuous)
    gst_y10_record_output_sync (writer->continuous);
  if (writer->clips && !writer->has_told_old
      && (!writer->notes || gst_y10_record_notes_can_tell (writer->notes)
          || g_get_monotonic_time () > writer->opened_at + MAX_JOIN_TIME)) {
    writer->has_told_old = TRUE;
    gst_y10_record_clips_tell_old (writer->clips);
  }
  if (writer->clips) {
    gst_y10_record_output_sync (writer->clips_output);
    gst_y10_record_clips_tend (writer->clips, get_history (&writer->config));
  }
  delete_old (writer);
  return G_SOURCE_CONTINUE;
}

/* What was told before the stream ended may be of its last frames. */
static void
hear (GstY10RecordWriter *writer)
{
  while (g_main_context_iteration (writer->context, FALSE))
    ;
  while (writer->notes && gst_y10_record_notes_read (writer->notes))
    ;
}

static gpointer
run (gpointer user)
{
  GstY10RecordWriter *writer = user;
  GSource *timer = g_timeout_source_new (SYNC_INTERVAL);
  GstY10RecordFrame frame;
  GstY10RecordReader reader;
  GstY10RecordTaken taken;
  gboolean has_heard = FALSE, goes_on = TRUE;
  guint n_frames = 0;

  g_main_context_push_thread_default (writer->context);
  g_source_set_callback (timer, tend, writer, NULL);
  g_source_attach (timer, writer->context);
  do {
    taken = gst_y10_record_ring_take (writer->ring, &reader, &frame);
    if (taken == GST_Y10_RECORD_FRAME) {
      if (reader == GST_Y10_RECORD_CONTINUOUS)
        gst_y10_record_output_write (writer->continuous, &frame);
      else
        write_clip (writer, &frame);
      gst_y10_record_frame_clear (&frame);
      has_heard = FALSE;
    } else if (taken != GST_Y10_RECORD_NONE && !has_heard) {
      hear (writer);
      has_heard = TRUE;
    } else if (taken != GST_Y10_RECORD_NONE) {
      end_files (writer);
      gst_y10_record_ring_set_drained (writer->ring);
      goes_on = taken != GST_Y10_RECORD_CLOSED;
      has_heard = FALSE;
    }
    count (writer);
    delete_old (writer);
    /* Where frames wait, events and timers need not be looked for at each. */
    if (taken != GST_Y10_RECORD_FRAME || ++n_frames % FRAMES_AT_ONCE == 0)
      g_main_context_iteration (writer->context, taken == GST_Y10_RECORD_NONE);
  } while (goes_on);
  g_source_destroy (timer);
  g_source_unref (timer);
  g_main_context_pop_thread_default (writer->context);
  return NULL;
}

static GstY10RecordOutput *
open_output (GstY10RecordWriter *writer, GstY10RecordKind kind)
{
  const GstY10RecordOutputConfig config = {
    .folder = writer->folder,
    .kind = kind,
    .file_duration = writer->config.file_duration,
    .stream = writer->stream,
    .report = report_file,
    .user = writer,
  };

  return gst_y10_record_output_new (&config);
}

/**
 * gst_y10_record_writer_open:
 * @config: copied
 * @error: set if the folder cannot be used
 *
 * Returns: (transfer full) (nullable):
 */
GstY10RecordWriter *
gst_y10_record_writer_open (const GstY10RecordWriterConfig *config,
    GError **error)
{
  GstY10RecordFolder *folder = gst_y10_record_folder_open (config->location,
      error);
  GstY10RecordWriter *writer;
  gint64 begin;

  if (!folder)
    return NULL;
  writer = g_new0 (GstY10RecordWriter, 1);
  writer->config = *config;
  writer->folder = folder;
  writer->opened_at = g_get_monotonic_time ();
  writer->context = g_main_context_new ();
  writer->ring = gst_y10_record_ring_new (config->ring_bytes,
      get_history (config), config->has_audio, writer->context);
  g_mutex_init (&writer->lock);
  g_queue_init (&writer->seen);
  if (config->events && strchr (config->events, '#'))
    writer->stream = g_strdup (strchr (config->events, '#') + 1);
  if (config->is_continuous) {
    writer->continuous = open_output (writer, GST_Y10_RECORD_FILE);
    gst_y10_record_ring_start (writer->ring, GST_Y10_RECORD_CONTINUOUS, 0,
        FALSE, &begin);
  }
  if (config->has_clips) {
    writer->clips_output = open_output (writer, GST_Y10_RECORD_CLIP);
    writer->clips = gst_y10_record_clips_new (writer->ring,
        writer->clips_output, folder, on_clip, writer);
  }
  if (config->events)
    writer->notes = gst_y10_record_notes_new (config->events, writer->context,
        on_note, writer);
  writer->thread = g_thread_new ("y10-record", run, writer);
  return writer;
}

/* Writes what has been pushed, and waits for that. */
void
gst_y10_record_writer_close (GstY10RecordWriter *writer)
{
  gst_y10_record_ring_close (writer->ring);
  g_thread_join (writer->thread);
  g_clear_pointer (&writer->notes, gst_y10_record_notes_free);
  g_clear_pointer (&writer->clips, gst_y10_record_clips_free);
  g_clear_pointer (&writer->continuous, gst_y10_record_output_free);
  g_clear_pointer (&writer->clips_output, gst_y10_record_output_free);
  g_queue_clear_full (&writer->seen, g_free);
  gst_y10_record_ring_free (writer->ring);
  gst_y10_record_folder_close (writer->folder);
  g_main_context_unref (writer->context);
  g_mutex_clear (&writer->lock);
  g_free (writer->stream);
  g_free (writer);
}

/* Takes @frame's buffer and format. Never waits. */
void
gst_y10_record_writer_push (GstY10RecordWriter *writer,
    const GstY10RecordFrame *frame)
{
  gst_y10_record_ring_push (writer->ring, frame);
}

/* Waits until all frames are in a file that is closed. */
void
gst_y10_record_writer_drain (GstY10RecordWriter *writer)
{
  gst_y10_record_ring_drain (writer->ring);
}

typedef struct
{
  GstY10RecordWriter *writer;
  GstClockTime before, after;
  gint64 utc;
  gchar *reason;
} Request;

static void
request_free (gpointer data)
{
  g_free (((Request *) data)->reason);
  g_free (data);
}

static gboolean
on_request (gpointer user)
{
  const Request *request = user;

  want_clip (request->writer, request->before, request->after,
      GST_CLOCK_TIME_NONE, request->utc,
      &(GstY10RecordClip){ .reason = request->reason });
  return G_SOURCE_REMOVE;
}

/**
 * gst_y10_record_writer_request:
 * @writer: one that has clips
 * @before: how much is wanted from before now
 * @after: how much from then on
 * @reason: (nullable): is told with the clip
 *
 * Any thread.
 */
void
gst_y10_record_writer_request (GstY10RecordWriter *writer, GstClockTime before,
    GstClockTime after, const gchar *reason)
{
  Request *request = g_new (Request, 1);
  GSource *source = g_idle_source_new ();

  *request = (Request){ writer, MIN (before, writer->config.before),
    MIN (after, MAX_AFTER), g_get_real_time (), g_strdup (reason) };
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, on_request, request, request_free);
  g_source_attach (source, writer->context);
  g_source_unref (source);
}

/* Nothing that has arrived becomes a clip from now on. Never waits. */
void
gst_y10_record_writer_forget (GstY10RecordWriter *writer)
{
  gst_y10_record_ring_forget (writer->ring);
}

GstY10RecordCounts
gst_y10_record_writer_count (GstY10RecordWriter *writer)
{
  GstY10RecordCounts counts;

  g_mutex_lock (&writer->lock);
  counts = writer->counts;
  g_mutex_unlock (&writer->lock);
  counts.n_lost += gst_y10_record_ring_get_lost (writer->ring);
  return counts;
}
