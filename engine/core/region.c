/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Regions: parses them and tests boxes against them. Coordinates are fractions of
 * the image's width and height.
 *
 *   region    = shape *( ";" shape )
 *   shape     = rectangle | polygon
 *   rectangle = point " " point              opposite corners
 *   polygon   = point 2*( " " point )        even-odd rule
 *   point     = number "," number            each from 0 to 1
 *
 * The numbers of shapes and points are limited, because each box of each frame
 * is compared with all of them. */

#include "config.h"

#include <string.h>

#include <y10/error.h>
#include <y10/parts.h>

#define MAX_SHAPES 32
#define MAX_POINTS 256 /* of all shapes */

typedef struct
{
  gdouble x, y;
} Point;

typedef struct
{
  const Point *points;
  guint n;
} Shape;

struct _Y10Region
{
  int refs;
  guint n_shapes, n_points;
  Shape shapes[MAX_SHAPES];
  Point points[MAX_POINTS];
  Point least, most; /* corners of the bounding rectangle */
};

static gboolean
parse_coordinate (const char **text, gdouble *value)
{
  const char *start = *text;
  char *end;

  /* strtod() also takes spaces, signs, hexadecimal numbers, inf and nan. */
  if (!g_ascii_isdigit (*start) && *start != '.')
    return FALSE;
  *value = g_ascii_strtod (start, &end);
  *text = end;
  return end != start && memchr (start, 'x', (gsize) (end - start)) == NULL
      && *value >= 0 && *value <= 1;
}

static gboolean
parse_point (const char *text, Point *point, GError **error)
{
  const char *at = text;

  if (parse_coordinate (&at, &point->x) && *at++ == ','
      && parse_coordinate (&at, &point->y) && !*at)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "a region contains the point \"%s\"; expected X,Y with fractions of the "
      "image from 0 to 1, such as \"0.25,0.5\"",
      text);
  return FALSE;
}

/* Two points become the four corners of a rectangle. */
static gboolean
complete_rectangle (Y10Region *self, Shape *shape, const char *text,
    GError **error)
{
  Point *p = &self->points[self->n_points - 2];
  const Point a = p[0], b = p[1];

  if (a.x == b.x || a.y == b.y) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the region's rectangle \"%s\" is empty; expected two opposite corners",
        text);
    return FALSE;
  }
  p[1] = (Point){ b.x, a.y };
  p[2] = b;
  p[3] = (Point){ a.x, b.y };
  shape->n = 4;
  self->n_points += 2;
  return TRUE;
}

static gboolean
has_area (const Shape *shape)
{
  for (guint i = 2; i < shape->n; i++) {
    const Point *p = shape->points;

    if ((p[1].x - p[0].x) * (p[i].y - p[0].y)
        != (p[1].y - p[0].y) * (p[i].x - p[0].x))
      return TRUE;
  }
  return FALSE;
}

static gboolean
parse_shape (Y10Region *self, char *text, GError **error)
{
  Shape *shape = &self->shapes[self->n_shapes];
  g_auto (GStrv) points = g_strsplit_set (g_strstrip (text), " \t\n", -1);

  shape->points = &self->points[self->n_points];
  shape->n = 0;
  for (guint i = 0; points[i]; i++) {
    if (!*points[i])
      continue;
    if (self->n_points + 2 >= MAX_POINTS) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
          "a region has too many points; expected fewer than %u in all",
          MAX_POINTS - 2);
      return FALSE;
    }
    if (!parse_point (points[i], &self->points[self->n_points], error))
      return FALSE;
    self->n_points++;
    shape->n++;
  }
  if (shape->n == 2 && !complete_rectangle (self, shape, text, error))
    return FALSE;
  if (shape->n < 3 || !has_area (shape)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "a region contains the shape \"%s\"; expected two opposite corners of a "
        "rectangle, or at least three corners of a polygon that are not in one "
        "line, such as \"0.1,0.2 0.9,1\"",
        text);
    return FALSE;
  }
  self->n_shapes++;
  return TRUE;
}

static void
set_bounds (Y10Region *self)
{
  self->least = (Point){ 1, 1 };
  for (guint i = 0; i < self->n_points; i++) {
    const Point *p = &self->points[i];

    self->least.x = MIN (self->least.x, p->x);
    self->least.y = MIN (self->least.y, p->y);
    self->most.x = MAX (self->most.x, p->x);
    self->most.y = MAX (self->most.y, p->y);
  }
}

/**
 * y10_region_parse:
 * @text: shapes separated by ";". A shape is two or more points "X,Y" separated
 *   by spaces: two are opposite corners of a rectangle, more are the corners of a
 *   polygon in order. X and Y are fractions of the image from 0 to 1
 * @error: return location for a #GError, or %NULL
 *
 * Parses a region, such as "0,0.5 1,1; 0.2,0.1 0.4,0.1 0.3,0.3". The even-odd
 * rule applies to polygons that cross themselves. A region has at most 32 shapes
 * and 250 points.
 *
 * Returns: (transfer full): a region, or %NULL with %Y10_ERROR_INVALID_ARGUMENT
 *
 * Since: 0.2
 */
Y10Region *
y10_region_parse (const char *text, GError **error)
{
  g_auto (GStrv) shapes = g_strsplit (text, ";", -1);
  Y10Region *self = g_new0 (Y10Region, 1);
  gboolean ok = TRUE;

  self->refs = 1;
  if (g_strv_length (shapes) > MAX_SHAPES) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "a region has %u shapes; expected at most %u", g_strv_length (shapes),
        MAX_SHAPES);
    ok = FALSE;
  }
  for (guint i = 0; ok && (i == 0 || shapes[i]); i++)
    ok = parse_shape (self, shapes[i] ? shapes[i] : (char[]){ "" }, error);
  if (!ok) {
    g_free (self);
    return NULL;
  }
  set_bounds (self);
  return self;
}

