/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The interface that the drawing module implements for y10/painter.h.
 * Independent of the engine: a painter needs neither a model nor cuDNN. */

#include <y10/painter.h>

G_BEGIN_DECLS

#define Y10_PAINTER_API_VERSION 1

typedef struct _Y10PainterState Y10PainterState; /* defined by the module */

typedef struct
{
  guint api_version; /* Y10_PAINTER_API_VERSION */
  gsize size;        /* of this struct */

  /* Returns FALSE and appends the reason to @why if it cannot draw here. Any
   * thread. */
  gboolean (*probe) (GString *why);
  /* @cuda_context: a CUcontext; it must outlive the state. */
  Y10PainterState *(*open) (gpointer cuda_context, GError **error);
  void (*close) (Y10PainterState *state);
  /* See y10_painter_draw (), which has checked the arguments. */
  gboolean (*draw) (Y10PainterState *state, const Y10Canvas *canvas,
      const Y10PaintItem *items, guint n_items, gpointer cuda_stream,
      GError **error);
} Y10PainterClass;

/* Type of the symbol "y10_painter_module" that the module exports. */
typedef const Y10PainterClass *(*Y10PainterModule) (void);

G_END_DECLS
