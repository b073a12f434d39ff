/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* PyTorch checkpoints: a zip archive with a pickle, ROOT/data.pkl, whose tensors
 * name members ROOT/data/KEY. What is read:
 *
 * - training checkpoints of Ultralytics and of YOLOv10's authors: a dictionary
 *   with whole modules under "ema" or "model";
 * - one whole module;
 * - a state_dict, bare or under "model", "state_dict" or any other key, if it is the
 *   only one that has one.
 *
 * The pickle yields names and shapes only; no code of the file runs, no class
 * needs to exist, and tensors that the network does not name, such as an
 * optimizer's, are never read. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "weights/pickle.h"
#include "weights/weights.h"
#include "weights/zip.h"

/* A checkpoint of yolov10x with its optimizer has a pickle of 2 MB, whose
 * values take 10 MB. */
#define MAX_PICKLE (16u << 20)
#define BUDGET (32u << 20)
#define MAX_DEPTH 32
#define MAX_MODULES 16384
#define MAX_TENSORS 16384
#define MAX_NAME 256
#define MAX_NAMES (1u << 20)
/* Limit on examined dictionary entries, because modules may share a huge
 * dictionary. A checkpoint of yolov10x has 100,000. */
#define MAX_WORK (1u << 24)
/* Ultralytics sets this value everywhere; fold.c relies on it. */
#define BATCH_NORM_EPS 1e-3

typedef Y10PickleValue Value;

typedef struct
{
  Y10TensorFile *file;
  const Y10Zip *zip;
  const char *root; /* "name/", the prefix of all members */
  GString *path;    /* of the module being read */
  guint n_modules, n_tensors, depth;
  guint64 work;
  GError **error;
} Reader;

gboolean
y10_pytorch_probe (const guint8 *data, gsize size)
{
  return size >= 4 && !memcmp (data, "PK\3\4", 4);
}

G_GNUC_PRINTF (2, 3)
static gboolean
bad (Reader *r, const char *format, ...)
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

static const Value *
lookup (Reader *r, const Value *dict, const char *key)
{
  if (!dict)
    return NULL;
  r->work += dict->n;
  return r->work > MAX_WORK ? NULL : y10_pickle_lookup (dict, key);
}

static const Value *
get_state (const Value *value)
{
  return value && value->kind == Y10_PICKLE_CALL ? value->call->state : NULL;
}

static gboolean
is_module (Reader *r, const Value *value)
{
  return lookup (r, get_state (value), "_modules") != NULL;
}

static gboolean
holds_pairs (const Value *value)
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

static gboolean
get_int (const Value *value, gint64 *integer)
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

    if (!get_int (value->items[i], &size) || size < 0)
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
add_tensor (Reader *r, const char *name, const Value *args)
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
    return bad (r, "it has more than %d tensors", MAX_TENSORS);
  if (!y10_pickle_is_string (y10_pickle_item (id, 0), "storage") || !key
      || key->kind != Y10_PICKLE_STRING || key->length > MAX_NAME
      || !get_int (y10_pickle_item (id, 4), &n_elements))
    return bad (r, "tensor \"%s\" has no storage", name);
  dtype = storage_dtype (y10_pickle_item (id, 1), &elem_size);
  if (!dtype)
    return bad (r,
        "tensor \"%s\" is in a storage of an unknown type; "
        "expected F64, F32, F16 or BF16",
        name);
  if (n_dims < 0 || get_sizes (y10_pickle_item (args, 3), stride) != n_dims
      || !get_int (y10_pickle_item (args, 1), &first) || first < 0)
    return bad (r, "tensor \"%s\" has no valid shape", name);
  member = g_strdup_printf ("%sdata/%.*s", r->root, (int) key->length,
      key->text);
  if (!y10_zip_locate (r->zip, member, &offset, &size, r->error))
    return FALSE;
  if (!get_span (dim, stride, n_dims, &span)
      || !g_uint64_checked_add (&last, first, span) || last > size / elem_size)
    return bad (r,
        "tensor \"%s\" lies outside of its storage, which has %" G_GUINT64_FORMAT
        " elements: the file is truncated or its shape is "
        "wrong",
        name, size / elem_size);
  return y10_tensor_file_add (r->file, name, dtype, dim, stride, n_dims, 0,
      offset + first * elem_size, span * elem_size, r->error);
}

/* Returns the arguments of the call that creates a tensor, or NULL if @value
 * is not one. */
static const Value *
tensor_args (const Value *value)
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
enter (Reader *r, const Value *key)
{
  if (!key || key->kind != Y10_PICKLE_STRING
      || r->path->len + 1 + key->length > MAX_NAME
      || !g_utf8_validate (key->text, key->length, NULL))
    return FALSE;
  if (r->path->len)
    g_string_append_c (r->path, '.');
  g_string_append_len (r->path, key->text, key->length);
  return TRUE;
}

