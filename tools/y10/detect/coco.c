/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* COCO's JSON, with a "score" for each annotation as in COCO's results. The number of an
 * image is that in its name, as in COCO's own files, or the next free one; categories have
 * the numbers of COCO's, or where the model has other classes those from 1 on. */

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <json-glib/json-glib.h>
#include <y10/y10.h>

#include "base/json.h"
#include "base/names.h"
#include "detect/coco.h"

typedef struct
{
  FILE *lines, *file;
  GHashTable *ids; /* of images */
  GArray *order;   /* the same, by line */
  gint64 next_id, n_annotations;
} Coco;

typedef void (*AddFunc) (Coco *self, guint number, JsonObject *line);

/* The number that a file is called by, or -1. */
static gint64
find_number (const char *source)
{
  char *base = tool_source_basename (source), *end;
  const gint64 number = g_ascii_isdigit (*base)
      ? g_ascii_strtoll (base, &end, 10)
      : -1;
  const gboolean whole = number >= 0 && (*end == '.' || !*end)
      && !strchr (end + !!*end, '.');

  g_free (base);
  return whole && number < G_MAXINT64 ? number : -1;
}

static gint64
take_id (Coco *self, const char *source, gint64 frame)
{
  gint64 id = frame < 0 ? find_number (source) : -1;

  if (id < 0 || g_hash_table_contains (self->ids, &id)) {
    while (g_hash_table_contains (self->ids, &self->next_id))
      self->next_id++;
    id = self->next_id;
  }
  g_hash_table_add (self->ids, g_memdup2 (&id, sizeof id));
  g_array_append_val (self->order, id);
  return id;
}

/* Ends the object of @builder, and frees it. */
static void
print_object (Coco *self, JsonBuilder *builder, gboolean is_first)
{
  char *text;

  json_builder_end_object (builder);
  text = tool_json_to_line (builder);
  fprintf (self->file, "%s%s", is_first ? "" : ",\n", text);
  g_free (text);
  g_object_unref (builder);
}

static JsonBuilder *
begin_object (void)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  return builder;
}

static void
add_image (Coco *self, guint number, JsonObject *line)
{
  const char *source = json_object_get_string_member (line, "source");
  const gint64 frame = json_object_get_int_member (line, "frame");
  JsonBuilder *builder = begin_object ();

  tool_json_int (builder, "id", take_id (self, source, frame));
  tool_json_string (builder, "file_name", source);
  if (frame >= 0)
    tool_json_int (builder, "frame", frame);
  tool_json_int (builder, "width", json_object_get_int_member (line, "width"));
  tool_json_int (builder, "height",
      json_object_get_int_member (line, "height"));
  print_object (self, builder, number == 0);
}

static void
add_categories (Coco *self, guint number, JsonObject *line)
{
  JsonArray *classes, *ids;

  if (number > 0)
    return;
  classes = json_object_get_array_member (line, "classes");
  ids = json_object_get_array_member (line, "ids");
  for (guint i = 0; i < json_array_get_length (classes); i++) {
    JsonBuilder *builder = begin_object ();

    tool_json_int (builder, "id", json_array_get_int_element (ids, i));
    tool_json_string (builder, "name",
        json_array_get_string_element (classes, i));
    print_object (self, builder, i == 0);
  }
}

static void
add_annotation (Coco *self, gint64 image_id, JsonArray *rows, guint at)
{
  const double x = json_array_get_double_element (rows, at + 2);
  const double y = json_array_get_double_element (rows, at + 3);
  const double w = json_array_get_double_element (rows, at + 4) - x;
  const double h = json_array_get_double_element (rows, at + 5) - y;
  const double box[] = { x, y, w, h };
  JsonBuilder *builder = begin_object ();

  tool_json_int (builder, "id", ++self->n_annotations);
  tool_json_int (builder, "image_id", image_id);
  tool_json_int (builder, "category_id",
      (gint64) json_array_get_double_element (rows, at));
  json_builder_set_member_name (builder, "bbox");
  json_builder_begin_array (builder);
  for (guint i = 0; i < G_N_ELEMENTS (box); i++)
    json_builder_add_double_value (builder, box[i]);
  json_builder_end_array (builder);
  tool_json_double (builder, "area", w * h);
  tool_json_int (builder, "iscrowd", 0);
  tool_json_double (builder, "score",
      json_array_get_double_element (rows, at + 1));
  print_object (self, builder, self->n_annotations == 1);
}

static void
add_annotations (Coco *self, guint number, JsonObject *line)
{
  JsonArray *rows = json_object_get_array_member (line, "rows");

  for (guint i = 0; i + 6 <= json_array_get_length (rows); i += 6)
    add_annotation (self, g_array_index (self->order, gint64, number), rows, i);
}

/* Calls @add for each line. */
static gboolean
print_array (Coco *self, const char *name, AddFunc add, GError **error)
{
  JsonParser *parser = json_parser_new_immutable ();
  char *line = NULL;
  gboolean ok = TRUE;
  size_t size = 0;

  fprintf (self->file, "\"%s\":[", name);
  rewind (self->lines);
  for (guint i = 0; ok && getline (&line, &size, self->lines) > 0; i++) {
    /* A child that crashed may have left half a line at the end. */
    if (!strchr (line, '\n'))
      break;
    ok = json_parser_load_from_data (parser, line, -1, error);
    if (ok)
      add (self, i, json_node_get_object (json_parser_get_root (parser)));
  }
  fputc (']', self->file);
  free (line);
  g_object_unref (parser);
  return ok;
}

static gboolean
print_document (Coco *self, GError **error)
{
  fputc ('{', self->file);
  if (!print_array (self, "images", add_image, error))
    return FALSE;
  fputs (",\n", self->file);
  if (!print_array (self, "categories", add_categories, error))
    return FALSE;
  fputs (",\n", self->file);
  if (!print_array (self, "annotations", add_annotations, error))
    return FALSE;
  fputs ("}\n", self->file);
  return TRUE;
}

gboolean
tool_coco_write (FILE *lines, const char *path, GError **error)
{
  Coco self = {
    .lines = lines,
    .file = path ? fopen (path, "w") : stdout,
    .next_id = 1,
  };
  gboolean ok = self.file != NULL;

  self.ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self.order = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (ok && print_document (&self, error))
    ok = fflush (self.file) == 0 && !ferror (self.file);
  if (!ok && (!error || !*error))
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "cannot write %s: %s",
        path ? path : "the results", g_strerror (errno));
  if (self.file && path)
    fclose (self.file);
  g_array_unref (self.order);
  g_hash_table_unref (self.ids);
  return ok && (!error || !*error);
}
