/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Tells answers about a line, which would come again, from those about the server, its
 * address or the time, which say nothing about the line. Retry-After is that of RFC 9110,
 * section 10.2.3. A date in it is compared with the server's own Date, since the clocks may
 * differ. */
#include "send/httpanswer.h"

#include <string.h>

/* Whoever asks for a longer wait is asked again after it. */
#define MAX_RETRY 3600

/* Whether an answer says that others would be refused as well, or none is meant. */
static gboolean
is_about_server (guint status)
{
  static const guint others[] = { SOUP_STATUS_UNAUTHORIZED,
    SOUP_STATUS_PAYMENT_REQUIRED, SOUP_STATUS_FORBIDDEN, SOUP_STATUS_NOT_FOUND,
    SOUP_STATUS_METHOD_NOT_ALLOWED, SOUP_STATUS_PROXY_AUTHENTICATION_REQUIRED,
    SOUP_STATUS_REQUEST_TIMEOUT, SOUP_STATUS_GONE, 421, 423, 424, 425, 426, 429,
    511 };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (status == others[i])
      return TRUE;
  return status < 200 || (status >= 300 && status < 400) || status >= 500;
}

/* FALSE: there is none that can be understood. */
static gboolean
get_retry_after (SoupMessageHeaders *headers, guint *seconds)
{
  const gchar *text = soup_message_headers_get_one (headers, "Retry-After");
  const gchar *date = soup_message_headers_get_one (headers, "Date");
  g_autoptr (GDateTime) then = NULL, now = NULL;
  gint64 wait;

  if (!text)
    return FALSE;
  text += strspn (text, " \t");
  if (g_ascii_isdigit (*text)
      && strspn (text, "0123456789 \t") == strlen (text)) {
    /* What is too large for a number becomes the largest one. */
    *seconds = (guint) MIN (g_ascii_strtoull (text, NULL, 10), MAX_RETRY);
    return TRUE;
  }
  then = soup_date_time_new_from_http_string (text);
  if (!then)
    return FALSE;
  if (date)
    now = soup_date_time_new_from_http_string (date);
  if (!now)
    now = g_date_time_new_now_utc ();
  wait = g_date_time_to_unix (then) - g_date_time_to_unix (now);
  *seconds = (guint) CLAMP (wait, 0, MAX_RETRY);
  return TRUE;
}

GstY10HttpAnswer
gst_y10_http_judge (SoupMessage *message)
{
  const guint status = soup_message_get_status (message);
  GstY10HttpAnswer answer = { GST_Y10_HTTP_TAKEN, FALSE, 0 };

  if (status >= 200 && status < 300)
    return answer;
  answer.is_busy = get_retry_after (soup_message_get_response_headers (message),
      &answer.retry_seconds);
  if (is_about_server (status)) {
    answer.verdict = GST_Y10_HTTP_FAILED;
    answer.is_busy |= status == 429;
  } else if (status == SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE) {
    /* With the header it is for now only. */
    answer.verdict = answer.is_busy ? GST_Y10_HTTP_FAILED
                                    : GST_Y10_HTTP_TOO_LARGE;
  } else {
    answer.verdict = GST_Y10_HTTP_REFUSED;
  }
  return answer;
}

/* Where a server redirects to, without what may be secret of it. NULL: nowhere. */
static gchar *
get_redirection (SoupMessage *message)
{
  const gchar *text =
      soup_message_headers_get_one (soup_message_get_response_headers (message),
          "Location");
  g_autoptr (GUri) uri = text
      ? g_uri_parse_relative (soup_message_get_uri (message), text,
          SOUP_HTTP_URI_FLAGS, NULL)
      : NULL;
  gchar *origin = uri && g_uri_get_host (uri)
      ? g_uri_join (G_URI_FLAGS_NONE, g_uri_get_scheme (uri), NULL,
          g_uri_get_host (uri), g_uri_get_port (uri), "", NULL, NULL)
      : NULL;

  return origin;
}

/* Returns: (transfer full): what the server says, and what it may want */
gchar *
gst_y10_http_describe (SoupMessage *message)
{
  const guint status = soup_message_get_status (message);
  const gchar *hint = "";
  g_autofree gchar *origin = NULL;

  if (status >= 300 && status < 400) {
    origin = get_redirection (message);
    hint =
        ", which is not followed; expected the address that takes lines in uri";
  } else if (status == 401 || status == 403 || status == 407) {
    hint = "; expected credentials that it accepts";
  } else if (status == 404 || status == 405 || status == 410) {
    hint = "; expected in uri an address that takes POST";
  }
  return g_strdup_printf ("the server answers %u %s%s%s%s", status,
      soup_status_get_phrase (status), origin ? " to " : "",
      origin ? origin : "", hint);
}
