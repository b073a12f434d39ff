/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Cameras that are not there: each has a pipeline as an application would make it, with
 * the decoder that decodebin picks, and one thread sends the frames of all when they are
 * due, whatever becomes of them. As real cameras they are not in step: within a second,
 * in which a clip has a key frame, they begin at different times.
 *
 * A frame's delay counts from when it was due and not from when the thread came to send
 * it, so that a machine that is too busy to receive is not taken for a fast one. Frames
 * count if they were due within the time measured; those that are still on their way at
 * its end have some time to arrive. */

#include "config.h"

#include "base/interrupt.h"
#include "bench/stats.h"

#ifdef HAVE_GST

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <gst/app/gstappsrc.h>

#include "bench/cameras.h"

#define STAGGER GST_SECOND
#define WARM_UP (3 * GST_SECOND / 2) /* once all have begun */
#define LATE (5 * GST_SECOND)
#define SOON (GST_SECOND / 10)
#define GOLDEN \
  0.6180339887498949 /* its multiples lie apart whatever their number */

typedef struct _Run Run;

typedef struct
{
  Run *run;
  GstElement *pipeline, *detector;
  GstAppSrc *source;
  GstClockTime start; /* when its first frame is due */
  guint64 n_sent;     /* the sender's */
  GMutex lock;
  GArray *delays; /* lock; double, ms, of frames that count */
  guint64 inferences;
} Camera;

struct _Run
{
  const ToolClip *clip;
  double period;         /* ns */
  gint64 base;           /* what all times count from; monotonic ns */
  GstClockTime from, to; /* frames that are due then count */
  guint n;
  Camera *cameras;
  GMutex lock;
  GCond changed;
  gboolean stop; /* lock */
  char *missing; /* what decodebin found no plugin for */
};

static GstClockTime
now_of (const Run *run)
{
  return (GstClockTime) (g_get_monotonic_time () * 1000 - run->base);
}

static GstClockTime
due_of (const Camera *camera, guint64 frame)
{
  return camera->start + (GstClockTime) ((double) frame * camera->run->period);
}

static gboolean
counts (const Run *run, GstClockTime due)
{
  return due >= run->from && due < run->to;
}

/* Sending. */

/* Returns the next frame of @camera, which shares its memory with the clip. */
static GstBuffer *
make_frame (const Camera *camera)
{
  const ToolClip *clip = camera->run->clip;
  const guint64 round = camera->n_sent / clip->frames->len;
  const guint index = (guint) (camera->n_sent % clip->frames->len);
  GstBuffer *buffer = gst_buffer_copy (g_ptr_array_index (clip->frames, index));

  /* No frame is presented before it is decoded. */
  GST_BUFFER_DTS (buffer) = due_of (camera, camera->n_sent);
  GST_BUFFER_PTS (buffer) = due_of (camera,
      round * clip->frames->len + clip->rank[index] + clip->reorder);
  GST_BUFFER_DURATION (buffer) = (GstClockTime) camera->run->period;
  if (camera->n_sent == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return buffer;
}

/* When the frame that is presented at @pts was due. */
static GstClockTime
due_of_time (const Camera *camera, GstClockTime pts)
{
  const ToolClip *clip = camera->run->clip;
  const gint64 n = clip->frames->len;
  const gint64 place = (gint64) floor (
                           (double) GST_CLOCK_DIFF (camera->start, pts)
                               / camera->run->period
                           + 0.5)
      - clip->reorder;

  if (place < 0)
    return 0;
  return due_of (camera, (guint64) (place / n * n + clip->at_rank[place % n]));
}

static Camera *
find_next (const Run *run)
{
  Camera *next = &run->cameras[0];

  for (guint i = 1; i < run->n; i++)
    if (due_of (&run->cameras[i], run->cameras[i].n_sent)
        < due_of (next, next->n_sent))
      next = &run->cameras[i];
  return next;
}

/* Sends until it is stopped: the last frames of interest may need later ones to leave
 * a decoder. */
static gpointer
send_frames (gpointer user)
{
  Run *run = user;
  Camera *camera;
  GstClockTime due;

  for (;;) {
    camera = find_next (run);
    due = due_of (camera, camera->n_sent);
    g_mutex_lock (&run->lock);
    while (!run->stop && now_of (run) < due)
      g_cond_wait_until (&run->changed, &run->lock,
          (run->base + (gint64) due) / 1000 + 1);
    if (run->stop)
      break;
    g_mutex_unlock (&run->lock);
    gst_app_src_push_buffer (camera->source, make_frame (camera));
    camera->n_sent++;
  }
  g_mutex_unlock (&run->lock);
  return NULL;
}

/* Receiving. Runs in a streaming thread, behind the detector. */
static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Camera *camera = user;
  const GstClockTime now = now_of (camera->run);
  const GstClockTime due = due_of_time (camera,
      GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)));
  const double delay = (double) GST_CLOCK_DIFF (due, now) / 1e6;

  if (counts (camera->run, due)) {
    g_mutex_lock (&camera->lock);
    g_array_append_val (camera->delays, delay);
    g_mutex_unlock (&camera->lock);
  }
  return GST_PAD_PROBE_OK;
}

