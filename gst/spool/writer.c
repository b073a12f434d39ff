/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which lines are lost where a disk or pipe is too slow: frames before events, and
 * none of a stream that can wait. Streams fill one batch while the thread writes the other;
 * both are allocated once. What could not be written is tried again, at once and then each
 * second, and meanwhile nobody waits, since that could be for ever. One failure is not worth
 * a word, but where lines were kept that nobody finds any more. */
#include "spool/writer.h"

#include <gio/gio.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#define DEFAULT_CAPACITY (4 << 20)

/* Of frames that give way to an event, at least so much goes at a time: each time moves
 * what is left. */
#define LEAST_DROP(capacity) ((capacity) / 4)

/* How long a slow reader may hold up the end. */
#define MAX_FAREWELL (2 * G_TIME_SPAN_SECOND)

typedef struct
{
  guint32 length;
  guint32 kind;
} Entry;

typedef struct
{
  gchar *text;
  gsize length;
  GArray *entries; /* Entry */
} Batch;

struct _GstY10Writer
{
  const GstY10Store *store;
  gpointer user;
  gint64 interval;
  gsize capacity;
  GThread *thread;

  GMutex lock;
  GCond more, changed;
  Batch open;         /* which streams fill */
  guint64 put, done;  /* lines: taken; of these, written or given up */
  guint n_flushes;    /* that wait */
  gboolean failing;   /* the latest write */
  gboolean is_closed; /* the thread ends when nothing is left */
  gint64 closed_at;
  GstY10SpoolStats stats;

  /* Of the thread. */
  Batch writing;
  gint64 taken_at; /* the latest batch */
};

static void
batch_init (Batch *batch, gsize capacity)
{
  batch->text = g_malloc (capacity);
  batch->length = 0;
  batch->entries = g_array_sized_new (FALSE, FALSE, sizeof (Entry),
      (guint) (capacity / 512));
}

static void
batch_clear (Batch *batch)
{
  g_free (batch->text);
  g_array_unref (batch->entries);
}

static void
batch_add (Batch *batch, GstY10LineKind kind, const gchar *line, gsize length)
{
  const Entry entry = { (guint32) length + 1, kind };

  memcpy (batch->text + batch->length, line, length);
  batch->text[batch->length + length] = '\n';
  batch->length += length + 1;
  g_array_append_val (batch->entries, entry);
}

/* Removes the oldest frames, @least bytes if there are so many. Returns how many. */
static guint
batch_drop_frames (Batch *batch, gsize least)
{
  gsize from = 0, to = 0, dropped = 0;
  guint kept = 0, n = batch->entries->len;

  for (guint i = 0; i < n; i++) {
    const Entry entry = g_array_index (batch->entries, Entry, i);

    if (entry.kind == GST_Y10_LINE_FRAME && dropped < least) {
      dropped += entry.length;
    } else {
      memmove (batch->text + to, batch->text + from, entry.length);
      to += entry.length;
      g_array_index (batch->entries, Entry, kept++) = entry;
    }
    from += entry.length;
  }
  batch->length = to;
  g_array_set_size (batch->entries, kept);
  return n - kept;
}

/* Call with the lock held. Returns whether frames went that an event may take the place
 * of. */
static gboolean
drop_frames (GstY10Writer *self, gsize length)
{
  const guint n = batch_drop_frames (&self->open,
      MAX (length, LEAST_DROP (self->capacity)));

  self->stats.dropped[GST_Y10_LINE_FRAME] += n;
  self->done += n;
  return n > 0;
}

/* Call with the lock held. Returns whether there is room for @length bytes. */
static gboolean
make_room (GstY10Writer *self, const gboolean *flushing, GstY10LineKind kind,
    gsize length, gboolean may_wait)
{
  if (length > self->capacity)
    return FALSE;
  while (self->open.length + length > self->capacity) {
    if (may_wait && !*flushing && !self->failing)
      g_cond_wait (&self->changed, &self->lock);
    else if (kind != GST_Y10_LINE_EVENT || !drop_frames (self, length))
      return FALSE;
  }
  return TRUE;
}

/**
 * gst_y10_writer_put:
 * @self: a writer
 * @flushing: of the caller, set by gst_y10_writer_set_flag(): it must not wait
 * @kind: of the line
 * @line: a line without its newline
 * @length: of the line, in bytes
 * @may_wait: whether to wait for room
 *
 * Takes a line. Allocates nothing. An event takes the place of frames where there is no
 * room.
 *
 * Returns: %FALSE if the line is lost, which is counted
 */
