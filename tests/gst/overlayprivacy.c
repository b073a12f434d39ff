/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See overlayprivacy.h. */

#include "overlayprivacy.h"

#include <string.h>

const gchar *
overlay_fate_name (OverlayFate fate)
{
  static const gchar *const names[] = { "untouched", "partly covered",
    "covered" };

  return names[fate];
}

gboolean
overlay_is_uniform (GstBuffer *buffer, GstCaps *caps)
{
  g_autofree guint8 *rgb = overlay_rgb (buffer, caps);
  gboolean uniform = TRUE;
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  for (gsize i = 1; uniform && i < (gsize) info.width * info.height; i++)
    uniform = memcmp (rgb + 3 * i, rgb, 3) == 0;
  return uniform;
}

OverlayFate
overlay_fate (GstBuffer *before, GstBuffer *after, GstCaps *caps)
{
  if (overlay_is_same (before, after, caps))
    return UNTOUCHED;
  return overlay_is_uniform (after, caps) ? COVERED : PARTLY;
}

guint
overlay_is_privacy_warning (GstMessage *message, const gchar *reason)
{
  GError *error;
  gboolean is;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_WARNING)
    return 0;
  gst_message_parse_warning (message, &error, NULL);
  is = g_str_has_prefix (error->message, "Privacy covers the whole picture: ");
  fail_unless (!is || (reason && strstr (error->message, reason)), "%s",
      error->message);
  g_error_free (error);
  return is;
}
