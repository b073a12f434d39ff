/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 detect: parses the command line, and says what does not go together. */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/headoptions.h"
#include "base/hints.h"
#include "base/names.h"
#include "base/options.h"
#include "base/terminal.h"
#include "detect/detect.h"
#include "detect/options.h"
#include "detect/output.h"
#include "draw/draw.h"
#include "draw/privacy.h"
#include "media/inputs.h"

#ifdef HAVE_GST
#include "media/pin.h"
#include "media/remote.h"
#endif

#define MAX_INTERVAL 1000000
#define MAX_FPS 1000
#define MAX_STREAM 64

static gboolean
check_store_options (const ToolDetectOptions *options)
{
  if (!options->store
      && (options->manifest || options->segments || options->content_id))
    tool_error ("--manifest, --segments and --content-id need --store");
  else if (options->store && (options->draw || options->save_crops))
    tool_error ("--store does not go with --draw or --save-crops");
  else if (options->segments && !options->manifest)
    tool_error ("--segments needs --manifest");
  else if (options->manifest && options->inputs)
    tool_error ("--manifest does not go with inputs");
  else
    return TRUE;
  return FALSE;
}

/* Without a value, the option would take an input for it. */
static void
complete_privacy (int argc, char **argv)
{
  static char filled[] = "--privacy=fill";
  const char *word;

  for (int i = 1; i < argc && strcmp (argv[i], "--") != 0; i++)
    if (!strcmp (argv[i], "--privacy")
        && (i + 1 == argc || !tool_privacy_parse (argv[i + 1], &word, NULL)))
      argv[i] = filled;
}

static gboolean
read_privacy (ToolDetectOptions *options)
{
  g_autoptr (GError) error = NULL;

  if (!options->privacy_text)
    return TRUE;
  if (!tool_privacy_parse (options->privacy_text, &options->privacy, &error)) {
    tool_error ("%s", error->message);
    return FALSE;
  }
  if (!options->privacy || options->draw || options->save_crops)
    return TRUE;
  tool_error ("--privacy needs --draw or --save-crops, in whose pictures it "
              "covers what is detected");
  return FALSE;
}

/* Whether the format has room for ids, or with --zones for events. */
static gboolean
can_track (const ToolDetectOptions *options)
{
  switch (options->format) {
    case TOOL_FORMAT_JSONL:
    case TOOL_FORMAT_CSV:
      return TRUE;
    case TOOL_FORMAT_MOT:
    case TOOL_FORMAT_YOLO:
      return !options->zones;
    default:
      return FALSE;
  }
}

/* Objects are followed in whole videos and folders only. */
static gboolean
check_track (ToolDetectOptions *options)
{
  const char *option = options->zones ? "--zones" : "--track";

  options->track |= options->zones != NULL;
  if (!options->track && !options->class_groups && !(options->fps > 0))
    return TRUE;
  if (!options->track)
    tool_error ("%s needs --track or --zones",
        options->class_groups ? "--class-groups" : "--fps");
  else if (options->store)
    tool_error (
        "%s does not go with --store, whose segments would each be followed by "
        "themselves",
        option);
  else if (options->format_name && !can_track (options))
    tool_error ("%s does not go with --format %s; expected %s", option,
        options->format_name,
        options->zones ? "jsonl or csv" : "jsonl, csv, yolo or mot");
  else
    return TRUE;
  return FALSE;
}

#ifdef HAVE_GST
/* @fingerprint: as the streams want it, or NULL without one. */
static gboolean
check_remote (const ToolDetectOptions *options, char **fingerprint)
{
  g_autoptr (GError) error = NULL;

  if (options->fingerprint)
    *fingerprint = tool_pin_parse (options->fingerprint, &error);
  if (!error)
    tool_remote_check_transport (options->transport, &error);
  if (!error)
    return TRUE;
  g_prefix_error (&error, "--%s: ",
      options->fingerprint && !*fingerprint ? "fingerprint" : "transport");
  tool_error ("%s", error->message);
  return FALSE;
}
#endif

/* What is not said of an address. */
static gboolean
read_remote (ToolDetectOptions *options)
{
  g_autofree char *fingerprint = NULL;

  if (options->stream && options->store) {
    tool_error ("--stream does not go with --store");
    return FALSE;
  }
#ifdef HAVE_GST
  if (!check_remote (options, &fingerprint))
    return FALSE;
#endif
  g_free (options->fingerprint);
  options->fingerprint = g_steal_pointer (&fingerprint);
  options->remote = (ToolRemoteOptions){ options->transport,
    options->fingerprint, (guint) options->stream };
  return TRUE;
}

