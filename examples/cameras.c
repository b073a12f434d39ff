/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Watches RTSP cameras that come, fail, stall and go, and prints what they see
 * as lines of JSON. An example to copy from: docs/cameras.md says what it
 * prints, and why it is made like this.
 *
 * Each camera has a pipeline of its own. An error in one is nothing to the
 * others, and one can be stopped without them; in bins of one pipeline they
 * would share a state, a clock and a bus. Detectors of a process share their
 * engine anyhow.
 *
 * A pipeline is one attempt to reach a camera. When it fails, by an error, the
 * end of the stream or silence, it is thrown away and a new one is made after a
 * pause: nothing is left over from the last attempt, neither timestamps nor half
 * a frame.
 *
 * The main thread owns the cameras and prints. It never waits: stopping a
 * pipeline may take as long as the network wants, so a thread does it. Streaming
 * threads see a Link and nothing else. */

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include <gio/gio.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <json-glib/json-glib.h>

/* A connection that has lasted so long was a good one: the next pause is short
 * again. Seconds. */
#define STEADY 10
/* Of one camera, pipelines that are being stopped. */
#define MOST_CLOSING 4
/* Stills that wait to be written; more are left out. */
#define MOST_STILLS 8

static struct
{
  gchar *model, *backend, *classes, *stills, *sink;
  gint latency, interval;
  gboolean udp, found;
  gdouble timeout, most_pause, still_pause;
} options = {
  .backend = (gchar *) "auto",.sink = (gchar *) "fakesink sync=false",
  .latency = 200,.interval = 1,.timeout = 5,.most_pause = 5,.still_pause = 10
};

/* What streaming threads know of an attempt. Times are monotonic µs. */
typedef struct
{
  gchar *name;
  atomic_bool has_video;
  _Atomic gint64 last_frame;    /* 0 before the first */
  _Atomic gint64 still_due;
} Link;

typedef struct
{
  gchar *name, *uri;
  GstElement *pipeline;         /* NULL in a pause */
  Link *link;                   /* of that pipeline */
  gint64 began, connected;      /* when; 0 before the first frame */
  gint64 still_due;
  guint attempts;               /* since the last good connection */
  guint pause;                  /* source id */
  guint closing;                /* pipelines of its that are being stopped */
} Camera;

typedef struct
{
  Camera *camera;
  GstElement *pipeline;
} Closing;

typedef struct
{
  gchar *name, *path;
  GstSample *sample;
  GError *error;
} Still;

static GHashTable *cameras;     /* name → Camera */
static GMainLoop *loop;
static GThreadPool *stills;
static guint n_closing;

static void open_camera (Camera * camera);

/* Lines. All are printed by the main thread, each at once. */

static void
print_line (const gchar * line)
{
  fputs (line, stdout);
  fputc ('\n', stdout);
  fflush (stdout);
}

static JsonObject *
line_new (const gchar * name)
{
  JsonObject *line = json_object_new ();
  GDateTime *now = g_date_time_new_now_utc ();
  gchar *time = g_date_time_format_iso8601 (now);

  json_object_set_string_member (line, "camera", name);
  json_object_set_string_member (line, "time", time);
  g_free (time);
  g_date_time_unref (now);
  return line;
}

static void
line_print (JsonObject * line)
{
  JsonNode *node = json_node_alloc ();
  gchar *text;

  json_node_init_object (node, line);
  text = json_to_string (node, FALSE);
  print_line (text);
  g_free (text);
  json_node_unref (node);
  json_object_unref (line);
}

/* Links, cameras. */

static void
link_clear (gpointer data)
{
  g_free (((Link *) data)->name);
}

static void
link_unref (gpointer link)
{
  g_atomic_rc_box_release_full (link, link_clear);
}

static void
camera_clear (gpointer data)
{
  Camera *camera = data;

  g_free (camera->name);
  g_free (camera->uri);
}

static void
camera_unref (gpointer camera)
{
  g_rc_box_release_full (camera, camera_clear);
}

