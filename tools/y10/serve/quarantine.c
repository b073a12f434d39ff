/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Cameras that made this program crash.
 *
 * All cameras are in one process, and a decoder may crash over what one of them sends. So
 * a camera whose threads crashed three times within ten minutes is not started until a
 * person says so, or it is another camera: its source is part of who it is, as a hash,
 * since sources have passwords. The file has a line for each crash; after the next start
 * it begins with "before", or "quarantine" if the camera is quarantined. */

#include "config.h"

#ifdef HAVE_SERVE

#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "base/privatefile.h"
#include "base/readfile.h"
#include "serve/crash.h"
#include "serve/quarantine.h"

#define MOST_CRASHES 3
#define WINDOW 600 /* s */
#define MOST_FILE (1 << 20)

typedef struct
{
  char *who;
  gint64 times[MOST_CRASHES]; /* s; the latest are last; 0: none */
  gint64 signal;              /* of the latest */
  gboolean quarantined;
  char *reason;
} Record;

struct _ServeQuarantine
{
  char *path;
  GPtrArray *records;
  gboolean unsure;
};

static void
free_record (gpointer data)
{
  Record *record = data;

  g_free (record->who);
  g_free (record->reason);
  g_free (record);
}

/* Free with g_free(). */
static char *
make_who (const ServeCameraConfig *camera)
{
  char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, camera->source,
      -1);
  char *who = g_strdup_printf ("%s/%.16s", camera->id, hash);

  g_free (hash);
  return who;
}

static Record *
find_record (const ServeQuarantine *quarantine, const char *who)
{
  for (guint i = 0; i < quarantine->records->len; i++) {
    Record *record = quarantine->records->pdata[i];

    if (!strcmp (record->who, who))
      return record;
  }
  return NULL;
}

static const char *
name_signal (gint64 signal)
{
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGABRT:
      return "SIGABRT";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGSYS:
      return "SIGSYS";
    case SIGXCPU:
      return "SIGXCPU";
    case 0:
      return "a call of exit()";
    default:
      return "a signal";
  }
}

static void
add_crash (Record *record, gint64 time, gint64 signal)
{
  memmove (record->times, record->times + 1,
      sizeof record->times - sizeof *record->times);
  record->times[MOST_CRASHES - 1] = time;
  record->signal = signal;
  /* The clock may have been set back between two. */
  if (record->times[0]
      && ABS (record->times[MOST_CRASHES - 1] - record->times[0]) <= WINDOW)
    record->quarantined = TRUE;
}

/* Free with g_free(). */
static char *
format_time (gint64 seconds)
{
  GDateTime *when = g_date_time_new_from_unix_local (seconds);
  char *time = when ? g_date_time_format (when, "%F %T") : NULL;

  g_clear_pointer (&when, g_date_time_unref);
  return time ? time : g_strdup ("an unknown time");
}

static void
quarantine_it (Record *record)
{
  char *time = format_time (record->times[MOST_CRASHES - 1]);

  record->quarantined = TRUE;
  record->reason = g_strdup_printf (
      "its threads crashed %d times within %d minutes, the last time at %s by %s; "
      "release it to start it again",
      MOST_CRASHES, WINDOW / 60, time, name_signal (record->signal));
  g_free (time);
}

/* Of the last run. */
static void
log_crash (const char *kind, gint64 seconds, gint64 signal, const char *who)
{
  const gboolean suspected = !strcmp (kind, "suspect");
  char *time = format_time (seconds);

  if (!strcmp (who, "-"))
    tool_log (TOOL_LOG_WARNING,
        "the last run crashed at %s by %s, in no camera's thread", time,
        name_signal (signal));
  else
    tool_log (TOOL_LOG_WARNING,
        "the last run crashed at %s by %s, in %s of the camera %.*s", time,
        name_signal (signal),
        suspected ? "no camera's thread, after the start" : "a thread",
        (int) strcspn (who, "/"), who);
  g_free (time);
}

/* A line that is not whole, or not ours, is left out. */
static void
read_line (ServeQuarantine *quarantine, const char *line)
{
  char **words = g_strsplit (line, " ", 5);
  gint64 time, signal;
  Record *record;

  if (g_strv_length (words) == 4
      && g_ascii_string_to_signed (words[1], 10, 1, G_MAXINT64 / 2, &time, NULL)
      && g_ascii_string_to_signed (words[2], 10, 0, 64, &signal, NULL)) {
    if (!strcmp (words[0], "suspect") || !strcmp (words[0], "crash"))
      log_crash (words[0], time, signal, words[3]);
    if (!strcmp (words[0], "suspect") || !strcmp (words[3], "-"))
      quarantine->unsure = TRUE;
    record = find_record (quarantine, words[3]);
    if (!record && strcmp (words[3], "-") != 0) {
      record = g_new0 (Record, 1);
      record->who = g_strdup (words[3]);
      g_ptr_array_add (quarantine->records, record);
    }
    if (record)
      add_crash (record, time, signal);
    if (record && !strcmp (words[0], "quarantine"))
      record->quarantined = TRUE;
  }
  g_strfreev (words);
}

