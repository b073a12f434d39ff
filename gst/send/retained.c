/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A broker keeps what it was told until it is told otherwise, also by a process that is no
 * more. So the topics are noted beside the spool, and the broker is asked what it keeps of
 * the streams that are here: the one knows of streams that are gone, the other also of
 * what was told before the folder was deleted. Topics of other streams stay, and so do
 * those of a stream that somebody else runs now. */
#include "send/retained.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json-cursor.h"
#include "base/json.h"

#define NAME "retained"
#define MAX_FILE (4 << 20)
#define MAX_DEPTH 3

/* What becomes of a topic. */
typedef enum
{
  KEPT = 1, /* by the broker, as far as is known */
  TOLD,     /* by this process */
  REMOVED,  /* likewise, but the broker may not know it yet */
} Fate;

typedef struct
{
  gchar *base, *device; /* @device: NULL: not known */
  GHashTable *topics;   /* gchar *, Fate */
  gboolean is_claimed, is_swept;
  gboolean is_elsewhere; /* somebody else says that it is online */
} Stream;

struct _GstY10Retained
{
  GstY10RetainedConfig config;
  gchar *path;
  GHashTable *streams; /* by their base */
  gboolean is_dirty;
};

static void
stream_free (gpointer data)
{
  Stream *stream = data;

  g_free (stream->base);
  g_free (stream->device);
  g_hash_table_unref (stream->topics);
  g_free (stream);
}

static Stream *
get_stream (GstY10Retained *self, const gchar *base)
{
  Stream *stream = g_hash_table_lookup (self->streams, base);

  if (stream)
    return stream;
  stream = g_new0 (Stream, 1);
  stream->base = g_strdup (base);
  stream->topics = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  g_hash_table_insert (self->streams, stream->base, stream);
  return stream;
}

static Fate
get_fate (const Stream *stream, const gchar *topic)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (stream->topics, topic));
}

static void
set_fate (GstY10Retained *self, Stream *stream, const gchar *topic, Fate fate)
{
  if (get_fate (stream, topic) == fate)
    return;
  g_hash_table_insert (stream->topics, g_strdup (topic),
      GINT_TO_POINTER (fate));
  self->is_dirty = TRUE;
}

/* Returns: (nullable): a regular file, if it is not too large */
static gchar *
read_file (const gchar *path)
{
  const int file = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  gchar *text = NULL;
  struct stat status;

  if (file < 0)
    return NULL;
  if (fstat (file, &status) == 0 && S_ISREG (status.st_mode)
      && status.st_size <= MAX_FILE) {
    text = g_malloc0 ((gsize) status.st_size + 1);
    if (read (file, text, (gsize) status.st_size) < 0)
      text[0] = '\0';
  }
  close (file);
  return text;
}

static void
load_stream (GstY10Retained *self, const gchar *base, Y10Json topics)
{
  Y10JsonCursor cursor;
  Y10Json topic;

  y10_json_enter (&cursor, topics);
  while (y10_json_next (&cursor, &topic)) {
    g_autofree gchar *text = y10_json_dup_text (topic);

    if (text && *text && !strpbrk (text, "+#"))
      set_fate (self, get_stream (self, base), text, KEPT);
  }
}

/* What another spool or broker was told is none of our business. */
static void
load (GstY10Retained *self)
{
  g_autofree gchar *text = read_file (self->path);
  Y10JsonCursor cursor;
  Y10Json root, topics;

  if (text && y10_json_check (text, strlen (text), MAX_DEPTH, &root, NULL)
      && y10_json_is_text (y10_json_find (root, "producer"),
          self->config.producer)
      && y10_json_is_text (y10_json_find (root, "broker"),
          self->config.broker)) {
    y10_json_enter (&cursor, y10_json_find (root, "streams"));
    while (y10_json_next (&cursor, &topics)) {
      g_autofree gchar *base = y10_json_dup_text (cursor.name);

      if (base)
        load_stream (self, base, topics);
    }
  }
  self->is_dirty = FALSE;
}

static gchar *
get_presence (const Stream *stream)
{
  return g_strconcat (stream->base, "/state", NULL);
}

/* Whether somebody else has a stream shows in its state. */
static void
watch_others (GstY10Retained *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->streams);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    g_autofree gchar *presence = get_presence (value);

    self->config.watch (presence, self->config.user);
  }
}

GstY10Retained *
gst_y10_retained_new (const GstY10RetainedConfig *config)
{
  GstY10Retained *self = g_new0 (GstY10Retained, 1);

  self->config = *config;
  self->config.folder = self->config.follower = NULL;
  self->config.producer = g_strdup (config->producer);
  self->config.broker = g_strdup (config->broker);
  self->path = g_strconcat (config->folder, "/" NAME,
      *config->follower ? "." : "", config->follower, NULL);
  self->streams = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
      stream_free);
  load (self);
  watch_others (self);
  return self;
}

void
gst_y10_retained_free (GstY10Retained *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->streams);
  g_free ((gchar *) self->config.producer);
  g_free ((gchar *) self->config.broker);
  g_free (self->path);
  g_free (self);
}

/**
 * gst_y10_retained_claim:
 * @self: retained
 * @base: PREFIX/STREAM
 * @device: name of the stream where it is announced
 *
 * Says that this process has a stream.
 */
