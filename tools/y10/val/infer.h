/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/y10.h>

#include "val/data.h"

/* Milliseconds a picture. */
typedef struct
{
  double read, preprocess, inference, postprocess;
  guint n; /* pictures; 0: nothing was inferred */
} ValSpeed;

/* An engine, which of its boxes count, and how its classes are those of the data. */
typedef struct
{
  Y10Engine *engine;
  Y10HeadParams params;
  const int
      *class_of; /* of each class of the model: number in the data, or -1 */
} ValModel;

/* Reads all pictures and detects what is in them. Pictures that cannot be read are named on
 * stderr and taken out of @data. Returns an array of ValFound; NULL if the engine fails, or
 * if interrupted, with no error. @model: NULL to learn the sizes of the pictures only. */
GArray *val_infer (ValData *data, const ValModel *model, guint *n_unread,
    ValSpeed *speed, GError **error);