/* FALSE after a message about an input that is meant as an option. */
static gboolean
check_inputs (char **inputs, GOptionContext *context)
{
  g_autofree char *help = g_option_context_get_help (context, FALSE, NULL),
                  *hint = NULL;

  for (; *inputs && !hint; inputs++)
    if (strchr (*inputs, '=') && !strstr (*inputs, "://")
        && !g_file_test (*inputs, G_FILE_TEST_EXISTS)
        && (hint = tool_hint_input (*inputs, help)))
      tool_error ("%s: no such file; %s", *inputs, hint);
  return !hint;
}

static gboolean
read_format (ToolDetectOptions *options)
{
  g_autoptr (GError) error = NULL;

  options->format = isatty (STDOUT_FILENO) && !options->store
          && !options->output_path
      ? TOOL_FORMAT_TABLE
      : TOOL_FORMAT_JSONL;
  if (options->store && (options->format_name || options->output_path)) {
    tool_error (
        "--store does not go with --format and --output; what it stores is JSON");
    return FALSE;
  }
  if (!options->format_name && options->save_conf)
    tool_error ("--save-conf is for --format yolo");
  if (!options->format_name)
    return !options->save_conf;
  if (!tool_format_parse (options->format_name, &options->format, &error)) {
    tool_error ("--format: %s", error->message);
    return FALSE;
  }
  if (options->save_conf && options->format != TOOL_FORMAT_YOLO) {
    tool_error ("--save-conf is for --format yolo; %s has the confidence",
        options->format_name);
    return FALSE;
  }
  if (options->format != TOOL_FORMAT_YOLO || options->output_path)
    return TRUE;
  tool_error (
      "--format yolo needs --output DIR, for a file for each picture or frame");
  return FALSE;
}

/* A copy with a name of its own is of one input. */
static gboolean
check_draw (const ToolDetectOptions *options, char **expanded)
{
  const guint n = g_strv_length (expanded);

  if (!options->draw || n <= 1 || !tool_draw_is_file (options->draw))
    return TRUE;
  tool_error ("--draw %s is a file, but there are %u inputs; expected a folder",
      options->draw, n);
  return FALSE;
}

/* Opens what takes the results; it must not be one of the inputs. */
static gboolean
open_output (ToolDetectOptions *options)
{
  const ToolOutputFlags flags = (options->track ? TOOL_OUTPUT_IDS : 0)
      | (options->save_conf ? TOOL_OUTPUT_CONFIDENCE : 0)
      | (options->zones ? TOOL_OUTPUT_EVENTS : 0);
  g_autoptr (GError) error = NULL;

  for (char **input = options->inputs; options->output_path && *input;
       input++) {
    g_autofree char *path = tool_source_to_path (*input, NULL);
    const gboolean same = path
        && tool_is_same_file (path, options->output_path);

    if (same) {
      tool_error ("--output %s would overwrite an input", options->output_path);
      return FALSE;
    }
  }
  options->output = tool_output_open (options->format, flags,
      options->output_path, &error);
  if (options->output)
    return TRUE;
  tool_error ("%s", error->message);
  return FALSE;
}

static int
close_output (ToolDetectOptions *options, int status)
{
  const gboolean is_complete = status != TOOL_USAGE && status != TOOL_NO_ENGINE;
  g_autoptr (GError) error = NULL;

  if (tool_output_close (options->output, is_complete, &error))
    return status;
  tool_error ("%s", error->message);
  return status == TOOL_OK ? TOOL_FAILED : status;
}

static gboolean
plan_tasks (ToolDetectOptions *options, int *status)
{
  options->tile_overlap_text = g_strdup_printf ("%g",
      options->rules.tile_overlap);
  options->tasks.texts[0] = options->rules.region;
  options->tasks.texts[1] = options->rules.region_anchor;
  options->tasks.texts[2] = options->rules.tiles;
  options->tasks.texts[3] = options->tile_overlap_text;
  options->tasks.store = options->store;
  options->tasks.manifest = options->manifest;
  options->tasks.segments = options->segments;
  options->tasks.content_id = options->content_id;
  options->tasks.inputs = options->inputs;
  return tool_store_options_parse (&options->tasks, status);
}

