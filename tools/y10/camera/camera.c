/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A camera: its pipeline, its messages, and its recovery from failures.
 *
 * As in examples/camera.c, a pipeline is one attempt to reach a camera. If it fails, by
 * an error, its end or silence, it is replaced by a new one after a pause; stopping it
 * may take long, so a thread does it. Streaming threads know a tap (tap.c) and nothing
 * else. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <math.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/log.h"
#include "camera/camera.h"
#include "camera/memory.h"
#include "camera/pipeline.h"
#include "camera/reach.h"
#include "camera/source.h"
#include "camera/tap.h"
#include "camera/threads.h"
#include "media/remote.h"

#define STEADY (10 * G_USEC_PER_SEC) /* a good connection */
#define TIMEOUT (5 * G_USEC_PER_SEC) /* without a frame */
#define TELL_AGAIN (10 * G_USEC_PER_SEC)
#define MAX_PAUSE 10  /* s between attempts */
#define MAX_CLOSING 4 /* pipelines of one camera */
#define MAX_TRIES 5   /* to stop a pipeline */
#define FPS_TIME (2 * G_USEC_PER_SEC)
#define INFERENCES_TIME \
  (5 * G_USEC_PER_SEC) /* there may be fewer than one a second */

/* How often something happens: what was counted at a time, and how many a second there
 * were before. */
typedef struct
{
  guint64 count;
  gint64 since;
  double per_second;
} Rate;

struct _ToolCamera
{
  ToolCameraSetup setup;
  void (*on_picture) (gpointer user);
  gpointer user;
  GstElement *pipeline; /* NULL in a pause */
  GstElement *gate;
  ToolTap *tap; /* of that pipeline */
  int fd;
  gboolean wanted, connected;
  gboolean udp;         /* is what the next attempt offers, and TCP is not */
  ToolCameraState held; /* TOOL_CAMERA_CONNECTING: it is not */
  gboolean again;       /* between the end of a file and its beginning */
  gint64 began;         /* the attempt */
  gboolean model_changes;
  char *model_refused;
  guint attempts, pause, reconnects;
  atomic_uint *closing;
  char *failure,
      *reason; /* as it was told last; what is shown, which may tell more */
  ToolReach *reach;                                    /* looks for that */
  guint64 frames_before, inferred_before, held_before; /* of earlier attempts */
  Rate fps, inferences;
};

typedef struct
{
  GstElement *pipeline, *gate;
  atomic_uint *closing;
  int fd;
  char *thread;
} Closing;

static atomic_uint n_closing;

static void open_camera (ToolCamera *camera);

const char *
tool_camera_state_name (ToolCameraState state)
{
  static const char *const names[] = { "connecting", "live", "retry", "waiting",
    "quarantined" };

  return names[state];
}

static void
set_up_ends (ToolCamera *camera)
{
  tool_tap_set_up (camera->tap, GST_BIN (camera->pipeline));
  camera->gate = gst_bin_get_by_name (GST_BIN (camera->pipeline), "gate");
  g_object_set (camera->gate, "drop", !camera->wanted, NULL);
}

static gboolean
make_pipeline (ToolCamera *camera, GError **error)
{
  camera->pipeline = tool_pipeline_new (&camera->setup, error);
  if (!camera->pipeline)
    return FALSE;
  set_up_ends (camera);
  return tool_source_set_up (&camera->setup, camera->udp,
      GST_BIN (camera->pipeline), &camera->fd, error);
}

/* An element that fails while it is stopped, as demuxers of playlists do, keeps others from
 * being stopped. */
static void
set_to_null (const GValue *item, gpointer unused)
{
  gst_element_set_state (g_value_get_object (item), GST_STATE_NULL);
}

static void
set_all_to_null (GstBin *pipeline)
{
  g_autoptr (GstIterator) elements = gst_bin_iterate_elements (pipeline);

  gst_iterator_foreach (elements, set_to_null, NULL);
}

