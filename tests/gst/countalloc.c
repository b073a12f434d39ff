/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See countalloc.h. */
#include "countalloc.h"

#include <gst/check/gstcheck.h>

#include "mallocs.h"

static GstFlowReturn
drop (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

gint
test_n_frame_allocations (GstHarness *h, GstStaticPadTemplate *template,
    GstBuffer **frames, guint n, guint n_warm_up)
{
  g_autoptr (GstPad) sink = gst_pad_new_from_static_template (template, "sink");
  g_autoptr (GstPad) src = gst_pad_get_peer (h->sinkpad);
  /* Its answer comes when no thread works on an earlier frame any more. */
  g_autoptr (GstQuery) drain = gst_query_new_drain ();
  gint n_allocations;

  gst_pad_set_chain_function (sink, drop);
  gst_pad_set_active (sink, TRUE);
  gst_pad_unlink (src, h->sinkpad);
  fail_unless_equals_int (gst_pad_link (src, sink), GST_PAD_LINK_OK);
  for (guint i = 0; i < n; i++) {
    if (i == n_warm_up) {
      gst_pad_peer_query (h->srcpad, drain);
      test_mallocs_start (0);
    }
    fail_unless_equals_int (gst_pad_push (h->srcpad, frames[i]), GST_FLOW_OK);
  }
  gst_pad_peer_query (h->srcpad, drain);
  n_allocations = (gint) test_mallocs_stop ();
  gst_pad_unlink (src, sink);
  gst_pad_link (src, h->sinkpad);
  return n_allocations;
}

gint
test_fewest_allocations (gint (*count) (gconstpointer), gconstpointer data)
{
  gint fewest = G_MAXINT;

  for (guint i = 0; i < 4; i++) {
    gint n = count (data); /* MIN() would call it twice */

    fewest = MIN (fewest, n);
  }
  return fewest;
}
