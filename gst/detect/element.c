/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Accessors for state that several files of yolov10detect read, from any
 * thread. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/element.h"

GST_DEBUG_CATEGORY (gst_yolov10_detect_debug);

gboolean
gst_yolov10_detect_skips (const GstYolov10Detect * self)
{
  return self->late_policy == GST_YOLOV10_LATE_SKIP
      || (self->late_policy == GST_YOLOV10_LATE_AUTO && self->live);
}

GstY10Session *
gst_yolov10_detect_get_session (GstYolov10Detect * self)
{
  GstY10Session *session;

  GST_OBJECT_LOCK (self);
  session = self->session ? gst_y10_session_ref (self->session) : NULL;
  GST_OBJECT_UNLOCK (self);
  return session;
}

void
gst_yolov10_detect_copy_settings (GstYolov10Detect * self,
    GstY10Settings * settings)
{
  GST_OBJECT_LOCK (self);
  gst_y10_settings_copy (settings, &self->settings);
  GST_OBJECT_UNLOCK (self);
}
