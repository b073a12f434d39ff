/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs a pipeline of cameras until SIGINT, and tells what reaches its recorders: for each
 * buffer that an identity hands on, the first letter of the identity's name is on standard
 * output before the next element has the buffer. A stream that ends does not tell its
 * recorder: like a camera that sends nothing more. From SIGUSR1 on nothing is handed on.
 *
 * usage: arrivals DESCRIPTION */
#include <glib-unix.h>
#include <gst/gst.h>
#include <unistd.h>

static gint stopping, is_paused; /* atomic */

static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  g_autofree gchar *name = gst_object_get_name (user);

  while (g_atomic_int_get (&is_paused))
    g_usleep (1000);
  if (write (STDOUT_FILENO, name, 1) != 1)
    g_error ("nobody reads what arrives");
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  return GST_EVENT_TYPE (info->data) == GST_EVENT_EOS
          && !g_atomic_int_get (&stopping)
      ? GST_PAD_PROBE_DROP
      : GST_PAD_PROBE_OK;
}

static void
watch (const GValue *item, gpointer user)
{
  GstElement *element = g_value_get_object (item);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, element, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, NULL,
      NULL);
}

static gboolean
stop (gpointer pipeline)
{
  g_atomic_int_set (&stopping, TRUE);
  gst_element_send_event (pipeline, gst_event_new_eos ());
  return G_SOURCE_CONTINUE;
}

static gboolean
on_pause (gpointer user)
{
  g_atomic_int_set (&is_paused, TRUE);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer loop)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    g_main_loop_quit (loop);
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return G_SOURCE_CONTINUE;
  gst_message_parse_error (message, &error, NULL);
  g_error ("%s: %s", GST_OBJECT_NAME (message->src), error->message);
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstIterator) identities = NULL;
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstBus) bus = NULL;

  gst_init (&argc, &argv);
  if (argc != 2)
    g_error ("usage: arrivals DESCRIPTION");
  pipeline = gst_parse_launch (argv[1], &error);
  if (error)
    g_error ("%s", error->message);
  identities = gst_bin_iterate_all_by_element_factory_name (GST_BIN (pipeline),
      "identity");
  gst_iterator_foreach (identities, watch, NULL);
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, loop);
  g_unix_signal_add (SIGINT, stop, pipeline);
  g_unix_signal_add (SIGUSR1, on_pause, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (loop);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  return 0;
}
