/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Thread pool. A hundred stages per frame need threads that spin; decoders and
 * encoders that share the cores need threads that sleep. So a thread that finds
 * nothing to do spins for some microseconds, about as long as threads with
 * equal work wait for each other, and then sleeps on a futex.
 *
 * Each thread owns a range of a stage's chunks. It runs these first, then
 * takes chunks from the others. Whoever completes the last chunk starts the
 * next stage. So nothing waits for a thread, only for a chunk: a thread that
 * another process keeps from its core delays the chunk that it holds, and no
 * more. */

#include "config.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <y10/error.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "cpu/threadpool.h"

#define SPIN_NS 20000 /* before sleeping */
#define PAUSES 16     /* between two looks at the clock */

/* A thread's range of the current stage's chunks, in one word, so that one
 * compare-and-swap checks that the stage is still the same and takes a chunk:
 * the stage's number in the upper half, then 16 bits each for the next chunk
 * and the end. */
typedef struct
{
  guint64 word __attribute__ ((aligned (64)));
} Range;

struct _Y10ThreadPool
{
  /* The current stage's number: that of all stages started, in all jobs. Its
   * index in its job is @index. */
  guint32 stage __attribute__ ((aligned (64)));
  guint32 sleepers; /* threads asleep until it changes */
  guint32 n_unfinished __attribute__ ((aligned (64))); /* of its chunks */
  guint32 end; /* the stage that ended the last job */

  const Y10ThreadPoolJob *job;
  gpointer data;
  guint index, n_stages; /* of the job */

  guint n_threads, n_started;
  gint64 spin_ns;
  gboolean quit;
  pthread_t *threads;
  Range range[];
};

typedef struct
{
  Y10ThreadPool *pool;
  guint thread;
} Start;

