/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Puts numbered lines into a spool and follows it, for tests that kill it at any time.
 * Prints "synced N" whenever N lines in all are safe, before the network has any of them
 * to itself, and the counters at its end. SIGTERM ends the lingering. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "send/follower.h"

static gint from = 0, n_lines = 0, rate = 0, age = 0, max_delay = 0, linger = 0;
static gint max_bytes = 0, timeout = 20000, expected = 0;
static gboolean home_assistant = FALSE, announces = FALSE, frames = FALSE;
static volatile sig_atomic_t is_told_to_end = FALSE;
static gchar *credentials = NULL, *stream = NULL, *zone = NULL, *share = NULL;
static gchar *beside = NULL;

static const GOptionEntry options[] = { { "from", 0, 0, G_OPTION_ARG_INT, &from,
                                            "number of the first line", "N" },
  { "count", 0, 0, G_OPTION_ARG_INT, &n_lines, "how many lines", "N" },
  { "expect", 0, 0, G_OPTION_ARG_INT, &expected,
      "lines to linger for (default: count)", "N" },
  { "rate", 0, 0, G_OPTION_ARG_INT, &rate, "lines a second", "N" },
  { "age", 0, 0, G_OPTION_ARG_INT, &age, "seconds since they were made", "S" },
  { "max-delay", 0, 0, G_OPTION_ARG_INT, &max_delay, "in seconds", "S" },
  { "max-bytes", 0, 0, G_OPTION_ARG_INT, &max_bytes, "of the spool", "N" },
  { "timeout", 0, 0, G_OPTION_ARG_INT, &timeout, "in milliseconds", "MS" },
  { "linger", 0, 0, G_OPTION_ARG_INT, &linger, "milliseconds before the end",
      "MS" },
  { "home-assistant", 0, 0, G_OPTION_ARG_NONE, &home_assistant, "", NULL },
  { "announce", 0, 0, G_OPTION_ARG_NONE, &announces,
      "tell of the zone before it has events", NULL },
  { "frames", 0, 0, G_OPTION_ARG_NONE, &frames, "frames, not events", NULL },
  { "credentials", 0, 0, G_OPTION_ARG_STRING, &credentials, "", "FILE" },
  { "stream", 0, 0, G_OPTION_ARG_STRING, &stream, "", "NAME" },
  { "also", 0, 0, G_OPTION_ARG_STRING, &share, "another stream", "NAME" },
  { "beside", 0, 0, G_OPTION_ARG_STRING, &beside, "of a follower named b",
      "URI" },
  { "zone", 0, 0, G_OPTION_ARG_STRING, &zone, "", "NAME" }, { NULL } };

static void
on_terminate (int number)
{
  is_told_to_end = TRUE;
}

static void
on_state (const GError *error, gpointer user)
{
  printf ("state %s\n", error ? error->message : "works");
  fflush (stdout);
}

static gpointer
make_follower (GstY10Spool *spool, gpointer user, GError **error)
{
  const GstY10FollowerSettings settings = {
    .name = user == beside ? "b" : "",
    .uri = user,
    .credentials = credentials,
    .home_assistant = home_assistant,
    .max_delay = max_delay * G_USEC_PER_SEC,
    .timeout = timeout * G_TIME_SPAN_MILLISECOND,
  };

  return gst_y10_follower_new (spool, &settings, error);
}

static void
free_follower (gpointer follower)
{
  gst_y10_follower_free (follower);
}

static void
put (GstY10SpoolClient *client, gint number)
{
  g_autoptr (GDateTime) time = g_date_time_new_now_utc ();
  g_autoptr (GDateTime) then = g_date_time_add_seconds (time, -age);
  g_autofree gchar *utc = g_date_time_format (then, "%Y-%m-%dT%H:%M:%S.%fZ");
  g_autofree gchar *line = frames
      ? g_strdup_printf (
          "{\"source\":\"x\",\"timestamp\":%d,\"objects\":[{\"label\":\"a,}\\\"]\"}],"
          "\"n\":%d,\"stream\":\"%s\",\"utc\":\"%s\"}",
          number, number, stream, utc)
      : g_strdup_printf (
          "{\"event\":\"%s\",\"zone\":\"%s\",\"timestamp\":%d,\"id\":%d,"
          "\"label\":\"person\",\"count\":%d,\"n\":%d,\"stream\":\"%s\","
          "\"utc\":\"%s\"}",
          number % 2 ? "leave" : "enter", zone, number, number, number % 7,
          number, stream, utc);

  gst_y10_spool_put (client, frames ? GST_Y10_LINE_FRAME : GST_Y10_LINE_EVENT,
      line, strlen (line), TRUE);
}

