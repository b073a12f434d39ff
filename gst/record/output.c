/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Puts frames into files: when one ends, what its name is, and what to do where there is no
 * room. What was seen is known later than its frame, so the index of a file that has ended
 * stays open for a while. */
#include "record/output.h"

#include "common/text.h"
#include "record/file.h"
#include "record/index.h"
#include "spool/utc.h"

/* Between attempts to write on after one failed, microseconds. */
#define RETRY_INTERVAL (5 * G_USEC_PER_SEC)

/* For how long lines are taken for a file that has ended, microseconds. */
#define MAX_LATENESS (10 * G_USEC_PER_SEC)

/* No frame is shown for longer. */
#define MAX_FRAME_DURATION (3600 * GST_SECOND)

/* The index of a recording, and which frames that has. */
typedef struct
{
  GstY10RecordIndex *index;
  GstClockTime begin, end; /* PTS of its first frame, and of its latest */
  gint64 close_at;         /* monotonic; of one whose recording has ended */
} Index;

struct _GstY10RecordOutput
{
  GstY10RecordOutputConfig config;
  GstY10RecordFile *file;
  gchar *name;   /* of @file, or of the last */
  Index now;     /* of @file */
  GQueue before; /* Index, of those before it, the newest first */
  gboolean is_paused;
  GString *line;        /* scratch */
  gboolean is_camera;   /* the index has the camera's clock */
  gint64 next_attempt;  /* monotonic */
  gboolean is_reported; /* that it fails */
  GstClockTime last_duration;
  GstY10RecordCounts counts;
};

/**
 * gst_y10_record_output_new:
 * @config: copied; its folder and stream must outlive the output
 *
 * Returns: (transfer full):
 */
GstY10RecordOutput *
gst_y10_record_output_new (const GstY10RecordOutputConfig *config)
{
  GstY10RecordOutput *output = g_new0 (GstY10RecordOutput, 1);

  output->config = *config;
  output->line = g_string_new (NULL);
  g_queue_init (&output->before);
  return output;
}

/* Says why once, until it works again. */
static void
report (GstY10RecordOutput *output, const GError *error)
{
  if (!output->is_reported)
    output->config.report (output->name, error, output->config.user);
  output->is_reported = TRUE;
}

/* Tries again later. */
static void
give_up (GstY10RecordOutput *output, const GError *error)
{
  output->next_attempt = g_get_monotonic_time () + RETRY_INTERVAL;
  report (output, error);
}

/* Says that an index is incomplete, which its recording is not. */
static void
check (GstY10RecordOutput *output, gboolean ok, const GError *error)
{
  if (!ok)
    report (output, error);
}

static void
close_index (GstY10RecordOutput *output, Index *index)
{
  g_autoptr (GError) error = NULL;

  if (index->index)
    check (output,
        gst_y10_record_index_close (g_steal_pointer (&index->index), &error),
        error);
}

/* Closes those that have waited until @time. */
static void
close_before (GstY10RecordOutput *output, gint64 time)
{
  Index *index;

  while ((index = g_queue_peek_tail (&output->before))
      && index->close_at <= time) {
    close_index (output, index);
    g_free (g_queue_pop_tail (&output->before));
  }
}

static void
add_line (GstY10RecordOutput *output, Index *index, const gchar *line,
    gsize length)
{
  g_autoptr (GError) error = NULL;

  if (!index->index
      || gst_y10_record_index_add (index->index, line, length, &error))
    return;
  /* What is behind a hole could not be read. */
  report (output, error);
  gst_y10_record_index_close (g_steal_pointer (&index->index), NULL);
}

static void
open_index (GstY10RecordOutput *output, const GstY10RecordFrame *frame)
{
  g_autoptr (GError) error = NULL;
  GString *line = output->line;

  output->now.begin = output->now.end = frame->pts;
  output->now.index =
      gst_y10_record_index_create (gst_y10_record_folder_get_fd (
                                       output->config.folder),
          output->name, &error);
  output->is_camera = FALSE;
  check (output, output->now.index != NULL, error);
  g_string_printf (line, "{\"recording\":\"%s\"", output->name);
  if (output->config.stream) {
    g_string_append (line, ",\"stream\":");
    gst_y10_text_append_json (line, output->config.stream);
  }
  g_string_append_c (line, '}');
  add_line (output, &output->now, line->str, line->len);
}

