/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The y10 command: picks the command that its first argument names. Every
 * command owns its options and its help; nothing is shared but the exit
 * statuses (0 done, 1 something failed, 2 wrong usage). */

#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

typedef struct
{
  const char *name;
  int (*run) (int argc, char **argv);
  const char *summary;
} Command;

static const Command commands[] = {
  {"detect", tool_detect, "find objects in pictures and videos"},
  {"info", tool_info, "say what is in a weights file"},
  {"bench", tool_bench, "measure how fast a model runs here"},
  {"doctor", tool_doctor, "say what this machine has and what is missing"},
};

static void
print_help (FILE *out)
{
  fprintf (out, "Usage: y10 COMMAND [OPTION…] [ARGUMENT…]\n\n"
      "YOLOv10 object detection.\n\nCommands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (out, "  %-8s %s\n", commands[i].name, commands[i].summary);
  fprintf (out, "\n'y10 COMMAND --help' explains a command; "
      "'y10 --version' prints the version.\n");
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  /* Figures are read by scripts as well: always a decimal point. */
  setlocale (LC_NUMERIC, "C");
  g_set_prgname ("y10");

  if (argc < 2) {
    print_help (stderr);
    return TOOL_USAGE;
  }
  if (!strcmp (argv[1], "--help") || !strcmp (argv[1], "-h")
      || !strcmp (argv[1], "help")) {
    print_help (stdout);
    return TOOL_OK;
  }
  if (!strcmp (argv[1], "--version")) {
    puts ("y10 " PACKAGE_VERSION);
    return TOOL_OK;
  }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    if (!strcmp (argv[1], commands[i].name))
      return commands[i].run (argc - 1, argv + 1);
  }
  tool_error ("there is no command '%s'; 'y10 --help' lists them", argv[1]);
  return TOOL_USAGE;
}
