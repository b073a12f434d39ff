/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A block of threads that runs a kernel in PTX: run.cpp; what a warp does as a whole on
 * matrices, and asynchronous copies: matrix.cpp. */

#include "program.h"
#include "ptx.h"

#include "shadow.h"

namespace y10_ptx {
enum State : uint8_t
{
  RUNNING,
  AT_BARRIER,
  AT_WARP_SYNC,
  GONE
};

enum Access
{
  READ,
  WRITE,
  ATOMIC
};

/* An asynchronous copy that is not yet waited for. */
struct Copy
{
  uint8_t *to;
  const uint8_t *from; /* NULL: zeros */
  unsigned group;
};

struct Warp
{
  std::vector<uint64_t> r; /* [register][lane] */
  unsigned pc[32];
  State state[32];
  uint32_t mask[32]; /* of the lanes that are to meet AT_WARP_SYNC */
  unsigned first;    /* thread */
  uint32_t lanes;    /* that exist */
  unsigned epoch;    /* counts the times at which its lanes met */
  std::vector<Copy> copies[32];
  unsigned group[32]; /* which the next copy belongs to */
};

class Block {
public:
  Block (const Kernel &kernel, Y10KLaunch launch, const void *params);
  bool run (const unsigned index[3]);

private:
  bool fail (const Warp *w, const Instruction &i, int lane, const char *format,
      ...) __attribute__ ((format (printf, 5, 6)));
  void begin_warp (Warp *w, bool first_block);
  uint64_t special (const std::string &name, unsigned thread) const;
  bool check_race (const Warp *w, const Instruction &i, int lane, size_t at,
      size_t size, Access access);
  uint8_t *resolve (const Warp *w, const Instruction &i, int lane,
      uint64_t address, Access access);
  bool access (Warp *w, const Instruction &i, int lane);
  bool begin_copy (Warp *w, const Instruction &i, int lane);
  bool wait_for_copies (Warp *w, const Instruction &i, int lane,
      unsigned allowed);
  bool load_matrices (Warp *w, const Instruction &i);
  void multiply_matrices (Warp *w, const Instruction &i);
  bool execute_together (Warp *w, const Instruction &i, uint32_t active);
  void pack (Warp *w, const Instruction &i, int lane);
  bool execute_often (Warp *w, const Instruction &i, uint32_t active);
  bool execute (Warp *w, const Instruction &i, uint32_t active);
  void meet (Warp *w, const Instruction &i, uint32_t here);
  bool wait_for_lanes (Warp *w, const Instruction &i, unsigned pc,
      uint32_t active);
  bool control (Warp *w, const Instruction &i, unsigned pc, uint32_t active,
      uint32_t taken);
  bool run_warp (Warp *w);
  bool pass_barrier (bool *ended);

  const Kernel &kernel;
  Y10KLaunch launch;
  unsigned n_threads, index[3], epoch;
  uint64_t dynamic_at;
  std::vector<uint64_t> params;
  std::vector<uint8_t> shared;
  std::vector<Shadow> shadow;
  std::vector<Warp> warps;
  bool begun = false;
};
}

#define LANES(set) \
  for (int l = 0; l < 32; l++) \
    if ((set) >> l & 1)
#define R(n) w->r[(size_t) (n) *32 + (size_t) l]
