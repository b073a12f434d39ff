/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Replaces the program where cuDNN is not available. */

#include <stdio.h>

int
main (void)
{
  puts ("skipped: this build has no cuDNN (its headers were not found)");
  return 77;
}