void
gst_y10_retained_claim (GstY10Retained *self, const gchar *base,
    const gchar *device)
{
  Stream *stream = get_stream (self, base);
  g_autofree gchar *zones = g_strdup_printf ("%s/zone/+/occupancy", base);
  g_autofree gchar *lines = g_strdup_printf ("%s/line/+/crossings", base);
  g_autofree gchar *entities = g_strdup_printf ("homeassistant/+/%s/+/config",
      device);

  if (stream->is_claimed)
    return;
  stream->is_claimed = TRUE;
  stream->device = g_strdup (device);
  self->config.watch (zones, self->config.user);
  self->config.watch (lines, self->config.user);
  self->config.watch (entities, self->config.user);
}

void
gst_y10_retained_tell (GstY10Retained *self, const gchar *base,
    const gchar *topic)
{
  set_fate (self, get_stream (self, base), topic, TOLD);
}

/* What was told is not true any more. */
void
gst_y10_retained_withdraw (GstY10Retained *self, const gchar *base,
    const gchar *topic)
{
  set_fate (self, get_stream (self, base), topic, KEPT);
}

/* Whether a stream that is claimed has a topic. */
static gboolean
has_topic (const Stream *stream, const gchar *topic)
{
  static const gchar root[] = "homeassistant/";
  const gsize length = strlen (stream->base);
  const gchar *device;

  if (!strncmp (topic, stream->base, length) && topic[length] == '/')
    return TRUE;
  if (!stream->device || strncmp (topic, root, sizeof root - 1))
    return FALSE;
  device = strchr (topic + sizeof root - 1, '/');
  return device && g_str_has_prefix (device + 1, stream->device)
      && device[1 + strlen (stream->device)] == '/';
}

static void
remove_topic (GstY10Retained *self, Stream *stream, const gchar *topic)
{
  self->config.remove (topic, self->config.user);
  set_fate (self, stream, topic, REMOVED);
}

/* What the broker keeps under a topic; @is_news: it was told just now. */
void
gst_y10_retained_note (GstY10Retained *self, const gchar *topic,
    const gchar *text, gsize length, gboolean is_news)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->streams);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Stream *stream = value;
    g_autofree gchar *presence = get_presence (stream);

    if (!strcmp (topic, presence))
      stream->is_elsewhere = length == strlen ("online")
          && !memcmp (text, "online", length);
    else if (length && !is_news && has_topic (stream, topic)
        && get_fate (stream, topic) != TOLD) {
      if (stream->is_swept)
        remove_topic (self, stream, topic);
      else
        set_fate (self, stream, topic, KEPT);
    }
  }
}

static void
sweep (GstY10Retained *self, Stream *stream)
{
  g_autofree gpointer *topics = g_hash_table_get_keys_as_array (stream->topics,
      NULL);

  for (guint i = 0; topics[i]; i++)
    if (get_fate (stream, topics[i]) == KEPT)
      remove_topic (self, stream, topics[i]);
}

void
gst_y10_retained_sweep (GstY10Retained *self, const gchar *base)
{
  Stream *stream = get_stream (self, base);

  stream->is_swept = TRUE;
  sweep (self, stream);
}

void
gst_y10_retained_sweep_streams (GstY10Retained *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->streams);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Stream *stream = value;

    if (stream->is_claimed)
      continue;
    if (!stream->is_elsewhere) {
      sweep (self, stream);
      continue;
    }
    g_hash_table_iter_remove (&iter);
    self->is_dirty = TRUE;
  }
}

/* The connection is another one, and what was sent before may be lost. */
void
gst_y10_retained_repeat (GstY10Retained *self)
{
  GHashTableIter iter, topics;
  gpointer value, topic, fate;

  g_hash_table_iter_init (&iter, self->streams);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    g_hash_table_iter_init (&topics, ((Stream *) value)->topics);
    while (g_hash_table_iter_next (&topics, &topic, &fate))
      if (GPOINTER_TO_INT (fate) == REMOVED)
        self->config.remove (topic, self->config.user);
  }
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar *const *) a, *(const gchar *const *) b);
}

static void
add_topics (const Stream *stream, GString *json, gboolean is_over)
{
  guint n;
  g_autofree gpointer *topics = g_hash_table_get_keys_as_array (stream->topics,
      &n);

  qsort (topics, n, sizeof *topics, compare);
  y10_json_open (json, stream->base, '[');
  for (guint i = 0; i < n; i++)
    if (!is_over || get_fate (stream, topics[i]) != REMOVED)
      y10_json_add_string (json, NULL, topics[i]);
  y10_json_close (json, ']');
}

/* Writes down what the broker keeps. @is_over: it has got all that was sent. */
void
gst_y10_retained_save (GstY10Retained *self, gboolean is_over)
{
  GHashTableIter iter;
  gpointer value;
  g_autoptr (GString) json = NULL;

  if (!self->is_dirty && !is_over)
    return;
  json = g_string_new (NULL);
  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "producer", self->config.producer);
  y10_json_add_string (json, "broker", self->config.broker);
  y10_json_open (json, "streams", '{');
  g_hash_table_iter_init (&iter, self->streams);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    add_topics (value, json, is_over);
  y10_json_close (json, '}');
  y10_json_close (json, '}');
  /* Without it, only what the broker tells by itself can be removed. */
  if (g_file_set_contents_full (self->path, json->str, (gssize) json->len,
          G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL))
    self->is_dirty = FALSE;
}
