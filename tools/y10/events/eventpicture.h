/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Pictures of events. */

#include <libsoup/soup.h>

#include "events/events.h"
#include "serve/cameras.h"

G_BEGIN_DECLS

/* Answers with the picture of the event at @place, a JPEG. */
void serve_event_picture_reply (Serve *serve, SoupServerMessage *message,
    ServeEventPlace place);
/* Answers with it made small, or as it is if it is small or that takes too long. */
void serve_event_thumbnail_reply (Serve *serve, SoupServerMessage *message,
    ServeEventPlace place);

G_END_DECLS
