/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Checks privacy's effect on a frame, and its warnings. */

#include "overlaycommon.h"

G_BEGIN_DECLS

typedef enum
{
  UNTOUCHED,
  PARTLY,
  COVERED,
} OverlayFate;

const gchar *overlay_fate_name (OverlayFate fate);
/* Whether all pixels have the same colour; bytes of padding may differ. */
gboolean overlay_is_uniform (GstBuffer *buffer, GstCaps *caps);
OverlayFate overlay_fate (GstBuffer *before, GstBuffer *after, GstCaps *caps);
/* Returns 1 for a warning of privacy, which must contain @reason; else 0. */
guint overlay_is_privacy_warning (GstMessage *message, const gchar *reason);

G_END_DECLS
