/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* cuDNN's place in a build without its headers: it is not here, so that nothing but
 * these functions is called. */

#include "config.h"

#include "conv/provider.h"

static gboolean
probe (GString *why)
{
  if (why)
    g_string_append (why, "this build has no cuDNN");
  return FALSE;
}

static guint
get_version (void)
{
  return 0;
}

static Y10CudaConvLib *
lib_new (const Y10CudaKernels *kernels, GString *why)
{
  probe (why);
  return NULL;
}

const Y10CudaConvProvider y10_cudnn_provider = {
  .name = "cudnn",
  .title = "cuDNN",
  .probe = probe,
  .get_version = get_version,
  .lib_new = lib_new,
};
