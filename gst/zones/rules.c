/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what a sighting of an object means for a zone or a line. Rules:
 *
 * - Inside is where the anchor is, for objects of the zone's classes. A change counts
 *   when it has lasted for `hysteresis`, and then since its first observation: an
 *   object enters when it was first seen inside, and leaves when first seen outside.
 * - A dwell needs an observation inside at or after its time, or silence: no
 *   observation at all until then, see gst_y10_zones_advance().
 * - The path between two observations of an object crosses lines, however long it is.
 *   That counts when the object has been clear of the line on the other side, and on that
 *   side for `hysteresis`; an object that is back before, by whatever path, has not
 *   crossed. So one that stands on a line does not cross it again and again. */
#include "zones/rules.h"

#include <string.h>

/* Emits an event of the kinds that have an object; @event has what differs. */
static void
emit (GstY10Zones *self, const GstY10ZoneTrack *track, guint z,
    GstY10ZoneEvent event)
{
  const GstY10Zone *zone = &self->set->zones[z];

  event.zone = zone;
  event.id = track->id;
  event.label = track->label;
  event.confidence = track->confidence;
  event.place = gst_y10_anchor_place (zone->anchor, track->box[0],
      track->box[1], track->box[2], track->box[3]);
  event.count = self->counts[z].count;
  event.n_in = self->counts[z].n_in;
  event.n_out = self->counts[z].n_out;
  self->func (&event, self->user);
}

static void
enter (GstY10Zones *self, const GstY10ZoneTrack *track, guint z,
    GstY10ZoneState *state)
{
  state->inside = TRUE;
  state->since = state->turned;
  state->turned = GST_CLOCK_TIME_NONE;
  state->n_dwelt = 0;
  self->counts[z].count++;
  emit (self, track, z,
      (GstY10ZoneEvent){ .kind = GST_Y10_ZONE_ENTER, .time = state->since });
}

static void
leave (GstY10Zones *self, const GstY10ZoneTrack *track, guint z,
    GstY10ZoneState *state, GstClockTime time, GstY10LeaveReason reason)
{
  state->inside = FALSE;
  state->turned = GST_CLOCK_TIME_NONE;
  self->counts[z].count--;
  emit (self, track, z,
      (GstY10ZoneEvent){
          .kind = GST_Y10_ZONE_LEAVE,
          .time = time,
          .duration = time - state->since,
          .reason = reason,
      });
}

static void
cross (GstY10Zones *self, const GstY10ZoneTrack *track, guint z,
    GstY10ZoneState *state)
{
  if (state->direction > 0)
    self->counts[z].n_in++;
  else
    self->counts[z].n_out++;
  emit (self, track, z,
      (GstY10ZoneEvent){
          .kind = GST_Y10_ZONE_CROSS,
          .time = state->turned,
          .direction = state->direction,
      });
  state->turned = GST_CLOCK_TIME_NONE;
}

/* Tells what @time has made certain of the stay of an object that was last seen
 * inside. */
void
gst_y10_zone_dwell (GstY10Zones *self, const GstY10ZoneTrack *track, guint z,
    GstY10ZoneState *state, GstClockTime time)
{
  const GstY10Zone *zone = &self->set->zones[z];

  while (state->n_dwelt < zone->n_dwells
      && time >= state->since + zone->dwells[state->n_dwelt]) {
    const GstClockTime threshold = zone->dwells[state->n_dwelt++];

    emit (self, track, z,
        (GstY10ZoneEvent){
            .kind = GST_Y10_ZONE_DWELL,
            .time = state->since + threshold,
            .duration = threshold,
        });
  }
}

/* Ends what is between an object and a zone: nobody knows what follows. */
void
gst_y10_zone_forget (GstY10Zones *self, const GstY10ZoneTrack *track, guint z,
    GstY10ZoneState *state, GstY10LeaveReason reason)
{
  const gboolean is_turned = state->turned != GST_CLOCK_TIME_NONE;

  if (is_turned && self->set->zones[z].is_line)
    cross (self, track, z, state);
  else if (state->inside)
    leave (self, track, z, state, is_turned ? state->turned : track->time,
        is_turned ? GST_Y10_LEAVE_LEFT : reason);
  *state = (GstY10ZoneState){ .turned = GST_CLOCK_TIME_NONE };
}

