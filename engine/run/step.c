/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Steps: begin → add → submit → wait → read → end. A step owns its slot from
 * begin to end. Both increment the slot's generation, so a call with a step
 * that has ended fails instead of reading or changing the results of a later
 * step. Only errors allocate memory. */

#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "base/sized.h"
#include "core/image.h"
#include "core/limits.h"
#include "model/model.h"
#include "run/engine.h"
#include "run/fit.h"
#include "run/step.h"

/**
 * y10_step_begin:
 * @engine: an engine
 * @until: deadline on the clock of g_get_monotonic_time(), microseconds; -1
 *   waits forever, 0 returns at once
 * @step: (out caller-allocates): the step
 * @error: return location for a #GError, or %NULL
 *
 * Begins a step in a free slot and waits for one until @until. It never takes a
 * slot whose step has not ended.
 *
 * Returns: %FALSE with %Y10_ERROR_BUSY if all slots are still in use, or with
 *   %Y10_ERROR_DEVICE_LOST
 *
 * Since: 0.1
 */
gboolean
y10_step_begin (Y10Engine *engine, gint64 until, Y10Step *step, GError **error)
{
  Y10EngineSlot *slot;
  guint i;

  pthread_mutex_lock (&engine->lock);
  for (;;) {
    if (!y10_engine_check_lost (engine, error)) {
      pthread_mutex_unlock (&engine->lock);
      return FALSE;
    }
    /* Take the lowest one: its arena is the likeliest to be in the cache. */
    for (i = 0; i < engine->config.n_slots; i++)
      if (engine->slots[i].state == Y10_SLOT_FREE)
        break;
    if (y10_test_skip_slot_check)
      i = 0;
    if (i < engine->config.n_slots)
      break;
    if (!y10_slot_wait_change (engine, until)) {
      pthread_mutex_unlock (&engine->lock);
      g_set_error (error, Y10_ERROR, Y10_ERROR_BUSY,
          "all %u slots are held by steps that have not ended",
          engine->config.n_slots);
      return FALSE;
    }
  }
  slot = &engine->slots[i];
  slot->state = Y10_SLOT_OPEN;
  slot->generation++;
  slot->n_images = 0;
  slot->input_done = FALSE;
  slot->width = slot->height = 0;
  slot->has_size = FALSE;
  *step = (Y10Step){ engine, i, slot->generation };
  pthread_mutex_unlock (&engine->lock);
  return TRUE;
}

static gboolean
check_params (const Y10Engine *engine, const Y10HeadParams *params,
    GError **error)
{
  if (!(params->confidence >= 0 && params->confidence <= 1)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "confidence is %g; expected 0 to 1", params->confidence);
    return FALSE;
  }
  if (!(params->iou >= 0 && params->iou <= 1)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "iou is %g; expected 0 to 1", params->iou);
    return FALSE;
  }
  if (params->max_detections < 1
      || params->max_detections > engine->config.max_detections) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "max_detections is %u; expected 1 to the engine's %u",
        params->max_detections, engine->config.max_detections);
    return FALSE;
  }
  for (guint i = 0; params->class_confidence && i < engine->graph->n_classes;
       i++)
    if (!(params->class_confidence[i] <= 1)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
          "the confidence of class %u is %g; expected at most 1", i,
          params->class_confidence[i]);
      return FALSE;
    }
  return TRUE;
}

/* Such as "host or CUDA". */
static char *
list_memories (guint memories)
{
  static const char *const
      names[] = { [Y10_MEMORY_HOST] = "host", [Y10_MEMORY_CUDA] = "CUDA" };
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (memories & Y10_MEMORY_BIT (i))
      g_string_append_printf (list, "%s%s", list->len ? " or " : "", names[i]);
  return g_string_free (list, FALSE);
}

