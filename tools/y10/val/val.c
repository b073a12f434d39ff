/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 val: how well a model finds the objects that are known to be in pictures. It reads the
 * options and the data, lets the model's classes be those of the data that have the same name,
 * and evaluates what both know. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/headoptions.h"
#include "base/interrupt.h"
#include "base/options.h"
#include "base/terminal.h"
#include "val/show.h"

/* As Ultralytics': precision at high recall is measured there. */
#define CONFIDENCE 0.001

typedef struct
{
  ToolEngineOptions engine;
  ToolHeadOptions head;
  char *split, *images, *json, *detections, *save_detections, *plot;
  char **files;
} Options;

typedef struct
{
  const Options *options;
  Y10EngineConfig *config;
  ValData *data;
  Y10Model *model;
  Y10Engine *engine;
  int *class_of;  /* of the model: class of the data, or -1 */
  guint8 *wanted; /* whether the model's classes have one */
  GArray *found;
  guint n_unread;
  ValSpeed speed;
} Val;

/* Prints @error, clears it and returns @status. */
static int
fail (GError *error, int status)
{
  tool_error ("%s", error->message);
  g_error_free (error);
  return status;
}

static void
print_notes (ValData *data)
{
  for (guint i = 0; i < data->notes->len; i++)
    tool_error ("%s", (char *) g_ptr_array_index (data->notes, i));
  g_ptr_array_set_size (data->notes, 0);
}

/* "a, b and 3 more" */
static void
append_name (GString *text, const char *name, guint n)
{
  if (n < 5)
    g_string_append_printf (text, "%s%s", n ? ", " : "", name);
  else if (n == 5)
    g_string_append (text, ", …");
}

/* Finds the classes of the data in the model, and takes the others out of the data. */
static gboolean
match_classes (Val *self)
{
  const guint n_model = y10_model_get_n_classes (self->model);
  GPtrArray *classes = self->data->classes;
  g_autofree guint8 *is_known = g_new0 (guint8, classes->len);
  g_autoptr (GString) unknown = g_string_new (NULL);
  guint n_unknown = 0, n_known = 0;
  gboolean ok;

  self->class_of = g_new (int, n_model);
  for (guint i = 0; i < n_model; i++)
    self->class_of[i] = -1;
  for (guint i = 0; i < classes->len; i++) {
    const char *name = ((ValClass *) g_ptr_array_index (classes, i))->name;
    const int class = y10_model_find_class (self->model, name);

    if (class >= 0 && self->class_of[class] < 0) {
      self->class_of[class] = (int) n_known++;
      is_known[i] = 1;
    } else {
      append_name (unknown, name, n_unknown++);
    }
  }
  ok = n_known > 0;
  if (!ok)
    tool_error (
        "%s: the model knows none of its classes (%s); it knows %u, the first is "
        "'%s'; --labels FILE gives them other names",
        self->data->source, unknown->str, n_model,
        y10_model_get_class_name (self->model, 0));
  else if (n_unknown)
    tool_error (
        "%u of %u classes of the data are left out with their objects, since the "
        "model has no class of that name: %s",
        n_unknown, classes->len, unknown->str);
  if (ok && n_known < n_model && !self->options->head.classes)
    tool_error (
        "%u of %u classes of the model are left out, since the data have no class "
        "of that name",
        n_model - n_known, n_model);
  self->wanted = g_new (guint8, n_model);
  for (guint i = 0; i < n_model; i++)
    self->wanted[i] = self->class_of[i] >= 0;
  if (ok)
    val_data_keep (self->data, is_known, NULL);
  return ok;
}

