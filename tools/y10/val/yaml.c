/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads the data files of Ultralytics and Roboflow: path; val (or another split), which is
 * a folder or list, or several; and names, which are a list or a table of numbers. Whatever
 * else stands in these keys is an error that names the line: a guess would measure something
 * else. Other keys are nobody's business here. */

#include "config.h"

#include <string.h>

#include <y10/y10.h>

#include "base/text.h"
#include "val/data.h"

#ifdef HAVE_YAML

#include <yaml.h>

#define MAX_DEPTH 1000

typedef struct
{
  const char *file;
  yaml_document_t document;
  GError **error;
} Reader;

/* Sets the error, with the line of @node unless it is NULL. */
G_GNUC_PRINTF (3, 4)
static gboolean
refuse (const Reader *self, const yaml_node_t *node, const char *format, ...)
{
  g_autoptr (GString) text = g_string_new (self->file);
  va_list args;

  if (node)
    g_string_append_printf (text, ": line %" G_GSIZE_FORMAT,
        node->start_mark.line + 1);
  g_string_append (text, ": ");
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
  g_set_error_literal (self->error, Y10_ERROR, Y10_ERROR_FAILED, text->str);
  return FALSE;
}

/* libyaml looks at all open brackets for each word, which takes minutes where a file has
 * thousands. Those in quotes count, too: nobody has as many. */
static gboolean
is_deep (const char *text)
{
  guint depth = 0;

  for (; *text && depth <= MAX_DEPTH; text++)
    if (*text == '[' || *text == '{')
      depth++;
    else if ((*text == ']' || *text == '}') && depth > 0)
      depth--;
  return depth > MAX_DEPTH;
}

static gboolean
load (Reader *self, const char *text, gsize size)
{
  yaml_parser_t parser;
  gboolean ok;

  if (is_deep (text))
    return refuse (self, NULL, "has lists in lists, more than %d deep",
        MAX_DEPTH);
  if (!yaml_parser_initialize (&parser))
    return refuse (self, NULL, "there is no memory to read it");
  yaml_parser_set_input_string (&parser, (const guint8 *) text, size);
  ok = yaml_parser_load (&parser, &self->document)
      || refuse (self, NULL, "is no YAML: line %" G_GSIZE_FORMAT ": %s",
          parser.problem_mark.line + 1,
          parser.problem ? parser.problem : "it cannot be read");
  yaml_parser_delete (&parser);
  return ok;
}

static yaml_node_t *
get (Reader *self, int index)
{
  return yaml_document_get_node (&self->document, index);
}

/* The text of a word, or NULL with an error. @what: what it should be. */
static const char *
get_word (const Reader *self, const yaml_node_t *node, const char *what)
{
  const char *text = (const char *) node->data.scalar.value;

  if (node->type != YAML_SCALAR_NODE)
    refuse (self, node, "has a list or table; expected %s", what);
  else if (!*text || strlen (text) != node->data.scalar.length)
    refuse (self, node, "is empty; expected %s", what);
  else
    return text;
  return NULL;
}

static gboolean
add_word (const Reader *self, const yaml_node_t *node, const char *what,
    GPtrArray *words)
{
  const char *word = get_word (self, node, what);

  if (word)
    g_ptr_array_add (words, g_strdup (word));
  return word != NULL;
}

static gboolean
add_words (Reader *self, const yaml_node_t *list, const char *what,
    GPtrArray *words)
{
  for (const yaml_node_item_t *item = list->data.sequence.items.start;
       item < list->data.sequence.items.top; item++)
    if (!add_word (self, get (self, *item), what, words))
      return FALSE;
  return TRUE;
}

/* Sets @found to the value of @key of the table @root, or to NULL. */
static gboolean
find (Reader *self, const yaml_node_t *root, const char *key,
    yaml_node_t **found)
{
  *found = NULL;
  for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
       pair < root->data.mapping.pairs.top; pair++) {
    const yaml_node_t *node = get (self, pair->key);

    if (node->type != YAML_SCALAR_NODE
        || strcmp ((const char *) node->data.scalar.value, key) != 0)
      continue;
    if (*found)
      return refuse (self, node, "%s is there a second time", key);
    *found = get (self, pair->value);
  }
  return TRUE;
}