static gboolean
check_memory (const Y10BackendClass *backend, Y10Memory memory, GError **error)
{
  g_autofree char *found = NULL, *expected = NULL;

  if (backend->memories & Y10_MEMORY_BIT (memory))
    return TRUE;
  found = list_memories (Y10_MEMORY_BIT (memory));
  expected = list_memories (backend->memories);
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "the image is in %s memory; backend %s expects %s memory", found,
      backend->name, expected);
  return FALSE;
}

static gboolean
check_tensor (const Y10Image *image, guint width, guint height, GError **error)
{
  if (image->format != Y10_PIXEL_TENSOR
      || (image->width == width && image->height == height))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "the tensor image is %u × %u; expected the network's input size, %u × %u",
      image->width, image->height, width, height);
  return FALSE;
}

static gboolean
check_image (const Y10Engine *engine, const Y10Image *image, GError **error)
{
  guint width, height;

  if (!y10_image_validate (image, error)
      || !check_memory (engine->backend, image->memory, error))
    return FALSE;
  y10_engine_choose_input_size (engine, image, NULL, 0, &width, &height);
  return check_tensor (image, width, height, error);
}

static gboolean
read_image (const Y10Image *image, const Y10HeadParams *params,
    Y10Image *image_read, Y10HeadParams *params_read, GError **error)
{
  return Y10_SIZED_READ (Y10Image, cuda_stream, image_read, image, error)
      && Y10_SIZED_READ (Y10HeadParams, classes, params_read, params, error);
}

gboolean
y10_engine_check_image (const Y10Engine *engine, const Y10Image *image,
    const Y10HeadParams *params, Y10Image *image_read,
    Y10HeadParams *params_read, GError **error)
{
  return read_image (image, params, image_read, params_read, error)
      && check_image (engine, image_read, error)
      && check_params (engine, params_read, error);
}

/* Copies @params and the arrays that they point to. */
static void
set_params (const Y10Engine *engine, Y10EngineSlot *slot, guint image,
    const Y10HeadParams *params)
{
  const guint n_classes = engine->graph->n_classes;
  Y10HeadParams *own = &slot->params[image];
  Y10HeadParams *backend = &slot->backend_params[image];

  *own = *params;
  if (own->classes)
    own->classes = memcpy (slot->classes + (gsize) image * n_classes,
        own->classes, n_classes);
  if (own->class_confidence)
    own->class_confidence = memcpy (slot->class_confidence
            + (gsize) image * n_classes,
        own->class_confidence, n_classes * sizeof *own->class_confidence);
  *backend = *own;
  if (!y10_limits_any (own))
    return;
  backend->confidence = y10_limits_least_confidence (own, n_classes);
  backend->max_detections = engine->config.max_detections;
}

/* The size of the step's input is that of its first image, unless it was set. */
static gboolean
take_size (const Y10Engine *engine, Y10EngineSlot *slot, const Y10Image *image,
    GError **error)
{
  guint width, height;

  if (slot->has_size)
    return check_tensor (image, slot->width, slot->height, error);
  y10_engine_choose_input_size (engine, image, NULL, 0, &width, &height);
  if (!slot->n_images) {
    slot->width = width;
    slot->height = height;
  }
  if (slot->width == width && slot->height == height)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "an image of %u × %u pixels has the input size %u × %u, but the step has "
      "%u × %u; expected images of one input size",
      image->width, image->height, width, height, slot->width, slot->height);
  return FALSE;
}

/* Copies the pixels, where the backend wants that, without the lock: every other
 * call for the step waits meanwhile. */
static gboolean
stage (Y10Engine *engine, Y10EngineSlot *slot, guint i, GError **error)
{
  GError *local = NULL;
  gboolean ok;

  if (!engine->backend->stage)
    return TRUE;
  slot->staging = TRUE;
  pthread_mutex_unlock (&engine->lock);
  ok = engine->backend->stage (slot->slot, i, &slot->images[i], &local);
  /* The step itself reports a lost device. */
  if (g_error_matches (local, Y10_ERROR, Y10_ERROR_DEVICE_LOST)) {
    g_clear_error (&local);
    ok = TRUE;
  }
  pthread_mutex_lock (&engine->lock);
  slot->staging = FALSE;
  if (slot->n_blocked)
    pthread_cond_broadcast (&engine->changed);
  if (local)
    g_propagate_error (error, local);
  return ok;
}

