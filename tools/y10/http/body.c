/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Bodies of requests: JSON objects, scanned before a parser sees them. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "base/json-scan.h"
#include "http/body.h"
#include "http/reply.h"

/* Zones nest the deepest: settings, zones, an array, a zone, points, one of them. */
#define MOST_DEPTH 16

JsonNode *
http_body_parse (SoupServerMessage *message)
{
  GBytes *bytes = soup_message_body_flatten (
      soup_server_message_get_request_body (message));
  gsize n;
  const char *text = g_bytes_get_data (bytes, &n);
  JsonNode *root = NULL;
  Y10JsonScan scan;
  char *copy;

  if (n && y10_json_scan (text, n, MOST_DEPTH, &scan) && !scan.nul_line
      && g_utf8_validate (text, (gssize) n, NULL)) {
    copy = g_strndup (text, n);
    root = json_from_string (copy, NULL);
    g_free (copy);
  }
  g_bytes_unref (bytes);
  if (root && JSON_NODE_HOLDS_OBJECT (root))
    return root;
  g_clear_pointer (&root, json_node_unref);
  http_reply_error (message, SOUP_STATUS_BAD_REQUEST,
      "the body is no JSON object");
  return NULL;
}

const char *
http_body_get_text (JsonNode *root, const char *name)
{
  JsonNode *member = json_object_get_member (json_node_get_object (root), name);

  return member && JSON_NODE_HOLDS_VALUE (member)
          && json_node_get_value_type (member) == G_TYPE_STRING
      ? json_node_get_string (member)
      : NULL;
}

#endif
