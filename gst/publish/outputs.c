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

#define GST_CAT_DEFAULT gst_yolov10_publish_debug

/* A GstY10SpoolStateFunc. */
static void
on_state (const GError *error, gpointer user)
{
  GstYolov10Publish *self = user;

  if (error)
    GST_Y10_ELEMENT_WARNING (self, error);
  else
    GST_INFO_OBJECT (self, "writing goes on");
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

static gboolean
open_spool (GstYolov10Publish *self, const GstY10PublishSettings *settings,
    GError **error)
{
  const GstY10SpoolConfig config = {
    .max_age = (gint64) (settings->max_age / GST_USECOND),
    .max_bytes = settings->max_bytes,
    .sync_interval = settings->sync_interval * (gint64) 1000,
  };

  if (!settings->spool || !*settings->spool)
    return TRUE;
  self->client = gst_y10_spool_open (settings->spool, &config, on_state, self,
      error);
  if (!self->client)
    g_prefix_error (error, "spool: ");
  return self->client != NULL;
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

static gboolean
open_all (GstYolov10Publish *self, const GstY10PublishSettings *settings,
    GError **error)
{
  if ((!settings->location || !*settings->location)
      && (!settings->spool || !*settings->spool)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "location and spool are empty; expected a file or a folder to write to");
    return FALSE;
  }
  set_stream (self, settings->stream);
  self->content = settings->content;
  return open_file (self, settings->location, error)
      && open_spool (self, settings, error);
}

/* Opens what the properties say. */
gboolean
gst_y10_publish_open (GstYolov10Publish *self, GError **error)
{
  GstY10PublishSettings now;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  now = self->settings;
  now.location = g_strdup (now.location);
  now.spool = g_strdup (now.spool);
  now.stream = g_strdup (now.stream);
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->lock);
  self->flushing = FALSE;
  ok = open_all (self, &now, error);
  g_mutex_unlock (&self->lock);
  if (!ok)
    gst_y10_publish_close (self);
  g_free (now.location);
  g_free (now.spool);
  g_free (now.stream);
  return ok;
}

/* Writes what is left. Nothing may put lines any more. */
void
gst_y10_publish_close (GstYolov10Publish *self)
{
  GstY10SpoolClient *client;
  GstY10LineFile *file;

  g_mutex_lock (&self->lock);
  client = g_steal_pointer (&self->client);
  file = g_steal_pointer (&self->file);
  g_mutex_unlock (&self->lock);
  gst_y10_spool_close (client);
  gst_y10_line_file_close (file);
}

/* A line without its last brace, up to which @json is the same everywhere. */
static void
begin_line (GstYolov10Publish *self, const gchar *json)
{
  g_string_assign (self->line, json);
  g_string_truncate (self->line, self->line->len - 1);
}

/* Puts a line where lines go to. Waits for room if the stream can. */
void
gst_y10_publish_put (GstYolov10Publish *self, GstY10LineKind kind,
    const gchar *json)
{
  const gboolean may_wait = !self->is_live;

  if (self->file) {
    begin_line (self, json);
    if (self->names_file)
      g_string_append (self->line, self->stream);
    g_string_append_c (self->line, '}');
    gst_y10_line_file_put (self->file, kind, self->line->str, self->line->len,
        may_wait);
  }
  if (self->client) {
    begin_line (self, json);
    g_string_append (self->line, self->stream);
    g_string_append (self->line, ",\"utc\":\"");
    gst_y10_line_append_utc (self->line, g_get_real_time ());
    g_string_append (self->line, "\"}");
    gst_y10_spool_put (self->client, kind, self->line->str, self->line->len,
        may_wait);
  }
}

/* Ends waiting for room, and again allows it. From any thread. */
void
gst_y10_publish_set_flushing (GstYolov10Publish *self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
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

/* Returns: (transfer full): what has become of the lines */
GstStructure *
gst_y10_publish_get_stats (GstYolov10Publish *self)
{
  GstStructure *stats = gst_structure_new_empty ("yolov10publish-stats");
  GstY10SpoolStats file = { 0 }, spool = { 0 };

  g_mutex_lock (&self->lock);
  if (self->file)
    gst_y10_line_file_get_stats (self->file, &file);
  if (self->client)
    gst_y10_spool_get_stats (gst_y10_spool_client_get_spool (self->client),
        &spool);
  g_mutex_unlock (&self->lock);
  set_number (stats, "written", file.synced);
  set_number (stats, "queued", spool.queued);
  set_number (stats, "accepted", spool.synced);
  set_number (stats, "dropped-frames",
      file.dropped[GST_Y10_LINE_FRAME] + spool.dropped[GST_Y10_LINE_FRAME]);
  set_number (stats, "dropped-events",
      file.dropped[GST_Y10_LINE_EVENT] + spool.dropped[GST_Y10_LINE_EVENT]);
  set_number (stats, "errors", file.errors + spool.errors);
  set_number (stats, "bad-lines", spool.bad_lines);
  set_number (stats, "removed-unacknowledged", spool.removed_unacknowledged);
  set_number (stats, "segments", spool.n_segments);
  set_number (stats, "bytes", spool.bytes);
  set_number (stats, "longest-sync",
      (guint64) spool.longest_sync * GST_USECOND);
  return stats;
}
