/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* --track and --zones: the rules of yolov10track and yolov10zones with their defaults, on
 * the results themselves. As behind the elements, weak boxes, which are no objects, continue
 * objects and are seen nowhere else. Each video is a stream of its own, with ids from 1.
 * Where time runs back, all begins anew with other ids, and so do ids after a gap; frames
 * without a time of their own have none. */

#include "config.h"

#include <string.h>

#include "base/names.h"
#include "detect/tracks.h"

#ifdef HAVE_GST

#include "common/classes.h"
#include "track/classgroups.h"
#include "track/tracker.h"
#include "zones/parse.h"
#include "zones/report.h"

/* yolov10track's defaults. */
static const GstY10TrackParams track_params = {
  .track_thresh = 0.25f,
  .new_thresh = 0.25f,
  .weak_thresh = 0.1f,
  .match_thresh = 0.7f,
  .track_buffer = GST_SECOND,
};

struct _ToolTracks
{
  /* Of the thread that reads frames. */
  gint64 passed; /* time of the last frame; -1: there is none */
  guint stretch; /* without gaps */

  GstY10Tracker *tracker;
  GstY10ClassGroups *groups;
  GstY10Zones *zones; /* NULL: none */
  GString *events;
  Y10HeadParams params; /* of objects */
  gint64 time;          /* of the last inferred frame; -1: there is none */
  guint at_stretch;     /* likewise */
  const char *source;   /* of the frame at hand; borrowed, UTF-8 */
  Y10Detection rows[GST_Y10_MAX_OBSERVED]; /* of it, weak ones last */
  GstY10Observed observed[GST_Y10_MAX_OBSERVED];
  GstY10ZoneObject objects[GST_Y10_ZONES_MAX_OBJECTS];
  guint64 tracks[GST_Y10_MAX_OBSERVED];
  gint ids[GST_Y10_MAX_OBSERVED];
};

static void
on_event (const GstY10ZoneEvent *event, gpointer user)
{
  ToolTracks *self = user;
  g_autofree char *json = gst_y10_zone_event_to_json (event, self->source);

  g_string_append_printf (self->events, "%s\n", json);
}

static gboolean
check_groups (const Y10Model *model, const GstY10ClassGroups *groups,
    GError **error)
{
  g_autofree const char **classes = gst_y10_classes_list (model);

  return gst_y10_class_groups_check (groups, "--class-groups", classes,
      y10_model_get_path (model), error);
}

/* NULL with an error, or where @path is NULL. */
static GstY10ZoneSet *
load_zones (const Y10Model *model, const char *path, GError **error)
{
  const GstY10ZoneDefaults defaults = GST_Y10_ZONE_DEFAULTS_INIT;
  GstY10ZoneSet *set = path ? gst_y10_zones_load (path, &defaults, error)
                            : NULL;
  g_autofree const char **classes = gst_y10_classes_list (model);

  if (set
      && !gst_y10_zone_set_check_classes (set, path, classes,
          y10_model_get_path (model), error))
    g_clear_pointer (&set, gst_y10_zone_set_unref);
  return set;
}

ToolTracks *
tool_tracks_new (const Y10Model *model, const char *zones,
    const char *class_groups, GError **error)
{
  GstY10ClassGroups *groups = gst_y10_class_groups_new ();
  g_autoptr (GstY10ZoneSet) set = NULL;
  gboolean ok = gst_y10_class_groups_set (groups, class_groups, error);
  ToolTracks *self;

  if (!ok)
    g_prefix_error (error, "--");
  if (!ok || !check_groups (model, groups, error)
      || (zones && !(set = load_zones (model, zones, error)))) {
    gst_y10_class_groups_free (groups);
    return NULL;
  }
  self = g_new0 (ToolTracks, 1);
  self->time = self->passed = -1;
  self->groups = groups;
  self->tracker = gst_y10_tracker_new ();
  self->events = g_string_new (NULL);
  if (set) {
    self->zones = gst_y10_zones_new (on_event, self);
    gst_y10_zones_change (self->zones, set);
  }
  return self;
}

void
tool_tracks_free (ToolTracks *self)
{
  if (!self)
    return;
  gst_y10_tracker_free (self->tracker);
  gst_y10_class_groups_free (self->groups);
  g_clear_pointer (&self->zones, gst_y10_zones_free);
  g_string_free (self->events, TRUE);
  g_free (self);
}

/* The engine returns all rows down to one confidence, the best first, so objects stay what
 * they are. Where classes have their own, objects may stand behind weak boxes: these must
 * not use up the maximum, nor may NMS compare both. */
void
tool_tracks_ask (ToolTracks *self, const Y10Model *model,
    const Y10HeadParams *params, guint most, Y10HeadParams *asked)
{
  self->params = *asked = *params;
  if (params->class_confidence && params->class_agnostic)
    return;
  asked->confidence = MIN (params->confidence, track_params.weak_thresh);
  if (!params->class_confidence)
    return;
  asked->class_confidence = NULL;
  asked->max_detections = MIN (most, GST_Y10_MAX_OBSERVED);
  for (guint i = 0; i < y10_model_get_n_classes (model); i++)
    if (params->class_confidence[i] >= 0)
      asked->confidence = MIN (asked->confidence, params->class_confidence[i]);
}

void
tool_tracks_pass (ToolTracks *self, ToolFrame *frame)
{
  const gint64 time = frame->timestamp;

  if (time >= 0) {
    if (self->passed >= 0
        && (time < self->passed
            || time - self->passed > (gint64) track_params.track_buffer))
      self->stretch++;
    self->passed = time;
  }
  frame->stretch = self->stretch;
}

