/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* CUDA_INJECTION64_PATH=libtracekernels.so TRACEKERNELS=FILE PROGRAM…
 *
 * Writes when each kernel and copy of a program began and ended on the GPU,
 * those of graphs too, by CUPTI's activity records. Unlike Nsight Compute this
 * leaves kernels in their graph, side by side and with warm caches, so that the
 * gaps between them show. A line has begin and end in nanoseconds, stream, grid,
 * block, registers and name. The driver loads this library and calls
 * InitializeInjection (). */

#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define BUFFER_SIZE ((size_t) 8 << 20)

enum
{
  KIND_MEMCPY = 1,
  KIND_CONCURRENT_KERNEL = 10
};

/* The beginnings of CUPTI's records, which are the same in versions 11 to 13. */
typedef struct
{
  uint32_t kind;
  uint8_t cache_config, shared_config;
  uint16_t registers;
  uint32_t partitioned[2];
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3], static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total, correlation;
  int64_t grid_id;
  const char *name;
} Kernel;

typedef struct
{
  uint32_t kind;
  uint8_t copy_kind, from, to, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
} Copy;

static FILE *file;
static int (*next_record) (uint8_t *buffer, size_t size, void **record);
static int (*flush_all) (uint32_t flags);

static void
request (uint8_t **buffer, size_t *size, size_t *max_records)
{
  *buffer = aligned_alloc (8, BUFFER_SIZE);
  *size = *buffer ? BUFFER_SIZE : 0;
  *max_records = 0;
}

static void
complete (void *context, uint32_t stream, uint8_t *buffer, size_t size,
    size_t valid)
{
  void *record = NULL;

  (void) context, (void) stream, (void) size;
  while (valid && next_record (buffer, valid, &record) == 0) {
    const Kernel *k = record;
    const Copy *c = record;

    if (k->kind == KIND_CONCURRENT_KERNEL)
      fprintf (file, "%" PRIu64 " %" PRIu64 " %u %d,%d,%d %d,%d,%d %u %s\n",
          k->start, k->end, k->stream, k->grid[0], k->grid[1], k->grid[2],
          k->block[0], k->block[1], k->block[2], k->registers, k->name);
    else if (c->kind == KIND_MEMCPY)
      fprintf (file,
          "%" PRIu64 " %" PRIu64 " %u - - 0 copy %u: %" PRIu64 " bytes\n",
          c->start, c->end, c->stream, c->copy_kind, c->bytes);
  }
  free (buffer);
}

static void
finish (void)
{
  flush_all (1);
  fclose (file);
}

EXPORT int InitializeInjection (void);

EXPORT int
InitializeInjection (void)
{
  static const char *const names[] = { "libcupti.so.13", "libcupti.so.12",
    "libcupti.so" };
  const char *path = getenv ("TRACEKERNELS");
  int (*enable) (uint32_t kind) = NULL;
  int (*register_callbacks) (void *request, void *complete) = NULL;
  void *cupti = NULL;

  for (size_t i = 0; !cupti && i < sizeof names / sizeof names[0]; i++)
    cupti = dlopen (names[i], RTLD_NOW);
  if (cupti) {
    *(void **) &enable = dlsym (cupti, "cuptiActivityEnable");
    *(void **) &register_callbacks = dlsym (cupti,
        "cuptiActivityRegisterCallbacks");
    *(void **) &next_record = dlsym (cupti, "cuptiActivityGetNextRecord");
    *(void **) &flush_all = dlsym (cupti, "cuptiActivityFlushAll");
  }
  if (!enable || !register_callbacks || !next_record || !flush_all) {
    fprintf (stderr, "tracekernels: CUPTI is not to be had: %s\n", dlerror ());
    return 1;
  }
  file = path ? fopen (path, "w") : NULL;
  if (!file) {
    fprintf (stderr,
        "tracekernels: TRACEKERNELS names no file that can be written\n");
    return 1;
  }
  if (register_callbacks ((void *) request, (void *) complete) != 0
      || enable (KIND_CONCURRENT_KERNEL) != 0 || enable (KIND_MEMCPY) != 0) {
    fprintf (stderr, "tracekernels: CUPTI records no kernels\n");
    return 1;
  }
  atexit (finish);
  return 1;
}
