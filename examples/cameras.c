/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Watches RTSP cameras that are added, fail, stall and are removed, and prints
 * their detections as lines of JSON. An example to copy from; docs/cameras.md
 * describes the output.
 *
 * Each camera has a separate pipeline (camera.c). An error in one does not
 * affect the others, and each can be stopped alone; as bins of one pipeline
 * they would share a state, a clock and a bus. The detectors of a process share
 * their engine in any case.
 *
 * This file contains the rest of the program: options, commands on stdin, lines
 * on stdout. The main thread owns the cameras, and never waits for one. */

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <gio/gio.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>

#include "cameras.h"

Options options = {
  .backend = (gchar *) "auto",
  .sink = (gchar *) "fakesink sync=false",
  .latency = 200,
  .interval = 1,
  .timeout = 5,
  .most_pause = 5,
  .still_pause = 10,
};

static GHashTable *cameras; /* name → Camera */
static GMainLoop *loop;

/* Lines. */

void
print_text (const gchar *line)
{
  fputs (line, stdout);
  fputc ('\n', stdout);
  fflush (stdout);
}

void
line_add (GString *line, const gchar *name, const gchar *text)
{
  g_string_append_printf (line, "%s\"%s\":\"", line->len > 1 ? "," : "", name);
  for (; *text; text++)
    if ((guchar) *text < ' ')
      g_string_append_printf (line, "\\u%04x", (guchar) *text);
    else
      g_string_append_printf (line, "%s%c", strchr ("\"\\", *text) ? "\\" : "",
          *text);
  g_string_append_c (line, '"');
}

GString *
line_new (const gchar *name)
{
  GString *line = g_string_new ("{");
  GDateTime *now = g_date_time_new_now_utc ();
  gchar *time = g_date_time_format_iso8601 (now);

  line_add (line, "camera", name);
  line_add (line, "time", time);
  g_free (time);
  g_date_time_unref (now);
  return line;
}

void
line_print (GString *line)
{
  g_string_append_c (line, '}');
  print_text (line->str);
  g_string_free (line, TRUE);
}

/* Commands. */

static gboolean
add_camera (const gchar *name, const gchar *uri, GError **error)
{
  Camera *camera;

  if (!*name
      || strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-")
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
  camera = camera_new (name, uri);
  g_hash_table_insert (cameras, camera->name, camera);
  return TRUE;
}

static void
remove_camera (Camera *camera)
{
  GString *line = line_new (camera->name);

  camera_close (camera);
  line_add (line, "state", "removed");
  line_print (line);
  g_hash_table_remove (cameras, camera->name);
}

static void
obey (const gchar *text)
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
on_line (GObject *input, GAsyncResult *result, gpointer unused)
{
  gchar *text = g_data_input_stream_read_line_finish (G_DATA_INPUT_STREAM (
                                                          input),
      result, NULL, NULL);

  /* The end of stdin does not stop the program: it may run without a
   * terminal. */
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

/* A detector outside of any pipeline, with the cameras' settings. It reports
 * errors in them at once, and keeps the engine alive when there is no
 * camera. */
static GstElement *
make_keeper (GError **error)
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
  { "model", 'm', 0, G_OPTION_ARG_FILENAME, &options.model,
      "weights; by default the bundled model", "FILE" },
  { "backend", 'b', 0, G_OPTION_ARG_STRING, &options.backend,
      "auto, cpu, cuda or ref", "NAME" },
  { "classes", 'c', 0, G_OPTION_ARG_STRING, &options.classes,
      "classes to detect, such as person,car; by default all", "LIST" },
  { "interval", 'i', 0, G_OPTION_ARG_INT, &options.interval,
      "infer every Nth frame of each camera", "N" },
  { "found", 'f', 0, G_OPTION_ARG_NONE, &options.found,
      "print only inferred frames with detections", NULL },
  { "still", 's', 0, G_OPTION_ARG_FILENAME, &options.stills,
      "write a still with boxes when objects are detected", "DIR" },
  { "still-pause", 0, 0, G_OPTION_ARG_DOUBLE, &options.still_pause,
      "minimum time between two stills of a camera; by default 10", "SECONDS" },
  { "latency", 'l', 0, G_OPTION_ARG_INT, &options.latency,
      "how long to wait for lost or late packets; by default 200", "MS" },
  { "udp", 'u', 0, G_OPTION_ARG_NONE, &options.udp, "try UDP before TCP",
      NULL },
  { "timeout", 't', 0, G_OPTION_ARG_DOUBLE, &options.timeout,
      "time without a frame until a camera counts as lost; by default 5",
      "SECONDS" },
  { "most-pause", 'p', 0, G_OPTION_ARG_DOUBLE, &options.most_pause,
      "longest pause between attempts; by default 5", "SECONDS" },
  { "sink", 0, 0, G_OPTION_ARG_STRING, &options.sink,
      "elements for the frames, as for gst-launch-1.0; {name} is the camera's name, "
      "{time} that of the connection",
      "ELEMENTS" },
  { NULL }
};

static gboolean
check_options (GError **error)
{
  if (options.interval < 1 || options.latency < 0 || !(options.timeout > 0)
      || !(options.most_pause > 0) || !(options.still_pause >= 0)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--interval must be at least 1, --timeout and --most-pause more than 0, "
        "--latency and --still-pause not negative");
    return FALSE;
  }
  if (options.stills && !g_file_test (options.stills, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "there is no folder %s for stills", options.stills);
    return FALSE;
  }
  return check_pipeline (error);
}

static gboolean
add_cameras (gchar **words, GError **error)
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

static gboolean
look_for_stalls (gpointer unused)
{
  GHashTableIter iter;
  gpointer camera;

  g_hash_table_iter_init (&iter, cameras);
  while (g_hash_table_iter_next (&iter, NULL, &camera))
    camera_look_for_stall (camera);
  return G_SOURCE_CONTINUE;
}

static void
watch (void)
{
  GInputStream *commands = g_unix_input_stream_new (STDIN_FILENO, FALSE);
  GDataInputStream *lines = g_data_input_stream_new (commands);

  loop = g_main_loop_new (NULL, FALSE);
  g_data_input_stream_read_line_async (lines, G_PRIORITY_DEFAULT, NULL, on_line,
      NULL);
  g_unix_signal_add (SIGINT, stop, NULL);
  g_unix_signal_add (SIGTERM, stop, NULL);
  g_timeout_add (250, look_for_stalls, NULL);
  g_main_loop_run (loop);
}

/* Gives cameras five seconds to close their connections. */
static void
close_all (void)
{
  const gint64 until = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;
  GHashTableIter iter;
  gpointer camera;

  g_hash_table_iter_init (&iter, cameras);
  while (g_hash_table_iter_next (&iter, NULL, &camera))
    camera_close (camera);
  while (!camera_all_closed () && g_get_monotonic_time () < until) {
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (10000);
  }
  if (camera_all_closed ())
    still_finish ();
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("[NAME=URI...]");
  GstElement *keeper = NULL;
  GError *error = NULL;

  g_option_context_set_summary (context,
      "Prints the detections of RTSP cameras as lines of JSON. While it runs, lines\n"
      "on stdin add and remove cameras: add NAME URI, remove NAME.");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  cameras = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, camera_unref);
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
