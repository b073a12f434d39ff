/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What the streaming threads of a camera's pipeline know.
 *
 * A pipeline that is stopped may still run when its camera is gone: each of its callbacks
 * has a reference, and nobody is woken any more. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <gst/app/gstappsink.h>

#include "camera/tap.h"

static void
clear_tap (gpointer data)
{
  ToolTap *tap = data;

  if (tap->picture)
    gst_sample_unref (tap->picture);
  g_mutex_clear (&tap->lock);
}

static void
unref_tap (gpointer tap)
{
  g_atomic_rc_box_release_full (tap, clear_tap);
}

static gboolean
dispatch_news (GSource *source, GSourceFunc callback, gpointer data)
{
  const ToolTap *tap = data;

  g_source_set_ready_time (source, -1);
  tap->on_picture (tap->user);
  return G_SOURCE_CONTINUE;
}

static gboolean
never (gpointer unused)
{
  return G_SOURCE_CONTINUE;
}

ToolTap *
tool_tap_new (void (*on_picture) (gpointer user), gpointer user)
{
  static GSourceFuncs functions = { .dispatch = dispatch_news };
  ToolTap *tap = g_atomic_rc_box_new0 (ToolTap);

  g_mutex_init (&tap->lock);
  tap->on_picture = on_picture;
  tap->user = user;
  tap->news = g_source_new (&functions, sizeof (GSource));
  g_source_set_callback (tap->news, never, tap, NULL);
  g_source_attach (tap->news, NULL);
  return tap;
}

void
tool_tap_end (ToolTap *tap)
{
  g_autoptr (GSource) news = NULL;

  g_mutex_lock (&tap->lock);
  news = g_steal_pointer (&tap->news);
  g_mutex_unlock (&tap->lock);
  g_source_destroy (news);
  unref_tap (tap);
}

/* Runs behind the tracker, for each frame. */
static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  ToolTap *tap = data;
  GstCustomMeta *meta = gst_buffer_get_custom_meta (GST_PAD_PROBE_INFO_BUFFER (
                                                        info),
      "GstYolov10FrameMeta");
  const char *inference = meta
      ? gst_structure_get_string (gst_custom_meta_get_structure (meta),
          "inference")
      : NULL;

  tap->last_frame = g_get_monotonic_time ();
  tap->frames++;
  tap->inferred += !g_strcmp0 (inference, "fresh");
  tap->held += !g_strcmp0 (inference, "held");
  return GST_PAD_PROBE_OK;
}

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer data)
{
  ToolTap *tap = data;
  GstSample *sample = gst_app_sink_pull_sample (sink);
  g_autoptr (GstSample) old = NULL;

  if (!sample)
    return GST_FLOW_OK;
  g_mutex_lock (&tap->lock);
  old = tap->picture;
  tap->picture = sample;
  if (tap->news)
    g_source_set_ready_time (tap->news, 0);
  g_mutex_unlock (&tap->lock);
  return GST_FLOW_OK;
}

void
tool_tap_set_up (ToolTap *tap, GstBin *pipeline)
{
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample };
  g_autoptr (GstElement) tracker = gst_bin_get_by_name (pipeline, "track");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (pipeline, "out");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (tracker, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame,
      g_atomic_rc_box_acquire (tap), unref_tap);
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks,
      g_atomic_rc_box_acquire (tap), unref_tap);
}

GBytes *
tool_tap_get_picture (ToolTap *tap)
{
  g_autoptr (GstSample) sample = NULL;
  GBytes *bytes = NULL;
  GstMapInfo map;

  g_mutex_lock (&tap->lock);
  if (tap->picture)
    sample = gst_sample_ref (tap->picture);
  g_mutex_unlock (&tap->lock);
  if (!sample)
    return NULL;
  if (gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ)) {
    bytes = g_bytes_new (map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  }
  return bytes;
}

void
tool_tap_forget_picture (ToolTap *tap)
{
  g_autoptr (GstSample) old = NULL;

  g_mutex_lock (&tap->lock);
  old = g_steal_pointer (&tap->picture);
  g_mutex_unlock (&tap->lock);
}

#endif
