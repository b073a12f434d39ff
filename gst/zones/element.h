/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Instance structure of yolov10zones, private to gst/zones, and which thread or lock
 * owns each field. */

#include <gst/base/gstbasetransform.h>

#include "common/settings.h"
#include "meta/observation.h"
#include "meta/read.h"
#include "meta/zones.h"
#include "zones/watch.h"
#include "zones/zones.h"

G_BEGIN_DECLS

/* How late a result can be: that long without one is silence. Held boxes are not older
 * either, by default. */
#define GST_Y10_ZONES_SLACK GST_SECOND

typedef struct
{
  GstY10Settings parent;
  gchar *zones, *zones_file, *classes;
  GstYolov10ZoneAnchor anchor;
  guint64 hysteresis, grace, dwell;
  guint limit;
} GstY10ZonesSettings;

struct _GstYolov10Zones
{
  GstY10Filter parent;

  /* Streaming thread. */
  GstY10ZonesSettings *now; /* settings of the current frame */
  GstY10Reading reading;
  GstY10Observations observed;
  GstY10ZoneObject *objects; /* GST_Y10_READ_MAX of them */
  guint width, height;       /* of the caps; 0: none */
  guint n_without_ids;       /* observations in a row */
  gboolean warned_ids, warned_moved, warned_time;
  gboolean unchecked; /* classes of the zones, by what detectors know */
  GstY10ZoneOutlines outlines;
  GString *stays, *violations; /* scratch */

  /* Lock, which is taken before the object lock. */
  GMutex lock;
  GstY10Zones *zones;
  GQueue told;        /* GstStructure; told without the lock */
  GThread *teller;    /* who tells them now; NULL: nobody */
  GCond told_all;     /* nobody any more */
  GQueue passed;      /* GstStructure; told, but not downstream */
  GString *crossings; /* of the frame at hand, as JSON */
  GstSegment segment;
  gboolean playing;
  guint n_latencies; /* how often the latency may have changed */
  gboolean latency_known, is_live;
  GstClockTime latency;
  GstClockID wait; /* for what is due in silence; NULL: nothing */
  GstClockTime wait_time;
};

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_zones_debug);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10ZonesSettings, gst_y10_settings_unref)

/* tell.c */
void gst_y10_zones_keep_event (const GstY10ZoneEvent *event, gpointer user);
void gst_y10_zones_tell (GstYolov10Zones *self);
void gst_y10_zones_tell_outside (GstYolov10Zones *self);
void gst_y10_zones_install_signals (GstYolov10ZonesClass *klass);

/* frame.c */
void gst_y10_zones_frame (GstYolov10Zones *self, GstBuffer *buffer);

/* silence.c */
void gst_y10_zones_find_latency (GstYolov10Zones *self);
void gst_y10_zones_arm (GstYolov10Zones *self);
void gst_y10_zones_disarm (GstYolov10Zones *self);

/* props.c */
extern GstY10Properties gst_y10_zones_properties;
void gst_y10_zones_props_install (GObjectClass *class);

G_END_DECLS
