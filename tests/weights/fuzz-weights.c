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
 * Without it, main() mutates the files that it is given, or that it makes; --quantized
 * converts those to 8-bit integers before:
 *
 *   fuzz-weights [--runs N] FILE… | --seeded PROGRAM SHAPES.json… |
 *     --quantized PROGRAM SHAPES.json…
 *
 * What has integers also runs: scales and zero points are read when an engine is made.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create() */
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <y10/quantize.h>
#include <y10/y10.h>

#include "weights/weights.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

/* Reads every tensor, as fold.c may. */
static void
read_tensors (const Y10TensorFile *file)
{
  for (guint i = 0; i < y10_tensor_file_get_n (file); i++) {
    const Y10TensorEntry *t = y10_tensor_file_get (file, i);
    g_autofree guint8 *values = y10_tensor_file_read_tensor (file, t, NULL);

    if (values && t->size && values[0] == 1 && values[t->size - 1] == 2)
      putchar (' '); /* so that both ends are read */
  }
}

#define SIZE 32 /* of the networks' inputs */

/* A grey picture. */
static Y10Image
make_image (guint8 *pixels)
{
  return (Y10Image){
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_GRAY8,
    .width = SIZE,
    .height = SIZE,
    .plane = { pixels },
    .stride = { SIZE },
  };
}

static void
check_error (const GError *error)
{
  if (!error || !*error->message || !g_utf8_validate (error->message, -1, NULL))
    abort ();
}

static guint n_run;

/* Runs @model in int8. */
static void
run_integers (Y10Model *model)
{
  static guint8 pixels[SIZE * SIZE];
  static Y10Detection rows[300];
  const Y10Image image = make_image (pixels);
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  g_autoptr (GError) error = NULL;
  Y10EngineConfig config;
  Y10Engine *engine;
  Y10Step step;

  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_CPU;
  config.precision = Y10_PRECISION_INT8;
  config.width = config.height = SIZE;
  config.threads = 1;
  engine = y10_engine_new (model, &config, NULL, &error);
  if (!engine) {
    check_error (error);
    return;
  }
  if (!y10_step_begin (engine, 0, &step, &error)
      || !y10_step_add (&step, &image, &params, &error)
      || !y10_step_submit (&step, &error) || !y10_step_wait (&step, -1, &error)
      || y10_step_read (&step, 0, rows, G_N_ELEMENTS (rows), &error) < 0)
    abort ();
  n_run++;
  y10_step_end (&step);
  y10_engine_unref (engine);
}

static gboolean
has_integers (const Y10TensorFile *file)
{
  for (guint i = 0; i < y10_tensor_file_get_n (file); i++)
    if (y10_tensor_file_get (file, i)->dtype == Y10_DTYPE_I8)
      return TRUE;
  return FALSE;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  gboolean integers = FALSE;
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
    integers = has_integers (file);
    y10_tensor_file_unref (file);
    model = y10_model_load (path, NULL, &error);
  }
  if (!file || !model)
    check_error (error);
  else if (integers)
    run_integers (model);
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

/* Writes a float that no scale may have, or another zero point, behind the header of a
 * safetensors file. */
static void
change_value (guint8 *data, gsize size)
{
  static const guint32 values[] = { 0x7f800000, 0x7fc00000, 0xff800000, 0,
    0x80000000, 0xbf800000, 1, 0x7f7fffff, 0x00800000 };
  guint64 length;
  gsize at;

  memcpy (&length, data, 8);
  if (size < 64 || length > size - 64)
    return;
  at = 8 + length + chance ((size - 8 - length) / 4) * 4;
  memcpy (data + at, &values[chance (G_N_ELEMENTS (values))], 4);
}

/* Changes a digit of the header, which is one of a shape or of a place in the file. */
static void
change_digit (guint8 *data, gsize size)
{
  for (gsize at = chance (MIN (size, 65536)), n = 0; at < size && n < 200;
       at++, n++)
    if (g_ascii_isdigit (data[at])) {
      data[at] = '0' + chance (10);
      return;
    }
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
        : chance (2)      ? chance (table)
                          : size - 1 - chance (table);

    copy[at] = chance (4) ? chance (256) : chance (2) ? 0 : 0xff;
  }
  if (!chance (10))
    length = chance (size);
  LLVMFuzzerTestOneInput (copy, length);
}

/* The same with one to three values or digits: random bytes would make a header that is
 * no JSON, and hit a scale rarely. */
static void
mutate_numbers (const guint8 *data, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (data, size);

  for (guint n = 1 + chance (3); n > 0; n--)
    if (chance (3))
      change_value (copy, size);
    else
      change_digit (copy, size);
  LLVMFuzzerTestOneInput (copy, size);
}

static void
fuzz (const char *path, guint runs, gboolean numbers)
{
  g_autofree char *data = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, &error))
    g_error ("%s", error->message);
  LLVMFuzzerTestOneInput ((const guint8 *) data, size);
  for (guint i = 0; i < runs && size; i++)
    if (numbers && i % 4)
      mutate_numbers ((const guint8 *) data, size);
    else
      mutate ((const guint8 *) data, size);
  printf ("%s: %u mutants, of which %u ran\n", path, runs, n_run);
  if (numbers && (n_run < runs / 20 || n_run > runs))
    g_error ("the mutants are all alike");
}

/* Replaces the file by one with integers. */
static void
quantize (const char *path)
{
  guint8 pixels[SIZE * SIZE];
  const Y10Image image = make_image (pixels);
  g_autoptr (GError) error = NULL;
  g_autoptr (Y10Model) model = y10_model_load (path, NULL, &error);
  Y10Quantizer *quantizer = model ? y10_quantizer_new (model, 1, &error) : NULL;

  for (guint i = 0; i < sizeof pixels; i++)
    pixels[i] = chance (256);
  if (!quantizer || !y10_quantizer_add (quantizer, &image, &error)
      || !y10_quantizer_save (quantizer, path, &error))
    g_error ("%s", error->message);
  y10_quantizer_free (quantizer);
}

/* Fuzzes the file that the program @seeded makes from @shapes. */
static void
fuzz_seeded (char *seeded, char *shapes, guint runs, gboolean quantized)
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
  if (quantized)
    quantize (path);
  fuzz (path, runs, quantized);
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
  if (argc - i >= 3
      && (!strcmp (argv[i], "--seeded") || !strcmp (argv[i], "--quantized"))) {
    for (int shapes = i + 2; shapes < argc; shapes++)
      fuzz_seeded (argv[i + 1], argv[shapes], runs,
          !strcmp (argv[i], "--quantized"));
    return 0;
  }
  for (; i < argc; i++)
    fuzz (argv[i], runs, FALSE);
  return 0;
}
#endif
