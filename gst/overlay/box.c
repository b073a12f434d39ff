/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Appearance of boxes: a line in the class's colour between two thin dark
 * outlines, which keep it visible on any background, and a badge with label,
 * track id and confidence. A line with gaps marks a place that is only a prediction. Outer edges lie on even pixels, so that in 4:2:0 a
 * line owns the chroma samples it colours and the result is the same in every
 * format. The badge sits on top of the box, or inside it where there is no room
 * above, and always within the frame. Where another badge is, it goes to another
 * corner. */

#include "overlay/box.h"

#define SHADE_ALPHA 120

/* Computes line widths and colours. @info describes the canvas; @width and
 * @height are the frame's. A @line of 0 scales the width to the frame. */
void
gst_y10_style_init (GstY10Style *style, const GstVideoInfo *info, gint width,
    gint height, guint line)
{
  style->width = width;
  style->height = height;
  style->line = line ? (gint) line : MAX (2, (MIN (width, height) + 150) / 300);
  style->outline = MAX (1, style->line / 4);
  gst_y10_paint_init (&style->shade, info, (GstY10Color){ 0, 0, 0 });
}

/* Rounds @rect outward to even pixels, clipped to the frame. */
GstY10Rect
gst_y10_style_align (const GstY10Style *style, GstY10Rect rect)
{
  rect.x0 &= ~1;
  rect.y0 &= ~1;
  rect.x1 = MIN ((rect.x1 + 1) & ~1, style->width);
  rect.y1 = MIN ((rect.y1 + 1) & ~1, style->height);
  return rect;
}

/* Left padding of a badge without a label, matching the padding on its
 * right. */
static inline gint
lone_padding (gint height)
{
  return (height / 6 + 1) & ~1;
}

static void
measure (gint *width, gint *height, const GstY10Text *text)
{
  if (!text)
    return;
  *width += text->width;
  *height = text->height;
}

static void
place_badge (GstY10Drawing *drawing, const GstY10Style *style)
{
  gint width = 0, height = 0, x, y;

  measure (&width, &height, drawing->texts.label);
  measure (&width, &height, drawing->texts.number);
  measure (&width, &height, drawing->texts.percent);
  if (!drawing->texts.label && width)
    width += lone_padding (height);
  /* A badge that does not fit the height of the frame is dropped, not
   * clipped. */
  if (width == 0 || height > style->height) {
    drawing->badge = (GstY10Rect){ 0, 0, 0, 0 };
    return;
  }

  x = MIN (drawing->box.x0, (style->width - width) & ~1);
  x = MAX (x, 0);
  y = drawing->box.y0 - height;
  if (y < 0)
    y = MIN (drawing->box.y0, (style->height - height) & ~1);
  drawing->badge = (GstY10Rect){ x, y, MIN (x + width, style->width),
    y + height };
}

/* The places of a badge, in order of preference. */
typedef enum
{
  ABOVE,
  ABOVE_RIGHT,
  INSIDE,
  BELOW,
  INSIDE_RIGHT,
  INSIDE_BOTTOM,
  BELOW_RIGHT,
  N_PLACES
} Place;

static GstY10Rect
badge_at (const GstY10Drawing *drawing, const GstY10Style *style, Place place)
{
  const GstY10Rect *box = &drawing->box, *badge = &drawing->badge;
  const gint width = badge->x1 - badge->x0, height = badge->y1 - badge->y0;
  const gboolean is_right = place == ABOVE_RIGHT || place == INSIDE_RIGHT
      || place == BELOW_RIGHT;
  gint x = is_right ? (box->x1 - width) & ~1 : box->x0, y = box->y0;

  if (place == ABOVE || place == ABOVE_RIGHT)
    y -= height;
  else if (place == BELOW || place == BELOW_RIGHT)
    y = box->y1;
  else if (place == INSIDE_BOTTOM)
    y = (box->y1 - height) & ~1; /* the edge of the frame may be odd */
  x = CLAMP (x, 0, (style->width - width) & ~1);
  return (GstY10Rect){ x, y, x + width, y + height };
}

