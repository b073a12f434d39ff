/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What y10 detect does once its command line is known: loads the model, opens the outputs
 * before the first input, and processes the inputs, in a process that may crash. */

#include "config.h"

#include "base/address.h"
#include "base/command.h"
#include "base/headoptions.h"
#include "base/interrupt.h"
#include "base/names.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/supervisor.h"
#include "base/terminal.h"
#include "detect/detect.h"
#include "detect/options.h"
#include "detect/output.h"
#include "detect/report.h"
#include "detect/rules.h"
#include "detect/runner.h"
#include "detect/tracks.h"
#include "draw/crops.h"
#include "draw/draw.h"
#include "media/inputs.h"
#include "media/picture.h"

static gboolean
is_picture (const char *input)
{
  g_autofree char *path = tool_source_to_path (input, NULL);
  g_autofree char *base = tool_source_basename (input);

  return path
      ? g_file_test (path, G_FILE_TEST_IS_REGULAR) && tool_picture_probe (path)
      : tool_is_picture_name (base);
}

/* Tells whether tuning pays off: with pictures only, it would outlast the work. */
static gboolean
has_video (char **inputs)
{
  gboolean has = FALSE;

  for (guint i = 0; inputs[i] && !has; i++) {
    if (tool_supervisor_is_done (i))
      continue;
    tool_supervisor_begin (i);
    has = !is_picture (inputs[i]);
  }
  tool_supervisor_rest ();
  return has;
}

/* Crops are within boxes, but copies also show what is not in the region. */
static gboolean
set_privacy (ToolDetect *self, const ToolDetectOptions *options)
{
  g_autoptr (GError) error = NULL;

  self->privacy = (ToolPrivacy){ options->privacy, self->parts.region,
    self->parts.anchor };
  if (!options->draw || tool_privacy_check_region (&self->privacy, &error))
    return TRUE;
  tool_error ("%s", error->message);
  return FALSE;
}

/* Opens the output folders, or prints an error and returns FALSE. */
static gboolean
open_outputs (ToolDetect *self, const ToolDetectOptions *options)
{
  g_autoptr (GError) error = NULL;

  if (options->draw)
    self->draw = tool_draw_new (options->draw, self->model, &self->privacy,
        &error);
  if (options->track && !error)
    self->tracks = tool_tracks_new (self->model, options->zones,
        options->class_groups, &error);
  if (options->save_crops && !error)
    self->crops = tool_crops_new (options->save_crops, self->model,
        &self->privacy, &error);
  if (!error)
    return TRUE;
  tool_error ("%s", error->message);
  return FALSE;
}

/* The engine belongs to the runner of @self; NULL after a message. */
static Y10Engine *
open_engine (ToolDetect *self, const ToolDetectOptions *options,
    Y10EngineConfig *config, Y10HeadParams *params)
{
  g_autoptr (GError) error = NULL;
  Y10HeadParams asked = *params;
  Y10Engine *engine;

  config->n_slots = 2;
  /* Tuned plans depend on measured times, and stored results must not. */
  config->tune = config->tune && !options->store && has_video (options->inputs);
  engine = y10_engine_new (self->model, config, NULL, &error);
  if (!engine) {
    tool_error ("%s", error->message);
    return NULL;
  }
  if (self->tracks)
    tool_tracks_ask (self->tracks, self->model, params, config->max_detections,
        &asked);
  self->runner = tool_runner_new (engine, &asked, &self->parts,
      tool_detect_result, self);
  if (self->ignore_par)
    tool_runner_ignore_par (self->runner);
  self->progress = tool_progress_new (options->store
          ? options->tasks.tasks->len
          : g_strv_length (options->inputs),
      engine);
  y10_engine_unref (engine); /* the runner holds a reference */
  return engine;
}

static int
detect_inputs (ToolDetect *self, char **inputs)
{
  for (guint i = 0; inputs[i] && !tool_interrupted (); i++) {
    if (!tool_supervisor_is_done (i)) {
      /* Inputs that crash one after the other must not keep a result back. */
      if (tool_supervisor_get_start ())
        tool_runner_flush (self->runner);
      tool_supervisor_begin (i);
      self->is_pending = FALSE;
      tool_detect_input (self, inputs[i]);
      if (!self->is_pending)
        tool_supervisor_end (i);
    }
    self->n_done = i + 1;
  }
  tool_detect_end (self);
  tool_runner_flush (self->runner);
  tool_supervisor_rest ();
  return tool_flush_stdout () && !self->failed ? TOOL_OK : TOOL_FAILED;
}

typedef struct
{
  const ToolDetectOptions *options;
  Y10EngineConfig *config;
} Command;

