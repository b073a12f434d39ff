/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The result of a self-check. */
typedef enum
{
  Y10_VERDICT_UNKNOWN,
  Y10_VERDICT_PASSED,
  Y10_VERDICT_FAILED,
} Y10Verdict;

/* The verdict that is stored for @key, with the reason of a failure appended to
 * @why. UNKNOWN if there is none, or if its file is damaged or of another key.
 * Any thread. */
Y10Verdict y10_verdict_load (const char *key, GString *why);
/* Stores a verdict for later processes. Does nothing where the user's cache
 * folder cannot be written. Any thread and process. */
void y10_verdict_store (const char *key, Y10Verdict verdict, const char *why);
/* Appends the GNU build ID of the shared object or program that contains
 * @address, in hexadecimal; FALSE if it has none. */
gboolean y10_build_id_append (const void *address, GString *text);

G_END_DECLS
