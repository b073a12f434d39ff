/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A line is accepted only where whoever goes by the path finds it, whatever others do to the
 * folder and its files meanwhile; that is told once, and lines go on. And nothing that stands
 * where a spool has its files holds it up. */
#include "spoolcommon.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk.h"
#include "waitfor.h"

static guint n_failed, n_recovered;

static void
on_state (const GError *error, gpointer folder)
{
  if (error) {
    g_assert_nonnull (strstr (error->message, folder));
    n_failed++;
  } else {
    n_recovered++;
  }
}

static void
run (const gchar *format, const gchar *folder)
{
  gchar *command = g_strdup_printf (format, folder, folder, folder, folder);
  const gchar *argv[] = { "/bin/sh", "-c", command, NULL };
  int status = -1;

  g_assert_true (g_spawn_sync (NULL, (gchar **) argv, NULL, G_SPAWN_DEFAULT,
      NULL, NULL, NULL, NULL, &status, NULL));
  g_assert_cmpint (status, ==, 0);
  g_free (command);
}

/* The numbers of the events that the files have, as anybody reads them. */
static gchar *
read_files (const gchar *folder)
{
  g_autofree gchar *segments = spool_segments (folder);
  gchar **names = g_strsplit (segments, " ", -1);
  GString *numbers = g_string_new (NULL);

  for (guint i = 0; names[i] && *names[i]; i++) {
    gchar *path = g_strdup_printf ("%s/%08u.jsonl", folder,
        (guint) atoi (names[i]));
    gchar *text, **lines;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    lines = g_strsplit (text, "\n", -1);
    for (guint l = 0; lines[l] && lines[l + 1]; l++)
      if (g_str_has_prefix (lines[l], "{\"event\":")
          && g_str_has_suffix (lines[l], "\"}"))
        g_string_append_printf (numbers, "%d ", atoi (lines[l] + 9));
    g_strfreev (lines);
    g_free (text);
    g_free (path);
  }
  g_strfreev (names);
  return g_string_free (numbers, FALSE);
}

static void
expect_files (const gchar *folder, const gchar *expected)
{
  g_autofree gchar *numbers = read_files (folder);

  g_assert_cmpstr (numbers, ==, expected);
}

static const struct
{
  const gchar *what, *command; /* of a shell */
  const gchar *left;           /* of events 1 and 2 */
  gint is_other; /* whether it has another producer; -1: that may be */
} changes[] = {
  { "removed", "rm -r %s", "", TRUE },
  { "moved", "mv %s %s.moved", "", TRUE },
  { "replaced", "mv %s %s.moved; mkdir %s", "", TRUE },
  { "emptied", "rm -r %s/*", "", TRUE },
  { "copied", "cp -a %s %s.copy; rm -r %s; mv %s.copy %1$s", "1 2 ", -1 },
  { "segment", "rm %s/00000001.jsonl", "", FALSE },
  { "lock", "rm %s/lock", "1 2 ", FALSE },
  { "cut", "truncate -s 0 %s/00000001.jsonl", "", FALSE },
  { "torn", "truncate -s 30 %s/00000001.jsonl", "1 ", FALSE },
  { "written", "echo '{\"event\":7}' >> %s/00000001.jsonl", "1 2 ", FALSE },
};

static void
put (GstY10SpoolClient *client, guint n)
{
  spool_put (client, GST_Y10_LINE_EVENT, n, 5, FALSE);
}