/* The class @key: @value; classes have numbers from 0 on, in any order. */
static gboolean
read_numbered (Reader *self, yaml_node_t *key, yaml_node_t *value,
    GPtrArray *names)
{
  const char *digits = get_word (self, key, "the number of a class"), *name;
  guint64 number;

  if (!digits)
    return FALSE;
  if (!g_ascii_string_to_unsigned (digits, 10, 0, G_MAXUINT64, &number, NULL))
    return refuse (self, key, "is \"%.*s\"; expected NUMBER: NAME or - NAME",
        y10_text_fit (digits, 60), digits);
  if (number >= VAL_MAX_CLASSES)
    return refuse (self, key,
        "class %" G_GUINT64_FORMAT "; expected at most %d", number,
        VAL_MAX_CLASSES - 1);
  if (!(name = get_word (self, value, "the name of a class")))
    return FALSE;
  if (number >= names->len)
    g_ptr_array_set_size (names, (int) number + 1);
  if (g_ptr_array_index (names, number))
    return refuse (self, key, "class %u has two names", (guint) number);
  g_ptr_array_index (names, number) = g_strdup (name);
  return TRUE;
}

static gboolean
read_names (Reader *self, const yaml_node_t *node, GPtrArray *names)
{
  if (node->type == YAML_SCALAR_NODE)
    return refuse (self, node,
        "names is \"%.*s\"; expected a list or a table of numbers",
        y10_text_fit ((const char *) node->data.scalar.value, 60),
        (const char *) node->data.scalar.value);
  if (node->type == YAML_SEQUENCE_NODE) {
    if (!add_words (self, node, "the name of a class", names))
      return FALSE;
  } else {
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
      if (!read_numbered (self, get (self, pair->key), get (self, pair->value),
              names))
        return FALSE;
  }
  if (names->len > VAL_MAX_CLASSES)
    return refuse (self, node, "names has %u classes; expected at most %d",
        names->len, VAL_MAX_CLASSES);
  for (guint i = 0; i < names->len; i++)
    if (!g_ptr_array_index (names, i))
      return refuse (self, node, "names has no class %u, but a class %u", i,
          names->len - 1);
  return TRUE;
}

static gboolean
read_root (Reader *self, const char *split, ValYaml *yaml)
{
  const yaml_node_t *root = yaml_document_get_root_node (&self->document);
  yaml_node_t *path, *pictures, *names;
  const char *folder = NULL;

  if (!root || root->type != YAML_MAPPING_NODE)
    return refuse (self, NULL, "is no table; expected path, %s and names",
        split);
  if (!find (self, root, "path", &path) || !find (self, root, "names", &names)
      || !find (self, root, split, &pictures))
    return FALSE;
  /* Ultralytics knows both. */
  if (!pictures && !strcmp (split, "val")
      && !find (self, root, "validation", &pictures))
    return FALSE;
  if (path && !(folder = get_word (self, path, "a folder")))
    return FALSE;
  yaml->path = g_strdup (folder);
  if (pictures
      && !(pictures->type == YAML_SEQUENCE_NODE
              ? add_words (self, pictures, "a folder or a file", yaml->pictures)
              : add_word (self, pictures, "a folder, a file or a list of them",
                  yaml->pictures)))
    return FALSE;
  if (names && !read_names (self, names, yaml->names))
    return FALSE;
  if (!yaml->names->len)
    return refuse (self, NULL, "has no names, which are the classes");
  return yaml->pictures->len
      || refuse (self, NULL, "has no %s, which names the pictures", split);
}

static gboolean
read_text (const char *file, const char *text, gsize size, const char *split,
    ValYaml *yaml, GError **error)
{
  Reader self = { .file = file, .error = error };
  gboolean ok;

  if (!load (&self, text, size))
    return FALSE;
  ok = read_root (&self, split, yaml);
  yaml_document_delete (&self.document);
  return ok;
}

#else /* !HAVE_YAML */

static gboolean
read_text (const char *file, const char *text, gsize size, const char *split,
    ValYaml *yaml, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "%s: y10 was built without libyaml, which reads it", file);
  return FALSE;
}

#endif

gboolean
val_yaml_read (const char *file, const char *split, ValYaml *yaml,
    GError **error)
{
  gsize size;
  g_autofree char *text = val_read_file (file, &size, error);

  *yaml = (ValYaml){
    .pictures = g_ptr_array_new_with_free_func (g_free),
    .names = g_ptr_array_new_with_free_func (g_free),
  };
  return text && read_text (file, text, size, split, yaml, error);
}

void
val_yaml_clear (ValYaml *yaml)
{
  g_clear_pointer (&yaml->path, g_free);
  g_clear_pointer (&yaml->pictures, g_ptr_array_unref);
  g_clear_pointer (&yaml->names, g_ptr_array_unref);
}
