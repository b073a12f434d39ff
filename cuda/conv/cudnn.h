/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* cuDNN 9 as a function table resolved at run time. Its header provides only types
 * and constants; nothing links to cuDNN. */

#include <cudnn_graph.h>
#include <gio/gio.h>

G_BEGIN_DECLS

/* clang-format off */
#define Y10_CUDNN_FUNCTIONS(F) \
  F (get_version, cudnnGetVersion) \
  F (get_cudart_version, cudnnGetCudartVersion) \
  F (graph_version_check, cudnnGraphVersionCheck) \
  F (get_error_string, cudnnGetErrorString) \
  F (get_last_error_string, cudnnGetLastErrorString) \
  F (create, cudnnCreate) \
  F (destroy, cudnnDestroy) \
  F (set_stream, cudnnSetStream) \
  F (create_descriptor, cudnnBackendCreateDescriptor) \
  F (destroy_descriptor, cudnnBackendDestroyDescriptor) \
  F (finalize, cudnnBackendFinalize) \
  F (set_attribute, cudnnBackendSetAttribute) \
  F (get_attribute, cudnnBackendGetAttribute) \
  F (execute, cudnnBackendExecute)
/* clang-format on */

typedef struct
{
#define Y10_MEMBER(member, name) __typeof__ (name) *member;
  Y10_CUDNN_FUNCTIONS (Y10_MEMBER)
#undef Y10_MEMBER
  guint version;    /* 91900: 9.19.0 */
  guint cuda_major; /* CUDA version that it was built for */
} Y10Cudnn;

/* Loads cuDNN once per process and never unloads it; on failure, returns NULL and
 * appends the reason to @why. Needs neither a driver nor a GPU. Any thread. */
const Y10Cudnn *y10_cudnn_get (GString *why);

/* Returns TRUE if NVRTC, with which cuDNN compiles fused convolutions, works, or
 * appends the reason to @why. Tested once per process. Any thread. */
gboolean y10_cudnn_can_compile (const Y10Cudnn *cudnn, GString *why);

/* Returns TRUE on success, else sets an error with @call and cuDNN's message. */
gboolean y10_cudnn_check (const Y10Cudnn *cudnn, cudnnStatus_t status,
    const char *call, GError **error);

G_END_DECLS
