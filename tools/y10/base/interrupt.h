/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Ends the command properly on SIGINT and SIGTERM. */

#include <glib.h>

/* Catches SIGINT and SIGTERM, once. */
void tool_interrupt_catch (void);
/* Returns TRUE after such a signal: begin nothing more, and finish what was begun. Any
 * thread. */
gboolean tool_interrupted (void);
