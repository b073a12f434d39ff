/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The CUDA context of an element, and its frames in CUDA memory. A pipeline
 * shares one context: the application's, else a neighbour's, else the GPU's
 * primary context, which other CUDA code of the process uses anyway. This
 * element publishes the latter, so that the decoder, which opens later, shares
 * it. libgstcuda loads the driver at run time, so all of this works on a
 * machine without one.
 *
 * GStreamer 1.24 added streams. Their functions are looked up when the first
 * context is opened, so that one build runs with older and newer versions. */
#define GST_USE_UNSTABLE_API
#include "common/cuda.h"

#include <dlfcn.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

GST_DEBUG_CATEGORY_STATIC (gst_y10_cuda_debug);
#define GST_CAT_DEFAULT gst_y10_cuda_debug

/* Formats that both GStreamer's CUDA memory and the engine support. */
#define FORMATS \
  "{ NV12, P010_10LE, I420, YV12, NV21, Y42B, Y444, RGBA, BGRA, RGBx, BGRx, " \
  "ARGB, ABGR, RGB, BGR, RGBP, GBR }"

/* GST_CUDA_MEMORY_TRANSFER_NEED_SYNC in versions whose memory has a stream. */
#define MEMORY_NEEDS_SYNC (GST_MEMORY_FLAG_LAST << 2)

struct _GstY10Cuda
{
  GstElement *element; /* not owned; it owns this object */
  GMutex lock;
  GstCudaContext *context;
  GPtrArray *lost; /* GWeakRefs of contexts not to be used again */
};

/* Looked up once and never released. */
static struct
{
  gpointer (*memory_get_stream) (GstCudaMemory *memory);
  gpointer (*stream_get_handle) (gpointer stream);
  CUresult (*primary_retain) (CUcontext *context, CUdevice device);
  CUresult (*primary_release) (CUdevice device);
} symbols;

/* Returns the CUDA caps that this build accepts; empty if none. */
GstCaps *
gst_y10_cuda_get_caps (void)
{
  static GstStaticCaps caps = GST_STATIC_CAPS (
      "video/x-raw(" GST_Y10_FEATURE_CUDA "), format = (string) " FORMATS ", "
      "width = (int) [ 1, 16384 ], height = (int) [ 1, 16384 ], "
      "framerate = (fraction) [ 0, max ]");

  return gst_static_caps_get (&caps);
}

static void
weak_free (gpointer weak)
{
  g_weak_ref_clear (weak);
  g_free (weak);
}

/* Call with the lock held. Weak references, because a lost context frees its
 * memory only when destroyed, and a destroyed one cannot turn up again. */
static gboolean
was_lost (GstY10Cuda *self, GstCudaContext *context)
{
  gboolean lost = FALSE;

  for (guint i = 0; context && i < self->lost->len && !lost; i++) {
    GstCudaContext *one = g_weak_ref_get (self->lost->pdata[i]);

    lost = one == context;
    gst_clear_object (&one);
  }
  return lost;
}

/* Borrows @element, which must outlive it. Has no context yet. */
GstY10Cuda *
gst_y10_cuda_new (GstElement *element)
{
  GstY10Cuda *self = g_new0 (GstY10Cuda, 1);

  GST_DEBUG_CATEGORY_INIT (gst_y10_cuda_debug, "y10cuda", 0,
      "YOLOv10 frames in CUDA memory");
  self->element = element;
  self->lost = g_ptr_array_new_with_free_func (weak_free);
  g_mutex_init (&self->lock);
  return self;
}

/* No engine may use the context any more. */
void
gst_y10_cuda_free (GstY10Cuda *self)
{
  if (!self)
    return;
  gst_y10_cuda_close (self);
  g_ptr_array_unref (self->lost);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static gboolean
has_context (GstY10Cuda *self)
{
  gboolean has;

  g_mutex_lock (&self->lock);
  has = self->context != NULL;
  g_mutex_unlock (&self->lock);
  return has;
}

static guint
device_of (GstCudaContext *context)
{
  guint id = 0;

  g_object_get (context, "cuda-device-id", &id, NULL);
  return id;
}

/* Takes @context if there is none yet, and if it is a CUDA context of the right
 * GPU (-1: any) that was not lost. Any thread, with or without a driver. */
void
gst_y10_cuda_set_context (GstY10Cuda *self, GstContext *context, gint device_id)
{
  g_mutex_lock (&self->lock);
  gst_cuda_handle_set_context (self->element, context, device_id,
      &self->context);
  if (was_lost (self, self->context))
    gst_clear_object (&self->context);
  g_mutex_unlock (&self->lock);
}

/* Answers a context query with the current context. Returns TRUE if it did. */
gboolean
gst_y10_cuda_answer (GstY10Cuda *self, GstQuery *query)
{
  GstCudaContext *context = NULL;
  gboolean answered;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT)
    return FALSE;
  g_mutex_lock (&self->lock);
  if (self->context)
    context = gst_object_ref (self->context);
  g_mutex_unlock (&self->lock);
  answered = gst_cuda_handle_context_query (self->element, query, context);
  gst_clear_object (&context);
  return answered;
}

