/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A report of sections, each of names and values, and of problems with their
 * fixes. Between the parts of y10 doctor only. */

#include "doctor/report.h"

G_BEGIN_DECLS

/* doctor/gst.c */
void doctor_gstreamer (Doctor *doctor);
/* How many elements GStreamer's nvcodec plugin has, -1: there is none. */
int doctor_gst_nvcodec (void);

/* doctor/cuda.c */
void doctor_cuda (Doctor *doctor);

G_END_DECLS
