/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a command is: one function that takes its argc and argv and returns the exit
 * status. */

#include <glib.h>

/* Exit statuses, the same for every command. */
enum
{
  TOOL_OK = 0,
  TOOL_FAILED = 1,        /* an input was not read completely, or an
                                 * output was not written */
  TOOL_USAGE = 2,         /* the command line is wrong */
  TOOL_NO_ENGINE = 3,     /* the model cannot be loaded or run here;
                                 * doctor: something does not work at all */
  TOOL_INTERRUPTED = 130, /* ended early by SIGINT or SIGTERM, with all that
                                 * was begun written */
};

int tool_detect (int argc, char **argv);
int tool_segments (int argc, char **argv);
int tool_info (int argc, char **argv);
int tool_convert (int argc, char **argv);
int tool_quantize (int argc, char **argv);
int tool_val (int argc, char **argv);
int tool_record (int argc, char **argv);
int tool_serve (int argc, char **argv);
int tool_bench (int argc, char **argv);
int tool_doctor (int argc, char **argv);

/* Explains the exit statuses in every --help. */
#define TOOL_STATUS_HELP \
  "Exit status: 0 success, 1 an input was not read completely or an output " \
  "was not written,\n2 the command line is wrong, 3 the model cannot be " \
  "loaded, or cannot run here with these\noptions, 130 ended by SIGINT or " \
  "SIGTERM.\n"
