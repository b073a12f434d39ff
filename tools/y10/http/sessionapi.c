/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Sessions, for requests: the token opens one; it ends, or all do. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "http/body.h"
#include "http/connection.h"
#include "http/reply.h"
#include "http/sessionapi.h"

void
http_session_open (SoupServerMessage *message, const char *name, gpointer auth)
{
  g_autoptr (JsonNode) root = http_body_parse (message);
  const char *token = root ? http_body_get_text (root, "token") : NULL;
  guint status;

  if (!root)
    return;
  status = http_auth_open (auth, message, token ? token : "");
  if (status == SOUP_STATUS_NO_CONTENT)
    soup_server_message_set_status (message, status, NULL);
  else
    http_reply_error (message, status,
        status == 429 ? "too many wrong tokens; wait a minute"
                      : "the token is wrong");
}

/* The answer is not of the session that has ended. */
static void
end_sessions (SoupServerMessage *message, HttpAuth *auth, gboolean all)
{
  g_autoptr (GError) error = NULL;

  http_connection_set_session (message, auth, NULL);
  http_auth_log (message, all ? "all sessions were ended" : "a session ended");
  if (all ? http_auth_close_all (auth, &error)
          : http_auth_close (auth, message, &error)) {
    soup_server_message_set_status (message, SOUP_STATUS_NO_CONTENT, NULL);
    return;
  }
  g_prefix_error (&error, "ended only until y10 serve starts again: ");
  http_reply_error (message, SOUP_STATUS_INTERNAL_SERVER_ERROR, error->message);
}

void
http_session_end (SoupServerMessage *message, const char *name, gpointer auth)
{
  end_sessions (message, auth, FALSE);
}

void
http_sessions_end (SoupServerMessage *message, const char *name, gpointer auth)
{
  end_sessions (message, auth, TRUE);
}

#endif
