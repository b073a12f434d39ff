/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Compares a backend's letterbox with the reference's, for every pixel format.
 * Rows have padding, and the region lies in the middle of a frame whose other
 * bytes are random too. tests/engine/test-preprocess compares the reference
 * with OpenCV. */

#include <math.h>
#include <string.h>

#include "checkop.h"
#include "seeded.h"
#include "tensors.h"

/* Both give the same 8-bit values; the division by 255 may be a
 * multiplication. */
#define TOLERANCE 1e-6
#define TOLERANCE_BF16 (1 / 256.) /* half a unit in the last place of 1 */
#define MARGIN 8   /* pixels of the frame around the region; even */
#define PADDING 11 /* padding after each row, in units of the row */

/* Bytes per row and number of rows of each plane for a frame of w × h. */
typedef struct
{
  guint n;
  gsize row[3], rows[3];
} Planes;

static Planes
planes_of (Y10PixelFormat format, gsize w, gsize h)
{
  gsize w2 = (w + 1) / 2, h2 = (h + 1) / 2;

  switch (format) {
    case Y10_PIXEL_RGB:
    case Y10_PIXEL_BGR:
      return (Planes){ 1, { 3 * w }, { h } };
    case Y10_PIXEL_GBR:
    case Y10_PIXEL_RGBP:
    case Y10_PIXEL_Y444:
      return (Planes){ 3, { w, w, w }, { h, h, h } };
    case Y10_PIXEL_NV12:
    case Y10_PIXEL_NV21:
      return (Planes){ 2, { w, 2 * w2 }, { h, h2 } };
    case Y10_PIXEL_P010:
      return (Planes){ 2, { 2 * w, 4 * w2 }, { h, h2 } };
    case Y10_PIXEL_I420:
    case Y10_PIXEL_YV12:
      return (Planes){ 3, { w, w2, w2 }, { h, h2, h2 } };
    case Y10_PIXEL_Y42B:
      return (Planes){ 3, { w, w2, w2 }, { h, h, h } };
    case Y10_PIXEL_YUY2:
    case Y10_PIXEL_UYVY:
      return (Planes){ 1, { 4 * w2 }, { h } };
    case Y10_PIXEL_GRAY8:
      return (Planes){ 1, { w }, { h } };
    case Y10_PIXEL_TENSOR:
      return (Planes){ 3, { 4 * w, 4 * w, 4 * w }, { h, h, h } };
    default: /* the four-byte RGB family */
      return (Planes){ 1, { 4 * w }, { h } };
  }
}

/* Each plane is one allocation of its exact size, so the address sanitizer
 * detects a read past its end. */
static void
make_image (const PreprocessCase *c, guint64 seed, Y10Image *image,
    guint8 **planes)
{
  gboolean tensor = c->format == Y10_PIXEL_TENSOR;
  guint margin = c->x || c->y ? MARGIN : 0;
  Planes p = planes_of (c->format, c->x + c->width + margin,
      c->y + c->height + margin);

  *image = (Y10Image){
    .size = sizeof (Y10Image),
    .format = c->format,
    .matrix = c->matrix,
    .full_range = c->full_range,
    .x = c->x,
    .y = c->y,
    .width = c->width,
    .height = c->height,
  };
  for (guint i = 0; i < p.n; i++) {
    gsize stride = p.row[i] + (tensor ? 4 * PADDING : PADDING + 1);
    gsize size = stride * (p.rows[i] - 1) + p.row[i];
    gsize n = tensor ? size / 4 : size;
    float *noise = g_new (float, n);
    char name[16];

    g_snprintf (name, sizeof name, "plane %u", i);
    y10_seeded_fill (name, seed, n, noise);
    planes[i] = g_malloc (size);
    for (gsize j = 0; j < n; j++) {
      if (tensor)
        ((float *) (gpointer) planes[i])[j] = (noise[j] + 1) / 2;
      else
        planes[i][j] = (guint8) ((noise[j] + 1) * 128);
    }
    g_free (noise);
    image->plane[i] = planes[i];
    image->stride[i] = stride;
  }
}

static float *
load (const Instance *instance, const Y10Image *image, const Y10Graph *graph,
    GError **error)
{
  const Y10BackendClass *class = instance->runner->class;
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  gsize n = 3 * (gsize) graph->width * graph->height;
  float *values = g_new (float, n);
  Y10Letterbox letterbox;

  y10_letterbox_init (&letterbox, image->width, image->height, graph->width,
      graph->height);
  /* A pixel that is not written keeps a value that no pixel can have. */
  for (gsize i = 0; i < n; i++)
    values[i] = -8;
  if (class->write_tensor (instance->slot, 0, graph->input, values, error)
      && class->load (instance->slot, 0, image, &letterbox, &params, error)
      && (!class->wait_input || class->wait_input (instance->slot, error))
      && class->read_tensor (instance->slot, 0, graph->input, values, error))
    return values;
  g_free (values);
  return NULL;
}

void
run_preprocess_case (const Case *cs, const Runner *runner,
    const Runner *reference, const Options *options, Result *result)
{
  const PreprocessCase *c = &cs->preprocess;
  Y10Graph *graph = tiny_graph_new (c->dst_width, c->dst_height, 3, 16,
      Y10_HEAD_ONE2ONE);
  gsize plane = (gsize) c->dst_width * c->dst_height;
  double tolerance = runner->layout.input_elem_size == 2 ? TOLERANCE_BF16
                                                         : TOLERANCE;
  Instance tested = { 0 }, truth = { 0 };
  g_autofree float *got = NULL;
  g_autofree float *wanted = NULL;
  guint8 *planes[3] = { NULL };
  GError *error = NULL;
  Y10Image image;

  result->ok = TRUE;
  g_strlcpy (result->impl, runner->class->name, sizeof result->impl);
  make_image (c, options->seed, &image, planes);
  if (instance_init (&tested, runner, graph, 1, 1, &error)
      && instance_init (&truth, reference, graph, 1, 1, &error)) {
    got = load (&tested, &image, graph, &error);
    wanted = got ? load (&truth, &image, graph, &error) : NULL;
  }
  for (gsize i = 0; wanted && i < 3 * plane; i++) {
    double off = fabs (got[i] - wanted[i]);

    if (!(off <= tolerance))
      result_fail (result,
          "channel %u row %u column %u is %g (%g of 255), "
          "expected %g (%g)",
          (guint) (i / plane), (guint) (i % plane / c->dst_width),
          (guint) (i % c->dst_width), got[i], got[i] * 255, wanted[i],
          wanted[i] * 255);
    result->largest = MAX (result->largest, off);
  }
  if (error)
    result_fail (result, "%s", error->message);
  g_clear_error (&error);
  instance_clear (&tested);
  instance_clear (&truth);
  for (guint i = 0; i < 3; i++)
    g_free (planes[i]);
  y10_graph_free (graph);
}
