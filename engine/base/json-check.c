/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what is JSON: RFC 8259 to the letter, in UTF-8, whose strings encode text. A byte
 * order mark is skipped, as the RFC allows. Which of several members of one name counts is up
 * to readers. The nesting limit bounds the stack, since each level is a call. */

#include "config.h"

#include <string.h>

#include "base/json-cursor.h"

static const char mark[] = "\xef\xbb\xbf"; /* byte order */

typedef struct
{
  const char *text, *at, *end;
  const char *valid; /* end of what is UTF-8 */
  guint max_depth;
  Y10JsonFault *fault; /* nullable */
} Check;

/* Always FALSE. */
static gboolean G_GNUC_PRINTF (3, 4)
    refuse (const Check *check, const char *at, const char *format, ...)
{
  Y10JsonFault *fault = check->fault;
  va_list args;

  if (!fault)
    return FALSE;
  *fault = (Y10JsonFault){ (gsize) (at - check->text), 1, 1, "" };
  for (const char *c = check->text; c < at; c++) {
    fault->column = *c == '\n' ? 1 : fault->column + 1;
    fault->line += *c == '\n';
  }
  va_start (args, format);
  g_vsnprintf (fault->message, sizeof fault->message, format, args);
  va_end (args);
  return FALSE;
}

static gboolean
expect (const Check *check, const char *expected)
{
  if (check->at == check->end)
    return refuse (check, check->at, "unexpected end; expected %s", expected);
  if (!g_ascii_isprint (*check->at))
    return refuse (check, check->at, "unexpected byte 0x%02x; expected %s",
        (guchar) *check->at, expected);
  return refuse (check, check->at, "unexpected character '%c'; expected %s",
      *check->at, expected);
}

/* The next byte that is not blank; NUL at the end. */
static char
peek (Check *check)
{
  while (check->at < check->end && *check->at && strchr (" \t\n\r", *check->at))
    check->at++;
  return check->at < check->end ? *check->at : '\0';
}

static gboolean
take (Check *check, char c)
{
  if (check->at == check->end || *check->at != c)
    return FALSE;
  check->at++;
  return TRUE;
}

/* Four hexadecimal digits, or -1. */
static int
read_unit (const char *text, gsize size)
{
  int unit = 0;

  for (guint i = 0; i < 4; i++) {
    const int digit = i < size ? g_ascii_xdigit_value (text[i]) : -1;

    if (digit < 0)
      return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/* Length of the escape that begins behind a backslash; 0 if it is none, or half a surrogate
 * pair. */
static gsize
measure_escape (const char *text, gsize size)
{
  int unit;

  if (!size || !memchr ("\"\\/bfnrtu", *text, 9))
    return 0;
  if (*text != 'u')
    return 1;
  unit = read_unit (text + 1, size - 1);
  if (unit < 0xd800 || unit > 0xdfff)
    return unit < 0 ? 0 : 5;
  if (unit > 0xdbff || size < 11 || text[5] != '\\' || text[6] != 'u')
    return 0;
  unit = read_unit (text + 7, size - 7);
  return unit < 0xdc00 || unit > 0xdfff ? 0 : 11;
}

static gboolean
check_string (Check *check)
{
  const char *begin = check->at;

  for (check->at++; !take (check, '"'); check->at++) {
    gsize length;

    if (check->at == check->end)
      return expect (check, "the string to end");
    if ((guchar) *check->at < ' ')
      return expect (check, "an escape for it in a string");
    if (check->at == check->valid)
      return expect (check, "UTF-8 in a string");
    if (*check->at != '\\')
      continue;
    length = measure_escape (check->at + 1,
        (gsize) (check->end - check->at) - 1);
    if (!length)
      return refuse (check, begin, "a string has an escape that is none");
    check->at += length;
  }
  return TRUE;
}

static gboolean
check_digits (Check *check)
{
  const char *begin = check->at;

  while (check->at < check->end && g_ascii_isdigit (*check->at))
    check->at++;
  return check->at > begin || expect (check, "a digit");
}

static gboolean
check_number (Check *check)
{
  take (check, '-');
  if (!take (check, '0') && !check_digits (check))
    return FALSE;
  if (take (check, '.') && !check_digits (check))
    return FALSE;
  if (!take (check, 'e') && !take (check, 'E'))
    return TRUE;
  if (!take (check, '-'))
    take (check, '+');
  return check_digits (check);
}

static gboolean
check_word (Check *check)
{
  static const char *const words[] = { "true", "false", "null" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    const gsize length = strlen (words[i]);

    if ((gsize) (check->end - check->at) < length
        || memcmp (check->at, words[i], length) != 0)
      continue;
    check->at += length;
    return TRUE;
  }
  return expect (check, "a value");
}

static gboolean
check_name (Check *check)
{
  if (peek (check) != '"')
    return expect (check, "a name in quotation marks");
  if (!check_string (check))
    return FALSE;
  if (peek (check) != ':')
    return expect (check, "a colon");
  check->at++;
  return TRUE;
}

static gboolean check_value (Check *check, guint depth);

/* @depth: levels that are around it */
static gboolean
check_container (Check *check, guint depth)
{
  const gboolean is_object = *check->at == '{';
  const char close = is_object ? '}' : ']';

  if (depth == check->max_depth)
    return refuse (check, check->at, "it nests more than %u deep",
        check->max_depth);
  check->at++;
  if (peek (check) != close) {
    do {
      if ((is_object && !check_name (check)) || !check_value (check, depth + 1))
        return FALSE;
      peek (check);
    } while (take (check, ','));
  }
  return take (check, close)
      || expect (check, is_object ? "a comma or '}'" : "a comma or ']'");
}

static gboolean
check_value (Check *check, guint depth)
{
  const char c = peek (check);

  if (c == '{' || c == '[')
    return check_container (check, depth);
  if (c == '"')
    return check_string (check);
  if (c == '-' || g_ascii_isdigit (c))
    return check_number (check);
  return check_word (check);
}

/**
 * y10_json_check:
 * @text: a text of unknown origin, which need not end with NUL
 * @length: its length in bytes
 * @max_depth: how deep arrays and objects may nest; each level costs stack
 * @root: (out): the text's value
 * @fault: (out) (nullable): set to what is wrong, if anything is
 *
 * Allocates nothing.
 *
 * Returns: whether @text is one value of JSON
 */
gboolean
y10_json_check (const char *text, gsize length, guint max_depth, Y10Json *root,
    Y10JsonFault *fault)
{
  const gsize skipped = length >= strlen (mark)
          && !memcmp (text, mark, strlen (mark))
      ? strlen (mark)
      : 0;
  Check check = { text, text + skipped, text + length, NULL, max_depth, fault };

  g_utf8_validate (text, (gssize) length, &check.valid);
  peek (&check);
  root->text = check.at;
  if (!check_value (&check, 0))
    return FALSE;
  root->length = (gsize) (check.at - root->text);
  peek (&check);
  return check.at == check.end || expect (&check, "the end");
}
