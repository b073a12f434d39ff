/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads as much of YAML as the data files of Ultralytics and Roboflow use: path and val (or
 * another split), which are words, names, which are a list in brackets, a list of lines or a
 * table of numbers, and comments. Other keys are skipped with the lines that belong to them.
 * Whatever else there is of YAML in these keys is an error that names the line: a guess would
 * measure something else. */

#include "config.h"

#include <string.h>

#include <y10/y10.h>

#include "base/text.h"
#include "val/data.h"

typedef struct
{
  const char *file;
  char **lines;
  const char *split; /* the key of the pictures */
  guint n, at;       /* the line at hand */
  GError **error;
} Reader;

static gboolean refuse (const Reader *self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

static gboolean
refuse (const Reader *self, const char *format, ...)
{
  va_list args;
  char *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (self->error, Y10_ERROR, Y10_ERROR_FAILED, "%s: line %u: %s",
      self->file, self->at + 1, text);
  g_free (text);
  return FALSE;
}

static guint
indent_of (const char *line)
{
  return (guint) strspn (line, " ");
}

/* Nothing but spaces and a comment. */
static gboolean
is_empty (const char *line)
{
  line += strspn (line, " \t");
  return !*line || *line == '#';
}

/* Goes to the next line with content; FALSE at the end. */
static gboolean
go_on (Reader *self)
{
  while (self->at < self->n && is_empty (self->lines[self->at]))
    self->at++;
  return self->at < self->n;
}

static gboolean
read_quoted (const Reader *self, const char **at, GString *word)
{
  const char quote = **at;
  const char *c = *at + 1;

  for (; *c; c++) {
    if (*c == quote && quote == '\'' && c[1] == '\'') {
      g_string_append_c (word, '\'');
      c++;
    } else if (*c == quote) {
      *at = c + 1;
      return TRUE;
    } else if (*c == '\\' && quote == '"') {
      c++;
      if (*c != '"' && *c != '\\' && *c != '/')
        return refuse (self,
            "has \\%c, which is not read here; only \\\" and \\\\ are", *c);
      g_string_append_c (word, *c);
    } else {
      g_string_append_c (word, *c);
    }
  }
  return refuse (self, "a %c has no end", quote);
}

/* Reads a word up to one of @ends, which are those of a list, or up to a comment. Sets
 * @at behind it and the spaces. */
static gboolean
read_word (const Reader *self, const char **at, const char *ends, GString *word)
{
  const char *c = *at + strspn (*at, " \t");

  g_string_truncate (word, 0);
  if (*c == '"' || *c == '\'') {
    if (!read_quoted (self, &c, word))
      return FALSE;
  } else if (*c && strchr ("&*!|>%@`{[", *c)) {
    return refuse (self,
        "begins with '%c', which is not read here; expected a word", *c);
  } else {
    for (; *c && !strchr (ends, *c); c++) {
      if (*c == '#' && c > *at && (c[-1] == ' ' || c[-1] == '\t'))
        break;
      if (*c == ':' && (c[1] == ' ' || !c[1]))
        return refuse (self,
            "has a ':' within a word; expected quotes around it");
      g_string_append_c (word, *c);
    }
    g_strchomp (word->str);
    word->len = strlen (word->str);
  }
  c += strspn (c, " \t");
  *at = c;
  return !*c || *c == '#' || strchr (ends, *c)
      || refuse (self, "has \"%s\" behind a word in quotes", c);
}

/* The rest of a line is one word. */
static gboolean
read_rest (const Reader *self, const char *at, GString *word)
{
  return read_word (self, &at, "", word);
}

/* "[a, 'b', c]", over one line or more. */
static gboolean
read_brackets (Reader *self, const char *at, GPtrArray *names, GString *word)
{
  at++;
  for (;;) {
    while (is_empty (at)) {
      if (++self->at >= self->n) {
        self->at--;
        return refuse (self, "names has no ]");
      }
      at = self->lines[self->at];
    }
    at += strspn (at, " \t");
    if (*at == ']')
      break;
    if (!read_word (self, &at, ",]", word))
      return FALSE;
    if (!word->len)
      return refuse (self, "names has an empty name");
    g_ptr_array_add (names, g_strdup (word->str));
    if (*at == ',')
      at++;
    else if (*at != ']' && !is_empty (at))
      return refuse (self, "expected ',' or ']' in names");
  }
  if (!is_empty (at + 1))
    return refuse (self, "has \"%s\" behind names", at + 1);
  self->at++;
  return TRUE;
}

/* A line "3: name"; names have numbers from 0 on, in any order. */
static gboolean
read_numbered (Reader *self, const char *line, GPtrArray *names, GString *word)
{
  char *end;
  const guint64 number = g_ascii_strtoull (line, &end, 10);

  if (!g_ascii_isdigit (*line) || *end != ':' || (end[1] && end[1] != ' '))
    return refuse (self, "is \"%s\"; expected NUMBER: NAME or - NAME", line);
  if (number >= VAL_MAX_CLASSES)
    return refuse (self, "class %" G_GUINT64_FORMAT "; expected at most %d",
        number, VAL_MAX_CLASSES - 1);
  if (!read_rest (self, end + 1, word))
    return FALSE;
  if (!word->len)
    return refuse (self, "class %u has no name", (guint) number);
  if (number >= names->len)
    g_ptr_array_set_size (names, (int) number + 1);
  if (g_ptr_array_index (names, number))
    return refuse (self, "class %u has two names", (guint) number);
  g_ptr_array_index (names, number) = g_strdup (word->str);
  return TRUE;
}

/* The lines below "names:". */
static gboolean
read_lines (Reader *self, GPtrArray *names, GString *word)
{
  gboolean is_list = FALSE, any = FALSE;
  guint indent = 0;

  while (go_on (self)) {
    const char *line = self->lines[self->at];
    const guint here = indent_of (line);
    const gboolean is_item = line[here] == '-'
        && (line[here + 1] == ' ' || !line[here + 1]);

    if (!here && !is_item)
      break;
    if (any && (here != indent || is_item != is_list))
      return refuse (self, "is not like the names above it");
    indent = here;
    is_list = is_item;
    any = TRUE;
    if (!is_item) {
      if (!read_numbered (self, line + here, names, word))
        return FALSE;
    } else if (!read_rest (self, line + here + 1, word)) {
      return FALSE;
    } else if (!word->len) {
      return refuse (self, "names has an empty name");
    } else {
      g_ptr_array_add (names, g_strdup (word->str));
    }
    self->at++;
  }
  return TRUE;
}

static gboolean
read_names (Reader *self, const char *value, GPtrArray *names, GString *word)
{
  const guint first = self->at;

  value += strspn (value, " \t");
  if (*value == '[') {
    if (!read_brackets (self, value, names, word))
      return FALSE;
  } else if (!is_empty (value)) {
    return refuse (self,
        "names is \"%s\"; expected a list or a table of numbers", value);
  } else {
    self->at++;
    if (!read_lines (self, names, word))
      return FALSE;
  }
  for (guint i = 0; i < names->len; i++)
    if (!g_ptr_array_index (names, i)) {
      self->at = first;
      return refuse (self, "names has no class %u, but a class %u", i,
          names->len - 1);
    }
  return TRUE;
}

/* Lines that belong to a key that nobody needs here. */
static void
skip_value (Reader *self)
{
  for (self->at++; go_on (self); self->at++) {
    const char c = *self->lines[self->at];

    if (c != ' ' && c != '-' && c != ']' && c != '}')
      break;
  }
}

static gboolean
read_path (Reader *self, const char *key, const char *value, char **path,
    GString *word)
{
  if (*path)
    return refuse (self, "%s is there a second time", key);
  if (!read_rest (self, value, word))
    return FALSE;
  *path = g_strdup (word->str);
  self->at++;
  if (go_on (self) && strchr (" -", *self->lines[self->at]))
    return refuse (self,
        "%s has more than one line; expected one folder or file", key);
  return TRUE;
}

static gboolean
read_key (Reader *self, ValYaml *yaml, GString *word)
{
  const char *line = self->lines[self->at];
  const char *colon = strchr (line, ':');
  char *key;
  gboolean ok = TRUE;

  if (!strcmp (line, "---") && self->at == 0) {
    self->at++;
    return TRUE;
  }
  if (*line == ' ' || *line == '\t' || !colon
      || (colon[1] && !strchr (" \t", colon[1])))
    return refuse (self, "is \"%.*s\"; expected KEY: VALUE",
        y10_text_fit (line, 60), line);
  key = g_strchomp (g_strndup (line, colon - line));
  if (!strcmp (key, "path"))
    ok = read_path (self, key, colon + 1, &yaml->path, word);
  else if (!strcmp (key, self->split))
    ok = read_path (self, key, colon + 1, &yaml->pictures, word);
  else if (strcmp (key, "names"))
    skip_value (self);
  else if (yaml->names->len)
    ok = refuse (self, "names is there a second time");
  else
    ok = read_names (self, colon + 1, yaml->names, word);
  g_free (key);
  return ok;
}

/* FALSE with an error where a key is missing, which has no line. */
static gboolean
check (const Reader *self, const ValYaml *yaml, GError **error)
{
  if (!yaml->names->len)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: has no names, which are the classes", self->file);
  else if (!yaml->pictures || !*yaml->pictures)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s: has no %s, which names the pictures", self->file, self->split);
  else
    return TRUE;
  return FALSE;
}

gboolean
val_yaml_read (const char *file, const char *split, ValYaml *yaml,
    GError **error)
{
  Reader self = { .file = file, .split = split, .error = error };
  GString *word;
  gsize size;
  char *text = val_read_file (file, &size, error);
  gboolean ok = TRUE;

  *yaml = (ValYaml){ .names = g_ptr_array_new_with_free_func (g_free) };
  if (!text)
    return FALSE;
  if (strlen (text) != size || !g_utf8_validate (text, -1, NULL)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: is not UTF-8 text",
        file);
    g_free (text);
    return FALSE;
  }
  self.lines = g_strsplit (text, "\n", -1);
  self.n = g_strv_length (self.lines);
  for (guint i = 0; i < self.n; i++)
    g_strchomp (self.lines[i]);
  word = g_string_new (NULL);
  while (ok && go_on (&self))
    ok = read_key (&self, yaml, word);
  g_string_free (word, TRUE);
  g_strfreev (self.lines);
  g_free (text);
  return ok && check (&self, yaml, error);
}

void
val_yaml_clear (ValYaml *yaml)
{
  g_clear_pointer (&yaml->path, g_free);
  g_clear_pointer (&yaml->pictures, g_free);
  g_clear_pointer (&yaml->names, g_ptr_array_unref);
}
