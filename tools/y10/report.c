/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What y10 prints on stdout. A frame's JSON has the members of DL Streamer's
 * gvametaconvert, so that what reads one reads the other; fractions of the
 * frame carry all their digits, whole pixels are rounded and stay inside it.
 * The table says the same to a person. */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

typedef struct
{
  int x, y, w, h;
} Pixels;

/* The nearest whole pixels, inside the frame and at least one large: what the
 * element writes into a region of interest. */
static Pixels
to_pixels (const Y10Detection *row, const Y10Image *image)
{
  const int width = (int) image->width, height = (int) image->height;
  Pixels p;

  p.x = CLAMP ((int) (row->x0 + 0.5f), 0, width - 1);
  p.y = CLAMP ((int) (row->y0 + 0.5f), 0, height - 1);
  p.w = CLAMP ((int) (row->x1 + 0.5f), p.x + 1, width) - p.x;
  p.h = CLAMP ((int) (row->y1 + 0.5f), p.y + 1, height) - p.y;
  return p;
}

/* File names may be in any encoding; what is printed is UTF-8. */
static char *
display_name (const char *source)
{
  return g_filename_display_name (source);
}

void
tool_json_string (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  if (value)
    json_builder_add_string_value (builder, value);
  else
    json_builder_add_null_value (builder);
}

void
tool_json_int (JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

void
tool_json_double (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

void
tool_json_bool (JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

void
tool_json_size (JsonBuilder *builder, const char *name, guint width,
    guint height)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  tool_json_int (builder, "width", width);
  tool_json_int (builder, "height", height);
  json_builder_end_object (builder);
}

static char *
generate (JsonBuilder *builder, gboolean pretty)
{
  JsonGenerator *generator = json_generator_new ();
  JsonNode *root = json_builder_get_root (builder);
  char *text;

  json_generator_set_pretty (generator, pretty);
  json_generator_set_root (generator, root);
  text = json_generator_to_data (generator, NULL);
  json_node_unref (root);
  g_object_unref (generator);
  return text;
}

void
tool_print_json (JsonBuilder *builder)
{
  char *text = generate (builder, TRUE);

  puts (text);
  g_free (text);
}

static void
add_object (JsonBuilder *builder, const Y10Model *model,
    const Y10Image *image, const Y10Detection *row, guint id)
{
  const char *label = y10_model_get_class_name (model, (guint) row->class_id);
  const double width = image->width, height = image->height;
  Pixels p = to_pixels (row, image);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "detection");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "bounding_box");
  json_builder_begin_object (builder);
  tool_json_double (builder, "x_min", row->x0 / width);
  tool_json_double (builder, "y_min", row->y0 / height);
  tool_json_double (builder, "x_max", row->x1 / width);
  tool_json_double (builder, "y_max", row->y1 / height);
  json_builder_end_object (builder);
  tool_json_double (builder, "confidence", row->score);
  tool_json_string (builder, "label", label);
  tool_json_int (builder, "label_id", row->class_id);
  json_builder_end_object (builder);
  tool_json_int (builder, "x", p.x);
  tool_json_int (builder, "y", p.y);
  tool_json_int (builder, "w", p.w);
  tool_json_int (builder, "h", p.h);
  tool_json_string (builder, "roi_type", label);
  tool_json_int (builder, "id", id);
  json_builder_end_object (builder);
}

char *
tool_report_json (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n)
{
  JsonBuilder *builder = json_builder_new ();
  char *source = display_name (frame->source), *text;

  json_builder_begin_object (builder);
  tool_json_string (builder, "source", source);
  if (frame->timestamp >= 0)
    tool_json_int (builder, "timestamp", frame->timestamp);
  else
    tool_json_string (builder, "timestamp", NULL);
  tool_json_size (builder, "resolution", frame->image.width,
      frame->image.height);
  json_builder_set_member_name (builder, "objects");
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    add_object (builder, model, &frame->image, &rows[i], i);
  json_builder_end_array (builder);
  tool_json_string (builder, "inference", "fresh");
  json_builder_end_object (builder);

  text = generate (builder, FALSE);
  g_object_unref (builder);
  g_free (source);
  return text;
}

char *
tool_report_table (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n)
{
  GString *text = g_string_new (NULL);
  char *source = display_name (frame->source);
  int widest = 5;

  g_string_append (text, source);
  if (frame->timestamp >= 0)
    g_string_append_printf (text, "  %.3f s", (double) frame->timestamp / 1e9);
  g_string_append_printf (text, "  %ux%u  %u object%s\n", frame->image.width,
      frame->image.height, n, n == 1 ? "" : "s");
  for (guint i = 0; i < n; i++) {
    const char *label = y10_model_get_class_name (model,
        (guint) rows[i].class_id);
    widest = MAX (widest, (int) g_utf8_strlen (label, -1));
  }
  if (n)
    g_string_append_printf (text, "  %*s  confidence      x      y  width height\n",
        -widest, "label");
  for (guint i = 0; i < n; i++) {
    const char *label = y10_model_get_class_name (model,
        (guint) rows[i].class_id);
    Pixels p = to_pixels (&rows[i], &frame->image);

    g_string_append_printf (text, "  %s%*s  %10.3f %6d %6d %6d %6d\n", label,
        widest - (int) g_utf8_strlen (label, -1), "", (double) rows[i].score,
        p.x, p.y, p.w, p.h);
  }
  g_free (source);
  return g_string_free (text, FALSE);
}

gboolean
tool_flush_stdout (void)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return TRUE;
  tool_error ("cannot write the results: %s", g_strerror (errno));
  return FALSE;
}
