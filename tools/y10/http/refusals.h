/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Who was refused, for the log. */

#include <glib.h>

typedef struct _HttpRefusals HttpRefusals;

HttpRefusals *http_refusals_new (void);
void http_refusals_free (HttpRefusals *refusals);
/* Logs that @address was refused for a reason, or counts it. @details: for the line, or
 * NULL. */
void http_refusals_add (HttpRefusals *refusals, const char *address,
    const char *reason, const char *details);
