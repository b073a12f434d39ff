/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Remembers the objects that were observed, and the order of what happens to them; rules.c
 * decides what happens, from observations alone: a time and the objects that were seen then.
 *
 * - An object that an observation lacks may come back until `grace` after it was last
 *   seen, as if it had been seen all the time. Later it is lost: it left when it was
 *   last seen. Without observations nothing is known to have left.
 * - A new set fires nothing for those who are inside. Zones keep their objects by name.
 *
 * Events are told in the order in which they become known: of one observation first
 * those of lost objects, then of those seen, in their order and that of the zones,
 * then occupancy. Nothing is allocated but with another set. */
#include "zones/zones.h"

#include <string.h>

#include "zones/rules.h"

/* @func is called with each event, by the functions that change @self. */
GstY10Zones *
gst_y10_zones_new (GstY10ZoneEventFunc func, gpointer user)
{
  GstY10Zones *self = g_new0 (GstY10Zones, 1);

  self->func = func;
  self->user = user;
  self->set = g_new0 (GstY10ZoneSet, 1);
  self->set->refs = 1;
  return self;
}

void
gst_y10_zones_free (GstY10Zones *self)
{
  gst_y10_zone_set_unref (self->set);
  g_free (self->states);
  g_free (self);
}

/* The set at hand; at first without zones. */
const GstY10ZoneSet *
gst_y10_zones_get_set (const GstY10Zones *self)
{
  return self->set;
}

/* @index: of a zone in the set. */
const GstY10ZoneCount *
gst_y10_zones_get_count (const GstY10Zones *self, guint index)
{
  return &self->counts[index];
}

/* Whether an object that an observation lacked cannot come back to @zone at @time. */
static gboolean
is_lost (const GstY10ZoneTrack *track, const GstY10Zone *zone,
    GstClockTime time)
{
  return track->missed && time > track->time + zone->grace;
}

/* Forgets an object in the zones where it is lost; in all, and it goes. */
static void
lose (GstY10Zones *self, guint t, GstClockTime time)
{
  GstY10ZoneTrack *track = &self->tracks[t];
  GstY10ZoneState *states = gst_y10_zone_states_of (self, t);
  gboolean is_known = FALSE;

  for (guint z = 0; z < self->set->n; z++) {
    if (states[z].is_known && is_lost (track, &self->set->zones[z], time))
      gst_y10_zone_forget (self, track, z, &states[z], GST_Y10_LEAVE_LOST);
    is_known |= states[z].is_known;
  }
  track->used = is_known || !track->missed;
}

static void
check_limits (GstY10Zones *self, GstClockTime time)
{
  for (guint z = 0; z < self->set->n; z++) {
    const GstY10Zone *zone = &self->set->zones[z];
    GstY10ZoneCount *count = &self->counts[z];
    const gboolean over = zone->limit && count->count > zone->limit;

    if (over != count->over && !self->quiet[z]) {
      const GstY10ZoneEvent event = {
        .kind = GST_Y10_ZONE_OCCUPANCY,
        .zone = zone,
        .time = time,
        .count = count->count,
        .over = over,
      };

      count->over = over;
      self->func (&event, self->user);
    }
    count->over = over;
    self->quiet[z] = FALSE;
  }
}

static guint
hash (guint64 id)
{
  return (guint) ((id * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)) >> 32)
      % GST_Y10_ZONES_INDEX_SIZE;
}

static void
index_track (GstY10Zones *self, guint t)
{
  guint i = hash (self->tracks[t].id);

  while (self->index[i])
    i = (i + 1) % GST_Y10_ZONES_INDEX_SIZE;
  self->index[i] = (guint16) (t + 1);
}

static void
index_all (GstY10Zones *self)
{
  memset (self->index, 0, sizeof self->index);
  for (guint t = 0; t < self->n_tracks; t++)
    if (self->tracks[t].used)
      index_track (self, t);
}

/* Returns the track with that id, or -1. */
static gint
find (const GstY10Zones *self, guint64 id)
{
  for (guint i = hash (id); self->index[i];
       i = (i + 1) % GST_Y10_ZONES_INDEX_SIZE)
    if (self->tracks[self->index[i] - 1].id == id)
      return self->index[i] - 1;
  return -1;
}

/* Returns a free track; where there is none, the one not seen for longest goes. */
static guint
take_track (GstY10Zones *self)
{
  guint oldest = 0;

  for (guint t = 0; t < self->n_tracks; t++) {
    if (!self->tracks[t].used)
      return t;
    if (!self->tracks[t].seen
        && (self->tracks[oldest].seen
            || self->tracks[t].time < self->tracks[oldest].time))
      oldest = t;
  }
  if (self->n_tracks < GST_Y10_ZONES_MAX_OBJECTS)
    return self->n_tracks++;
  for (guint z = 0; z < self->set->n; z++)
    gst_y10_zone_forget (self, &self->tracks[oldest], z,
        &gst_y10_zone_states_of (self, oldest)[z], GST_Y10_LEAVE_LOST);
  self->tracks[oldest].used = FALSE;
  index_all (self);
  return oldest;
}