static gboolean
is_free (GstY10Rect rect, const GstY10Drawing *others, guint n_others,
    const GstY10Style *style)
{
  GstY10Rect outer = { rect.x0 - style->outline, rect.y0 - style->outline,
    rect.x1 + style->outline, rect.y1 + style->outline };

  if (rect.y0 < 0 || rect.y1 > style->height || rect.x1 > style->width)
    return FALSE;
  for (guint i = 0; i < n_others; i++) {
    GstY10Rect common = gst_y10_rect_intersect (outer, others[i].badge);

    if (!gst_y10_rect_is_empty (&common))
      return FALSE;
  }
  return TRUE;
}

/* Moves badges that would hide each other, or drops them where there is no other place
 * at their box. The last drawings, which are the most confident ones and on top, keep
 * theirs. */
void
gst_y10_drawings_spread_badges (GstY10Drawing *drawings, guint n_drawings,
    const GstY10Style *style)
{
  for (guint i = n_drawings; i-- > 0;) {
    GstY10Drawing *drawing = &drawings[i];
    const GstY10Drawing *placed = drawing + 1;
    const guint n_placed = n_drawings - 1 - i;
    GstY10Rect rect = { 0, 0, 0, 0 };

    if (gst_y10_rect_is_empty (&drawing->badge)
        || is_free (drawing->badge, placed, n_placed, style))
      continue;
    for (guint place = 0; place < N_PLACES && gst_y10_rect_is_empty (&rect);
         place++) {
      rect = badge_at (drawing, style, (Place) place);
      if (!is_free (rect, placed, n_placed, style))
        rect = (GstY10Rect){ 0, 0, 0, 0 };
    }
    drawing->badge = rect;
  }
}

static const GstY10Text *
shown (const GstY10Text *text)
{
  return text && text->width ? text : NULL;
}

/* Prepares one box for drawing. Borrows @label and @texts, which must outlive
 * @drawing. @rect must lie within the frame; texts of zero width are not
 * shown. */
void
gst_y10_drawing_init (GstY10Drawing *drawing, const GstY10Style *style,
    GstY10Rect rect, const GstY10Label *label, const GstY10Texts *texts)
{
  gint size;

  drawing->box = gst_y10_style_align (style, rect);
  drawing->label = label;
  drawing->predicted = FALSE;
  drawing->texts = (GstY10Texts){
    .label = shown (texts->label),
    .number = shown (texts->number),
    .percent = shown (texts->percent),
  };
  /* Limit the line so that a small box stays open in the middle. */
  size = MIN (drawing->box.x1 - drawing->box.x0,
      drawing->box.y1 - drawing->box.y0);
  drawing->line = MIN (style->line, MAX (1, size / 4));
  place_badge (drawing, style);
}

/* Returns the bounding rectangle of everything that is drawn. */
GstY10Rect
gst_y10_drawing_extent (const GstY10Drawing *drawing, const GstY10Style *style)
{
  GstY10Rect box = drawing->box, badge = drawing->badge;
  GstY10Rect frame = { 0, 0, style->width, style->height };

  if (!gst_y10_rect_is_empty (&badge))
    box = (GstY10Rect){ MIN (box.x0, badge.x0), MIN (box.y0, badge.y0),
      MAX (box.x1, badge.x1), MAX (box.y1, badge.y1) };
  box.x0 -= style->outline;
  box.y0 -= style->outline;
  box.x1 += style->outline;
  box.y1 += style->outline;
  return gst_y10_rect_intersect (box, frame);
}

typedef struct
{
  GstY10Rect top, bottom, left, right;
} Border;

/* Splits the border of @r into four bars, @width wide, that do not overlap. */
static Border
border (GstY10Rect r, gint width)
{
  gint y0 = MIN (r.y0 + width, r.y1), y1 = MAX (r.y1 - width, y0);
  gint x0 = MIN (r.x0 + width, r.x1), x1 = MAX (r.x1 - width, x0);

  return (Border){
    .top = { r.x0, r.y0, r.x1, y0 },
    .bottom = { r.x0, y1, r.x1, r.y1 },
    .left = { r.x0, y0, x0, y1 },
    .right = { x1, y0, r.x1, y1 },
  };
}

