/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* COCO's JSON, with a "score" for each annotation as in COCO's results. The number of an
 * image is that in its name, as in COCO's own files, or the next free one; categories have
 * the numbers of COCO's, or where the model has other classes those from 1 on. */

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <y10/y10.h>

#include "base/json-cursor.h"
#include "base/json.h"
#include "base/names.h"
#include "detect/coco.h"

#define MAX_DEPTH 2 /* a line of a frame */

typedef struct
{
  FILE *lines, *file;
  GHashTable *ids; /* of images */
  GArray *order;   /* the same, by line */
  gint64 next_id, n_annotations;
} Coco;

typedef void (*AddFunc) (Coco *self, guint number, Y10Json line);

/* The number that a file is called by, or -1. */
static gint64
find_number (const char *source)
{
  char *end;
  g_autofree char *base = tool_source_basename (source);
  const gint64 number = g_ascii_isdigit (*base)
      ? g_ascii_strtoll (base, &end, 10)
      : -1;
  const gboolean whole = number >= 0 && (*end == '.' || !*end)
      && !strchr (end + !!*end, '.');

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

/* Ends the object, and frees it. */
static void
print_object (Coco *self, GString *json, gboolean is_first)
{
  y10_json_close (json, '}');
  fprintf (self->file, "%s%s", is_first ? "" : ",\n", json->str);
  g_string_free (json, TRUE);
}

static GString *
begin_object (void)
{
  GString *json = g_string_new (NULL);

  y10_json_open (json, NULL, '{');
  return json;
}

static gint64
get_int (Y10Json line, const char *name)
{
  gint64 value = 0;

  y10_json_get_int (y10_json_find (line, name), &value);
  return value;
}

static void
add_image (Coco *self, guint number, Y10Json line)
{
  g_autofree char *source = y10_json_dup_text (y10_json_find (line, "source"));
  const gint64 frame = get_int (line, "frame");
  GString *json = begin_object ();

  y10_json_add_int (json, "id", take_id (self, source, frame));
  y10_json_add_string (json, "file_name", source);
  if (frame >= 0)
    y10_json_add_int (json, "frame", frame);
  y10_json_add_int (json, "width", get_int (line, "width"));
  y10_json_add_int (json, "height", get_int (line, "height"));
  print_object (self, json, number == 0);
}

static void
add_categories (Coco *self, guint number, Y10Json line)
{
  Y10JsonCursor classes, ids;
  Y10Json class, id;

  if (number > 0)
    return;
  y10_json_enter (&classes, y10_json_find (line, "classes"));
  y10_json_enter (&ids, y10_json_find (line, "ids"));
  for (guint i = 0;
       y10_json_next (&classes, &class) && y10_json_next (&ids, &id); i++) {
    g_autofree char *name = y10_json_dup_text (class);
    GString *json = begin_object ();
    gint64 own = 0;

    y10_json_get_int (id, &own);
    y10_json_add_int (json, "id", own);
    y10_json_add_string (json, "name", name);
    print_object (self, json, i == 0);
  }
}

/* @row: class, confidence and edges */
static void
add_annotation (Coco *self, gint64 image_id, const double row[6])
{
  const double x = row[2], y = row[3], w = row[4] - x, h = row[5] - y;
  const double box[] = { x, y, w, h };
  GString *json = begin_object ();

  y10_json_add_int (json, "id", ++self->n_annotations);
  y10_json_add_int (json, "image_id", image_id);
  y10_json_add_int (json, "category_id", (gint64) row[0]);
  y10_json_open (json, "bbox", '[');
  for (guint i = 0; i < G_N_ELEMENTS (box); i++)
    y10_json_add_double (json, NULL, box[i]);
  y10_json_close (json, ']');
  y10_json_add_double (json, "area", w * h);
  y10_json_add_int (json, "iscrowd", 0);
  y10_json_add_double (json, "score", row[1]);
  print_object (self, json, self->n_annotations == 1);
}

static void
add_annotations (Coco *self, guint number, Y10Json line)
{
  double row[6] = { 0 };
  Y10JsonCursor cursor;
  Y10Json value;

  y10_json_enter (&cursor, y10_json_find (line, "rows"));
  for (guint i = 0; y10_json_next (&cursor, &value); i++) {
    y10_json_get_double (value, &row[i % 6]);
    if (i % 6 == 5)
      add_annotation (self, g_array_index (self->order, gint64, number), row);
  }
}

/* Calls @add for each line. */
static gboolean
print_array (Coco *self, const char *name, AddFunc add, GError **error)
{
  char *line = NULL;
  gboolean ok = TRUE;
  Y10JsonFault fault;
  size_t size = 0;
  Y10Json root;

  fprintf (self->file, "\"%s\":[", name);
  rewind (self->lines);
  for (guint i = 0; ok && getline (&line, &size, self->lines) > 0; i++) {
    /* A child that crashed may have left half a line at the end. */
    if (!strchr (line, '\n'))
      break;
    ok = y10_json_check (line, strlen (line), MAX_DEPTH, &root, &fault);
    if (ok)
      add (self, i, root);
    else
      g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
          "the results of frame %u are no JSON: column %u: %s", i, fault.column,
          fault.message);
  }
  fputc (']', self->file);
  free (line);
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