/* Marks the tracks that are among @objects as seen, and tells which are lost. */
static void
mark_seen (GstY10Zones *self, GstClockTime time,
    const GstY10ZoneObject *objects, guint n)
{
  index_all (self);
  for (guint t = 0; t < self->n_tracks; t++)
    self->tracks[t].seen = FALSE;
  for (guint i = 0; i < n; i++) {
    const gint t = find (self, objects[i].id);

    if (t >= 0)
      self->tracks[t].seen = TRUE;
  }
  for (guint t = 0; t < self->n_tracks; t++) {
    GstY10ZoneTrack *track = &self->tracks[t];

    if (!track->used)
      continue;
    track->missed |= !track->seen;
    lose (self, t, time);
    track->used |= track->seen;
    track->missed &= !track->seen;
  }
  index_all (self);
}

static void
see (GstY10Zones *self, GstClockTime time, const GstY10ZoneObject *object)
{
  const gint known = find (self, object->id);
  const guint t = known >= 0 ? (guint) known : take_track (self);
  const gsize length = MIN (object->label_length, GST_Y10_ZONES_LABEL_SIZE - 1);
  GstY10ZoneTrack *track = &self->tracks[t];
  gdouble before[4];

  if (known >= 0 && track->time == time)
    return; /* listed twice: the first one counts */
  memcpy (before, track->box, sizeof before);
  if (known < 0) {
    *track = (GstY10ZoneTrack){ .id = object->id, .used = TRUE };
    for (guint z = 0; z < self->set->n; z++)
      gst_y10_zone_states_of (self,
          t)[z] = (GstY10ZoneState){ .turned = GST_CLOCK_TIME_NONE };
    index_track (self, t);
  }
  track->seen = TRUE;
  track->time = time;
  track->box[0] = object->x0;
  track->box[1] = object->y0;
  track->box[2] = object->x1;
  track->box[3] = object->y1;
  track->confidence = object->confidence;
  memcpy (track->label, object->label, length);
  track->label[length] = 0;
  gst_y10_zone_watch (self, t, before);
}

/**
 * gst_y10_zones_observe:
 * @self: zones
 * @time: when the picture was taken; later than that of the observation before
 * @objects: all objects of known identity in it
 * @n_objects: at most %GST_Y10_ZONES_MAX_OBJECTS count
 */
void
gst_y10_zones_observe (GstY10Zones *self, GstClockTime time,
    const GstY10ZoneObject *objects, guint n_objects)
{
  const guint n = MIN (n_objects, GST_Y10_ZONES_MAX_OBJECTS);

  mark_seen (self, time, objects, n);
  for (guint i = 0; i < n; i++)
    see (self, time, &objects[i]);
  check_limits (self, time);
}

/**
 * gst_y10_zones_advance:
 * @self: zones
 * @time: up to which no further observation comes
 *
 * Time passes: who was last seen inside dwells on, and who was not seen is lost.
 */
void
gst_y10_zones_advance (GstY10Zones *self, GstClockTime time)
{
  for (guint t = 0; t < self->n_tracks; t++) {
    const GstY10ZoneTrack *track = &self->tracks[t];

    if (!track->used)
      continue;
    lose (self, t, time);
    for (guint z = 0; z < self->set->n && track->used && !track->missed; z++) {
      GstY10ZoneState *state = &gst_y10_zone_states_of (self, t)[z];

      if (state->inside && state->turned == GST_CLOCK_TIME_NONE)
        gst_y10_zone_dwell (self, track, z, state, time);
    }
  }
  check_limits (self, time);
}

/**
 * gst_y10_zones_end:
 * @self: zones
 *
 * The stream ends: whoever is inside leaves when last seen, and is forgotten. Lines
 * keep their counts.
 */
void
gst_y10_zones_end (GstY10Zones *self)
{
  GstClockTime last = 0;

  for (guint t = 0; t < self->n_tracks; t++) {
    GstY10ZoneTrack *track = &self->tracks[t];

    if (!track->used)
      continue;
    last = MAX (last, track->time);
    for (guint z = 0; z < self->set->n; z++)
      gst_y10_zone_forget (self, track, z, &gst_y10_zone_states_of (self, t)[z],
          GST_Y10_LEAVE_ENDED);
    track->used = FALSE;
  }
  self->n_tracks = 0;
  check_limits (self, last);
}

