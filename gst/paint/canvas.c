/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Pixel operations: fill, shade, text and blur. They work on single components
 * with a byte stride and a pixel stride, so the same code handles NV12, I420,
 * YUY2, RGB in any order, planar GBR and formats with 16-bit samples.
 * Invariant: no operation writes outside its rectangle, rounded out to whole
 * chroma samples, whatever the caller passes. */

#include "paint/canvas.h"

#include <string.h>

#define MAX_CELLS 8

/* Byte offset of a component's first sample in its plane. GStreamer 1.22
 * reports 1 for V in P010, P012 and P016, counting samples instead of bytes. */
static gint
component_offset (const GstVideoFormatInfo *finfo, guint index)
{
  gint offset = GST_VIDEO_FORMAT_INFO_POFFSET (finfo, index);

  if (GST_VIDEO_FORMAT_INFO_DEPTH (finfo, index) > 8 && offset % 2 != 0)
    return 2 * offset;
  return offset;
}

/* GStreamer 1.22 gives several components of Y212 and Y412 the same offset. */
static gboolean
overlaps (const GstVideoFormatInfo *finfo, guint index)
{
  guint i;

  for (i = 0; i < index; i++)
    if (GST_VIDEO_FORMAT_INFO_PLANE (finfo, i)
            == GST_VIDEO_FORMAT_INFO_PLANE (finfo, index)
        && component_offset (finfo, i) == component_offset (finfo, index))
      return TRUE;
  return FALSE;
}

/* Returns whether the canvas can draw on frames of this format directly. */
gboolean
gst_y10_canvas_supports (const GstVideoFormatInfo *finfo)
{
  const guint odd = GST_VIDEO_FORMAT_FLAG_COMPLEX | GST_VIDEO_FORMAT_FLAG_TILED
      | GST_VIDEO_FORMAT_FLAG_PALETTE;
  guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0);
  gboolean little = GST_VIDEO_FORMAT_INFO_IS_LE (finfo) != 0;
  guint i;

  /* GStreamer 1.22 describes VYUY as if it were UYVY. */
  if ((GST_VIDEO_FORMAT_INFO_FLAGS (finfo) & odd)
      || GST_VIDEO_FORMAT_INFO_FORMAT (finfo) == GST_VIDEO_FORMAT_VYUY
      || GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo) == 0 || depth < 8
      || depth > 16
      || (depth > 8 && little != (G_BYTE_ORDER == G_LITTLE_ENDIAN)))
    return FALSE;
  for (i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    guint shift = GST_VIDEO_FORMAT_INFO_SHIFT (finfo, i);
    gint step = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i);

    if (GST_VIDEO_FORMAT_INFO_DEPTH (finfo, i) != depth
        || (shift != 0 && (depth == 8 || shift + depth != 16)) || step <= 0
        || (depth > 8 && step % 2 != 0) || overlaps (finfo, i)
        || GST_VIDEO_FORMAT_INFO_W_SUB (finfo, i) > 1
        || GST_VIDEO_FORMAT_INFO_H_SUB (finfo, i) > 1)
      return FALSE;
  }
  return TRUE;
}

/* Draws on @frame, which must be mapped read-write, have a supported format and
 * stay mapped while the canvas is in use. */
void
gst_y10_canvas_init_frame (GstY10Canvas *canvas, const GstVideoFrame *frame)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  guint i;

  canvas->window = (GstY10Rect){ 0, 0, GST_VIDEO_FRAME_WIDTH (frame),
    GST_VIDEO_FRAME_HEIGHT (frame) };
  canvas->record = NULL;
  canvas->wide = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0) > 8;
  canvas->n_components = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo);
  for (i = 0; i < canvas->n_components; i++) {
    canvas->component[i] = (GstY10Component){
      .data = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame,
                  GST_VIDEO_FORMAT_INFO_PLANE (finfo, i))
          + component_offset (finfo, i),
      .stride = GST_VIDEO_FRAME_COMP_STRIDE (frame, i),
      .pixel_stride = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, i),
      .x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (finfo, i),
      .y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (finfo, i),
    };
  }
}

