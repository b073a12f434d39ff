/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Draws on frames in place. All work runs on the painter's stream, which waits for
 * the frame's stream; the frame's stream then waits for the painter's. Frames of
 * any stream can therefore share the text atlas, and the host waits only for
 * frames without a stream. Items are written to pinned memory and copied. There
 * are several such lists, so that none is overwritten before the kernel that reads
 * it has finished. */

#include "config.h"

#include "kernels/overlay.h"
#include "core/painter-class.h"
#include "paint/atlas.h"

/* Items per launch; a hundred boxes with text are 1900. More items take several
 * launches. */
#define MAX_ITEMS 2048
#define N_LISTS 4

typedef struct
{
  Y10KOverlayItem *pinned;
  CUdeviceptr device;
  CUevent read; /* recorded after the last kernel that reads it */
} List;

struct _Y10PainterState
{
  const Y10CudaDriver *driver;
  CUcontext context; /* borrowed */
  CUmodule module;
#define Y10_MEMBER(name, type) CUfunction name;
  Y10_PAINTER_KERNELS (Y10_MEMBER)
#undef Y10_MEMBER
  CUstream stream;
  CUevent before, after;   /* on the frame's stream, on ours */
  Y10KOverlayItem *pinned; /* all lists */
  CUdeviceptr device;      /* all lists, followed by the means */
  List lists[N_LISTS];
  guint next;
  Y10CudaAtlas atlas;
};

#define LIST_SIZE (MAX_ITEMS * sizeof (Y10KOverlayItem))
#define MEANS_SIZE (4 * Y10_K_MAX_CELLS * Y10_K_MAX_CELLS * sizeof (guint32))

static gboolean
check (Y10PainterState *self, int result, const char *call, GError **error)
{
  return y10_cuda_check (self->driver, result, call, error);
}

static gboolean
enter_context (Y10PainterState *self, GError **error)
{
  return check (self, self->driver->ctx_push (self->context),
      "entering the context", error);
}

static void
leave_context (Y10PainterState *self)
{
  CUcontext popped;

  self->driver->ctx_pop (&popped);
}

static gboolean
launch (Y10PainterState *self, CUfunction function, Y10KLaunch l,
    const void *params, GError **error)
{
  void *all[] = { (void *) params };

  return check (self,
      self->driver->launch_kernel (function, l.grid[0], l.grid[1], l.grid[2],
          l.block[0], l.block[1], l.block[2], l.shared_bytes, self->stream, all,
          NULL),
      "launching a kernel", error);
}

static gboolean
painter_probe (GString *why)
{
  const Y10CudaDriver *driver = y10_cuda_driver_get (why);
  CUdevice id;

  return driver && y10_cuda_find_gpu (driver, -1, &id, why);
}

static gboolean
load_kernels (Y10PainterState *self, GError **error)
{
  const Y10CudaDriver *d = self->driver;
  gboolean ok = check (self,
      d->module_load_data (&self->module, y10_cuda_kernel_image ()),
      "loading our kernels", error);

#define Y10_FIND(name, type) \
  ok = ok \
      && check (self, \
          d->module_get_function (&self->name, self->module, "y10_" #name), \
          "y10_" #name, error);
  Y10_PAINTER_KERNELS (Y10_FIND)
#undef Y10_FIND
  return ok;
}

static gboolean
allocate (Y10PainterState *self, GError **error)
{
  const Y10CudaDriver *d = self->driver;
  gboolean ok = check (self,
                    d->mem_host_alloc ((void **) &self->pinned,
                        N_LISTS * LIST_SIZE, 0),
                    "pinned memory", error)
      && check (self,
          d->mem_alloc (&self->device, N_LISTS * LIST_SIZE + MEANS_SIZE),
          "memory for rectangles", error);

  for (guint i = 0; ok && i < N_LISTS; i++) {
    List *list = &self->lists[i];

    list->pinned = self->pinned + i * MAX_ITEMS;
    list->device = self->device + i * LIST_SIZE;
    ok = check (self,
        d->event_create (&list->read, Y10_CU_EVENT_DISABLE_TIMING),
        "making an event", error);
  }
  return ok;
}

static gboolean
make_stream (Y10PainterState *self, GError **error)
{
  const Y10CudaDriver *d = self->driver;
  int least = 0, greatest = 0;

  /* Highest priority: a frame waits for this work, which takes microseconds. */
  d->ctx_get_priority_range (&least, &greatest);
  return check (self,
             d->stream_create (&self->stream, Y10_CU_STREAM_NON_BLOCKING,
                 greatest),
             "making a stream", error)
      && check (self,
          d->event_create (&self->before, Y10_CU_EVENT_DISABLE_TIMING),
          "making an event", error)
      && check (self,
          d->event_create (&self->after, Y10_CU_EVENT_DISABLE_TIMING),
          "making an event", error);
}

static void
free_all (Y10PainterState *self)
{
  const Y10CudaDriver *d = self->driver;

  if (self->stream) {
    d->stream_synchronize (self->stream);
    d->stream_destroy (self->stream);
  }
  if (self->before)
    d->event_destroy (self->before);
  if (self->after)
    d->event_destroy (self->after);
  for (guint i = 0; i < N_LISTS; i++)
    if (self->lists[i].read)
      d->event_destroy (self->lists[i].read);
  y10_cuda_atlas_clear (&self->atlas, d);
  if (self->device)
    d->mem_free (self->device);
  if (self->pinned)
    d->mem_free_host (self->pinned);
  if (self->module)
    d->module_unload (self->module);
}

static void
painter_close (Y10PainterState *self)
{
  if (enter_context (self, NULL)) {
    free_all (self);
    leave_context (self);
  }
  g_free (self);
}

static Y10PainterState *
painter_open (gpointer cuda_context, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10CudaDriver *driver = y10_cuda_driver_get (why);
  Y10PainterState *self;
  gboolean ok;

  if (!driver) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_NO_BACKEND, why->str);
    return NULL;
  }
  self = g_new0 (Y10PainterState, 1);
  self->driver = driver;
  self->context = cuda_context;
  if (!enter_context (self, error)) {
    g_free (self);
    return NULL;
  }
  ok = load_kernels (self, error) && make_stream (self, error)
      && allocate (self, error)
      && y10_cuda_atlas_init (&self->atlas, driver, error);
  if (!ok)
    free_all (self);
  leave_context (self);
  if (!ok)
    g_clear_pointer (&self, g_free);
  return self;
}