static gpointer
look_up (gpointer unused)
{
  /* Never closed: the driver stays loaded anyway. */
  gpointer driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  gpointer streams = dlsym (RTLD_DEFAULT, "gst_cuda_memory_get_stream");

  symbols.stream_get_handle = dlsym (RTLD_DEFAULT,
      "gst_cuda_stream_get_handle");
  if (symbols.stream_get_handle)
    symbols.memory_get_stream = streams;
  if (driver) {
    symbols.primary_release = dlsym (driver, "cuDevicePrimaryCtxRelease_v2");
    symbols.primary_retain = dlsym (driver, "cuDevicePrimaryCtxRetain");
  }
  GST_DEBUG ("CUDA streams of producers are %savailable",
      symbols.memory_get_stream ? "" : "not ");
  return NULL;
}

/* Loads the driver, if not loaded yet. Returns whether CUDA frames can be
 * accessed. Any thread. */
gboolean
gst_y10_cuda_load (GError **error)
{
  static GOnce once = G_ONCE_INIT;

  if (!gst_cuda_load_library ()) {
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        "GStreamer cannot load the NVIDIA driver (libcuda.so.1)");
    return FALSE;
  }
  gst_cuda_memory_init_once ();
  g_once (&once, look_up, NULL);
  return TRUE;
}

/* Asks the neighbours on one side; set_context() decides what to take. */
static void
ask_peers (GstY10Cuda *self, GList *pads, GstQuery *query)
{
  GstContext *context = NULL;

  for (GList *l = pads; l && !has_context (self); l = l->next) {
    if (!gst_pad_peer_query (l->data, query))
      continue;
    gst_query_parse_context (query, &context);
    if (context)
      gst_element_set_context (self->element, context);
  }
}

/* GStreamer's order: own context, downstream, upstream, then bins and the
 * application. Must hold no lock, because they answer through set_context(). */
static void
ask_around (GstY10Cuda *self, gint device_id)
{
  g_autoptr (GstContext)
      given = gst_element_get_context (self->element, GST_CUDA_CONTEXT_TYPE);
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);

  if (given)
    gst_y10_cuda_set_context (self, given, device_id);
  ask_peers (self, self->element->srcpads, query);
  ask_peers (self, self->element->sinkpads, query);
  if (!has_context (self))
    gst_element_post_message (self->element,
        gst_message_new_need_context (GST_OBJECT (self->element),
            GST_CUDA_CONTEXT_TYPE));
}

static void
release_primary (gpointer device_plus_1)
{
  symbols.primary_release (GPOINTER_TO_INT (device_plus_1) - 1);
}

/* Others may keep the GstCudaContext for longer, so it owns the reference to
 * the primary context. Stores device + 1: NULL data would not be kept. */
static GstCudaContext *
wrap_primary (CUdevice device)
{
  GstCudaContext *context;
  CUcontext handle;

  if (!symbols.primary_retain || !symbols.primary_release
      || !gst_cuda_result (symbols.primary_retain (&handle, device)))
    return NULL;
  context = gst_cuda_context_new_wrapped (handle, device);
  if (context)
    g_object_set_data_full (G_OBJECT (context), "y10-primary",
        GINT_TO_POINTER (device + 1), release_primary);
  else
    symbols.primary_release (device);
  return context;
}

/* Replaces a lost primary context, which stays the same while anyone retains
 * it. All elements of the process share the replacement, so that they can share
 * an engine. */
static GstCudaContext *
replace_primary (GstY10Cuda *self, guint device_id)
{
  static GMutex lock;
  static GWeakRef latest;
  GstCudaContext *context;
  gboolean fits;

  g_mutex_lock (&lock);
  context = g_weak_ref_get (&latest);
  g_mutex_lock (&self->lock);
  fits = context && device_of (context) == device_id
      && !was_lost (self, context);
  g_mutex_unlock (&self->lock);
  if (!fits) {
    gst_clear_object (&context);
    context = gst_cuda_context_new (device_id);
    g_weak_ref_set (&latest, context);
  }
  g_mutex_unlock (&lock);
  return context;
}

