/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads the bits of float32 values from stdin and prints one value a line, for
 * test-floats.py. */

#include "config.h"

#include <locale.h>
#include <stdio.h>

#include "base/json.h"

int
main (void)
{
  char buffer[Y10_JSON_FLOAT_SIZE];
  float value;

  setlocale (LC_ALL, "");
  while (fread (&value, sizeof value, 1, stdin) == 1)
    puts (y10_json_format_float (value, buffer));
  return 0;
}
