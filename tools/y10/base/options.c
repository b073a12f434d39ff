/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The options that several commands share. An invalid value is reported as one
 * line on stderr with the option, the value and the values expected. The engine
 * defines the names of backends, precisions and heads. */

#include "config.h"

#include <string.h>

#include "base/hints.h"
#include "base/options.h"
#include "base/terminal.h"
#include "common/classes.h"

void
tool_engine_options_add (GOptionContext *context, ToolEngineOptions *options,
    gboolean with_model)
{
  const GOptionEntry model[] = {
    { "model", 'm', 0, G_OPTION_ARG_FILENAME, &options->model,
        "Weights of a YOLOv8, v10, 11 or 26 (.safetensors, .pt, .onnx) [the bundled model]",
        "FILE" },
    { NULL }
  };
  const GOptionEntry entries[] = {
    { "labels", 'l', 0, G_OPTION_ARG_FILENAME, &options->labels,
        "Class names, one per line [those of the model]", "FILE" },
    { "backend", 'b', 0, G_OPTION_ARG_STRING, &options->backend,
        "auto, ref, cpu or cuda [auto]", "NAME" },
    { "precision", 'p', 0, G_OPTION_ARG_STRING, &options->precision,
        "auto, fp32, tf32, fp16, bf16 or int8 [auto]", "NAME" },
    { "head", 0, 0, G_OPTION_ARG_STRING, &options->head,
        "auto, one2one, one2many or one2one-nms [auto]", "NAME" },
    { "size", 's', 0, G_OPTION_ARG_STRING, &options->size,
        "Network input size, multiples of 32; auto: of each picture's shape [the model's]",
        "N|WxH|auto" },
    { "threads", 't', 0, G_OPTION_ARG_INT, &options->threads,
        "CPU threads [one per usable core]", "N" },
    { "no-cuda-graphs", 0, 0, G_OPTION_ARG_NONE, &options->no_cuda_graphs,
        "CUDA: launch kernels one by one, not as a captured graph", NULL },
    { "no-tune", 0, 0, G_OPTION_ARG_NONE, &options->no_tune,
        "CUDA: do not search for faster convolutions", NULL },
    { NULL }
  };

  if (with_model)
    g_option_context_add_main_entries (context, model, NULL);
  g_option_context_add_main_entries (context, entries, NULL);
}

void
tool_options_clear (const GOptionEntry *entries)
{
  for (; entries->long_name; entries++)
    if (entries->arg == G_OPTION_ARG_STRING
        || entries->arg == G_OPTION_ARG_FILENAME)
      g_clear_pointer ((char **) entries->arg_data, g_free);
    else if (entries->arg == G_OPTION_ARG_STRING_ARRAY
        || entries->arg == G_OPTION_ARG_FILENAME_ARRAY)
      g_clear_pointer ((char ***) entries->arg_data, g_strfreev);
}

void
tool_engine_options_clear (ToolEngineOptions *options)
{
  g_free (options->model);
  g_free (options->labels);
  g_free (options->backend);
  g_free (options->precision);
  g_free (options->head);
  g_free (options->size);
  memset (options, 0, sizeof *options);
}

gboolean
tool_options_parse (GOptionContext *context, const char *command, int *argc,
    char ***argv)
{
  g_autofree char *help = NULL, *hint = NULL;
  g_autofree char *name = g_strdup_printf ("y10 %s", command);
  g_auto (GStrv) given = g_strdupv (*argv);
  g_autoptr (GError) error = NULL;
  gboolean ok;

  g_set_prgname (name);
  ok = g_option_context_parse (context, argc, argv, &error);
  g_set_prgname ("y10");
  if (!ok) {
    help = g_option_context_get_help (context, FALSE, NULL);
    hint = tool_hint_options (given, help);
    tool_error ("%s; %s%ssee '%s --help'", error->message, hint ? hint : "",
        hint ? " " : "", name);
  }
  return ok;
}

gboolean
tool_check_range (const char *name, double value, double min, double max)
{
  if (value >= min && value <= max)
    return TRUE;
  tool_error ("%s is %g, expected %g to %g", name, value, min, max);
  return FALSE;
}

/* Names take precedence; otherwise digits are an id. */
static gboolean
want_class (const char *name, const Y10Model *model, guint8 *wanted,
    GError **error)
{
  g_autofree const char **classes = gst_y10_classes_list (model);
  gint id = gst_y10_classes_find (classes, name);
  guint64 number;

  if (id < 0
      && g_ascii_string_to_unsigned (name, 10, 0,
          y10_model_get_n_classes (model) - 1, &number, NULL))
    id = (gint) number;
  if (id >= 0)
    wanted[id] = 1;
  else
    gst_y10_classes_check ("--classes", classes, y10_model_get_path (model),
        name, error);
  return id >= 0;
}

