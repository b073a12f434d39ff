/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties flagged MUTABLE_READY, which may change only in NULL and READY.
 * Setting one later posts a warning and keeps the old value: taking effect at
 * some later reload would be more surprising than being refused. */
#include "common/readyonly.h"

#include <y10/error.h>

#include "common/elementerror.h"

/* Call with the object lock held. The core also changes the state from READY to
 * PAUSED under that lock, so start() sees any value that was not refused. */
gboolean
gst_y10_ready_only_is_closed (GstElement *element, const GParamSpec *pspec)
{
  return (pspec->flags & GST_PARAM_MUTABLE_READY)
      && MAX (GST_STATE (element), GST_STATE_NEXT (element)) > GST_STATE_READY;
}

/* Formats a value as on the command line. */
static gchar *
write_value (const GValue *value)
{
  const gchar *text;

  if (G_VALUE_HOLDS_ENUM (value)) {
    g_autoptr (GEnumClass) class = g_type_class_ref (G_VALUE_TYPE (value));
    const GEnumValue *entry = g_enum_get_value (class,
        g_value_get_enum (value));

    return entry ? g_strdup (entry->value_nick)
                 : g_strdup_printf ("%d", g_value_get_enum (value));
  }
  if (!G_VALUE_HOLDS_STRING (value))
    return gst_value_serialize (value);
  text = g_value_get_string (value);
  return g_strdup_printf ("\"%s\"", text ? text : "");
}

/* Warns, unless the value is unchanged. Call without the object lock. */
void
gst_y10_ready_only_refuse (GstElement *element, GParamSpec *pspec,
    const GValue *value)
{
  g_auto (GValue) kept = G_VALUE_INIT;
  g_autofree gchar *now = NULL, *wanted = NULL;
  g_autoptr (GError) error = NULL;

  g_value_init (&kept, pspec->value_type);
  g_object_get_property (G_OBJECT (element), pspec->name, &kept);
  now = write_value (&kept);
  wanted = write_value (value);
  if (!g_strcmp0 (now, wanted))
    return;
  error = g_error_new (Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "%s stays at %s instead of %s: it can only be changed in state NULL or "
      "READY",
      pspec->name, now, wanted);
  GST_Y10_ELEMENT_WARNING (element, error);
}
