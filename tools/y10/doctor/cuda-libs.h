/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "doctor/report.h"

/* Adds the rows about the libraries that the CUDA backend loads. */
void doctor_cuda_libraries (DoctorCuda *cuda);
