/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Detects an NVIDIA GPU without loading NVIDIA's libraries. Only where there
 * is one does auto report why it did not choose CUDA. */

#include "config.h"

#include "base/nvidia.h"

#define PCI_DEVICES "/sys/bus/pci/devices"

static gboolean
file_begins (const char *dir, const char *device, const char *file,
    const char *text)
{
  g_autofree char *path = g_build_filename (dir, device, file, NULL);
  g_autofree char *content = NULL;

  return g_file_get_contents (path, &content, NULL, NULL)
      && g_str_has_prefix (content, text);
}

gboolean
y10_nvidia_present (void)
{
  /* The driver of a card, a container with a GPU, Tegra, WSL. */
  static const char *const signs[] = { "/proc/driver/nvidia", "/dev/nvidiactl",
    "/dev/nvidia0", "/dev/nvhost-gpu", "/usr/lib/wsl/lib/libcuda.so.1" };
  g_autoptr (GDir) dir = NULL;
  gboolean found = FALSE;
  const char *device;

  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (g_file_test (signs[i], G_FILE_TEST_EXISTS))
      return TRUE;
  dir = g_dir_open (PCI_DEVICES, 0, NULL);
  while (dir && !found && (device = g_dir_read_name (dir)))
    found = file_begins (PCI_DEVICES, device, "vendor", "0x10de")
        && file_begins (PCI_DEVICES, device, "class", "0x03");
  return found;
}
