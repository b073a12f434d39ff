/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Tests cuDNN in a child process: its versions and the number of plans that
 * its heuristics return for a small convolution, which makes cuDNN load its other
 * libraries. The backend itself runs one (cuda/conv/check.c). Without a GPU the
 * heuristics get a description of one, which cuDNN supports since 9.8. Must not
 * be called without cuBLASLt: cuDNN then ends the process. */

#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "doctor/probe.h"

/* Values from cudnn_graph.h. */
enum
{
  CONVOLUTION_DESCRIPTOR = 1,
  ENGINEHEUR_DESCRIPTOR = 4,
  ENGINECFG_DESCRIPTOR = 3,
  OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR = 10,
  OPERATIONGRAPH_DESCRIPTOR = 15,
  TENSOR_DESCRIPTOR = 17,
  DEVICEPROP_DESCRIPTOR = 38,

  TYPE_HANDLE = 0,
  TYPE_DATA_TYPE = 1,
  TYPE_INT64 = 3,
  TYPE_FLOAT = 4,
  TYPE_CONVOLUTION_MODE = 7,
  TYPE_HEUR_MODE = 8,
  TYPE_DESCRIPTOR = 15,
  TYPE_CHAR = 24,

  DATA_FLOAT = 0,
  DATA_HALF = 2,
};

/* Describes the smallest supported GPU to cuDNN. */
static const char described_gpu[] =
    "{\"deviceName\": \"described\", \"cudaDeviceId\": 0, \"deviceVer\": 750, "
    "\"multiProcessorCount\": 40, \"driverVer\": 13000, "
    "\"maxSharedMemoryPerBlockOptin\": 65536, "
    "\"totalGlobalMem\": 16106127360, "
    "\"maxGridSize\": [2147483647, 65535, 65535], "
    "\"maxBlockSize\": [1024, 1024, 64], \"regsPerBlock\": 65536, "
    "\"warpSize\": 32, \"maxSharedMemoryPerBlock\": 49152, "
    "\"reservedSharedMemoryPerBlock\": 0, \"maxRegistersPerSM\": 65536, "
    "\"maxCtasPerSM\": 16, \"maxThreadsPerBlock\": 1024, "
    "\"maxThreadsPerSM\": 1024, \"pciDeviceId\": 0, \"isTccDriver\": 0, "
    "\"supportCoopLaunch\": 1, \"smClockRateKHz\": 1590000, "
    "\"memClockRateKHz\": 5001000, \"l2CacheSize\": 4194304}";

/* The size of the convolution, 3x3. */
#define CHANNELS 16
#define SIDE 8
#define MAX_CONFIGS 16

typedef struct
{
  int (*create) (gpointer *handle);
  int (*make) (int type, gpointer *descriptor);
  int (*set) (gpointer descriptor, int attribute, int type, gint64 n,
      const void *values);
  int (*get) (gpointer descriptor, int attribute, int type, gint64 n,
      gint64 *n_got, void *values);
  int (*finalize) (gpointer descriptor);
  void (*last_error) (char *text, gsize size);
  gpointer handle; /* NULL: uses the described GPU */
  int status;      /* of the first call that failed */
} Cudnn;

static gpointer
make (Cudnn *c, int type)
{
  gpointer descriptor = NULL;

  if (!c->status)
    c->status = c->make (type, &descriptor);
  return descriptor;
}

static void
set (Cudnn *c, gpointer descriptor, int attribute, int type, gint64 n,
    const void *values)
{
  if (!c->status)
    c->status = c->set (descriptor, attribute, type, n, values);
}

static gpointer
finish (Cudnn *c, gpointer descriptor)
{
  if (!c->status)
    c->status = c->finalize (descriptor);
  return descriptor;
}

static gpointer
tensor (Cudnn *c, gint64 id, gint64 n, gint64 side)
{
  const gint64 dims[4] = { n, CHANNELS, side, side }, align = 16;
  const gint64 strides[4] = { CHANNELS * side * side, 1, CHANNELS * side,
    CHANNELS };
  const int type = DATA_HALF;
  gpointer t = make (c, TENSOR_DESCRIPTOR);

  set (c, t, 900, TYPE_INT64, 1, &align);
  set (c, t, 901, TYPE_DATA_TYPE, 1, &type);
  set (c, t, 902, TYPE_INT64, 4, dims);
  set (c, t, 903, TYPE_INT64, 4, strides);
  set (c, t, 906, TYPE_INT64, 1, &id);
  return finish (c, t);
}

