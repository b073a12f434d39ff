/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See countalloc.h. */
#include "countalloc.h"

#include <gst/check/gstcheck.h>

#include "mallocs.h"

static gint n_dropped;

static GstFlowReturn
drop (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  g_atomic_int_inc (&n_dropped);
  return GST_FLOW_OK;
}

/* The thread still works on the last frame for a moment after the sink has
 * freed it. */
static void
wait_dropped (guint n)
{
  while (g_atomic_int_get (&n_dropped) < (gint) n)
    g_usleep (1000);
  g_usleep (20 * 1000);
}

gint
test_n_frame_allocations (GstHarness *h, GstStaticPadTemplate *template,
    GstBuffer **frames, guint n, guint n_warm_up)
{
  GstPad *sink = gst_pad_new_from_static_template (template, "sink");
  GstPad *src = gst_pad_get_peer (h->sinkpad);
  gint n_allocations;

  gst_pad_set_chain_function (sink, drop);
  gst_pad_set_active (sink, TRUE);
  gst_pad_unlink (src, h->sinkpad);
  fail_unless_equals_int (gst_pad_link (src, sink), GST_PAD_LINK_OK);
  g_atomic_int_set (&n_dropped, 0);
  for (guint i = 0; i < n; i++) {
    if (i == n_warm_up) {
      wait_dropped (n_warm_up);
      test_mallocs_start (0);
    }
    fail_unless_equals_int (gst_pad_push (h->srcpad, frames[i]), GST_FLOW_OK);
  }
  wait_dropped (n);
  n_allocations = (gint) test_mallocs_stop ();
  gst_pad_unlink (src, sink);
  gst_pad_link (src, h->sinkpad);
  gst_object_unref (src);
  gst_object_unref (sink);
  return n_allocations;
}

gint
test_fewest_allocations (gint (*count) (gconstpointer), gconstpointer data)
{
  gint fewest = G_MAXINT;

  for (guint i = 0; i < 4; i++)
    fewest = MIN (fewest, count (data));
  return fewest;
}
