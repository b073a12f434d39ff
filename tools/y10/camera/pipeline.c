/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The pipeline of a camera: its elements, and their properties.
 *
 * A JPEG has square pixels, so pictures of others are widened for those who look.
 *
 * A valve behind the tracker lets frames through while somebody looks. The queue in
 * front of it drops frames: nobody who looks slows the detector down.
 *
 * With privacy, the overlay covers what is detected in front of all that can take a
 * picture from here, for each frame, whether somebody looks or not. A pipeline is made
 * with it or without, and never changed: so no frame that was not covered is on its way
 * when privacy begins. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <string.h>
#include <y10/y10.h>

#include "camera/pipeline.h"
#include "camera/source.h"
#include "media/framelimit.h"

#define GATE \
  "queue leaky=downstream max-size-buffers=2 max-size-bytes=0 max-size-time=0 ! " \
  "valve name=gate drop=true drop-mode=forward-sticky-events ! "
#define JPEG \
  "videoconvert ! videoscale add-borders=false ! " \
  "video/x-raw,format=I420,pixel-aspect-ratio=1/1 ! jpegenc quality=80 ! " \
  "appsink name=out sync=false async=false max-buffers=1 drop=true"

#define SYNC_INTERVAL 50 /* ms, so that events are soon on pages */

static void
set_default (GstElement *element, const char *name)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element),
      name);

  g_object_set_property (G_OBJECT (element), name,
      g_param_spec_get_default_value (spec));
}

static void
set_text (GstElement *element, const char *name, const char *text)
{
  if (text)
    g_object_set (element, name, text, NULL);
  else
    set_default (element, name);
}

static void
change_text (GstElement *element, const char *name, const char *from,
    const char *to)
{
  if (g_strcmp0 (from, to) != 0)
    set_text (element, name, to);
}

static void
set_property (GstElement *element, const ToolSetting *s,
    const ToolCameraSettings *to)
{
  if (tool_setting_is_text (s))
    set_text (element, s->name, TOOL_SETTING (to, s, char *));
  else if (s->kind == TOOL_SETTING_SWITCH)
    g_object_set (element, s->name, TOOL_SETTING (to, s, gboolean), NULL);
  else if (s->kind == TOOL_SETTING_COUNT && TOOL_SETTING (to, s, guint))
    g_object_set (element, s->name, TOOL_SETTING (to, s, guint), NULL);
  else if (s->kind == TOOL_SETTING_SHARE && TOOL_SETTING (to, s, double) > 0)
    g_object_set (element, s->name, TOOL_SETTING (to, s, double), NULL);
  else
    set_default (element, s->name);
}

/* Only what differs: a detector takes each value as a new one. */
static void
change_elements (GstBin *bin, const ToolCameraSetup *from,
    const ToolCameraSetup *to)
{
  g_autoptr (GstElement) detector = gst_bin_get_by_name (bin, "detect");

  if (from->model_turn != to->model_turn)
    set_text (detector, "model-file", to->model);
  else
    change_text (detector, "model-file", from->model, to->model);
  for (const ToolSetting *s = tool_camera_settings; s->name; s++) {
    if (s->element
        && !tool_setting_is_same (s, &from->settings, &to->settings)) {
      g_autoptr (GstElement) element = gst_bin_get_by_name (bin, s->element);

      set_property (element, s, &to->settings);
    }
  }
}

static void
set_up_engine (const ToolCameraSetup *setup, GstBin *bin)
{
  g_autoptr (GstElement) detector = gst_bin_get_by_name (bin, "detect");

  if (!setup->model) /* markers are too small for the default of this model */
    gst_util_set_object_arg (G_OBJECT (detector), "input-size", "640");
  if (setup->backend)
    gst_util_set_object_arg (G_OBJECT (detector), "backend", setup->backend);
}

static void
set_up_publisher (const ToolCameraSetup *setup, GstBin *bin)
{
  g_autoptr (GstElement) publisher = gst_bin_get_by_name (bin, "publish");
  g_autofree char *snapshots = NULL;

  if (!publisher)
    return;
  snapshots = g_build_filename (setup->spool, "snapshots", NULL);
  gst_util_set_object_arg (G_OBJECT (publisher), "content", "events");
  g_object_set (publisher, "stream", setup->settings.id, "spool", setup->spool,
      "sync-interval", SYNC_INTERVAL, "max-age", setup->max_age, "max-bytes",
      setup->max_bytes, "snapshots", snapshots, NULL);
}

