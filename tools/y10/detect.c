/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 detect: every input in turn, pictures and videos, one line of JSON a
 * picture or frame (a table on a terminal). An input that fails is named once
 * on stderr and the rest go on; the exit status is 0 only when all were read,
 * and what is printed for a frame never depends on the frames around it. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

typedef struct
{
  Y10Model *model;
  ToolRunner *runner;
  ToolDraw *draw;               /* NULL: nothing is drawn */
  ToolProgress *progress;
  gboolean table;
  gboolean failed;

  guint n_done;                 /* inputs */
  ToolVideo *video;             /* the one being read */
  gboolean video_failed;
} Detect;

static void
fail (Detect *self, const char *source, const char *message)
{
  char *name = g_filename_display_name (source);

  tool_progress_hide (self->progress);
  tool_error ("%s: %s", name, message);
  self->failed = TRUE;
  g_free (name);
}

static void
print_result (Detect *self, const ToolFrame *frame, const Y10Detection *rows,
    guint n)
{
  char *text;

  if (self->table) {
    tool_progress_hide (self->progress);
    text = tool_report_table (self->model, frame, rows, n);
    fputs (text, stdout);
  } else {
    text = tool_report_json (self->model, frame, rows, n);
    puts (text);
  }
  g_free (text);
  /* A line at a time: the reader may be waiting for this very frame. */
  fflush (stdout);
}

static void
on_result (const ToolFrame *frame, const Y10Detection *rows, guint n,
    const GError *failure, gpointer user)
{
  Detect *self = user;
  GError *error = NULL;
  gboolean drawn = TRUE;
  double fraction = 1;

  if (failure) {
    /* The same failure would come with every frame of a video. */
    if (!self->video_failed)
      fail (self, frame->source, failure->message);
    self->video_failed = self->video != NULL;
    return;
  }
  print_result (self, frame, rows, n);

  if (self->draw && self->video && !self->video_failed)
    drawn = tool_draw_frame (self->draw, frame, rows, n, &error);
  else if (self->draw && !self->video)
    drawn = tool_draw_picture (self->draw, frame, rows, n, &error);
  if (!drawn) {
    fail (self, frame->source, error->message);
    g_clear_error (&error);
    self->video_failed = self->video != NULL;
  }

  if (self->video)
    fraction = tool_video_get_progress (self->video, frame->timestamp);
  tool_progress_update (self->progress, self->n_done, fraction,
      frame->source);
}

static void
detect_picture (Detect *self, const char *path)
{
  GError *error = NULL;
  ToolFrame frame;

  if (tool_picture_load (path, &frame, &error)) {
    tool_runner_push (self->runner, &frame);
  } else {
    fail (self, path, error->message);
    g_error_free (error);
  }
}

static void
detect_video (Detect *self, const char *path)
{
  GError *error = NULL;
  ToolFrame frame;
  int more = 1;

  /* Pictures still under way are not part of this video. */
  tool_runner_flush (self->runner);
  self->video_failed = FALSE;
  self->video = tool_video_open (path, &error);
  if (!self->video) {
    fail (self, path, error->message);
    g_error_free (error);
    return;
  }
  while (!self->video_failed
      && (more = tool_video_next (self->video, &frame, &error)) > 0)
    tool_runner_push (self->runner, &frame);
  tool_runner_flush (self->runner);
  if (more < 0) {
    fail (self, path, error->message);
    g_clear_error (&error);
  }
  if (self->draw && !tool_draw_finish (self->draw, &error)) {
    if (!self->video_failed)
      fail (self, path, error->message);
    g_clear_error (&error);
  }
  tool_video_close (self->video);
  self->video = NULL;
  self->video_failed = FALSE;
}

static void
detect_input (Detect *self, const char *path)
{
  if (!strstr (path, "://")) {
    if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
      fail (self, path, "there is no such file");
      return;
    }
    if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
      fail (self, path, "is a directory; name the files in it");
      return;
    }
    if (access (path, R_OK) != 0) {
      fail (self, path, "may not be read");
      return;
    }
    if (tool_picture_probe (path)) {
      detect_picture (self, path);
      return;
    }
  }
  detect_video (self, path);
}

/* Whether there is time to look for faster ways: not for a few pictures, at
 * whose end what is being built would be waited for. */
