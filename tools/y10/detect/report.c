/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The output of y10 on stdout. The library formats a frame as JSON
 * (y10/report.h); the table here has the same contents for people. */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

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

char *
tool_json_to_line (JsonBuilder *builder)
{
  JsonNode *root = json_builder_get_root (builder);
  char *text = json_to_string (root, FALSE);

  json_node_unref (root);
  return text;
}

void
tool_print_json (JsonBuilder *builder)
{
  JsonGenerator *generator = json_generator_new ();
  JsonNode *root = json_builder_get_root (builder);
  char *text;

  json_generator_set_pretty (generator, TRUE);
  json_generator_set_root (generator, root);
  text = json_generator_to_data (generator, NULL);
  puts (text);
  json_node_unref (root);
  g_object_unref (generator);
  g_free (text);
}

char *
tool_report_json (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n)
{
  char *source = tool_source_to_utf8 (frame->source), *text;
  const Y10Report report = {.size = sizeof (Y10Report),
    .source = source,.timestamp = frame->timestamp,
    .width = frame->image.width,.height = frame->image.height,
    .detections = rows,.n_detections = n
  };

  text = y10_report_to_json (model, &report);
  g_free (source);
  return text;
}

static int
text_width (const char *text)
{
  int width = 0;

  for (; *text; text = g_utf8_next_char (text)) {
    gunichar c = g_utf8_get_char (text);

    width += g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
  }
  return width;
}

char *
tool_report_table (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n)
{
  GString *text = g_string_new (NULL);
  char *source = tool_escape (frame->source);
  char **labels = g_new0 (char *, n + 1);
  int widest = 5;

  g_string_append (text, source);
  if (frame->timestamp >= 0)
    g_string_append_printf (text, "  %.3f s", (double) frame->timestamp / 1e9);
  g_string_append_printf (text, "  %ux%u  %u object%s\n", frame->image.width,
      frame->image.height, n, n == 1 ? "" : "s");
  for (guint i = 0; i < n; i++) {
    labels[i] = tool_escape (y10_model_get_class_name (model,
            (guint) rows[i].class_id));
    widest = MAX (widest, text_width (labels[i]));
  }
  if (n)
    g_string_append_printf (text, "  %*s  confidence      x      y  width height\n",
        -widest, "label");
  for (guint i = 0; i < n; i++) {
    Y10PixelBox p;

    y10_detection_to_pixels (&rows[i], frame->image.width,
        frame->image.height, &p);
    g_string_append_printf (text, "  %s%*s  %10.3f %6d %6d %6d %6d\n",
        labels[i], widest - text_width (labels[i]), "",
        (double) rows[i].confidence, p.x, p.y, p.w, p.h);
  }
  g_strfreev (labels);
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
