/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* All kernels in one module, so that a single load makes them available. */

#include "attention.cu"
#include "conv.cu"
#include "depthwise.cu"
#include "epilogue.cu"
#include "head_nms.cu"
#include "head_nms_pairs.cu"
#include "head_scan.cu"
#include "head_select.cu"
#include "igemm.cu"
#include "maxpool5.cu"
#include "overlay.cu"
#include "preprocess.cu"
#include "separable.cu"
#include "stem.cu"
#include "upsample2x.cu"
