/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which detections are the same object: ByteTrack without appearance (Zhang et al.,
 * "ByteTrack: Multi-Object Tracking by Associating Every Detection Box", 2022). Each
 * observation matches in three passes, each an exact assignment: confident detections
 * with tracks, the rest of the tracks with weak detections (an object that is half
 * hidden is still one), and confident detections that are left with tracks that were
 * seen once. What is confident and matches nothing begins a track; it has no identity
 * until it is seen again. A track that is not seen is lost, and may come back for a
 * while.
 *
 * Overlap decides, unlike in ByteTrack, which multiplies it by the confidence in the first
 * and third pass: without that, fewer identities change. Of a lost track it counts less the
 * longer nobody has seen it: somebody else walks where it is expected, and both would take
 * turns. And lost tracks also match weak detections.
 *
 * Knows neither buffers nor metadata. Nothing is allocated after it is made. */
#include "track/tracker.h"
#include "track/assign.h"

/* 1 - IoU in the second and the third pass. */
#define WEAK_LIMIT 0.7f
#define NEW_LIMIT 0.8f

/* Two tracks whose boxes overlap by more are one object. */
#define SAME_IOU 0.85f

/* What a second without being seen costs a lost track, in 1 - IoU. */
#define LOST_COST 0.3f

/* Also without tracks, a limit of 0 would not be a limit. */
#define LEAST_LIMIT 1e-6f

struct _GstY10Tracker
{
  GstClockTime time; /* of the last observation */
  guint64 n_ids;
  guint n_tracks;
  GstY10Track tracks[GST_Y10_MAX_TRACKS];
  /* The passes. */
  GstY10Assigner *assigner;
  GstY10TrackBox boxes[GST_Y10_MAX_TRACKS]; /* where tracks are expected */
  guint rows[GST_Y10_MAX_TRACKS], columns[GST_Y10_MAX_OBSERVED];
  gint column_of_row[GST_Y10_MAX_TRACKS];
  gboolean is_matched[GST_Y10_MAX_TRACKS];
  gint track_of[GST_Y10_MAX_OBSERVED];
};

GstY10Tracker *
gst_y10_tracker_new (void)
{
  GstY10Tracker *self = g_new0 (GstY10Tracker, 1);

  self->assigner = gst_y10_assigner_new (GST_Y10_MAX_TRACKS,
      GST_Y10_MAX_OBSERVED);
  gst_y10_tracker_reset (self);
  return self;
}

void
gst_y10_tracker_free (GstY10Tracker *self)
{
  gst_y10_assigner_free (self->assigner);
  g_free (self);
}

/* Forgets all tracks. Identities are not used again. */
void
gst_y10_tracker_reset (GstY10Tracker *self)
{
  self->time = GST_CLOCK_TIME_NONE;
  self->n_tracks = 0;
}

static gdouble
seconds_between (GstClockTime from, GstClockTime to)
{
  return to > from ? (gdouble) (to - from) / GST_SECOND : 0;
}

static gfloat
iou (const GstY10TrackBox *a, const GstY10TrackBox *b)
{
  gfloat w = MIN (a->x + a->width / 2, b->x + b->width / 2)
      - MAX (a->x - a->width / 2, b->x - b->width / 2);
  gfloat h = MIN (a->y + a->height / 2, b->y + b->height / 2)
      - MAX (a->y - a->height / 2, b->y - b->height / 2);
  gfloat both;

  if (!(w > 0 && h > 0))
    return 0;
  both = w * h;
  return both / (a->width * a->height + b->width * b->height - both);
}

/* Moves the class up as its sum grows. A class too many takes the place of the least. */
static void
count_class (GstY10Track *track, guint class_id, gfloat confidence)
{
  guint i = 0;

  while (i < track->n_classes && track->classes[i].class_id != class_id)
    i++;
  if (i == track->n_classes) {
    if (i == GST_Y10_TRACK_CLASSES)
      i--;
    else
      track->n_classes++;
    track->classes[i].class_id = class_id;
    track->classes[i].sum = 0;
  }
  track->classes[i].sum += confidence;
  for (; i > 0 && track->classes[i].sum > track->classes[i - 1].sum; i--) {
    guint other = track->classes[i - 1].class_id;
    gfloat sum = track->classes[i - 1].sum;

    track->classes[i - 1] = track->classes[i];
    track->classes[i].class_id = other;
    track->classes[i].sum = sum;
  }
}

static void
see (GstY10Tracker *self, guint track_index, const GstY10Observed *observed,
    guint index)
{
  GstY10Track *track = &self->tracks[track_index];

  gst_y10_kalman_update (&track->kalman, &observed[index].box);
  track->state = GST_Y10_TRACK_TRACKED;
  if (track->id == 0)
    track->id = ++self->n_ids;
  track->seen = self->time;
  track->confidence = observed[index].confidence;
  count_class (track, observed[index].class_id, observed[index].confidence);
  self->is_matched[track_index] = TRUE;
  self->track_of[index] = (gint) track_index;
}

