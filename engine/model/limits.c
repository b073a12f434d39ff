/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Parses the limits of Y10HeadParams as users write them. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <y10/model.h>

/* Parses a decimal number without trailing text, independent of the locale. */
static gboolean
parse_number (const char *text, gdouble least, gdouble most, gfloat *number)
{
  char *end;
  gdouble value = g_ascii_strtod (text, &end);

  *number = (gfloat) value;
  return end != text && !*end && value >= least && value <= most;
}

static gint
find_class (const Y10Model *model, const char *name)
{
  gint id = y10_model_find_class (model, name);
  guint64 number;
  char *end;

  if (id >= 0 || !g_ascii_isdigit (*name))
    return id;
  number = g_ascii_strtoull (name, &end, 10);
  return !*end && number < y10_model_get_n_classes (model) ? (gint) number : -1;
}

/* Parses one "CLASS=CONFIDENCE" and modifies it; names may contain '='. */
static gboolean
parse_class (const Y10Model *model, char *token, gfloat *confidence,
    gfloat *others, GError **error)
{
  char *value = strrchr (token, '='), *name = token;
  gfloat number = 0, *place = others;
  gint id;

  if (!value || !parse_number (g_strstrip (value + 1), 0, 1, &number)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "class confidences contain \"%s\"; expected CLASS=CONFIDENCE with a "
        "number from 0 to 1, such as \"person=0.4\" or \"*=0.25\"",
        token);
    return FALSE;
  }
  *value = '\0';
  g_strstrip (name);
  id = strcmp (name, "*") ? find_class (model, name) : 0;
  if (id < 0) {
    guint n = y10_model_get_n_classes (model);

    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "class confidences contain \"%s\", which is not a class of %s: expected "
        "one of its %u classes, 0 \"%s\" to %u \"%s\"",
        name, y10_model_get_path (model), n,
        y10_model_get_class_name (model, 0), n - 1,
        y10_model_get_class_name (model, n - 1));
    return FALSE;
  }
  if (strcmp (name, "*"))
    place = &confidence[id];
  if (*place >= 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "class confidences contain both %g and %g for \"%s\"; expected each "
        "class once",
        *place, number, name);
    return FALSE;
  }
  *place = number;
  return TRUE;
}

/**
 * y10_model_parse_class_confidence:
 * @model: a model
 * @text: comma-separated list of CLASS=CONFIDENCE, where CLASS is a class name,
 *   a class id, or `*` for all other classes; "" for no entries
 * @confidence: (out caller-allocates): one value per class of @model, 0 to 1, or
 *   -1 for classes not in @text
 * @error: return location for a #GError, or %NULL
 *
 * Parses the @class_confidence of #Y10HeadParams. @confidence is undefined after
 * an error. Any thread.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT if @text has another form
 *
 * Since: 0.2
 */
gboolean
y10_model_parse_class_confidence (const Y10Model *model, const char *text,
    float *confidence, GError **error)
{
  g_auto (GStrv) tokens = g_strsplit (text, ",", -1);
  const guint n = y10_model_get_n_classes (model);
  gfloat others = -1;

  for (guint i = 0; i < n; i++)
    confidence[i] = -1;
  for (guint i = 0; tokens[i]; i++)
    if (*g_strstrip (tokens[i])
        && !parse_class (model, tokens[i], confidence, &others, error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    if (confidence[i] < 0)
      confidence[i] = others;
  return TRUE;
}

/**
 * y10_size_limit_parse:
 * @text: "64x32" for width and height, or "32" for both, in pixels; values up to
 *   1, such as "0.05", are fractions of the image; "" for no limit
 * @width: (out): pixels, a fraction up to 1, or 0 for no limit
 * @height: (out): likewise
 * @error: return location for a #GError, or %NULL
 *
 * Parses the minimum or maximum size of #Y10HeadParams. Any thread.
 *
 * Returns: %FALSE with %Y10_ERROR_INVALID_ARGUMENT if @text has another form
 *
 * Since: 0.2
 */
gboolean
y10_size_limit_parse (const char *text, float *width, float *height,
    GError **error)
{
  g_auto (GStrv) part = g_strsplit (text, "x", -1);
  guint n = g_strv_length (part);

  *width = *height = 0;
  if (!*text)
    return TRUE;
  if (n <= 2 && parse_number (part[0], 0, 65536, width)
      && parse_number (part[n - 1], 0, 65536, height))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "the size limit is \"%s\"; expected pixels or a fraction up to 1, as \"32\", "
      "\"64x32\" or \"0.05\"",
      text);
  return FALSE;
}
