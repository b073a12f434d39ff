/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The y10 command: dispatches to the command named by the first argument. Each
 * command defines its options and its help; all use the exit statuses of
 * base/command.h. */

#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/hints.h"
#include "base/terminal.h"

typedef struct
{
  const char *name;
  int (*run) (int argc, char **argv);
  const char *summary;
} Command;

static const Command commands[] = {
  { "detect", tool_detect, "detect objects in pictures and videos" },
  { "segments", tool_segments, "cut videos into segments for many machines" },
  { "info", tool_info, "print the contents of a weights file" },
  { "convert", tool_convert, "write a weights file as safetensors" },
  { "quantize", tool_quantize, "write a model with 8-bit integers" },
  { "val", tool_val, "measure how well a model finds known objects" },
  { "record", tool_record, "list, check and cut out what cameras sent" },
  { "serve", tool_serve, "show cameras live in a page for a browser" },
  { "bench", tool_bench, "measure the speed of a model on this machine" },
  { "doctor", tool_doctor, "check this machine and the installation" },
};

static void
print_help (FILE *out)
{
  fprintf (out,
      "Usage: y10 COMMAND [OPTION…] [ARGUMENT…]\n\n"
      "Detects objects with YOLOv8, YOLOv10, YOLO11 and YOLO26 networks.\n\n"
      "Commands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (out, "  %-8s %s\n", commands[i].name, commands[i].summary);
  fprintf (out,
      "\n'y10 COMMAND --help' describes a command; "
      "'y10 --version' prints the version.\n");
}

static const Command *
find_command (const char *name)
{
  const char *known[G_N_ELEMENTS (commands) + 1] = { NULL };
  g_autofree char *hint = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    known[i] = commands[i].name;
    if (!strcmp (commands[i].name, name))
      return &commands[i];
  }
  hint = tool_hint_command (name, known);
  tool_error ("unknown command '%s'; %s%s'y10 --help' lists the commands", name,
      hint ? hint : "", hint ? "; " : "");
  return NULL;
}

static int
help (const char *name)
{
  char *argv[] = { (char *) name, (char *) "--help", NULL };
  const Command *command;

  if (!name) {
    print_help (stdout);
    return TOOL_OK;
  }
  command = find_command (name);
  return command ? command->run (2, argv) : TOOL_USAGE;
}

int
main (int argc, char **argv)
{
  const Command *command;

  setlocale (LC_ALL, "");
  /* Scripts parse the numbers: always print a decimal point. */
  setlocale (LC_NUMERIC, "C");
  g_set_prgname ("y10");

  if (argc < 2) {
    print_help (stderr);
    return TOOL_USAGE;
  }
  if (!strcmp (argv[1], "--help") || !strcmp (argv[1], "-h")
      || !strcmp (argv[1], "help"))
    return help (argv[2]);
  if (!strcmp (argv[1], "--version")) {
    puts ("y10 " PACKAGE_VERSION);
    return TOOL_OK;
  }
  command = find_command (argv[1]);
  return command ? command->run (argc - 1, argv + 1) : TOOL_USAGE;
}
