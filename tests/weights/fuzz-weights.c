/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The readers of weights files on any bytes: nothing may crash, hang or leak,
 * and an error must have a message. With libFuzzer, which needs the engine
 * instrumented to see what it reaches:
 *
 *   CC=clang meson setup build-fuzz -Db_sanitize=address,undefined \
 *     -Db_lundef=false -Dc_args=-fsanitize=fuzzer-no-link
 *   ninja -C build-fuzz tests/weights/fuzz-weights
 *   fuzz-weights -max_len=200000 -max_total_time=600 CORPUS
 *
 * Without it, main() mutates the files that it is given:
 *
 *   fuzz-weights [--runs N] FILE… | --seeded PROGRAM SHAPES.json…
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* memfd_create() */
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <y10/y10.h>

#include "weights/weights.h"

int LLVMFuzzerTestOneInput (const guint8 * data, size_t size);

/* Reads every tensor, as fold.c may. */
static void
read_tensors (const Y10TensorFile *file)
{
  for (guint i = 0; i < y10_tensor_file_get_n (file); i++) {
    const Y10TensorEntry *t = y10_tensor_file_get (file, i);
    g_autofree guint8 *values = y10_tensor_file_read_tensor (file, t, NULL);

    if (values && t->size && values[0] == 1 && values[t->size - 1] == 2)
      putchar (' ');            /* so that both ends are read */
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Y10Model) model = NULL;
  Y10TensorFile *file;
  char path[64];
  int fd = memfd_create ("weights", MFD_CLOEXEC);

  if (fd < 0 || write (fd, data, size) != (ssize_t) size)
    abort ();
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  file = y10_tensor_file_open (path, &error);
  if (file) {
    read_tensors (file);
    y10_tensor_file_unref (file);
    model = y10_model_load (path, NULL, &error);
  }
  if ((!file || !model) && (!error || !*error->message
          || !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  close (fd);
  return 0;
}

#ifdef STANDALONE
static guint32 state = 1;

static guint32
chance (guint32 n)
{
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % n;
}

/* Changes up to ten bytes; half of the time near the ends, where formats keep
 * their tables, and sometimes cuts the file. */
static void
mutate (const guint8 *data, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (data, size);
  gsize table = MIN (size, 65536), length = size;

  for (guint n = 1 + chance (10); n > 0; n--) {
    gsize at = chance (2) ? chance (size)
        : chance (2) ? chance (table) : size - 1 - chance (table);

    copy[at] = chance (4) ? chance (256) : chance (2) ? 0 : 0xff;
  }
  if (!chance (10))
    length = chance (size);
  LLVMFuzzerTestOneInput (copy, length);
}

static void
fuzz (const char *path, guint runs)
{
  g_autofree char *data = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, &error))
    g_error ("%s", error->message);
  LLVMFuzzerTestOneInput ((const guint8 *) data, size);
  for (guint i = 0; i < runs && size; i++)
    mutate ((const guint8 *) data, size);
  printf ("%s: %u mutants\n", path, runs);
}

/* Fuzzes the file that the program @seeded makes from @shapes. */
static void
fuzz_seeded (char *seeded, char *shapes, guint runs)
{
  char path[] = "/tmp/fuzz-weights-XXXXXX";
  char *argv[] = { seeded, shapes, path, NULL };
  g_autoptr (GError) error = NULL;
  int fd = g_mkstemp (path), status;

  close (fd);
  if (!g_spawn_sync (NULL, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
          NULL, NULL, &status, &error)
      || !g_spawn_check_wait_status (status, &error))
    g_error ("%s", error->message);
  fuzz (path, runs);
  unlink (path);
}

int
main (int argc, char **argv)
{
  guint runs = 1000;
  int i = 1;

  if (argc > 2 && !strcmp (argv[1], "--runs")) {
    runs = atoi (argv[2]);
    i = 3;
  }
  if (argc - i >= 3 && !strcmp (argv[i], "--seeded")) {
    for (int shapes = i + 2; shapes < argc; shapes++)
      fuzz_seeded (argv[i + 1], argv[shapes], runs);
    return 0;
  }
  for (; i < argc; i++)
    fuzz (argv[i], runs);
  return 0;
}
#endif
