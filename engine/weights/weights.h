/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Tensors of a weights file, whatever its format, and the convolutions that a
 * network takes from them. */

#include <glib.h>
#include <y10/error.h>

G_BEGIN_DECLS

typedef enum
{
  Y10_DTYPE_F32,
  Y10_DTYPE_F16,
  Y10_DTYPE_BF16,
  Y10_DTYPE_OTHER,              /* in the file, never used as a weight */
} Y10Dtype;

#define Y10_MAX_DIMS 8

typedef struct
{
  char *name;                   /* "model.0.conv.weight": prefix normalised */
  Y10Dtype dtype;
  const char *dtype_name;       /* as the file writes it */
  guint n_dims;
  gsize dim[Y10_MAX_DIMS];
  gsize stride[Y10_MAX_DIMS];   /* elements; the data have no gaps */
  gsize n_elements;
  guint part;                   /* 0: the file itself, or one beside it */
  guint64 offset;               /* of its data in that */
  gsize size;
} Y10TensorEntry;

typedef struct _Y10TensorFile Y10TensorFile;

/* Opens any format we read. Names come out with one prefix, "model.". Tensors
 * stay in the file, which stays open, until they are read. */
Y10TensorFile *y10_tensor_file_open (const char *path, GError ** error);
Y10TensorFile *y10_tensor_file_ref (Y10TensorFile * file);
void y10_tensor_file_unref (Y10TensorFile * file);
const char *y10_tensor_file_get_path (const Y10TensorFile * file);
/* "safetensors", "PyTorch" or "ONNX". */
const char *y10_tensor_file_get_format (const Y10TensorFile * file);
/* Another one where the file, or what is in it, was another one. */
const char *y10_tensor_file_get_identity (const Y10TensorFile * file);
guint64 y10_tensor_file_get_size (const Y10TensorFile * file);
/* Reads @size bytes at @offset. An error also where the file is no longer what
 * it was when it was opened. Any thread. */
gboolean y10_tensor_file_read (const Y10TensorFile * file, guint64 offset,
    gpointer data, gsize size, GError ** error);
/* The elements of @entry in row-major order; g_free(). */
guint8 *y10_tensor_file_read_tensor (const Y10TensorFile * file,
    const Y10TensorEntry * entry, GError ** error);
const Y10TensorEntry *y10_tensor_file_find (const Y10TensorFile * file,
    const char *name);
guint y10_tensor_file_get_n (const Y10TensorFile * file);
const Y10TensorEntry *y10_tensor_file_get (const Y10TensorFile * file,
    guint index);
/* NULL where the file has no such metadata. */
const char *y10_tensor_file_get_meta (const Y10TensorFile * file,
    const char *key);

/* The class of a module's activation, such as "SiLU"; NULL where the file has
 * tensors only. */
const char *y10_tensor_file_get_activation (const Y10TensorFile * file,
    const char *module);

/* onnx.h; NULL where the file is of another format. */
typedef struct _Y10OnnxGraph Y10OnnxGraph;
const Y10OnnxGraph *y10_tensor_file_get_onnx (const Y10TensorFile * file);

/* safetensors.c; @data: the first @size bytes, up to 16. */
gboolean y10_safetensors_probe (const guint8 * data, gsize size);
gboolean y10_safetensors_parse (Y10TensorFile * file, GError ** error);
/* savetensors.c: writes the tensors with float elements. @names: terminated by
 * NULL. Replaces @path when all is written. */
gboolean y10_safetensors_save (const Y10TensorFile * file, const char *path,
    const char *const *names, guint width, guint height, const char *head,
    GError ** error);

/* pytorch.c */
gboolean y10_pytorch_probe (const guint8 * data, gsize size);
gboolean y10_pytorch_parse (Y10TensorFile * file, GError ** error);
gboolean y10_pytorch_legacy_probe (const guint8 * data, gsize size);
gboolean y10_pytorch_legacy_parse (Y10TensorFile * file, GError ** error);

/* onnx.c */
gboolean y10_onnx_probe (const guint8 * data, gsize size);
gboolean y10_onnx_parse (Y10TensorFile * file, GError ** error);
void y10_tensor_file_take_onnx (Y10TensorFile * file, Y10OnnxGraph * graph);

/* Opens @name, which must be in the same folder and no link, and returns its
 * part; 0 and error if that fails. */
guint y10_tensor_file_open_part (Y10TensorFile * file, const char *name,
    GError ** error);
guint64 y10_tensor_file_get_part_size (const Y10TensorFile * file,
    guint part);

/* For the parsers. @name and the metadata are copied; the data are the @size
 * bytes at @offset of @part, which the parser has found to be inside it.
 * @stride: NULL for row-major. */
gboolean y10_tensor_file_add (Y10TensorFile * file, const char *name,
    const char *dtype, const gsize * dim, const gsize * stride, guint n_dims,
    guint part, guint64 offset, gsize size, GError ** error);
void y10_tensor_file_set_activation (Y10TensorFile * file, const char *module,
    const char *activation);
void y10_tensor_file_set_meta (Y10TensorFile * file, const char *key,
    const char *value);

/* The convolutions a graph uses, BatchNorm folded and branches merged when
 * they are fetched, so that no float copy of a whole network ever exists. */
typedef struct
{
  char *name;                   /* "model.2.cv1" */
  guint out_channels, in_channels;      /* logical; in: of one group */
  guint kernel, groups;
} Y10ConvShape;

typedef struct _Y10Weights Y10Weights;

Y10Weights *y10_weights_new (const Y10TensorFile * file);
void y10_weights_free (Y10Weights * weights);
gboolean y10_weights_has (const Y10Weights * weights, const char *module);
/* Finds NAME.conv.weight (+ bias or bn.*), or NAME.weight + NAME.bias, or a
 * RepVGGDW of two branches; G_MAXUINT and error when there is none. */
guint y10_weights_add_conv (Y10Weights * weights, const char *name,
    guint in_channels, gboolean depthwise, GError ** error);
guint y10_weights_get_n (const Y10Weights * weights);
const Y10ConvShape *y10_weights_get_shape (const Y10Weights * weights,
    guint conv);
/* weight: out × in × kernel × kernel floats, bias: out floats. */
gboolean y10_weights_fetch (const Y10Weights * weights, guint conv,
    gfloat * weight, gfloat * bias, GError ** error);
/* How the file stores it: "F32", "F16" or "BF16". */
const char *y10_weights_get_dtype (const Y10Weights * weights, guint conv);
guint64 y10_weights_get_n_parameters (const Y10Weights * weights);

G_END_DECLS
