/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The contract between y10/painter.h and the module that draws. The engine has
 * no part in it: a painter needs neither a model nor cuDNN. */

#include <y10/painter.h>

G_BEGIN_DECLS

#define Y10_PAINTER_API_VERSION 1

typedef struct _Y10PainterState Y10PainterState;        /* the module's */

typedef struct
{
  guint api_version;            /* Y10_PAINTER_API_VERSION */
  gsize size;                   /* of this struct */

  /* FALSE: cannot draw here and @why says so. Any thread. */
  gboolean (*probe) (GString * why);
  /* In this CUcontext, which has to live on. */
  Y10PainterState *(*open) (gpointer cuda_context, GError ** error);
  void (*close) (Y10PainterState * state);
  /* As y10_painter_draw () says, which has checked what it was given. */
  gboolean (*draw) (Y10PainterState * state, const Y10Canvas * canvas,
      const Y10PaintItem * items, guint n_items, gpointer cuda_stream,
      GError ** error);
} Y10PainterClass;

/* What the module exports, as "y10_painter_module". */
typedef const Y10PainterClass *(*Y10PainterModule) (void);

G_END_DECLS
