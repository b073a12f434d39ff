/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

void gst_y10_error_post (GstElement *element, GstDebugCategory *category,
    GstMessageType type, const GError *error, GstStructure *details,
    const gchar *file, const gchar *function, gint line);

/* Posts @error, a #GError of any domain, as the element's error message, and logs it
 * in GST_CAT_DEFAULT. Never call with the object lock held. */
#define GST_Y10_ELEMENT_ERROR(element, error) \
  gst_y10_error_post (GST_ELEMENT (element), GST_CAT_DEFAULT, \
      GST_MESSAGE_ERROR, error, NULL, __FILE__, GST_FUNCTION, __LINE__)
/* Same, but a warning: the stream continues. */
#define GST_Y10_ELEMENT_WARNING(element, error) \
  gst_y10_error_post (GST_ELEMENT (element), GST_CAT_DEFAULT, \
      GST_MESSAGE_WARNING, error, NULL, __FILE__, GST_FUNCTION, __LINE__)
/* Same, with @details for programs, which it takes ownership of. */
#define GST_Y10_ELEMENT_WARNING_WITH_DETAILS(element, error, details) \
  gst_y10_error_post (GST_ELEMENT (element), GST_CAT_DEFAULT, \
      GST_MESSAGE_WARNING, error, details, __FILE__, GST_FUNCTION, __LINE__)

G_END_DECLS
