/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A libnvcuvid.so.1 that decodes nothing, for machines whose driver came
 * without its video part: without it GStreamer's plugin nvcodec 1.22 registers
 * no element, not even cudaupload, which needs no decoder. */

#define NOT_SUPPORTED 801 /* CUDA_ERROR_NOT_SUPPORTED */
#define NONE(name) \
  __attribute__ ((visibility ("default"))) int name (void); \
  int name (void) \
  { \
    return NOT_SUPPORTED; \
  }

/* clang-format off */
NONE (cuvidCtxLockCreate)
NONE (cuvidCtxLockDestroy)
NONE (cuvidCtxLock)
NONE (cuvidCtxUnlock)
NONE (cuvidCreateVideoParser)
NONE (cuvidParseVideoData)
NONE (cuvidDestroyVideoParser)
NONE (cuvidCreateDecoder)
NONE (cuvidDestroyDecoder)
NONE (cuvidDecodePicture)
NONE (cuvidGetDecodeStatus)
NONE (cuvidReconfigureDecoder)
NONE (cuvidMapVideoFrame)
NONE (cuvidUnmapVideoFrame)
NONE (cuvidMapVideoFrame64)
NONE (cuvidUnmapVideoFrame64)
NONE (cuvidGetDecoderCaps)
/* clang-format on */