static void
watch_zone (GstY10Zones *self, const GstY10ZoneTrack *track, guint z,
    GstY10ZoneState *state, gboolean is_wanted)
{
  const GstY10Zone *zone = &self->set->zones[z];
  const gdouble *box = track->box;
  const gboolean inside = is_wanted
      && gst_y10_zone_has_point (zone,
          gst_y10_anchor_place (zone->anchor, box[0], box[1], box[2], box[3]));
  const GstClockTime time = track->time;

  if (state->adopt && inside && !state->inside) {
    state->inside = TRUE;
    state->since = time;
    state->n_dwelt = 0;
    self->counts[z].count++;
    self->quiet[z] = TRUE;
  }
  if (inside == state->inside)
    state->turned = GST_CLOCK_TIME_NONE;
  else if (state->turned == GST_CLOCK_TIME_NONE)
    state->turned = time;
  if (state->turned != GST_CLOCK_TIME_NONE
      && time - state->turned >= zone->hysteresis) {
    if (inside)
      enter (self, track, z, state);
    else
      leave (self, track, z, state, state->turned, GST_Y10_LEAVE_LEFT);
  }
  if (inside && state->inside)
    gst_y10_zone_dwell (self, track, z, state, time);
}

/* Tells of a crossing that counts if @least has passed since. */
static void
cross_after (GstY10Zones *self, const GstY10ZoneTrack *track, guint z,
    GstY10ZoneState *state, GstClockTime least)
{
  if (state->turned != GST_CLOCK_TIME_NONE && state->is_clear
      && track->time - state->turned >= least)
    cross (self, track, z, state);
}

/* @before: the box that was last observed; NULL: there is none. */
static void
watch_line (GstY10Zones *self, const GstY10ZoneTrack *track, guint z,
    GstY10ZoneState *state, gboolean is_wanted, const gdouble *before)
{
  const GstY10Zone *zone = &self->set->zones[z];
  const gdouble *box = track->box;
  const GstY10Point a = zone->points[0], b = zone->points[1];
  const GstY10Point place = gst_y10_anchor_place (zone->anchor, box[0], box[1],
      box[2], box[3]);
  const gint side = gst_y10_line_is_right (a, b, place) ? 1 : -1;
  gint direction = 0;

  if (before && is_wanted)
    direction = gst_y10_line_cross (a, b,
        gst_y10_anchor_place (zone->anchor, before[0], before[1], before[2],
            before[3]),
        place);
  /* Few observations a second show it on the other side only once. */
  cross_after (self, track, z, state, zone->hysteresis + 1);
  if (state->turned == GST_CLOCK_TIME_NONE && direction) {
    state->turned = track->time;
    state->direction = direction;
    state->is_clear = FALSE;
  } else if (state->turned != GST_CLOCK_TIME_NONE && side != state->direction) {
    state->turned = GST_CLOCK_TIME_NONE;
  }
  if (state->turned == GST_CLOCK_TIME_NONE)
    return;
  state->is_clear |= gst_y10_line_is_clear (a, b, place, box[2] - box[0],
      box[3] - box[1]);
  cross_after (self, track, z, state, zone->hysteresis);
}

/* An object was seen: @before is its former box, or NULL if it is new. */
void
gst_y10_zone_watch (GstY10Zones *self, guint t, const gdouble *before)
{
  const GstY10ZoneTrack *track = &self->tracks[t];
  GstY10ZoneState *states = gst_y10_zone_states_of (self, t);
  const gsize length = strlen (track->label);

  for (guint z = 0; z < self->set->n; z++) {
    const GstY10Zone *zone = &self->set->zones[z];
    const gboolean is_wanted = gst_y10_zone_wants (zone, track->label, length);

    if (zone->is_line)
      watch_line (self, track, z, &states[z], is_wanted,
          states[z].is_known ? before : NULL);
    else
      watch_zone (self, track, z, &states[z], is_wanted);
    states[z].is_known = TRUE;
    states[z].adopt = FALSE;
  }
}
