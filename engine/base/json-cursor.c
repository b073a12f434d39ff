/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Walks through a text that y10_json_check() has passed, so that nothing here can fail or run
 * past the end: what is inside of an array or object is followed by its bracket. Where a value
 * is in the document follows from its address. */

#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/json-cursor.h"
#include "base/text.h"

#define MAX_SHOWN 60 /* letters of a value */
#define MAX_NAME 60  /* bytes of a name in a path */

static const char *
skip_blanks (const char *c)
{
  while (*c == ' ' || *c == '\t' || *c == '\n' || *c == '\r')
    c++;
  return c;
}

/* The end of the string that begins at @c. */
static const char *
skip_string (const char *c)
{
  for (c++; *c != '"'; c++)
    c += *c == '\\';
  return c + 1;
}

/* The end of the value that begins at @c, inside of a container. */
static const char *
skip_value (const char *c)
{
  guint depth = 0;

  if (*c != '"' && *c != '{' && *c != '[') {
    while (!memchr (",]} \t\n\r", *c, 7))
      c++;
    return c;
  }
  do {
    if (*c == '"') {
      c = skip_string (c);
      continue;
    }
    if (*c == '{' || *c == '[')
      depth++;
    else if (*c == '}' || *c == ']')
      depth--;
    c++;
  } while (depth);
  return c;
}

/**
 * y10_json_enter:
 * @cursor: (out): set to the beginning of @container
 * @container: an array or object; anything else has nothing in it
 */
void
y10_json_enter (Y10JsonCursor *cursor, Y10Json container)
{
  const Y10JsonKind kind = y10_json_get_kind (container);

  *cursor = (Y10JsonCursor){
    kind == Y10_JSON_ARRAY || kind == Y10_JSON_OBJECT ? container.text + 1
                                                      : NULL,
    { NULL, 0 },
  };
}

/**
 * y10_json_next:
 * @cursor: a cursor, whose name is set to that of the member in an object
 * @value: (out): the next element or member
 *
 * Returns: whether there is one
 */
gboolean
y10_json_next (Y10JsonCursor *cursor, Y10Json *value)
{
  const char *c, *end;

  if (!cursor->at)
    return FALSE;
  c = skip_blanks (cursor->at);
  if (*c == ',')
    c = skip_blanks (c + 1);
  if (*c == ']' || *c == '}')
    return FALSE;
  end = skip_value (c);
  /* Only what follows tells a name from a string. */
  if (*c == '"' && *skip_blanks (end) == ':') {
    cursor->name = (Y10Json){ c, (gsize) (end - c) };
    c = skip_blanks (skip_blanks (end) + 1);
    end = skip_value (c);
  }
  *value = (Y10Json){ c, (gsize) (end - c) };
  cursor->at = end;
  return TRUE;
}

/* Returns: the number of elements or members */
guint
y10_json_count (Y10Json container)
{
  Y10JsonCursor cursor;
  Y10Json value;
  guint n = 0;

  y10_json_enter (&cursor, container);
  while (y10_json_next (&cursor, &value))
    n++;
  return n;
}

/**
 * y10_json_find_all:
 * @object: an object; anything else has no members
 * @names: names of members
 * @n: their number
 * @values: (out) (array length=n): the members' values, of several of a name the last
 * @other: (out) (nullable): the first member of another name, if there is one
 *
 * Finds all in one pass.
 *
 * Returns: whether there are only members of these names
 */
gboolean
y10_json_find_all (Y10Json object, const char *const *names, guint n,
    Y10Json *values, Y10Json *other)
{
  Y10Json value, first = { NULL, 0 };
  Y10JsonCursor cursor;

  memset (values, 0, n * sizeof *values);
  y10_json_enter (&cursor, object);
  while (y10_json_next (&cursor, &value) && cursor.name.text) {
    guint i = 0;

    while (i < n && !y10_json_is_text (cursor.name, names[i]))
      i++;
    if (i < n)
      values[i] = value;
    else if (!first.text)
      first = value;
  }
  if (other)
    *other = first;
  return !first.text;
}

/* Returns: the value of a member, of several of that name the last; none if @object has none
 *   or is no object */
Y10Json
y10_json_find (Y10Json object, const char *name)
{
  Y10Json value;

  y10_json_find_all (object, &name, 1, &value, NULL);
  return value;
}

Y10JsonKind
y10_json_get_kind (Y10Json value)
{
  switch (value.text ? *value.text : '\0') {
    case '\0':
      return Y10_JSON_NONE;
    case '{':
      return Y10_JSON_OBJECT;
    case '[':
      return Y10_JSON_ARRAY;
    case '"':
      return Y10_JSON_STRING;
    case 'n':
      return Y10_JSON_NULL;
    case 't':
    case 'f':
      return Y10_JSON_BOOLEAN;
    default:
      return Y10_JSON_NUMBER;
  }
}

/**
 * y10_json_get_int:
 * @value: a value inside of an array or object
 * @number: (out): its number
 *
 * Returns: whether it is a number without fraction and exponent that fits
 */
gboolean
y10_json_get_int (Y10Json value, gint64 *number)
{
  char *end;

  if (y10_json_get_kind (value) != Y10_JSON_NUMBER)
    return FALSE;
  errno = 0;
  *number = g_ascii_strtoll (value.text, &end, 10);
  return !errno && end == value.text + value.length;
}

