/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A few kilobytes can be a picture of gigabytes, and GLib ends the process when memory has
 * run out. A size is known from caps: those of the container or the parser on their way
 * into a decoder, and at the latest those that the decoder announces before it asks for
 * a frame's memory. The pad where a frame would be too large is closed, so that whoever
 * announced it gets no further. The error is the pipeline's own, since decodebin keeps
 * those of elements that it tries. */

#include "config.h"

#ifdef HAVE_GST

#include "media/framelimit.h"

#define MAX_PIXELS 35651584 /* 8192x4352: ITU-T H.264, table A-1, level 6 */

/* Returns whether frames of that size are too large, after closing the pad. */
static gboolean
refuse (GstPad *pad, GstElement *pipeline, int width, int height)
{
  if ((gint64) width * height <= MAX_PIXELS)
    return FALSE;
  GST_ELEMENT_ERROR (pipeline, STREAM, FORMAT,
      ("frames of %dx%d are too large; expected at most %d pixels, such as "
       "8192x4352",
          width, height, MAX_PIXELS),
      (NULL));
  /* A decoder that has announced it does so again before it takes memory, and fails. */
  gst_pad_set_active (pad, FALSE);
  gst_pad_mark_reconfigure (pad);
  return TRUE;
}

static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer pipeline)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  const GstStructure *structure;
  int width = 0, height = 0;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  structure = gst_caps_get_structure (caps, 0);
  gst_structure_get_int (structure, "width", &width);
  gst_structure_get_int (structure, "height", &height);
  return refuse (pad, pipeline, width, height) ? GST_PAD_PROBE_DROP
                                               : GST_PAD_PROBE_OK;
}

/* The size is in key frames, RFC 6386, 9.1. */
static GstPadProbeReturn
on_vp8 (GstPad *pad, GstPadProbeInfo *info, gpointer pipeline)
{
  guint8 head[10];

  return gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, head,
             sizeof head)
              == sizeof head
          && !(head[0] & 1)
          && refuse (pad, pipeline, GST_READ_UINT16_LE (head + 6) & 0x3fff,
              GST_READ_UINT16_LE (head + 8) & 0x3fff)
      ? GST_PAD_PROBE_DROP
      : GST_PAD_PROBE_OK;
}

/* There is no parser of it, and its decoders take memory before they announce a size. */
static gboolean
takes_vp8 (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_pad_template_caps (pad);

  return GST_PAD_IS_SINK (pad) && gst_caps_get_size (caps) == 1
      && gst_structure_has_name (gst_caps_get_structure (caps, 0),
          "video/x-vp8");
}

static gboolean
watch_pad (GstElement *element, GstPad *pad, gpointer pipeline)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event,
      pipeline, NULL);
  if (takes_vp8 (pad))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_vp8, pipeline, NULL);
  return TRUE;
}

static void
watch (GstElement *element, gpointer pipeline)
{
  if (!GST_IS_BIN (element))
    gst_element_foreach_pad (element, watch_pad, pipeline);
}

static void
on_element_added (GstBin *pipeline, GstBin *bin, GstElement *element,
    gpointer unused)
{
  watch (element, pipeline);
}

static void
watch_value (const GValue *element, gpointer pipeline)
{
  watch (g_value_get_object (element), pipeline);
}

void
tool_frame_limit_set_up (GstElement *pipeline)
{
  g_autoptr (GstIterator)
      elements = gst_bin_iterate_recurse (GST_BIN (pipeline));

  gst_iterator_foreach (elements, watch_value, pipeline);
  g_signal_connect (pipeline, "deep-element-added",
      G_CALLBACK (on_element_added), NULL);
}

#endif
