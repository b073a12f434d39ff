/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* An element, tracked people, and what is told of them. */
#include "zonescommon.h"

GstHarness *zones_h;
GstBus *zones_bus;
GString *zones_told;
gint zones_slow_dwells, zones_in_dwell;

static void
zones_on_event (GstElement *element, GstStructure *event, gpointer user)
{
  const gchar *name = gst_structure_get_string (event, "zone");
  guint64 time, id = 0;

  if (g_atomic_int_get (&zones_slow_dwells)
      && !g_strcmp0 (gst_structure_get_string (event, "event"), "dwell")) {
    g_atomic_int_set (&zones_in_dwell, TRUE);
    g_usleep (300000); /* a slow application */
  }
  fail_unless (gst_structure_get_uint64 (event, "timestamp", &time));
  gst_structure_get_uint64 (event, "id", &id);
  g_string_append_printf (zones_told, "%s %s %u %u",
      gst_structure_get_string (event, "event"),
      name ? name : gst_structure_get_string (event, "line"),
      (guint) (time / GST_MSECOND), (guint) id);
  if (gst_structure_has_field (event, "reason"))
    g_string_append_printf (zones_told, " %s",
        gst_structure_get_string (event, "reason"));
  g_string_append_c (zones_told, ';');
}

void
zones_begin_caps (const gchar *properties, const gchar *caps)
{
  gchar *launch = g_strdup_printf ("yolov10zones name=z %s", properties);
  GstElement *element;

  zones_told = g_string_new (NULL);
  zones_bus = gst_bus_new ();
  zones_h = gst_harness_new_parse (launch);
  element = gst_bin_get_by_name (GST_BIN (zones_h->element), "z");
  gst_element_set_bus (zones_h->element, zones_bus);
  g_signal_connect (element, "event", G_CALLBACK (zones_on_event), NULL);
  gst_object_unref (element);
  gst_harness_set_src_caps_str (zones_h, caps);
  g_free (launch);
}

void
zones_begin (const gchar *properties)
{
  zones_begin_caps (properties,
      "video/x-raw,format=RGB,width=100,height=100,framerate=10/1");
}

void
zones_end (void)
{
  gst_harness_teardown (zones_h);
  gst_object_unref (zones_bus);
  g_string_free (zones_told, TRUE);
}

void
zones_set (const gchar *name, const gchar *value)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (zones_h->element), "z");

  g_object_set (element, name, value, NULL);
  gst_object_unref (element);
}

/* A tracked person who stands at @y percent of the picture. */
void
zones_add_person (GstBuffer *buffer, gint id, guint y)
{
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_add_video_region_of_interest_meta (buffer, "person", 40,
          y - 20, 20, 20);

  roi->id = id;
  gst_video_region_of_interest_meta_add_param (roi,
      gst_structure_new ("object_id", "id", G_TYPE_INT, id, NULL));
}

GstBuffer *
zones_frame (guint ms, guint y)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      ZONES_WIDTH * ZONES_HEIGHT * 3 + 200, NULL);

  GST_BUFFER_PTS (buffer) = ms * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 100 * GST_MSECOND;
  if (y)
    zones_add_person (buffer, 7, y);
  return buffer;
}

GstBuffer *
zones_push (GstBuffer *buffer)
{
  GstBuffer *out = gst_harness_push_and_pull (zones_h, buffer);

  fail_unless (out != NULL);
  return out;
}

void
zones_pass (GstBuffer *buffer)
{
  gst_buffer_unref (zones_push (buffer));
}

void
zones_expect (const gchar *events)
{
  fail_unless_equals_string (zones_told->str, events);
  g_string_truncate (zones_told, 0);
}

/* Returns the next message of that type; fails without one. */
GstMessage *
zones_pop (GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (zones_bus, type);

  fail_unless (message != NULL);
  return message;
}