/* Stills. A thread draws and writes them; the stream goes on meanwhile. */

static gboolean
still_done (gpointer data)
{
  Still *still = data;
  JsonObject *line = line_new (still->name);

  if (still->error)
    json_object_set_string_member (line, "still-error", still->error->message);
  else
    json_object_set_string_member (line, "still", still->path);
  line_print (line);
  g_clear_error (&still->error);
  g_free (still->name);
  g_free (still->path);
  g_free (still);
  return G_SOURCE_REMOVE;
}

static void
run_still (GstElement * pipeline, Still * still, const gchar * path)
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
  GstElement *pipeline = gst_parse_launch ("appsrc name=in format=time ! "
      "yolov10overlay ! videoconvert ! jpegenc ! filesink name=out",
      &still->error);

  if (!still->error)
    run_still (pipeline, still, part);
  g_clear_pointer (&pipeline, gst_object_unref);
  /* Whoever watches the folder sees whole files only. */
  if (!still->error && g_rename (part, still->path))
    g_set_error (&still->error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "%s cannot be written", still->path);
  if (still->error)
    g_unlink (part);
  g_free (part);
  g_clear_pointer (&still->sample, gst_sample_unref);
  g_idle_add (still_done, still);
}

static void
want_still (Link * link, GstPad * pad, GstBuffer * buffer)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GDateTime *now = g_date_time_new_now_utc ();
  gchar *time = g_date_time_format (now, "%Y%m%dT%H%M%S.%f");
  Still *still = g_new0 (Still, 1);

  still->name = g_strdup (link->name);
  still->path = g_strdup_printf ("%s/%s-%s.jpg", options.stills, link->name,
      time);
  still->sample = gst_sample_new (buffer, caps, NULL, NULL);
  g_thread_pool_push (stills, still, NULL);
  gst_caps_unref (caps);
  g_free (time);
  g_date_time_unref (now);
}

/* Behind the detector, for each frame, by the thread that carries it. */
static GstPadProbeReturn
on_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Link *link = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const gint64 now = g_get_monotonic_time ();
  GstCustomMeta *meta;
  GstStructure *frame;
  guint count = 0;

  link->last_frame = now;
  if (!options.stills || now < link->still_due)
    return GST_PAD_PROBE_OK;
  meta = gst_buffer_get_custom_meta (buffer, "GstYolov10FrameMeta");
  if (!meta)
    return GST_PAD_PROBE_OK;
  frame = gst_custom_meta_get_structure (meta);
  /* Held boxes are where something was. */
  if (gst_structure_get_uint (frame, "count", &count) && count > 0
      && !g_strcmp0 (gst_structure_get_string (frame, "inference"), "fresh")
      && g_thread_pool_unprocessed (stills) < MOST_STILLS) {
    link->still_due = now + (gint64) (options.still_pause * G_USEC_PER_SEC);
    want_still (link, pad, buffer);
  }
  return GST_PAD_PROBE_OK;
}

/* Pipelines. */

/* Of what a camera offers, its first video: sound and metadata are not even
 * asked for. */
static gboolean
select_stream (GstElement * source, guint number, GstCaps * caps, Link * link)
{
  const gchar *media =
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "media");

  return !g_strcmp0 (media, "video") && !atomic_exchange (&link->has_video,
      TRUE);
}

static void
unref_link_closure (gpointer link, GClosure * closure)
{
  link_unref (link);
}

static void
set_up_detector (GstElement * detector)
{
  g_object_set (detector, "post-messages", TRUE,
      "inference-interval", (guint) options.interval, NULL);
  if (options.model)
    g_object_set (detector, "model-file", options.model, NULL);
  if (options.classes)
    g_object_set (detector, "classes", options.classes, NULL);
}

