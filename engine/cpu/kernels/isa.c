/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Instruction set of our own SIMD code: what the CPU supports, the operating
 * system enables and the user allows. All code that chooses a kernel calls
 * this, so that one environment variable makes a test run each of them. */

#include "isa.h"

#include <string.h>

#ifndef Y10_CPU_ISAS /* Meson and a test have their own */
#include "cpu/cpu-kernels.h"
#endif

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

/* From Linux's asm/prctl.h and its documentation of x86's xstate. */
#define ARCH_REQ_XCOMP_PERM 0x1023
#define XFEATURE_XTILEDATA 18
#endif

static const char *const names[] = {
  [Y10_ISA_C] = "c",
  [Y10_ISA_SSE41] = "sse41",
  [Y10_ISA_AVX2] = "avx2",
  [Y10_ISA_AVX_VNNI] = "avx_vnni",
  [Y10_ISA_AVX512] = "avx512",
  [Y10_ISA_AVX512_VNNI] = "avx512_vnni",
  [Y10_ISA_AVX512_BF16] = "avx512_bf16",
  [Y10_ISA_AMX_BF16] = "amx_bf16",
  [Y10_ISA_NEON] = "neon",
  [Y10_ISA_NEON_DOTPROD] = "neon_dotprod",
  [Y10_ISA_NEON_BF16] = "neon_bf16",
  [Y10_ISA_NEON_I8MM] = "neon_i8mm",
};

/* Those of this architecture. */
static const Y10Isa known[] = {
  Y10_ISA_C,
#if defined(__x86_64__) || defined(__i386__)
  Y10_ISA_SSE41,
  Y10_ISA_AVX2,
  Y10_ISA_AVX_VNNI,
  Y10_ISA_AVX512,
  Y10_ISA_AVX512_VNNI,
  Y10_ISA_AVX512_BF16,
  Y10_ISA_AMX_BF16,
#elif defined(__aarch64__)
  Y10_ISA_NEON,
  Y10_ISA_NEON_DOTPROD,
  Y10_ISA_NEON_BF16,
  Y10_ISA_NEON_I8MM,
#endif
};

/* Those of which all kernels were compiled that the engine would choose. */
static const Y10Isa compiled[] = { Y10_CPU_ISAS };

#if defined(__aarch64__)
/* Of AT_HWCAP, and of AT_HWCAP2; older C libraries do not define all. */
#define HAS_DOTPROD (1UL << 20)
#define HAS_I8MM (1UL << 13)
#define HAS_BF16 (1UL << 14)
#endif

const char *
y10_isa_get_name (Y10Isa isa)
{
  return (guint) isa < G_N_ELEMENTS (names) ? names[isa] : NULL;
}

#if defined(__x86_64__) || defined(__i386__)
/* Linux gives the tile registers only to processes that ask for them. All of the
 * process's threads may then use them. */
