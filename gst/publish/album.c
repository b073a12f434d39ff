/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what pictures are called, and when they go. A name has the time, the stream and a
 * number, and is never given twice: a picture is written and synced under a temporary name,
 * and then gets one that is free. So whoever reads a name in a line finds a whole picture,
 * and only the owner can. Of other files in the folder, none goes. */
#include "publish/album.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/folder.h"
#include "spool/utc.h"

#define STREAM_LENGTH 64
#define MAX_TRIES 10000

/* What a process that was killed has left is older. */
#define TEMPORARY "snapshot-"
#define TEMPORARY_AGE (G_TIME_SPAN_HOUR)

/* Looking through the folder costs time, so some may be over the limit for a while. */
#define SWEEP_INTERVAL (60 * G_TIME_SPAN_SECOND)
#define SWEEPS_PER_LIMIT 16

struct _GstY10Album
{
  gchar *path, *stream;
  int folder; /* -1: it could not be made again */
  guint mode; /* its permissions */
  guint64 number;
  gint64 max_age;
  guint64 max_bytes;
  guint64 added;   /* bytes since it was swept */
  gint64 swept_at; /* monotonic */
};

typedef struct
{
  gchar *name;
  guint64 size;
  gint64 written_at; /* since 1970 */
} File;

/* The stream's name as a part of a file's. */
static gchar *
make_safe (const gchar *stream)
{
  gchar *safe = g_strndup (stream, STREAM_LENGTH);

  for (gchar *c = safe; *c; c++)
    if (!g_ascii_isalnum (*c) && *c != '_' && *c != '.')
      *c = '_';
  return safe;
}

/**
 * gst_y10_album_open:
 * @folder: path of the folder, which is made if only its last part is missing
 * @stream: name of the stream
 * @max_age: microseconds after which pictures go; 0: never
 * @max_bytes: the oldest go where all are larger; 0: no limit
 *
 * Returns: (transfer full): the folder, or %NULL with an error
 */
GstY10Album *
gst_y10_album_open (const gchar *folder, const gchar *stream, gint64 max_age,
    guint64 max_bytes, GError **error)
{
  const int file = gst_y10_folder_open (folder, 0, error);
  struct stat status;
  GstY10Album *self;

  if (file < 0)
    return NULL;
  self = g_new0 (GstY10Album, 1);
  self->path = g_strdup (folder);
  self->stream = make_safe (stream);
  self->folder = file;
  self->mode = fstat (file, &status) == 0 ? status.st_mode : 0;
  self->max_age = max_age;
  self->max_bytes = max_bytes;
  if (faccessat (file, ".", W_OK | X_OK, 0) != 0) {
    gst_y10_folder_fail ("write to the folder", folder, NULL, error);
    g_clear_pointer (&self, gst_y10_album_close);
  }
  return self;
}

void
gst_y10_album_close (GstY10Album *self)
{
  if (!self)
    return;
  if (self->folder >= 0)
    close (self->folder);
  g_free (self->path);
  g_free (self->stream);
  g_free (self);
}

/* Whoever deletes pictures may delete the folder, which then is made again. */
static gboolean
find_folder (GstY10Album *self, GError **error)
{
  if (self->folder >= 0
      && gst_y10_folder_is_at (AT_FDCWD, self->path, self->folder))
    return TRUE;
  if (self->folder >= 0)
    close (self->folder);
  self->folder = gst_y10_folder_open (self->path, self->mode, error);
  return self->folder >= 0;
}

/* Whether a name is one of pictures: 20260131T235959.999Z-STREAM-1.jpg. */
static gboolean
is_picture (const gchar *name)
{
  static const gchar pattern[] = "00000000T000000.000Z-";
  const gsize length = strlen (name);

  if (length < sizeof pattern + 4 || !g_str_has_suffix (name, ".jpg")
      || !g_ascii_isdigit (name[length - 5]))
    return FALSE;
  for (gsize i = 0; i + 1 < sizeof pattern; i++)
    if (pattern[i] == '0' ? !g_ascii_isdigit (name[i]) : name[i] != pattern[i])
      return FALSE;
  return TRUE;
}

static void
clear_file (gpointer file)
{
  g_free (((File *) file)->name);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (((const File *) a)->name, ((const File *) b)->name);
}

