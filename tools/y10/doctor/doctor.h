/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A report of sections, each of names and values, and of problems with their
 * fixes. Between the parts of y10 doctor only. */

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* How bad something is; the worst one found makes the exit status. */
typedef enum
{
  DOCTOR_OK,
  DOCTOR_NOTE,                  /* good to know; nothing is wrong */
  DOCTOR_WARN,                  /* works, and not as it could */
  DOCTOR_FAIL,                  /* does not work at all */
} DoctorState;

typedef struct
{
  JsonObject *root;             /* section → name → value */
  JsonArray *problems;
  DoctorState worst;
} Doctor;

/* doctor/report.c */
JsonObject *doctor_section (Doctor *doctor, const char *name);
/* @fix is a sentence or a command; both are copied. */
void doctor_problem (Doctor *doctor, gboolean fatal, const char *what,
    const char *fix);
/* A check in @section, and a problem with @fix unless it is OK. */
void doctor_row (Doctor *doctor, JsonObject *section, const char *name,
    DoctorState state, const char *fact, const char *fix);
void doctor_print (Doctor *doctor, gboolean json);
/* The status to end with, one of TOOL_. */
int doctor_status (const Doctor *doctor);

/* doctor/gst.c */
void doctor_gstreamer (Doctor *doctor);
/* How many elements GStreamer's nvcodec plugin has, -1: there is none. */
int doctor_gst_nvcodec (void);

/* doctor/cuda.c */
void doctor_cuda (Doctor *doctor);

G_END_DECLS
