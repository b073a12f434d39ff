/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Sources that a transport owns: each is destroyed and released together. */
#include "send/timer.h"

void
gst_y10_source_clear (GSource **source)
{
  if (*source) {
    g_source_destroy (*source);
    g_source_unref (*source);
    *source = NULL;
  }
}

GSource *
gst_y10_timer_new (guint milliseconds, GSourceFunc func, gpointer user)
{
  GSource *source = g_timeout_source_new (milliseconds);

  g_source_set_callback (source, func, user, NULL);
  g_source_attach (source, g_main_context_get_thread_default ());
  return source;
}
