/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads golden files. A missing member is an error that names it: a comparison
 * with nothing would always succeed. */

#include "expected.h"

#include <json-glib/json-glib.h>
#include <string.h>

typedef struct
{
  const char *path;
  GError *error; /* the first error; reading stops there */
} Reader;

static JsonNode *
member (Reader *r, JsonObject *object, const char *name, JsonNodeType type)
{
  JsonNode *node = object ? json_object_get_member (object, name) : NULL;

  if (node && json_node_get_node_type (node) == type)
    return node;
  if (!r->error)
    r->error = g_error_new (JSON_PARSER_ERROR, JSON_PARSER_ERROR_INVALID_DATA,
        "%s: no \"%s\"", r->path, name);
  return NULL;
}

static double
number (Reader *r, JsonObject *object, const char *name)
{
  JsonNode *node = member (r, object, name, JSON_NODE_VALUE);

  return node ? json_node_get_double (node) : 0;
}

static JsonArray *
array (Reader *r, JsonObject *object, const char *name, guint at_least)
{
  JsonNode *node = member (r, object, name, JSON_NODE_ARRAY);
  JsonArray *result = node ? json_node_get_array (node) : NULL;

  if (result && json_array_get_length (result) < at_least) {
    if (!r->error)
      r->error = g_error_new (JSON_PARSER_ERROR, JSON_PARSER_ERROR_INVALID_DATA,
          "%s: \"%s\" has %u elements, "
          "expected %u or more",
          r->path, name, json_array_get_length (result), at_least);
    return NULL;
  }
  return result;
}

static JsonObject *
object (Reader *r, JsonObject *parent, const char *name)
{
  JsonNode *node = member (r, parent, name, JSON_NODE_OBJECT);

  return node ? json_node_get_object (node) : NULL;
}

static void
read_sample (Reader *r, JsonObject *o, Sample *sample)
{
  JsonArray *shape = array (r, o, "shape", 1);
  JsonArray *index = array (r, o, "index", 1);
  JsonArray *value = array (r, o, "value",
      index ? json_array_get_length (index) : 1);

  sample->mean = number (r, o, "mean");
  sample->std = number (r, o, "std");
  sample->norm = number (r, o, "norm");
  if (r->error)
    return;
  sample->n_elements = 1;
  for (guint i = 0; i < json_array_get_length (shape); i++)
    sample->n_elements *= (gsize) json_array_get_int_element (shape, i);
  sample->n = json_array_get_length (index);
  sample->index = g_new (gsize, sample->n);
  sample->value = g_new (double, sample->n);
  for (guint i = 0; i < sample->n; i++) {
    sample->index[i] = (gsize) json_array_get_int_element (index, i);
    sample->value[i] = json_array_get_double_element (value, i);
    if (sample->index[i] >= sample->n_elements && !r->error)
      r->error = g_error_new (JSON_PARSER_ERROR, JSON_PARSER_ERROR_INVALID_DATA,
          "%s: index %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " elements",
          r->path, sample->index[i], sample->n_elements);
  }
}

/* @centre: rows are cx cy w h. */
static GArray *
read_rows (Reader *r, JsonObject *o, const char *name, gboolean centre)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (ExpectedRow));
  JsonArray *list = array (r, o, name, 1);

  for (guint i = 0; list && i < json_array_get_length (list); i++) {
    JsonArray *from = json_array_get_array_element (list, i);
    ExpectedRow row;

    for (guint j = 0; j < 4; j++)
      row.box[j] = json_array_get_double_element (from, j);
    if (centre) {
      double w = row.box[2], h = row.box[3];

      row.box[0] -= w / 2;
      row.box[1] -= h / 2;
      row.box[2] = row.box[0] + w;
      row.box[3] = row.box[1] + h;
    }
    row.score = json_array_get_double_element (from, 4);
    row.class_id = (guint) json_array_get_int_element (from, 5);
    g_array_append_val (rows, row);
  }
  return rows;
}

