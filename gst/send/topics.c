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
 * died has seen nobody leave, so zones that a stream tells of begin empty. Those that it
 * does not tell of any more are taken back. */
#include "send/topics.h"

#include <string.h>

#include "send/names.h"
#include "send/retained.h"

/* Of one stream, so that wrong names do not fill the memory. */
#define MAX_PLACES 256

/* A zone or a line. */
typedef struct
{
  gchar *name, *topic;
  gboolean is_line;
  guint64 counts[2];  /* objects inside; in and out */
  gboolean is_dirty;  /* the broker does not know the counts yet */
  gboolean is_told;   /* to Home Assistant */
  gboolean is_known;  /* something has told the counts */
  gboolean is_listed; /* the stream watches it now */
} Place;

typedef struct
{
  gchar *name;
  gchar *base; /* PREFIX/STREAM */
  gchar *event, *frame, *presence;
  GPtrArray *places;
  gboolean has_list; /* of what it watches */
} Stream;

struct _GstY10Topics
{
  GstY10TopicsConfig config;
  GPtrArray *streams;
  GstY10Retained *retained;
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

static void
remove_topic (const gchar *topic, gpointer user)
{
  const GstY10Topics *self = user;

  self->config.send (topic, "", 0, self->config.user);
}

static void
watch (const gchar *filter, gpointer user)
{
  const GstY10Topics *self = user;

  self->config.watch (filter, self->config.user);
}

GstY10Topics *
gst_y10_topics_new (const GstY10TopicsConfig *config)
{
  GstY10Topics *self = g_new0 (GstY10Topics, 1);
  gchar *prefix = g_strdup (config->prefix);
  const GstY10RetainedConfig retained = { config->folder, config->follower,
    config->producer, config->broker, remove_topic, watch, self };

  while (g_str_has_suffix (prefix, "/"))
    prefix[strlen (prefix) - 1] = '\0';
  self->config = *config;
  self->config.prefix = prefix;
  self->streams = g_ptr_array_new_with_free_func (stream_free);
  self->retained = gst_y10_retained_new (&retained);
  return self;
}

void
gst_y10_topics_free (GstY10Topics *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->streams);
  gst_y10_retained_free (self->retained);
  g_free ((gchar *) self->config.prefix);
  g_free (self);
}

static Stream *
get_stream (GstY10Topics *self, const gchar *name)
{
  const gchar *prefix = self->config.prefix;
  g_autofree gchar *level = NULL, *device = NULL;
  Stream *stream;

  for (guint i = 0; i < self->streams->len; i++) {
    stream = g_ptr_array_index (self->streams, i);
    if (!strcmp (stream->name, name))
      return stream;
  }
  stream = g_new0 (Stream, 1);
  level = gst_y10_name_to_level (name);
  stream->name = g_strdup (name);
  stream->base = *prefix ? g_strdup_printf ("%s/%s", prefix, level)
                         : g_strdup (level);
  stream->event = g_strconcat (stream->base, "/event", NULL);
  stream->frame = g_strconcat (stream->base, "/frame", NULL);
  stream->presence = g_strconcat (stream->base, "/state", NULL);
  stream->places = g_ptr_array_new_with_free_func (place_free);
  g_ptr_array_add (self->streams, stream);
  device = gst_y10_discovery_make_device (prefix, name);
  gst_y10_retained_claim (self->retained, stream->base, device);
  return stream;
}

static Place *
find_place (const Stream *stream, const gchar *name, gboolean is_line)
{
  for (guint i = 0; i < stream->places->len; i++) {
    Place *place = g_ptr_array_index (stream->places, i);

    if (place->is_line == is_line && !strcmp (place->name, name))
      return place;
  }
  return NULL;
}

/* NULL: there are too many. */
static Place *
get_place (const Stream *stream, const gchar *name, gboolean is_line)
{
  Place *place = find_place (stream, name, is_line);
  g_autofree gchar *level = NULL;

  if (place || stream->places->len == MAX_PLACES)
    return place;
  place = g_new0 (Place, 1);
  level = gst_y10_name_to_level (name);
  place->name = g_strdup (name);
  place->is_line = is_line;
  place->topic = g_strdup_printf (is_line ? "%s/line/%s/crossings"
                                          : "%s/zone/%s/occupancy",
      stream->base, level);
  g_ptr_array_add (stream->places, place);
  return place;
}

