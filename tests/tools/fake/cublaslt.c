/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A libcublasLt.so with only its version function. */

#include "fake.h"

size_t cublasLtGetVersion (void);

FAKE size_t
cublasLtGetVersion (void)
{
  return 130100;
}
