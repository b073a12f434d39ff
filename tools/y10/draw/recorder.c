/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The annotated copy of a video. It has every frame of the input: frames that were
 * not inferred show the boxes of the latest one before them that was. So a frame
 * waits until it has its boxes; of a live video, no more than a few frames wait,
 * and the first of them leaves with older boxes when there are more. The encoder
 * holds up a file, but never a camera, whose frames are left out instead. A copy
 * has the extension of its container, which is the first that can be written, or that of
 * the name that the user gave. */

#include "config.h"

#include "base/interrupt.h"
#include "base/terminal.h"
#include "draw/recorder.h"
#include "media/frame.h"

#ifdef HAVE_GST

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include "draw/shared.h"
#include "media/gst.h"
#include "media/sample.h"

#define POLL_INTERVAL (10 * GST_MSECOND)
#define MAX_QUEUED 4 /* frames waiting for the encoder */
#define MAX_QUEUED_LIVE 30
#define MAX_WAITING_LIVE 8 /* frames waiting for their boxes */
#define CANNOT_WRITE "the drawn video cannot be written"

typedef struct
{
  const char *needs[4];
  const char *extension;
  const char *launch;   /* ends with the muxer */
  const char *sound[3]; /* encoders whose output the muxer takes */
} Encoder;

/* In order of preference. All use 4:2:0: many players support nothing else. */
static const Encoder encoders[] = {
  { { "x264enc", "h264parse", "mp4mux" }, "mp4",
      "x264enc speed-preset=veryfast pass=qual quantizer=20 ! h264parse ! "
      "mp4mux",
      { "avenc_aac", "voaacenc", "fdkaacenc" } },
  { { "openh264enc", "h264parse", "mp4mux" }, "mp4",
      "openh264enc bitrate=8000000 ! h264parse ! mp4mux",
      { "avenc_aac", "voaacenc", "fdkaacenc" } },
  { { "x264enc", "h264parse", "matroskamux" }, "mkv",
      "x264enc speed-preset=veryfast pass=qual quantizer=20 ! h264parse ! "
      "matroskamux",
      { "avenc_aac", "voaacenc", "opusenc" } },
  { { "openh264enc", "h264parse", "matroskamux" }, "mkv",
      "openh264enc bitrate=8000000 ! h264parse ! matroskamux",
      { "avenc_aac", "voaacenc", "opusenc" } },
  { { "vp8enc", "webmmux" }, "webm",
      "vp8enc deadline=1 cpu-used=8 target-bitrate=8000000 ! webmmux",
      { "opusenc", "vorbisenc" } },
  { { "jpegenc", "avimux" }, "avi", "jpegenc quality=90 ! avimux",
      { "lamemp3enc" } },
};

/* A frame that waits for its boxes. */
typedef struct
{
  GstBuffer *buffer;
  guint64 number;
  guint width, height;
  gboolean is_inferred; /* boxes of its own will come */
} Waiting;

struct _ToolRecorder
{
  ToolDraw *draw; /* borrowed */
  char *source, *sound_uri;
  gboolean is_live;

  GMutex lock;      /* guards the rest: frames and results come from two
                                 * threads if the video is live */
  GQueue waiting;   /* of Waiting */
  GArray *held;     /* the latest Y10Detections */
  gint64 held_time; /* of their frame, ns; TOOL_NO_RESULT: there are none yet */
  GArray *ids;      /* of their tracks; empty: not followed */
  GError *failure;  /* the first one */
  guint64 n_left_out;

  GstElement *pipeline; /* NULL: there was no frame */
  GstAppSrc *appsrc;
  GstBus *bus;
  gsize max_queued; /* bytes */
  GstClockTime frame_duration, end;

  gint is_cut; /* atomic: the sound ends at @end, which is final */
};

ToolRecorder *
tool_recorder_new (ToolDraw *draw, const char *source, const char *sound_uri,
    gboolean is_live)
{
  ToolRecorder *self = g_new0 (ToolRecorder, 1);

  self->draw = draw;
  self->source = g_strdup (source);
  self->sound_uri = g_strdup (sound_uri);
  self->is_live = is_live;
  self->held_time = TOOL_NO_RESULT;
  self->held = g_array_new (FALSE, FALSE, sizeof (Y10Detection));
  self->ids = g_array_new (FALSE, FALSE, sizeof (gint));
  g_mutex_init (&self->lock);
  return self;
}

