/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which op plans a slot runs for each batch size. Between two steps the
 * slot takes over what the program has published since: another batch size or
 * faster plans, one per step. It runs the plans once, captures them and compares
 * the two results. Where these differ the plans are rejected for good, and so are
 * plans that need more memory than there is for them; a slot that has no others
 * runs them uncaptured.
 *
 * Any other failure may pass. A lack of memory does, and any thread that
 * synchronizes the context invalidates a capture meanwhile. Then the slot keeps the
 * plans and the graph that it has, or runs uncaptured, and tries again after 1, 2,
 * 4, … 1024 steps. */

#include "config.h"

#include "autotune/autotune.h"
#include "capture.h"
#include "takeover.h"

#define MAX_BACK_OFF 10 /* 2^10 steps */

/* The scratch memory was made for the batch sizes of the start. */
static gboolean
check_scratch (const Y10Slot *slot, const Y10CudaOpPlans *batch, guint n,
    GError **error)
{
  gsize size = y10_cuda_slot_scratch (slot, batch);

  if (size <= slot->scratch_size)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND,
      "%u images need %" G_GSIZE_FORMAT
      " bytes of scratch memory; the slot has %" G_GSIZE_FORMAT,
      n, size, slot->scratch_size);
  return FALSE;
}

static void
back_off (Y10Slot *slot, Y10CudaSlotRun *run)
{
  run->retry_at = slot->n_steps + ((guint64) 1 << run->n_failures);
  run->n_failures = MIN (run->n_failures + 1, MAX_BACK_OFF);
}

static void
reject (Y10CudaSlotRun *run, Y10CudaOpPlans *batch)
{
  y10_cuda_op_plans_unref (run->rejected);
  run->rejected = y10_cuda_op_plans_ref (batch);
}

typedef enum
{
  REJECTED,
  FAILED,
  UNCAPTURED,
} Trouble;

/* One warning of each kind in a process: slots and sizes tend to have the same. */
static void
warn_once (Trouble trouble, guint n, const GError *error)
{
  static const char *const texts[] = {
    "new plans for %u images are not used",
    "new plans for %u images are not used for now",
    "steps of %u images run without a graph",
  };
  static int n_warned[G_N_ELEMENTS (texts)];
  g_autofree char *text = g_strdup_printf (texts[trouble], n);

  if (g_atomic_int_add (&n_warned[trouble], 1) == 0)
    g_warning ("CUDA: %s: %s", text, error->message);
  else
    g_debug ("CUDA: %s: %s", text, error->message);
}

static void
replace (Y10Slot *slot, guint n, Y10CudaOpPlans *batch, CUgraphExec graph)
{
  Y10CudaSlotRun *run = &slot->runs[n - 1];

  if (run->graph)
    slot->program->device->driver->graph_exec_destroy (run->graph);
  if (batch != run->batch) {
    y10_cuda_op_plans_unref (run->batch);
    run->batch = y10_cuda_op_plans_ref (batch);
  }
  run->graph = graph;
  y10_cuda_program_used (slot->program, n, batch);
}

/* @batch runs, but its graph gives other results. */
static void
refuse_graph (Y10Slot *slot, Y10CudaOpPlans *batch, guint n,
    const GError *error)
{
  Y10CudaSlotRun *run = &slot->runs[n - 1];

  reject (run, batch);
  if (!run->batch)
    replace (slot, n, batch, NULL);
  warn_once (run->batch == batch ? UNCAPTURED : REJECTED, n, error);
}

static void
report_failed_capture (Y10Slot *slot, guint n, const GError *error)
{
  static int n_failed;
  Y10CudaSlotRun *run = &slot->runs[n - 1];

  back_off (slot, run);
  if (g_atomic_int_add (&n_failed, 1) == 0)
    g_message ("CUDA: steps of %u images run without a graph for now: %s", n,
        error->message);
  else
    g_debug ("CUDA: %u images are not captured before step %" G_GUINT64_FORMAT
             ": %s",
        n, run->retry_at, error->message);
}

gboolean
y10_cuda_slot_try (Y10Slot *slot, Y10CudaOpPlans *batch, guint n,
    GError **error)
{
  g_autoptr (GError) capture_error = NULL;
  Y10CudaSlotRun *run = &slot->runs[n - 1];
  CUgraphExec graph = NULL;
  gboolean differs;

  if (!y10_cuda_slot_warm_up (slot, batch, n, &graph, &differs, error,
          &capture_error)) {
    if (graph)
      slot->program->device->driver->graph_exec_destroy (graph);
    return FALSE;
  }
  if (differs) {
    refuse_graph (slot, batch, n, capture_error);
    return TRUE;
  }
  if (capture_error) {
    report_failed_capture (slot, n, capture_error);
  } else {
    run->n_failures = 0;
    run->retry_at = 0;
  }
  if (graph || !run->graph)
    replace (slot, n, batch, graph);
  return TRUE;
}

/* Whether @batch, the newest for @n images, is to be tried or captured. */
static gboolean
is_wanted (const Y10Slot *slot, guint n, const Y10CudaOpPlans *batch)
{
  const Y10CudaSlotRun *run = &slot->runs[n - 1];

  if (!batch || batch == run->rejected)
    return FALSE;
  return batch != run->batch || (slot->program->device->graphs && !run->graph);
}

/* The step itself reports a lost device. */
static void
try_between_steps (Y10Slot *slot, Y10CudaOpPlans *batch, guint n)
{
  Y10CudaSlotRun *run = &slot->runs[n - 1];
  g_autoptr (GError) error = NULL;

  if (!check_scratch (slot, batch, n, &error)) {
    reject (run, batch);
    warn_once (REJECTED, n, error);
  } else if (!y10_cuda_slot_try (slot, batch, n, &error)) {
    back_off (slot, run);
    if (!g_error_matches (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST))
      warn_once (FAILED, n, error);
  }
}

void
y10_cuda_slot_take_over (Y10Slot *slot)
{
  int version = g_atomic_int_get (&slot->program->version);
  gboolean tried = FALSE;

  slot->n_steps++;
  if (slot->version == version && slot->n_steps < slot->retry_at)
    return;
  slot->version = version;
  slot->retry_at = G_MAXUINT64;
  for (guint n = 1; n <= slot->max_batch; n++) {
    Y10CudaSlotRun *run = &slot->runs[n - 1];
    Y10CudaOpPlans *batch = y10_cuda_program_find (slot->program, n);

    if (is_wanted (slot, n, batch) && !tried
        && slot->n_steps >= run->retry_at) {
      tried = TRUE;
      try_between_steps (slot, batch, n);
    }
    if (is_wanted (slot, n, batch))
      slot->retry_at = MIN (slot->retry_at,
          MAX (run->retry_at, slot->n_steps + 1));
    y10_cuda_op_plans_unref (batch);
  }
}

/* Tuning starts with the sizes that steps have. */
static void
record_size (Y10Slot *slot, guint n)
{
  Y10Program *program = slot->program;
  guint size = y10_cuda_smallest_size (y10_cuda_program_get_sizes (program), n);

  if (program->occurred & Y10_CUDA_SIZE_BIT (size))
    return;
  program->occurred |= Y10_CUDA_SIZE_BIT (size);
  if (program->base->tune)
    y10_cuda_tune_add (program->base->tune, program, size);
}

guint
y10_cuda_slot_choose_size (Y10Slot *slot, guint n)
{
  record_size (slot, n);
  while (!slot->runs[n - 1].batch)
    n++;
  return n;
}
