/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs a kernel in PTX block by block. The lanes of a warp go together as long as
 * their program counters are equal; the lowest one goes first, so that they meet
 * again behind a branch. Each access is checked for bounds and alignment, and those
 * to shared memory for races: two threads, one of which writes, without a barrier
 * between them. Atomic accesses take no part in that. */

#include "block.h"

#include <algorithm>
#include <math.h>
#include <mutex>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "small_float.h"

namespace y10_ptx {
Block::Block (const Kernel &kernel, Y10KLaunch launch, const void *values)
    : kernel (kernel), launch (launch), params ((kernel.param_size + 7) / 8)
{
  n_threads = launch.block[0] * launch.block[1] * launch.block[2];
  dynamic_at = (kernel.shared_size + 15) / 16 * 16;
  shared.resize (launch.shared_bytes ? dynamic_at + launch.shared_bytes
                                     : kernel.shared_size);
  warps.resize ((n_threads + 31) / 32);
  memcpy (params.data (), values, kernel.param_size);
}

bool
Block::fail (const Warp *w, const Instruction &i, int lane, const char *format,
    ...)
{
  char text[256];
  va_list args;

  va_start (args, format);
  g_vsnprintf (text, sizeof text, format, args);
  va_end (args);
  y10_sim_report (
      "kernel %s, block (%u, %u, %u), thread %u, line %u of its PTX: %s",
      kernel.name.c_str (), index[0], index[1], index[2],
      w->first + (unsigned) MAX (lane, 0), i.line, text);
  return false;
}

/* "%tid.x", "%ntid.y", "%ctaid.z", "%nctaid.x", "%laneid". */
uint64_t
Block::special (const std::string &name, unsigned thread) const
{
  const unsigned axis = (unsigned) (name.back () - 'x');
  const unsigned *size = launch.block;

  if (name == "%laneid")
    return thread % 32;
  if (name.compare (0, 5, "%tid.") == 0)
    return axis == 0 ? thread % size[0]
        : axis == 1  ? thread / size[0] % size[1]
                     : thread / size[0] / size[1];
  if (name.compare (0, 6, "%ntid.") == 0)
    return size[axis];
  return name.compare (0, 7, "%ctaid.") == 0 ? index[axis] : launch.grid[axis];
}

/* Registers begin as something that no kernel wants to compute with. */
void
Block::begin_warp (Warp *w, bool first_block)
{
  if (first_block) {
    w->r.assign ((size_t) kernel.n_registers * 32, 0xdeadbeefdeadbeef);
    w->first = (unsigned) (w - warps.data ()) * 32;
    w->lanes = n_threads - w->first >= 32 ? ~0u
                                          : (1u << (n_threads - w->first)) - 1;
    for (const auto &[row, value] : kernel.constants)
      LANES (~0u)
    R (row) = value;
    for (int row : kernel.dynamic)
      LANES (~0u)
    R (row) = dynamic_at;
    for (int row : kernel.params)
      LANES (~0u)
    R (row) = (uint64_t) params.data ();
  }
  for (const auto &[row, name] : kernel.specials)
    LANES (~0u)
  R (row) = special (name, w->first + (unsigned) l);
  w->epoch = 1;
  memset (w->pc, 0, sizeof w->pc);
  memset (w->state, RUNNING, sizeof w->state);
  memset (w->group, 0, sizeof w->group);
  for (std::vector<Copy> &copies : w->copies)
    copies.clear ();
}

bool
Block::check_race (const Warp *w, const Instruction &i, int lane, size_t at,
    size_t size, Access access)
{
  const unsigned thread = w->first + (unsigned) lane;

  if (access == ATOMIC)
    return true;
  for (size_t b = at; b < at + size; b++) {
    Shadow &s = shadow[b];

    if (s.copying)
      return fail (w, i, lane,
          "it %s byte %zu of shared memory, which an unfinished copy writes",
          access == READ ? "reads" : "writes", b);
    if (!is_ordered (s.written, epoch, w->epoch, thread))
      return fail (w, i, lane,
          "race: it %s byte %zu of shared memory, which thread %d wrote",
          access == READ ? "reads" : "writes", b, (int) s.written.thread);
    if (access == WRITE && !is_ordered (s.read, epoch, w->epoch, thread))
      return fail (w, i, lane,
          "race: it writes byte %zu of shared memory, which thread %d read", b,
          (int) s.read.thread);
    note (access == READ ? &s.read : &s.written, epoch, w->epoch, thread);
  }
  return true;
}

/* The memory at @address, or NULL after a report. Host memory that tests pass is no
 * allocation, and not checked. */
uint8_t *
Block::resolve (const Warp *w, const Instruction &i, int lane, uint64_t address,
    Access access)
{
  const size_t size = (size_t) type_size (i.type) * i.n;
  const uint64_t base = (uint64_t) shared.data (),
                 param = (uint64_t) params.data ();
  Space space = i.space;

  if (space == SHARED)
    address = (uint32_t) address;
  else if (space == GENERIC && address - base < shared.size ())
    space = SHARED, address -= base;
  else if (space == GENERIC && address - param < kernel.param_size)
    space = PARAM;
  if (address % size) {
    fail (w, i, lane,
        "address 0x%" G_GINT64_MODIFIER "x is not aligned to %zu bytes",
        address, size);
    return nullptr;
  }
  if (space == SHARED) {
    if (address + size > shared.size ()) {
      fail (w, i, lane,
          "byte %" G_GUINT64_FORMAT " of %zu bytes of shared memory", address,
          shared.size ());
      return nullptr;
    }
    return check_race (w, i, lane, address, size, access)
        ? shared.data () + address
        : nullptr;
  }
  if (space == PARAM ? address - param + size > kernel.param_size
                     : !y10_sim::memory_holds ((const void *) address, size)) {
    fail (w, i, lane,
        "%zu bytes at 0x%" G_GINT64_MODIFIER "x are outside of %s", size,
        address, space == PARAM ? "the parameters" : "their allocation");
    return nullptr;
  }
  return (uint8_t *) address;
}

bool
Block::access (Warp *w, const Instruction &i, int l)
{
  const unsigned size = type_size (i.type);
  uint8_t *p = resolve (w, i, l, R (i.args[0]) + (uint64_t) i.offset,
      i.op == LD       ? READ
          : i.op == ST ? WRITE
                       : ATOMIC);
  uint64_t value = 0;

  if (!p)
    return false;
  if (i.op == ATOM_ADD) {
    memcpy (&value, p, size);
    R (i.to[0]) = value;
    value += R (i.args[1]);
    memcpy (p, &value, size);
    return true;
  }
  for (unsigned k = 0; k < i.n; k++, p += size) {
    if (i.op == LD) {
      memcpy (&value, p, size);
      R (i.to[k]) = extend (value, i.type);
    } else {
      memcpy (p, &R (i.args[k + 1]), size);
    }
  }
  return true;
}

static inline float
to_float (uint64_t v)
{
  return y10_sim::bits_float ((uint32_t) v);
}

static uint64_t
low_bits (unsigned n)
{
  return n == 64 ? ~0ull : (1ull << n) - 1;
}

/* mov, also of several registers to one and back. */
void
Block::pack (Warp *w, const Instruction &i, int l)
{
  const unsigned bits = 8 * type_size (i.type);
  const unsigned in = bits / (unsigned) i.args.size (),
                 out = bits / (unsigned) i.to.size ();
  uint64_t value = 0;

  if (i.type == PRED) {
    R (i.to[0]) = R (i.args[0]) & 1;
    return;
  }
  for (size_t k = 0; k < i.args.size (); k++)
    value |= (R (i.args[k]) & low_bits (in)) << in * k;
  for (size_t k = 0; k < i.to.size (); k++)
    R (i.to[k]) = value >> out * k & low_bits (out);
}

/* What kernels spend their time with, for all lanes at once. FALSE: it is another
 * instruction. */
bool
Block::execute_often (Warp *w, const Instruction &i, uint32_t active)
{
  const size_t n = i.args.size ();
  const uint64_t *a = n > 0 ? &w->r[(size_t) i.args[0] * 32] : nullptr;
  const uint64_t *b = n > 1 ? &w->r[(size_t) i.args[1] * 32] : nullptr;
  const uint64_t *c = n > 2 ? &w->r[(size_t) i.args[2] * 32] : nullptr;
  uint64_t *to = i.to.size () == 1 ? &w->r[(size_t) i.to[0] * 32] : nullptr;

  if (!to || i.flags)
    return false;
  if (i.op == FMA && i.type == F32) {
    LANES (active)
    to[l] = y10_sim::float_bits (
        fmaf (to_float (a[l]), to_float (b[l]), to_float (c[l])));
  } else if (i.op == ADD && i.type == F32) {
    LANES (active)
    to[l] = y10_sim::float_bits (to_float (a[l]) + to_float (b[l]));
  } else if (i.op == MUL && i.type == F32) {
    LANES (active)
    to[l] = y10_sim::float_bits (to_float (a[l]) * to_float (b[l]));
  } else if (i.op == ADD && type_size (i.type) == 4) {
    LANES (active)
    to[l] = (uint32_t) (a[l] + b[l]);
  } else if (i.op == ADD && type_size (i.type) == 8 && i.type != F64) {
    LANES (active)
    to[l] = a[l] + b[l];
  } else if (i.op == MOV && n == 1 && type_size (i.type) == 4) {
    LANES (active)
    to[l] = (uint32_t) a[l];
  } else if (i.op == CVT && i.type == F32 && i.from == F16) {
    LANES (active)
    to[l] = y10_sim::float_bits (y10_sim::half_to_float ((uint16_t) a[l]));
  } else {
    return false;
  }
  return true;
}

bool
Block::execute (Warp *w, const Instruction &i, uint32_t active)
{
  uint64_t args[4] = { 0 };

  if (execute_often (w, i, active))
    return true;
  if (i.op == LDMATRIX || i.op == MMA)
    return execute_together (w, i, active);
  LANES (active)
  {
    switch (i.op) {
      case LD:
      case ST:
      case ATOM_ADD:
        if (!access (w, i, l))
          return false;
        break;
      case COPY:
        if (!begin_copy (w, i, l))
          return false;
        break;
      case COPIES_COMMIT:
        w->group[l]++;
        break;
      case COPIES_WAIT:
        if (!wait_for_copies (w, i, l, (unsigned) R (i.args[0])))
          return false;
        break;
      case MOV:
        pack (w, i, l);
        break;
      case CVTA:
        R (i.to[0]) = R (i.args[0])
            + (i.space != SHARED         ? 0
                    : i.flags & TO_SPACE ? 0 - (uint64_t) shared.data ()
                                         : (uint64_t) shared.data ());
        break;
      default:
        for (size_t k = 0; k < i.args.size (); k++)
          args[k] = R (i.args[k]);
        if ((i.op == DIV || i.op == REM) && i.type < F16
            && !extend (args[1], i.type))
          return fail (w, i, l, "a division by zero");
        R (i.to[0]) = compute (i, args);
    }
  }
  return true;
}

/* All lanes of a mask are here. */
void
Block::meet (Warp *w, const Instruction &i, uint32_t here)
{
  uint64_t old[32] = { 0 };
  uint32_t votes = 0;
  bool in_range;

  if (i.op == WARP_SYNC) {
    w->epoch++;
    return;
  }
  LANES (here)
  {
    old[l] = R (i.args[0]);
    votes |= (uint32_t) (old[l] & 1) << l;
  }
  LANES (here)
  {
    if (i.op == VOTE) {
      R (i.to[0]) = i.kind == BALLOT ? votes
          : i.kind == ANY            ? votes != 0
                                     : votes == here;
      continue;
    }
    const int from = shuffle_from ((Shuffle) i.kind, l, R (i.args[1]),
        R (i.args[2]), &in_range);

    /* A lane that is not here has no value: none that a kernel could want. */
    R (i.to[0]) = here >> from & 1 ? (uint32_t) old[from] : 0xdeadbeef;
    if (i.in_range >= 0)
      R (i.in_range) = in_range;
  }
}

bool
Block::wait_for_lanes (Warp *w, const Instruction &i, unsigned pc,
    uint32_t active)
{
  const int row = i.args[i.op == SHFL ? 3 : i.op == VOTE ? 1 : 0];
  uint32_t mask = 0, here = 0;

  LANES (active)
  {
    mask = (uint32_t) R (row);
    if (!(mask >> l & 1))
      return fail (w, i, l, "the mask %08x lacks the lane itself", mask);
    w->state[l] = AT_WARP_SYNC;
    w->mask[l] = mask;
    w->pc[l] = pc;
  }
  mask &= w->lanes;
  LANES (mask)
  {
    if (w->state[l] == GONE)
      return fail (w, i, l, "the mask %08x has a lane that has ended", mask);
    if (w->state[l] == AT_WARP_SYNC && w->pc[l] == pc
        && (w->mask[l] & w->lanes) == mask)
      here |= 1u << l;
  }
  if (here != mask)
    return true;
  meet (w, i, here);
  LANES (here)
  {
    w->state[l] = RUNNING;
    w->pc[l] = pc + 1;
  }
  return true;
}

/* An instruction that may part the lanes, or at which they wait; @taken: the lanes of
 * @active whose guard holds. */
bool
Block::control (Warp *w, const Instruction &i, unsigned pc, uint32_t active,
    uint32_t taken)
{
  LANES (active)
  w->pc[l] = pc + 1;
  switch (i.op) {
    case BRA:
      LANES (taken)
      w->pc[l] = i.target;
      return true;
    case RET:
      LANES (taken)
      {
        if (!w->copies[l].empty ())
          return fail (w, i, l, "it ends before its copies do");
        w->state[l] = GONE;
      }
      return true;
    case BAR:
      LANES (taken)
      {
        w->state[l] = AT_BARRIER;
        w->pc[l] = pc;
      }
      return true;
    default:
      return !taken || wait_for_lanes (w, i, pc, taken);
  }
}

static bool
is_control (Opcode op)
{
  return op == BRA || op == RET || op == BAR || op == SHFL || op == VOTE
      || op == WARP_SYNC;
}

/* Until no lane can go on. */
bool
Block::run_warp (Warp *w)
{
  for (;;) {
    unsigned pc = ~0u, next = ~0u;
    uint32_t active = 0, taken;

    LANES (w->lanes)
    if (w->state[l] == RUNNING)
      pc = std::min (pc, w->pc[l]);
    if (pc == ~0u)
      return true;
    LANES (w->lanes)
    {
      if (w->state[l] == RUNNING && w->pc[l] == pc)
        active |= 1u << l;
      else if (w->state[l] == RUNNING)
        next = std::min (next, w->pc[l]);
    }
    for (;; pc++) {
      const Instruction &i = kernel.code[pc];

      taken = active;
      if (i.guard >= 0) {
        LANES (active)
        if ((R (i.guard) & 1) == i.negated)
          taken &= ~(1u << l);
      }
      if (is_control (i.op)) {
        if (!control (w, i, pc, active, taken))
          return false;
        break;
      }
      if (!execute (w, i, taken))
        return false;
      if (pc + 1 == next) {
        LANES (active)
        w->pc[l] = next;
        break;
      }
    }
  }
}

/* No lane can go on. All that have not ended must be at one barrier. */
bool
Block::pass_barrier (bool *ended)
{
  const Instruction *at = nullptr;
  unsigned n_at = 0, n_true = 0, pc = 0;

  for (Warp &warp : warps) {
    const Warp *w = &warp;

    LANES (w->lanes)
    {
      if (w->state[l] == GONE)
        continue;
      if (w->state[l] == AT_WARP_SYNC)
        return fail (w, kernel.code[w->pc[l]], l,
            "deadlock: the other lanes of its mask do not come");
      if (at && w->pc[l] != pc)
        return fail (w, *at, l, "deadlock: threads wait at different barriers");
      pc = w->pc[l];
      at = &kernel.code[pc];
      n_at++;
      n_true += at->kind != NO_REDUCTION && R (at->args[0]) & 1;
    }
  }
  *ended = !at;
  for (Warp &warp : warps) {
    Warp *w = &warp;

    LANES (at ? w->lanes : 0)
    {
      if (w->state[l] == GONE)
        continue;
      if (at->kind != NO_REDUCTION)
        R (at->to[0]) = at->kind == ANY ? n_true > 0
            : at->kind == ALL           ? n_true == n_at
                                        : n_true;
      w->state[l] = RUNNING;
      w->pc[l]++;
    }
    w->epoch++;
  }
  epoch++;
  return true;
}

bool
Block::run (const unsigned which[3])
{
  bool ended = false;

  memcpy (index, which, sizeof index);
  std::fill (shared.begin (), shared.end (), 0xff); /* NaN */
  shadow.assign (shared.size (), Shadow{});
  epoch = 1;
  for (Warp &w : warps)
    begin_warp (&w, !begun);
  begun = true;
  while (!ended) {
    for (Warp &w : warps)
      if (!run_warp (&w))
        return false;
    if (!pass_barrier (&ended))
      return false;
  }
  return true;
}

/* Y10_SIM_PTX=75: kernels.75.ptx of the build folder; with a slash: a file. */
static const Kernels &
all_kernels ()
{
  static const Kernels kernels = [] {
    const char *which = getenv ("Y10_SIM_PTX");

    if (!which || !*which)
      return Kernels{};
    return parse (strchr (which, '/')
            ? which
            : (std::string (Y10_PTX_DIR "/kernels.") + which + ".ptx")
                  .c_str ());
  }();

  return kernels;
}
}

using namespace y10_ptx;

gboolean
y10_ptx_has (const char *name)
{
  return all_kernels ().count (name) > 0;
}

gboolean
y10_ptx_run (const Y10SimKernel *kernel, Y10KLaunch launch, const void *params)
{
  static std::mutex lock;
  std::lock_guard<std::mutex> guard (lock);
  const Kernel &k = *all_kernels ().at (kernel->name);
  unsigned index[3];

  if (k.param_size != kernel->params_size) {
    y10_sim_report (
        "the PTX of kernel %s takes %u bytes of parameters, not %zu",
        kernel->name, k.param_size, kernel->params_size);
    return FALSE;
  }
  Block block (k, launch, params);

  for (index[2] = 0; index[2] < launch.grid[2]; index[2]++)
    for (index[1] = 0; index[1] < launch.grid[1]; index[1]++)
      for (index[0] = 0; index[0] < launch.grid[0]; index[0]++)
        if (!block.run (index))
          return FALSE;
  return TRUE;
}
