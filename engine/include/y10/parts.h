/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/detection.h>
#include <y10/image.h>

G_BEGIN_DECLS

/**
 * Y10_MAX_TILES:
 *
 * Maximum number of tiles of an image.
 *
 * Since: 0.2
 */
#define Y10_MAX_TILES 64

/**
 * Y10_MAX_PARTS:
 *
 * Maximum number of parts of an image: its tiles and the whole image.
 *
 * Since: 0.2
 */
#define Y10_MAX_PARTS (Y10_MAX_TILES + 1)

/**
 * Y10_MAX_PART_DETECTIONS:
 *
 * Sufficient number of detections of one part: as many as the one2one head of
 * the published networks returns.
 *
 * Since: 0.2
 */
#define Y10_MAX_PART_DETECTIONS 300

/**
 * Y10Part:
 * @x: left edge, pixels from the left edge of the image
 * @y: upper edge, pixels from the upper edge of the image
 * @width: pixels, at least 1
 * @height: pixels, at least 1
 * @detections: (array length=max_detections): buffer for its detections
 * @max_detections: size of @detections
 * @n_detections: number of detections, best first; -1: there is no result
 *
 * A rectangle of a #Y10Image that is inferred as an image by itself: a tile, a
 * region, or the whole image. Its detections are in pixels of the part until
 * y10_parts_merge() maps them to the image. Applications keep arrays of this
 * struct, so its size never changes.
 *
 * Since: 0.2
 */
typedef struct
{
  guint x, y, width, height;
  Y10Detection *detections;
  guint max_detections;
  gint n_detections;
} Y10Part;

/**
 * Y10Tiles:
 * @size: sizeof (Y10Tiles)
 * @columns: number of columns; 0: chosen for each image
 * @rows: number of rows; 0: chosen for each image
 * @side: width and height of a tile, pixels; 0: the network's input size, or
 *   larger if that needed more than %Y10_MAX_TILES. Used if @columns and @rows
 *   are 0
 * @overlap: fraction of a tile that its neighbour covers, too: 0 to 0.9
 *
 * How an image is divided into tiles; y10_tiles_parse() reads one from text.
 *
 * Since: 0.2
 */
typedef struct
{
  gsize size;
  guint columns, rows;
  guint side;
  gdouble overlap;
} Y10Tiles;

/**
 * Y10_TILES_DEFAULT_OVERLAP:
 *
 * The @overlap that y10_tiles_parse() sets.
 *
 * Since: 0.2
 */
#define Y10_TILES_DEFAULT_OVERLAP 0.2

/**
 * Y10Region:
 *
 * Area of an image, made of rectangles and polygons. Immutable and reference
 * counted; any thread may use it.
 *
 * Since: 0.2
 */
typedef struct _Y10Region Y10Region;

/**
 * Y10RegionAnchor:
 * @Y10_REGION_ANCHOR_BOTTOM: the middle of the box's lower edge, where an object
 *   stands on the ground, is in the region
 * @Y10_REGION_ANCHOR_OVERLAP: a part of the box is in the region
 *
 * Condition for a box to be in a #Y10Region.
 *
 * Since: 0.2
 */
typedef enum
{
  Y10_REGION_ANCHOR_BOTTOM,
  Y10_REGION_ANCHOR_OVERLAP,
} Y10RegionAnchor;

Y10_API Y10Region *y10_region_parse (const char *text, GError **error);
Y10_API Y10Region *y10_region_ref (Y10Region *region);
Y10_API void y10_region_unref (Y10Region *region);
Y10_API void y10_region_get_bounds (const Y10Region *region, gdouble *x0,
    gdouble *y0, gdouble *x1, gdouble *y1);
Y10_API guint y10_region_get_n_shapes (const Y10Region *region);
Y10_API guint y10_region_get_n_points (const Y10Region *region, guint shape);
Y10_API void y10_region_get_point (const Y10Region *region, guint shape,
    guint point, gdouble *x, gdouble *y);
Y10_API gboolean y10_region_has_box (const Y10Region *region,
    Y10RegionAnchor anchor, gdouble x0, gdouble y0, gdouble x1, gdouble y1);

Y10_API gboolean y10_tiles_parse (const char *text, Y10Tiles *tiles,
    GError **error);

Y10_API gboolean y10_parts_plan (const Y10Image *image, const Y10Region *region,
    const Y10Tiles *tiles, guint input_width, guint input_height,
    Y10Part *parts, guint max_parts, guint *n_parts, GError **error);
Y10_API void y10_part_set (Y10Part *part, const Y10Image *image, gdouble x0,
    gdouble y0, gdouble x1, gdouble y1);
Y10_API void y10_part_get_image (const Y10Part *part, const Y10Image *image,
    Y10Image *part_image);
Y10_API void y10_parts_get_params (const Y10HeadParams *params,
    guint max_detections, Y10HeadParams *part_params);
Y10_API guint y10_parts_merge (const Y10Image *image, const Y10Part *parts,
    guint n_parts, const Y10HeadParams *params, const Y10Region *region,
    Y10RegionAnchor anchor, Y10Detection *detections, guint max_detections);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Y10Region, y10_region_unref)

G_END_DECLS
