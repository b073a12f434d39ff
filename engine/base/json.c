/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Formats numbers and strings as JSON. json-glib prints each number with the 17
 * digits of a double; the network's results are float32, for which at most 9
 * digits, and usually 6 or 7, suffice. */

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
