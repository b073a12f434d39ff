/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* --track and --zones: the rules of yolov10track and yolov10zones with their defaults, on
 * the results themselves. Each video is a stream of its own, with ids from 1. Where time
 * runs back, all begins anew with other ids, and frames without a time of their own have
 * none. */

#include "config.h"

#include <string.h>

#include "base/names.h"
#include "detect/tracks.h"

#ifdef HAVE_GST

#include "track/tracker.h"
#include "zones/parse.h"
#include "zones/report.h"

struct _ToolTracks
{
  GstY10Tracker *tracker;
  GstY10Zones *zones; /* NULL: none */
  GString *events;
  gint64 time;        /* of the last frame; -1: there is none */
  const char *source; /* of the frame at hand; borrowed, UTF-8 */
  GstY10Observed observed[GST_Y10_MAX_OBSERVED];
  GstY10ZoneObject objects[GST_Y10_ZONES_MAX_OBJECTS];
  guint64 tracks[GST_Y10_MAX_OBSERVED];
  gint ids[GST_Y10_MAX_OBSERVED];
};

static void
on_event (const GstY10ZoneEvent *event, gpointer user)
{
  ToolTracks *self = user;
  char *json = gst_y10_zone_event_to_json (event, self->source);

  g_string_append_printf (self->events, "%s\n", json);
  g_free (json);
}

ToolTracks *
tool_tracks_new (const char *zones, GError **error)
{
  const GstY10ZoneDefaults defaults = GST_Y10_ZONE_DEFAULTS_INIT;
  GstY10ZoneSet *set = zones ? gst_y10_zones_load (zones, &defaults, error)
                             : NULL;
  ToolTracks *self;

  if (zones && !set)
    return NULL;
  self = g_new0 (ToolTracks, 1);
  self->time = -1;
  self->tracker = gst_y10_tracker_new ();
  self->events = g_string_new (NULL);
  if (set) {
    self->zones = gst_y10_zones_new (on_event, self);
    gst_y10_zones_change (self->zones, set);
  }
  gst_y10_zone_set_unref (set);
  return self;
}

void
tool_tracks_free (ToolTracks *self)
{
  if (!self)
    return;
  gst_y10_tracker_free (self->tracker);
  g_clear_pointer (&self->zones, gst_y10_zones_free);
  g_string_free (self->events, TRUE);
  g_free (self);
}

/* Returns whether the frame has a place in the video's time. */
static gboolean
take_time (ToolTracks *self, gint64 time)
{
  if (time < 0 || time == self->time)
    return FALSE;
  if (time < self->time) {
    gst_y10_tracker_reset (self->tracker);
    if (self->zones)
      gst_y10_zones_end (self->zones);
  }
  self->time = time;
  return TRUE;
}

/* Fills @self->tracks. */
static void
follow (ToolTracks *self, GstClockTime time, const Y10Detection *rows, guint n)
{
  /* yolov10track's defaults. */
  const GstY10TrackParams params = {
    .track_thresh = 0.25f,
    .new_thresh = 0.25f,
    .weak_thresh = 0.1f,
    .match_thresh = 0.7f,
    .track_buffer = GST_SECOND,
  };

  for (guint i = 0; i < n; i++)
    self->observed[i] = (GstY10Observed){
      .box = { (rows[i].x0 + rows[i].x1) / 2, (rows[i].y0 + rows[i].y1) / 2,
          rows[i].x1 - rows[i].x0, rows[i].y1 - rows[i].y0 },
      .confidence = rows[i].confidence,
      .class_id = (guint) rows[i].class_id,
      .group = (guint) rows[i].class_id
    };
  gst_y10_tracker_observe (self->tracker, &params, time, self->observed, n,
      self->tracks);
}

static void
watch (ToolTracks *self, const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n)
{
  const double width = frame->image.width, height = frame->image.height;
  guint n_objects = 0;

  for (guint i = 0; i < n; i++) {
    const char *label = y10_model_get_class_name (model,
        (guint) rows[i].class_id);

    if (!self->tracks[i])
      continue;
    self->objects[n_objects++] = (GstY10ZoneObject){
      .id = self->tracks[i],
      .x0 = (double) rows[i].x0 / width,
      .y0 = (double) rows[i].y0 / height,
      .x1 = (double) rows[i].x1 / width,
      .y1 = (double) rows[i].y1 / height,
      .confidence = rows[i].confidence,
      .label = label,
      .label_length = strlen (label),
    };
  }
  gst_y10_zones_observe (self->zones, (GstClockTime) frame->timestamp,
      self->objects, n_objects);
}

const gint *
tool_tracks_frame (ToolTracks *self, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection *rows, guint n)
{
  char *source = tool_source_to_utf8 (frame->source);
  gboolean is_timed;

  self->source = source;
  is_timed = take_time (self, frame->timestamp);
  n = MIN (n, GST_Y10_MAX_OBSERVED);
  memset (self->tracks, 0, n * sizeof *self->tracks);
  if (is_timed)
    follow (self, (GstClockTime) frame->timestamp, rows, n);
  for (guint i = 0; i < n; i++)
    self->ids[i] = (gint) self->tracks[i];
  if (is_timed && self->zones)
    watch (self, model, frame, rows, n);
  self->source = NULL;
  g_free (source);
  return self->ids;
}

void
tool_tracks_end (ToolTracks *self, const char *source)
{
  char *name = tool_source_to_utf8 (source);

  self->source = name;
  if (self->zones)
    gst_y10_zones_end (self->zones);
  self->source = NULL;
  gst_y10_tracker_free (self->tracker);
  self->tracker = gst_y10_tracker_new ();
  self->time = -1;
  g_free (name);
}

char *
tool_tracks_take_events (ToolTracks *self)
{
  char *events;

  if (!self->events->len)
    return NULL;
  events = g_strndup (self->events->str, self->events->len);
  g_string_truncate (self->events, 0);
  return events;
}

#else

ToolTracks *
tool_tracks_new (const char *zones, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "--track needs videos, and this build has no GStreamer to read them");
  return NULL;
}

void
tool_tracks_free (ToolTracks *self)
{
}

const gint *
tool_tracks_frame (ToolTracks *self, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection *rows, guint n)
{
  return NULL;
}

void
tool_tracks_end (ToolTracks *self, const char *source)
{
}

char *
tool_tracks_take_events (ToolTracks *self)
{
  return NULL;
}

#endif
