/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Crashes of this process, and the cameras that made it crash.
 *
 * All cameras are in one process, and a decoder may crash over what one of them sends. What
 * is left of a process that crashes is one line in a file. So it is with a library that
 * calls exit(). Nothing but what a signal handler may do happens there: the file is open,
 * the lines are prepared, and the thread's name, which the kernel has, says whose it is. A
 * signal that another process sent is no crash and leaves no line. Sanitizers report crashes
 * themselves, better.
 *
 * A camera whose threads crashed three times within ten minutes is not started until a
 * person says so, or it is another camera: its source is part of who it is, as a hash,
 * since sources have passwords. The file has a line for each crash; after the next start
 * it begins with "before", or "quarantine" if the camera is quarantined. */

#include "config.h"

#ifdef HAVE_SERVE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <y10/y10.h>

#include "base/log.h"
#include "base/privatefile.h"
#include "base/readfile.h"
#include "serve/crash.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAVE_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) \
    || __has_feature(memory_sanitizer)
#define HAVE_SANITIZER 1
#endif
#endif

#define MAX_CRASHES 3
#define WINDOW 600 /* s */
#define MAX_FILE (1 << 20)
#define MAX_SLOTS 256 /* then those of cameras of long ago are used again */
#define MAX_WHO 64
#define MAX_LINE 128

/* Those by which the kernel, the C library and GLib end a process. */
static const struct
{
  int number;
  const char *name;
} signals[] = {
  { SIGSEGV, "SIGSEGV" },
  { SIGBUS, "SIGBUS" },
  { SIGABRT, "SIGABRT" },
  { SIGFPE, "SIGFPE" },
  { SIGILL, "SIGILL" },
  { SIGTRAP, "SIGTRAP" },
  { SIGSYS, "SIGSYS" },
  { SIGXCPU, "SIGXCPU" },
};

/* A thread whose crash is @who's. */
typedef struct
{
  atomic_bool used;
  char thread[16], who[MAX_WHO];
} Slot;

static Slot slots[MAX_SLOTS];
static _Atomic (Slot *) suspect;
static int file = -1;
#ifndef HAVE_SANITIZER
static pid_t self;
#endif

static Slot *
find_slot (const char *thread)
{
  for (guint i = 0; i < MAX_SLOTS; i++)
    if (slots[i].used && !strcmp (slots[i].thread, thread))
      return &slots[i];
  return NULL;
}

#ifndef HAVE_SANITIZER

typedef struct
{
  char text[MAX_LINE];
  size_t n;
} Line;

static void
add_word (Line *line, const char *word)
{
  while (*word && line->n < MAX_LINE - 1)
    line->text[line->n++] = *word++;
  line->text[line->n++] = ' ';
}

static void
add_number (Line *line, long long number)
{
  char digits[24];
  size_t at = sizeof digits - 1;

  digits[at] = 0;
  do
    digits[--at] = (char) ('0' + number % 10);
  while ((number /= 10) > 0);
  add_word (line, digits + at);
}

static void
write_line (int signal)
{
  char thread[16] = "";
  Line line = { .n = 0 };
  struct timespec now;
  const Slot *slot;
  const char *kind = "crash";

  prctl (PR_GET_NAME, thread);
  slot = find_slot (thread);
  if (!slot && (slot = suspect))
    kind = "suspect";
  clock_gettime (CLOCK_REALTIME, &now);
  add_word (&line, kind);
  add_number (&line, MAX (now.tv_sec, 0));
  add_number (&line, signal);
  add_word (&line, slot ? slot->who : "-");
  line.text[line.n - 1] = '\n';
  if (write (file, line.text, line.n) < 0)
    return; /* there is nobody to tell */
}

static void
on_crash (int signal, siginfo_t *info, void *context)
{
  static atomic_int owner;
  const struct sigaction ordinary = { .sa_handler = SIG_DFL };
  const gboolean sent = info->si_code <= 0;
  const int thread = gettid ();
  int taken = 0;

  if (!sent || info->si_pid == self) {
    /* Of two threads that crash at once, the first one's line is whole. One that crashes
     * twice did so before its signal was deadly. */
    if (atomic_compare_exchange_strong (&owner, &taken, thread))
      write_line (signal);
    else
      while (taken != thread)
        pause ();
  }
  sigaction (signal, &ordinary, NULL);
  /* It comes on return, to this thread. */
  raise (signal);
}

