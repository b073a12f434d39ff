/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See countalloc.h. The program uses these malloc() and friends because the
 * linker finds them before the C library's. */
#include "countalloc.h"

#include <gst/check/gstcheck.h>
#include <stdlib.h>

#if defined (__GLIBC__) && !defined (__SANITIZE_ADDRESS__) \
    && !defined (__SANITIZE_THREAD__)
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *p, size_t size);
extern void *__libc_memalign (size_t align, size_t size);

static gint n_allocations;

void *
malloc (size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_calloc (n, size);
}

void *
realloc (void *p, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_realloc (p, size);
}

void *
aligned_alloc (size_t align, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_memalign (align, size);
}

int
posix_memalign (void **p, size_t align, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  *p = __libc_memalign (align, size);
  return *p ? 0 : 12;
}

gint
test_n_allocations (void)
{
  return g_atomic_int_get (&n_allocations);
}
#else
gint
test_n_allocations (void)
{
  return -1;
}
#endif

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
  gint before = 0;

  gst_pad_set_chain_function (sink, drop);
  gst_pad_set_active (sink, TRUE);
  gst_pad_unlink (src, h->sinkpad);
  fail_unless_equals_int (gst_pad_link (src, sink), GST_PAD_LINK_OK);
  g_atomic_int_set (&n_dropped, 0);
  for (guint i = 0; i < n; i++) {
    if (i == n_warm_up) {
      wait_dropped (n_warm_up);
      before = test_n_allocations ();
    }
    fail_unless_equals_int (gst_pad_push (h->srcpad, frames[i]), GST_FLOW_OK);
  }
  wait_dropped (n);
  before = test_n_allocations () - before;
  gst_pad_unlink (src, sink);
  gst_pad_link (src, h->sinkpad);
  gst_object_unref (src);
  gst_object_unref (sink);
  return before;
}

gint
test_fewest_allocations (gint (*count) (gconstpointer), gconstpointer data)
{
  gint fewest = G_MAXINT;

  for (guint i = 0; i < 4; i++)
    fewest = MIN (fewest, count (data));
  return fewest;
}
