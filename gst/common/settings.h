/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The values of an element's properties at one time: a structure that begins with
 * GstY10Settings and has a field for each property. It never changes once it is shared;
 * setting a property makes another one, so that a thread keeps the settings that it
 * works with by a reference. */

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_Y10_MAX_PROPERTIES 64

/* The properties of a class, by their ids, which count from 1. */
typedef struct
{
  gsize size;               /* of the settings */
  void (*clear) (gpointer); /* of what settings have besides; NULL: nothing */
  guint n;
  struct
  {
    GParamSpec *spec;
    gsize offset; /* of the field in the settings; 0: none */
  } rows[GST_Y10_MAX_PROPERTIES + 1];
} GstY10Properties;

typedef struct
{
  gatomicrefcount refs;
  const GstY10Properties *properties;
} GstY10Settings;

/* What an element whose properties are in settings begins with. */
typedef struct
{
  GstBaseTransform parent;
  gpointer settings; /* object lock */
} GstY10Filter;

void gst_y10_properties_add (GstY10Properties *properties, GObjectClass *class,
    gsize offset, GParamSpec *spec);

gpointer gst_y10_settings_new (const GstY10Properties *properties);
gpointer gst_y10_settings_copy (gconstpointer settings);
gpointer gst_y10_settings_ref (gpointer settings);
void gst_y10_settings_unref (gpointer settings);
void gst_y10_settings_set_text (gchar **field, const gchar *text);
void gst_y10_settings_set (gpointer settings, guint id, const GValue *value);
void gst_y10_settings_get (gconstpointer settings, guint id, GValue *value);

void gst_y10_filter_class_init (GObjectClass *class);
void gst_y10_filter_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec);
void gst_y10_filter_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec);
gpointer gst_y10_filter_get_settings (gpointer filter);
gpointer gst_y10_filter_update_settings (gpointer filter, gpointer before);

G_END_DECLS
