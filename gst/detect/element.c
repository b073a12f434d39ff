/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Accessors for state that several files of yolov10detect read, from any
 * thread. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/element.h"

GST_DEBUG_CATEGORY (gst_yolov10_detect_debug);

GstY10Session *
gst_yolov10_detect_get_session (GstYolov10Detect *self)
{
  GstY10Session *session;

  GST_OBJECT_LOCK (self);
  session = self->session ? gst_y10_session_ref (self->session) : NULL;
  GST_OBJECT_UNLOCK (self);
  return session;
}

GstY10Config *
gst_yolov10_detect_get_config (GstYolov10Detect *self)
{
  GstY10Config *config;

  GST_OBJECT_LOCK (self);
  config = gst_y10_settings_ref (self->config);
  GST_OBJECT_UNLOCK (self);
  return config;
}

/* Any thread. Call once others can find the engine, so that either they or this
 * function give it a value that changes meanwhile. */
void
gst_yolov10_detect_introduce (GstYolov10Detect *self, GstY10Session *session)
{
  g_autoptr (GstY10Config) config = NULL;
  Y10Image image;

  GST_OBJECT_LOCK (self);
  config = gst_y10_settings_ref (self->config);
  image = self->image;
  GST_OBJECT_UNLOCK (self);
  gst_y10_session_reserve (session, &image);
  gst_y10_session_expect_parts (session, config->part_rules, &image);
  gst_y10_session_set_priority (session, config->priority);
}

gboolean
gst_yolov10_detect_takes_cuda (GstYolov10Detect *self)
{
  gboolean takes;

  GST_OBJECT_LOCK (self);
  takes = self->takes_cuda
      && (self->config->backend == Y10_BACKEND_AUTO
          || self->config->backend == Y10_BACKEND_CUDA);
  GST_OBJECT_UNLOCK (self);
  return takes;
}