static gpointer
close_pipeline (gpointer data)
{
  Closing *closing = data;

  tool_thread_name (closing->thread);
  for (guint i = 0; i < MAX_TRIES
       && gst_element_set_state (closing->pipeline, GST_STATE_NULL)
           != GST_STATE_CHANGE_SUCCESS;
       i++)
    set_all_to_null (GST_BIN (closing->pipeline));
  gst_clear_object (&closing->gate);
  gst_object_unref (closing->pipeline);
  if (closing->fd >= 0)
    close (closing->fd);
  (*closing->closing)--;
  g_atomic_rc_box_release (closing->closing);
  g_free (closing->thread);
  g_free (closing);
  tool_memory_trim ();
  n_closing--;
  return NULL;
}

static void
end_tap (ToolCamera *camera)
{
  const ToolTap *tap = camera->tap;

  camera->frames_before += tap->frames;
  camera->inferred_before += tap->inferred;
  camera->held_before += tap->held;
  tool_tap_end (g_steal_pointer (&camera->tap));
}

/* Ends the attempt. */
static void
close_camera (ToolCamera *camera)
{
  Closing *closing;
  g_autoptr (GstBus) bus = NULL;

  g_clear_handle_id (&camera->pause, g_source_remove);
  camera->connected = FALSE;
  if (camera->tap)
    end_tap (camera);
  if (!camera->pipeline)
    return;
  bus = gst_element_get_bus (camera->pipeline);
  gst_bus_remove_watch (bus);
  closing = g_new0 (Closing, 1);
  closing->pipeline = g_steal_pointer (&camera->pipeline);
  closing->gate = g_steal_pointer (&camera->gate);
  closing->closing = g_atomic_rc_box_acquire (camera->closing);
  closing->fd = camera->fd;
  closing->thread = g_strdup (camera->setup.thread);
  camera->fd = -1;
  (*closing->closing)++;
  n_closing++;
  g_thread_unref (g_thread_new ("close", close_pipeline, closing));
}

static gboolean
end_pause (gpointer data)
{
  ToolCamera *camera = data;

  if (*camera->closing >= MAX_CLOSING)
    return G_SOURCE_CONTINUE;
  camera->pause = 0;
  open_camera (camera);
  return G_SOURCE_REMOVE;
}

/* Of the same failure again, what is known already stays. */
static void
tell_failure (ToolCamera *camera, const char *reason)
{
  char *text = g_utf8_make_valid (reason, -1);

  if (!camera->reason || g_strcmp0 (camera->failure, text) != 0) {
    g_free (camera->reason);
    camera->reason = g_strdup (text);
  }
  g_free (camera->failure);
  camera->failure = text;
}

/* Forgets why it failed. */
static void
clear_reason (ToolCamera *camera)
{
  g_clear_pointer (&camera->reach, tool_reach_free);
  g_clear_pointer (&camera->reason, g_free);
}

static void
fail (ToolCamera *camera, const char *reason)
{
  const gboolean steady = camera->connected
      && g_get_monotonic_time () - camera->began > STEADY;
  double pause;

  close_camera (camera);
  g_clear_pointer (&camera->reach, tool_reach_free);
  camera->again = FALSE;
  camera->model_changes = FALSE;
  if (steady)
    camera->attempts = 0;
  tell_failure (camera, reason);
  /* A random bit less, so that cameras do not all reconnect at once. */
  pause = fmin (ldexp (1, (int) MIN (camera->attempts, 16)), MAX_PAUSE)
      * g_random_double_range (0.75, 1);
  camera->attempts++;
  camera->reconnects++;
  camera->pause = g_timeout_add ((guint) (pause * 1000), end_pause, camera);
}

static void
on_reach (const char *why, gpointer data)
{
  ToolCamera *camera = data;

  camera->reach = NULL;
  g_free (camera->reason);
  camera->reason = g_strdup (why ? why : camera->failure);
}

static void
fail_by_error (ToolCamera *camera, GstMessage *message)
{
  const ToolRemoteOptions *options = &camera->setup.settings.remote;
  g_autoptr (ToolAddress)
      address = tool_source_get_address (camera->setup.settings.source);
  gboolean unclear;
  g_autofree char *reason = tool_reach_explain (address, options, message,
      &unclear);

  if (address && tool_remote_wants_other (message, address, options))
    camera->udp = !camera->udp;
  fail (camera, reason);
  if (unclear)
    camera->reach = tool_reach_new (address,
        tool_remote_get_status (message) != 0, on_reach, camera);
}

