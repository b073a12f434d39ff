/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A spool gives no name twice, whatever was removed or torn; who uses it, and what goes
 * when. test-spool-disk.c has the disks that fail. */
#include "spoolcommon.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"
#include "spool/utc.h"
#include "spool/watch.h"
#include "waitfor.h"

static void
test_restart (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = spool_folder (), *link, *target, *producer;
  GstY10SpoolClient *client = spool_open (folder, &config);
  GstY10SpoolReader *reader;
  GstY10SpoolLine line;

  producer = g_strdup (
      gst_y10_spool_get_producer (gst_y10_spool_client_get_spool (client)));
  g_assert_cmpuint (strlen (producer), ==, 16);
  spool_put (client, GST_Y10_LINE_FRAME, 0, 0, FALSE);
  spool_put (client, GST_Y10_LINE_EVENT, 1, 5, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  reader = gst_y10_spool_reader_new (gst_y10_spool_client_get_spool (client),
      "", (GstY10SpoolPosition){ 0, 0 });
  g_assert_true (gst_y10_spool_reader_next (reader, &line));
  g_assert_cmpint (line.kind, ==, GST_Y10_LINE_FRAME);
  g_assert_cmpmem (line.text, line.length, "{\"frame\":0,\"x\":\"\"}", 18);
  g_assert_cmpuint (line.at.segment, ==, 1);
  g_assert_cmpuint (line.at.offset, ==, 0);
  g_assert_cmpuint (line.after.offset, ==, 19);
  g_assert_true (gst_y10_spool_reader_next (reader, &line));
  g_assert_cmpint (line.kind, ==, GST_Y10_LINE_EVENT);
  g_assert_cmpuint (line.at.offset, ==, 19);
  gst_y10_spool_acknowledge (gst_y10_spool_client_get_spool (client), "",
      line.at);
  g_assert_false (gst_y10_spool_reader_next (reader, &line));
  gst_y10_spool_reader_free (reader);
  gst_y10_spool_close (client);

  client = spool_open (folder, &config);
  g_assert_cmpstr (gst_y10_spool_get_producer (
                       gst_y10_spool_client_get_spool (client)),
      ==, producer);
  spool_put (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  spool_expect (client, "0 1 2 ");
  g_free (producer);
  producer = spool_read_from (client,
      gst_y10_spool_get_acknowledged (gst_y10_spool_client_get_spool (client),
          ""));
  g_assert_cmpstr (producer, ==, "1 2 ");
  spool_expect_segments (folder, "1 2 ");
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
  gchar *folder = spool_folder (), *path, *producer;
  GstY10SpoolClient *client;

  for (guint i = 0; i < 2; i++) {
    client = spool_open (folder, &config);
    spool_put (client, GST_Y10_LINE_EVENT, i, 0, FALSE);
    gst_y10_spool_close (client);
  }
  spool_expect_segments (folder, "1 2 ");
  for (guint i = 1; i <= 2; i++) {
    path = g_strdup_printf ("%s/%08u.jsonl", folder, i);
    g_assert_cmpint (g_unlink (path), ==, 0);
    g_free (path);
  }
  client = spool_open (folder, &config);
  producer = g_strdup (
      gst_y10_spool_get_producer (gst_y10_spool_client_get_spool (client)));
  spool_put (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  gst_y10_spool_close (client);
  spool_expect_segments (folder, "3 ");
  path = g_build_filename (folder, "state", NULL);
  g_assert_cmpint (g_unlink (path), ==, 0);
  client = spool_open (folder, &config);
  g_assert_cmpstr (gst_y10_spool_get_producer (
                       gst_y10_spool_client_get_spool (client)),
      !=, producer);
  spool_put (client, GST_Y10_LINE_EVENT, 3, 0, FALSE);
  gst_y10_spool_close (client);
  spool_expect_segments (folder, "3 4 ");
  g_free (path);
  g_free (producer);
  g_free (folder);
}

static void
append (const gchar *folder, guint segment, const gchar *text, gsize length)
{
  g_autofree gchar *path = g_strdup_printf ("%s/%08u.jsonl", folder, segment);
  FILE *file = fopen (path, "ab");

  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (text, 1, length, file), ==, length);
  fclose (file);
}

static void
test_torn (void)
{
  const GstY10SpoolConfig config = { 0 };
  g_autofree gchar *folder = spool_folder ();
  GstY10SpoolClient *client = spool_open (folder, &config);

  spool_put (client, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  gst_y10_spool_close (client);
  append (folder, 1, "{\"event\":2}\nnull\n[3]\n{\"event\":4\n\n", 33);
  append (folder, 1, "\0\0\0\0\0\0\n{\"event\":5}\n{\"eve", 25);
  client = spool_open (folder, &config);
  spool_put (client, GST_Y10_LINE_EVENT, 6, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  spool_expect (client, "1 2 5 6 ");
  /* null, [3], an object without an end, an empty line, zeros, and the last one. */
  g_assert_cmpuint (spool_stats (client).bad_lines, ==, 6);
  gst_y10_spool_close (client);
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
  g_autofree gchar *folder = spool_folder ();
  GstY10SpoolClient *client = spool_open (folder, &config);
  gchar *owner = g_strdup_printf ("*%s is in use by process %d (%s/lock)*",
      folder, (int) getpid (), folder);

  g_setenv ("Y10_TEST_SPOOL", folder, TRUE);
  g_test_trap_subprocess ("/spool/locked/inside", 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout (owner);
  gst_y10_spool_close (client);
  g_free (owner);
}

static void
test_shared (void)
{
  const GstY10SpoolConfig config = { .max_bytes = 1 << 20 };
  GstY10SpoolConfig other = config;
  gchar *folder = spool_folder (), *way = g_strconcat (folder, "/.", NULL);
  GstY10SpoolClient *first = spool_open (folder, &config),
                    *second = spool_open (way, &config);
  GError *error = NULL;

  g_assert_true (gst_y10_spool_client_get_spool (first)
      == gst_y10_spool_client_get_spool (second));
  spool_put (first, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  spool_put (second, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  gst_y10_spool_close (first);
  spool_put (second, GST_Y10_LINE_EVENT, 3, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (second));
  spool_expect (second, "1 2 3 ");
  other.max_bytes = 5000;
  g_assert_null (gst_y10_spool_open (folder, &other, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "max-bytes"));
  g_assert_nonnull (strstr (error->message, "5000"));
  g_assert_nonnull (strstr (error->message, "1048576"));
  g_clear_error (&error);
  other = config;
  other.follower = "";
  other.share = "mqtt://a";
  first = spool_open (folder, &other);
  other.share = "mqtt://b";
  g_assert_null (gst_y10_spool_open (folder, &other, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "mqtt://a"));
  g_clear_error (&error);
  other.follower = "b";
  gst_y10_spool_close (spool_open (folder, &other));
  other.follower = "../b";
  g_assert_null (gst_y10_spool_open (folder, &other, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "../b"));
  g_clear_error (&error);
  gst_y10_spool_close (first);
  other = config;
  gst_y10_spool_close (second);
  /* The lock is free again. */
  gst_y10_spool_close (spool_open (folder, &other));
  spool_expect_segments (folder, "1 ");
  g_free (way);
  g_free (folder);
}

static void
test_limit (void)
{
  const GstY10SpoolConfig config = { .max_bytes = 40000, .follower = "" };
  gchar *folder = spool_folder (), *left, *expected;
  GstY10SpoolClient *client = spool_open (folder, &config);
  GstY10Spool *spool = gst_y10_spool_client_get_spool (client);
  GstY10SpoolStats stats;

  /* Segments of 5,000 bytes hold five lines of 1,000. */
  for (guint i = 0; i < 20; i++) {
    spool_put (client, GST_Y10_LINE_EVENT, 100 + i, 1000 - 21, FALSE);
    g_assert_true (gst_y10_spool_flush (client));
  }
  g_assert_cmpuint (spool_stats (client).n_segments, ==, 4);
  /* What is acknowledged stays. */
  gst_y10_spool_acknowledge (spool, "", (GstY10SpoolPosition){ 2, 2000 });
  for (guint i = 20; i < 60; i++) {
    spool_put (client, GST_Y10_LINE_EVENT, 100 + i, 1000 - 21, FALSE);
    g_assert_true (gst_y10_spool_flush (client));
    stats = spool_stats (client);
    g_assert_cmpuint (stats.bytes, <=, config.max_bytes + 1000);
    if (i < 39)
      g_assert_cmpuint (stats.removed_unacknowledged, ==, 0);
    if (i == 38)
      spool_expect_segments (folder, "1 2 3 4 5 6 7 8 ");
  }
  /* The first five were acknowledged, and two of the second five. */
  stats = spool_stats (client);
  g_assert_cmpuint (stats.removed_unacknowledged, ==,
      60 - stats.bytes / 1000 - 7);
  g_assert_cmpuint (stats.synced, ==, 60);
  left = spool_read_from (client, (GstY10SpoolPosition){ 0, 0 });
  expected = g_strdup_printf ("%u ", (guint) (160 - stats.bytes / 1000));
  g_assert_true (g_str_has_prefix (left, expected));
  g_assert_true (g_str_has_suffix (left, " 159 "));
  gst_y10_spool_close (client);
  g_free (expected);
  g_free (left);
  g_free (folder);
}

static gboolean
has_segments (const gchar *folder)
{
  g_autofree gchar *names = spool_segments (folder);
  const gboolean has = *names != '\0';

  return has;
}

/* Old segments go, whether acknowledged or not; but not before, where someone follows. */
static void
test_age (void)
{
  const GstY10SpoolConfig config = { .max_age = 1000 },
                          followed = { .max_age = 1000, .follower = "" };
  g_autofree gchar *folder = spool_folder ();
  GstY10SpoolClient *client = spool_open (folder, &followed);
  GstY10SpoolPosition end;

  spool_put (client, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  /* It looks each second. Too short a sleep may miss a defect, but never fails a correct
   * spool. */
  g_usleep (2200000);
  spool_expect_segments (folder, "1 ");
  end = gst_y10_spool_get_synced (gst_y10_spool_client_get_spool (client));
  gst_y10_spool_acknowledge (gst_y10_spool_client_get_spool (client), "", end);
  test_wait_for (!has_segments (folder));
  spool_put (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  g_assert_true (gst_y10_spool_flush (client));
  spool_expect_segments (folder, "2 ");
  spool_expect (client, "2 ");
  gst_y10_spool_close (client);
  client = spool_open (folder, &config);
  test_wait_for (!has_segments (folder));
  gst_y10_spool_close (client);
}

static void
test_refused (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = spool_folder (),
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
expect_next (GstY10SpoolReader *reader, guint n)
{
  GstY10SpoolLine line;

  g_assert_true (gst_y10_spool_reader_next (reader, &line));
  g_assert_cmpuint (spool_number (&line), ==, n);
}

/* Whoever does not write reads the same lines, and sees what others do to the files. */
static void
test_view (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = spool_folder (), *path, *long_line;
  GstY10SpoolView *view = gst_y10_spool_view_new (folder);
  GstY10SpoolReader *reader = gst_y10_spool_reader_new_view (view);
  GstY10SpoolPosition second;
  GstY10SpoolClient *client;
  GstY10SpoolLine line;

  gst_y10_spool_view_refresh (view);
  g_assert_false (gst_y10_spool_reader_next (reader, &line));
  client = spool_open (folder, &config);
  spool_put (client, GST_Y10_LINE_EVENT, 1, 0, FALSE);
  spool_put (client, GST_Y10_LINE_EVENT, 2, 0, FALSE);
  gst_y10_spool_close (client);
  g_assert_false (gst_y10_spool_reader_next (reader, &line));
  gst_y10_spool_view_refresh (view);
  expect_next (reader, 1);
  second = gst_y10_spool_reader_get_position (reader);
  g_assert_cmpint (gst_y10_spool_position_compare (second,
                       (GstY10SpoolPosition){ 1, 0 }),
      >, 0);
  expect_next (reader, 2);
  g_assert_false (gst_y10_spool_reader_next (reader, &line));

  /* A line that has no end yet; and one that no writer takes, in front of another one. */
  append (folder, 1, "{\"event\":3,\"x\":", 15);
  g_assert_false (gst_y10_spool_reader_next (reader, &line));
  append (folder, 1, "4}\n", 3);
  expect_next (reader, 3);
  long_line = g_strnfill (9 << 20, 'x');
  append (folder, 1, long_line, 9 << 20);
  append (folder, 1, "\n{\"event\":4}\n", 14);
  expect_next (reader, 4);

  /* What a failed write has cut off comes again. */
  path = g_build_filename (folder, "00000001.jsonl", NULL);
  g_assert_cmpint (truncate (path, (off_t) second.offset), ==, 0);
  append (folder, 2, "{\"event\":5}\n", 12);
  gst_y10_spool_view_refresh (view);
  g_assert_false (gst_y10_spool_reader_next (reader, &line));
  g_assert_cmpint (gst_y10_spool_position_compare (
                       gst_y10_spool_reader_get_position (reader), second),
      ==, 0);
  expect_next (reader, 5);
  g_assert_false (gst_y10_spool_reader_next (reader, &line));

  /* Back, while its segment is there. */
  gst_y10_spool_reader_seek (reader, (GstY10SpoolPosition){ 1, 0 });
  expect_next (reader, 1);
  g_assert_cmpint (g_unlink (path), ==, 0);
  gst_y10_spool_view_refresh (view);
  gst_y10_spool_reader_seek (reader, (GstY10SpoolPosition){ 0, 0 });
  expect_next (reader, 5);
  gst_y10_spool_reader_free (reader);
  gst_y10_spool_view_free (view);
  g_free (long_line);
  g_free (path);
  g_free (folder);
}

static gboolean
count_call (gpointer n)
{
  ++*(guint *) n;
  return G_SOURCE_CONTINUE;
}

/* Told of each spool of this process, by whatever path, that has new lines; before it is
 * opened, too. */
static void
test_watch (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = spool_folder (), *way = g_strconcat (folder, "/.", NULL),
        *other = spool_folder ();
  guint n = 0, n_other = 0, n_timed = 0;
  GSource *watch = gst_y10_spool_watch_new (way, 0, count_call, &n, NULL),
          *stranger = gst_y10_spool_watch_new (other, 0, count_call, &n_other,
              NULL),
          *timed = gst_y10_spool_watch_new (other, 1000, count_call, &n_timed,
              NULL);

  for (guint i = 1; i <= 3; i++) {
    GstY10SpoolClient *client = spool_open (folder, &config);

    spool_put (client, GST_Y10_LINE_EVENT, i, 0, FALSE);
    g_assert_true (gst_y10_spool_flush (client));
    while (n < i || n_timed < i)
      g_main_context_iteration (NULL, TRUE);
    gst_y10_spool_close (client);
  }
  while (g_main_context_iteration (NULL, FALSE) && n_timed < 100)
    ;
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpuint (n_other, ==, 0);
  gst_y10_spool_watch_free (watch);
  gst_y10_spool_watch_free (stranger);
  gst_y10_spool_watch_free (timed);
  g_free (other);
  g_free (way);
  g_free (folder);
}

/* As GLib reads them. */
static void
test_utc (void)
{
  static const gchar *const wrong[] = { "", "2026-01-31T08:00:00Z",
    "2026-01-31T08:00:00.Z", "2026-01-31T08:00:00.1234567Z",
    "2026-01-31T08:00:00.123", "2026-13-31T08:00:00.123Z",
    "2026-00-31T08:00:00.123Z", "2026-01-32T08:00:00.123Z",
    "2026-01-31 08:00:00.123Z", "2026-01-31T08:00:00.1x3Z",
    "2026-01-31T08:00:00.123Zx", "2026-01-31T08:00:00.123+01" };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  gint64 time;

  for (guint i = 0; i < 10000; i++) {
    const gint64 put = (gint64) g_rand_int (random) * 2 * G_USEC_PER_SEC
        + g_rand_int_range (random, 0, 1000) * 1000;
    GDateTime *expected;

    g_string_truncate (text, 0);
    gst_y10_utc_append (text, put);
    expected = g_date_time_new_from_iso8601 (text->str, NULL);
    g_assert_nonnull (expected);
    g_assert_true (gst_y10_utc_parse (text->str, text->len, &time));
    g_assert_cmpint (time, ==, put);
    g_assert_cmpint (time / G_USEC_PER_SEC, ==, g_date_time_to_unix (expected));
    g_date_time_unref (expected);
  }
  g_assert_true (gst_y10_utc_parse ("1970-01-01T00:00:01.000002Z", 27, &time));
  g_assert_cmpint (time, ==, 1000002);
  g_assert_true (gst_y10_utc_parse ("1970-01-01T00:00:01.5Z", 22, &time));
  g_assert_cmpint (time, ==, 1500000);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_false (gst_y10_utc_parse (wrong[i], strlen (wrong[i]), &time));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spool/restart", test_restart);
  g_test_add_func ("/spool/numbers", test_numbers);
  g_test_add_func ("/spool/torn", test_torn);
  g_test_add_func ("/spool/locked", test_locked);
  g_test_add_func ("/spool/locked/inside", test_locked_inside);
  g_test_add_func ("/spool/shared", test_shared);
  g_test_add_func ("/spool/limit", test_limit);
  g_test_add_func ("/spool/age", test_age);
  g_test_add_func ("/spool/refused", test_refused);
  g_test_add_func ("/spool/view", test_view);
  g_test_add_func ("/spool/watch", test_watch);
  g_test_add_func ("/spool/utc", test_utc);
  return spool_run ();
}
