/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What the pickle of a PyTorch checkpoint says of modules and tensors: those go to the
 * tensor file, by name, with their places in the archive. */
#include "weights/pytorch-modules.h"

#include <math.h>
#include <string.h>

#include "weights/weights.h"

#define MAX_MODULES 16384
#define MAX_TENSORS 16384
/* Limit on examined dictionary entries, because modules may share a huge
 * dictionary. A checkpoint of yolov10x has 100,000. */
#define MAX_WORK (1u << 24)
/* Ultralytics sets this value everywhere; fold.c relies on it. */
#define BATCH_NORM_EPS 1e-3

typedef Y10PickleValue Value;

gboolean
y10_torch_bad (Y10TorchReader *r, const char *format, ...)
{
  g_autofree char *text = NULL, *shown = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  shown = g_utf8_make_valid (text, -1);
  g_set_error (r->error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
      "%s is not a PyTorch checkpoint that can be read: %s",
      y10_tensor_file_get_path (r->file), shown);
  return FALSE;
}

const Value *
y10_torch_lookup (Y10TorchReader *r, const Value *dict, const char *key)
{
  if (!dict)
    return NULL;
  r->work += dict->n;
  return r->work > MAX_WORK ? NULL : y10_pickle_lookup (dict, key);
}

const Value *
y10_torch_get_state (const Value *value)
{
  return value && value->kind == Y10_PICKLE_CALL ? value->call->state : NULL;
}

gboolean
y10_torch_is_module (Y10TorchReader *r, const Value *value)
{
  return y10_torch_lookup (r, y10_torch_get_state (value), "_modules") != NULL;
}

gboolean
y10_torch_holds_pairs (const Value *value)
{
  return value->kind == Y10_PICKLE_DICT || value->kind == Y10_PICKLE_CALL;
}

/* Up to 80 bytes of a class's name without its module: "SiLU". */
static char *
class_name (const Value *value)
{
  const Value *callee = value && value->kind == Y10_PICKLE_CALL
      ? value->call->callee
      : NULL;
  const char *name;

  if (!callee || callee->kind != Y10_PICKLE_GLOBAL)
    return g_strdup ("?");
  name = memchr (callee->text, ' ', callee->length);
  name = name ? name + 1 : callee->text;
  return g_utf8_make_valid (name,
      MIN (80, callee->text + callee->length - name));
}

gboolean
y10_torch_get_int (const Value *value, gint64 *integer)
{
  if (!value || value->kind != Y10_PICKLE_INT)
    return FALSE;
  *integer = value->integer;
  return TRUE;
}

/* Reads a tuple of sizes; returns -1 for anything else. */
static gint
get_sizes (const Value *value, gsize out[Y10_MAX_DIMS])
{
  if (!value || value->kind != Y10_PICKLE_TUPLE || value->n > Y10_MAX_DIMS)
    return -1;
  for (guint i = 0; i < value->n; i++) {
    gint64 size;

    if (!y10_torch_get_int (value->items[i], &size) || size < 0)
      return -1;
    out[i] = size;
  }
  return value->n;
}

