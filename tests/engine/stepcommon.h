/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by test-step and stress-step: the backend of the command line, and engines
 * for the smallest network. */

#include "pico.h"

G_BEGIN_DECLS

#define SIZE PICO_SIZE
#define N_ANCHORS 21
#define N_CLASSES 3
#define MAX_ROWS PICO_MAX_ROWS

/* The arguments --backend NAME, --expect-tuned and --tuned. */
typedef struct
{
  Y10BackendKind backend;
  gboolean expect_tuned, wait_tuned;
} StepOptions;

/* By default the reference backend, whose results are the same bits every time. */
extern StepOptions options;

/* Removes --backend NAME from the front of the arguments. FALSE: this machine
 * lacks it, and the reason has been printed. */
gboolean take_backend (int *argc, char ***argv);
Y10Engine *make_engine (guint n_slots, guint max_batch);
void default_params (Y10HeadParams *params);

G_END_DECLS
