/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A stream whose reader can be told to stop. */

#include <gio/gio.h>

G_BEGIN_DECLS

/* Called with what was read. If it returns FALSE, the reader gets an error
 * instead of them. */
typedef gboolean (*ServeTapFunc) (const guint8 *bytes, gsize n, gpointer data);

/* Returns @base, a stream of @socket, behind such a function. The stream keeps
 * @data, and lets go of it by @destroy. */
GIOStream *serve_tap_new (GIOStream *base, GSocket *socket, ServeTapFunc func,
    gpointer data, GDestroyNotify destroy);

G_END_DECLS
