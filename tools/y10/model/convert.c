/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 convert: reads a weights file of any supported format and writes it as
 * safetensors. */

#include "config.h"

#include "base/command.h"
#include "base/options.h"
#include "base/terminal.h"

static int
convert (const char *in, const char *out, const char *labels)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Y10Model) model = tool_model_load (in, labels, &error);

  if (model && y10_model_save (model, out, &error))
    return TOOL_OK;
  tool_error ("%s", error->message);
  return model ? TOOL_FAILED : TOOL_NO_ENGINE;
}

int
tool_convert (int argc, char **argv)
{
  g_auto (GStrv) files = NULL;
  g_autofree char *labels = NULL;
  const GOptionEntry entries[] = {
    { "labels", 'l', 0, G_OPTION_ARG_FILENAME, &labels,
        "Class names to store, one per line [those of IN]", "FILE" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &files, NULL,
        NULL },
    { NULL }
  };
  g_autoptr (GOptionContext)
      context = g_option_context_new ("IN OUT.safetensors");
  int status = TOOL_USAGE;

  g_option_context_set_summary (context,
      "Writes the weights file IN, in any format that yolov10detect reads, as "
      "safetensors.\nTensors keep their data types. No code in IN is "
      "executed.");
  g_option_context_set_description (context, TOOL_STATUS_HELP);
  g_option_context_add_main_entries (context, entries, NULL);
  if (tool_options_parse (context, "convert", &argc, &argv)) {
    if (files && g_strv_length (files) == 2)
      status = convert (files[0], files[1], labels);
    else
      tool_error ("convert takes two files, IN and OUT; see 'y10 convert "
                  "--help'");
  }
  return status;
}
