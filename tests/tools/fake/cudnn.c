/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A fake cuDNN, for all nine libraries. As libcudnn.so.9 it loads the others
 * from the paths in Y10_FAKE_LOADS when it is queried for a convolution, and
 * aborts like the real one if the test asks for that. It knows one convolution,
 * of ones, and its result. */

#include <dlfcn.h>
#include <stdio.h>

#include "fake.h"

size_t cudnnGetVersion (void);
size_t cudnnGetCudartVersion (void);
int cudnnGraphVersionCheck (void);
int cudnnOpsVersionCheck (void);
int cudnnCnnVersionCheck (void);
int cudnnCreate (void **handle);
void cudnnGetLastErrorString (char *text, size_t size);
int cudnnBackendCreateDescriptor (int type, void **descriptor);
int cudnnBackendSetAttribute (void *descriptor, int attribute, int type,
    long long n, const void *values);
int cudnnBackendGetAttribute (void *descriptor, int attribute, int type,
    long long n, long long *n_got, void *values);
int cudnnBackendFinalize (void *descriptor);
int cudnnBackendExecute (void *handle, void *plan, void *pack);

static int anything;
static unsigned short *output;

FAKE size_t
cudnnGetVersion (void)
{
  return (size_t) fake ("cudnn", 91900);
}

FAKE size_t
cudnnGetCudartVersion (void)
{
  return (size_t) fake ("cudart", 13010);
}

FAKE int
cudnnGraphVersionCheck (void)
{
  return (int) fake ("mismatch", 0);
}

FAKE int
cudnnOpsVersionCheck (void)
{
  return 0;
}

FAKE int
cudnnCnnVersionCheck (void)
{
  return 0;
}

FAKE int
cudnnCreate (void **handle)
{
  *handle = &anything;
  return (int) fake ("create", 0);
}

FAKE void
cudnnGetLastErrorString (char *text, size_t size)
{
  snprintf (text, size, "staged");
}

FAKE int
cudnnBackendCreateDescriptor (int type, void **descriptor)
{
  *descriptor = &anything;
  return 0;
}

FAKE int
cudnnBackendSetAttribute (void *descriptor, int attribute, int type,
    long long n, const void *values)
{
  if (attribute == 1001 && n == 3)
    output = ((unsigned short *const *) values)[2];
  return 0;
}

FAKE int
cudnnBackendGetAttribute (void *descriptor, int attribute, int type,
    long long n, long long *n_got, void *values)
{
  const char *loads = getenv ("Y10_FAKE_LOADS");
  char path[1024];

  if (attribute == 402) { /* a plan's workspace */
    *(long long *) values = 0;
    return 0;
  }
  if (fake ("abort", 0))
    abort ();
  while (loads && *loads) {
    const size_t length = strcspn (loads, ":");

    snprintf (path, sizeof path, "%.*s", (int) length, loads);
    dlopen (path, RTLD_NOW | RTLD_LOCAL);
    loads += length + (loads[length] == ':');
  }
  *n_got = fake ("configs", 3);
  return 0;
}

FAKE int
cudnnBackendFinalize (void *descriptor)
{
  return 0;
}

FAKE int
cudnnBackendExecute (void *handle, void *plan, void *pack)
{
  for (int i = 0; i < 8 * 8 * 16; i++)
    output[i] = fake ("wrong", 0) ? 0 : 0x5880;
  output[0] = 0x5400;
  return 0;
}