static int
infer (Val *self)
{
  const ToolEngineOptions *options = &self->options->engine;
  GError *error = NULL;
  ValModel model;

  self->model = tool_model_load (options->model, options->labels, &error);
  if (!self->model)
    return fail (error, TOOL_NO_ENGINE);
  if (!match_classes (self))
    return TOOL_FAILED;
  self->config->n_slots = 2;
  self->config->tune = FALSE; /* results do not depend on measured times */
  self->config->multi_label = TRUE;
  self->engine = y10_engine_new (self->model, self->config, NULL, &error);
  if (!self->engine)
    return fail (error, TOOL_NO_ENGINE);
  model = (ValModel){
    .engine = self->engine,
    .class_of = self->class_of,
    .params = Y10_HEAD_PARAMS_INIT,
  };
  tool_head_options_apply (&self->options->head, &model.params);
  if (self->options->head.classes)
    model.params.classes = self->wanted;
  self->found = val_infer (self->data, &model, &self->n_unread, &self->speed,
      &error);
  return error ? fail (error, TOOL_NO_ENGINE) : TOOL_OK;
}

static int
read_detections (Val *self)
{
  GError *error = NULL;
  GArray *none = NULL;

  /* Learns the sizes of pictures whose labels are fractions. */
  if (self->data->is_relative)
    none = val_infer (self->data, NULL, &self->n_unread, &self->speed, NULL);
  g_clear_pointer (&none, g_array_unref);
  if (tool_interrupted ())
    return TOOL_INTERRUPTED;
  self->found = val_results_read (self->data, self->options->detections,
      &error);
  return error ? fail (error, TOOL_FAILED) : TOOL_OK;
}

static gboolean
write_json (const ValReport *report, const char *path)
{
  g_autofree char *text = val_to_json (report),
                  *line = g_strconcat (text, "\n", NULL);
  GError *error = NULL;
  gboolean ok = TRUE;

  if (!strcmp (path, "-"))
    fputs (line, stdout);
  else if (!(ok = g_file_set_contents (path, line, -1, &error)))
    fail (error, TOOL_FAILED);
  return ok;
}

static gboolean
write_outputs (const Val *self, const ValReport *report)
{
  const Options *options = self->options;
  GError *error = NULL;
  gboolean ok = TRUE;

  if (!options->json || strcmp (options->json, "-"))
    val_show (report);
  if (options->json)
    ok &= write_json (report, options->json);
  if (options->plot && !val_plot (report, options->plot, &error)) {
    fail (error, TOOL_FAILED);
    ok = FALSE;
  }
  return tool_flush_stdout () && ok;
}

static int
evaluate (Val *self)
{
  const ValInput input = {
    .n_pictures = self->data->pictures->len,
    .n_categories = self->data->classes->len,
    .truths = (const ValTruth *) self->data->truths->data,
    .n_truths = self->data->truths->len,
    .found = (const ValFound *) self->found->data,
    .n_found = self->found->len,
  };
  g_autofree ValCategory *categories = val_evaluate (&input);
  g_autofree guint *confusion = val_confuse (&input, VAL_CONFUSION_CONFIDENCE,
      VAL_CONFUSION_IOU);
  const ValReport report = {
    .data = self->data,
    .categories = categories,
    .confusion = confusion,
    .n_found = self->found->len,
    .n_unread = self->n_unread,
    .speed = self->speed,
    .engine = self->engine,
  };
  gboolean ok = write_outputs (self, &report);

  return ok ? TOOL_OK : TOOL_FAILED;
}

static int
run (Val *self)
{
  const Options *options = self->options;
  GError *error = NULL;
  int status;

  self->data = val_data_open (options->files[0], options->split,
      options->images, &error);
  if (!self->data)
    return fail (error, TOOL_FAILED);
  if (options->head.classes
      && !val_data_choose (self->data, options->head.classes, &error))
    return fail (error, TOOL_USAGE);
  print_notes (self->data);
  status = options->detections ? read_detections (self) : infer (self);
  if (tool_interrupted ()) {
    tool_error ("interrupted; nothing was evaluated");
    return TOOL_INTERRUPTED;
  }
  if (status != TOOL_OK)
    return status;
  print_notes (self->data);
  if (!self->data->pictures->len) {
    tool_error ("none of the pictures of %s can be read%s", self->data->source,
        options->images ? "" : "; --images DIR names their folder");
    return TOOL_FAILED;
  }
  val_data_scale (self->data);
  /* Before what could fail, since it took longest. */
  if (options->save_detections
      && !val_results_write (self->data, self->found, options->save_detections,
          &error))
    return fail (error, TOOL_FAILED);
  status = evaluate (self);
  return self->n_unread ? TOOL_FAILED : status;
}

