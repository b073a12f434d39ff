/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* One camera: its pipeline, its messages, and its recovery from failures.
 *
 * A pipeline is one attempt to reach a camera. If it fails, by an error, the
 * end of the stream or silence, it is freed and, after a pause, replaced by a
 * new one: nothing remains of the last attempt, neither timestamps nor half a
 * frame. What it records ends properly, and the next one records into files of
 * its own if their names have the time. Stopping a pipeline may take as long as
 * the network or a sink needs, so a separate thread does it. Streaming threads
 * access a Link and nothing else. */

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "cameras.h"

/* Seconds after which a connection counts as good: the next pause is short
 * again. */
#define STEADY 10
/* The maximum number of pipelines of one camera that are being stopped. */
#define MOST_CLOSING 4
/* Seconds that the sink has to complete its files. */
#define COMPLETE 3

/* The part of an attempt that streaming threads use. Times are monotonic µs. */
struct _Link
{
  gchar *name;
  atomic_uint video;         /* 1 + the stream's number; 0: unknown */
  _Atomic gint64 last_frame; /* 0 before the first frame */
  _Atomic gint64 still_due;
  atomic_bool camera_ended; /* the stream ended, and not because of the sink */
};

typedef struct
{
  Camera *camera;
  GstElement *pipeline;
  gboolean has_frames;
  gboolean sink_failed; /* the user knows that files are incomplete */
  gchar *problem;       /* why they are, found while closing */
} Closing;

static guint n_closing;

static void camera_open (Camera *camera);

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

void
camera_unref (gpointer camera)
{
  g_rc_box_release_full (camera, camera_clear);
}

/* Runs behind the detector, for each frame, on the streaming thread. */
static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
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
  /* Held boxes show an earlier position. */
  if (gst_structure_get_uint (frame, "count", &count) && count > 0
      && !g_strcmp0 (gst_structure_get_string (frame, "inference"), "fresh")
      && still_want (link->name, pad, buffer))
    link->still_due = now + (gint64) (options.still_pause * G_USEC_PER_SEC);
  return GST_PAD_PROBE_OK;
}

/* Runs in front of the detector, for each event. What the sink returned for the
 * last frame tells whose end this is: a source also sends EOS if the sink wants
 * no more frames. */
static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Link *link = data;
  GstPad *src;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  src = gst_element_get_static_pad (GST_PAD_PARENT (pad), "src");
  link->camera_ended = gst_pad_get_last_flow_return (src) != GST_FLOW_EOS;
  gst_object_unref (src);
  return GST_PAD_PROBE_OK;
}

/* Selects the camera's first video stream; sound and metadata are not
 * requested. rtspsrc calls this again if it switches from UDP to TCP. */
static gboolean
select_stream (GstElement *source, guint number, GstCaps *caps, Link *link)
{
  const gchar *media = gst_structure_get_string (gst_caps_get_structure (caps,
                                                     0),
      "media");
  guint none = 0;

  return !g_strcmp0 (media, "video")
      && (atomic_compare_exchange_strong (&link->video, &none, number + 1)
          || none == number + 1);
}

static void
unref_link_closure (gpointer link, GClosure *closure)
{
  link_unref (link);
}

void
set_up_detector (GstElement *detector)
{
  g_object_set (detector, "post-messages", TRUE, "inference-interval",
      (guint) options.interval, NULL);
  if (options.model)
    g_object_set (detector, "model-file", options.model, NULL);
  if (options.classes)
    g_object_set (detector, "classes", options.classes, NULL);
}

/* The time of an attempt, for names of files. */
static gchar *
time_for_names (void)
{
  GDateTime *now = g_date_time_new_now_utc ();
  gchar *seconds = g_date_time_format (now, "%Y%m%dT%H%M%S");
  gchar *text = g_strdup_printf ("%s-%03d", seconds,
      g_date_time_get_microsecond (now) / 1000);

  g_free (seconds);
  g_date_time_unref (now);
  return text;
}

