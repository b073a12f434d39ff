/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Answers to requests.
 *
 * An answer is kept until its client has read it, or is late. What all keep together is
 * counted: many clients that ask for much and read nothing get no more of it. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "base/json.h"
#include "http/reply.h"

#define MAX_KEPT (64 << 20) /* bytes, beside errors */
#define MAX_ERROR 4096
#define MAX_VIEWERS 32
#define KEY "y10-reply"

static gsize kept;
static guint n_viewers;

static void
forget (gpointer size)
{
  kept -= GPOINTER_TO_SIZE (size);
}

/* Returns FALSE after another answer, if there is no room for this one. */
static gboolean
keep (SoupServerMessage *message, gsize size)
{
  g_object_set_data (G_OBJECT (message), KEY, NULL);
  if (size <= MAX_ERROR)
    return TRUE;
  if (kept + size > MAX_KEPT) {
    http_reply_error (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "too many answers wait to be read");
    return FALSE;
  }
  kept += size;
  g_object_set_data_full (G_OBJECT (message), KEY, GSIZE_TO_POINTER (size),
      forget);
  return TRUE;
}

void
http_reply_bytes (SoupServerMessage *message, guint status, const char *type,
    GBytes *bytes)
{
  SoupMessageBody *body = soup_server_message_get_response_body (message);

  if (!keep (message, g_bytes_get_size (bytes)))
    return;
  soup_server_message_set_status (message, status, NULL);
  soup_message_headers_replace (soup_server_message_get_response_headers (
                                    message),
      "Content-Type", type);
  soup_message_body_truncate (body);
  soup_message_body_append_bytes (body, bytes);
  soup_message_body_complete (body);
}

void
http_reply_text (SoupServerMessage *message, guint status, const char *type,
    char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));

  http_reply_bytes (message, status, type, bytes);
}

void
http_reply_error (SoupServerMessage *message, guint status, const char *text)
{
  GString *json = g_string_new (NULL);

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "error", text);
  y10_json_close (json, '}');
  http_reply_json (message, status, json);
}

void
http_reply_json (SoupServerMessage *message, guint status, GString *json)
{
  http_reply_text (message, status, "application/json",
      g_string_free (json, FALSE));
}

gboolean
http_reply_may_view (SoupServerMessage *message)
{
  if (n_viewers < MAX_VIEWERS)
    return TRUE;
  http_reply_error (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
      "too many viewers");
  return FALSE;
}

void
http_reply_begin_view (void)
{
  n_viewers++;
}

void
http_reply_end_view (void)
{
  n_viewers--;
}

#endif
