/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What somebody meant; NULL if that is not known, else free with g_free(). */

#include <glib.h>

/* @known: the commands, NULL-terminated. */
char *tool_hint_command (const char *word, const char *const *known);
/* For the first option in @arguments that the text @help does not have. */
char *tool_hint_options (char *const *arguments, const char *help);
/* For an input such as "model=yolov10n.pt". */
char *tool_hint_input (const char *input, const char *help);