/* Returns whether the frame has a place in the video's time. */
static gboolean
take_time (ToolTracks *self, const ToolFrame *frame)
{
  const gint64 time = frame->timestamp;

  if (time < 0 || time == self->time)
    return FALSE;
  if (frame->stretch != self->at_stretch || time < self->time)
    gst_y10_tracker_reset (self->tracker);
  if (time < self->time && self->zones)
    gst_y10_zones_end (self->zones);
  self->time = time;
  self->at_stretch = frame->stretch;
  return TRUE;
}

static gboolean
is_object (const ToolTracks *self, const Y10Detection *row)
{
  const Y10HeadParams *params = &self->params;
  const gfloat own = params->class_confidence
      ? params->class_confidence[row->class_id]
      : -1;

  return row->confidence >= (own >= 0 ? own : params->confidence);
}

/* Fills @self->rows with the objects and the weak boxes behind them, each in their order.
 * Returns the number of all; sets @n_objects. */
static guint
split (ToolTracks *self, const Y10Detection *rows, guint n, guint *n_objects)
{
  guint n_taken = 0;

  for (guint i = 0; i < n && n_taken < self->params.max_detections; i++)
    if (is_object (self, &rows[i]))
      self->rows[n_taken++] = rows[i];
  *n_objects = n_taken;
  for (guint i = 0; i < n && n_taken < GST_Y10_MAX_OBSERVED; i++)
    if (!is_object (self, &rows[i]))
      self->rows[n_taken++] = rows[i];
  return n_taken;
}

/* Fills @self->tracks with those of the first @n of @self->rows, of which the first
 * @n_objects are objects. */
static void
follow (ToolTracks *self, const Y10Model *model, GstClockTime time, guint n,
    guint n_objects)
{
  for (guint i = 0; i < n; i++) {
    const Y10Detection *row = &self->rows[i];
    const char *label = y10_model_get_class_name (model, (guint) row->class_id);
    const guint class = gst_y10_class_groups_find (self->groups, label,
        strlen (label), row->class_id);

    self->observed[i] = (GstY10Observed){
      .box = { (row->x0 + row->x1) / 2, (row->y0 + row->y1) / 2,
          row->x1 - row->x0, row->y1 - row->y0 },
      .confidence = row->confidence,
      .class_id = class,
      .group = gst_y10_class_groups_get (self->groups, class)->group,
      .is_weak = i >= n_objects,
    };
  }
  gst_y10_tracker_observe (self->tracker, &track_params, time, self->observed,
      n, self->tracks);
}

/* An object's class is what it was most. */
static void
watch (ToolTracks *self, const ToolFrame *frame, guint n)
{
  const double width = frame->image.width, height = frame->image.height;
  guint n_objects = 0;

  for (guint i = 0; i < n; i++) {
    const Y10Detection *row = &self->rows[i];
    const GstY10Track *track = gst_y10_tracker_find (self->tracker,
        self->tracks[i]);
    const GstY10TrackClass *class;

    if (!track)
      continue;
    class = gst_y10_class_groups_get (self->groups, track->classes[0].class_id);
    self->objects[n_objects++] = (GstY10ZoneObject){
      .id = track->id,
      .x0 = (double) row->x0 / width,
      .y0 = (double) row->y0 / height,
      .x1 = (double) row->x1 / width,
      .y1 = (double) row->y1 / height,
      .confidence = row->confidence,
      .label = class->name,
      .label_length = class->length,
    };
  }
  gst_y10_zones_observe (self->zones, (GstClockTime) frame->timestamp,
      self->objects, n_objects);
}

const gint *
tool_tracks_frame (ToolTracks *self, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection **rows, guint *n)
{
  g_autofree char *source = tool_source_to_utf8 (frame->source);
  const guint n_all = split (self, *rows, *n, n);
  gboolean is_timed;

  *rows = self->rows;
  self->source = source;
  is_timed = take_time (self, frame);
  memset (self->tracks, 0, n_all * sizeof *self->tracks);
  if (is_timed)
    follow (self, model, (GstClockTime) frame->timestamp, n_all, *n);
  for (guint i = 0; i < *n; i++)
    self->ids[i] = (gint) self->tracks[i];
  if (is_timed && self->zones)
    watch (self, frame, *n);
  self->source = NULL;
  return self->ids;
}

void
tool_tracks_end (ToolTracks *self, const char *source)
{
  g_autofree char *name = tool_source_to_utf8 (source);

  self->source = name;
  if (self->zones)
    gst_y10_zones_end (self->zones);
  self->source = NULL;
  gst_y10_tracker_free (self->tracker);
  self->tracker = gst_y10_tracker_new ();
  self->time = self->passed = -1;
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
tool_tracks_new (const Y10Model *model, const char *zones,
    const char *class_groups, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "--track needs videos, and this build has no GStreamer to read them");
  return NULL;
}

void
tool_tracks_free (ToolTracks *self)
{
}

void
tool_tracks_ask (ToolTracks *self, const Y10Model *model,
    const Y10HeadParams *params, guint most, Y10HeadParams *asked)
{
}

void
tool_tracks_pass (ToolTracks *self, ToolFrame *frame)
{
}

const gint *
tool_tracks_frame (ToolTracks *self, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection **rows, guint *n)
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
