/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Checks what the CUDA backend uses besides the driver: cuDNN from a single
 * installation, NVRTC and cuBLASLt, which only cuDNN needs, the video decoder, the
 * plan cache and the backend's module. Without cuDNN the engine runs its own
 * convolutions, so that is a warning; whether the backend runs at all is decided
 * by the engine itself, in the last rows. */

#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/cuda-libs.h"
#include "doctor/doctor.h"
#include "doctor/probe.h"

#define MIN_CUDNN 90800
#define OWN_ALONE \
  "the engine uses its own convolutions alone, which are slower " \
  "in fp32"
#define CUDNN_LOG \
  "CUDNN_LOGLEVEL_DBG=2 and CUDNN_LOGDEST_DBG=stderr give details"
#define CUDNN_PACKAGES \
  "install cuDNN 9 for CUDA %d (NVIDIA's apt: " \
  "libcudnn9-cuda-%d; PyPI: nvidia-cudnn-cu%d, with its folder in " \
  "LD_LIBRARY_PATH)"

/* Takes @fact and @fix. */
static void
warn_of_cudnn (DoctorCuda *cuda, const char *name, char *fact, char *fix)
{
  cuda->without_cudnn |= cuda->present;
  doctor_cuda_row (cuda, name, DOCTOR_WARN, fact, fix);
}

static void
check_nvrtc (DoctorCuda *cuda)
{
  g_autofree char *major = g_strdup_printf ("%d", cuda->major);
  g_autoptr (GHashTable) facts = doctor_probe ("nvrtc", major);
  const char *ended = doctor_get (facts, "ended");
  const char *error = doctor_get (facts, "nvrtc.error");
  const char *builtins = doctor_get (facts, "nvrtc.builtins");
  const char *version = doctor_get (facts, "nvrtc.version");
  const int result = (int) doctor_get_int (facts, "nvrtc.compile", -1);

  if (!ended && !error && result == 0) {
    doctor_cuda_row (cuda, "nvrtc", DOCTOR_OK,
        g_strdup_printf ("%s, %s", version ? version : "unknown version",
            doctor_get (facts, "nvrtc.file")),
        NULL);
  } else {
    g_autofree char *why = ended
        ? g_strdup_printf ("the compilation ended with %s", ended)
        : error ? g_strdup (error)
                : g_strdup_printf ("%s returned error %d; it needs %s",
                    doctor_get (facts, "nvrtc.file"), result,
                    builtins ? builtins : "its builtins");

    doctor_cuda_row (cuda, "nvrtc", DOCTOR_WARN,
        g_strdup_printf ("NVRTC, with which cuDNN joins convolution and "
                         "activation, does not work: %s",
            why),
        g_strdup_printf (
            "install NVRTC (NVIDIA's apt: cuda-nvrtc-%d-0; PyPI: "
            "nvidia-cuda-nvrtc%s, with its folder in LD_LIBRARY_PATH)",
            cuda->major, cuda->major == 12 ? "-cu12" : ""));
  }
}

/* Returns TRUE if cuDNN can be used: without cuBLASLt it ends the process. */
static gboolean
check_cublaslt (DoctorCuda *cuda)
{
  g_autofree char *major = g_strdup_printf ("%d", cuda->major);
  g_autoptr (GHashTable) facts = doctor_probe ("cublaslt", major);
  const char *ended = doctor_get (facts, "ended");
  const char *error = doctor_get (facts, "cublaslt.error");
  const gint64 version = doctor_get_int (facts, "cublaslt.version", 0);
  const gboolean good = !ended && !error;

  if (good)
    doctor_cuda_row (cuda, "cublaslt", DOCTOR_OK,
        g_strdup_printf ("%d.%d.%d, %s", (int) (version / 10000),
            (int) (version / 100 % 100), (int) (version % 100),
            doctor_get (facts, "cublaslt.file")),
        NULL);
  else
    warn_of_cudnn (cuda, "cublaslt",
        g_strdup_printf (
            "cuBLASLt, which cuDNN needs, cannot be loaded, so " OWN_ALONE
            ": %s",
            ended ? ended : error),
        g_strdup_printf (
            "install cuBLAS %d (NVIDIA's apt: libcublas-%d-0; "
            "PyPI: nvidia-cublas%s, with its folder in LD_LIBRARY_PATH)",
            cuda->major, cuda->major, cuda->major == 12 ? "-cu12" : ""));
  return good;
}

