/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The backend's class: what each entry point calls within the device's context. */

#include "config.h"

#include <string.h>

#include "autotune/autotune.h"
#include "slot.h"

/* Above the CPU; auto takes it after a self-check. */
#define SCORE 100

/* The attention kernel's shared memory holds keys up to this size. */
#define MAX_KEY_DIM 128

static int
cuda_probe (GString *why)
{
  const Y10CudaDriver *driver = y10_cuda_driver_get (why);
  CUdevice id;

  if (!driver || !y10_cuda_find_gpu (driver, -1, &id, why)
      || !y10_cuda_conv_probe (why))
    return 0;
  return SCORE;
}

/* Appends the driver's release, for example "580.65.06": many releases share
 * one CUDA version. Appends nothing where the kernel does not report it. */
static void
append_driver (GString *key)
{
  g_autofree char *text = NULL;

  if (g_file_get_contents ("/proc/driver/nvidia/version", &text, NULL, NULL))
    g_string_append_printf (key, "driver %.*s\n", (int) strcspn (text, "\n"),
        text);
}

/* The GPU that y10_cuda_device_open() would take. */
static gboolean
find_gpu (const Y10CudaDriver *d, const Y10DeviceConfig *config, CUdevice *id,
    GString *why)
{
  CUcontext popped;
  gboolean ok;

  if (!config->cuda_context)
    return y10_cuda_find_gpu (d, config->device_id, id, why);
  ok = d->ctx_push (config->cuda_context) == Y10_CU_SUCCESS;
  if (ok) {
    ok = d->ctx_get_device (id) == Y10_CU_SUCCESS;
    d->ctx_pop (&popped);
  }
  if (!ok)
    g_string_append (why, "the given context cannot be used");
  return ok;
}

static void
cuda_identify (const Y10DeviceConfig *config, GString *key)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10CudaDriver *d = y10_cuda_driver_get (why);
  char name[128] = "";
  int version = 0, major = 0, minor = 0;
  CUdevice id;

  if (!d || !find_gpu (d, config, &id, why)) {
    g_string_append_printf (key, "no gpu: %s\n", why->str);
    return;
  }
  d->device_get_name (name, sizeof name, id);
  d->driver_get_version (&version);
  y10_cuda_get_capability (d, id, &major, &minor);
  g_strdelimit (name, "\n", ' ');
  g_string_append_printf (key,
      "gpu %s\ncapability %d.%d\ncuda %d\n"
      "cudnn %u\n",
      name, major, minor, version, y10_cuda_conv_get_version ("cudnn"));
  append_driver (key);
}

static const char *
cuda_describe (Y10Device *device)
{
  return device->description;
}

static guint
cuda_threads (Y10Device *device)
{
  return 1;
}

static gboolean
cuda_layout (Y10Device *device, Y10Precision *precision, Y10Layout *layout,
    GError **error)
{
  gboolean ampere = device->major >= 8;

  if (*precision == Y10_PRECISION_AUTO)
    *precision = Y10_PRECISION_FP16;
  if (*precision != Y10_PRECISION_FP16 && *precision != Y10_PRECISION_FP32
      && !(ampere
          && (*precision == Y10_PRECISION_BF16
              || *precision == Y10_PRECISION_TF32))) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "%s has no precision %s; it has fp16%s and fp32", device->description,
        y10_precision_get_name (*precision), ampere ? ", bf16, tf32" : "");
    return FALSE;
  }
  *layout = (Y10Layout){
    .block = Y10_CUDA_BLOCK,
    .channels_last = TRUE,
    .input_block = Y10_CUDA_BLOCK,
    .align = Y10_CUDA_ALIGN,
    .half = *precision == Y10_PRECISION_FP16,
    .max_run = G_MAXUINT,
    .parallel = TRUE,
    .pairs = TRUE,
  };
  layout->elem_size = layout->half || *precision == Y10_PRECISION_BF16 ? 2 : 4;
  layout->input_elem_size = layout->elem_size;
  return TRUE;
}

static gboolean
cuda_supports (Y10Device *device, const Y10Graph *graph, const Y10Op *op,
    Y10Precision precision, GString *why)
{
  if (op->kind == Y10_OP_ATTENTION && op->key_dim > MAX_KEY_DIM) {
    g_string_append_printf (why,
        "its keys have %u values; expected at most "
        "%u",
        op->key_dim, MAX_KEY_DIM);
    return FALSE;
  }
  return TRUE;
}

