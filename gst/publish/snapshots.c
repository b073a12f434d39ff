/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which events get a picture, of which frame, and what happens where pictures are
 * slower than events. All events go through one queue, so that they stay in order: an event
 * comes before the frame that shows it, waits for that frame, then for one thread that makes
 * a JPEG, and leaves by another one that writes it; so a line names only what is there.
 *
 * The streaming thread takes only a reference of a frame. Pools of cameras and decoders have
 * few buffers, so at most MAX_FRAMES are held, and only until they are converted, never while
 * a disk is slow: that is why there are two threads. A copy would cost the streaming thread
 * time in proportion to the frame. */
#include "publish/snapshots.h"

#include <string.h>

#include "publish/album.h"
#include "publish/lines.h"
#include "publish/picture.h"

#define MAX_FRAMES 3
#define MAX_BYTES (16 << 20) /* of pictures that wait for the disk */
#define MAX_EVENTS 4096

/* How long an event waits for its frame: while a source is silent, none comes. */
#define PATIENCE (G_TIME_SPAN_SECOND)

/* A larger picture is not in the line. Kafka's default is a megabyte for a message. */
#define MAX_INLINE (512 << 10)

#define TEND_INTERVAL (60 * G_TIME_SPAN_SECOND)

typedef enum
{
  AWAITS_FRAME,
  HAS_FRAME,
  READY,
} State;

typedef struct
{
  State state;
  gchar *json;
  gint64 utc, came_at;
  gboolean may_wait;
  gboolean has_box;
  guint64 id; /* of the object */
  gfloat box[4];
  gboolean wants_box;
  GstBuffer *frame; /* until it is converted */
  guint64 number;   /* of the frame, which several events may have */
  GstVideoInfo info;
  gboolean is_covered;
  GBytes *jpeg; /* NULL: none; the same, too, but for crops */
} Event;

struct _GstY10Snapshots
{
  GstY10SnapshotConfig config; /* without its strings */
  GstY10Album *album;
  GstY10PictureMaker *maker;
  GThread *encoder, *writer;

  GMutex lock;
  GCond to_encode, to_write, changed;
  GQueue events; /* Event, in their order */
  guint n_awaiting, n_frames, n_flushes;
  gboolean frame_waits; /* for room */
  guint64 number;       /* of the latest frame */
  gsize n_bytes;
  guint64 n_put, n_done;
  gboolean flushing, is_closed;
  gboolean cannot_encode, cannot_write; /* and that was told */
  GstY10SnapshotStats stats;

  /* Writer's thread. */
  GBytes *written; /* the latest, and its name */
  gchar *name;
  GString *line, *scratch;
};

static void
event_free (Event *event)
{
  gst_clear_buffer (&event->frame);
  g_clear_pointer (&event->jpeg, g_bytes_unref);
  g_free (event->json);
  g_free (event);
}

/* Whether an event has a picture: who leaves is not there any more, and what is not over
 * is no alarm. */
static gboolean
has_picture (const GstStructure *structure)
{
  const gchar *kind = gst_structure_get_string (structure, "event");
  gboolean over = FALSE;

  if (!g_strcmp0 (kind, "occupancy"))
    return gst_structure_get_boolean (structure, "over", &over) && over;
  return !g_strcmp0 (kind, "enter") || !g_strcmp0 (kind, "cross")
      || !g_strcmp0 (kind, "dwell");
}

/* Call with the lock held. The event goes without a picture. */
static void
give_up (GstY10Snapshots *self, Event *event)
{
  if (event->state == AWAITS_FRAME)
    self->n_awaiting--;
  event->state = READY;
  self->stats.dropped++;
  g_cond_signal (&self->to_write);
}

/* Call with the lock held. */
static void
give_up_awaiting (GstY10Snapshots *self)
{
  for (GList *l = self->events.head; l && self->n_awaiting; l = l->next) {
    Event *event = l->data;

    if (event->state == AWAITS_FRAME)
      give_up (self, event);
  }
}

/* Tells once that something fails, and once that it works again. */
static void
set_failing (GstY10Snapshots *self, gboolean *failing, const GError *error)
{
  const gboolean now = error != NULL;

  if (*failing == now)
    return;
  *failing = now;
  self->config.on_state (error, self->config.user);
}

/* Call with the lock held. The first event whose frame is to be encoded, or NULL. */
static GList *
find_frame (GstY10Snapshots *self)
{
  for (GList *l = self->events.head; l; l = l->next)
    if (((Event *) l->data)->state == HAS_FRAME)
      return l;
  return NULL;
}