/* @extension: of the file, NULL: any. */
static const Encoder *
find_encoder (const char *extension, GError **error)
{
  gboolean is_known = !extension;

  for (guint i = 0; i < G_N_ELEMENTS (encoders); i++) {
    gboolean all = !extension
        || !g_ascii_strcasecmp (extension, encoders[i].extension);

    is_known = is_known || all;
    for (guint k = 0; all && encoders[i].needs[k]; k++)
      all = tool_have_element (encoders[i].needs[k]);
    if (all)
      return &encoders[i];
  }
  if (!is_known)
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "--draw: the copy of a "
        "video cannot be .%s; expected .mp4, .mkv, .webm or .avi",
        extension);
  else
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "GStreamer has no encoder for the drawn video (x264enc, openh264enc, "
        "vp8enc or jpegenc, with their muxers)");
  return NULL;
}

static const char *
find_sound_encoder (const Encoder *encoder)
{
  for (guint i = 0; i < G_N_ELEMENTS (encoder->sound) && encoder->sound[i]; i++)
    if (tool_have_element (encoder->sound[i]))
      return encoder->sound[i];
  return NULL;
}

/* Ends the sound with the video if that was not read to its end. Runs in a streaming
 * thread. */
static GstPadProbeReturn
on_sound (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  const GstClockTime pts = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  ToolRecorder *self = user;

  /* Without the lock: the thread that has it may wait for this one. */
  if (!g_atomic_int_get (&self->is_cut) || !GST_CLOCK_TIME_IS_VALID (pts)
      || pts < self->end)
    return GST_PAD_PROBE_OK;
  gst_pad_push_event (pad, gst_event_new_eos ());
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_EOS;
  return GST_PAD_PROBE_HANDLED;
}

static void
set_up_sound (ToolRecorder *self)
{
  g_autoptr (GstElement)
      uri = gst_bin_get_by_name (GST_BIN (self->pipeline), "sound");
  g_autoptr (GstElement)
      out = gst_bin_get_by_name (GST_BIN (self->pipeline), "soundout");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (out, "src");

  g_object_set (uri, "uri", self->sound_uri, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_sound, self, NULL);
}

/* The description of the pipeline behind the frames. */
static char *
describe_pipeline (const ToolDraw *draw, const Encoder *encoder,
    const char *sound, const GstVideoInfo *info)
{
  g_autofree char *overlay = tool_draw_describe_overlay (draw);
  /* The sound must not be far ahead when the video is cut. */
  g_autofree char *branch = sound
      ? g_strdup_printf (
          " uridecodebin name=sound "
          "caps=audio/x-raw expose-all-streams=false ! audioconvert ! "
          "audioresample ! identity name=soundout ! %s ! "
          "queue max-size-time=200000000 ! mux.",
          sound)
      : g_strdup ("");
  /* Encoders of 4:2:0 video need even sizes. */
  char *text = g_strdup_printf (
      "appsrc name=source format=time ! "
      "%s ! queue ! videoconvert ! videoscale ! "
      "video/x-raw,format=I420,width=%d,height=%d,pixel-aspect-ratio=%d/%d ! "
      "%s name=mux ! filesink name=sink%s",
      overlay, MAX (2, GST_VIDEO_INFO_WIDTH (info) & ~1),
      MAX (2, GST_VIDEO_INFO_HEIGHT (info) & ~1), GST_VIDEO_INFO_PAR_N (info),
      GST_VIDEO_INFO_PAR_D (info), encoder->launch, branch);

  return text;
}

