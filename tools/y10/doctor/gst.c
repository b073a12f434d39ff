/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Checks GStreamer: its version and metadata, the plugins that common pipelines
 * need, and above all why GStreamer does not find our plugin. There are four
 * reasons: the file is in no directory that GStreamer searches; it cannot be
 * loaded; the registry caches an earlier failure to load it; or it has another
 * version than this tool. */

#include "base/json.h"
#include "config.h"
#include "dirs.h"

#include "doctor/doctor.h"

#ifdef HAVE_GST

#include <dlfcn.h>
#include <gst/gst.h>
#include <string.h>

#include "media/gst.h"

#define PLUGIN_FILE "libgstyolov10." G_MODULE_SUFFIX
#define ANALYTICS_LIBRARY "libgstanalytics-1.0.so.0"

static const struct
{
  const char *element, *package, *what;
} useful[] = {
  { "uridecodebin", "gstreamer1.0-plugins-base", "videos" },
  { "videoconvert", "gstreamer1.0-plugins-base", "videos" },
  { "qtdemux", "gstreamer1.0-plugins-good", "MP4 files" },
  { "matroskademux", "gstreamer1.0-plugins-good", "Matroska files" },
  { "h264parse", "gstreamer1.0-plugins-bad", "H.264 video" },
  { "avdec_h264", "gstreamer1.0-libav", "H.264 video" },
  { "gdkpixbufdec", "gstreamer1.0-plugins-good", "pictures in pipelines" },
  { "pngenc", "gstreamer1.0-plugins-good", "writing PNG" },
  { "x264enc", "gstreamer1.0-plugins-ugly", "writing H.264 video" },
  { "mp4mux", "gstreamer1.0-plugins-good", "writing MP4 files" },
};

static void
check_metas (Doctor *doctor, GString *json)
{
  guint major, minor, micro, nano;
  void *library;

  gst_version (&major, &minor, &micro, &nano);
  y10_json_open (json, "metas", '[');
  y10_json_add_string (json, NULL, "GstVideoRegionOfInterestMeta");
  if (major > 1 || minor >= 20)
    y10_json_add_string (json, NULL, "GstCustomMeta");
  library = dlopen (ANALYTICS_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  if (library)
    y10_json_add_string (json, NULL, "GstAnalyticsRelationMeta");
  y10_json_close (json, ']');
#ifdef HAVE_GST_ANALYTICS
  y10_json_add_string (json, "analytics", "built in");
#else
  y10_json_add_string (json, "analytics",
      library ? "present, but the plugin was built without it"
              : "none (comes with GStreamer 1.24)");
  if (library)
    doctor_problem (doctor, FALSE,
        "GStreamer has analytics metadata, but the "
        "plugin was built without it",
        "install libgstreamer-plugins-bad1.0-dev and build again");
#endif
  if (library)
    dlclose (library);
}

static void
check_elements (Doctor *doctor, GString *json)
{
  y10_json_open (json, "missing", '[');
  for (guint i = 0; i < G_N_ELEMENTS (useful); i++) {
    g_autofree char *what = NULL, *fix = NULL;

    if (tool_have_element (useful[i].element))
      continue;
    y10_json_add_string (json, NULL, useful[i].element);
    what = g_strdup_printf ("GStreamer has no %s: %s will not work",
        useful[i].element, useful[i].what);
    fix = g_strdup_printf ("install it (Debian: sudo apt-get install %s)",
        useful[i].package);
    doctor_problem (doctor, FALSE, what, fix);
  }
  y10_json_close (json, ']');
}

/* Returns the directories that GStreamer searches, from variables or defaults. */
static GPtrArray *
search_path (void)
{
  static const char *const variables[] = { "GST_PLUGIN_PATH_1_0",
    "GST_PLUGIN_PATH", "GST_PLUGIN_SYSTEM_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH" };
  GPtrArray *path = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GstPlugin)
      core = gst_registry_find_plugin (gst_registry_get (), "coreelements");

  for (guint i = 0; i < G_N_ELEMENTS (variables); i++) {
    const char *value = g_getenv (variables[i]);
    g_auto (GStrv)
        dirs = g_strsplit (value ? value : "", G_SEARCHPATH_SEPARATOR_S, -1);

    for (guint k = 0; dirs[k]; k++) {
      if (*dirs[k])
        g_ptr_array_add (path, g_strdup (dirs[k]));
    }
  }
  g_ptr_array_add (path,
      g_build_filename (g_get_user_data_dir (), "gstreamer-1.0", "plugins",
          NULL));
  if (core && gst_plugin_get_filename (core))
    g_ptr_array_add (path, g_path_get_dirname (gst_plugin_get_filename (core)));
  return path;
}