/* A file begins again, and that is no failure. */
static void
at_end (ToolCamera *camera)
{
  if (!tool_source_is_file (camera->setup.settings.source)
      || !camera->tap->frames) {
    fail (camera, "the stream has ended");
    return;
  }
  close_camera (camera);
  camera->again = TRUE;
  camera->pause = g_timeout_add (100, end_pause, camera);
}

static void
look_for_model (ToolCamera *camera, GstMessage *message)
{
  char *why;

  if (!camera->model_changes
      || !tool_pipeline_read_model (message, camera->setup.model, &why))
    return;
  camera->model_changes = FALSE;
  g_free (camera->model_refused);
  camera->model_refused = why;
}

/* Of events that are not kept nobody else would know. Cameras share the folder, and files
 * begin again every few seconds, so what was told is not told at once again. */
static void
look_for_warning (const ToolCamera *camera, GstMessage *message)
{
  static char *told;
  static gint64 told_at;
  const gint64 now = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_WARNING
      || !GST_MESSAGE_SRC (message)
      || g_strcmp0 (GST_OBJECT_NAME (GST_MESSAGE_SRC (message)), "publish")
          != 0)
    return;
  gst_message_parse_warning (message, &error, NULL);
  if (g_strcmp0 (told, error->message) != 0 || now - told_at > TELL_AGAIN)
    g_log_structured (TOOL_LOG_DOMAIN, G_LOG_LEVEL_WARNING, "MESSAGE",
        "camera %s: %s", camera->setup.settings.id, error->message);
  g_free (told);
  told = g_strdup (error->message);
  told_at = now;
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  ToolCamera *camera = data;

  look_for_model (camera, message);
  look_for_warning (camera, message);
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      fail_by_error (camera, message);
      break;
    case GST_MESSAGE_EOS:
      at_end (camera);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (camera->pipeline));
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

static void
open_camera (ToolCamera *camera)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = NULL;

  camera->tap = tool_tap_new (camera->on_picture, camera->user);
  camera->began = g_get_monotonic_time ();
  if (!make_pipeline (camera, &error)) {
    fail (camera, error->message);
  } else {
    gst_pipeline_use_clock (GST_PIPELINE (camera->pipeline), clock);
    bus = gst_element_get_bus (camera->pipeline);
    gst_bus_add_watch (bus, on_message, camera);
    tool_threads_name (bus, camera->setup.thread);
    gst_element_set_state (camera->pipeline, GST_STATE_PLAYING);
  }
}

static guint64
count_frames (const ToolCamera *camera)
{
  return camera->frames_before + (camera->tap ? camera->tap->frames : 0);
}

static guint64
count_inferred (const ToolCamera *camera)
{
  return camera->inferred_before + (camera->tap ? camera->tap->inferred : 0);
}

/* Once in a @period. */
static void
measure (Rate *rate, guint64 count, gint64 now, gint64 period)
{
  if (now - rate->since < period)
    return;
  rate->per_second = (double) (count - rate->count) * G_USEC_PER_SEC
      / (double) (now - rate->since);
  rate->count = count;
  rate->since = now;
}

void
tool_camera_look_for_stall (ToolCamera *camera)
{
  const gint64 now = g_get_monotonic_time ();
  gint64 last;
  g_autofree char *reason = NULL;

  measure (&camera->fps, count_frames (camera), now, FPS_TIME);
  measure (&camera->inferences, count_inferred (camera), now, INFERENCES_TIME);
  last = camera->tap ? camera->tap->last_frame : 0;
  if (last && !camera->connected) {
    if (!camera->again)
      camera->inferences = (Rate){ count_inferred (camera), now, NAN };
    camera->connected = TRUE;
    camera->again = FALSE;
    clear_reason (camera);
  }
  /* Connecting may take longer: the first picture needs a key frame, and the first
   * engine has to be made. */
  if (!camera->tap
      || now - (last ? last : camera->began)
          < (last ? 1 : 4) * (gint64) TIMEOUT)
    return;
  reason = g_strdup_printf ("stalled: no frame for %.0f s",
      (double) (now - (last ? last : camera->began)) / G_USEC_PER_SEC);
  fail (camera, reason);
}

