/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* LD_PRELOAD=libcountcopies.so COUNTCOPIES=FILE PROGRAM…
 *
 * Counts the copies between host and device that a program requests from
 * libcuda. All libraries look up its functions with dlsym() or
 * cuGetProcAddress(), which return our wrappers for the copy functions. At the
 * end FILE contains one JSON object per direction and size, with the number of
 * copies: copies per frame stand out by their number. Copies in a captured
 * graph count once, when it is captured. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CUstream_st *CUstream;
typedef unsigned long long CUdeviceptr;

enum
{
  HOST = 1,
  DEVICE = 2,
  UNIFIED = 4,
  ATTRIBUTE_MEMORY_TYPE = 2,
  PER_THREAD_STREAM = 2
};

/* The driver's binary interface. */
typedef struct
{
  size_t x, y;
  unsigned int type;
  const void *host;
  CUdeviceptr device;
  void *array;
  size_t pitch;
} Side;

typedef struct
{
  Side from, to;
  size_t width, height;
} Copy2D;

#define N_ENTRIES 4096
static struct
{
  char direction[4];
  size_t size;
  unsigned long count;
} entries[N_ENTRIES];
static unsigned int n_entries;
static unsigned long n_lost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int (*pointer_get_attribute) (void *, int, CUdeviceptr);

#define EXPORT __attribute__ ((visibility ("default")))
EXPORT void *dlsym (void *handle, const char *name);

static void
count (const char *direction, size_t size)
{
  unsigned int i;

  pthread_mutex_lock (&lock);
  for (i = 0; i < n_entries; i++)
    if (entries[i].size == size && !strcmp (entries[i].direction, direction))
      break;
  if (i == n_entries && n_entries < N_ENTRIES) {
    strcpy (entries[i].direction, direction);
    entries[i].size = size;
    n_entries++;
  }
  if (i < N_ENTRIES)
    entries[i].count++;
  else
    n_lost++;
  pthread_mutex_unlock (&lock);
}

/* Whether a pointer of unknown kind points to the device. */
static int
is_device (CUdeviceptr p)
{
  unsigned int type = HOST;

  return pointer_get_attribute
      && pointer_get_attribute (&type, ATTRIBUTE_MEMORY_TYPE, p) == 0
      && type == DEVICE;
}

static void
count_between (int from_device, int to_device, size_t size)
{
  if (from_device != to_device)
    count (from_device ? "dth" : "htd", size);
}

static void
count_2d (const Copy2D *c)
{
  int from = c->from.type != HOST
      && (c->from.type != UNIFIED || is_device (c->from.device));
  int to = c->to.type != HOST
      && (c->to.type != UNIFIED || is_device (c->to.device));

  count_between (from, to, c->width * c->height);
}

/* Two wrappers of each function: for the legacy stream and for per-thread
 * streams. */
