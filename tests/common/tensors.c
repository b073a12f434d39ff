/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Makes safetensors files for tests. The header is formatted like the output of
 * Python's json.dumps, in the order of the shapes file, so that a file equals
 * numpy's byte for byte. Data is seeded tensor by tensor while writing, so even
 * the largest variant needs no second copy in memory. */

#include "tensors.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "seeded.h"

#define BN_EPS 1e-3

static void
tensor_free (gpointer data)
{
  Y10TestTensor *tensor = data;

  g_free (tensor->name);
  g_free (tensor->data);
  g_free (tensor);
}

Y10TestTensor *
y10_test_tensors_add (Y10TestTensors *tensors, const char *name,
    const gsize *dim, guint n_dims, float *data)
{
  Y10TestTensor *tensor = g_new0 (Y10TestTensor, 1);

  g_assert_cmpuint (n_dims, <=, G_N_ELEMENTS (tensor->dim));
  tensor->name = g_strdup (name);
  tensor->n_dims = n_dims;
  memcpy (tensor->dim, dim, n_dims * sizeof *dim);
  tensor->data = data;
  g_ptr_array_add (tensors->tensors, tensor);
  return tensor;
}

const char *
y10_test_data_dir (void)
{
  const char *dir = g_getenv ("Y10_TEST_DATA_DIR");

  return dir ? dir : TEST_DATA_DIR;
}

Y10TestTensors *
y10_test_tensors_new (const char *shapes_json, guint64 seed, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  Y10TestTensors *tensors = NULL;
  JsonObjectIter iter;
  const char *name;
  JsonNode *root, *node;

  if (!json_parser_load_from_file (parser, shapes_json, error))
    goto done;
  root = json_parser_get_root (parser);
  if (!root || !JSON_NODE_HOLDS_OBJECT (root)) {
    g_set_error (error, JSON_PARSER_ERROR, JSON_PARSER_ERROR_INVALID_DATA,
        "%s: not an object of shapes", shapes_json);
    goto done;
  }
  tensors = g_new0 (Y10TestTensors, 1);
  tensors->tensors = g_ptr_array_new_with_free_func (tensor_free);
  tensors->seed = seed;
  json_object_iter_init_ordered (&iter, json_node_get_object (root));
  while (json_object_iter_next_ordered (&iter, &name, &node)) {
    JsonArray *shape = json_node_get_array (node);
    gsize dim[8];
    guint n_dims = json_array_get_length (shape);

    g_assert_cmpuint (n_dims, <=, G_N_ELEMENTS (dim));
    for (guint i = 0; i < n_dims; i++)
      dim[i] = (gsize) json_array_get_int_element (shape, i);
    y10_test_tensors_add (tensors, name, dim, n_dims, NULL);
  }
done:
  return tensors;
}

void
y10_test_tensors_free (Y10TestTensors *tensors)
{
  if (!tensors)
    return;
  g_ptr_array_unref (tensors->tensors);
  g_free (tensors);
}

Y10TestTensor *
y10_test_tensors_find (const Y10TestTensors *tensors, const char *name)
{
  for (guint i = 0; i < tensors->tensors->len; i++) {
    Y10TestTensor *tensor = g_ptr_array_index (tensors->tensors, i);

    if (strcmp (tensor->name, name) == 0)
      return tensor;
  }
  return NULL;
}

gsize
y10_test_tensor_n (const Y10TestTensor *tensor)
{
  gsize n = 1;

  for (guint i = 0; i < tensor->n_dims; i++)
    n *= tensor->dim[i];
  return n;
}

float *
y10_test_tensors_data (const Y10TestTensors *tensors, Y10TestTensor *tensor)
{
  if (!tensor->data) {
    tensor->data = g_new (float, y10_test_tensor_n (tensor));
    y10_seeded_tensor (tensor->name, tensor->dim, tensor->n_dims, tensors->seed,
        tensor->data);
  }
  return tensor->data;
}

void
y10_test_tensors_remove (Y10TestTensors *tensors, const char *name)
{
  Y10TestTensor *tensor = y10_test_tensors_find (tensors, name);

  g_assert_nonnull (tensor);
  g_ptr_array_remove (tensors->tensors, tensor);
}

void
y10_test_tensors_set_classes (Y10TestTensors *tensors, guint n_classes)
{
  for (guint i = 0; i < tensors->tensors->len; i++) {
    Y10TestTensor *tensor = g_ptr_array_index (tensors->tensors, i);

    if (strstr (tensor->name, "cv3.")
        && (g_str_has_suffix (tensor->name, ".2.weight")
            || g_str_has_suffix (tensor->name, ".2.bias"))) {
      g_assert_null (tensor->data);
      tensor->dim[0] = n_classes;
    }
  }
}

/* Returns the data of MODULE.SUFFIX, or NULL. */
static float *
find_data (const Y10TestTensors *tensors, const char *module,
    const char *suffix)
{
  char *name = g_strconcat (module, suffix, NULL);
  Y10TestTensor *tensor = y10_test_tensors_find (tensors, name);

  g_free (name);
  return tensor ? y10_test_tensors_data (tensors, tensor) : NULL;
}

