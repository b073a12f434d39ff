/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What is left of a process that crashes: one line in a file. So it is with a library that
 * calls exit().
 *
 * Nothing but what a signal handler may do happens here: the file is open, the lines are
 * prepared, and the thread's name, which the kernel has, says whose it is. A signal that
 * another process sent is no crash and leaves no line. Sanitizers report crashes
 * themselves, better. */

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

#include "camera/threads.h"
#include "serve/crash.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAVE_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) \
    || __has_feature(memory_sanitizer)
#define HAVE_SANITIZER 1
#endif
#endif

#define MOST_SLOTS 256 /* then those of cameras of long ago are used again */
#define MOST_WHO 64
#define MOST_LINE 128

typedef struct
{
  atomic_bool used;
  char thread[16], who[MOST_WHO];
} Slot;

static Slot slots[MOST_SLOTS];
static _Atomic (Slot *) suspect;
static int file = -1;
#ifndef HAVE_SANITIZER
static pid_t self;
#endif

static Slot *
find_slot (const char *thread)
{
  for (guint i = 0; i < MOST_SLOTS; i++)
    if (slots[i].used && !strcmp (slots[i].thread, thread))
      return &slots[i];
  return NULL;
}

#ifndef HAVE_SANITIZER

typedef struct
{
  char text[MOST_LINE];
  size_t n;
} Line;

static void
add_word (Line *line, const char *word)
{
  while (*word && line->n < MOST_LINE - 1)
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
  /* Those by which the kernel, the C library and GLib end a process. */
  const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP,
    SIGSYS, SIGXCPU };
  struct sigaction action = { .sa_sigaction = on_crash,
    .sa_flags = SA_SIGINFO | SA_ONSTACK };

  self = getpid ();
  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    sigaction (signals[i], &action, NULL);
  atexit (on_exit_call);
  tool_thread_give_stack ();
}

#endif

gboolean
serve_crash_open (const char *path, GError **error)
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

void
serve_crash_add (const char *thread, const char *who)
{
  static guint next;
  Slot *slot = find_slot (thread);

  if (!slot)
    slot = &slots[next++ % MOST_SLOTS];
  slot->used = FALSE;
  g_strlcpy (slot->thread, thread, sizeof slot->thread);
  g_strlcpy (slot->who, who, sizeof slot->who);
  slot->used = TRUE;
}

void
serve_crash_suspect (const char *who)
{
  Slot *found = NULL;

  for (guint i = 0; who && i < MOST_SLOTS && !found; i++)
    if (slots[i].used && !strcmp (slots[i].who, who))
      found = &slots[i];
  suspect = found;
}

#endif