static Y10Program *
compile (Y10Device *device, Y10Program *base, const Y10Plan *plan,
    Y10Precision precision, GCancellable *cancellable, GError **error)
{
  Y10Program *program = NULL;

  if (y10_cuda_enter (device, error)) {
    program = y10_cuda_program_new (device, base, plan, precision, cancellable,
        error);
    y10_cuda_leave_with (device, program != NULL, error);
  }
  return program;
}

static Y10Program *
cuda_compile (Y10Device *device, const Y10Plan *plan, Y10Precision precision,
    GCancellable *cancellable, GError **error)
{
  return compile (device, NULL, plan, precision, cancellable, error);
}

static Y10Program *
cuda_compile_size (Y10Program *base, const Y10Plan *plan,
    Y10Precision precision, GError **error)
{
  return compile (base->device, base, plan, precision, NULL, error);
}

/* Steps may come again before the program can be freed, and then tune it anew. */
static gboolean
cuda_may_free (Y10Program *program)
{
  Y10CudaTune *tune = program->base->tune;

  program->occurred = 0;
  return !tune || y10_cuda_tune_leave (tune, program);
}

static void
cuda_program_free (Y10Program *program)
{
  Y10Device *device = program->device;
  gboolean entered = y10_cuda_enter_to_free (device);

  y10_cuda_program_free (program);
  if (entered)
    y10_cuda_leave (device);
}

static gsize
cuda_weights_size (Y10Program *program)
{
  return program->weights_size;
}

static void
cuda_request_batch_size (Y10Program *program, guint n, Y10TuneChanged changed,
    gpointer data)
{
  if (y10_cuda_enter (program->device, NULL)) {
    y10_cuda_program_request (program, n, changed, data);
    y10_cuda_leave (program->device);
  }
}

static void
cuda_tune (Y10Program *program, Y10TuneChanged changed, gpointer data)
{
  GError *error = NULL;

  program->tune = y10_cuda_tune_new (program, changed, data, &error);
  if (error)
    program->not_tuned = g_intern_string (error->message);
  g_clear_error (&error);
}

static void
cuda_tune_end (Y10Program *program)
{
  gboolean entered = y10_cuda_enter (program->device, NULL);

  g_clear_pointer (&program->tune, y10_cuda_tune_free);
  g_clear_pointer (&program->preparer, y10_cuda_preparer_free);
  if (entered)
    y10_cuda_leave (program->device);
}

static void
cuda_progress (Y10Program *program, Y10TuningProgress *progress)
{
  *progress = (Y10TuningProgress){
    .finished = TRUE,
    .note = program->not_tuned,
  };
  if (program->tune)
    y10_cuda_tune_get_progress (program->tune, progress);
  if (g_atomic_int_get (&program->n_preparing))
    progress->finished = FALSE;
}

static Y10Slot *
new_slot (Y10Program *program, Y10Slot *base, guint max_batch, guint max_rows,
    GError **error)
{
  Y10Slot *slot = NULL;

  if (y10_cuda_enter (program->device, error)) {
    slot = y10_cuda_slot_new (program, base, max_batch, max_rows, error);
    y10_cuda_leave_with (program->device, slot != NULL, error);
  }
  return slot;
}

static Y10Slot *
cuda_slot_new (Y10Program *program, guint max_batch, guint max_rows,
    GError **error)
{
  return new_slot (program, NULL, max_batch, max_rows, error);
}

static Y10Slot *
cuda_slot_new_size (Y10Program *program, Y10Slot *base, GError **error)
{
  return new_slot (program, base, base->max_batch, base->max_rows, error);
}

static void
cuda_slot_free (Y10Slot *slot)
{
  Y10Device *device = slot->program->device;
  gboolean entered = y10_cuda_enter_to_free (device);

  if (entered) /* plans last ran on its lanes */
    y10_cuda_conv_lib_forget_stream (device->conv);
  y10_cuda_slot_free (slot);
  if (entered)
    y10_cuda_leave (device);
}

static gboolean
cuda_reserve (Y10Slot *slot, guint n, const Y10Image *image, GError **error)
{
  Y10Device *device = slot->program->device;

  return y10_cuda_enter (device, error)
      && y10_cuda_leave_with (device,
          y10_cuda_slot_reserve (slot, n, image, error), error);
}

