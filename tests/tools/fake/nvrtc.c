/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A fake compiler, libnvrtc.so. */

#include "fake.h"

int nvrtcVersion (int *major, int *minor);
int nvrtcCreateProgram (void **program, const char *source, const char *name,
    int n_headers, const char *const *headers, const char *const *names);
int nvrtcCompileProgram (void *program, int n, const char *const *options);

FAKE int
nvrtcVersion (int *major, int *minor)
{
  *major = 13;
  *minor = 0;
  return 0;
}

FAKE int
nvrtcCreateProgram (void **program, const char *source, const char *name,
    int n_headers, const char *const *headers, const char *const *names)
{
  *program = (void *) source;
  return 0;
}

FAKE int
nvrtcCompileProgram (void *program, int n, const char *const *options)
{
  return (int) fake ("nvrtc", 0);
}
