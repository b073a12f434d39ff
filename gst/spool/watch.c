/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Who waits for lines, whether their writer is open yet or not. A writer finds its watches
 * by the folder's path, so those of other processes, and of other paths to a folder, are
 * told by their interval alone. */
#include "spool/watch.h"

#include <string.h>

typedef struct
{
  GSource source;
  gchar *folder; /* absolute path */
  gint64 interval;
} Watch;

static GMutex lock;
static GList *watches;

static gboolean
dispatch (GSource *source, GSourceFunc func, gpointer user)
{
  const Watch *watch = (const Watch *) source;

  /* Before, so that what comes meanwhile is told again. */
  g_source_set_ready_time (source,
      watch->interval ? g_get_monotonic_time () + watch->interval : -1);
  return func (user);
}

static GSourceFuncs funcs = { NULL, NULL, dispatch, NULL };

/**
 * gst_y10_spool_watch_new:
 * @folder: path of a spool, which need not be there
 * @interval: microseconds after which to call @func anyway; 0: never
 * @func: called in @context whenever more is synced, and returns %G_SOURCE_CONTINUE
 * @user: passed to @func
 * @context: (nullable): where; %NULL: the default one
 *
 * Watches a spool. g_source_set_ready_time() with 0 makes it call @func once more.
 *
 * Returns: (transfer full): the watch, for gst_y10_spool_watch_free()
 */
GSource *
gst_y10_spool_watch_new (const gchar *folder, gint64 interval, GSourceFunc func,
    gpointer user, GMainContext *context)
{
  GSource *source = g_source_new (&funcs, sizeof (Watch));
  Watch *self = (Watch *) source;

  self->folder = g_canonicalize_filename (folder, NULL);
  self->interval = interval;
  g_source_set_callback (source, func, user, NULL);
  if (interval)
    g_source_set_ready_time (source, g_get_monotonic_time () + interval);
  g_source_attach (source, context);
  g_mutex_lock (&lock);
  watches = g_list_prepend (watches, self);
  g_mutex_unlock (&lock);
  return source;
}

/* Ends a watch. A call of its function that another thread has begun may still run. */
void
gst_y10_spool_watch_free (GSource *source)
{
  Watch *self = (Watch *) source;

  if (!self)
    return;
  g_mutex_lock (&lock);
  watches = g_list_remove (watches, self);
  g_mutex_unlock (&lock);
  g_clear_pointer (&self->folder, g_free);
  g_source_destroy (source);
  g_source_unref (source);
}

void
gst_y10_spool_watch_notify (const gchar *folder)
{
  g_mutex_lock (&lock);
  for (GList *l = watches; l; l = l->next) {
    const Watch *watch = l->data;

    if (!strcmp (watch->folder, folder))
      g_source_set_ready_time (l->data, 0);
  }
  g_mutex_unlock (&lock);
}