static GOptionContext *
make_context (void)
{
  GOptionContext *context = g_option_context_new ("INPUT…");

  g_option_context_set_summary (context,
      "Detects objects in pictures and videos. INPUT is a picture, a video, a "
      "folder of\nsuch files, a pattern such as 'photos/*.jpg', @LIST for a file that "
      "names one in each\nline, a URI that GStreamer can play, or - for standard input. "
      "Prints one line of JSON\nper picture or frame, or a table if standard output is a "
      "terminal.");
  g_option_context_set_description (context,
      TOOL_STATUS_HELP
      "An input that cannot be read completely is reported on standard error; "
      "the others\nare still processed.\n\n"
      "The default is the bundled model, which detects codes and markers.\n\n"
      "Examples:\n"
      "  y10 detect label.jpg\n"
      "  y10 detect --model yolov10n.safetensors --classes person,car photos/\n"
      "  y10 detect --model yolov10n.safetensors --draw out cars.mp4 "
      "> cars.jsonl\n");
  return context;
}

/* Checks what the command line has set, and runs. */
static int
detect (ToolDetectOptions *options, Y10EngineConfig *config,
    GOptionContext *context)
{
  int status = TOOL_USAGE;

  if (!check_store_options (options) || !read_format (options)
      || !check_track (options) || !read_privacy (options)
      || !read_remote (options))
    return TOOL_USAGE;
  /* A table has no ids. */
  if (options->track && !options->format_name)
    options->format = TOOL_FORMAT_JSONL;
  if (!options->manifest && (!options->inputs || !options->inputs[0])) {
    tool_error ("no input, expected pictures, videos or folders");
    return TOOL_USAGE;
  }
  if (options->inputs) {
    g_auto (GStrv) given = g_steal_pointer (&options->inputs);

    if (!check_inputs (given, context))
      return TOOL_USAGE;
    options->inputs = tool_inputs_expand (given, options->recursive);
    if (!check_draw (options, options->inputs))
      return TOOL_USAGE;
  }
  if (options->store)
    return plan_tasks (options, &status)
        ? tool_detect_supervise (options, config)
        : status;
  return open_output (options)
      ? close_output (options, tool_detect_supervise (options, config))
      : TOOL_FAILED;
}

