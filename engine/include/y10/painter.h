/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <y10/error.h>

G_BEGIN_DECLS

/**
 * Y10Painter:
 *
 * Draws rectangles and text on pictures in CUDA memory. One thread at a time
 * may use it.
 *
 * Since: 0.1
 */
typedef struct _Y10Painter Y10Painter;

/**
 * Y10PaintComponent:
 * @data: address of the component's first sample, on the GPU
 * @stride: bytes from one row to the next
 * @step: bytes from one sample of a row to the next
 * @x_shift: columns of pixels that share a sample, as a power of two: 0 or 1
 * @y_shift: the same for rows
 *
 * One component of a picture, such as V of NV12.
 *
 * Since: 0.1
 */
typedef struct
{
  gpointer data;
  gssize stride;
  gint step;
  guint x_shift, y_shift;
} Y10PaintComponent;

/**
 * Y10Canvas:
 * @size: set it to sizeof: how the library knows which fields are there
 * @width: width, pixels, at most 65535
 * @height: height, pixels, at most 65535
 * @wide: %TRUE when samples have 16 bits, which lie at even addresses; else 8
 * @n_components: how many there are, 1 to 4
 * @component: those
 *
 * A picture in the memory of the painter's CUcontext.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  guint width, height;
  gboolean wide;
  guint n_components;
  Y10PaintComponent component[4];
} Y10Canvas;

/**
 * Y10PaintText:
 * @size: set it to sizeof: how the library knows which fields are there
 * @width: width, pixels, even
 * @height: height, pixels, even
 * @half_width: columns of @half
 * @half_height: rows of @half
 * @full: coverage, 0 to 255, @width × @height
 * @half: (nullable): the same for subsampled components, a value for each
 *   sample; %NULL where no canvas has any
 * @serial: where the painter has it; 0 in a text that is new or has changed.
 *   The painter's own from then on
 * @place: the painter's own
 *
 * A line of text as coverage. A painter copies it to the GPU when it first
 * draws it, and again only when there was no more room for all of them.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  gint width, height;
  gint half_width, half_height;
  guint8 *full;
  guint8 *half;
  gsize serial, place;
} Y10PaintText;

/**
 * Y10PaintKind:
 * @Y10_PAINT_FILL: every sample that the rectangle touches becomes color
 * @Y10_PAINT_SHADE: samples go alpha/256 of the way to color; components that
 *   are subsampled stay as they are
 * @Y10_PAINT_TEXT: every sample becomes color where the text is not, and ink
 *   where it is
 * @Y10_PAINT_BLUR: at most 8 × 8 mean values are left, and a smooth surface
 *   through them
 *
 * What is done to a rectangle.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_PAINT_FILL,
  Y10_PAINT_SHADE,
  Y10_PAINT_TEXT,
  Y10_PAINT_BLUR,
} Y10PaintKind;

/**
 * Y10PaintItem:
 * @kind: what is done
 * @x0: left edge, pixels
 * @y0: upper edge
 * @x1: right edge, outside
 * @y1: lower edge, outside
 * @alpha: for %Y10_PAINT_SHADE, 0 to 256
 * @color: a value for each component, as it is stored
 * @ink: for %Y10_PAINT_TEXT, the same
 * @text: for %Y10_PAINT_TEXT
 * @text_x: left edge of the text, even, at most @x0
 * @text_y: upper edge of the text, even, at most @y0
 *
 * A rectangle within the canvas, not empty.
 *
 * Since: 0.1
 */
typedef struct
{
  Y10PaintKind kind;
  gint x0, y0, x1, y1;
  guint alpha;
  guint16 color[4], ink[4];
  Y10PaintText *text;
  gint text_x, text_y;
} Y10PaintItem;

Y10_API gboolean y10_painter_probe (GString * why);

Y10_API Y10Painter *y10_painter_new (gpointer cuda_context, GError ** error);

Y10_API gboolean y10_painter_draw (Y10Painter * painter, const Y10Canvas * canvas,
    const Y10PaintItem * items, guint n_items, gpointer cuda_stream,
    GError ** error);

Y10_API void y10_painter_free (Y10Painter * painter);

G_END_DECLS