static char *
file_in (const char *dir)
{
  g_autofree char *path = g_build_filename (dir, PLUGIN_FILE, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS) ? g_steal_pointer (&path)
                                                : NULL;
}

/* Looks for the plugin where GStreamer does not: in the build's installation
 * directory, and beside a tool that was not installed. */
static char *
find_outside_path (void)
{
  char *file = file_in (Y10_PLUGIN_DIR);
  g_autofree char *self = NULL;
  g_autofree char *tools = NULL, *build = NULL, *gst = NULL;

  if (file || !(self = g_file_read_link ("/proc/self/exe", NULL)))
    return file;
  tools = g_path_get_dirname (self);
  build = g_path_get_dirname (tools);
  gst = g_build_filename (build, "gst", NULL);
  file = file_in (gst);
  return file;
}

static void
not_found (Doctor *doctor, GString *json)
{
  g_autoptr (GPtrArray) path = search_path ();
  g_autofree char *file = NULL, *what = NULL, *fix = NULL;

  for (guint i = 0; !file && i < path->len; i++)
    file = file_in (path->pdata[i]);

  if (file) {
    void *library = dlopen (file, RTLD_NOW | RTLD_LOCAL);

    if (library) {
      what =
          g_strdup_printf ("GStreamer has cached %s as unusable, although it "
                           "can be loaded",
              file);
      fix = g_strdup_printf ("rm %s/gstreamer-1.0/registry.*.bin",
          g_get_user_cache_dir ());
      dlclose (library);
    } else {
      what = g_strdup_printf ("the plugin cannot be loaded: %s", dlerror ());
      fix = g_strdup_printf ("install what is missing (for liby10.so.1: run "
                             "'sudo ldconfig', or set LD_LIBRARY_PATH), then "
                             "rm %s/gstreamer-1.0/registry.*.bin",
          g_get_user_cache_dir ());
    }
  } else if ((file = find_outside_path ())) {
    g_autofree char *dir = g_path_get_dirname (file);

    what = g_strdup_printf ("the plugin is in %s, which GStreamer does not "
                            "search",
        dir);
    fix = g_strdup_printf ("export GST_PLUGIN_PATH=%s, or install it with "
                           "'tools/setup.sh --install'",
        dir);
  } else {
    what = g_strdup ("the plugin is not installed");
    fix = g_strdup ("run 'tools/setup.sh --install'");
  }
  y10_json_add_bool (json, "usable", FALSE);
  y10_json_add_string (json, "why", what);
  doctor_problem (doctor, TRUE, what, fix);
}

/* Returns TRUE if the element can be created, not just listed. */
static gboolean
makes_element (const char *name)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  if (!element)
    return FALSE;
  gst_object_unref (gst_object_ref_sink (element));
  return TRUE;
}

static void
check_plugin (Doctor *doctor, GString *json)
{
  g_autoptr (GstPlugin)
      found = gst_registry_find_plugin (gst_registry_get (), "yolov10");
  const char *version;
  gboolean overlay;

  y10_json_open (json, "plugin", '{');
  if (!found || !makes_element ("yolov10detect")) {
    not_found (doctor, json);
    y10_json_close (json, '}');
    return;
  }
  version = gst_plugin_get_version (found);
  y10_json_add_bool (json, "usable", TRUE);
  y10_json_add_string (json, "why", gst_plugin_get_filename (found));
  y10_json_add_string (json, "version", version);
  y10_json_close (json, '}');
  if (g_strcmp0 (version, PACKAGE_VERSION))
    doctor_problem (doctor, FALSE,
        "the plugin that GStreamer finds differs "
        "from the version of this y10, " PACKAGE_VERSION,
        "remove the old one, or put the new one first in GST_PLUGIN_PATH");
  overlay = makes_element ("yolov10overlay");
  doctor_row (doctor, "overlay", overlay ? DOCTOR_OK : DOCTOR_WARN,
      overlay ? "yolov10overlay"
              : "the plugin was built without yolov10overlay, which draws the "
                "boxes",
      "install cairo and pango "
      "(Debian: libcairo2-dev libpango1.0-dev) and build again");
}

