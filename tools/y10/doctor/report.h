/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What doctor reports, and how. */

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

/* The CUDA section, and what its earlier rows found that later ones ask about. */
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

G_END_DECLS
