/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Writes each refused line with the reason to refused.jsonl, which only its owner can read.
 * A full one becomes refused.old.jsonl in place of the one before, so both together are
 * bounded. */
#include "send/refused.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"
#include "spool/folder.h"

#define NAME "refused.jsonl"
#define OLD_NAME "refused.old.jsonl"
#define MAX_BYTES (8 << 20)

static GMutex lock; /* followers of one spool share the file */

/* -1: errno says why. */
static int
open_file (int folder, gsize length)
{
  for (guint i = 0; i < 2; i++) {
    const int file = openat (folder, NAME,
        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
        0600);
    struct stat status;

    if (file < 0 || fstat (file, &status) != 0)
      return file;
    if (!S_ISREG (status.st_mode)) {
      close (file);
      break;
    }
    if (status.st_size == 0 || (gsize) status.st_size + length <= MAX_BYTES)
      return file;
    close (file);
    if (renameat (folder, NAME, folder, OLD_NAME) != 0)
      return -1;
  }
  errno = EEXIST;
  return -1;
}

static GString *
make_record (const gchar *line, gsize length, const gchar *reason)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree gchar *utc = g_date_time_format_iso8601 (now);
  GString *record = g_string_new ("{\"refused\":");

  gst_y10_text_append_json (record, reason);
  g_string_append_printf (record, ",\"utc\":\"%s\",\"line\":", utc);
  g_string_append_len (record, line, (gssize) length);
  g_string_append (record, "}\n");
  return record;
}

/**
 * gst_y10_refused_add:
 * @folder: path of the spool
 * @line: a line with what names it
 * @length: of @line, in bytes
 * @reason: what the other side says
 * @error: what failed
 *
 * Returns: whether the line is kept
 */
gboolean
gst_y10_refused_add (const gchar *folder, const gchar *line, gsize length,
    const gchar *reason, GError **error)
{
  g_autoptr (GString) record = make_record (line, length, reason);
  const int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean ok;
  int file;
  off_t end;

  g_mutex_lock (&lock);
  file = fd >= 0 ? open_file (fd, record->len) : -1;
  end = file >= 0 ? lseek (file, 0, SEEK_END) : -1;
  ok = end >= 0 && gst_y10_folder_write (file, record->str, record->len)
      && fdatasync (file) == 0;
  if (!ok)
    gst_y10_folder_fail ("keep a refused line in", folder, NAME, error);
  /* The next line must not continue half of this one. */
  if (!ok && end >= 0 && ftruncate (file, end) != 0)
    errno = 0;
  g_mutex_unlock (&lock);
  if (file >= 0)
    close (file);
  if (fd >= 0)
    close (fd);
  return ok;
}