/**
 * y10_region_ref:
 * @region: a region
 *
 * Returns: (transfer full): @region
 *
 * Since: 0.2
 */
Y10Region *
y10_region_ref (Y10Region *region)
{
  __atomic_add_fetch (&region->refs, 1, __ATOMIC_RELAXED);
  return region;
}

/**
 * y10_region_unref:
 * @region: (transfer full) (nullable): a region
 *
 * Since: 0.2
 */
void
y10_region_unref (Y10Region *region)
{
  if (region && !__atomic_sub_fetch (&region->refs, 1, __ATOMIC_ACQ_REL))
    g_free (region);
}

/**
 * y10_region_get_bounds:
 * @region: a region
 * @x0: (out): left edge of the smallest rectangle around all shapes, 0 to 1
 * @y0: (out): upper edge
 * @x1: (out): right edge
 * @y1: (out): lower edge
 *
 * Since: 0.2
 */
void
y10_region_get_bounds (const Y10Region *region, gdouble *x0, gdouble *y0,
    gdouble *x1, gdouble *y1)
{
  *x0 = region->least.x;
  *y0 = region->least.y;
  *x1 = region->most.x;
  *y1 = region->most.y;
}

/**
 * y10_region_get_n_shapes:
 * @region: a region
 *
 * Returns: the number of shapes, at least 1
 *
 * Since: 0.2
 */
guint
y10_region_get_n_shapes (const Y10Region *region)
{
  return region->n_shapes;
}

/**
 * y10_region_get_n_points:
 * @region: a region
 * @shape: from 0
 *
 * Returns: the number of corners of the shape, at least 3
 *
 * Since: 0.2
 */
guint
y10_region_get_n_points (const Y10Region *region, guint shape)
{
  g_return_val_if_fail (shape < region->n_shapes, 0);
  return region->shapes[shape].n;
}

/**
 * y10_region_get_point:
 * @region: a region
 * @shape: from 0
 * @point: from 0
 * @x: (out): fraction of the image's width
 * @y: (out): fraction of the image's height
 *
 * Since: 0.2
 */
void
y10_region_get_point (const Y10Region *region, guint shape, guint point,
    gdouble *x, gdouble *y)
{
  g_return_if_fail (shape < region->n_shapes);
  g_return_if_fail (point < region->shapes[shape].n);
  *x = region->shapes[shape].points[point].x;
  *y = region->shapes[shape].points[point].y;
}

/* A shape contains its left and upper edges but not its right and lower ones, so
 * a point on an edge that two shapes share is in exactly one of them. */
static gboolean
is_inside (const Shape *shape, gdouble x, gdouble y)
{
  gboolean inside = FALSE;

  for (guint i = 0, j = shape->n - 1; i < shape->n; j = i++) {
    const Point a = shape->points[i], b = shape->points[j];

    if ((a.y > y) != (b.y > y)
        && x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x)
      inside = !inside;
  }
  return inside;
}

/* Clips the line from @a to @b to the inside of a rectangle (Liang and Barsky).
 * Returns whether anything is left. */
static gboolean
crosses (Point a, Point b, const gdouble box[4])
{
  const gdouble step[2] = { b.x - a.x, b.y - a.y };
  const gdouble start[2] = { a.x, a.y };
  gdouble from = 0, to = 1;

  for (guint i = 0; i < 2; i++) {
    gdouble t0, t1;

    if (step[i] == 0) {
      if (start[i] <= box[i] || start[i] >= box[i + 2])
        return FALSE;
      continue;
    }
    t0 = (box[i] - start[i]) / step[i];
    t1 = (box[i + 2] - start[i]) / step[i];
    from = MAX (from, MIN (t0, t1));
    to = MIN (to, MAX (t0, t1));
  }
  return from < to;
}

static gboolean
overlaps (const Shape *shape, const gdouble box[4])
{
  for (guint i = 0, j = shape->n - 1; i < shape->n; j = i++)
    if (crosses (shape->points[j], shape->points[i], box))
      return TRUE;
  /* No edge of the shape is in the box: all of the box is inside or outside. */
  return is_inside (shape, (box[0] + box[2]) / 2, (box[1] + box[3]) / 2);
}

/**
 * y10_region_has_box:
 * @region: a region
 * @anchor: the part of the box that must be in the region
 * @x0: left edge of a box, as a fraction of the image's width
 * @y0: upper edge
 * @x1: right edge
 * @y1: lower edge
 *
 * Checks whether a box is in a region. Any thread.
 *
 * Returns: whether the box is in one of the shapes
 *
 * Since: 0.2
 */
gboolean
y10_region_has_box (const Y10Region *region, Y10RegionAnchor anchor, gdouble x0,
    gdouble y0, gdouble x1, gdouble y1)
{
  const gdouble box[4] = { x0, y0, x1, y1 };
  /* A box that ends at the image's lower edge stands inside the image. */
  const Point foot = { MIN ((x0 + x1) / 2, 1 - 1e-9), MIN (y1, 1 - 1e-9) };

  for (guint i = 0; i < region->n_shapes; i++) {
    const Shape *shape = &region->shapes[i];

    if (anchor == Y10_REGION_ANCHOR_OVERLAP ? overlaps (shape, box)
                                            : is_inside (shape, foot.x, foot.y))
      return TRUE;
  }
  return FALSE;
}
