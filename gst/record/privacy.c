/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds out whether a recording would show what an overlay is to cover. The overlay may be in
 * another branch, or in another pipeline, so the stream that both declare tells which one it
 * is. Then only an answer from upstream, of an overlay of this stream that covers frames,
 * admits any. Where nothing is declared, all is recorded, but an overlay of the same pipeline
 * is worth a warning. */
#include "record/privacy.h"

#include "common/elementerror.h"
#include "common/enums.h"
#include "common/overlays.h"
#include "meta/inspection.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_record_debug);
#define GST_CAT_DEFAULT gst_yolov10_record_debug

/* @stream: (nullable): what the recorder declares; copied */
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

/* Whether @overlay covers @stream, or will: a control binding may have it do so by the time
 * that it gets what is recorded now. */
static gboolean
concerns (GstObject *overlay, const gchar *stream, GstElement *self)
{
  g_autoptr (GstControlBinding)
      binding = gst_object_get_control_binding (overlay, "privacy");
  g_autofree gchar *declared = NULL;
  gint privacy;

  g_object_get (overlay, "stream", &declared, "privacy", &privacy, NULL);
  if (privacy == GST_YOLOV10_PRIVACY_NONE && !binding)
    return FALSE;
  return stream ? g_str_equal (stream, declared)
                : is_in_same_pipeline (self, overlay);
}

/* Returns: (transfer full) (nullable): an overlay that is to cover what @self records */
static GstObject *
find_overlay (const gchar *stream, GstElement *self)
{
  g_autoptr (GPtrArray) overlays = gst_y10_overlays_list ();

  for (guint i = 0; i < overlays->len; i++)
    if (concerns (overlays->pdata[i], stream, self))
      return gst_object_ref (overlays->pdata[i]);
  return NULL;
}

/* Whether what comes to @sink has been covered by an overlay of @stream, if there is one. */
static gboolean
is_covered (GstPad *sink, const gchar *stream)
{
  GstStructure *question = gst_structure_new_empty (GST_Y10_PRIVACY_QUERY);
  g_autoptr (GstQuery)
      query = gst_query_new_custom (GST_QUERY_CUSTOM, question);

  if (stream)
    gst_structure_set (question, "stream", G_TYPE_STRING, stream, NULL);
  return gst_pad_peer_query (sink, query)
      && gst_structure_has_field (gst_query_get_structure (query), "covered");
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
  g_autoptr (GstObject) overlay = NULL;

  if (privacy->warned
      || (privacy->is_known && !sync && n_changes == privacy->n_changes))
    return TRUE;
  self = gst_pad_get_parent_element (sink);
  overlay = find_overlay (privacy->stream, self);
  if (overlay && is_covered (sink, privacy->stream))
    g_clear_object (&overlay);
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
