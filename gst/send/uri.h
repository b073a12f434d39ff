/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Where lines go to. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gchar *scheme;    /* lower case */
  gchar *authority; /* as written, without user */
  gchar *host;      /* of the first address; IPv6 without brackets */
  guint port;       /* 0: not given */
  gchar *path;      /* without the first slash, decoded; may be empty */
  gchar *address;   /* all before the settings */
  GHashTable *settings;
} GstY10Uri;

GstY10Uri *gst_y10_uri_parse (const gchar *text, const gchar *const *names,
    GError **error);
void gst_y10_uri_free (GstY10Uri *uri);
const gchar *gst_y10_uri_get (const GstY10Uri *uri, const gchar *name);
gboolean gst_y10_uri_get_count (const GstY10Uri *uri, const gchar *name,
    guint most, guint *value, GError **error);
gboolean gst_y10_uri_check_cafile (const GstY10Uri *uri, GError **error);
gchar *gst_y10_uri_get_scheme (const gchar *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10Uri, gst_y10_uri_free)

G_END_DECLS