static gboolean
check (const Options *options)
{
  const Y10HeadParams defaults = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;

  if (!options->files || g_strv_length (options->files) != 1) {
    tool_error ("val takes one file, DATA; see 'y10 val --help'");
    return FALSE;
  }
  if (options->detections && options->save_detections) {
    tool_error (
        "--save-detections is for detections of the model, not for those of "
        "--detections");
    return FALSE;
  }
  if (options->detections
      && (options->head.confidence != CONFIDENCE
          || options->head.iou != (double) defaults.iou
          || options->head.class_agnostic
          || options->head.max_detections != (int) defaults.max_detections)) {
    tool_error (
        "--confidence, --max-detections, --iou and --class-agnostic-nms are for "
        "detections of the model, not for those of --detections");
    return FALSE;
  }
  if (!options->plot || val_plot_check (options->plot, &error))
    return TRUE;
  fail (error, TOOL_USAGE);
  return FALSE;
}

static GOptionContext *
make_context (void)
{
  GOptionContext *context = g_option_context_new ("DATA");

  g_option_context_set_summary (context,
      "Measures how well a model finds the objects that are known to be in pictures, as "
      "COCO\ndoes: average precision (AP), average recall, by class and size. DATA is a "
      "JSON file of\nCOCO or the data.yaml of Ultralytics, whose pictures of 'val' it "
      "takes.");
  g_option_context_set_description (context,
      TOOL_STATUS_HELP
      "\nExamples:\n"
      "  y10 val --model best.pt data.yaml\n"
      "  y10 val --model yolov10n.safetensors --images val2017 instances_val2017.json\n"
      "  y10 val --detections results.json --plot curves.svg instances_val2017.json\n");
  return context;
}

int
tool_val (int argc, char **argv)
{
  Options options = { 0 };
  Y10EngineConfig config;
  const GOptionEntry entries[] = {
    { "split", 0, 0, G_OPTION_ARG_STRING, &options.split,
        "Which pictures of a data.yaml: val, test or train [val]", "NAME" },
    { "images", 0, 0, G_OPTION_ARG_FILENAME, &options.images,
        "Folder of the pictures that COCO's JSON names [found beside the file]",
        "DIR" },
    { "json", 'j', 0, G_OPTION_ARG_FILENAME, &options.json,
        "Write all numbers as JSON; - is standard output", "FILE" },
    { "save-detections", 0, 0, G_OPTION_ARG_FILENAME, &options.save_detections,
        "Write the detections as results of COCO", "FILE" },
    { "detections", 0, 0, G_OPTION_ARG_FILENAME, &options.detections,
        "Evaluate these results of COCO; no model runs", "FILE" },
    { "plot", 0, 0, G_OPTION_ARG_FILENAME, &options.plot,
        "Draw precision over recall, as .svg or .png", "FILE" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.files,
        NULL, NULL },
    { NULL }
  };
  g_autoptr (GOptionContext) context = make_context ();
  Val self = { .options = &options, .config = &config };
  int status = TOOL_USAGE;

  tool_engine_options_add (context, &options.engine, TRUE);
  tool_head_options_add (context, &options.head, CONFIDENCE,
      "Minimum confidence of detections, 0 to 1 [0.001]");
  g_option_context_add_main_entries (context, entries, NULL);
  if (tool_options_parse (context, "val", &argc, &argv)
      && tool_engine_options_parse (&options.engine, &config)
      && tool_head_options_check (&options.head, config.max_detections)
      && check (&options)) {
    tool_interrupt_catch ();
    status = run (&self);
  }
  g_clear_pointer (&self.found, g_array_unref);
  val_data_free (self.data);
  g_clear_pointer (&self.engine, y10_engine_unref);
  g_clear_pointer (&self.model, y10_model_unref);
  g_free (self.class_of);
  g_free (self.wanted);
  tool_engine_options_clear (&options.engine);
  tool_head_options_clear (&options.head);
  tool_options_clear (entries);
  return status;
}