/* Forgets cameras that are not there any more, or have another source. */
static void
drop_others (ServeQuarantine *quarantine, const ServeConfig *config)
{
  GHashTable *known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);

  for (guint i = 0; i < config->cameras->len; i++)
    g_hash_table_add (known, make_who (config->cameras->pdata[i]));
  for (guint i = quarantine->records->len; i-- > 0;) {
    const Record *record = quarantine->records->pdata[i];

    if (!g_hash_table_contains (known, record->who))
      g_ptr_array_remove_index (quarantine->records, i);
  }
  g_hash_table_unref (known);
}

static void
read_file (ServeQuarantine *quarantine, const ServeConfig *config)
{
  char *text, **lines;
  gsize n;

  text = tool_read_file (quarantine->path, MOST_FILE, &n, NULL);
  if (!text)
    return;
  for (gsize i = 0; i < n; i++) /* as a file system may leave behind */
    if (!text[i])
      text[i] = '?';
  lines = g_strsplit (text, "\n", -1);
  /* What is behind the last end of a line was not written wholly. */
  for (guint i = 0; lines[0] && lines[i + 1]; i++)
    read_line (quarantine, lines[i]);
  g_strfreev (lines);
  g_free (text);
  drop_others (quarantine, config);
  for (guint i = 0; i < quarantine->records->len; i++) {
    Record *record = quarantine->records->pdata[i];

    if (record->quarantined)
      quarantine_it (record);
  }
}

/* Crashes of nobody count for one start only, so they are left out. */
static gboolean
write_file (ServeQuarantine *quarantine, GError **error)
{
  GString *text = g_string_new (NULL);
  gboolean ok;

  for (guint i = 0; i < quarantine->records->len; i++) {
    const Record *record = quarantine->records->pdata[i];

    for (guint t = 0; t < MOST_CRASHES; t++)
      if (record->times[t])
        g_string_append_printf (text,
            "%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s\n",
            record->quarantined ? "quarantine" : "before", record->times[t],
            record->signal, record->who);
  }
  ok = tool_write_private (quarantine->path, text->str, error)
      && serve_crash_open (quarantine->path, error);
  g_string_free (text, TRUE);
  return ok;
}

static void
keep (ServeQuarantine *quarantine)
{
  GError *error = NULL;

  if (write_file (quarantine, &error))
    return;
  tool_log (TOOL_LOG_WARNING, "crashes of cameras are not recorded: %s",
      error->message);
  g_error_free (error);
}

ServeQuarantine *
serve_quarantine_new (const char *path, const ServeConfig *config)
{
  ServeQuarantine *quarantine = g_new0 (ServeQuarantine, 1);

  quarantine->path = g_strdup (path);
  quarantine->records = g_ptr_array_new_with_free_func (free_record);
  read_file (quarantine, config);
  keep (quarantine);
  return quarantine;
}

void
serve_quarantine_free (ServeQuarantine *quarantine)
{
  g_free (quarantine->path);
  g_ptr_array_unref (quarantine->records);
  g_free (quarantine);
}

void
serve_quarantine_name (ServeQuarantine *quarantine,
    const ServeCameraConfig *camera, char thread[TOOL_THREAD_NAME])
{
  char *who = make_who (camera);

  /* A long id is cut, so that what is left needs a sign of its own. */
  if (strlen (camera->id) <= TOOL_THREAD_NAME - 5)
    g_snprintf (thread, TOOL_THREAD_NAME, "cam:%s", camera->id);
  else
    g_snprintf (thread, TOOL_THREAD_NAME, "cam:%.6s~%04x", camera->id,
        g_str_hash (camera->id) & 0xffff);
  serve_crash_add (thread, who);
  g_free (who);
}

const char *
serve_quarantine_judge (ServeQuarantine *quarantine,
    const ServeCameraConfig *camera)
{
  char *who = make_who (camera);
  const Record *record = find_record (quarantine, who);

  g_free (who);
  return record && record->quarantined ? record->reason : NULL;
}

gboolean
serve_quarantine_forget (ServeQuarantine *quarantine,
    const ServeCameraConfig *camera, GError **error)
{
  char *who = make_who (camera);
  Record *record = find_record (quarantine, who);
  guint i;

  g_free (who);
  if (!record || !g_ptr_array_find (quarantine->records, record, &i))
    return TRUE;
  g_ptr_array_steal_index (quarantine->records, i);
  if (write_file (quarantine, error)) {
    free_record (record);
    return TRUE;
  }
  g_ptr_array_insert (quarantine->records, (gint) i, record);
  return FALSE;
}

gboolean
serve_quarantine_is_unsure (const ServeQuarantine *quarantine)
{
  return quarantine->unsure;
}

void
serve_quarantine_suspect (ServeQuarantine *quarantine,
    const ServeCameraConfig *camera)
{
  char *who = camera ? make_who (camera) : NULL;

  serve_crash_suspect (who);
  g_free (who);
}

#endif
