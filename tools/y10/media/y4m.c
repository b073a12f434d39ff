/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y4mdec reads samples of more than 8 bits as if they had 8, unless it can write
 * such formats: the first frame is noise, and an error follows. */

#include "config.h"

#ifdef HAVE_GST

#include <gst/gst.h>
#include <string.h>
#include <y10/y10.h>

#include "media/y4m.h"

#define MAGIC "YUV4MPEG2 "

/* Whether the tag after C, such as 420p10 or mono16, has more than 8 bits. */
static gboolean
is_deep (const char *tag)
{
  const char *depth = strpbrk (tag, "po");

  /* 420jpeg, 420paldv and mono have 8. */
  while (depth && !g_ascii_isdigit (depth[1]))
    depth = strpbrk (depth + 1, "po");
  return depth && g_ascii_strtoull (depth + 1, NULL, 10) > 8;
}

static gboolean
can_write_deep (void)
{
  g_autoptr (GstElementFactory) y4mdec = gst_element_factory_find ("y4mdec");
  g_autoptr (GstCaps)
      caps = gst_caps_from_string ("video/x-raw,format=I420_10LE");

  return y4mdec && gst_element_factory_can_src_any_caps (y4mdec, caps);
}

gboolean
tool_y4m_check (const guint8 *start, gsize n, GError **error)
{
  g_autofree char *line = NULL;
  g_auto (GStrv) tags = NULL;
  gboolean ok = TRUE;

  if (n < strlen (MAGIC) || memcmp (start, MAGIC, strlen (MAGIC)) != 0)
    return TRUE;
  line = g_strndup ((const char *) start, n);
  tags = g_strsplit_set (line, " \n", -1);
  for (guint i = 1; tags[i] && *tags[i] && ok; i++) {
    ok = tags[i][0] != 'C' || !is_deep (tags[i]) || can_write_deep ();
    if (!ok)
      g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
          "its pixel format "
          "is %s, and the y4mdec of this GStreamer reads 8 bits only; 'ffmpeg "
          "-pix_fmt yuv420p' converts it",
          tags[i] + 1);
  }
  return ok;
}

#endif
