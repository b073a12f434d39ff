/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Inputs that cannot seek: pipes, as standard input or by name, and what a server
 * sends. The first bytes tell pictures from videos. A picture is read completely
 * into memory that has a path, so that it can be opened like a file; a video is
 * streamed from a pipe, and played from its URI. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "media/fetch.h"
#include "media/picture.h"
#include "media/stream.h"

#define START_SIZE 4096 /* enough for gdk-pixbuf to detect the format */
#define BLOCK_SIZE 65536
#define MAX_PICTURE ((gsize) 1 << 30)
#define POLL_MS 100

struct _ToolStream
{
  int fd;           /* or -1 */
  ToolFetch *fetch; /* or NULL */
  int memory;       /* the picture, or -1 */
  guint8 start[START_SIZE];
  gsize n_start;
  gboolean start_taken;
};

static void
set_errno_error (GError **error, const char *what)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: %s", what,
      g_strerror (errno));
}

/* Like read(), but ends when the command is interrupted, and only then. */
static gssize
read_some (ToolStream *self, guint8 *bytes, gsize n, GError **error)
{
  struct pollfd ready = { .fd = self->fd, .events = POLLIN };
  gssize got = -1;

  if (self->fetch)
    return tool_fetch_read (self->fetch, bytes, n, error);
  errno = EINTR;
  while (got < 0 && errno == EINTR && !tool_interrupted ())
    if (poll (&ready, 1, POLL_MS) > 0)
      got = read (self->fd, bytes, n);
    else
      errno = EINTR;
  if (got < 0 && tool_interrupted ())
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED, "interrupted");
  else if (got < 0)
    set_errno_error (error, "cannot be read");
  return got;
}

/* Takes @self over. */
static ToolStream *
read_start (ToolStream *self, GError **error)
{
  gssize got = 1;

  while (got > 0 && self->n_start < START_SIZE) {
    got = read_some (self, self->start + self->n_start,
        START_SIZE - self->n_start, error);
    self->n_start += got > 0 ? (gsize) got : 0;
  }
  if (got >= 0 && self->n_start)
    return self;
  if (got >= 0)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "empty");
  tool_stream_close (self);
  return NULL;
}

static ToolStream *
stream_new (void)
{
  ToolStream *self = g_new0 (ToolStream, 1);

  self->fd = self->memory = -1;
  return self;
}

ToolStream *
tool_stream_open (const char *path, GError **error)
{
  ToolStream *self = stream_new ();

  self->fd = open (path, O_RDONLY | O_CLOEXEC);
  if (self->fd >= 0)
    return read_start (self, error);
  set_errno_error (error, "cannot be opened");
  tool_stream_close (self);
  return NULL;
}

ToolStream *
tool_stream_open_uri (const char *uri, const ToolRemoteOptions *options,
    GError **error)
{
  ToolStream *self = stream_new ();

  self->fetch = tool_fetch_open (uri, options, error);
  if (self->fetch)
    return read_start (self, error);
  tool_stream_close (self);
  return NULL;
}

gboolean
tool_stream_is_picture (const ToolStream *self)
{
  return tool_picture_recognise (self->start, self->n_start);
}

gboolean
tool_write_all (int fd, const guint8 *bytes, gsize n)
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

gsize
tool_stream_get_start (const ToolStream *self, guint8 *bytes, gsize n)
{
  n = MIN (n, self->n_start);
  memcpy (bytes, self->start, n);
  return n;
}

/* Returns the next bytes, the first ones again. */
static gssize
read_again (ToolStream *self, guint8 *bytes, gsize n, GError **error)
{
  if (self->start_taken)
    return read_some (self, bytes, n, error);
  n = MIN (n, self->n_start);
  memcpy (bytes, self->start, n);
  self->start_taken = TRUE;
  return (gssize) n;
}

static gboolean
copy_all (ToolStream *self, guint8 *block, GError **error)
{
  gsize size = 0;
  gssize got;

  while ((got = read_again (self, block, BLOCK_SIZE, error)) > 0) {
    size += (gsize) got;
    if (size > MAX_PICTURE) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
          "the picture has more than %u MB", (guint) (MAX_PICTURE >> 20));
      return FALSE;
    }
    if (!tool_write_all (self->memory, block, (gsize) got)) {
      set_errno_error (error, "cannot be kept in memory");
      return FALSE;
    }
  }
  return got == 0;
}

char *
tool_stream_to_file (ToolStream *self, GError **error)
{
  g_autofree guint8 *block = NULL;
  gboolean ok;

  self->memory = memfd_create ("y10-picture", MFD_CLOEXEC);
  if (self->memory < 0) {
    set_errno_error (error, "cannot be kept in memory");
    return NULL;
  }
  block = g_malloc (BLOCK_SIZE);
  ok = copy_all (self, block, error);
  return ok ? g_strdup_printf ("/proc/self/fd/%d", self->memory) : NULL;
}

gssize
tool_stream_read (ToolStream *self, guint8 *bytes, gsize n, const gint *stop)
{
  struct pollfd ready = { .fd = self->fd, .events = POLLIN };

  while (self->start_taken && stop && !g_atomic_int_get (stop)
      && poll (&ready, 1, POLL_MS) == 0)
    ;
  if (stop && g_atomic_int_get (stop))
    return 0;
  return read_again (self, bytes, n, NULL);
}

void
tool_stream_close (ToolStream *self)
{
  if (self->memory >= 0)
    close (self->memory);
  if (self->fd >= 0)
    close (self->fd);
  g_clear_pointer (&self->fetch, tool_fetch_close);
  g_free (self);
}