/* Finds the pictures, the oldest first, and what is left of a killed process. */
static GArray *
find_files (GstY10Album *self, guint64 *bytes)
{
  GArray *files = g_array_new (FALSE, FALSE, sizeof (File));
  g_autoptr (GDir) dir = g_dir_open (self->path, 0, NULL);
  const gint64 now = g_get_real_time ();
  const gchar *name;

  g_array_set_clear_func (files, clear_file);
  while (dir && (name = g_dir_read_name (dir))) {
    const gboolean is_temporary = g_str_has_prefix (name, "." TEMPORARY);
    struct stat status;
    File file;

    if ((!is_temporary && !is_picture (name))
        || fstatat (self->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0
        || !S_ISREG (status.st_mode))
      continue;
    file.size = (guint64) status.st_size;
    file.written_at = (gint64) status.st_mtim.tv_sec * G_USEC_PER_SEC;
    if (is_temporary) {
      if (now - file.written_at > TEMPORARY_AGE)
        unlinkat (self->folder, name, 0);
      continue;
    }
    file.name = g_strdup (name);
    g_array_append_val (files, file);
    *bytes += file.size;
  }
  g_array_sort (files, compare);
  return files;
}

/* Makes room for what may come until it is called again. */
static void
sweep (GstY10Album *self)
{
  const gint64 now = g_get_real_time ();
  guint64 bytes = 0;
  g_autoptr (GArray) files = find_files (self, &bytes);

  for (guint i = 0; i < files->len; i++) {
    const File *file = &g_array_index (files, File, i);

    if ((!self->max_age || now - file->written_at <= self->max_age)
        && (!self->max_bytes
            || bytes <= self->max_bytes - self->max_bytes / SWEEPS_PER_LIMIT))
      break;
    unlinkat (self->folder, file->name, 0);
    bytes -= file->size;
  }
  self->added = 0;
  self->swept_at = g_get_monotonic_time ();
}

/* What is to be done from time to time. */
void
gst_y10_album_tend (GstY10Album *self)
{
  if (!self->max_age && !self->max_bytes)
    return;
  if (!self->swept_at
      || g_get_monotonic_time () - self->swept_at > SWEEP_INTERVAL
      || (self->max_bytes && self->added > self->max_bytes / SWEEPS_PER_LIMIT))
    sweep (self);
}

static gchar *
make_name (GstY10Album *self, gint64 utc)
{
  GString *name = g_string_new (NULL);
  gsize to = 0;

  gst_y10_utc_append (name, utc);
  for (gsize i = 0; i < name->len; i++)
    if (name->str[i] != '-' && name->str[i] != ':')
      name->str[to++] = name->str[i];
  g_string_truncate (name, to);
  g_string_append_printf (name, "-%s-%" G_GUINT64_FORMAT ".jpg", self->stream,
      ++self->number);
  return g_string_free (name, FALSE);
}

/* Gives a file its name, which nobody has. */
static gboolean
rename_file (GstY10Album *self, const gchar *from, const gchar *to)
{
  if (linkat (self->folder, from, self->folder, to, 0) == 0)
    return unlinkat (self->folder, from, 0) == 0;
  if (errno == EEXIST)
    return FALSE;
  /* The file system has no links. */
  if (faccessat (self->folder, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return FALSE;
  }
  return renameat (self->folder, from, self->folder, to) == 0;
}

static gboolean
write_file (GstY10Album *self, const gchar *name, GBytes *picture)
{
  const int file = openat (self->folder, name,
      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  gsize size;
  const gchar *data = g_bytes_get_data (picture, &size);
  gboolean ok;
  int code;

  if (file < 0)
    return FALSE;
  ok = gst_y10_folder_write (file, data, size) && fdatasync (file) == 0;
  code = errno;
  close (file);
  errno = code;
  return ok;
}

/* NULL: errno says why. */
static gchar *
try_to_add (GstY10Album *self, GBytes *picture, gint64 utc)
{
  gchar temporary[32], *name = NULL;
  gboolean ok;
  int code;

  gst_y10_album_tend (self);
  g_snprintf (temporary, sizeof temporary, "." TEMPORARY "%08x.new",
      g_random_int ());
  ok = write_file (self, temporary, picture);
  for (guint i = 0; ok && i < MAX_TRIES; i++) {
    g_free (name);
    name = make_name (self, utc);
    if (rename_file (self, temporary, name)) {
      self->added += g_bytes_get_size (picture);
      return name;
    }
    ok = errno == EEXIST;
  }
  code = errno;
  unlinkat (self->folder, temporary, 0);
  g_free (name);
  errno = code;
  return NULL;
}

/**
 * gst_y10_album_add:
 * @self: a folder
 * @picture: bytes of a JPEG
 * @utc: when it was taken, in microseconds since 1970
 *
 * Returns: (transfer full): the name of the picture's file, or %NULL with an error
 */
gchar *
gst_y10_album_add (GstY10Album *self, GBytes *picture, gint64 utc,
    GError **error)
{
  gchar *name = NULL;

  /* Once more where the folder was deleted meanwhile. */
  for (guint i = 0; !name && i < 2; i++) {
    if (!find_folder (self, error))
      return NULL;
    name = try_to_add (self, picture, utc);
    if (!name && errno != ENOENT)
      break;
  }
  if (!name)
    gst_y10_folder_fail ("write a picture to", self->path, NULL, error);
  return name;
}