static int
compare_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Returns the sorted paths of mapped libraries whose names start with @prefix. */
static GPtrArray *
loaded (GHashTable *facts, const char *prefix)
{
  GPtrArray *files = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, facts);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    if (g_str_has_prefix (key, "loaded.")
        && g_str_has_prefix (strrchr (value, '/') + 1, prefix))
      g_ptr_array_add (files, value);
  }
  g_ptr_array_sort (files, compare_text);
  return files;
}

static char *
join (GPtrArray *files)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < files->len; i++)
    g_string_append_printf (text, "%s%s", i ? ", " : "",
        (const char *) files->pdata[i]);
  return g_string_free (text, FALSE);
}

/* Checks that cuDNN's nine libraries, which load each other, come from one
 * installation. */
static void
check_one_piece (DoctorCuda *cuda, GHashTable *facts)
{
  const char *mismatch = doctor_get (facts, "cudnn.mismatch");
  /* The engine asks only this one. */
  const gboolean refused = mismatch
      && g_str_has_prefix (mismatch, "cudnnGraphVersionCheck");
  g_autoptr (GPtrArray) files = loaded (facts, "libcudnn");
  g_autoptr (GPtrArray) runtimes = loaded (facts, "libcudart.so");
  g_autofree char *all = join (files), *all_runtimes = join (runtimes);
  g_autofree char *dir = NULL;
  gboolean mixed = FALSE;

  for (guint i = 0; i < files->len; i++) {
    g_autofree char *other = g_path_get_dirname (files->pdata[i]);

    if (!dir)
      dir = g_strdup (other);
    mixed |= strcmp (dir, other) != 0;
  }
  cuda->without_cudnn |= refused && cuda->present;
  if (mismatch || mixed)
    doctor_cuda_row (cuda, "cudnn_libraries", DOCTOR_WARN,
        g_strdup_printf ("%s%s%s: %s",
            mixed ? "cuDNN's libraries come from "
                    "different folders"
                  : "cuDNN's libraries have different versions",
            mismatch ? " and are incompatible" : "",
            refused ? ", so " OWN_ALONE : "", all),
        g_strdup ("remove one of the installations, or set LD_LIBRARY_PATH to "
                  "the folder of the other"));
  else
    doctor_cuda_row (cuda, "cudnn_libraries", DOCTOR_OK,
        g_strdup_printf ("%u loaded, all from %s", files->len,
            dir ? dir : "nowhere"),
        NULL);
  if (runtimes->len > 1)
    doctor_cuda_row (cuda, "cudart", DOCTOR_WARN,
        g_strdup_printf ("%u copies of the CUDA runtime are loaded: %s",
            runtimes->len, all_runtimes),
        g_strdup ("remove all but one from LD_LIBRARY_PATH and "
                  "/etc/ld.so.conf.d"));
}

/* Checks that cuDNN's heuristics return a plan for a convolution. If one of its
 * libraries is missing, they return none, without an error. */
