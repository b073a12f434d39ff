/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Records of the events in a spool's segments, and which of them fit a question.
 *
 * Segments are in the order of their numbers and records in that of their offsets, so a
 * place is found by halving, also where its event is gone. */

#include "config.h"

#ifdef HAVE_SERVE

#include "events/eventsegment.h"

static void
free_segment (gpointer data)
{
  ServeEventSegment *segment = data;

  g_free (segment->records);
  g_free (segment);
}

GPtrArray *
serve_event_segments_new (void)
{
  return g_ptr_array_new_with_free_func (free_segment);
}

guint
serve_event_segments_find (const GPtrArray *segments, guint64 number)
{
  guint low = 0, high = segments->len;

  while (low < high) {
    const guint middle = (low + high) / 2;
    const ServeEventSegment *segment = segments->pdata[middle];

    if (segment->number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The number of records in front of @offset. */
static guint
find_record (const ServeEventSegment *segment, guint64 offset)
{
  guint low = 0, high = segment->n;

  while (low < high) {
    const guint middle = (low + high) / 2;

    if (segment->records[middle].offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static gboolean
may_fit (const ServeEventSegment *segment, const ServeEventFilter *filter)
{
  return !filter->nothing && segment->n && segment->last >= filter->since
      && segment->first < filter->until;
}

static gboolean
fits (const ServeEvent *record, const ServeEventFilter *filter)
{
  if (record->time < filter->since || record->time >= filter->until)
    return FALSE;
  for (guint i = 0; i < SERVE_N_NAMES; i++)
    if (filter->names[i] != SERVE_NO_NAME
        && record->names[i] != filter->names[i])
      return FALSE;
  return TRUE;
}

const ServeEvent *
serve_event_segments_find_before (const GPtrArray *segments,
    const ServeEventFilter *filter, GstY10SpoolPosition *place)
{
  guint i = serve_event_segments_find (segments, place->segment);

  if (i < segments->len)
    i++;
  while (i-- > 0) {
    const ServeEventSegment *segment = segments->pdata[i];
    guint r = segment->number == place->segment
        ? find_record (segment, place->offset)
        : segment->n;

    if (segment->number > place->segment || !may_fit (segment, filter))
      continue;
    while (r-- > 0)
      if (fits (&segment->records[r], filter)) {
        place->segment = segment->number;
        place->offset = segment->records[r].offset;
        return &segment->records[r];
      }
  }
  return NULL;
}

const ServeEvent *
serve_event_segments_find_behind (const GPtrArray *segments,
    const ServeEventFilter *filter, GstY10SpoolPosition *place)
{
  for (guint i = serve_event_segments_find (segments, place->segment);
       i < segments->len; i++) {
    const ServeEventSegment *segment = segments->pdata[i];
    guint r = 0;

    if (!may_fit (segment, filter))
      continue;
    if (segment->number == place->segment) {
      r = find_record (segment, place->offset);
      r += r < segment->n && segment->records[r].offset == place->offset;
    }
    for (; r < segment->n; r++)
      if (fits (&segment->records[r], filter)) {
        place->segment = segment->number;
        place->offset = segment->records[r].offset;
        return &segment->records[r];
      }
  }
  return NULL;
}

const ServeEvent *
serve_event_segments_get (const GPtrArray *segments, GstY10SpoolPosition place)
{
  const guint i = serve_event_segments_find (segments, place.segment);
  const ServeEventSegment *segment = i < segments->len ? segments->pdata[i]
                                                       : NULL;
  guint r;

  if (!segment || segment->number != place.segment)
    return NULL;
  r = find_record (segment, place.offset);
  return r < segment->n && segment->records[r].offset == place.offset
      ? &segment->records[r]
      : NULL;
}

void
serve_event_segments_histogram (const GPtrArray *segments,
    const ServeEventFilter *filter, gint64 span, guint n, guint *counts)
{
  for (guint i = 0; i < segments->len; i++) {
    const ServeEventSegment *segment = segments->pdata[i];

    if (!may_fit (segment, filter))
      continue;
    for (guint r = 0; r < segment->n; r++) {
      const gint64 bucket = (segment->records[r].time - filter->since) / span;

      if (fits (&segment->records[r], filter) && bucket < n)
        counts[bucket]++;
    }
  }
}

#endif