Y10Model *
tool_model_load (const char *path, const char *labels, GError **error)
{
  Y10Model *model = y10_model_load (path, labels, error);
  const char *note = model ? y10_model_get_labels_note (model) : NULL;

  if (note)
    tool_error ("%s (--labels FILE names them)", note);
  return model;
}

guint8 *
tool_classes_parse (const char *text, const Y10Model *model)
{
  guint8 *wanted = g_malloc0 (y10_model_get_n_classes (model));
  g_auto (GStrv) names = g_strsplit (text, ",", -1);
  gboolean ok = TRUE, any = FALSE;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; names[i] && ok; i++) {
    if (!*g_strstrip (names[i]))
      continue;
    any = TRUE;
    ok = want_class (names[i], model, wanted, &error);
  }
  if (error)
    tool_error ("%s; 'y10 info --json' lists them", error->message);
  if (ok && !any)
    tool_error ("--classes is empty, expected at least one class");
  if (!ok || !any)
    g_clear_pointer (&wanted, g_free);
  return wanted;
}

typedef const char *(*NameFunc) (int value);

/* Returns the value below @n with the name @text, or prints an error, returns -1. */
static int
parse_name (const char *option, const char *text, NameFunc name_of, int n)
{
  g_autoptr (GString) known = NULL;

  for (int i = 0; i < n; i++) {
    if (!g_ascii_strcasecmp (text, name_of (i)))
      return i;
  }
  known = g_string_new (NULL);
  for (int i = 0; i < n; i++)
    g_string_append_printf (known, "%s%s",
        i == 0           ? ""
            : i == n - 1 ? " or "
                         : ", ",
        name_of (i));
  tool_error ("%s is '%s', expected %s", option, text, known->str);
  return -1;
}

static const char *
backend_name (int value)
{
  return y10_backend_get_name ((Y10BackendKind) value);
}

static const char *
precision_name (int value)
{
  return y10_precision_get_name ((Y10Precision) value);
}

static const char *
head_name (int value)
{
  return y10_head_get_name ((Y10Head) value);
}

static gboolean
parse_size (const char *text, guint *width, guint *height)
{
  char *end;
  guint64 w = g_ascii_strtoull (text, &end, 10), h = w;
  gboolean ok = end != text && g_ascii_isdigit (text[0]);

  if (ok && (*end == 'x' || *end == 'X') && g_ascii_isdigit (end[1]))
    h = g_ascii_strtoull (end + 1, &end, 10);
  if (!ok || *end || w == 0 || h == 0 || w % 32 || h % 32 || w > 8192
      || h > 8192) {
    tool_error ("--size is '%s', expected N or WxH, multiples of 32 from 32 to "
                "8192, such as 640 or 640x384, or auto",
        text);
    return FALSE;
  }
  *width = (guint) w;
  *height = (guint) h;
  return TRUE;
}

gboolean
tool_engine_options_parse (const ToolEngineOptions *options,
    Y10EngineConfig *config)
{
  int value;

  y10_engine_config_init (config, sizeof *config);
  if (options->backend) {
    value = parse_name ("--backend", options->backend, backend_name,
        Y10_BACKEND_CUDA + 1);
    if (value < 0)
      return FALSE;
    config->backend = (Y10BackendKind) value;
  }
  if (options->precision) {
    value = parse_name ("--precision", options->precision, precision_name,
        Y10_PRECISION_INT8 + 1);
    if (value < 0)
      return FALSE;
    config->precision = (Y10Precision) value;
  }
  if (options->head) {
    value = parse_name ("--head", options->head, head_name,
        Y10_HEAD_ONE2ONE_NMS + 1);
    if (value < 0)
      return FALSE;
    config->head = (Y10Head) value;
  }
  config->auto_size = options->size
      && !g_ascii_strcasecmp (options->size, "auto");
  if (options->size && !config->auto_size
      && !parse_size (options->size, &config->width, &config->height))
    return FALSE;
  if (!tool_check_range ("--threads", options->threads, 0, 256))
    return FALSE;
  config->threads = (guint) options->threads;
  config->cuda_graphs = !options->no_cuda_graphs;
  config->tune = !options->no_tune;
  return TRUE;
}
