/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 info: prints the contents of a weights file and the layers and memory of
 * an engine made from it. It takes the same options as detect and therefore
 * describes the same engine. */

#include "config.h"

#include "base/command.h"
#include "base/json.h"
#include "base/names.h"
#include "base/options.h"
#include "base/terminal.h"

typedef struct
{
  Y10Model *model;
  Y10Engine *engine;
  guint n_ops;
  guint64 flops;
} Info;

static void
print_op_json (GString *json, const Y10OpInfo *op)
{
  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "name", op->name);
  y10_json_add_string (json, "kind", op->kind);
  y10_json_add_string (json, "impl", op->impl);
  y10_json_add_int (json, "in_channels", op->in_channels);
  y10_json_add_int (json, "out_channels", op->out_channels);
  y10_json_add_int (json, "out_height", op->out_height);
  y10_json_add_int (json, "out_width", op->out_width);
  y10_json_add_int (json, "kernel", op->kernel);
  y10_json_add_int (json, "stride", op->stride);
  y10_json_add_int (json, "groups", op->groups);
  y10_json_add_int (json, "flops", (gint64) op->flops);
  y10_json_close (json, '}');
}

static void
print_json (const Info *info)
{
  g_autoptr (GString) json = g_string_new (NULL);
  guint width, height, n_classes = y10_model_get_n_classes (info->model);
  g_autofree char *path = tool_source_to_utf8 (
      y10_model_get_path (info->model));

  y10_engine_get_input_size (info->engine, &width, &height);
  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "file", path);
  y10_json_add_string (json, "format", y10_model_get_format (info->model));
  y10_json_add_string (json, "variant", y10_model_get_variant (info->model));
  y10_json_add_string (json, "dtype", y10_model_get_dtype (info->model));
  y10_json_open (json, "heads", '[');
  for (int head = Y10_HEAD_ONE2ONE; head <= Y10_HEAD_ONE2MANY; head++) {
    if (y10_model_has_head (info->model, (Y10Head) head))
      y10_json_add_string (json, NULL, y10_head_get_name ((Y10Head) head));
  }
  y10_json_close (json, ']');
  y10_json_add_string (json, "head",
      y10_head_get_name (y10_engine_get_head (info->engine)));
  y10_json_add_int (json, "box_bins", y10_model_get_n_bins (info->model));
  y10_json_open (json, "classes", '[');
  for (guint i = 0; i < n_classes; i++)
    y10_json_add_string (json, NULL, y10_model_get_class_name (info->model, i));
  y10_json_close (json, ']');
  y10_json_add_size (json, "input", width, height);
  y10_json_add_int (json, "parameters",
      (gint64) y10_model_get_n_parameters (info->model));
  y10_json_add_double (json, "gflop", (double) info->flops / 1e9);
  y10_json_add_string (json, "backend",
      y10_backend_get_name (y10_engine_get_backend (info->engine)));
  y10_json_add_string (json, "precision",
      y10_precision_get_name (y10_engine_get_precision (info->engine)));
  y10_json_add_string (json, "device", y10_engine_get_device (info->engine));
  y10_json_add_int (json, "arena_bytes",
      (gint64) y10_engine_get_arena_size (info->engine));
  y10_json_add_int (json, "weights_bytes",
      (gint64) y10_engine_get_weights_size (info->engine));
  y10_json_open (json, "layers", '[');
  for (guint i = 0; i < info->n_ops; i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (info->engine, i, &op);
    print_op_json (json, &op);
  }
  y10_json_close (json, ']');
  y10_json_close (json, '}');
  tool_print_json (json);
}

/* Returns "80: person, bicycle, car, …" with as many names as fit on a line. */
static char *
class_summary (const Y10Model *model)
{
  const guint n = y10_model_get_n_classes (model);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "%u: ", n);
  for (guint i = 0; i < n; i++) {
    if (text->len > 60) {
      g_string_append (text, ", …");
      break;
    }
    g_string_append_printf (text, "%s%s", i ? ", " : "",
        y10_model_get_class_name (model, i));
  }
  return tool_escape (text->str);
}

static void
print_ops (const Info *info)
{
  tool_print ("\n%-28s %-11s %-21s %-14s %-7s %10s\n", "layer", "kind",
      "runs on", "out", "kernel", "MFLOP");
  for (guint i = 0; i < info->n_ops; i++) {
    char kernel[32] = "", out[48];
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (info->engine, i, &op);
    if (op.kernel)
      g_snprintf (kernel, sizeof kernel, "%ux%u%s%s", op.kernel, op.kernel,
          op.stride > 1 ? "/2" : "", op.groups > 1 ? " dw" : "");
    g_snprintf (out, sizeof out, "%ux%ux%u", op.out_channels, op.out_height,
        op.out_width);
    tool_print ("%-28s %-11s %-21s %-14s %-7s %10.2f\n", op.name, op.kind,
        op.impl, out, kernel, (double) op.flops / 1e6);
  }
}

