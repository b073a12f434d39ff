/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Compares the painter of the CUDA module in Y10_BACKEND_PATH, for the
 * simulated GPU or a real one, with the code that draws in system memory. The
 * same rectangles, texts and blurs in the same order must leave the same bytes
 * in every format and size, outside of them too. Work queued on the frame's
 * stream before drawing must see the frame without them, and work queued after
 * it with them. */
#include <gst/video/video.h>
#include <string.h>

#include "core/module.h"
#include "control.h"
#include "driver/driver.h"
#include "paint/canvas.h"
#include "core/painter-class.h"

#define MAX_SIZE 100
#define N_TEXTS 12
#define IN_FLIGHT 7 /* more than there are lists */
#define CELL 4      /* pixels */

static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_NV12,
  GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12,
  GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444,
  GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_RGBx,
  GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ABGR,
  GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_RGBP,
  GST_VIDEO_FORMAT_GBR };

static const Y10SimControl *sim; /* NULL: a real GPU */
static const Y10CudaDriver *d;
static const Y10PainterClass *class;
static CUcontext context;
static Y10PainterState *painter;
static CUstream streams[3];

/* One frame: its expected contents, and its place on the GPU. */
typedef struct
{
  GstBuffer *expected;
  GstVideoFrame frame;
  guint8 *pinned;
  CUdeviceptr device;
  gsize size;
  CUstream stream;
  GArray *items;
} Frame;

static void
ok (int result)
{
  g_assert_cmpint (result, ==, Y10_CU_SUCCESS);
}

static void
setup (void)
{
  GError *error = NULL;
  CUcontext popped;

  if (sim)
    context = sim->context_new ();
  else
    ok (d->primary_ctx_retain (&context, 0));
  ok (d->ctx_push (context));
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    ok (d->stream_create (&streams[i], Y10_CU_STREAM_NON_BLOCKING, 0));
  ok (d->ctx_pop (&popped));
  painter = class->open (context, &error);
  g_assert_no_error (error);
}

static void
teardown (void)
{
  CUcontext popped;

  class->close (painter);
  ok (d->ctx_push (context));
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    ok (d->stream_destroy (streams[i]));
  ok (d->ctx_pop (&popped));
  if (!sim) {
    ok (d->primary_ctx_release (0));
    return;
  }
  sim->context_free (context);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

static guint8 *
noise (GRand *rand, gsize size)
{
  guint8 *bytes = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8) g_rand_int (rand);
  return bytes;
}

static void
text_init (GstY10Text *text, GRand *rand, gint width, gint height,
    const GstVideoInfo *info)
{
  guint x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (info->finfo, 1);
  guint y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, 1);

  *text = (GstY10Text){
    .width = width,
    .height = height,
    .half_width = width >> x_shift,
    .half_height = height >> y_shift,
  };
  text->full = noise (rand, (gsize) width * height);
  if (x_shift || y_shift)
    text->half = noise (rand, (gsize) text->half_width * text->half_height);
}

static void
text_clear (GstY10Text *text)
{
  g_free (text->full);
  g_free (text->half);
}

static void
frame_init (Frame *f, const GstVideoInfo *info, GRand *rand, CUstream stream)
{
  g_autofree guint8 *bytes = noise (rand, info->size);

  f->expected = gst_buffer_new_memdup (bytes, info->size);
  g_assert_true (
      gst_video_frame_map (&f->frame, info, f->expected, GST_MAP_READWRITE));
  f->size = info->size;
  f->stream = stream;
  f->items = g_array_new (FALSE, FALSE, sizeof (Y10PaintItem));
  ok (d->mem_alloc (&f->device, f->size));
  ok (d->mem_host_alloc ((void **) &f->pinned, 2 * f->size, 0));
  memcpy (f->pinned, bytes, f->size);
}

static void
frame_clear (Frame *f)
{
  gst_video_frame_unmap (&f->frame);
  gst_buffer_unref (f->expected);
  g_array_unref (f->items);
  ok (d->mem_free (f->device));
  ok (d->mem_free_host (f->pinned));
}

