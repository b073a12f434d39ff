/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Painter: draws on pictures in CUDA memory. This file finds the drawing
 * code in the module of the CUDA backend, reports why it is unavailable and
 * checks arguments. */

#include "config.h"

#include <y10/painter.h>

#include "base/sized.h"
#include "core/module.h"
#include "core/painter-class.h"

struct _Y10Painter
{
  const Y10PainterClass *class;
  Y10PainterState *state;
};

static const Y10PainterClass *
find (GString *why)
{
  Y10PainterModule get = (Y10PainterModule) y10_module_symbol ("cuda",
      "y10_painter_module", why);
  const Y10PainterClass *class = get ? get () : NULL;

  if (!class)
    return NULL;
  if (class->api_version == Y10_PAINTER_API_VERSION
      && class->size == sizeof *class)
    return class;
  g_string_append_printf (why,
      "the module of the CUDA backend has painter "
      "interface version %u (%" G_GSIZE_FORMAT
      " bytes); expected version %u (%" G_GSIZE_FORMAT " bytes)",
      class->api_version, class->size, Y10_PAINTER_API_VERSION, sizeof *class);
  return NULL;
}

/**
 * y10_painter_probe:
 * @why: (nullable): a string to append the reason to if painting is unavailable
 *
 * Checks whether painting is available, which needs the module of the CUDA
 * backend and NVIDIA's driver. Any thread.
 *
 * Returns: %TRUE if y10_painter_new() can succeed
 *
 * Since: 0.1
 */
gboolean
y10_painter_probe (GString *why)
{
  g_autoptr (GString) reason = g_string_new (NULL);
  const Y10PainterClass *class = find (reason);
  gboolean can = class && class->probe (reason);

  if (!can && why)
    g_string_append (why, reason->str);
  return can;
}

/**
 * y10_painter_new:
 * @cuda_context: the CUcontext of the pictures; it must outlive the painter
 * @error: return location for a #GError, or %NULL
 *
 * Loads the drawing kernels into a CUcontext.
 *
 * Returns: (transfer full): a painter, or %NULL with %Y10_ERROR_BACKEND or
 *   %Y10_ERROR_NO_MEMORY
 *
 * Since: 0.1
 */
Y10Painter *
y10_painter_new (gpointer cuda_context, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10PainterClass *class = find (why);
  Y10PainterState *state;
  Y10Painter *self;

  if (!class || !class->probe (why)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND,
        "cannot draw in CUDA memory: %s", why->str);
    return NULL;
  }
  state = class->open (cuda_context, error);
  if (!state)
    return NULL;
  self = g_new (Y10Painter, 1);
  *self = (Y10Painter){ class, state };
  return self;
}

static gboolean
check_canvas (const Y10Canvas *canvas, GError **error)
{
  const guint most = G_MAXUINT16;
  gboolean ok = canvas->width >= 1 && canvas->width <= most
      && canvas->height >= 1 && canvas->height <= most
      && canvas->n_components >= 1 && canvas->n_components <= 4;

  for (guint i = 0; ok && i < canvas->n_components; i++)
    ok = canvas->component[i].data && canvas->component[i].x_shift <= 1
        && canvas->component[i].y_shift <= 1;
  if (!ok)
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "canvas has %ux%u pixels and %u components; expected 1 to %u pixels "
        "each way and 1 to 4 non-NULL components with at most 2x2 "
        "subsampling",
        canvas->width, canvas->height, canvas->n_components, most);
  return ok;
}

static gboolean
check_item (const Y10Canvas *canvas, const Y10PaintItem *item, GError **error)
{
  const Y10PaintText *text = item->kind == Y10_PAINT_TEXT ? item->text : NULL;
  gboolean ok = item->x0 >= 0 && item->x0 < item->x1
      && item->x1 <= (gint) canvas->width && item->y0 >= 0
      && item->y0 < item->y1 && item->y1 <= (gint) canvas->height
      && (guint) item->kind <= Y10_PAINT_BLUR && item->alpha <= 256;

  if (ok && item->kind == Y10_PAINT_TEXT)
    ok = text && text->size >= Y10_FIRST_SIZE (Y10PaintText, place)
        && text->full && item->text_x <= item->x0 && item->text_y <= item->y0
        && item->x1 - item->text_x <= text->width
        && item->y1 - item->text_y <= text->height;
  for (guint i = 0; ok && text && i < canvas->n_components; i++)
    ok = text->half
        || !(canvas->component[i].x_shift || canvas->component[i].y_shift);
  if (!ok)
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "paint item has kind %u, alpha %u and edges (%d, %d) to (%d, %d); "
        "expected kind 0 to %u, alpha 0 to 256 and a rectangle within %ux%u "
        "pixels and within its text",
        item->kind, item->alpha, item->x0, item->y0, item->x1, item->y1,
        Y10_PAINT_BLUR, canvas->width, canvas->height);
  return ok;
}

/**
 * y10_painter_draw:
 * @painter: a painter
 * @canvas: the picture to draw on
 * @items: the items to draw, in this order; copied
 * @n_items: number of items
 * @cuda_stream: (nullable): a CUstream to order the drawing on: after the work
 *   that it holds now, such as writing the picture, and before later work. %NULL
 *   if the picture has been written; the function then returns when the drawing
 *   is complete
 * @error: return location for a #GError, or %NULL
 *
 * Draws items on a picture in place. Allocates nothing once all texts have been
 * drawn, and copies no pixels.
 *
 * Returns: %TRUE if all items have been drawn or queued; %FALSE with
 *   %Y10_ERROR_INVALID_ARGUMENT or the error of the GPU
 *
 * Since: 0.1
 */
gboolean
y10_painter_draw (Y10Painter *painter, const Y10Canvas *canvas,
    const Y10PaintItem *items, guint n_items, gpointer cuda_stream,
    GError **error)
{
  Y10Canvas own = { 0 };

  if (!Y10_SIZED_READ (Y10Canvas, component, &own, canvas, error)
      || !check_canvas (&own, error))
    return FALSE;
  canvas = &own;
  for (guint i = 0; i < n_items; i++)
    if (!check_item (canvas, &items[i], error))
      return FALSE;
  return n_items == 0
      || painter->class->draw (painter->state, canvas, items, n_items,
          cuda_stream, error);
}

/**
 * y10_painter_free:
 * @painter: (transfer full) (nullable): a painter
 *
 * Waits until all drawing is complete. The context must still exist.
 *
 * Since: 0.1
 */
void
y10_painter_free (Y10Painter *painter)
{
  if (!painter)
    return;
  painter->class->close (painter->state);
  g_free (painter);
}
