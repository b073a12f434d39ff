/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See spoolcommon.h. */
#include "spoolcommon.h"

#include <glib/gstdio.h>
#include <string.h>

#include "disk.h"

static gchar *base;

gchar *
spool_folder (void)
{
  static guint n;
  gchar *name = g_strdup_printf ("spool%u", n++);
  gchar *path = g_build_filename (base, name, NULL);

  g_free (name);
  disk_begin (path);
  return path;
}

GstY10SpoolClient *
spool_open (const gchar *folder, const GstY10SpoolConfig *config)
{
  GError *error = NULL;
  GstY10SpoolClient *client = gst_y10_spool_open (folder, config, NULL, NULL,
      &error);

  g_assert_no_error (error);
  return client;
}

gboolean
spool_put (GstY10SpoolClient *client, GstY10LineKind kind, guint n,
    guint length, gboolean may_wait)
{
  g_autofree gchar *padding = g_strnfill (length, 'x');
  gchar *line = g_strdup_printf ("{\"%s\":%u,\"x\":\"%s\"}",
      kind == GST_Y10_LINE_EVENT ? "event" : "frame", n, padding);
  const gboolean ok = gst_y10_spool_put (client, kind, line, strlen (line),
      may_wait);

  g_free (line);
  return ok;
}

guint
spool_number (const GstY10SpoolLine *line)
{
  return (guint) g_ascii_strtoull (line->text + 9, NULL, 10);
}

GstY10SpoolStats
spool_stats (GstY10SpoolClient *client)
{
  GstY10SpoolStats stats;

  gst_y10_spool_get_stats (gst_y10_spool_client_get_spool (client), &stats);
  return stats;
}

gchar *
spool_read_from (GstY10SpoolClient *client, GstY10SpoolPosition from)
{
  GstY10SpoolReader *reader =
      gst_y10_spool_reader_new (gst_y10_spool_client_get_spool (client), "",
          from);
  GString *numbers = g_string_new (NULL);
  GstY10SpoolLine line;

  while (gst_y10_spool_reader_next (reader, &line))
    g_string_append_printf (numbers, "%u ", spool_number (&line));
  gst_y10_spool_reader_free (reader);
  return g_string_free (numbers, FALSE);
}

void
spool_expect (GstY10SpoolClient *client, const gchar *expected)
{
  gchar *numbers = spool_read_from (client, (GstY10SpoolPosition){ 0, 0 });

  g_assert_cmpstr (numbers, ==, expected);
  g_free (numbers);
}

gchar *
spool_segments (const gchar *folder)
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

void
spool_expect_segments (const gchar *folder, const gchar *expected)
{
  g_autofree gchar *names = spool_segments (folder);

  g_assert_cmpstr (names, ==, expected);
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
spool_run (void)
{
  int result;

  /* In memory where that is possible: the disk is made up anyway. */
  base = g_strdup ("/dev/shm/y10-spool-XXXXXX");
  if (!g_mkdtemp (base)) {
    g_free (base);
    base = g_dir_make_tmp ("y10-spool-XXXXXX", NULL);
  }
  g_assert_nonnull (base);
  result = g_test_run ();
  remove_all (base);
  g_free (base);
  return result;
}