static void
fill_component (Y10KOverlayComponent *to, const Y10PaintComponent *from)
{
  *to = (Y10KOverlayComponent){
    .data = from->data,
    .stride = from->stride,
    .step = from->step,
    .x_shift = from->x_shift,
    .y_shift = from->y_shift,
  };
}

static void
fill_item (Y10KOverlayItem *to, const Y10PaintItem *from,
    const Y10Canvas *canvas)
{
  static const guint8 kinds[] = {
    [Y10_PAINT_FILL] = Y10_K_FILL,
    [Y10_PAINT_SHADE] = Y10_K_SHADE,
    [Y10_PAINT_TEXT] = Y10_K_TEXT,
  };

  *to = (Y10KOverlayItem){
    .x0 = from->x0,
    .y0 = from->y0,
    .x1 = from->x1,
    .y1 = from->y1,
    .kind = kinds[from->kind],
    .alpha = from->alpha,
  };
  for (guint i = 0; i < canvas->n_components; i++) {
    to->color[i] = from->color[i];
    to->ink[i] = from->ink[i];
  }
}

/* Sets the addresses of the visible part of a text in the atlas. */
static void
fill_text (Y10KOverlayItem *to, const Y10PaintItem *from,
    const Y10Canvas *canvas)
{
  const Y10PaintText *text = from->text;
  gsize half = text->place + (gsize) text->width * text->height;
  guint x_shift = 0, y_shift = 0;

  for (guint i = 0; i < canvas->n_components; i++) {
    x_shift = MAX (x_shift, canvas->component[i].x_shift);
    y_shift = MAX (y_shift, canvas->component[i].y_shift);
  }
  to->full_stride = text->width;
  to->half_stride = text->half_width;
  to->full = text->place + (gsize) (from->y0 - from->text_y) * text->width
      + (from->x0 - from->text_x);
  to->half = half
      + (gsize) ((from->y0 >> y_shift) - (from->text_y >> y_shift))
          * text->half_width
      + (from->x0 >> x_shift) - (from->text_x >> x_shift);
}

static void
extend (Y10KOverlay *p, const Y10PaintItem *item)
{
  p->x0 = MIN (p->x0, item->x0 & ~1);
  p->y0 = MIN (p->y0, item->y0 & ~1);
  p->x1 = MAX (p->x1, item->x1);
  p->y1 = MAX (p->y1, item->y1);
}

/* Writes the items of one launch: up to a blur, the end of the list, or a text that
 * does not fit in the atlas. */
static gboolean
write_list (Y10PainterState *self, List *list, const Y10Canvas *canvas,
    const Y10PaintItem *items, guint n, Y10KOverlay *p, guint *n_emptied,
    GError **error)
{
  guint i;

  for (i = 0; i < MIN (n, MAX_ITEMS) && items[i].kind != Y10_PAINT_BLUR; i++) {
    fill_item (&list->pinned[i], &items[i], canvas);
    if (items[i].kind == Y10_PAINT_TEXT) {
      Y10CudaAtlasResult result = y10_cuda_atlas_add (&self->atlas,
          self->driver, items[i].text, self->stream, error);

      if (result == Y10_CUDA_ATLAS_FAILED)
        return FALSE;
      if (result == Y10_CUDA_ATLAS_FULL) {
        y10_cuda_atlas_empty (&self->atlas, (*n_emptied)++ > 0);
        break;
      }
      fill_text (&list->pinned[i], &items[i], canvas);
    }
    extend (p, &items[i]);
  }
  p->n_items = i;
  return TRUE;
}