static gboolean
open_pipeline (ToolRecorder *self, const Encoder *encoder,
    const GstVideoInfo *info, GError **error)
{
  const char *sound = self->sound_uri ? find_sound_encoder (encoder) : NULL;
  g_autofree char *path = tool_draw_make_path (self->draw, self->source,
                      encoder->extension, error),
                  *text = NULL;
  g_autoptr (GstElement) sink = NULL;

  if (!path)
    return FALSE;
  if (self->sound_uri && !sound)
    tool_error ("%s: the drawn video is without sound: GStreamer has no %s",
        self->source, encoder->sound[0]);
  text = describe_pipeline (self->draw, encoder, sound, info);
  self->pipeline = gst_parse_launch_full (text, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (self->pipeline) {
    sink = gst_bin_get_by_name (GST_BIN (self->pipeline), "sink");
    g_object_set (sink, "location", path, NULL);
    if (sound)
      set_up_sound (self);
  }
  return self->pipeline != NULL;
}

static gboolean
open_video (ToolRecorder *self, const GstVideoInfo *info, const GstCaps *caps,
    GError **error)
{
  const Encoder *encoder = find_encoder (tool_draw_get_extension (self->draw),
      error);

  if (!encoder)
    return FALSE;
  if (!open_pipeline (self, encoder, info, error))
    return FALSE;
  self->appsrc = GST_APP_SRC (
      gst_bin_get_by_name (GST_BIN (self->pipeline), "source"));
  gst_app_src_set_caps (self->appsrc, caps);
  gst_app_src_set_max_bytes (self->appsrc, 0);
  self->bus = gst_element_get_bus (self->pipeline);
  self->max_queued = (self->is_live ? MAX_QUEUED_LIVE : MAX_QUEUED)
      * info->size;
  self->frame_duration = GST_VIDEO_INFO_FPS_N (info) > 0
      ? gst_util_uint64_scale (GST_SECOND, GST_VIDEO_INFO_FPS_D (info),
          GST_VIDEO_INFO_FPS_N (info))
      : 40 * GST_MSECOND;
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
  return TRUE;
}

/* Waits for the encoder. A blocking appsrc would hang after a downstream error. */
static gboolean
wait_for_room (ToolRecorder *self, GError **error)
{
  while (
      gst_app_src_get_current_level_bytes (self->appsrc) >= self->max_queued) {
    if (tool_message_is_failure (gst_bus_timed_pop_filtered (self->bus,
                                     POLL_INTERVAL, GST_MESSAGE_ERROR),
            CANNOT_WRITE, error))
      return FALSE;
  }
  return TRUE;
}

/* The time of a frame, ns: its own, or that of a steady rate. */
static gint64
time_of (const ToolRecorder *self, const ToolFrame *frame)
{
  return frame->timestamp >= 0
      ? frame->timestamp
      : (gint64) (frame->number * self->frame_duration);
}

/* How old the boxes held are in a frame of that time; below 0: not known. */
static gint64
age_of (const ToolRecorder *self, const GstBuffer *buffer)
{
  return self->held_time == TOOL_NO_RESULT
      ? TOOL_NO_RESULT
      : (gint64) GST_BUFFER_PTS (buffer) - self->held_time;
}

/* Writes the first waiting frame with the boxes held. */
static void
write_first (ToolRecorder *self)
{
  g_autofree Waiting *first = g_queue_pop_head (&self->waiting);

  if (!self->failure && self->is_live)
    tool_message_is_failure (gst_bus_pop_filtered (self->bus,
                                 GST_MESSAGE_ERROR),
        CANNOT_WRITE, &self->failure);
  else if (!self->failure)
    wait_for_room (self, &self->failure);
  if (self->failure) {
    gst_buffer_unref (first->buffer);
  } else if (self->is_live
      && gst_app_src_get_current_level_bytes (self->appsrc)
          >= self->max_queued) {
    self->n_left_out++;
    gst_buffer_unref (first->buffer);
  } else {
    tool_draw_attach (self->draw, first->buffer, first->width, first->height,
        (const Y10Detection *) self->held->data, self->held->len,
        self->ids->len ? (const gint *) self->ids->data : NULL,
        age_of (self, first->buffer));
    gst_app_src_push_buffer (self->appsrc, first->buffer);
  }
}

/* Writes the frames that wait for nothing, or for too long. */
static void
write_ready (ToolRecorder *self)
{
  const Waiting *first;

  while ((first = g_queue_peek_head (&self->waiting))
      && (!first->is_inferred
          || (self->is_live && self->waiting.length > MAX_WAITING_LIVE)))
    write_first (self);
}

/* A buffer that shares the frame's memory, which the overlay copies before it writes
 * to it. */
static GstBuffer *
make_buffer (ToolRecorder *self, const ToolFrame *frame,
    const ToolSample *sample, const GstVideoInfo *info)
{
  GstBuffer *buffer = sample
      ? gst_buffer_copy (gst_sample_get_buffer (sample->sample))
      : tool_draw_copy_pixels (&frame->image, info);

  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_PTS (buffer) = (GstClockTime) time_of (self, frame);
  self->end = GST_BUFFER_PTS (buffer) + self->frame_duration;
  return buffer;
}

static void
add (ToolRecorder *self, const ToolFrame *frame, gboolean is_inferred)
{
  const ToolSample *sample = frame->is_sample ? frame->pixels : NULL;
  GstVideoInfo info;
  Waiting *waiting;
  g_autoptr (GstCaps) caps = NULL;

  if (sample)
    info = sample->frame.frame.info;
  else
    tool_image_to_info (&frame->image, &info);
  caps = sample ? gst_caps_ref (gst_sample_get_caps (sample->sample))
                : gst_video_info_to_caps (&info);
  if (self->pipeline || open_video (self, &info, caps, &self->failure)) {
    waiting = g_new0 (Waiting, 1);
    waiting->buffer = make_buffer (self, frame, sample, &info);
    waiting->number = frame->number;
    waiting->width = frame->image.width;
    waiting->height = frame->image.height;
    waiting->is_inferred = is_inferred;
    g_queue_push_tail (&self->waiting, waiting);
    write_ready (self);
  }
}

/* Call with the lock held. */
static gboolean
report_failure (const ToolRecorder *self, GError **error)
{
  if (self->failure && error)
    *error = g_error_copy (self->failure);
  return !self->failure;
}

gboolean
tool_recorder_add (ToolRecorder *self, const ToolFrame *frame,
    gboolean is_inferred, GError **error)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  if (!self->failure)
    add (self, frame, is_inferred);
  ok = report_failure (self, error);
  g_mutex_unlock (&self->lock);
  return ok;
}

