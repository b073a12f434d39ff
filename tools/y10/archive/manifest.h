/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <stdio.h>

#include "archive/digest.h"

/* One input of a manifest. Either @error is set, or @content and @segments. */
typedef struct
{
  char *source;  /* as given, UTF-8: see tool_source_to_utf8() */
  char *path;    /* absolute, in the file system's encoding */
  char *error;   /* why it cannot be processed, or NULL */
  char *content; /* its digest */
  ToolFileStamp stamp;
  char *whole;      /* why it is one segment, or NULL */
  GArray *segments; /* of ToolRange; exactly one if @whole is set */
} ToolManifestInput;

ToolManifestInput *tool_manifest_input_new (void);
void tool_manifest_input_free (ToolManifestInput *input);

/* The first line of a manifest of @n_inputs, without the newline. */
char *tool_manifest_header (double seconds, guint n_inputs);
/* The line of one input. */
char *tool_manifest_line (const ToolManifestInput *input);
/* All inputs of the manifest in @path ("-": standard input), or NULL and an
 * error that names file, line and member. */
GPtrArray *tool_manifest_read (const char *path, GError **error);
