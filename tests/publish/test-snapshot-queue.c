/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What waits for a disk that stands still: pictures up to a limit, events up to another one.
 * What is beyond goes, counted, and nothing else does. The disk and the encoder are the
 * test's. */
#include "publish/snapshots.h"

#include <string.h>

#include "publish/album.h"
#include "publish/lines.h"
#include "publish/picture.h"
#include "waitfor.h"

#define MIB (1 << 20)

static GMutex lock;
static GCond changed;
static gboolean is_stopped;
static gsize picture_size;
static gsize n_bytes, most_bytes; /* of pictures that there are */
static guint n_pictures;          /* that were written */
static guint n_events;
static guint n_put; /* events that have gone */
static guint n_encoded;

GstY10Album *
gst_y10_album_open (const gchar *folder, const gchar *stream, gint64 max_age,
    guint64 max_bytes, GError **error)
{
  return (GstY10Album *) &lock;
}

void
gst_y10_album_close (GstY10Album *album)
{
}

void
gst_y10_album_tend (GstY10Album *album)
{
}

gchar *
gst_y10_album_add (GstY10Album *album, GBytes *picture, gint64 utc,
    GError **error)
{
  g_mutex_lock (&lock);
  while (is_stopped)
    g_cond_wait (&changed, &lock);
  n_pictures++;
  g_mutex_unlock (&lock);
  return g_strdup ("picture.jpg");
}

GstY10PictureMaker *
gst_y10_picture_maker_new (GError **error)
{
  return (GstY10PictureMaker *) &lock;
}

void
gst_y10_picture_maker_free (GstY10PictureMaker *maker)
{
}

gboolean
gst_y10_picture_maker_take (GstY10PictureMaker *maker, GstBuffer *frame,
    const GstVideoInfo *info, GError **error)
{
  return TRUE;
}

static void
free_picture (gpointer data)
{
  g_mutex_lock (&lock);
  n_bytes -= picture_size;
  g_mutex_unlock (&lock);
  g_free (data);
}

GBytes *
gst_y10_picture_maker_encode (GstY10PictureMaker *maker, const gfloat *box,
    GError **error)
{
  gpointer data = g_malloc (picture_size);

  g_mutex_lock (&lock);
  n_encoded++;
  n_bytes += picture_size;
  most_bytes = MAX (most_bytes, n_bytes);
  g_mutex_unlock (&lock);
  return g_bytes_new_with_free_func (data, picture_size, free_picture, data);
}

gboolean
gst_y10_picture_place (GstBuffer *frame, const GstVideoInfo *info,
    gfloat box[4])
{
  return FALSE;
}

gboolean
gst_y10_frame_find_track (GstBuffer *frame, guint64 id, gfloat box[4])
{
  return FALSE;
}

static void
put (gpointer user, GString *scratch, const gchar *json, gint64 utc,
    gboolean may_wait)
{
  g_mutex_lock (&lock);
  n_put++;
  g_mutex_unlock (&lock);
}

static void
on_state (const GError *error, gpointer user)
{
}

static void
set_stopped (gboolean stopped)
{
  g_mutex_lock (&lock);
  is_stopped = stopped;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static GstY10Snapshots *
begin (gsize size)
{
  const GstY10SnapshotConfig config = { .put = put, .on_state = on_state };
  GError *error = NULL;
  GstY10Snapshots *snapshots;

  picture_size = size;
  most_bytes = n_pictures = n_events = n_put = n_encoded = 0;
  set_stopped (TRUE);
  snapshots = gst_y10_snapshots_new (&config, &error);
  g_assert_no_error (error);
  return snapshots;
}

static void
put_event (GstY10Snapshots *snapshots, const gchar *kind)
{
  GstStructure *event = gst_structure_new ("yolov10-event", "event",
      G_TYPE_STRING, kind, NULL);

  gst_y10_snapshots_put_event (snapshots, event, "{\"event\":\"\"}", 0, FALSE);
  gst_structure_free (event);
  n_events++;
}

static guint
n_encoded_or_dropped (GstY10Snapshots *snapshots)
{
  GstY10SnapshotStats stats;
  guint n;

  gst_y10_snapshots_get_stats (snapshots, &stats);
  g_mutex_lock (&lock);
  n = n_encoded + (guint) stats.dropped;
  g_mutex_unlock (&lock);
  return n;
}

/* A camera that takes pictures for as long as the disk stands still. */
static void
test_pictures (void)
{
  GstY10Snapshots *snapshots = begin (5 * MIB);
  g_autoptr (GstBuffer) frame = gst_buffer_new ();
  GstY10SnapshotStats stats;
  GstVideoInfo info;

  gst_video_info_init (&info);
  for (guint i = 0; i < 60; i++) {
    put_event (snapshots, "enter");
    gst_y10_snapshots_put_frame (snapshots, frame, &info, FALSE, FALSE);
    test_wait_for (n_encoded_or_dropped (snapshots) == n_events);
  }
  /* 16 MiB may wait; besides, what is being made when they are there. */
  g_assert_cmpuint (most_bytes, >=, 15 * MIB);
  g_assert_cmpuint (most_bytes, <=, (16 + 3 * 5) * MIB);
  set_stopped (FALSE);
  gst_y10_snapshots_flush (snapshots);
  gst_y10_snapshots_get_stats (snapshots, &stats);
  g_assert_cmpuint (n_put, ==, n_events);
  g_assert_cmpuint (stats.taken, ==, n_pictures);
  g_assert_cmpuint (stats.dropped, ==, n_events - n_pictures);
  g_assert_cmpuint (stats.lost, ==, 0);
  /* There is room again. */
  put_event (snapshots, "enter");
  gst_y10_snapshots_put_frame (snapshots, frame, &info, FALSE, FALSE);
  gst_y10_snapshots_flush (snapshots);
  g_assert_cmpuint (n_pictures, ==, stats.taken + 1);
  gst_y10_snapshots_free (snapshots);
  g_assert_cmpuint (n_bytes, ==, 0);
}

/* More events than may wait: what does not come out is counted. */
static void
test_events (void)
{
  GstY10Snapshots *snapshots = begin (1);
  g_autoptr (GstBuffer) frame = gst_buffer_new ();
  GstY10SnapshotStats stats;
  GstVideoInfo info;

  gst_video_info_init (&info);
  put_event (snapshots, "enter"); /* for which the disk stands still */
  gst_y10_snapshots_put_frame (snapshots, frame, &info, FALSE, FALSE);
  for (guint i = 0; i < 5000; i++)
    put_event (snapshots, "leave");
  gst_y10_snapshots_get_stats (snapshots, &stats);
  g_assert_cmpuint (stats.lost, >=, 5000 - 4096);
  g_assert_cmpuint (stats.lost, <, 5000);
  set_stopped (FALSE);
  gst_y10_snapshots_flush (snapshots);
  gst_y10_snapshots_get_stats (snapshots, &stats);
  g_assert_cmpuint (n_put + stats.lost, ==, n_events);
  gst_y10_snapshots_free (snapshots);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/snapshots/pictures", test_pictures);
  g_test_add_func ("/snapshots/events", test_events);
  return g_test_run ();
}
