/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The checks of y10 doctor. Each adds a section of names and values to the
 * report, and problems with their fixes. */

#include "doctor/report.h"

/* doctor/gst.c */
void doctor_gstreamer (Doctor *doctor);
/* Returns the number of elements in GStreamer's nvcodec plugin, -1: no plugin. */
int doctor_gst_nvcodec (void);
/* Whether yolov10detect takes frames in CUDA memory, -1: no plugin. */
int doctor_gst_takes_cuda (void);

/* doctor/cuda.c */
void doctor_cuda (Doctor *doctor);
