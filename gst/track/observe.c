/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What the tracker learns from a frame, and what it knows of it: whether the frame shows
 * a new result, the ids of its detections, and where each object is expected at its time.
 * A result counts once, at the time of the frame that was inferred, be it this one or an
 * earlier one whose boxes are held; in between, objects move on by themselves. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "track/element.h"

#include <math.h>

/* Detections after which it is judged whether most objects are found again. */
#define ENOUGH_SEEN 200

/* Frames in a row after gaps, which are no accident. */
#define MANY_JUMPS 3

/* No shorter time without a frame or a result means anything, whatever track-buffer. */
#define LEAST_GAP (GST_SECOND / 2)

/* Forgets all objects; their ids are not used again. */
void
gst_y10_track_reset (GstYolov10Tracker *self)
{
  gst_y10_tracker_reset (self->tracker);
  self->observations = (GstY10Observations){ 0 };
  self->n_known = 0;
  self->pts = self->interval = GST_CLOCK_TIME_NONE;
  self->n_seen = self->n_begun = 0;
}

static void
warn_far (GstYolov10Tracker *self, GstClockTime apart)
{
  if (self->told_far)
    return;
  self->told_far = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("Objects cannot be followed: results are too far apart."),
      ("Frames with new results are %" G_GUINT64_FORMAT
       " ms apart, and most boxes "
       "overlap none before. Infer more frames per second, or raise track-buffer "
       "(now %" G_GUINT64_FORMAT
       " ms) if frames themselves are further apart than "
       "that. This is reported only once.",
          apart / GST_MSECOND, self->now->track_buffer / GST_MSECOND));
}

/* Returns how long objects go on by themselves. */
static GstClockTime
patience (const GstYolov10Tracker *self)
{
  return MAX (self->now->track_buffer, LEAST_GAP);
}

/* Returns whether the frame has a place in the stream's time. */
static gboolean
take_time (GstYolov10Tracker *self)
{
  const GstClockTime pts = self->reading.result.pts;

  if (!GST_CLOCK_TIME_IS_VALID (pts)) {
    if (!self->told_no_time)
      GST_ELEMENT_WARNING (self, STREAM, FORMAT,
          ("Objects are not followed in frames without timestamps."),
          ("This is reported only once."));
    self->told_no_time = TRUE;
    return FALSE;
  }
  if (GST_CLOCK_TIME_IS_VALID (self->pts) && pts < self->pts) {
    gst_y10_track_reset (self);
  } else if (GST_CLOCK_TIME_IS_VALID (self->pts)
      && pts - self->pts > patience (self)) {
    if (++self->n_jumps == MANY_JUMPS)
      warn_far (self, pts - self->pts);
    gst_y10_track_reset (self);
  } else {
    self->n_jumps = 0;
  }
  self->pts = pts;
  return TRUE;
}

/* Returns whether boxes are where the objects are. */
static gboolean
is_in_place (GstYolov10Tracker *self)
{
  const GstY10Reading *reading = &self->reading;

  if (!reading->moved && !reading->foreign_width)
    return TRUE;
  if (!self->told_moved)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Objects are not followed: an element downstream of the detector changed the "
         "picture."),
        ("It cropped, rotated, padded or distorted it without moving the boxes. Move "
         "the tracker, so that it sees the detector's picture. This is reported "
         "only once."));
  self->told_moved = TRUE;
  return FALSE;
}

/* Sets @time and returns whether the frame shows a new result. Detectors other than
 * ours do not tell that they found nothing, and may infer some frames only: a frame
 * without boxes counts if the next result is overdue. */
static gboolean
is_new (GstYolov10Tracker *self, GstClockTime *time)
{
  const GstY10Result *result = &self->reading.result;

  if (!is_in_place (self))
    return FALSE;
  if (result->state == GST_Y10_STATE_NO_DETECTOR && result->list.n == 0
      && (!GST_CLOCK_TIME_IS_VALID (self->interval)
          || (result->pts - self->observations.time) / 2 <= self->interval))
    return FALSE;
  return gst_y10_observations_take (&self->observations, result->state,
             result->pts, result->age, time)
      != GST_Y10_OBSERVATION_NONE;
}

/* Returns whether the frame shows boxes of the latest observation. */
static gboolean
shows_latest (const GstYolov10Tracker *self)
{
  const GstY10Result *result = &self->reading.result;

  return self->observations.any
      && (gst_y10_state_is_held (result->state)
          || gst_y10_state_is_fresh (result->state))
      && result->pts - result->age == self->observations.time;
}

static guint
find_class (GstYolov10Tracker *self, const GstY10Detection *detection)
{
  return gst_y10_class_groups_find (self->groups, detection->label,
      detection->label_length, detection->class_id);
}

/* Adds boxes to the observation. Those of unknown confidence are taken for certain. */
static guint
add_boxes (GstYolov10Tracker *self, const GstY10DetectionList *list, guint n,
    gboolean are_weak)
{
  for (guint i = 0; i < list->n && n < GST_Y10_MAX_OBSERVED; i++, n++) {
    const GstY10Detection *d = &list->items[i];
    guint number = find_class (self, d);

    self->observed[n] = (GstY10Observed){
      .box = { (gfloat) ((d->x0 + d->x1) / 2), (gfloat) ((d->y0 + d->y1) / 2),
          (gfloat) (d->x1 - d->x0), (gfloat) (d->y1 - d->y0) },
      .confidence = d->confidence < 0 ? 1 : d->confidence,
      .class_id = number,
      .group = gst_y10_class_groups_get (self->groups, number)->group,
      .is_weak = are_weak
    };
  }
  return n;
}

