/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A weights file as a table of named tensors, independent of its format. Names
 * are normalized here, so no other code has to know about prefixes.
 *
 * The file stays open, and a tensor is read on demand. The file is not
 * mapped: if another process truncates a mapped file, reading it raises
 * SIGBUS. Each read compares size and time of the file with those at
 * opening, so an engine never mixes an old and a new file, and the identity
 * matches all data that was read. */

#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular-file.h"
#include "weights/onnx-graph.h"
#include "weights/weights.h"

/* Part 0 and the other files in which an ONNX file may store tensors. */
#define MAX_PARTS 16

typedef struct
{
  char *path;
  int fd;
  struct stat opened; /* fstat() when it was opened */
} Part;

struct _Y10TensorFile
{
  int refs; /* atomic; ThreadSanitizer understands C11 */
  char *path, *identity;
  GArray *parts;       /* of Part; the first is the file at @path */
  GArray *entries;     /* of Y10TensorEntry */
  GHashTable *by_name; /* name → index + 1 */
  GHashTable *meta;
  GHashTable *activations; /* module name → class name */
  const char *format;
  Y10OnnxGraph *onnx;
};

static void
entry_clear (gpointer p)
{
  g_free (((Y10TensorEntry *) p)->name);
}

static void
part_clear (gpointer p)
{
  close (((Part *) p)->fd);
  g_free (((Part *) p)->path);
}

static void
add_part (Y10TensorFile *file, const char *path, int fd, const struct stat *s)
{
  const Part part = { g_strdup (path), fd, *s };
  g_autofree char *before = file->identity;

  g_array_append_val (file->parts, part);
  file->identity = g_strdup_printf ("%s%s%" G_GUINT64_FORMAT
                                    ":%" G_GUINT64_FORMAT ":%" G_GINT64_FORMAT
                                    ":%" G_GINT64_FORMAT ".%09ld",
      before, *before ? "+" : "", (guint64) s->st_dev, (guint64) s->st_ino,
      (gint64) s->st_size, (gint64) s->st_mtim.tv_sec, s->st_mtim.tv_nsec);
}

static const Part *
get_part (const Y10TensorFile *file, guint part)
{
  return &g_array_index (file->parts, Part, part);
}

static Y10TensorFile *
file_new (const char *path, int fd, const struct stat *s)
{
  Y10TensorFile *file = g_new0 (Y10TensorFile, 1);

  file->refs = 1;
  file->path = g_strdup (path);
  file->identity = g_strdup ("");
  file->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (file->parts, part_clear);
  add_part (file, path, fd, s);
  file->entries = g_array_new (FALSE, TRUE, sizeof (Y10TensorEntry));
  g_array_set_clear_func (file->entries, entry_clear);
  file->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  file->meta = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  file->activations = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  return file;
}

Y10TensorFile *
y10_tensor_file_ref (Y10TensorFile *file)
{
  __atomic_add_fetch (&file->refs, 1, __ATOMIC_RELAXED);
  return file;
}

void
y10_tensor_file_unref (Y10TensorFile *file)
{
  if (!file || __atomic_sub_fetch (&file->refs, 1, __ATOMIC_ACQ_REL))
    return;
  g_hash_table_unref (file->by_name);
  g_hash_table_unref (file->meta);
  g_hash_table_unref (file->activations);
  y10_onnx_graph_free (file->onnx);
  g_array_unref (file->entries);
  g_array_unref (file->parts);
  g_free (file->path);
  g_free (file->identity);
  g_free (file);
}

/* The original code saves "model.0…", a whole checkpoint "model.model.0…",
 * and a bare Sequential "0…". Multi-GPU training and torch.compile() add
 * further prefixes. */
static char *
normalise_name (const char *name)
{
  if (g_str_has_prefix (name, "module."))
    name += strlen ("module.");
  if (g_str_has_prefix (name, "_orig_mod."))
    name += strlen ("_orig_mod.");
  if (g_str_has_prefix (name, "model.model."))
    name += strlen ("model.");
  if (g_str_has_prefix (name, "model."))
    return g_strdup (name);
  return g_strconcat ("model.", name, NULL);
}

