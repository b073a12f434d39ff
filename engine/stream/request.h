/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What is behind the public names: a stream has a line, a request a place in it. */

#include <y10/stream.h>

#include <pthread.h>
#include <stddef.h>

#include "base/sized.h"
#include "stream/turns.h"

G_BEGIN_DECLS

typedef struct _Y10SharedEngine Y10SharedEngine;
typedef struct _Y10Scheduler Y10Scheduler;

struct _Y10EngineStream
{
  int refs;
  Y10SharedEngine *shared; /* NULL in tests without an engine */
  Y10Scheduler *scheduler;
  /* Protected by the scheduler's lock. */
  Y10Line line;
  pthread_cond_t over; /* signalled when one of its requests is */
};

G_STATIC_ASSERT (sizeof (Y10Place) <= sizeof ((Y10EngineRequest *) 0)->request);

static inline Y10Place *
y10_engine_request_get_place (Y10EngineRequest *request)
{
  return (Y10Place *) request->request;
}

static inline Y10EngineRequest *
y10_place_get_request (Y10Place *place)
{
  return (Y10EngineRequest *) ((char *) place
      - offsetof (Y10EngineRequest, request));
}

/* The stream of a place that has been queued. */
static inline Y10EngineStream *
y10_place_get_stream (const Y10Place *place)
{
  return (Y10EngineStream *) ((char *) place->line
      - offsetof (Y10EngineStream, line));
}

/* A caller compiled against an older library has a struct without parts. */
static inline gboolean
y10_engine_request_has_parts (const Y10EngineRequest *request)
{
  return request->size >= Y10_FIRST_SIZE (Y10EngineRequest, region_anchor)
      && request->n_parts;
}

/* A size of the network's input as the shape of a place, and back. */
static inline guint32
y10_shape_pack (guint width, guint height)
{
  return width << 16 | height;
}

static inline void
y10_shape_unpack (guint32 shape, guint *width, guint *height)
{
  *width = shape >> 16;
  *height = shape & 0xffff;
}

G_END_DECLS
