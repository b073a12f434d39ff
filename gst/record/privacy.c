/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds out whether a recording would show what an overlay is to cover. The overlay may be in
 * another branch, or in another pipeline, so the stream that both declare tells which one it
 * is. Then frames are admitted only if all that the element's input is made of has passed an
 * overlay of this stream. Where nothing is declared, all is recorded, but an overlay of the
 * same pipeline is worth a warning. */
#include "record/privacy.h"

#include "common/elementerror.h"
#include "common/enums.h"
#include "common/overlays.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_record_debug);
#define GST_CAT_DEFAULT gst_yolov10_record_debug

/* @stream: (nullable): what the element declares; copied */
void
gst_y10_record_privacy_init (GstY10RecordPrivacy *privacy, const gchar *stream)
{
  *privacy = (GstY10RecordPrivacy){
    .stream = stream && *stream ? g_strdup (stream) : NULL,
  };
}

void
gst_y10_record_privacy_clear (GstY10RecordPrivacy *privacy)
{
  g_clear_pointer (&privacy->stream, g_free);
}

/* What follows may come from elsewhere. */
void
gst_y10_record_privacy_doubt (GstY10RecordPrivacy *privacy)
{
  privacy->is_known = FALSE;
}

static gboolean
is_in_same_pipeline (GstElement *self, GstObject *other)
{
  GstObject *top = gst_object_ref (GST_OBJECT (self));
  gboolean is_same;

  for (GstObject *parent; (parent = gst_object_get_parent (top)); top = parent)
    gst_object_unref (top);
  is_same = gst_object_has_as_ancestor (other, top);
  gst_object_unref (top);
  return is_same;
}

/* @stream: (nullable): NULL: any */
static gboolean
is_of_stream (GstObject *overlay, const gchar *stream)
{
  g_autofree gchar *declared = NULL;

  g_object_get (overlay, "stream", &declared, NULL);
  return !stream || g_str_equal (stream, declared);
}

static gboolean
is_on (GstObject *overlay)
{
  gint privacy;

  g_object_get (overlay, "privacy", &privacy, NULL);
  return privacy != GST_YOLOV10_PRIVACY_NONE;
}

/* Whether it may be on by the time that the overlay gets what is recorded now. */
static gboolean
may_be_on (GstObject *overlay)
{
  g_autoptr (GstControlBinding)
      binding = gst_object_get_control_binding (overlay, "privacy");

  return binding || is_on (overlay);
}

/* Returns: (transfer none) (nullable): one of @overlays that is to cover what @self records */
static GstObject *
find_overlay (GPtrArray *overlays, const gchar *stream, GstElement *self)
{
  for (guint i = 0; i < overlays->len; i++) {
    GstObject *overlay = overlays->pdata[i];

    if (may_be_on (overlay) && is_of_stream (overlay, stream)
        && (stream || is_in_same_pipeline (self, overlay)))
      return overlay;
  }
  return NULL;
}

/* Whether all that comes to @sink has passed one of @overlays that covers @stream. A query
 * would not do: elements with several inputs are content with one that answers. */
static gboolean
is_covered (GstPad *sink, GPtrArray *overlays, const gchar *stream)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (sink);
  g_autoptr (GstObject) parent = NULL;
  g_autoptr (GstIterator) inputs = NULL;
  g_auto (GValue) input = G_VALUE_INIT;
  gboolean covered = FALSE;

  if (!peer)
    return FALSE;
  parent = gst_object_get_parent (GST_OBJECT (peer));
  if (g_ptr_array_find (overlays, parent, NULL) && is_on (parent)
      && is_of_stream (parent, stream))
    return TRUE;
  inputs = gst_pad_iterate_internal_links (peer);
  while (inputs)
    switch (gst_iterator_next (inputs, &input)) {
      case GST_ITERATOR_OK:
        covered = is_covered (g_value_get_object (&input), overlays, stream);
        if (!covered)
          return FALSE;
        g_value_reset (&input);
        break;
      case GST_ITERATOR_RESYNC:
        gst_iterator_resync (inputs);
        covered = FALSE;
        break;
      default:
        return covered;
    }
  return FALSE;
}

static void
refuse (GstElement *self, const gchar *stream, GstObject *overlay)
{
  g_autoptr (GError) error = g_error_new (GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS,
      "stream \"%s\": %s gets frames that %s, which covers this stream for privacy, "
      "has not covered; expected %s behind the encoder of what %s gives, or another "
      "stream",
      stream, GST_OBJECT_NAME (self), GST_OBJECT_NAME (overlay),
      GST_OBJECT_NAME (self), GST_OBJECT_NAME (overlay));

  GST_Y10_ELEMENT_ERROR (self, error);
}

static void
warn (GstElement *self, GstObject *overlay)
{
  g_autoptr (GError) error = g_error_new (GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS,
      "%s records frames that %s has not covered for privacy. The property stream of "
      "both says whether they are of one camera",
      GST_OBJECT_NAME (self), GST_OBJECT_NAME (overlay));

  GST_Y10_ELEMENT_WARNING (self, error);
}

/* Returns whether the next frame may be recorded; posts an error if not. Looks upstream if
 * the frame is a @sync one, or anything may have changed. */
gboolean
gst_y10_record_privacy_admits (GstY10RecordPrivacy *privacy, GstPad *sink,
    gboolean sync)
{
  const guint n_changes = gst_y10_overlays_count_changes ();
  g_autoptr (GstElement) self = NULL;
  g_autoptr (GPtrArray) overlays = NULL;
  GstObject *overlay;

  if (privacy->warned
      || (privacy->is_known && !sync && n_changes == privacy->n_changes))
    return TRUE;
  self = gst_pad_get_parent_element (sink);
  overlays = gst_y10_overlays_list ();
  overlay = find_overlay (overlays, privacy->stream, self);
  if (overlay && is_covered (sink, overlays, privacy->stream))
    overlay = NULL;
  privacy->n_changes = n_changes;
  privacy->is_known = !overlay || !privacy->stream;
  if (!overlay)
    return TRUE;
  if (privacy->stream) {
    refuse (self, privacy->stream, overlay);
    return FALSE;
  }
  warn (self, overlay);
  privacy->warned = TRUE;
  return TRUE;
}
