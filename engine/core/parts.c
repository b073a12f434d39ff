/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Computes the rectangles of an image to infer: geometry only. A part is
 * aligned outward to whole chroma samples, so it needs no copy of the
 * pixels: its image has the same planes and another rectangle. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "core/image.h"
#include <y10/parts.h>

#define MAX_OVERLAP 0.9

static gboolean
parse_number (const char *text, const char **end, guint *number)
{
  char *after;
  guint64 value;

  if (!g_ascii_isdigit (*text))
    return FALSE;
  value = g_ascii_strtoull (text, &after, 10);
  *end = after;
  *number = (guint) MIN (value, G_MAXUINT);
  return value > 0;
}

/**
 * y10_tiles_parse:
 * @text: "CxR" for C columns and R rows; "N" for as many tiles of N x N pixels
 *   as are needed; "auto" for tiles of about the network's input size
 * @tiles: (out): the caller sets @size. The function sets @overlap to
 *   %Y10_TILES_DEFAULT_OVERLAP
 * @error: return location for a #GError, or %NULL
 *
 * Parses a description of tiles. Any thread.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT if @text has another form or
 *   requests more than %Y10_MAX_TILES tiles
 *
 * Since: 0.2
 */
gboolean
y10_tiles_parse (const char *text, Y10Tiles *tiles, GError **error)
{
  Y10Tiles own = { .size = sizeof own, .overlap = Y10_TILES_DEFAULT_OVERLAP };
  const char *end = text;
  gboolean ok = TRUE;

  if (g_strcmp0 (text, "auto")) {
    ok = parse_number (text, &end, &own.side);
    if (ok && *end == 'x') {
      own.columns = own.side;
      own.side = 0;
      ok = parse_number (end + 1, &end, &own.rows);
    }
    ok = ok && !*end && own.side <= Y10_MAX_IMAGE_SIZE;
    ok = ok && (own.side == 0 || own.side >= 32);
  }
  if (!ok) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "tiles are \"%s\"; expected columns and rows such as \"2x2\", a size "
        "from 32 to %u pixels such as \"640\", or \"auto\"",
        text, Y10_MAX_IMAGE_SIZE);
    return FALSE;
  }
  if ((guint64) own.columns * own.rows > Y10_MAX_TILES) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "tiles are \"%s\", which is %" G_GUINT64_FORMAT " tiles; expected at "
        "most %u",
        text, (guint64) own.columns * own.rows, Y10_MAX_TILES);
    return FALSE;
  }
  Y10_SIZED_WRITE (Y10Tiles, overlap, tiles, &own);
  return TRUE;
}

/* Number of tiles of @side pixels that cover @length pixels and overlap by at
 * least @overlap. */
static guint
count_tiles (guint length, gdouble side, gdouble overlap)
{
  if (length <= side)
    return 1;
  return 1 + (guint) ceil ((length - side) / (side * (1 - overlap)) - 1e-6);
}

/* Width of each of @n tiles that cover @length pixels. */
static gdouble
tile_side (guint length, guint n, gdouble overlap)
{
  return length / (1 + (n - 1) * (1 - overlap));
}

typedef struct
{
  guint columns, rows;
  gdouble width, height; /* of a tile, pixels */
} Grid;

static void
fit_grid (Grid *grid, const Y10Part *area, gdouble width, gdouble height,
    gdouble overlap)
{
  grid->columns = count_tiles (area->width, width, overlap);
  grid->rows = count_tiles (area->height, height, overlap);
  grid->width = MIN (width, area->width);
  grid->height = MIN (height, area->height);
}

