/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 bench --cameras: how many live cameras this machine carries with a model, with
 * their decoders running. It decides what "carries" means, and which numbers of cameras
 * are tried: 1, 2, 4 and so on until one is too many, then the middle between the most
 * that were carried and the fewest that were not. cameras.c runs them. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/names.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "bench/capacity.h"

#ifdef HAVE_GST

#include "bench/cameras.h"
#include "media/gst.h"

#define MAX_CAMERAS 256
#define DEFAULT_SIZE "1280x720"
#define MIN_SIZE 32
#define MAX_SIZE 8192
/* As the detector asks for, so that this stream shares its engine. */
#define MAX_DETECTIONS 1000

typedef struct
{
  ToolCamerasResult result;
  char *reason; /* why not carried; NULL: carried */
} Try;

typedef struct
{
  const ToolCameraOptions *options;
  Y10Model *model;
  Y10EngineStream *stream; /* keeps the engine between two numbers of cameras */
  ToolClip *clip;
  char *detector;       /* its properties */
  GArray *tries;        /* Try */
  guint most, too_many; /* carried; not carried, 0: not known */
} Cameras;

static void
try_clear (gpointer data)
{
  g_free (((Try *) data)->reason);
}

/* Options. */

/* Returns -1 with an error; 0: not given. */
static double
parse_fps (const char *text)
{
  double fps = 0;
  char *end;

  if (!text)
    return 0;
  fps = g_ascii_strtod (text, &end);
  if (end != text && !*end && fps >= 1 && fps <= 240)
    return fps;
  tool_error ("--cameras is '%s', expected frames per second, 1 to 240", text);
  return -1;
}

/* Whether @text has the form of a size. */
static gboolean
parse_size (const char *text, guint64 *width, guint64 *height)
{
  char *end;

  if (!g_ascii_isdigit (text[0]))
    return FALSE;
  *width = g_ascii_strtoull (text, &end, 10);
  if ((*end != 'x' && *end != 'X') || !g_ascii_isdigit (end[1]))
    return FALSE;
  *height = g_ascii_strtoull (end + 1, &end, 10);
  return *end == 0;
}

/* Returns the exit status. */
static int
open_source (Cameras *self, double fps, GError **error)
{
  const char *source = self->options->source ? self->options->source
                                             : DEFAULT_SIZE;
  guint64 width = 0, height = 0;

  if (!parse_size (source, &width, &height)) {
    tool_progress_show ("reading the video");
    self->clip = tool_clip_read (source, fps, error);
  } else if (width % 2 || height % 2 || MIN (width, height) < MIN_SIZE
      || MAX (width, height) > MAX_SIZE) {
    tool_error (
        "--source is '%s', expected a video or a size of even numbers from %d "
        "to %d, such as " DEFAULT_SIZE,
        source, MIN_SIZE, MAX_SIZE);
    return TOOL_USAGE;
  } else {
    tool_progress_show ("encoding the cameras' video");
    self->clip = tool_clip_make ((guint) width, (guint) height,
        fps > 0 ? fps : TOOL_CAMERA_FPS, error);
  }
  tool_progress_show (NULL);
  return self->clip ? TOOL_OK : TOOL_FAILED;
}

static void
add_string (GString *text, const char *name, const char *value)
{
  g_autofree char *escaped = value ? g_strescape (value, NULL) : NULL;

  if (value)
    g_string_append_printf (text, " %s=\"%s\"", name, escaped);
}

/* Returns the properties that give a detector these options. */
static char *
describe_detector (const ToolEngineOptions *engine, guint batch)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "threads=%d max-batch=%u cuda-graphs=%s cuda-tune=%s",
      engine->threads, batch, engine->no_cuda_graphs ? "false" : "true",
      engine->no_tune ? "false" : "true");
  add_string (text, "model-file", engine->model);
  add_string (text, "label-file", engine->labels);
  add_string (text, "backend", engine->backend);
  add_string (text, "precision", engine->precision);
  add_string (text, "head", engine->head);
  add_string (text, "input-size", engine->size);
  return g_string_free (text, FALSE);
}

