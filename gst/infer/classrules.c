/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Resolves the properties that name classes, for one configuration and one
 * model: which classes are detected, from which confidence on, and what encoders
 * are told of each. A session keeps the rules of the latest configuration that
 * fits its model, so text is parsed once a change and never for a frame. */
#include "infer/classrules.h"

#include "common/parse.h"

/* An empty text says the same as none. */
static gchar *
keep (gchar *text)
{
  return text && *text ? g_ref_string_acquire (text) : NULL;
}

static gboolean
is_same (const gchar *kept, const gchar *text)
{
  return !g_strcmp0 (kept, text && *text ? text : NULL);
}

static gboolean
parse (GstY10ClassRules *self, const Y10Model *model, GError **error)
{
  const guint n = y10_model_get_n_classes (model);

  self->classes = g_malloc (n);
  if (!gst_y10_parse_classes (self->classes_text, model, self->classes, error))
    return FALSE;
  if (self->confidence_text) {
    self->confidence = g_new (gfloat, n);
    if (!y10_model_parse_class_confidence (model, self->confidence_text,
            self->confidence, error)) {
      g_prefix_error (error, "class-confidence: ");
      return FALSE;
    }
  }
  return gst_y10_hints_parse (self->hints_text, model, &self->hints, error);
}

/* Returns NULL if a property names what is no class of @model, or has another
 * form. */
GstY10ClassRules *
gst_y10_class_rules_new (const GstY10Config *config, const Y10Model *model,
    GError **error)
{
  GstY10ClassRules *self = g_new0 (GstY10ClassRules, 1);

  g_atomic_ref_count_init (&self->refs);
  self->classes_text = keep (config->text.classes);
  self->confidence_text = keep (config->text.class_confidence);
  self->hints_text = keep (config->text.encoder_hints);
  if (!parse (self, model, error))
    g_clear_pointer (&self, gst_y10_class_rules_unref);
  return self;
}

GstY10ClassRules *
gst_y10_class_rules_ref (GstY10ClassRules *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
gst_y10_class_rules_unref (GstY10ClassRules *self)
{
  if (!self || !g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->classes_text, g_ref_string_release);
  g_clear_pointer (&self->confidence_text, g_ref_string_release);
  g_clear_pointer (&self->hints_text, g_ref_string_release);
  gst_y10_hints_free (self->hints);
  g_free (self->confidence);
  g_free (self->classes);
  g_free (self);
}

/* Returns whether rules of @config for the same model would be equal. */
gboolean
gst_y10_class_rules_are_of (const GstY10ClassRules *self,
    const GstY10Config *config)
{
  return is_same (self->classes_text, config->text.classes)
      && is_same (self->confidence_text, config->text.class_confidence)
      && is_same (self->hints_text, config->text.encoder_hints);
}

/* Returns whether both, of the same model, ask for the same objects. */
gboolean
gst_y10_class_rules_find_same (const GstY10ClassRules *self,
    const GstY10ClassRules *others)
{
  return self == others
      || (!g_strcmp0 (self->classes_text, others->classes_text)
          && !g_strcmp0 (self->confidence_text, others->confidence_text));
}

/* Returns the confidence from which on a class is detected, where @confidence is that
 * of classes without their own. As the engine does. */
gfloat
gst_y10_class_rules_get_confidence (const GstY10ClassRules *self,
    guint class_id, gfloat confidence)
{
  return self->confidence && self->confidence[class_id] >= 0
      ? self->confidence[class_id]
      : confidence;
}

/* Returns the least of these, of the classes that are wanted. */
gfloat
gst_y10_class_rules_get_least (const GstY10ClassRules *self, guint n_classes,
    gfloat confidence)
{
  gfloat least = self->confidence ? 1 : confidence;

  for (guint i = 0; self->confidence && i < n_classes; i++)
    if (self->classes[i])
      least = MIN (least,
          gst_y10_class_rules_get_confidence (self, i, confidence));
  return least;
}