static gboolean
add_image (const Y10Step *step, const Y10Image *image,
    const Y10HeadParams *params, GError **error)
{
  Y10Engine *engine = step->engine;
  Y10EngineSlot *slot = y10_step_lock_slot (step, error);
  gboolean ok;
  guint i;

  if (!slot)
    return FALSE;
  ok = y10_slot_check_state (slot, Y10_SLOT_OPEN, "add an image", error);
  i = slot->n_images;
  if (ok && i == engine->config.max_batch) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the step is full (max_batch %u)", i);
    ok = FALSE;
  }
  ok = ok && take_size (engine, slot, image, error);
  if (ok) {
    slot->images[i] = *image;
    set_params (engine, slot, i, params);
    y10_engine_fit_image (engine, image, slot->width, slot->height,
        &slot->letterboxes[i]);
    ok = stage (engine, slot, i, error);
    slot->n_images += ok;
  }
  pthread_mutex_unlock (&engine->lock);
  return ok;
}

gboolean
y10_step_add_unchecked (const Y10Step *step, const Y10Image *image,
    const Y10HeadParams *params, GError **error)
{
  Y10Image own_image = { 0 };
  Y10HeadParams own_params = Y10_HEAD_PARAMS_INIT;

  return read_image (image, params, &own_image, &own_params, error)
      && add_image (step, &own_image, &own_params, error);
}

/**
 * y10_step_add:
 * @step: an open step
 * @image: an image. The struct is copied; the pixels may be read from now on
 *   and must stay valid until y10_step_wait_input()
 * @params: parameters of the head for this image, copied
 * @error: return location for a #GError, or %NULL
 *
 * Adds one image. Its index in the step is the number of images added before.
 * For a GPU, an image in host memory is copied here, into pinned memory.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT, %Y10_ERROR_UNSUPPORTED,
 *   %Y10_ERROR_STALE, or with %Y10_ERROR_NO_MEMORY or %Y10_ERROR_BACKEND from the
 *   GPU; the step is unchanged then
 *
 * Since: 0.1
 */
gboolean
y10_step_add (const Y10Step *step, const Y10Image *image,
    const Y10HeadParams *params, GError **error)
{
  Y10Image own_image = { 0 };
  Y10HeadParams own_params = Y10_HEAD_PARAMS_INIT;

  return y10_engine_check_image (step->engine, image, params, &own_image,
             &own_params, error)
      && add_image (step, &own_image, &own_params, error);
}

static gboolean
check_size (const Y10Engine *engine, guint width, guint height, GError **error)
{
  const Y10EngineConfig *c = &engine->config;

  if ((width == c->width && height == c->height)
      || (c->auto_size && y10_is_input_size (width) && width <= c->width
          && y10_is_input_size (height) && height <= c->height))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "the input size is %u × %u; expected %u × %u%s", width, height, c->width,
      c->height, c->auto_size ? ", or less in steps of 32" : "");
  return FALSE;
}

/**
 * y10_step_set_input_size:
 * @step: an open step without images
 * @width: width of the network's input, from y10_engine_choose_input_size()
 * @height: height of the network's input, likewise
 * @error: return location for a #GError, or %NULL
 *
 * Sets the input size into which all images of the step are fitted. Only an engine with
 * @auto_size has a choice, and a step of it gets the size of its first image otherwise;
 * call it for parts of an image, which share one size.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT or %Y10_ERROR_STALE
 *
 * Since: 0.2
 */