/* Counts entries before they are examined. */
static gboolean
work (Reader *r, guint n)
{
  r->work += n;
  return r->work <= MAX_WORK
      || bad (r, "its modules have more than %u members", MAX_WORK);
}

/* Adds the tensors of a dictionary. */
static gboolean
add_tensors (Reader *r, const Value *dict)
{
  gsize length = r->path->len;

  if (!dict || !holds_pairs (dict))
    return TRUE;
  if (!work (r, dict->n))
    return FALSE;
  for (guint i = 0; i + 1 < dict->n; i += 2) {
    const Value *args = tensor_args (dict->items[i + 1]);

    if (args && enter (r, dict->items[i])
        && !add_tensor (r, r->path->str, args))
      return FALSE;
    g_string_truncate (r->path, length);
  }
  return TRUE;
}

/* Only the network's structure says whether its family is read at all. */
static void
check_norm (Reader *r, const Value *state)
{
  const Value *eps = lookup (r, state, "eps");
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

static gboolean
add_module (Reader *r, const Value *module)
{
  const Value *state = get_state (module);
  const Value *modules = lookup (r, state, "_modules");
  const Value *buffers = lookup (r, state, "_buffers");
  gsize length = r->path->len;

  if (++r->n_modules > MAX_MODULES || r->depth > MAX_DEPTH)
    return bad (r,
        "it has more than %d modules, or nests them more than %d "
        "deep",
        MAX_MODULES, MAX_DEPTH);
  if (!add_tensors (r, lookup (r, state, "_parameters"))
      || !add_tensors (r, buffers))
    return FALSE;
  if (lookup (r, buffers, "running_mean"))
    check_norm (r, state);
  if (!work (r, modules ? modules->n : 0))
    return FALSE;
  for (guint i = 0; modules && holds_pairs (modules) && i + 1 < modules->n;
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
    if (get_state (child) && enter (r, modules->items[i])) {
      r->depth++;
      if (!add_module (r, child))
        return FALSE;
      r->depth--;
    }
    g_string_truncate (r->path, length);
  }
  return TRUE;
}

/* "640", or "[480, 640]" for height and width. */
static void
read_size (Reader *r, const Value *args)
{
  const Value *size = lookup (r, get_state (args) ? get_state (args) : args,
      "imgsz");
  g_autofree char *text = NULL;
  gint64 width, height;

  if (get_int (size, &width))
    text = g_strdup_printf ("%" G_GINT64_FORMAT, width);
  else if (get_int (y10_pickle_item (size, 0), &height)
      && get_int (y10_pickle_item (size, 1), &width))
    text = g_strdup_printf ("[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]",
        height, width);
  if (text)
    y10_tensor_file_set_meta (r->file, "imgsz", text);
}

static void
append_name (GString *json, gint64 id, const Value *name)
{
  g_autofree char *text = NULL;

  if (name->kind != Y10_PICKLE_STRING || json->len + name->length > MAX_NAMES)
    return;
  text = g_strndup (name->text, name->length);
  g_string_append_printf (json,
      "%s\"%" G_GINT64_FORMAT "\": ", json->len > 1 ? ", " : "", id);
  y10_json_append_string (json, text);
}

/* Class names, a list or a dictionary by id. */
static void
read_names (Reader *r, const Value *names)
{
  g_autoptr (GString) json = g_string_new ("{");
  gint64 id;

  if (!names || names->kind < Y10_PICKLE_TUPLE || names->kind > Y10_PICKLE_DICT)
    return;
  if (names->kind == Y10_PICKLE_DICT) {
    for (guint i = 0; i + 1 < names->n; i += 2)
      if (get_int (names->items[i], &id))
        append_name (json, id, names->items[i + 1]);
  } else {
    for (guint i = 0; i < names->n; i++)
      append_name (json, i, names->items[i]);
  }
  g_string_append_c (json, '}');
  y10_tensor_file_set_meta (r->file, "names", json->str);
}

/* Unwraps the modules that multi-GPU training adds, which have one child. */
static const Value *
unwrap (Reader *r, const Value *module)
{
  for (guint i = 0; i < MAX_DEPTH; i++) {
    const Value *inner = lookup (r, lookup (r, get_state (module), "_modules"),
        "module");

    if (!is_module (r, inner))
      break;
    module = inner;
  }
  return module;
}

static gboolean
has_tensors (const Value *dict)
{
  if (!dict || !holds_pairs (dict))
    return FALSE;
  for (guint i = 0; i + 1 < dict->n; i += 2)
    if (tensor_args (dict->items[i + 1]))
      return TRUE;
  return FALSE;
}

/* Prefers "ema", as Ultralytics' evaluation does. */
static const Value *
find_weights (Reader *r, const Value *root)
{
  static const char *const keys[] = { "ema", "model", "state_dict" };

  if (is_module (r, root))
    return unwrap (r, root);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const Value *value = lookup (r, root, keys[i]);

    if (is_module (r, value))
      return unwrap (r, value);
    if (has_tensors (value))
      return value;
  }
  return has_tensors (root) ? root : NULL;
}

