/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which text json-glib's parser may see. Where a string ends and what nests has one
 * meaning here, that of JSON; a text of which the parser could think otherwise is no JSON,
 * and is refused. All else that is no JSON the parser finds itself. */

#include "config.h"

#include <string.h>

#include "base/json-scan.h"

static const char mark[] =
    "\xef\xbb\xbf"; /* byte order, which parsers ignore */

/* Outside of strings: numbers, true, false and null. */
static const char outside[] = "\"[]{},:+-.0123456789eEtrufalsn \t\r\n";

/* Four hexadecimal digits, or -1. */
static int
read_unit (const char *json, gsize size)
{
  int unit = 0;

  for (guint i = 0; i < 4; i++) {
    int digit = i < size ? g_ascii_xdigit_value (json[i]) : -1;

    if (digit < 0)
      return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/* Length of the escape that begins behind a backslash; 0 if it is none, or half a
 * surrogate pair. */
static gsize
measure_escape (const char *json, gsize size)
{
  int unit;

  if (!size || !memchr ("\"\\/bfnrtu", *json, 9))
    return 0;
  if (*json != 'u')
    return 1;
  unit = read_unit (json + 1, size - 1);
  if (unit < 0xd800 || unit > 0xdfff)
    return unit < 0 ? 0 : 5;
  if (unit > 0xdbff || size < 11 || json[5] != '\\' || json[6] != 'u')
    return 0;
  unit = read_unit (json + 7, size - 7);
  return unit < 0xdc00 || unit > 0xdfff ? 0 : 11;
}

/* Only the first danger counts. */
static void
found (Y10JsonScan *scan, Y10JsonDanger danger, gsize offset)
{
  if (scan->danger != Y10_JSON_SAFE)
    return;
  scan->danger = danger;
  scan->offset = offset;
}

static guint
count_lines (const char *text, gsize size)
{
  guint line = 1;

  for (gsize i = 0; i < size; i++)
    line += text[i] == '\n';
  return line;
}

/* The end of the string that begins behind a quotation mark at @i: behind the next one, or
 * the text's end. G_MAXSIZE: it has a wrong escape. */
static gsize
skip_string (const char *text, gsize size, gsize i, Y10JsonScan *scan)
{
  while (i < size && text[i] != '"') {
    gsize length = 1;

    if (text[i++] != '\\')
      continue;
    length = measure_escape (text + i, size - i);
    if (!length)
      return G_MAXSIZE;
    if (length == 5 && !memcmp (text + i, "u0000", 5) && !scan->nul_line
        && scan->danger == Y10_JSON_SAFE)
      scan->nul_line = count_lines (text, i);
    i += length;
  }
  return MIN (i + 1, size);
}

static void
locate (const char *text, Y10JsonScan *scan)
{
  gsize begin = scan->offset; /* of the line */

  while (begin > 0 && text[begin - 1] != '\n')
    begin--;
  scan->line = count_lines (text, scan->offset);
  scan->column = (guint) (scan->offset - begin) + 1;
}

/* Goes on where it nests too deeply, for the sake of @depth. */
static void
look_through (const char *text, gsize size, guint max_depth, Y10JsonScan *scan)
{
  guint depth = 0;
  gsize i = 0, end;

  if (size >= strlen (mark) && !memcmp (text, mark, strlen (mark)))
    i = strlen (mark);
  for (; i < size; i = end) {
    const char c = text[i];

    end = i + 1;
    if (c == '"') {
      end = skip_string (text, size, end, scan);
      if (end == G_MAXSIZE) {
        found (scan, Y10_JSON_ESCAPE, i);
        return;
      }
    } else if (!memchr (outside, c, strlen (outside))) {
      found (scan, Y10_JSON_CHARACTER, i);
      return;
    }
    if (c == '[' || c == '{') {
      depth++;
      scan->depth = MAX (scan->depth, depth);
      if (depth > max_depth)
        found (scan, Y10_JSON_DEEP, i);
    }
    depth -= (c == ']' || c == '}') && depth;
  }
}

gboolean
y10_json_scan (const char *text, gsize size, guint max_depth, Y10JsonScan *scan)
{
  *scan = (Y10JsonScan){ .offset = size };
  look_through (text, size, max_depth, scan);
  locate (text, scan);
  return scan->danger == Y10_JSON_SAFE;
}

const char *
y10_json_danger_get_text (Y10JsonDanger danger)
{
  static const char *const texts[] = {
    "it is safe",
    "it nests too deeply",
    "a string has an escape that is none",
    "unexpected character",
  };

  return texts[danger];
}
