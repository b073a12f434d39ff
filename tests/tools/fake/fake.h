/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Libraries that stand in for NVIDIA's, so that each failure that y10 doctor
 * knows can be staged without a GPU: only the functions it looks up, and what
 * they answer comes from the environment variable Y10_FAKE, words like
 * "init=803". Without a word for it everything is fine. */

#include <stdlib.h>
#include <string.h>

#define FAKE __attribute__ ((visibility ("default")))

/* The value after "KEY=" in Y10_FAKE as a number, or @fine. */
static inline long long
fake (const char *key, long long fine)
{
  const char *word = getenv ("Y10_FAKE");
  const size_t length = strlen (key);

  while (word && *word) {
    if (!strncmp (word, key, length) && word[length] == '=')
      return strtoll (word + length + 1, NULL, 10);
    word = strchr (word, ' ');
    word += word ? 1 : 0;
  }
  return fine;
}