/* @during: while a line is synced that was written before. */
static void
check_change (guint i, gboolean during)
{
  const GstY10SpoolConfig config = { .follower = "" };
  gchar *folder = spool_folder (), *expected, *numbers, *acknowledged;
  GstY10SpoolClient *client, *other;
  const gchar *producer;
  GstY10SpoolReader *reader;
  GstY10SpoolLine line;
  GError *error = NULL;
  GstY10Spool *spool;
  struct stat status;

  g_test_message ("%s%s", changes[i].what, during ? " during a sync" : "");
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  client = gst_y10_spool_open (folder, &config, on_state, folder, &error);
  g_assert_no_error (error);
  spool = gst_y10_spool_client_get_spool (client);
  n_failed = n_recovered = 0;
  put (client, 1);
  put (client, 2);
  g_assert_true (gst_y10_spool_flush (client));
  reader = gst_y10_spool_reader_new (spool, "", (GstY10SpoolPosition){ 0, 0 });
  for (guint n = 0; n < 2; n++)
    g_assert_true (gst_y10_spool_reader_next (reader, &line));
  producer = gst_y10_spool_get_producer (spool);
  gst_y10_spool_acknowledge (spool, "", line.after);
  acknowledged = g_build_filename (folder, "acknowledged", NULL);
  /* A copy has what was written by then. */
  test_wait_for (strcmp (changes[i].what, "copied") != 0
      || g_access (acknowledged, F_OK) == 0);
  if (during) {
    disk_stop ();
    put (client, 3);
    disk_await_sync (); /* the writer has written it */
  }
  run (changes[i].command, folder);
  if (during)
    disk_go_on ();
  else
    put (client, 3);
  /* Told, which makes those who wait go on, and written again. */
  test_wait_for (spool_stats (client).synced >= 3);
  put (client, 4);
  g_assert_true (gst_y10_spool_flush (client));
  expected = g_strconcat (changes[i].left, "3 4 ", NULL);
  expect_files (folder, expected);
  g_assert_cmpuint (n_failed, ==, 1);
  g_assert_cmpuint (n_recovered, ==, 1);
  g_assert_cmpuint (spool_stats (client).errors, ==, 1);
  g_assert_cmpuint (spool_stats (client).synced, ==, 4);
  g_assert_cmpuint (spool_stats (client).dropped[GST_Y10_LINE_EVENT], ==, 0);
  g_assert_cmpint (stat (folder, &status), ==, 0);
  g_assert_true (
      (status.st_mode & 0777) == 0700 || !strcmp (changes[i].what, "replaced"));

  /* Who follows goes on. */
  numbers = g_strdup ("");
  while (gst_y10_spool_reader_next (reader, &line)) {
    gchar *more = g_strdup_printf ("%s%u ", numbers, spool_number (&line));

    g_assert_cmpuint (line.at.segment, >, 1);
    g_free (numbers);
    numbers = more;
  }
  g_assert_cmpstr (numbers, ==, "3 4 ");
  gst_y10_spool_reader_free (reader);
  if (changes[i].is_other >= 0)
    g_assert_cmpint (strcmp (producer, gst_y10_spool_get_producer (spool)) != 0,
        ==, changes[i].is_other);
  /* Nobody else gets another spool there, neither in this process nor later. */
  other = spool_open (folder, &config);
  g_assert_true (gst_y10_spool_client_get_spool (other) == spool);
  gst_y10_spool_close (other);
  gst_y10_spool_close (client);
  client = spool_open (folder, &config);
  put (client, 5);
  g_assert_true (gst_y10_spool_flush (client));
  g_free (expected);
  expected = g_strconcat (changes[i].left, "3 4 5 ", NULL);
  expect_files (folder, expected);
  gst_y10_spool_close (client);
  g_free (acknowledged);
  g_free (numbers);
  g_free (expected);
  g_free (folder);
}

static void
test_changes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    check_change (i, FALSE);
    /* A copy has what was not safe yet, too. */
    if (strcmp (changes[i].what, "copied") != 0)
      check_change (i, TRUE);
  }
}

/* In a folder that had lines before, as that of a disk that is mounted late. */
static void
test_other_spool (void)
{
  const GstY10SpoolConfig config = { .follower = "" };
  gchar *earlier = spool_folder (), *folder = spool_folder (), *command,
        *numbers;
  GstY10SpoolClient *client = spool_open (earlier, &config);
  GstY10SpoolReader *reader;
  GstY10SpoolLine line;
  GstY10Spool *spool;

  for (guint i = 1; i <= 3; i++) {
    put (client, i);
    g_assert_true (gst_y10_spool_flush (client));
  }
  reader = gst_y10_spool_reader_new (gst_y10_spool_client_get_spool (client),
      "", (GstY10SpoolPosition){ 0, 0 });
  g_assert_true (gst_y10_spool_reader_next (reader, &line));
  gst_y10_spool_acknowledge (gst_y10_spool_client_get_spool (client), "",
      line.after);
  gst_y10_spool_reader_free (reader);
  gst_y10_spool_close (client);

  client = spool_open (folder, &config);
  spool = gst_y10_spool_client_get_spool (client);
  for (guint i = 10; i < 14; i++) {
    put (client, i);
    g_assert_true (gst_y10_spool_flush (client));
  }
  reader = gst_y10_spool_reader_new (spool, "", (GstY10SpoolPosition){ 0, 0 });
  while (gst_y10_spool_reader_next (reader, &line))
    gst_y10_spool_acknowledge (spool, "", line.after);
  command = g_strdup_printf ("mv %s %s.moved; mv %s %s", folder, folder,
      earlier, folder);
  run (command, "");
  put (client, 14);
  test_wait_for (spool_stats (client).synced >= 5);
  /* An answer that comes late is of the other folder. */
  gst_y10_spool_acknowledge (spool, "", line.after);
  numbers = spool_read_from (client,
      gst_y10_spool_get_acknowledged (spool, ""));
  g_assert_cmpstr (numbers, ==, "2 3 14 ");
  g_free (numbers);
  numbers = g_strdup ("");
  while (gst_y10_spool_reader_next (reader, &line)) {
    gchar *more = g_strdup_printf ("%s%u ", numbers, spool_number (&line));

    g_free (numbers);
    numbers = more;
  }
  g_assert_cmpstr (numbers, ==, "2 3 14 ");
  gst_y10_spool_reader_free (reader);
  gst_y10_spool_close (client);
  expect_files (folder, "1 2 3 14 ");
  g_free (numbers);
  g_free (command);
  g_free (earlier);
  g_free (folder);
}

