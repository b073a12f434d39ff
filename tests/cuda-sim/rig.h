/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* An engine on the simulated GPU and a few pictures with what it finds in each, for
 * tests of steps. */

#include "control.h"
#include "pico.h"

G_BEGIN_DECLS

#define MAX_ROWS PICO_MAX_ROWS
#define MOST 8
#define N_PICTURES 3
#define WIDTH 50
#define HEIGHT 40
#define PITCH 256
#define BYTES (PITCH * HEIGHT)

typedef struct
{
  Y10Engine *engine;
  guint8 *pictures[N_PICTURES];
  Y10Detection rows[N_PICTURES][MAX_ROWS]; /* expected, of each picture alone */
} Rig;

/* Set by make_engine (). */
extern const Y10SimControl *sim;
extern const Y10CudaDriver *d;

#define OK(call) g_assert_cmpint (d->call, ==, 0)

Y10Engine *make_engine (guint max_batch);
guint8 *make_picture (guint which);
void add (Y10Step *step, Y10Memory memory, const void *pixels, gpointer stream);
/* Runs the step, reads all rows of its @n images and ends it. */
void finish (Y10Step *step, guint n, Y10Detection (*rows)[MAX_ROWS]);
/* A step whose image i is picture (@first + i) % N_PICTURES. */
void run (Y10Engine *engine, guint8 *const *pictures, guint first, guint n,
    Y10Detection (*rows)[MAX_ROWS]);
void rig_init (Rig *rig, guint max_batch);
/* The simulator must have reported nothing. */
void rig_clear (Rig *rig);
/* In a step of @n images each gets the same detections as alone. */
void expect_same (Rig *rig, guint first, guint n);
/* Runs the tests that @add_tests adds, or skips them without the simulator. */
int rig_main (int argc, char **argv, void (*add_tests) (void));

G_END_DECLS