static void
check_engines (DoctorCuda *cuda, GHashTable *facts)
{
  const gint64 configs = doctor_get_int (facts, "cudnn.configs", 0);
  const gint64 created = doctor_get_int (facts, "cudnn.create", 0);
  const char *ended = doctor_get (facts, "ended");
  const char *error = doctor_get (facts, "cudnn.last_error");
  static const char *const needed[] = {
    "libcudnn_heuristic.so",
    "libcudnn_engines_precompiled.so",
  };
  g_autoptr (GString) missing = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
    g_autoptr (GPtrArray) files = loaded (facts, needed[i]);

    if (files->len == 0)
      g_string_append_printf (missing, "%s%s", missing->len ? ", " : "",
          needed[i]);
  }
  if (ended)
    /* Whether the engine ends, too, is in the row self_check. */
    doctor_cuda_row (cuda, "cudnn_engines", DOCTOR_WARN,
        g_strdup_printf ("the test of a cuDNN convolution ended with %s",
            ended),
        g_strdup (
            "install one complete cuDNN, or let the engine do without it: "
            "Y10_CUDA_CONV=own; " CUDNN_LOG));
  else if (created)
    warn_of_cudnn (cuda, "cudnn_engines",
        g_strdup_printf ("cuDNN does not start, so " OWN_ALONE ": on GPU %d, "
                         "error %d%s%s",
            cuda->gpu, (int) created, error && *error ? ": " : "",
            error ? error : ""),
        g_strdup (
            "update the driver, or install the cuDNN of its CUDA version; " CUDNN_LOG));
  else if (configs == 0)
    warn_of_cudnn (cuda, "cudnn_engines",
        g_strdup_printf ("cuDNN has no plan for a convolution, so " OWN_ALONE
                         "%s%s%s%s",
            missing->len ? "; not loaded: " : "", missing->str,
            error && *error ? "; its error: " : "", error ? error : ""),
        g_strdup ("install one complete cuDNN; " CUDNN_LOG));
  else
    doctor_cuda_row (cuda, "cudnn_engines", DOCTOR_OK,
        g_strdup_printf ("%d%s plans for a convolution%s", (int) configs,
            configs == 16 ? " or more" : "",
            cuda->gpu < 0 ? ", for a sample GPU, since none is usable" : ""),
        NULL);
}

static void
check_cudnn (DoctorCuda *cuda, gboolean have_cublaslt)
{
  g_autofree char *argument = have_cublaslt ? g_strdup_printf ("%d", cuda->gpu)
                                            : g_strdup ("versions");
  g_autoptr (GHashTable) facts = doctor_probe ("cudnn", argument);
  const char *file = doctor_get (facts, "cudnn.file");
  const char *error = doctor_get (facts, "cudnn.error");
  const char *ended = doctor_get (facts, "ended");
  const int version = (int) doctor_get_int (facts, "cudnn.version", 0);
  const int cudart = (int) doctor_get_int (facts, "cudnn.cudart", 0);
  g_autofree char *fix = g_strdup_printf (CUDNN_PACKAGES, cuda->major,
      cuda->major, cuda->major);
  g_autofree char *text = g_strdup_printf ("%d.%d.%d for CUDA %d, %s",
      version / 10000, version / 100 % 100, version % 100, cudart / 1000,
      file ? file : "");

  if (!version) {
    warn_of_cudnn (cuda, "cudnn",
        g_strdup_printf ("cuDNN 9 cannot be loaded%s, so " OWN_ALONE ": %s",
            doctor_get (facts, "cudnn8.file") ? " (cuDNN 8 can, and is too "
                                                "old)"
                                              : "",
            error       ? error
                : ended ? ended
                        : "it has no version"),
        g_steal_pointer (&fix));
    return;
  }
  if (version < MIN_CUDNN)
    warn_of_cudnn (cuda, "cudnn",
        g_strdup_printf (
            "cuDNN %s is too old, expected 9.8 or later, so " OWN_ALONE, text),
        g_steal_pointer (&fix));
  else if (cudart / 1000 != cuda->major)
    warn_of_cudnn (cuda, "cudnn",
        g_strdup_printf (
            "cuDNN %s, expected CUDA %d; without libcublasLt.so.%d, " OWN_ALONE,
            text, cuda->major, cudart / 1000),
        g_steal_pointer (&fix));
  else
    doctor_cuda_row (cuda, "cudnn", DOCTOR_OK, g_strdup (text), NULL);
  check_one_piece (cuda, facts);
  if (have_cublaslt)
    check_engines (cuda, facts);
}