/* Draws on raw memory that covers only @window. @finfo must be a supported
 * format with one plane and no subsampling; @data points to the upper left
 * pixel of the window, @stride is in bytes. */
void
gst_y10_canvas_init_data (GstY10Canvas *canvas, const GstVideoFormatInfo *finfo,
    guint8 *data, gint stride, GstY10Rect window)
{
  guint i;

  canvas->window = window;
  canvas->record = NULL;
  canvas->wide = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, 0) > 8;
  canvas->n_components = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo);
  for (i = 0; i < canvas->n_components; i++) {
    canvas->component[i] = (GstY10Component){
      .data = data + component_offset (finfo, i),
      .stride = stride,
      .pixel_stride = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i),
    };
  }
}

/* Returns the first sample of a component that @rect touches, and how many
 * there are. */
static guint8 *
component_area (const GstY10Canvas *canvas, guint index, GstY10Rect rect,
    gint *width, gint *height)
{
  const GstY10Component *c = &canvas->component[index];
  gint x0 = (rect.x0 >> c->x_shift) - (canvas->window.x0 >> c->x_shift);
  gint y0 = (rect.y0 >> c->y_shift) - (canvas->window.y0 >> c->y_shift);

  *width = ((rect.x1 + c->x_shift) >> c->x_shift) - (rect.x0 >> c->x_shift);
  *height = ((rect.y1 + c->y_shift) >> c->y_shift) - (rect.y0 >> c->y_shift);
  return c->data + (gssize) y0 * c->stride + (gssize) x0 * c->pixel_stride;
}

/* Records an operation to be drawn later. @rect lies within the window. */
static Y10PaintItem *
record (const GstY10Canvas *canvas, Y10PaintKind kind, GstY10Rect rect,
    const GstY10Paint *paint)
{
  guint n = canvas->record->len;
  Y10PaintItem *item;

  g_array_set_size (canvas->record, n + 1);
  item = &g_array_index (canvas->record, Y10PaintItem, n);
  *item = (Y10PaintItem){
    .kind = kind,
    .x0 = rect.x0,
    .y0 = rect.y0,
    .x1 = rect.x1,
    .y1 = rect.y1,
  };
  if (paint)
    memcpy (item->color, paint->value, sizeof item->color);
  return item;
}

/* Casts const away: the painter stores the text's atlas position in it. */
static void
record_text (const GstY10Canvas *canvas, GstY10Rect rect, gint x, gint y,
    const GstY10Text *text, const GstY10Paint *background,
    const GstY10Paint *ink)
{
  Y10PaintItem *item = record (canvas, Y10_PAINT_TEXT, rect, background);

  memcpy (item->ink, ink->value, sizeof item->ink);
  item->text = (GstY10Text *) text;
  item->text_x = x;
  item->text_y = y;
}

/* Cell averages of an area, interpolated smoothly: a blur that keeps at most
 * MAX_CELLS x MAX_CELLS values, so that no sharpening can restore the
 * original. */
typedef struct
{
  gint columns, rows;
  guint32 mean[MAX_CELLS][MAX_CELLS];
} Cells;

static void
cells_init (Cells *cells, gint width, gint height)
{
  gint longest = MAX (width, height);

  /* Square cells of at least 4 samples. */
  cells->columns = CLAMP (MAX_CELLS * width / longest, 1, MAX (1, width / 4));
  cells->rows = CLAMP (MAX_CELLS * height / longest, 1, MAX (1, height / 4));
}

/* 16.16 step per sample, in cells. Positions start at a virtual cell before the
 * first, with the first one's value. */
static inline guint32
cell_step (gint count, gint length)
{
  return (guint32) (((guint64) count << 16) / length);
}

#define DEFINE_PIXELS(suffix, Sample) \
  static void fill_##suffix (guint8 *data, gint stride, gint step, gint width, \
      gint height, guint value) \
  { \
    gint x, y; \
\
    for (y = 0; y < height; y++, data += stride) { \
      guint8 *p = data; \
\
      for (x = 0; x < width; x++, p += step) \
        *(Sample *) p = (Sample) value; \
    } \
  } \
