/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Digests of file contents, and the cheaper check whether a file has changed
 * since its digest was computed. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <y10/y10.h>

#include "archive/digest.h"

#define PREFIX "sha256:"
#define N_DIGITS 64
#define BLOCK_SIZE (1 << 20)

static void
set_errno (GError **error, const char *action, const char *path)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "cannot %s '%s': %s", action,
      path, g_strerror (errno));
}

static void
stamp_from_stat (const struct stat *info, ToolFileStamp *stamp)
{
  stamp->size = info->st_size;
  stamp->mtime = info->st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000)
      + info->st_mtim.tv_nsec;
  stamp->device = info->st_dev;
  stamp->inode = info->st_ino;
}

gboolean
tool_file_stamp (const char *path, ToolFileStamp *stamp, GError **error)
{
  struct stat info;

  if (stat (path, &info) != 0) {
    set_errno (error, "read", path);
    return FALSE;
  }
  if (!S_ISREG (info.st_mode)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "'%s' is not a regular file", path);
    return FALSE;
  }
  stamp_from_stat (&info, stamp);
  return TRUE;
}

gboolean
tool_file_check_stamp (const char *path, ToolFileStamp *stamp, GError **error)
{
  ToolFileStamp now;

  if (!tool_file_stamp (path, &now, error))
    return FALSE;
  if (now.size == stamp->size && now.mtime == stamp->mtime) {
    if (!stamp->inode)
      *stamp = now;
    if (now.device == stamp->device && now.inode == stamp->inode)
      return TRUE;
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED,
        "the file has "
        "changed: another one has taken its name");
    return FALSE;
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "the file has changed: it has %" G_GINT64_FORMAT " bytes and was "
      "modified at %" G_GINT64_FORMAT " ns; expected %" G_GINT64_FORMAT
      " bytes and %" G_GINT64_FORMAT " ns",
      now.size, now.mtime, stamp->size, stamp->mtime);
  return FALSE;
}

/* FALSE with errno set. */
static gboolean
read_all (int fd, GChecksum *checksum)
{
  g_autofree guint8 *block = g_malloc (BLOCK_SIZE);
  ssize_t n;

  posix_fadvise (fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  while ((n = read (fd, block, BLOCK_SIZE)) != 0) {
    if (n > 0)
      g_checksum_update (checksum, block, n);
    else if (errno != EINTR)
      break;
  }
  return n == 0;
}

char *
tool_digest_file (const char *path, ToolFileStamp *stamp, GError **error)
{
  g_autoptr (GChecksum) checksum = NULL;
  char *digest = NULL;
  int fd;

  if (!tool_file_stamp (path, stamp, error))
    return NULL;
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    set_errno (error, "read", path);
    return NULL;
  }
  checksum = g_checksum_new (G_CHECKSUM_SHA256);
  if (!read_all (fd, checksum))
    set_errno (error, "read", path);
  else if (tool_file_check_stamp (path, stamp, error))
    digest = g_strconcat (PREFIX, g_checksum_get_string (checksum), NULL);
  close (fd);
  return digest;
}

char *
tool_digest_text (const char *text)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

gboolean
tool_digest_is_valid (const char *digest)
{
  return g_str_has_prefix (digest, PREFIX)
      && strlen (digest) == strlen (PREFIX) + N_DIGITS
      && strspn (digest + strlen (PREFIX), "0123456789abcdef") == N_DIGITS;
}
