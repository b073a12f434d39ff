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

#include <string.h>

#include "base/json.h"
#include "weights/pickle.h"
#include "weights/pytorch-modules.h"
#include "weights/weights.h"
#include "weights/zip.h"

/* A checkpoint of yolov10x with its optimizer has a pickle of 2 MB, whose
 * values take 10 MB. */
#define MAX_PICKLE (16u << 20)
#define BUDGET (32u << 20)
#define MAX_NAMES (1u << 20)

typedef Y10PickleValue Value;

gboolean
y10_pytorch_probe (const guint8 *data, gsize size)
{
  return size >= 4 && !memcmp (data, "PK\3\4", 4);
}

/* "640", or "[480, 640]" for height and width. */
static void
read_size (Y10TorchReader *r, const Value *args)
{
  const Value *size = y10_torch_lookup (r,
      y10_torch_get_state (args) ? y10_torch_get_state (args) : args, "imgsz");
  g_autofree char *text = NULL;
  gint64 width, height;

  if (y10_torch_get_int (size, &width))
    text = g_strdup_printf ("%" G_GINT64_FORMAT, width);
  else if (y10_torch_get_int (y10_pickle_item (size, 0), &height)
      && y10_torch_get_int (y10_pickle_item (size, 1), &width))
    text = g_strdup_printf ("[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]",
        height, width);
  if (text)
    y10_tensor_file_set_meta (r->file, "imgsz", text);
}

/* Appends a number or a string as JSON; FALSE if @value is neither. */
static gboolean
append_value (GString *json, const Value *value)
{
  g_autofree char *text = NULL;
  gint64 number;

  if (y10_torch_get_int (value, &number)) {
    g_string_append_printf (json, "\"%" G_GINT64_FORMAT "\"", number);
    return TRUE;
  }
  if (value->kind != Y10_PICKLE_STRING || json->len + value->length > MAX_NAMES)
    return FALSE;
  text = g_strndup (value->text, value->length);
  y10_json_append_string (json, text);
  return TRUE;
}

/* @key: of a dictionary, or NULL: the name is number @at of a list. */
static void
append_name (GString *json, const Value *key, guint at, const Value *name)
{
  const gsize before = json->len;

  g_string_append (json, before > 1 ? ", " : "");
  if (!key)
    g_string_append_printf (json, "\"%u\"", at);
  else if (!append_value (json, key))
    goto undo;
  g_string_append (json, ": ");
  if (append_value (json, name))
    return;

undo:
  g_string_truncate (json, before);
}

/* Class names, a list or a dictionary by id, which y10_labels_parse() judges. */
static void
read_names (Y10TorchReader *r, const Value *names)
{
  g_autoptr (GString) json = g_string_new ("{");
  const Y10PickleKind kind = names ? names->kind : Y10_PICKLE_NONE;

  if (kind == Y10_PICKLE_TUPLE || kind == Y10_PICKLE_LIST)
    for (guint i = 0; i < names->n; i++)
      append_name (json, NULL, i, names->items[i]);
  /* A subclass, such as OrderedDict, is the result of a call. */
  else if (kind == Y10_PICKLE_DICT || kind == Y10_PICKLE_CALL)
    for (guint i = 0; i + 1 < names->n; i += 2)
      append_name (json, names->items[i], 0, names->items[i + 1]);
  else
    return;
  g_string_append_c (json, '}');
  y10_tensor_file_set_meta (r->file, "names", json->str);
}

/* Unwraps the modules that multi-GPU training adds, which have one child. */
static const Value *
unwrap (Y10TorchReader *r, const Value *module)
{
  for (guint i = 0; i < Y10_TORCH_MAX_DEPTH; i++) {
    const Value *inner = y10_torch_lookup (r,
        y10_torch_lookup (r, y10_torch_get_state (module), "_modules"),
        "module");

    if (!y10_torch_is_module (r, inner))
      break;
    module = inner;
  }
  return module;
}

static gboolean
has_tensors (const Value *dict)
{
  if (!dict || !y10_torch_holds_pairs (dict))
    return FALSE;
  for (guint i = 0; i + 1 < dict->n; i += 2)
    if (y10_torch_tensor_args (dict->items[i + 1]))
      return TRUE;
  return FALSE;
}

