/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Bodies of requests. */

#include <libsoup/soup.h>

#include "base/json-cursor.h"

/* Sets @root to the object that the message's body is, and returns what it points into, for
 * g_bytes_unref(). If it is none, answers 400 and returns NULL. */
GBytes *http_body_parse (SoupServerMessage *message, Y10Json *root);
