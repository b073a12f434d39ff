/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Checks the NVIDIA driver and its GPUs. Each known failure of an installation
 * has its own symptom and fix. Without such a GPU there is a note and no problem.
 * Tests set Y10_DOCTOR_ROOT to replace the root of /proc and /sys. */

#include "config.h"

#include <string.h>

#include "doctor/cuda-libs.h"
#include "doctor/doctor.h"
#include "doctor/probe.h"

#define CONTAINER_FIX \
  "in a container, run it with --gpus all and " \
  "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility"
#define INSTALL_FIX \
  "install NVIDIA's driver (Debian: sudo apt-get install " \
  "nvidia-driver); " CONTAINER_FIX
/* Enough for a step of the largest variant, its weights and cuDNN. */
#define ENOUGH_MEMORY (G_GINT64_CONSTANT (1) << 30)
#define MIN_CAPABILITY 75
#define MAX_GPUS 16

static char *
system_path (const char *path)
{
  const char *root = g_getenv ("Y10_DOCTOR_ROOT");

  return g_strconcat (root ? root : "", path, NULL);
}

/* Returns the version of the kernel module, such as "580.65.06", or NULL. */
static char *
kernel_version (void)
{
  g_autofree char *path = system_path ("/proc/driver/nvidia/version"),
                  *text = NULL;
  char *version = NULL;
  g_autoptr (GMatchInfo) match = NULL;
  g_autoptr (GRegex) regex = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL)) {
    regex = g_regex_new ("NVRM version:.*?\\s(\\d+\\.[\\d.]+)\\s", 0, 0, NULL);
    if (g_regex_match (regex, text, 0, &match))
      version = g_match_info_fetch (match, 1);
    else
      version = g_strdup ("unknown");
  }
  return version;
}

/* Returns TRUE if there is an NVIDIA display controller on the PCI bus. */
static gboolean
gpu_on_bus (void)
{
  g_autofree char *path = system_path ("/sys/bus/pci/devices");
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  gboolean found = FALSE;

  while (dir && !found && (name = g_dir_read_name (dir))) {
    g_autofree char *vendor_path = g_build_filename (path, name, "vendor",
        NULL);
    g_autofree char *class_path = g_build_filename (path, name, "class", NULL);
    g_autofree char *vendor = NULL, *class = NULL;

    found = g_file_get_contents (vendor_path, &vendor, NULL, NULL)
        && g_str_has_prefix (vendor, "0x10de")
        && g_file_get_contents (class_path, &class, NULL, NULL)
        && g_str_has_prefix (class, "0x03");
  }
  return found;
}

/* Returns the version in the name of the driver library, libcuda.so.580.65.06. */
static const char *
library_version (const char *file)
{
  const char *version = file ? strstr (file, "libcuda.so.") : NULL;

  if (!version || !strchr (version += strlen ("libcuda.so."), '.'))
    return NULL;
  return version;
}

static void
no_library (DoctorCuda *cuda, const char *error, const char *kernel)
{
  if (kernel) {
    cuda->present = TRUE;
    doctor_cuda_row (cuda, "driver", DOCTOR_FAIL,
        g_strdup_printf ("the kernel has NVIDIA's driver %s, but libcuda.so.1 "
                         "cannot be loaded: %s",
            kernel, error),
        g_strdup ("install the driver library (Debian: sudo apt-get install "
                  "libcuda1); " CONTAINER_FIX));
  } else if (gpu_on_bus ()) {
    cuda->present = TRUE;
    doctor_cuda_row (cuda, "driver", DOCTOR_WARN,
        g_strdup_printf ("this machine has an NVIDIA GPU but no driver for "
                         "CUDA: %s",
            error),
        g_strdup (INSTALL_FIX));
  } else {
    doctor_row (cuda->doctor, "driver", DOCTOR_NOTE, "no NVIDIA GPU or driver",
        "for a GPU, " INSTALL_FIX);
  }
}

static void
no_device (DoctorCuda *cuda, const char *kernel)
{
  const char *visible = g_getenv ("CUDA_VISIBLE_DEVICES");

  if (visible) {
    cuda->present = TRUE;
    doctor_cuda_row (cuda, "driver", DOCTOR_WARN,
        g_strdup_printf ("the driver hides all GPUs: CUDA_VISIBLE_DEVICES is "
                         "'%s'",
            visible),
        g_strdup ("unset CUDA_VISIBLE_DEVICES"));
  } else if (kernel || gpu_on_bus ()) {
    cuda->present = TRUE;
    doctor_cuda_row (cuda, "driver", DOCTOR_FAIL,
        g_strdup ("the driver finds no GPU, although this machine has one"),
        g_strdup ("check 'dmesg | grep NVRM'; " CONTAINER_FIX));
  } else {
    doctor_row (cuda->doctor, "driver", DOCTOR_NOTE, "no NVIDIA GPU or driver",
        "for a GPU, " INSTALL_FIX);
  }
}

