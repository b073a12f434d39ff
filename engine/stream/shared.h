/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Engines shared by streams. A shared engine comes with the scheduler that fills its
 * steps, and is found by a key made of the file, the settings and the group that the
 * stream names. */

#include "stream/runner.h"

G_BEGIN_DECLS

struct _Y10SharedEngine
{
  char *key;
  /* Under the lock of shared.c. */
  gint refs;      /* streams */
  gboolean ready; /* FALSE while a thread creates the engine */
  /* Set before @ready. The engine and the scheduler stay the same. */
  Y10StepRunner runner;
  gint64 warm_time;
};

/* Returns the engine with this key, or creates it, which takes from milliseconds to
 * seconds. @group: nullable. */
Y10SharedEngine *y10_shared_engine_join (Y10Model *model,
    const Y10EngineConfig *config, const char *group, GCancellable *cancellable,
    GError **error);
/* The last stream to leave frees the engine. */
void y10_shared_engine_leave (Y10SharedEngine *self);
/* Number of engines that a stream could join, or is creating. For tests. */
guint y10_shared_engine_count (void);

G_END_DECLS