static gboolean
open_engine (Cameras *self, const ToolEngineOptions *options, GError **error)
{
  Y10EngineConfig config;

  if (!tool_gst_init (error))
    return FALSE;
  if (!tool_have_element ("yolov10detect")) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "--cameras needs the yolov10detect element, which GStreamer does not "
        "find; 'y10 doctor' reports the reason");
    return FALSE;
  }
  if (!tool_engine_options_parse (options, &config))
    return FALSE;
  config.max_batch = self->options->batch;
  config.max_detections = MAX_DETECTIONS;
  self->model = tool_model_load (options->model, options->labels, error);
  if (!self->model)
    return FALSE;
  self->stream = y10_engine_stream_new (self->model, &config, "", 0, NULL,
      error);
  if (!self->stream)
    return FALSE;
  tool_progress_wait_tuned (y10_engine_stream_get_engine (self->stream));
  self->detector = describe_detector (options, self->options->batch);
  return TRUE;
}

/* What carries means. */

/* A camera cannot get more inferences than it has frames. */
static double
floor_of (const Cameras *self)
{
  return MIN (self->options->min_inferences, self->clip->fps);
}

/* Returns why these cameras are not carried, or NULL. Whether a camera had one inference
 * more or less in the time measured is chance. */
static char *
judge (const Cameras *self, const ToolCamerasResult *r)
{
  if (r->frames_out < r->frames_in)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " frames did not come",
        r->frames_in - r->frames_out);
  if (r->frames_out > r->frames_in)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " frames too many came",
        r->frames_out - r->frames_in);
  if (r->least_inferences * r->seconds + 1.5
      < floor (floor_of (self) * r->seconds))
    return g_strdup_printf ("less than %g inferences/s", floor_of (self));
  if (r->delay_p95 > self->options->max_delay)
    return g_strdup_printf ("delay over %g ms", self->options->max_delay);
  return NULL;
}

/* Output. */

static const char *
variant_of (const Cameras *self)
{
  return y10_model_get_variant (self->model);
}

static Y10Engine *
engine_of (const Cameras *self)
{
  return y10_engine_stream_get_engine (self->stream);
}

static void
print_head (const Cameras *self, const ToolCamerasResult *first)
{
  Y10Engine *engine = engine_of (self);
  guint width, height;

  y10_engine_get_input_size (engine, &width, &height);
  tool_print ("%s, %ux%u%s, %s, %s, %s\n", variant_of (self), width, height,
      y10_engine_get_auto_size (engine) ? " (auto)" : "",
      y10_backend_get_name (y10_engine_get_backend (engine)),
      y10_precision_get_name (y10_engine_get_precision (engine)),
      y10_engine_get_device (engine));
  tool_print ("cameras: %ux%u, %g FPS, %s, %.2f Mbit/s, %s %s, decoded by %s\n",
      self->clip->width, self->clip->height, self->clip->fps, self->clip->codec,
      tool_clip_get_bit_rate (self->clip) / 1e6,
      self->clip->encoder ? "by" : "of",
      self->clip->encoder ? self->clip->encoder : self->options->source,
      first->decoder ? first->decoder : "an unknown element");
  if (self->clip->encoder && strcmp (self->clip->codec, "H.264"))
    tool_print ("There is no H.264 encoder here, so the cameras send %s.\n",
        self->clip->codec);
  tool_print (
      "\nCarried are cameras if every frame comes out, each camera gets %g "
      "inferences a second\n(less one in the time measured, %g s), and 95 %% of the "
      "frames come within %g ms.\n\n",
      floor_of (self), self->options->seconds, self->options->max_delay);
  tool_print ("%7s  %15s  %14s  %23s  %8s\n", "", "frames", "inferences/s",
      "delay ms", "CPUs");
  tool_print ("%7s  %7s %7s  %6s %7s  %7s %7s %7s  %8s  carried\n", "cameras",
      "in", "out", "least", "median", "50 %", "95 %", "most", "used");
}

static void
print_row (const Try *try)
{
  const ToolCamerasResult *r = &try->result;

  if (!r->frames_in) {
    tool_print ("%7u  no: %s\n", r->n, try->reason);
    return;
  }
  tool_print ("%7u  %7" G_GUINT64_FORMAT " %7" G_GUINT64_FORMAT
              "  %6.1f %7.1f  "
              "%7.1f %7.1f %7.1f  %8.2f  %s%s\n",
      r->n, r->frames_in, r->frames_out, r->least_inferences,
      r->median_inferences, r->delay_median, r->delay_p95, r->delay_max,
      r->cpus, try->reason ? "no: " : "yes", try->reason ? try->reason : "");
}