gboolean
tool_recorder_take_result (ToolRecorder *self, const ToolFrame *frame,
    const Y10Detection *rows, guint n, const gint *ids, GError **error)
{
  const Waiting *first;
  gboolean ok;

  g_mutex_lock (&self->lock);
  while ((first = g_queue_peek_head (&self->waiting))
      && first->number < frame->number)
    write_first (self);
  g_array_set_size (self->held, 0);
  g_array_append_vals (self->held, rows, n);
  self->held_time = time_of (self, frame);
  g_array_set_size (self->ids, 0);
  if (ids)
    g_array_append_vals (self->ids, ids, n);
  if (first && first->number == frame->number)
    write_first (self);
  write_ready (self);
  ok = report_failure (self, error);
  g_mutex_unlock (&self->lock);
  return ok;
}

guint
tool_recorder_get_n_waiting (ToolRecorder *self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->waiting.length;
  g_mutex_unlock (&self->lock);
  return n;
}

guint64
tool_recorder_get_n_left_out (ToolRecorder *self)
{
  guint64 n;

  g_mutex_lock (&self->lock);
  n = self->n_left_out;
  g_mutex_unlock (&self->lock);
  return n;
}

gboolean
tool_recorder_finish (ToolRecorder *self, GError **error)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  while (self->waiting.length)
    write_first (self);
  g_atomic_int_set (&self->is_cut, tool_interrupted ());
  ok = report_failure (self, error);
  g_mutex_unlock (&self->lock);
  if (!ok || !self->pipeline)
    return ok;
  gst_app_src_end_of_stream (self->appsrc);
  return !tool_message_is_failure (gst_bus_timed_pop_filtered (self->bus,
                                       GST_CLOCK_TIME_NONE,
                                       GST_MESSAGE_EOS | GST_MESSAGE_ERROR),
      CANNOT_WRITE, error);
}

void
tool_recorder_free (ToolRecorder *self)
{
  Waiting *waiting;

  if (!self)
    return;
  if (self->pipeline)
    gst_element_set_state (self->pipeline, GST_STATE_NULL);
  while ((waiting = g_queue_pop_head (&self->waiting))) {
    gst_buffer_unref (waiting->buffer);
    g_free (waiting);
  }
  gst_clear_object (&self->bus);
  gst_clear_object (&self->appsrc);
  gst_clear_object (&self->pipeline);
  g_clear_error (&self->failure);
  g_array_unref (self->held);
  g_array_unref (self->ids);
  g_mutex_clear (&self->lock);
  g_free (self->source);
  g_free (self->sound_uri);
  g_free (self);
}

#else /* !HAVE_GST */

/* tool_draw_new() fails, so nothing is ever recorded. */

ToolRecorder *
tool_recorder_new (ToolDraw *draw, const char *source, const char *sound_uri,
    gboolean is_live)
{
  return NULL;
}

gboolean
tool_recorder_add (ToolRecorder *recorder, const ToolFrame *frame,
    gboolean is_inferred, GError **error)
{
  return TRUE;
}

gboolean
tool_recorder_take_result (ToolRecorder *recorder, const ToolFrame *frame,
    const Y10Detection *rows, guint n, const gint *ids, GError **error)
{
  return TRUE;
}

guint
tool_recorder_get_n_waiting (ToolRecorder *recorder)
{
  return 0;
}

guint64
tool_recorder_get_n_left_out (ToolRecorder *recorder)
{
  return 0;
}

gboolean
tool_recorder_finish (ToolRecorder *recorder, GError **error)
{
  return TRUE;
}

void
tool_recorder_free (ToolRecorder *recorder)
{
}

#endif
