/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A stream that tells what goes through it. */

#include <gio/gio.h>

typedef struct
{
  /* Was read. If it returns FALSE, the reader gets an error instead. */
  gboolean (*admit) (const guint8 *bytes, gsize n, gpointer data);
  /* (nullable): so much was written. */
  void (*count) (gsize n, gpointer data);
  GDestroyNotify destroy; /* of @data */
} HttpTapFuncs;

/* Returns @base, a stream of @socket, with such functions. Takes @data. */
GIOStream *http_tap_new (GIOStream *base, GSocket *socket,
    const HttpTapFuncs *funcs, gpointer data);
