/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Arithmetic of PTX instructions, for one lane, by the PTX ISA. Approximate
 * instructions are computed as exactly as the C library does it: a GPU differs in the
 * last bits. */

#include "program.h"

#include <algorithm>
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "small_float.h"

using namespace y10_sim;

namespace y10_ptx {
static float
as_float (uint64_t v)
{
  return bits_float ((uint32_t) v);
}

static double
as_double (uint64_t v)
{
  double d;

  memcpy (&d, &v, sizeof d);
  return d;
}

static uint64_t
double_bits (double d)
{
  uint64_t v;

  memcpy (&v, &d, sizeof v);
  return v;
}

uint64_t
extend (uint64_t v, Type type)
{
  switch (type) {
    case PRED:
      return v & 1;
    case S8:
      return (uint64_t) (int8_t) v;
    case S16:
      return (uint64_t) (int16_t) v;
    case S32:
      return (uint64_t) (int32_t) v;
    default:
      switch (type_size (type)) {
        case 1:
          return (uint8_t) v;
        case 2:
          return (uint16_t) v;
        case 4:
          return (uint32_t) v;
        default:
          return v;
      }
  }
}

/* The bits that a register of that type holds. */
static uint64_t
cut (uint64_t v, Type type)
{
  unsigned size = type_size (type);

  return size == 8 ? v : v & ((1ull << 8 * size) - 1);
}

static float
saturate (float f)
{
  return !(f > 0) ? 0 : f > 1 ? 1 : f;
}

static float
flush (float f)
{
  return fabsf (f) < 0x1p-126f ? copysignf (0, f) : f;
}

/* a × b + c, rounded once, as the flags say. */
static float
fused (float a, float b, float c, uint32_t flags)
{
  volatile float x = a, y = b, z = c, result;
  int old;

  if (!(flags & (ROUND_DOWN | ROUND_UP | ROUND_ZERO)))
    return fmaf (a, b, c);
  old = fegetround ();
  fesetround (flags & ROUND_DOWN ? FE_DOWNWARD
          : flags & ROUND_UP     ? FE_UPWARD
                                 : FE_TOWARDZERO);
  result = fmaf (x, y, z);
  fesetround (old);
  return result;
}

static float
float_result (const Instruction &i, float a, float b, float c)
{
  bool nan = isnan (a) || isnan (b);

  switch (i.op) {
    case ADD:
      return i.flags ? fused (a, 1, b, i.flags) : a + b;
    case SUB:
      return a - b;
    case MUL:
      return i.flags & (ROUND_DOWN | ROUND_UP | ROUND_ZERO)
          ? fused (a, b, -0.f, i.flags)
          : a * b;
    case FMA:
    case MAD:
      return fused (a, b, c, i.flags);
    case DIV:
      return a / b;
    case MIN:
      return nan && i.flags & NAN_WINS ? NAN : fminf (a, b);
    case MAX:
      return nan && i.flags & NAN_WINS ? NAN : fmaxf (a, b);
    case NEG:
      return -a;
    case ABS:
      return fabsf (a);
    case RCP:
      return 1 / a;
    case SQRT:
      return sqrtf (a);
    case RSQRT:
      return (float) (1 / sqrt ((double) a));
    case EX2:
      return exp2f (i.flags & FLUSH ? flush (a) : a);
    default:
      return log2f (a);
  }
}

static double
double_result (const Instruction &i, double a, double b, double c)
{
  switch (i.op) {
    case ADD:
      return a + b;
    case SUB:
      return a - b;
    case MUL:
      return a * b;
    case DIV:
      return a / b;
    case NEG:
      return -a;
    case MIN:
      return fmin (a, b);
    case MAX:
      return fmax (a, b);
    default:
      return fma (a, b, c);
  }
}

static uint64_t
multiply (const Instruction &i, uint64_t a, uint64_t b)
{
  const Type t = i.type;

  if (i.flags & HIGH) {
    if (t == S64)
      return (uint64_t) ((__int128) (int64_t) a * (int64_t) b >> 64);
    if (t == U64)
      return (uint64_t) ((unsigned __int128) a * b >> 64);
    return extend (a, t) * extend (b, t) >> 32;
  }
  return extend (a, t) * extend (b, t);
}

static uint64_t
insert_bits (uint64_t from, uint64_t into, unsigned at, unsigned n, Type type)
{
  for (unsigned b = 0; b < n && at + b < 8 * type_size (type); b++)
    into = (into & ~(1ull << (at + b))) | (from >> b & 1) << (at + b);
  return into;
}

static uint64_t
find_highest (const Instruction &i, uint64_t v)
{
  const unsigned bits = 8 * type_size (i.type);
  unsigned at;

  if (is_signed (i.type) && v >> (bits - 1) & 1)
    v = ~v;
  v = cut (v, i.type);
  if (!v)
    return 0xffffffff;
  at = 63 - (unsigned) __builtin_clzll (v);
  return i.flags & SHIFT_AMOUNT ? bits - 1 - at : at;
}

static uint64_t
permute_bytes (uint64_t a, uint64_t b, uint64_t selector)
{
  const uint64_t both = (uint32_t) a | b << 32;
  uint32_t result = 0;

  for (unsigned k = 0; k < 4; k++) {
    const unsigned s = selector >> 4 * k & 15;
    uint8_t byte = (uint8_t) (both >> 8 * (s & 7));

    if (s & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= (uint32_t) byte << 8 * k;
  }
  return result;
}

static uint64_t
reverse (uint64_t v, Type type)
{
  const unsigned bits = 8 * type_size (type);
  uint64_t result = 0;

  for (unsigned b = 0; b < bits; b++)
    result |= (v >> b & 1) << (bits - 1 - b);
  return result;
}

static uint64_t
integer_result (const Instruction &i, const uint64_t *v)
{
  const Type t = i.type;
  const unsigned bits = 8 * type_size (t);
  const uint64_t a = extend (v[0], t), b = extend (v[1], t);
  const bool sign = is_signed (t);
  const bool less = sign ? (int64_t) a < (int64_t) b : a < b;

  switch (i.op) {
    case ADD:
      return a + b;
    case SUB:
      return a - b;
    case MUL:
      return multiply (i, a, b);
    case MAD:
      return multiply (i, a, b) + v[2];
    case DIV:
      return !b ? ~0ull : sign ? (uint64_t) ((int64_t) a / (int64_t) b) : a / b;
    case REM:
      return !b ? a : sign ? (uint64_t) ((int64_t) a % (int64_t) b) : a % b;
    case MIN:
      return less ? a : b;
    case MAX:
      return less ? b : a;
    case NEG:
      return 0 - a;
    case ABS:
      return (int64_t) a < 0 ? 0 - a : a;
    case AND:
      return a & b;
    case OR:
      return a | b;
    case XOR:
      return a ^ b;
    case NOT:
      return ~a;
    case SHL:
      return (uint32_t) v[1] >= bits ? 0 : a << (uint32_t) v[1];
    case SHR:
      if (sign)
        return (uint64_t) ((int64_t) a >> std::min ((uint32_t) v[1], bits - 1));
      return (uint32_t) v[1] >= bits ? 0 : a >> (uint32_t) v[1];
    case POPC:
      return (uint64_t) __builtin_popcountll (cut (a, t));
    case CLZ:
      return a ? (uint64_t) __builtin_clzll (a) - (64 - bits) : bits;
    case BREV:
      return reverse (a, t);
    case BFI:
      return insert_bits (v[0], v[1], v[2] & 255, v[3] & 255, t);
    case BFIND:
      return find_highest (i, v[0]);
    case PRMT:
      return permute_bytes (v[0], v[1], v[2]);
    default:
      return a;
  }
}

int
shuffle_from (Shuffle kind, int l, uint64_t by, uint64_t limits, bool *in_range)
{
  const int clamp = (int) (limits & 31), segment = (int) (limits >> 8 & 31),
            b = (int) (by & 31);
  const int most = (l & segment) | (clamp & ~segment), least = l & segment;
  const int from = kind == BFLY ? l ^ b
      : kind == IDX             ? least | (b & ~segment)
      : kind == UP              ? l - b
                                : l + b;

  *in_range = kind == UP ? from >= most : from <= most;
  return *in_range ? from : l;
}

static bool
compare_floats (Compare how, double a, double b)
{
  const bool unordered = isnan (a) || isnan (b);

  switch (how) {
    case EQ:
      return a == b;
    case NE:
      return !unordered && a != b;
    case LT:
      return a < b;
    case LE:
      return a <= b;
    case GT:
      return a > b;
    case GE:
      return a >= b;
    case NUM:
      return !unordered;
    case IS_NAN:
      return unordered;
    default:
      return unordered || compare_floats ((Compare) (how - EQU + EQ), a, b);
  }
}

static bool
compare_integers (Compare how, bool less, bool equal)
{
  switch (how) {
    case EQ:
      return equal;
    case NE:
      return !equal;
    case LT:
      return less;
    case LE:
      return less || equal;
    case GT:
      return !less && !equal;
    default:
      return !less;
  }
}

static bool
compare (const Instruction &i, const uint64_t *v)
{
  const uint64_t a = extend (v[0], i.type), b = extend (v[1], i.type);

  if (i.type == F32)
    return compare_floats ((Compare) i.kind, as_float (a), as_float (b));
  if (i.type == F64)
    return compare_floats ((Compare) i.kind, as_double (a), as_double (b));
  return compare_integers ((Compare) i.kind,
      is_signed (i.type) ? (int64_t) a < (int64_t) b : a < b, a == b);
}

static double
read_number (uint64_t v, Type type)
{
  switch (type) {
    case F16:
      return half_to_float ((uint16_t) v);
    case BF16:
      return bf16_to_float ((uint16_t) v);
    case F32:
      return as_float (v);
    case F64:
      return as_double (v);
    default:
      return is_signed (type) ? (double) (int64_t) extend (v, type)
                              : (double) extend (v, type);
  }
}

/* To the nearest whole number, or to the one that the rounding mode gives. */
static double
make_whole (double d, uint32_t flags)
{
  return flags & TO_NEAREST_INT ? nearbyint (d)
      : flags & ROUND_DOWN      ? floor (d)
      : flags & ROUND_UP        ? ceil (d)
                                : trunc (d);
}

static uint64_t
to_integer (double d, Type type, uint32_t flags)
{
  const int bits = 8 * (int) type_size (type);
  const bool sign = is_signed (type);
  const double least = sign ? -ldexp (1, bits - 1) : 0,
               limit = ldexp (1, sign ? bits - 1 : bits);

  d = make_whole (d, flags);
  if (isnan (d))
    return 0;
  if (d >= limit)
    return sign      ? (1ull << (bits - 1)) - 1
        : bits == 64 ? ~0ull
                     : (1ull << bits) - 1;
  d = std::max (d, least);
  return sign ? (uint64_t) (int64_t) d : (uint64_t) d;
}

static bool
is_float (Type type)
{
  return type >= F16;
}

/* To 11 significant bits, halves away from zero. */
static uint32_t
to_tf32 (float f)
{
  return isfinite (f) ? (float_bits (f) + 0x1000) & 0xffffe000u
                      : float_bits (f);
}

static uint64_t
convert (const Instruction &i, const uint64_t *args)
{
  const uint64_t v = args[0];

  /* The first argument becomes the upper half. */
  if (i.type == F16X2)
    return (uint32_t) float_to_half (as_float (v)) << 16
        | float_to_half (as_float (args[1]));
  if (i.type == BF16X2)
    return (uint32_t) float_to_bf16 (as_float (v)) << 16
        | float_to_bf16 (as_float (args[1]));
  if (!is_float (i.type) && !is_float (i.from))
    return extend (v, i.from);
  if (!is_float (i.type))
    return to_integer (read_number (v, i.from), i.type, i.flags);
  switch (i.type) {
    case F16:
      return float_to_half ((float) read_number (v, i.from));
    case BF16:
      return float_to_bf16 ((float) read_number (v, i.from));
    case TF32:
      return to_tf32 ((float) read_number (v, i.from));
    case F64:
      return double_bits (read_number (v, i.from));
    default: {
      /* A 64-bit integer is rounded once. */
      float f = i.from == U64 ? (float) v
          : i.from == S64     ? (float) (int64_t) v
                              : (float) read_number (v, i.from);

      if (i.flags & TO_NEAREST_INT
          || (i.from == F32 && i.flags & (ROUND_DOWN | ROUND_UP | ROUND_ZERO)))
        f = (float) make_whole (f, i.flags);
      return float_bits (i.flags & SATURATE ? saturate (f) : f);
    }
  }
}

uint64_t
compute (const Instruction &i, const uint64_t *v)
{
  float f;

  switch (i.op) {
    case SETP:
      return compare (i, v);
    case SELP:
      return cut (v[2] & 1 ? v[0] : v[1], i.type);
    case CVT:
      return cut (convert (i, v), i.type);
    default:
      break;
  }
  if (i.type == F32) {
    f = float_result (i, as_float (v[0]), as_float (v[1]), as_float (v[2]));
    if (i.flags & SATURATE)
      f = saturate (f);
    return float_bits (i.flags & FLUSH ? flush (f) : f);
  }
  if (i.type == F64)
    return double_bits (double_result (i, as_double (v[0]), as_double (v[1]),
        as_double (v[2])));
  if (i.flags & WIDE)
    return cut (integer_result (i, v), type_size (i.type) == 2 ? U32 : U64);
  /* A predicate is one bit: not.pred. */
  return i.type == PRED ? integer_result (i, v) & 1
                        : cut (integer_result (i, v), i.type);
}
}
