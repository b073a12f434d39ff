/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Follows a live video: one thread reads every frame, and another infers the newest
 * one each time it is free, so that a slow model skips frames instead of falling
 * behind. The reader never waits for it. */

#include "config.h"

#include "base/interrupt.h"
#include "detect/detect.h"
#include "detect/runner.h"
#include "draw/recorder.h"
#include "media/frame.h"
#include "media/video.h"

typedef struct
{
  ToolDetect *detect;
  GMutex lock; /* guards the rest */
  GCond changed;
  ToolFrame newest; /* pixels is NULL: taken */
  gboolean ended;
} Live;

static void
drop_newest (Live *live)
{
  if (live->newest.pixels)
    live->newest.free_pixels (live->newest.pixels);
  live->newest.pixels = NULL;
}

/* Takes @frame over in place of one that was not inferred. */
static void
offer (Live *live, const ToolFrame *frame)
{
  g_mutex_lock (&live->lock);
  drop_newest (live);
  live->newest = *frame;
  g_cond_signal (&live->changed);
  g_mutex_unlock (&live->lock);
}

/* FALSE at the end, after the last frame. */
static gboolean
take (Live *live, ToolFrame *frame)
{
  gboolean taken;

  g_mutex_lock (&live->lock);
  while (!live->newest.pixels && !live->ended)
    g_cond_wait (&live->changed, &live->lock);
  taken = live->newest.pixels != NULL;
  if (taken) {
    *frame = live->newest;
    live->newest.pixels = NULL;
  }
  g_mutex_unlock (&live->lock);
  return taken;
}

static gpointer
infer (gpointer data)
{
  Live *live = data;
  ToolFrame frame;

  while (take (live, &frame)) {
    live->detect->n_inferred++;
    tool_runner_push (live->detect->runner, &frame);
    tool_runner_flush (live->detect->runner);
  }
  return NULL;
}

static gboolean
read_frame (ToolDetect *self, Live *live, ToolFrame *frame, GError **error)
{
  const gboolean is_candidate = frame->number % self->interval == 0;

  if (self->tracks)
    tool_tracks_pass (self->tracks, frame);
  if (self->recorder
      && !tool_recorder_add (self->recorder, frame, is_candidate, error)) {
    frame->free_pixels (frame->pixels);
    return FALSE;
  }
  if (is_candidate)
    offer (live, frame);
  else
    frame->free_pixels (frame->pixels);
  return TRUE;
}

int
tool_detect_follow (ToolDetect *self, ToolFrame *frame, GError **error)
{
  Live live = { .detect = self };
  GThread *thread;
  int more = 1;

  g_mutex_init (&live.lock);
  g_cond_init (&live.changed);
  thread = g_thread_new ("infer", infer, &live);
  do {
    if (!read_frame (self, &live, frame, error))
      more = -1;
  } while (more > 0 && !g_atomic_int_get (&self->input_failed)
      && (more = tool_video_next (self->video, frame, error)) > 0);

  g_mutex_lock (&live.lock);
  live.ended = TRUE;
  if (tool_interrupted ())
    drop_newest (&live);
  g_cond_signal (&live.changed);
  g_mutex_unlock (&live.lock);
  g_thread_join (thread);
  g_mutex_clear (&live.lock);
  g_cond_clear (&live.changed);
  return more;
}
