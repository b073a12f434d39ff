/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes safetensors, or digests what it would write. Copies tensor by tensor, so
 * that only one is in memory at a time. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "weights/weights.h"

/* Python libraries that read the file require this key. */
#define FRAMEWORK "pt"

static void
new_tensor_clear (gpointer p)
{
  g_free (((Y10NewTensor *) p)->name);
  g_free (((Y10NewTensor *) p)->data);
}

void
y10_tensor_changes_init (Y10TensorChanges *changes)
{
  changes->drop = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  changes->add = g_array_new (FALSE, TRUE, sizeof (Y10NewTensor));
  g_array_set_clear_func (changes->add, new_tensor_clear);
}

void
y10_tensor_changes_clear (Y10TensorChanges *changes)
{
  g_hash_table_unref (changes->drop);
  g_array_unref (changes->add);
}

static gboolean
is_saved (const Y10TensorEntry *t, const Y10TensorChanges *changes)
{
  return t->dtype != Y10_DTYPE_OTHER
      && !(changes && g_hash_table_contains (changes->drop, t->name));
}

static void
append_meta (GString *json, const char *key, const char *value)
{
  g_string_append_printf (json, ",\"%s\":", key);
  y10_json_append_string (json, value);
}

static char *
list_names (const char *const *names)
{
  GString *json = g_string_new ("[");

  for (guint i = 0; names[i]; i++) {
    if (i)
      g_string_append (json, ", ");
    y10_json_append_string (json, names[i]);
  }
  g_string_append_c (json, ']');
  return g_string_free (json, FALSE);
}

static void
append_tensor (GString *json, const char *name, const char *dtype,
    const gsize *dim, guint n_dims, gsize bytes, guint64 *offset)
{
  g_string_append_c (json, ',');
  y10_json_append_string (json, name);
  g_string_append_printf (json, ":{\"dtype\":\"%s\",\"shape\":[", dtype);
  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (json, "%s%" G_GSIZE_FORMAT, i ? "," : "", dim[i]);
  g_string_append_printf (json,
      "],\"data_offsets\":[%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "]}",
      *offset, *offset + bytes);
  *offset += bytes;
}

static GString *
make_header (const Y10TensorFile *file, const Y10TensorChanges *changes,
    const char *const *names, guint width, guint height, const char *head)
{
  GString *json = g_string_new (
      "{\"__metadata__\":{\"format\":\"" FRAMEWORK "\"");
  g_autofree char *list = list_names (names);
  g_autofree char *size = g_strdup_printf ("[%u, %u]", height, width);
  guint64 offset = 0;

  append_meta (json, "names", list);
  append_meta (json, "imgsz", size);
  append_meta (json, "head", head);
  if (y10_tensor_file_has_linear_sppf (file))
    append_meta (json, "sppf", "linear");
  g_string_append_c (json, '}');
  for (guint i = 0; i < y10_tensor_file_get_n (file); i++)
    if (is_saved (y10_tensor_file_get (file, i), changes)) {
      const Y10TensorEntry *t = y10_tensor_file_get (file, i);

      append_tensor (json, t->name, t->dtype_name, t->dim, t->n_dims, t->size,
          &offset);
    }
  for (guint i = 0; changes && i < changes->add->len; i++) {
    const Y10NewTensor *t = &g_array_index (changes->add, Y10NewTensor, i);

    append_tensor (json, t->name, t->dtype, t->dim, t->n_dims, t->size,
        &offset);
  }
  g_string_append_c (json, '}');
  while (json->len % 8) /* aligns the data */
    g_string_append_c (json, ' ');
  return json;
}

/* Takes the next bytes of the file; FALSE with errno set. */
typedef gboolean (*PutFunc) (gpointer to, gconstpointer data, gsize size);

static gboolean
put_file (gpointer to, gconstpointer data, gsize size)
{
  return fwrite (data, 1, size, to) == size;
}

static gboolean
put_checksum (gpointer to, gconstpointer data, gsize size)
{
  g_checksum_update (to, data, (gssize) size);
  return TRUE;
}

static gboolean
fail_to_write (const char *path, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s cannot be written: %s",
      path, g_strerror (errno));
  return FALSE;
}

static gboolean
put_all (const Y10TensorFile *file, const Y10TensorChanges *changes,
    const GString *header, PutFunc put, gpointer to, const char *path,
    GError **error)
{
  guint64 length = GUINT64_TO_LE (header->len);

  if (!put (to, &length, sizeof length) || !put (to, header->str, header->len))
    return fail_to_write (path, error);
  for (guint i = 0; i < y10_tensor_file_get_n (file); i++) {
    const Y10TensorEntry *t = y10_tensor_file_get (file, i);
    g_autofree guint8 *data = NULL;

    if (!is_saved (t, changes))
      continue;
    data = y10_tensor_file_read_tensor (file, t, error);
    if (!data)
      return FALSE;
    if (!put (to, data, t->size))
      return fail_to_write (path, error);
  }
  for (guint i = 0; changes && i < changes->add->len; i++) {
    const Y10NewTensor *t = &g_array_index (changes->add, Y10NewTensor, i);

    if (!put (to, t->data, t->size))
      return fail_to_write (path, error);
  }
  return TRUE;
}

gboolean
y10_safetensors_save (const Y10TensorFile *file,
    const Y10TensorChanges *changes, const char *path, const char *const *names,
    guint width, guint height, const char *head, GError **error)
{
  g_autofree char *beside = g_strconcat (path, ".XXXXXX", NULL);
  g_autoptr (GString)
      header = make_header (file, changes, names, width, height, head);
  int fd = g_mkstemp_full (beside, O_WRONLY | O_CLOEXEC, 0666);
  FILE *out = fd < 0 ? NULL : fdopen (fd, "wb");
  gboolean ok;

  if (!out)
    return fail_to_write (path, error);
  ok = put_all (file, changes, header, put_file, out, path, error);
  if (ok && (fflush (out) || fsync (fileno (out))))
    ok = fail_to_write (path, error);
  if (fclose (out) && ok)
    ok = fail_to_write (path, error);
  if (ok && g_rename (beside, path)) {
    ok = FALSE;
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s cannot be replaced: %s", path, g_strerror (errno));
  }
  if (!ok)
    g_unlink (beside);
  return ok;
}

char *
y10_safetensors_digest (const Y10TensorFile *file, const char *const *names,
    guint width, guint height, const char *head, GError **error)
{
  g_autoptr (GString)
      header = make_header (file, NULL, names, width, height, head);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  if (!put_all (file, NULL, header, put_checksum, checksum, NULL, error))
    return NULL;
  return g_strdup (g_checksum_get_string (checksum));
}
