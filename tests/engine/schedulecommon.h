/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A device for tests of the scheduler, whose steps finish when the test calls
 * finish(). */

#include <pthread.h>

#include "stream/requests.h"
#include "stream/scheduler.h"
#include "stream/stream.h"

G_BEGIN_DECLS

#define FOREVER -1
#define MAX_STEPS 4

typedef struct
{
  Y10EngineRequest request;
  guint stream, number;
  guint n_parts; /* 0: submitted as a whole */
  guint n_runs;  /* turns it had */
} Image;

typedef struct
{
  Y10Scheduler *scheduler;
  pthread_mutex_t lock;
  pthread_cond_t begun;
  guint n_begun, n_finished;
  struct
  {
    guint step, n;
    Image *images[Y10_MAX_BATCH];
    guint parts[Y10_MAX_BATCH];
  } steps[MAX_STEPS]; /* a ring, by n_begun */
} Device;

void device_begin (gpointer data, Y10Scheduler *scheduler, guint step,
    const Y10Turn *turns, guint n);
void device_init (Device *device, guint max_batch, guint n_steps,
    guint batch_timeout);
void device_clear (Device *device);

/* Waits for step @i, counted from 0. */
guint wait_step (Device *device, guint i, Image ***images);
void finish (Device *device, guint i, const GError *error);

/* Asserts the images of step @i, as "stream.number stream.number", and finishes
 * it. A letter follows for the parts of an image: a for the first. */
void expect_step (Device *device, guint i, const char *expected);

/* Submits @n images of stream @which, numbered from 1. */
void submit (Y10EngineStream *stream, Image *images, guint which, guint n);
/* Submits one image of @n_parts parts. */
void submit_parts (Y10EngineStream *stream, Image *image, guint which,
    guint number, guint n_parts);
/* Waits for an image, which must have had one turn. */
void expect_answer (Image *image);
/* Waits for an image if it is to be over, and asserts its state and turns. */
void expect_state (Image *image, Y10PlaceState state, guint n_runs);

G_END_DECLS
