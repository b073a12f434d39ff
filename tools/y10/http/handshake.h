/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* TLS: clients until the handshake is done. */

#include "http/connection.h"

typedef struct _HttpHandshakes HttpHandshakes;

/* Takes @stream, which is encrypted; NULL: there was no handshake. */
typedef void (*HttpHandshakeFunc) (GIOStream *stream, gpointer data);

HttpHandshakes *http_handshakes_new (GTlsCertificate *certificate);
void http_handshakes_free (HttpHandshakes *handshakes);
/* Shakes hands by @plain, which it takes. Calls @func once, later. */
void http_handshakes_begin (HttpHandshakes *handshakes,
    HttpConnection *connection, GIOStream *plain, HttpHandshakeFunc func,
    gpointer data);
