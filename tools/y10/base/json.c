/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* JSON that commands print about themselves. The library writes that of results
 * (y10/report.h). */

#include "config.h"

#include <math.h>
#include <stdio.h>

#include "base/json-text.h"
#include "base/json.h"

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
  if (isnan (value))
    json_builder_add_null_value (builder);
  else
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
  char *text = y10_json_to_text (root, FALSE);

  json_node_unref (root);
  return text;
}

void
tool_print_json (JsonBuilder *builder)
{
  JsonNode *root = json_builder_get_root (builder);
  char *text = y10_json_to_text (root, TRUE);

  puts (text);
  json_node_unref (root);
  g_free (text);
}