static gboolean
make_context (GstY10Cuda *self, gint device_id, GError **error)
{
  GstCudaContext *made = NULL;
  GstContext *context;
  CUdevice device;

  if (gst_cuda_result (CuInit (0))
      && gst_cuda_result (CuDeviceGet (&device, MAX (device_id, 0)))) {
    if (!self->lost->len)
      made = wrap_primary (device);
    if (!made)
      made = replace_primary (self, (guint) MAX (device_id, 0));
  }
  if (!made) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        "cannot open GPU %d", MAX (device_id, 0));
    return FALSE;
  }
  /* Through set_context(), like all other contexts. */
  context = gst_context_new_cuda_context (made);
  gst_object_unref (made);
  gst_element_set_context (self->element, context);
  gst_element_post_message (self->element,
      gst_message_new_have_context (GST_OBJECT (self->element), context));
  return has_context (self);
}

/* Finds or creates a context on GPU @device_id (-1: any). Call in NULL to
 * READY, when the decoder opens its own. */
gboolean
gst_y10_cuda_open (GstY10Cuda *self, gint device_id, GError **error)
{
  if (!gst_y10_cuda_load (error))
    return FALSE;
  g_mutex_lock (&self->lock);
  /* cuda-device-id may have changed since the context was set. */
  if (self->context && device_id >= 0
      && device_of (self->context) != (guint) device_id)
    gst_clear_object (&self->context);
  g_mutex_unlock (&self->lock);
  if (!has_context (self))
    ask_around (self, device_id);
  return has_context (self) || make_context (self, device_id, error);
}

/* No engine may use the context any more. */
void
gst_y10_cuda_close (GstY10Cuda *self)
{
  GstCudaContext *context;

  g_mutex_lock (&self->lock);
  context = g_steal_pointer (&self->context);
  g_ptr_array_set_size (self->lost, 0);
  g_mutex_unlock (&self->lock);
  gst_clear_object (&context);
}

static GstCudaContext *
context_of (GstBuffer *buffer)
{
  GstMemory *memory = gst_buffer_n_memory (buffer) == 1
      ? gst_buffer_peek_memory (buffer, 0)
      : NULL;

  return gst_is_cuda_memory (memory) ? GST_CUDA_MEMORY_CAST (memory)->context
                                     : NULL;
}

/* Drops a lost context and refuses it from now on, whoever offers it, until
 * gst_y10_cuda_close(). No engine may use it any more. */
void
gst_y10_cuda_lose (GstY10Cuda *self)
{
  GstCudaContext *context;

  g_mutex_lock (&self->lock);
  context = g_steal_pointer (&self->context);
  if (context) {
    GWeakRef *weak = g_new (GWeakRef, 1);

    g_weak_ref_init (weak, context);
    g_ptr_array_add (self->lost, weak);
  }
  g_mutex_unlock (&self->lock);
  gst_clear_object (&context);
}

/* Returns whether @buffer belongs to a lost context. */
gboolean
gst_y10_cuda_is_lost (GstY10Cuda *self, GstBuffer *buffer)
{
  GstCudaContext *theirs = context_of (buffer);
  gboolean lost;

  g_mutex_lock (&self->lock);
  lost = was_lost (self, theirs);
  g_mutex_unlock (&self->lock);
  return lost;
}

/* Returns the CUcontext, or NULL. It is valid until gst_y10_cuda_close(),
 * gst_y10_cuda_adopt() or gst_y10_cuda_lose(); after the last of these, an engine
 * cannot be made in it. */
gpointer
gst_y10_cuda_get_handle (GstY10Cuda *self)
{
  gpointer handle;

  g_mutex_lock (&self->lock);
  handle = self->context ? gst_cuda_context_get_handle (self->context) : NULL;
  g_mutex_unlock (&self->lock);
  return handle;
}

/* Returns FALSE if @buffer is in another CUDA context than this one. Buffers
 * without CUDA memory return TRUE; gst_y10_cuda_map() rejects them. */
gboolean
gst_y10_cuda_is_ours (GstY10Cuda *self, GstBuffer *buffer)
{
  GstCudaContext *theirs = context_of (buffer);
  gboolean ours;

  /* Recovery may drop the context meanwhile. */
  g_mutex_lock (&self->lock);
  ours = !theirs || theirs == self->context
      || (self->context
          && gst_cuda_context_get_handle (theirs)
              == gst_cuda_context_get_handle (self->context));
  g_mutex_unlock (&self->lock);
  return ours;
}

