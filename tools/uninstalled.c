/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* For programs that run from a build folder: makes GStreamer find the plugin that was
 * built with them, before it is initialised. Where the program is installed, there is no
 * plugin at that place and nothing happens; nor if the environment says where plugins
 * are. */

#include <gst/gst.h>
#include <stdlib.h>
#include <unistd.h>

#define PLUGIN "libgstyolov10.so"

static void __attribute__ ((constructor)) find_plugin (void)
{
  char *program = realpath ("/proc/self/exe", NULL);
  g_autofree char *folder = NULL, *plugins = NULL, *plugin = NULL;

  if (!program || g_getenv ("GST_PLUGIN_PATH_1_0")
      || g_getenv ("GST_PLUGIN_PATH")) {
    free (program);
    return;
  }
  folder = g_path_get_dirname (program);
  plugins = g_canonicalize_filename ("../gst", folder);
  plugin = g_build_filename (plugins, PLUGIN, NULL);
  if (access (plugin, R_OK) == 0)
    g_setenv ("GST_PLUGIN_PATH_1_0", plugins, FALSE);
  free (program);
}