static void
check_decoder (DoctorCuda *cuda)
{
  g_autofree char *argument = g_strdup_printf ("%d", cuda->gpu);
  g_autoptr (GHashTable) facts = doctor_probe ("nvdec", argument);
  const char *ended = doctor_get (facts, "ended");
  const char *error = doctor_get (facts, "nvdec.error");
  const char *can = doctor_get (facts, "nvdec.can");
  const char *cannot = doctor_get (facts, "nvdec.cannot");

  if (ended || error)
    doctor_cuda_row (cuda, "decoder", DOCTOR_WARN,
        g_strdup_printf ("videos cannot be decoded on the GPU: %s",
            ended ? ended : error),
        g_strdup ("install the driver's libnvcuvid.so.1 (Debian: libnvcuvid1); "
                  "in a container, add 'video' to NVIDIA_DRIVER_CAPABILITIES"));
  else if (!doctor_get (facts, "nvdec.headers"))
    doctor_cuda_row (cuda, "decoder", DOCTOR_NOTE,
        g_strdup ("the supported codecs are unknown: built without "
                  "nv-codec-headers"),
        g_strdup ("install libffmpeg-nvenc-dev and build again"));
  else
    doctor_cuda_row (cuda, "decoder", DOCTOR_OK,
        g_strdup_printf ("%s%s%s", *can ? can : "no codec",
            *cannot ? "; not " : "", cannot),
        NULL);
  if (doctor_gst_nvcodec () == 0)
    doctor_cuda_row (cuda, "nvcodec", DOCTOR_WARN,
        g_strdup ("GStreamer once loaded its plugin nvcodec without a driver "
                  "and has cached that it has no elements"),
        g_strdup_printf ("rm %s/gstreamer-1.0/registry.*.bin",
            g_get_user_cache_dir ()));
}

/* Cached plans contain GPU code: whoever can write there can execute code. */
static void
check_plan_cache (DoctorCuda *cuda)
{
  g_autofree char *dir = g_build_filename (g_get_user_cache_dir (),
      "yolov10detect", "plans", NULL);
  g_autoptr (GDir) listing = g_dir_open (dir, 0, NULL);
  struct stat info;
  int n = 0;

  while (listing && g_dir_read_name (listing))
    n++;
  if (stat (dir, &info) != 0)
    doctor_cuda_row (cuda, "plan_cache", DOCTOR_OK,
        g_strdup_printf ("none yet in %s; the first start compiles about 50 "
                         "plans",
            dir),
        NULL);
  else if (!S_ISDIR (info.st_mode) || access (dir, W_OK | X_OK) != 0)
    doctor_cuda_row (cuda, "plan_cache", DOCTOR_WARN,
        g_strdup_printf (
            "%s is not a writable folder: every start compiles its "
            "plans again",
            dir),
        g_strdup_printf ("let the next start create it: rm -r %s", dir));
  else if (info.st_uid != geteuid () || info.st_mode & (S_IWGRP | S_IWOTH))
    doctor_cuda_row (cuda, "plan_cache", DOCTOR_WARN,
        g_strdup_printf ("%s is ignored: it contains code, but belongs to "
                         "another user or is writable by others",
            dir),
        g_strdup_printf ("make it yours alone: chmod go-w %s", dir));
  else
    doctor_cuda_row (cuda, "plan_cache", DOCTOR_OK,
        g_strdup_printf ("%d files in %s", n, dir), NULL);
}

/* The row of a convolution that the engine ran when it opened the backend. */
static void
convolution_ran (DoctorCuda *cuda, const char *device)
{
  const char *own = strstr (device, "own convolutions");
  const char *handle = strstr (device, "plans built with a handle");

  if (own && strstr (own, ", because ") && !cuda->without_cudnn)
    doctor_cuda_row (cuda, "convolution", DOCTOR_WARN,
        g_strdup_printf ("correct, but " OWN_ALONE ": %s", own),
        g_strdup (
            "update the driver, and install one complete cuDNN; " CUDNN_LOG));
  else
    doctor_cuda_row (cuda, "convolution", DOCTOR_OK,
        g_strdup_printf ("correct, %s",
            own          ? own
                : handle ? handle
                         : "plans built without a handle"),
        NULL);
}

/* The row where it did not. Without the bundled model nothing was tried; an engine
 * with another model needs no self-check. */