/**
 * gst_y10_record_output_end:
 * @output: an output
 *
 * Ends the file that is being written. The next frame begins another one.
 */
void
gst_y10_record_output_end (GstY10RecordOutput *output)
{
  g_autoptr (GError) error = NULL;
  GString *line = output->line;

  if (!output->file)
    return;
  g_string_printf (line,
      "{\"end\":%" G_GINT64_FORMAT ",\"bytes\":%" G_GUINT64_FORMAT "}",
      gst_y10_record_file_get_end (output->file)
          - gst_y10_record_file_get_begin (output->file),
      gst_y10_record_file_get_size (output->file));
  if (gst_y10_record_file_close (g_steal_pointer (&output->file), &error)) {
    add_line (output, &output->now, line->str, line->len);
    output->config.report (output->name, NULL, output->config.user);
  } else {
    give_up (output, error);
  }
  output->now.close_at = g_get_monotonic_time () + MAX_LATENESS;
  g_queue_push_head (&output->before, g_memdup2 (&output->now, sizeof (Index)));
  output->now.index = NULL;
}

void
gst_y10_record_output_free (GstY10RecordOutput *output)
{
  gst_y10_record_output_end (output);
  close_before (output, G_MAXINT64);
  g_string_free (output->line, TRUE);
  g_free (output->name);
  g_free (output);
}

static void
begin_file (GstY10RecordOutput *output, const GstY10RecordFrame *frame)
{
  g_autoptr (GError) error = NULL;

  g_free (output->name);
  output->name = gst_y10_record_folder_make_name (output->config.folder,
      output->config.kind, frame->utc ? frame->utc : frame->arrival);
  output->file = gst_y10_record_file_create (gst_y10_record_folder_get_fd (
                                                 output->config.folder),
      output->name, frame, &error);
  if (!output->file) {
    give_up (output, error);
    return;
  }
  output->counts.n_files++;
  open_index (output, frame);
}

/* Whether the file can go on with @frame. Where frames were lost, a frame would be shown for
 * too long or the times run back, it does not follow the last one. Audio comes and goes where
 * files end anyway. */
static gboolean
belongs (const GstY10RecordOutput *output, const GstY10RecordFrame *frame)
{
  const GstY10RecordFormat *format = gst_y10_record_file_get_format (
      output->file);

  if (!gst_y10_record_format_is_same_video (format, frame->format)
      || frame->dts != gst_y10_record_file_get_end (output->file))
    return FALSE;
  return !frame->sync
      || (format == frame->format
          && frame->dts - gst_y10_record_file_get_begin (output->file)
              < (gint64) output->config.file_duration);
}

/* A line for the group of pictures that begins with @frame. */
static void
index_frame (GstY10RecordOutput *output, const GstY10RecordFrame *frame)
{
  const gint64 utc = frame->utc ? frame->utc : frame->arrival;
  GString *line = output->line;

  if ((frame->utc != 0) != output->is_camera) {
    output->is_camera = !output->is_camera;
    g_string_printf (line, "{\"clock\":\"%s\",\"pts\":%" G_GUINT64_FORMAT,
        output->is_camera ? "camera" : "arrival", frame->pts);
    g_string_append (line, ",\"utc\":\"");
    gst_y10_utc_append (line, utc);
    g_string_append_printf (line, "\",\"ahead\":%" G_GINT64_FORMAT "}",
        (utc - frame->arrival) * 1000);
    add_line (output, &output->now, line->str, line->len);
  }
  if (!frame->sync)
    return;
  g_string_printf (line,
      "{\"pts\":%" G_GUINT64_FORMAT ",\"time\":%" G_GINT64_FORMAT
      ",\"offset\":%" G_GUINT64_FORMAT ",\"utc\":\"",
      frame->pts,
      frame->dts + frame->offset - gst_y10_record_file_get_begin (output->file),
      gst_y10_record_file_get_size (output->file));
  gst_y10_utc_append (line, utc);
  g_string_append (line, "\"}");
  add_line (output, &output->now, line->str, line->len);
}