static void
print_text (const Info *info, gboolean layers)
{
  const Y10Model *model = info->model;
  g_autofree char *path = tool_escape (y10_model_get_path (model));
  g_autofree char *classes = class_summary (model);
  guint width, height;

  y10_engine_get_input_size (info->engine, &width, &height);
  tool_print ("file        %s\n", path);
  tool_print ("format      %s\n", y10_model_get_format (model));
  tool_print ("variant     %s, %s\n", y10_model_get_variant (model),
      y10_model_get_dtype (model));
  tool_print ("classes     %s\n", classes);
  tool_print ("heads       %s%s%s (%s is used)\n",
      y10_model_has_head (model, Y10_HEAD_ONE2ONE) ? "one2one" : "",
      y10_model_has_head (model, Y10_HEAD_ONE2ONE)
              && y10_model_has_head (model, Y10_HEAD_ONE2MANY)
          ? ", "
          : "",
      y10_model_has_head (model, Y10_HEAD_ONE2MANY) ? "one2many" : "",
      y10_head_get_name (y10_engine_get_head (info->engine)));
  tool_print ("input       %ux%u%s\n", width, height,
      y10_engine_get_auto_size (info->engine) ? ", less for other shapes" : "");
  tool_print ("parameters  %.2f million\n",
      (double) y10_model_get_n_parameters (model) / 1e6);
  tool_print ("work        %.2f GFLOP per image\n", (double) info->flops / 1e9);
  tool_print ("engine      %s, %s, %s\n",
      y10_backend_get_name (y10_engine_get_backend (info->engine)),
      y10_precision_get_name (y10_engine_get_precision (info->engine)),
      y10_engine_get_device (info->engine));
  tool_print ("memory      %.1f MB arena per image, %.1f MB weights\n",
      (double) y10_engine_get_arena_size (info->engine) / 1e6,
      (double) y10_engine_get_weights_size (info->engine) / 1e6);
  tool_print ("start-up    %.0f ms\n",
      (double) y10_engine_get_start_time (info->engine) / 1e6);
  if (layers)
    print_ops (info);
}

static int
info_run (const ToolEngineOptions *options, const Y10EngineConfig *config,
    const char *path, gboolean layers, gboolean json)
{
  Y10EngineConfig once = *config;
  g_autoptr (GError) error = NULL;
  g_autoptr (Y10Model) model = tool_model_load (path, options->labels, &error);
  g_autoptr (Y10Engine) engine = NULL;
  Info info = { .model = model };

  once.tune = FALSE; /* nothing is run */
  if (model)
    info.engine = engine = y10_engine_new (model, &once, NULL, &error);
  if (!engine) {
    tool_error ("%s", error->message);
    return TOOL_NO_ENGINE;
  }
  info.n_ops = y10_engine_get_n_ops (engine);
  for (guint i = 0; i < info.n_ops; i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    info.flops += op.flops;
  }
  if (json)
    print_json (&info);
  else
    print_text (&info, layers);
  return tool_flush_stdout () ? TOOL_OK : TOOL_FAILED;
}

int
tool_info (int argc, char **argv)
{
  g_auto (ToolEngineOptions) options = { 0 };
  Y10EngineConfig config;
  gboolean layers = FALSE, json = FALSE;
  g_auto (GStrv) files = NULL;
  const GOptionEntry entries[] = {
    { "layers", 0, 0, G_OPTION_ARG_NONE, &layers,
        "Also print each layer with its implementation on this machine", NULL },
    { "json", 'j', 0, G_OPTION_ARG_NONE, &json, "Print JSON, with the layers",
        NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, NULL,
        NULL },
    { NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[MODEL]");

  g_option_context_set_summary (context,
      "Prints the contents of a weights file: variant, classes, input size and "
      "work. The\ndefault is the bundled model.");
  g_option_context_set_description (context, TOOL_STATUS_HELP);
  tool_engine_options_add (context, &options, TRUE);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!tool_options_parse (context, "info", &argc, &argv)
      || !tool_engine_options_parse (&options, &config))
    return TOOL_USAGE;
  /* Accept --model too, as all other commands do. */
  if ((files ? g_strv_length (files) : 0) + (options.model != NULL) > 1) {
    tool_error ("info takes one model; see 'y10 info --help'");
    return TOOL_USAGE;
  }
  config.n_slots = 1;
  return info_run (&options, &config,
      options.model || !files ? options.model : files[0], layers, json);
}
