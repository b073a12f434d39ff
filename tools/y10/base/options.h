/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The options that several commands share. */

#include <y10/y10.h>

/* The options that select a model and configure an engine. */
typedef struct
{
  char *model, *labels;
  char *backend, *precision, *head, *size;
  int threads;
  gboolean no_cuda_graphs, no_tune;
} ToolEngineOptions;

/* Adds these options to @context; --model only if @with_model. */
void tool_engine_options_add (GOptionContext *context,
    ToolEngineOptions *options, gboolean with_model);
void tool_engine_options_clear (ToolEngineOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolEngineOptions, tool_engine_options_clear)
/* Fills @config, or prints an error and returns FALSE. */
gboolean tool_engine_options_parse (const ToolEngineOptions *options,
    Y10EngineConfig *config);
/* Parses the command line, or prints an error and returns FALSE. */
gboolean tool_options_parse (GOptionContext *context, const char *command,
    int *argc, char ***argv);
/* Frees the strings that the command line has set. */
void tool_options_clear (const GOptionEntry *entries);
/* Loads a model, and says which of its classes have no name. */
Y10Model *tool_model_load (const char *path, const char *labels,
    GError **error);
/* Parses comma-separated class names and numbers. Returns one byte per class,
 * 1 if listed, or prints an error and returns NULL. Free with g_free(). */
guint8 *tool_classes_parse (const char *text, const Y10Model *model);
/* Returns TRUE if @value is from @min to @max, or prints an error for the option
 * @name and returns FALSE. */
gboolean tool_check_range (const char *name, double value, double min,
    double max);
