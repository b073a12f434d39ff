/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Results as other programs read them: CSV, label files of YOLO, COCO's JSON and the
 * detections and tracks of MOTChallenge. Files are opened before there are children, which share
 * their position, so a child continues where one that crashed has ended. COCO's document
 * needs numbers over all frames: children write a line for each, and the document is made
 * of these at the end. */

#include "config.h"

#include <errno.h>
#include <string.h>
#include <glib/gstdio.h>

#include "base/json.h"
#include "base/names.h"
#include "base/supervisor.h"
#include "detect/coco.h"
#include "detect/csv.h"
#include "detect/output.h"

static const char *const formats[] = {
  [TOOL_FORMAT_JSONL] = "jsonl",
  [TOOL_FORMAT_TABLE] = "table",
  [TOOL_FORMAT_SUMMARY] = "summary",
  [TOOL_FORMAT_CSV] = "csv",
  [TOOL_FORMAT_YOLO] = "yolo",
  [TOOL_FORMAT_COCO] = "coco",
  [TOOL_FORMAT_MOT] = "mot",
};

struct _ToolOutput
{
  ToolFormat format;
  ToolOutputFlags flags;
  char *path;        /* NULL: standard output */
  FILE *file;        /* takes what is written for each frame, or NULL */
  GHashTable *names; /* of label files, written by this process */
};

gboolean
tool_format_parse (const char *name, ToolFormat *format, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (!strcmp (name, formats[i])) {
      *format = (ToolFormat) i;
      return TRUE;
    }
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "it is \"%s\"; expected "
      "jsonl, table, summary, csv, yolo, coco or mot",
      name);
  return FALSE;
}

static gboolean
fail_to_write (const char *path, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "cannot write %s: %s",
      path ? path : "the results", g_strerror (errno));
  return FALSE;
}

/* Writes @text, which may be empty. */
static gboolean
write_text (const ToolOutput *self, const GString *text, GError **error)
{
  return (fwrite (text->str, 1, text->len, self->file) == text->len
             && fflush (self->file) == 0)
      || fail_to_write (self->path, error);
}

static gboolean
write_head (const ToolOutput *self, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->flags & TOOL_OUTPUT_EVENTS)
    tool_csv_append_event_head (text);
  else
    tool_csv_append_head (text, self->flags & TOOL_OUTPUT_IDS);
  return write_text (self, text, error);
}

ToolOutput *
tool_output_open (ToolFormat format, ToolOutputFlags flags, const char *path,
    GError **error)
{
  ToolOutput *self = g_new0 (ToolOutput, 1);
  gboolean ok = TRUE;

  self->format = format;
  self->flags = flags;
  self->path = g_strdup (path);
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (format == TOOL_FORMAT_YOLO) {
    ok = g_mkdir_with_parents (path, 0777) == 0;
  } else if (format == TOOL_FORMAT_COCO) {
    /* The document's place is tried now, not after hours. */
    FILE *document = path ? fopen (path, "w") : stdout;

    ok = document && (self->file = tmpfile ());
    if (document && path)
      fclose (document);
  } else {
    self->file = path ? fopen (path, "w") : stdout;
    ok = self->file != NULL;
  }
  if (!ok)
    fail_to_write (path, error);
  else if (format != TOOL_FORMAT_CSV || write_head (self, error))
    return self;
  tool_output_close (self, FALSE, NULL);
  return NULL;
}

FILE *
tool_output_get_file (const ToolOutput *self)
{
  return self->file;
}

/* @value in the C locale, behind a separator. */
static void
append_number (GString *line, char separator, const char *format, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (line, separator);
  g_string_append (line, g_ascii_formatd (text, sizeof text, format, value));
}

/* Frames and coordinates from 1. */
static void
append_mot (GString *text, const ToolFrame *frame, const Y10Detection *row,
    gint id)
{
  g_string_append_printf (text, "%" G_GUINT64_FORMAT ",%d",
      1 + (frame->timestamp >= 0 ? frame->number : (guint64) frame->input),
      id ? id : -1);
  append_number (text, ',', "%.2f", (double) row->x0 + 1);
  append_number (text, ',', "%.2f", (double) row->y0 + 1);
  append_number (text, ',', "%.2f", (double) (row->x1 - row->x0));
  append_number (text, ',', "%.2f", (double) (row->y1 - row->y0));
  append_number (text, ',', "%.4f", (double) row->confidence);
  g_string_append (text, ",-1,-1,-1\n");
}

/* Behind the box Ultralytics, too, has the confidence, if it is wanted, and the identity. */
static void
append_label (GString *text, const ToolOutput *self, const ToolFrame *frame,
    const Y10Detection *row, gint id)
{
  const double width = frame->image.width, height = frame->image.height;

  g_string_append_printf (text, "%d", row->class_id);
  append_number (text, ' ', "%.6f", (double) (row->x0 + row->x1) / 2 / width);
  append_number (text, ' ', "%.6f", (double) (row->y0 + row->y1) / 2 / height);
  append_number (text, ' ', "%.6f", (double) (row->x1 - row->x0) / width);
  append_number (text, ' ', "%.6f", (double) (row->y1 - row->y0) / height);
  if (self->flags & TOOL_OUTPUT_CONFIDENCE)
    append_number (text, ' ', "%.6f", (double) row->confidence);
  if (self->flags & TOOL_OUTPUT_IDS)
    g_string_append_printf (text, " %d", id);
  g_string_append (text, "\n");
}

/* The names of the classes, which the numbers in label files stand for. A string of JSON
 * is one of YAML, too. */
