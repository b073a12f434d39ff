/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Names that events have, as numbers. */

#include "events/eventsegment.h"

/* The kinds that yolov10zones has, with NULL behind the last. */
extern const char *const serve_event_kinds[];

typedef struct
{
  GPtrArray *names; /* the number is the index */
  GHashTable *numbers;
} ServeEventNames;

void serve_event_names_init (ServeEventNames *names);
void serve_event_names_clear (ServeEventNames *names);
/* Returns the number of a name, which is added if there is room. SERVE_NO_NAME: it is not
 * kept. */
guint16 serve_event_names_add (ServeEventNames *names, const char *name,
    gsize length);
/* Likewise of one that was added. */
guint16 serve_event_names_find (const ServeEventNames *names, const char *name,
    gsize length);