gboolean
gst_y10_writer_put (GstY10Writer *self, const gboolean *flushing,
    GstY10LineKind kind, const gchar *line, gsize length, gboolean may_wait)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = make_room (self, flushing, kind, length + 1, may_wait);
  if (ok) {
    batch_add (&self->open, kind, line, length);
    self->put++;
    if (self->open.entries->len == 1 || self->open.length >= self->capacity / 2)
      g_cond_signal (&self->more);
  } else {
    self->stats.dropped[kind]++;
  }
  g_mutex_unlock (&self->lock);
  return ok;
}

/* Sets a flag that gst_y10_writer_put() or gst_y10_writer_flush() looks at. */
void
gst_y10_writer_set_flag (GstY10Writer *self, gboolean *flag, gboolean value)
{
  g_mutex_lock (&self->lock);
  *flag = value;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/**
 * gst_y10_writer_flush:
 * @self: a writer
 * @flushing: see gst_y10_writer_put()
 *
 * Waits until all lines that were put are written, unless that fails.
 *
 * Returns: whether they are
 */
gboolean
gst_y10_writer_flush (GstY10Writer *self, const gboolean *flushing)
{
  guint64 until;
  gboolean ok;

  g_mutex_lock (&self->lock);
  until = self->put;
  self->n_flushes++;
  g_cond_signal (&self->more);
  while (self->done < until && !*flushing && !self->failing)
    g_cond_wait (&self->changed, &self->lock);
  self->n_flushes--;
  ok = self->done >= until;
  g_mutex_unlock (&self->lock);
  return ok;
}

/* Adds what the queue and the thread have counted. */
void
gst_y10_writer_get_stats (GstY10Writer *self, GstY10SpoolStats *stats)
{
  g_mutex_lock (&self->lock);
  stats->queued = self->put;
  stats->synced = self->stats.synced;
  for (guint i = 0; i < GST_Y10_N_LINE_KINDS; i++)
    stats->dropped[i] = self->stats.dropped[i];
  stats->errors = self->stats.errors;
  stats->longest_sync = self->stats.longest_sync;
  g_mutex_unlock (&self->lock);
}

/* Counts the lines of @batch as written up to @done, and the others as given up. */
static void
finish (GstY10Writer *self, Batch *batch, gsize done)
{
  gsize end = 0;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < batch->entries->len; i++) {
    const Entry *entry = &g_array_index (batch->entries, Entry, i);

    end += entry->length;
    if (end <= done)
      self->stats.synced++;
    else
      self->stats.dropped[entry->kind]++;
  }
  self->done += batch->entries->len;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  batch->length = 0;
  g_array_set_size (batch->entries, 0);
}

static void
set_failing (GstY10Writer *self, const GError *error)
{
  const gboolean failing = error != NULL;
  gboolean changed;

  g_mutex_lock (&self->lock);
  changed = self->failing != failing;
  self->failing = failing;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (changed && self->store->on_state)
    self->store->on_state (error, self->user);
}

static GstY10WriteResult
try_to_write (GstY10Writer *self, gsize *done, GError **error)
{
  const Batch *batch = &self->writing;
  const gint64 began_at = g_get_monotonic_time ();
  const GstY10WriteResult result = self->store->write (self->user,
      batch->text + *done, batch->length - *done, done, error);
  const gint64 took = g_get_monotonic_time () - began_at;

  g_mutex_lock (&self->lock);
  self->stats.longest_sync = MAX (self->stats.longest_sync, took);
  self->stats.errors += result == GST_Y10_WRITE_FAILED;
  g_mutex_unlock (&self->lock);
  return result;
}

/* Whether what could not be written has to be given up. */
static gboolean
is_over (GstY10Writer *self, gboolean failed)
{
  gboolean over;

  g_mutex_lock (&self->lock);
  over = self->is_closed
      && (failed || g_get_monotonic_time () - self->closed_at > MAX_FAREWELL);
  g_mutex_unlock (&self->lock);
  return over;
}

/* Waits for a second, or the end. */
static void
pause_writing (GstY10Writer *self)
{
  const gint64 until = g_get_monotonic_time () + G_TIME_SPAN_SECOND;

  g_mutex_lock (&self->lock);
  while (
      !self->is_closed && g_cond_wait_until (&self->more, &self->lock, until))
    ;
  g_mutex_unlock (&self->lock);
}

