/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Threads that run a function together: the creator and n - 1 more. Only the
 * creator may call run and free. */
typedef struct _Y10ThreadPool Y10ThreadPool;

typedef void (*Y10ThreadPoolFunc) (gpointer data, guint thread, guint n_threads);

Y10ThreadPool *y10_threadpool_new (guint n_threads, GError ** error);
void y10_threadpool_free (Y10ThreadPool * pool);
/* Runs @func in every thread and waits for all of them. */
void y10_threadpool_run (Y10ThreadPool * pool, Y10ThreadPoolFunc func, gpointer data);
/* Each thread calls it from @func; returns when all have done so. */
void y10_threadpool_barrier (Y10ThreadPool * pool);

G_END_DECLS
