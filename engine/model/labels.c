/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads class names: from a label file with one name per line, or from the
 * metadata of a weights file, where training tools write a list or table as JSON or
 * Python has it. Classes without a name are called "class 0", "class 1" and so on, and a
 * note says so if there are names that do not fit. Names are valid UTF-8 without line breaks, because the
 * frame metadata stores one name per line. Other control characters remain;
 * code that prints to a terminal escapes them. */

#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <y10/error.h>

#include "model/labels.h"
#include "base/regular-file.h"
#include "base/text.h"

/* Enough for the maximum number of classes with a long name each. */
#define MAX_FILE ((gsize) 4 << 20)
#define REPLACEMENT 0xfffd

/* Reads a label file; the result is NUL-terminated. */
static char *
read_file (const char *path, gsize *length, GError **error)
{
  g_autofree char *why = NULL, *text = NULL;
  struct stat s;
  gssize n;
  int fd = y10_regular_file_open (path, &s, &why);

  if (fd < 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_LABELS,
        "label file %s cannot be read: %s", path, why);
    return NULL;
  }
  text = g_malloc (MAX_FILE + 2);
  n = y10_regular_file_read (fd, 0, text, MAX_FILE + 1);
  if (n < 0)
    g_set_error (error, Y10_ERROR, Y10_ERROR_LABELS,
        "label file %s cannot be read: %s", path, g_strerror (errno));
  else if ((gsize) n > MAX_FILE)
    g_set_error (error, Y10_ERROR, Y10_ERROR_LABELS,
        "label file %s has %" G_GINT64_FORMAT
        " bytes; expected at most %" G_GSIZE_FORMAT,
        path, MAX ((gint64) s.st_size, (gint64) n), MAX_FILE);
  close (fd);
  if (n < 0 || (gsize) n > MAX_FILE)
    return NULL;
  text[n] = 0;
  *length = n;
  return g_steal_pointer (&text);
}

char **
y10_labels_load (const char *path, guint n_classes, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  const char *start, *bad;
  gsize length;
  guint n;

  text = read_file (path, &length, error);
  if (!text)
    return NULL;
  start = g_str_has_prefix (text, "\xef\xbb\xbf") ? text + 3 : text;
  if (!g_utf8_validate (start, length - (start - text), &bad)) {
    guint line = 1;
    for (const char *p = start; p < bad; p++)
      line += *p == '\n';
    g_set_error (error, Y10_ERROR, Y10_ERROR_LABELS,
        "label file %s is not UTF-8 in line %u", path, line);
    return NULL;
  }
  lines = g_strsplit (start, "\n", -1);
  n = g_strv_length (lines);
  for (guint i = 0; i < n; i++)
    g_strstrip (lines[i]);
  while (n && !*lines[n - 1])
    g_clear_pointer (&lines[--n], g_free);
  if (n != n_classes) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_LABELS,
        "label file %s has %u labels; expected %u, one for each class of the "
        "model",
        path, n, n_classes);
    return NULL;
  }
  return g_steal_pointer (&lines);
}

static const char *
skip_space (const char *p)
{
  while (g_ascii_isspace (*p))
    p++;
  return p;
}

/* Parses exactly @n hexadecimal digits. */
static gboolean
parse_hex (const char *p, guint n, gunichar *value)
{
  *value = 0;
  for (guint i = 0; i < n; i++) {
    if (!g_ascii_isxdigit (p[i]))
      return FALSE;
    *value = *value << 4 | (gunichar) g_ascii_xdigit_value (p[i]);
  }
  return TRUE;
}

/* Parses the escape whose letter is at @p and advances @p. JSON escapes
 * characters above U+FFFF as a surrogate pair. A lone surrogate and any
 * other code that is not a character become U+FFFD. */
static gunichar
parse_escape (const char **p)
{
  static const char letters[] = "bfnrt", controls[] = "\b\f\n\r\t";
  char letter = **p;
  const char *control = strchr (letters, letter);
  guint digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  gunichar c, low;

  if (!digits || !parse_hex (*p + 1, digits, &c)) {
    c = control ? (gunichar) controls[control - letters] : g_utf8_get_char (*p);
    *p = g_utf8_next_char (*p);
    return c;
  }
  *p += 1 + digits;
  if (c >= 0xd800 && c < 0xdc00 && (*p)[0] == '\\' && (*p)[1] == 'u'
      && parse_hex (*p + 2, 4, &low) && low >= 0xdc00 && low < 0xe000) {
    *p += 6;
    c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
  }
  return c && g_unichar_validate (c) ? c : REPLACEMENT;
}

/* Parses a string in single or double quotes with JSON's or Python's
 * escapes, of valid UTF-8. Returns NULL if it is not terminated. */
