/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Pictures that a web server sends one after the other (RFC 2046). Cameras leave out the
 * boundary in front of the first one, or its headers, too: GStreamer recognises a body
 * only by the boundary that it begins with. They have no time but that when they arrive. */

#include "config.h"

#ifdef HAVE_GST

#include <string.h>

#include "media/multipart.h"

#define START 4 /* bytes that tell */

/* Of one source; all of it is used in its streaming thread. */
typedef struct
{
  GstElement *source; /* borrowed */
  gboolean is_one;    /* multipart */
  char *boundary; /* that of a body whose beginning was not seen; else NULL */
} Body;

static const char *
find_header (const GstStructure *headers, const char *wanted)
{
  for (gint i = 0; i < gst_structure_n_fields (headers); i++) {
    const char *name = gst_structure_nth_field_name (headers, (guint) i);

    if (!g_ascii_strcasecmp (name, wanted))
      return gst_structure_get_string (headers, name);
  }
  return NULL;
}

/* @type: a Content-Type; NULL if it is no multipart one. */
static char *
find_boundary (const char *type)
{
  const char *value;

  if (!type || g_ascii_strncasecmp (type, "multipart/", strlen ("multipart/")))
    return NULL;
  for (value = type; (value = strchr (value, ';')); value++) {
    const char *name = value + 1 + strspn (value + 1, " \t");

    if (g_ascii_strncasecmp (name, "boundary=", strlen ("boundary=")))
      continue;
    name += strlen ("boundary=");
    return *name == '"' ? g_strndup (name + 1, strcspn (name + 1, "\""))
                        : g_strndup (name, strcspn (name, "; \t"));
  }
  return NULL;
}

static void
take_headers (Body *self, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);
  const GValue *headers;

  if (!structure || !gst_structure_has_name (structure, "http-headers"))
    return;
  headers = gst_structure_get_value (structure, "response-headers");
  g_free (self->boundary);
  self->boundary = headers && GST_VALUE_HOLDS_STRUCTURE (headers)
      ? find_boundary (
          find_header (gst_value_get_structure (headers), "Content-Type"))
      : NULL;
  self->is_one = self->boundary != NULL;
}

static void
set_time (const Body *self, GstBuffer *buffer)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (self->source);

  /* Before the pipeline plays, there is none. */
  GST_BUFFER_PTS (buffer) = clock
      ? gst_clock_get_time (clock) - gst_element_get_base_time (self->source)
      : 0;
}

/* Returns what is missing in front of @buffer, the first of its body, or NULL. */
static char *
find_missing (const Body *self, GstBuffer *buffer)
{
  const char *boundary = self->boundary
      + (g_str_has_prefix (self->boundary, "--") ? 2 : 0);
  guint8 start[START] = { 0 };
  const gsize n = gst_buffer_extract (buffer, 0, start, sizeof start);
  gsize at = 0;

  while (at < n && (start[at] == '\r' || start[at] == '\n'))
    at++;
  if (at == n || start[at] == '-')
    return NULL;
  return g_strdup_printf ("--%s\r\n%s", boundary,
      start[0] == 0xff && start[1] == 0xd8 ? "Content-Type: image/jpeg\r\n\r\n"
                                           : "");
}

static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Body *self = user;
  GstBuffer *buffer;
  char *missing = NULL;

  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    take_headers (self, GST_PAD_PROBE_INFO_EVENT (info));
    return GST_PAD_PROBE_OK;
  }
  if (!self->is_one)
    return GST_PAD_PROBE_OK;
  buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  set_time (self, buffer);
  if (self->boundary)
    missing = find_missing (self, buffer);
  g_clear_pointer (&self->boundary, g_free);
  if (missing)
    gst_buffer_prepend_memory (buffer,
        gst_memory_new_wrapped (0, missing, strlen (missing), 0,
            strlen (missing), missing, g_free));
  return GST_PAD_PROBE_OK;
}

static void
free_body (gpointer data)
{
  Body *self = data;

  g_free (self->boundary);
  g_free (self);
}

void
tool_multipart_watch (GstElement *source)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  Body *self = g_new0 (Body, 1);

  self->source = source;
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_data,
      self, free_body);
}

#endif