/* Says how many are safe, if more are. */
static void
report (GstY10SpoolClient *client, guint64 *synced)
{
  GstY10SpoolStats stats;

  gst_y10_spool_get_stats (gst_y10_spool_client_get_spool (client), &stats);
  if (stats.synced == *synced)
    return;
  *synced = stats.synced;
  printf ("synced %" G_GUINT64_FORMAT "\n", *synced);
  fflush (stdout);
}

static void
print_stats (GstY10Follower *follower)
{
  GstY10FollowerStats stats;

  gst_y10_follower_get_stats (follower, &stats);
  printf ("stats {\"sent\":%" G_GUINT64_FORMAT
          ",\"acknowledged\":%" G_GUINT64_FORMAT
          ",\"replayed\":%" G_GUINT64_FORMAT ",\"skipped\":%" G_GUINT64_FORMAT
          ",\"failed\":%" G_GUINT64_FORMAT ",\"reconnects\":%" G_GUINT64_FORMAT
          ",\"connected\":%s}\n",
      stats.sent, stats.acknowledged, stats.replayed, stats.skipped,
      stats.failed, stats.reconnects, stats.is_connected ? "true" : "false");
  fflush (stdout);
}

static void
begin_streams (GstY10Follower *follower)
{
  const gchar *const zones[] = { zone, NULL };
  const gchar *const lines[] = { "gate", NULL };

  gst_y10_follower_set_stream (follower, stream, TRUE);
  if (share)
    gst_y10_follower_set_stream (follower, share, TRUE);
  if (announces)
    gst_y10_follower_set_zones (follower, stream, zones, lines);
}

static void
feed (GstY10SpoolClient *client, GstY10Follower *follower)
{
  const gint64 begin = g_get_monotonic_time ();
  guint64 synced = 0;

  for (gint i = 0; i < n_lines; i++) {
    put (client, from + i);
    report (client, &synced);
    while (rate && g_get_monotonic_time () - begin < i * G_USEC_PER_SEC / rate)
      g_usleep (500);
  }
  gst_y10_spool_flush (client);
  report (client, &synced);
  for (gint i = 0; i < linger && !is_told_to_end; i += 20) {
    GstY10FollowerStats stats;

    gst_y10_follower_get_stats (follower, &stats);
    if (expected && stats.acknowledged >= (guint64) expected)
      break;
    g_usleep (20000);
  }
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("SPOOL URI");
  GstY10SpoolConfig config = { .sync_interval = 20 * 1000, .follower = "" };
  GstY10SpoolClient *client, *second = NULL;
  GstY10Follower *follower;
  GError *error = NULL;

  signal (SIGTERM, on_terminate);
  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 3) {
    fprintf (stderr, "feed: %s\n", error ? error->message : "SPOOL URI");
    return 2;
  }
  g_option_context_free (context);
  expected = expected ? expected : n_lines;
  stream = stream ? stream : g_strdup ("door");
  zone = zone ? zone : g_strdup ("yard");
  config.max_bytes = (guint64) max_bytes;
  client = gst_y10_spool_open (argv[1], &config, on_state, NULL, &error);
  follower = client ? gst_y10_spool_share (client, make_follower, argv[2],
                 free_follower, &error)
                    : NULL;
  if (!follower) {
    fprintf (stderr, "feed: %s\n", error->message);
    g_error_free (error);
    gst_y10_spool_close (client);
    return 1;
  }
  if (beside) {
    config.follower = "b";
    second = gst_y10_spool_open (argv[1], &config, NULL, NULL, NULL);
    gst_y10_spool_share (second, make_follower, beside, free_follower, NULL);
  }
  begin_streams (follower);
  feed (client, follower);
  print_stats (follower);
  gst_y10_follower_set_stream (follower, stream, FALSE);
  gst_y10_spool_close (second);
  gst_y10_spool_close (client);
  g_free (beside);
  g_free (stream);
  g_free (zone);
  g_free (share);
  g_free (credentials);
  printf ("closed\n");
  return 0;
}
