/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds out whether pictures of frames would show what an overlay is to cover: one that is
 * downstream, or in another branch behind the same detector. Overlays answer a query; one
 * that comes later, or that is behind something that forwards no query, tells by the event
 * by which it asks detectors to hold boxes. There is no picture then, but an error. */
#include "publish/element.h"

#include "common/elementerror.h"
#include "meta/inspection.h"

#define GST_CAT_DEFAULT gst_yolov10_publish_debug

/* Asks who covers frames, and sets @is_covered if they are when they come here. Returns:
 * (transfer full) (nullable): the overlay's name, if it does so elsewhere than between a
 * detector and this element */
static gchar *
ask (GstPad *pad, gboolean *is_covered)
{
  g_autoptr (GstQuery) query = gst_query_new_custom (GST_QUERY_CUSTOM,
      gst_structure_new_empty (GST_Y10_PRIVACY_QUERY));
  gchar *name = NULL;

  if (gst_pad_peer_query (pad, query)) {
    const GstStructure *answer = gst_query_get_structure (query);

    *is_covered = gst_structure_has_field (answer, "covered");
    if (!*is_covered)
      name = g_strdup (gst_structure_get_string (answer, "element"));
  }
  return name;
}

static void
fail (GstYolov10Publish *self, const gchar *overlay)
{
  g_autoptr (GError) error = g_error_new (GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS,
      "snapshots: frames reach %s before %s covers them for privacy; expected %s "
      "downstream of %s, or no snapshots",
      GST_OBJECT_NAME (self), overlay, GST_OBJECT_NAME (self), overlay);

  GST_Y10_ELEMENT_ERROR (self, error);
}

/* Whether pictures of frames may be taken; posts an error if not. @is_covered: (out): an
 * overlay upstream covers frames. */
gboolean
gst_y10_publish_check_privacy (GstYolov10Publish *self, gboolean *is_covered)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  g_autofree gchar *overlay = NULL;

  *is_covered = FALSE;
  GST_OBJECT_LOCK (self);
  overlay = g_strdup (self->covers_below);
  GST_OBJECT_UNLOCK (self);
  if (!overlay)
    overlay = ask (GST_BASE_TRANSFORM_SRC_PAD (trans), is_covered);
  if (!overlay)
    overlay = ask (GST_BASE_TRANSFORM_SINK_PAD (trans), is_covered);
  if (!overlay)
    return TRUE;
  fail (self, overlay);
  return FALSE;
}

/* Notes what an overlay downstream tells detectors. */
void
gst_y10_publish_note_privacy (GstYolov10Publish *self, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);
  const gchar *overlay = gst_structure_get_string (structure, "element");
  gboolean active = FALSE;

  gst_structure_get_boolean (structure, "active", &active);
  GST_OBJECT_LOCK (self);
  g_free (self->covers_below);
  self->covers_below = active ? g_strdup (overlay ? overlay : "yolov10overlay")
                              : NULL;
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->privacy_known, 0);
}
