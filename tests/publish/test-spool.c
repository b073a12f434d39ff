/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A spool loses no line that it has called safe, and gives no name twice, whatever power
 * loss leaves of it; and it goes on where the disk is full, slow or damaged. */
#include "disk.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "publish/reader.h"
#include "publish/spool.h"

#define N_LOSSES 1000

static gchar *base;

static gchar *
new_folder (void)
{
  static guint n;
  gchar *name = g_strdup_printf ("spool%u", n++);
  gchar *path = g_build_filename (base, name, NULL);

  g_free (name);
  disk_begin (path);
  return path;
}

static GstY10SpoolClient *
open_spool (const gchar *folder, const GstY10SpoolConfig *config)
{
  GError *error = NULL;
  GstY10SpoolClient *client = gst_y10_spool_open (folder, config, NULL, NULL,
      &error);

  g_assert_no_error (error);
  return client;
}

static gboolean
put_line (GstY10SpoolClient *client, GstY10LineKind kind, guint n, guint length,
    gboolean may_wait)
{
  gchar *padding = g_strnfill (length, 'x');
  gchar *line = g_strdup_printf ("{\"%s\":%u,\"x\":\"%s\"}",
      kind == GST_Y10_LINE_EVENT ? "event" : "frame", n, padding);
  const gboolean ok = gst_y10_spool_put (client, kind, line, strlen (line),
      may_wait);

  g_free (line);
  g_free (padding);
  return ok;
}

static guint
number_of (const GstY10SpoolLine *line)
{
  return (guint) g_ascii_strtoull (line->text + 9, NULL, 10);
}

static GstY10SpoolStats
stats_of (GstY10SpoolClient *client)
{
  GstY10SpoolStats stats;

  gst_y10_spool_get_stats (gst_y10_spool_client_get_spool (client), &stats);
  return stats;
}

/* The numbers of all lines from @from on, such as "0 1 2 ". */
static gchar *
read_from (GstY10SpoolClient *client, GstY10SpoolPosition from)
{
  GstY10SpoolReader *reader =
      gst_y10_spool_reader_new (gst_y10_spool_client_get_spool (client), from);
  GString *numbers = g_string_new (NULL);
  GstY10SpoolLine line;

  while (gst_y10_spool_reader_next (reader, &line))
    g_string_append_printf (numbers, "%u ", number_of (&line));
  gst_y10_spool_reader_free (reader);
  return g_string_free (numbers, FALSE);
}

static void
expect_all (GstY10SpoolClient *client, const gchar *expected)
{
  gchar *numbers = read_from (client, (GstY10SpoolPosition){ 0, 0 });

  g_assert_cmpstr (numbers, ==, expected);
  g_free (numbers);
}

/* Names of the segments, such as "1 3 ". */
static gchar *
list_segments (const gchar *folder)
{
  GString *names = g_string_new (NULL);

  for (guint i = 1; i < 1000; i++) {
    gchar *path = g_strdup_printf ("%s/%08u.jsonl", folder, i);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      g_string_append_printf (names, "%u ", i);
    g_free (path);
  }
  return g_string_free (names, FALSE);
}

static void
expect_segments (const gchar *folder, const gchar *expected)
{
  gchar *names = list_segments (folder);

  g_assert_cmpstr (names, ==, expected);
  g_free (names);
}

