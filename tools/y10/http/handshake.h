/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* TLS: clients until the handshake is done. */

#include "http/connection.h"

G_BEGIN_DECLS

typedef struct _ServeHandshakes ServeHandshakes;

/* Takes @stream, which is encrypted; NULL: there was no handshake. */
typedef void (*ServeHandshakeFunc) (GIOStream *stream, gpointer data);

ServeHandshakes *serve_handshakes_new (GTlsCertificate *certificate);
void serve_handshakes_free (ServeHandshakes *handshakes);
/* Shakes hands by @plain, which it takes. Calls @func once, later. */
void serve_handshakes_begin (ServeHandshakes *handshakes,
    ServeConnection *connection, GIOStream *plain, ServeHandshakeFunc func,
    gpointer data);

G_END_DECLS
