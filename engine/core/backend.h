/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The contract between the engine and what computes. engine.c has checked
 * everything before it calls; backends assert, they do not validate.
 *
 * Only the engine's device thread calls a backend, one call at a time, except
 * probe (any thread), wait_input, wait and times, which a second thread calls
 * for a slot that has been submitted while the first submits others, and rows,
 * which any thread may call once the step is done. Errors never leave a slot
 * unusable unless the device itself is lost. */

#include <gio/gio.h>
#include <y10/detection.h>
#include <y10/engine.h>
#include <y10/image.h>

#include "core/plan.h"

G_BEGIN_DECLS

#define Y10_BACKEND_API_VERSION 2

typedef struct _Y10Device Y10Device;    /* each backend has its own of these */
typedef struct _Y10Program Y10Program;
typedef struct _Y10Slot Y10Slot;

typedef struct
{
  guint threads;                /* 0: as many as there are cores for us */
  gint device_id;               /* -1: any */
  gboolean cuda_graphs;         /* capture, or launch kernel by kernel */
  gpointer cuda_context;        /* CUcontext, borrowed; NULL: our own choice */
} Y10DeviceConfig;

/* Something of what progress says is different now. */
typedef void (*Y10TuneChanged) (gpointer data);

typedef struct
{
  guint n;
  const Y10Detection *rows;     /* ordered; source pixels; owned by the slot */
} Y10Rows;

typedef struct
{
  guint api_version;            /* Y10_BACKEND_API_VERSION */
  gsize size;                   /* of this struct */
  Y10BackendKind kind;
  const char *name;

  /* 0: cannot run here and @why says so; else the higher the faster. One that
   * is slower or less sure than others may say that in @why. */
  int (*probe) (GString * why);
  Y10Device *(*open) (const Y10DeviceConfig * config, GError ** error);
  void (*close) (Y10Device * device);
  /* "AMD EPYC, 2 threads, avx512_bf16"; lives as long as the device. */
  const char *(*describe) (Y10Device * device);
  guint (*threads) (Y10Device * device);
  /* Turns AUTO into a precision; an error lists what there is. */
  gboolean (*layout) (Y10Device * device, Y10Precision * precision,
      Y10Layout * layout, GError ** error);
  gboolean (*supports) (Y10Device * device, const Y10Graph * graph,
      const Y10Op * op, Y10Precision precision, GString * why);

  /* A program is packed weights and kernels: immutable, shared by slots. */
  Y10Program *(*compile) (Y10Device * device, const Y10Plan * plan,
      Y10Precision precision, GCancellable * cancellable, GError ** error);
  void (*program_free) (Y10Program * program);
  const char *(*impl) (Y10Program * program, guint op);
  gsize (*weights_size) (Y10Program * program);
  /* Optional, these three. Once, after the slots have been made: looks for
   * faster ways to run the program, in threads of its own and while steps run. A
   * slot takes them over between two steps. @changed is called from these
   * threads, which have ended when tune_end returns: before slots are freed. */
  void (*tune) (Y10Program * program, Y10TuneChanged changed, gpointer data);
  void (*tune_end) (Y10Program * program);
  /* Any thread. */
  void (*progress) (Y10Program * program, Y10TuningProgress * progress);

  /* A slot is an arena, scratch, parameters and results. */
  Y10Slot *(*slot_new) (Y10Program * program, guint max_batch, guint max_rows,
      GError ** error);
  void (*slot_free) (Y10Slot * slot);

  /* The frame path: nothing below allocates.
   * load: image @i of the step is read into the input tensor; @params and
   * what it points to are copied. Returns when the pixels have been queued to
   * be read, after what @image's cuda_stream holds; wait_input says when they
   * are no longer needed. */
  gboolean (*load) (Y10Slot * slot, guint i, const Y10Image * image,
      const Y10Letterbox * letterbox, const Y10HeadParams * params,
      GError ** error);
  /* Ops [first, end) of images [0, n). The head follows the last op. */
  gboolean (*submit) (Y10Slot * slot, guint n, guint first, guint end,
      GError ** error);
  /* NULL for backends whose load and submit return when the work is done. */
  gboolean (*wait_input) (Y10Slot * slot, GError ** error);
  gboolean (*wait) (Y10Slot * slot, GError ** error);
  const Y10Rows *(*rows) (Y10Slot * slot, guint i);
  /* Nanoseconds of the last submit's network and head. */
  void (*times) (Y10Slot * slot, gint64 * inference, gint64 * postprocess);

  /* Tests: the tensor as it is now, planar floats. */
  gboolean (*read_tensor) (Y10Slot * slot, guint i, Y10View view, gfloat * nchw,
      GError ** error);
  gboolean (*write_tensor) (Y10Slot * slot, guint i, Y10View view,
      const gfloat * nchw, GError ** error);
  /* Fills activations and rows with a pattern that cannot be mistaken. */
  void (*poison) (Y10Slot * slot);
} Y10BackendClass;

/* What a backend that is a module of its own exports, as
 * "y10_backend_module". */
typedef const Y10BackendClass *(*Y10BackendModule) (void);

/* module.c: the class of liby10-NAME.so, loaded once and never unloaded; NULL
 * with the reason appended to @why. Any thread. */
const Y10BackendClass *y10_module_load (const char *name, GString * why);
/* What else it exports. */
void *y10_module_symbol (const char *name, const char *symbol, GString * why);

extern const Y10BackendClass y10_backend_ref;
extern const Y10BackendClass y10_backend_cpu;   /* oneDNN, or portable C */

G_END_DECLS
