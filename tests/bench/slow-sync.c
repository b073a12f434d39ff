/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* To be preloaded: a disk that syncs in 200 ms, such as a memory card. */
#include <unistd.h>

#define SYNC_TIME 200000

int fsync (int file);
int fdatasync (int file);

int
fsync (int file)
{
  usleep (SYNC_TIME);
  return 0;
}

int
fdatasync (int file)
{
  usleep (SYNC_TIME);
  return 0;
}