/* Tensors are 1: input, 2: weights, 3: output. */
static gpointer
convolution (Cudnn *c)
{
  const gint64 ones[2] = { 1, 1 }, n_dims = 2;
  const int type = DATA_FLOAT, cross_correlation = 1;
  const float alpha = 1.f, beta = 0.f;
  gpointer x = tensor (c, 1, 1, SIDE), w = tensor (c, 2, CHANNELS, 3);
  gpointer y = tensor (c, 3, 1, SIDE);
  gpointer conv = make (c, CONVOLUTION_DESCRIPTOR), op, graph;

  set (c, conv, 100, TYPE_DATA_TYPE, 1, &type);
  set (c, conv, 101, TYPE_CONVOLUTION_MODE, 1, &cross_correlation);
  set (c, conv, 102, TYPE_INT64, 2, ones);
  set (c, conv, 103, TYPE_INT64, 2, ones);
  set (c, conv, 104, TYPE_INT64, 2, ones);
  set (c, conv, 105, TYPE_INT64, 2, ones);
  set (c, conv, 106, TYPE_INT64, 1, &n_dims);
  finish (c, conv);
  op = make (c, OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  set (c, op, 700, TYPE_FLOAT, 1, &alpha);
  set (c, op, 701, TYPE_FLOAT, 1, &beta);
  set (c, op, 702, TYPE_DESCRIPTOR, 1, &conv);
  set (c, op, 703, TYPE_DESCRIPTOR, 1, &w);
  set (c, op, 704, TYPE_DESCRIPTOR, 1, &x);
  set (c, op, 705, TYPE_DESCRIPTOR, 1, &y);
  finish (c, op);
  graph = make (c, OPERATIONGRAPH_DESCRIPTOR);
  set (c, graph, 801, TYPE_DESCRIPTOR, 1, &op);
  if (c->handle)
    set (c, graph, 800, TYPE_HANDLE, 1, &c->handle);
  return finish (c, graph);
}

static gint64
ask_heuristics (Cudnn *c, gpointer graph, gpointer *configs)
{
  const gint64 length = sizeof described_gpu;
  const int mode_a = 3;
  gpointer heuristics, gpu;
  gint64 n = 0;

  heuristics = make (c, ENGINEHEUR_DESCRIPTOR);
  set (c, heuristics, 201, TYPE_DESCRIPTOR, 1, &graph);
  set (c, heuristics, 200, TYPE_HEUR_MODE, 1, &mode_a);
  if (!c->handle) {
    gpu = make (c, DEVICEPROP_DESCRIPTOR);
    set (c, gpu, 2702, TYPE_CHAR, length, described_gpu);
    finish (c, gpu);
    set (c, heuristics, 204, TYPE_DESCRIPTOR, 1, &gpu);
  }
  finish (c, heuristics);
  for (int i = 0; i < MAX_CONFIGS; i++)
    configs[i] = make (c, ENGINECFG_DESCRIPTOR);
  if (!c->status)
    c->status = c->get (heuristics, 202, TYPE_DESCRIPTOR, MAX_CONFIGS, &n,
        configs);
  return c->status ? 0 : n;
}

static void
ask_convolution (Cudnn *c, int index)
{
  gpointer configs[MAX_CONFIGS], graph, context;
  DoctorDriver driver;
  int device;

  if (index >= 0) {
    if (!doctor_driver_open (&driver) || driver.device_get (&device, index)
        || driver.primary_ctx_retain (&context, device)
        || driver.ctx_push (context))
      return;
    c->status = c->create (&c->handle);
    doctor_fact ("cudnn.create", "%d", c->status);
  }
  graph = convolution (c);
  doctor_fact ("cudnn.configs", "%" G_GINT64_FORMAT,
      ask_heuristics (c, graph, configs));
  doctor_fact ("cudnn.status", "%d", c->status);
  if (c->status && c->last_error) {
    char text[512] = "";

    c->last_error (text, sizeof text);
    doctor_fact ("cudnn.last_error", "%s", text);
  }
}

/* cuDNN opens cuBLASLt by its name, and ends the process if there is none: it gets the
 * one that is loaded already. */
static void
load_cublaslt (gsize cudart)
{
  g_autofree char *major = g_strdup_printf ("%" G_GSIZE_FORMAT, cudart / 1000);
  g_autofree char *soname = g_strconcat ("libcublasLt.so.", major, NULL);

  doctor_open_of_cudnn ("cublaslt", soname, major);
}

/* Each check verifies that its library is present and has cuDNN's version. */
static void
ask_versions (void *library)
{
  static const char *const checks[] = { "cudnnGraphVersionCheck",
    "cudnnOpsVersionCheck", "cudnnCnnVersionCheck" };
  gsize (*get) (void);
  int (*check) (void);

  *(void **) (&get) = dlsym (library, "cudnnGetVersion");
  if (get)
    doctor_fact ("cudnn.version", "%" G_GSIZE_FORMAT, get ());
  *(void **) (&get) = dlsym (library, "cudnnGetCudartVersion");
  if (get) {
    doctor_fact ("cudnn.cudart", "%" G_GSIZE_FORMAT, get ());
    load_cublaslt (get ());
  }
  for (guint i = 0; i < G_N_ELEMENTS (checks); i++) {
    *(void **) (&check) = dlsym (library, checks[i]);
    if (check) {
      int status = check ();

      if (status) {
        doctor_fact ("cudnn.mismatch", "%s returned %d", checks[i], status);
        break;
      }
    }
  }
}

/* @argument: the GPU's index, -1 for the described GPU, or "versions". */
void
doctor_probe_cudnn (const char *argument)
{
  void *library = doctor_open ("cudnn", "libcudnn.so.9");
  Cudnn c = { 0 };
  guint n = 0;

  if (!library) {
    doctor_open ("cudnn8", "libcudnn.so.8");
    return;
  }
  ask_versions (library);
  if (strcmp (argument, "versions") != 0) {
    *(void **) (&c.create) = dlsym (library, "cudnnCreate");
    *(void **) (&c.make) = dlsym (library, "cudnnBackendCreateDescriptor");
    *(void **) (&c.set) = dlsym (library, "cudnnBackendSetAttribute");
    *(void **) (&c.get) = dlsym (library, "cudnnBackendGetAttribute");
    *(void **) (&c.finalize) = dlsym (library, "cudnnBackendFinalize");
    *(void **) (&c.last_error) = dlsym (library, "cudnnGetLastErrorString");
    if (c.create && c.make && c.set && c.get && c.finalize)
      ask_convolution (&c, (int) g_ascii_strtoll (argument, NULL, 10));
  }
  doctor_fact_mapped ("libcudnn", &n);
  doctor_fact_mapped ("libcudart", &n);
}
