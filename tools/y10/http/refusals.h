/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Who was refused, for the log. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct _ServeRefusals ServeRefusals;

ServeRefusals *serve_refusals_new (void);
void serve_refusals_free (ServeRefusals *refusals);
/* Logs that @address was refused for a reason, or counts it. @details: for the line, or
 * NULL. */
void serve_refusals_add (ServeRefusals *refusals, const char *address,
    const char *reason, const char *details);
/* Logs what was counted; to be called at least every few seconds. */
void serve_refusals_look (ServeRefusals *refusals);

G_END_DECLS
