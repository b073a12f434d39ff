/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reports, random numbers and settings of the simulated GPU, and the kernels
 * that are linked in. */

#include "sim.h"

#include <atomic>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/attention.h"
#include "kernels/conv.h"
#include "kernels/depthwise.h"
#include "kernels/epilogue.h"
#include "kernels/head.h"
#include "kernels/maxpool5.h"
#include "kernels/overlay.h"
#include "kernels/preprocess.h"
#include "kernels/separable.h"
#include "kernels/stem.h"
#include "kernels/upsample2x.h"
#include "ptx.h"

/* Weak: a kernel that does not exist yet is not found. */
#define Y10_DECLARE(name, type) \
  extern "C" __attribute__ ((weak)) void name (Y10K##type p);
#define Y10_DECLARE_TYPED(name, type) \
  Y10_DECLARE (y10_##name##_f32, type) \
  Y10_DECLARE (y10_##name##_f16, type) \
  Y10_DECLARE (y10_##name##_bf16, type)
#define Y10_DECLARE_UNTYPED(name, type) Y10_DECLARE (y10_##name, type)
/* clang-format off */
Y10_TYPED_KERNELS (Y10_DECLARE_TYPED)
Y10_UNTYPED_KERNELS (Y10_DECLARE_UNTYPED)
Y10_PAINTER_KERNELS (Y10_DECLARE_UNTYPED)
/* clang-format on */

#define Y10_ENTRY(name, type) \
  { (void (*) ()) name, { #name, sizeof (Y10K##type), [] (const void *p) { \
                           name (*(const Y10K##type *) p); \
                         } } },
#define Y10_ENTRY_TYPED(name, type) \
  Y10_ENTRY (y10_##name##_f32, type) \
  Y10_ENTRY (y10_##name##_f16, type) \
  Y10_ENTRY (y10_##name##_bf16, type)
#define Y10_ENTRY_UNTYPED(name, type) Y10_ENTRY (y10_##name, type)

static const struct
{
  void (*function) ();
  Y10SimKernel kernel;
} linked[] = {
  /* clang-format off */
  Y10_TYPED_KERNELS (Y10_ENTRY_TYPED) Y10_UNTYPED_KERNELS (Y10_ENTRY_UNTYPED)
  Y10_PAINTER_KERNELS (Y10_ENTRY_UNTYPED)
  /* clang-format on */
};

/* Tensor cores exist only in the executor of PTX. */
static const Y10SimKernel of_tensor_cores[] = {
/* clang-format off */
#define Y10_IGEMM_TILE(rows, columns, ...) \
  { "y10_igemm_f16_" #rows "x" #columns "_k1", sizeof (Y10KIgemm), nullptr }, \
  { "y10_igemm_f16_" #rows "x" #columns "_k3", sizeof (Y10KIgemm), nullptr }, \
  { "y10_igemm_bf16_" #rows "x" #columns "_k1", sizeof (Y10KIgemm), nullptr }, \
  { "y10_igemm_bf16_" #rows "x" #columns "_k3", sizeof (Y10KIgemm), nullptr },
  /* clang-format on */
  Y10_IGEMM_TILES (Y10_IGEMM_TILE)
#undef Y10_IGEMM_TILE
/* clang-format off */
#define Y10_IGEMM_TILE(rows, columns, ...) \
  { "y10_igemm_tf32_" #rows "x" #columns "_k1", sizeof (Y10KIgemm), nullptr }, \
  { "y10_igemm_tf32_" #rows "x" #columns "_k3", sizeof (Y10KIgemm), nullptr }, \
  { "y10_igemm_f32_" #rows "x" #columns "_k1", sizeof (Y10KIgemm), nullptr }, \
  { "y10_igemm_f32_" #rows "x" #columns "_k3", sizeof (Y10KIgemm), nullptr },
  /* clang-format on */
  Y10_IGEMM_FLOAT_TILES (Y10_IGEMM_TILE)
#undef Y10_IGEMM_TILE
/* clang-format off */
#define Y10_SEPARABLE_TILE(rows, columns, ...) \
  { "y10_separable_f16_" #rows "x" #columns, sizeof (Y10KSeparable), nullptr }, \
  { "y10_separable_bf16_" #rows "x" #columns, sizeof (Y10KSeparable), nullptr }, \
  { "y10_separable_logits_f16_" #rows "x" #columns, sizeof (Y10KSeparable), nullptr }, \
  { "y10_separable_logits_bf16_" #rows "x" #columns, sizeof (Y10KSeparable), nullptr },
  /* clang-format on */
  Y10_SEPARABLE_TILES (Y10_SEPARABLE_TILE)
#undef Y10_SEPARABLE_TILE
};

/* Reports after so many repeat the same faults. */
#define MAX_PRINTED 20

static std::mutex lock; /* protects the variables below */
static GPtrArray *registered;
static char last_report[1024];
static std::atomic<guint> n_reports, sm;
static std::atomic<gboolean> quiet;
static std::atomic<guint64> state;
static std::atomic<gboolean> seeded;

guint
y10_sim_n_reports (void)
{
  return n_reports;
}

const char *
y10_sim_last_report (void)
{
  return last_report;
}

void
y10_sim_reset_reports (void)
{
  std::lock_guard<std::mutex> guard (lock);

  n_reports = 0;
  last_report[0] = 0;
}

void
y10_sim_set_quiet (gboolean q)
{
  quiet = q;
}

void
y10_sim_report (const char *format, ...)
{
  std::lock_guard<std::mutex> guard (lock);
  va_list args;

  va_start (args, format);
  g_vsnprintf (last_report, sizeof last_report, format, args);
  va_end (args);
  if (++n_reports <= MAX_PRINTED && !quiet)
    fprintf (stderr, "cuda-sim: %s\n", last_report);
}

/* A process whose simulator has reports must not exit with success, even if the
 * program accepts its results. */
__attribute__ ((destructor (200))) static void
at_exit (void)
{
  const char *text = getenv ("Y10_SIM_EXIT");

  if (n_reports == 0 || (text && strcmp (text, "0") == 0))
    return;
  fprintf (stderr, "cuda-sim: %u reports\n", (guint) n_reports);
  fflush (nullptr);
  _exit (99);
}

void
y10_sim_set_seed (guint64 seed)
{
  state = seed;
  seeded = TRUE;
}

/* SplitMix64: any thread, and the same sequence for the same order of calls. */
guint64
y10_sim_random (void)
{
  guint64 z;

  if (!seeded) {
    const char *text = getenv ("Y10_SIM_SEED");

    y10_sim_set_seed (text ? g_ascii_strtoull (text, nullptr, 10) : 0);
  }
  z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

void
y10_sim_set_sm (guint value)
{
  sm = value;
}

guint
y10_sim_sm (void)
{
  if (sm == 0) {
    const char *text = getenv ("Y10_SIM_CAPABILITY");
    double value = text ? g_ascii_strtod (text, nullptr) : 7.5;

    sm = (guint) (value * 10 + 0.5);
  }
  return sm;
}

/* The maximum of shared memory per block, by the programming guide's table. */
guint
y10_sim_max_shared_optin (void)
{
  switch (y10_sim_sm ()) {
    case 75:
      return 64 << 10;
    case 86:
    case 89:
    case 120:
      return 99 << 10;
    case 80:
    case 87:
      return 163 << 10;
    default:
      return y10_sim_sm () < 75 ? 48 << 10 : 227 << 10;
  }
}

void
y10_sim_register (const Y10SimKernel *kernel)
{
  std::lock_guard<std::mutex> guard (lock);

  if (!registered)
    registered = g_ptr_array_new ();
  g_ptr_array_add (registered, (gpointer) kernel);
}

const Y10SimKernel *
y10_sim_kernel (const char *name)
{
  std::lock_guard<std::mutex> guard (lock);

  for (guint i = 0; i < G_N_ELEMENTS (linked); i++)
    if (linked[i].function && strcmp (linked[i].kernel.name, name) == 0)
      return &linked[i].kernel;
  for (const Y10SimKernel &k : of_tensor_cores)
    if (strcmp (k.name, name) == 0 && y10_ptx_has (name))
      return &k;
  for (guint i = 0; registered && i < registered->len; i++) {
    const Y10SimKernel *k = (const Y10SimKernel *)
        g_ptr_array_index (registered, i);

    if (strcmp (k->name, name) == 0)
      return k;
  }
  return nullptr;
}

/* Y10_SIM_BREAK=barrier:FILE:LINE. */
static const char *broken_file;
static int broken_line;
static std::atomic<guint64> n_skipped;

__attribute__ ((constructor)) static void
read_broken_barrier (void)
{
  const char *text = getenv ("Y10_SIM_BREAK"), *colon;

  if (!text || !g_str_has_prefix (text, "barrier:"))
    return;
  broken_file = text + strlen ("barrier:");
  colon = strrchr (broken_file, ':');
  broken_line = colon ? atoi (colon + 1) : 0;
}

gboolean
y10_sim_skips_barrier (const char *file, int line)
{
  const char *name;
  gsize length;

  if (G_LIKELY (line != broken_line))
    return FALSE;
  name = strrchr (file, '/');
  name = name ? name + 1 : file;
  length = strlen (name);
  if (strncmp (broken_file, name, length) != 0 || broken_file[length] != ':')
    return FALSE;
  n_skipped++;
  return TRUE;
}

__attribute__ ((destructor)) static void
print_skipped (void)
{
  if (broken_line)
    fprintf (stderr,
        "cuda-sim: %" G_GUINT64_FORMAT
        " threads went on without the barrier %s\n",
        (guint64) n_skipped, broken_file);
}
