/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 segments: writes a manifest of the segments that inputs are cut into. */

#include "config.h"

#include <stdio.h>

#include "archive/manifest.h"
#include "archive/scan.h"
#include "base/address.h"
#include "base/command.h"
#include "base/names.h"
#include "base/options.h"
#include "base/supervisor.h"
#include "base/terminal.h"
#include "media/inputs.h"

#define MAX_SECONDS 1e6

typedef struct
{
  char **sources;
  double seconds;
} Command;

static void
write_line (const ToolManifestInput *input)
{
  g_autofree char *line = tool_manifest_line (input);

  puts (line);
  fflush (stdout);
}

/* FALSE after a message. */
static gboolean
write_input (const char *source, gint64 length)
{
  ToolManifestInput *input;
  gboolean ok;

  input = tool_scan (source, length);
  ok = !input->error;
  if (!ok)
    tool_error ("%s: %s", tool_address_name (source), input->error);
  write_line (input);
  tool_manifest_input_free (input);
  return ok;
}

/* Runs in a child process. */
static int
run (gpointer user)
{
  const Command *command = user;
  int status = TOOL_OK;

  for (guint i = 0; command->sources[i]; i++) {
    if (tool_supervisor_is_done (i))
      continue;
    tool_supervisor_begin (i);
    if (!write_input (command->sources[i], (gint64) (command->seconds * 1e9)))
      status = TOOL_FAILED;
    tool_supervisor_end (i);
  }
  tool_supervisor_rest ();
  return tool_flush_stdout () ? status : TOOL_FAILED;
}

/* Runs in the parent. */
static void
report (guint index, const char *why, gpointer user)
{
  const Command *command = user;
  ToolManifestInput *input = tool_manifest_input_new ();

  input->source = tool_source_to_utf8 (command->sources[index]);
  input->path = g_canonicalize_filename (command->sources[index], NULL);
  input->error = g_strdup (why);
  tool_error ("%s: %s", input->source, why);
  write_line (input);
  tool_manifest_input_free (input);
}

static int
supervise (char **sources, double seconds)
{
  Command command = { sources, seconds };
  const ToolWork work = {
    .n = g_strv_length (sources),
    .run = run,
    .report = report,
    .user = &command,
  };
  g_autofree char *header = tool_manifest_header (seconds, work.n);

  puts (header);
  return tool_supervise (&work);
}

int
tool_segments (int argc, char **argv)
{
  double seconds = 60;
  gboolean recursive = FALSE;
  g_auto (GStrv) expanded = NULL;
  g_auto (GStrv) sources = NULL;
  const GOptionEntry entries[] = {
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds,
        "Minimum length of a segment; 0: one segment per input [60]", "S" },
    { "recursive", 'r', 0, G_OPTION_ARG_NONE, &recursive,
        "Also read the subfolders of folders", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sources, NULL,
        NULL },
    { NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("INPUT…");
  int status = TOOL_USAGE;

  g_option_context_set_summary (context,
      "Prints a manifest: JSON Lines with the segments that 'y10 detect "
      "--store' processes\nas separate tasks, on one machine or many. INPUT is "
      "a picture, a video or a folder\nof these. A video is cut where a "
      "decoder gives the same frames as without the cut;\nelse it is one "
      "segment, and the manifest has the reason.");
  g_option_context_set_description (context, TOOL_STATUS_HELP);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!tool_options_parse (context, "segments", &argc, &argv)
      || !tool_check_range ("--seconds", seconds, 0, MAX_SECONDS)) {
    status = TOOL_USAGE;
  } else if (!sources || !sources[0]) {
    tool_error ("no input, expected pictures, videos or folders");
  } else {
    expanded = tool_inputs_expand (sources, recursive);
    status = supervise (expanded, seconds);
  }
  return status;
}
