/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Live views and snapshots of a camera. */

#include <libsoup/soup.h>

#include "camera/camera.h"

typedef struct _ServeViews ServeViews;

/* @camera is borrowed; serve_views_feed() is to be called when it has a new picture. */
ServeViews *serve_views_new (ToolCamera *camera, const char *id);
/* Ends all. */
void serve_views_free (ServeViews *views);
void serve_views_feed (ServeViews *views);
/* Answers with pictures until the client goes, or with a single one for @once. */
void serve_views_begin (ServeViews *views, SoupServerMessage *message,
    gboolean once);
guint serve_views_count (const ServeViews *views);
/* Forgets pictures that were made before privacy began, also those on their way. */
void serve_views_forget (ServeViews *views);
