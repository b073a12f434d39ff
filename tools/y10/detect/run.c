/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Processes one input after the other: pictures, animations, videos, pipes. An
 * input that cannot be read completely is reported once on stderr; the next
 * inputs follow. The output for a frame never depends on other frames. */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/address.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/supervisor.h"
#include "base/terminal.h"
#include "detect/detect.h"
#include "detect/report.h"
#include "detect/runner.h"
#include "draw/crops.h"
#include "draw/draw.h"
#include "draw/recorder.h"
#include "media/animation.h"
#include "media/frame.h"
#include "media/pages.h"
#include "media/picture.h"
#include "media/stream.h"
#include "media/video.h"

#define VIDEO_MAJOR 81 /* of Linux */
#define MAX_WAITING 4  /* frames of a drawn video that wait for boxes */

static void fail (ToolDetect *self, const char *source, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
fail (ToolDetect *self, const char *source, const char *format, ...)
{
  va_list args;
  char *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  tool_progress_hide (self->progress);
  tool_error ("%s: %s", tool_is_stdin (source) ? "standard input" : source,
      text);
  self->failed = TRUE;
  if (self->failure)
    g_free (text);
  else
    self->failure = text;
}

/* Clears @error. */
static void
fail_with (ToolDetect *self, const char *source, GError **error)
{
  fail (self, source, "%s", (*error)->message);
  g_clear_error (error);
}

/* Reports @damage, which may be NULL, and frees it. */
static void
warn_of_damage (ToolDetect *self, const char *source, char *damage)
{
  if (!damage)
    return;
  /* First print the results that the warning is about. */
  tool_runner_flush (self->runner);
  if (!self->input_failed)
    fail (self, source,
        "damaged; the results cover only the part that could "
        "be decoded: %s",
        damage);
  g_free (damage);
}

/* Prints what has happened in zones, a line each. */
static void
print_events (ToolDetect *self, const char *source)
{
  g_autofree char *events = self->tracks
      ? tool_tracks_take_events (self->tracks)
      : NULL;
  GError *error = NULL;

  if (!events)
    return;
  if (self->format == TOOL_FORMAT_CSV) {
    if (!tool_output_write_events (self->output, events, &error))
      fail_with (self, source, &error);
    return;
  }
  tool_supervisor_set_in_line (self->out == stdout);
  fputs (events, self->out);
  fflush (self->out);
  tool_supervisor_set_in_line (FALSE);
}

/* @ids: of the objects' tracks; NULL if they are not followed. */
static void
print_result (ToolDetect *self, const ToolFrame *frame,
    const Y10Detection *rows, guint n, const gint *ids)
{
  ToolFrame named = *frame;
  g_autofree char *text = NULL;

  if (self->name)
    named.source = self->name;
  tool_supervisor_set_in_line (self->out == stdout);
  if (self->format == TOOL_FORMAT_TABLE) {
    tool_progress_hide (self->progress);
    text = tool_report_table (self->model, &named, rows, n);
    fputs (text, self->out);
  } else {
    text = tool_report_json (self->model, &named, rows, n, ids);
    fprintf (self->out, "%s\n", text);
  }
  /* Flush each line: a program may be waiting for this very frame. */
  if (!self->for_store)
    fflush (self->out);
  tool_supervisor_set_in_line (FALSE);
}

static gboolean
write_copies (ToolDetect *self, const ToolFrame *frame,
    const Y10Detection *rows, guint n, const gint *ids, GError **error)
{
  if (self->crops && !tool_crops_save (self->crops, frame, rows, n, error))
    return FALSE;
  if (self->recorder)
    return tool_recorder_take_result (self->recorder, frame, rows, n, ids,
        error);
  return !self->draw || self->moving
      || tool_draw_picture (self->draw, frame, rows, n, error);
}

static void
end_picture (const ToolDetect *self, const ToolFrame *frame)
{
  if (!self->moving && !self->for_store)
    tool_supervisor_end (frame->input);
}

/* Counts a frame for summaries. */
static void
count (ToolDetect *self, const ToolFrame *frame, const Y10Detection *rows,
    guint n)
{
  ToolCounts *counts = tool_supervisor_get_counts ();
  const guint width = frame->image.width, height = frame->image.height;

  /* The number of frames is that of the progress, which counts this one later. */
  if (!counts->n_frames) {
    counts->width = width;
    counts->height = height;
  } else if (counts->width != width || counts->height != height) {
    counts->width = counts->height = 0;
  }
  for (guint i = 0; i < n; i++) {
    ToolClassCount *class = &self->classes[rows[i].class_id];
    guint here = 0;

    for (guint k = 0; k <= i; k++)
      here += rows[k].class_id == rows[i].class_id;
    class->n_objects++;
    class->n_frames += here == 1;
    class->most = MAX (class->most, here);
    class->best = MAX (class->best, rows[i].confidence);
  }
}

void
tool_detect_result (const ToolFrame *frame, const Y10Detection *rows, guint n,
    const GError *failure, gpointer user)
{
  ToolDetect *self = user;
  const gint *ids = NULL;
  GError *error = NULL;
  double fraction = 1;

  /* Report the failure of a video once, not for each frame. */
  if (failure) {
    if (!self->input_failed)
      fail (self, frame->source, "%s", failure->message);
    self->input_failed = self->moving;
    end_picture (self, frame);
    return;
  }
  if (self->tracks)
    ids = tool_tracks_frame (self->tracks, self->model, frame, &rows, &n);
  if (self->format == TOOL_FORMAT_JSONL || self->format == TOOL_FORMAT_TABLE)
    print_result (self, frame, rows, n, ids);
  else if (self->format != TOOL_FORMAT_SUMMARY && !self->input_failed
      && !tool_output_write (self->output, self->model, frame, rows, n, ids,
          &error)) {
    fail_with (self, frame->source, &error);
    self->input_failed = self->moving;
  }
  if (self->out && self->out != stdout && ferror (self->out)
      && !self->input_failed) {
    fail (self, frame->source, "the results cannot be written: %s",
        g_strerror (errno));
    self->input_failed = self->moving;
  }
  print_events (self, frame->source);
  count (self, frame, rows, n);
  if (!self->input_failed
      && !write_copies (self, frame, rows, n, ids, &error)) {
    fail_with (self, frame->source, &error);
    self->input_failed = self->moving;
  }
  if (self->video)
    fraction = tool_video_get_progress (self->video, frame->timestamp);
  /* The result of a picture may come when the next one was begun. */
  tool_progress_update (self->progress,
      self->video ? self->n_done : frame->input, fraction, frame->source);
  end_picture (self, frame);
}

void
tool_detect_end (ToolDetect *self)
{
  if (!self->sequence.folder)
    return;
  tool_runner_flush (self->runner);
  tool_tracks_end (self->tracks, self->sequence.source);
  print_events (self, self->sequence.source);
  tool_sequence_clear (&self->sequence);
}

/* Pictures in which objects are followed are those of a folder. */
static gboolean
find_sequence (ToolDetect *self, const char *source)
{
  const gboolean is_first = !self->sequence.source;

  if (tool_sequence_has (&self->sequence, source))
    return TRUE;
  if (self->format == TOOL_FORMAT_MOT && !is_first) {
    fail (self, source,
        "--format mot takes one video, or the pictures of one folder, since its frames "
        "have numbers only");
    return FALSE;
  }
  tool_detect_end (self);
  tool_sequence_begin (&self->sequence, source, self->fps);
  return TRUE;
}

static void
detect_picture (ToolDetect *self, const char *source, const char *path)
{
  ToolFrame frame = { 0 }, place = { 0 };
  GError *error = NULL;
  char *damage = NULL;

  if (self->tracks) {
    if (!find_sequence (self, source))
      return;
    /* One that cannot be read has its time, too. */
    tool_sequence_take (&self->sequence, source, &place);
  }
  if (tool_picture_load (source, path, &frame, &damage, &error)) {
    if (self->tracks) {
      frame.number = place.number;
      frame.timestamp = place.timestamp;
      tool_tracks_pass (self->tracks, &frame);
    }
    frame.input = self->n_done;
    self->is_pending = TRUE;
    tool_runner_push (self->runner, &frame);
    warn_of_damage (self, source, damage);
  } else {
    fail_with (self, source, &error);
  }
}

/* Returns FALSE if there are not several pictures in @path. */
static gboolean
detect_pages (ToolDetect *self, const char *source, const char *path)
{
  ToolPages *pages = tool_pages_open (path);
  GError *error = NULL;
  char *page;

  if (!pages)
    return FALSE;
  while (!tool_interrupted () && (page = tool_pages_next (pages, &error))) {
    detect_picture (self, source, page);
    g_free (page);
  }
  if (error)
    fail_with (self, source, &error);
  tool_pages_close (pages);
  return TRUE;
}

/* The first frame, and a word on the others that no decoder here reads. */
static void
detect_still (ToolDetect *self, const char *source, const char *path)
{
  const guint n = tool_pages_count_animation (path);

  detect_picture (self, source, path);
  if (n <= 1)
    return;
  tool_runner_flush (self->runner);
  fail (self, source,
      "only the first of the %u frames of this animation was "
      "read; neither gdk-pixbuf nor GStreamer decodes the others",
      n);
}

/* Starts a video or animation, after flushing earlier pictures. */
static void
begin_moving (ToolDetect *self)
{
  tool_detect_end (self);
  tool_runner_flush (self->runner);
  self->input_failed = FALSE;
  self->moving = TRUE;
}

static void
end_moving (ToolDetect *self, const char *source)
{
  g_autoptr (GError) error = NULL;

  if (self->recorder && !tool_recorder_finish (self->recorder, &error)) {
    if (!self->input_failed)
      fail (self, source, "%s", error->message);
  }
  g_clear_pointer (&self->recorder, tool_recorder_free);
  if (self->tracks) {
    tool_tracks_end (self->tracks, source);
    print_events (self, source);
  }
  self->moving = self->input_failed = FALSE;
}

/* Runs or skips @frame; takes ownership of its pixels. */
static void
push_moving (ToolDetect *self, ToolFrame *frame)
{
  const gboolean is_inferred = frame->number % self->interval == 0;
  g_autoptr (GError) error = NULL;

  if (self->tracks)
    tool_tracks_pass (self->tracks, frame);
  if (self->recorder
      && !tool_recorder_add (self->recorder, frame, is_inferred, &error)) {
    if (!self->input_failed)
      fail (self, frame->source, "%s", error->message);
    self->input_failed = TRUE;
  }
  if (is_inferred)
    tool_runner_push (self->runner, frame);
  else
    frame->free_pixels (frame->pixels);
  if (self->recorder
      && tool_recorder_get_n_waiting (self->recorder) > MAX_WAITING)
    tool_runner_flush (self->runner);
}

/* Returns FALSE if @path is not an animation. */
static gboolean
detect_animation (ToolDetect *self, const char *source, const char *path)
{
  char *damage;
  ToolAnimation *animation = tool_animation_open (source, path, &damage);
  ToolFrame frame;

  if (!animation)
    return FALSE;
  begin_moving (self);
  if (self->draw)
    self->recorder = tool_recorder_new (self->draw, source, NULL, FALSE);
  while (!self->input_failed && !tool_interrupted ()
      && tool_animation_next (animation, &frame))
    push_moving (self, &frame);
  tool_runner_flush (self->runner);
  warn_of_damage (self, source, damage);
  end_moving (self, source);
  tool_animation_close (animation);
  return TRUE;
}

/* Starts the drawn copy of the video. */
static void
begin_recording (ToolDetect *self, const char *source, gboolean is_live)
{
  const gboolean has_sound = tool_video_has_sound (self->video);
  const char *uri = tool_video_get_uri (self->video);

  self->recorder = tool_recorder_new (self->draw, source,
      has_sound ? uri : NULL, is_live);
  if (has_sound && !uri) {
    tool_progress_hide (self->progress);
    tool_error (
        "%s: the drawn video is without sound, which is written for files "
        "only",
        source);
  }
}

/* Plays the video from its first frame on; returns what tool_video_next() does. */
static int
play (ToolDetect *self, const char *source, gboolean is_live, ToolFrame *frame,
    GError **error)
{
  int more = 1;

  if (self->for_store && (is_live || !tool_video_has_end (self->video))) {
    fail (self, source, "is live or has no known end, and cannot be stored");
    frame->free_pixels (frame->pixels);
    return 1;
  }
  if (self->draw)
    begin_recording (self, source, is_live);
  if (is_live)
    return tool_detect_follow (self, frame, error);
  do {
    push_moving (self, frame);
  } while (!self->input_failed
      && (more = tool_video_next (self->video, frame, error)) > 0);
  return more;
}

/* Tells what became of the frames of a live video. */
static void
summarise_live (ToolDetect *self, const char *source, guint64 n_frames,
    gint64 start)
{
  const double seconds = (double) (g_get_monotonic_time () - start)
      / G_USEC_PER_SEC;
  const guint64 n_left_out = self->recorder
      ? tool_recorder_get_n_left_out (self->recorder)
      : 0;
  g_autofree char *text = n_left_out
      ? g_strdup_printf (", %" G_GUINT64_FORMAT
                         " not recorded because the encoder was too slow",
          n_left_out)
      : g_strdup ("");

  tool_progress_hide (self->progress);
  tool_error ("%s: live, %" G_GUINT64_FORMAT
              " frames in %.1f s: %" G_GUINT64_FORMAT
              " inferred, %" G_GUINT64_FORMAT " skipped%s",
      source, n_frames, seconds, self->n_inferred, n_frames - self->n_inferred,
      text);
}

/* Takes @video over, or @error if it is NULL. */
static void
play_video (ToolDetect *self, const char *source, ToolVideo *video,
    GError *error)
{
  const gint64 start = g_get_monotonic_time ();
  gboolean is_live = FALSE;
  ToolFrame frame;
  int more;

  begin_moving (self);
  if (self->format == TOOL_FORMAT_MOT && self->n_inputs > 1 && video) {
    fail (self, source,
        "--format mot takes one video, or pictures in order, since its "
        "frames have numbers only");
    tool_video_close (video);
    self->moving = FALSE;
    return;
  }
  self->video = video;
  self->n_inferred = 0;
  if (!self->video) {
    fail_with (self, source, &error);
    self->moving = FALSE;
    return;
  }
  more = tool_video_next (self->video, &frame, &error);
  if (more > 0) {
    is_live = tool_video_is_live (self->video);
    more = play (self, source, is_live, &frame, &error);
  }
  tool_runner_flush (self->runner);
  if (is_live && !self->for_store)
    summarise_live (self, source, tool_video_get_n_frames (self->video), start);
  if (more < 0)
    fail_with (self, source, &error);
  else if (more == 0 && !tool_interrupted ())
    warn_of_damage (self, source, tool_video_find_damage (self->video));
  end_moving (self, source);
  g_clear_pointer (&self->video, tool_video_close);
}

static void
detect_video (ToolDetect *self, const char *source, const char *path,
    ToolStream *stream)
{
  GError *error = NULL;
  ToolVideo *video = tool_video_open (source, path, stream, &self->remote,
      &error);

  play_video (self, source, video, error);
}

static void
detect_file (ToolDetect *self, const char *source, const char *path)
{
  if (!tool_picture_probe (path))
    detect_video (self, source, path, NULL);
  else if (!detect_animation (self, source, path)
      && !detect_pages (self, source, path))
    detect_still (self, source, path);
}

static void
detect_stream (ToolDetect *self, const char *source, const char *path)
{
  const gboolean is_remote = tool_is_remote (path);
  GError *error = NULL;
  ToolStream *stream = is_remote
      ? tool_stream_open_uri (path, &self->remote, &error)
      : tool_stream_open (path, &error);
  g_autofree char *copy = NULL;

  if (!stream) {
    fail_with (self, source, &error);
    return;
  }
  if (!tool_stream_is_picture (stream) && is_remote) {
    g_clear_pointer (&stream, tool_stream_close);
    detect_video (self, source, path, NULL);
    return;
  }
  if (!tool_stream_is_picture (stream)) {
    detect_video (self, source, path, stream);
  } else if ((copy = tool_stream_to_file (stream, &error))) {
    detect_file (self, source, copy);
  } else {
    fail_with (self, source, &error);
  }
  tool_stream_close (stream);
}

/* A camera of this machine. */
static void
detect_device (ToolDetect *self, const char *source, const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *uri = g_strconcat ("v4l2://", absolute, NULL);

  detect_video (self, source, uri, NULL);
}

/* A picture may be behind these. What is behind other URIs is played. */
static gboolean
is_http (const char *uri)
{
  return !g_ascii_strncasecmp (uri, "http://", strlen ("http://"))
      || !g_ascii_strncasecmp (uri, "https://", strlen ("https://"));
}

static void
detect_path (ToolDetect *self, const char *source, const char *path)
{
  struct stat info;

  if (stat (path, &info) != 0)
    fail (self, source, "%s",
        source[0] == '@' ? "there is no such list, or nothing in it"
            : strpbrk (source, "*?[") ? "no file matches"
                                      : "no such file");
  else if (S_ISDIR (info.st_mode))
    fail (self, source, "no pictures or videos in this folder");
  else if (access (path, R_OK) != 0)
    fail (self, source, "no permission to read the file");
  else if (S_ISREG (info.st_mode))
    detect_file (self, source, path);
  else if (S_ISCHR (info.st_mode) && major (info.st_rdev) == VIDEO_MAJOR)
    detect_device (self, source, path);
  else
    detect_stream (self, source, path);
}

void
tool_detect_input (ToolDetect *self, const char *source)
{
  const char *name = tool_address_name (source);
  GError *error = NULL;
  g_autofree char *path = tool_source_to_path (source, &error);

  if (error)
    fail_with (self, name, &error);
  else if (path)
    detect_path (self, name, path);
  else if (is_http (source))
    detect_stream (self, name, source);
  else
    detect_video (self, name, source, NULL);
}

void
tool_detect_range (ToolDetect *self, const char *source, const char *path,
    const ToolRange *range)
{
  GError *error = NULL;
  ToolVideo *video = tool_video_open_range (source, path, range, &error);

  play_video (self, source, video, error);
}