/* The cameras. */

static gboolean
make_camera (Run *run, guint index, const char *detector, GError **error)
{
  Camera *camera = &run->cameras[index];
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autofree char *text = g_strdup_printf (
      "appsrc name=source is-live=true format=time "
      "max-bytes=0 ! decodebin name=decoder ! videoconvert ! "
      "yolov10detect name=detector %s ! fakesink name=sink sync=false async=false",
      detector);

  camera->run = run;
  g_mutex_init (&camera->lock);
  camera->delays = g_array_new (FALSE, FALSE, sizeof (double));
  camera->pipeline = gst_parse_launch_full (text, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (camera->pipeline) {
    camera->source = GST_APP_SRC (
        gst_bin_get_by_name (GST_BIN (camera->pipeline), "source"));
    camera->detector = gst_bin_get_by_name (GST_BIN (camera->pipeline),
        "detector");
    gst_app_src_set_caps (camera->source, run->clip->caps);
    sink = gst_bin_get_by_name (GST_BIN (camera->pipeline), "sink");
    pad = gst_element_get_static_pad (sink, "sink");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, camera, NULL);
    /* All count from the same time, so that timestamps are times of the run. */
    gst_pipeline_use_clock (GST_PIPELINE (camera->pipeline), clock);
    gst_element_set_start_time (camera->pipeline, GST_CLOCK_TIME_NONE);
    gst_element_set_base_time (camera->pipeline, (GstClockTime) run->base);
    gst_element_set_state (camera->pipeline, GST_STATE_PLAYING);
  }
  return camera->pipeline != NULL;
}

static void
clear_camera (Camera *camera)
{
  if (!camera->run)
    return;
  if (camera->pipeline) {
    gst_element_set_state (camera->pipeline, GST_STATE_NULL);
    gst_object_unref (camera->source);
    gst_object_unref (camera->detector);
    gst_object_unref (camera->pipeline);
  }
  g_array_unref (camera->delays);
  g_mutex_clear (&camera->lock);
}

/* Returns FALSE with an error if @message is one. */
static gboolean
take_message (Run *run, GstMessage *message, GError **error)
{
  const GstStructure *s = gst_message_get_structure (message);
  g_autoptr (GError) cause = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT && s
      && gst_structure_has_name (s, "missing-plugin")) {
    g_free (run->missing);
    run->missing = g_strdup (gst_structure_get_string (s, "name"));
  }
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return TRUE;
  gst_message_parse_error (message, &cause, NULL);
  if (run->missing)
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "GStreamer has no plugin for the cameras' video: %s", run->missing);
  else
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "a camera failed: %s",
        cause->message);
  return FALSE;
}

static gboolean
check_cameras (Run *run, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < run->n && ok; i++) {
    g_autoptr (GstBus) bus = gst_element_get_bus (run->cameras[i].pipeline);
    GstMessage *message;

    while (ok && (message = gst_bus_pop (bus))) {
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY)
        gst_bin_recalculate_latency (GST_BIN (run->cameras[i].pipeline));
      ok = take_message (run, message, error);
      gst_message_unref (message);
    }
  }
  return ok;
}

static guint64
count_out (Run *run)
{
  guint64 n = 0;

  for (guint i = 0; i < run->n; i++) {
    g_mutex_lock (&run->cameras[i].lock);
    n += run->cameras[i].delays->len;
    g_mutex_unlock (&run->cameras[i].lock);
  }
  return n;
}

static guint64
count_due (const Run *run)
{
  guint64 n = 0;

  for (guint i = 0; i < run->n; i++)
    for (guint64 frame = 0; due_of (&run->cameras[i], frame) < run->to; frame++)
      n += due_of (&run->cameras[i], frame) >= run->from;
  return n;
}

/* Returns FALSE with an error, or when interrupted. @or_out: also ends once so many
 * frames have arrived; 0: does not. */
static gboolean
wait_until (Run *run, GstClockTime time, guint64 or_out, GError **error)
{
  GstClockTime now;

  while ((now = now_of (run)) < time) {
    if (tool_interrupted () || !check_cameras (run, error))
      return FALSE;
    if (or_out && count_out (run) >= or_out)
      break;
    g_usleep ((gulong) MIN (time - now, 20 * GST_MSECOND) / 1000 + 1);
  }
  return TRUE;
}

/* Figures. */

static guint64
get_inferences (const Camera *camera)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 n = 0;

  g_object_get (camera->detector, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "inferences", &n);
  return n;
}

static guint64
get_engine_inferences (Y10EngineStream *engine)
{
  Y10EngineStreamStats stats = { .size = sizeof stats };

  y10_engine_stream_get_stats (engine, &stats);
  return stats.n_inferences;
}

