/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Probes of NVIDIA's libraries, each in a child process: some of these libraries
 * end the process if another one is missing, and a library loaded for one probe
 * must not influence the next. The child writes facts, each a line with a key
 * and a value. If it crashes, the facts written before still count. */

#include <glib.h>

#define DOCTOR_PROBE_OPTION "--probe"

/* Called in the parent. */

/* Runs a probe and returns its facts, as strings by key. If the child failed,
 * "ended" has the reason. */
GHashTable *doctor_probe (const char *name, const char *argument);
const char *doctor_get (GHashTable *facts, const char *key);
/* Returns @fallback if there is no such fact. */
gint64 doctor_get_int (GHashTable *facts, const char *key, gint64 fallback);
/* Calls y10_backend_probe() for CUDA in a child process. */
int doctor_probe_backend (GString *why);

/* Called in the child. */

int doctor_probe_main (const char *name, const char *argument);
void doctor_fact (const char *key, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Loads a library and writes the fact KEY.file or KEY.error. */
void *doctor_open (const char *key, const char *soname);
/* The same for a library that cuDNN needs, for CUDA @major: where the loader does not
 * find it, it is searched where the engine searches: beside cuDNN, and in the folders
 * that Python's packages have beside that of cuDNN. */
void *doctor_open_of_cudnn (const char *key, const char *soname,
    const char *major);
/* Writes the facts loaded.N: mapped libraries whose names start with @prefix. */
void doctor_fact_mapped (const char *prefix, guint *n);

/* The probes in doctor/probe-cuda.c, doctor/cudnn.c and doctor/nvdec.c. */
void doctor_probe_driver (const char *argument);
void doctor_probe_nvrtc (const char *argument);
void doctor_probe_cublaslt (const char *argument);
void doctor_probe_cudnn (const char *argument);
void doctor_probe_nvdec (const char *argument);

/* The driver's functions that the probes use, and a context on a device. */
typedef struct
{
  int (*init) (unsigned int flags);
  int (*driver_get_version) (int *version);
  int (*get_error_name) (int result, const char **name);
  int (*device_get_count) (int *n);
  int (*device_get) (int *device, int index);
  int (*device_get_name) (char *name, int size, int device);
  int (*device_get_attribute) (int *value, int attribute, int device);
  int (*device_total_mem) (gsize *bytes, int device);
  int (*primary_ctx_retain) (gpointer *context, int device);
  int (*primary_ctx_release) (int device);
  int (*ctx_push) (gpointer context);
  int (*ctx_pop) (gpointer *context);
  int (*mem_get_info) (gsize *free_bytes, gsize *total);
} DoctorDriver;

/* Loads and initialises libcuda. On failure, writes facts and returns FALSE. */
gboolean doctor_driver_open (DoctorDriver *driver);