/* Makes the pictures of the events that one frame shows. */
static void
encode (GstY10Snapshots *self, GPtrArray *events)
{
  Event *first = events->pdata[0];
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) whole = NULL;
  gboolean ok = gst_y10_picture_maker_take (self->maker, first->frame,
      &first->info, &error);

  for (guint i = 0; i < events->len; i++) {
    Event *event = events->pdata[i];

    gst_clear_buffer (&event->frame);
  }
  for (guint i = 0; ok && i < events->len; i++) {
    Event *event = events->pdata[i];

    if (event->has_box && self->config.crop)
      event->jpeg = gst_y10_picture_maker_encode (self->maker, event->box,
          &error);
    else if (whole
        || (whole = gst_y10_picture_maker_encode (self->maker, NULL, &error)))
      event->jpeg = g_bytes_ref (whole);
    ok = event->jpeg != NULL;
  }
  /* Once, since each second frame may be another one that cannot be read. */
  if (error && !self->cannot_encode)
    set_failing (self, &self->cannot_encode, error);
}

/* Call with the lock held. */
static void
finish_encoding (GstY10Snapshots *self, GPtrArray *events)
{
  for (guint i = 0; i < events->len; i++) {
    Event *event = events->pdata[i];

    event->state = READY;
    if (event->jpeg)
      self->n_bytes += g_bytes_get_size (event->jpeg);
    else
      self->stats.dropped++;
  }
  self->n_frames--;
  g_cond_signal (&self->to_write);
  g_cond_broadcast (&self->changed);
  g_ptr_array_set_size (events, 0);
}

static gpointer
run_encoder (gpointer user)
{
  GstY10Snapshots *self = user;
  g_autoptr (GPtrArray) events = g_ptr_array_new ();
  GList *l;

  g_mutex_lock (&self->lock);
  while (TRUE) {
    while (!(l = find_frame (self)) && !self->is_closed)
      g_cond_wait (&self->to_encode, &self->lock);
    if (!l)
      break;
    for (guint64 number = ((Event *) l->data)->number; l; l = l->next)
      if (((Event *) l->data)->number == number)
        g_ptr_array_add (events, l->data);
    g_mutex_unlock (&self->lock);
    encode (self, events);
    g_mutex_lock (&self->lock);
    finish_encoding (self, events);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* Writes the picture of an event, unless that has been done for another one. Returns its
 * name, or NULL. */
static const gchar *
write_picture (GstY10Snapshots *self, const Event *event)
{
  g_autoptr (GError) error = NULL;

  if (!event->jpeg)
    return NULL;
  if (event->jpeg == self->written)
    return self->name;
  g_clear_pointer (&self->written, g_bytes_unref);
  g_free (self->name);
  self->written = g_bytes_ref (event->jpeg);
  self->name = gst_y10_album_add (self->album, event->jpeg, event->utc, &error);
  set_failing (self, &self->cannot_write, error);
  return self->name;
}

static void
append_picture (GString *line, GBytes *jpeg)
{
  gsize size;
  const guchar *data = g_bytes_get_data (jpeg, &size);
  g_autofree gchar *text = NULL;

  if (size > MAX_INLINE)
    return;
  text = g_base64_encode (data, size);
  g_string_append (line, ",\"snapshot-jpeg\":\"");
  g_string_append (line, text);
  g_string_append_c (line, '"');
}

/* Of the picture. */
static void
append_box (GString *line, const gfloat box[4])
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < 4; i++)
    g_string_append_printf (line, "%s%s", i ? "," : ",\"box\":[",
        g_ascii_formatd (text, sizeof text, "%.4f", (gdouble) box[i]));
  g_string_append_c (line, ']');
}

/* Lets an event go. Returns whether it has a picture. */
static gboolean
write_event (GstY10Snapshots *self, const Event *event)
{
  const gchar *name = write_picture (self, event);

  g_string_assign (self->line, event->json);
  if (name) {
    g_string_truncate (self->line, self->line->len - 1);
    g_string_append_printf (self->line, ",\"snapshot\":\"%s\"", name);
    if (event->is_covered)
      g_string_append (self->line, ",\"snapshot-covered\":true");
    if (event->has_box && !self->config.crop)
      append_box (self->line, event->box);
    if (self->config.is_inline)
      append_picture (self->line, event->jpeg);
    g_string_append_c (self->line, '}');
  }
  self->config.put (self->config.user, self->scratch, self->line->str,
      event->utc, event->may_wait);
  return name != NULL;
}

