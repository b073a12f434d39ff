/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which overlays there are in this process, whatever their pipeline, for elements of other
 * plugins that must not show what an overlay is to cover. So it is part of the library that
 * the plugins share. What an overlay covers is in its properties alone. Any thread. */
#include "common/overlays.h"

static GMutex lock;
static GSList *overlays; /* GWeakRef; some may be gone */
static gint n_changes;

/**
 * gst_y10_overlays_add:
 * @overlay: (transfer none): a new one, which is listed as long as it lives
 */
void
gst_y10_overlays_add (gpointer overlay)
{
  GWeakRef *ref = g_new (GWeakRef, 1);

  g_weak_ref_init (ref, overlay);
  g_mutex_lock (&lock);
  overlays = g_slist_prepend (overlays, ref);
  g_mutex_unlock (&lock);
  gst_y10_overlays_tell_change ();
  g_ptr_array_unref (
      gst_y10_overlays_list ()); /* forgets those that are gone */
}

/* To be called after a property of an overlay has changed. */
void
gst_y10_overlays_tell_change (void)
{
  g_atomic_int_inc (&n_changes);
}

/**
 * gst_y10_overlays_count_changes:
 *
 * As long as this stays the same, so do the overlays and their properties. A control binding
 * that is added to one does not count until it changes a property.
 */
guint
gst_y10_overlays_count_changes (void)
{
  return (guint) g_atomic_int_get (&n_changes);
}

/**
 * gst_y10_overlays_list:
 *
 * Returns: (transfer full) (element-type GstElement): all overlays
 */
GPtrArray *
gst_y10_overlays_list (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_object_unref);

  g_mutex_lock (&lock);
  for (GSList *at = overlays, *next; at; at = next) {
    GObject *overlay = g_weak_ref_get (at->data);

    next = at->next;
    if (overlay) {
      g_ptr_array_add (list, overlay);
    } else {
      g_weak_ref_clear (at->data);
      g_free (at->data);
      overlays = g_slist_delete_link (overlays, at);
    }
  }
  g_mutex_unlock (&lock);
  return list;
}
