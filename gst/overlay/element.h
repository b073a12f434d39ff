/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Instance structure of yolov10overlay, private to gst/overlay, and which
 * thread or lock owns each field. */

#include "common/settings.h"
#include "meta/areas.h"
#include "meta/read.h"
#include "meta/zones.h"
#include "overlay/box.h"
#include "meta/inspection.h"
#include "overlay/label.h"
#include "overlay/gpu.h"
#include "overlay/unpack.h"
#include "overlay/overlay.h"

G_BEGIN_DECLS

typedef struct
{
  GstY10Settings parent;
  gchar *font_desc, *labels, *stream;
  guint line_width;
  gboolean show_label, show_id, show_confidence, show_regions, show_zones;
  gdouble min_confidence;
  GstYolov10Privacy privacy;
  GstYolov10PrivacyTrust privacy_trust;
  gdouble privacy_growth; /* of the longer side, per second */
} GstY10OverlaySettings;

struct _GstYolov10Overlay
{
  GstY10Filter parent;

  /* Object lock. */
  gboolean takes_cuda; /* accepts CUDA memory; TRUE while in NULL */

  /* Streaming thread. */
  GstY10OverlaySettings *now; /* settings of the current frame */
  GstVideoInfo info;
  gboolean in_cuda; /* the painter draws the frames */
  GstY10Painter *painter;
  gboolean compose;        /* attach compositions, do not draw */
  gboolean chosen;         /* value for compose from the next frame on */
  GstY10Unpacked unpacked; /* for formats that cannot be drawn on */
  GstY10Paint hidden;      /* fill colour of privacy=fill */
  GstY10Style style;
  GstY10Labels *labels;
  GstY10Reading reading;
  GArray *drawings;       /* GstY10Drawing, in drawing order */
  GArray *boxes;          /* GstY10Rect, of detections, drawn or not */
  GstY10Areas areas;      /* of one detector */
  GstY10ZoneViews zones;  /* of one frame meta */
  GArray *outlines;       /* GstY10Drawing, below the others */
  GArray *covered;        /* GstY10Rect, areas that privacy covers */
  gboolean asked_to_hold; /* the detectors, for privacy */
  guint n_untold;         /* frames since a detector ignored that */
  guint reasons_told;     /* bit mask of 1 << GstY10State */
  gboolean warned;
  gboolean lost; /* last frame's GPU lost, and warned of */
};

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10OverlaySettings, gst_y10_settings_unref)

/* render.c */
gboolean gst_y10_overlay_draw (GstYolov10Overlay *self, GstBuffer *buffer);

/* choose.c */
void gst_y10_overlay_plan_boxes (GstYolov10Overlay *self);

/* outline.c */
void gst_y10_overlay_plan_outlines (GstYolov10Overlay *self, GstBuffer *buffer);
void gst_y10_overlay_add_edge (GstYolov10Overlay *self, const gfloat *a,
    const gfloat *b, const GstY10Label *label);

/* zones.c */
void gst_y10_overlay_plan_zones (GstYolov10Overlay *self, GstBuffer *buffer);

/* privacy.c */
void gst_y10_overlay_plan_privacy (GstYolov10Overlay *self);
gboolean gst_y10_overlay_answer_privacy (GstYolov10Overlay *self,
    GstPadDirection direction, GstQuery *query);

/* props.c */
extern GstY10Properties gst_y10_overlay_properties;
void gst_y10_overlay_props_install (GObjectClass *class);

G_END_DECLS
