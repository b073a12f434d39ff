/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Interface between pytorch.c, which opens checkpoints, and pytorch-modules.c, which reads
 * modules and tensors. */

#include "weights/pickle.h"
#include "weights/weights.h"
#include "weights/zip.h"

G_BEGIN_DECLS

#define Y10_TORCH_MAX_DEPTH 32
#define Y10_TORCH_MAX_NAME 256 /* bytes */

typedef struct
{
  Y10TensorFile *file;
  const Y10Zip *zip;
  const char *root; /* "name/", the prefix of all members */
  GString *path;    /* of the module being read */
  guint n_modules, n_tensors, depth;
  guint64 work;
  GError **error;
} Y10TorchReader;

/* Sets the error; always FALSE. */
gboolean y10_torch_bad (Y10TorchReader *r, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Counts entries before they are examined; FALSE with an error: there are too many. */
gboolean y10_torch_work (Y10TorchReader *r, guint n);

/* These accept NULL. */
const Y10PickleValue *y10_torch_lookup (Y10TorchReader *r,
    const Y10PickleValue *dict, const char *key);
const Y10PickleValue *y10_torch_get_state (const Y10PickleValue *value);
gboolean y10_torch_is_module (Y10TorchReader *r, const Y10PickleValue *value);
gboolean y10_torch_get_int (const Y10PickleValue *value, gint64 *result);

/* Whether @value may have pairs of keys and values. */
gboolean y10_torch_holds_pairs (const Y10PickleValue *value);
/* The arguments of what makes a tensor, or NULL. */
const Y10PickleValue *y10_torch_tensor_args (const Y10PickleValue *value);

/* Add the tensors of a dictionary, and of a module with those below it. */
gboolean y10_torch_add_tensors (Y10TorchReader *r, const Y10PickleValue *dict);
gboolean y10_torch_add_module (Y10TorchReader *r, const Y10PickleValue *module);

G_END_DECLS