GstElement *
tool_pipeline_new (const ToolCameraSetup *setup, GError **error)
{
  const ToolCameraSetup none = { 0 };
  g_autofree char *source = tool_source_describe (setup->settings.source);
  g_autofree char *text = g_strconcat (source,
      " ! yolov10detect name=detect ! yolov10track name=track ! "
      "yolov10zones name=zones ! ",
      setup->settings.privacy ? "yolov10overlay privacy=fill ! " : "",
      setup->spool ? "yolov10publish name=publish ! " : "", GATE,
      setup->settings.privacy ? "" : "yolov10overlay ! ", JPEG, NULL);
  GstElement *pipeline = gst_parse_launch_full (text, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);

  if (!pipeline)
    return NULL;
  gst_object_ref_sink (pipeline);
  tool_frame_limit_set_up (pipeline);
  set_up_engine (setup, GST_BIN (pipeline));
  set_up_publisher (setup, GST_BIN (pipeline));
  change_elements (GST_BIN (pipeline), &none, setup);
  return pipeline;
}

gboolean
tool_pipeline_has_same_source (const ToolCameraSetup *a,
    const ToolCameraSetup *b)
{
  for (const ToolSetting *s = tool_camera_settings; s->name; s++)
    if (s->flags & TOOL_SETTING_REOPENS
        && !tool_setting_is_same (s, &a->settings, &b->settings))
      return FALSE;
  return TRUE;
}

/* A result that is held is of the settings before, and what these left out is not covered. */
static gboolean
covers_otherwise (const ToolCameraSetup *from, const ToolCameraSetup *to)
{
  for (const ToolSetting *s = tool_camera_settings; s->name; s++)
    if (to->settings.privacy && !g_strcmp0 (s->element, "detect")
        && !tool_setting_is_same (s, &from->settings, &to->settings))
      return TRUE;
  return FALSE;
}

gboolean
tool_pipeline_change (GstBin *pipeline, const ToolCameraSetup *from,
    const ToolCameraSetup *to)
{
  if (!tool_pipeline_has_same_source (from, to)
      || g_strcmp0 (from->backend, to->backend) != 0
      || !from->model != !to->model || covers_otherwise (from, to))
    return FALSE;
  change_elements (pipeline, from, to);
  return TRUE;
}

char *
tool_pipeline_get_active (GstBin *pipeline, const char *property)
{
  g_autoptr (GstElement) detector = gst_bin_get_by_name (pipeline, "detect");
  char *value;

  g_object_get (detector, property, &value, NULL);
  return value;
}

GstStructure *
tool_pipeline_get_stats (GstBin *pipeline, const char *element,
    const char *property)
{
  g_autoptr (GstElement) found = gst_bin_get_by_name (pipeline, element);
  GstStructure *stats = NULL;

  if (!found)
    return NULL;
  g_object_get (found, property, &stats, NULL);
  return stats;
}

/* Whether @details are of @kind and of that model. Only a pipeline that has had no other
 * one has the bundled model. */
static gboolean
is_of_model (const GstStructure *details, const char *kind, const char *model)
{
  const char *path = details && gst_structure_has_name (details, kind)
      ? gst_structure_get_string (details, "model-file")
      : NULL;
  g_autofree char *name = NULL, *wanted = NULL;
  gboolean is;

  if (!path || !model)
    return path != NULL;
  /* A folder that is no UTF-8 is told in other words. */
  name = g_path_get_basename (path);
  wanted = g_path_get_basename (model);
  is = !strcmp (name, wanted);
  return is;
}

static gboolean
is_of_detector (GstMessage *message)
{
  return GST_MESSAGE_SRC (message)
      && !g_strcmp0 (GST_OBJECT_NAME (GST_MESSAGE_SRC (message)), "detect");
}

gboolean
tool_pipeline_read_model (GstMessage *message, const char *model, char **why)
{
  const GstStructure *details = NULL;
  g_autoptr (GError) error = NULL;

  *why = NULL;
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      return is_of_model (gst_message_get_structure (message), "yolov10-model",
          model);
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning_details (message, &details);
      if (!is_of_model (details, "yolov10-model-refused", model))
        return FALSE;
      gst_message_parse_warning (message, &error, NULL);
      break;
    case GST_MESSAGE_ERROR:
      if (!is_of_detector (message))
        return FALSE;
      gst_message_parse_error (message, &error, NULL);
      break;
    default:
      return FALSE;
  }
  *why = g_utf8_make_valid (error->message, -1);
  return TRUE;
}

#endif