static GstElement *
make_pipeline (const gchar * name, const gchar * uri, Link * link,
    GError ** error)
{
  GString *sink = g_string_new (options.sink);
  GstElement *pipeline, *source, *detector;
  GstPad *pad;
  gchar *text;

  g_string_replace (sink, "{name}", name, 0);
  /* Frames pass videoconvert untouched unless the detector cannot read them. The
   * detector's name is the "source" of what it finds; no camera's name has a
   * colon in it. */
  text = g_strdup_printf ("rtspsrc name=rtsp:source ! decodebin ! "
      "videoconvert ! yolov10detect name=%s backend=%s ! %s", name,
      options.backend, sink->str);
  pipeline = gst_parse_launch_full (text, NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      error);
  g_free (text);
  g_string_free (sink, TRUE);
  if (!pipeline)
    return NULL;

  source = gst_bin_get_by_name (GST_BIN (pipeline), "rtsp:source");
  g_object_set (source, "location", uri, "latency", (guint) options.latency,
      "tcp-timeout", (guint64) (options.timeout * G_USEC_PER_SEC),
      "timeout", (guint64) (options.timeout * G_USEC_PER_SEC), NULL);
  gst_util_set_object_arg (G_OBJECT (source), "protocols",
      options.udp ? "udp+tcp" : "tcp");
  g_signal_connect_data (source, "select-stream", G_CALLBACK (select_stream),
      g_atomic_rc_box_acquire (link), unref_link_closure, 0);

  detector = gst_bin_get_by_name (GST_BIN (pipeline), name);
  set_up_detector (detector);
  pad = gst_element_get_static_pad (detector, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame,
      g_atomic_rc_box_acquire (link), link_unref);
  gst_object_unref (pad);
  gst_object_unref (detector);
  gst_object_unref (source);
  return pipeline;
}

static gboolean
closed (gpointer data)
{
  Closing *closing = data;

  closing->camera->closing--;
  n_closing--;
  camera_unref (closing->camera);
  g_free (closing);
  return G_SOURCE_REMOVE;
}

static gpointer
close_pipeline (gpointer data)
{
  Closing *closing = data;

  gst_element_set_state (closing->pipeline, GST_STATE_NULL);
  gst_object_unref (closing->pipeline);
  g_idle_add (closed, closing);
  return NULL;
}

static void
close_camera (Camera * camera)
{
  Closing *closing;
  GstBus *bus;

  g_clear_handle_id (&camera->pause, g_source_remove);
  if (!camera->pipeline)
    return;
  bus = gst_element_get_bus (camera->pipeline);
  gst_bus_remove_watch (bus);
  gst_object_unref (bus);
  camera->still_due = camera->link->still_due;
  g_clear_pointer (&camera->link, link_unref);
  closing = g_new (Closing, 1);
  closing->camera = g_rc_box_acquire (camera);
  closing->pipeline = g_steal_pointer (&camera->pipeline);
  camera->closing++;
  n_closing++;
  g_thread_unref (g_thread_new ("close", close_pipeline, closing));
}

static gboolean
end_pause (gpointer data)
{
  Camera *camera = data;

  /* However many are stuck, they do not pile up. */
  if (camera->closing >= MOST_CLOSING)
    return G_SOURCE_CONTINUE;
  camera->pause = 0;
  open_camera (camera);
  return G_SOURCE_REMOVE;
}

/* Whatever went wrong: throws the pipeline away and tries again later. */
static void
lose_camera (Camera * camera, const gchar * reason)
{
  const gint64 now = g_get_monotonic_time ();
  gdouble pause;
  JsonObject *line;

  close_camera (camera);
  if (camera->connected) {
    line = line_new (camera->name);
    json_object_set_string_member (line, "state", "lost");
    json_object_set_string_member (line, "reason", reason);
    line_print (line);
    if (now - camera->connected > STEADY * G_USEC_PER_SEC)
      camera->attempts = 0;
  }
  camera->connected = 0;
  /* 1 s, 2 s, 4 s…; a bit less each time, by chance, so that those which failed
   * together do not all come back at once. */
  pause = fmin (ldexp (1, (int) MIN (camera->attempts, 16)),
      options.most_pause) * g_random_double_range (0.75, 1);
  camera->attempts++;
  camera->pause = g_timeout_add ((guint) (pause * 1000), end_pause, camera);
  line = line_new (camera->name);
  json_object_set_string_member (line, "state", "retry");
  json_object_set_string_member (line, "reason", reason);
  json_object_set_double_member (line, "in", round (pause * 1000) / 1000);
  line_print (line);
}