/* Sends what the broker keeps of a place. */
typedef struct
{
  const GstY10Topics *topics;
  const Stream *stream;
} Sender;

static void
tell (const gchar *topic, const gchar *text, gsize length, gpointer user)
{
  const Sender *sender = user;
  const GstY10TopicsConfig *config = &sender->topics->config;

  gst_y10_retained_tell (sender->topics->retained, sender->stream->base, topic);
  config->send (topic, text, length, config->user);
}

static void
withdraw (const gchar *topic, const gchar *text, gsize length, gpointer user)
{
  const Sender *sender = user;

  gst_y10_retained_withdraw (sender->topics->retained, sender->stream->base,
      topic);
}

/* Gives @func what announces a place. */
static void
announce (const GstY10Topics *self, const Stream *stream, const Place *place,
    GstY10StateFunc func)
{
  const GstY10Discovery discovery = { self->config.prefix, stream->name,
    stream->presence, stream->event, place->name, place->topic,
    place->is_line };
  Sender sender = { self, stream };

  if (self->config.home_assistant)
    gst_y10_discovery_send (&discovery, func, &sender);
}

/* Takes back what was told of places that the stream does not watch any more. */
static void
withdraw_places (GstY10Topics *self, Stream *stream)
{
  Sender sender = { self, stream };

  for (guint i = stream->places->len; i > 0; i--) {
    const Place *place = g_ptr_array_index (stream->places, i - 1);

    if (place->is_listed)
      continue;
    withdraw (place->topic, NULL, 0, &sender);
    announce (self, stream, place, withdraw);
    g_ptr_array_remove_index (stream->places, i - 1);
  }
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

  gst_y10_retained_tell (self->retained, known->base, known->presence);
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
    place->is_listed = TRUE;
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

  for (guint i = 0; i < known->places->len; i++)
    ((Place *) g_ptr_array_index (known->places, i))->is_listed = FALSE;
  known->has_list = TRUE;
  begin_places (known, zones, FALSE);
  begin_places (known, lines, TRUE);
  withdraw_places (self, known);
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
  const gboolean is_line = gst_y10_line_has (line, "line");
  g_autofree gchar *name = gst_y10_line_get_string (line,
      is_line ? "line" : "zone");
  Place *place = name ? find_place (stream, name, is_line) : NULL;

  /* Old lines may name what is not watched any more. */
  if (name && !place && (is_current || !stream->has_list))
    place = get_place (stream, name, is_line);
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
  Sender sender = { self, stream };
  gchar text[96];
  gint length;

  if (!place->is_dirty)
    return;
  if (!place->is_told)
    announce (self, stream, place, tell);
  length = place->is_line
      ? g_snprintf (text, sizeof text,
          "{\"in\":%" G_GUINT64_FORMAT ",\"out\":%" G_GUINT64_FORMAT "}",
          place->counts[0], place->counts[1])
      : g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, place->counts[0]);
  tell (place->topic, text, (gsize) length, &sender);
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
    if (stream->has_list)
      gst_y10_retained_sweep (self->retained, stream->base);
  }
  gst_y10_retained_save (self->retained, FALSE);
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
  gst_y10_retained_repeat (self->retained);
}

/* What the broker says of topics that are watched. */
void
gst_y10_topics_note (GstY10Topics *self, const gchar *topic, const gchar *text,
    gsize length, gboolean is_news)
{
  gst_y10_retained_note (self->retained, topic, text, length, is_news);
}

/* Takes back what was told of streams that have not come by now. */
void
gst_y10_topics_sweep (GstY10Topics *self)
{
  gst_y10_retained_sweep_streams (self->retained);
}

/* Nothing is told any more. @is_over: the broker has all that was. */
void
gst_y10_topics_end (GstY10Topics *self, gboolean is_over)
{
  gst_y10_retained_save (self->retained, is_over);
}
