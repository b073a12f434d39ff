/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "meta/read.h"
#include "paint/canvas.h"

G_BEGIN_DECLS

typedef struct
{
  guint32 hash;
  guint length;    /* of name, in bytes */
  gchar *name;     /* as received, may not be UTF-8 */
  gboolean wanted; /* accepted by the filter */
  GstY10Text text; /* width 0: nothing to show */
  GstY10Paint color, ink;
  guint64 used; /* last frame that used it */
} GstY10Label;

typedef struct _GstY10Labels GstY10Labels;

GstY10Labels *gst_y10_labels_new (void);

void gst_y10_labels_free (GstY10Labels *labels);

void gst_y10_labels_configure (GstY10Labels *labels, const GstVideoInfo *info,
    gint frame_width, gint frame_height, const gchar *font_desc,
    const gchar *filter);

void gst_y10_labels_begin (GstY10Labels *labels);

const GstY10Label *gst_y10_labels_get (GstY10Labels *labels, const gchar *name,
    gsize length);

const GstY10Text *gst_y10_labels_percent (GstY10Labels *labels, guint percent);

const GstY10Text *gst_y10_labels_number (GstY10Labels *labels, guint64 number);

G_END_DECLS