/* The message for users, and what the element adds: "Could not open resource"
 * alone says little. */
static void
lose_by_error (Camera * camera, GstMessage * message)
{
  GError *error;
  gchar *debug, *reason;
  const gchar *last;

  gst_message_parse_error (message, &error, &debug);
  last = debug ? strrchr (debug, '\n') : NULL;
  reason = g_strconcat (error->message, last ? " " : NULL,
      last ? last + 1 : NULL, NULL);
  lose_camera (camera, reason);
  g_free (reason);
  g_free (debug);
  g_error_free (error);
}

static void
print_detections (Camera * camera, const GstStructure * found)
{
  guint count = 0;

  if (!camera->connected) {
    JsonObject *line = line_new (camera->name);

    camera->connected = g_get_monotonic_time ();
    json_object_set_string_member (line, "state", "connected");
    line_print (line);
  }
  gst_structure_get_uint (found, "count", &count);
  if (!options.found || (count > 0
          && !g_strcmp0 (gst_structure_get_string (found, "inference"),
              "fresh")))
    print_line (gst_structure_get_string (found, "json"));
}

static gboolean
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  Camera *camera = data;
  const GstStructure *structure;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      lose_by_error (camera, message);
      break;
    case GST_MESSAGE_EOS:
      lose_camera (camera, "the camera has ended the stream");
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (camera->pipeline));
      break;
    case GST_MESSAGE_ELEMENT:
      structure = gst_message_get_structure (message);
      if (gst_structure_has_name (structure, "yolov10-detections"))
        print_detections (camera, structure);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

static void
open_camera (Camera * camera)
{
  GstClock *clock = gst_system_clock_obtain ();
  GError *error = NULL;
  GstBus *bus;

  camera->link = g_atomic_rc_box_new0 (Link);
  camera->link->name = g_strdup (camera->name);
  camera->link->still_due = camera->still_due;
  camera->began = g_get_monotonic_time ();
  camera->pipeline = make_pipeline (camera->name, camera->uri, camera->link,
      &error);
  if (!camera->pipeline) {
    g_clear_pointer (&camera->link, link_unref);
    lose_camera (camera, error->message);
    g_error_free (error);
  } else {
    /* One that no element takes away when it goes. */
    gst_pipeline_use_clock (GST_PIPELINE (camera->pipeline), clock);
    bus = gst_element_get_bus (camera->pipeline);
    gst_bus_add_watch (bus, on_message, camera);
    gst_object_unref (bus);
    /* An error comes by the bus. */
    gst_element_set_state (camera->pipeline, GST_STATE_PLAYING);
  }
  gst_object_unref (clock);
}

/* A camera that sends nothing makes no error. To connect may take twice as
 * long: the first picture has to wait for a keyframe. */
static gboolean
look_for_stalls (gpointer unused)
{
  const gint64 now = g_get_monotonic_time ();
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, cameras);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Camera *camera = value;
    gint64 last = camera->link ? camera->link->last_frame : now;
    gdouble since = (now - (last ? last : camera->began)) / 1e6;
    gchar *reason;

    if (since < (last ? 1 : 2) * options.timeout)
      continue;
    reason = g_strdup_printf ("no frame for %.1f s", since);
    lose_camera (camera, reason);
    g_free (reason);
  }
  return G_SOURCE_CONTINUE;
}

/* Commands. */

