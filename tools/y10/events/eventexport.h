/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Events as a file. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

typedef enum
{
  SERVE_EXPORT_LINES, /* of JSON, as in the spool */
  SERVE_EXPORT_CSV,
} ServeExportFormat;

/* Answers with all events that the parameters of @message ask for, the oldest first. */
void serve_event_export (Serve *serve, SoupServerMessage *message,
    ServeExportFormat format);

G_END_DECLS