static void
append (GstY10RecordOutput *output, const GstY10RecordFrame *frame)
{
  g_autoptr (GError) error = NULL;

  if (frame->track == GST_Y10_RECORD_VIDEO
      && GST_CLOCK_TIME_IS_VALID (frame->pts)) {
    index_frame (output, frame);
    output->now.end = MAX (output->now.end, frame->pts);
  }
  if (gst_y10_record_file_append (output->file, frame, &error)) {
    output->is_reported = FALSE;
    output->counts.n_frames += frame->track == GST_Y10_RECORD_VIDEO;
    return;
  }
  output->counts.n_lost++;
  give_up (output, error);
  gst_y10_record_output_end (output);
}

/* Audio that is in front of the file, or that came after it began, is not of it. */
static gboolean
has_room_for_audio (const GstY10RecordOutput *output,
    const GstY10RecordFrame *frame)
{
  return output->file
      && gst_y10_record_file_get_format (output->file) == frame->format
      && frame->dts >= gst_y10_record_file_get_begin (output->file);
}

/**
 * gst_y10_record_output_write:
 * @output: an output
 * @frame: the next one
 *
 * Begins and ends files as it takes.
 */
void
gst_y10_record_output_write (GstY10RecordOutput *output,
    GstY10RecordFrame *frame)
{
  output->is_paused = FALSE;
  if (frame->track == GST_Y10_RECORD_AUDIO) {
    if (has_room_for_audio (output, frame))
      append (output, frame);
    return;
  }
  if (frame->duration > MAX_FRAME_DURATION)
    frame->duration = output->last_duration;
  output->last_duration = frame->duration;
  if (output->file && !belongs (output, frame))
    gst_y10_record_output_end (output);
  if (!output->file && frame->sync
      && g_get_monotonic_time () >= output->next_attempt)
    begin_file (output, frame);
  if (output->file)
    append (output, frame);
  else
    output->counts.n_lost++;
}

/**
 * gst_y10_record_output_note:
 * @output: an output
 * @pts: of a frame
 * @line: what was seen in it, as JSON, without a newline
 * @length: of @line, in bytes
 *
 * Adds a line to the index of the recording that has the frame, if there is one.
 */
void
gst_y10_record_output_note (GstY10RecordOutput *output, GstClockTime pts,
    const gchar *line, gsize length)
{
  const Index *now = &output->now;

  if (now->index && pts >= now->begin
      && (pts <= now->end || !output->is_paused))
    add_line (output, &output->now, line, length);
  else
    for (GList *l = output->before.head; l; l = l->next) {
      Index *before = l->data;

      if (pts >= before->begin && pts <= before->end) {
        add_line (output, before, line, length);
        return;
      }
    }
}

/* Until the next frame, nothing is noted of those that are behind the latest one. */
void
gst_y10_record_output_pause (GstY10RecordOutput *output)
{
  output->is_paused = TRUE;
}

/**
 * gst_y10_record_output_get_unnoted:
 * @output: an output
 * @next: the frame that is to be written next
 *
 * Returns: from which PTS on nothing has been noted, since no file had the frames;
 *   %GST_CLOCK_TIME_NONE if one had
 */
GstClockTime
gst_y10_record_output_get_unnoted (const GstY10RecordOutput *output,
    const GstY10RecordFrame *next)
{
  if (!output->file)
    return next->pts;
  return output->is_paused ? output->now.end + 1 : GST_CLOCK_TIME_NONE;
}

static void
flush (GstY10RecordOutput *output, Index *index)
{
  g_autoptr (GError) error = NULL;

  if (index->index)
    check (output, gst_y10_record_index_flush (index->index, &error), error);
}

/* Returns whether all that was written survives power loss now. */
gboolean
gst_y10_record_output_sync (GstY10RecordOutput *output)
{
  g_autoptr (GError) error = NULL;
  const gboolean ok = !output->file
      || gst_y10_record_file_sync (output->file, &error);

  if (!ok) {
    give_up (output, error);
    gst_y10_record_output_end (output);
  }
  flush (output, &output->now);
  for (GList *l = output->before.head; l; l = l->next)
    flush (output, l->data);
  close_before (output, g_get_monotonic_time ());
  return ok;
}

gboolean
gst_y10_record_output_is_open (const GstY10RecordOutput *output)
{
  return output->file != NULL;
}

/* Name of the file that is being written, or of the last one. */
const gchar *
gst_y10_record_output_get_name (const GstY10RecordOutput *output)
{
  return output->name;
}

const GstY10RecordCounts *
gst_y10_record_output_get_counts (const GstY10RecordOutput *output)
{
  return &output->counts;
}
