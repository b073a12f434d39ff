/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Who sends lines. */

#include <glib.h>

G_BEGIN_DECLS

/* NULL where there is none. */
typedef struct
{
  gchar *user, *password, *token;
} GstY10Credentials;

gboolean gst_y10_credentials_load (GstY10Credentials *credentials,
    const gchar *file, GError **error);
void gst_y10_credentials_clear (GstY10Credentials *credentials);

G_END_DECLS