/**
 * y10_json_get_double:
 * @value: a value inside of an array or object
 * @number: (out): its number, infinite if it is too large
 *
 * Returns: whether it is a number
 */
gboolean
y10_json_get_double (Y10Json value, double *number)
{
  if (y10_json_get_kind (value) != Y10_JSON_NUMBER)
    return FALSE;
  *number = g_ascii_strtod (value.text, NULL);
  return TRUE;
}

static gunichar
read_unit (const char *digits)
{
  gunichar unit = 0;

  for (guint i = 0; i < 4; i++)
    unit = unit * 16 + (gunichar) g_ascii_xdigit_value (digits[i]);
  return unit;
}

/* Writes the byte, or what the escape stands for, at *@c to @bytes, and moves behind it.
 * Returns the number of bytes, no more than were read. */
static gsize
decode_next (const char **c, char bytes[6])
{
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  const char *at = *c;
  gunichar unit;

  *c += *at == '\\' ? 2 : 1;
  if (*at != '\\' || at[1] != 'u') {
    *bytes = *at == '\\' ? meanings[strchr (letters, at[1]) - letters] : *at;
    return 1;
  }
  unit = read_unit (at + 2);
  *c += 4;
  if (unit >= 0xd800 && unit <= 0xdbff) {
    unit = 0x10000 + ((unit - 0xd800) << 10) + (read_unit (at + 8) - 0xdc00);
    *c += 6;
  }
  return (gsize) g_unichar_to_utf8 (unit, bytes);
}

/* Returns: whether @value is a string that says @text */
gboolean
y10_json_is_text (Y10Json value, const char *text)
{
  const char *c = value.text + 1;

  if (y10_json_get_kind (value) != Y10_JSON_STRING)
    return FALSE;
  while (*c != '"') {
    char bytes[6];
    gsize n;

    /* Most texts have no escape. */
    if (*c != '\\') {
      if (*c++ != *text++)
        return FALSE;
      continue;
    }
    n = decode_next (&c, bytes);
    if (!*bytes || strncmp (text, bytes, n) != 0)
      return FALSE;
    text += n;
  }
  return !*text;
}

/**
 * y10_json_decode:
 * @value: a string
 * @buffer: (out): has room for as many bytes as @value has
 *
 * Returns: the number of bytes that the string says; NUL can be among them
 */
gsize
y10_json_decode (Y10Json value, char *buffer)
{
  const char *c = value.text + 1;
  gsize n = 0;

  while (*c != '"') {
    char bytes[6];
    const gsize length = decode_next (&c, bytes);

    memcpy (buffer + n, bytes, length);
    n += length;
  }
  return n;
}

/* Returns: (transfer full) (nullable): what a string says; NULL if @value is none or has NUL,
 *   at which C's strings end */
char *
y10_json_dup_text (Y10Json value)
{
  char *text;
  gsize length;

  if (y10_json_get_kind (value) != Y10_JSON_STRING)
    return NULL;
  text = g_malloc (value.length);
  length = y10_json_decode (value, text);
  text[length] = '\0';
  if (strlen (text) < length)
    g_clear_pointer (&text, g_free);
  return text;
}

/* Returns: (transfer full): @value's text without blanks between its parts */
char *
y10_json_dup_compact (Y10Json value)
{
  char *text = g_malloc (value.length + 1), *to = text;
  const char *from = value.text, *next;

  for (; from < value.text + value.length; from = next) {
    next = *from == '"' ? skip_string (from) : from + 1;
    if (!strchr (" \t\n\r", *from))
      to = mempcpy (to, from, (gsize) (next - from));
  }
  *to = '\0';
  return text;
}

/* Returns: (transfer full): @value's text for messages, cut if it is long; "nothing" if there
 *   is none */
char *
y10_json_show (Y10Json value)
{
  char *text = value.text ? y10_json_dup_compact (value) : g_strdup ("nothing");

  if (g_utf8_strlen (text, -1) > MAX_SHOWN)
    strcpy (g_utf8_offset_to_pointer (text, MAX_SHOWN - 4), "…");
  return text;
}

/**
 * y10_json_get_path:
 * @root: the document
 * @value: a value in it
 * @member: (nullable): name of a member that @value lacks
 *
 * Returns: (transfer full): where @value, or its @member, is in @root, such as
 *   "zones[2].points[0]"; "" for @root itself
 */
char *
y10_json_get_path (Y10Json root, Y10Json value, const char *member)
{
  GString *path = g_string_new (NULL);

  while (root.text != value.text) {
    Y10Json child = value;
    Y10JsonCursor cursor;
    guint i = 0;

    y10_json_enter (&cursor, root);
    while (y10_json_next (&cursor, &child)
        && child.text + child.length <= value.text)
      i++;
    root = child;
    if (cursor.name.text)
      g_string_append_printf (path, "%s%.*s", path->len ? "." : "",
          y10_text_fit (cursor.name.text + 1,
              MIN (cursor.name.length - 2, MAX_NAME)),
          cursor.name.text + 1);
    else
      g_string_append_printf (path, "[%u]", i);
  }
  if (member)
    g_string_append_printf (path, "%s%s", path->len ? "." : "", member);
  return g_string_free (path, FALSE);
}
