/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "core/graph.h"

G_BEGIN_DECLS

/* A family of networks: how to recognize its weights and how to build its
 * graph. */
typedef struct
{
  const char *name;
  /* Whether the file looks like this family. build() still checks each
   * tensor. */
  gboolean (*probe) (const Y10TensorFile * file);
  /* Whether the file contains the weights of @head, which is not AUTO. */
  gboolean (*has_head) (const Y10TensorFile * file, Y10Head head);
  /* @width, @height: multiples of 32. @head: not AUTO. */
  Y10Graph *(*build) (const Y10TensorFile * file, guint width, guint height,
      Y10Head head, GError ** error);
  /* Name of the published variant, or a generic name for any other size. */
  const char *(*name_variant) (const Y10TensorFile * file,
      const Y10Graph * graph);
  Y10HeadKind head_kind;
} Y10Structure;

/* yolov10.c */
extern const Y10Structure y10_structure_yolov10;

/* Never returns NULL: if nothing matches it returns the first structure, whose
 * build() reports the missing tensor. */
const Y10Structure *y10_structure_find (const Y10TensorFile * file);
Y10Graph *y10_structure_build (const Y10Structure * structure,
    const Y10TensorFile * file, guint width, guint height, Y10Head head,
    GError ** error);

G_END_DECLS