/* The main thread ends the process as it should. */
static void
on_exit_call (void)
{
  if (gettid () != self)
    write_line (0);
}

static void
install (void)
{
  struct sigaction action = { .sa_sigaction = on_crash,
    .sa_flags = SA_SIGINFO | SA_ONSTACK };

  self = getpid ();
  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i].number, &action, NULL);
  atexit (on_exit_call);
  tool_thread_give_stack ();
}

#endif

/* Has crashes recorded in @path from now on. */
static gboolean
open_file (const char *path, GError **error)
{
  const int fd = open (path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

  if (fd < 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "cannot write %s: %s",
        path, g_strerror (errno));
    return FALSE;
  }
  if (file >= 0) { /* at no time is there none */
    dup3 (fd, file, O_CLOEXEC);
    close (fd);
    return TRUE;
  }
  file = fd;
#ifndef HAVE_SANITIZER
  install ();
#endif
  return TRUE;
}

typedef struct
{
  char *who;
  gint64 times[MAX_CRASHES]; /* s; the latest are last; 0: none */
  gint64 signal;             /* of the latest */
  gboolean quarantined;
} Record;

struct _ServeCrashes
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
  g_free (record);
}

/* Free with g_free(). */
static char *
make_who (const ToolCameraSettings *camera)
{
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256,
      camera->source, -1);

  return g_strdup_printf ("%s/%.16s", camera->id, hash);
}

static Record *
find_record (const ServeCrashes *crashes, const char *who)
{
  for (guint i = 0; i < crashes->records->len; i++) {
    Record *record = crashes->records->pdata[i];

    if (!strcmp (record->who, who))
      return record;
  }
  return NULL;
}

static const char *
name_signal (gint64 number)
{
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (signals[i].number == number)
      return signals[i].name;
  return number ? "a signal" : "a call of exit()";
}

static void
add_crash (Record *record, gint64 time, gint64 signal)
{
  memmove (record->times, record->times + 1,
      sizeof record->times - sizeof *record->times);
  record->times[MAX_CRASHES - 1] = time;
  record->signal = signal;
  /* The clock may have been set back between two. */
  if (record->times[0]
      && ABS (record->times[MAX_CRASHES - 1] - record->times[0]) <= WINDOW)
    record->quarantined = TRUE;
}

/* Free with g_free(). */
static char *
format_time (gint64 seconds)
{
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_local (seconds);
  char *time = when ? g_date_time_format (when, "%F %T") : NULL;

  return time ? time : g_strdup ("an unknown time");
}

/* Of the last run. */
static void
log_crash (const char *kind, gint64 seconds, gint64 signal, const char *who)
{
  const gboolean suspected = !strcmp (kind, "suspect");
  g_autofree char *time = format_time (seconds);

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
}

/* A line that is not whole, or not ours, is left out. */
static void
read_line (ServeCrashes *crashes, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 5);
  gint64 time, signal;
  Record *record;

  if (g_strv_length (words) != 4
      || !g_ascii_string_to_signed (words[1], 10, 1, G_MAXINT64 / 2, &time,
          NULL)
      || !g_ascii_string_to_signed (words[2], 10, 0, 64, &signal, NULL))
    return;
  if (!strcmp (words[0], "suspect") || !strcmp (words[0], "crash"))
    log_crash (words[0], time, signal, words[3]);
  if (!strcmp (words[0], "suspect") || !strcmp (words[3], "-"))
    crashes->unsure = TRUE;
  if (!strcmp (words[3], "-"))
    return;
  record = find_record (crashes, words[3]);
  if (!record) {
    record = g_new0 (Record, 1);
    record->who = g_strdup (words[3]);
    g_ptr_array_add (crashes->records, record);
  }
  add_crash (record, time, signal);
  record->quarantined |= !strcmp (words[0], "quarantine");
}

/* Forgets cameras that are not there any more, or have another source. */
static void
drop_others (ServeCrashes *crashes, const ServeSettings *settings)
{
  g_autoptr (GHashTable)
      known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < settings->cameras->len; i++)
    g_hash_table_add (known, make_who (settings->cameras->pdata[i]));
  for (guint i = crashes->records->len; i-- > 0;) {
    const Record *record = crashes->records->pdata[i];

    if (!g_hash_table_contains (known, record->who))
      g_ptr_array_remove_index (crashes->records, i);
  }
}

