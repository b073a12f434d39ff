/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Bodies of requests: JSON objects. */

#include "config.h"

#ifdef HAVE_SERVE

#include "http/body.h"
#include "http/reply.h"

/* Zones nest the deepest: settings, zones, an array, a zone, points, one of them. */
#define MAX_DEPTH 16

GBytes *
http_body_parse (SoupServerMessage *message, Y10Json *root)
{
  g_autoptr (GBytes) body = soup_message_body_flatten (
      soup_server_message_get_request_body (message));
  g_autofree char *why = NULL;
  Y10JsonFault fault;
  gsize n;
  const char *text = g_bytes_get_data (body, &n);

  if (!y10_json_check (n ? text : "", n, MAX_DEPTH, root, &fault))
    why = g_strdup_printf ("the body is no JSON object: line %u, column %u: %s",
        fault.line, fault.column, fault.message);
  else if (y10_json_get_kind (*root) != Y10_JSON_OBJECT)
    why = g_strdup ("the body is no JSON object");
  else
    return g_steal_pointer (&body);
  http_reply_error (message, SOUP_STATUS_BAD_REQUEST, why);
  return NULL;
}

#endif