/* Of a pair for the assignment: 1 without any overlap, which no @limit exceeds. What is below
 * @limit stays below it, so a lost track that nobody else competes with is found as well as
 * any. */
static gfloat
cost_of (const GstY10Tracker *self, guint row, const GstY10Observed *observed,
    gfloat limit)
{
  const GstY10Track *track = &self->tracks[row];
  gfloat cost = track->group == observed->group
      ? 1 - iou (&self->boxes[row], &observed->box)
      : 1;

  if (track->state == GST_Y10_TRACK_LOST && cost < limit)
    cost = MIN (cost
            + LOST_COST * (gfloat) seconds_between (track->seen, self->time),
        limit * (1 - 1e-6f));
  return cost;
}

/* One pass, on the first @n_rows and @n_columns of rows and columns. */
static void
match (GstY10Tracker *self, guint n_rows, guint n_columns,
    const GstY10Observed *observed, gfloat limit)
{
  gfloat *cost = gst_y10_assigner_get_costs (self->assigner);

  if (n_rows == 0 || n_columns == 0)
    return;
  limit = MAX (limit, LEAST_LIMIT);
  for (guint i = 0; i < n_rows; i++)
    for (guint j = 0; j < n_columns; j++)
      *cost++ = cost_of (self, self->rows[i], &observed[self->columns[j]],
          limit);
  gst_y10_assigner_solve (self->assigner, n_rows, n_columns, limit,
      self->column_of_row);
  for (guint i = 0; i < n_rows; i++)
    if (self->column_of_row[i] >= 0)
      see (self, self->rows[i], observed,
          self->columns[self->column_of_row[i]]);
}

static guint
take_rows (GstY10Tracker *self, guint states)
{
  guint n = 0;

  for (guint i = 0; i < self->n_tracks; i++)
    if (!self->is_matched[i] && (states & 1u << self->tracks[i].state))
      self->rows[n++] = i;
  return n;
}

/* Takes the detections without a track that are as confident as @least. */
static guint
take_strong (GstY10Tracker *self, const GstY10Observed *observed,
    guint n_observed, gfloat least)
{
  guint n = 0;

  for (guint i = 0; i < n_observed; i++)
    if (self->track_of[i] < 0 && !observed[i].is_weak
        && observed[i].confidence >= least)
      self->columns[n++] = i;
  return n;
}

/* Takes those that only continue tracks. */
static guint
take_weak (GstY10Tracker *self, const GstY10TrackParams *params,
    const GstY10Observed *observed, guint n_observed)
{
  guint n = 0;

  for (guint i = 0; i < n_observed; i++)
    if (self->track_of[i] < 0 && observed[i].confidence >= params->weak_thresh
        && (observed[i].is_weak
            || observed[i].confidence < params->track_thresh))
      self->columns[n++] = i;
  return n;
}

static void
begin (GstY10Tracker *self, gboolean is_first, const GstY10Observed *observed,
    guint index)
{
  GstY10Track *track;

  if (self->n_tracks == GST_Y10_MAX_TRACKS)
    return;
  self->track_of[index] = (gint) self->n_tracks;
  track = &self->tracks[self->n_tracks++];
  *track = (GstY10Track){
    .group = observed[index].group,
    .began = self->time,
    .seen = self->time,
    .confidence = observed[index].confidence,
  };
  gst_y10_kalman_init (&track->kalman, &observed[index].box);
  count_class (track, observed[index].class_id, observed[index].confidence);
  /* Nothing was there before the first observation, so being seen once is enough. */
  if (is_first) {
    track->state = GST_Y10_TRACK_TRACKED;
    track->id = ++self->n_ids;
  }
}

/* Whether @track is the same object as another one that has been known for longer. */
static gboolean
is_double (const GstY10Tracker *self, guint index)
{
  const GstY10Track *track = &self->tracks[index];

  for (guint i = 0; i < self->n_tracks; i++) {
    const GstY10Track *other = &self->tracks[i];
    GstY10TrackBox a, b;

    /* One of two that are seen at once is another object. A new one has been known for no
     * time. */
    if (i == index || other->group != track->group
        || (other->state == GST_Y10_TRACK_TRACKED)
            == (track->state == GST_Y10_TRACK_TRACKED))
      continue;
    if (other->seen - other->began < track->seen - track->began
        || (other->seen - other->began == track->seen - track->began
            && i > index))
      continue;
    gst_y10_kalman_get_box (&track->kalman, 0, &a);
    gst_y10_kalman_get_box (&other->kalman, 0, &b);
    if (iou (&a, &b) > SAME_IOU)
      return TRUE;
  }
  return FALSE;
}

