/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Threads that do one thing together: the one that made the team, and n - 1
 * more. Only the maker calls run and free. */
typedef struct _Y10ThreadPool Y10ThreadPool;

typedef void (*Y10ThreadPoolFunc) (gpointer data, guint thread, guint n_threads);

/* @openmp: the threads are the OpenMP team of the maker, which oneDNN uses,
 * so that not two teams compete for the cores. */
Y10ThreadPool *y10_threadpool_new (guint n_threads, gboolean openmp, GError ** error);
void y10_threadpool_free (Y10ThreadPool * team);
/* @func in every thread; returns when all are done. */
void y10_threadpool_run (Y10ThreadPool * team, Y10ThreadPoolFunc func, gpointer data);
/* Called by every thread from within @func. */
void y10_threadpool_barrier (Y10ThreadPool * team);

G_END_DECLS
