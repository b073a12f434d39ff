/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Preloaded into a program that records: writes down what it does with the files of the
 * folder DISK_FOLDER, for test-powerloss.py, into DISK_LOG. A line is
 *
 *   create NAME | write NAME OFFSET SIZE, and the bytes | truncate NAME SIZE | sync NAME |
 *   unlink NAME
 *
 * and follows what it tells. The folder's name is ".". */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int openat64 (int at, const char *name, int flags, ...);
ssize_t write (int fd, const void *data, size_t size);
ssize_t pwrite64 (int fd, const void *data, size_t size, off64_t offset);
ssize_t pwritev64 (int fd, const struct iovec *parts, int n, off64_t offset);
int ftruncate64 (int fd, off64_t size);
int fdatasync (int fd);
int fsync (int fd);
int unlinkat (int at, const char *name, int flags);

#define REAL(function) \
  ((__typeof__ (&function)) (intptr_t) dlsym (RTLD_NEXT, #function))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether @fd is in the folder. */
static int
get_name (int fd, char name[PATH_MAX])
{
  const char *folder = getenv ("DISK_FOLDER");
  const size_t length = strlen (folder);
  char link[64], path[PATH_MAX] = "";

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  if (readlink (link, path, sizeof path - 1) < (ssize_t) length
      || memcmp (path, folder, length) != 0
      || (path[length] && path[length] != '/'))
    return 0;
  strcpy (name, path[length] ? path + length + 1 : ".");
  return 1;
}

/* With the lock held, so that lines are in the order of what they tell. */
static void
tell (const void *data, size_t size, const char *format, ...)
{
  static FILE *out;
  va_list args;

  if (!out)
    out = fopen (getenv ("DISK_LOG"), "w");
  va_start (args, format);
  vfprintf (out, format, args);
  va_end (args);
  fwrite (data, 1, size, out);
  fflush (out);
}

int
openat64 (int at, const char *name, int flags, ...)
{
  char folder[PATH_MAX];
  int mode = 0, fd;
  va_list args;

  va_start (args, flags);
  if (flags & O_CREAT)
    mode = va_arg (args, int);
  va_end (args);
  pthread_mutex_lock (&lock);
  fd = REAL (openat64) (at, name, flags, mode);
  if (fd >= 0 && (flags & O_CREAT) && get_name (at, folder))
    tell (NULL, 0, "create %s\n", name);
  pthread_mutex_unlock (&lock);
  return fd;
}

ssize_t
pwrite64 (int fd, const void *data, size_t size, off64_t offset)
{
  char name[PATH_MAX];
  ssize_t n;

  pthread_mutex_lock (&lock);
  n = REAL (pwrite64) (fd, data, size, offset);
  if (n > 0 && get_name (fd, name))
    tell (data, n, "write %s %lld %zd\n", name, (long long) offset, n);
  pthread_mutex_unlock (&lock);
  return n;
}

/* A part at a time, which callers expect. */
ssize_t
pwritev64 (int fd, const struct iovec *parts, int n, off64_t offset)
{
  return n > 0 ? pwrite64 (fd, parts->iov_base, parts->iov_len, offset) : 0;
}

/* To the end of a file, as streams write. */
ssize_t
write (int fd, const void *data, size_t size)
{
  char name[PATH_MAX];
  ssize_t n;

  if (!get_name (fd, name))
    return REAL (write) (fd, data, size);
  pthread_mutex_lock (&lock);
  n = REAL (write) (fd, data, size);
  if (n > 0)
    tell (data, n, "write %s %lld %zd\n", name,
        (long long) lseek (fd, 0, SEEK_CUR) - n, n);
  pthread_mutex_unlock (&lock);
  return n;
}

int
ftruncate64 (int fd, off64_t size)
{
  char name[PATH_MAX];
  int result;

  pthread_mutex_lock (&lock);
  result = REAL (ftruncate64) (fd, size);
  if (result == 0 && get_name (fd, name))
    tell (NULL, 0, "truncate %s %lld\n", name, (long long) size);
  pthread_mutex_unlock (&lock);
  return result;
}

/* Not really, which would only take time. */
int
fdatasync (int fd)
{
  char name[PATH_MAX];

  pthread_mutex_lock (&lock);
  if (get_name (fd, name))
    tell (NULL, 0, "sync %s\n", name);
  pthread_mutex_unlock (&lock);
  return 0;
}

int
fsync (int fd)
{
  return fdatasync (fd);
}

int
unlinkat (int at, const char *name, int flags)
{
  char folder[PATH_MAX];
  int result;

  pthread_mutex_lock (&lock);
  result = REAL (unlinkat) (at, name, flags);
  if (result == 0 && get_name (at, folder))
    tell (NULL, 0, "unlink %s\n", name);
  pthread_mutex_unlock (&lock);
  return result;
}
