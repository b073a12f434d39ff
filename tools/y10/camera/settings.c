/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What can be set of a camera: the table. What depends on the model or on the folder of
 * videos is checked by those who know them. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <string.h>
#include <y10/y10.h>

#include "camera/settings.h"
#include "media/pin.h"
#include "media/remote.h"

static gboolean
check_transport (char **text, GError **error)
{
  return tool_remote_check_transport (*text, error);
}

/* Keeps it in one form. */
static gboolean
check_fingerprint (char **text, GError **error)
{
  char *fingerprint = tool_pin_parse (*text, error);

  if (!fingerprint)
    return FALSE;
  g_free (*text);
  *text = fingerprint;
  return TRUE;
}

static gboolean
check_tiles (char **text, GError **error)
{
  Y10Tiles parsed = { .size = sizeof parsed };

  return !strcmp (*text, "none") || y10_tiles_parse (*text, &parsed, error);
}

#define AT(MEMBER) G_STRUCT_OFFSET (ToolCameraSettings, MEMBER)

/* clang-format off */
const ToolSetting tool_camera_settings[] = {
  { "name", TOOL_SETTING_TEXT, AT (name) },
  { "source", TOOL_SETTING_TEXT, AT (source), TOOL_SETTING_SECRET | TOOL_SETTING_REOPENS },
  { "transport", TOOL_SETTING_TEXT, AT (remote.transport), TOOL_SETTING_REOPENS,
      .check = check_transport },
  { "fingerprint", TOOL_SETTING_TEXT, AT (remote.fingerprint), TOOL_SETTING_REOPENS,
      .check = check_fingerprint },
  { "stream", TOOL_SETTING_COUNT, AT (remote.stream), TOOL_SETTING_REOPENS, .most = 64 },
  { "classes", TOOL_SETTING_TEXT, AT (classes), .element = "detect" },
  { "confidence", TOOL_SETTING_SHARE, AT (confidence), .element = "detect" },
  { "tiles", TOOL_SETTING_TEXT, AT (tiles), .element = "detect", .check = check_tiles },
  { "zones", TOOL_SETTING_JSON, AT (zones), .element = "zones",
      .form = "an object with version, zones and lines" },
  { "privacy", TOOL_SETTING_SWITCH, AT (privacy), TOOL_SETTING_REOPENS },
  { NULL }
};
/* clang-format on */

gboolean
tool_setting_is_text (const ToolSetting *setting)
{
  return setting->kind == TOOL_SETTING_TEXT
      || setting->kind == TOOL_SETTING_JSON;
}

gboolean
tool_setting_is_same (const ToolSetting *setting, const ToolCameraSettings *a,
    const ToolCameraSettings *b)
{
  if (tool_setting_is_text (setting))
    return !g_strcmp0 (TOOL_SETTING (a, setting, char *),
        TOOL_SETTING (b, setting, char *));
  if (setting->kind == TOOL_SETTING_SHARE)
    return TOOL_SETTING (a, setting, double)
        == TOOL_SETTING (b, setting, double);
  return TOOL_SETTING (a, setting, guint) == TOOL_SETTING (b, setting, guint);
}

ToolCameraSettings *
tool_camera_settings_copy (const ToolCameraSettings *settings)
{
  ToolCameraSettings *copy = g_new0 (ToolCameraSettings, 1);

  if (!settings)
    return copy;
  *copy = *settings;
  copy->id = g_strdup (settings->id);
  for (const ToolSetting *s = tool_camera_settings; s->name; s++)
    if (tool_setting_is_text (s))
      TOOL_SETTING (copy, s, char *) = g_strdup (
          TOOL_SETTING (settings, s, char *));
  return copy;
}

void
tool_camera_settings_free (ToolCameraSettings *settings)
{
  g_free (settings->id);
  for (const ToolSetting *s = tool_camera_settings; s->name; s++)
    if (tool_setting_is_text (s))
      g_free (TOOL_SETTING (settings, s, char *));
  g_free (settings);
}

gboolean
tool_camera_settings_check (ToolCameraSettings *settings, GError **error)
{
  for (const ToolSetting *s = tool_camera_settings; s->name; s++) {
    char **text = s->check ? &TOOL_SETTING (settings, s, char *) : NULL;

    if (text && *text && !s->check (text, error))
      return FALSE;
  }
  return TRUE;
}

#endif
