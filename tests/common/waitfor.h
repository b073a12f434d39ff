/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

/* Waits until @condition is true. Only the limit of the whole test ends that: a busy
 * machine may need any time. */
#define test_wait_for(condition) \
  G_STMT_START \
  { \
    while (!(condition)) \
      g_usleep (1000); \
  } \
  G_STMT_END
