/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Where a video is cut into segments. A cut is at the time of a key frame K that
 * is displayed after every frame that precedes it in the file. Frames that
 * follow K in the file and are displayed before it belong to the segment before
 * the cut; with an open GOP they refer to frames of both sides. A segment is
 * decoded from the key frame before K on, so its decoder has seen everything
 * that these refer to. */

#include "config.h"

#include "archive/cuts.h"
#include "media/video.h"

typedef struct
{
  gint64 time; /* of K */
  gint64 seek; /* of the key frame before it; -1: the beginning */
} Cut;

static int
compare_times (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

/* The times of all frames that are displayed, in order. */
static GArray *
sort_times (const ToolCodedFrame *frames, guint n)
{
  GArray *times = g_array_sized_new (FALSE, FALSE, sizeof (gint64), n);

  for (guint i = 0; i < n; i++)
    if (frames[i].time >= 0)
      g_array_append_val (times, frames[i].time);
  g_array_sort (times, compare_times);
  return times;
}

static gboolean
has_duplicates (const GArray *times)
{
  for (guint i = 1; i < times->len; i++)
    if (g_array_index (times, gint64, i)
        == g_array_index (times, gint64, i - 1))
      return TRUE;
  return FALSE;
}

/* Whether frames behind the first key frame are displayed before it: they refer to
 * some that were cut off, and decoders differ in whether they leave them out. */
static gboolean
begins_in_open_gop (const ToolCodedFrame *frames, guint n)
{
  for (guint i = 1; i < n && !frames[i].entry; i++)
    if (frames[i].time >= 0 && frames[i].time < frames[0].time)
      return TRUE;
  return FALSE;
}

static GArray *
find_cuts (const ToolCodedFrame *frames, guint n)
{
  GArray *cuts = g_array_new (FALSE, FALSE, sizeof (Cut));
  gint64 latest = -1; /* display time so far */
  gint64 before = -1; /* the last key frame */
  guint n_entries = 0;

  for (guint i = 0; i < n; i++) {
    const gint64 time = frames[i].time;

    if (frames[i].entry) {
      const Cut cut = { time, n_entries > 1 ? before : -1 };

      if (time > latest && n_entries > 0 && cut.seek < time)
        g_array_append_val (cuts, cut);
      before = time;
      n_entries++;
    }
    latest = MAX (latest, time);
  }
  return cuts;
}

/* Adds a range whose frames are counted later. */
static void
append_range (GArray *ranges, gint64 start, gint64 end, gint64 seek)
{
  const ToolRange range = { .start = start, .end = end, .seek = seek };

  g_array_append_val (ranges, range);
}

static void
count_frames (GArray *ranges, const GArray *times)
{
  guint at = 0;

  for (guint i = 0; i < ranges->len; i++) {
    ToolRange *range = &g_array_index (ranges, ToolRange, i);

    range->first_frame = at;
    while (at < times->len && g_array_index (times, gint64, at) < range->end)
      at++;
    range->n_frames = at - range->first_frame;
  }
}

static gint64
find_end (const ToolCodedFrame *frames, guint n)
{
  gint64 end = 0;

  for (guint i = 0; i < n; i++)
    if (frames[i].time >= 0)
      end = MAX (end, frames[i].time + frames[i].duration);
  return end;
}

const char *
tool_cuts_find (const ToolCodedFrame *frames, guint n, gint64 length,
    GArray *ranges)
{
  g_autoptr (GArray) cuts = NULL;
  g_autoptr (GArray) times = sort_times (frames, n);
  const char *why = NULL;
  gint64 start, seek = -1;

  if (times->len == 0) {
    why = "no frame has a time";
  } else if (has_duplicates (times)) {
    why = "two frames have the same time";
  } else if (begins_in_open_gop (frames, n)) {
    why = "it begins within an open GOP";
  } else {
    cuts = find_cuts (frames, n);
    /* The first segment begins where the stream begins. */
    start = 0;
    for (guint i = 0; i < cuts->len; i++) {
      const Cut *cut = &g_array_index (cuts, Cut, i);

      if (cut->time - start < length)
        continue;
      append_range (ranges, start, cut->time, seek);
      start = cut->time;
      seek = cut->seek;
    }
    append_range (ranges, start, find_end (frames, n), seek);
    count_frames (ranges, times);
  }
  return why;
}