/* The plugin is loaded, and with it the libraries that it was built with. */
static void
check_transports (Doctor *doctor)
{
  static const struct
  {
    const char *name, *schemes, *to, *library, *file, *package;
  } transports[] = {
    { "mqtt", "mqtt, mqtts", "MQTT brokers", "libmosquitto",
        "libmosquitto.so.1", "libmosquitto-dev" },
    { "webhook", "http, https", "web servers", "libsoup 3", "libsoup-3.0.so.0",
        "libsoup-3.0-dev" },
    { "kafka", "kafka", "Kafka", "librdkafka", "librdkafka.so.1",
        "librdkafka-dev" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (transports); i++) {
    void *library = dlopen (transports[i].file, RTLD_LAZY | RTLD_NOLOAD);
    g_autofree char *fact = library
        ? g_strdup (transports[i].schemes)
        : g_strdup_printf ("this build sends no events to %s: it lacks %s",
            transports[i].to, transports[i].library);
    g_autofree char *fix =
        g_strdup_printf ("run 'tools/setup.sh', or install it "
                         "(Debian: sudo apt-get install %s) and build again",
            transports[i].package);

    doctor_row (doctor, transports[i].name, library ? DOCTOR_OK : DOCTOR_NOTE,
        fact, fix);
    if (library)
      dlclose (library);
  }
}

static void
check_publish (Doctor *doctor)
{
  doctor_section (doctor, "events");
  if (makes_element ("yolov10publish"))
    check_transports (doctor);
  else
    doctor_row (doctor, "yolov10publish", DOCTOR_NOTE,
        "GStreamer finds no yolov10publish, so events are not kept or sent",
        "install it (Debian: sudo apt-get install gstreamer1.0-yolov10-publish), "
        "or run 'tools/setup.sh'");
}

int
doctor_gst_takes_cuda (void)
{
  g_autoptr (GstElementFactory) factory = gst_is_initialized ()
      ? gst_element_factory_find ("yolov10detect")
      : NULL;
  int found = 0;

  if (!factory)
    return -1;
  for (const GList *pad =
           gst_element_factory_get_static_pad_templates (factory);
       pad; pad = pad->next) {
    const GstStaticPadTemplate *template = pad->data;

    found |= strstr (template->static_caps.string, "memory:CUDAMemory") != NULL;
  }
  return found;
}

int
doctor_gst_nvcodec (void)
{
  GList *features;
  int n;

  if (!gst_is_initialized ())
    return -1;
  features = gst_registry_get_feature_list_by_plugin (gst_registry_get (),
      "nvcodec");
  n = (int) g_list_length (features);
  gst_plugin_feature_list_free (features);
  if (n == 0) {
    g_autoptr (GstPlugin)
        plugin = gst_registry_find_plugin (gst_registry_get (), "nvcodec");

    if (!plugin)
      return -1;
  }
  return n;
}

void
doctor_gstreamer (Doctor *doctor)
{
  GString *json = doctor_section (doctor, "gstreamer");
  g_autoptr (GError) error = NULL;
  g_autofree char *version = NULL;

  if (!tool_gst_init (&error)) {
    doctor_problem (doctor, TRUE, error->message,
        "GStreamer does not start; see 'gst-inspect-1.0'");
    return;
  }
  version = gst_version_string ();
  y10_json_add_string (json, "version", version);
  check_metas (doctor, json);
  check_plugin (doctor, json);
  check_elements (doctor, json);
  check_publish (doctor);
}

#else /* !HAVE_GST */

int
doctor_gst_takes_cuda (void)
{
  return -1;
}

int
doctor_gst_nvcodec (void)
{
  return -1;
}

void
doctor_gstreamer (Doctor *doctor)
{
  GString *json = doctor_section (doctor, "gstreamer");

  y10_json_add_string (json, "version", "none");
  doctor_problem (doctor, FALSE,
      "built without GStreamer: no plugin, and y10 "
      "reads no videos",
      "install libgstreamer-plugins-base1.0-dev and build "
      "again");
}

#endif
