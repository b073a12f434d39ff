/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A weights file under construction: seeded tensors that a test may change
 * before it writes them. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *name;
  guint n_dims;
  gsize dim[8];
  float *data; /* NULL: seeded when needed */
} Y10TestTensor;

typedef struct
{
  GPtrArray *tensors; /* of Y10TestTensor, in file order */
  guint64 seed;
} Y10TestTensors;

typedef struct
{
  const char *dtype;    /* "F32", "F16" or "BF16"; NULL: F32 */
  const char *prefix;   /* in place of "model."; NULL: "model." */
  const char *metadata; /* JSON object of __metadata__, or NULL */
  gboolean hollow;      /* all data zero, on disk as well: for tests
                                 * that only read the structure */
} Y10TestFormat;

/* tests/data, or $Y10_TEST_DATA_DIR for programs that run elsewhere. */
const char *y10_test_data_dir (void);

/* From a JSON object of shapes by name; no data is made yet. */
Y10TestTensors *y10_test_tensors_new (const char *shapes_json, guint64 seed,
    GError **error);
void y10_test_tensors_free (Y10TestTensors *tensors);

Y10TestTensor *y10_test_tensors_find (const Y10TestTensors *tensors,
    const char *name);
gsize y10_test_tensor_n (const Y10TestTensor *tensor);
/* Returns the tensor's floats, seeded at the first call; the tensor owns
 * them. */
float *y10_test_tensors_data (const Y10TestTensors *tensors,
    Y10TestTensor *tensor);
void y10_test_tensors_remove (Y10TestTensors *tensors, const char *name);
Y10TestTensor *y10_test_tensors_add (Y10TestTensors *tensors, const char *name,
    const gsize *dim, guint n_dims, float *data);

/* Changes the number of classes. */
void y10_test_tensors_set_classes (Y10TestTensors *tensors, guint n_classes);
/* Folds BatchNorm into weight and bias, in double, and merges RepVGGDW's two
 * branches. */
void y10_test_tensors_fold (Y10TestTensors *tensors);

/* @format NULL: F32 as named. */
GBytes *y10_test_tensors_serialize (const Y10TestTensors *tensors,
    const Y10TestFormat *format);
gboolean y10_test_tensors_write (const Y10TestTensors *tensors,
    const char *path, const Y10TestFormat *format, GError **error);

guint16 y10_test_float_to_half (float value);
guint16 y10_test_float_to_bf16 (float value);
float y10_test_bf16_to_float (guint16 value);

G_END_DECLS