static void
remove_all (Y10TestTensors *tensors, const char *module,
    const char *const *suffixes)
{
  for (; *suffixes; suffixes++) {
    char *name = g_strconcat (module, *suffixes, NULL);

    y10_test_tensors_remove (tensors, name);
    g_free (name);
  }
}

/* A RepVGGDW is a 7x7 and a 3x3 depthwise branch whose outputs are added:
 * one 7x7 convolution. */
static void
merge_branches (Y10TestTensors *tensors, const char *module)
{
  static const char *const old[] = { ".conv.conv.weight", ".conv.conv.bias",
    ".conv1.conv.weight", ".conv1.conv.bias", NULL };
  float *large = find_data (tensors, module, ".conv.conv.weight");
  float *small = find_data (tensors, module, ".conv1.conv.weight");
  float *large_bias = find_data (tensors, module, ".conv.conv.bias");
  float *small_bias = find_data (tensors, module, ".conv1.conv.bias");
  char *name = g_strconcat (module, ".conv.conv.weight", NULL);
  gsize c = y10_test_tensors_find (tensors, name)->dim[0];
  gsize dim[4] = { c, 1, 7, 7 };
  float *weight = g_new (float, c * 49), *bias = g_new (float, c);

  for (gsize i = 0; i < c; i++) {
    memcpy (weight + i * 49, large + i * 49, 49 * sizeof *weight);
    for (guint y = 0; y < 3; y++)
      for (guint x = 0; x < 3; x++)
        weight[i * 49 + (y + 2) * 7 + x + 2] += small[i * 9 + y * 3 + x];
    bias[i] = large_bias[i] + small_bias[i];
  }
  remove_all (tensors, module, old);
  g_free (name);
  name = g_strconcat (module, ".conv.weight", NULL);
  y10_test_tensors_add (tensors, name, dim, 4, weight);
  g_free (name);
  name = g_strconcat (module, ".conv.bias", NULL);
  y10_test_tensors_add (tensors, name, dim, 1, bias);
  g_free (name);
}

void
y10_test_tensors_fold (Y10TestTensors *tensors)
{
  static const char *const bn[] = { ".bn.weight", ".bn.bias",
    ".bn.running_mean", ".bn.running_var", NULL };
  g_autoptr (GPtrArray) modules = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < tensors->tensors->len; i++) {
    Y10TestTensor *tensor = g_ptr_array_index (tensors->tensors, i);

    if (g_str_has_suffix (tensor->name, ".bn.weight"))
      g_ptr_array_add (modules,
          g_strndup (tensor->name,
              strlen (tensor->name) - strlen (".bn.weight")));
  }
  for (guint i = 0; i < modules->len; i++) {
    const char *module = g_ptr_array_index (modules, i);
    const float *gamma = find_data (tensors, module, ".bn.weight");
    const float *beta = find_data (tensors, module, ".bn.bias");
    const float *mean = find_data (tensors, module, ".bn.running_mean");
    const float *var = find_data (tensors, module, ".bn.running_var");
    float *weight = find_data (tensors, module, ".conv.weight");
    char *name = g_strconcat (module, ".conv.weight", NULL);
    Y10TestTensor *conv = y10_test_tensors_find (tensors, name);
    gsize per_channel = y10_test_tensor_n (conv) / conv->dim[0];
    float *bias = g_new (float, conv->dim[0]);

    for (gsize c = 0; c < conv->dim[0]; c++) {
      double factor = gamma[c] / sqrt ((double) var[c] + BN_EPS);

      for (gsize j = 0; j < per_channel; j++)
        weight[c * per_channel + j] = (float) (weight[c * per_channel + j]
            * factor);
      bias[c] = (float) (beta[c] - mean[c] * factor);
    }
    g_free (name);
    name = g_strconcat (module, ".conv.bias", NULL);
    y10_test_tensors_add (tensors, name, conv->dim, 1, bias);
    g_free (name);
    remove_all (tensors, module, bn);
  }
  for (guint i = 0; i < modules->len; i++) {
    char *module = g_ptr_array_index (modules, i);

    if (g_str_has_suffix (module, ".conv1")) {
      module[strlen (module) - strlen (".conv1")] = 0;
      merge_branches (tensors, module);
    }
  }
}

