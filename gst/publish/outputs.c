/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what a line gets besides its JSON, and where it goes. A file has lines as y10
 * detect prints them; one of a spool says besides when and by which stream it was written,
 * since what becomes of it happens elsewhere and later. */
#include "publish/element.h"

#include <gio/gio.h>
#include <string.h>

#include "common/elementerror.h"
#include "common/text.h"
#include "meta/zones.h"
#include "spool/utc.h"

#define GST_CAT_DEFAULT gst_yolov10_publish_debug

/* A stream without zones for so many frames watches nothing. */
#define MAX_BARE 10

/* A GstY10SpoolStateFunc. */
static void
on_state (const GError *error, gpointer user)
{
  GstYolov10Publish *self = user;

  if (error)
    GST_Y10_ELEMENT_WARNING (self, error);
  else
    GST_INFO_OBJECT (self, "it works again");
}

static gboolean
open_file (GstYolov10Publish *self, const gchar *location, GError **error)
{
  if (!location || !*location)
    return TRUE;
  self->file = gst_y10_line_file_open (location, on_state, self, error);
  if (!self->file)
    g_prefix_error (error, "location: ");
  return self->file != NULL;
}

/* A GstY10SpoolMakeFunc. */
static gpointer
make_follower (GstY10Spool *spool, gpointer user, GError **error)
{
  return gst_y10_follower_new (spool, user, error);
}

static void
free_follower (gpointer follower)
{
  gst_y10_follower_free (follower);
}

static gboolean
open_follower (GstYolov10Publish *self, GstY10PublishSettings *settings,
    GError **error)
{
  GstY10FollowerSettings follower = {
    .name = settings->follower ? settings->follower : "",
    .uri = settings->uri,
    .credentials = settings->credentials,
    .home_assistant = settings->home_assistant,
    .max_delay = (gint64) (settings->max_delay / GST_USECOND),
    .timeout = (gint64) (settings->timeout / GST_USECOND),
  };

  if (!settings->uri || !*settings->uri)
    return TRUE;
  self->followed = g_strdup (settings->stream && *settings->stream
          ? settings->stream
          : GST_OBJECT_NAME (self));
  follower.stream = self->followed;
  self->follower = gst_y10_spool_share (self->client, make_follower, &follower,
      free_follower, error);
  if (!self->follower)
    return FALSE;
  gst_y10_follower_set_stream (self->follower, self->followed, TRUE);
  return TRUE;
}

/* What else elements that share a spool must agree in. NULL: nothing. */
static gchar *
describe_network (const GstY10PublishSettings *settings)
{
  if (!settings->uri || !*settings->uri)
    return NULL;
  return g_strdup_printf ("%s%s%s%s max-delay=%" G_GUINT64_FORMAT
                          " timeout=%" G_GUINT64_FORMAT,
      settings->uri, settings->credentials ? " credentials=" : "",
      settings->credentials ? settings->credentials : "",
      settings->home_assistant ? " home-assistant" : "", settings->max_delay,
      settings->timeout);
}

static gboolean
open_spool (GstYolov10Publish *self, GstY10PublishSettings *settings,
    GError **error)
{
  g_autofree gchar *share = describe_network (settings);
  const GstY10SpoolConfig config = {
    .max_age = (gint64) (settings->max_age / GST_USECOND),
    .max_bytes = settings->max_bytes,
    .sync_interval = settings->sync_interval * (gint64) 1000,
    .follower = !share       ? NULL
        : settings->follower ? settings->follower
                             : "",
    .share = share,
  };

  if (settings->spool && *settings->spool) {
    self->client = gst_y10_spool_open (settings->spool, &config, on_state, self,
        error);
    if (!self->client)
      g_prefix_error (error, "spool: ");
  } else if (share) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "uri is \"%s\", but spool is empty; expected a folder, where lines wait until "
        "they have arrived",
        settings->uri);
  } else {
    return TRUE;
  }
  return self->client && open_follower (self, settings, error);
}

static void
set_stream (GstYolov10Publish *self, const gchar *stream)
{
  GString *text = g_string_new (",\"stream\":");

  self->names_file = stream && *stream;
  gst_y10_text_append_json (text,
      self->names_file ? stream : GST_OBJECT_NAME (self));
  g_free (self->stream);
  self->stream = g_string_free (text, FALSE);
}

/* A line without its last brace, up to which @json is the same everywhere. */
static void
begin_line (GString *line, const gchar *json)
{
  g_string_assign (line, json);
  g_string_truncate (line, line->len - 1);
}

