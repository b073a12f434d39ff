/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Sessions, for requests: the token opens one; it ends, or all do. */

#include "config.h"

#ifdef HAVE_SERVE

#include "http/body.h"
#include "http/connection.h"
#include "http/reply.h"
#include "http/sessionapi.h"

void
http_session_open (SoupServerMessage *message, const char *name, gpointer auth)
{
  Y10Json root;
  g_autoptr (GBytes) body = http_body_parse (message, &root);
  g_autofree char *token = NULL;
  guint status;

  if (!body)
    return;
  token = y10_json_dup_text (y10_json_find (root, "token"));
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