static gboolean
get_amx (void)
{
#if defined(__x86_64__) && defined(__linux__)
  guint a, b, c, d = 0;

  return __get_cpuid_count (7, 0, &a, &b, &c, &d)
      && (d & 1u << 22) /* AMX-BF16 */
      && (d & 1u << 24) /* AMX-TILE */
      && (d & 1u << 25) /* AMX-INT8 */
      && syscall (SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
#else
  return FALSE;
#endif
}

#endif

static gboolean
has_avx_vnni (void)
{
#if defined(__x86_64__) || defined(__i386__)
  guint a = 0, b, c, d;

  return __get_cpuid_count (7, 1, &a, &b, &c, &d) && (a & 1 << 4);
#else
  return FALSE;
#endif
}

/* Of sets up to @allowed. */
static Y10Isa
detect (Y10Isa allowed)
{
#if defined(__x86_64__) || defined(__i386__)
  guint a, b, c = 0, d;

  /* __builtin_cpu_supports() returns 0 for AVX if the system does not save its
   * registers. Some compilers cannot query F16C. */
  __builtin_cpu_init ();
  if (!__builtin_cpu_supports ("sse4.1"))
    return Y10_ISA_C;
  if (!__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma")
      || !__get_cpuid (1, &a, &b, &c, &d) || !(c & bit_F16C))
    return Y10_ISA_SSE41;
  if (!__builtin_cpu_supports ("avx512f")
      || !__builtin_cpu_supports ("avx512bw")
      || !__builtin_cpu_supports ("avx512dq")
      || !__builtin_cpu_supports ("avx512vl"))
    return has_avx_vnni () ? Y10_ISA_AVX_VNNI : Y10_ISA_AVX2;
  if (!__builtin_cpu_supports ("avx512vnni"))
    return Y10_ISA_AVX512;
  if (!__builtin_cpu_supports ("avx512bf16"))
    return Y10_ISA_AVX512_VNNI;
  return allowed >= Y10_ISA_AMX_BF16 && get_amx () ? Y10_ISA_AMX_BF16
                                                   : Y10_ISA_AVX512_BF16;
#elif defined(__aarch64__)
  if (!(getauxval (AT_HWCAP) & HAS_DOTPROD))
    return Y10_ISA_NEON;
  if (!(getauxval (AT_HWCAP2) & HAS_BF16))
    return Y10_ISA_NEON_DOTPROD;
  return getauxval (AT_HWCAP2) & HAS_I8MM ? Y10_ISA_NEON_I8MM
                                          : Y10_ISA_NEON_BF16;
#else
  return Y10_ISA_C;
#endif
}

/* AMX multiplies bfloat16 eight times as fast as AVX-512 does floats. Without it,
 * AMD's CPUs (Zen 4) run as many bfloat16 products of pairs as fp32 products.
 * Intel's run half as many, so nothing is gained, and fp32 has Winograd's method:
 * yolov10n took 1.7 times as long in bfloat16 as in fp32 on a Xeon, and 0.66
 * times as long on an EPYC, where fp32 had only F(2×2, 3×3). ARM's have not been
 * measured. */
gboolean
y10_cpu_is_bf16_faster (void)
{
#if defined(__x86_64__) || defined(__i386__)
  guint a, b = 0, c = 0, d = 0;

  if (y10_cpu_isa () < Y10_ISA_AVX512_BF16)
    return FALSE;
  if (y10_cpu_isa () >= Y10_ISA_AMX_BF16)
    return TRUE;
  /* "GenuineIntel" */
  return !(__get_cpuid (0, &a, &b, &c, &d) && b == signature_INTEL_ebx
      && c == signature_INTEL_ecx && d == signature_INTEL_edx);
#else
  return FALSE;
#endif
}

/* VNNI multiplies four times as many integers as fp32 has products; yolov10n took
 * half as long as in fp32 on a Xeon. Without it, they have to be widened, and nothing
 * is gained. AMX multiplies them faster than bfloat16. */
gboolean
y10_cpu_is_int8_faster (void)
{
  Y10Isa isa = y10_cpu_isa ();

  return isa == Y10_ISA_AVX_VNNI
      || (isa >= Y10_ISA_AVX512_VNNI && isa <= Y10_ISA_AMX_BF16);
}

static Y10Isa
best_of (const Y10Isa *isas, guint n, Y10Isa most)
{
  Y10Isa best = Y10_ISA_C;

  for (guint i = 0; i < n; i++)
    if (isas[i] <= most && (isas[i] != Y10_ISA_AVX_VNNI || has_avx_vnni ()))
      best = MAX (best, isas[i]);
  return best;
}

void
y10_cpu_isa_describe_build (GString *text)
{
  if (G_N_ELEMENTS (compiled) == G_N_ELEMENTS (known))
    return;
  g_string_append_printf (text, "%s; this build has kernels only for",
      y10_isa_get_name (y10_cpu_isa ()));
  for (guint i = 0; i < G_N_ELEMENTS (compiled); i++)
    g_string_append_printf (text, "%s %s", i ? "," : "", names[compiled[i]]);
  g_string_append (text, " (-Dcpu-kernels=all: for all CPUs)");
}

Y10Isa
y10_cpu_isa (void)
{
  static gsize result; /* 1 + the result */

  if (g_once_init_enter (&result)) {
    const char *limit = g_getenv ("Y10_MAX_CPU_ISA");
    Y10Isa isa, best, allowed = known[G_N_ELEMENTS (known) - 1];

    if (limit != NULL && *limit != '\0') {
      g_autoptr (GString) expected = g_string_new (NULL);
      guint i;

      for (i = 0; i < G_N_ELEMENTS (known); i++) {
        if (strcmp (limit, names[known[i]]) == 0)
          break;
        g_string_append_printf (expected, "%s%s",
            i == 0                             ? ""
                : i + 1 < G_N_ELEMENTS (known) ? ", "
                                               : " or ",
            names[known[i]]);
      }
      if (i < G_N_ELEMENTS (known))
        allowed = known[i];
      else
        g_warning ("Y10_MAX_CPU_ISA is \"%s\", expected %s; ignoring it", limit,
            expected->str);
    }
    best = best_of (known, G_N_ELEMENTS (known),
        MIN (detect (allowed), allowed));
    isa = best_of (compiled, G_N_ELEMENTS (compiled), best);
    if (isa != best)
      g_warning (
          "this build has no kernels for %s and uses those for %s, which "
          "are slower; tools/setup.sh adds those for this CPU, "
          "-Dcpu-kernels=all adds all",
          names[best], names[isa]);
    g_once_init_leave (&result, (gsize) isa + 1);
  }
  return result - 1;
}
