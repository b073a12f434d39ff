/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* GStreamer itself: whether it can be used, what it has, and what a pipeline of it
 * plays. */

#include "config.h"

#ifdef HAVE_GST

#include <errno.h>
#include <fcntl.h>
#include <gst/gst.h>
#include <unistd.h>
#include <y10/y10.h>

#include "media/gst.h"

#define MIN_DESCRIPTORS 32

/* Without file descriptors GStreamer does not load some plugins, and then a pipeline
 * may wait for ever without an error. */
static gboolean
have_descriptors (GError **error)
{
  int fds[MIN_DESCRIPTORS], n = 0;

  while (n < MIN_DESCRIPTORS
      && (fds[n] = fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0)
    n++;
  for (int i = 0; i < n; i++)
    close (fds[i]);
  /* Where stderr is closed, nothing can be told. */
  if (n == MIN_DESCRIPTORS || errno != EMFILE)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "this process may open %d "
      "more file descriptors; GStreamer needs at least %d (ulimit -n)",
      n, MIN_DESCRIPTORS);
  return FALSE;
}

gboolean
tool_gst_init (GError **error)
{
  return have_descriptors (error)
      && (gst_is_initialized () || gst_init_check (NULL, NULL, error));
}

gboolean
tool_have_element (const char *name)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (name);

  return factory != NULL;
}

gboolean
tool_pipeline_has_end (GstElement *pipeline)
{
  gint64 duration;

  return gst_element_query_duration (pipeline, GST_FORMAT_TIME, &duration)
      && duration > 0;
}

static gboolean
has_element (GstElement *pipeline, const char *factory)
{
  g_autoptr (GstIterator)
      all = gst_bin_iterate_all_by_element_factory_name (GST_BIN (pipeline),
          factory);
  GValue item = G_VALUE_INIT;
  const gboolean has = gst_iterator_next (all, &item) == GST_ITERATOR_OK;

  g_value_unset (&item);
  return has;
}

gboolean
tool_pipeline_is_live (GstElement *pipeline, const char *uri)
{
  /* These send what is new now, also by sources that could be paused. */
  static const char *const demuxers[] = { "multipartdemux", "hlsdemux",
    "hlsdemux2", "dashdemux", "dashdemux2" };
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_element_query (pipeline, query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  if (live || !uri || tool_pipeline_has_end (pipeline))
    return live;
  if (!g_str_has_prefix (uri, "http"))
    return TRUE;
  for (guint i = 0; !live && i < G_N_ELEMENTS (demuxers); i++)
    live = has_element (pipeline, demuxers[i]);
  return live;
}

#endif
