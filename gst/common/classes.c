/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Judges names of classes, whoever says them and wherever: properties, options, zones,
 * settings. A name that no model has would match nothing, for ever and without a word. */
#include "common/classes.h"

#include <string.h>

#define MAX_WORD 32 /* bytes of what is compared with what is known */

/* Returns the names of @model's classes, which it owns; free the list with g_free(). */
const gchar **
gst_y10_classes_list (const Y10Model *model)
{
  const guint n = y10_model_get_n_classes (model);
  const gchar **classes = g_new0 (const gchar *, n + 1);

  for (guint i = 0; i < n; i++)
    classes[i] = y10_model_get_class_name (model, i);
  return classes;
}

/* Returns the id of the class @name, or -1. */
gint
gst_y10_classes_find (const gchar *const *classes, const gchar *name)
{
  for (gint i = 0; classes[i]; i++)
    if (!strcmp (classes[i], name))
      return i;
  return -1;
}

/* Levenshtein's distance of words that are not too long. */
static guint
distance (const gchar *a, const gchar *b)
{
  const gsize n = strlen (b);
  guint row[MAX_WORD + 1];

  if (strlen (a) > MAX_WORD || n > MAX_WORD)
    return G_MAXUINT;
  for (gsize k = 0; k <= n; k++)
    row[k] = (guint) k;
  for (gsize i = 0; a[i]; i++) {
    guint diagonal = row[0];

    row[0] = (guint) i + 1;
    for (gsize k = 0; k < n; k++) {
      const guint changed = diagonal + (a[i] != b[k]);

      diagonal = row[k + 1];
      row[k + 1] = MIN (changed, MIN (row[k], row[k + 1]) + 1);
    }
  }
  return row[n];
}

/* Returns whether @a may be @b with one error, or with two if it is longer. */
gboolean
gst_y10_text_is_similar (const gchar *a, const gchar *b)
{
  return distance (a, b) <= (strlen (b) > 4 ? 2 : 1);
}

/* Returns the class that may be meant, or NULL. */
static const gchar *
find_similar (const gchar *const *classes, const gchar *name)
{
  for (guint i = 0; classes[i]; i++)
    if (!g_ascii_strcasecmp (classes[i], name))
      return classes[i];
  for (guint i = 0; classes[i]; i++)
    if (gst_y10_text_is_similar (name, classes[i]))
      return classes[i];
  return NULL;
}

/* FALSE with an error if no class has that @name. @what: who says so; @model: whose classes
 * they are. */
gboolean
gst_y10_classes_check (const gchar *what, const gchar *const *classes,
    const gchar *model, const gchar *name, GError **error)
{
  const guint n = g_strv_length ((gchar **) classes);
  const gchar *similar;

  if (gst_y10_classes_find (classes, name) >= 0)
    return TRUE;
  similar = find_similar (classes, name);
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s: \"%s\" is not a class of %s: expected one of its %u classes, 0 \"%s\" to %u "
      "\"%s\"%s%s%s",
      what, name, model, n, n ? classes[0] : "", n ? n - 1 : 0,
      n ? classes[n - 1] : "", similar ? "; did you mean \"" : "",
      similar ? similar : "", similar ? "\"?" : "");
  return FALSE;
}
