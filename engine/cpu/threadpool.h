/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Threads that run a job together: the creator and n - 1 more. Only the
 * creator may call run and free. A job is a sequence of stages; a stage
 * consists of chunks, which any thread may run in any order. */
typedef struct _Y10ThreadPool Y10ThreadPool;

/* Maximum chunks of a stage. */
#define Y10_THREADPOOL_MAX_CHUNKS 65535

typedef struct
{
  /* Returns the number of chunks of @stage. Called once for each stage, when
   * the one before has ended. */
  guint (*n_chunks) (gpointer data, guint stage);
  /* Runs a chunk. @thread: 0 to n_threads - 1; never does one thread run two
   * chunks at a time. */
  void (*run) (gpointer data, guint stage, guint chunk, guint thread);
} Y10ThreadPoolJob;

Y10ThreadPool *y10_threadpool_new (guint n_threads, GError **error);
void y10_threadpool_free (Y10ThreadPool *pool);
guint y10_threadpool_get_n_threads (const Y10ThreadPool *pool);
/* Returns when all chunks of all stages have run. */
void y10_threadpool_run (Y10ThreadPool *pool, const Y10ThreadPoolJob *job,
    guint n_stages, gpointer data);

G_END_DECLS