static Y10Dtype
parse_dtype (const char *dtype, gsize *elem_size)
{
  static const struct
  {
    const char *name;
    Y10Dtype dtype;
    gsize size;
  } known[] = {
    { "F32", Y10_DTYPE_F32, 4 },
    { "F16", Y10_DTYPE_F16, 2 },
    { "BF16", Y10_DTYPE_BF16, 2 },
    { "F64", Y10_DTYPE_F64, 8 },
    { "I64", Y10_DTYPE_OTHER, 8 },
    { "U64", Y10_DTYPE_OTHER, 8 },
    { "I32", Y10_DTYPE_OTHER, 4 },
    { "U32", Y10_DTYPE_OTHER, 4 },
    { "I16", Y10_DTYPE_OTHER, 2 },
    { "U16", Y10_DTYPE_OTHER, 2 },
    { "I8", Y10_DTYPE_I8, 1 },
    { "U8", Y10_DTYPE_U8, 1 },
    { "BOOL", Y10_DTYPE_OTHER, 1 },
    { "F8_E4M3", Y10_DTYPE_OTHER, 1 },
    { "F8_E5M2", Y10_DTYPE_OTHER, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (!strcmp (known[i].name, dtype)) {
      *elem_size = known[i].size;
      return known[i].dtype;
    }
  *elem_size = 0;
  return Y10_DTYPE_OTHER;
}

gboolean
y10_tensor_file_add (Y10TensorFile *file, const char *name, const char *dtype,
    const gsize *dim, const gsize *stride, guint n_dims, guint part,
    guint64 offset, gsize size, GError **error)
{
  Y10TensorEntry entry = {
    NULL,
  };
  gsize elem_size, n = 1;

  entry.dtype = parse_dtype (dtype, &elem_size);
  if (!elem_size) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s: tensor \"%s\" has dtype \"%s\"; expected F64, F32, F16 or BF16",
        file->path, name, dtype);
    return FALSE;
  }
  if (n_dims > Y10_MAX_DIMS) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s: tensor \"%s\" has %u dimensions; expected at most %d", file->path,
        name, n_dims, Y10_MAX_DIMS);
    return FALSE;
  }
  for (guint i = 0; i < n_dims; i++) {
    if (!g_size_checked_mul (&n, n, dim[i])) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
          "%s: the shape of tensor \"%s\" overflows", file->path, name);
      return FALSE;
    }
    entry.dim[i] = dim[i];
  }
  for (guint i = n_dims, step = 0; i-- > 0; step++)
    entry.stride[i] = stride ? stride[i]
        : step               ? entry.stride[i + 1] * dim[i + 1]
                             : 1;
  /* A division, because n × elem_size may overflow. */
  if (n != size / elem_size || size % elem_size) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s: tensor \"%s\" has %" G_GSIZE_FORMAT " bytes; its shape and dtype "
        "%s need %" G_GSIZE_FORMAT " elements of %" G_GSIZE_FORMAT " bytes",
        file->path, name, size, dtype, n, elem_size);
    return FALSE;
  }
  entry.name = normalise_name (name);
  if (g_hash_table_contains (file->by_name, entry.name)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s: tensor \"%s\" occurs twice", file->path, entry.name);
    g_free (entry.name);
    return FALSE;
  }
  entry.dtype_name = g_intern_string (dtype);
  entry.n_dims = n_dims;
  entry.n_elements = n;
  entry.part = part;
  entry.offset = offset;
  entry.size = size;
  g_array_append_val (file->entries, entry);
  g_hash_table_insert (file->by_name, entry.name,
      GUINT_TO_POINTER (file->entries->len));
  return TRUE;
}

void
y10_tensor_file_set_meta (Y10TensorFile *file, const char *key,
    const char *value)
{
  g_hash_table_replace (file->meta, g_strdup (key), g_strdup (value));
}

