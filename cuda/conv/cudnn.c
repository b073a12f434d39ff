/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Loads cuDNN and all libraries that it needs before the first call: if a library
 * that cuDNN loads itself is missing, cuDNN aborts the process or returns no
 * plans without a reason. The libraries stay loaded, because cuDNN opens them
 * again by name and then gets the same ones. */

#include "config.h"

#include <dlfcn.h>
#include <string.h>
#include <y10/error.h>

#include "conv/cudnn.h"

/* First version that can query and accept device properties. */
#define OLDEST 90800

static char *
directory_of (void *address)
{
  Dl_info info;

  if (!dladdr (address, &info) || !info.dli_fname)
    return NULL;
  return g_path_get_dirname (info.dli_fname);
}

/* Opens @name by the loader's search path, else by that of cuDNN, which also has
 * the folders of Python packages. */
static void *
open_library (const char *name, const char *near, guint cuda_major,
    gboolean near_first)
{
  const char *below[] = { "", "../../cublas/lib", "../../cuda_nvrtc/lib",
    NULL };
  char *cu = g_strdup_printf ("../../cu%u/lib", cuda_major);
  void *library = NULL;

  below[3] = cu;
  if (!near_first || !near)
    library = dlopen (name, RTLD_LAZY | RTLD_LOCAL);
  for (guint i = 0; !library && near && i < G_N_ELEMENTS (below); i++) {
    char *path = g_build_filename (near, below[i], name, NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      library = dlopen (path, RTLD_LAZY | RTLD_LOCAL);
    g_free (path);
  }
  if (!library && near_first)
    library = dlopen (name, RTLD_LAZY | RTLD_LOCAL);
  g_free (cu);
  return library;
}

static gboolean
load_functions (Y10Cudnn *cudnn, void *library, GString *why)
{
#define Y10_MEMBER(member, name) \
  if (!(cudnn->member = (__typeof__ (name) *) dlsym (library, #name))) { \
    g_string_append (why, "libcudnn.so.9 has no " #name); \
    return FALSE; \
  }
  Y10_CUDNN_FUNCTIONS (Y10_MEMBER)
#undef Y10_MEMBER
  return TRUE;
}

static gboolean
load (Y10Cudnn *cudnn, GString *why)
{
  /* Without the first cuDNN aborts, without the others it finds no plans. */
  const char *const parts[] = { "libcudnn_graph.so.9",
    "libcudnn_heuristic.so.9", "libcudnn_engines_precompiled.so.9" };
  void *library = dlopen ("libcudnn.so.9", RTLD_LAZY | RTLD_LOCAL);
  char *near, *cublas;
  gboolean ok = FALSE;
  cudnnStatus_t status;

  if (!library) {
    g_string_append_printf (why, "cuDNN 9 is not installed (%s)", dlerror ());
    return FALSE;
  }
  if (!load_functions (cudnn, library, why))
    return FALSE;
  near = directory_of ((void *) cudnn->get_version);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (!open_library (parts[i], near, 0, TRUE)) {
      g_string_append_printf (why, "cuDNN in %s lacks its part %s (%s)",
          near ? near : "an unknown folder", parts[i], dlerror ());
      g_free (near);
      return FALSE;
    }

  cudnn->version = (guint) cudnn->get_version ();
  cudnn->cuda_major = (guint) (cudnn->get_cudart_version () / 1000);
  cublas = g_strdup_printf ("libcublasLt.so.%u", cudnn->cuda_major);
  if (cudnn->version < OLDEST)
    g_string_append_printf (why, "cuDNN %u.%u.%u is too old, 9.8 is needed",
        cudnn->version / 10000, cudnn->version / 100 % 100,
        cudnn->version % 100);
  else if ((status = cudnn->graph_version_check ()) != CUDNN_STATUS_SUCCESS)
    g_string_append_printf (why,
        "cuDNN in %s has libraries of several versions "
        "(%s)",
        near, cudnn->get_error_string (status));
  else if (!open_library (cublas, near, cudnn->cuda_major, FALSE))
    g_string_append_printf (why, "cuDNN needs %s, install cuBLAS %u (%s)",
        cublas, cudnn->cuda_major, dlerror ());
  else
    ok = TRUE;
  g_free (cublas);
  g_free (near);
  return ok;
}

const Y10Cudnn *
y10_cudnn_get (GString *why)
{
  static GMutex lock;
  static Y10Cudnn cudnn;
  static GString *failure;
  static gboolean tried;

  g_mutex_lock (&lock);
  if (!tried) {
    failure = g_string_new (NULL);
    if (load (&cudnn, failure)) {
      g_string_free (failure, TRUE);
      failure = NULL;
    }
    tried = TRUE;
  }
  g_mutex_unlock (&lock);
  if (failure && why)
    g_string_append (why, failure->str);
  return failure ? NULL : &cudnn;
}

/* The functions of NVRTC that a test compilation needs. */
typedef struct
{
  int (*create) (void **program, const char *source, const char *name,
      int n_headers, const char *const *headers, const char *const *names);
  int (*compile) (void *program, int n_options, const char *const *options);
  int (*destroy) (void **program);
  const char *(*get_error_string) (int result);
} Nvrtc;

static gboolean
try_to_compile (const Y10Cudnn *cudnn, GString *why)
{
  char *name = g_strdup_printf ("libnvrtc.so.%u", cudnn->cuda_major);
  char *near = directory_of ((void *) cudnn->get_version);
  void *library = open_library (name, near, cudnn->cuda_major, FALSE);
  /* Set explicitly: otherwise NVRTC asks the driver. */
  const char *const arch = "--gpu-architecture=compute_75";
  void *program = NULL;
  Nvrtc nvrtc;
  int result = -1;

  if (!library) {
    g_string_append_printf (why, "NVRTC %u is not installed (%s)",
        cudnn->cuda_major, dlerror ());
    goto out;
  }
  *(void **) &nvrtc.create = dlsym (library, "nvrtcCreateProgram");
  *(void **) &nvrtc.compile = dlsym (library, "nvrtcCompileProgram");
  *(void **) &nvrtc.destroy = dlsym (library, "nvrtcDestroyProgram");
  *(void **) &nvrtc.get_error_string = dlsym (library, "nvrtcGetErrorString");
  if (!nvrtc.create || !nvrtc.compile || !nvrtc.destroy
      || !nvrtc.get_error_string) {
    g_string_append_printf (why, "%s lacks functions of NVRTC", name);
    goto out;
  }
  /* Only now NVRTC loads its second library, libnvrtc-builtins. */
  result = nvrtc.create (&program, "__global__ void f (int *p) { *p = 1; }",
      "try.cu", 0, NULL, NULL);
  if (result == 0) {
    result = nvrtc.compile (program, 1, &arch);
    nvrtc.destroy (&program);
  }
  if (result != 0)
    g_string_append_printf (why,
        "%s cannot compile (%s); "
        "libnvrtc-builtins.so.%u.x must be in the same folder",
        name, nvrtc.get_error_string (result), cudnn->cuda_major);

out:
  g_free (near);
  g_free (name);
  return result == 0;
}

gboolean
y10_cudnn_can_compile (const Y10Cudnn *cudnn, GString *why)
{
  static GMutex lock;
  static GString *failure;
  static gboolean tried;

  g_mutex_lock (&lock);
  if (!tried) {
    failure = g_string_new (NULL);
    if (try_to_compile (cudnn, failure)) {
      g_string_free (failure, TRUE);
      failure = NULL;
    }
    tried = TRUE;
  }
  g_mutex_unlock (&lock);
  if (failure && why)
    g_string_append (why, failure->str);
  return failure == NULL;
}

gboolean
y10_cudnn_check (const Y10Cudnn *cudnn, cudnnStatus_t status, const char *call,
    GError **error)
{
  char text[512] = "";

  if (status == CUDNN_STATUS_SUCCESS)
    return TRUE;
  cudnn->get_last_error_string (text, sizeof text);
  g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND, "cuDNN: %s: %s%s%s", call,
      cudnn->get_error_string (status), text[0] ? ": " : "", text);
  return FALSE;
}
