/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what is told under which topic:
 *
 *   PREFIX/STREAM/event, PREFIX/STREAM/frame    lines
 *   PREFIX/STREAM/state                         online or offline
 *   PREFIX/STREAM/zone/ZONE/occupancy           how many are in it
 *   PREFIX/STREAM/line/LINE/crossings           {"in":2,"out":1}
 *
 * A state is what the latest line says. While old lines are sent again it stays, so that
 * it does not run through the past; once they are over, it is set right. A process that
 * died has seen nobody leave, so zones that a stream tells of begin empty. */
#include "publish/topics.h"

#include <string.h>

#include "publish/discovery.h"
#include "publish/line.h"

/* Of one stream, so that wrong names do not fill the memory. */
#define MAX_PLACES 256

/* A zone or a line. */
typedef struct
{
  gchar *name, *topic;
  gboolean is_line;
  guint64 counts[2]; /* objects inside; in and out */
  gboolean is_dirty; /* the broker does not know the counts yet */
  gboolean is_told;  /* to Home Assistant */
  gboolean is_known; /* something has told the counts */
} Place;

typedef struct
{
  gchar *name;
  gchar *base; /* PREFIX/STREAM */
  gchar *event, *frame, *presence;
  GPtrArray *places;
} Stream;

struct _GstY10Topics
{
  GstY10TopicsConfig config;
  GPtrArray *streams;
};

static void
place_free (gpointer data)
{
  Place *place = data;

  g_free (place->name);
  g_free (place->topic);
  g_free (place);
}

static void
stream_free (gpointer data)
{
  Stream *stream = data;

  g_free (stream->name);
  g_free (stream->base);
  g_free (stream->event);
  g_free (stream->frame);
  g_free (stream->presence);
  g_ptr_array_unref (stream->places);
  g_free (stream);
}

GstY10Topics *
gst_y10_topics_new (const GstY10TopicsConfig *config)
{
  GstY10Topics *self = g_new0 (GstY10Topics, 1);
  gchar *prefix = g_strdup (config->prefix);

  while (g_str_has_suffix (prefix, "/"))
    prefix[strlen (prefix) - 1] = '\0';
  self->config = *config;
  self->config.prefix = prefix;
  self->streams = g_ptr_array_new_with_free_func (stream_free);
  return self;
}

void
gst_y10_topics_free (GstY10Topics *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->streams);
  g_free ((gchar *) self->config.prefix);
  g_free (self);
}

/* A name as one level of a topic: what has a meaning there becomes an underscore. */
static gchar *
make_level (const gchar *name)
{
  gchar *level = g_utf8_make_valid (*name ? name : "_", -1);

  for (gchar *c = level; *c; c++)
    if (strchr ("/+#", *c) || g_ascii_iscntrl (*c))
      *c = '_';
  if (*level == '$')
    *level = '_';
  return level;
}

static Stream *
get_stream (GstY10Topics *self, const gchar *name)
{
  const gchar *prefix = self->config.prefix;
  Stream *stream;
  gchar *level;

  for (guint i = 0; i < self->streams->len; i++) {
    stream = g_ptr_array_index (self->streams, i);
    if (!strcmp (stream->name, name))
      return stream;
  }
  stream = g_new0 (Stream, 1);
  level = make_level (name);
  stream->name = g_strdup (name);
  stream->base = *prefix ? g_strdup_printf ("%s/%s", prefix, level)
                         : g_strdup (level);
  stream->event = g_strconcat (stream->base, "/event", NULL);
  stream->frame = g_strconcat (stream->base, "/frame", NULL);
  stream->presence = g_strconcat (stream->base, "/state", NULL);
  stream->places = g_ptr_array_new_with_free_func (place_free);
  g_ptr_array_add (self->streams, stream);
  g_free (level);
  return stream;
}

/* NULL: there are too many. */
static Place *
get_place (Stream *stream, const gchar *name, gboolean is_line)
{
  Place *place;
  gchar *level;

  for (guint i = 0; i < stream->places->len; i++) {
    place = g_ptr_array_index (stream->places, i);
    if (place->is_line == is_line && !strcmp (place->name, name))
      return place;
  }
  if (stream->places->len == MAX_PLACES)
    return NULL;
  place = g_new0 (Place, 1);
  level = make_level (name);
  place->name = g_strdup (name);
  place->is_line = is_line;
  place->topic = g_strdup_printf (is_line ? "%s/line/%s/crossings"
                                          : "%s/zone/%s/occupancy",
      stream->base, level);
  g_free (level);
  g_ptr_array_add (stream->places, place);
  return place;
}

/**
 * gst_y10_topics_set_stream:
 * @self: topics
 * @stream: its name
 * @is_there: whether it runs
 *
 * Says whether a stream is there.
 */
