/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Names of streaming threads.
 *
 * A task tells that its thread begins from that thread, and gives it the task's own name
 * right after that: so both are named. Pools use threads again; whoever is next names
 * them anew, and meanwhile they have no name of ours. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <signal.h>
#include <sys/prctl.h>

#include "camera/threads.h"

/* More than the registers of AMX take. */
#define STACK (64 << 10)

static void
free_stack (gpointer stack)
{
  const stack_t none = { .ss_flags = SS_DISABLE };

  sigaltstack (&none, NULL);
  g_free (stack);
}

void
tool_thread_give_stack (void)
{
  static GPrivate stacks = G_PRIVATE_INIT (free_stack);
  stack_t stack = { .ss_size = STACK };

  if (g_private_get (&stacks))
    return;
  stack.ss_sp = g_malloc (STACK);
  sigaltstack (&stack, NULL);
  g_private_set (&stacks, stack.ss_sp);
}

void
tool_thread_name (const char *name)
{
  prctl (PR_SET_NAME, name);
  tool_thread_give_stack ();
}

static void
name_task (const GValue *object, const char *name)
{
  if (object && G_VALUE_HOLDS (object, GST_TYPE_TASK)
      && g_value_get_object (object))
    gst_object_set_name (g_value_get_object (object), name);
}

static GstBusSyncReply
on_message (GstBus *bus, GstMessage *message, gpointer name)
{
  GstStreamStatusType type;
  GstElement *owner;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_STREAM_STATUS)
    return GST_BUS_PASS;
  gst_message_parse_stream_status (message, &type, &owner);
  if (type == GST_STREAM_STATUS_TYPE_ENTER) {
    name_task (gst_message_get_stream_status_object (message), name);
    tool_thread_name (name);
  } else if (type == GST_STREAM_STATUS_TYPE_LEAVE) {
    prctl (PR_SET_NAME, "pool");
  }
  return GST_BUS_PASS;
}

void
tool_threads_name (GstBus *bus, const char *name)
{
  gst_bus_set_sync_handler (bus, on_message, g_strdup (name), g_free);
}

#endif