/* Reports the error @init of cuInit(). */
static void
no_init (DoctorCuda *cuda, GHashTable *facts, int init, const char *kernel)
{
  const char *file = doctor_get (facts, "driver.file");
  const char *version = library_version (file);
  const char *name = doctor_get (facts, "driver.init_name");
  char *fact, *fix;

  if (init == 100) { /* CUDA_ERROR_NO_DEVICE */
    no_device (cuda, kernel);
    return;
  }
  cuda->present = TRUE;
  switch (init) {
    case 34: /* CUDA_ERROR_STUB_LIBRARY */
      fact = g_strdup_printf ("%s is the toolkit's stub, not a driver", file);
      fix = g_strdup ("remove the folder that ends in 'stubs' from "
                      "LD_LIBRARY_PATH and /etc/ld.so.conf.d");
      break;
    case 803: /* CUDA_ERROR_SYSTEM_DRIVER_MISMATCH */
      fact = g_strdup_printf ("the driver library has version %s, but the "
                              "kernel still runs %s",
          version ? version : "(unknown)", kernel ? kernel : "another");
      fix = g_strdup (
          "reboot, or reload the kernel modules: sudo "
          "rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe "
          "nvidia");
      break;
    case 804: /* CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE */
      fact = g_strdup_printf ("%s comes from cuda-compat, which does not work "
                              "with this GPU (it is for data-centre GPUs)",
          file);
      fix = g_strdup ("remove the package cuda-compat-*, or its folder from "
                      "LD_LIBRARY_PATH, and update the driver instead");
      break;
    case 802: /* CUDA_ERROR_SYSTEM_NOT_READY */
      fact = g_strdup ("the GPUs are not ready: no NVLink fabric manager runs");
      fix = g_strdup ("sudo systemctl start nvidia-fabricmanager (of the "
                      "driver's version)");
      break;
    case 999: /* CUDA_ERROR_UNKNOWN */
      fact = g_strdup ("the driver does not start and gives no reason");
      fix = g_strdup ("sudo modprobe nvidia_uvm; after a suspend, unload it "
                      "first (sudo rmmod nvidia_uvm); else reboot");
      break;
    default:
      fact = g_strdup_printf ("the driver does not start: cuInit returned "
                              "%d%s%s",
          init, name ? ", " : "", name ? name : "");
      fix = g_strdup ("check 'nvidia-smi' and 'dmesg | grep NVRM'");
  }
  doctor_cuda_row (cuda, "driver", DOCTOR_FAIL, fact, fix);
}

static gint64
gpu_int (GHashTable *facts, int gpu, const char *key, gint64 fallback)
{
  g_autofree char *full = g_strdup_printf ("gpu.%d.%s", gpu, key);

  return doctor_get_int (facts, full, fallback);
}

/* Checks that the running driver is new enough and matches the kernel module. */
static void
driver_runs (DoctorCuda *cuda, GHashTable *facts, const char *kernel)
{
  const char *file = doctor_get (facts, "driver.file");
  const char *version = library_version (file);
  const int cuda_version = (int) doctor_get_int (facts, "driver.version", 0);
  g_autofree char *text = g_strdup_printf ("%s, up to CUDA %d.%d, %s",
      version      ? version
          : kernel ? kernel
                   : "unknown version",
      cuda_version / 1000, cuda_version % 1000 / 10, file);

  /* JetPack 6, whose driver loads kernels of CUDA 12 only. */
  if (cuda_version / 1000 == 12
      && gpu_int (facts, 0, "capability", 0) == Y10_CUDA12_CAPABILITY)
    cuda->major = 12;
  if (cuda_version < cuda->major * 1000) {
    doctor_cuda_row (cuda, "driver", DOCTOR_FAIL,
        g_strdup_printf ("the driver (%s) is older than CUDA %d, which the "
                         "CUDA backend is built for",
            text, cuda->major),
        g_strdup_printf ("install driver %s or newer%s",
            cuda->major >= 13 ? "580.65.06" : "525.60.13",
            cuda->major >= 13 && cuda_version >= 12000
                ? ", or build with CUDA 12"
                : ""));
  } else if (version && kernel && strcmp (kernel, "unknown") != 0
      && strcmp (version, kernel) != 0 && !strstr (file, "compat")) {
    doctor_cuda_row (cuda, "driver", DOCTOR_WARN,
        g_strdup_printf ("the driver library (%s) and the kernel module (%s) "
                         "have different versions",
            text, kernel),
        g_strdup ("reboot, or remove the libraries of the other driver"));
  } else {
    doctor_cuda_row (cuda, "driver", DOCTOR_OK, g_strdup (text), NULL);
  }
}

