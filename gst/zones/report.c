/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes events of zones as JSON and as structures, with the same fields. An event's
 * JSON begins with "event", so that one line tells it from that of a frame. Events are
 * rare, so these may allocate. */
#include "zones/report.h"

#include "common/text.h"

static const gchar *const kinds[] = { "enter", "leave", "cross", "dwell",
  "occupancy" };

static const gchar *const reasons[] = { "left", "lost", "ended" };

static void
append_member (GString *json, const gchar *name, const gchar *text)
{
  g_string_append_printf (json, "%s\"%s\":", json->len > 1 ? "," : "", name);
  gst_y10_text_append_json (json, text);
}

static void
append_number (GString *json, const gchar *name, guint64 value)
{
  g_string_append_printf (json, ",\"%s\":%" G_GUINT64_FORMAT, name, value);
}

static void
append_fraction (GString *json, const gchar *name, gdouble value)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (json, ",\"%s\":%s", name,
      g_ascii_formatd (text, sizeof text, "%.4f", value));
}

static const gchar *
side (const GstY10ZoneEvent *event, gboolean to)
{
  return event->zone->sides[to == (event->direction > 0)];
}

/* @source: name of the element or the input; NULL: none. Free with g_free(). */
gchar *
gst_y10_zone_event_to_json (const GstY10ZoneEvent *event, const gchar *source)
{
  GString *json = g_string_new ("{");
  const gboolean is_object = event->kind != GST_Y10_ZONE_OCCUPANCY;

  append_member (json, "event", kinds[event->kind]);
  append_member (json, event->zone->is_line ? "line" : "zone",
      event->zone->name);
  if (source)
    append_member (json, "source", source);
  append_number (json, "timestamp", event->time);
  if (is_object) {
    append_number (json, "id", event->id);
    append_member (json, "label", event->label);
    if (event->confidence >= 0)
      append_fraction (json, "confidence", (gdouble) event->confidence);
    append_fraction (json, "x", event->place.x);
    append_fraction (json, "y", event->place.y);
  }
  if (event->kind == GST_Y10_ZONE_LEAVE)
    append_member (json, "reason", reasons[event->reason]);
  if (event->kind == GST_Y10_ZONE_LEAVE || event->kind == GST_Y10_ZONE_DWELL)
    append_number (json, "duration", event->duration);
  if (event->kind == GST_Y10_ZONE_CROSS) {
    append_member (json, "direction", event->direction > 0 ? "in" : "out");
    if (event->zone->sides[0]) {
      append_member (json, "from", side (event, FALSE));
      append_member (json, "to", side (event, TRUE));
    }
    append_number (json, "in", event->n_in);
    append_number (json, "out", event->n_out);
  } else {
    append_number (json, "count", event->count);
  }
  if (event->kind == GST_Y10_ZONE_OCCUPANCY) {
    append_number (json, "limit", event->zone->limit);
    g_string_append_printf (json, ",\"over\":%s",
        event->over ? "true" : "false");
  }
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

static void
set_string (GstStructure *structure, const gchar *name, const gchar *text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_take_string (&value, gst_y10_text_utf8 (text));
  gst_structure_take_value (structure, name, &value);
}

static void
describe_object (const GstY10ZoneEvent *event, GstStructure *structure)
{
  gst_structure_set (structure, "id", G_TYPE_UINT64, event->id, "confidence",
      G_TYPE_DOUBLE, (gdouble) event->confidence, "x", G_TYPE_DOUBLE,
      event->place.x, "y", G_TYPE_DOUBLE, event->place.y, NULL);
  set_string (structure, "label", event->label);
}

/**
 * gst_y10_zone_event_describe:
 * @event: an event
 * @source: name of the element
 * @name: name of the structure
 *
 * Returns: (transfer full): a structure with the members of the JSON as fields, and
 *   `json`
 */
GstStructure *
gst_y10_zone_event_describe (const GstY10ZoneEvent *event, const gchar *source,
    const gchar *name)
{
  GstStructure *structure = gst_structure_new (name, "event", G_TYPE_STRING,
      kinds[event->kind], "timestamp", G_TYPE_UINT64, event->time, NULL);
  GValue value = G_VALUE_INIT;

  set_string (structure, event->zone->is_line ? "line" : "zone",
      event->zone->name);
  set_string (structure, "source", source);
  if (event->kind != GST_Y10_ZONE_OCCUPANCY)
    describe_object (event, structure);
  if (event->kind == GST_Y10_ZONE_LEAVE)
    set_string (structure, "reason", reasons[event->reason]);
  if (event->kind == GST_Y10_ZONE_LEAVE || event->kind == GST_Y10_ZONE_DWELL)
    gst_structure_set (structure, "duration", G_TYPE_UINT64, event->duration,
        NULL);
  if (event->kind == GST_Y10_ZONE_CROSS) {
    set_string (structure, "direction", event->direction > 0 ? "in" : "out");
    if (event->zone->sides[0]) {
      set_string (structure, "from", side (event, FALSE));
      set_string (structure, "to", side (event, TRUE));
    }
    gst_structure_set (structure, "in", G_TYPE_UINT64, event->n_in, "out",
        G_TYPE_UINT64, event->n_out, NULL);
  } else {
    gst_structure_set (structure, "count", G_TYPE_UINT, event->count, NULL);
  }
  if (event->kind == GST_Y10_ZONE_OCCUPANCY)
    gst_structure_set (structure, "limit", G_TYPE_UINT, event->zone->limit,
        "over", G_TYPE_BOOLEAN, event->over, NULL);
  g_value_init (&value, G_TYPE_STRING);
  g_value_take_string (&value, gst_y10_zone_event_to_json (event, source));
  gst_structure_take_value (structure, "json", &value);
  return structure;
}
