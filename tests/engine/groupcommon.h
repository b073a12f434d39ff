/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the tests of streams that share an engine: one model of the
 * smallest size, pictures for it, and the results of a separate engine. */

#include <y10/y10.h>

#include "control.h"

G_BEGIN_DECLS

#define SHARED_MAX_ROWS 63
#define SHARED_MAX_BATCH 8
#define N_PICTURES 5

/* One image, with room for its detections. */
typedef struct
{
  Y10EngineRequest request;
  Y10Image image;
  Y10HeadParams params;
  Y10Detection rows[SHARED_MAX_ROWS];
  guint picture;
} Shot;

/* Reads --backend and @more from the command line and computes the expected
 * results. Returns FALSE if the command line is wrong. CUDA runs on the
 * simulated GPU, or on a real one if shared_sim() is NULL. */
gboolean shared_begin (int *argc, char ***argv, const GOptionEntry *more);
void shared_end (void);
const Y10SimControl *shared_sim (void);
Y10Model *shared_model (void);

void shared_init_config (Y10EngineConfig *config);
Y10EngineStream *shared_open_as (const Y10EngineConfig *config,
    const char *group);
Y10EngineStream *shared_open (void);

/* shot_assert_right: each row equals, bit for bit, that of a step with this
 * image only. */
void shot_submit (Shot *shot, Y10EngineStream *stream, guint picture);
void shot_assert_right (const Shot *shot);
void shot_infer (Y10EngineStream *stream, guint picture);
void shot_assert_refused (Y10EngineStream *stream);

G_END_DECLS