static void
check_gpu (DoctorCuda *cuda, GHashTable *facts, int gpu)
{
  const int capability = (int) gpu_int (facts, gpu, "capability", 0);
  const int mode = (int) gpu_int (facts, gpu, "mode", 0);
  const int context = (int) gpu_int (facts, gpu, "context", 0);
  const gint64 memory = gpu_int (facts, gpu, "memory", 0);
  const gint64 free_bytes = gpu_int (facts, gpu, "free", -1);
  g_autofree char *row = g_strdup_printf ("gpu%d", gpu);
  g_autofree char *key = g_strdup_printf ("gpu.%d.name", gpu);
  g_autofree char *fix = g_strdup_printf ("sudo nvidia-smi -i %d -c DEFAULT",
      gpu);
  const char *name = doctor_get (facts, key);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "%s, sm_%d, %.1f GiB", name ? name : "unnamed",
      capability, memory / 1073741824.);
  if (free_bytes >= 0)
    g_string_append_printf (text, ", %.1f free", free_bytes / 1073741824.);
  if (gpu_int (facts, gpu, "ecc", 0))
    g_string_append (text, ", ECC");

  if (capability < MIN_CAPABILITY) {
    doctor_cuda_row (cuda, row, DOCTOR_FAIL,
        g_strdup_printf ("%s: too old, the kernels need sm_75 (Turing) or "
                         "later",
            text->str),
        g_strdup ("use another GPU, or the cpu backend"));
  } else if (mode == 2) {
    doctor_cuda_row (cuda, row, DOCTOR_FAIL,
        g_strdup_printf ("%s: its compute mode is 'prohibited'", text->str),
        g_strdup (fix));
  } else if (context && mode == 3) {
    doctor_cuda_row (cuda, row, DOCTOR_FAIL,
        g_strdup_printf ("%s: its compute mode is 'exclusive process', and "
                         "another process uses it",
            text->str),
        g_strdup_printf ("end that process (nvidia-smi), or: %s", fix));
  } else if (context) {
    doctor_cuda_row (cuda, row, DOCTOR_FAIL,
        g_strdup_printf ("%s: cannot create a context, error %d%s", text->str,
            context, context == 2 ? " (out of memory)" : ""),
        g_strdup ("'nvidia-smi' lists the other processes that use it"));
  } else if (mode == 3) {
    doctor_cuda_row (cuda, row, DOCTOR_WARN,
        g_strdup_printf ("%s: its compute mode is 'exclusive process', which "
                         "allows one process at a time",
            text->str),
        g_strdup (fix));
  } else if (free_bytes >= 0 && free_bytes < ENOUGH_MEMORY) {
    doctor_cuda_row (cuda, row, DOCTOR_WARN,
        g_strdup_printf ("%s: little memory is free", text->str),
        g_strdup ("'nvidia-smi' lists the other processes that use it"));
  } else {
    doctor_cuda_row (cuda, row, DOCTOR_OK, g_strdup (text->str), NULL);
  }
  if (cuda->gpu < 0 && capability >= MIN_CAPABILITY && !context)
    cuda->gpu = gpu;
}

static void
check_driver (DoctorCuda *cuda)
{
  g_autoptr (GHashTable) facts = doctor_probe ("driver", NULL);
  const char *ended = doctor_get (facts, "ended");
  const char *error = doctor_get (facts, "driver.error");
  const int init = (int) doctor_get_int (facts, "driver.init", -1);
  const int n = (int) doctor_get_int (facts, "gpus", 0);
  g_autofree char *kernel = kernel_version ();

  if (error) {
    no_library (cuda, error, kernel);
  } else if (ended && (init < 0 || n == 0)) {
    cuda->present = TRUE;
    doctor_cuda_row (cuda, "driver", DOCTOR_FAIL,
        g_strdup_printf ("the test of the driver ended with %s", ended),
        g_strdup ("check 'nvidia-smi' and 'dmesg | grep NVRM'; reboot"));
  } else if (init != 0) {
    no_init (cuda, facts, init, kernel);
  } else if (n == 0) {
    no_device (cuda, kernel);
  } else {
    cuda->present = TRUE;
    driver_runs (cuda, facts, kernel);
    for (int i = 0; i < MIN (n, MAX_GPUS); i++)
      check_gpu (cuda, facts, i);
  }
}

void
doctor_cuda (Doctor *doctor)
{
  DoctorCuda cuda = { doctor, FALSE, -1, Y10_CUDA_MAJOR, FALSE };

  doctor_section (doctor, "cuda");
  check_driver (&cuda);
  doctor_cuda_libraries (&cuda);
}