/* Switches to the context of @buffer, which must be on GPU @device_id (-1:
 * any). No engine may use the old one any more. */
gboolean
gst_y10_cuda_adopt (GstY10Cuda *self, GstBuffer *buffer, gint device_id,
    GError **error)
{
  GstCudaContext *theirs = context_of (buffer), *ours;

  if (device_id >= 0 && device_of (theirs) != (guint) device_id) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "a frame is on GPU %u, expected GPU %d as in cuda-device-id: set the "
        "same cuda-device-id on all elements",
        device_of (theirs), device_id);
    return FALSE;
  }
  g_mutex_lock (&self->lock);
  ours = self->context;
  self->context = gst_object_ref (theirs);
  g_mutex_unlock (&self->lock);
  gst_clear_object (&ours);
  return TRUE;
}

/* Without GstVideoMeta only the memory knows its pitch; the caps do not. */
static const GstVideoInfo *
find_layout (GstBuffer *buffer, const GstVideoInfo *info)
{
  GstCudaMemory *memory = GST_CUDA_MEMORY_CAST (
      gst_buffer_peek_memory (buffer, 0));

  if (!gst_buffer_get_video_meta (buffer)
      && GST_VIDEO_INFO_FORMAT (&memory->info) == GST_VIDEO_INFO_FORMAT (info)
      && GST_VIDEO_INFO_WIDTH (&memory->info) == GST_VIDEO_INFO_WIDTH (info)
      && GST_VIDEO_INFO_HEIGHT (&memory->info) == GST_VIDEO_INFO_HEIGHT (info))
    return &memory->info;
  return info;
}

/* Copies memory that is shared or kept by a decoder, on the GPU. The copy may
 * have another layout. */
static gboolean
make_writable (GstBuffer *buffer)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0), *copy;
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  const GstVideoInfo *info;

  if (gst_memory_is_writable (memory))
    return TRUE;
  copy = gst_memory_copy (memory, 0, -1);
  if (!gst_is_cuda_memory (copy)) {
    g_clear_pointer (&copy, gst_memory_unref);
    return FALSE;
  }
  info = &GST_CUDA_MEMORY_CAST (copy)->info;
  for (guint i = 0; meta && i < meta->n_planes; i++) {
    meta->offset[i] = GST_VIDEO_INFO_PLANE_OFFSET (info, i);
    meta->stride[i] = GST_VIDEO_INFO_PLANE_STRIDE (info, i);
  }
  gst_buffer_replace_memory (buffer, 0, copy);
  return TRUE;
}

/* Returns the GstCudaStream that writes the memory, or NULL. */
static gpointer
producer_of (GstBuffer *buffer)
{
  return symbols.memory_get_stream ? symbols.memory_get_stream (
             GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0)))
                                   : NULL;
}

/* Maps a CUDA frame in place; planes are device addresses. @stream is the
 * CUstream that may still be writing it, or NULL. The mapping keeps @buffer,
 * and with it the stream. Neither allocates nor waits, unless shared memory is
 * mapped for writing. */
gboolean
gst_y10_cuda_map (GstVideoFrame *frame, const GstVideoInfo *info,
    GstBuffer *buffer, GstMapFlags access, gpointer *stream, GError **error)
{
  gpointer producer;

  *stream = NULL;
  if (!context_of (buffer)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "a frame has %u memory blocks, expected a single CUDA memory as in the "
        "caps",
        gst_buffer_n_memory (buffer));
    return FALSE;
  }
  if (((access & GST_MAP_WRITE) && !make_writable (buffer))
      || !gst_video_frame_map (frame, find_layout (buffer, info), buffer,
          (GstMapFlags) (access | GST_MAP_CUDA))) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot map a frame in CUDA memory, expected %dx%d %s",
        GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info),
        GST_VIDEO_INFO_NAME (info));
    return FALSE;
  }
  producer = producer_of (buffer);
  *stream = producer ? symbols.stream_get_handle (producer) : NULL;
  return TRUE;
}

/* Marks an unmapped frame as written asynchronously: readers on other streams
 * must wait. */
void
gst_y10_cuda_set_written (GstBuffer *buffer)
{
  if (producer_of (buffer))
    GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (buffer, 0),
        MEMORY_NEEDS_SYNC);
}