int
tool_detect (int argc, char **argv)
{
  ToolDetectOptions options = {
    .interval = 1,
    .rules.tile_overlap = Y10_TILES_DEFAULT_OVERLAP,
  };
  Y10EngineConfig config;
  const GOptionEntry entries[] = {
    { "class-confidence", 0, 0, G_OPTION_ARG_STRING,
        &options.rules.class_confidence,
        "Minimum confidence per class, such as person=0.4,*=0.25", "LIST" },
    { "min-size", 0, 0, G_OPTION_ARG_STRING, &options.rules.min_size,
        "Smallest box: pixels or a fraction up to 1: 32, 64x32, 0.05", "SIZE" },
    { "max-size", 0, 0, G_OPTION_ARG_STRING, &options.rules.max_size,
        "Largest box, in the same form", "SIZE" },
    { "region", 0, 0, G_OPTION_ARG_STRING, &options.rules.region,
        "Detect only in this region: rectangles by two corners, polygons by more, in "
        "fractions, such as \"0,0.5 1,1; 0.2,0 0.4,0 0.3,0.4\"",
        "SHAPES" },
    { "region-anchor", 0, 0, G_OPTION_ARG_STRING, &options.rules.region_anchor,
        "What of a box must be in the region: the middle of its lower edge "
        "(bottom) or any part of it (overlap) [bottom]",
        "WHAT" },
    { "tiles", 0, 0, G_OPTION_ARG_STRING, &options.rules.tiles,
        "Also infer parts of each frame, for small objects: CxR, a size in "
        "pixels, or auto",
        "TILES" },
    { "tile-overlap", 0, 0, G_OPTION_ARG_DOUBLE, &options.rules.tile_overlap,
        "Share of a tile that its neighbour covers, too, 0 to 0.9 [0.2]", "O" },
    { "interval", 0, 0, G_OPTION_ARG_INT, &options.interval,
        "Infer every Nth frame of a video [1]", "N" },
    { "ignore-par", 0, 0, G_OPTION_ARG_NONE, &options.ignore_par,
        "Take the pixels of videos for square, as Ultralytics does", NULL },
    { "track", 0, 0, G_OPTION_ARG_NONE, &options.track,
        "Follow the objects of videos: their ids stay from frame to frame; 0 is none yet",
        NULL },
    { "zones", 0, 0, G_OPTION_ARG_FILENAME, &options.zones,
        "Track, and tell what happens in the zones and at the lines of a file",
        "FILE" },
    { "class-groups", 0, 0, G_OPTION_ARG_STRING, &options.class_groups,
        "With --track or --zones: labels between which an object may change, such as "
        "\"car,truck,bus;person\"; * for all others",
        "GROUPS" },
    { "fps", 0, 0, G_OPTION_ARG_DOUBLE, &options.fps,
        "With --track or --zones: how many pictures of a folder are a second [that of "
        "seqinfo.ini, or 30]",
        "N" },
    { "stream", 0, 0, G_OPTION_ARG_INT, &options.stream,
        "Which video of a camera or file that has several, from 1 in the order of its "
        "description [1]",
        "N" },
    { "transport", 0, 0, G_OPTION_ARG_STRING, &options.transport,
        "How an RTSP camera sends: auto (TCP, else UDP), tcp, udp, udp-mcast or http "
        "[auto]",
        "HOW" },
    { "fingerprint", 0, 0, G_OPTION_ARG_STRING, &options.fingerprint,
        "Take this certificate of a camera, by its SHA-256, and no other",
        "HEX" },
    { "recursive", 'r', 0, G_OPTION_ARG_NONE, &options.recursive,
        "Also read the subfolders of folders", NULL },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &options.format_name,
        "jsonl, table, summary (one table at the end), csv, yolo (label files), coco or "
        "mot",
        "FORMAT" },
    { "save-conf", 0, 0, G_OPTION_ARG_NONE, &options.save_conf,
        "With --format yolo: write the confidence behind each box", NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output_path,
        "Write the results to a file, or to a folder with --format yolo",
        "PATH" },
    { "draw", 'd', 0, G_OPTION_ARG_FILENAME, &options.draw,
        "Write copies with the boxes drawn to a folder or, of one input, to a file such "
        "as out.mp4",
        "PATH" },
    { "save-crops", 0, 0, G_OPTION_ARG_FILENAME, &options.save_crops,
        "Write the contents of each box to DIR/CLASS/", "DIR" },
    { "privacy", 0, 0, G_OPTION_ARG_STRING, &options.privacy_text,
        "Cover what is detected in these copies and crops: fill, blur or none [fill]",
        "HOW" },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &options.store,
        "Write results into DIR, once per content and settings", "DIR" },
    { "manifest", 0, 0, G_OPTION_ARG_FILENAME, &options.manifest,
        "With --store: process the segments of a manifest", "FILE" },
    { "segments", 0, 0, G_OPTION_ARG_STRING, &options.segments,
        "Only these segments of the manifest, as 0,4-9 [all]", "LIST" },
    { "content-id", 0, 0, G_OPTION_ARG_STRING, &options.content_id,
        "With --store and a URI: the name of its immutable content", "ID" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.inputs,
        NULL, NULL },
    { NULL }
  };
  g_autoptr (GOptionContext) context = make_context ();
  int status = TOOL_USAGE;

  tool_engine_options_add (context, &options.engine, TRUE);
  tool_head_options_add (context, &options.head, 0.25,
      "Minimum confidence, 0 to 1 [0.25]");
  g_option_context_add_main_entries (context, entries, NULL);
  complete_privacy (argc, argv);
  if (tool_options_parse (context, "detect", &argc, &argv)
      && tool_engine_options_parse (&options.engine, &config)
      && tool_head_options_check (&options.head, config.max_detections)
      && tool_check_range ("--tile-overlap", options.rules.tile_overlap, 0, 0.9)
      && tool_check_range ("--interval", options.interval, 1, MAX_INTERVAL)
      && tool_check_range ("--fps", options.fps, 0, MAX_FPS)
      && tool_check_range ("--stream", options.stream, 0, MAX_STREAM))
    status = detect (&options, &config, context);
  tool_engine_options_clear (&options.engine);
  tool_head_options_clear (&options.head);
  tool_options_clear (entries);
  tool_store_options_clear (&options.tasks);
  g_free (options.tile_overlap_text);
  return status;
}
