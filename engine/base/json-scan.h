/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Looks through JSON of unknown origin before json-glib's parser sees it. gst/zones and
 * tools/y10/val compile this file, too. */

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  Y10_JSON_SAFE,      /* to be parsed; it need not be JSON */
  Y10_JSON_DEEP,      /* nests too deeply */
  Y10_JSON_ESCAPE,    /* a string has an escape that is none */
  Y10_JSON_CHARACTER, /* what no JSON has outside of strings */
} Y10JsonDanger;

typedef struct
{
  Y10JsonDanger danger; /* the first one */
  gsize offset;         /* where it begins, bytes; if safe, the text's end */
  guint line, column;   /* of @offset, from 1; a column is a byte */
  /* Nesting of arrays and objects: the deepest level, also beyond the limit, in front of
   * whatever is no JSON. */
  guint depth;
  /* Of the first escape of NUL, at which C's strings end, in front of @offset; 0: there
   * is none. */
  guint nul_line;
} Y10JsonScan;

/* Whether the parser may see @text, of @size bytes. It calls itself for each level, so
 * @max_depth costs stack; beyond JSON it has other quotation marks, comments and
 * statements, and ends strings elsewhere where an escape is none. Allocates nothing. */
gboolean y10_json_scan (const char *text, gsize size, guint max_depth,
    Y10JsonScan *scan);
/* Such as "unexpected character"; the caller says how deep is too deep. */
const char *y10_json_danger_get_text (Y10JsonDanger danger);

G_END_DECLS
