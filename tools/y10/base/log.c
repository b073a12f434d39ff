/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The log.
 *
 * Names, messages of libraries and what clients send are untrusted: each message is one
 * line, whatever it says. Where stderr is the journal, it has a time and a level of its
 * own; elsewhere both are in front of the line. */

#include "config.h"

#ifdef HAVE_SERVE

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/terminal.h"

static const char *
name_level (GLogLevelFlags level)
{
  if (level & G_LOG_LEVEL_ERROR)
    return "error";
  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))
    return "warning";
  return level & G_LOG_LEVEL_MESSAGE ? "notice" : "info";
}

/* Returns the text of a field, or NULL. */
static const char *
find_field (const GLogField *fields, gsize n, const char *key)
{
  for (gsize i = 0; i < n; i++)
    if (!strcmp (fields[i].key, key) && fields[i].length < 0)
      return fields[i].value;
  return NULL;
}

static void
write_line (GLogLevelFlags level, const char *domain, const char *message)
{
  const gboolean own = !g_strcmp0 (domain, TOOL_LOG_DOMAIN);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *time = g_date_time_format (now, "%FT%TZ");
  g_autofree char *safe = tool_escape (message);

  /* Of one write(), so that lines of threads are whole. */
  fprintf (stderr, "%s %s %s%s%s\n", time, name_level (level),
      own || !domain ? "" : domain, own || !domain ? "" : ": ", safe);
}

static GLogWriterOutput
write_message (GLogLevelFlags level, const GLogField *fields, gsize n,
    gpointer unused)
{
  static gsize journal;
  const char *domain = find_field (fields, n, "GLIB_DOMAIN");
  const char *message = find_field (fields, n, "MESSAGE");

  if (g_once_init_enter (&journal))
    g_once_init_leave (&journal,
        g_log_writer_is_journald (STDERR_FILENO) ? 1 : 2);
  if (g_log_writer_default_would_drop (level, domain))
    return G_LOG_WRITER_HANDLED;
  if (journal != 1
      || g_log_writer_journald (level, fields, n, NULL) != G_LOG_WRITER_HANDLED)
    write_line (level, domain, message ? message : "");
  return G_LOG_WRITER_HANDLED;
}

void
tool_log_set_up (void)
{
  g_log_set_writer_func (write_message, NULL, NULL);
}

void
tool_log (ToolLogLevel level, const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL, *safe = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  safe = tool_escape (text);
  g_log_structured (TOOL_LOG_DOMAIN,
      level == TOOL_LOG_WARNING ? G_LOG_LEVEL_WARNING : G_LOG_LEVEL_MESSAGE,
      "SYSLOG_IDENTIFIER", "y10", "MESSAGE", "%s", safe);
}

#endif
