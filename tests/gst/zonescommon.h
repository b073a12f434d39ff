/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The harness of the tests of yolov10zones. */

#include "gstcommon.h"

G_BEGIN_DECLS

#define ZONES_YARD "zones=\"yard=0,0.5 1,1\" hysteresis=0 "
#define ZONES_WIDTH 100
#define ZONES_HEIGHT 100

extern GstHarness *zones_h;
extern GstBus *zones_bus;
extern GString *zones_told; /* by the signal: "enter yard 100 7;" … */
/* Atomic: whether handlers of dwells take a while; one has begun. */
extern gint zones_slow_dwells, zones_in_dwell;

void zones_begin (const gchar *properties);
void zones_begin_caps (const gchar *properties, const gchar *caps);
void zones_end (void);
void zones_set (const gchar *name, const gchar *value);

/* A tracked person who stands at @y percent of the picture. */
void zones_add_person (GstBuffer *buffer, gint id, guint y);
/* A frame of that person with id 7, or of nobody where @y is 0. */
GstBuffer *zones_frame (guint ms, guint y);
GstBuffer *zones_push (GstBuffer *buffer);
void zones_pass (GstBuffer *buffer);

/* Asserts what has been told since the last time. */
void zones_expect (const gchar *events);
/* Returns the next message of that type; fails without one. */
GstMessage *zones_pop (GstMessageType type);

G_END_DECLS
