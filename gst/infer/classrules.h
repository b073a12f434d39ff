/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "infer/configuration.h"
#include "meta/encoderhints.h"

G_BEGIN_DECLS

/* What a configuration says of the classes of one model. Immutable and reference
 * counted; any thread may use it. */
typedef struct
{
  gatomicrefcount refs;
  gchar *classes_text, *confidence_text, *hints_text; /* made from these */
  guint8 *classes;    /* one byte per class, non-zero if wanted */
  gfloat *confidence; /* per class; NULL: none */
  GstY10Hints *hints; /* for encoders; NULL: none */
} GstY10ClassRules;

GstY10ClassRules *gst_y10_class_rules_new (const GstY10Config *config,
    const Y10Model *model, GError **error);
GstY10ClassRules *gst_y10_class_rules_ref (GstY10ClassRules *rules);
void gst_y10_class_rules_unref (GstY10ClassRules *rules);

gfloat gst_y10_class_rules_get_confidence (const GstY10ClassRules *rules,
    guint class_id, gfloat confidence);
gfloat gst_y10_class_rules_get_least (const GstY10ClassRules *rules,
    guint n_classes, gfloat confidence);

gboolean gst_y10_class_rules_are_of (const GstY10ClassRules *rules,
    const GstY10Config *config);
gboolean gst_y10_class_rules_find_same (const GstY10ClassRules *rules,
    const GstY10ClassRules *others);

G_END_DECLS
