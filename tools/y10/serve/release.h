/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The start of the cameras: all at once, or one by one after a crash. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

typedef struct _ServeRelease ServeRelease;

/* Starts the cameras of the settings. */
ServeRelease *serve_release_new (Serve *serve);
/* From then on no camera is suspected. */
void serve_release_free (ServeRelease *release);
/* To be called a few times a second. */
void serve_release_look (ServeRelease *release);
/* Answers POST cameras/ID/release; FALSE if @path, behind "/api/", is another one. */
gboolean serve_release_answer (Serve *serve, SoupServerMessage *message,
    const char *path);

G_END_DECLS