static void
read_file (ServeCrashes *crashes, const ServeSettings *settings)
{
  gsize n;
  g_autofree char *text = tool_read_file (crashes->path, MAX_FILE, &n, NULL);
  g_auto (GStrv) lines = NULL;

  if (!text)
    return;
  for (gsize i = 0; i < n; i++) /* as a file system may leave behind */
    if (!text[i])
      text[i] = '?';
  lines = g_strsplit (text, "\n", -1);
  /* What is behind the last end of a line was not written wholly. */
  for (guint i = 0; lines[0] && lines[i + 1]; i++)
    read_line (crashes, lines[i]);
  drop_others (crashes, settings);
}

/* Crashes of nobody count for one start only, so they are left out. */
static gboolean
write_file (ServeCrashes *crashes, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < crashes->records->len; i++) {
    const Record *record = crashes->records->pdata[i];

    for (guint t = 0; t < MAX_CRASHES; t++)
      if (record->times[t])
        g_string_append_printf (text,
            "%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s\n",
            record->quarantined ? "quarantine" : "before", record->times[t],
            record->signal, record->who);
  }
  return tool_write_private (crashes->path, text->str, error)
      && open_file (crashes->path, error);
}

ServeCrashes *
serve_crashes_new (const char *path, const ServeSettings *settings)
{
  ServeCrashes *crashes = g_new0 (ServeCrashes, 1);
  g_autoptr (GError) error = NULL;

  crashes->path = g_strdup (path);
  crashes->records = g_ptr_array_new_with_free_func (free_record);
  read_file (crashes, settings);
  if (!write_file (crashes, &error))
    tool_log (TOOL_LOG_WARNING, "crashes of cameras are not recorded: %s",
        error->message);
  return crashes;
}

void
serve_crashes_free (ServeCrashes *crashes)
{
  g_free (crashes->path);
  g_ptr_array_unref (crashes->records);
  g_free (crashes);
}

void
serve_crashes_watch (const ToolCameraSettings *camera,
    char thread[TOOL_THREAD_NAME])
{
  static guint next;
  g_autofree char *who = make_who (camera);
  Slot *slot;

  /* A long id is cut, so that what is left needs a sign of its own. */
  if (strlen (camera->id) <= TOOL_THREAD_NAME - 5)
    g_snprintf (thread, TOOL_THREAD_NAME, "cam:%s", camera->id);
  else
    g_snprintf (thread, TOOL_THREAD_NAME, "cam:%.6s~%04x", camera->id,
        g_str_hash (camera->id) & 0xffff);
  slot = find_slot (thread);
  if (!slot)
    slot = &slots[next++ % MAX_SLOTS];
  slot->used = FALSE;
  g_strlcpy (slot->thread, thread, sizeof slot->thread);
  g_strlcpy (slot->who, who, sizeof slot->who);
  slot->used = TRUE;
}

char *
serve_crashes_judge (const ServeCrashes *crashes,
    const ToolCameraSettings *camera)
{
  g_autofree char *who = make_who (camera);
  const Record *record = find_record (crashes, who);
  g_autofree char *time = NULL;

  if (!record || !record->quarantined)
    return NULL;
  time = format_time (record->times[MAX_CRASHES - 1]);
  return g_strdup_printf (
      "its threads crashed %d times within %d minutes, the last time at %s by %s; "
      "release it to start it again",
      MAX_CRASHES, WINDOW / 60, time, name_signal (record->signal));
}

gboolean
serve_crashes_forget (ServeCrashes *crashes, const ToolCameraSettings *camera,
    GError **error)
{
  g_autofree char *who = make_who (camera);
  Record *record = find_record (crashes, who);
  guint i;

  if (!record || !g_ptr_array_find (crashes->records, record, &i))
    return TRUE;
  g_ptr_array_steal_index (crashes->records, i);
  if (write_file (crashes, error)) {
    free_record (record);
    return TRUE;
  }
  g_ptr_array_insert (crashes->records, (gint) i, record);
  return FALSE;
}

gboolean
serve_crashes_are_unsure (const ServeCrashes *crashes)
{
  return crashes->unsure;
}

void
serve_crashes_suspect (const ToolCameraSettings *camera)
{
  g_autofree char *who = camera ? make_who (camera) : NULL;
  Slot *found = NULL;

  for (guint i = 0; who && i < MAX_SLOTS && !found; i++)
    if (slots[i].used && !strcmp (slots[i].who, who))
      found = &slots[i];
  suspect = found;
}

#endif
