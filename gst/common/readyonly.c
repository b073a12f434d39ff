/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties that may change only in NULL and READY, which their flags say. One
 * that is set later keeps its value, and a warning says so: a value that took
 * effect at some later time, when another model is loaded, would surprise more
 * than one that is refused. */
#include "common/readyonly.h"

#include <y10/error.h>

#include "common/error.h"

/**
 * gst_y10_ready_only_is_closed:
 * @element: an element whose object lock is taken
 * @pspec: one of its properties
 *
 * The state goes from READY to PAUSED under the object lock, too. So whatever is
 * set is either seen by start() or refused.
 *
 * Returns: %TRUE if the property may not change now
 */
gboolean
gst_y10_ready_only_is_closed (GstElement * element, const GParamSpec * pspec)
{
  return (pspec->flags & GST_PARAM_MUTABLE_READY)
      && MAX (GST_STATE (element), GST_STATE_NEXT (element))
      > GST_STATE_READY;
}

/* As it is written on a command line. */
static gchar *
write_value (const GValue * value)
{
  const gchar *text;

  if (G_VALUE_HOLDS_ENUM (value)) {
    GEnumClass *class = g_type_class_ref (G_VALUE_TYPE (value));
    const GEnumValue *entry = g_enum_get_value (class,
        g_value_get_enum (value));
    gchar *nick = entry ? g_strdup (entry->value_nick)
        : g_strdup_printf ("%d", g_value_get_enum (value));

    g_type_class_unref (class);
    return nick;
  }
  if (!G_VALUE_HOLDS_STRING (value))
    return gst_value_serialize (value);
  text = g_value_get_string (value);
  return g_strdup_printf ("\"%s\"", text ? text : "");
}

/**
 * gst_y10_ready_only_refuse:
 * @element: an element, without its object lock
 * @pspec: one of its properties
 * @value: what it was to be set to
 *
 * Warns, unless that is its value anyway.
 */
void
gst_y10_ready_only_refuse (GstElement * element, GParamSpec * pspec,
    const GValue * value)
{
  GValue kept = G_VALUE_INIT;
  gchar *now, *wanted;
  GError *error;

  g_value_init (&kept, pspec->value_type);
  g_object_get_property (G_OBJECT (element), pspec->name, &kept);
  now = write_value (&kept);
  wanted = write_value (value);
  if (g_strcmp0 (now, wanted)) {
    error = g_error_new (Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "%s stays %s and does not become %s: it can be changed in state NULL or "
        "READY only", pspec->name, now, wanted);
    GST_Y10_ELEMENT_WARNING (element, error);
    g_error_free (error);
  }
  g_free (now);
  g_free (wanted);
  g_value_unset (&kept);
}