static gboolean
has_video (char **inputs)
{
  for (; *inputs; inputs++)
    if (!g_file_test (*inputs, G_FILE_TEST_IS_REGULAR)
        || !tool_picture_probe (*inputs))
      return TRUE;
  return FALSE;
}

static gboolean
detect_open (Detect *self, const ToolEngineOptions *options,
    const Y10EngineConfig *config, const Y10HeadParams *params,
    const char *draw_dir, guint n_inputs)
{
  GError *error = NULL;
  Y10Engine *engine = NULL;

  self->model = y10_model_load (options->model, options->labels, &error);
  if (self->model && draw_dir) {
    self->draw = tool_draw_new (draw_dir, self->model, &error);
    if (!self->draw)
      goto out;
  }
  if (self->model)
    engine = y10_engine_new (self->model, config, NULL, &error);
  if (engine) {
    self->runner = tool_runner_new (engine, params, on_result, self);
    self->progress = tool_progress_new (n_inputs, engine);
    y10_engine_unref (engine);  /* the runner has it */
  }
out:
  if (!self->runner) {
    tool_error ("%s", error->message);
    g_error_free (error);
  }
  return self->runner != NULL;
}

static void
detect_close (Detect *self)
{
  tool_progress_free (self->progress);
  tool_runner_free (self->runner);
  tool_draw_free (self->draw);
  g_clear_pointer (&self->model, y10_model_unref);
}

static GOptionContext *
make_context (void)
{
  GOptionContext *context = g_option_context_new ("INPUT…");

  g_option_context_set_summary (context,
      "Finds objects in pictures and videos. INPUT is a picture, a video or a "
      "URI that\nGStreamer can play. Prints one JSON object a line and "
      "picture or frame, or a table\nwhen the output is a terminal.");
  g_option_context_set_description (context,
      "Exit status: 0 when every input was read, 1 when one was not (the "
      "others still are),\n2 when the command line is wrong.\n\n"
      "Without --model it is the bundled model, which finds codes and "
      "markers.\n\n"
      "Examples:\n"
      "  y10 detect label.jpg\n"
      "  y10 detect --model yolov10n.safetensors bus.png\n"
      "  y10 detect --model yolov10n.safetensors --draw out cars.mp4 "
      "> cars.jsonl\n");
  return context;
}

int
tool_detect (int argc, char **argv)
{
  ToolEngineOptions options = { 0 };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10EngineConfig config;
  Detect self = { 0 };
  double confidence = (double) params.confidence;
  char *draw_dir = NULL, **inputs = NULL;
  const GOptionEntry entries[] = {
    {"confidence", 'c', 0, G_OPTION_ARG_DOUBLE, &confidence,
        "Least confidence of an object, 0 to 1 [0.25]", "C"},
    {"draw", 'd', 0, G_OPTION_ARG_FILENAME, &draw_dir,
        "Write copies with the boxes drawn into DIR", "DIR"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &inputs, NULL,
        NULL},
    {NULL}
  };
  GOptionContext *context = make_context ();
  int status = TOOL_USAGE;

  tool_engine_options_add (context, &options, TRUE);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!tool_options_parse (context, "detect", &argc, &argv)
      || !tool_engine_options_parse (&options, &config)
      || !tool_check_range ("--confidence", confidence, 0, 1))
    goto out;
  if (!inputs || !inputs[0]) {
    tool_error ("no input: name pictures or videos");
    goto out;
  }

  status = TOOL_FAILED;
  params.confidence = (gfloat) confidence;
  config.n_slots = 2;
  params.max_detections = config.max_rows;
  config.tune = config.tune && has_video (inputs);
  if (!detect_open (&self, &options, &config, &params, draw_dir,
          g_strv_length (inputs)))
    goto out;
  self.table = isatty (STDOUT_FILENO);
  for (guint i = 0; inputs[i]; i++) {
    detect_input (&self, inputs[i]);
    self.n_done = i + 1;
  }
  tool_runner_flush (self.runner);
  tool_progress_hide (self.progress);
  if (tool_flush_stdout () && !self.failed)
    status = TOOL_OK;

out:
  detect_close (&self);
  tool_engine_options_clear (&options);
  g_option_context_free (context);
  g_strfreev (inputs);
  g_free (draw_dir);
  return status;
}
