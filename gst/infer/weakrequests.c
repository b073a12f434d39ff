/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The requests for weak boxes: which one counts, and for how long. Behind a tee there
 * may be several trackers, whose events all come here; the least confidence holds for
 * all. No tracker says that it goes, since it may be unlinked at any time: a request
 * that is not repeated ends by itself. */
#include "infer/weakrequests.h"

#include "meta/result.h"

static GstY10WeakRequest *
find (GstY10WeakRequests *self, const gchar *sender)
{
  for (guint i = 0; i < self->n; i++)
    if (g_str_equal (self->items[i].sender, sender))
      return &self->items[i];
  return NULL;
}

/* Takes the request of an event, in place of the sender's earlier one. Allocates for a
 * new sender only. Returns FALSE, and changes nothing, if the event is of another form
 * or there are too many senders. */
gboolean
gst_y10_weak_requests_add (GstY10WeakRequests *self,
    const GstStructure *structure)
{
  const gchar *sender = gst_structure_get_string (structure, "sender");
  GstY10WeakRequest *item;
  gdouble confidence;

  if (!sender
      || !gst_structure_get_double (structure, "confidence", &confidence)
      || !(confidence >= 0 && confidence <= 1))
    return FALSE;
  item = find (self, sender);
  if (!item) {
    if (self->n == GST_Y10_MAX_WEAK_SENDERS)
      return FALSE;
    item = &self->items[self->n++];
    item->sender = g_strdup (sender);
  }
  item->confidence = (gfloat) confidence;
  item->n_frames = GST_Y10_WEAK_FRAMES;
  return TRUE;
}

/* Call for each frame. Returns the confidence from which boxes are asked for, or 1 if
 * nobody asks for weak ones. */
gfloat
gst_y10_weak_requests_next (GstY10WeakRequests *self)
{
  gfloat least = 1;

  for (guint i = self->n; i-- > 0;) {
    GstY10WeakRequest *item = &self->items[i];

    if (!item->n_frames) {
      g_free (item->sender);
      *item = self->items[--self->n];
      continue;
    }
    item->n_frames--;
    least = MIN (least, item->confidence);
  }
  return least;
}

void
gst_y10_weak_requests_clear (GstY10WeakRequests *self)
{
  while (self->n)
    g_free (self->items[--self->n].sender);
}