guint16
y10_test_float_to_bf16 (float value)
{
  guint32 bits;

  memcpy (&bits, &value, 4);
  return (guint16) ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

float
y10_test_bf16_to_float (guint16 value)
{
  guint32 bits = (guint32) value << 16;
  float f;

  memcpy (&f, &bits, 4);
  return f;
}

guint16
y10_test_float_to_half (float value)
{
  guint16 sign = signbit (value) ? 0x8000 : 0;
  int exponent;
  double mantissa = frexp (fabs ((double) value), &exponent);

  if (mantissa == 0)
    return sign;
  g_assert_cmpint (exponent, <=, 16); /* no test needs larger ones */
  if (exponent < -13)                 /* subnormal: multiples of 2^-24 */
    return sign | (guint16) nearbyint (ldexp (mantissa, exponent + 24));
  /* A mantissa that rounds up to 2048 carries into the exponent, as it
   * should. */
  return sign
      | (guint16) (((exponent + 13) << 10)
          + (int) nearbyint (ldexp (mantissa, 11)));
}

static void
append_header (GString *header, const Y10TestTensors *tensors,
    const Y10TestFormat *format, const char *dtype, gsize elem_size)
{
  gsize offset = 0;

  g_string_append_c (header, '{');
  if (format && format->metadata)
    g_string_append_printf (header, "\"__metadata__\":%s,", format->metadata);
  for (guint i = 0; i < tensors->tensors->len; i++) {
    const Y10TestTensor *tensor = g_ptr_array_index (tensors->tensors, i);
    gsize size = y10_test_tensor_n (tensor) * elem_size;
    const char *prefix = "", *name = tensor->name;

    if (format && format->prefix) {
      prefix = format->prefix;
      if (g_str_has_prefix (name, "model."))
        name += strlen ("model.");
    }
    g_string_append_printf (header, "%s\"%s%s\":{\"dtype\":\"%s\",\"shape\":[",
        i ? "," : "", prefix, name, dtype);
    for (guint j = 0; j < tensor->n_dims; j++)
      g_string_append_printf (header, "%s%" G_GSIZE_FORMAT, j ? "," : "",
          tensor->dim[j]);
    g_string_append_printf (header,
        "],\"data_offsets\":[%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT "]}", offset,
        offset + size);
    offset += size;
  }
  g_string_append_c (header, '}');
  while (header->len % 8)
    g_string_append_c (header, ' ');
}

static gboolean
emit_zeros (gpointer user, gsize size)
{
  return fseek (user, (long) size - 1, SEEK_CUR) == 0 && fputc (0, user) == 0;
}

/* Calls @emit with one piece of the file after another. */
static gboolean
generate (const Y10TestTensors *tensors, const Y10TestFormat *format,
    gboolean (*emit) (gpointer user, gconstpointer data, gsize size),
    gpointer user)
{
  const char *dtype = format && format->dtype ? format->dtype : "F32";
  gboolean half = strcmp (dtype, "F16") == 0;
  gboolean wide = strcmp (dtype, "F32") == 0;
  GString *header = g_string_new (NULL);
  guint64 length;
  gboolean ok;

  append_header (header, tensors, format, dtype, wide ? 4 : 2);
  length = GUINT64_TO_LE ((guint64) header->len);
  ok = emit (user, &length, 8) && emit (user, header->str, header->len);
  g_string_free (header, TRUE);
  for (guint i = 0; ok && i < tensors->tensors->len; i++) {
    Y10TestTensor *tensor = g_ptr_array_index (tensors->tensors, i);
    gsize n = y10_test_tensor_n (tensor);
    gboolean had_data = tensor->data != NULL;
    float *data;

    if (format && format->hollow) {
      ok = emit_zeros (user, n * (wide ? 4 : 2));
      continue;
    }
    data = y10_test_tensors_data (tensors, tensor);
    if (wide) {
      ok = emit (user, data, n * 4);
    } else {
      guint16 *narrow = g_new (guint16, n);

      for (gsize j = 0; j < n; j++)
        narrow[j] = half ? y10_test_float_to_half (data[j])
                         : y10_test_float_to_bf16 (data[j]);
      ok = emit (user, narrow, n * 2);
      g_free (narrow);
    }
    if (!had_data)
      g_clear_pointer (&tensor->data, g_free);
  }
  return ok;
}

static gboolean
emit_bytes (gpointer user, gconstpointer data, gsize size)
{
  g_byte_array_append (user, data, (guint) size);
  return TRUE;
}

static gboolean
emit_file (gpointer user, gconstpointer data, gsize size)
{
  return fwrite (data, 1, size, user) == size;
}

GBytes *
y10_test_tensors_serialize (const Y10TestTensors *tensors,
    const Y10TestFormat *format)
{
  GByteArray *bytes = g_byte_array_new ();

  g_assert_false (format && format->hollow); /* needs a file */
  generate (tensors, format, emit_bytes, bytes);
  return g_byte_array_free_to_bytes (bytes);
}

gboolean
y10_test_tensors_write (const Y10TestTensors *tensors, const char *path,
    const Y10TestFormat *format, GError **error)
{
  FILE *file = fopen (path, "wb");
  gboolean ok;

  if (!file) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: %m", path);
    return FALSE;
  }
  ok = generate (tensors, format, emit_file, file);
  if (fclose (file) != 0)
    ok = FALSE;
  if (!ok)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC,
        "%s: cannot write all of it", path);
  return ok;
}