/* Returns the element type, or NULL if weights cannot have it. */
static const char *
storage_dtype (const Value *type, gsize *elem_size)
{
  static const struct
  {
    const char *storage, *dtype;
    gsize size;
  } types[] = {
    { "torch FloatStorage", "F32", 4 },
    { "torch HalfStorage", "F16", 2 },
    { "torch BFloat16Storage", "BF16", 2 },
    { "torch DoubleStorage", "F64", 8 },
    { "torch LongStorage", "I64", 8 },
    { "torch IntStorage", "I32", 4 },
    { "torch ShortStorage", "I16", 2 },
    { "torch CharStorage", "I8", 1 },
    { "torch ByteStorage", "U8", 1 },
    { "torch BoolStorage", "BOOL", 1 },
  };

  if (!type || type->kind != Y10_PICKLE_GLOBAL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (type->length == strlen (types[i].storage)
        && !memcmp (type->text, types[i].storage, type->length)) {
      *elem_size = types[i].size;
      return types[i].dtype;
    }
  return NULL;
}

/* Number of elements from the first to the last; FALSE if it overflows. */
static gboolean
get_span (const gsize *dim, const gsize *stride, gint n_dims, gsize *span)
{
  *span = 1;
  for (gint i = 0; i < n_dims; i++) {
    gsize step;

    if (!dim[i]) {
      *span = 0;
      return TRUE;
    }
    if (!g_size_checked_mul (&step, dim[i] - 1, stride[i])
        || !g_size_checked_add (span, *span, step))
      return FALSE;
  }
  return TRUE;
}

/* @args: of torch._utils._rebuild_tensor_v2 (storage, storage_offset, size,
 * stride, …). */
static gboolean
add_tensor (Y10TorchReader *r, const char *name, const Value *args)
{
  const Value *storage = y10_pickle_item (args, 0);
  const Value *id = storage && storage->kind == Y10_PICKLE_PERSISTENT
      ? y10_pickle_item (storage, 0)
      : NULL;
  const Value *key = y10_pickle_item (id, 2);
  gsize dim[Y10_MAX_DIMS], stride[Y10_MAX_DIMS], span, elem_size = 1;
  gint n_dims = get_sizes (y10_pickle_item (args, 2), dim);
  g_autofree char *member = NULL;
  gint64 first, n_elements;
  guint64 offset, size, last;
  const char *dtype;

  if (++r->n_tensors > MAX_TENSORS)
    return y10_torch_bad (r, "it has more than %d tensors", MAX_TENSORS);
  if (!y10_pickle_is_string (y10_pickle_item (id, 0), "storage") || !key
      || key->kind != Y10_PICKLE_STRING || key->length > Y10_TORCH_MAX_NAME
      || !y10_torch_get_int (y10_pickle_item (id, 4), &n_elements))
    return y10_torch_bad (r, "tensor \"%s\" has no storage", name);
  dtype = storage_dtype (y10_pickle_item (id, 1), &elem_size);
  if (!dtype)
    return y10_torch_bad (r,
        "tensor \"%s\" is in a storage of an unknown type; "
        "expected F64, F32, F16 or BF16",
        name);
  if (n_dims < 0 || get_sizes (y10_pickle_item (args, 3), stride) != n_dims
      || !y10_torch_get_int (y10_pickle_item (args, 1), &first) || first < 0)
    return y10_torch_bad (r, "tensor \"%s\" has no valid shape", name);
  member = g_strdup_printf ("%sdata/%.*s", r->root, (int) key->length,
      key->text);
  if (!y10_zip_locate (r->zip, member, &offset, &size, r->error))
    return FALSE;
  if (!get_span (dim, stride, n_dims, &span)
      || !g_uint64_checked_add (&last, first, span) || last > size / elem_size)
    return y10_torch_bad (r,
        "tensor \"%s\" lies outside of its storage, which has %" G_GUINT64_FORMAT
        " elements: the file is truncated or its shape is "
        "wrong",
        name, size / elem_size);
  return y10_tensor_file_add (r->file, name, dtype, dim, stride, n_dims, 0,
      offset + first * elem_size, span * elem_size, r->error);
}

/* Returns the arguments of the call that creates a tensor, or NULL if @value
 * is not one. */
const Value *
y10_torch_tensor_args (const Value *value)
{
  if (y10_pickle_is_call (value, "torch._utils _rebuild_parameter")
      || y10_pickle_is_call (value,
          "torch._utils _rebuild_parameter_with_state"))
    value = y10_pickle_item (value->call->args, 0);
  if (y10_pickle_is_call (value, "torch._utils _rebuild_tensor_v2")
      || y10_pickle_is_call (value, "torch._utils _rebuild_tensor"))
    return value->call->args;
  return NULL;
}

/* Appends ".key" to the path; returns FALSE if @key is not a name. */
static gboolean
enter (Y10TorchReader *r, const Value *key)
{
  if (!key || key->kind != Y10_PICKLE_STRING
      || r->path->len + 1 + key->length > Y10_TORCH_MAX_NAME
      || !g_utf8_validate (key->text, key->length, NULL))
    return FALSE;
  if (r->path->len)
    g_string_append_c (r->path, '.');
  g_string_append_len (r->path, key->text, key->length);
  return TRUE;
}

/* Counts entries before they are examined. */
gboolean
y10_torch_work (Y10TorchReader *r, guint n)
{
  r->work += n;
  return r->work <= MAX_WORK
      || y10_torch_bad (r, "its modules have more than %u members", MAX_WORK);
}

/* Adds the tensors of a dictionary. */
gboolean
y10_torch_add_tensors (Y10TorchReader *r, const Value *dict)
{
  gsize length = r->path->len;

  if (!dict || !y10_torch_holds_pairs (dict))
    return TRUE;
  if (!y10_torch_work (r, dict->n))
    return FALSE;
  for (guint i = 0; i + 1 < dict->n; i += 2) {
    const Value *args = y10_torch_tensor_args (dict->items[i + 1]);

    if (args && enter (r, dict->items[i])
        && !add_tensor (r, r->path->str, args))
      return FALSE;
    g_string_truncate (r->path, length);
  }
  return TRUE;
}

/* Only the network's structure says whether its family is read at all. */
static void
check_norm (Y10TorchReader *r, const Value *state)
{
  const Value *eps = y10_torch_lookup (r, state, "eps");
  g_autofree char *text = NULL;

  if (!eps || eps->kind != Y10_PICKLE_FLOAT
      || fabs (eps->real - BATCH_NORM_EPS) <= 1e-9
      || y10_tensor_file_get_meta (r->file, "wrong-eps"))
    return;
  text = g_strdup_printf ("module \"%s\" has eps %g; expected %g", r->path->str,
      eps->real, BATCH_NORM_EPS);
  y10_tensor_file_set_meta (r->file, "wrong-eps", text);
}

/* Whether @value is of a class in Ultralytics' module of heads. */
static gboolean
is_head (const Value *value)
{
  static const char heads[] = "ultralytics.nn.modules.head ";
  const Value *callee = value->kind == Y10_PICKLE_CALL ? value->call->callee
                                                       : NULL;

  return callee && callee->kind == Y10_PICKLE_GLOBAL
      && callee->length > strlen (heads)
      && !memcmp (callee->text, heads, strlen (heads));
}

gboolean
y10_torch_add_module (Y10TorchReader *r, const Value *module)
{
  const Value *state = y10_torch_get_state (module);
  const Value *modules = y10_torch_lookup (r, state, "_modules");
  const Value *buffers = y10_torch_lookup (r, state, "_buffers");
  gsize length = r->path->len;

  if (++r->n_modules > MAX_MODULES || r->depth > Y10_TORCH_MAX_DEPTH)
    return y10_torch_bad (r,
        "it has more than %d modules, or nests them more than %d "
        "deep",
        MAX_MODULES, Y10_TORCH_MAX_DEPTH);
  if (!y10_torch_add_tensors (r, y10_torch_lookup (r, state, "_parameters"))
      || !y10_torch_add_tensors (r, buffers))
    return FALSE;
  if (y10_torch_lookup (r, buffers, "running_mean"))
    check_norm (r, state);
  if (!y10_torch_work (r, modules ? modules->n : 0))
    return FALSE;
  for (guint i = 0;
       modules && y10_torch_holds_pairs (modules) && i + 1 < modules->n;
       i += 2) {
    const Value *child = modules->items[i + 1];

    if (child->kind == Y10_PICKLE_CALL
        && y10_pickle_is_string (modules->items[i], "act")) {
      g_autofree char *name = class_name (child);

      y10_tensor_file_set_activation (r->file, r->path->str, name);
    }
    if (is_head (child)) {
      g_autofree char *name = class_name (child);

      y10_tensor_file_set_meta (r->file, "head-class", name);
    }
    if (y10_torch_get_state (child) && enter (r, modules->items[i])) {
      r->depth++;
      if (!y10_torch_add_module (r, child))
        return FALSE;
      r->depth--;
    }
    g_string_truncate (r->path, length);
  }
  return TRUE;
}
