/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A connection: how long it may take, and how much may come by it. */

#include "http/auth.h"

#define HTTP_PLACE 16

typedef struct
{
  GSocket *socket;
  struct _HttpListener *listener; /* that has it in its list, or NULL */
  guint8 place[HTTP_PLACE];       /* whom its address belongs to */
  gint64 since;                   /* it is there, or has answered a request */
  GSource *alarm;   /* at its deadline, or sooner to look at its session */
  gint64 deadline;  /* G_MAXINT64: none */
  gint64 next_look; /* at the session; whatever moves the deadline leaves it */
  gsize allowed;    /* bytes that may still come, */
  gsize quota;      /* and until @refill */
  gint64 refill;
  guint64 n_written; /* bytes */
  gboolean in_head;  /* a request's head comes: */
  gboolean in_line, has_text;
  guint n_lines;
  gboolean trusted; /* what is answered was asked with a token or a session */
  char *session;    /* of what is being answered, or NULL; it is one of */
  const HttpAuth *auth;
} HttpConnection;

/* @remote: the address that messages of this connection are to have. */
HttpConnection *http_connection_new (GSocket *socket, GSocketAddress *remote);
/* Returns @stream with this connection's limits of what comes. Takes @stream. */
GIOStream *http_connection_guard (HttpConnection *connection,
    GIOStream *stream);

/* The functions below do nothing for a message without a connection. */

/* A request begins. */
void http_connection_begin (SoupServerMessage *message);
/* Its head is there, and its body may come. @seconds: until it must have done so. */
void http_connection_expect_body (SoupServerMessage *message, guint seconds);
/* It is answered, and another one may come within @seconds. */
void http_connection_expect_head (SoupServerMessage *message, guint seconds);
/* The connection becomes a websocket, by which nothing is expected. */
void http_connection_expect_nothing (SoupServerMessage *message);
/* The request was asked with a token or a session. Until it is answered, the connection
 * does not go to make room for others. */
void http_connection_trust (SoupServerMessage *message);
/* The connection of @message ends after @seconds, unless it is told otherwise by then; 0:
 * it does not. */
void http_connection_set_deadline (SoupServerMessage *message, guint seconds);
/* The connection of @message ends with a session of @auth, or not any more for NULL. Takes
 * @session. */
void http_connection_set_session (SoupServerMessage *message,
    const HttpAuth *auth, char *session);

/* The connection of @message, or NULL, for longer than the message has it. */
HttpConnection *http_connection_ref (SoupServerMessage *message);
void http_connection_unref (gpointer connection);
/* Ends it at once. */
void http_connection_end (HttpConnection *connection);
/* Another file descriptor of its socket, or -1. */
int http_connection_dup (HttpConnection *connection);
/* Whether libsoup has closed it; what the kernel has queued may still be sent. */
gboolean http_connection_is_closed (HttpConnection *connection);
/* Whether the client has closed the connection of @message; libsoup notices only when it
 * writes. */
gboolean http_connection_is_gone (SoupServerMessage *message);
