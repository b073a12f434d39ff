/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The interface that a backend implements. The engine checks all arguments
 * before it calls a backend; backends assert and do not validate.
 *
 * Only the engine's device thread calls a backend, one call at a time, with these
 * exceptions: any thread may call probe, identify, progress, and impl of a compiled
 * program; the thread that adds an image to a step calls stage, and any thread reserve;
 * a second thread calls wait_input, wait and times for a submitted slot while the
 * device thread submits others; any thread may call rows once the step is done. After
 * an error a slot remains usable unless the device itself is lost. */

#include <gio/gio.h>
#include <y10/detection.h>
#include <y10/engine.h>
#include <y10/image.h>

#include "core/plan.h"

G_BEGIN_DECLS

#define Y10_BACKEND_API_VERSION 8

typedef struct _Y10Device Y10Device; /* defined by each backend */
typedef struct _Y10Program Y10Program;
typedef struct _Y10Slot Y10Slot;

typedef struct
{
  guint threads;         /* 0: one for each core available to us */
  gint device_id;        /* -1: any */
  gboolean cuda_graphs;  /* capture graphs; else launch each kernel */
  gpointer cuda_context; /* CUcontext, borrowed; NULL: the backend picks */
  gboolean
      many_sizes; /* compile_size will be called; the first may never run */
} Y10DeviceConfig;

/* Called when progress has new values. Takes the engine's lock, under which the engine
 * calls progress, too: call it without a lock that progress takes. */
typedef void (*Y10TuneChanged) (gpointer data);

typedef struct
{
  guint n;
  const Y10Detection *rows; /* best first; source pixels; owned by the slot */
} Y10Rows;

/* A kind of memory in a set. */
#define Y10_MEMORY_BIT(memory) (1u << (memory))