/* Where nothing is written, the folder is there again all the same. */
static void
test_idle (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *folder = spool_folder (), *link;
  GError *error = NULL;
  GstY10SpoolClient *client = gst_y10_spool_open (folder, &config, on_state,
      folder, &error);

  g_assert_no_error (error);
  n_failed = n_recovered = 0;
  put (client, 1);
  g_assert_true (gst_y10_spool_flush (client));
  link = g_build_filename (folder, "current.jsonl", NULL);
  g_assert_cmpint (g_unlink (link), ==, 0);
  test_wait_for (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_REGULAR));
  g_assert_cmpuint (n_failed, ==, 0);
  run ("rm -r %s", folder);
  /* Its writer tells of that once the folder can take lines. */
  test_wait_for (g_atomic_int_get ((gint *) &n_recovered) == 1);
  put (client, 2);
  g_assert_true (gst_y10_spool_flush (client));
  expect_files (folder, "2 ");
  gst_y10_spool_close (client);
  g_assert_cmpuint (n_failed, ==, 1);
  g_assert_cmpuint (n_recovered, ==, 1);
  g_free (link);
  g_free (folder);
}

/* While it cannot be made again, lines wait. */
static void
test_away (void)
{
  const GstY10SpoolConfig config = { 0 };
  gchar *parent = spool_folder (),
        *folder = g_build_filename (parent, "spool", NULL);
  GError *error = NULL;
  GstY10SpoolClient *client;

  g_assert_cmpint (g_mkdir (parent, 0700), ==, 0);
  client = gst_y10_spool_open (folder, &config, on_state, parent, &error);
  g_assert_no_error (error);
  n_failed = n_recovered = 0;
  put (client, 1);
  g_assert_true (gst_y10_spool_flush (client));
  run ("mv %s %s.away", parent);
  put (client, 2);
  test_wait_for (spool_stats (client).errors >= 3);
  g_assert_cmpuint (spool_stats (client).synced, ==, 1);
  g_assert_false (gst_y10_spool_flush (client));
  run ("mv %s.away %s", parent);
  test_wait_for (spool_stats (client).synced >= 2);
  expect_files (folder, "1 2 ");
  gst_y10_spool_close (client);
  g_assert_cmpuint (n_failed, ==, 1);
  g_assert_cmpuint (n_recovered, ==, 1);
  g_free (folder);
  g_free (parent);
}

/* What is no file there ends nothing, and is not written to. */
static void
test_no_files (void)
{
  static const gchar *const names[] = { "state", "acknowledged", ".state.new",
    ".acknowledged.new", "00000001.jsonl", "current.jsonl" };
  const GstY10SpoolConfig config = { .follower = "" };

  alarm (60);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *folder = spool_folder (), *command;
    GstY10SpoolClient *client;
    GstY10Spool *spool;

    command = g_strdup_printf ("mkdir %s; mkfifo %s/%s", folder, folder,
        names[i]);
    run (command, "");
    client = spool_open (folder, &config);
    spool = gst_y10_spool_client_get_spool (client);
    put (client, 1);
    g_assert_true (gst_y10_spool_flush (client));
    gst_y10_spool_acknowledge (spool, "", gst_y10_spool_get_synced (spool));
    spool_expect (client, "1 ");
    gst_y10_spool_close (client);
    client = spool_open (folder, &config);
    g_assert_cmpuint (gst_y10_spool_get_acknowledged (
                          gst_y10_spool_client_get_spool (client), "")
                          .offset,
        >, 0);
    gst_y10_spool_close (client);
    g_free (command);
    g_free (folder);
  }
  alarm (0);
}

/* Nothing that was not written can have arrived. */
static void
test_acknowledged_beyond (void)
{
  static const gchar *const texts[] = { "segment=2\noffset=0\n",
    "segment=99\noffset=5\n", "segment=18446744073709551615\noffset=0\n" };
  const GstY10SpoolConfig config = { .follower = "" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    gchar *folder = spool_folder (), *path, *numbers;
    GstY10SpoolClient *client = spool_open (folder, &config);

    put (client, 1);
    gst_y10_spool_close (client);
    path = g_build_filename (folder, "acknowledged", NULL);
    g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
    client = spool_open (folder, &config);
    put (client, 2);
    g_assert_true (gst_y10_spool_flush (client));
    numbers = spool_read_from (client,
        gst_y10_spool_get_acknowledged (gst_y10_spool_client_get_spool (client),
            ""));
    g_assert_cmpstr (numbers, ==, "1 2 ");
    gst_y10_spool_close (client);
    g_free (numbers);
    g_free (path);
    g_free (folder);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spool/changes", test_changes);
  g_test_add_func ("/spool/other", test_other_spool);
  g_test_add_func ("/spool/idle", test_idle);
  g_test_add_func ("/spool/away", test_away);
  g_test_add_func ("/spool/no-files", test_no_files);
  g_test_add_func ("/spool/acknowledged", test_acknowledged_beyond);
  return spool_run ();
}
