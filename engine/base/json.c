/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes JSON. Numbers have the digits that they need: most doubles fewer than 17, and the
 * network's results, which are float32, usually 6 or 7. Whether a comma belongs in front of a
 * value follows from the byte before it. */

#include "config.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define MAX_DIGITS 9 /* enough for every float */

static locale_t
c_locale (void)
{
  static gsize made;

  /* glibc's "C" locale is a static object, so nothing leaks. */
  if (g_once_init_enter (&made))
    g_once_init_leave (&made,
        (gsize) newlocale (LC_ALL_MASK, "C", (locale_t) 0));
  return (locale_t) made;
}

static gboolean
format_exactly (float value, double printed, int digits, char *buffer)
{
  g_snprintf (buffer, Y10_JSON_FLOAT_SIZE, "%.*g", digits, printed);
  return strtof (buffer, NULL) == value;
}

const char *
y10_json_format_float (float value, char buffer[Y10_JSON_FLOAT_SIZE])
{
  /* The gap below a power of two is half the gap above: this is the middle
   * of the interval that rounds to it. */
  const double middle = (double) value * (1 + 0x1p-26);
  locale_t before;

  if (!isfinite (value))
    return strcpy (buffer, "null");
  before = uselocale (c_locale ());
  /* Up to FLT_DIG digits, different decimals are different floats, unless
   * subnormal. So fewer digits need not be tried; "%g" drops trailing zeros. */
  for (int digits = fabsf (value) < FLT_MIN ? 1 : FLT_DIG; digits <= MAX_DIGITS;
       digits++) {
    if (format_exactly (value, (double) value, digits, buffer)
        || format_exactly (value, middle, digits, buffer))
      break;
  }
  uselocale (before);
  /* Parsers that distinguish integers from reals always see a real. */
  if (!strpbrk (buffer, ".e"))
    strcat (buffer, ".0");
  return buffer;
}

const char *
y10_json_format_double (double value, char buffer[G_ASCII_DTOSTR_BUF_SIZE])
{
  /* Each decimal of 15 digits reads back as itself, and 17 suffice for each double. */
  static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_ascii_formatd (buffer, G_ASCII_DTOSTR_BUF_SIZE, formats[i], value);
    if (g_ascii_strtod (buffer, NULL) == value)
      break;
  }
  return buffer;
}

void
y10_json_append_float (GString *json, float value)
{
  char buffer[Y10_JSON_FLOAT_SIZE];

  g_string_append (json, y10_json_format_float (value, buffer));
}

static void
append_char (GString *json, char c)
{
  static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
  const char *found = NULL;

  for (const char *pair = named; *pair && !found; pair += 2)
    if (*pair == c)
      found = pair;
  if (found) {
    g_string_append_c (json, '\\');
    g_string_append_c (json, found[1]);
  } else if ((guchar) c < 0x20 || c == 0x7f) {
    g_string_append_printf (json, "\\u%04x", (guchar) c);
  } else {
    g_string_append_c (json, c);
  }
}

void
y10_json_append_string (GString *json, const char *text)
{
  const char *end = text;

  g_string_append_c (json, '"');
  while (*text) {
    g_utf8_validate (text, -1, &end);
    for (; text < end; text++)
      append_char (json, *text);
    if (*end) {
      g_string_append (json, "\357\277\275");
      text = end + 1;
    }
  }
  g_string_append_c (json, '"');
}

static void
begin_value (GString *json, const char *name)
{
  if (json->len && !strchr ("{[:", json->str[json->len - 1]))
    g_string_append_c (json, ',');
  if (!name)
    return;
  y10_json_append_string (json, name);
  g_string_append_c (json, ':');
}

void
y10_json_open (GString *json, const char *name, char bracket)
{
  begin_value (json, name);
  g_string_append_c (json, bracket);
}

void
y10_json_close (GString *json, char bracket)
{
  g_string_append_c (json, bracket);
}

void
y10_json_add_raw (GString *json, const char *name, const char *value)
{
  begin_value (json, name);
  g_string_append (json, value);
}

void
y10_json_add_string (GString *json, const char *name, const char *value)
{
  begin_value (json, name);
  if (value)
    y10_json_append_string (json, value);
  else
    g_string_append (json, "null");
}

void
y10_json_add_int (GString *json, const char *name, gint64 value)
{
  begin_value (json, name);
  g_string_append_printf (json, "%" G_GINT64_FORMAT, value);
}

void
y10_json_add_double (GString *json, const char *name, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  begin_value (json, name);
  if (!isfinite (value)) {
    g_string_append (json, "null");
    return;
  }
  g_string_append (json, y10_json_format_double (value, buffer));
  /* It stays a real. */
  if (!strpbrk (buffer, ".e"))
    g_string_append (json, ".0");
}

void
y10_json_add_bool (GString *json, const char *name, gboolean value)
{
  y10_json_add_raw (json, name, value ? "true" : "false");
}

void
y10_json_add_size (GString *json, const char *name, guint width, guint height)
{
  y10_json_open (json, name, '{');
  y10_json_add_int (json, "width", width);
  y10_json_add_int (json, "height", height);
  y10_json_close (json, '}');
}

static void
append_line (GString *text, guint depth)
{
  g_string_append_c (text, '\n');
  for (guint i = 0; i < depth; i++)
    g_string_append (text, "  ");
}

char *
y10_json_indent (const char *json)
{
  GString *text = g_string_new (NULL);
  gboolean is_quoted = FALSE;
  guint depth = 0;

  for (; *json; json++) {
    const gboolean is_close = !is_quoted && strchr ("]}", *json);

    if (is_close)
      depth--;
    if (is_close && !strchr ("[{", json[-1]))
      append_line (text, depth);
    g_string_append (text, !is_quoted && *json == ':' ? " : " : "");
    if (is_quoted || *json != ':')
      g_string_append_c (text, *json);
    if (*json == '"')
      is_quoted = !is_quoted;
    else if (is_quoted && *json == '\\')
      g_string_append_c (text, *++json);
    else if (!is_quoted && strchr ("[{", *json)) {
      depth++;
      if (!strchr ("]}", json[1]))
        append_line (text, depth);
    } else if (!is_quoted && *json == ',')
      append_line (text, depth);
  }
  return g_string_free (text, FALSE);
}