static const Try *
find_try (const Cameras *self, guint n)
{
  for (guint i = 0; i < self->tries->len; i++)
    if (g_array_index (self->tries, Try, i).result.n == n)
      return &g_array_index (self->tries, Try, i);
  return NULL;
}

static void
print_end (const Cameras *self)
{
  Y10Engine *engine = engine_of (self);
  const char *backend = y10_backend_get_name (y10_engine_get_backend (engine));
  const char *precision = y10_precision_get_name (
      y10_engine_get_precision (engine));
  const ToolClip *clip = self->clip;
  const guint threads = y10_engine_get_threads (engine);
  const Try *best = find_try (self, self->most);
  g_autofree char *what =
      g_strdup_printf ("of %ux%u at %g FPS with %s (%s, %s, %u thread%s)",
          clip->width, clip->height, clip->fps, variant_of (self), backend,
          precision, threads, threads == 1 ? "" : "s");

  if (best)
    tool_print (
        "\nThis machine carries %s%u camera%s %s: %.1f inferences a second "
        "each, delay %.0f ms (95 %%).\n",
        self->too_many ? "" : "at least ", self->most,
        self->most == 1 ? "" : "s", what, best->result.least_inferences,
        best->result.delay_p95);
  else
    tool_print ("\nThis machine carries no camera %s: %s.\n", what,
        find_try (self, 1)->reason);
}

static void
add_try (GString *json, const Try *try)
{
  const ToolCamerasResult *r = &try->result;

  y10_json_open (json, NULL, '{');
  y10_json_add_int (json, "cameras", r->n);
  y10_json_add_bool (json, "carried", !try->reason);
  y10_json_add_string (json, "reason", try->reason);
  y10_json_add_double (json, "seconds", r->seconds);
  y10_json_add_int (json, "frames_in", (gint64) r->frames_in);
  y10_json_add_int (json, "frames_out", (gint64) r->frames_out);
  y10_json_add_int (json, "inferences", (gint64) r->n_inferences);
  y10_json_add_int (json, "engine_inferences", (gint64) r->n_engine_inferences);
  y10_json_add_double (json, "least_inferences_per_second",
      r->least_inferences);
  y10_json_add_double (json, "median_inferences_per_second",
      r->median_inferences);
  y10_json_open (json, "delay_ms", '{');
  y10_json_add_double (json, "median", r->delay_median);
  y10_json_add_double (json, "p95", r->delay_p95);
  y10_json_add_double (json, "max", r->delay_max);
  y10_json_close (json, '}');
  y10_json_add_double (json, "cpus_used", r->cpus);
  y10_json_close (json, '}');
}

static void
add_source (GString *json, const Cameras *self)
{
  const ToolClip *clip = self->clip;
  const Try *first = &g_array_index (self->tries, Try, 0);
  g_autofree char *name = clip->encoder
      ? NULL
      : tool_source_to_utf8 (self->options->source);

  y10_json_open (json, "source", '{');
  y10_json_add_string (json, "file", name);
  y10_json_add_size (json, "size", clip->width, clip->height);
  y10_json_add_double (json, "fps", clip->fps);
  y10_json_add_string (json, "codec", clip->codec);
  y10_json_add_double (json, "bits_per_second", tool_clip_get_bit_rate (clip));
  y10_json_add_string (json, "encoder", clip->encoder);
  y10_json_add_string (json, "decoder", first->result.decoder);
  y10_json_close (json, '}');
}