static gboolean
add_camera (const gchar * name, const gchar * uri, GError ** error)
{
  Camera *camera;

  if (!*name || strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-")
      != strlen (name)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "a camera's name is letters, digits, - and _, not '%s'", name);
    return FALSE;
  }
  if (!g_str_has_prefix (uri, "rtsp")) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "camera %s: expected a URI that begins with rtsp:// or rtsps://", name);
    return FALSE;
  }
  if (g_hash_table_contains (cameras, name)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "there is a camera %s already", name);
    return FALSE;
  }
  camera = g_rc_box_new0 (Camera);
  camera->name = g_strdup (name);
  camera->uri = g_strdup (uri);
  g_hash_table_insert (cameras, camera->name, camera);
  open_camera (camera);
  return TRUE;
}

static void
remove_camera (Camera * camera)
{
  JsonObject *line = line_new (camera->name);

  close_camera (camera);
  json_object_set_string_member (line, "state", "removed");
  line_print (line);
  g_hash_table_remove (cameras, camera->name);
}

static void
obey (const gchar * text)
{
  gchar **words = g_strsplit_set (text, " \t", 3);
  const guint n_words = g_strv_length (words);
  GError *error = NULL;
  Camera *camera;

  if (n_words == 3 && g_str_equal (words[0], "add")) {
    if (!add_camera (words[1], g_strstrip (words[2]), &error))
      g_printerr ("cameras: %s\n", error->message);
    g_clear_error (&error);
  } else if (n_words == 2 && g_str_equal (words[0], "remove")) {
    camera = g_hash_table_lookup (cameras, words[1]);
    if (camera)
      remove_camera (camera);
    else
      g_printerr ("cameras: there is no camera %s\n", words[1]);
  } else if (*text) {
    g_printerr ("cameras: expected 'add NAME URI' or 'remove NAME'\n");
  }
  g_strfreev (words);
}

static void
on_line (GObject * input, GAsyncResult * result, gpointer unused)
{
  gchar *text = g_data_input_stream_read_line_finish (
      G_DATA_INPUT_STREAM (input), result, NULL, NULL);

  /* Its end is no reason to stop: the program may run without a terminal. */
  if (!text)
    return;
  obey (g_strstrip (text));
  g_free (text);
  g_data_input_stream_read_line_async (G_DATA_INPUT_STREAM (input),
      G_PRIORITY_DEFAULT, NULL, on_line, NULL);
}

/* The program. */

static gboolean
stop (gpointer unused)
{
  g_main_loop_quit (loop);
  return G_SOURCE_CONTINUE;
}

/* A detector of nobody, with the cameras' settings. It says at once what is wrong
 * with them, and keeps the engine when the last camera is gone. */
static GstElement *
make_keeper (GError ** error)
{
  GstElement *keeper;
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  gchar *text = g_strdup_printf ("yolov10detect backend=%s", options.backend);

  keeper = gst_parse_launch_full (text, NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      error);
  g_free (text);
  if (keeper) {
    set_up_detector (keeper);
    gst_element_set_bus (keeper, bus);
    gst_element_set_state (keeper, GST_STATE_PAUSED);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    if (message) {
      gst_message_parse_error (message, error, NULL);
      gst_message_unref (message);
    }
    gst_element_set_bus (keeper, NULL);
  }
  gst_object_unref (bus);
  return keeper;
}

static const GOptionEntry entries[] = {
  {"model", 'm', 0, G_OPTION_ARG_FILENAME, &options.model,
        "weights; the bundled model unless given", "FILE"},
  {"backend", 'b', 0, G_OPTION_ARG_STRING, &options.backend,
        "auto, cpu, cuda or ref", "NAME"},
  {"classes", 'c', 0, G_OPTION_ARG_STRING, &options.classes,
        "what to look for, such as person,car; all unless given", "LIST"},
  {"interval", 'i', 0, G_OPTION_ARG_INT, &options.interval,
        "infer every Nth frame of each camera", "N"},
  {"found", 'f', 0, G_OPTION_ARG_NONE, &options.found,
        "print only frames that were inferred and show something", NULL},
  {"still", 's', 0, G_OPTION_ARG_FILENAME, &options.stills,
        "write a still with boxes where something is found", "DIR"},
  {"still-pause", 0, 0, G_OPTION_ARG_DOUBLE, &options.still_pause,
        "least time between two stills of a camera, 10 unless given", "SECONDS"},
  {"latency", 'l', 0, G_OPTION_ARG_INT, &options.latency,
        "how long lost or late packets are waited for, 200 unless given", "MS"},
  {"udp", 'u', 0, G_OPTION_ARG_NONE, &options.udp,
        "try UDP before TCP", NULL},
  {"timeout", 't', 0, G_OPTION_ARG_DOUBLE, &options.timeout,
        "without a frame for so long a camera is lost, 5 unless given",
        "SECONDS"},
  {"most-pause", 'p', 0, G_OPTION_ARG_DOUBLE, &options.most_pause,
        "longest pause between attempts, 5 unless given", "SECONDS"},
  {"sink", 0, 0, G_OPTION_ARG_STRING, &options.sink,
        "where frames go, as for gst-launch-1.0; {name} is the camera's",
        "ELEMENTS"},
  {NULL}
};

