/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Opens files whose paths come from users. Only regular files are accepted:
 * opening a FIFO blocks until another process writes to it, /dev/zero never
 * ends, and opening some devices has side effects. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/regular-file.h"

static const char *
describe (mode_t mode)
{
  return S_ISREG (mode) ? NULL
      : S_ISDIR (mode)  ? "a directory"
      : S_ISFIFO (mode) ? "a FIFO"
      : S_ISCHR (mode)  ? "a character device"
      : S_ISBLK (mode)  ? "a block device"
      : S_ISSOCK (mode) ? "a socket"
                        : "not a regular file";
}

static gboolean
is_regular (const struct stat *s, char **why)
{
  const char *kind = describe (s->st_mode);

  if (kind)
    *why = g_strdup_printf ("it is %s; expected a regular file", kind);
  return kind == NULL;
}

static char *
explain (int e)
{
  return g_strdup (e == ENOENT ? "no such file" : g_strerror (e));
}

int
y10_regular_file_open (const char *path, struct stat *s, char **why)
{
  int fd;

  *why = NULL;
  if (stat (path, s)) {
    *why = explain (errno);
    return -1;
  }
  if (!is_regular (s, why))
    return -1;
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) {
    *why = explain (errno);
    return -1;
  }
  /* The file may have been replaced between stat() and open(). */
  if (fstat (fd, s))
    *why = explain (errno);
  else if (is_regular (s, why))
    return fd;
  close (fd);
  return -1;
}

int
y10_regular_file_open_beside (const char *path, const char *name,
    struct stat *s, char **why)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *full = g_build_filename (folder, name, NULL);
  int fd;

  *why = NULL;
  if (lstat (full, s)) {
    *why = explain (errno);
    return -1;
  }
  if (S_ISLNK (s->st_mode)) {
    *why = g_strdup ("it is a symbolic link; expected a regular file");
    return -1;
  }
  if (!is_regular (s, why))
    return -1;
  fd = open (full, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) {
    *why = explain (errno);
    return -1;
  }
  if (fstat (fd, s))
    *why = explain (errno);
  else if (is_regular (s, why))
    return fd;
  close (fd);
  return -1;
}

gssize
y10_regular_file_read (int fd, guint64 offset, gpointer data, gsize size)
{
  gsize got = 0;

  while (got < size) {
    gssize n = pread (fd, (guint8 *) data + got, size - got, offset + got);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    if (n == 0)
      break;
    got += n;
  }
  return got;
}