static void
print_json (const Cameras *self)
{
  g_autoptr (GString) json = g_string_new (NULL);
  Y10Engine *engine = engine_of (self);
  guint width, height;

  y10_engine_get_input_size (engine, &width, &height);
  y10_json_open (json, NULL, '{');
  y10_json_add_int (json, "cameras", self->most);
  y10_json_add_bool (json, "at_least", !self->too_many);
  y10_json_add_double (json, "min_inferences", floor_of (self));
  y10_json_add_double (json, "max_delay_ms", self->options->max_delay);
  add_source (json, self);
  y10_json_add_string (json, "model", variant_of (self));
  y10_json_add_size (json, "size", width, height);
  y10_json_add_bool (json, "auto_size", y10_engine_get_auto_size (engine));
  y10_json_add_string (json, "backend",
      y10_backend_get_name (y10_engine_get_backend (engine)));
  y10_json_add_string (json, "precision",
      y10_precision_get_name (y10_engine_get_precision (engine)));
  y10_json_add_int (json, "threads", y10_engine_get_threads (engine));
  y10_json_add_string (json, "device", y10_engine_get_device (engine));
  y10_json_add_int (json, "cpus", g_get_num_processors ());
  y10_json_open (json, "tries", '[');
  for (guint i = 0; i < self->tries->len; i++)
    add_try (json, &g_array_index (self->tries, Try, i));
  y10_json_close (json, ']');
  y10_json_close (json, '}');
  tool_print_json (json);
}

/* The search. */

/* Returns the number of cameras to try next, or 0. */
static guint
choose_next (const Cameras *self)
{
  if (!self->too_many)
    return self->most < MAX_CAMERAS ? MAX (1, self->most * 2) : 0;
  return self->too_many - self->most > 1 ? (self->most + self->too_many) / 2
                                         : 0;
}

/* What fails with more cameras than were carried is a limit, too: of memory, or of the
 * streams that a hardware decoder takes. */
static gboolean
try_cameras (Cameras *self, guint n, GError **error)
{
  g_autofree char *line = g_strdup_printf ("%u camera%s: measuring for %g s", n,
      n == 1 ? "" : "s", self->options->seconds);
  GError *cause = NULL;
  Try try = { 0 };
  gboolean ok;

  tool_progress_show (line);
  ok = tool_cameras_run (self->clip, n, self->options->seconds, self->detector,
      self->stream, &try.result, &cause);
  tool_progress_show (NULL);
  if (!ok && (!cause || !self->most)) {
    if (cause)
      g_propagate_error (error, cause);
    return FALSE;
  }
  if (ok) {
    try.reason = judge (self, &try.result);
  } else {
    memset (&try.result, 0, sizeof try.result);
    try.result.n = n;
    try.reason = g_strdup (cause->message);
    g_error_free (cause);
  }
  g_array_append_val (self->tries, try);
  if (try.reason)
    self->too_many = n;
  else
    self->most = n;
  if (!self->options->json) {
    if (self->tries->len == 1)
      print_head (self, &try.result);
    print_row (&try);
    fflush (stdout);
  }
  return TRUE;
}

/* Returns the exit status. */
static int
search (Cameras *self, GError **error)
{
  guint n;

  while ((n = choose_next (self)))
    if (!try_cameras (self, n, error))
      return tool_interrupted () ? TOOL_INTERRUPTED : TOOL_FAILED;
  if (self->options->json)
    print_json (self);
  else
    print_end (self);
  return tool_flush_stdout () ? TOOL_OK : TOOL_FAILED;
}

int
tool_bench_cameras (const ToolEngineOptions *engine,
    const ToolCameraOptions *options)
{
  Cameras self = { .options = options };
  const double fps = parse_fps (options->fps);
  g_autoptr (GError) error = NULL;
  int status = TOOL_NO_ENGINE;

  if (fps < 0)
    return TOOL_USAGE;
  self.tries = g_array_new (FALSE, FALSE, sizeof (Try));
  g_array_set_clear_func (self.tries, try_clear);
  tool_interrupt_catch ();
  if (open_engine (&self, engine, &error)) {
    status = open_source (&self, fps, &error);
    if (status == TOOL_OK)
      status = search (&self, &error);
    if (tool_interrupted ())
      status = TOOL_INTERRUPTED;
  }
  if (error)
    tool_error ("%s", error->message);
  g_array_unref (self.tries);
  tool_clip_free (self.clip);
  g_free (self.detector);
  g_clear_pointer (&self.stream, y10_engine_stream_unref);
  g_clear_pointer (&self.model, y10_model_unref);
  return status;
}

#else /* !HAVE_GST */

int
tool_bench_cameras (const ToolEngineOptions *engine,
    const ToolCameraOptions *options)
{
  tool_error (
      "--cameras: this y10 was built without GStreamer and has no cameras");
  return TOOL_NO_ENGINE;
}

#endif
