/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What the streaming threads of a camera's pipeline know.
 *
 * A pipeline that is stopped may still run when its camera is gone: each of its callbacks
 * has a reference, and nobody is woken any more. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <gst/app/gstappsink.h>

#include "camera/link.h"

static void
clear_link (gpointer data)
{
  ToolLink *link = data;

  if (link->picture)
    gst_sample_unref (link->picture);
  g_mutex_clear (&link->lock);
}

static void
unref_link (gpointer link)
{
  g_atomic_rc_box_release_full (link, clear_link);
}

static gboolean
dispatch_news (GSource *source, GSourceFunc callback, gpointer data)
{
  const ToolLink *link = data;

  g_source_set_ready_time (source, -1);
  link->on_picture (link->user);
  return G_SOURCE_CONTINUE;
}

static gboolean
never (gpointer unused)
{
  return G_SOURCE_CONTINUE;
}

ToolLink *
tool_link_new (void (*on_picture) (gpointer user), gpointer user)
{
  static GSourceFuncs functions = { .dispatch = dispatch_news };
  ToolLink *link = g_atomic_rc_box_new0 (ToolLink);

  g_mutex_init (&link->lock);
  link->on_picture = on_picture;
  link->user = user;
  link->news = g_source_new (&functions, sizeof (GSource));
  g_source_set_callback (link->news, never, link, NULL);
  g_source_attach (link->news, NULL);
  return link;
}

void
tool_link_end (ToolLink *link)
{
  GSource *news;

  g_mutex_lock (&link->lock);
  news = g_steal_pointer (&link->news);
  g_mutex_unlock (&link->lock);
  g_source_destroy (news);
  g_source_unref (news);
  unref_link (link);
}

/* Runs behind the tracker, for each frame. */
static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  ToolLink *link = data;
  GstCustomMeta *meta = gst_buffer_get_custom_meta (GST_PAD_PROBE_INFO_BUFFER (
                                                        info),
      "GstYolov10FrameMeta");
  const char *inference = meta
      ? gst_structure_get_string (gst_custom_meta_get_structure (meta),
          "inference")
      : NULL;

  link->last_frame = g_get_monotonic_time ();
  link->frames++;
  link->inferred += !g_strcmp0 (inference, "fresh");
  link->held += !g_strcmp0 (inference, "held");
  return GST_PAD_PROBE_OK;
}

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer data)
{
  ToolLink *link = data;
  GstSample *sample = gst_app_sink_pull_sample (sink), *old;

  if (!sample)
    return GST_FLOW_OK;
  g_mutex_lock (&link->lock);
  old = link->picture;
  link->picture = sample;
  if (link->news)
    g_source_set_ready_time (link->news, 0);
  g_mutex_unlock (&link->lock);
  if (old)
    gst_sample_unref (old);
  return GST_FLOW_OK;
}

void
tool_link_set_up (ToolLink *link, GstBin *pipeline)
{
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample };
  GstElement *tracker = gst_bin_get_by_name (pipeline, "track");
  GstElement *sink = gst_bin_get_by_name (pipeline, "out");
  GstPad *pad = gst_element_get_static_pad (tracker, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame,
      g_atomic_rc_box_acquire (link), unref_link);
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks,
      g_atomic_rc_box_acquire (link), unref_link);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (tracker);
}

GBytes *
tool_link_get_picture (ToolLink *link)
{
  GstSample *sample = NULL;
  GBytes *bytes = NULL;
  GstMapInfo map;

  g_mutex_lock (&link->lock);
  if (link->picture)
    sample = gst_sample_ref (link->picture);
  g_mutex_unlock (&link->lock);
  if (!sample)
    return NULL;
  if (gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ)) {
    bytes = g_bytes_new (map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  }
  gst_sample_unref (sample);
  return bytes;
}

void
tool_link_forget_picture (ToolLink *link)
{
  GstSample *old;

  g_mutex_lock (&link->lock);
  old = g_steal_pointer (&link->picture);
  g_mutex_unlock (&link->lock);
  if (old)
    gst_sample_unref (old);
}

#endif