static void
read_all (Reader *r, JsonObject *root, Expected *e)
{
  JsonNode *variant = member (r, root, "variant", JSON_NODE_VALUE);
  JsonArray *input = array (r, root, "input", 4);

  e->n_classes = (guint) number (r, root, "nc");
  e->seed = (guint64) number (r, root, "seed");
  if (r->error)
    return;
  e->variant = g_strconcat (json_object_has_member (root, "family")
          ? json_object_get_string_member (root, "family")
          : "yolov10",
      json_node_get_string (variant), NULL);
  e->height = (guint) json_array_get_int_element (input, 2);
  e->width = (guint) json_array_get_int_element (input, 3);
  read_sample (r, object (r, root, "pred"), &e->pred);

  e->one2many = json_object_has_member (root, "head")
      && strcmp (json_object_get_string_member (root, "head"), "one2many") == 0;
  if (e->one2many) {
    e->confidence = number (r, root, "confidence");
    e->iou = number (r, root, "iou");
    e->rows = read_rows (r, root, "class_aware", FALSE);
    e->agnostic = read_rows (r, root, "agnostic", FALSE);
  } else {
    e->rows = read_rows (r, object (r, root, "detections"), "rows", TRUE);
  }
  if (!e->one2many || json_object_has_member (root, "layers")) {
    JsonObject *layers = object (r, root, "layers");
    char name[8];

    for (guint i = 0; layers && i < MAX_LAYERS; i++) {
      g_snprintf (name, sizeof name, "%u", i);
      if (!json_object_has_member (layers, name))
        break;
      read_sample (r, object (r, layers, name), &e->layers[i]);
      e->n_layers++;
    }
    if (!e->n_layers)
      object (r, layers, "0"); /* the error that says so */
  }
}

Expected *
expected_load (const char *path, GError **error)
{
  JsonParser *parser = json_parser_new ();
  Expected *e = g_new0 (Expected, 1);
  Reader reader = { path, NULL };

  e->path = g_strdup (path);
  e->name = g_path_get_basename (path);
  if (g_str_has_suffix (e->name, ".golden.json"))
    e->name[strlen (e->name) - strlen (".golden.json")] = 0;
  if (json_parser_load_from_file (parser, path, &reader.error)) {
    JsonNode *root = json_parser_get_root (parser);

    if (root && JSON_NODE_HOLDS_OBJECT (root))
      read_all (&reader, json_node_get_object (root), e);
    else
      reader.error = g_error_new (JSON_PARSER_ERROR,
          JSON_PARSER_ERROR_INVALID_DATA, "%s: not an object", path);
  }
  g_object_unref (parser);
  if (!reader.error)
    return e;
  g_propagate_error (error, reader.error);
  expected_free (e);
  return NULL;
}

Expected *
expected_of_reference (const char *shapes, guint width, guint height,
    gboolean one2many)
{
  Expected *e = g_new0 (Expected, 1);
  g_autofree char *name = g_path_get_basename (shapes);

  if (g_str_has_suffix (name, ".shapes.json"))
    name[strlen (name) - strlen (".shapes.json")] = 0;
  e->path = g_strdup (shapes);
  e->shapes = g_strdup (shapes);
  e->name = g_strdup_printf ("%s-%ux%u%s", name, height, width,
      one2many ? ".one2many" : "");
  e->width = width;
  e->height = height;
  e->one2many = one2many;
  e->confidence = one2many ? 0.05 : 0;
  e->iou = 0.6;
  return e;
}

static void
sample_clear (Sample *sample)
{
  g_free (sample->index);
  g_free (sample->value);
}

void
expected_free (Expected *e)
{
  if (!e)
    return;
  for (guint i = 0; i < e->n_layers; i++)
    sample_clear (&e->layers[i]);
  sample_clear (&e->pred);
  g_clear_pointer (&e->rows, g_array_unref);
  g_clear_pointer (&e->agnostic, g_array_unref);
  g_free (e->shapes);
  g_free (e->variant);
  g_free (e->name);
  g_free (e->path);
  g_free (e);
}

char *
expected_shapes_path (const Expected *e)
{
  char *directory, *name, *path;

  if (e->shapes)
    return g_strdup (e->shapes);
  directory = g_path_get_dirname (e->path);
  name = g_strdup_printf ("%s-nc%u.shapes.json", e->variant, e->n_classes);
  path = g_build_filename (directory, name, NULL);
  g_free (name);
  g_free (directory);
  return path;
}
