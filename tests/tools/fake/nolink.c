/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Preloaded, it makes hard links fail. NOLINK_RENAME: a rename that must not
 * replace fails, too. NOLINK_LATE: another process publishes that file just
 * before the rename. */

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__ ((visibility ("default"))) int linkat (int from_dir,
    const char *from, int to_dir, const char *to, int flags);
__attribute__ ((visibility ("default"))) int renameat2 (int from_dir,
    const char *from, int to_dir, const char *to, unsigned flags);

int
linkat (int from_dir, const char *from, int to_dir, const char *to, int flags)
{
  errno = EPERM;
  return -1;
}

int
renameat2 (int from_dir, const char *from, int to_dir, const char *to,
    unsigned flags)
{
  int (*real) (int, const char *, int, const char *, unsigned);
  const char *late = getenv ("NOLINK_LATE");
  FILE *file;

  if (getenv ("NOLINK_RENAME")) {
    errno = EINVAL;
    return -1;
  }
  if (late && (file = fopen (late, "w"))) {
    fputs ("first\n", file);
    fclose (file);
  }
  *(void **) &real = dlsym (RTLD_NEXT, "renameat2");
  return real (from_dir, from, to_dir, to, flags);
}
