/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The functions of GLib that the Python package calls, under names that no other
 * GLib in the process has. liby10-bundled.so links GLib statically and exports
 * none of it: memory that this GLib allocates must be freed by this GLib, not by
 * the one that PyGObject loads. */

#include <gio/gio.h>

#define BUNDLED __attribute__ ((visibility ("default")))

BUNDLED void y10_bundled_g_error_free (GError *error);
BUNDLED void y10_bundled_g_free (gpointer memory);
BUNDLED GCancellable *y10_bundled_g_cancellable_new (void);
BUNDLED void y10_bundled_g_cancellable_cancel (GCancellable *cancellable);
BUNDLED void y10_bundled_g_object_unref (gpointer object);

void
y10_bundled_g_error_free (GError *error)
{
  g_error_free (error);
}

void
y10_bundled_g_free (gpointer memory)
{
  g_free (memory);
}

GCancellable *
y10_bundled_g_cancellable_new (void)
{
  return g_cancellable_new ();
}

void
y10_bundled_g_cancellable_cancel (GCancellable *cancellable)
{
  g_cancellable_cancel (cancellable);
}

void
y10_bundled_g_object_unref (gpointer object)
{
  g_object_unref (object);
}
