/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* More senders than a pipeline has; further ones are ignored. */
#define GST_Y10_MAX_WEAK_SENDERS 16

typedef struct
{
  gchar *sender;
  gfloat confidence;
  guint n_frames; /* for which it still holds */
} GstY10WeakRequest;

/* What trackers downstream ask for. Zeroed memory has no request. */
typedef struct
{
  guint n;
  GstY10WeakRequest items[GST_Y10_MAX_WEAK_SENDERS];
} GstY10WeakRequests;

gboolean gst_y10_weak_requests_add (GstY10WeakRequests *requests,
    const GstStructure *structure);
gfloat gst_y10_weak_requests_next (GstY10WeakRequests *requests);
void gst_y10_weak_requests_clear (GstY10WeakRequests *requests);

G_END_DECLS
