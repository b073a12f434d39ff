/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Names are NUMBER_TIME.mp4, and NUMBER_TIME_clip.mp4 of a clip. The number alone gives the
 * order, so that a clock that is set back neither reorders recordings nor lets one replace
 * another. What is not named so is never deleted. */
#include "record/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/index.h"
#include "spool/folder.h"

#define MAX_DIGITS 18 /* of a number, so that there is a next one */

/* What is behind the time in a name. */
static const char *const suffixes[] = { ".mp4", "_clip.mp4" };

struct _GstY10RecordFolder
{
  gchar *path;
  int fd;
  guint64 number; /* of the last name */
};

typedef struct
{
  guint64 number;
  GstY10RecordKind kind;
  guint64 size; /* bytes, with its index */
  gint64 time;  /* of the last write, seconds since 1970 */
  gchar *name;
} Recording;

static void
clear_recording (gpointer data)
{
  g_free (((Recording *) data)->name);
}

/* Whether a file is a recording; which one, if so. */
static gboolean
parse_name (const gchar *name, Recording *recording)
{
  static const char pattern[] = "_0000-00-00T00-00-00Z";
  gchar *end;

  if (!g_ascii_isdigit (*name))
    return FALSE;
  recording->number = g_ascii_strtoull (name, &end, 10);
  if (end - name > MAX_DIGITS)
    return FALSE;
  for (const char *c = pattern; *c; c++, end++)
    if (*c == '0' ? !g_ascii_isdigit (*end) : *end != *c)
      return FALSE;
  for (guint kind = 0; kind < GST_Y10_RECORD_N_KINDS; kind++)
    if (!strcmp (end, suffixes[kind])) {
      recording->kind = kind;
      return recording->number > 0;
    }
  return FALSE;
}

static guint64
get_size (const GstY10RecordFolder *folder, const gchar *name,
    struct stat *status)
{
  return fstatat (folder->fd, name, status, AT_SYMLINK_NOFOLLOW) == 0
          && S_ISREG (status->st_mode)
      ? (guint64) status->st_blocks * 512
      : 0;
}

/* By kind, since clips are kept longer. */
static gint
compare (gconstpointer a, gconstpointer b)
{
  const Recording *first = a, *second = b;

  if (first->kind != second->kind)
    return first->kind < second->kind ? -1 : 1;
  return (first->number > second->number) - (first->number < second->number);
}

/* The recordings, the oldest of each kind first. */
static GArray *
list (const GstY10RecordFolder *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder->path, 0, error);
  GArray *found;
  const gchar *name;

  if (!dir)
    return NULL;
  found = g_array_new (FALSE, FALSE, sizeof (Recording));
  g_array_set_clear_func (found, clear_recording);
  while ((name = g_dir_read_name (dir))) {
    Recording recording = { 0 };
    struct stat status, beside;
    g_autofree gchar *index = NULL;

    if (!parse_name (name, &recording)
        || fstatat (folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0
        || !S_ISREG (status.st_mode))
      continue;
    index = gst_y10_record_index_make_name (name);
    recording.size = get_size (folder, name, &status)
        + get_size (folder, index, &beside);
    recording.time = status.st_mtime;
    recording.name = g_strdup (name);
    g_array_append_val (found, recording);
  }
  g_array_sort (found, compare);
  return found;
}

/* Opens what is at the path now. Returns a descriptor, or -1. */
static int
open_folder (GstY10RecordFolder *folder, GError **error)
{
  int fd = open (folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0 || faccessat (fd, ".", W_OK, 0) != 0) {
    const int saved = errno;

    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
        "location: %s: %s; expected a folder that can be written", folder->path,
        g_strerror (saved));
  } else if (flock (fd, LOCK_EX | LOCK_NB) != 0) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_ACCES,
        "location: %s is in use by another yolov10record, expected a folder of its "
        "own for each",
        folder->path);
  } else {
    return fd;
  }
  if (fd >= 0)
    close (fd);
  return -1;
}

/* Goes on with a folder, behind the numbers that are there. */
static gboolean
use (GstY10RecordFolder *folder, int fd, GError **error)
{
  g_autoptr (GArray) found = NULL;

  if (fd < 0)
    return FALSE;
  if (folder->fd >= 0)
    close (folder->fd);
  folder->fd = fd;
  found = list (folder, error);
  for (guint i = 0; found && i < found->len; i++)
    folder->number = MAX (folder->number,
        g_array_index (found, Recording, i).number);
  return found != NULL;
}

/**
 * gst_y10_record_folder_open:
 * @path: of the folder, which is made if it is missing
 * @error: set if it cannot be written
 *
 * Returns: (transfer full) (nullable):
 */