static gboolean
write_names (const ToolOutput *self, const Y10Model *model, GError **error)
{
  g_autofree char *path = g_build_filename (self->path, "data.yaml", NULL);
  g_autoptr (GString) text = g_string_new ("names:\n");

  for (guint i = 0; i < y10_model_get_n_classes (model); i++) {
    g_string_append_printf (text, "  %u: ", i);
    y10_json_append_string (text, y10_model_get_class_name (model, i));
    g_string_append_c (text, '\n');
  }
  return g_file_set_contents (path, text->str, (gssize) text->len, error);
}

/* NAME.txt for a picture and NAME_FRAME.txt for a frame of a video, from 1, as Ultralytics
 * calls them; with a number where another input has that name. */
static char *
make_label_path (ToolOutput *self, const ToolFrame *frame)
{
  g_autofree char *base = tool_source_basename (frame->source);
  char *dot = strrchr (base, '.');

  if (dot && dot != base)
    *dot = 0;
  for (guint i = 1;; i++) {
    g_autoptr (GString) stem = g_string_new (base);
    g_autofree char *path = NULL;

    if (i > 1)
      g_string_append_printf (stem, "-%u", i);
    if (frame->timestamp >= 0)
      g_string_append_printf (stem, "_%" G_GUINT64_FORMAT, frame->number + 1);
    g_string_append (stem, ".txt");
    path = g_build_filename (self->path, stem->str, NULL);
    if (g_hash_table_add (self->names, g_strdup (stem->str))
        && !tool_supervisor_has_written (path))
      return g_steal_pointer (&path);
  }
}

static gboolean
write_labels (ToolOutput *self, const Y10Model *model, const ToolFrame *frame,
    const char *text, gsize length, GError **error)
{
  g_autofree char *path = NULL;

  if (!g_hash_table_size (self->names) && !write_names (self, model, error))
    return FALSE;
  path = make_label_path (self, frame);
  return g_file_set_contents_full (path, text, (gssize) length,
      G_FILE_SET_CONTENTS_NONE, 0666, error);
}

/* A line for the document: first the classes, then a frame each. */
static void
append_coco (ToolOutput *self, GString *text, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection *rows, guint n)
{
  g_autoptr (GString) json = g_string_new (NULL);
  g_autofree char *source = NULL;

  y10_json_open (json, NULL, '{');
  if (ftello (self->file) == 0) {
    y10_json_open (json, "classes", '[');
    for (guint i = 0; i < y10_model_get_n_classes (model); i++)
      y10_json_add_string (json, NULL, y10_model_get_class_name (model, i));
    y10_json_close (json, ']');
    y10_json_open (json, "ids", '[');
    for (guint i = 0; i < y10_model_get_n_classes (model); i++)
      y10_json_add_int (json, NULL, y10_model_get_coco_id (model, i));
    y10_json_close (json, ']');
  }
  source = tool_source_to_utf8 (frame->source);
  y10_json_add_string (json, "source", source);
  y10_json_add_int (json, "frame",
      frame->timestamp >= 0 ? (gint64) frame->number : -1);
  y10_json_add_int (json, "width", frame->image.width);
  y10_json_add_int (json, "height", frame->image.height);
  y10_json_open (json, "rows", '[');
  for (guint i = 0; i < n; i++) {
    const double values[] = { y10_model_get_coco_id (model,
                                  (guint) rows[i].class_id),
      (double) rows[i].confidence, (double) rows[i].x0, (double) rows[i].y0,
      (double) rows[i].x1, (double) rows[i].y1 };

    for (guint k = 0; k < G_N_ELEMENTS (values); k++)
      y10_json_add_double (json, NULL, values[k]);
  }
  y10_json_close (json, ']');
  y10_json_close (json, '}');
  g_string_append_printf (text, "%s\n", json->str);
}

gboolean
tool_output_write (ToolOutput *self, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection *rows, guint n, const gint *ids,
    GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    if (self->format == TOOL_FORMAT_CSV) {
      if (!(self->flags & TOOL_OUTPUT_EVENTS))
        tool_csv_append_object (text, model, frame, &rows[i],
            ids ? &ids[i] : NULL);
    } else if (self->format == TOOL_FORMAT_MOT)
      append_mot (text, frame, &rows[i], ids ? ids[i] : 0);
    else if (self->format == TOOL_FORMAT_YOLO)
      append_label (text, self, frame, &rows[i], ids ? ids[i] : 0);
  if (self->format == TOOL_FORMAT_COCO)
    append_coco (self, text, model, frame, rows, n);
  if (self->format != TOOL_FORMAT_YOLO)
    return write_text (self, text, error);
  return write_labels (self, model, frame, text->str, text->len, error);
}

gboolean
tool_output_write_events (ToolOutput *self, const char *events, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (GStrv) lines = g_strsplit (events, "\n", -1);

  for (guint i = 0; lines[i]; i++)
    if (*lines[i])
      tool_csv_append_event (text, lines[i]);
  return write_text (self, text, error);
}

gboolean
tool_output_close (ToolOutput *self, gboolean is_complete, GError **error)
{
  gboolean ok = TRUE;

  if (!self)
    return TRUE;
  if (is_complete && self->format == TOOL_FORMAT_COCO && self->file)
    ok = tool_coco_write (self->file, self->path, error);
  if (self->file && self->file != stdout && fclose (self->file) != 0 && ok)
    ok = fail_to_write (self->path, error);
  g_hash_table_unref (self->names);
  g_free (self->path);
  g_free (self);
  return ok;
}
