/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Lines of unknown origin: what cannot be read is counted, and memory does not depend on
 * what they say. */

#include "config.h"

#include <gio/gio.h>
#include <string.h>

#include "base/json-cursor.h"
#include "record/lines.h"
#include "spool/utc.h"

#define MAX_DEPTH 16
#define MAX_LINE (1 << 20)

/* So that times can be added. */
#define MAX_NUMBER (G_GINT64_CONSTANT (1) << 60)

typedef struct
{
  RecordLines *lines;
  guint n_stamped; /* groups of pictures whose times stay */
  RecordEachLine each;
  gpointer user;
} Reading;

static gboolean
get_number (Y10Json line, const char *name, gint64 *number)
{
  return y10_json_get_int (y10_json_find (line, name), number)
      && ABS (*number) < MAX_NUMBER;
}

static gboolean
get_utc (Y10Json line, gint64 *utc)
{
  const Y10Json value = y10_json_find (line, "utc");

  return y10_json_get_kind (value) == Y10_JSON_STRING
      && gst_y10_utc_parse (value.text + 1, value.length - 2, utc);
}

static gboolean
read_gop (RecordLines *lines, Y10Json line, RecordGop *gop)
{
  gint64 offset;

  if (lines->gops->len >= RECORD_MAX_GOPS
      || !get_number (line, "offset", &offset) || offset < 0
      || !get_number (line, "pts", &gop->pts)
      || !get_number (line, "time", &gop->time) || !get_utc (line, &gop->utc))
    return FALSE;
  gop->offset = (guint64) offset;
  g_array_append_val (lines->gops, *gop);
  return TRUE;
}

/* The camera's clock, once it is known, is that of what came before. */
static gboolean
read_clock (Reading *reading, Y10Json line, Y10Json clock)
{
  RecordLines *lines = reading->lines;
  gint64 pts, utc;

  if (y10_json_is_text (clock, "camera")) {
    if (!get_number (line, "pts", &pts) || !get_utc (line, &utc))
      return FALSE;
    for (guint i = reading->n_stamped; i < lines->gops->len; i++) {
      RecordGop *gop = &g_array_index (lines->gops, RecordGop, i);

      gop->utc = utc - (pts - gop->pts) / 1000;
    }
    reading->n_stamped = G_MAXUINT;
    lines->clock = "camera";
  } else if (y10_json_is_text (clock, "arrival")) {
    reading->n_stamped = lines->gops->len;
    lines->clock = "arrival";
  } else if (y10_json_is_text (clock, "name")) {
    reading->n_stamped = G_MAXUINT;
    lines->clock = "name";
  } else {
    return FALSE;
  }
  return TRUE;
}

static void
read_line (Reading *reading, const char *text, gsize length)
{
  RecordLines *lines = reading->lines;
  RecordGop gop = { 0 };
  Y10Json line, value;
  Y10JsonFault fault;
  RecordLineKind kind = RECORD_LINE_OTHER;
  gboolean ok = TRUE;

  if (!y10_json_check (text, length, MAX_DEPTH, &line, &fault)
      || y10_json_get_kind (line) != Y10_JSON_OBJECT) {
    lines->n_bad++;
    return;
  }
  if (y10_json_find (line, "offset").text) {
    kind = RECORD_LINE_GOP;
    ok = read_gop (lines, line, &gop);
  } else if (y10_json_find (line, "boxes").text) {
    lines->n_boxes += y10_json_count (y10_json_find (line, "ids"));
  } else if (y10_json_find (line, "event").text) {
    lines->n_events++;
  } else if ((value = y10_json_find (line, "clock")).text) {
    ok = read_clock (reading, line, value);
  } else if ((value = y10_json_find (line, "recording")).text) {
    kind = RECORD_LINE_NAME;
    g_free (lines->name);
    lines->name = y10_json_dup_text (value);
  } else if (y10_json_find (line, "end").text) {
    kind = RECORD_LINE_END;
    ok = get_number (line, "end", &lines->end)
        && get_number (line, "bytes", &lines->bytes);
  }
  lines->n_bad += !ok;
  if (ok && reading->each)
    reading->each (text, length, kind, &gop, reading->user);
}

/* Returns what is left behind the last line. */
static gsize
read_whole_lines (Reading *reading, const GString *text)
{
  const char *at = text->str, *const end = text->str + text->len, *feed;

  for (; (feed = memchr (at, '\n', end - at)); at = feed + 1)
    read_line (reading, at, feed - at);
  return end - at;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const guint64 first = ((const RecordGop *) a)->offset;
  const guint64 second = ((const RecordGop *) b)->offset;

  return (first > second) - (first < second);
}

void
record_lines_read (RecordLines *lines, const char *path, RecordEachLine each,
    gpointer user)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) packed = g_file_read (file, NULL, NULL);
  g_autoptr (GZlibDecompressor)
      gzip = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  Reading reading = { .lines = lines, .each = each, .user = user };
  char part[16384];
  gssize n = 0;

  *lines = (RecordLines){ .clock = "arrival",
    .end = -1,
    .gops = g_array_new (FALSE, FALSE, sizeof (RecordGop)) };
  if (!packed)
    return;
  lines->exists = TRUE;
  stream = g_converter_input_stream_new (G_INPUT_STREAM (packed),
      G_CONVERTER (gzip));
  while (text->len < MAX_LINE
      && (n = g_input_stream_read (stream, part, sizeof part, NULL, NULL))
          > 0) {
    g_string_append_len (text, part, n);
    g_string_erase (text, 0, text->len - read_whole_lines (&reading, text));
  }
  lines->is_whole = n == 0 && text->len == 0;
  g_array_sort (lines->gops, compare);
}

void
record_lines_clear (RecordLines *lines)
{
  g_clear_pointer (&lines->gops, g_array_unref);
  g_clear_pointer (&lines->name, g_free);
}

void
record_lines_append_gop (GString *json, const RecordGop *gop)
{
  g_string_append_printf (json,
      "{\"pts\":%" G_GINT64_FORMAT ",\"time\":%" G_GINT64_FORMAT
      ",\"offset\":%" G_GUINT64_FORMAT ",\"utc\":\"",
      gop->pts, gop->time, gop->offset);
  gst_y10_utc_append (json, gop->utc);
  g_string_append (json, "\"}\n");
}

RecordGop *
record_find_gop (const GArray *gops, guint64 offset)
{
  const RecordGop key = { .offset = offset };
  guint place;

  return g_array_binary_search ((GArray *) gops, &key, compare, &place)
      ? &g_array_index (gops, RecordGop, place)
      : NULL;
}
