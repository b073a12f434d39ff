/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The scheduler's request inside the public one. */

#include <y10/stream.h>

#include <stddef.h>

#include "base/sized.h"
#include "stream/scheduler.h"

G_BEGIN_DECLS

G_STATIC_ASSERT (sizeof (Y10Request) <= sizeof ((Y10EngineRequest *) 0)->request);

static inline Y10Request *
y10_request_inner (Y10EngineRequest *request)
{
  return (Y10Request *) request->request;
}

static inline Y10EngineRequest *
y10_request_outer (Y10Request *request)
{
  return (Y10EngineRequest *) ((char *) request
      - offsetof (Y10EngineRequest, request));
}

/* A caller compiled against an older library has a struct without parts. */
static inline gboolean
y10_request_has_parts (const Y10EngineRequest *request)
{
  return request->size >= Y10_FIRST_SIZE (Y10EngineRequest, region_anchor)
      && request->n_parts;
}

G_END_DECLS
