/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Tensor cores, and asynchronous copies to shared memory, by the PTX ISA. A copy takes
 * place as late as it may, when its thread waits for it; until then nobody may touch
 * where it writes. Sums are exact up to their last rounding, which is toward zero, as tensor cores
 * have it (M. Fasi et al., Numerical behavior of NVIDIA tensor cores, PeerJ Computer
 * Science 7, 2021): a GPU rounds more often. */

#include "block.h"

#include <math.h>
#include <string.h>

#include <algorithm>

#include "small_float.h"

namespace y10_ptx {
#define COPY_SIZE 16

/* The copy's place is written from now on, for whoever else has used it since the last
 * barrier. */
bool
Block::begin_copy (Warp *w, const Instruction &i, int l)
{
  const uint64_t to = R (i.args[0]), size = R (i.args[2]);
  const uint8_t *from = (const uint8_t *) (R (i.args[1]) + (uint64_t) i.offset);
  Instruction piece = i;
  uint8_t *p;

  piece.type = B8;
  piece.n = COPY_SIZE;
  piece.space = SHARED;
  p = resolve (w, piece, l, to, WRITE);
  if (!p)
    return false;
  if (size != 0 && size != COPY_SIZE)
    return fail (w, i, l, "it copies %u bytes; 0 and 16 are known",
        (unsigned) size);
  piece.space = GLOBAL;
  if (size && !resolve (w, piece, l, (uint64_t) from, READ))
    return false;
  for (unsigned k = 0; k < COPY_SIZE; k++)
    shadow[(size_t) (p - shared.data ()) + k].copying = true;
  memset (p, 0xff, COPY_SIZE); /* NaN */
  w->copies[l].push_back ({ p, size ? from : nullptr, w->group[l] });
  return true;
}

bool
Block::wait_for_copies (Warp *w, const Instruction &i, int l, unsigned allowed)
{
  std::vector<Copy> &copies = w->copies[l];
  size_t n = 0;

  for (; n < copies.size () && copies[n].group + allowed < w->group[l]; n++) {
    const Copy &c = copies[n];
    const size_t at = (size_t) (c.to - shared.data ());

    for (size_t k = at; k < at + COPY_SIZE; k++)
      shadow[k].copying = false;
    if (!check_race (w, i, l, at, COPY_SIZE, WRITE))
      return false;
    if (c.from)
      memcpy (c.to, c.from, COPY_SIZE);
    else
      memset (c.to, 0, COPY_SIZE);
  }
  copies.erase (copies.begin (), copies.begin () + (long) n);
  return true;
}

/* Lane 8 m + r has the address of row r of matrix m; lane l gets two numbers of row
 * l / 4. */
bool
Block::load_matrices (Warp *w, const Instruction &i)
{
  uint32_t value[4][32];
  Instruction row = i;

  row.type = B16;
  row.n = 8;
  row.space = SHARED;
  for (int from = 0; from < 8 * i.n; from++) {
    const int l = from;
    const uint8_t *p = resolve (w, row, l, R (i.args[0]) + (uint64_t) i.offset,
        READ);

    if (!p)
      return false;
    memcpy (&value[from / 8][from % 8 * 4], p, 16);
  }
  for (int m = 0; m < i.n; m++)
    LANES (~0u)
  R (i.to[(size_t) m]) = value[m][l];
  return true;
}

static float
round_to_zero (double v)
{
  const float f = (float) v;

  return fabs ((double) f) > fabs (v) ? nextafterf (f, 0) : f;
}

/* 16 by n times n by 8 numbers. Registers a: rows l / 4 and 8 below, columns 2 (l % 4)
 * and 8 to the right; b: rows 2 (l % 4), column l / 4; sums: rows l / 4 and 8 below,
 * columns 2 (l % 4). A register holds two numbers or one of tf32, which is half as wide:
 * columns l % 4 and 4 to the right. Of tf32 only the upper 19 bits count. */
void
Block::multiply_matrices (Warp *w, const Instruction &i)
{
  const int wide = i.from == TF32 ? 1 : 2, half_width = 4 * wide,
            halves = i.n / half_width;
  float a[16][16], b[16][8];
  auto number = [&i] (uint64_t v, int k) {
    const uint16_t half = (uint16_t) (v >> 16 * k);

    if (i.from == TF32)
      return y10_sim::bits_float ((uint32_t) v & 0xffffe000u);
    return i.from == F16 ? y10_sim::half_to_float (half)
                         : y10_sim::bf16_to_float (half);
  };

  LANES (~0u)
  for (int k = 0; k < wide; k++)
    for (int half = 0; half < halves; half++) {
      const int at = half * half_width + l % 4 * wide + k;

      a[l / 4][at] = number (R (i.args[(size_t) half * 2]), k);
      a[l / 4 + 8][at] = number (R (i.args[(size_t) half * 2 + 1]), k);
      b[at][l / 4] = number (R (i.args[(size_t) (halves * 2 + half)]), k);
    }
  LANES (~0u)
  for (int k = 0; k < 4; k++) {
    const int row = l / 4 + k / 2 * 8, column = l % 4 * 2 + k % 2;
    double sum = y10_sim::bits_float (
        (uint32_t) R (i.args[(size_t) (halves * 3 + k)]));

    for (int d = 0; d < i.n; d++)
      sum += (double) a[row][d] * b[d][column];
    R (i.to[(size_t) k]) = y10_sim::float_bits (round_to_zero (sum));
  }
}

bool
Block::execute_together (Warp *w, const Instruction &i, uint32_t active)
{
  if (active != ~0u)
    return fail (w, i, active ? __builtin_ctz (active) : 0,
        "only the lanes %08x of the warp are here", active);
  if (i.op == LDMATRIX)
    return load_matrices (w, i);
  multiply_matrices (w, i);
  return true;
}
}