static void
put (GstYolov10Publish *self, GString *line, GstY10LineKind kind,
    const gchar *json, gint64 utc, gboolean may_wait)
{
  if (self->file) {
    begin_line (line, json);
    if (self->names_file)
      g_string_append (line, self->stream);
    g_string_append_c (line, '}');
    gst_y10_line_file_put (self->file, kind, line->str, line->len, may_wait);
  }
  if (self->client) {
    begin_line (line, json);
    g_string_append (line, self->stream);
    g_string_append (line, ",\"utc\":\"");
    gst_y10_utc_append (line, utc);
    g_string_append (line, "\"}");
    gst_y10_spool_put (self->client, kind, line->str, line->len, may_wait);
  }
}

/* Puts a line where lines go to. Waits for room if the stream can. */
void
gst_y10_publish_put (GstYolov10Publish *self, GstY10LineKind kind,
    const gchar *json)
{
  put (self, self->line, kind, json, g_get_real_time (), !self->is_live);
}

/* A GstY10SnapshotPutFunc. */
static void
put_pictured (gpointer user, GString *scratch, const gchar *json, gint64 utc,
    gboolean may_wait)
{
  put (user, scratch, GST_Y10_LINE_EVENT, json, utc, may_wait);
}

/* Likewise for an event, which may wait for its picture first. */
void
gst_y10_publish_put_event (GstYolov10Publish *self, const GstStructure *event,
    const gchar *json)
{
  if (self->snapshots)
    gst_y10_snapshots_put_event (self->snapshots, event, json,
        g_get_real_time (), !self->is_live);
  else
    gst_y10_publish_put (self, GST_Y10_LINE_EVENT, json);
}

static gboolean
open_snapshots (GstYolov10Publish *self, const GstY10PublishSettings *settings,
    GError **error)
{
  const GstY10SnapshotConfig config = {
    .folder = settings->snapshots,
    .stream = settings->stream && *settings->stream ? settings->stream
                                                    : GST_OBJECT_NAME (self),
    .max_age = (gint64) (settings->max_age / GST_USECOND),
    .max_bytes = settings->max_bytes,
    .crop = settings->snapshot_crop,
    .is_inline = settings->snapshot_inline,
    .put = put_pictured,
    .on_state = on_state,
    .user = self,
  };

  if (!settings->snapshots || !*settings->snapshots)
    return TRUE;
  if (settings->content == GST_YOLOV10_PUBLISH_FRAMES
      || settings->content == GST_YOLOV10_PUBLISH_NONE) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "snapshots is \"%s\", but content is %s; expected events or all, since "
        "pictures are of events",
        settings->snapshots,
        settings->content == GST_YOLOV10_PUBLISH_NONE ? "none" : "frames");
    return FALSE;
  }
  self->snapshots = gst_y10_snapshots_new (&config, error);
  if (!self->snapshots)
    g_prefix_error (error, "snapshots: ");
  return self->snapshots != NULL;
}

static gboolean
open_all (GstYolov10Publish *self, GstY10PublishSettings *settings,
    GError **error)
{
  if ((!settings->location || !*settings->location)
      && (!settings->spool || !*settings->spool)
      && (!settings->uri || !*settings->uri)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "location and spool are empty; expected a file or a folder to write to");
    return FALSE;
  }
  set_stream (self, settings->stream);
  self->content = settings->content;
  return open_file (self, settings->location, error)
      && open_spool (self, settings, error)
      && open_snapshots (self, settings, error);
}

/* Opens what the properties say. */
gboolean
gst_y10_publish_open (GstYolov10Publish *self, GError **error)
{
  g_autoptr (GstY10PublishSettings) now = gst_y10_filter_get_settings (self);
  gboolean ok;

  g_mutex_lock (&self->lock);
  self->flushing = FALSE;
  self->n_bare = 0;
  ok = open_all (self, now, error);
  g_mutex_unlock (&self->lock);
  if (!ok)
    gst_y10_publish_close (self);
  return ok;
}

/* Writes what is left. Nothing may put lines any more. */
void
gst_y10_publish_close (GstYolov10Publish *self)
{
  GstY10Snapshots *snapshots;
  GstY10SpoolClient *client;
  GstY10LineFile *file;

  /* Its events go to the others. */
  g_mutex_lock (&self->lock);
  snapshots = g_steal_pointer (&self->snapshots);
  g_mutex_unlock (&self->lock);
  gst_y10_snapshots_free (snapshots);
  g_mutex_lock (&self->lock);
  if (self->follower)
    gst_y10_follower_set_stream (self->follower, self->followed, FALSE);
  self->follower = NULL;
  g_clear_pointer (&self->followed, g_free);
  g_clear_pointer (&self->zone_names, g_free);
  client = g_steal_pointer (&self->client);
  file = g_steal_pointer (&self->file);
  g_mutex_unlock (&self->lock);
  gst_y10_spool_close (client);
  gst_y10_line_file_close (file);
}

