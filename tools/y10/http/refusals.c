/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Refusals in the log, of which no client can make more than a few lines a minute: the
 * first of an address for a reason is a line at once, and what follows is counted until the
 * minute is over. So is what comes from further addresses than are told apart, since a
 * client can have any number of them. */

#include "config.h"

#ifdef HAVE_SERVE

#include "base/log.h"
#include "http/refusals.h"

#define INTERVAL 60      /* s */
#define MAX_ADDRESSES 32 /* and reasons */

struct _HttpRefusals
{
  guint end;             /* of this minute, a source; 0: none has come */
  GHashTable *addresses; /* and reason → guint *, how often since the line */
  guint n_others;
};

HttpRefusals *
http_refusals_new (void)
{
  HttpRefusals *self = g_new0 (HttpRefusals, 1);

  self->addresses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  return self;
}

static void
tell_counts (HttpRefusals *self)
{
  GHashTableIter iter;
  gpointer address, n;

  g_hash_table_iter_init (&iter, self->addresses);
  while (g_hash_table_iter_next (&iter, &address, &n)) {
    if (*(guint *) n)
      tool_log (TOOL_LOG_WARNING, "refused %s, %u more within a minute",
          (const char *) address, *(guint *) n);
  }
  if (self->n_others)
    tool_log (TOOL_LOG_WARNING,
        "refused: %u more within a minute, from other addresses",
        self->n_others);
  g_hash_table_remove_all (self->addresses);
  self->n_others = 0;
}

void
http_refusals_free (HttpRefusals *self)
{
  g_clear_handle_id (&self->end, g_source_remove);
  tell_counts (self);
  g_hash_table_unref (self->addresses);
  g_free (self);
}

static gboolean
on_end (gpointer data)
{
  HttpRefusals *self = data;

  self->end = 0;
  tell_counts (self);
  return G_SOURCE_REMOVE;
}

void
http_refusals_add (HttpRefusals *self, const char *address, const char *reason,
    const char *details)
{
  g_autofree char *key = g_strconcat (address, ": ", reason, NULL);
  guint *n;

  n = g_hash_table_lookup (self->addresses, key);
  if (n) {
    ++*n;
  } else if (g_hash_table_size (self->addresses) >= MAX_ADDRESSES) {
    self->n_others++;
  } else {
    if (!self->end)
      self->end = g_timeout_add_seconds (INTERVAL, on_end, self);
    tool_log (TOOL_LOG_WARNING, "refused %s%s", key, details ? details : "");
    g_hash_table_insert (self->addresses, g_steal_pointer (&key),
        g_new0 (guint, 1));
  }
}

#endif
