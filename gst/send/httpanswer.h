/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What an answer of a web server means for the lines that it was sent. */

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef enum
{
  GST_Y10_HTTP_TAKEN,
  GST_Y10_HTTP_REFUSED,   /* the lines; others may be taken */
  GST_Y10_HTTP_TOO_LARGE, /* likewise, for their size */
  GST_Y10_HTTP_FAILED,    /* may be taken later */
} GstY10HttpVerdict;

typedef struct
{
  GstY10HttpVerdict verdict;
  gboolean is_busy;    /* it says by itself when to come back */
  guint retry_seconds; /* not before; 0: any time */
} GstY10HttpAnswer;

GstY10HttpAnswer gst_y10_http_judge (SoupMessage *message);
gchar *gst_y10_http_describe (SoupMessage *message);

G_END_DECLS