static const char *
parse_string (const char *p, char **string)
{
  GString *s = g_string_new (NULL);
  char quote = *p++;

  while (*p && *p != quote) {
    if (*p == '\\' && p[1]) {
      p++;
      g_string_append_unichar (s, parse_escape (&p));
    } else {
      g_string_append_c (s, *p++);
    }
  }
  *string = g_string_free (s, *p != quote);
  return *string ? p + 1 : NULL;
}

/* Parses a string, or a bare word such as 5 or None as its own text. Returns NULL if
 * there is neither. */
static const char *
parse_word (const char *p, char **word)
{
  const char *start = p;

  /* Python 2 marks strings of Unicode. */
  if (*p == 'u' && (p[1] == '"' || p[1] == '\''))
    p++;
  if (*p == '"' || *p == '\'')
    return parse_string (p, word);
  while (*p && (g_ascii_isalnum (*p) || strchr ("_+-.", *p)))
    p++;
  *word = g_strndup (start, p - start);
  return p > start ? p : NULL;
}

/* Parses the next entry at @p: a name, or in a table a number and a name. */
static const char *
parse_entry (const char *p, gboolean is_table, guint64 *number, char **name)
{
  g_autofree char *key = NULL;

  if (is_table) {
    p = parse_word (p, &key);
    p = p ? skip_space (p) : NULL;
    if (!p || *p != ':')
      return NULL;
    p = skip_space (p + 1);
  }
  p = parse_word (p, name);
  if (!p || !is_table
      || g_ascii_string_to_unsigned (key, 10, 0, G_MAXUINT64, number, NULL))
    return p;
  /* Names that have numbers. */
  if (!g_ascii_string_to_unsigned (*name, 10, 0, G_MAXUINT64, number, NULL))
    return NULL;
  g_free (*name);
  *name = g_steal_pointer (&key);
  return p;
}

/* Fills @labels with the names in @text as far as they have a class; FALSE if it is no list,
 * tuple or table. */
static gboolean
parse (const char *text, char **labels, guint n_classes, guint *n_names)
{
  const char *p = skip_space (text);
  const char close = *p == '{' ? '}' : *p == '[' ? ']' : *p == '(' ? ')' : 0;

  *n_names = 0;
  if (!close)
    return FALSE;
  for (p = skip_space (p + 1); *p && *p != close; p = skip_space (p)) {
    guint64 number = *n_names;
    char *name = NULL;

    p = parse_entry (p, close == '}', &number, &name);
    if (p && number < n_classes) {
      g_free (labels[number]);
      labels[number] = g_strdelimit (g_steal_pointer (&name), "\r\n", ' ');
    }
    g_free (name);
    if (!p)
      return FALSE;
    (*n_names)++;
    p = skip_space (p);
    if (*p == ',')
      p++;
    else if (*p != close)
      return FALSE;
  }
  return *p == close && !*skip_space (p + 1);
}

/* Fills the gaps of @labels with "class N". Returns their number and the first one. */
static guint
number_others (char **labels, guint n_classes, guint *first)
{
  guint n = 0;

  for (guint i = n_classes; i-- > 0;)
    if (!labels[i]) {
      labels[i] = g_strdup_printf ("class %u", i);
      *first = i;
      n++;
    }
  return n;
}

char **
y10_labels_parse (const char *names, guint n_classes, char **note)
{
  g_autofree char *text = names ? g_utf8_make_valid (names, -1) : NULL;
  char **labels = g_new0 (char *, n_classes + 1);
  guint n_names = 0, first = 0, n_missing;
  const gboolean is_known = text && parse (text, labels, n_classes, &n_names);

  if (!is_known)
    for (guint i = 0; i < n_classes; i++)
      g_clear_pointer (&labels[i], g_free);
  n_missing = number_others (labels, n_classes, &first);
  *note = NULL;
  if (!text)
    return labels;
  if (!is_known)
    *note = g_strdup_printf (
        "its metadata \"names\" is %.*s%s; expected a list or table of names",
        y10_text_fit (text, 40), text, strlen (text) > 40 ? "…" : "");
  else if (n_missing || n_names > n_classes)
    *note = g_strdup_printf (
        "its metadata \"names\" has %u name%s; expected one for each of %u "
        "classes",
        n_names, n_names == 1 ? "" : "s", n_classes);
  if (n_missing) {
    char *before = *note;

    *note = n_missing == 1
        ? g_strdup_printf ("%s; class %u is called \"class %u\"", before, first,
            first)
        : g_strdup_printf ("%s; %u classes are called \"class N\", from %u on",
            before, n_missing, first);
    g_free (before);
  }
  return labels;
}
