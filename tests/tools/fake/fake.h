/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Fake versions of NVIDIA's libraries, with which a test can cause each failure
 * that y10 doctor knows without a GPU. They have only the functions that it
 * looks up; their results come from words like "init=803" in the environment
 * variable Y10_FAKE. Without a word for it a function succeeds. */

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
