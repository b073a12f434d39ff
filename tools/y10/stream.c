/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Inputs that cannot seek: pipes, as standard input or by name. The first bytes
 * tell pictures from videos. A picture is read completely into memory that has a
 * path, so that it can be opened like a file; a video is streamed. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool.h"

#define START_SIZE 4096         /* enough for gdk-pixbuf to detect the format */
#define BLOCK_SIZE 65536
#define MAX_PICTURE ((gsize) 1 << 30)
#define POLL_MS 100

struct _ToolStream
{
  int fd;
  int memory;                   /* the picture, or -1 */
  guint8 start[START_SIZE];
  gsize n_start;
  gboolean start_taken;
};

/* Like read(), but retries after a signal. */
static gssize
read_some (int fd, guint8 *bytes, gsize n)
{
  gssize got;

  do
    got = read (fd, bytes, n);
  while (got < 0 && errno == EINTR);
  return got;
}

static void
set_errno_error (GError **error, const char *what)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: %s", what,
      g_strerror (errno));
}

ToolStream *
tool_stream_open (const char *path, GError **error)
{
  ToolStream *self = g_new0 (ToolStream, 1);
  gssize got = 1;

  self->memory = -1;
  self->fd = open (path, O_RDONLY | O_CLOEXEC);
  if (self->fd < 0) {
    set_errno_error (error, "cannot be opened");
    g_free (self);
    return NULL;
  }
  while (got > 0 && self->n_start < START_SIZE) {
    got = read_some (self->fd, self->start + self->n_start,
        START_SIZE - self->n_start);
    self->n_start += got > 0 ? (gsize) got : 0;
  }
  if (got >= 0 && self->n_start)
    return self;
  if (got < 0)
    set_errno_error (error, "cannot be read");
  else
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "empty");
  tool_stream_close (self);
  return NULL;
}

gboolean
tool_stream_is_picture (const ToolStream *self)
{
  return tool_picture_recognise (self->start, self->n_start);
}

static gboolean
write_all (int fd, const guint8 *bytes, gsize n)
{
  while (n) {
    gssize put = write (fd, bytes, n);

    if (put < 0 && errno != EINTR)
      return FALSE;
    bytes += MAX (put, 0);
    n -= (gsize) MAX (put, 0);
  }
  return TRUE;
}

char *
tool_stream_to_file (ToolStream *self, GError **error)
{
  guint8 *block = g_malloc (BLOCK_SIZE);
  gsize size = 0;
  gssize got;

  self->memory = memfd_create ("y10-picture", MFD_CLOEXEC);
  while (self->memory >= 0
      && (got = tool_stream_read (self, block, BLOCK_SIZE, NULL)) > 0) {
    size += (gsize) got;
    if (size > MAX_PICTURE) {
      errno = EFBIG;
      break;
    }
    if (!write_all (self->memory, block, (gsize) got))
      break;
  }
  g_free (block);
  if (self->memory >= 0 && got == 0)
    return g_strdup_printf ("/proc/self/fd/%d", self->memory);
  set_errno_error (error, "cannot be read completely");
  return NULL;
}

gssize
tool_stream_read (ToolStream *self, guint8 *bytes, gsize n, const gint *stop)
{
  struct pollfd ready = {.fd = self->fd,.events = POLLIN };

  if (!self->start_taken) {
    n = MIN (n, self->n_start);
    memcpy (bytes, self->start, n);
    self->start_taken = TRUE;
    return (gssize) n;
  }
  while (stop && !g_atomic_int_get (stop) && poll (&ready, 1, POLL_MS) == 0);
  if (stop && g_atomic_int_get (stop))
    return 0;
  return read_some (self->fd, bytes, n);
}

void
tool_stream_close (ToolStream *self)
{
  if (self->memory >= 0)
    close (self->memory);
  close (self->fd);
  g_free (self);
}
