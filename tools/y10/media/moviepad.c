/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* qtdemux compares media times with the duration of the movie, and ends at the
 * first key frame after it. Media times are later than the movie's where an edit
 * list skips the beginning, as in every video that was trimmed without encoding
 * it again. So this file lengthens the duration in the box 'moov' before qtdemux
 * reads it. The edit list still says what is shown. */

#include "config.h"

#include "media/movie.h"

#ifdef HAVE_GST

#include <gst/base/gstadapter.h>
#include <string.h>

#include "media/moviepad.h"

#define MAX_MOOV (256u << 20)

struct _ToolMoviePad
{
  ToolMovie *movie; /* set once, atomically */
  GstAdapter *held; /* pushed data that is not passed on yet */
  guint64 next_box; /* where it begins, from what is held on */
  gboolean discont; /* what is held is flagged so */
  gboolean done;
};

/* Returns the size of the box that begins at @data; 0 if it cannot be told. */
static guint64
box_size (const guint8 *data, gsize n)
{
  guint64 size = n >= 8 ? GST_READ_UINT32_BE (data) : 0;

  if (size == 1)
    size = n >= 16 ? GST_READ_UINT64_BE (data + 8) : 0;
  return size;
}

static gboolean
is_moov (const guint8 *data, gsize n)
{
  return n >= 8 && !memcmp (data + 4, "moov", 4);
}

/* Takes @buffer, of which the whole box begins at @at; returns its successor. */
static GstBuffer *
correct (ToolMoviePad *self, GstBuffer *buffer, gsize at)
{
  GstMapInfo map;

  buffer = gst_buffer_make_writable (buffer);
  if (gst_buffer_map (buffer, &map, GST_MAP_READWRITE)) {
    g_atomic_pointer_set (&self->movie,
        tool_movie_new (map.data + at, map.size - at));
    tool_movie_extend (map.data + at, map.size - at);
    gst_buffer_unmap (buffer, &map);
  }
  self->done = TRUE;
  return buffer;
}

/* qtdemux pulls whole boxes. */
static void
take_pulled (ToolMoviePad *self, GstPadProbeInfo *info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gboolean whole = FALSE;
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    whole = is_moov (map.data, map.size) && map.size > 16
        && box_size (map.data, map.size) == map.size;
    gst_buffer_unmap (buffer, &map);
  }
  if (whole)
    GST_PAD_PROBE_INFO_DATA (info) = correct (self, buffer, 0);
}

/* Passes on all that is held, with the box at @at corrected unless it is -1. */
static GstPadProbeReturn
release (ToolMoviePad *self, GstPadProbeInfo *info, gssize at)
{
  const gsize n = gst_adapter_available (self->held);
  GstBuffer *all = gst_adapter_take_buffer (self->held, n);

  self->next_box -= MIN (self->next_box, n);
  if (at >= 0)
    all = correct (self, all, (gsize) at);
  else
    all = gst_buffer_make_writable (all);
  if (self->discont)
    GST_BUFFER_FLAG_SET (all, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = all;
  return GST_PAD_PROBE_OK;
}

/* Pushed data is held back from the header of a box until it is known not to be
 * 'moov', and that box until it is complete. */
static GstPadProbeReturn
take_pushed (ToolMoviePad *self, GstPadProbeInfo *info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  guint8 head[16];
  guint64 size;
  gsize n, at;

  self->discont |= GST_BUFFER_IS_DISCONT (buffer);
  gst_adapter_push (self->held, gst_buffer_ref (buffer));
  n = gst_adapter_available (self->held);
  while (self->next_box < n && n - self->next_box >= sizeof head) {
    at = (gsize) self->next_box;
    gst_adapter_copy (self->held, head, at, sizeof head);
    size = box_size (head, sizeof head);
    if (is_moov (head, sizeof head) && size <= MAX_MOOV && size > sizeof head) {
      if (n - at < size)
        return GST_PAD_PROBE_DROP;
      return release (self, info, (gssize) at);
    }
    if (size < 8 || size > G_MAXINT64 - self->next_box) {
      self->done = TRUE; /* this is not an MP4 file */
      break;
    }
    self->next_box += size;
  }
  if (!self->done && self->next_box < n)
    return GST_PAD_PROBE_DROP;
  return release (self, info, -1);
}

/* In a streaming thread. */
static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  ToolMoviePad *self = user;

  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    /* qtdemux seeks to the beginning of a box. */
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT) {
      gst_adapter_clear (self->held);
      self->next_box = 0;
    }
    return GST_PAD_PROBE_OK;
  }
  if (self->done || !GST_PAD_PROBE_INFO_BUFFER (info))
    return GST_PAD_PROBE_OK;
  if (info->type & GST_PAD_PROBE_TYPE_PUSH)
    return take_pushed (self, info);
  take_pulled (self, info);
  return GST_PAD_PROBE_OK;
}

ToolMoviePad *
tool_movie_pad_new (GstElement *qtdemux)
{
  ToolMoviePad *self = g_new0 (ToolMoviePad, 1);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (qtdemux, "sink");

  self->held = gst_adapter_new ();
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_PULL
          | GST_PAD_PROBE_TYPE_PUSH | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_data, self, NULL);
  return self;
}

const ToolMovie *
tool_movie_pad_get (ToolMoviePad *self)
{
  return g_atomic_pointer_get (&self->movie);
}

void
tool_movie_pad_free (ToolMoviePad *self)
{
  g_clear_pointer (&self->movie, tool_movie_free);
  g_object_unref (self->held);
  g_free (self);
}

#endif
