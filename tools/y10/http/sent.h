/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Pictures of cameras on their way to clients. Main thread only. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

/* @message, or the next part of it, is a picture of @camera. */
void serve_sent_add (Serve *serve, SoupServerMessage *message,
    const char *camera);
/* libsoup has handed all parts of @message that were added to the kernel. */
void serve_sent_written (Serve *serve, const SoupServerMessage *message);
/* Resets the connections that have not delivered all pictures of @camera: nothing that
 * libsoup or the kernel has queued leaves any more. */
void serve_sent_reset (Serve *serve, const char *camera);
/* Forgets what has arrived; to be called a few times a second. */
void serve_sent_look (Serve *serve);
/* At the end. */
void serve_sent_stop (Serve *serve);

G_END_DECLS
