/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads safetensors: an 8-byte little-endian header size, a JSON object
 * {name: {dtype, shape, data_offsets: [begin, end]}, "__metadata__": {…}},
 * then the data. The whole file is untrusted: offsets must lie within the
 * data, and tensors must not overlap. */

#include "config.h"

#include <string.h>

#include "base/json-cursor.h"
#include "weights/weights.h"

/* The largest YOLOv10 needs about 150 KB. The format allows 100 MB. */
#define MAX_HEADER (4u << 20)
/* Shapes are nested three deep. */
#define MAX_DEPTH 8

typedef struct
{
  gsize begin, end;
  Y10Json name;
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
parse_meta (Y10TensorFile *file, Y10Json meta, GError **error)
{
  Y10JsonCursor cursor;
  Y10Json value;

  if (y10_json_get_kind (meta) != Y10_JSON_OBJECT)
    return bad (file, error, "its __metadata__ is not an object");
  y10_json_enter (&cursor, meta);
  while (y10_json_next (&cursor, &value)) {
    g_autofree char *key = y10_json_dup_text (cursor.name);
    g_autofree char *text = y10_json_dup_text (value);

    if (key && text)
      y10_tensor_file_set_meta (file, key, text);
  }
  return TRUE;
}

/* Reads an array of non-negative integers; returns its length, or -1. */
static gint
read_sizes (Y10Json array, gsize *out, gint max)
{
  Y10JsonCursor cursor;
  Y10Json element;
  gint n = 0;

  if (y10_json_get_kind (array) != Y10_JSON_ARRAY)
    return -1;
  for (y10_json_enter (&cursor, array); y10_json_next (&cursor, &element);
       n++) {
    gint64 size;

    if (n == max || !y10_json_get_int (element, &size) || size < 0)
      return -1;
    out[n] = size;
  }
  return n;
}

static gboolean
parse_tensor (Y10TensorFile *file, const char *name, Y10Json tensor,
    guint64 start, guint64 size, Extent *extent, GError **error)
{
  static const char *const names[] = { "dtype", "shape", "data_offsets" };
  Y10Json members[G_N_ELEMENTS (names)];
  gsize dim[Y10_MAX_DIMS], offset[2];
  g_autofree char *dtype = NULL;
  gint n_dims;

  if (y10_json_get_kind (tensor) != Y10_JSON_OBJECT)
    return bad (file, error, "\"%s\" is not an object", name);
  y10_json_find_all (tensor, names, G_N_ELEMENTS (names), members, NULL);
  dtype = y10_json_dup_text (members[0]);
  if (!dtype)
    return bad (file, error, "tensor \"%s\" has no dtype", name);
  n_dims = read_sizes (members[1], dim, Y10_MAX_DIMS);
  if (n_dims < 0)
    return bad (file, error,
        "the shape of tensor \"%s\" is not a list of at "
        "most %d sizes",
        name, Y10_MAX_DIMS);
  if (read_sizes (members[2], offset, 2) != 2)
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
  extent->begin = offset[0];
  extent->end = offset[1];
  return y10_tensor_file_add (file, name, dtype, dim, NULL, n_dims, 0,
      start + offset[0], offset[1] - offset[0], error);
}

/* A tensor, or what is said of all. */
static gboolean
parse_member (Y10TensorFile *file, Y10Json value, guint64 start, guint64 size,
    GArray *extents, Y10Json key, GError **error)
{
  g_autofree char *name = y10_json_dup_text (key);
  Extent extent = { .name = key };

  if (!name)
    return bad (file, error, "a tensor's name has a NUL");
  if (!strcmp (name, "__metadata__"))
    return parse_meta (file, value, error);
  if (!parse_tensor (file, name, value, start, size, &extent, error))
    return FALSE;
  g_array_append_val (extents, extent);
  return TRUE;
}

static int
compare_extents (const void *a, const void *b)
{
  const Extent *x = a, *y = b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

/* Whether no two tensors share a byte. */
static gboolean
check_extents (Y10TensorFile *file, GArray *extents, GError **error)
{
  g_array_sort (extents, compare_extents);
  for (guint i = 1; i < extents->len; i++) {
    const Extent *a = &g_array_index (extents, Extent, i - 1), *b = a + 1;

    if (b->begin < a->end) {
      g_autofree char *first = y10_json_dup_text (a->name);
      g_autofree char *second = y10_json_dup_text (b->name);

      return bad (file, error, "tensors \"%s\" and \"%s\" overlap", first,
          second);
    }
  }
  return TRUE;
}

gboolean
y10_safetensors_parse (Y10TensorFile *file, GError **error)
{
  g_autoptr (GArray) extents = g_array_new (FALSE, FALSE, sizeof (Extent));
  g_autofree char *text = NULL;
  guint64 size = y10_tensor_file_get_size (file) - 8, header;
  guint8 length[8];
  Y10Json root, value;
  Y10JsonCursor cursor;
  Y10JsonFault fault;

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
  if (!y10_json_check (text, header, MAX_DEPTH, &root, &fault))
    return bad (file, error,
        "its header is not JSON: byte %" G_GSIZE_FORMAT ": %s", fault.offset,
        fault.message);
  if (y10_json_get_kind (root) != Y10_JSON_OBJECT)
    return bad (file, error, "its header is not a JSON object");
  y10_json_enter (&cursor, root);
  while (y10_json_next (&cursor, &value))
    if (!parse_member (file, value, 8 + header, size - header, extents,
            cursor.name, error))
      return FALSE;
  return check_extents (file, extents, error);
}
