/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A spool loses no line that it has called safe, and gives no name twice, whatever power
 * loss leaves of it; and it goes on where the disk is full, slow or damaged. */
#include "spoolcommon.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"
#include "waitfor.h"

#define N_LOSSES 1000

static guint n_failed, n_recovered;

static void
on_state (const GError *error, gpointer user)
{
  if (error) {
    g_assert_nonnull (strstr (error->message, user));
    n_failed++;
  } else {
    n_recovered++;
  }
}

/* Full for a while: nothing is lost, nothing is there twice, and it is told once. */
static void
check_errors (gboolean syncs, int code)
{
  const GstY10SpoolConfig config = { 0 };
  g_autofree gchar *folder = spool_folder ();
  GError *error = NULL;
  GstY10SpoolClient *client = gst_y10_spool_open (folder, &config, on_state,
      folder, &error);
  GstY10SpoolStats stats;

  g_assert_no_error (error);
  n_failed = n_recovered = 0;
  spool_put (client, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  /* Once is not worth a word. */
  (syncs ? disk_fail_syncs : disk_fail_writes) (1, code);
  spool_put (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  g_assert_cmpuint (n_failed, ==, 0);
  spool_expect_segments (folder, "1 2 ");
  (syncs ? disk_fail_syncs : disk_fail_writes) (3, code);
  disk_shorten_writes (5);
  spool_put (client, GST_Y10_LINE_EVENT, 3, 0, FALSE);
  g_assert_false (gst_y10_spool_flush (client));
  spool_put (client, GST_Y10_LINE_EVENT, 4, 0, TRUE);
  test_wait_for (spool_stats (client).synced >= 4);
  spool_expect (client, "1 2 3 4 ");
  stats = spool_stats (client);
  g_assert_cmpuint (stats.synced, ==, 4);
  g_assert_cmpuint (stats.errors, ==, 4);
  g_assert_cmpuint (stats.dropped[GST_Y10_LINE_EVENT], ==, 0);
  gst_y10_spool_close (client);
  g_assert_cmpuint (n_failed, ==, 1);
  g_assert_cmpuint (n_recovered, ==, 1);
  client = spool_open (folder, &config);
  spool_expect (client, "1 2 3 4 ");
  g_assert_cmpuint (spool_stats (client).bad_lines, ==, 0);
  gst_y10_spool_close (client);
}

static void
test_full (void)
{
  check_errors (FALSE, ENOSPC);
}

static void
test_broken (void)
{
  check_errors (TRUE, EIO);
}

/* Full up to the end: what cannot be written is counted, and the end comes. */
static void
test_full_end (void)
{
  const GstY10SpoolConfig config = { 0 };
  g_autofree gchar *folder = spool_folder ();
  GstY10SpoolClient *client = spool_open (folder, &config);

  spool_put (client, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  disk_fail_writes (1000, ENOSPC);
  spool_put (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  spool_put (client, GST_Y10_LINE_FRAME, 3, 0, FALSE);
  g_assert_false (gst_y10_spool_flush (client));
  gst_y10_spool_close (client);
  disk_begin (folder);
  client = spool_open (folder, &config);
  spool_expect (client, "1 ");
  gst_y10_spool_close (client);
}

typedef struct
{
  GstY10SpoolClient *client;
  gboolean ok;
  gint done; /* atomic */
} Waiting;

static gpointer
put_and_wait (gpointer user)
{
  Waiting *waiting = user;

  waiting->ok = spool_put (waiting->client, GST_Y10_LINE_FRAME, 9, 400, TRUE);
  g_atomic_int_set (&waiting->done, 1);
  return NULL;
}

/* A disk that stands still: frames are dropped before events, and whoever can wait does. */
static void
test_slow (void)
{
  const GstY10SpoolConfig config = { .queue_bytes = 4096 };
  gchar *folder = spool_folder (), *numbers;
  GstY10SpoolClient *client = spool_open (folder, &config);
  Waiting waiting = { client };
  GstY10SpoolStats stats;
  GThread *thread;
  guint n = 0;

  disk_stop ();
  spool_put (client, GST_Y10_LINE_EVENT, 1000, 0, FALSE);
  disk_await_sync (); /* the writer has taken it */
  while (spool_put (client, GST_Y10_LINE_FRAME, 2000 + n, 400, FALSE))
    n++;
  g_assert_cmpuint (n, ==, 9);
  for (guint i = 0; i < 9; i++)
    g_assert_true (
        spool_put (client, GST_Y10_LINE_EVENT, 3000 + i, 400, FALSE));
  g_assert_false (spool_put (client, GST_Y10_LINE_EVENT, 3999, 400, FALSE));
  stats = spool_stats (client);
  g_assert_cmpuint (stats.dropped[GST_Y10_LINE_FRAME], ==, 1 + 9);
  g_assert_cmpuint (stats.dropped[GST_Y10_LINE_EVENT], ==, 1);

  thread = g_thread_new ("waits", put_and_wait, &waiting);
  /* Too short a sleep may miss a defect, but never fails a correct spool. */
  g_usleep (300000);
  g_assert_cmpint (g_atomic_int_get (&waiting.done), ==, 0);
  gst_y10_spool_set_flushing (client, TRUE);
  g_thread_join (thread);
  g_assert_false (waiting.ok);
  g_assert_false (gst_y10_spool_flush (client));
  gst_y10_spool_set_flushing (client, FALSE);

  waiting.done = 0;
  thread = g_thread_new ("waits", put_and_wait, &waiting);
  g_usleep (300000);
  g_assert_cmpint (g_atomic_int_get (&waiting.done), ==, 0);
  disk_go_on ();
  g_thread_join (thread);
  g_assert_true (waiting.ok);
  g_assert_true (gst_y10_spool_flush (client));
  numbers = spool_read_from (client, (GstY10SpoolPosition){ 0, 0 });
  g_assert_cmpstr (numbers, ==,
      "1000 3000 3001 3002 3003 3004 3005 3006 3007 3008 9 ");
  stats = spool_stats (client);
  g_assert_cmpuint (stats.queued, ==, 1 + 9 + 9 + 1);
  g_assert_cmpuint (stats.synced, ==, 1 + 9 + 1);
  gst_y10_spool_close (client);
  g_free (numbers);
  g_free (folder);
}

/* A consumer that drops doubles by the name of a line, and what it must have. */
typedef struct
{
  GHashTable *named; /* "PRODUCER SEGMENT OFFSET" -> number + 1 */
  GArray *safe;      /* gboolean, by number */
  guint n_lines,
      n_lost; /* of the lines that were put: not safe, and not there */
} Consumer;

static void
mark_safe (Consumer *self, guint first, guint end)
{
  for (guint i = first; i < end; i++)
    g_array_index (self->safe, gboolean, i) = TRUE;
}

static void
consume (Consumer *self, const gchar *producer, const GstY10SpoolLine *line)
{
  const guint number = spool_number (line);
  gchar *name = g_strdup_printf ("%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
      producer, line->at.segment, line->at.offset);
  const guint known = GPOINTER_TO_UINT (
      g_hash_table_lookup (self->named, name));

  /* Else the consumer would take another line for a double. */
  if (known)
    g_assert_cmpuint (known - 1, ==, number);
  g_hash_table_replace (self->named, name, GUINT_TO_POINTER (number + 1));
  mark_safe (self, number, number + 1);
}

/* Reads all that is there: in order, nothing twice, and nothing safe is missing. */
static void
check_all (Consumer *self, GstY10SpoolClient *client)
{
  GstY10Spool *spool = gst_y10_spool_client_get_spool (client);
  GstY10SpoolReader *reader = gst_y10_spool_reader_new (spool, "",
      (GstY10SpoolPosition){ 0, 0 });
  GstY10SpoolLine line;
  guint next = 0;

  while (gst_y10_spool_reader_next (reader, &line)) {
    const guint number = spool_number (&line);

    g_assert_cmpuint (number, >=, next);
    for (; next < number; next++)
      g_assert_false (g_array_index (self->safe, gboolean, next));
    next = number + 1;
    consume (self, gst_y10_spool_get_producer (spool), &line);
  }
  for (; next < self->n_lines; next++)
    g_assert_false (g_array_index (self->safe, gboolean, next));
  gst_y10_spool_reader_free (reader);
}

/* A process that writes until the power fails, if it does. */
static void
live (Consumer *self, GstY10SpoolClient *client, GRand *random)
{
  GstY10Spool *spool = gst_y10_spool_client_get_spool (client);
  GstY10SpoolReader *reader = gst_y10_spool_reader_new (spool, "",
      gst_y10_spool_get_synced (spool));
  const guint n = (guint) g_rand_int_range (random, 1, 9);
  const guint first = self->n_lines;
  GstY10SpoolLine line;

  for (guint i = 0; i < n; i++) {
    const gboolean is_safe = FALSE;

    g_array_append_val (self->safe, is_safe);
    spool_put (client, g_rand_boolean (random), self->n_lines++,
        (guint) g_rand_int_range (random, 0, 1000), TRUE);
    if (g_rand_int_range (random, 0, 3) == 0 && gst_y10_spool_flush (client))
      mark_safe (self, first, self->n_lines);
    while (gst_y10_spool_reader_next (reader, &line)) {
      consume (self, gst_y10_spool_get_producer (spool), &line);
      if (g_rand_boolean (random))
        gst_y10_spool_acknowledge (spool, "", line.after);
    }
  }
  gst_y10_spool_reader_free (reader);
}

/* Runs processes in one folder until the power has failed @n times. */
static guint
lose_power (guint n, guint seed)
{
  /* Segments of 64 KiB, of which a folder gets two to four: none is removed. */
  const GstY10SpoolConfig config = { .max_bytes = 1 << 19, .follower = "" };
  g_autofree gchar *folder = spool_folder ();
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  Consumer self = {
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    g_array_new (FALSE, TRUE, sizeof (gboolean)),
  };
  guint n_losses = 0, n_safe = 0;

  while (n_losses < n) {
    const guint first = self.n_lines;
    GstY10SpoolClient *client;

    disk_lose_power ((guint) g_rand_int_range (random, 0, 30));
    client = gst_y10_spool_open (folder, &config, NULL, NULL, NULL);
    if (client) {
      check_all (&self, client);
      live (&self, client, random);
      gst_y10_spool_close (client);
    } else {
      g_assert_true (disk_has_lost_power ());
    }
    if (disk_has_lost_power ()) {
      disk_restart (random);
      n_losses++;
    } else {
      mark_safe (&self, first, self.n_lines);
    }
  }
  for (guint i = 0; i < self.n_lines; i++)
    n_safe += g_array_index (self.safe, gboolean, i) != 0;
  g_test_message ("seed %u: %u lines, %u safe", seed, self.n_lines, n_safe);
  g_assert_cmpuint (n_safe, <, self.n_lines); /* else nothing was tried */
  g_hash_table_unref (self.named);
  g_array_unref (self.safe);
  return n_safe;
}

static void
test_power_loss (void)
{
  guint n_safe = 0;

  for (guint i = 0; i < N_LOSSES / 20; i++)
    n_safe += lose_power (20, i);
  g_test_message ("%u times power loss, %u safe lines, all there", N_LOSSES,
      n_safe);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spool/full", test_full);
  g_test_add_func ("/spool/broken", test_broken);
  g_test_add_func ("/spool/full/end", test_full_end);
  g_test_add_func ("/spool/slow", test_slow);
  g_test_add_func ("/spool/power-loss", test_power_loss);
  return spool_run ();
}