/* The only value of @root that has weights, whatever its key is; *@n: how many have. */
static const Value *
find_only_weights (Reader *r, const Value *root, guint *n)
{
  const Value *found = NULL;

  *n = 0;
  if (!root || !holds_pairs (root) || !work (r, root->n))
    return NULL;
  for (guint i = 0; i + 1 < root->n; i += 2) {
    const Value *value = root->items[i + 1];

    if (is_module (r, value) || has_tensors (value)) {
      found = is_module (r, value) ? unwrap (r, value) : value;
      ++*n;
    }
  }
  return *n == 1 ? found : NULL;
}

static gboolean
read_checkpoint (Reader *r, const Value *root)
{
  const Value *weights = find_weights (r, root), *inner;
  guint n = 0;

  if (!weights)
    weights = find_only_weights (r, root, &n);
  if (!weights)
    return n ? bad (r,
               "%u of its entries have tensors; expected them in one, or under "
               "\"ema\", \"model\" or \"state_dict\"",
               n)
             : bad (r,
                 "it has no module and no tensors at the top or in one of its "
                 "entries");
  read_size (r, lookup (r, root, "train_args"));
  if (!is_module (r, weights))
    return add_tensors (r, weights);
  /* Ultralytics' YOLO is a module around the network. */
  inner = lookup (r, lookup (r, get_state (weights), "_modules"), "model");
  for (guint i = 0; i < 2; i++) {
    const Value *state = get_state (i ? weights : inner);

    read_size (r, lookup (r, state, "args"));
    read_names (r, lookup (r, state, "names"));
  }
  return add_module (r, weights);
}

static guint8 *
read_member (Reader *r, const char *name, gsize max, guint64 *size)
{
  g_autofree guint8 *data = NULL;
  guint64 offset;

  if (!y10_zip_locate (r->zip, name, &offset, size, r->error))
    return NULL;
  if (*size > max) {
    bad (r,
        "\"%s\" has %" G_GUINT64_FORMAT
        " bytes; expected at most %" G_GSIZE_FORMAT,
        name, *size, max);
    return NULL;
  }
  data = g_malloc (MAX (*size, 1));
  if (!y10_tensor_file_read (r->file, offset, data, *size, r->error))
    return NULL;
  return g_steal_pointer (&data);
}

static gboolean
check_archive (Reader *r)
{
  g_autofree char *constants = g_strconcat (r->root, "constants.pkl", NULL);
  g_autofree char *order = g_strconcat (r->root, "byteorder", NULL);
  g_autofree guint8 *text = NULL;
  guint64 size;

  if (y10_zip_has (r->zip, constants))
    return bad (r,
        "it is a TorchScript archive; expected a checkpoint, as "
        "torch.save() writes it");
  if (!y10_zip_has (r->zip, order))
    return TRUE;
  text = read_member (r, order, 16, &size);
  if (!text)
    return FALSE;
  if (size != 6 || memcmp (text, "little", 6))
    return bad (r, "its tensors are not little-endian");
  return TRUE;
}

gboolean
y10_pytorch_parse (Y10TensorFile *file, GError **error)
{
  g_autoptr (Y10Zip) zip = y10_zip_open (file, error);
  g_autoptr (GString) path = g_string_new (NULL);
  Reader r = { .file = file, .zip = zip, .path = path, .error = error };
  g_autoptr (Y10Pickle) pickle = NULL;
  g_autofree guint8 *data = NULL;
  g_autofree char *root = NULL, *why = NULL;
  const char *name;
  guint64 size;

  if (!zip)
    return FALSE;
  name = y10_zip_find_suffix (zip, "data.pkl");
  if (!name || strlen (name) > MAX_NAME)
    return bad (&r, "the zip archive has no data.pkl");
  r.root = root = g_strndup (name, strlen (name) - strlen ("data.pkl"));
  if (!check_archive (&r))
    return FALSE;
  data = read_member (&r, name, MAX_PICKLE, &size);
  if (!data)
    return FALSE;
  pickle = y10_pickle_load (data, size, BUDGET, &why);
  if (!pickle)
    return bad (&r, "its pickle cannot be read: %s", why);
  return read_checkpoint (&r, y10_pickle_get_root (pickle));
}

/* The format of torch.save() before PyTorch 1.6 begins with the pickle of a
 * magic number. */
gboolean
y10_pytorch_legacy_probe (const guint8 *data, gsize size)
{
  static const guint8 magic[] = { 0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc };

  return size >= sizeof magic && !memcmp (data, magic, sizeof magic);
}

gboolean
y10_pytorch_legacy_parse (Y10TensorFile *file, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
      "%s is in the format that PyTorch had before 1.6; convert it in Python: "
      "torch.save(torch.load(\"old.pt\", weights_only=False), \"new.pt\")",
      y10_tensor_file_get_path (file));
  return FALSE;
}
