/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads safetensors: an 8-byte little-endian header size, a JSON object
 * {name: {dtype, shape, data_offsets: [begin, end]}, "__metadata__": {…}},
 * then the data. The whole file is untrusted: offsets must lie within the
 * data, and tensors must not overlap. */

#include "config.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "base/json-scan.h"
#include "weights/weights.h"

/* The largest YOLOv10 needs about 150 KB. The format allows 100 MB, which
 * the JSON parser would expand to gigabytes. */
#define MAX_HEADER (4u << 20)
/* Shapes are nested three deep. */
#define MAX_DEPTH 8

typedef struct
{
  gsize begin, end;
  const char *name;
} Extent;

static guint64
read_u64 (const guint8 *p)
{
  guint64 v;

  memcpy (&v, p, sizeof v);
  return GUINT64_FROM_LE (v);
}

/* No other supported format begins with a small number followed by a brace. */
gboolean
y10_safetensors_probe (const guint8 *data, gsize size)
{
  return size > 8 && (data[8] == '{' || data[8] == ' ');
}

static gboolean
bad (Y10TensorFile *file, GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
      "%s is not a valid safetensors file: %s", y10_tensor_file_get_path (file),
      text);
  return FALSE;
}

static gboolean
parse_meta (Y10TensorFile *file, JsonNode *node, GError **error)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return bad (file, error, "its __metadata__ is not an object");
  json_object_iter_init (&iter, json_node_get_object (node));
  while (json_object_iter_next (&iter, &key, &value))
    if (json_node_get_value_type (value) == G_TYPE_STRING)
      y10_tensor_file_set_meta (file, key, json_node_get_string (value));
  return TRUE;
}

/* Reads a JSON array of non-negative integers; returns its length, or -1. */
static gint
read_sizes (JsonObject *object, const char *member, gsize *out, guint max)
{
  JsonNode *node = json_object_get_member (object, member);
  JsonArray *array;

  if (!node || !JSON_NODE_HOLDS_ARRAY (node))
    return -1;
  array = json_node_get_array (node);
  if (json_array_get_length (array) > max)
    return -1;
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *element = json_array_get_element (array, i);
    if (json_node_get_value_type (element) != G_TYPE_INT64
        || json_node_get_int (element) < 0)
      return -1;
    out[i] = json_node_get_int (element);
  }
  return json_array_get_length (array);
}

static gboolean
parse_tensor (Y10TensorFile *file, const char *name, JsonNode *node,
    guint64 start, guint64 size, Extent *extent, GError **error)
{
  gsize dim[Y10_MAX_DIMS], offset[2];
  JsonObject *object;
  JsonNode *dtype;
  gint n_dims;

  if (!g_utf8_validate (name, -1, NULL))
    return bad (file, error, "a tensor's name is not UTF-8");
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return bad (file, error, "\"%s\" is not an object", name);
  object = json_node_get_object (node);
  dtype = json_object_get_member (object, "dtype");
  if (!dtype || json_node_get_value_type (dtype) != G_TYPE_STRING)
    return bad (file, error, "tensor \"%s\" has no dtype", name);
  if (!g_utf8_validate (json_node_get_string (dtype), -1, NULL))
    return bad (file, error, "the dtype of tensor \"%s\" is not UTF-8", name);
  n_dims = read_sizes (object, "shape", dim, Y10_MAX_DIMS);
  if (n_dims < 0)
    return bad (file, error,
        "the shape of tensor \"%s\" is not a list of at "
        "most %d sizes",
        name, Y10_MAX_DIMS);
  if (read_sizes (object, "data_offsets", offset, 2) != 2)
    return bad (file, error,
        "the data_offsets of tensor \"%s\" are not two "
        "sizes",
        name);
  if (offset[0] > offset[1] || offset[1] > size)
    return bad (file, error,
        "tensor \"%s\" lies at bytes %" G_GSIZE_FORMAT " to %" G_GSIZE_FORMAT
        " of %" G_GUINT64_FORMAT " bytes of data: the "
        "file is truncated or its offsets are wrong",
        name, offset[0], offset[1], size);
  *extent = (Extent){ offset[0], offset[1], name };
  return y10_tensor_file_add (file, name, json_node_get_string (dtype), dim,
      NULL, n_dims, 0, start + offset[0], offset[1] - offset[0], error);
}

static int
compare_extents (const void *a, const void *b)
{
  const Extent *x = a, *y = b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

gboolean
y10_safetensors_parse (Y10TensorFile *file, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) json = NULL;
  g_autofree Extent *extents = NULL;
  g_autofree char *text = NULL;
  guint64 size = y10_tensor_file_get_size (file) - 8, header, start;
  guint8 length[8];
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  Y10JsonScan scan;
  guint n = 0;

  if (!y10_tensor_file_read (file, 0, length, sizeof length, error))
    return FALSE;
  header = read_u64 (length);
  if (header > MAX_HEADER)
    return bad (file, error,
        "its header would have %" G_GUINT64_FORMAT
        " bytes; expected at most %u",
        header, MAX_HEADER);
  if (header > size)
    return bad (file, error,
        "its header has %" G_GUINT64_FORMAT " bytes, but "
        "only %" G_GUINT64_FORMAT " follow",
        header, size);
  text = g_malloc (header + 1);
  if (!y10_tensor_file_read (file, 8, text, header, error))
    return FALSE;
  y10_json_scan (text, header, MAX_DEPTH, &scan);
  if (scan.depth > MAX_DEPTH)
    return bad (file, error,
        "its header nests arrays and objects %u deep; "
        "expected at most %d",
        scan.depth, MAX_DEPTH);
  if (scan.danger != Y10_JSON_SAFE)
    return bad (file, error,
        "its header is not JSON: byte %" G_GSIZE_FORMAT ": %s", scan.offset,
        y10_json_danger_get_text (scan.danger));
  if (!json_parser_load_from_data (parser, text, header, &json)) {
    g_autofree char *why = g_utf8_make_valid (json->message, -1);

    return bad (file, error, "its header is not JSON: %s", why);
  }
  node = json_parser_get_root (parser);
  if (!node || !JSON_NODE_HOLDS_OBJECT (node))
    return bad (file, error, "its header is not a JSON object");

  start = 8 + header;
  size -= header;
  extents = g_new (Extent, json_object_get_size (json_node_get_object (node)));
  json_object_iter_init (&iter, json_node_get_object (node));
  while (json_object_iter_next (&iter, &name, &node)) {
    if (!strcmp (name, "__metadata__")) {
      if (!parse_meta (file, node, error))
        return FALSE;
    } else if (!parse_tensor (file, name, node, start, size, &extents[n++],
                   error)) {
      return FALSE;
    }
  }
  qsort (extents, n, sizeof *extents, compare_extents);
  for (guint i = 1; i < n; i++)
    if (extents[i].begin < extents[i - 1].end)
      return bad (file, error, "tensors \"%s\" and \"%s\" overlap",
          extents[i - 1].name, extents[i].name);
  return TRUE;
}
