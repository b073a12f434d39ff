/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Tensors of a weights file, independent of its format, and the convolutions
 * of a network with their weights folded. */

#include <glib.h>
#include <y10/error.h>

G_BEGIN_DECLS

typedef enum
{
  Y10_DTYPE_F32,
  Y10_DTYPE_F16,
  Y10_DTYPE_BF16,
  Y10_DTYPE_F64,
  Y10_DTYPE_I8,    /* weights and zero points of quantized */
  Y10_DTYPE_U8,    /* convolutions, see quantized.h */
  Y10_DTYPE_OTHER, /* present in the file, unusable as a weight */
} Y10Dtype;

#define Y10_MAX_DIMS 8

typedef struct
{
  char *name; /* normalized, such as "model.0.conv.weight" */
  Y10Dtype dtype;
  const char *dtype_name; /* as written in the file */
  guint n_dims;
  gsize dim[Y10_MAX_DIMS];
  gsize stride[Y10_MAX_DIMS]; /* in elements; the data have no gaps */
  gsize n_elements;
  guint part;     /* 0: the file itself; else another one */
  guint64 offset; /* of its data within the part */
  gsize size;
} Y10TensorEntry;

typedef struct _Y10TensorFile Y10TensorFile;

/* Opens a file of any supported format. All names get the prefix "model.".
 * The file stays open, and tensors are read on demand. */
Y10TensorFile *y10_tensor_file_open (const char *path, GError **error);
Y10TensorFile *y10_tensor_file_ref (Y10TensorFile *file);
void y10_tensor_file_unref (Y10TensorFile *file);
const char *y10_tensor_file_get_path (const Y10TensorFile *file);
/* "safetensors", "PyTorch" or "ONNX". */
const char *y10_tensor_file_get_format (const Y10TensorFile *file);
/* Changes if the file is replaced or modified. */
const char *y10_tensor_file_get_identity (const Y10TensorFile *file);
guint64 y10_tensor_file_get_size (const Y10TensorFile *file);
/* Reads @size bytes at @offset. Fails if the file has changed since it was
 * opened. Any thread. */
gboolean y10_tensor_file_read (const Y10TensorFile *file, guint64 offset,
    gpointer data, gsize size, GError **error);
/* Returns the elements of @entry in row-major order; free with g_free(). */
guint8 *y10_tensor_file_read_tensor (const Y10TensorFile *file,
    const Y10TensorEntry *entry, GError **error);
const Y10TensorEntry *y10_tensor_file_find (const Y10TensorFile *file,
    const char *name);
guint y10_tensor_file_get_n (const Y10TensorFile *file);
const Y10TensorEntry *y10_tensor_file_get (const Y10TensorFile *file,
    guint index);
/* Returns NULL if the file has no such metadata. */
const char *y10_tensor_file_get_meta (const Y10TensorFile *file,
    const char *key);

/* Returns the class name of a module's activation, such as "SiLU"; NULL if
 * the file stores tensors only. */
const char *y10_tensor_file_get_activation (const Y10TensorFile *file,
    const char *module);

/* Whether the file says that the convolution before SPPF's pools, model.9.cv1 in
 * every family, has no activation. Some versions 8.4 of Ultralytics trained all
 * families so; the tensors do not tell. */
gboolean y10_tensor_file_has_linear_sppf (const Y10TensorFile *file);

/* onnx-graph.h; NULL for other formats. */
typedef struct _Y10OnnxGraph Y10OnnxGraph;
const Y10OnnxGraph *y10_tensor_file_get_onnx (const Y10TensorFile *file);

/* safetensors.c. @data: the first @size bytes of the file, at most 16. */
gboolean y10_safetensors_probe (const guint8 *data, gsize size);
gboolean y10_safetensors_parse (Y10TensorFile *file, GError **error);
/* A tensor that is not in the file. */
typedef struct
{
  char *name;
  const char *dtype;
  gsize dim[4];
  guint n_dims;
  gpointer data; /* little-endian */
  gsize size;
} Y10NewTensor;

/* How a file that is written differs from one that was read. */
typedef struct
{
  GHashTable *drop; /* set of names */
  GArray *add;      /* Y10NewTensor; owns names and data */
} Y10TensorChanges;

void y10_tensor_changes_init (Y10TensorChanges *changes);
void y10_tensor_changes_clear (Y10TensorChanges *changes);

/* savetensors.c: writes the tensors that can be weights, with @changes (nullable).
 * @names: NULL-terminated class names. Replaces @path only after all data has been
 * written. */
