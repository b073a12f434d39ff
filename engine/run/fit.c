/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which input size an image gets, and how it is fitted into that. */

#include "config.h"

#include <string.h>

#include "core/image.h"
#include "run/engine.h"
#include "run/fit.h"

/* The letterbox of a picture in the input of its own shape. */
static void
fit (const Y10Engine *engine, guint width, guint height,
    Y10Letterbox *letterbox)
{
  y10_letterbox_init (letterbox, width, height, engine->config.width,
      engine->config.height);
  if (engine->config.auto_size)
    y10_letterbox_trim (letterbox);
}

void
y10_engine_fit_image (const Y10Engine *engine, const Y10Image *image,
    guint width, guint height, Y10Letterbox *letterbox)
{
  const guint display_width = y10_image_get_display_width (image);

  fit (engine, display_width, image->height, letterbox);
  if (letterbox->dst_width != width || letterbox->dst_height != height)
    y10_letterbox_init (letterbox, display_width, image->height, width, height);
}

static gboolean
is_near (guint a, guint b)
{
  return MAX (a, b) - MIN (a, b) <= Y10_INPUT_GRANULE;
}

/* Whether @part has nearly the shape of @whole, the image's. */
static gboolean
has_shape (const Y10Engine *engine, const Y10Image *image, const Y10Part *part,
    const Y10Letterbox *whole)
{
  Y10Letterbox own;
  Y10Image cut;

  y10_part_get_image (part, image, &cut);
  fit (engine, y10_image_get_display_width (&cut), cut.height, &own);
  return is_near (own.dst_width, whole->dst_width)
      && is_near (own.dst_height, whole->dst_height);
}

/* What cannot be an image's is refused when it is added. */
static gboolean
has_display_size (const Y10Image *image)
{
  return image->width && image->width <= Y10_MAX_IMAGE_SIZE && image->height
      && image->height <= Y10_MAX_IMAGE_SIZE
      && (!image->par_n
          || (image->par_d
              && image->par_n / image->par_d <= Y10_MAX_PIXEL_ASPECT_RATIO
              && image->par_d / image->par_n <= Y10_MAX_PIXEL_ASPECT_RATIO));
}

/**
 * y10_engine_choose_input_size:
 * @engine: an engine
 * @image: an image; only its size and pixel aspect ratio are read
 * @parts: (nullable) (array length=n_parts): the parts of it that are to be inferred
 * @n_parts: number of @parts; 0: the whole image
 * @width: (out): width of the network's input, pixels
 * @height: (out): height of the network's input, pixels
 *
 * Gets the input size with which an image is inferred. That is the engine's, unless it was
 * created with @auto_size: then the smallest rectangle of multiples of 32 around the image
 * at the scale at which it fits into the engine's size, as Ultralytics' predict has it.
 * Parts are inferred in the shape of their image if each of them has that shape, give or
 * take 32 pixels; otherwise in the engine's size, since a part of another shape would lose
 * pixels. Any thread; allocates nothing.
 *
 * Since: 0.2
 */
void
y10_engine_choose_input_size (const Y10Engine *engine, const Y10Image *image,
    const Y10Part *parts, guint n_parts, guint *width, guint *height)
{
  const Y10EngineConfig *c = &engine->config;
  Y10Image own = { 0 };
  Y10Letterbox whole;

  *width = c->width;
  *height = c->height;
  memcpy (&own, image, MIN (image->size, sizeof own));
  if (!c->auto_size || !has_display_size (&own))
    return;
  fit (engine, y10_image_get_display_width (&own), own.height, &whole);
  for (guint i = 0; i < n_parts; i++)
    if (!has_shape (engine, &own, &parts[i], &whole))
      return;
  *width = whole.dst_width;
  *height = whole.dst_height;
}