static GstElement *
make_pipeline (const gchar *name, const gchar *uri, Link *link, GError **error)
{
  GString *sink = g_string_new (options.sink);
  GstElement *pipeline, *source, *detector;
  GstPad *pad;
  gchar *text = time_for_names ();

  g_string_replace (sink, "{name}", name, 0);
  g_string_replace (sink, "{time}", text, 0);
  g_free (text);
  /* Frames pass videoconvert unchanged unless the detector cannot read them.
   * The detector's name is the "source" of its detections; no camera's name
   * contains a colon. */
  text = g_strdup_printf (
      "rtspsrc name=rtsp:source ! "
      "decodebin name=rtsp:decode ! videoconvert name=rtsp:convert ! "
      "yolov10detect name=%s backend=%s ! %s",
      name, options.backend, sink->str);
  pipeline = gst_parse_launch_full (text, NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      error);
  g_free (text);
  g_string_free (sink, TRUE);
  if (!pipeline)
    return NULL;

  source = gst_bin_get_by_name (GST_BIN (pipeline), "rtsp:source");
  g_object_set (source, "location", uri, "latency", (guint) options.latency,
      "tcp-timeout", (guint64) (options.timeout * G_USEC_PER_SEC), "timeout",
      (guint64) (options.timeout * G_USEC_PER_SEC), NULL);
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
  pad = gst_element_get_static_pad (detector, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event,
      g_atomic_rc_box_acquire (link), link_unref);
  gst_object_unref (pad);
  gst_object_unref (detector);
  gst_object_unref (source);
  return pipeline;
}

static void
print_state (Camera *camera, const gchar *state, const gchar *reason)
{
  GString *line = line_new (camera->name);

  line_add (line, "state", state);
  if (reason)
    line_add (line, "reason", reason);
  line_print (line);
}

/* The message for users, and the element's details: "Could not open resource"
 * alone is not helpful. */
static gchar *
reason_of (GstMessage *message)
{
  GError *error;
  gchar *debug, *reason;
  const gchar *last;

  gst_message_parse_error (message, &error, &debug);
  last = debug ? strrchr (debug, '\n') : NULL;
  reason = g_strconcat (error->message, last ? " " : NULL,
      last ? last + 1 : NULL, NULL);
  g_free (debug);
  g_error_free (error);
  return reason;
}

/* What the last frame that was sent through a pad returned. */
static GstFlowReturn
last_flow (GstElement *pipeline, const gchar *name, const gchar *pad_name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  GstPad *sender = GST_PAD_IS_SRC (pad) ? gst_object_ref (pad)
                                        : gst_pad_get_peer (pad);
  const GstFlowReturn flow = sender ? gst_pad_get_last_flow_return (sender)
                                    : GST_FLOW_OK;

  gst_clear_object (&sender);
  gst_object_unref (pad);
  gst_object_unref (element);
  return flow;
}

/* Whether the sink returned an error: then others post the message. It also
 * decides what may leave the decoder, since videoconvert and the detector take
 * every size and format. */
static gboolean
sink_refuses (GstElement *pipeline, const gchar *name)
{
  const GstFlowReturn flow = last_flow (pipeline, name, "src");

  return flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS
      || last_flow (pipeline, "rtsp:convert", "sink")
      == GST_FLOW_NOT_NEGOTIATED;
}

/* Whether an error is the sink's: a full disk is no fault of the camera. */
static gboolean
is_from_sink (GstElement *pipeline, const gchar *name, GstMessage *message)
{
  const gchar *const others[] = { "rtsp:source", "rtsp:decode", "rtsp:convert",
    name };
  gboolean is_other = message->src == GST_OBJECT (pipeline);

  for (guint i = 0; i < G_N_ELEMENTS (others) && !is_other; i++) {
    GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), others[i]);

    is_other = message->src == GST_OBJECT (element)
        || gst_object_has_as_ancestor (message->src, GST_OBJECT (element));
    gst_object_unref (element);
  }
  return !is_other || sink_refuses (pipeline, name);
}