gboolean
y10_step_set_input_size (const Y10Step *step, guint width, guint height,
    GError **error)
{
  Y10EngineSlot *slot = y10_step_lock_slot (step, error);
  gboolean ok;

  if (!slot)
    return FALSE;
  ok = y10_slot_check_state (slot, Y10_SLOT_OPEN, "set the input size", error)
      && check_size (step->engine, width, height, error);
  if (ok && slot->n_images) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the step has %u images; expected none before its input size is set",
        slot->n_images);
    ok = FALSE;
  }
  if (ok) {
    slot->width = width;
    slot->height = height;
    slot->has_size = TRUE;
  }
  pthread_mutex_unlock (&step->engine->lock);
  return ok;
}

/**
 * y10_step_submit:
 * @step: an open step with at least one image
 * @error: return location for a #GError, or %NULL
 *
 * Queues the step for the device thread. Does not block.
 *
 * Returns: %FALSE with %Y10_ERROR_STALE, %Y10_ERROR_INVALID_ARGUMENT or
 *   %Y10_ERROR_DEVICE_LOST
 *
 * Since: 0.1
 */
gboolean
y10_step_submit (const Y10Step *step, GError **error)
{
  Y10Engine *engine = step->engine;
  Y10EngineSlot *slot = y10_step_lock_slot (step, error);
  gboolean ok;

  if (!slot)
    return FALSE;
  ok = y10_slot_check_state (slot, Y10_SLOT_OPEN, "submit", error)
      && y10_engine_check_lost (engine, error);
  if (ok && !slot->n_images) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "the step has no images; expected at least 1");
    ok = FALSE;
  }
  if (ok) {
    slot->state = Y10_SLOT_SUBMITTED;
    y10_slot_queue_push (engine, &engine->queued, step->slot);
    pthread_cond_signal (&engine->work);
  }
  pthread_mutex_unlock (&engine->lock);
  return ok;
}

static gboolean
wait_until (const Y10Step *step, gboolean input, gint64 until, GError **error)
{
  Y10Engine *engine = step->engine;
  Y10EngineSlot *slot = y10_step_lock_slot (step, error);
  gboolean ok = TRUE;

  if (!slot)
    return FALSE;
  if (slot->state == Y10_SLOT_OPEN)
    ok = y10_slot_check_state (slot, Y10_SLOT_SUBMITTED, "wait", error);
  while (ok && slot->state != Y10_SLOT_DONE && !(input && slot->input_done))
    if (!y10_slot_wait_change (engine, until)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_TIMED_OUT,
          "timed out: the step is still running");
      ok = FALSE;
    }
  if (ok && slot->error && !input) {
    g_propagate_error (error, g_error_copy (slot->error));
    ok = FALSE;
  }
  pthread_mutex_unlock (&engine->lock);
  return ok;
}

/**
 * y10_step_wait_input:
 * @step: a submitted step
 * @until: deadline on the clock of g_get_monotonic_time(), microseconds; -1
 *   waits forever
 * @error: return location for a #GError, or %NULL
 *
 * Waits until the pixels of all images have been read. Afterwards their memory
 * may be reused.
 *
 * Returns: %FALSE with %Y10_ERROR_TIMED_OUT or %Y10_ERROR_STALE
 *
 * Since: 0.1
 */
gboolean
y10_step_wait_input (const Y10Step *step, gint64 until, GError **error)
{
  return wait_until (step, TRUE, until, error);
}

/**
 * y10_step_wait:
 * @step: a submitted step
 * @until: deadline on the clock of g_get_monotonic_time(), microseconds; -1
 *   waits forever
 * @error: return location for a #GError, or %NULL
 *
 * Waits for the results.
 *
 * Returns: %FALSE with %Y10_ERROR_TIMED_OUT, %Y10_ERROR_STALE or the error of
 *   the device
 *
 * Since: 0.1
 */
gboolean
y10_step_wait (const Y10Step *step, gint64 until, GError **error)
{
  return wait_until (step, FALSE, until, error);
}

