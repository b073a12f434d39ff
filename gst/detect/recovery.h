/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "detect/element.h"

G_BEGIN_DECLS

/* Backoff in seconds: the delay starts at FIRST and doubles with each failed
 * attempt up to LONGEST. It resets once an engine has worked for LONGEST. */
#define GST_Y10_RECOVER_FIRST 1
#define GST_Y10_RECOVER_LONGEST 60

GstY10Recovery *gst_y10_recovery_new (GstYolov10Detect *detect);
void gst_y10_recovery_free (GstY10Recovery *recovery);
void gst_y10_recovery_start (GstY10Recovery *recovery, GstY10Session *session,
    Y10EngineStream *stream, const GError *why);
void gst_y10_recovery_stop (GstY10Recovery *recovery);

G_END_DECLS