typedef struct
{
  guint api_version; /* Y10_BACKEND_API_VERSION */
  gsize size;        /* of this struct */
  Y10BackendKind kind;
  const char *name;
  guint memories;       /* set of those whose images load reads */
  guint default_slots;  /* as many as keep the device busy, at least 1 */
  gboolean host_arenas; /* the slots' arenas are in host memory */

  /* Returns 0 and appends the reason to @why if the backend cannot run here;
   * else a score, the higher the faster. A backend that is slower or less
   * tested than others may say so in @why. */
  int (*probe) (GString *why);
  Y10Device *(*open) (const Y10DeviceConfig *config, GError **error);
  void (*close) (Y10Device *device);
  /* Such as "AMD EPYC, 2 threads, avx512_bf16"; valid as long as the device. */
  const char *(*describe) (Y10Device *device);
  guint (*threads) (Y10Device *device);
  /* Resolves AUTO; the error lists the supported precisions. */
  gboolean (*layout) (Y10Device *device, Y10Precision *precision,
      Y10Layout *layout, GError **error);
  /* Optional: whether AUTO is int8 for a graph that has integers. */
  gboolean (*prefers_int8) (Y10Device *device);
  gboolean (*supports) (Y10Device *device, const Y10Graph *graph,
      const Y10Op *op, Y10Precision precision, GString *why);

  /* A program holds packed weights and kernels. It is immutable and shared by
   * the slots. */
  Y10Program *(*compile) (Y10Device *device, const Y10Plan *plan,
      Y10Precision precision, GCancellable *cancellable, GError **error);
  /* Optional: a program like @base for another input size, whose plan is @plan. It uses
   * the weights of @base, which lives longer, where those would be packed alike. A
   * backend that has it computes with any of its programs while others exist. */
  Y10Program *(*compile_size) (Y10Program *base, const Y10Plan *plan,
      Y10Precision precision, GError **error);
  /* Optional: whether no background thread works for @program, which is one of
   * compile_size; asked before it is freed while others run. A thread that does leaves
   * it soon. */
  gboolean (*may_free) (Y10Program *program);
  void (*program_free) (Y10Program *program);
  const char *(*impl) (Y10Program *program, guint op);
  gsize (*weights_size) (Y10Program *program);
  /* The next four are optional.
   * request_batch_size: prepares steps of @n images, at most max_batch, in a
   * background thread while steps run. Until then, such a step runs as the
   * next larger prepared size. slot_new prepares 1 and max_batch. Called on the
   * device thread, after the slots have been made; repeated requests do nothing.
   * tune: called once, for the first program, after the slots have been made. Searches
   * for faster convolutions, in background threads, for the programs of compile_size,
   * too. A slot takes them over between two steps.
   * Both call @changed from their threads. tune_end ends these threads, those of
   * other programs only with the first program's; the engine calls it, once or more,
   * before it frees the slots, and for the first program before any other is freed. */
  void (*request_batch_size) (Y10Program *program, guint n,
      Y10TuneChanged changed, gpointer data);
  void (*tune) (Y10Program *program, Y10TuneChanged changed, gpointer data);
  void (*tune_end) (Y10Program *program);
  /* Any thread; of the first program, for all. finished: no batch size is being
   * prepared, either. */
  void (*progress) (Y10Program *program, Y10TuningProgress *progress);

  /* A slot holds an arena, scratch memory, parameters and results. */
  Y10Slot *(*slot_new) (Y10Program *program, guint max_batch, guint max_rows,
      GError **error);
  /* Optional: a slot of a program of compile_size, for as many images and rows as
   * @base, a slot of the first program that lives longer. Of such slots one has a step
   * at a time; what stage and reserve do with any of them holds for all. A backend that
   * has stage or reserve beside compile_size has it. */
  Y10Slot *(
      *slot_new_size) (Y10Program *program, Y10Slot *base, GError **error);
  void (*slot_free) (Y10Slot *slot);

  /* Called for each frame: nothing below allocates.
   * stage is optional. It copies an image in host memory for load, in the thread
   * that adds it to an open step: any thread, but one at a time for a slot. It
   * allocates only if the image is larger than all before it at index @i.
   * reserve, which any thread calls while no step holds the slot, makes room for
   * images of @image's format and size at indices [0, n).
   * load reads image @i of the step into the input tensor. It copies @params
   * and what they point to. It returns once the reads are queued, behind the
   * work in @image's cuda_stream; wait_input waits until they are done. */
  gboolean (
      *reserve) (Y10Slot *slot, guint n, const Y10Image *image, GError **error);
  gboolean (
      *stage) (Y10Slot *slot, guint i, const Y10Image *image, GError **error);
  gboolean (*load) (Y10Slot *slot, guint i, const Y10Image *image,
      const Y10Letterbox *letterbox, const Y10HeadParams *params,
      GError **error);
  /* Runs ops [first, end) on images [0, n), and the head after the last op. */
  gboolean (
      *submit) (Y10Slot *slot, guint n, guint first, guint end, GError **error);
  /* Both NULL for a synchronous backend, whose load and submit return when the
   * work is done. */
  gboolean (*wait_input) (Y10Slot *slot, GError **error);
  gboolean (*wait) (Y10Slot *slot, GError **error);
  const Y10Rows *(*rows) (Y10Slot *slot, guint i);
  /* Durations of the last submit's network and head, nanoseconds. */
  void (*times) (Y10Slot *slot, gint64 *inference, gint64 *postprocess);

  /* The tensor's current contents as planar floats; see run/stepops.h. */
  gboolean (*read_tensor) (Y10Slot *slot, guint i, Y10View view, gfloat *nchw,
      GError **error);
  gboolean (*write_tensor) (Y10Slot *slot, guint i, Y10View view,
      const gfloat *nchw, GError **error);
  /* Fills activations and rows with a pattern that tests recognize. */
  void (*poison) (Y10Slot *slot);

  /* Optional; a backend that has it is checked against the reference before auto
   * takes it. Appends lines that identify the GPU that open would take for
   * @config, its driver and the libraries: whatever can change the results. Any
   * thread, without a device. */
  void (*identify) (const Y10DeviceConfig *config, GString *key);
} Y10BackendClass;

/* Type of the symbol "y10_backend_module" that a backend in a module
 * exports. */
typedef const Y10BackendClass *(*Y10BackendModule) (void);

extern const Y10BackendClass y10_backend_ref;
extern const Y10BackendClass y10_backend_cpu; /* SIMD code of our own */

G_END_DECLS