gboolean y10_safetensors_save (const Y10TensorFile *file,
    const Y10TensorChanges *changes, const char *path, const char *const *names,
    guint width, guint height, const char *head, GError **error);
/* The SHA-256 of what y10_safetensors_save() would write, in hexadecimal digits. */
char *y10_safetensors_digest (const Y10TensorFile *file,
    const char *const *names, guint width, guint height, const char *head,
    GError **error);

/* pytorch.c */
gboolean y10_pytorch_probe (const guint8 *data, gsize size);
gboolean y10_pytorch_parse (Y10TensorFile *file, GError **error);
gboolean y10_pytorch_legacy_probe (const guint8 *data, gsize size);
gboolean y10_pytorch_legacy_parse (Y10TensorFile *file, GError **error);

/* onnx.c */
gboolean y10_onnx_probe (const guint8 *data, gsize size);
gboolean y10_onnx_parse (Y10TensorFile *file, GError **error);
void y10_tensor_file_take_onnx (Y10TensorFile *file, Y10OnnxGraph *graph);

/* Opens @name in the same folder, which must not be a symbolic link. Returns
 * its part number, or 0 with @error set. */
guint y10_tensor_file_open_part (Y10TensorFile *file, const char *name,
    GError **error);
guint64 y10_tensor_file_get_part_size (const Y10TensorFile *file, guint part);

/* Called by the parsers. Copies all strings. The data are the @size bytes at
 * @offset of @part, which the parser has checked to lie within it. @stride:
 * NULL for row-major. */
gboolean y10_tensor_file_add (Y10TensorFile *file, const char *name,
    const char *dtype, const gsize *dim, const gsize *stride, guint n_dims,
    guint part, guint64 offset, gsize size, GError **error);
void y10_tensor_file_set_activation (Y10TensorFile *file, const char *module,
    const char *activation);
void y10_tensor_file_set_meta (Y10TensorFile *file, const char *key,
    const char *value);

/* The convolutions of a graph. BatchNorm is folded and branches are merged
 * on each fetch, so a float copy of the whole network never exists. */
typedef struct
{
  char *name;                      /* module name, such as "model.2.cv1" */
  guint out_channels, in_channels; /* unpadded; in_channels: per group */
  guint kernel, groups;
} Y10ConvShape;

typedef struct _Y10Weights Y10Weights;

Y10Weights *y10_weights_new (const Y10TensorFile *file);
/* Sets what messages call the network, such as "YOLOv10"; a static string. */
void y10_weights_set_network (Y10Weights *weights, const char *title);
void y10_weights_free (Y10Weights *weights);
gboolean y10_weights_has (const Y10Weights *weights, const char *module);
/* Finds NAME.conv.weight (+ bias or bn.*), NAME.weight + NAME.bias, or a
 * RepVGGDW of two branches. Returns its index, or G_MAXUINT with @error set. */
guint y10_weights_add_conv (Y10Weights *weights, const char *name,
    guint in_channels, gboolean depthwise, GError **error);
guint y10_weights_get_n (const Y10Weights *weights);
const Y10ConvShape *y10_weights_get_shape (const Y10Weights *weights,
    guint conv);
/* @weight: out × in × kernel × kernel floats; @bias: out floats. */
gboolean y10_weights_fetch (const Y10Weights *weights, guint conv,
    gfloat *weight, gfloat *bias, GError **error);
/* The name of its weights in the file, without ".weight". */
char *y10_weights_get_prefix (const Y10Weights *weights, guint conv);
/* Adds the names of all its tensors in the file to the set @names. */
void y10_weights_list_names (const Y10Weights *weights, guint conv,
    GHashTable *names);
/* Whether its weights are stored as integers. y10_weights_fetch() returns them as
 * floats all the same. */
gboolean y10_weights_is_quantized (const Y10Weights *weights, guint conv);
/* @weight: out × in × kernel × kernel integers; @scale, @bias: out floats. */
gboolean y10_weights_fetch_quantized (const Y10Weights *weights, guint conv,
    gint8 *weight, gfloat *scale, gfloat *bias, GError **error);
/* Whether the file has scales of its input, which every quantized one has. */
gboolean y10_weights_has_input_scale (const Y10Weights *weights, guint conv);
/* @scale, @zero: one for each input channel. */
gboolean y10_weights_fetch_input_scale (const Y10Weights *weights, guint conv,
    gfloat *scale, guint8 *zero, GError **error);
/* Data type in the file: "F32", "F16" or "BF16". */
const char *y10_weights_get_dtype (const Y10Weights *weights, guint conv);
guint64 y10_weights_get_n_parameters (const Y10Weights *weights);

G_END_DECLS
