/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The CPU backend's thread pool: each chunk of each stage runs exactly once, no
 * stage begins before the one before has ended, and a thread that makes no
 * progress delays nothing but the chunk that it holds. */

#include <string.h>
#include <y10/error.h>

#include "cpu/threadpool.h"

#define MAX_STAGES 16
#define MAX_CHUNKS 100

typedef struct
{
  guint n_chunks[MAX_STAGES];
  guint ran[MAX_STAGES][MAX_CHUNKS]; /* atomic */
  guint done[MAX_STAGES];            /* atomic: chunks of each stage */
  guint busy[64];                    /* atomic: chunks that each thread runs */
  /* The first thread that takes chunk @held of stage 0 keeps it until all the
   * others have run. */
  guint held, n_threads;
} Record;

static guint
count (gpointer data, guint stage)
{
  Record *r = data;

  if (stage > 0)
    g_assert_cmpuint (g_atomic_int_get (&r->done[stage - 1]), ==,
        r->n_chunks[stage - 1]);
  return r->n_chunks[stage];
}

static void
run (gpointer data, guint stage, guint chunk, guint thread)
{
  Record *r = data;

  g_assert_cmpuint (thread, <, r->n_threads);
  g_assert_cmpuint (g_atomic_int_add (&r->busy[thread], 1), ==, 0);
  if (stage > 0)
    g_assert_cmpuint (g_atomic_int_get (&r->done[stage - 1]), ==,
        r->n_chunks[stage - 1]);
  if (stage == 0 && chunk == r->held)
    while ((guint) g_atomic_int_get (&r->done[0]) < r->n_chunks[0] - 1)
      g_usleep (100);
  g_assert_cmpuint (g_atomic_int_add (&r->ran[stage][chunk], 1), ==, 0);
  g_atomic_int_inc (&r->done[stage]);
  g_atomic_int_add (&r->busy[thread], -1);
}

static const Y10ThreadPoolJob job = { count, run };

static void
check (Y10ThreadPool *pool, guint n_stages, const guint *n_chunks, guint held)
{
  g_autofree Record *r = g_new0 (Record, 1);

  r->held = held;
  r->n_threads = y10_threadpool_get_n_threads (pool);
  memcpy (r->n_chunks, n_chunks, n_stages * sizeof *n_chunks);
  y10_threadpool_run (pool, &job, n_stages, r);
  for (guint s = 0; s < n_stages; s++)
    for (guint c = 0; c < MAX_CHUNKS; c++)
      g_assert_cmpuint (r->ran[s][c], ==, c < n_chunks[s]);
}

static Y10ThreadPool *
make_pool (guint n_threads)
{
  GError *error = NULL;
  Y10ThreadPool *pool = y10_threadpool_new (n_threads, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (y10_threadpool_get_n_threads (pool), ==, n_threads);
  return pool;
}

/* More and fewer chunks than threads, and stages without any. */
static void
test_each_chunk_once (void)
{
  static const guint threads[] = { 1, 2, 3, 8 };
  static const guint chunks[][MAX_STAGES] = { { 1 }, { 0 }, { 100, 1, 0, 7 },
    { 0, 0, 3, 0 }, { 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 } };
  static const guint stages[] = { 1, 1, 4, 4, 10 };

  for (guint t = 0; t < G_N_ELEMENTS (threads); t++) {
    Y10ThreadPool *pool = make_pool (threads[t]);

    for (guint i = 0; i < G_N_ELEMENTS (chunks); i++)
      check (pool, stages[i], chunks[i], G_MAXUINT);
    check (pool, 0, chunks[0], G_MAXUINT);
    y10_threadpool_free (pool);
  }
}

/* Whichever thread it is, and whichever chunk. If the others did not run the
 * chunks of that thread, this would never end. */
static void
test_held_chunk (void)
{
  static const guint chunks[MAX_STAGES] = { 24, 5 };

  for (guint n = 2; n <= 4; n++) {
    Y10ThreadPool *pool = make_pool (n);

    for (guint held = 0; held < chunks[0]; held++)
      check (pool, 2, chunks, held);
    y10_threadpool_free (pool);
  }
}

/* More threads than cores and short jobs: threads fall asleep, wake up late and
 * meet a later stage, or another job. */
static void
test_many_jobs (void)
{
  static const guint chunks[MAX_STAGES] = { 9, 1, 30, 2, 8, 8, 8, 1 };
  Y10ThreadPool *pool = make_pool (5);

  for (guint i = 0; i < 3000; i++) {
    check (pool, 1 + i % 8, chunks, G_MAXUINT);
    if (i % 100 == 0)
      g_usleep (300);
  }
  y10_threadpool_free (pool);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/threadpool/each-chunk-once", test_each_chunk_once);
  g_test_add_func ("/threadpool/held-chunk", test_held_chunk);
  g_test_add_func ("/threadpool/many-jobs", test_many_jobs);
  return g_test_run ();
}