void
gst_y10_topics_set_stream (GstY10Topics *self, const gchar *stream,
    gboolean is_there)
{
  const Stream *known = get_stream (self, stream);

  /* Those that begin anew see the zones empty. */
  for (guint i = 0; i < known->places->len; i++)
    ((Place *) g_ptr_array_index (known->places, i))->is_known = FALSE;
  self->config.set_presence (known->presence, is_there, self->config.user);
}

static void
begin_places (Stream *stream, const gchar *const *names, gboolean is_line)
{
  for (guint i = 0; names && names[i]; i++) {
    Place *place = get_place (stream, names[i], is_line);

    if (!place)
      return;
    if (!place->is_known)
      memset (place->counts, 0, sizeof place->counts);
    place->is_dirty |= !place->is_known;
    place->is_known = TRUE;
  }
}

/**
 * gst_y10_topics_set_zones:
 * @self: topics
 * @stream: its name
 * @zones: (nullable): names of its zones; new ones are empty
 * @lines: (nullable): names of its lines; nobody has crossed new ones
 *
 * Tells what a stream watches from now on.
 */
void
gst_y10_topics_set_zones (GstY10Topics *self, const gchar *stream,
    const gchar *const *zones, const gchar *const *lines)
{
  Stream *known = get_stream (self, stream);

  begin_places (known, zones, FALSE);
  begin_places (known, lines, TRUE);
}

static void
set_count (Place *place, guint i, guint64 value, gboolean is_current)
{
  if (place->is_known && !is_current)
    return;
  place->is_dirty |= place->counts[i] != value;
  place->counts[i] = value;
}

/* Takes the counts of an event. */
static void
read_counts (Stream *stream, const GstY10SpoolLine *line, gboolean is_current)
{
  static const gchar *const members[2][2] = { { "count", NULL },
    { "in", "out" } };
  const gboolean is_line = gst_y10_line_find (line, "line", &(gsize){ 0 })
      != NULL;
  gchar *name = gst_y10_line_get_string (line, is_line ? "line" : "zone");
  Place *place = name ? get_place (stream, name, is_line) : NULL;

  g_free (name);
  if (!place)
    return;
  for (guint i = 0; i < 2 && members[is_line][i]; i++) {
    guint64 value;

    if (gst_y10_line_get_count (line, members[is_line][i], &value))
      set_count (place, i, value, is_current);
  }
  place->is_dirty |= !place->is_told;
  place->is_known |= is_current;
}

/**
 * gst_y10_topics_read:
 * @self: topics
 * @line: a line that is about to be sent
 * @stream: its stream
 * @is_current: whether this process has made it
 *
 * Notes the counts that a line has.
 *
 * Returns: (transfer none): the topic to send the line to
 */
const gchar *
gst_y10_topics_read (GstY10Topics *self, const GstY10SpoolLine *line,
    const gchar *stream, gboolean is_current)
{
  Stream *known = get_stream (self, stream);

  if (line->kind != GST_Y10_LINE_EVENT)
    return known->frame;
  read_counts (known, line, is_current);
  return known->event;
}

static void
settle (GstY10Topics *self, const Stream *stream, Place *place)
{
  const GstY10Discovery discovery = { self->config.prefix, stream->name,
    stream->presence, stream->event, place->name, place->topic,
    place->is_line };
  gchar text[96];
  gint length;

  if (!place->is_dirty)
    return;
  if (self->config.home_assistant && !place->is_told)
    gst_y10_discovery_send (&discovery, self->config.send, self->config.user);
  length = place->is_line
      ? g_snprintf (text, sizeof text,
          "{\"in\":%" G_GUINT64_FORMAT ",\"out\":%" G_GUINT64_FORMAT "}",
          place->counts[0], place->counts[1])
      : g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, place->counts[0]);
  self->config.send (place->topic, text, (gsize) length, self->config.user);
  place->is_dirty = FALSE;
  place->is_told = TRUE;
}

/* Sends the states that have changed. */
void
gst_y10_topics_settle (GstY10Topics *self)
{
  for (guint i = 0; i < self->streams->len; i++) {
    const Stream *stream = g_ptr_array_index (self->streams, i);

    for (guint k = 0; k < stream->places->len; k++)
      settle (self, stream, g_ptr_array_index (stream->places, k));
  }
}

/* Makes the next gst_y10_topics_settle() send all states: the broker may have lost them. */
void
gst_y10_topics_repeat (GstY10Topics *self)
{
  for (guint i = 0; i < self->streams->len; i++) {
    const Stream *stream = g_ptr_array_index (self->streams, i);

    for (guint k = 0; k < stream->places->len; k++) {
      Place *place = g_ptr_array_index (stream->places, k);

      place->is_dirty = TRUE;
      place->is_told = FALSE;
    }
  }
}

void
gst_y10_topics_note (GstY10Topics *self, const gchar *topic, const gchar *text,
    gsize length)
{
}
