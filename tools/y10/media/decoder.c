/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How decoders are set, where a version of GStreamer or FFmpeg does not decode a sound
 * video as it should. */

#include "config.h"

#include "tool.h"

#ifdef HAVE_GST

#include "media/decoder.h"

/* avdec_* of GStreamer 1.26 aborts the program now and then where it decodes into
 * the buffers of an element that turns frames, if 16 does not divide their size.
 * With frame threads, FFmpeg 7's H.264 decoder leaves out frames behind a key frame
 * of an open GOP, now one and now two. */
static void
on_element_added (GstBin *pipeline, GstBin *bin, GstElement *element,
    gpointer user)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  if (minor < 24 || !g_object_class_find_property (G_OBJECT_GET_CLASS (element),
          "direct-rendering"))
    return;
  g_object_set (element, "direct-rendering", FALSE, NULL);
  if (g_str_has_prefix (GST_OBJECT_NAME (element), "avdec_h264"))
    gst_util_set_object_arg (G_OBJECT (element), "thread-type", "slice");
}

void
tool_decoder_prepare (GstElement *pipeline)
{
  g_signal_connect (pipeline, "deep-element-added",
      G_CALLBACK (on_element_added), NULL);
}

#endif