void
y10_tensor_file_set_activation (Y10TensorFile *file, const char *module,
    const char *activation)
{
  g_hash_table_replace (file->activations, normalise_name (module),
      g_strdup (activation));
}

const char *
y10_tensor_file_get_activation (const Y10TensorFile *file, const char *module)
{
  return g_hash_table_lookup (file->activations, module);
}

gboolean
y10_tensor_file_has_linear_sppf (const Y10TensorFile *file)
{
  return !g_strcmp0 (y10_tensor_file_get_activation (file, "model.9.cv1"),
             "Identity")
      || !g_strcmp0 (y10_tensor_file_get_meta (file, "sppf"), "linear");
}

void
y10_tensor_file_take_onnx (Y10TensorFile *file, Y10OnnxGraph *graph)
{
  file->onnx = graph;
}

const Y10OnnxGraph *
y10_tensor_file_get_onnx (const Y10TensorFile *file)
{
  return file->onnx;
}

const char *
y10_tensor_file_get_format (const Y10TensorFile *file)
{
  return file->format;
}

guint64
y10_tensor_file_get_size (const Y10TensorFile *file)
{
  return y10_tensor_file_get_part_size (file, 0);
}

guint64
y10_tensor_file_get_part_size (const Y10TensorFile *file, guint part)
{
  return get_part (file, part)->opened.st_size;
}

guint
y10_tensor_file_open_part (Y10TensorFile *file, const char *name,
    GError **error)
{
  g_autofree char *folder = g_path_get_dirname (file->path);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *why = NULL;
  struct stat s;
  int fd;

  if (!*name || strchr (name, '/') || !strcmp (name, ".")
      || !strcmp (name, "..")) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s has tensors in \"%s\"; expected the plain name of a file in the "
        "same folder",
        file->path, name);
    return 0;
  }
  for (guint i = 1; i < file->parts->len; i++)
    if (!strcmp (get_part (file, i)->path, path))
      return i;
  if (file->parts->len == MAX_PARTS) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s has tensors in more than %d other files", file->path,
        MAX_PARTS - 1);
    return 0;
  }
  fd = y10_regular_file_open_beside (file->path, name, &s, &why);
  if (fd < 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
        "%s has tensors in %s, which cannot be read: %s", file->path, path,
        why);
    return 0;
  }
  add_part (file, path, fd, &s);
  return file->parts->len - 1;
}

#define HOW_TO_REPLACE \
  "replace a weights file by renaming (mv) a new one over it"

static gboolean
check_unchanged (const Part *file, GError **error)
{
  const struct stat *was = &file->opened;
  struct stat is;

  if (fstat (file->fd, &is)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND, "%s cannot be read: %s",
        file->path, g_strerror (errno));
    return FALSE;
  }
  if (is.st_size < was->st_size) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s is shorter than when it was opened: found %" G_GINT64_FORMAT
        " bytes, expected %" G_GINT64_FORMAT "; " HOW_TO_REPLACE,
        file->path, (gint64) is.st_size, (gint64) was->st_size);
    return FALSE;
  }
  if (is.st_size != was->st_size || is.st_mtim.tv_sec != was->st_mtim.tv_sec
      || is.st_mtim.tv_nsec != was->st_mtim.tv_nsec) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s was written to after it was opened: found %" G_GINT64_FORMAT
        " bytes, expected the same file of %" G_GINT64_FORMAT
        " bytes; " HOW_TO_REPLACE,
        file->path, (gint64) is.st_size, (gint64) was->st_size);
    return FALSE;
  }
  return TRUE;
}

static gboolean
read_part (const Part *file, guint64 offset, gpointer data, gsize size,
    GError **error)
{
  gssize got = y10_regular_file_read (file->fd, offset, data, size);
  int why = errno;

  if (!check_unchanged (file, error))
    return FALSE;
  if (got >= 0 && (gsize) got == size)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
      "%s cannot be read at byte %" G_GUINT64_FORMAT ": %s", file->path, offset,
      got < 0 ? g_strerror (why) : "the file ends there");
  return FALSE;
}