static gboolean
check_options (GError ** error)
{
  GstElement *pipeline;
  Link *link;

  if (options.interval < 1 || options.latency < 0 || !(options.timeout > 0)
      || !(options.most_pause > 0) || !(options.still_pause >= 0)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--interval has to be at least 1, --timeout and --most-pause more than 0, "
        "--latency and --still-pause not negative");
    return FALSE;
  }
  if (options.stills && !g_file_test (options.stills, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "there is no folder %s for stills", options.stills);
    return FALSE;
  }
  /* Elements that are missing are missing for all cameras. */
  link = g_atomic_rc_box_new0 (Link);
  pipeline = make_pipeline ("check", "rtsp://localhost", link, error);
  g_clear_pointer (&pipeline, gst_object_unref);
  link_unref (link);
  return !*error;
}

static gboolean
add_cameras (gchar ** words, GError ** error)
{
  for (; words && *words; words++) {
    gchar *uri = strchr (*words, '=');

    if (!uri) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "expected NAME=URI, not '%s'", *words);
      return FALSE;
    }
    *uri++ = '\0';
    if (!add_camera (*words, uri, error))
      return FALSE;
  }
  return TRUE;
}

static void
watch (void)
{
  GInputStream *commands = g_unix_input_stream_new (STDIN_FILENO, FALSE);
  GDataInputStream *lines = g_data_input_stream_new (commands);

  loop = g_main_loop_new (NULL, FALSE);
  g_data_input_stream_read_line_async (lines, G_PRIORITY_DEFAULT, NULL,
      on_line, NULL);
  g_unix_signal_add (SIGINT, stop, NULL);
  g_unix_signal_add (SIGTERM, stop, NULL);
  g_timeout_add (250, look_for_stalls, NULL);
  g_main_loop_run (loop);
}

/* Gives cameras five seconds to hear of it. */
static void
close_all (void)
{
  const gint64 until = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;
  GHashTableIter iter;
  gpointer camera;

  g_hash_table_iter_init (&iter, cameras);
  while (g_hash_table_iter_next (&iter, NULL, &camera))
    close_camera (camera);
  while (n_closing > 0 && g_get_monotonic_time () < until) {
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (10000);
  }
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("[NAME=URI…]");
  GstElement *keeper = NULL;
  GError *error = NULL;

  g_option_context_set_summary (context,
      "Prints what RTSP cameras show, as lines of JSON. While it runs, lines on\n"
      "stdin add and remove cameras: add NAME URI, remove NAME.");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  cameras = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, camera_unref);
  stills = g_thread_pool_new (write_still, NULL, 1, FALSE, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error)
      && check_options (&error))
    keeper = make_keeper (&error);
  if (!error && add_cameras (argv + 1, &error))
    watch ();
  close_all ();
  if (keeper) {
    gst_element_set_state (keeper, GST_STATE_NULL);
    gst_object_unref (keeper);
  }
  g_option_context_free (context);
  if (!error)
    return 0;
  g_printerr ("cameras: %s\n", error->message);
  return error->domain == G_OPTION_ERROR ? 2 : 1;
}