/* Call with the lock held. The first event, once it may go; NULL: all are over. */
static Event *
wait_for_event (GstY10Snapshots *self)
{
  gint64 until = g_get_monotonic_time () + TEND_INTERVAL;

  while (TRUE) {
    Event *event = g_queue_peek_head (&self->events);

    if (!event && self->is_closed)
      return NULL;
    if (event && event->state == AWAITS_FRAME
        && (self->is_closed || self->n_flushes
            || (!self->frame_waits
                && g_get_monotonic_time () - event->came_at > PATIENCE)))
      give_up (self, event);
    if (event && event->state == READY)
      return g_queue_pop_head (&self->events);
    if (event && event->state == AWAITS_FRAME && !self->frame_waits)
      g_cond_wait_until (&self->to_write, &self->lock,
          event->came_at + PATIENCE + 1000);
    else if (!g_cond_wait_until (&self->to_write, &self->lock, until)) {
      g_mutex_unlock (&self->lock);
      gst_y10_album_tend (self->album);
      g_mutex_lock (&self->lock);
      until = g_get_monotonic_time () + TEND_INTERVAL;
    }
  }
}

static gpointer
run_writer (gpointer user)
{
  GstY10Snapshots *self = user;
  Event *event;

  gst_y10_album_tend (self->album);
  g_mutex_lock (&self->lock);
  while ((event = wait_for_event (self))) {
    gboolean taken;

    g_mutex_unlock (&self->lock);
    taken = write_event (self, event);
    g_mutex_lock (&self->lock);
    self->stats.taken += taken;
    if (event->jpeg) {
      self->stats.dropped += !taken;
      self->n_bytes -= g_bytes_get_size (event->jpeg);
    }
    self->n_done++;
    g_cond_broadcast (&self->changed);
    event_free (event);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/**
 * gst_y10_snapshots_new:
 * @config: what pictures to take, and where they and the events go
 *
 * Returns: (transfer full): the queue, which runs, or %NULL with an error
 */
GstY10Snapshots *
gst_y10_snapshots_new (const GstY10SnapshotConfig *config, GError **error)
{
  GstY10PictureMaker *maker = gst_y10_picture_maker_new (error);
  GstY10Album *album = maker
      ? gst_y10_album_open (config->folder, config->stream, config->max_age,
          config->max_bytes, error)
      : NULL;
  GstY10Snapshots *self;

  if (!album) {
    gst_y10_picture_maker_free (maker);
    return NULL;
  }
  self = g_new0 (GstY10Snapshots, 1);
  self->config = *config;
  self->config.folder = self->config.stream = NULL;
  self->maker = maker;
  self->album = album;
  g_queue_init (&self->events);
  self->line = g_string_sized_new (1024);
  self->scratch = g_string_sized_new (1024);
  g_mutex_init (&self->lock);
  g_cond_init (&self->to_encode);
  g_cond_init (&self->to_write);
  g_cond_init (&self->changed);
  self->encoder = g_thread_new ("y10-snapshot", run_encoder, self);
  self->writer = g_thread_new ("y10-snap-write", run_writer, self);
  return self;
}

/* Lets all events go that wait. */
void
gst_y10_snapshots_free (GstY10Snapshots *self)
{
  if (!self)
    return;
  g_mutex_lock (&self->lock);
  self->is_closed = TRUE;
  g_cond_broadcast (&self->to_encode);
  g_cond_broadcast (&self->to_write);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->encoder);
  g_thread_join (self->writer);
  gst_y10_picture_maker_free (self->maker);
  gst_y10_album_close (self->album);
  g_clear_pointer (&self->written, g_bytes_unref);
  g_free (self->name);
  g_string_free (self->line, TRUE);
  g_string_free (self->scratch, TRUE);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->to_encode);
  g_cond_clear (&self->to_write);
  g_cond_clear (&self->changed);
  g_free (self);
}

/**
 * gst_y10_snapshots_put_event:
 * @self: the queue
 * @structure: of the event
 * @json: its line
 * @utc: when it came, in microseconds since 1970
 * @may_wait: whether to wait for room; else it is lost, and counted
 *
 * Takes an event, which waits for the next frame if it is one that has a picture.
 */