/* Seconds of CPU time that this process has used. */
static double
get_cpu_time (void)
{
  struct rusage usage = { 0 };

  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static const char *
find_decoder (GstElement *pipeline)
{
  g_autoptr (GstIterator) all = gst_bin_iterate_recurse (GST_BIN (pipeline));
  GValue item = G_VALUE_INIT;
  const char *name = NULL;

  while (!name && gst_iterator_next (all, &item) == GST_ITERATOR_OK) {
    GstElement *element = g_value_get_object (&item);
    GstElementFactory *factory = gst_element_get_factory (element);

    if (factory && !GST_IS_BIN (element)
        && gst_element_factory_list_is_type (factory,
            GST_ELEMENT_FACTORY_TYPE_DECODER))
      name = g_intern_string (GST_OBJECT_NAME (factory));
    g_value_reset (&item);
  }
  g_value_unset (&item);
  return name;
}

static void
fill_delays (Run *run, ToolCamerasResult *result)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (double));
  ToolStats stats;

  for (guint i = 0; i < run->n; i++) {
    Camera *camera = &run->cameras[i];

    g_mutex_lock (&camera->lock);
    g_array_append_vals (all, camera->delays->data, camera->delays->len);
    g_mutex_unlock (&camera->lock);
  }
  result->frames_out = all->len;
  if (all->len) {
    tool_stats ((double *) (gpointer) all->data, all->len, &stats);
    result->delay_median = stats.median;
    result->delay_p95 = stats.p95;
    result->delay_max = g_array_index (all, double, all->len - 1);
  }
}

static void
fill_inferences (Run *run, ToolCamerasResult *result)
{
  g_autofree double *rates = g_new (double, run->n);
  ToolStats stats;

  for (guint i = 0; i < run->n; i++) {
    result->n_inferences += run->cameras[i].inferences;
    rates[i] = (double) run->cameras[i].inferences / result->seconds;
  }
  tool_stats (rates, run->n, &stats);
  result->least_inferences = stats.min;
  result->median_inferences = stats.median;
}

/* Rates are over the time between the two looks at the counters. */
static gboolean
measure (Run *run, Y10EngineStream *engine, ToolCamerasResult *result,
    GError **error)
{
  gint64 began;
  double cpu;

  result->frames_in = count_due (run);
  if (!wait_until (run, run->from, 0, error))
    return FALSE;
  began = g_get_monotonic_time ();
  cpu = get_cpu_time ();
  result->n_engine_inferences = get_engine_inferences (engine);
  for (guint i = 0; i < run->n; i++)
    run->cameras[i].inferences = get_inferences (&run->cameras[i]);
  if (!wait_until (run, run->to, 0, error))
    return FALSE;
  result->seconds = (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
  result->cpus = (get_cpu_time () - cpu) / result->seconds;
  result->n_engine_inferences = get_engine_inferences (engine)
      - result->n_engine_inferences;
  for (guint i = 0; i < run->n; i++)
    run->cameras[i].inferences = get_inferences (&run->cameras[i])
        - run->cameras[i].inferences;
  return wait_until (run, run->to + LATE, result->frames_in, error);
}

gboolean
tool_cameras_run (const ToolClip *clip, guint n, double seconds,
    const char *detector, Y10EngineStream *engine, ToolCamerasResult *result,
    GError **error)
{
  Run run = {
    .clip = clip,
    .n = n,
    .period = GST_SECOND / clip->fps,
    .base = g_get_monotonic_time () * 1000,
  };
  GThread *sender = NULL;
  gboolean ok = TRUE;
  GstClockTime start;

  memset (result, 0, sizeof *result);
  result->n = n;
  g_mutex_init (&run.lock);
  g_cond_init (&run.changed);
  run.cameras = g_new0 (Camera, n);
  for (guint i = 0; i < n && ok; i++)
    ok = make_camera (&run, i, detector, error);
  if (ok) {
    start = now_of (&run) + SOON;
    for (guint i = 0; i < n; i++)
      run.cameras[i].start = start
          + (GstClockTime) (fmod (i * GOLDEN, 1) * STAGGER);
    run.from = start + STAGGER + WARM_UP;
    run.to = run.from + (GstClockTime) (seconds * GST_SECOND);
    sender = g_thread_new ("cameras", send_frames, &run);
    ok = measure (&run, engine, result, error);
    g_mutex_lock (&run.lock);
    run.stop = TRUE;
    g_cond_signal (&run.changed);
    g_mutex_unlock (&run.lock);
    g_thread_join (sender);
  }
  if (ok) {
    fill_delays (&run, result);
    fill_inferences (&run, result);
    result->decoder = find_decoder (run.cameras[0].pipeline);
  }
  for (guint i = 0; i < n; i++)
    clear_camera (&run.cameras[i]);
  g_free (run.cameras);
  g_free (run.missing);
  g_cond_clear (&run.changed);
  g_mutex_clear (&run.lock);
  return ok;
}

#endif
