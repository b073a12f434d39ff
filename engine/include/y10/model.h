/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <y10/error.h>

G_BEGIN_DECLS

/**
 * Y10Head:
 * @Y10_HEAD_AUTO: the head that y10_model_get_head() returns
 * @Y10_HEAD_ONE2ONE: end to end, without NMS (YOLOv10 §3.1)
 * @Y10_HEAD_ONE2MANY: best class of each anchor, then NMS
 * @Y10_HEAD_ONE2ONE_NMS: weights of one2one, processed like one2many; for small
 *   networks whose end-to-end head predicts two boxes for some objects
 *
 * Which of the two heads of a network predicts the detections, and whether NMS
 * follows. The engine computes only this head. YOLOv10 and YOLO26 have both,
 * YOLOv8 and YOLO11 one2many.
 *
 * Since: 0.1
 */
typedef enum
{
  Y10_HEAD_AUTO,
  Y10_HEAD_ONE2ONE,
  Y10_HEAD_ONE2MANY,
  Y10_HEAD_ONE2ONE_NMS,
} Y10Head;

/**
 * Y10Model:
 *
 * A weights file that was recognized as a YOLOv8, YOLOv10, YOLO11 or YOLO26 for
 * detection: its structure, its classes and the positions of its weights. Immutable and reference counted; any thread
 * may use it. The model keeps the file open.
 *
 * Since: 0.1
 */
typedef struct _Y10Model Y10Model;

Y10_API Y10Model *y10_model_load (const char *path, const char *label_path,
    GError **error);
Y10_API Y10Model *y10_model_ref (Y10Model *model);
Y10_API void y10_model_unref (Y10Model *model);

Y10_API const char *y10_model_get_path (const Y10Model *model);
Y10_API const char *y10_model_get_variant (const Y10Model *model);
Y10_API guint y10_model_get_n_classes (const Y10Model *model);
Y10_API const char *y10_model_get_class_name (const Y10Model *model,
    guint class_id);
Y10_API const char *y10_model_get_labels_note (const Y10Model *model);
Y10_API guint y10_model_get_coco_id (const Y10Model *model, guint class_id);
Y10_API gint y10_model_find_class (const Y10Model *model, const char *name);
Y10_API guint y10_model_get_n_bins (const Y10Model *model);
Y10_API void y10_model_get_input_size (const Y10Model *model, guint *width,
    guint *height);
Y10_API gboolean y10_model_has_head (const Y10Model *model, Y10Head head);
Y10_API Y10Head y10_model_get_head (const Y10Model *model);
Y10_API guint64 y10_model_get_n_parameters (const Y10Model *model);
Y10_API const char *y10_model_get_format (const Y10Model *model);
Y10_API gboolean y10_model_parse_class_confidence (const Y10Model *model,
    const char *text, float *confidence, GError **error);
Y10_API gboolean y10_size_limit_parse (const char *text, float *width,
    float *height, GError **error);
Y10_API gboolean y10_model_save (const Y10Model *model, const char *path,
    GError **error);
Y10_API char *y10_model_digest (const Y10Model *model, GError **error);
Y10_API const char *y10_model_get_dtype (const Y10Model *model);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Y10Model, y10_model_unref)

G_END_DECLS
