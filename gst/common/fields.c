/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Stores and reads properties by table. The type of the value decides how wide a
 * field is, so the field must have the C type of its GParamSpec: gchar * for a
 * string, an enum or gint for an enum, and so on. The caller holds whatever lock
 * the structure needs. */
#include "common/fields.h"

static const GstY10Field *
find (const GstY10Field *fields, guint id)
{
  for (; fields->id; fields++)
    if (fields->id == id)
      return fields;
  return NULL;
}

/* Replaces a string in a field; both may be NULL. */
void
gst_y10_fields_set_string (gchar **field, const gchar *text)
{
  g_clear_pointer (field, g_ref_string_release);
  if (text)
    *field = g_ref_string_new (text);
}

/* Stores @value; a string is copied to a GRefString, so that a copy of the
 * structure costs no copy of its strings. Returns FALSE if no field holds property
 * @id. */
gboolean
gst_y10_fields_set (const GstY10Field *fields, gpointer structure, guint id,
    const GValue *value)
{
  const GstY10Field *found = find (fields, id);
  gpointer field;

  if (!found)
    return FALSE;
  field = G_STRUCT_MEMBER_P (structure, found->offset);
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_STRING:
      gst_y10_fields_set_string (field, g_value_get_string (value));
      break;
    case G_TYPE_BOOLEAN:
      *(gboolean *) field = g_value_get_boolean (value);
      break;
    case G_TYPE_INT:
      *(gint *) field = g_value_get_int (value);
      break;
    case G_TYPE_UINT:
      *(guint *) field = g_value_get_uint (value);
      break;
    case G_TYPE_UINT64:
      *(guint64 *) field = g_value_get_uint64 (value);
      break;
    case G_TYPE_DOUBLE:
      *(gdouble *) field = g_value_get_double (value);
      break;
    case G_TYPE_ENUM:
      *(gint *) field = g_value_get_enum (value);
      break;
    case G_TYPE_FLAGS:
      *(guint *) field = g_value_get_flags (value);
      break;
    default:
      g_return_val_if_reached (FALSE);
  }
  return TRUE;
}

/* Sets @value from the field of property @id; a string that is not set reads as
 * the default of @pspec. Returns FALSE if no field holds the property. */
gboolean
gst_y10_fields_get (const GstY10Field *fields, gconstpointer structure,
    guint id, GValue *value, GParamSpec *pspec)
{
  const GstY10Field *found = find (fields, id);
  gconstpointer field;

  if (!found)
    return FALSE;
  field = G_STRUCT_MEMBER_P (structure, found->offset);
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar *const *) field);
      if (!g_value_get_string (value))
        g_param_value_set_default (pspec, value);
      break;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const gint *) field);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) field);
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const gdouble *) field);
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
    case G_TYPE_FLAGS:
      g_value_set_flags (value, *(const guint *) field);
      break;
    default:
      g_return_val_if_reached (FALSE);
  }
  return TRUE;
}
