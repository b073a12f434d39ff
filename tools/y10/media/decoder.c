/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How decoders are set and fed, where a version of GStreamer or FFmpeg does not decode
 * a sound video as it should. */

#include "config.h"

#ifdef HAVE_GST

#include <gst/video/gstvideodecoder.h>
#include <string.h>

#include "media/decoder.h"

/* A decoder of H.264 or H.265; all of it is used in its streaming thread. */
typedef struct
{
  GstVideoDecoder *decoder; /* borrowed */
  guint n_out;              /* frames that came out */
  gboolean is_trying;
} Start;

static GstPadProbeReturn
on_decoded (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Start *self = user;

  self->n_out++;
  return GST_PAD_PROBE_OK;
}

/* The number of the newest frame that is in the decoder; 0: none. */
static guint64
find_newest (GstVideoDecoder *decoder)
{
  GList *frames = gst_video_decoder_get_frames (decoder);
  guint64 newest = 0;

  for (const GList *i = frames; i; i = i->next) {
    const GstVideoCodecFrame *frame = i->data;

    newest = MAX (newest, frame->system_frame_number + (guint64) 1);
  }
  g_list_free_full (frames, (GDestroyNotify) gst_video_codec_frame_unref);
  return newest;
}

/* Where decoding begins at a key frame that is not the first of its stream, FFmpeg
 * makes up frames for the numbers that are missing before it. GStreamer 1.26 takes
 * their end for that of the key frame, and loses it without a word; all that refers
 * to it is grey then. At a second attempt nothing is missing before it. */
static GstPadProbeReturn
on_coded (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info), *again;
  Start *self = user;
  guint64 newest;
  guint n_out;

  if (self->is_trying || !GST_BUFFER_IS_DISCONT (buffer))
    return GST_PAD_PROBE_OK;
  newest = find_newest (self->decoder);
  n_out = self->n_out;
  again = gst_buffer_copy (buffer);
  GST_BUFFER_FLAG_UNSET (again, GST_BUFFER_FLAG_DISCONT);
  self->is_trying = TRUE;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = gst_pad_chain (pad, buffer);
  self->is_trying = FALSE;
  if (GST_PAD_PROBE_INFO_FLOW_RETURN (info) != GST_FLOW_OK
      || self->n_out > n_out || find_newest (self->decoder) > newest) {
    gst_buffer_unref (again);
    return GST_PAD_PROBE_HANDLED;
  }
  GST_PAD_PROBE_INFO_DATA (info) = again;
  return GST_PAD_PROBE_OK;
}

static void
watch_start (GstElement *element)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) src = gst_element_get_static_pad (element, "src");
  Start *self = g_new0 (Start, 1);

  self->decoder = GST_VIDEO_DECODER (element);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, on_decoded, self, NULL);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, on_coded, self, g_free);
}

/* decodebin waits for more streams until it has 2 MB: minutes of a small camera. */
static void
set_up_multipart (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory && !strcmp (GST_OBJECT_NAME (factory), "multipartdemux"))
    g_object_set (element, "single-stream", TRUE, NULL);
}

/* avdec_* of GStreamer 1.26 aborts the program now and then where it decodes into
 * the buffers of an element that turns frames, if 16 does not divide their size.
 * With frame threads, more is lost behind a key frame than the frame itself. */
static void
on_element_added (GstBin *pipeline, GstBin *bin, GstElement *element,
    gpointer user)
{
  guint major, minor, micro, nano;

  set_up_multipart (element);
  gst_version (&major, &minor, &micro, &nano);
  if (minor < 24
      || !g_object_class_find_property (G_OBJECT_GET_CLASS (element),
          "direct-rendering"))
    return;
  g_object_set (element, "direct-rendering", FALSE, NULL);
  if (g_str_has_prefix (GST_OBJECT_NAME (element), "avdec_h26")) {
    gst_util_set_object_arg (G_OBJECT (element), "thread-type", "slice");
    watch_start (element);
  }
}

void
tool_decoder_prepare (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added",
      G_CALLBACK (on_element_added), NULL);
}

#endif
