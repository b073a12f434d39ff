/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Converts engine errors to element messages. The engine's text, which the user
 * reads, already names the file, tensor or property, what was found and what
 * was expected. Domain and code tell applications how to react; only this file
 * maps them. */
#include "common/elementerror.h"

#include <gio/gio.h>
#include <y10/error.h>

#include "common/text.h"

/* Of files that an element writes. */
static gint
classify_io (gint code)
{
  switch (code) {
    case G_IO_ERROR_NOT_FOUND:
      return GST_RESOURCE_ERROR_NOT_FOUND;
    case G_IO_ERROR_NO_SPACE:
      return GST_RESOURCE_ERROR_NO_SPACE_LEFT;
    case G_IO_ERROR_BUSY:
      return GST_RESOURCE_ERROR_BUSY;
    case G_IO_ERROR_PERMISSION_DENIED:
    case G_IO_ERROR_READ_ONLY:
      return GST_RESOURCE_ERROR_NOT_AUTHORIZED;
    default:
      return GST_RESOURCE_ERROR_WRITE;
  }
}

static void
classify (const GError *error, GQuark *domain, gint *code)
{
  *domain = GST_LIBRARY_ERROR;
  *code = GST_LIBRARY_ERROR_FAILED;
  if (error->domain == GST_STREAM_ERROR || error->domain == GST_CORE_ERROR
      || error->domain == GST_RESOURCE_ERROR
      || error->domain == GST_LIBRARY_ERROR) {
    *domain = error->domain;
    *code = error->code;
    return;
  }
  if (error->domain == G_IO_ERROR) {
    *domain = GST_RESOURCE_ERROR;
    *code = classify_io (error->code);
  }
  if (error->domain != Y10_ERROR)
    return;

  switch ((Y10Error) error->code) {
    case Y10_ERROR_NOT_FOUND:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_NOT_FOUND;
      break;
    case Y10_ERROR_MODEL_FORMAT:
    case Y10_ERROR_MODEL:
      *domain = GST_STREAM_ERROR;
      *code = GST_STREAM_ERROR_WRONG_TYPE;
      break;
    case Y10_ERROR_LABELS:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_READ;
      break;
    case Y10_ERROR_INVALID_ARGUMENT:
    case Y10_ERROR_UNSUPPORTED:
      *code = GST_LIBRARY_ERROR_SETTINGS;
      break;
    case Y10_ERROR_NO_BACKEND:
      *code = GST_LIBRARY_ERROR_INIT;
      break;
    case Y10_ERROR_NO_MEMORY:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_NO_SPACE_LEFT;
      break;
    case Y10_ERROR_BUSY:
    case Y10_ERROR_TIMED_OUT:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_BUSY;
      break;
    case Y10_ERROR_DEVICE_LOST:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_FAILED;
      break;
    case Y10_ERROR_FAILED:
    case Y10_ERROR_BACKEND:
    case Y10_ERROR_STALE:
    case Y10_ERROR_CANCELLED:
      break;
  }
}

/* Posts @error as a message of @type; use the macros. Takes @details. */
void
gst_y10_error_post (GstElement *element, GstDebugCategory *category,
    GstMessageType type, const GError *error, GstStructure *details,
    const gchar *file, const gchar *function, gint line)
{
  GQuark domain;
  gint code;
  gchar *text;

  text = gst_y10_text_printable (error->message);
  classify (error, &domain, &code);
  gst_debug_log (category,
      type == GST_MESSAGE_ERROR ? GST_LEVEL_ERROR : GST_LEVEL_WARNING, file,
      function, line, G_OBJECT (element), "%s", text);
  gst_element_message_full_with_details (element, type, domain, code, text,
      NULL, file, function, line, details);
}
