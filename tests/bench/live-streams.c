/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* live-streams [--streams N] [--fps LIST] [--seconds S] [--properties TEXT] …
 *
 * Live cameras in one process, one pipeline: N × videotestsrc is-live=true !
 * ELEMENT ! queue ! fakesink sync=true, whose rates go round through the list.
 * The queue keeps the sink's waiting time out of ELEMENT's. Stamps each frame
 * at both pads of ELEMENT and prints one row of a table: the total time,
 * whether all frames came out in order, their delay in the first and in the
 * last quarter, and the distribution of inferences. --element identity shows
 * the machine's limit without inference. */

#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  guint fps, n_frames;
  gint64 *came, *left; /* microseconds, by the frame's number */
  gint n_in, n_out, n_wrong;
  GstElement *element;
} Camera;

static gchar *element = "yolov10detect", *rates = "5,15,60", *properties = "";
static gchar *size = "640x360";
static gint n_streams = 1, seconds = 60;
static gboolean header, csv;

static const GOptionEntry options[] = { { "streams", 'n', 0, G_OPTION_ARG_INT,
                                            &n_streams, "cameras", "N" },
  { "fps", 'f', 0, G_OPTION_ARG_STRING, &rates, "frame rates, used in turn",
      "LIST" },
  { "seconds", 's', 0, G_OPTION_ARG_INT, &seconds, "length of the video", "S" },
  { "size", 0, 0, G_OPTION_ARG_STRING, &size, "size of the frames", "WxH" },
  { "element", 'e', 0, G_OPTION_ARG_STRING, &element,
      "another element than the detector", "NAME" },
  { "properties", 'p', 0, G_OPTION_ARG_STRING, &properties,
      "the element's properties", "TEXT" },
  { "header", 0, 0, G_OPTION_ARG_NONE, &header, "print the table's header",
      NULL },
  { "csv", 0, 0, G_OPTION_ARG_NONE, &csv, "also print one line per camera",
      NULL },
  { NULL } };

/* Returns the number of a frame, or -1. */
static gint
number_of (const Camera *camera, GstBuffer *buffer)
{
  guint64 n = GST_BUFFER_OFFSET (buffer);

  return n < camera->n_frames ? (gint) n : -1;
}

static GstPadProbeReturn
frame_in (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Camera *camera = data;
  gint n = number_of (camera, GST_PAD_PROBE_INFO_BUFFER (info));

  camera->n_wrong += n != camera->n_in;
  camera->n_in++;
  if (n >= 0)
    camera->came[n] = g_get_monotonic_time ();
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
frame_out (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Camera *camera = data;
  gint n = number_of (camera, GST_PAD_PROBE_INFO_BUFFER (info));

  camera->n_wrong += n != camera->n_out;
  camera->n_out++;
  if (n >= 0)
    camera->left[n] = g_get_monotonic_time ();
  return GST_PAD_PROBE_OK;
}

static GstElement *
make_pipeline (Camera *cameras)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gchar **list = g_strsplit (rates, ",", -1);
  guint n_rates = g_strv_length (list), width, height;
  GstElement *pipeline;
  GError *error = NULL;

  if (sscanf (size, "%ux%u", &width, &height) != 2)
    g_error ("--size is %s; expected WxH", size);
  for (gint i = 0; i < n_streams; i++) {
    Camera *camera = &cameras[i];

    camera->fps = (guint) atoi (list[(guint) i % n_rates]);
    camera->n_frames = camera->fps * (guint) seconds;
    camera->came = g_new0 (gint64, camera->n_frames);
    camera->left = g_new0 (gint64, camera->n_frames);
    g_string_append_printf (text,
        "videotestsrc is-live=true pattern=black "
        "num-buffers=%u ! video/x-raw,format=NV12,width=%u,height=%u,"
        "framerate=%u/1 ! %s name=e%d %s ! queue max-size-buffers=0 "
        "max-size-bytes=0 max-size-time=0 ! fakesink sync=true qos=true ",
        camera->n_frames, width, height, camera->fps, element, i, properties);
  }
  pipeline = gst_parse_launch (text->str, &error);
  if (!pipeline)
    g_error ("%s", error->message);
  for (gint i = 0; i < n_streams; i++) {
    gchar *name = g_strdup_printf ("e%d", i);
    GstPad *pad;

    cameras[i].element = gst_bin_get_by_name (GST_BIN (pipeline), name);
    pad = gst_element_get_static_pad (cameras[i].element, "sink");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, frame_in, &cameras[i],
        NULL);
    gst_object_unref (pad);
    pad = gst_element_get_static_pad (cameras[i].element, "src");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, frame_out, &cameras[i],
        NULL);
    gst_object_unref (pad);
    g_free (name);
  }
  g_strfreev (list);
  return pipeline;
}

static gdouble
busy_of (GstElement *e)
{
  GstStructure *stats;
  gdouble busy = 0;

  g_object_get (e, "engine-stats", &stats, NULL);
  if (stats) {
    gst_structure_get_double (stats, "busy", &busy);
    gst_structure_free (stats);
  }
  return busy;
}

/* Samples the share of time that the engine is busy, once, a quarter of a
 * second before the sources end, because it is idle afterwards. */
static gpointer
sample_busy (gpointer data)
{
  const Camera *camera = data;
  gdouble *busy = g_new (gdouble, 1);

  g_usleep ((gulong) (seconds * G_USEC_PER_SEC - G_USEC_PER_SEC / 4));
  *busy = busy_of (camera->element);
  return busy;
}