/* Writes the batch, or gives up what could not be written when all ends. */
static void
write_batch (GstY10Writer *self)
{
  gsize done = 0;
  guint n_failed = 0;

  while (done < self->writing.length) {
    g_autoptr (GError) error = NULL;
    const GstY10WriteResult result = try_to_write (self, &done, &error);

    if (result == GST_Y10_WRITE_DONE)
      continue;
    if (result == GST_Y10_WRITE_FAILED
        && (n_failed++ > 0
            || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)))
      set_failing (self, error);
    if (n_failed != 1 && is_over (self, n_failed > 0))
      break;
    if (n_failed > 1)
      pause_writing (self);
  }
  if (done == self->writing.length)
    set_failing (self, NULL);
  finish (self, &self->writing, done);
}

static void
tend (GstY10Writer *self, gint64 *due)
{
  g_autoptr (GError) error = NULL;

  if (g_get_monotonic_time () < *due)
    return;
  if (self->store->tend && !self->store->tend (self->user, &error)) {
    g_mutex_lock (&self->lock);
    self->stats.errors++;
    g_mutex_unlock (&self->lock);
  }
  if (self->store->tend)
    set_failing (self, error);
  *due = g_get_monotonic_time () + G_TIME_SPAN_SECOND;
}

/* Call with the lock held. Waits until lines are to be written; FALSE: there will be none,
 * or none until @due. */
static gboolean
wait_for_lines (GstY10Writer *self, gint64 due)
{
  while (!self->open.entries->len && !self->is_closed)
    if (!g_cond_wait_until (&self->more, &self->lock, due))
      return FALSE;
  while (self->open.entries->len && !self->is_closed && !self->n_flushes
      && self->open.length < self->capacity / 2
      && g_cond_wait_until (&self->more, &self->lock,
          self->taken_at + self->interval))
    ;
  return self->open.entries->len > 0;
}

static gpointer
run (gpointer user)
{
  GstY10Writer *self = user;
  gint64 due = g_get_monotonic_time () + G_TIME_SPAN_SECOND;
  sigset_t pipe;
  gboolean over = FALSE;

  /* A reader that has gone is an error of write(), not a signal. */
  sigemptyset (&pipe);
  sigaddset (&pipe, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipe, NULL);
  while (!over) {
    gboolean any;

    g_mutex_lock (&self->lock);
    any = wait_for_lines (self, due);
    if (any) {
      const Batch batch = self->open;

      self->open = self->writing;
      self->writing = batch;
      self->taken_at = g_get_monotonic_time ();
      g_cond_broadcast (&self->changed);
    }
    over = !any && self->is_closed;
    g_mutex_unlock (&self->lock);
    if (any)
      write_batch (self);
    tend (self, &due);
  }
  return NULL;
}

/**
 * gst_y10_writer_new:
 * @store: where to write; borrowed
 * @user: passed to its functions
 * @interval: microseconds between the beginnings of two writes, for which lines are
 *   collected; the first line after so long is written at once
 * @capacity: bytes of lines that may wait; 0: a default
 *
 * Returns: (transfer full): a writer, which runs
 */
GstY10Writer *
gst_y10_writer_new (const GstY10Store *store, gpointer user, gint64 interval,
    gsize capacity)
{
  GstY10Writer *self = g_new0 (GstY10Writer, 1);

  self->store = store;
  self->user = user;
  self->interval = interval;
  self->taken_at = -interval;
  self->capacity = capacity ? capacity : DEFAULT_CAPACITY;
  g_mutex_init (&self->lock);
  g_cond_init (&self->more);
  g_cond_init (&self->changed);
  batch_init (&self->open, self->capacity);
  batch_init (&self->writing, self->capacity);
  self->thread = g_thread_new ("y10-publish", run, self);
  return self;
}

/* Writes what is left, as far as that is possible, and ends the thread. */
void
gst_y10_writer_stop (GstY10Writer *self)
{
  if (!self->thread)
    return;
  g_mutex_lock (&self->lock);
  self->is_closed = TRUE;
  self->closed_at = g_get_monotonic_time ();
  g_cond_broadcast (&self->more);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&self->thread, g_thread_join);
}

void
gst_y10_writer_free (GstY10Writer *self)
{
  if (!self)
    return;
  gst_y10_writer_stop (self);
  batch_clear (&self->open);
  batch_clear (&self->writing);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->more);
  g_cond_clear (&self->changed);
  g_free (self);
}
