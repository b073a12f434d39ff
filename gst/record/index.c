/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A file of gzip, RFC 1952, to which lines are appended. After each flush, whatever is
 * there can be read, so that a crash costs no more than the lines since. */
#include "record/index.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".mp4"
#define INDEX_SUFFIX ".jsonl.gz"

#define LEVEL 6 /* what gzip does by itself */

struct _GstY10RecordIndex
{
  int fd;
  gchar *name;
  GZlibCompressor *compressor;
  gboolean is_dirty; /* has lines that were not flushed */
};

/* Returns: (transfer full): the name of the index beside @recording */
gchar *
gst_y10_record_index_make_name (const gchar *recording)
{
  return g_strdup_printf ("%.*s" INDEX_SUFFIX,
      (int) (strlen (recording) - strlen (SUFFIX)), recording);
}

static void
index_free (GstY10RecordIndex *self)
{
  if (self->fd >= 0)
    close (self->fd);
  g_object_unref (self->compressor);
  g_free (self->name);
  g_free (self);
}

static gboolean
write_all (GstY10RecordIndex *self, const guint8 *data, gsize size,
    GError **error)
{
  while (size > 0) {
    const gssize n = write (self->fd, data, size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      const int saved = n < 0 ? errno : EIO;

      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
          "%s: writing failed: %s", self->name, g_strerror (saved));
      return FALSE;
    }
    data += n;
    size -= n;
  }
  return TRUE;
}

static gboolean
compress (GstY10RecordIndex *self, const gchar *text, gsize length,
    GConverterFlags flags, GError **error)
{
  guint8 out[4096];
  GConverterResult result;
  gsize n_read, n_written;

  do {
    g_autoptr (GError) failed = NULL;

    n_written = 0;
    result = g_converter_convert (G_CONVERTER (self->compressor), text, length,
        out, sizeof out, flags, &n_read, &n_written, &failed);
    if (result == G_CONVERTER_ERROR) {
      /* There is nothing to flush, or it keeps what it was given. */
      if (g_error_matches (failed, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT))
        return TRUE;
      g_propagate_prefixed_error (error, g_steal_pointer (&failed),
          "%s: ", self->name);
      return FALSE;
    }
    text += n_read;
    length -= n_read;
    if (!write_all (self, out, n_written, error))
      return FALSE;
  } while (flags == G_CONVERTER_NO_FLAGS ? length > 0
                                         : result == G_CONVERTER_CONVERTED);
  return TRUE;
}

/**
 * gst_y10_record_index_create:
 * @folder: descriptor of the folder
 * @recording: name of the recording
 * @error: set on failure
 *
 * Returns: (transfer full) (nullable):
 */
GstY10RecordIndex *
gst_y10_record_index_create (int folder, const gchar *recording, GError **error)
{
  GstY10RecordIndex *self = g_new0 (GstY10RecordIndex, 1);

  self->name = gst_y10_record_index_make_name (recording);
  self->compressor = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP,
      LEVEL);
  self->fd = openat (folder, self->name,
      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  if (self->fd < 0) {
    const int saved = errno;

    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
        "%s: creating failed: %s", self->name, g_strerror (saved));
    index_free (self);
    return NULL;
  }
  return self;
}

/* Appends a line, which is without its newline. */
gboolean
gst_y10_record_index_add (GstY10RecordIndex *self, const gchar *line,
    gsize length, GError **error)
{
  self->is_dirty = TRUE;
  return compress (self, line, length, G_CONVERTER_NO_FLAGS, error)
      && compress (self, "\n", 1, G_CONVERTER_NO_FLAGS, error);
}

/* Returns when all lines can be read, and survive power loss. */
gboolean
gst_y10_record_index_flush (GstY10RecordIndex *self, GError **error)
{
  if (!self->is_dirty)
    return TRUE;
  self->is_dirty = FALSE;
  if (!compress (self, "", 0, G_CONVERTER_FLUSH, error))
    return FALSE;
  if (fdatasync (self->fd) == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
      "%s: syncing failed: %s", self->name, g_strerror (errno));
  return FALSE;
}

/**
 * gst_y10_record_index_close:
 * @self: (transfer full): an index
 * @error: set if its last lines may be missing
 */
gboolean
gst_y10_record_index_close (GstY10RecordIndex *self, GError **error)
{
  gboolean ok = compress (self, "", 0, G_CONVERTER_INPUT_AT_END, error);

  if (ok && fdatasync (self->fd) != 0) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "%s: syncing failed: %s", self->name, g_strerror (errno));
    ok = FALSE;
  }
  index_free (self);
  return ok;
}
