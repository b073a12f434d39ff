/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Engines shared by streams. A group is an engine and the scheduler that fills
 * its steps, found by a key made of the file and the settings. */

#include "stream/steps.h"

G_BEGIN_DECLS

struct _Y10Group
{
  char *key;
  /* Under the registry's lock. */
  gint refs;                    /* streams */
  gboolean ready;               /* FALSE while a thread creates the engine */
  /* Set before @ready. The engine and the scheduler stay the same. */
  Y10StreamSteps steps;
  gint64 warm_time;
};

/* Returns the group with this key, or creates it, which takes from milliseconds
 * to seconds. */
Y10Group *y10_group_join (Y10Model * model, const Y10EngineConfig * config,
    const char *name, GCancellable * cancellable, GError ** error);
/* The last stream to leave frees the group. */
void y10_group_leave (Y10Group * self);
/* Number of groups that a stream could join, or is creating. For tests. */
guint y10_group_count (void);

G_END_DECLS
