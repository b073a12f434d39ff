/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Appends lines to a file that others may append to, too, and that may be a pipe whose
 * reader is slow. Lines stay whole: what was written in part goes on where it stopped, and
 * a line that an earlier process left without an end gets one. */
#include "spool/file.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/writer.h"

/* How much a pipe takes at once without a wait, if it takes anything. */
#define PIPE_PART 4096
#define PATIENCE 100 /* milliseconds */

struct _GstY10LineFile
{
  gchar *path;
  int file;
  gboolean is_regular;
  gboolean flushing;
  GstY10Writer *writer;
  GstY10SpoolStateFunc on_state;
  gpointer user;
};

static void
fail (const gchar *what, const gchar *path, GError **error)
{
  const int code = errno;

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code),
      "cannot %s %s: %s", what, path, g_strerror (code));
}

static GstY10WriteResult
write_lines (gpointer user, const gchar *text, gsize length, gsize *done,
    GError **error)
{
  GstY10LineFile *self = user;
  struct pollfd wait = { .fd = self->file, .events = POLLOUT };
  gssize n;

  if (!self->is_regular) {
    if (poll (&wait, 1, PATIENCE) == 0)
      return GST_Y10_WRITE_BUSY;
    length = MIN (length, PIPE_PART);
  }
  n = write (self->file, text, length);
  if (n > 0)
    *done += (gsize) n;
  if (n > 0 || (n < 0 && errno == EINTR))
    return GST_Y10_WRITE_DONE;
  if (n == 0 || errno == EAGAIN)
    return GST_Y10_WRITE_BUSY;
  fail ("write", self->path, error);
  return GST_Y10_WRITE_FAILED;
}

static void
on_state (const GError *error, gpointer user)
{
  GstY10LineFile *self = user;

  if (self->on_state)
    self->on_state (error, self->user);
}

static const GstY10Store store = { write_lines, NULL, on_state };

/* Ends the line that someone has left without an end. */
static void
end_line (const gchar *path, int file, off_t size)
{
  const int reader = open (path, O_RDONLY | O_CLOEXEC);
  gchar last = '\n';

  if (reader < 0)
    return;
  if (size > 0 && pread (reader, &last, 1, size - 1) == 1 && last != '\n'
      && write (file, "\n", 1) < 0)
    errno = 0; /* the first line will tell */
  close (reader);
}

static int
open_file (const gchar *path, gboolean *is_regular, GError **error)
{
  const gboolean is_stdout = !strcmp (path, "-");
  struct stat status;
  int file = is_stdout
      ? fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
      : open (path,
          O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
          0666);

  if (file < 0 || fstat (file, &status) != 0) {
    fail ("open", is_stdout ? "standard output" : path, error);
    if (file >= 0)
      close (file);
    return -1;
  }
  *is_regular = S_ISREG (status.st_mode);
  if (*is_regular && !is_stdout)
    end_line (path, file, status.st_size);
  return file;
}

/**
 * gst_y10_line_file_open:
 * @path: path of the file, which is made if need be; "-": standard output
 * @on_state: (nullable): is told when writing fails
 * @user: passed to @on_state
 *
 * Returns: (transfer full): the file, or %NULL with an error
 */
GstY10LineFile *
gst_y10_line_file_open (const gchar *path, GstY10SpoolStateFunc func,
    gpointer user, GError **error)
{
  gboolean is_regular;
  const int file = open_file (path, &is_regular, error);
  GstY10LineFile *self;

  if (file < 0)
    return NULL;
  self = g_new0 (GstY10LineFile, 1);
  self->path = g_strdup (strcmp (path, "-") ? path : "standard output");
  self->file = file;
  self->is_regular = is_regular;
  self->on_state = func;
  self->user = user;
  self->writer = gst_y10_writer_new (&store, self, 0, 0);
  return self;
}

/* Writes what is left, and closes the file. */
void
gst_y10_line_file_close (GstY10LineFile *self)
{
  if (!self)
    return;
  gst_y10_writer_free (self->writer);
  close (self->file);
  g_free (self->path);
  g_free (self);
}

gboolean
gst_y10_line_file_put (GstY10LineFile *self, GstY10LineKind kind,
    const gchar *line, gsize length, gboolean may_wait)
{
  return gst_y10_writer_put (self->writer, &self->flushing, kind, line, length,
      may_wait);
}

void
gst_y10_line_file_set_flushing (GstY10LineFile *self, gboolean flushing)
{
  gst_y10_writer_set_flag (self->writer, &self->flushing, flushing);
}

gboolean
gst_y10_line_file_flush (GstY10LineFile *self)
{
  return gst_y10_writer_flush (self->writer, &self->flushing);
}

void
gst_y10_line_file_get_stats (GstY10LineFile *self, GstY10SpoolStats *stats)
{
  *stats = (GstY10SpoolStats){ 0 };
  gst_y10_writer_get_stats (self->writer, stats);
}