static gboolean
cuda_stage (Y10Slot *slot, guint i, const Y10Image *image, GError **error)
{
  Y10Device *device = slot->program->device;

  /* A destroyed context has no pinned memory. */
  return y10_cuda_enter (device, error)
      && y10_cuda_leave_with (device,
          y10_cuda_slot_stage (slot, i, image, error), error);
}

static gboolean
cuda_load (Y10Slot *slot, guint i, const Y10Image *image,
    const Y10Letterbox *letterbox, const Y10HeadParams *params, GError **error)
{
  Y10Device *device = slot->program->device;

  return y10_cuda_enter (device, error)
      && y10_cuda_leave_with (device,
          y10_cuda_slot_load (slot, i, image, letterbox, params, error), error);
}

static gboolean
cuda_submit (Y10Slot *slot, guint n, guint first, guint end, GError **error)
{
  Y10Device *device = slot->program->device;

  return y10_cuda_enter (device, error)
      && y10_cuda_leave_with (device,
          y10_cuda_slot_submit (slot, n, first, end, error), error);
}

static gboolean
cuda_wait_input (Y10Slot *slot, GError **error)
{
  Y10Device *device = slot->program->device;

  return y10_cuda_enter (device, error)
      && y10_cuda_leave_with (device, y10_cuda_slot_wait_input (slot, error),
          error);
}

static gboolean
cuda_wait (Y10Slot *slot, GError **error)
{
  Y10Device *device = slot->program->device;

  return y10_cuda_enter (device, error)
      && y10_cuda_leave_with (device, y10_cuda_slot_wait (slot, error), error);
}

static gboolean
copy_view (Y10Slot *slot, guint i, Y10View view, gfloat *out, const gfloat *in,
    GError **error)
{
  Y10Device *device = slot->program->device;

  return y10_cuda_enter (device, error)
      && y10_cuda_leave_with (device,
          y10_cuda_slot_copy (slot, i, view, out, in, error), error);
}

static gboolean
cuda_read_tensor (Y10Slot *slot, guint i, Y10View view, gfloat *nchw,
    GError **error)
{
  return copy_view (slot, i, view, nchw, NULL, error);
}

static gboolean
cuda_write_tensor (Y10Slot *slot, guint i, Y10View view, const gfloat *nchw,
    GError **error)
{
  return copy_view (slot, i, view, NULL, nchw, error);
}

static void
cuda_poison (Y10Slot *slot)
{
  Y10Device *device = slot->program->device;

  if (y10_cuda_enter (device, NULL)) {
    y10_cuda_slot_poison (slot);
    y10_cuda_leave (device);
  }
}

static const Y10BackendClass y10_backend_cuda = {
  .api_version = Y10_BACKEND_API_VERSION,
  .size = sizeof (Y10BackendClass),
  .kind = Y10_BACKEND_CUDA,
  .name = "cuda",
  .memories = Y10_MEMORY_BIT (Y10_MEMORY_HOST)
      | Y10_MEMORY_BIT (Y10_MEMORY_CUDA),
  .default_slots = 2,
  .probe = cuda_probe,
  .open = y10_cuda_device_open,
  .close = y10_cuda_device_close,
  .describe = cuda_describe,
  .threads = cuda_threads,
  .layout = cuda_layout,
  .supports = cuda_supports,
  .compile = cuda_compile,
  .compile_size = cuda_compile_size,
  .may_free = cuda_may_free,
  .program_free = cuda_program_free,
  .impl = y10_cuda_program_impl,
  .weights_size = cuda_weights_size,
  .request_batch_size = cuda_request_batch_size,
  .tune = cuda_tune,
  .tune_end = cuda_tune_end,
  .progress = cuda_progress,
  .slot_new = cuda_slot_new,
  .slot_new_size = cuda_slot_new_size,
  .slot_free = cuda_slot_free,
  .reserve = cuda_reserve,
  .stage = cuda_stage,
  .load = cuda_load,
  .submit = cuda_submit,
  .wait_input = cuda_wait_input,
  .wait = cuda_wait,
  .rows = y10_cuda_slot_rows,
  .times = y10_cuda_slot_times,
  .read_tensor = cuda_read_tensor,
  .write_tensor = cuda_write_tensor,
  .poison = cuda_poison,
  .identify = cuda_identify,
};

__attribute__ ((visibility ("default"))) const Y10BackendClass *
y10_backend_module (void);

/* The module's one export. */
const Y10BackendClass *
y10_backend_module (void)
{
  return &y10_backend_cuda;
}
