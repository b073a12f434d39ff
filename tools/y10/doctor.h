/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A report of sections, each of names and values, and of problems with their
 * fixes. Between the parts of y10 doctor only. */

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct
{
  JsonObject *root;             /* section → name → value */
  JsonArray *problems;
  gboolean failed;              /* something does not work at all */
} Doctor;

JsonObject *doctor_section (Doctor *doctor, const char *name);
/* @fix is a sentence or a command; both are copied. */
void doctor_problem (Doctor *doctor, gboolean fatal, const char *what,
    const char *fix);

/* doctor-gst.c */
void doctor_gstreamer (Doctor *doctor);

G_END_DECLS