/* Draws the same on both canvases. */
static void
draw_something (const GstY10Canvas *canvases, const GstY10Text *texts,
    guint n_texts, GRand *rand)
{
  gint width = canvases->window.x1, height = canvases->window.y1;
  gint x = g_rand_int_range (rand, -20, width + 10);
  gint y = g_rand_int_range (rand, -20, height + 10);
  GstY10Rect rect = { x, y, x + g_rand_int_range (rand, 0, width + 10),
    y + g_rand_int_range (rand, 0, height + 10) };
  guint kind = g_rand_int_range (rand, 0, 20), alpha;
  const GstY10Text *text = &texts[g_rand_int_range (rand, 0, n_texts)];
  GstY10Paint paints[2];

  for (guint i = 0; i < 4; i++)
    for (guint k = 0; k < 2; k++)
      paints[k].value[i] = g_rand_int (rand) & (canvases->wide ? 0xffff : 0xff);
  alpha = g_rand_int_range (rand, 0, 257);
  for (guint i = 0; i < 2; i++) {
    const GstY10Canvas *c = &canvases[i];

    if (kind < 6)
      gst_y10_canvas_fill (c, rect, &paints[0]);
    else if (kind < 12)
      gst_y10_canvas_shade (c, rect, &paints[0], alpha);
    else if (kind < 19)
      gst_y10_canvas_text (c, x & ~1, y & ~1, text, &paints[0], &paints[1]);
    else
      gst_y10_canvas_blur (c, rect);
  }
}

/* Rectangle @i of many that do not overlap, so that each remains visible. */
static void
draw_cell (const GstY10Canvas *canvases, guint i, GRand *rand)
{
  guint columns = canvases->window.x1 / CELL;
  gint x = i % columns * CELL, y = i / columns * CELL;
  GstY10Rect rect = { x, y, x + CELL, y + CELL };
  GstY10Paint paint;

  for (guint k = 0; k < 4; k++)
    paint.value[k] = g_rand_int (rand) & 0xff;
  for (guint k = 0; k < 2; k++)
    gst_y10_canvas_fill (&canvases[k], rect, &paint);
}

static void
fill_target (Y10Canvas *to, const GstY10Canvas *from)
{
  *to = (Y10Canvas){
    .size = sizeof (Y10Canvas),
    .width = from->window.x1,
    .height = from->window.y1,
    .wide = from->wide,
    .n_components = from->n_components,
  };
  for (guint i = 0; i < from->n_components; i++) {
    const GstY10Component *c = &from->component[i];

    to->component[i] = (Y10PaintComponent){ c->data, c->stride, c->pixel_stride,
      c->x_shift, c->y_shift };
  }
}

/* Queues the copy to the GPU, @n things to draw (cells where there are no texts),
 * and the copy back. */
static void
frame_draw (Frame *f, const GstY10Text *texts, guint n_texts, guint n,
    GRand *rand)
{
  GstY10Canvas canvases[2];
  GError *error = NULL;
  Y10Canvas target;
  CUstream stream = f->stream ? f->stream : streams[0];

  ok (d->memcpy_htod_async (f->device, f->pinned, f->size, stream));
  if (!f->stream)
    ok (d->stream_synchronize (stream));
  gst_y10_canvas_init_frame (&canvases[0], &f->frame);
  canvases[1] = canvases[0];
  canvases[1].record = f->items;
  for (guint i = 0; i < canvases[1].n_components; i++)
    canvases[1].component[i].data = (guint8 *) GSIZE_TO_POINTER (f->device)
        + (canvases[0].component[i].data - (guint8 *) f->frame.data[0]);
  for (guint i = 0; i < n; i++)
    if (n_texts)
      draw_something (canvases, texts, n_texts, rand);
    else
      draw_cell (canvases, i, rand);
  fill_target (&target, &canvases[1]);
  if (f->items->len)
    class->draw (painter, &target, (Y10PaintItem *) f->items->data,
        f->items->len, f->stream, &error);
  g_assert_no_error (error);
  ok (d->memcpy_dtoh_async (f->pinned + f->size, f->device, f->size, stream));
}

static void
frame_check (const Frame *f)
{
  const guint8 *found = f->pinned + f->size, *expected = f->frame.data[0];

  ok (d->stream_synchronize (f->stream ? f->stream : streams[0]));
  for (gsize i = 0; i < f->size; i++)
    if (found[i] != expected[i])
      g_error ("%s %dx%d, %u items: byte %" G_GSIZE_FORMAT " is %u, expected "
               "%u",
          f->frame.info.finfo->name, f->frame.info.width, f->frame.info.height,
          f->items->len, i, found[i], expected[i]);
}

/* Draws on several frames, on several streams and without one, and compares
 * them at the end. */
static void
draw_frames (const GstVideoInfo *info, const GstY10Text *texts, guint n_texts,
    guint n, GRand *rand)
{
  Frame frames[IN_FLIGHT];
  CUcontext popped;

  ok (d->ctx_push (context));
  for (guint i = 0; i < IN_FLIGHT; i++)
    frame_init (&frames[i], info, rand,
        i == 3 ? NULL : streams[1 + g_rand_int_range (rand, 0, 2)]);
  if (sim)
    sim->mark_started ();
  for (guint i = 0; i < IN_FLIGHT; i++)
    frame_draw (&frames[i], texts, n_texts, n ? n : i * i * 10, rand);
  if (sim)
    sim->mark_stopped ();
  for (guint i = 0; i < IN_FLIGHT; i++)
    frame_check (&frames[i]);
  for (guint i = 0; i < IN_FLIGHT; i++)
    frame_clear (&frames[i]);
  ok (d->ctx_pop (&popped));
}