static inline void
relax (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static gboolean
is_stage (const Y10ThreadPool *pool, guint32 stage)
{
  return __atomic_load_n (&pool->stage, __ATOMIC_ACQUIRE) == stage;
}

/* Waits until @stage is no longer the current one. */
static void
wait_for_next (Y10ThreadPool *pool, guint32 stage)
{
  const gint64 end = pool->spin_ns ? y10_clock_ns () + pool->spin_ns : 0;

  do {
    for (guint i = 0; i < PAUSES; i++) {
      if (!is_stage (pool, stage))
        return;
      relax ();
    }
  } while (pool->spin_ns && y10_clock_ns () < end);
  __atomic_add_fetch (&pool->sleepers, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n (&pool->stage, __ATOMIC_SEQ_CST) == stage)
    syscall (SYS_futex, &pool->stage, FUTEX_WAIT_PRIVATE, stage, NULL, NULL, 0);
  __atomic_sub_fetch (&pool->sleepers, 1, __ATOMIC_SEQ_CST);
}

static void
publish_stage (Y10ThreadPool *pool)
{
  __atomic_add_fetch (&pool->stage, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n (&pool->sleepers, __ATOMIC_SEQ_CST))
    syscall (SYS_futex, &pool->stage, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL,
        0);
}

/* Starts stage pool->index of the job or the first one after it that has
 * chunks; after the last one, starts one without chunks, which ends the job.
 * Only one thread at a time can get here: the creator, or the one that has
 * finished the last chunk. */
static void
start_stage (Y10ThreadPool *pool)
{
  const guint64 stage = (guint64) (pool->stage + 1) << 32;
  guint n = 0;

  for (; pool->index < pool->n_stages; pool->index++)
    if ((n = pool->job->n_chunks (pool->data, pool->index)) > 0)
      break;
  g_assert (n <= Y10_THREADPOOL_MAX_CHUNKS);
  __atomic_store_n (&pool->n_unfinished, n, __ATOMIC_RELAXED);
  if (!n)
    __atomic_store_n (&pool->end, pool->stage + 1, __ATOMIC_RELAXED);
  for (guint i = 0; i < pool->n_threads; i++)
    __atomic_store_n (&pool->range[i].word,
        stage | (guint64) n * i / pool->n_threads << 16
            | (guint64) n * (i + 1) / pool->n_threads,
        __ATOMIC_RELEASE);
  publish_stage (pool);
}

/* Takes a chunk of @stage out of a range. */
static gboolean
take_chunk (Range *range, guint32 stage, guint *chunk)
{
  guint64 word = __atomic_load_n (&range->word, __ATOMIC_ACQUIRE);

  for (;;) {
    const guint next = word >> 16 & 0xffff, end = word & 0xffff;

    if (word >> 32 != stage || next >= end)
      return FALSE;
    if (__atomic_compare_exchange_n (&range->word, &word, word + (1 << 16),
            FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      *chunk = next;
      return TRUE;
    }
  }
}

/* Runs chunks of @stage while there are any. As long as this thread holds a
 * chunk, the stage is the current one and the job's fields do not change. */
static void
run_chunks (Y10ThreadPool *pool, guint32 stage, guint thread)
{
  for (guint i = 0; i < pool->n_threads; i++) {
    Range *range = &pool->range[(thread + i) % pool->n_threads];
    guint chunk;

    while (take_chunk (range, stage, &chunk)) {
      pool->job->run (pool->data, pool->index, chunk, thread);
      if (__atomic_sub_fetch (&pool->n_unfinished, 1, __ATOMIC_ACQ_REL) == 0) {
        pool->index++;
        start_stage (pool);
        return;
      }
    }
  }
}

static void *
work (void *data)
{
  Start start = *(Start *) data;
  Y10ThreadPool *pool = start.pool;

  g_free (data);
  for (;;) {
    guint32 stage = __atomic_load_n (&pool->stage, __ATOMIC_ACQUIRE);

    if (__atomic_load_n (&pool->quit, __ATOMIC_ACQUIRE))
      return NULL;
    run_chunks (pool, stage, start.thread);
    wait_for_next (pool, stage);
  }
}

Y10ThreadPool *
y10_threadpool_new (guint n_threads, GError **error)
{
  Y10ThreadPool *pool;
  sigset_t all, before;
  int result = 0;

  if (posix_memalign ((void **) &pool, 64,
          sizeof *pool + n_threads * sizeof (Range))) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
        "no memory for the thread pool");
    return NULL;
  }
  memset (pool, 0, sizeof *pool + n_threads * sizeof (Range));
  pool->n_threads = n_threads;
  /* With fewer cores than threads, spinning keeps the others off the core. */
  pool->spin_ns = n_threads <= y10_cpus_allowed () ? SPIN_NS : 0;
  pool->threads = g_new0 (pthread_t, n_threads);
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  for (guint i = 1; i < n_threads && !result; i++) {
    Start *start = g_new (Start, 1);

    *start = (Start){ pool, i };
    result = pthread_create (&pool->threads[i], NULL, work, start);
    if (result)
      g_free (start);
    else
      pool->n_started++;
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (!result)
    return pool;
  g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
      "cannot start thread %u of %u: %s", pool->n_started + 2, n_threads,
      g_strerror (result));
  y10_threadpool_free (pool);
  return NULL;
}

void
y10_threadpool_free (Y10ThreadPool *pool)
{
  if (!pool)
    return;
  __atomic_store_n (&pool->quit, TRUE, __ATOMIC_RELEASE);
  publish_stage (pool);
  for (guint i = 1; i <= pool->n_started; i++)
    pthread_join (pool->threads[i], NULL);
  g_free (pool->threads);
  free (pool);
}

guint
y10_threadpool_get_n_threads (const Y10ThreadPool *pool)
{
  return pool->n_threads;
}

void
y10_threadpool_run (Y10ThreadPool *pool, const Y10ThreadPoolJob *job,
    guint n_stages, gpointer data)
{
  if (pool->n_threads == 1) {
    for (guint s = 0; s < n_stages; s++) {
      const guint n = job->n_chunks (data, s);

      for (guint c = 0; c < n; c++)
        job->run (data, s, c, 0);
    }
    return;
  }
  pool->job = job;
  pool->data = data;
  pool->index = 0;
  pool->n_stages = n_stages;
  start_stage (pool);
  for (;;) {
    const guint32 stage = __atomic_load_n (&pool->stage, __ATOMIC_ACQUIRE);

    if (stage == __atomic_load_n (&pool->end, __ATOMIC_RELAXED))
      return;
    run_chunks (pool, stage, 0);
    wait_for_next (pool, stage);
  }
}