/* Returns the number of frames that sinks dropped. */
static guint64
wait_for_eos (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  guint64 dropped = 0;
  gboolean done = FALSE;

  while (!done) {
    GstMessage *message = gst_bus_timed_pop (bus, GST_CLOCK_TIME_NONE);
    guint64 n;

    switch (GST_MESSAGE_TYPE (message)) {
      case GST_MESSAGE_EOS:
        done = TRUE;
        break;
      case GST_MESSAGE_LATENCY:
        gst_bin_recalculate_latency (GST_BIN (pipeline));
        break;
      case GST_MESSAGE_QOS:
        gst_message_parse_qos_stats (message, NULL, NULL, &n);
        dropped += n;
        break;
      case GST_MESSAGE_ERROR: {
        GError *error;

        gst_message_parse_error (message, &error, NULL);
        g_error ("%s", error->message);
      }
      default:
        break;
    }
    gst_message_unref (message);
  }
  return dropped;
}

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* The median delay of all cameras' frames in this part of the run, in
 * milliseconds. */
static gdouble
median (const Camera *cameras, gdouble from, gdouble to)
{
  g_autoptr (GArray) delays = g_array_new (FALSE, FALSE, sizeof (gint64));
  gdouble result;

  for (gint i = 0; i < n_streams; i++) {
    const Camera *c = &cameras[i];

    for (guint k = (guint) (c->n_frames * from); k < c->n_frames * to; k++) {
      gint64 delay = c->left[k] - c->came[k];

      g_array_append_val (delays, delay);
    }
  }
  qsort (delays->data, delays->len, sizeof (gint64), compare);
  result = delays->len
      ? (gdouble) g_array_index (delays, gint64, delays->len / 2) / 1000
      : 0;
  return result;
}

static guint64
stat_of (GstElement *e, const char *field)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (e, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, field, &value);
  gst_structure_free (stats);
  return value;
}

/* The greatest difference of inferences between cameras of one rate. */
static guint64
unfairness (const Camera *cameras, const guint64 *inferences)
{
  guint64 most = 0;

  for (gint i = 0; i < n_streams; i++)
    for (gint k = 0; k < i; k++)
      if (cameras[i].fps == cameras[k].fps)
        most = MAX (most,
            MAX (inferences[i], inferences[k])
                - MIN (inferences[i], inferences[k]));
  return most;
}

static void
print_row (Camera *cameras, gdouble wall, guint64 dropped, gdouble busy)
{
  gboolean is_detector = !strcmp (element, "yolov10detect");
  guint64 *inferences = g_new0 (guint64, (gsize) n_streams), all = 0;
  gint n_in = 0, n_out = 0, n_wrong = 0;
  gdouble worst = 0, beyond = -1e9, inference = 0;

  for (gint i = 0; i < n_streams; i++) {
    Camera *c = &cameras[i];
    gdouble longest = 0;

    n_in += c->n_in;
    n_out += c->n_out;
    n_wrong += c->n_wrong;
    for (guint k = 0; k < c->n_frames; k++)
      longest = MAX (longest, (gdouble) (c->left[k] - c->came[k]) / 1000);
    worst = MAX (worst, longest);
    if (is_detector) {
      inferences[i] = stat_of (c->element, "inferences");
      inference = (gdouble) (stat_of (c->element, "inference-max")
                      + stat_of (c->element, "preprocess-max"))
          / 1e6;
      beyond = MAX (beyond, longest - inference - 1000.0 / c->fps);
      all += inferences[i];
      if (csv)
        printf ("  camera %d: %u/s, %" G_GUINT64_FORMAT
                " inferences, %" G_GUINT64_FORMAT
                " held, worst delay %.1f ms\n",
            i, c->fps, inferences[i], stat_of (c->element, "held"), longest);
    }
  }
  printf ("%-13s %3d  %6.2f  %6d %6d %3d %4" G_GUINT64_FORMAT "  %7.1f %7.1f  "
          "%7.1f",
      element, n_streams, wall, n_in, n_out, n_wrong, dropped,
      median (cameras, 0, 0.25), median (cameras, 0.75, 1), worst);
  if (is_detector)
    printf ("  %7.1f %7.1f  %6" G_GUINT64_FORMAT " %4" G_GUINT64_FORMAT
            "  %5.1f",
        inference, beyond, all, unfairness (cameras, inferences), 100 * busy);
  printf ("\n");
  g_free (inferences);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GstElement *pipeline;
  GError *error = NULL;
  Camera *cameras;
  GThread *sampler = NULL;
  guint64 dropped;
  gdouble busy = 0, wall;
  gint64 start;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return 2;
  }
  g_option_context_free (context);
  if (header)
    printf ("element       cameras wall s   in     out wrong qos  "
            "median delay ms   worst  inference beyond  inferences     busy\n"
            "                                                        "
            "first    last      ms    max ms     ms    all  diff     %%\n");
  cameras = g_new0 (Camera, (gsize) n_streams);
  pipeline = make_pipeline (cameras);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  start = g_get_monotonic_time ();
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  if (!strcmp (element, "yolov10detect"))
    sampler = g_thread_new ("sampler", sample_busy, &cameras[0]);
  dropped = wait_for_eos (pipeline);
  wall = (gdouble) (g_get_monotonic_time () - start) / 1e6;
  if (sampler) {
    gdouble *sample = g_thread_join (sampler);

    busy = *sample;
    g_free (sample);
  }
  print_row (cameras, wall, dropped, busy);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (gint i = 0; i < n_streams; i++) {
    gst_object_unref (cameras[i].element);
    g_free (cameras[i].came);
    g_free (cameras[i].left);
  }
  gst_object_unref (pipeline);
  g_free (cameras);
  return 0;
}