static void
test_format (gconstpointer data)
{
  GstVideoFormat format = GPOINTER_TO_UINT (data);
  GRand *rand = g_rand_new_with_seed (format);

  setup ();
  for (guint i = 0; i < 4; i++) {
    GstY10Text texts[N_TEXTS];
    GstVideoInfo info;

    gst_video_info_set_format (&info, format,
        g_rand_int_range (rand, 1, MAX_SIZE),
        g_rand_int_range (rand, 1, MAX_SIZE));
    for (guint k = 0; k < N_TEXTS; k++)
      text_init (&texts[k], rand, 2 * g_rand_int_range (rand, 1, 80),
          2 * g_rand_int_range (rand, 1, 20), &info);
    draw_frames (&info, texts, N_TEXTS, 0, rand);
    for (guint k = 0; k < N_TEXTS; k++)
      text_clear (&texts[k]);
  }
  g_rand_free (rand);
  teardown ();
}

/* More in one frame than fits into one list. */
static void
test_many (void)
{
  GRand *rand = g_rand_new_with_seed (1);
  GstY10Text text;
  GstVideoInfo info;

  setup ();
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 20, 14);
  text_init (&text, rand, 10, 8, &info);
  draw_frames (&info, &text, 1, 3000, rand);
  text_clear (&text);
  g_rand_free (rand);
  teardown ();
}

/* As many as the kernel handles at a time, and more; none overlap. */
static void
test_cells (void)
{
  GRand *rand = g_rand_new_with_seed (3);
  GstVideoInfo info;

  setup ();
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, 40 * CELL, 20 * CELL);
  draw_frames (&info, NULL, 0, 40 * 20, rand);
  g_rand_free (rand);
  teardown ();
}

/* More texts than fit at first, and one larger than all the room: memory grows
 * to the needs of a frame, and then no more. */
static void
test_large_texts (void)
{
  GRand *rand = g_rand_new_with_seed (2);
  GstY10Text texts[40], one;
  GstVideoInfo info;
  Frame frame;
  CUcontext popped;

  setup ();
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420, 61, 43);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    text_init (&texts[i], rand, 1024, 256, &info);
  text_init (&one, rand, 6000, 1000, &info);
  for (guint i = 0; i < 4; i++) {
    ok (d->ctx_push (context));
    frame_init (&frame, &info, rand, streams[1]);
    frame_draw (&frame, i == 1 ? &one : texts,
        i == 1 ? 1 : G_N_ELEMENTS (texts), 300, rand);
    frame_check (&frame);
    frame_clear (&frame);
    ok (d->ctx_pop (&popped));
  }
  draw_frames (&info, texts, G_N_ELEMENTS (texts), 200, rand);
  text_clear (&one);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    text_clear (&texts[i]);
  g_rand_free (rand);
  teardown ();
}

/* A size that needs many blocks; the simulator would take too long. */
static void
test_large_frames (void)
{
  GRand *rand = g_rand_new_with_seed (3);
  GstY10Text texts[N_TEXTS];
  GstVideoInfo info;

  setup ();
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 1920, 1080);
  for (guint i = 0; i < N_TEXTS; i++)
    text_init (&texts[i], rand, 200, 30, &info);
  draw_frames (&info, texts, N_TEXTS, 400, rand);
  for (guint i = 0; i < N_TEXTS; i++)
    text_clear (&texts[i]);
  g_rand_free (rand);
  teardown ();
}

static gboolean
find_painter (GString *why)
{
  Y10PainterModule get = (Y10PainterModule) y10_module_symbol ("cuda",
      "y10_painter_module", why);

  class = get ? get () : NULL;
  if (!class)
    return FALSE;
  sim = y10_sim_control_get ();
  d = sim ? sim->driver (why) : y10_cuda_driver_get (why);
  return d && class->probe (why);
}

int
main (int argc, char **argv)
{
  GString *why = g_string_new (NULL);

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  if (!find_painter (why)) {
    g_printerr ("nothing can be drawn: %s\n", why->str);
    return 77;
  }
  g_string_free (why, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    char *path = g_strdup_printf ("/format/%s",
        gst_video_format_to_string (formats[i]));

    g_test_add_data_func (path, GUINT_TO_POINTER (formats[i]), test_format);
    g_free (path);
  }
  g_test_add_func ("/many", test_many);
  g_test_add_func ("/cells", test_cells);
  g_test_add_func ("/large-texts", test_large_texts);
  if (!sim)
    g_test_add_func ("/large-frames", test_large_frames);
  return g_test_run ();
}
