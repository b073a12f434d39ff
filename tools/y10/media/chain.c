/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What y10 detect and y10 serve have between what they play and what they detect in, so that
 * both see the same picture of a file: upright, and of the same track. Which track comes
 * first depends on threads; its number does not. */

#include "config.h"

#ifdef HAVE_GST

#include "media/chain.h"
#include "media/decoder.h"
#include "media/gst.h"

typedef struct
{
  GstElement *convert;
  guint stream;
} Link;

char *
tool_chain_describe (gboolean is_upright)
{
  return g_strconcat ("videoconvert name=convert",
      is_upright && tool_have_element ("videoflip")
          ? " ! videoflip video-direction=auto"
          : "",
      NULL);
}

static gboolean
is_video (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (!caps)
    caps = gst_pad_query_caps (pad, NULL);
  return gst_caps_get_size (caps) > 0
      && gst_structure_has_name (gst_caps_get_structure (caps, 0),
          "video/x-raw");
}

/* Demuxers end the name of a stream with the number of its track, of equal length. */
static int
compare_pads (gconstpointer a, gconstpointer b)
{
  g_autofree char *id_a = gst_pad_get_stream_id ((GstPad *) a);
  g_autofree char *id_b = gst_pad_get_stream_id ((GstPad *) b);

  return g_strcmp0 (id_a, id_b);
}

static void
link_pad (const Link *self, GstPad *pad)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (self->convert, "sink");

  if (!gst_pad_is_linked (sink))
    gst_pad_link (pad, sink);
}

/* Runs in a streaming thread, while no data flows. */
static void
on_no_more_pads (GstElement *decoder, gpointer user)
{
  const Link *self = user;
  GList *videos = NULL;
  guint n;

  GST_OBJECT_LOCK (decoder);
  for (const GList *i = decoder->srcpads; i; i = i->next)
    videos = g_list_prepend (videos, gst_object_ref (i->data));
  GST_OBJECT_UNLOCK (decoder);
  for (GList *i = videos, *next; i; i = next) {
    next = i->next;
    if (!is_video (i->data)) {
      gst_object_unref (i->data);
      videos = g_list_delete_link (videos, i);
    }
  }
  videos = g_list_sort (videos, compare_pads);
  n = g_list_length (videos);
  if (n && self->stream > n)
    GST_ELEMENT_ERROR (decoder, STREAM, WRONG_TYPE,
        ("it has %u video%s; expected a stream from 1 to %u, found %u", n,
            n == 1 ? "" : "s", n, self->stream),
        (NULL));
  else if (n)
    link_pad (self, g_list_nth_data (videos, self->stream - 1));
  g_list_free_full (videos, gst_object_unref);
}

static void
on_pad_added (GstElement *decoder, GstPad *pad, gpointer user)
{
  if (is_video (pad))
    link_pad (user, pad);
}

static void
free_link (gpointer user, GClosure *closure)
{
  Link *self = user;

  gst_object_unref (self->convert);
  g_free (self);
}

void
tool_chain_set_up (GstElement *pipeline, GstElement *decoder, guint stream,
    gboolean is_alone)
{
  Link *self = g_new0 (Link, 1);

  tool_decoder_prepare (pipeline);
  self->convert = gst_bin_get_by_name (GST_BIN (pipeline), "convert");
  self->stream = MAX (stream, 1);
  if (is_alone)
    g_signal_connect_data (decoder, "pad-added", G_CALLBACK (on_pad_added),
        self, free_link, 0);
  else
    g_signal_connect_data (decoder, "no-more-pads",
        G_CALLBACK (on_no_more_pads), self, free_link, 0);
}

#endif