static gboolean
draw_some (Y10PainterState *self, const Y10Canvas *canvas,
    const Y10PaintItem *items, guint n, guint *n_drawn, guint *n_emptied,
    GError **error)
{
  const Y10CudaDriver *d = self->driver;
  List *list = &self->lists[self->next++ % N_LISTS];
  Y10KOverlay p = {
    .wide = canvas->wide,
    .n_components = canvas->n_components,
    .items = GSIZE_TO_POINTER (list->device),
    .x0 = G_MAXINT,
    .y0 = G_MAXINT,
  };

  /* Rarely waits: only if frames arrive faster than they are drawn. */
  if (!check (self, d->event_synchronize (list->read),
          "waiting for what was drawn", error)
      || !write_list (self, list, canvas, items, n, &p, n_emptied, error))
    return FALSE;
  *n_drawn = p.n_items;
  if (!p.n_items)
    return TRUE;
  for (guint i = 0; i < canvas->n_components; i++)
    fill_component (&p.component[i], &canvas->component[i]);
  p.atlas = GSIZE_TO_POINTER (self->atlas.data);
  return check (self,
             d->memcpy_htod_async (list->device, list->pinned,
                 p.n_items * sizeof *list->pinned, self->stream),
             "copying rectangles", error)
      && launch (self, self->overlay, y10_overlay_launch (&p), &p, error)
      && check (self, d->event_record (list->read, self->stream),
          "recording an event", error);
}

/* Divides the area into square cells of at least 4 samples. */
static Y10KBlurArea
blur_area (const Y10PaintItem *item, const Y10PaintComponent *c)
{
  gint x = item->x0 >> c->x_shift, y = item->y0 >> c->y_shift;
  gint width = ((item->x1 + (gint) c->x_shift) >> c->x_shift) - x;
  gint height = ((item->y1 + (gint) c->y_shift) >> c->y_shift) - y;
  gint longest = MAX (width, height);

  return (Y10KBlurArea){
    .x = x,
    .y = y,
    .width = width,
    .height = height,
    .columns = CLAMP (Y10_K_MAX_CELLS * width / longest, 1, MAX (1, width / 4)),
    .rows = CLAMP (Y10_K_MAX_CELLS * height / longest, 1, MAX (1, height / 4)),
  };
}

static gboolean
blur (Y10PainterState *self, const Y10Canvas *canvas, const Y10PaintItem *item,
    GError **error)
{
  Y10KBlur p = {
    .wide = canvas->wide,
    .n_components = canvas->n_components,
    .means = GSIZE_TO_POINTER (self->device + N_LISTS * LIST_SIZE),
  };

  for (guint i = 0; i < canvas->n_components; i++) {
    fill_component (&p.component[i], &canvas->component[i]);
    p.area[i] = blur_area (item, &canvas->component[i]);
  }
  return launch (self, self->overlay_means, y10_overlay_means_launch (&p), &p,
             error)
      && launch (self, self->overlay_blur, y10_overlay_blur_launch (&p), &p,
          error);
}

/* Makes @to wait for the work queued on @from. */
static gboolean
follow (Y10PainterState *self, CUstream to, CUstream from, CUevent event,
    GError **error)
{
  return check (self, self->driver->event_record (event, from),
             "recording an event", error)
      && check (self, self->driver->stream_wait_event (to, event, 0),
          "waiting for an event", error);
}

static gboolean
draw_all (Y10PainterState *self, const Y10Canvas *canvas,
    const Y10PaintItem *items, guint n, GError **error)
{
  guint n_emptied = 0, n_drawn;

  for (; n; items += n_drawn, n -= n_drawn) {
    n_drawn = 1;
    if (items->kind == Y10_PAINT_BLUR
            ? !blur (self, canvas, items, error)
            : !draw_some (self, canvas, items, n, &n_drawn, &n_emptied, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
painter_draw (Y10PainterState *self, const Y10Canvas *canvas,
    const Y10PaintItem *items, guint n, gpointer cuda_stream, GError **error)
{
  CUstream stream = cuda_stream;
  gboolean ok;

  if (!enter_context (self, error))
    return FALSE;
  ok = (!stream || follow (self, self->stream, stream, self->before, error))
      && draw_all (self, canvas, items, n, error)
      && (stream ? follow (self, stream, self->stream, self->after, error)
                 : check (self, self->driver->stream_synchronize (self->stream),
                     "drawing", error));
  leave_context (self);
  return ok;
}

static const Y10PainterClass y10_painter_cuda = {
  .api_version = Y10_PAINTER_API_VERSION,
  .size = sizeof (Y10PainterClass),
  .probe = painter_probe,
  .open = painter_open,
  .close = painter_close,
  .draw = painter_draw,
};

/* The module's second export. */
__attribute__ ((visibility ("default"))) const Y10PainterClass *
y10_painter_module (void);

const Y10PainterClass *
y10_painter_module (void)
{
  return &y10_painter_cuda;
}