/* Prefers "ema", as Ultralytics' evaluation does. */
static const Value *
find_weights (Y10TorchReader *r, const Value *root)
{
  static const char *const keys[] = { "ema", "model", "state_dict" };

  if (y10_torch_is_module (r, root))
    return unwrap (r, root);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const Value *value = y10_torch_lookup (r, root, keys[i]);

    if (y10_torch_is_module (r, value))
      return unwrap (r, value);
    if (has_tensors (value))
      return value;
  }
  return has_tensors (root) ? root : NULL;
}

/* The only value of @root that has weights, whatever its key is; *@n: how many have. */
static const Value *
find_only_weights (Y10TorchReader *r, const Value *root, guint *n)
{
  const Value *found = NULL;

  *n = 0;
  if (!root || !y10_torch_holds_pairs (root) || !y10_torch_work (r, root->n))
    return NULL;
  for (guint i = 0; i + 1 < root->n; i += 2) {
    const Value *value = root->items[i + 1];

    if (y10_torch_is_module (r, value) || has_tensors (value)) {
      found = y10_torch_is_module (r, value) ? unwrap (r, value) : value;
      ++*n;
    }
  }
  return *n == 1 ? found : NULL;
}

static gboolean
read_checkpoint (Y10TorchReader *r, const Value *root)
{
  const Value *weights = find_weights (r, root), *inner;
  guint n = 0;

  if (!weights)
    weights = find_only_weights (r, root, &n);
  if (!weights)
    return n ? y10_torch_bad (r,
               "%u of its entries have tensors; expected them in one, or under "
               "\"ema\", \"model\" or \"state_dict\"",
               n)
             : y10_torch_bad (r,
                 "it has no module and no tensors at the top or in one of its "
                 "entries");
  read_size (r, y10_torch_lookup (r, root, "train_args"));
  if (!y10_torch_is_module (r, weights))
    return y10_torch_add_tensors (r, weights);
  /* Ultralytics' YOLO is a module around the network. */
  inner = y10_torch_lookup (r,
      y10_torch_lookup (r, y10_torch_get_state (weights), "_modules"), "model");
  for (guint i = 0; i < 2; i++) {
    const Value *state = y10_torch_get_state (i ? weights : inner);

    read_size (r, y10_torch_lookup (r, state, "args"));
    read_names (r, y10_torch_lookup (r, state, "names"));
  }
  return y10_torch_add_module (r, weights);
}

static guint8 *
read_member (Y10TorchReader *r, const char *name, gsize max, guint64 *size)
{
  g_autofree guint8 *data = NULL;
  guint64 offset;

  if (!y10_zip_locate (r->zip, name, &offset, size, r->error))
    return NULL;
  if (*size > max) {
    y10_torch_bad (r,
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
check_archive (Y10TorchReader *r)
{
  g_autofree char *constants = g_strconcat (r->root, "constants.pkl", NULL);
  g_autofree char *order = g_strconcat (r->root, "byteorder", NULL);
  g_autofree guint8 *text = NULL;
  guint64 size;

  if (y10_zip_has (r->zip, constants))
    return y10_torch_bad (r,
        "it is a TorchScript archive; expected a checkpoint, as "
        "torch.save() writes it");
  if (!y10_zip_has (r->zip, order))
    return TRUE;
  text = read_member (r, order, 16, &size);
  if (!text)
    return FALSE;
  if (size != 6 || memcmp (text, "little", 6))
    return y10_torch_bad (r, "its tensors are not little-endian");
  return TRUE;
}

gboolean
y10_pytorch_parse (Y10TensorFile *file, GError **error)
{
  g_autoptr (Y10Zip) zip = y10_zip_open (file, error);
  g_autoptr (GString) path = g_string_new (NULL);
  Y10TorchReader r = { .file = file, .zip = zip, .path = path, .error = error };
  g_autoptr (Y10Pickle) pickle = NULL;
  g_autofree guint8 *data = NULL;
  g_autofree char *root = NULL, *why = NULL;
  const char *name;
  guint64 size;

  if (!zip)
    return FALSE;
  name = y10_zip_find_suffix (zip, "data.pkl");
  if (!name || strlen (name) > Y10_TORCH_MAX_NAME)
    return y10_torch_bad (&r, "the zip archive has no data.pkl");
  r.root = root = g_strndup (name, strlen (name) - strlen ("data.pkl"));
  if (!check_archive (&r))
    return FALSE;
  data = read_member (&r, name, MAX_PICKLE, &size);
  if (!data)
    return FALSE;
  pickle = y10_pickle_load (data, size, BUDGET, &why);
  if (!pickle)
    return y10_torch_bad (&r, "its pickle cannot be read: %s", why);
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
