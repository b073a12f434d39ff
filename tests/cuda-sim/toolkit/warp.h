/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Exchanges within a warp. All lanes of a mask that have not left the kernel
 * must reach the same operation; a value read from a lane that did not take
 * part is garbage. Included by cuda_sim.h alone. */

static inline void
__syncwarp (unsigned mask = 0xffffffffu, Y10_SITE_PARAMS)
{
  y10_sim::warp_sync (y10_sim::WARP_SYNC, mask, 0, 0, file, line);
}

namespace y10_sim
{
template <typename T>
static inline T
shfl (unsigned mask, T value, int lane, const char *file, int line)
{
  static_assert (sizeof (T) <= 8 && __is_trivially_copyable (T),
      "a shuffle moves at most 8 bytes");
  unsigned long long bits = 0;
  T result;

  memcpy (&bits, &value, sizeof value);
  bits = warp_sync (WARP_SHFL, mask, bits, lane, file, line);
  memcpy (&result, &bits, sizeof result);
  return result;
}
}

template <typename T>
static inline T
__shfl_sync (unsigned mask, T value, int lane, int width = 32, Y10_SITE_PARAMS)
{
  int self = (int) y10_sim::current.lane;

  return y10_sim::shfl (mask, value, (self & ~(width - 1)) | (lane & (width - 1)), file,
      line);
}

template <typename T>
static inline T
__shfl_up_sync (unsigned mask, T value, unsigned delta, int width = 32, Y10_SITE_PARAMS)
{
  int self = (int) y10_sim::current.lane, first = self & ~(width - 1);
  int lane = self - (int) delta;

  return y10_sim::shfl (mask, value, lane < first ? self : lane, file, line);
}

template <typename T>
static inline T
__shfl_down_sync (unsigned mask, T value, unsigned delta, int width = 32, Y10_SITE_PARAMS)
{
  int self = (int) y10_sim::current.lane, last = self | (width - 1);
  int lane = self + (int) delta;

  return y10_sim::shfl (mask, value, lane > last ? self : lane, file, line);
}

template <typename T>
static inline T
__shfl_xor_sync (unsigned mask, T value, int bits, int width = 32, Y10_SITE_PARAMS)
{
  int self = (int) y10_sim::current.lane, last = self | (width - 1);
  int lane = self ^ bits;

  return y10_sim::shfl (mask, value, lane > last ? self : lane, file, line);
}

static inline unsigned
__ballot_sync (unsigned mask, int predicate, Y10_SITE_PARAMS)
{
  return (unsigned) y10_sim::warp_sync (y10_sim::WARP_BALLOT, mask,
      predicate != 0, 0, file, line);
}

static inline int
__any_sync (unsigned mask, int predicate, Y10_SITE_PARAMS)
{
  return __ballot_sync (mask, predicate, file, line) != 0;
}

static inline int
__all_sync (unsigned mask, int predicate, Y10_SITE_PARAMS)
{
  return __ballot_sync (mask, !predicate, file, line) == 0;
}

template <typename T>
static inline unsigned
__match_any_sync (unsigned mask, T value, Y10_SITE_PARAMS)
{
  unsigned long long bits = 0;

  static_assert (sizeof (T) <= 8, "a match compares at most 8 bytes");
  memcpy (&bits, &value, sizeof value);
  return (unsigned) y10_sim::warp_sync (y10_sim::WARP_MATCH_ANY, mask, bits, 0, file, line);
}

template <typename T>
static inline unsigned
__match_all_sync (unsigned mask, T value, int *predicate, Y10_SITE_PARAMS)
{
  unsigned long long bits = 0;
  unsigned result;

  static_assert (sizeof (T) <= 8, "a match compares at most 8 bytes");
  memcpy (&bits, &value, sizeof value);
  result = (unsigned) y10_sim::warp_sync (y10_sim::WARP_MATCH_ALL, mask, bits, 0, file, line);
  *predicate = result != 0;
  return result;
}

/* Which lanes happen to run together is undefined: this lane alone is always a
 * valid answer. */
static inline unsigned
__activemask ()
{
  return 1u << y10_sim::current.lane;
}
