/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The report of y10 doctor. */

#include <glib.h>

/* The result of a check; the worst one determines the exit status. */
typedef enum
{
  DOCTOR_OK,
  DOCTOR_NOTE, /* information, no problem */
  DOCTOR_WARN, /* works, but with limitations */
  DOCTOR_FAIL, /* does not work at all */
} DoctorState;

typedef struct
{
  GString *json;     /* section → name → value; the last section is open */
  GString *problems; /* an array, which is open */
  DoctorState worst;
} Doctor;

void doctor_init (Doctor *doctor);
void doctor_clear (Doctor *doctor);
/* Begins a section. Returns the JSON, to which its members are added. */
GString *doctor_section (Doctor *doctor, const char *name);
/* Adds a problem. @fix is a sentence or a command; both strings are copied. */
void doctor_problem (Doctor *doctor, gboolean fatal, const char *what,
    const char *fix);
/* Adds a check to the section, and a problem with @fix unless it is OK. */
void doctor_row (Doctor *doctor, const char *name, DoctorState state,
    const char *fact, const char *fix);
/* Ends the report, and prints it. */
void doctor_print (Doctor *doctor, gboolean json);
/* Returns the exit status, a TOOL_ value. */
int doctor_status (const Doctor *doctor);

/* The CUDA section, with the findings of earlier rows that later rows use. */
typedef struct
{
  Doctor *doctor;
  gboolean present;       /* there is an NVIDIA GPU or driver */
  int gpu;                /* the first usable GPU, or -1 */
  int major;              /* CUDA release that the driver and libraries need */
  gboolean without_cudnn; /* a row has said so */
} DoctorCuda;

/* Like doctor_row(), but frees @fact and @fix. On a machine without a GPU it adds
 * only OK rows, because the others do not matter there. */
void doctor_cuda_row (DoctorCuda *cuda, const char *name, DoctorState state,
    char *fact, char *fix);
