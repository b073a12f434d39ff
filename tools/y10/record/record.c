/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 record: what yolov10record has written, as a list, whether it is sound, and cut out. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/json.h"
#include "base/options.h"
#include "base/terminal.h"
#include "record/recording.h"
#include "spool/utc.h"

static const char *const states[] = { "complete", "incomplete", "recording" };

static void
print_json (const Recording *recording, const char *from, const char *to,
    double seconds)
{
  const RecordLines *lines = &recording->lines;
  g_autoptr (GString) json = g_string_new (NULL);

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "recording", recording->name->name);
  y10_json_add_bool (json, "clip", recording->name->is_clip);
  y10_json_add_string (json, "from", from);
  y10_json_add_string (json, "to", to);
  y10_json_add_string (json, "clock", lines->clock);
  y10_json_add_double (json, "duration", seconds);
  y10_json_add_int (json, "bytes", (gint64) recording->reader.size);
  y10_json_add_string (json, "state", states[recording->state]);
  y10_json_add_int (json, "gops", recording->gops->len);
  y10_json_add_int (json, "boxes", (gint64) lines->n_boxes);
  y10_json_add_int (json, "events", (gint64) lines->n_events);
  y10_json_close (json, '}');
  puts (json->str);
}

static void
print_recording (const Recording *recording, gboolean json)
{
  const RecordLines *lines = &recording->lines;
  const GArray *gops = recording->gops;
  const gint64 duration = record_get_time (recording->reader.video,
      (gint64) recording->end);
  g_autoptr (GString) from = g_string_new (NULL), to = g_string_new (NULL);
  g_autofree char *size = g_format_size (recording->reader.size);

  if (gops->len > 0) {
    gst_y10_utc_append (from, g_array_index (gops, RecordGop, 0).utc);
    gst_y10_utc_append (to, record_get_end_utc (recording));
  }
  if (json)
    print_json (recording, from->str, to->str, (double) duration / 1e9);
  else
    tool_print ("%-39s %-24s %-24s %-7s %9.1f %9s %-10s %6u %8" G_GUINT64_FORMAT
                " %6" G_GUINT64_FORMAT "\n",
        recording->name->name, from->str, to->str, lines->clock,
        (double) duration / 1e9, size, states[recording->state], gops->len,
        lines->n_boxes, lines->n_events);
}

int
record_index (const char *folder, gboolean json)
{
  g_autoptr (GArray) names = record_list (folder);
  int status = names ? TOOL_OK : TOOL_FAILED;

  if (names && !json)
    tool_print ("%-39s %-24s %-24s %-7s %9s %9s %-10s %6s %8s %6s\n",
        "recording", "from", "to", "clock", "seconds", "size", "state", "GOPs",
        "boxes", "events");
  for (guint i = 0; names && i < names->len; i++) {
    const RecordName *name = &g_array_index (names, RecordName, i);
    g_auto (Recording) recording = { 0 };

    if (!record_open (&recording, name, RECORD_QUICK)) {
      status = TOOL_FAILED;
    } else if (!recording.is_open) {
      tool_error ("%s: has no header with a track of video", name->path);
      status = TOOL_FAILED;
    } else {
      print_recording (&recording, json);
    }
  }
  return tool_flush_stdout () ? status : TOOL_FAILED;
}

/* RFC 3339, or seconds since 1970. Without an offset, a time is one of here. */
static gboolean
read_time (const char *option, const char *text, gint64 *microseconds)
{
  g_autoptr (GTimeZone) here = g_time_zone_new_local ();
  g_autoptr (GDateTime) time = text ? g_date_time_new_from_iso8601 (text, here)
                                    : NULL;
  char *end = NULL;
  double seconds = text ? g_ascii_strtod (text, &end) : -1;

  if (time) {
    *microseconds = g_date_time_to_unix (time) * G_USEC_PER_SEC
        + g_date_time_get_microsecond (time);
  } else if (text && *text && !*end && seconds >= 0 && seconds < 1e11) {
    *microseconds = (gint64) (seconds * 1e6);
  } else {
    tool_error ("%s: found %s; expected a time such as "
                "2026-01-31T08:00:00Z, or seconds since 1970",
        option, text ? text : "nothing");
    return FALSE;
  }
  return TRUE;
}

typedef struct
{
  gboolean json, repair;
  char *from, *to, *output;
} Options;

static int
run_export (const Options *options, const char *folder)
{
  gint64 from, to;

  if (!read_time ("--from", options->from, &from)
      || !read_time ("--to", options->to, &to))
    return TOOL_USAGE;
  if (to < from || !options->output) {
    tool_error (options->output ? "--to is before --from"
                                : "export needs --output FILE.mp4");
    return TOOL_USAGE;
  }
  return record_export (folder, from, to, options->output);
}

static int
run (const Options *options, char **args)
{
  const gboolean exports = options->from || options->to || options->output;
  const guint n = args ? g_strv_length (args) : 0;

  if (n == 2 && !strcmp (args[0], "index") && !options->repair && !exports)
    return record_index (args[1], options->json);
  if (n == 2 && !strcmp (args[0], "check") && !options->json && !exports)
    return record_check (args[1], options->repair);
  if (n == 2 && !strcmp (args[0], "export") && !options->json
      && !options->repair)
    return run_export (options, args[1]);
  tool_error (
      "record takes index DIR [--json], check DIR [--repair], or export "
      "DIR --from T --to T --output FILE; see 'y10 record --help'");
  return TOOL_USAGE;
}

int
tool_record (int argc, char **argv)
{
  Options options = { 0 };
  g_auto (GStrv) args = NULL;
  const GOptionEntry entries[] = {
    { "json", 'j', 0, G_OPTION_ARG_NONE, &options.json,
        "index: print a line of JSON for each recording", NULL },
    { "repair", 0, 0, G_OPTION_ARG_NONE, &options.repair,
        "check: mend what can be mended", NULL },
    { "from", 0, 0, G_OPTION_ARG_STRING, &options.from,
        "export: begin at the key frame at or before this time", "TIME" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &options.to,
        "export: end with the frame at or before this time", "TIME" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
        "export: the MP4 to write, which must not be there", "FILE" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &args, NULL,
        NULL },
    { NULL }
  };
  g_autoptr (GOptionContext)
      context = g_option_context_new ("index|check|export DIR");
  int status;

  g_option_context_set_summary (context,
      "Reads a folder of recordings, as yolov10record writes them.\n\n"
      "  index   lists them, with the times of their pictures in UTC\n"
      "  check   prints what is wrong with them, and with --repair mends it: "
      "cuts off or skips\n          what is damaged, and completes indexes. "
      "Files that are being written are left alone\n"
      "  export  cuts a time out, over several files, without encoding it "
      "again\n\n"
      "TIME is as in 2026-01-31T08:00:00Z; without Z or an offset, the time "
      "of this machine;\nor seconds since 1970.");
  g_option_context_set_description (context,
      "Exit status: 0 success; check: nothing is wrong, or all was mended; "
      "1 a recording cannot\nbe read, the output was not written; check: "
      "something is wrong; 2 the command line is\nwrong; 130 export was ended "
      "by SIGINT or SIGTERM.\n");
  g_option_context_add_main_entries (context, entries, NULL);
  status = tool_options_parse (context, "record", &argc, &argv)
      ? run (&options, args)
      : TOOL_USAGE;
  tool_options_clear (entries);
  return status;
}
