/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Queries the GPU's video decoder in a child process: which of the codecs that
 * cameras and files use it supports, and their maximum sizes. The declarations
 * come from nv-codec-headers; without them there is no query. */

#include "config.h"

#include "doctor/probe.h"

#ifdef HAVE_FFNVCODEC

#include <dlfcn.h>
#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_nvcuvid.h>

static const struct
{
  const char *name;
  cudaVideoCodec codec;
  unsigned int bits;
} codecs[] = {
  { "H.264", cudaVideoCodec_H264, 8 },
  { "HEVC", cudaVideoCodec_HEVC, 8 },
  { "HEVC-10", cudaVideoCodec_HEVC, 10 },
  { "VP9", cudaVideoCodec_VP9, 8 },
  { "AV1", cudaVideoCodec_AV1, 8 },
  { "AV1-10", cudaVideoCodec_AV1, 10 },
  { "JPEG", cudaVideoCodec_JPEG, 8 },
};

static void
ask (tcuvidGetDecoderCaps *get_caps)
{
  g_autoptr (GString) can = g_string_new (NULL), cannot = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++) {
    CUVIDDECODECAPS caps = {
      .eCodecType = codecs[i].codec,
      .eChromaFormat = cudaVideoChromaFormat_420,
      .nBitDepthMinus8 = codecs[i].bits - 8,
    };
    int result = get_caps (&caps);

    if (result) {
      doctor_fact ("nvdec.error", "cuvidGetDecoderCaps returned %d", result);
      break;
    }
    if (caps.bIsSupported)
      g_string_append_printf (can, "%s%s %ux%u", can->len ? ", " : "",
          codecs[i].name, caps.nMaxWidth, caps.nMaxHeight);
    else
      g_string_append_printf (cannot, "%s%s", cannot->len ? ", " : "",
          codecs[i].name);
  }
  doctor_fact ("nvdec.can", "%s", can->str);
  doctor_fact ("nvdec.cannot", "%s", cannot->str);
}

void
doctor_probe_nvdec (const char *argument)
{
  int index = (int) g_ascii_strtoll (argument, NULL, 10), device;
  tcuvidGetDecoderCaps *get_caps;
  DoctorDriver driver;
  gpointer context;
  void *library;

  doctor_fact ("nvdec.headers", "%d.%d", NVDECAPI_MAJOR_VERSION,
      NVDECAPI_MINOR_VERSION);
  library = doctor_open ("nvdec", "libnvcuvid.so.1");
  if (!library)
    return;
  *(void **) (&get_caps) = dlsym (library, "cuvidGetDecoderCaps");
  if (!get_caps) {
    doctor_fact ("nvdec.error", "the library has no cuvidGetDecoderCaps");
    return;
  }
  if (!doctor_driver_open (&driver) || driver.device_get (&device, index)
      || driver.primary_ctx_retain (&context, device)) {
    doctor_fact ("nvdec.error", "cannot create a context");
    return;
  }
  driver.ctx_push (context);
  ask (get_caps);
}

#else /* !HAVE_FFNVCODEC */

void
doctor_probe_nvdec (const char *argument)
{
  doctor_open ("nvdec", "libnvcuvid.so.1");
}

#endif