/* Has a thread of its own: while the sink blocks, this waits for it. */
static void
end_stream (GstElement *detector, gpointer unused)
{
  GstPad *pad = gst_element_get_static_pad (detector, "src");

  gst_pad_push_event (pad, gst_event_new_eos ());
  gst_object_unref (pad);
}

/* Ends the stream behind the detector, whatever the camera does, and waits until
 * the sink has completed its files. Returns why it has not, or NULL. */
static gchar *
complete_files (GstElement *pipeline, const gchar *name)
{
  const gint64 until = g_get_monotonic_time () + COMPLETE * G_USEC_PER_SEC;
  GstElement *detector = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean is_complete = FALSE;
  gchar *problem = NULL;

  gst_element_call_async (detector, end_stream, NULL, NULL);
  while (!is_complete && !problem) {
    const gint64 left = until - g_get_monotonic_time ();
    GstMessage *message = gst_bus_timed_pop_filtered (bus,
        (GstClockTime) MAX (left, 0) * GST_USECOND,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

    if (!message)
      problem = g_strdup_printf ("the files were not complete within %d s",
          COMPLETE);
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
      is_complete = TRUE;
    else if (is_from_sink (pipeline, name, message))
      problem = reason_of (message);
    gst_clear_message (&message);
  }
  gst_object_unref (bus);
  gst_object_unref (detector);
  return problem;
}

static gboolean
report_problem (gpointer data)
{
  Closing *closing = data;

  print_state (closing->camera, "sink-failed", closing->problem);
  return G_SOURCE_REMOVE;
}

static gboolean
closed (gpointer data)
{
  Closing *closing = data;

  closing->camera->closing--;
  n_closing--;
  camera_unref (closing->camera);
  g_free (closing->problem);
  g_free (closing);
  return G_SOURCE_REMOVE;
}

static gpointer
close_pipeline (gpointer data)
{
  Closing *closing = data;

  if (closing->has_frames)
    closing->problem = complete_files (closing->pipeline,
        closing->camera->name);
  /* Now: stopping a sink that blocks may take forever. */
  if (closing->problem && !closing->sink_failed)
    g_idle_add (report_problem, closing);
  gst_element_set_state (closing->pipeline, GST_STATE_NULL);
  gst_object_unref (closing->pipeline);
  g_idle_add (closed, closing);
  return NULL;
}

static void
close_after (Camera *camera, gboolean sink_failed)
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
  closing = g_new0 (Closing, 1);
  closing->camera = g_rc_box_acquire (camera);
  closing->pipeline = g_steal_pointer (&camera->pipeline);
  closing->has_frames = camera->link->last_frame != 0;
  closing->sink_failed = sink_failed;
  g_clear_pointer (&camera->link, link_unref);
  camera->closing++;
  n_closing++;
  g_thread_unref (g_thread_new ("close", close_pipeline, closing));
}

void
camera_close (Camera *camera)
{
  close_after (camera, FALSE);
}

static gboolean
end_pause (gpointer data)
{
  Camera *camera = data;

  /* Limits the number of pipelines that are stuck while stopping. */
  if (camera->closing >= MOST_CLOSING)
    return G_SOURCE_CONTINUE;
  camera->pause = 0;
  camera_open (camera);
  return G_SOURCE_REMOVE;
}

