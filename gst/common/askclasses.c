/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Asks detectors upstream for the names of their classes. */
#include "common/askclasses.h"

/* Returns all that detectors in front of @sink know, or NULL; @models: set to their files, to
 * be freed with g_free(). Who else tells classes is not asked. */
gchar **
gst_y10_classes_ask (GstPad *sink, gchar **models)
{
  g_autoptr (GstQuery) query = gst_query_new_custom (GST_QUERY_CUSTOM,
      gst_structure_new_empty (GST_Y10_CLASSES_QUERY));
  const GstStructure *structure = gst_query_get_structure (query);
  gchar **classes = NULL, **paths = NULL;

  if (gst_pad_peer_query (sink, query)
      && gst_structure_get (structure, "models", G_TYPE_STRV, &paths, "classes",
          G_TYPE_STRV, &classes, NULL))
    *models = g_strjoinv (", ", paths);
  g_strfreev (paths);
  return classes;
}