/* Counts how many confident boxes are where no object was expected. */
static void
judge_distance (GstYolov10Tracker *self, GstClockTime time, guint n_observed)
{
  const gdouble least = MAX (self->now->new_thresh, self->now->track_thresh);
  guint n_tracks;
  const GstY10Track *tracks = gst_y10_tracker_get_tracks (self->tracker,
      &n_tracks);

  for (guint i = 0; i < n_observed; i++)
    self->n_seen += !self->observed[i].is_weak
        && self->observed[i].confidence >= (gfloat) least;
  for (guint i = 0; i < n_tracks; i++)
    self->n_begun += tracks[i].began == time;
  if (self->n_seen < ENOUGH_SEEN)
    return;
  if (self->n_begun > self->n_seen / 2)
    warn_far (self, self->interval);
  self->n_seen /= 2;
  self->n_begun /= 2;
}

static void
take_observation (GstYolov10Tracker *self, GstClockTime last, GstClockTime time)
{
  const GstY10DetectionList *list = &self->reading.result.list;
  const GstY10TrackParams params = {
    .track_thresh = (gfloat) self->now->track_thresh,
    .new_thresh = (gfloat) self->now->new_thresh,
    .weak_thresh = (gfloat) self->now->weak_thresh,
    .match_thresh = (gfloat) self->now->match_thresh,
    .track_buffer = self->now->track_buffer
  };
  guint n = add_boxes (self, list, 0, FALSE);

  self->n_known = n;
  n = add_boxes (self, &self->reading.weak, n, TRUE);
  gst_y10_tracker_observe (self->tracker, &params, time, self->observed, n,
      self->observed_ids);
  for (guint i = 0; i < self->n_known; i++) {
    const GstY10Detection *d = &list->items[i];

    self->known[i] = (GstY10KnownBox){ d->x0, d->y0, d->x1, d->y1,
      self->observed[i].class_id, self->observed_ids[i] };
  }
  if (!GST_CLOCK_TIME_IS_VALID (last))
    return; /* everything is new */
  self->interval = time - last;
  judge_distance (self, time, n);
}

/* Converters in between may round. */
static gboolean
is_same_box (const GstY10KnownBox *known, const GstY10Detection *d)
{
  return fabs (known->x0 - d->x0) <= 3 && fabs (known->y0 - d->y0) <= 3
      && fabs (known->x1 - d->x1) <= 3 && fabs (known->y1 - d->y1) <= 3;
}

/* Finds the ids of detections that are shown again. They usually come in the same
 * order, but an element in between may have removed some. */
static void
find_ids (GstYolov10Tracker *self, gboolean is_shown)
{
  const GstY10DetectionList *list = &self->reading.result.list;
  guint next = 0;

  for (guint i = 0; i < list->n; i++) {
    const guint number = find_class (self, &list->items[i]);

    self->ids[i] = 0;
    for (guint k = 0; is_shown && k < self->n_known; k++) {
      const GstY10KnownBox *known = &self->known[(next + k) % self->n_known];

      if (known->class_number != number
          || !is_same_box (known, &list->items[i]))
        continue;
      self->ids[i] = known->id;
      next = (next + k + 1) % self->n_known;
      break;
    }
  }
}

static gint
find_record (const GstYolov10Tracker *self, guint64 id)
{
  const GstY10DetectionList *list = &self->reading.result.list;

  for (guint i = 0; i < list->n; i++)
    if (self->ids[i] == id)
      return list->items[i].id;
  return -1;
}

/* Lists the object at its place at the frame's time, if that is in the frame. */
static void
list_track (GstYolov10Tracker *self, const GstY10Track *track,
    gboolean is_shown)
{
  const GstY10TrackClass *class = gst_y10_class_groups_get (self->groups,
      track->classes[0].class_id);
  GstY10TrackBox box;
  GstY10TrackedObject object = {
    .id = track->id,
    .class_id = class->class_id,
    .confidence = track->confidence,
    .label = class->name,
    .label_length = class->length,
    .record_id = find_record (self, track->id),
    .observed = is_shown,
  };

  gst_y10_tracker_predict (self->tracker, track, self->reading.result.pts,
      &box);
  object.x0 = MAX (box.x - box.width / 2, 0);
  object.y0 = MAX (box.y - box.height / 2, 0);
  object.x1 = MIN (box.x + box.width / 2, self->width);
  object.y1 = MIN (box.y + box.height / 2, self->height);
  if (object.x0 < object.x1 && object.y0 < object.y1)
    gst_y10_track_list_add (&self->tracks, &object);
}

/* Reads the frame that self->reading was collected from into ids and tracks. */
void
gst_y10_track_observe (GstYolov10Tracker *self)
{
  const GstClockTime pts = self->reading.result.pts;
  gboolean is_shown = FALSE;
  const GstY10Track *tracks;
  guint n_tracks = 0;

  gst_y10_track_list_begin (&self->tracks);
  self->tracks.tracker = self->name;
  if (take_time (self)) {
    const GstClockTime last = self->observations.any ? self->observations.time
                                                     : GST_CLOCK_TIME_NONE;
    GstClockTime time;

    is_shown = is_new (self, &time);
    if (is_shown)
      take_observation (self, last, time);
    else
      is_shown = is_in_place (self) && shows_latest (self);
  }
  find_ids (self, is_shown);
  if (!self->observations.any || !GST_CLOCK_TIME_IS_VALID (pts)
      || pts - self->observations.time > patience (self))
    return;
  tracks = gst_y10_tracker_get_tracks (self->tracker, &n_tracks);
  for (guint i = 0; i < n_tracks; i++)
    if (tracks[i].state == GST_Y10_TRACK_TRACKED)
      list_track (self, &tracks[i], is_shown);
}
