/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes safetensors. Copies tensor by tensor, so that only one is in memory
 * at a time. */

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

static gboolean
is_saved (const Y10TensorEntry *t)
{
  return t->dtype != Y10_DTYPE_OTHER;
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
append_tensor (GString *json, const Y10TensorEntry *t, guint64 *offset)
{
  g_string_append_c (json, ',');
  y10_json_append_string (json, t->name);
  g_string_append_printf (json, ":{\"dtype\":\"%s\",\"shape\":[",
      t->dtype_name);
  for (guint i = 0; i < t->n_dims; i++)
    g_string_append_printf (json, "%s%" G_GSIZE_FORMAT, i ? "," : "",
        t->dim[i]);
  g_string_append_printf (json, "],\"data_offsets\":[%" G_GUINT64_FORMAT ",%"
      G_GUINT64_FORMAT "]}", *offset, *offset + t->size);
  *offset += t->size;
}

static GString *
make_header (const Y10TensorFile *file, const char *const *names,
    guint width, guint height, const char *head)
{
  GString *json = g_string_new ("{\"__metadata__\":{\"format\":\"" FRAMEWORK
      "\"");
  g_autofree char *list = list_names (names);
  g_autofree char *size = g_strdup_printf ("[%u, %u]", height, width);
  guint64 offset = 0;

  append_meta (json, "names", list);
  append_meta (json, "imgsz", size);
  append_meta (json, "head", head);
  g_string_append_c (json, '}');
  for (guint i = 0; i < y10_tensor_file_get_n (file); i++)
    if (is_saved (y10_tensor_file_get (file, i)))
      append_tensor (json, y10_tensor_file_get (file, i), &offset);
  g_string_append_c (json, '}');
  while (json->len % 8)         /* aligns the data */
    g_string_append_c (json, ' ');
  return json;
}

static gboolean
put (FILE *out, gconstpointer data, gsize size, const char *path,
    GError **error)
{
  if (fwrite (data, 1, size, out) == size)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s cannot be written: %s",
      path, g_strerror (errno));
  return FALSE;
}

static gboolean
put_all (const Y10TensorFile *file, FILE *out, const GString *header,
    const char *path, GError **error)
{
  guint64 length = GUINT64_TO_LE (header->len);

  if (!put (out, &length, sizeof length, path, error)
      || !put (out, header->str, header->len, path, error))
    return FALSE;
  for (guint i = 0; i < y10_tensor_file_get_n (file); i++) {
    const Y10TensorEntry *t = y10_tensor_file_get (file, i);
    g_autofree guint8 *data = NULL;

    if (!is_saved (t))
      continue;
    data = y10_tensor_file_read_tensor (file, t, error);
    if (!data || !put (out, data, t->size, path, error))
      return FALSE;
  }
  if (!fflush (out) && !fsync (fileno (out)))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s cannot be written: %s",
      path, g_strerror (errno));
  return FALSE;
}

gboolean
y10_safetensors_save (const Y10TensorFile *file, const char *path,
    const char *const *names, guint width, guint height, const char *head,
    GError **error)
{
  g_autofree char *beside = g_strconcat (path, ".XXXXXX", NULL);
  g_autoptr (GString) header = make_header (file, names, width, height, head);
  int fd = g_mkstemp_full (beside, O_WRONLY | O_CLOEXEC, 0666);
  FILE *out = fd < 0 ? NULL : fdopen (fd, "wb");
  gboolean ok;

  if (!out) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s cannot be written: %s", path, g_strerror (errno));
    return FALSE;
  }
  ok = put_all (file, out, header, path, error);
  if (fclose (out) && ok) {
    ok = FALSE;
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s cannot be written: %s", path, g_strerror (errno));
  }
  if (ok && g_rename (beside, path)) {
    ok = FALSE;
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%s cannot be replaced: %s", path, g_strerror (errno));
  }
  if (!ok)
    g_unlink (beside);
  return ok;
}