static gboolean
choose_grid (Grid *grid, const Y10Part *area, const Y10Tiles *tiles,
    guint input_width, guint input_height, GError **error)
{
  const gdouble overlap = tiles->overlap;

  if (tiles->columns) {
    grid->columns = tiles->columns;
    grid->rows = tiles->rows;
  } else if (tiles->side) {
    fit_grid (grid, area, tiles->side, tiles->side, overlap);
    if ((guint64) grid->columns * grid->rows <= Y10_MAX_TILES)
      return TRUE;
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "tiles of %u pixels are %" G_GUINT64_FORMAT " for %u x %u pixels; "
        "expected at most %u",
        tiles->side, (guint64) grid->columns * grid->rows, area->width,
        area->height, Y10_MAX_TILES);
    return FALSE;
  } else {
    /* Each iteration makes the tiles a tenth larger. */
    gdouble scale = 1;

    do {
      fit_grid (grid, area, input_width * scale, input_height * scale, overlap);
      scale *= 1.1;
    } while ((guint64) grid->columns * grid->rows > Y10_MAX_TILES);
  }
  grid->width = tile_side (area->width, grid->columns, overlap);
  grid->height = tile_side (area->height, grid->rows, overlap);
  return TRUE;
}

static guint
chroma_mask (const Y10FormatInfo *info, gboolean rows)
{
  guint shift = 0;

  for (guint i = 0; i < 3; i++)
    shift = MAX (shift,
        rows ? info->component[i].yshift : info->component[i].xshift);
  return (1u << shift) - 1;
}

/* Rounds outward to whole chroma samples of the frame, not beyond the image. */
static void
align (guint origin, guint size, guint mask, gdouble from, gdouble to,
    guint *start, guint *length)
{
  gdouble first = floor (CLAMP (from, 0, size - 1));
  gdouble last = ceil (CLAMP (to, first + 1, size));
  guint begin = (origin + (guint) first) & ~mask;
  guint end = (origin + (guint) last + mask) & ~mask;

  begin = MAX (begin, origin);
  end = MIN (end, origin + size);
  *start = begin - origin;
  *length = end - begin;
}

/**
 * y10_part_set:
 * @part: a part; the function sets its rectangle only
 * @image: an image; only its format and rectangle are read
 * @x0: left edge, pixels from the left edge of the image
 * @y0: upper edge
 * @x1: right edge
 * @y1: lower edge
 *
 * Sets the smallest part that contains a rectangle: clipped to the image,
 * aligned outward to whole chroma samples, and at least one pixel large.
 *
 * Since: 0.2
 */
void
y10_part_set (Y10Part *part, const Y10Image *image, gdouble x0, gdouble y0,
    gdouble x1, gdouble y1)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (image->format);

  align (image->x, image->width, chroma_mask (info, FALSE), x0, x1, &part->x,
      &part->width);
  align (image->y, image->height, chroma_mask (info, TRUE), y0, y1, &part->y,
      &part->height);
}

static gboolean
check_plan (const Y10Image *image, Y10Tiles *tiles, guint input_width,
    guint input_height, GError **error)
{
  if (!y10_pixel_format_get_info (image->format)
      || image->format == Y10_PIXEL_TENSOR || !image->width || !image->height
      || image->width > Y10_MAX_IMAGE_SIZE
      || image->height > Y10_MAX_IMAGE_SIZE) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "an image of format %u and %u x %u pixels has no parts; expected "
        "pixels of a Y10PixelFormat other than Y10_PIXEL_TENSOR",
        (guint) image->format, image->width, image->height);
    return FALSE;
  }
  if (!(tiles->overlap >= 0 && tiles->overlap <= MAX_OVERLAP)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the overlap of tiles is %g; expected 0 to %g", tiles->overlap,
        MAX_OVERLAP);
    return FALSE;
  }
  if (!tiles->columns != !tiles->rows
      || (guint64) tiles->columns * tiles->rows > Y10_MAX_TILES || !input_width
      || !input_height) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "tiles are %u x %u for an input of %u x %u; expected at most %u tiles "
        "and an input size",
        tiles->columns, tiles->rows, input_width, input_height, Y10_MAX_TILES);
    return FALSE;
  }
  return TRUE;
}

