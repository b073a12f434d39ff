/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What doctor/cuda.c and doctor/cuda-libs.c share: the section, and what the
 * earlier rows found that later ones ask about. Y10_CUDA_MAJOR is the CUDA that
 * the backend is built with. */

#include "doctor/doctor.h"
#include "doctor/probe.h"

G_BEGIN_DECLS

typedef struct
{
  Doctor *doctor;
  JsonObject *section;
  gboolean present;             /* there is an NVIDIA GPU and a driver */
  int gpu;                      /* the first that can be used, or -1 */
} DoctorCuda;

/* As doctor_row(); @fact and @fix are freed. On a machine without a GPU only
 * what is fine is told: nothing there wants the rest. */
void doctor_cuda_row (DoctorCuda *cuda, const char *name, DoctorState state,
    char *fact, char *fix);

/* doctor/cuda-libs.c */
void doctor_cuda_libraries (DoctorCuda *cuda);

G_END_DECLS
