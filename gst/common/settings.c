/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Stores and reads properties by the rows of a class. The type of the value decides
 * how wide a field is, so the field must have the C type of its GParamSpec: gchar *
 * for a string, an enum or gint for an enum, and so on. A string is a GRefString,
 * which copies of the settings share; one that is not set is NULL and reads as the
 * default. */
#include "common/settings.h"

#include "common/readyonly.h"

/* Installs the next property of @class. Enums and flags become plugin API. */
void
gst_y10_properties_add (GstY10Properties *self, GObjectClass *class,
    gsize offset, GParamSpec *spec)
{
  g_return_if_fail (self->n < GST_Y10_MAX_PROPERTIES);
  self->rows[++self->n].spec = spec;
  self->rows[self->n].offset = offset;
  if (G_IS_PARAM_SPEC_ENUM (spec) || G_IS_PARAM_SPEC_FLAGS (spec))
    gst_type_mark_as_plugin_api (spec->value_type, 0);
  g_object_class_install_property (class, self->n, spec);
}

/* Returns the string in the field of property @id; NULL if it is of another type. */
static gchar **
find_text (gpointer settings, guint id)
{
  const GstY10Properties *properties =
      ((GstY10Settings *) settings)->properties;

  return properties->rows[id].offset
          && G_IS_PARAM_SPEC_STRING (properties->rows[id].spec)
      ? G_STRUCT_MEMBER_P (settings, properties->rows[id].offset)
      : NULL;
}

/* Returns settings with the defaults of all properties. */
gpointer
gst_y10_settings_new (const GstY10Properties *properties)
{
  GstY10Settings *self = g_malloc0 (properties->size);

  g_atomic_ref_count_init (&self->refs);
  self->properties = properties;
  for (guint id = 1; id <= properties->n; id++)
    if (properties->rows[id].offset && !find_text (self, id))
      gst_y10_settings_set (self, id,
          g_param_spec_get_default_value (properties->rows[id].spec));
  return self;
}

/* Returns a copy, to be changed before anyone else sees it. */
gpointer
gst_y10_settings_copy (gconstpointer settings)
{
  const GstY10Properties *properties =
      ((const GstY10Settings *) settings)->properties;
  GstY10Settings *self = g_memdup2 (settings, properties->size);

  g_atomic_ref_count_init (&self->refs);
  for (guint id = 1; id <= properties->n; id++) {
    gchar **text = find_text (self, id);

    if (text && *text)
      g_ref_string_acquire (*text);
  }
  return self;
}

gpointer
gst_y10_settings_ref (gpointer settings)
{
  g_atomic_ref_count_inc (&((GstY10Settings *) settings)->refs);
  return settings;
}

void
gst_y10_settings_unref (gpointer settings)
{
  GstY10Settings *self = settings;

  if (!self || !g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint id = 1; id <= self->properties->n; id++)
    if (find_text (self, id))
      gst_y10_settings_set_text (find_text (self, id), NULL);
  if (self->properties->clear)
    self->properties->clear (self);
  g_free (self);
}

/* Replaces a string in a field; both may be NULL. */
void
gst_y10_settings_set_text (gchar **field, const gchar *text)
{
  g_clear_pointer (field, g_ref_string_release);
  if (text)
    *field = g_ref_string_new (text);
}

/* Stores @value in the field of property @id, which must have one. */
void
gst_y10_settings_set (gpointer settings, guint id, const GValue *value)
{
  gpointer field = G_STRUCT_MEMBER_P (settings,
      ((GstY10Settings *) settings)->properties->rows[id].offset);

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_STRING:
      gst_y10_settings_set_text (field, g_value_get_string (value));
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
      g_return_if_reached ();
  }
}

/* Sets @value from the field of property @id, which must have one. */
void
gst_y10_settings_get (gconstpointer settings, guint id, GValue *value)
{
  const GstY10Properties *properties =
      ((const GstY10Settings *) settings)->properties;
  gconstpointer field = G_STRUCT_MEMBER_P (settings,
      properties->rows[id].offset);

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar *const *) field);
      if (!g_value_get_string (value))
        g_param_value_set_default (properties->rows[id].spec, value);
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
      g_return_if_reached ();
  }
}

void
gst_y10_filter_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstY10Filter *self = (GstY10Filter *) object;
  gpointer settings;
  gboolean is_closed;

  GST_OBJECT_LOCK (self);
  is_closed = gst_y10_ready_only_is_closed (GST_ELEMENT (self), pspec);
  settings = self->settings;
  if (!is_closed) {
    self->settings = gst_y10_settings_copy (settings);
    gst_y10_settings_set (self->settings, id, value);
    gst_y10_settings_unref (settings);
  }
  GST_OBJECT_UNLOCK (self);
  if (is_closed)
    gst_y10_ready_only_refuse (GST_ELEMENT (self), pspec, value);
}

void
gst_y10_filter_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  gpointer settings = gst_y10_filter_get_settings (object);

  gst_y10_settings_get (settings, id, value);
  gst_y10_settings_unref (settings);
}

/* Has the properties of @class, whose instances are GstY10Filter, in settings. */
void
gst_y10_filter_class_init (GObjectClass *class)
{
  class->set_property = gst_y10_filter_set_property;
  class->get_property = gst_y10_filter_get_property;
}

/* Returns a reference to the settings of @filter. Any thread. */
gpointer
gst_y10_filter_get_settings (gpointer filter)
{
  GstY10Filter *self = filter;
  gpointer settings;

  GST_OBJECT_LOCK (self);
  settings = gst_y10_settings_ref (self->settings);
  GST_OBJECT_UNLOCK (self);
  return settings;
}

/* Returns a reference to the settings of @filter, which are others than @before if they
 * have been changed, and drops that of @before, which may be NULL. */
gpointer
gst_y10_filter_update_settings (gpointer filter, gpointer before)
{
  gpointer settings = gst_y10_filter_get_settings (filter);

  gst_y10_settings_unref (before);
  return settings;
}