/* Ends zones that @set lacks, for all objects. */
static void
end_removed (GstY10Zones *self, const GstY10ZoneSet *set)
{
  GstClockTime last = 0;

  for (guint z = 0; z < self->set->n; z++) {
    const gint kept = gst_y10_zone_set_find (set, self->set->zones[z].name);

    if (kept >= 0 && set->zones[kept].is_line == self->set->zones[z].is_line)
      continue;
    for (guint t = 0; t < self->n_tracks; t++) {
      if (!self->tracks[t].used)
        continue;
      last = MAX (last, self->tracks[t].time);
      gst_y10_zone_forget (self, &self->tracks[t], z,
          &gst_y10_zone_states_of (self, t)[z], GST_Y10_LEAVE_ENDED);
    }
  }
  check_limits (self, last);
}

/* Counts the thresholds of @now up to the last one of @before that has been told. */
static guint
count_dwelt (const GstY10Zone *now, const GstY10Zone *before, guint n_dwelt)
{
  guint n = 0;

  while (n_dwelt && n < now->n_dwells
      && now->dwells[n] <= before->dwells[n_dwelt - 1])
    n++;
  return n;
}

/**
 * gst_y10_zones_change:
 * @self: zones
 * @set: (transfer none): replaces the set
 *
 * Changes the zones. A zone keeps its objects, and a line its counts, if another has
 * the same name. Objects that are in a new zone, or in a changed one, are in it without
 * an event.
 */
void
gst_y10_zones_change (GstY10Zones *self, GstY10ZoneSet *set)
{
  GstY10ZoneState *states = g_new (GstY10ZoneState,
      (gsize) set->n * GST_Y10_ZONES_MAX_OBJECTS);
  GstY10ZoneCount counts[GST_Y10_MAX_ZONES] = { { 0 } };

  end_removed (self, set);
  for (guint z = 0; z < set->n; z++) {
    const gint old = gst_y10_zone_set_find (self->set, set->zones[z].name);
    const gboolean is_kept = old >= 0
        && self->set->zones[old].is_line == set->zones[z].is_line;
    const gboolean is_same = is_kept
        && gst_y10_zone_is_same_place (&self->set->zones[old], &set->zones[z]);

    if (is_kept)
      counts[z] = self->counts[old];
    for (guint t = 0; t < self->n_tracks; t++) {
      GstY10ZoneState *state = &states[(gsize) t * set->n + z];

      *state = is_kept ? gst_y10_zone_states_of (self, t)[old]
                       : (GstY10ZoneState){ .turned = GST_CLOCK_TIME_NONE };
      if (is_kept && self->tracks[t].used)
        state->n_dwelt = count_dwelt (&set->zones[z], &self->set->zones[old],
            state->n_dwelt);
      state->adopt |= !is_same;
      /* Else an object that no observation shows again would never go. */
      state->is_known = TRUE;
    }
    /* Those who are inside exceed a changed limit without an event, too. */
    self->quiet[z] = self->n_tracks > 0;
  }
  g_free (self->states);
  self->states = states;
  memcpy (self->counts, counts, sizeof counts);
  gst_y10_zone_set_unref (self->set);
  self->set = gst_y10_zone_set_ref (set);
}

/* Calls @func with each object in each zone. */
void
gst_y10_zones_foreach_stay (const GstY10Zones *self, GstY10ZoneStayFunc func,
    gpointer user)
{
  for (guint t = 0; t < self->n_tracks; t++)
    for (guint z = 0; z < self->set->n && self->tracks[t].used; z++) {
      const GstY10ZoneState *state = &gst_y10_zone_states_of (self, t)[z];

      if (state->inside)
        func (&self->set->zones[z], self->tracks[t].id,
            self->tracks[t].time - state->since, user);
    }
}

/* Returns when gst_y10_zones_advance() will have something to tell if nothing is
 * observed until then, or %GST_CLOCK_TIME_NONE. */
GstClockTime
gst_y10_zones_get_deadline (const GstY10Zones *self)
{
  GstClockTime least = GST_CLOCK_TIME_NONE;

  for (guint t = 0; t < self->n_tracks; t++)
    for (guint z = 0; z < self->set->n && self->tracks[t].used; z++) {
      const GstY10ZoneTrack *track = &self->tracks[t];
      const GstY10Zone *zone = &self->set->zones[z];
      const GstY10ZoneState *state = &gst_y10_zone_states_of (self, t)[z];

      if (track->missed
          && (state->inside || state->turned != GST_CLOCK_TIME_NONE))
        least = MIN (least, track->time + zone->grace + 1);
      else if (!track->missed && state->inside
          && state->turned == GST_CLOCK_TIME_NONE
          && state->n_dwelt < zone->n_dwells)
        least = MIN (least, state->since + zone->dwells[state->n_dwelt]);
    }
  return least;
}