\
  static void shade_##suffix (guint8 *data, gint stride, gint step, \
      gint width, gint height, gint value, gint alpha) \
  { \
    gint x, y; \
\
    for (y = 0; y < height; y++, data += stride) { \
      guint8 *p = data; \
\
      for (x = 0; x < width; x++, p += step) { \
        gint old = *(Sample *) p; \
\
        *(Sample *) p = (Sample) (old + ((value - old) * alpha + 128) / 256); \
      } \
    } \
  } \
\
  static void text_##suffix (guint8 *data, gint stride, gint step, gint width, \
      gint height, const guint8 *mask, gint mask_stride, gint background, \
      gint ink) \
  { \
    gint x, y; \
\
    for (y = 0; y < height; y++, data += stride, mask += mask_stride) { \
      guint8 *p = data; \
\
      for (x = 0; x < width; x++, p += step) \
        *(Sample *) p = (Sample) (background \
            + (ink - background) * mask[x] / 255); \
    } \
  } \
\
  static void blur_##suffix (guint8 *data, gint stride, gint step, gint width, \
      gint height) \
  { \
    guint32 across_step, down_step, down; \
    Cells cells; \
    gint i, j, x, y; \
\
    cells_init (&cells, width, height); \
    across_step = cell_step (cells.columns, width); \
    down_step = cell_step (cells.rows, height); \
    down = down_step / 2 + 32768; \
    for (j = 0; j < cells.rows; j++) { \
      gint y0 = (gint64) j * height / cells.rows; \
      gint y1 = (gint64) (j + 1) * height / cells.rows; \
\
      for (i = 0; i < cells.columns; i++) { \
        gint x0 = (gint64) i * width / cells.columns; \
        gint x1 = (gint64) (i + 1) * width / cells.columns; \
        guint64 sum = 0; \
\
        for (y = y0; y < y1; y++) { \
          const guint8 *p = data + (gssize) y * stride + (gssize) x0 * step; \
          guint32 row = 0; \
\
          for (x = x0; x < x1; x++, p += step) \
            row += *(const Sample *) p; \
          sum += row; \
        } \
        cells.mean[j][i] = (guint32) (sum \
            / ((guint64) (x1 - x0) * (y1 - y0))); \
      } \
    } \
    for (y = 0; y < height; y++, data += stride, down += down_step) { \
      gint above = CLAMP ((gint) (down >> 16) - 1, 0, cells.rows - 1); \
      gint below = MIN ((gint) (down >> 16), cells.rows - 1); \
      guint32 row[MAX_CELLS + 2], part = (down >> 9) & 127; \
      guint32 along = across_step / 2 + 32768; \
      guint8 *p = data; \
\
      for (i = 0; i < cells.columns; i++) \
        row[i + 1] = cells.mean[above][i] * (128 - part) \
            + cells.mean[below][i] * part; \
      row[0] = row[1]; \
      row[i + 1] = row[i]; \
      for (x = 0; x < width; x++, p += step, along += across_step) { \
        const guint32 *cell = row + (along >> 16); \
\
        part = (along >> 8) & 255; \
        *(Sample *) p = (Sample) ((cell[0] * (256 - part) + cell[1] * part \
                                      + (1 << 14)) \
            >> 15); \
      } \
    } \
  }

/* clang-format off */
DEFINE_PIXELS (8, guint8)
DEFINE_PIXELS (16, guint16)
/* clang-format on */

/* Fills @rect, in frame coordinates; clipped. Fills every chroma sample it
 * touches. */
