/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Instruction sets of our own SIMD code; each includes those before it of the
 * same architecture, except that AVX-VNNI is not part of AVX-512. */
typedef enum
{
  Y10_ISA_C, /* portable C */
  /* x86 */
  Y10_ISA_SSE41,
  Y10_ISA_AVX2, /* AVX2, FMA, F16C */
  Y10_ISA_AVX_VNNI,
  Y10_ISA_AVX512, /* F, BW, DQ, VL */
  Y10_ISA_AVX512_VNNI,
  Y10_ISA_AVX512_BF16,
  Y10_ISA_AMX_BF16,
  /* AArch64 */
  Y10_ISA_NEON,
  Y10_ISA_NEON_DOTPROD, /* SDOT */
  Y10_ISA_NEON_BF16,    /* BFDOT and BFCVTN */
  Y10_ISA_NEON_I8MM,    /* USMMLA */
} Y10Isa;

/* The best set that this CPU supports and whose kernels were compiled, limited by
 * the environment variable Y10_MAX_CPU_ISA, the name of one of the architecture's
 * sets. Thread-safe; computed once. */
Y10Isa y10_cpu_isa (void);
/* If the build lacks kernels, appends the set's name and for which it has some. */
void y10_cpu_isa_describe_build (GString *text);
/* Whether bfloat16 is faster than fp32 on this CPU. Depends on y10_cpu_isa()
 * and the CPU's maker only. */
gboolean y10_cpu_is_bf16_faster (void);
/* Whether integers of 8 bits are faster than fp32 and bfloat16. Depends on y10_cpu_isa() only. */
gboolean y10_cpu_is_int8_faster (void);
const char *y10_isa_get_name (Y10Isa isa);

G_END_DECLS
