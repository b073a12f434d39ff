/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes a frame as a JPEG with its boxes drawn. A separate thread draws and
 * writes, while the stream continues. */

#include <glib/gstdio.h>

#include "cameras.h"

/* The maximum number of stills that wait to be written; more are dropped. */
#define MOST_STILLS 8

typedef struct
{
  gchar *name, *path;
  GstSample *sample;
  GError *error;
} Still;

static GThreadPool *pool;

static gboolean
still_done (gpointer data)
{
  Still *still = data;
  GString *line = line_new (still->name);

  if (still->error)
    line_add (line, "still-error", still->error->message);
  else
    line_add (line, "still", still->path);
  line_print (line);
  g_clear_error (&still->error);
  g_free (still->name);
  g_free (still->path);
  g_free (still);
  return G_SOURCE_REMOVE;
}

static void
run_still (GstElement *pipeline, Still *still, const gchar *path)
{
  GstElement *in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  GstElement *out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GstFlowReturn flow;

  g_object_set (out, "location", path, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_signal_emit_by_name (in, "push-sample", still->sample, &flow);
  g_signal_emit_by_name (in, "end-of-stream", &flow);
  message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (!message)
    g_set_error (&still->error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
        "drawing a still took more than 10 s");
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &still->error, NULL);
  g_clear_pointer (&message, gst_message_unref);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (out);
  gst_object_unref (in);
}

static void
write_still (gpointer data, gpointer unused)
{
  Still *still = data;
  gchar *part = g_strconcat (still->path, ".part", NULL);
  GstElement *pipeline = gst_parse_launch (
      "appsrc name=in format=time ! "
      "yolov10overlay ! videoconvert ! jpegenc ! filesink name=out",
      &still->error);

  if (!still->error)
    run_still (pipeline, still, part);
  g_clear_pointer (&pipeline, gst_object_unref);
  /* Programs that watch the folder see complete files only. */
  if (!still->error && g_rename (part, still->path))
    g_set_error (&still->error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "%s cannot be written", still->path);
  if (still->error)
    g_unlink (part);
  g_free (part);
  g_clear_pointer (&still->sample, gst_sample_unref);
  g_idle_add (still_done, still);
}

gboolean
still_want (const gchar *camera, GstPad *pad, GstBuffer *buffer)
{
  static gsize once;
  GstCaps *caps;
  GDateTime *now;
  gchar *time;
  Still *still;

  if (g_once_init_enter (&once)) {
    pool = g_thread_pool_new (write_still, NULL, 1, FALSE, NULL);
    g_once_init_leave (&once, 1);
  }
  if (g_thread_pool_unprocessed (pool) >= MOST_STILLS)
    return FALSE;
  still = g_new0 (Still, 1);
  now = g_date_time_new_now_utc ();
  time = g_date_time_format (now, "%Y%m%dT%H%M%S.%f");
  caps = gst_pad_get_current_caps (pad);
  still->name = g_strdup (camera);
  still->path = g_strdup_printf ("%s/%s-%s.jpg", options.stills, camera, time);
  still->sample = gst_sample_new (buffer, caps, NULL, NULL);
  g_thread_pool_push (pool, still, NULL);
  gst_caps_unref (caps);
  g_free (time);
  g_date_time_unref (now);
  return TRUE;
}

/* Waits for stills that are being written; call still_want() no more. */
void
still_finish (void)
{
  if (pool)
    g_thread_pool_free (pool, FALSE, TRUE);
}
