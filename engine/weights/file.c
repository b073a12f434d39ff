/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A weights file as a table of named tensors, whatever its format. The file is
 * mapped, never copied: entries point into the mapping. Names are normalised
 * here, in one place, so that nothing after it knows of prefixes. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weights.h"

struct _Y10TensorFile
{
  int refs;                     /* C11 atomics, which ThreadSanitizer sees */
  char *path, *identity;
  GMappedFile *mapping;
  GArray *entries;              /* Y10TensorEntry */
  GHashTable *by_name;          /* name → index + 1 */
  GHashTable *meta;
};

static void
entry_clear (gpointer p)
{
  g_free (((Y10TensorEntry *) p)->name);
}

static Y10TensorFile *
file_new (const char *path, char *identity, GMappedFile * mapping)
{
  Y10TensorFile *file = g_new0 (Y10TensorFile, 1);

  file->refs = 1;
  file->path = g_strdup (path);
  file->identity = identity;
  file->mapping = mapping;
  file->entries = g_array_new (FALSE, TRUE, sizeof (Y10TensorEntry));
  g_array_set_clear_func (file->entries, entry_clear);
  file->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  file->meta = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
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
  g_array_unref (file->entries);
  g_mapped_file_unref (file->mapping);
  g_free (file->path);
  g_free (file->identity);
  g_free (file);
}

/* The original saves "model.0…"; a whole checkpoint gives "model.model.0…", a
 * bare Sequential "0…". */
static char *
normalise_name (const char *name)
{
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
    {"F32", Y10_DTYPE_F32, 4}, {"F16", Y10_DTYPE_F16, 2},
    {"BF16", Y10_DTYPE_BF16, 2}, {"F64", Y10_DTYPE_OTHER, 8},
    {"I64", Y10_DTYPE_OTHER, 8}, {"U64", Y10_DTYPE_OTHER, 8},
    {"I32", Y10_DTYPE_OTHER, 4}, {"U32", Y10_DTYPE_OTHER, 4},
    {"I16", Y10_DTYPE_OTHER, 2}, {"U16", Y10_DTYPE_OTHER, 2},
    {"I8", Y10_DTYPE_OTHER, 1}, {"U8", Y10_DTYPE_OTHER, 1},
    {"BOOL", Y10_DTYPE_OTHER, 1}, {"F8_E4M3", Y10_DTYPE_OTHER, 1},
    {"F8_E5M2", Y10_DTYPE_OTHER, 1},
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
    const gsize *dim, guint n_dims, const guint8 *data, gsize size,
    GError **error)
{
  Y10TensorEntry entry = { NULL, };
  gsize elem_size, n = 1;

  entry.dtype = parse_dtype (dtype, &elem_size);
  if (!elem_size) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s: tensor \"%s\" has dtype \"%s\"; expected F32, F16 or BF16",
        file->path, name, dtype);
    return FALSE;
  }
  if (n_dims > Y10_MAX_DIMS) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s: tensor \"%s\" has %u dimensions; expected at most %d",
        file->path, name, n_dims, Y10_MAX_DIMS);
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
  /* Divided, not multiplied: n × elem_size may overflow. */
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
        "%s: tensor \"%s\" is there twice", file->path, entry.name);
    g_free (entry.name);
    return FALSE;
  }
  entry.dtype_name = g_intern_string (dtype);
  entry.n_dims = n_dims;
  entry.n_elements = n;
  entry.data = data;
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

/* NULL, and errno set, where that cannot be. @identity: what changes with the
 * file's content, of the very file that is mapped. */
static GMappedFile *
map (const char *path, char **identity)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC), why;
  GMappedFile *mapping = NULL;
  GError *error = NULL;
  struct stat s;

  if (fd < 0)
    return NULL;
  if (fstat (fd, &s) == 0)
    mapping = g_mapped_file_new_from_fd (fd, FALSE, &error);
  why = error ? EIO : errno;
  g_clear_error (&error);
  close (fd);
  errno = why;
  if (mapping)
    *identity = g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT
        ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ".%09ld",
        (guint64) s.st_dev, (guint64) s.st_ino, (gint64) s.st_size,
        (gint64) s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
  return mapping;
}

Y10TensorFile *
y10_tensor_file_open (const char *path, GError **error)
{
  static const struct
  {
    gboolean (*probe) (const guint8 *, gsize);
    gboolean (*parse) (Y10TensorFile *, const guint8 *, gsize, GError **);
  } formats[] = {
    {y10_safetensors_probe, y10_safetensors_parse},
  };
  char *identity = NULL;
  GMappedFile *mapping;
  Y10TensorFile *file;
  const guint8 *data;
  gsize size;

  if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
        "%s is a directory; expected a weights file", path);
    return NULL;
  }
  mapping = map (path, &identity);
  if (!mapping) {
    int why = errno;

    g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
        "%s cannot be read: %s", path,
        why == ENOENT ? "no such file" : g_strerror (why));
    return NULL;
  }
  data = (const guint8 *) g_mapped_file_get_contents (mapping);
  size = g_mapped_file_get_length (mapping);
  if (!size) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
        "%s is empty; expected a weights file", path);
    g_mapped_file_unref (mapping);
    g_free (identity);
    return NULL;
  }
  file = file_new (path, identity, mapping);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (!formats[i].probe (data, size))
      continue;
    if (formats[i].parse (file, data, size, error))
      return file;
    y10_tensor_file_unref (file);
    return NULL;
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
      "%s is not a weights file we can read; expected safetensors", path);
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
