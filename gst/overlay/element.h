/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the element yolov10overlay is made of, for the files it is made of:
 * overlay/overlay.c, overlay/render.c, which draws, overlay/privacy.c,
 * which decides what is covered, and, for the properties, overlay/props.c. */

#include "meta/read.h"
#include "overlay/box.h"
#include "meta/inspection.h"
#include "overlay/label.h"
#include "overlay/gpu.h"
#include "overlay/unpack.h"
#include "overlay/overlay.h"

G_BEGIN_DECLS

typedef struct
{
  guint line_width;
  gboolean show_label, show_id, show_confidence;
  gdouble min_confidence;
  GstYolov10Privacy privacy;
  GstYolov10PrivacyTrust privacy_trust;
  gdouble privacy_growth;       /* longer sides of the frame a second */
} GstY10OverlaySettings;

struct _GstYolov10Overlay
{
  GstBaseTransform parent;

  /* Under the object lock. */
  GstY10OverlaySettings settings;
  gchar *font_desc, *labels_wanted;
  gboolean strings_changed;
  gboolean takes_cuda;          /* frames in CUDA memory; unknown in NULL: yes */

  /* Of the streaming thread. */
  GstY10OverlaySettings now;    /* settings of this frame */
  GstVideoInfo info;
  gboolean in_cuda;             /* frames are drawn on by the painter */
  GstY10Painter *painter;
  gboolean compose;             /* attach, do not draw */
  gboolean chosen;              /* what compose is to be */
  GstY10Unpacked unpacked;      /* where frames cannot be drawn on */
  GstY10Paint hidden;           /* what privacy=fill fills with */
  GstY10Style style;
  guint style_line_width;
  GstY10Labels *labels;
  GstY10Boxes boxes;
  GArray *drawings;             /* GstY10Drawing, in drawing order */
  GArray *covered;              /* GstY10Rect, what privacy covers */
  gboolean told_active;         /* detectors may hold results for privacy */
  guint n_untold;               /* frames since a detector had not heard of it */
  guint reasons_told;           /* 1 << GstY10Knowledge */
  gboolean warned;
  gboolean lost;                /* the last frame's GPU, and that was said */
};

gboolean gst_y10_overlay_draw (GstYolov10Overlay * self, GstBuffer * buffer);

void gst_y10_overlay_plan_privacy (GstYolov10Overlay * self,
    GstBuffer * buffer);

void gst_y10_overlay_props_init (GstYolov10Overlay * self);
void gst_y10_overlay_props_install (GObjectClass * class);
void gst_y10_overlay_props_set (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec);
void gst_y10_overlay_props_get (GObject * object, guint id, GValue * value,
    GParamSpec * pspec);

G_END_DECLS
