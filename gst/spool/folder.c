/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Keeps other processes out of a folder, and replaces small files so that after power loss
 * there is the old one or the new one, but no half of one. */
#include "spool/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".jsonl"

/* Sets an error from errno: "cannot @what @folder/@name". Returns FALSE. */
gboolean
gst_y10_folder_fail (const gchar *what, const gchar *folder, const gchar *name,
    GError **error)
{
  const int code = errno;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
      "cannot %s %s%s%s: %s", what, folder, name ? "/" : "", name ? name : "",
      g_strerror (code));
  return FALSE;
}

/* Opens a folder, which is made if only its last part is missing. @mode: its permissions
 * then, as those of one that was there before; 0: as the process makes folders. -1: error. */
int
gst_y10_folder_open (const gchar *path, guint mode, GError **error)
{
  const gboolean made = mkdir (path, mode ? mode & 0700 : 0777) == 0;
  int folder;

  if (!made && errno != EEXIST) {
    gst_y10_folder_fail ("make the folder", path, NULL, error);
    return -1;
  }
  folder = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    gst_y10_folder_fail ("open the folder", path, NULL, error);
  } else if (made && mode && fchmod (folder, mode & 07777) != 0) {
    gst_y10_folder_fail ("set the permissions of", path, NULL, error);
    close (folder);
    folder = -1;
  }
  return folder;
}

/* Whether @name leads to @file. In a @folder, a link leads nowhere; without one (AT_FDCWD)
 * @name is a path. */
gboolean
gst_y10_folder_is_at (int folder, const gchar *name, int file)
{
  const int flags = folder == AT_FDCWD ? 0 : AT_SYMLINK_NOFOLLOW;
  struct stat there, here;

  return fstatat (folder, name, &there, flags) == 0 && fstat (file, &here) == 0
      && there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

/* Opens a regular file for reading. Anything else, such as a pipe, could hold whoever reads
 * up, or never end. -1: there is none. */
int
gst_y10_folder_open_file (int folder, const gchar *name)
{
  const int file = openat (folder, name,
      O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;

  if (file < 0 || (fstat (file, &status) == 0 && S_ISREG (status.st_mode)))
    return file;
  close (file);
  return -1;
}

static void
write_owner (int lock)
{
  gchar text[32];
  const int length = g_snprintf (text, sizeof text, "%d\n", (int) getpid ());

  /* Only for people, who may read it in vain. */
  if (ftruncate (lock, 0) != 0 || pwrite (lock, text, (gsize) length, 0) < 0)
    return;
}

static int
fail_locked (int lock, const gchar *path, GError **error)
{
  gchar text[32] = "";
  const gssize n = pread (lock, text, sizeof text - 1, 0);
  const gint64 owner = n > 0 ? g_ascii_strtoll (text, NULL, 10) : 0;

  if (owner > 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
        "%s is in use by process %" G_GINT64_FORMAT
        " (%s/lock); expected a folder that no other process writes to",
        path, owner, path);
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
        "%s is in use by another process (%s/lock); expected a folder that no other "
        "process writes to",
        path, path);
  close (lock);
  return -1;
}

/* Locks a folder until the returned file is closed. -1: error. */
int
gst_y10_folder_lock (int folder, const gchar *path, GError **error)
{
  const int lock = openat (folder, "lock",
      O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW, 0666);

  if (lock < 0) {
    gst_y10_folder_fail ("open", path, "lock", error);
    return -1;
  }
  if (flock (lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return fail_locked (lock, path, error);
    gst_y10_folder_fail ("lock", path, "lock", error);
    close (lock);
    return -1;
  }
  write_owner (lock);
  return lock;
}

/* Reads a small file. FALSE: it is not there, or too large. */
gboolean
gst_y10_folder_read (int folder, const gchar *name, gchar *text, gsize size)
{
  const int file = gst_y10_folder_open_file (folder, name);
  gssize n;

  if (file < 0)
    return FALSE;
  n = pread (file, text, size - 1, 0);
  close (file);
  if (n < 0 || (gsize) n >= size - 1)
    return FALSE;
  text[n] = '\0';
  return TRUE;
}

/* Writes all of @text, or sets errno. */
gboolean
gst_y10_folder_write (int file, const gchar *text, gsize length)
{
  while (length) {
    const gssize n = write (file, text, length);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      errno = n < 0 ? errno : ENOSPC;
      return FALSE;
    }
    text += n;
    length -= (gsize) n;
  }
  return TRUE;
}

/* Writes @text to a small file, in place of what is there. */
gboolean
gst_y10_folder_replace (int folder, const gchar *path, const gchar *name,
    const gchar *text, GError **error)
{
  gchar new_name[64];
  int file;
  gboolean ok;

  g_snprintf (new_name, sizeof new_name, ".%s.new", name);
  unlinkat (folder, new_name, 0);
  file = openat (folder, new_name,
      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0)
    return gst_y10_folder_fail ("write", path, name, error);
  ok = gst_y10_folder_write (file, text, strlen (text)) && fsync (file) == 0;
  if (!ok)
    gst_y10_folder_fail ("write", path, name, error);
  close (file);
  if (ok && renameat (folder, new_name, folder, name) != 0)
    ok = gst_y10_folder_fail ("write", path, name, error);
  if (!ok)
    unlinkat (folder, new_name, 0);
  return ok;
}

/* Makes @name a symbolic link to @to, where the file system has them. */
void
gst_y10_folder_link (int folder, const gchar *name, const gchar *to)
{
  unlinkat (folder, ".link.new", 0);
  if (symlinkat (to, folder, ".link.new") == 0
      && renameat (folder, ".link.new", folder, name) != 0)
    unlinkat (folder, ".link.new", 0);
}

/* The number of a segment, or 0 if @name is none. */
static guint64
parse_name (const gchar *name)
{
  gchar expected[GST_Y10_SEGMENT_NAME_SIZE];
  guint64 number;

  if (!g_ascii_isdigit (name[0]))
    return 0;
  number = g_ascii_strtoull (name, NULL, 10);
  if (number >= G_MAXINT64)
    return 0;
  gst_y10_folder_make_name (number, expected);
  return strcmp (name, expected) ? 0 : number;
}

void
gst_y10_folder_make_name (guint64 number, gchar *name)
{
  g_snprintf (name, GST_Y10_SEGMENT_NAME_SIZE, "%08" G_GUINT64_FORMAT SUFFIX,
      number);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const guint64 first = *(const guint64 *) a, second = *(const guint64 *) b;

  return (first > second) - (first < second);
}

/* Sets @numbers, guint64, to those of the segments, in their order. */
gboolean
gst_y10_folder_list (const gchar *path, GArray *numbers, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, error);
  const gchar *name;

  if (!dir)
    return FALSE;
  g_array_set_size (numbers, 0);
  while ((name = g_dir_read_name (dir))) {
    const guint64 number = parse_name (name);

    if (number)
      g_array_append_val (numbers, number);
  }
  g_array_sort (numbers, compare);
  return TRUE;
}