GstY10RecordFolder *
gst_y10_record_folder_open (const gchar *path, GError **error)
{
  GstY10RecordFolder *folder = g_new0 (GstY10RecordFolder, 1);

  folder->path = g_strdup (path);
  folder->fd = -1;
  g_mkdir_with_parents (path, 0750);
  if (use (folder, open_folder (folder, error), error))
    return folder;
  gst_y10_record_folder_close (folder);
  return NULL;
}

/**
 * gst_y10_record_folder_find:
 * @folder: a folder
 * @error: set if there is none, or one that cannot be used
 *
 * Looks whether the folder is still where its path leads, and if not, goes on with what is
 * there. Only the last part of the path is made again: what is above it may be a disk that
 * is not mounted.
 *
 * Returns: whether it is another folder now
 */
gboolean
gst_y10_record_folder_find (GstY10RecordFolder *folder, GError **error)
{
  if (gst_y10_folder_is_at (AT_FDCWD, folder->path, folder->fd))
    return FALSE;
  mkdir (folder->path, 0750);
  return use (folder, open_folder (folder, error), error);
}

void
gst_y10_record_folder_close (GstY10RecordFolder *folder)
{
  if (folder->fd >= 0)
    close (folder->fd);
  g_free (folder->path);
  g_free (folder);
}

gchar *
gst_y10_record_folder_make_path (const GstY10RecordFolder *folder,
    const gchar *name)
{
  return g_build_filename (folder->path, name, NULL);
}

int
gst_y10_record_folder_get_fd (const GstY10RecordFolder *folder)
{
  return folder->fd;
}

/* The name of the next recording, whose first frame was taken at @utc, in microseconds since
 * 1970. */
gchar *
gst_y10_record_folder_make_name (GstY10RecordFolder *folder,
    GstY10RecordKind kind, gint64 utc)
{
  g_autoptr (GDateTime)
      time = g_date_time_new_from_unix_utc (utc / G_USEC_PER_SEC);
  g_autofree gchar *text = g_date_time_format (time, "%Y-%m-%dT%H-%M-%SZ");

  return g_strdup_printf ("%08" G_GUINT64_FORMAT "_%s%s", ++folder->number,
      text, suffixes[kind]);
}

/* The index first: without its recording it would never be found again. */
static gboolean delete (const GstY10RecordFolder *folder, const gchar *name,
    GError **error)
{
  g_autofree gchar *index = gst_y10_record_index_make_name (name);
  int saved;

  if ((unlinkat (folder->fd, index, 0) == 0 || errno == ENOENT)
      && (unlinkat (folder->fd, name, 0) == 0 || errno == ENOENT))
    return TRUE;
  saved = errno;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
      "%s/%s: deleting failed: %s", folder->path, name, g_strerror (saved));
  return FALSE;
}

/**
 * gst_y10_record_folder_delete_old:
 * @folder: a folder
 * @current: (array zero-terminated=1): recordings that stay
 * @limits: of those that are left
 * @error: set if one cannot be deleted
 *
 * Deletes the oldest recordings until those that are left are within @max_bytes, and clips
 * only where nothing else is left. Of those beyond their age, deletes one of each kind: a
 * clock that is wrong for a while costs no more.
 */
gboolean
gst_y10_record_folder_delete_old (GstY10RecordFolder *folder,
    const gchar *const *current, const GstY10RecordLimits *limits,
    GError **error)
{
  const gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  gboolean aged[GST_Y10_RECORD_N_KINDS] = { FALSE };
  g_autoptr (GArray) found = list (folder, error);
  guint64 n_bytes = 0;
  gboolean ok = TRUE;

  if (!found)
    return FALSE;
  for (guint i = 0; i < found->len; i++)
    n_bytes += g_array_index (found, Recording, i).size;
  for (guint i = 0; i < found->len; i++) {
    const Recording *recording = &g_array_index (found, Recording, i);
    const GstClockTime max_age = limits->max_age[recording->kind];
    const gboolean is_old = max_age > 0 && !aged[recording->kind]
        && now - recording->time > (gint64) (max_age / GST_SECOND);

    if (g_strv_contains (current, recording->name)
        || (!is_old
            && (limits->max_bytes == 0 || n_bytes <= limits->max_bytes)))
      continue;
    if (!delete (folder, recording->name, ok ? error : NULL)) {
      ok = FALSE;
      continue;
    }
    aged[recording->kind] = aged[recording->kind] || is_old;
    n_bytes -= recording->size;
  }
  return ok;
}