/**
 * y10_step_read:
 * @step: a step that is done, see y10_step_wait()
 * @image: index of the image, in the order in which they were added
 * @detections: (out caller-allocates) (array length=max_detections): buffer for
 *   the detections
 * @max_detections: size of @detections
 * @error: return location for a #GError, or %NULL
 *
 * Copies the detections of one image, best first. The copy stays valid after
 * the step has ended.
 *
 * Returns: the number of copied detections, or -1 with %Y10_ERROR_STALE,
 *   %Y10_ERROR_INVALID_ARGUMENT or the error of the device
 *
 * Since: 0.1
 */
gint
y10_step_read (const Y10Step *step, guint image, Y10Detection *detections,
    guint max_detections, GError **error)
{
  Y10Engine *engine = step->engine;
  Y10EngineSlot *slot = y10_step_lock_slot (step, error);
  gint n = -1;

  if (!slot)
    return -1;
  if (y10_slot_check_state (slot, Y10_SLOT_DONE, "read results", error)) {
    if (slot->error) {
      g_propagate_error (error, g_error_copy (slot->error));
    } else if (image >= slot->n_images) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
          "there is no image %u; the step has %u images", image,
          slot->n_images);
    } else {
      const Y10Rows *rows = engine->backend->rows (slot->slot, image);
      n = (gint) y10_limits_apply (&slot->params[image], rows->rows, rows->n,
          &slot->images[image], detections, max_detections);
    }
  }
  pthread_mutex_unlock (&engine->lock);
  return n;
}

/**
 * y10_step_get_times:
 * @step: a step that is done, see y10_step_wait()
 * @times: (inout): durations of the step's stages; the caller sets @size
 * @error: return location for a #GError, or %NULL
 *
 * Returns: %FALSE with %Y10_ERROR_STALE
 *
 * Since: 0.1
 */
gboolean
y10_step_get_times (const Y10Step *step, Y10StepTimes *times, GError **error)
{
  Y10EngineSlot *slot = y10_step_lock_slot (step, error);
  gboolean ok;

  if (!slot)
    return FALSE;
  ok = y10_slot_check_state (slot, Y10_SLOT_DONE, "read times", error);
  if (ok)
    Y10_SIZED_WRITE (Y10StepTimes, postprocess, times, &slot->times);
  pthread_mutex_unlock (&step->engine->lock);
  return ok;
}

#ifdef Y10_POISON
static gboolean
poison_slot (Y10Engine *engine, gpointer data, GError **error)
{
  engine->backend->poison (((Y10EngineSlot *) data)->slot);
  return TRUE;
}
#endif

/**
 * y10_step_end:
 * @step: a step
 *
 * Ends a step. If it is running, waits until its pixels have been read; the
 * slot becomes free when the device has finished. Ending a step twice does
 * nothing.
 *
 * Since: 0.1
 */
void
y10_step_end (const Y10Step *step)
{
  Y10Engine *engine = step->engine;
  Y10EngineSlot *slot = y10_step_lock_slot (step, NULL);

  if (!slot)
    return;
  while (slot->state == Y10_SLOT_SUBMITTED && !slot->input_done)
    y10_slot_wait_change (engine, -1);
  slot->generation++;
  if (slot->state == Y10_SLOT_SUBMITTED) {
    slot->abandoned = TRUE;
  } else {
#ifdef Y10_POISON
    /* The slot is not free yet, and the caller no longer has access. */
    pthread_mutex_unlock (&engine->lock);
    if (y10_engine_is_own_thread (engine))
      poison_slot (engine, slot, NULL);
    else
      y10_engine_call (engine, poison_slot, slot, NULL);
    pthread_mutex_lock (&engine->lock);
#endif
    g_clear_error (&slot->error);
    slot->state = Y10_SLOT_FREE;
    pthread_cond_broadcast (&engine->changed);
  }
  pthread_mutex_unlock (&engine->lock);
}