static void
tell_zones (GstYolov10Publish *self, const GstStructure *meta)
{
  g_autofree GstY10ZoneViews *views = g_new (GstY10ZoneViews, 1);
  g_autoptr (GPtrArray) zones = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  gst_y10_zone_views_read (views, meta);
  for (guint i = 0; i < views->n; i++) {
    const GstY10ZoneView *view = &views->zones[i];

    g_ptr_array_add (view->zone.n_shapes ? zones : lines,
        g_strndup (view->name, view->name_length));
  }
  g_ptr_array_add (zones, NULL);
  g_ptr_array_add (lines, NULL);
  gst_y10_follower_set_zones (self->follower, self->followed,
      (const gchar *const *) zones->pdata, (const gchar *const *) lines->pdata);
}

/* Tells the follower what yolov10zones watches, when that has changed. */
void
gst_y10_publish_note_zones (GstYolov10Publish *self, GstBuffer *buffer)
{
  const GstStructure *meta;
  gpointer state = NULL;
  const gchar *names = NULL;

  if (!self->follower)
    return;
  while (!names && (meta = gst_yolov10_frame_meta_find (buffer, &state)))
    names = gst_structure_get_string (meta, "zone-names");
  if (!names && (self->zone_names || ++self->n_bare < MAX_BARE))
    return;
  if (!g_strcmp0 (names ? names : "", self->zone_names))
    return;
  g_free (self->zone_names);
  self->zone_names = g_strdup (names ? names : "");
  if (names)
    tell_zones (self, meta);
  else
    gst_y10_follower_set_zones (self->follower, self->followed, NULL, NULL);
}

/* Ends waiting for room, and again allows it. From any thread. */
void
gst_y10_publish_set_flushing (GstYolov10Publish *self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  if (self->snapshots)
    gst_y10_snapshots_set_flushing (self->snapshots, flushing);
  if (self->file)
    gst_y10_line_file_set_flushing (self->file, flushing);
  if (self->client)
    gst_y10_spool_set_flushing (self->client, flushing);
  g_mutex_unlock (&self->lock);
}

/* Waits until all lines are where they belong, unless writing fails. */
void
gst_y10_publish_flush (GstYolov10Publish *self)
{
  if (self->snapshots)
    gst_y10_snapshots_flush (self->snapshots);
  if (self->file)
    gst_y10_line_file_flush (self->file);
  if (self->client)
    gst_y10_spool_flush (self->client);
}

static void
set_number (GstStructure *stats, const gchar *name, guint64 value)
{
  gst_structure_set (stats, name, G_TYPE_UINT64, value, NULL);
}

static void
add_network (GstY10Follower *follower, GstStructure *stats)
{
  GstY10FollowerStats network = { 0 };

  if (follower)
    gst_y10_follower_get_stats (follower, &network);
  set_number (stats, "sent", network.sent);
  set_number (stats, "replayed", network.replayed);
  set_number (stats, "acknowledged", network.acknowledged);
  set_number (stats, "skipped", network.skipped);
  set_number (stats, "refused", network.failed);
  set_number (stats, "reconnects", network.reconnects);
  gst_structure_set (stats, "connected", G_TYPE_BOOLEAN, network.is_connected,
      NULL);
}

/* Returns: (transfer full): what has become of the lines */
GstStructure *
gst_y10_publish_get_stats (GstYolov10Publish *self)
{
  GstStructure *stats = gst_structure_new_empty ("yolov10publish-stats");
  GstY10SpoolStats file = { 0 }, spool = { 0 };
  GstY10SnapshotStats snapshots = { 0 };

  g_mutex_lock (&self->lock);
  if (self->file)
    gst_y10_line_file_get_stats (self->file, &file);
  if (self->client)
    gst_y10_spool_get_stats (gst_y10_spool_client_get_spool (self->client),
        &spool);
  if (self->snapshots)
    gst_y10_snapshots_get_stats (self->snapshots, &snapshots);
  add_network (self->follower, stats);
  g_mutex_unlock (&self->lock);
  set_number (stats, "written", file.synced);
  set_number (stats, "queued", spool.queued);
  set_number (stats, "accepted", spool.synced);
  set_number (stats, "dropped-frames",
      file.dropped[GST_Y10_LINE_FRAME] + spool.dropped[GST_Y10_LINE_FRAME]);
  set_number (stats, "dropped-events",
      file.dropped[GST_Y10_LINE_EVENT] + spool.dropped[GST_Y10_LINE_EVENT]
          + snapshots.lost);
  set_number (stats, "errors", file.errors + spool.errors);
  set_number (stats, "bad-lines", spool.bad_lines);
  set_number (stats, "removed-unacknowledged", spool.removed_unacknowledged);
  set_number (stats, "segments", spool.n_segments);
  set_number (stats, "bytes", spool.bytes);
  set_number (stats, "longest-sync",
      (guint64) spool.longest_sync * GST_USECOND);
  set_number (stats, "snapshots", snapshots.taken);
  set_number (stats, "snapshots-dropped", snapshots.dropped);
  return stats;
}