#define WRAP(function, counting, args, ...) \
  static int (*real_##function##_0) args, (*real_##function##_1) args; \
  static int function##_0 args \
  { \
    counting; \
    return real_##function##_0 (__VA_ARGS__); \
  } \
  static int function##_1 args \
  { \
    counting; \
    return real_##function##_1 (__VA_ARGS__); \
  }

WRAP (htod, count ("htd", n), (CUdeviceptr to, const void *from, size_t n), to,
    from, n)
WRAP (dtoh, count ("dth", n), (void *to, CUdeviceptr from, size_t n), to, from,
    n)
WRAP (htod_async, count ("htd", n),
    (CUdeviceptr to, const void *from, size_t n, CUstream s), to, from, n, s)
WRAP (dtoh_async, count ("dth", n),
    (void *to, CUdeviceptr from, size_t n, CUstream s), to, from, n, s)
WRAP (copy, count_between (is_device (from), is_device (to), n),
    (CUdeviceptr to, CUdeviceptr from, size_t n), to, from, n)
WRAP (copy_async, count_between (is_device (from), is_device (to), n),
    (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), to, from, n, s)
WRAP (copy_2d, count_2d (c), (const Copy2D *c), c)
WRAP (unaligned_2d, count_2d (c), (const Copy2D *c), c)
WRAP (copy_2d_async, count_2d (c), (const Copy2D *c, CUstream s), c, s)

/* clang-format off */
#define ROW(name, function) \
  { name, { (void *) function##_0, (void *) function##_1 }, \
    { (void **) &real_##function##_0, (void **) &real_##function##_1 } }
/* clang-format on */
static const struct
{
  const char *name; /* without suffixes such as _v2 */
  void *ours[2];
  void **real[2];
} wrapped[] = {
  ROW ("cuMemcpyHtoD", htod),
  ROW ("cuMemcpyDtoH", dtoh),
  ROW ("cuMemcpyHtoDAsync", htod_async),
  ROW ("cuMemcpyDtoHAsync", dtoh_async),
  ROW ("cuMemcpy", copy),
  ROW ("cuMemcpyAsync", copy_async),
  ROW ("cuMemcpy2D", copy_2d),
  ROW ("cuMemcpy2DUnaligned", unaligned_2d),
  ROW ("cuMemcpy2DAsync", copy_2d_async),
};

/* Returns the wrapper of @name, or @real if there is none. */
static void *
replace (const char *name, void *real, int per_thread)
{
  size_t length = strcspn (name, "_");
  const char *suffix = name + length;

  if (!real || strncmp (name, "cuMemcpy", 8) != 0)
    return real;
  per_thread |= strstr (suffix, "_pt") != NULL;
  for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++)
    if (strlen (wrapped[i].name) == length
        && !strncmp (wrapped[i].name, name, length)) {
      *wrapped[i].real[per_thread] = real;
      return wrapped[i].ours[per_thread];
    }
  return real;
}

static int (*real_proc) (const char *, void **, int, unsigned long long);
static int (
    *real_proc_v2) (const char *, void **, int, unsigned long long, int *);

static int proc (const char *name, void **out, int version,
    unsigned long long flags);
static int proc_v2 (const char *name, void **out, int version,
    unsigned long long flags, int *status);

/* Also replaces the lookup functions themselves. */
static void *
replace_any (const char *name, void *real, int per_thread)
{
  if (real && strcmp (name, "cuGetProcAddress") == 0 && !real_proc) {
    real_proc = (int (*) (const char *, void **, int, unsigned long long)) real;
    return (void *) proc;
  }
  if (real && strcmp (name, "cuGetProcAddress_v2") == 0) {
    real_proc_v2 = (int (*) (const char *, void **, int, unsigned long long,
        int *)) real;
    return (void *) proc_v2;
  }
  return replace (name, real, per_thread);
}

static int
proc (const char *name, void **out, int version, unsigned long long flags)
{
  int result = real_proc (name, out, version, flags);

  if (result == 0 && out)
    *out = replace (name, *out, (flags & PER_THREAD_STREAM) != 0);
  return result;
}

static int
proc_v2 (const char *name, void **out, int version, unsigned long long flags,
    int *status)
{
  int result = real_proc_v2 (name, out, version, flags, status);

  if (result != 0 || !out || !*out)
    return result;
  /* Newer drivers return the newer function by this name. */
  if (strcmp (name, "cuGetProcAddress") == 0) {
    real_proc_v2 = (int (*) (const char *, void **, int, unsigned long long,
                       int *))
        * out;
    *out = (void *) proc_v2;
  } else {
    *out = replace (name, *out, (flags & PER_THREAD_STREAM) != 0);
  }
  return result;
}

void *
dlsym (void *handle, const char *name)
{
  static void *(*real) (void *, const char *);
  void *found;

  if (!real) {
    real = (void *(*) (void *, const char *) ) dlvsym (RTLD_NEXT, "dlsym",
        "GLIBC_2.34");
    if (!real)
      real = (void *(*) (void *, const char *) ) dlvsym (RTLD_NEXT, "dlsym",
          "GLIBC_2.2.5");
  }
  found = real (handle, name);
  if (!found || strncmp (name, "cu", 2) != 0)
    return found;
  if (strcmp (name, "cuMemcpyHtoD_v2") == 0 && !pointer_get_attribute)
    pointer_get_attribute = (int (*) (void *, int, CUdeviceptr)) real (handle,
        "cuPointerGetAttribute");
  return replace_any (name, found, 0);
}

static void __attribute__ ((destructor)) report (void)
{
  const char *path = getenv ("COUNTCOPIES");
  FILE *f = path ? fopen (path, "w") : NULL;

  if (!f)
    return;
  for (unsigned int i = 0; i < n_entries; i++)
    fprintf (f, "{\"direction\":\"%s\",\"size\":%zu,\"count\":%lu}\n",
        entries[i].direction, entries[i].size, entries[i].count);
  if (n_lost)
    fprintf (f, "{\"direction\":\"lost\",\"size\":0,\"count\":%lu}\n", n_lost);
  fclose (f);
}