/* After any failure: frees the pipeline and tries again later. */
static void
camera_fail (Camera *camera, gboolean sink_failed, const gchar *reason)
{
  const gint64 now = g_get_monotonic_time ();
  gdouble pause;
  GString *line;

  close_after (camera, sink_failed);
  if (sink_failed)
    print_state (camera, "sink-failed", reason);
  else if (camera->connected)
    print_state (camera, "lost", reason);
  if (camera->connected && now - camera->connected > STEADY * G_USEC_PER_SEC)
    camera->attempts = 0;
  camera->connected = 0;
  /* 1 s, 2 s, 4 s…; a random bit less each time, so that cameras that failed
   * together do not all reconnect at once. */
  pause = fmin (ldexp (1, (int) MIN (camera->attempts, 16)), options.most_pause)
      * g_random_double_range (0.75, 1);
  camera->attempts++;
  camera->pause = g_timeout_add ((guint) (pause * 1000), end_pause, camera);
  line = line_new (camera->name);
  line_add (line, "state", "retry");
  line_add (line, "reason", reason);
  g_string_append_printf (line, ",\"pause-ms\":%u", (guint) (pause * 1000));
  line_print (line);
}

static void
camera_lose (Camera *camera, const gchar *reason)
{
  camera_fail (camera, FALSE, reason);
}

static void
fail_by_error (Camera *camera, GstMessage *message)
{
  gchar *reason = reason_of (message);

  camera_fail (camera, is_from_sink (camera->pipeline, camera->name, message),
      reason);
  g_free (reason);
}

/* At EOS of all sinks. A sink may also end by itself, after N frames. */
static void
fail_by_eos (Camera *camera)
{
  if (camera->link->camera_ended)
    camera_lose (camera, "the camera has ended the stream");
  else
    camera_fail (camera, TRUE, "the sink has ended the stream");
}

static void
print_detections (Camera *camera, const GstStructure *found)
{
  guint count = 0;

  if (!camera->connected) {
    camera->connected = g_get_monotonic_time ();
    print_state (camera, "connected", NULL);
  }
  gst_structure_get_uint (found, "count", &count);
  if (!options.found
      || (count > 0
          && !g_strcmp0 (gst_structure_get_string (found, "inference"),
              "fresh")))
    print_text (gst_structure_get_string (found, "json"));
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Camera *camera = data;
  const GstStructure *structure;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      fail_by_error (camera, message);
      break;
    case GST_MESSAGE_EOS:
      /* For complete_files(): they are. */
      gst_bus_post (bus, gst_message_ref (message));
      fail_by_eos (camera);
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
camera_open (Camera *camera)
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
    camera_lose (camera, error->message);
    g_error_free (error);
  } else {
    /* A clock that does not disappear with an element. */
    gst_pipeline_use_clock (GST_PIPELINE (camera->pipeline), clock);
    bus = gst_element_get_bus (camera->pipeline);
    gst_bus_add_watch (bus, on_message, camera);
    gst_object_unref (bus);
    /* Errors arrive on the bus. */
    gst_element_set_state (camera->pipeline, GST_STATE_PLAYING);
  }
  gst_object_unref (clock);
}

/* A camera that sends nothing causes no error. Connecting may take twice as
 * long, because the first picture needs a keyframe. */
void
camera_look_for_stall (Camera *camera)
{
  const gint64 now = g_get_monotonic_time ();
  gint64 last;
  gdouble since;
  gchar *reason;

  if (!camera->link)
    return;
  last = camera->link->last_frame;
  since = (now - (last ? last : camera->began)) / 1e6;
  if (since < (last ? 1 : 2) * options.timeout)
    return;
  reason = g_strdup_printf ("no frame for %.1f s", since);
  camera_lose (camera, reason);
  g_free (reason);
}

Camera *
camera_new (const gchar *name, const gchar *uri)
{
  Camera *camera = g_rc_box_new0 (Camera);

  camera->name = g_strdup (name);
  camera->uri = g_strdup (uri);
  camera_open (camera);
  return camera;
}

gboolean
camera_all_closed (void)
{
  return n_closing == 0;
}

/* Missing elements affect all cameras, so this reports them at the start. */
gboolean
check_pipeline (GError **error)
{
  Link *link = g_atomic_rc_box_new0 (Link);
  GstElement *pipeline = make_pipeline ("check", "rtsp://localhost", link,
      error);

  g_clear_pointer (&pipeline, gst_object_unref);
  link_unref (link);
  return !*error;
}
