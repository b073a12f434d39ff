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
 * @data: device address of the component's first sample
 * @stride: bytes between rows
 * @step: bytes between samples of a row
 * @x_shift: horizontal subsampling, log2 of the columns per sample: 0 or 1
 * @y_shift: vertical subsampling, likewise
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
 * @size: sizeof (Y10Canvas)
 * @width: width, pixels, at most 65535
 * @height: height, pixels, at most 65535
 * @wide: %TRUE for 16-bit samples, at even addresses; %FALSE for 8-bit samples
 * @n_components: number of components, 1 to 4
 * @component: the components
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
 * @size: sizeof (Y10PaintText)
 * @width: width, pixels, even
 * @height: height, pixels, even
 * @half_width: columns of @half
 * @half_height: rows of @half
 * @full: coverage, 0 to 255, @width × @height
 * @half: (nullable): coverage for subsampled components, one value per sample;
 *   %NULL if no canvas has such components
 * @serial: identifies the painter's copy. Set it to 0 in a new text and after
 *   each change; the painter sets it otherwise
 * @place: position of the painter's copy; set by the painter
 *
 * A rendered line of text. The painter copies it to the GPU when it first draws
 * it, and again only after it ran out of space for all texts.
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
 * @Y10_PAINT_FILL: sets each sample that the rectangle touches to color
 * @Y10_PAINT_SHADE: blends samples with color, weighted alpha/256; subsampled
 *   components are not changed
 * @Y10_PAINT_TEXT: draws the text in ink on color
 * @Y10_PAINT_BLUR: replaces the contents by a smooth surface through at most
 *   8 × 8 mean values
 *
 * What to draw in a rectangle.
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
 * @kind: what to draw
 * @x0: left edge, pixels
 * @y0: upper edge
 * @x1: right edge, exclusive
 * @y1: lower edge, exclusive
 * @alpha: for %Y10_PAINT_SHADE, 0 to 256
 * @color: sample value of each component
 * @ink: for %Y10_PAINT_TEXT, likewise
 * @text: for %Y10_PAINT_TEXT
 * @text_x: left edge of the text, even, at most @x0
 * @text_y: upper edge of the text, even, at most @y0
 *
 * A non-empty rectangle within the canvas.
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

Y10_API gboolean y10_painter_probe (GString *why);

Y10_API Y10Painter *y10_painter_new (gpointer cuda_context, GError **error);

Y10_API gboolean y10_painter_draw (Y10Painter *painter, const Y10Canvas *canvas,
    const Y10PaintItem *items, guint n_items, gpointer cuda_stream,
    GError **error);

Y10_API void y10_painter_free (Y10Painter *painter);

G_END_DECLS