static GstY10Rect
grow (GstY10Rect r, gint by)
{
  return (GstY10Rect){ r.x0 - by, r.y0 - by, r.x1 + by, r.y1 + by };
}

static void
shade_border (const GstY10Canvas *canvas, GstY10Rect rect,
    const GstY10Style *style)
{
  Border b;

  if (gst_y10_rect_is_empty (&rect))
    return;
  b = border (rect, style->outline);
  gst_y10_canvas_shade (canvas, b.top, &style->shade, SHADE_ALPHA);
  gst_y10_canvas_shade (canvas, b.bottom, &style->shade, SHADE_ALPHA);
  gst_y10_canvas_shade (canvas, b.left, &style->shade, SHADE_ALPHA);
  gst_y10_canvas_shade (canvas, b.right, &style->shade, SHADE_ALPHA);
}

/* Draws a side of a box, @rect; a predicted one as three dashes, which begin and end on
 * even pixels and include the corners. */
static void
fill_side (const GstY10Canvas *canvas, GstY10Rect rect, gboolean upright,
    const GstY10Drawing *drawing)
{
  const gint length = upright ? rect.y1 - rect.y0 : rect.x1 - rect.x0;

  if (!drawing->predicted) {
    gst_y10_canvas_fill (canvas, rect, &drawing->label->color);
    return;
  }
  for (gint i = 0; i < 5; i += 2) {
    const gint from = (length * i / 5) & ~1;
    const gint to = i == 4 ? length : (length * (i + 1) / 5 + 1) & ~1;
    GstY10Rect dash = rect;

    if (upright) {
      dash.y0 = rect.y0 + from;
      dash.y1 = rect.y0 + to;
    } else {
      dash.x0 = rect.x0 + from;
      dash.x1 = rect.x0 + to;
    }
    gst_y10_canvas_fill (canvas, dash, &drawing->label->color);
  }
}

/* Draws the box outline, clipped to @canvas. */
void
gst_y10_drawing_box (const GstY10Drawing *drawing, const GstY10Style *style,
    const GstY10Canvas *canvas)
{
  Border b = border (drawing->box, drawing->line);

  shade_border (canvas, grow (drawing->box, style->outline), style);
  shade_border (canvas, grow (drawing->box, -drawing->line), style);
  fill_side (canvas, b.top, FALSE, drawing);
  fill_side (canvas, b.bottom, FALSE, drawing);
  fill_side (canvas, b.left, TRUE, drawing);
  fill_side (canvas, b.right, TRUE, drawing);
}

/* Draws @text at the left of @rest and removes that part from it. */
static void
write_text (const GstY10Canvas *canvas, GstY10Rect *rest,
    const GstY10Text *text, const GstY10Label *label)
{
  if (!text)
    return;
  gst_y10_canvas_text (canvas, rest->x0, rest->y0, text, &label->color,
      &label->ink);
  rest->x0 += text->width;
}

