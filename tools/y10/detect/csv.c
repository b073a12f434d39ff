/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* CSV as of RFC 4180, one line for an object or an event. Text that programs for tables
 * take for a formula begins with an apostrophe, since anyone can name a file, class or zone
 * =HYPERLINK(…). */

#include "config.h"

#include <string.h>

#include "base/json-cursor.h"
#include "base/names.h"
#include "detect/csv.h"

#define MAX_DEPTH 8

static const char *const event_members[] = { "source", "timestamp", "event",
  "zone", "line", "id", "label", "confidence", "x", "y", "reason", "duration",
  "direction", "from", "to", "in", "out", "count", "limit", "over" };

static void
append_field (GString *line, const char *text)
{
  /* A sign alone is no formula, but the name of standard input. */
  const gboolean is_formula = *text && strchr ("=+-@\t\r\n", *text) && text[1];

  if (!is_formula && !strpbrk (text, ",\"\r\n")) {
    g_string_append (line, text);
    return;
  }
  g_string_append_c (line, '"');
  if (is_formula)
    g_string_append_c (line, '\'');
  for (; *text; text++) {
    if (*text == '"')
      g_string_append_c (line, '"');
    g_string_append_c (line, *text);
  }
  g_string_append_c (line, '"');
}

/* @value in the C locale. */
static void
append_number (GString *line, const char *format, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (line, g_ascii_formatd (text, sizeof text, format, value));
}

void
tool_csv_append_head (GString *text, gboolean with_ids)
{
  g_string_append_printf (text,
      "source,frame,timestamp,width,height,label_id,label,confidence,"
      "x_min,y_min,x_max,y_max%s\n",
      with_ids ? ",id" : "");
}

void
tool_csv_append_object (GString *text, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection *row, const gint *id)
{
  const float edges[] = { row->x0, row->y0, row->x1, row->y1 };
  g_autofree char *source = tool_source_to_utf8 (frame->source);

  append_field (text, source);
  /* A picture has neither a number nor a time. */
  if (frame->timestamp >= 0) {
    g_string_append_printf (text, ",%" G_GUINT64_FORMAT ",", frame->number);
    append_number (text, "%.9f", (double) frame->timestamp / 1e9);
  } else {
    g_string_append (text, ",,");
  }
  g_string_append_printf (text, ",%u,%u,%d,", frame->image.width,
      frame->image.height, row->class_id);
  append_field (text, y10_model_get_class_name (model, (guint) row->class_id));
  g_string_append_c (text, ',');
  append_number (text, "%.4f", (double) row->confidence);
  for (guint i = 0; i < G_N_ELEMENTS (edges); i++) {
    g_string_append_c (text, ',');
    append_number (text, "%.2f", (double) edges[i]);
  }
  if (id)
    g_string_append_printf (text, ",%d", *id);
  g_string_append_c (text, '\n');
}

void
tool_csv_append_event_head (GString *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (event_members); i++)
    g_string_append_printf (text, "%s%s", i ? "," : "", event_members[i]);
  g_string_append_c (text, '\n');
}

static void
append_member (GString *text, const char *name, Y10Json value)
{
  const gboolean is_time = !strcmp (name, "timestamp")
      || !strcmp (name, "duration");
  g_autofree char *string = y10_json_dup_text (value);
  double number;
  gint64 whole;

  if (string)
    append_field (text, string);
  else if (y10_json_get_double (value, &number)
      && (is_time || !y10_json_get_int (value, &whole)))
    append_number (text, is_time ? "%.9f" : "%.4f",
        is_time ? number / 1e9 : number);
  else if (value.text)
    g_string_append_len (text, value.text, (gssize) value.length);
}

void
tool_csv_append_event (GString *text, const char *event)
{
  Y10Json root, values[G_N_ELEMENTS (event_members)];

  if (!y10_json_check (event, strlen (event), MAX_DEPTH, &root, NULL))
    return;
  y10_json_find_all (root, event_members, G_N_ELEMENTS (event_members), values,
      NULL);
  for (guint i = 0; i < G_N_ELEMENTS (event_members); i++) {
    if (i)
      g_string_append_c (text, ',');
    append_member (text, event_members[i], values[i]);
  }
  g_string_append_c (text, '\n');
}
