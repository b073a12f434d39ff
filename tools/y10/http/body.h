/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Bodies of requests. */

#include <json-glib/json-glib.h>
#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Returns the object that the message's body is. If it is none, answers 400 and returns
 * NULL. */
JsonNode *http_body_parse (SoupServerMessage *message);
/* Returns the text of a member of that object, borrowed; NULL if it is none. */
const char *http_body_get_text (JsonNode *root, const char *name);

G_END_DECLS