/* Draws the badge, clipped to @canvas. */
void
gst_y10_drawing_badge (const GstY10Drawing *drawing, const GstY10Style *style,
    const GstY10Canvas *canvas)
{
  const GstY10Label *label = drawing->label;
  GstY10Rect rest = drawing->badge;
  Border b;

  if (gst_y10_rect_is_empty (&rest))
    return;
  b = border (grow (rest, style->outline), style->outline);
  /* Where the badge sits on the box, its colour must join seamlessly and the
   * box already has an outline. */
  if (rest.y1 == drawing->box.y0) {
    b.bottom.x0 = MAX (b.bottom.x0, drawing->box.x1 + style->outline);
    if (rest.x0 >= drawing->box.x0)
      b.left.y1 -= style->outline;
    if (rest.x1 <= drawing->box.x1)
      b.right.y1 -= style->outline;
  }
  /* Likewise where it hangs below. */
  if (rest.y0 == drawing->box.y1) {
    b.top.x0 = MAX (b.top.x0, drawing->box.x1 + style->outline);
    if (rest.x0 >= drawing->box.x0)
      b.left.y0 += style->outline;
    if (rest.x1 <= drawing->box.x1)
      b.right.y0 += style->outline;
  }
  gst_y10_canvas_shade (canvas, b.top, &style->shade, SHADE_ALPHA);
  gst_y10_canvas_shade (canvas, b.bottom, &style->shade, SHADE_ALPHA);
  gst_y10_canvas_shade (canvas, b.left, &style->shade, SHADE_ALPHA);
  gst_y10_canvas_shade (canvas, b.right, &style->shade, SHADE_ALPHA);
  if (!drawing->texts.label) {
    gst_y10_canvas_fill (canvas, rest, &label->color);
    rest.x0 += lone_padding (rest.y1 - rest.y0);
  }
  write_text (canvas, &rest, drawing->texts.label, label);
  write_text (canvas, &rest, drawing->texts.number, label);
  write_text (canvas, &rest, drawing->texts.percent, label);
}

typedef void (*DrawFunc) (const GstY10Drawing *, const GstY10Style *,
    const GstY10Canvas *);

/* Draws the part of @drawing within @window into a separate overlay
 * rectangle. */
static GstVideoOverlayComposition *
add_rectangle (GstVideoOverlayComposition *composition,
    const GstY10Drawing *drawing, const GstY10Style *style, GstY10Rect window,
    DrawFunc draw)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB);
  GstY10Rect frame = { 0, 0, style->width, style->height };
  g_autoptr (GstVideoOverlayRectangle) rectangle = NULL;
  GstY10Canvas canvas;
  g_autoptr (GstBuffer) buffer = NULL;
  GstMapInfo map;
  gint width, height;

  window = gst_y10_rect_intersect (window, frame);
  if (gst_y10_rect_is_empty (&window))
    return composition;
  width = window.x1 - window.x0;
  height = window.y1 - window.y0;
  buffer = gst_buffer_new_allocate (NULL, (gsize) 4 * width * height, NULL);
  if (!buffer || !gst_buffer_map (buffer, &map, GST_MAP_WRITE))
    return composition;
  memset (map.data, 0, map.size);
  gst_y10_canvas_init_data (&canvas, finfo, map.data, 4 * width, window);
  draw (drawing, style, &canvas);
  gst_buffer_unmap (buffer, &map);

  gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, width, height);
  rectangle = gst_video_overlay_rectangle_new_raw (buffer, window.x0, window.y0,
      width, height, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  if (composition)
    gst_video_overlay_composition_add_rectangle (composition, rectangle);
  else
    composition = gst_video_overlay_composition_new (rectangle);
  return composition;
}

/* Adds premultiplied rectangles for @drawings, in drawing order, to
 * @composition (writable or NULL; ownership is taken) and returns it. @style
 * must be made for GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB. Only lines and
 * badges become pixels: the empty insides of boxes would need most of the
 * memory. */
GstVideoOverlayComposition *
gst_y10_drawings_compose (const GstY10Drawing *drawings, guint n_drawings,
    const GstY10Style *style, GstVideoOverlayComposition *composition)
{
  guint i;

  for (i = 0; i < n_drawings; i++) {
    const GstY10Drawing *d = &drawings[i];
    GstY10Rect outer = grow (d->box, style->outline);
    Border b = border (outer, d->line + 2 * style->outline);

    composition = add_rectangle (composition, d, style, b.top,
        gst_y10_drawing_box);
    composition = add_rectangle (composition, d, style, b.bottom,
        gst_y10_drawing_box);
    composition = add_rectangle (composition, d, style, b.left,
        gst_y10_drawing_box);
    composition = add_rectangle (composition, d, style, b.right,
        gst_y10_drawing_box);
  }
  for (i = 0; i < n_drawings; i++)
    if (!gst_y10_rect_is_empty (&drawings[i].badge))
      composition = add_rectangle (composition, &drawings[i], style,
          grow (drawings[i].badge, style->outline), gst_y10_drawing_badge);
  return composition;
}