void
tool_camera_get_status (ToolCamera *camera, ToolCameraStatus *status)
{
  if (camera->held)
    status->state = camera->held;
  else if (camera->connected || camera->again)
    status->state = TOOL_CAMERA_LIVE;
  else
    status->state = camera->pause ? TOOL_CAMERA_RETRY : TOOL_CAMERA_CONNECTING;
  status->reason = camera->reason;
  status->frames = count_frames (camera);
  status->inferred = count_inferred (camera);
  status->held = camera->held_before + (camera->tap ? camera->tap->held : 0);
  status->reconnects = camera->reconnects;
  status->fps = camera->fps.per_second;
  status->inferences_per_second = status->state == TOOL_CAMERA_LIVE
      ? camera->inferences.per_second
      : NAN;
  status->model_changes = camera->model_changes;
  status->model_refused = camera->model_refused;
}

void
tool_camera_want_pictures (ToolCamera *camera, gboolean want)
{
  if (camera->wanted == want)
    return;
  camera->wanted = want;
  if (camera->gate)
    g_object_set (camera->gate, "drop", !want, NULL);
  if (!want && camera->tap)
    tool_tap_forget_picture (camera->tap);
}

gboolean
tool_camera_change (ToolCamera *camera, const ToolCameraSetup *setup)
{
  const ToolCameraSetup from = camera->setup;
  const gboolean other = !tool_pipeline_has_same_source (&from, setup);

  camera->setup = *setup;
  if (from.model_turn != setup->model_turn) {
    camera->model_changes = camera->connected || camera->again;
    g_clear_pointer (&camera->model_refused, g_free);
  }
  if (camera->held)
    return TRUE;
  if (camera->pipeline
          ? tool_pipeline_change (GST_BIN (camera->pipeline), &from, setup)
          : !other)
    return TRUE;
  close_camera (camera);
  camera->attempts = 0;
  camera->again = camera->udp = FALSE;
  clear_reason (camera);
  if (*camera->closing < MAX_CLOSING)
    open_camera (camera);
  else
    camera->pause = g_timeout_add (100, end_pause, camera);
  return FALSE;
}

char *
tool_camera_get_active (const ToolCamera *camera, const char *property)
{
  return camera->pipeline
      ? tool_pipeline_get_active (GST_BIN (camera->pipeline), property)
      : NULL;
}

GstStructure *
tool_camera_get_stats (const ToolCamera *camera, const char *element,
    const char *property)
{
  return camera->pipeline
      ? tool_pipeline_get_stats (GST_BIN (camera->pipeline), element, property)
      : NULL;
}

GBytes *
tool_camera_get_picture (ToolCamera *camera)
{
  return camera->tap ? tool_tap_get_picture (camera->tap) : NULL;
}

ToolCamera *
tool_camera_new_held (const ToolCameraSetup *setup, ToolCameraState state,
    const char *reason, void (*on_picture) (gpointer user), gpointer user)
{
  ToolCamera *camera = g_new0 (ToolCamera, 1);

  camera->setup = *setup;
  camera->on_picture = on_picture;
  camera->user = user;
  camera->fd = -1;
  camera->closing = g_atomic_rc_box_new0 (atomic_uint);
  camera->fps.since = g_get_monotonic_time ();
  camera->held = state;
  camera->reason = g_strdup (reason);
  return camera;
}

ToolCamera *
tool_camera_new (const ToolCameraSetup *setup,
    void (*on_picture) (gpointer user), gpointer user)
{
  ToolCamera *camera = tool_camera_new_held (setup, TOOL_CAMERA_WAITING, NULL,
      on_picture, user);

  tool_camera_release (camera);
  return camera;
}

void
tool_camera_release (ToolCamera *camera)
{
  if (!camera->held)
    return;
  camera->held = TOOL_CAMERA_CONNECTING;
  clear_reason (camera);
  open_camera (camera);
}

gboolean
tool_camera_is_held (const ToolCamera *camera)
{
  return camera->held != TOOL_CAMERA_CONNECTING;
}

void
tool_camera_free (ToolCamera *camera)
{
  close_camera (camera);
  clear_reason (camera);
  g_atomic_rc_box_release (camera->closing);
  g_free (camera->failure);
  g_free (camera->model_refused);
  g_free (camera);
}

gboolean
tool_cameras_have_stopped (void)
{
  return n_closing == 0;
}

#endif