void
gst_y10_snapshots_put_event (GstY10Snapshots *self,
    const GstStructure *structure, const gchar *json, gint64 utc,
    gboolean may_wait)
{
  Event *event = g_new0 (Event, 1);

  event->state = has_picture (structure) ? AWAITS_FRAME : READY;
  event->json = g_strdup (json);
  event->utc = utc;
  event->may_wait = may_wait;
  event->came_at = g_get_monotonic_time ();
  event->wants_box = gst_structure_get_uint64 (structure, "id", &event->id);
  g_mutex_lock (&self->lock);
  while (may_wait && !self->flushing && self->events.length >= MAX_EVENTS)
    g_cond_wait (&self->changed, &self->lock);
  if (self->events.length < MAX_EVENTS) {
    self->n_awaiting += event->state == AWAITS_FRAME;
    self->n_put++;
    g_queue_push_tail (&self->events, g_steal_pointer (&event));
    g_cond_signal (&self->to_write);
  } else {
    self->stats.lost++;
  }
  g_mutex_unlock (&self->lock);
  if (event)
    event_free (event);
}

/* Whether events wait for the next frame. */
gboolean
gst_y10_snapshots_wants_frame (GstY10Snapshots *self)
{
  gboolean wants;

  g_mutex_lock (&self->lock);
  wants = self->n_awaiting > 0;
  g_mutex_unlock (&self->lock);
  return wants;
}

/* Call with the lock held. */
static gboolean
has_room (const GstY10Snapshots *self)
{
  return self->n_frames < MAX_FRAMES && self->n_bytes < MAX_BYTES;
}

/* Call with the lock held. */
static void
attach (GstY10Snapshots *self, GstBuffer *frame, const GstVideoInfo *info,
    gboolean is_covered)
{
  self->number++;
  for (GList *l = self->events.head; l && self->n_awaiting; l = l->next) {
    Event *event = l->data;

    if (event->state != AWAITS_FRAME)
      continue;
    event->state = HAS_FRAME;
    event->frame = gst_buffer_ref (frame);
    event->number = self->number;
    event->info = *info;
    event->is_covered = is_covered;
    event->has_box = event->wants_box
        && gst_y10_frame_find_track (frame, event->id, event->box)
        && gst_y10_picture_place (frame, info, event->box);
    self->n_awaiting--;
  }
  self->n_frames++;
  g_cond_signal (&self->to_encode);
}

/**
 * gst_y10_snapshots_put_frame:
 * @self: the queue
 * @frame: shows the events that wait
 * @info: of its caps
 * @is_covered: privacy has covered what it is to cover, which the lines tell
 * @may_wait: whether to wait for room; else the events go without a picture
 *
 * Gives a frame to the events that wait for one. Takes a reference of it.
 */
void
gst_y10_snapshots_put_frame (GstY10Snapshots *self, GstBuffer *frame,
    const GstVideoInfo *info, gboolean is_covered, gboolean may_wait)
{
  g_mutex_lock (&self->lock);
  self->frame_waits = may_wait;
  while (may_wait && !self->flushing && self->n_awaiting && !has_room (self))
    g_cond_wait (&self->changed, &self->lock);
  self->frame_waits = FALSE;
  if (self->n_awaiting && has_room (self))
    attach (self, frame, info, is_covered);
  else
    give_up_awaiting (self);
  g_mutex_unlock (&self->lock);
}

/* Events that wait for a frame go without a picture. */
void
gst_y10_snapshots_drop (GstY10Snapshots *self)
{
  g_mutex_lock (&self->lock);
  give_up_awaiting (self);
  g_mutex_unlock (&self->lock);
}

/* Ends waiting, also later ones until it is reset. */
void
gst_y10_snapshots_set_flushing (GstY10Snapshots *self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->flushing = flushing;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Waits until all events that were put have gone where they belong. */
void
gst_y10_snapshots_flush (GstY10Snapshots *self)
{
  guint64 until;

  g_mutex_lock (&self->lock);
  until = self->n_put;
  self->n_flushes++;
  g_cond_signal (&self->to_write);
  while (self->n_done < until && !self->flushing)
    g_cond_wait (&self->changed, &self->lock);
  self->n_flushes--;
  g_mutex_unlock (&self->lock);
}

void
gst_y10_snapshots_get_stats (GstY10Snapshots *self, GstY10SnapshotStats *stats)
{
  g_mutex_lock (&self->lock);
  *stats = self->stats;
  g_mutex_unlock (&self->lock);
}
