/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A line of a spool: reads its members, and adds those that it has on its way. */

#include "spool/position.h"
#include "spool/types.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *name; /* without escapes */
  const gchar *json; /* with quotation marks; NULL: not there */
  gsize length;      /* of @json, in bytes */
} GstY10LineMember;

/* Without its newline; not NUL-terminated. */
typedef struct
{
  GstY10LineKind kind;
  const gchar *text; /* one JSON object */
  gsize length;
  GstY10SpoolPosition at;          /* names it */
  GstY10SpoolPosition after;       /* to acknowledge it and all before it */
  const GstY10LineMember *members; /* that the reader was asked for */
} GstY10SpoolLine;

gboolean gst_y10_line_check (const gchar *text, gsize length,
    GstY10LineMember *members, guint n);

gboolean gst_y10_line_member_is_string (const GstY10LineMember *member);
void gst_y10_line_member_get (const GstY10LineMember *member, GString *text);
gboolean gst_y10_line_member_get_utc (const GstY10LineMember *member,
    gint64 *time);

gboolean gst_y10_line_has (const GstY10SpoolLine *line, const gchar *name);
gchar *gst_y10_line_get_string (const GstY10SpoolLine *line, const gchar *name);
gboolean gst_y10_line_get_count (const GstY10SpoolLine *line, const gchar *name,
    guint64 *value);
gint64 gst_y10_line_get_age (const GstY10SpoolLine *line);
gboolean gst_y10_line_cut (GString *text, const GstY10SpoolLine *line,
    const gchar *name);
void gst_y10_line_address (GString *text, const GstY10SpoolLine *line,
    const gchar *producer, gboolean is_replayed);

G_END_DECLS
