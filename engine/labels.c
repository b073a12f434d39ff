/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Where class names come from: a label file, one name a line; or what the
 * weights file says of itself, which training tools write as a JSON list, a
 * JSON object or a Python dictionary; or "class N". */

#include "config.h"

#include <string.h>
#include <y10/error.h>

#include "labels.h"

char **
y10_labels_load (const char *path, guint n_classes, GError **error)
{
  g_autoptr (GError) io = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  const char *start, *bad;
  gsize length;
  guint n;

  if (!g_file_get_contents (path, &text, &length, &io)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_LABELS,
        "label file %s cannot be read: %s", path,
        g_error_matches (io, G_FILE_ERROR, G_FILE_ERROR_NOENT)
        ? "no such file" : io->message);
    return NULL;
  }
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
        "label file %s has %u labels; the model has %u classes", path, n,
        n_classes);
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

/* A string in either kind of quotes, with the escapes that occur in names. */
static const char *
parse_string (const char *p, char **string)
{
  GString *s = g_string_new (NULL);
  char quote = *p++;

  for (; *p && *p != quote; p++) {
    if (*p == '\\' && p[1] == 'u') {
      char hex[5] = { 0, };
      strncpy (hex, p + 2, 4);
      if (strlen (hex) == 4) {
        g_string_append_unichar (s, g_ascii_strtoull (hex, NULL, 16));
        p += 5;
      }
    } else {
      if (*p == '\\' && p[1])
        p++;
      g_string_append_c (s, *p);
    }
  }
  *string = g_string_free (s, *p != quote);
  return *string ? p + 1 : NULL;
}

char **
y10_labels_parse (const char *names, guint n_classes)
{
  g_autoptr (GPtrArray) labels =
      g_ptr_array_new_full (n_classes + 1, g_free);
  const char *p = skip_space (names);
  char close = *p == '{' ? '}' : *p == '[' ? ']' : 0;

  if (!close || !g_utf8_validate (names, -1, NULL))
    return NULL;
  for (p = skip_space (p + 1); *p && *p != close; p = skip_space (p)) {
    char *string = NULL;

    if (close == '}') {         /* 0: or "0": the index of the next name */
      char *end;
      guint64 key;
      gboolean quoted = *p == '"' || *p == '\'';

      key = g_ascii_strtoull (p + quoted, &end, 10);
      if (end == p + quoted || key != labels->len)
        return NULL;
      p = skip_space (end + quoted);
      if (*p++ != ':')
        return NULL;
      p = skip_space (p);
    }
    if (*p != '"' && *p != '\'')
      return NULL;
    p = parse_string (p, &string);
    if (!p)
      return NULL;
    g_ptr_array_add (labels, string);
    p = skip_space (p);
    if (*p == ',')
      p++;
    else if (*p != close)
      return NULL;
  }
  if (*p != close || labels->len != n_classes)
    return NULL;
  g_ptr_array_add (labels, NULL);
  return (char **) g_ptr_array_steal (labels, NULL);
}

char **
y10_labels_number (guint n_classes)
{
  char **labels = g_new0 (char *, n_classes + 1);

  for (guint i = 0; i < n_classes; i++)
    labels[i] = g_strdup_printf ("class %u", i);
  return labels;
}