static void
test_restart (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = new_folder (), *link, *target, *producer;
  GstY10SpoolClient *client = open_spool (folder, &config);
  GstY10SpoolReader *reader;
  GstY10SpoolLine line;

  producer = g_strdup (
      gst_y10_spool_get_producer (gst_y10_spool_client_get_spool (client)));
  g_assert_cmpuint (strlen (producer), ==, 16);
  put_line (client, GST_Y10_LINE_FRAME, 0, 0, FALSE);
  put_line (client, GST_Y10_LINE_EVENT, 1, 5, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  reader = gst_y10_spool_reader_new (gst_y10_spool_client_get_spool (client),
      (GstY10SpoolPosition){ 0, 0 });
  g_assert_true (gst_y10_spool_reader_next (reader, &line));
  g_assert_cmpint (line.kind, ==, GST_Y10_LINE_FRAME);
  g_assert_cmpmem (line.text, line.length, "{\"frame\":0,\"x\":\"\"}", 18);
  g_assert_cmpuint (line.at.segment, ==, 1);
  g_assert_cmpuint (line.at.offset, ==, 0);
  g_assert_cmpuint (line.after.offset, ==, 19);
  g_assert_true (gst_y10_spool_reader_next (reader, &line));
  g_assert_cmpint (line.kind, ==, GST_Y10_LINE_EVENT);
  g_assert_cmpuint (line.at.offset, ==, 19);
  gst_y10_spool_acknowledge (gst_y10_spool_client_get_spool (client), line.at);
  g_assert_false (gst_y10_spool_reader_next (reader, &line));
  gst_y10_spool_reader_free (reader);
  gst_y10_spool_close (client);

  client = open_spool (folder, &config);
  g_assert_cmpstr (gst_y10_spool_get_producer (
                       gst_y10_spool_client_get_spool (client)),
      ==, producer);
  put_line (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  expect_all (client, "0 1 2 ");
  g_free (producer);
  producer = read_from (client,
      gst_y10_spool_get_acknowledged (gst_y10_spool_client_get_spool (client)));
  g_assert_cmpstr (producer, ==, "1 2 ");
  expect_segments (folder, "1 2 ");
  link = g_build_filename (folder, "current.jsonl", NULL);
  target = g_file_read_link (link, NULL);
  g_assert_cmpstr (target, ==, "00000002.jsonl");
  gst_y10_spool_close (client);
  g_free (target);
  g_free (link);
  g_free (producer);
  g_free (folder);
}

/* Neither where segments were removed by hand, nor where the state was. */
static void
test_numbers (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = new_folder (), *path, *producer;
  GstY10SpoolClient *client;

  for (guint i = 0; i < 2; i++) {
    client = open_spool (folder, &config);
    put_line (client, GST_Y10_LINE_EVENT, i, 0, FALSE);
    gst_y10_spool_close (client);
  }
  expect_segments (folder, "1 2 ");
  for (guint i = 1; i <= 2; i++) {
    path = g_strdup_printf ("%s/%08u.jsonl", folder, i);
    g_assert_cmpint (g_unlink (path), ==, 0);
    g_free (path);
  }
  client = open_spool (folder, &config);
  producer = g_strdup (
      gst_y10_spool_get_producer (gst_y10_spool_client_get_spool (client)));
  put_line (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  gst_y10_spool_close (client);
  expect_segments (folder, "3 ");
  path = g_build_filename (folder, "state", NULL);
  g_assert_cmpint (g_unlink (path), ==, 0);
  client = open_spool (folder, &config);
  g_assert_cmpstr (gst_y10_spool_get_producer (
                       gst_y10_spool_client_get_spool (client)),
      !=, producer);
  put_line (client, GST_Y10_LINE_EVENT, 3, 0, FALSE);
  gst_y10_spool_close (client);
  expect_segments (folder, "3 4 ");
  g_free (path);
  g_free (producer);
  g_free (folder);
}

static void
append (const gchar *folder, guint segment, const gchar *text, gsize length)
{
  gchar *path = g_strdup_printf ("%s/%08u.jsonl", folder, segment);
  FILE *file = fopen (path, "ab");

  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (text, 1, length, file), ==, length);
  fclose (file);
  g_free (path);
}

static void
test_torn (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = new_folder ();
  GstY10SpoolClient *client = open_spool (folder, &config);

  put_line (client, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  gst_y10_spool_close (client);
  append (folder, 1, "{\"event\":2}\nnull\n[3]\n{\"event\":4\n\n", 33);
  append (folder, 1, "\0\0\0\0\0\0\n{\"event\":5}\n{\"eve", 25);
  client = open_spool (folder, &config);
  put_line (client, GST_Y10_LINE_EVENT, 6, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  expect_all (client, "1 2 5 6 ");
  /* null, [3], an object without an end, an empty line, zeros, and the last one. */
  g_assert_cmpuint (stats_of (client).bad_lines, ==, 6);
  gst_y10_spool_close (client);
  g_free (folder);
}

/* In the other process. */
static void
test_locked_inside (void)
{
  const GstY10SpoolConfig config = { 0 };
  const gchar *folder = g_getenv ("Y10_TEST_SPOOL");
  GError *error = NULL;

  if (!g_test_subprocess ())
    return;
  disk_begin (folder);
  g_assert_null (gst_y10_spool_open (folder, &config, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
  g_print ("%s\n", error->message);
  g_error_free (error);
}

static void
test_locked (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = new_folder ();
  GstY10SpoolClient *client = open_spool (folder, &config);
  gchar *owner = g_strdup_printf ("*%s is in use by process %d (%s/lock)*",
      folder, (int) getpid (), folder);

  g_setenv ("Y10_TEST_SPOOL", folder, TRUE);
  g_test_trap_subprocess ("/spool/locked/inside", 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout (owner);
  gst_y10_spool_close (client);
  g_free (owner);
  g_free (folder);
}

static void
test_shared (void)
{
  const GstY10SpoolConfig config = { .max_bytes = 1 << 20 };
  GstY10SpoolConfig other = config;
  gchar *folder = new_folder (), *way = g_strconcat (folder, "/.", NULL);
  GstY10SpoolClient *first = open_spool (folder, &config),
                    *second = open_spool (way, &config);
  GError *error = NULL;

  g_assert_true (gst_y10_spool_client_get_spool (first)
      == gst_y10_spool_client_get_spool (second));
  put_line (first, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  put_line (second, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  gst_y10_spool_close (first);
  put_line (second, GST_Y10_LINE_EVENT, 3, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (second));
  expect_all (second, "1 2 3 ");
  other.max_bytes = 5000;
  g_assert_null (gst_y10_spool_open (folder, &other, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "max-bytes"));
  g_assert_nonnull (strstr (error->message, "5000"));
  g_assert_nonnull (strstr (error->message, "1048576"));
  g_clear_error (&error);
  other = config;
  other.share = "mqtt://a";
  g_assert_null (gst_y10_spool_open (folder, &other, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "mqtt://a"));
  g_clear_error (&error);
  gst_y10_spool_close (second);
  /* The lock is free again. */
  gst_y10_spool_close (open_spool (folder, &other));
  expect_segments (folder, "1 ");
  g_free (way);
  g_free (folder);
}

static void
test_limit (void)
{
  const GstY10SpoolConfig config = { .max_bytes = 40000, .is_followed = TRUE };
  gchar *folder = new_folder (), *left, *expected;
  GstY10SpoolClient *client = open_spool (folder, &config);
  GstY10Spool *spool = gst_y10_spool_client_get_spool (client);
  GstY10SpoolStats stats;

  /* Segments of 5,000 bytes hold five lines of 1,000. */
  for (guint i = 0; i < 20; i++) {
    put_line (client, GST_Y10_LINE_EVENT, 100 + i, 1000 - 21, FALSE);
    g_assert_true (gst_y10_spool_flush (client));
  }
  g_assert_cmpuint (stats_of (client).n_segments, ==, 4);
  /* What is acknowledged stays. */
  gst_y10_spool_acknowledge (spool, (GstY10SpoolPosition){ 2, 2000 });
  for (guint i = 20; i < 60; i++) {
    put_line (client, GST_Y10_LINE_EVENT, 100 + i, 1000 - 21, FALSE);
    g_assert_true (gst_y10_spool_flush (client));
    stats = stats_of (client);
    g_assert_cmpuint (stats.bytes, <=, config.max_bytes + 1000);
    if (i < 39)
      g_assert_cmpuint (stats.removed_unacknowledged, ==, 0);
    if (i == 38)
      expect_segments (folder, "1 2 3 4 5 6 7 8 ");
  }
  /* The first five were acknowledged, and two of the second five. */
  stats = stats_of (client);
  g_assert_cmpuint (stats.removed_unacknowledged, ==,
      60 - stats.bytes / 1000 - 7);
  g_assert_cmpuint (stats.synced, ==, 60);
  left = read_from (client, (GstY10SpoolPosition){ 0, 0 });
  expected = g_strdup_printf ("%u ", (guint) (160 - stats.bytes / 1000));
  g_assert_true (g_str_has_prefix (left, expected));
  g_assert_true (g_str_has_suffix (left, " 159 "));
  gst_y10_spool_close (client);
  g_free (expected);
  g_free (left);
  g_free (folder);
}

static void
wait_for_segments (const gchar *folder, const gchar *expected)
{
  for (guint i = 0; i < 100; i++) {
    gchar *names = list_segments (folder);
    const gboolean same = !strcmp (names, expected);

    g_free (names);
    if (same)
      return;
    g_usleep (100000);
  }
  expect_segments (folder, expected);
}

/* Old segments go, whether acknowledged or not; but not before, where someone follows. */
static void
test_age (void)
{
  const GstY10SpoolConfig config = { .max_age = 1000 },
                          followed = { .max_age = 1000, .is_followed = TRUE };
  gchar *folder = new_folder ();
  GstY10SpoolClient *client = open_spool (folder, &followed);
  GstY10SpoolPosition end;

  put_line (client, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  g_usleep (2200000); /* it looks each second */
  expect_segments (folder, "1 ");
  end = gst_y10_spool_get_synced (gst_y10_spool_client_get_spool (client));
  gst_y10_spool_acknowledge (gst_y10_spool_client_get_spool (client), end);
  wait_for_segments (folder, "");
  put_line (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  expect_segments (folder, "2 ");
  expect_all (client, "2 ");
  gst_y10_spool_close (client);
  client = open_spool (folder, &config);
  wait_for_segments (folder, "");
  gst_y10_spool_close (client);
  g_free (folder);
}

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
  gchar *folder = new_folder ();
  GError *error = NULL;
  GstY10SpoolClient *client = gst_y10_spool_open (folder, &config, on_state,
      folder, &error);
  GstY10SpoolStats stats;

  g_assert_no_error (error);
  n_failed = n_recovered = 0;
  put_line (client, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  /* Once is not worth a word. */
  (syncs ? disk_fail_syncs : disk_fail_writes) (1, code);
  put_line (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  g_assert_cmpuint (n_failed, ==, 0);
  expect_segments (folder, "1 2 ");
  (syncs ? disk_fail_syncs : disk_fail_writes) (3, code);
  disk_shorten_writes (5);
  put_line (client, GST_Y10_LINE_EVENT, 3, 0, FALSE);
  g_assert_false (gst_y10_spool_flush (client));
  put_line (client, GST_Y10_LINE_EVENT, 4, 0, TRUE);
  for (guint i = 0; i < 200 && stats_of (client).synced < 4; i++)
    g_usleep (50000);
  expect_all (client, "1 2 3 4 ");
  stats = stats_of (client);
  g_assert_cmpuint (stats.synced, ==, 4);
  g_assert_cmpuint (stats.errors, ==, 4);
  g_assert_cmpuint (stats.dropped[GST_Y10_LINE_EVENT], ==, 0);
  gst_y10_spool_close (client);
  g_assert_cmpuint (n_failed, ==, 1);
  g_assert_cmpuint (n_recovered, ==, 1);
  client = open_spool (folder, &config);
  expect_all (client, "1 2 3 4 ");
  g_assert_cmpuint (stats_of (client).bad_lines, ==, 0);
  gst_y10_spool_close (client);
  g_free (folder);
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
  gchar *folder = new_folder ();
  GstY10SpoolClient *client = open_spool (folder, &config);

  put_line (client, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  disk_fail_writes (1000, ENOSPC);
  put_line (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  put_line (client, GST_Y10_LINE_FRAME, 3, 0, FALSE);
  g_assert_false (gst_y10_spool_flush (client));
  gst_y10_spool_close (client);
  disk_begin (folder);
  client = open_spool (folder, &config);
  expect_all (client, "1 ");
  gst_y10_spool_close (client);
  g_free (folder);
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

  waiting->ok = put_line (waiting->client, GST_Y10_LINE_FRAME, 9, 400, TRUE);
  g_atomic_int_set (&waiting->done, 1);
  return NULL;
}

/* A disk that stands still: frames are dropped before events, and whoever can wait does. */
static void
test_slow (void)
{
  const GstY10SpoolConfig config = { .queue_bytes = 4096 };
  gchar *folder = new_folder (), *numbers;
  GstY10SpoolClient *client = open_spool (folder, &config);
  Waiting waiting = { client };
  GstY10SpoolStats stats;
  GThread *thread;
  guint n = 0;

  disk_stop ();
  put_line (client, GST_Y10_LINE_EVENT, 1000, 0, FALSE);
  g_usleep (300000); /* the writer has taken it */
  while (put_line (client, GST_Y10_LINE_FRAME, 2000 + n, 400, FALSE))
    n++;
  g_assert_cmpuint (n, ==, 9);
  for (guint i = 0; i < 9; i++)
    g_assert_true (put_line (client, GST_Y10_LINE_EVENT, 3000 + i, 400, FALSE));
  g_assert_false (put_line (client, GST_Y10_LINE_EVENT, 3999, 400, FALSE));
  stats = stats_of (client);
  g_assert_cmpuint (stats.dropped[GST_Y10_LINE_FRAME], ==, 1 + 9);
  g_assert_cmpuint (stats.dropped[GST_Y10_LINE_EVENT], ==, 1);

  thread = g_thread_new ("waits", put_and_wait, &waiting);
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
  numbers = read_from (client, (GstY10SpoolPosition){ 0, 0 });
  g_assert_cmpstr (numbers, ==,
      "1000 3000 3001 3002 3003 3004 3005 3006 3007 3008 9 ");
  stats = stats_of (client);
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
  const guint number = number_of (line);
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
  GstY10SpoolReader *reader = gst_y10_spool_reader_new (spool,
      (GstY10SpoolPosition){ 0, 0 });
  GstY10SpoolLine line;
  guint next = 0;

  while (gst_y10_spool_reader_next (reader, &line)) {
    const guint number = number_of (&line);

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
  GstY10SpoolReader *reader = gst_y10_spool_reader_new (spool,
      gst_y10_spool_get_synced (spool));
  const guint n = (guint) g_rand_int_range (random, 1, 9);
  const guint first = self->n_lines;
  GstY10SpoolLine line;

  for (guint i = 0; i < n; i++) {
    const gboolean is_safe = FALSE;

    g_array_append_val (self->safe, is_safe);
    put_line (client, g_rand_boolean (random), self->n_lines++,
        (guint) g_rand_int_range (random, 0, 1000), TRUE);
    if (g_rand_int_range (random, 0, 3) == 0 && gst_y10_spool_flush (client))
      mark_safe (self, first, self->n_lines);
    while (gst_y10_spool_reader_next (reader, &line)) {
      consume (self, gst_y10_spool_get_producer (spool), &line);
      if (g_rand_boolean (random))
        gst_y10_spool_acknowledge (spool, line.after);
    }
  }
  gst_y10_spool_reader_free (reader);
}

/* Runs processes in one folder until the power has failed @n times. */
static guint
lose_power (guint n, guint seed)
{
  /* Segments of 64 KiB, of which a folder gets two to four: none is removed. */
  const GstY10SpoolConfig config = { .max_bytes = 1 << 19,
    .is_followed = TRUE };
  gchar *folder = new_folder ();
  GRand *random = g_rand_new_with_seed (seed);
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
  g_rand_free (random);
  g_free (folder);
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

static void
test_refused (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = new_folder (),
        *missing = g_build_filename (folder, "a", "b", NULL);
  GError *error = NULL;

  g_assert_null (gst_y10_spool_open (missing, &config, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, missing));
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (folder, "a file", -1, NULL));
  g_assert_null (gst_y10_spool_open (folder, &config, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, folder));
  g_clear_error (&error);
  g_free (missing);
  g_free (folder);
}

static void
remove_all (const gchar *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir))) {
    gchar *below = g_build_filename (path, name, NULL);

    remove_all (below);
    g_free (below);
  }
  if (dir)
    g_dir_close (dir);
  g_remove (path);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  /* In memory where that is possible: the disk is made up anyway. */
  base = g_strdup ("/dev/shm/y10-spool-XXXXXX");
  if (!g_mkdtemp (base)) {
    g_free (base);
    base = g_dir_make_tmp ("y10-spool-XXXXXX", NULL);
  }
  g_assert_nonnull (base);
  g_test_add_func ("/spool/restart", test_restart);
  g_test_add_func ("/spool/numbers", test_numbers);
  g_test_add_func ("/spool/torn", test_torn);
  g_test_add_func ("/spool/locked", test_locked);
  g_test_add_func ("/spool/locked/inside", test_locked_inside);
  g_test_add_func ("/spool/shared", test_shared);
  g_test_add_func ("/spool/limit", test_limit);
  g_test_add_func ("/spool/age", test_age);
  g_test_add_func ("/spool/full", test_full);
  g_test_add_func ("/spool/broken", test_broken);
  g_test_add_func ("/spool/full/end", test_full_end);
  g_test_add_func ("/spool/slow", test_slow);
  g_test_add_func ("/spool/refused", test_refused);
  g_test_add_func ("/spool/power-loss", test_power_loss);
  result = g_test_run ();
  remove_all (base);
  g_free (base);
  return result;
}