/* Closes the gaps of tracks that are gone. */
static void
forget (GstY10Tracker *self, guint n_observed, GstClockTime track_buffer)
{
  gint moved_to[GST_Y10_MAX_TRACKS];
  gboolean is_gone[GST_Y10_MAX_TRACKS];
  guint n = 0;

  for (guint i = 0; i < self->n_tracks; i++) {
    const GstY10Track *track = &self->tracks[i];

    is_gone[i] = (track->state == GST_Y10_TRACK_LOST
                     && self->time - track->seen > track_buffer)
        || (track->state == GST_Y10_TRACK_NEW && track->seen != self->time)
        || (track->state != GST_Y10_TRACK_NEW && is_double (self, i));
  }
  for (guint i = 0; i < self->n_tracks; i++) {
    moved_to[i] = is_gone[i] ? -1 : (gint) n;
    if (is_gone[i])
      continue;
    if (n != i)
      self->tracks[n] = self->tracks[i];
    n++;
  }
  self->n_tracks = n;
  for (guint i = 0; i < n_observed; i++)
    if (self->track_of[i] >= 0)
      self->track_of[i] = moved_to[self->track_of[i]];
}

/* gst_y10_tracker_observe: (skip)
 * @time: when the picture was taken; after the last observation's, otherwise nothing
 *     happens and all @ids are 0
 * @observed: (array length=n_observed): what was detected in it. Boxes have a positive
 *     size and finite coordinates.
 * @n_observed: those beyond the greatest number are ignored
 * @ids: (out) (array length=n_observed): the identity of each detection, or 0
 *
 * Takes a time of about O(tracks × detections). */
void
gst_y10_tracker_observe (GstY10Tracker *self, const GstY10TrackParams *params,
    GstClockTime time, const GstY10Observed *observed, guint n_observed,
    guint64 *ids)
{
  gboolean is_first = !GST_CLOCK_TIME_IS_VALID (self->time);
  gdouble seconds;
  guint n_rows, n_columns;

  for (guint i = 0; i < n_observed; i++)
    ids[i] = 0;
  if (!is_first && time <= self->time)
    return;
  n_observed = MIN (n_observed, GST_Y10_MAX_OBSERVED);
  seconds = is_first ? 0 : seconds_between (self->time, time);
  self->time = time;
  for (guint i = 0; i < n_observed; i++)
    self->track_of[i] = -1;
  for (guint i = 0; i < self->n_tracks; i++) {
    self->is_matched[i] = FALSE;
    if (self->tracks[i].state == GST_Y10_TRACK_LOST)
      gst_y10_kalman_stop_growing (&self->tracks[i].kalman);
    gst_y10_kalman_predict (&self->tracks[i].kalman, seconds);
    gst_y10_kalman_get_box (&self->tracks[i].kalman, 0, &self->boxes[i]);
  }

  n_rows = take_rows (self,
      1u << GST_Y10_TRACK_TRACKED | 1u << GST_Y10_TRACK_LOST);
  n_columns = take_strong (self, observed, n_observed, params->track_thresh);
  match (self, n_rows, n_columns, observed, params->match_thresh);

  n_rows = take_rows (self,
      1u << GST_Y10_TRACK_TRACKED | 1u << GST_Y10_TRACK_LOST);
  n_columns = take_weak (self, params, observed, n_observed);
  match (self, n_rows, n_columns, observed, WEAK_LIMIT);

  n_rows = take_rows (self, 1u << GST_Y10_TRACK_NEW);
  n_columns = take_strong (self, observed, n_observed, params->track_thresh);
  match (self, n_rows, n_columns, observed, NEW_LIMIT);

  for (guint i = 0; i < self->n_tracks; i++)
    if (!self->is_matched[i] && self->tracks[i].state == GST_Y10_TRACK_TRACKED)
      self->tracks[i].state = GST_Y10_TRACK_LOST;
  n_columns = take_strong (self, observed, n_observed,
      MAX (params->new_thresh, params->track_thresh));
  for (guint j = 0; j < n_columns; j++)
    begin (self, is_first, observed, self->columns[j]);
  forget (self, n_observed, params->track_buffer);
  for (guint i = 0; i < n_observed; i++)
    if (self->track_of[i] >= 0)
      ids[i] = self->tracks[self->track_of[i]].id;
}

/* Returns: (transfer none): tracks in the order in which they began; valid until the
 * next observation */
const GstY10Track *
gst_y10_tracker_get_tracks (const GstY10Tracker *self, guint *n_tracks)
{
  *n_tracks = self->n_tracks;
  return self->tracks;
}

/* Returns: (transfer none) (nullable): the track with this identity, likewise */
const GstY10Track *
gst_y10_tracker_find (const GstY10Tracker *self, guint64 id)
{
  for (guint i = 0; i < self->n_tracks; i++)
    if (self->tracks[i].id == id)
      return id ? &self->tracks[i] : NULL;
  return NULL;
}

/* Sets @box to where @track is at @time, which may be later than the last observation. */
void
gst_y10_tracker_predict (const GstY10Tracker *self, const GstY10Track *track,
    GstClockTime time, GstY10TrackBox *box)
{
  gst_y10_kalman_get_box (&track->kalman,
      GST_CLOCK_TIME_IS_VALID (self->time) ? seconds_between (self->time, time)
                                           : 0,
      box);
}