/**
 * y10_parts_plan:
 * @image: an image; only its format and rectangle are read
 * @region: (nullable): the parts lie within its bounding rectangle
 * @tiles: (nullable): how to divide the image, or the region's rectangle
 * @input_width: width of the network's input, pixels
 * @input_height: height of the network's input, pixels
 * @parts: (array length=max_parts): the function sets their rectangles only
 * @max_parts: size of @parts; %Y10_MAX_PARTS always suffices
 * @n_parts: (out): number of parts; 0: infer the image as a whole
 * @error: return location for a #GError, or %NULL
 *
 * Decides which parts of an image to infer: first the whole image, or the
 * region's bounding rectangle; then the tiles, row by row, if there is more than
 * one. Allocates nothing. Any thread.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT
 *
 * Since: 0.2
 */
gboolean
y10_parts_plan (const Y10Image *image, const Y10Region *region,
    const Y10Tiles *tiles, guint input_width, guint input_height,
    Y10Part *parts, guint max_parts, guint *n_parts, GError **error)
{
  gdouble x0 = 0, y0 = 0, x1 = 1, y1 = 1;
  Y10Tiles own = { .size = sizeof own, .columns = 1, .rows = 1 };
  Y10Part area;
  Grid grid;
  guint n;

  *n_parts = 0;
  if (!region && !tiles)
    return TRUE;
  if ((tiles && !Y10_SIZED_READ (Y10Tiles, overlap, &own, tiles, error))
      || !check_plan (image, &own, input_width, input_height, error))
    return FALSE;
  if (region)
    y10_region_get_bounds (region, &x0, &y0, &x1, &y1);
  y10_part_set (&area, image, x0 * image->width, y0 * image->height,
      x1 * image->width, y1 * image->height);
  if (!choose_grid (&grid, &area, &own, input_width, input_height, error))
    return FALSE;
  n = grid.columns * grid.rows;
  n = n > 1 ? n + 1 : region ? 1 : 0;
  if (n > max_parts) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "an image of %u x %u pixels has %u parts; expected at most %u",
        image->width, image->height, n, max_parts);
    return FALSE;
  }
  *n_parts = n;
  if (!n)
    return TRUE;
  parts[0].x = area.x;
  parts[0].y = area.y;
  parts[0].width = area.width;
  parts[0].height = area.height;
  for (guint i = 0; i + 1 < n; i++) {
    guint column = i % grid.columns, row = i / grid.columns;
    gdouble x = area.x, y = area.y;

    if (column)
      x += (area.width - grid.width) * column / (grid.columns - 1);
    if (row)
      y += (area.height - grid.height) * row / (grid.rows - 1);
    y10_part_set (&parts[i + 1], image, x, y, x + grid.width, y + grid.height);
  }
  return TRUE;
}

/**
 * y10_part_get_image:
 * @part: a part of @image
 * @image: an image
 * @part_image: (out): the image to infer
 *
 * Gets an image of a part: the same planes with another rectangle.
 *
 * Since: 0.2
 */
void
y10_part_get_image (const Y10Part *part, const Y10Image *image,
    Y10Image *part_image)
{
  *part_image = (Y10Image){ 0 };
  memcpy (part_image, image, MIN (image->size, sizeof *part_image));
  part_image->size = sizeof *part_image;
  part_image->x += part->x;
  part_image->y += part->y;
  part_image->width = part->width;
  part_image->height = part->height;
}

/**
 * y10_parts_get_params:
 * @params: parameters for the whole image
 * @max_detections: of the engine
 * @part_params: (out): parameters for each part; it borrows the arrays of
 *   @params
 *
 * Gets the parameters with which to infer the parts, so that y10_parts_merge()
 * can apply the rest of @params: size limits are relative to the whole image,
 * and the detections of one part must not displace those of another.
 *
 * Since: 0.2
 */
void
y10_parts_get_params (const Y10HeadParams *params, guint max_detections,
    Y10HeadParams *part_params)
{
  *part_params = (Y10HeadParams) Y10_HEAD_PARAMS_INIT;
  memcpy (part_params, params, MIN (params->size, sizeof *part_params));
  part_params->size = sizeof *part_params;
  part_params->min_width = part_params->min_height = 0;
  part_params->max_width = part_params->max_height = 0;
  part_params->max_detections = MIN (max_detections, Y10_MAX_PART_DETECTIONS);
}
