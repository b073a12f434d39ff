/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "model/modules.h"

G_BEGIN_DECLS

/* A published size of a family. */
typedef struct
{
  const char *name;           /* NULL ends a list */
  guint first, last, repeats; /* channels of module 0 and the last one of the
                                 * backbone, blocks of module 4 */
} Y10Variant;

/* A family of networks: how to recognize its weights and how to build its
 * graph. All have three levels, with strides 8, 16 and 32. */
typedef struct
{
  const char *title;      /* in messages, such as "YOLOv10" */
  const char *head;       /* the module, such as "model.23" */
  const char *head_class; /* its class in files of whole modules */
  guint n_layers;         /* the modules before the head */
  /* Whether the file looks like this family. Building still checks each
   * tensor. */
  gboolean (*probe) (const Y10TensorFile *file);
  /* Sets the layers of @out, and what the head determines. */
  void (*network) (Y10Modules *m, Y10Graph *out);
  guint last; /* module of the backbone */
  const Y10Variant *variants;
  const char *custom; /* name of any other size */
} Y10Structure;

extern const Y10Structure y10_structure_yolov8;  /* yolov8.c */
extern const Y10Structure y10_structure_yolov10; /* yolov10.c */
extern const Y10Structure y10_structure_yolo11;  /* yolo11.c */
extern const Y10Structure y10_structure_yolo26;  /* yolo26.c */

/* Returns NULL with @error set if the file is no network for detection of any
 * family; the error names what it is. */
const Y10Structure *y10_structure_find (const Y10TensorFile *file,
    GError **error);
/* Whether the file contains the weights of @head, which is not AUTO. */
gboolean y10_structure_has_head (const Y10Structure *structure,
    const Y10TensorFile *file, Y10Head head);
/* @width, @height: multiples of 32. @head: not AUTO. */
Y10Graph *y10_structure_build (const Y10Structure *structure,
    const Y10TensorFile *file, guint width, guint height, Y10Head head,
    GError **error);
/* Returns the name of the published variant, or a generic one. */
const char *y10_structure_name_variant (const Y10Structure *structure,
    const Y10TensorFile *file, const Y10Graph *graph);

G_END_DECLS