/* Tells whoever expects people and cars of the bundled model what it knows. */
static void
explain_bundled (const ToolDetect *self)
{
  const guint n = y10_model_get_n_classes (self->model);
  g_autoptr (GString) names = g_string_new (NULL);
  guint64 n_found = 0;

  for (guint i = 0; i < n; i++) {
    n_found += self->classes[i].n_objects;
    g_string_append_printf (names, "%s%s", i ? ", " : "",
        y10_model_get_class_name (self->model, i));
  }
  if (!n_found && tool_supervisor_get_counts ()->n_frames)
    tool_error (
        "nothing was found; the bundled model knows %s. --model takes "
        "weights for other objects; models/fetch.sh of the sources downloads "
        "some that know people, cars and 78 other classes",
        names->str);
}

static void
print_summary (ToolDetect *self, const Y10Engine *engine)
{
  const ToolCounts *counts = tool_supervisor_get_counts ();
  g_autofree char *text = NULL;

  if (!counts->n_frames)
    return;
  text = tool_report_summary (self->model, engine, counts, self->classes,
      tool_progress_get_seconds (self->progress));
  fputs (text, self->out);
  fflush (self->out);
}

/* Runs in a child process. */
static int
run (gpointer user)
{
  const ToolDetectOptions *options = ((Command *) user)->options;
  Y10EngineConfig *config = ((Command *) user)->config;
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  ToolDetect self = {
    .interval = (guint) options->interval,
    .ignore_par = options->ignore_par,
    .remote = options->remote,
    .fps = options->fps,
    .format = options->format,
    .output = options->output,
    .out = options->output ? tool_output_get_file (options->output) : stdout,
    .n_inputs = options->inputs ? g_strv_length (options->inputs) : 0,
    .for_store = options->store != NULL,
  };
  Y10Engine *engine;
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *classes = NULL;
  g_autofree gfloat *class_confidence = NULL;
  g_autofree ToolClassCount *own_counts = NULL;
  Y10Tiles tiles;
  int status = TOOL_NO_ENGINE;

  tool_interrupt_catch ();
  self.model = tool_model_load (options->engine.model, options->engine.labels,
      &error);
  if (!self.model) {
    tool_error ("%s", error->message);
    goto out;
  }
  if ((options->head.classes
          && !(
              classes = tool_classes_parse (options->head.classes, self.model)))
      || !tool_rules_read_limits (&options->rules, self.model,
          &class_confidence, &params)
      || !tool_rules_read_parts (&options->rules, &tiles, &self.parts)
      || !set_privacy (&self, options)) {
    status = TOOL_USAGE;
    goto out;
  }
  if (!open_outputs (&self, options)) {
    status = TOOL_FAILED;
    goto out;
  }
  tool_head_options_apply (&options->head, &params);
  params.classes = classes;
  engine = open_engine (&self, options, config, &params);
  if (!engine)
    goto out;

  if (y10_model_get_n_classes (self.model) > TOOL_MAX_COUNTED_CLASSES)
    own_counts = g_new0 (ToolClassCount, y10_model_get_n_classes (self.model));
  self.classes = own_counts ? own_counts
                            : tool_supervisor_get_counts ()->classes;
  status = options->store
      ? tool_detect_store (&self, &options->tasks, engine, &params)
      : detect_inputs (&self, options->inputs);
  tool_progress_summarise (self.progress, self.n_done, self.model,
      self.classes);
  if (self.format == TOOL_FORMAT_SUMMARY)
    print_summary (&self, engine);
  if (tool_interrupted ())
    status = TOOL_INTERRUPTED;
  else if (!options->engine.model && !options->store && !options->head.classes)
    explain_bundled (&self);

out:
  tool_progress_free (self.progress);
  tool_runner_free (self.runner);
  tool_draw_free (self.draw);
  tool_crops_free (self.crops);
  tool_tracks_free (self.tracks);
  g_clear_pointer (&self.model, y10_model_unref);
  y10_region_unref (self.parts.region);
  g_free (self.failure);
  return status;
}

/* Runs in the parent. */
static void
report (guint index, const char *why, gpointer user)
{
  const ToolDetectOptions *options = ((Command *) user)->options;

  if (options->store)
    tool_store_report (&options->tasks, index, why);
  else
    tool_error ("%s: %s", tool_address_name (options->inputs[index]), why);
}

int
tool_detect_supervise (const ToolDetectOptions *options,
    Y10EngineConfig *config)
{
  Command command = { options, config };
  const ToolWork work = { .run = run,
    .report = report,
    .user = &command,
    .n = options->store ? options->tasks.tasks->len
                        : g_strv_length (options->inputs) };

  return tool_supervise (&work);
}
