/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Preloaded, it makes a streaming thread crash in gst_pad_push(), as a decoder may.
 *
 * In the environment: CRASH_IN, the thread's name; CRASH_BY, "fault", "abort", "stack",
 * "memory" (GLib has none left), "exit" or a signal's number; CRASH_AS, another name that
 * it gets before that. CRASH_AT_STOP: the main thread does, when y10 serve stops. */

#include <dlfcn.h>
#include <gst/gst.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define AFTER 20 /* frames */

static volatile char *nowhere;
static volatile int enough;

static int
overflow (volatile char *caller)
{
  volatile char here[4096];

  here[0] = caller ? *caller : 0;
  here[4095] = 1;
  return enough ? 0 : overflow (here) + here[4095];
}

static void
crash (const char *how)
{
  if (!strcmp (how, "abort"))
    abort ();
  if (!strcmp (how, "stack"))
    exit (overflow (NULL));
  if (!strcmp (how, "memory"))
    g_free (g_malloc (G_MAXSIZE / 2));
  if (!strcmp (how, "exit"))
    exit (3);
  if (atoi (how))
    raise (atoi (how));
  *nowhere = 1;
}

/* What y10 serve calls while it stops, and at no other time. */
void soup_server_disconnect (gpointer server);

void
soup_server_disconnect (gpointer server)
{
  void (*disconnect) (gpointer) = (void (*) (gpointer)) dlsym (RTLD_NEXT,
      "soup_server_disconnect");

  if (getenv ("CRASH_AT_STOP"))
    abort ();
  disconnect (server);
}

GstFlowReturn
gst_pad_push (GstPad *pad, GstBuffer *buffer)
{
  static __thread guint n;
  static GstFlowReturn (*push) (GstPad *, GstBuffer *);
  const char *where = getenv ("CRASH_IN"), *as = getenv ("CRASH_AS");
  char name[16] = "";

  if (!push)
    push = (GstFlowReturn (*) (GstPad *, GstBuffer *)) dlsym (RTLD_NEXT,
        "gst_pad_push");
  prctl (PR_GET_NAME, name);
  if (where && !strcmp (where, name) && ++n == AFTER) {
    if (as)
      prctl (PR_SET_NAME, as);
    crash (getenv ("CRASH_BY"));
  }
  return push (pad, buffer);
}