gboolean
y10_tensor_file_read (const Y10TensorFile *file, guint64 offset, gpointer data,
    gsize size, GError **error)
{
  return read_part (get_part (file, 0), offset, data, size, error);
}

static gboolean
is_row_major (const Y10TensorEntry *t)
{
  gsize expected = 1;

  for (guint i = t->n_elements ? t->n_dims : 0; i-- > 0; expected *= t->dim[i])
    if (t->dim[i] > 1 && t->stride[i] != expected)
      return FALSE;
  return TRUE;
}

static guint8 *
reorder (const Y10TensorEntry *t, const guint8 *data)
{
  gsize elem_size = t->size / t->n_elements;
  guint8 *ordered = g_malloc (t->size);

  for (gsize i = 0; i < t->n_elements; i++) {
    gsize rest = i, from = 0;

    for (guint d = t->n_dims; d-- > 0; rest /= t->dim[d])
      from += rest % t->dim[d] * t->stride[d];
    memcpy (ordered + i * elem_size, data + from * elem_size, elem_size);
  }
  return ordered;
}

guint8 *
y10_tensor_file_read_tensor (const Y10TensorFile *file, const Y10TensorEntry *t,
    GError **error)
{
  g_autofree guint8 *data = g_try_malloc (MAX (t->size, 1));

  if (!data) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
        "%s: no memory for the %" G_GSIZE_FORMAT " bytes of tensor \"%s\"",
        file->path, t->size, t->name);
    return NULL;
  }
  if (!read_part (get_part (file, t->part), t->offset, data, t->size, error))
    return NULL;
  return is_row_major (t) ? g_steal_pointer (&data) : reorder (t, data);
}

Y10TensorFile *
y10_tensor_file_open (const char *path, GError **error)
{
  static const struct
  {
    const char *name;
    gboolean (*probe) (const guint8 *, gsize);
    gboolean (*parse) (Y10TensorFile *, GError **);
  } formats[] = {
    { "safetensors", y10_safetensors_probe, y10_safetensors_parse },
    { "PyTorch", y10_pytorch_probe, y10_pytorch_parse },
    { "ONNX", y10_onnx_probe, y10_onnx_parse },
    { "PyTorch before 1.6", y10_pytorch_legacy_probe,
        y10_pytorch_legacy_parse },
  };
  g_autofree char *why = NULL;
  Y10TensorFile *file;
  guint8 start[16];
  struct stat s;
  gsize size;
  int fd;

  fd = y10_regular_file_open (path, &s, &why);
  if (fd < 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND, "%s cannot be read: %s",
        path, why);
    return NULL;
  }
  file = file_new (path, fd, &s);
  size = MIN ((guint64) s.st_size, sizeof start);
  if (!size) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s is empty; expected a weights file", path);
    goto fail;
  }
  if (!y10_tensor_file_read (file, 0, start, size, error))
    goto fail;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (!formats[i].probe (start, size))
      continue;
    file->format = formats[i].name;
    if (formats[i].parse (file, error))
      return file;
    goto fail;
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
      "%s is not a supported weights file; expected safetensors, a "
      "PyTorch checkpoint or ONNX",
      path);

fail:
  y10_tensor_file_unref (file);
  return NULL;
}

const char *
y10_tensor_file_get_path (const Y10TensorFile *file)
{
  return file->path;
}

const char *
y10_tensor_file_get_identity (const Y10TensorFile *file)
{
  return file->identity;
}

const Y10TensorEntry *
y10_tensor_file_find (const Y10TensorFile *file, const char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (file->by_name, name));

  return index ? y10_tensor_file_get (file, index - 1) : NULL;
}

guint
y10_tensor_file_get_n (const Y10TensorFile *file)
{
  return file->entries->len;
}

const Y10TensorEntry *
y10_tensor_file_get (const Y10TensorFile *file, guint index)
{
  return &g_array_index (file->entries, Y10TensorEntry, index);
}

const char *
y10_tensor_file_get_meta (const Y10TensorFile *file, const char *key)
{
  return g_hash_table_lookup (file->meta, key);
}
