/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Measures how long a cache line takes from one CPU to another: two threads
 * pass a number back and forth. Below about 100 ns the CPUs share a die; above,
 * every layer of a network pays for the transfer between dies, and timings are
 * those of a different machine. Virtual machines change between the two while
 * they run, so each benchmark measures this, too. */

#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUND_TRIPS 50000
#define REPEATS 7 /* the minimum counts: disturbances only add */

static _Alignas(128) atomic_int turn;
static int cpus[2];

static double
now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static int
pin (int cpu)
{
  cpu_set_t set;

  CPU_ZERO (&set);
  CPU_SET (cpu, &set);
  return pthread_setaffinity_np (pthread_self (), sizeof set, &set);
}

static void *
answer (void *unused)
{
  pin (cpus[1]);
  for (int i = 0; i < ROUND_TRIPS; i++) {
    while (atomic_load_explicit (&turn, memory_order_acquire) != 2 * i + 1)
      ;
    atomic_store_explicit (&turn, 2 * i + 2, memory_order_release);
  }
  return NULL;
}

static double
measure (void)
{
  pthread_t thread;
  double start;

  atomic_store (&turn, 0);
  if (pthread_create (&thread, NULL, answer, NULL) != 0) {
    perror ("core-latency: pthread_create");
    exit (1);
  }
  start = now_ns ();
  for (int i = 0; i < ROUND_TRIPS; i++) {
    atomic_store_explicit (&turn, 2 * i + 1, memory_order_release);
    while (atomic_load_explicit (&turn, memory_order_acquire) != 2 * i + 2)
      ;
  }
  start = now_ns () - start;
  pthread_join (thread, NULL);
  return start / ROUND_TRIPS / 2;
}

/* The first two CPUs that this process may use. */
static int
default_cpus (void)
{
  cpu_set_t set;
  int n = 0;

  if (sched_getaffinity (0, sizeof set, &set) != 0)
    return 0;
  for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++) {
    if (CPU_ISSET (cpu, &set))
      cpus[n++] = cpu;
  }
  return n;
}

int
main (int argc, char **argv)
{
  double best = 1e18;

  if (argc == 3) {
    cpus[0] = atoi (argv[1]);
    cpus[1] = atoi (argv[2]);
  } else if (argc != 1) {
    fprintf (stderr, "usage: core-latency [CPU CPU]\n");
    return 2;
  } else if (default_cpus () < 2) {
    fprintf (stderr, "core-latency: this process may use one CPU only\n");
    return 77;
  }
  if (pin (cpus[0]) != 0) {
    fprintf (stderr, "core-latency: CPU %d cannot be used\n", cpus[0]);
    return 1;
  }
  for (int i = 0; i < REPEATS; i++) {
    double ns = measure ();

    best = ns < best ? ns : best;
  }
  printf ("%.0f ns from CPU %d to CPU %d\n", best, cpus[0], cpus[1]);
  return 0;
}