static void
no_convolution (DoctorCuda *cuda, GHashTable *facts)
{
  const char *error = doctor_get (facts, "check.error");

  if (doctor_get (facts, "check.no_model"))
    doctor_cuda_row (cuda, "convolution", DOCTOR_WARN,
        g_strdup_printf ("not tried, and auto does not take CUDA, because the "
                         "self-check needs the bundled model: %s",
            error),
        g_strdup (
            "install the bundled model, codes.safetensors, which is part "
            "of this project; or choose the backend with a model of your own: "
            "--backend cuda --model FILE"));
  else
    doctor_cuda_row (cuda, "convolution", DOCTOR_FAIL,
        g_strdup (error ? error : "the backend cannot be opened"),
        g_strdup ("update the driver, or let the engine do without cuDNN: "
                  "Y10_CUDA_CONV=own; " CUDNN_LOG));
}

/* The check that auto runs before it takes CUDA, with the same functions. When it
 * opens the backend, one plan of a convolution runs. */
static void
check_self (DoctorCuda *cuda)
{
  g_autofree char *argument = g_strdup_printf ("%d", cuda->gpu);
  g_autoptr (GHashTable) facts = doctor_probe ("check", argument);
  const char *device = doctor_get (facts, "check.device");
  const char *error = doctor_get (facts, "check.error");
  const char *ended = doctor_get (facts, "ended");

  cuda->present = TRUE; /* the backend is usable */
  if (device)
    convolution_ran (cuda, device);
  else if (!ended)
    no_convolution (cuda, facts);
  if (!ended && device && !error)
    doctor_cuda_row (cuda, "self_check", DOCTOR_OK,
        g_strdup_printf ("the engine agrees with the reference, so auto takes "
                         "CUDA: %s",
            device),
        NULL);
  else if (ended || device)
    doctor_cuda_row (cuda, "self_check", DOCTOR_FAIL,
        g_strdup_printf ("auto does not take CUDA: %s%s",
            ended ? "its self-check ended with " : "", ended ? ended : error),
        g_strdup ("update the driver and cuDNN; report it with the output of "
                  "'y10 doctor --json'"));
}

static void
check_backend (DoctorCuda *cuda)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const gboolean usable = doctor_probe_backend (why) > 0;

  if (usable) {
    doctor_cuda_row (cuda, "backend", DOCTOR_OK,
        g_strdup (why->len ? why->str : "usable"), NULL);
    check_self (cuda);
  } else if (strstr (why->str, "is not installed in")) {
    doctor_cuda_row (cuda, "backend", DOCTOR_WARN, g_strdup (why->str),
        g_strdup ("build and install it with 'tools/setup.sh --cuda "
                  "--install'"));
  } else if (strstr (why->str, "cannot be loaded")
      || strstr (why->str, "with interface version")) {
    /* Report it even without a GPU: the module loads on any machine. */
    doctor_row (cuda->doctor, "backend", DOCTOR_FAIL, why->str,
        "install the library, the plugin and the backend of one build");
  } else {
    doctor_cuda_row (cuda, "backend", DOCTOR_FAIL,
        g_strdup_printf ("the CUDA backend is not usable: %s", why->str),
        g_strdup ("fix the problems above"));
  }
}

void
doctor_cuda_libraries (DoctorCuda *cuda)
{
  gboolean have_cublaslt;
  int frames;

  check_nvrtc (cuda);
  have_cublaslt = check_cublaslt (cuda);
  check_cudnn (cuda, have_cublaslt);
  if (cuda->gpu >= 0)
    check_decoder (cuda);
  if (cuda->present)
    check_plan_cache (cuda);
  check_backend (cuda);
  frames = doctor_gst_takes_cuda ();
  if (frames == 1)
    doctor_cuda_row (cuda, "frames", DOCTOR_OK,
        g_strdup ("yolov10detect takes frames in CUDA memory"), NULL);
  else if (frames == 0)
    doctor_cuda_row (cuda, "frames", DOCTOR_NOTE,
        g_strdup ("yolov10detect takes frames from system memory only"),
        g_strdup ("run 'tools/setup.sh --cuda', or install GStreamer's CUDA "
                  "library (Debian: sudo apt-get install "
                  "libgstreamer-plugins-bad1.0-dev) and build again"));
}