void
gst_y10_canvas_fill (const GstY10Canvas *canvas, GstY10Rect rect,
    const GstY10Paint *paint)
{
  guint i;

  rect = gst_y10_rect_intersect (rect, canvas->window);
  if (gst_y10_rect_is_empty (&rect))
    return;
  if (canvas->record) {
    record (canvas, Y10_PAINT_FILL, rect, paint);
    return;
  }
  for (i = 0; i < canvas->n_components; i++) {
    const GstY10Component *c = &canvas->component[i];
    gint width, height, y;
    guint8 *data = component_area (canvas, i, rect, &width, &height);

    if (canvas->wide)
      fill_16 (data, c->stride, c->pixel_stride, width, height,
          paint->value[i]);
    else if (c->pixel_stride != 1)
      fill_8 (data, c->stride, c->pixel_stride, width, height, paint->value[i]);
    else
      for (y = 0; y < height; y++, data += c->stride)
        memset (data, paint->value[i], width);
  }
}

/* Blends @rect towards @paint by @alpha, 0 to 256. Leaves subsampled components
 * alone: shades are one or two pixels wide, and shading part of a chroma sample
 * would tint its neighbours. */
void
gst_y10_canvas_shade (const GstY10Canvas *canvas, GstY10Rect rect,
    const GstY10Paint *paint, guint alpha)
{
  guint i;

  rect = gst_y10_rect_intersect (rect, canvas->window);
  if (gst_y10_rect_is_empty (&rect))
    return;
  if (canvas->record) {
    record (canvas, Y10_PAINT_SHADE, rect, paint)->alpha = alpha;
    return;
  }
  for (i = 0; i < canvas->n_components; i++) {
    const GstY10Component *c = &canvas->component[i];
    gint width, height;
    guint8 *data = component_area (canvas, i, rect, &width, &height);

    if (c->x_shift || c->y_shift)
      continue;
    if (canvas->wide)
      shade_16 (data, c->stride, c->pixel_stride, width, height,
          paint->value[i], alpha);
    else
      shade_8 (data, c->stride, c->pixel_stride, width, height, paint->value[i],
          alpha);
  }
}

/* Draws @text at @x, @y, both even, and fills its rectangle with @background,
 * so that the frame does not show through. */
void
gst_y10_canvas_text (const GstY10Canvas *canvas, gint x, gint y,
    const GstY10Text *text, const GstY10Paint *background,
    const GstY10Paint *ink)
{
  GstY10Rect rect = { x, y, x + text->width, y + text->height };
  guint i;

  rect = gst_y10_rect_intersect (rect, canvas->window);
  if (gst_y10_rect_is_empty (&rect))
    return;
  if (canvas->record) {
    record_text (canvas, rect, x, y, text, background, ink);
    return;
  }
  for (i = 0; i < canvas->n_components; i++) {
    const GstY10Component *c = &canvas->component[i];
    gboolean half = c->x_shift || c->y_shift;
    const guint8 *mask = half ? text->half : text->full;
    gint mask_stride = half ? text->half_width : text->width;
    gint width, height;
    guint8 *data = component_area (canvas, i, rect, &width, &height);

    mask += (gssize) ((rect.y0 - y) >> c->y_shift) * mask_stride
        + ((rect.x0 - x) >> c->x_shift);
    if (canvas->wide)
      text_16 (data, c->stride, c->pixel_stride, width, height, mask,
          mask_stride, background->value[i], ink->value[i]);
    else
      text_8 (data, c->stride, c->pixel_stride, width, height, mask,
          mask_stride, background->value[i], ink->value[i]);
  }
}

/* Blurs @rect, in frame coordinates; clipped. See Cells for what remains. */
void
gst_y10_canvas_blur (const GstY10Canvas *canvas, GstY10Rect rect)
{
  guint i;

  rect = gst_y10_rect_intersect (rect, canvas->window);
  if (gst_y10_rect_is_empty (&rect))
    return;
  if (canvas->record) {
    record (canvas, Y10_PAINT_BLUR, rect, NULL);
    return;
  }
  for (i = 0; i < canvas->n_components; i++) {
    const GstY10Component *c = &canvas->component[i];
    gint width, height;
    guint8 *data = component_area (canvas, i, rect, &width, &height);

    if (canvas->wide)
      blur_16 (data, c->stride, c->pixel_stride, width, height);
    else
      blur_8 (data, c->stride, c->pixel_stride, width, height);
  }
}
