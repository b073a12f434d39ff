/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Parses the values of properties that are text, where the engine's library does not:
 * the size of the network's input, and names of classes. A value that cannot be parsed
 * is an error that tells what was expected; nothing is guessed. */
#include "common/parse.h"

#include <string.h>

#include "common/classes.h"

/* Parses `input-size`: NULL, "", "N" or "WxH", in pixels, or "auto". 0 is the model's own
 * size. The engine checks which sizes a model supports. */
gboolean
gst_y10_parse_input_size (const gchar *text, guint *width, guint *height,
    gboolean *auto_size, GError **error)
{
  gchar *end;
  guint64 w, h;

  *width = *height = 0;
  *auto_size = !g_strcmp0 (text, "auto");
  if (!text || !*text || *auto_size)
    return TRUE;
  if (!g_ascii_isdigit (*text))
    goto invalid;
  w = h = g_ascii_strtoull (text, &end, 10);
  if (*end == 'x' && g_ascii_isdigit (end[1]))
    h = g_ascii_strtoull (end + 1, &end, 10);
  if (*end || !w || !h || w > Y10_MAX_IMAGE_SIZE || h > Y10_MAX_IMAGE_SIZE)
    goto invalid;
  *width = (guint) w;
  *height = (guint) h;
  return TRUE;

invalid:
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "input-size is \"%s\", expected \"\" for the model's own size, \"N\" or "
      "\"WxH\" in pixels, such as \"640\" or \"640x384\", or \"auto\"",
      text);
  return FALSE;
}

/* Names take precedence; otherwise digits are an id. */
static gint
class_from_token (const gchar *token, const Y10Model *model)
{
  gint found = y10_model_find_class (model, token);
  gchar *end;
  guint64 id;

  if (found >= 0 || !g_ascii_isdigit (*token))
    return found;
  id = g_ascii_strtoull (token, &end, 10);
  return *end || id >= y10_model_get_n_classes (model) ? -1 : (gint) id;
}

/* Returns the id of a class named by @token, or -1 with an error. */
gint
gst_y10_find_class (const gchar *property, const gchar *token,
    const Y10Model *model, GError **error)
{
  gint id = class_from_token (token, model);

  if (id < 0) {
    g_autofree const gchar **classes = gst_y10_classes_list (model);

    gst_y10_classes_check (property, classes, y10_model_get_path (model), token,
        error);
  }
  return id;
}

/* Parses `classes` into one byte per class of @model: 1 for each class listed,
 * or for all if none is. Leaves @wanted alone on error. */
gboolean
gst_y10_parse_classes (const gchar *text, const Y10Model *model, guint8 *wanted,
    GError **error)
{
  guint n_classes = y10_model_get_n_classes (model);
  g_auto (GStrv) tokens = g_strsplit (text ? text : "", ",", -1);
  g_autofree guint8 *mask = g_malloc0 (n_classes);
  guint n_named = 0;
  gboolean ok = TRUE;

  for (gchar **token = tokens; *token && ok; token++) {
    gint id;

    if (!*g_strstrip (*token))
      continue;
    id = gst_y10_find_class ("classes", *token, model, error);
    ok = id >= 0;
    if (ok) {
      mask[id] = 1;
      n_named++;
    }
  }
  if (ok && n_named)
    memcpy (wanted, mask, n_classes);
  else if (ok)
    memset (wanted, 1, n_classes);
  return ok;
}
