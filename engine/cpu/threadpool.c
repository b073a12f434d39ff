/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Thread pool with a barrier. A hundred ops per frame, each followed by a
 * barrier, need threads that spin; a pipeline whose other elements need the
 * cores needs threads that sleep. So a thread spins for some ten
 * microseconds, about the difference between equal shares, and then sleeps
 * on a futex. */

#include "config.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <y10/error.h>

#include "cpu/threadpool.h"

#define SPIN 2000               /* iterations before sleeping */

/* A counter that only grows, and the number of threads asleep until it does. */
typedef struct
{
  guint32 value __attribute__ ((aligned (64)));
  guint32 sleepers;
} Signal;

struct _Y10ThreadPool
{
  Signal work, phase;
  guint arrived __attribute__ ((aligned (64)));
  guint n_threads, n_started, spin;
  gboolean quit;
  Y10ThreadPoolFunc func;
  gpointer data;
  pthread_t *threads;
};

typedef struct
{
  Y10ThreadPool *pool;
  guint thread;
} Start;

static inline void
relax (void)
{
#if defined (__x86_64__) || defined (__i386__)
  __builtin_ia32_pause ();
#elif defined (__aarch64__)
  __asm__ volatile ("yield");
#endif
}

static void
wait_change (Signal *s, guint32 from, guint spin)
{
  for (guint i = 0; i < spin; i++) {
    if (__atomic_load_n (&s->value, __ATOMIC_ACQUIRE) != from)
      return;
    relax ();
  }
  __atomic_add_fetch (&s->sleepers, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n (&s->value, __ATOMIC_SEQ_CST) == from)
    syscall (SYS_futex, &s->value, FUTEX_WAIT_PRIVATE, from, NULL, NULL, 0);
  __atomic_sub_fetch (&s->sleepers, 1, __ATOMIC_SEQ_CST);
}

static void
change (Signal *s)
{
  __atomic_add_fetch (&s->value, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n (&s->sleepers, __ATOMIC_SEQ_CST))
    syscall (SYS_futex, &s->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void
y10_threadpool_barrier (Y10ThreadPool *pool)
{
  guint32 phase;

  if (pool->n_threads == 1)
    return;
  phase = __atomic_load_n (&pool->phase.value, __ATOMIC_RELAXED);
  if (__atomic_add_fetch (&pool->arrived, 1, __ATOMIC_ACQ_REL)
      == pool->n_threads) {
    __atomic_store_n (&pool->arrived, 0, __ATOMIC_RELAXED);
    change (&pool->phase);
  } else {
    wait_change (&pool->phase, phase, pool->spin);
  }
}

static void *
work (void *data)
{
  Start start = *(Start *) data;
  Y10ThreadPool *pool = start.pool;
  guint32 seen = 0;

  g_free (data);
  for (;;) {
    wait_change (&pool->work, seen++, pool->spin);
    if (pool->quit)
      return NULL;
    pool->func (pool->data, start.thread, pool->n_threads);
    y10_threadpool_barrier (pool);
  }
}

static guint
count_cores (void)
{
  cpu_set_t set;

  CPU_ZERO (&set);
  if (sched_getaffinity (0, sizeof set, &set) == 0)
    return CPU_COUNT (&set);
  return g_get_num_processors ();
}

Y10ThreadPool *
y10_threadpool_new (guint n_threads, GError **error)
{
  Y10ThreadPool *pool;
  sigset_t all, before;
  int result = 0;

  if (posix_memalign ((void **) &pool, 64, sizeof *pool)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
        "no memory for the thread pool");
    return NULL;
  }
  *pool = (Y10ThreadPool) {.n_threads = n_threads };
  /* With fewer cores than threads, spinning keeps the others off the core. */
  pool->spin = n_threads <= count_cores () ? SPIN : 0;
  pool->threads = g_new0 (pthread_t, n_threads);
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  for (guint i = 1; i < n_threads && !result; i++) {
    Start *start = g_new (Start, 1);

    *start = (Start) { pool, i };
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
  pool->quit = TRUE;
  change (&pool->work);
  for (guint i = 1; i <= pool->n_started; i++)
    pthread_join (pool->threads[i], NULL);
  g_free (pool->threads);
  free (pool);
}

void
y10_threadpool_run (Y10ThreadPool *pool, Y10ThreadPoolFunc func, gpointer data)
{
  if (pool->n_threads == 1) {
    func (data, 0, 1);
    return;
  }
  pool->func = func;
  pool->data = data;
  change (&pool->work);
  func (data, 0, pool->n_threads);
  y10_threadpool_barrier (pool);
}
