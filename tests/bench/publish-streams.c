/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* publish-streams [--streams N] [--fps N] [--seconds S] [--publish PROPERTIES]
 *
 * Live cameras in one process: N × videotestsrc is-live=true ! yolov10detect !
 * yolov10track ! yolov10zones ! yolov10publish ! fakesink, by publish-delay.py. Prints a
 * JSON object: how many frames and events came to yolov10publish and how many frames left
 * it, the longest time that a frame spent in it and the greatest age of one behind it,
 * both in milliseconds, and the statistics. Without --publish, identity
 * stands there. */

#include <gst/gst.h>
#include <stdio.h>

typedef struct
{
  GstElement *element;
  gint64 came;
  gint64 longest;
  GstClockTime oldest;
  guint n_in, n_out, n_events;
} Camera;

static gint n_streams = 4, fps = 15, seconds = 20;
static gchar *properties;

static const GOptionEntry options[] = { { "streams", 0, 0, G_OPTION_ARG_INT,
                                            &n_streams, "cameras", "N" },
  { "fps", 0, 0, G_OPTION_ARG_INT, &fps, "frame rate", "N" },
  { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "length of the video", "S" },
  { "publish", 0, 0, G_OPTION_ARG_STRING, &properties,
      "properties of yolov10publish", "TEXT" },
  { NULL } };

static GstPadProbeReturn
on_sink (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Camera *camera = data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    camera->came = g_get_monotonic_time ();
    camera->n_in++;
  } else if (gst_event_has_name (GST_PAD_PROBE_INFO_EVENT (info),
                 "yolov10-event")) {
    camera->n_events++;
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_src (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Camera *camera = data;
  GstElement *element = camera->element;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClock *clock = gst_element_get_clock (element);

  camera->longest = MAX (camera->longest,
      g_get_monotonic_time () - camera->came);
  /* From a second on, when all have begun. */
  if (clock && GST_BUFFER_PTS (buffer) > GST_SECOND) {
    const GstClockTime now = gst_clock_get_time (clock)
        - gst_element_get_base_time (element);

    if (now > GST_BUFFER_PTS (buffer))
      camera->oldest = MAX (camera->oldest, now - GST_BUFFER_PTS (buffer));
  }
  camera->n_out++;
  gst_clear_object (&clock);
  return GST_PAD_PROBE_OK;
}

static void
watch (Camera *camera, GstElement *pipeline, guint i)
{
  g_autofree gchar *name = g_strdup_printf ("p%u", i);
  GstPad *pad;

  camera->element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  pad = gst_element_get_static_pad (camera->element, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_sink,
      camera, NULL);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (camera->element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_src, camera, NULL);
  gst_object_unref (pad);
}

static GstElement *
make_pipeline (GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GstElement *pipeline;

  for (gint i = 0; i < n_streams; i++)
    g_string_append_printf (text,
        "videotestsrc is-live=true pattern=ball num-buffers=%d ! "
        "video/x-raw,format=I420,width=320,height=240,framerate=%d/1 ! "
        "yolov10detect ! yolov10track ! "
        "yolov10zones hysteresis=0 zones=\"a=0,0 0.6,1; l=0,0.6 -> 1,0.6\" ! "
        "%s name=p%d %s ! fakesink sync=false\n",
        fps * seconds, fps, properties ? "yolov10publish" : "identity", i,
        properties ? properties : "");
  pipeline = gst_parse_launch (text->str, error);
  return pipeline;
}

/* Those of the spool are of all cameras; those of pictures are added. */
static void
print_stats (const Camera *cameras)
{
  GstStructure *all = NULL;

  for (gint i = 0; properties && i < n_streams; i++) {
    static const gchar *const own[] = { "snapshots", "snapshots-dropped" };
    GstStructure *stats;

    g_object_get (cameras[i].element, "stats", &stats, NULL);
    for (guint j = 0; all && j < G_N_ELEMENTS (own); j++) {
      guint64 sum = 0, more = 0;

      gst_structure_get_uint64 (all, own[j], &sum);
      gst_structure_get_uint64 (stats, own[j], &more);
      gst_structure_set (stats, own[j], G_TYPE_UINT64, sum + more, NULL);
    }
    g_clear_pointer (&all, gst_structure_free);
    all = stats;
  }
  for (gint i = 0; all && i < gst_structure_n_fields (all); i++) {
    const gchar *name = gst_structure_nth_field_name (all, (guint) i);
    guint64 value;

    if (gst_structure_get_uint64 (all, name, &value))
      printf (", \"%s\": %" G_GUINT64_FORMAT, name, value);
  }
  g_clear_pointer (&all, gst_structure_free);
}

/* Returns whether it came to its end. */
static gboolean
run (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gboolean ok;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus,
      (GstClockTime) (seconds + 60) * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  ok = message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  if (!ok)
    fprintf (stderr, "publish-streams: %s\n",
        message ? gst_structure_to_string (gst_message_get_structure (message))
                : "it has not ended");
  gst_clear_message (&message);
  return ok;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  GError *error = NULL;
  GstElement *pipeline;
  Camera *cameras, all = { 0 };
  gboolean ok;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)
      || !(pipeline = make_pipeline (&error))) {
    fprintf (stderr, "publish-streams: %s\n", error->message);
    return 2;
  }
  cameras = g_new0 (Camera, n_streams);
  for (gint i = 0; i < n_streams; i++)
    watch (&cameras[i], pipeline, (guint) i);
  ok = run (pipeline);
  for (gint i = 0; i < n_streams; i++) {
    all.n_in += cameras[i].n_in;
    all.n_out += cameras[i].n_out;
    all.n_events += cameras[i].n_events;
    all.longest = MAX (all.longest, cameras[i].longest);
    all.oldest = MAX (all.oldest, cameras[i].oldest);
  }
  printf ("{\"in\": %u, \"out\": %u, \"events\": %u, \"longest\": %.3f, "
          "\"oldest\": %.1f",
      all.n_in, all.n_out, all.n_events, all.longest / 1e3,
      all.oldest / (gdouble) GST_MSECOND);
  print_stats (cameras);
  printf ("}\n");
  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (gint i = 0; i < n_streams; i++)
    gst_object_unref (cameras[i].element);
  gst_object_unref (pipeline);
  g_free (cameras);
  return !ok;
}
