/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs a kernel: blocks one after another, the threads of a block as fibers,
 * both in an order that the seed decides. A fiber runs thread after thread as
 * long as none of them waits, so a kernel without barriers needs no switch at
 * all; a thread that has to wait keeps its fiber, and another one continues.
 * After a barrier, any thread may run far ahead of the others, so a missing
 * barrier gives wrong results.
 *
 * It is stricter than the programming guide: all threads of the block must
 * reach the same __syncthreads (), and none may have left. */

#include "block.h"
#include "context_switch.h"
#include "ptx.h"
#include "race.h"
#include "sim.h"
#include "toolkit/cuda_sim.h"

#include <mutex>
#include <vector>

namespace y10_sim {
Current current;

namespace {
#ifdef Y10_SIM_ASAN
constexpr size_t STACK = 256 << 10;
#else
constexpr size_t STACK = 64 << 10;
#endif

enum State
{
  UNSTARTED,
  RUNNING,
  READY,
  AT_BARRIER,
  IN_WARP,
  LEFT,
};

struct Thread
{
  State state;
  uint3 index;
  Fiber *fiber;
  const char *file; /* the place where it waits */
  int line;
  int op, predicate; /* the kind of wait */
  unsigned mask;
  unsigned long long value; /* its input, then its result */
  int arg;
};

struct Machine
{
  const Y10SimKernel *kernel;
  const void *params;
  unsigned grid[3], n, n_warps;
  unsigned long long n_blocks, next_block, first_block, stride;
  bool failed;

  unsigned order[MAX_THREADS], n_started, n_left, n_at_barrier;
  unsigned ready[MAX_THREADS], n_ready;
  Thread threads[MAX_THREADS];
  Thread *self;

  Fiber outside, *running;
  std::vector<Fiber *> idle, all;
};

/* Never freed: a thread may still be in a kernel when the process ends. */
Machine &m = *new Machine{};

void fiber_main ();

void
place (const Thread *t, char *text, size_t size)
{
  snprintf (text, size, "block (%u, %u, %u), thread (%u, %u, %u)",
      current.block.x, current.block.y, current.block.z, t->index.x, t->index.y,
      t->index.z);
}

/* Abandons the kernel; waiting fibers are reset later. */
[[noreturn]] void
give_up ()
{
  m.failed = true;
  fiber_switch (m.running, &m.outside);
  abort ();
}

[[noreturn]] void
fail (const Thread *t, const char *what, const char *file, int line)
{
  char where[128];

  place (t, where, sizeof where);
  y10_sim_report ("kernel %s, %s, %s:%d: %s", m.kernel->name, where, file, line,
      what);
  give_up ();
}

[[noreturn]] void
fail_deadlock ()
{
  GString *text = g_string_new (nullptr);
  unsigned shown = 0, waiting = 0;
  char where[128];

  for (unsigned i = 0; i < m.n; i++) {
    Thread *t = &m.threads[i];

    if (t->state != AT_BARRIER && t->state != IN_WARP)
      continue;
    waiting++;
    /* Names the first of the threads that wait at each place, for four places. */
    bool seen = false;
    for (unsigned j = 0; j < i && !seen; j++)
      seen = m.threads[j].state == t->state && m.threads[j].line == t->line
          && strcmp (m.threads[j].file, t->file) == 0;
    if (seen || shown++ >= 4)
      continue;
    place (t, where, sizeof where);
    g_string_append_printf (text, "; %s waits %s at %s:%d", where,
        t->state == AT_BARRIER ? "for the block" : "for its warp", t->file,
        t->line);
    if (t->state == IN_WARP)
      g_string_append_printf (text, " with mask 0x%08x", t->mask);
  }
  y10_sim_report (
      "kernel %s: deadlock: of %u threads %u wait and %u have left%s",
      m.kernel->name, m.n, waiting, m.n_left, text->str);
  g_string_free (text, TRUE);
  give_up ();
}

void
make_ready (Thread *t)
{
  t->state = READY;
  m.ready[m.n_ready++] = (unsigned) (t - m.threads);
}

void
set_current (Thread *t)
{
  m.self = t;
  t->state = RUNNING;
  current.thread = t->index;
  race_thread = (unsigned) (t - m.threads);
  current.lane = race_thread & 31;
}

/* Draws the order in which a block's threads start: mostly shuffled, sometimes
 * forwards or backwards. */
void
begin_block (unsigned long long number)
{
  unsigned long long r = y10_sim_random ();

  current.block.x = (unsigned) (number % m.grid[0]);
  current.block.y = (unsigned) (number / m.grid[0] % m.grid[1]);
  current.block.z = (unsigned) (number / m.grid[0] / m.grid[1]);
  m.n_started = m.n_left = m.n_at_barrier = m.n_ready = 0;
  for (unsigned i = 0; i < m.n; i++) {
    m.threads[i].state = UNSTARTED;
    m.order[i] = r % 8 == 1 ? m.n - 1 - i : i;
  }
  if (r % 8 > 1) {
    for (unsigned i = m.n - 1; i > 0; i--) {
      r = r * 6364136223846793005ull + 1442695040888963407ull;
      unsigned j = (unsigned) ((r >> 33) % (i + 1)), o = m.order[i];
      m.order[i] = m.order[j];
      m.order[j] = o;
    }
  }
  shared_begin_block ();
  race_begin_block ();
}

/* FALSE: the grid is finished, or the block wrote outside its shared memory. */
bool
next_block ()
{
  if (m.n_left == m.n && !shared_fences_hold ()) {
    y10_sim_report (
        "kernel %s, block (%u, %u, %u): a write outside an array of shared memory",
        m.kernel->name, current.block.x, current.block.y, current.block.z);
    m.failed = true;
    return false;
  }
  if (m.next_block == m.n_blocks)
    return false;
  begin_block ((m.first_block + m.next_block * m.stride) % m.n_blocks);
  m.next_block++;
  return true;
}

Fiber *
take_idle_fiber ()
{
  Fiber *fiber;

  if (m.idle.empty ()) {
    fiber = new Fiber;
    if (!fiber_init (fiber, STACK, fiber_main)) {
      y10_sim_report ("kernel %s: no memory for a fiber", m.kernel->name);
      give_up ();
    }
    m.all.push_back (fiber);
  } else {
    fiber = m.idle.back ();
    m.idle.pop_back ();
  }
  return fiber;
}

void
go_to (Fiber *fiber)
{
  Fiber *from = m.running;

  m.running = fiber;
  fiber_switch (from, fiber);
}

Thread *
take_ready ()
{
  unsigned i = (unsigned) (y10_sim_random () % m.n_ready);
  Thread *t = &m.threads[m.ready[i]];

  m.ready[i] = m.ready[--m.n_ready];
  return t;
}

/* Called when the running thread must, or may, give way: returns when it can
 * continue. */
void
give_way ()
{
  Thread *self = m.self;

  self->fiber = m.running;
  if (m.n_started < m.n && (m.n_ready == 0 || y10_sim_random () % 2)) {
    go_to (take_idle_fiber ());
  } else if (m.n_ready > 0) {
    Thread *t = take_ready ();

    if (t != self) {
      set_current (t);
      go_to (t->fiber);
    }
  } else {
    fail_deadlock ();
  }
  set_current (self);
}

void
finish_barrier ()
{
  int count = 0;

  for (unsigned i = 0; i < m.n; i++)
    count += m.threads[i].predicate != 0;
  for (unsigned i = 0; i < m.n; i++) {
    Thread *t = &m.threads[i];

    switch (t->op) {
      case BLOCK_COUNT:
        t->predicate = count;
        break;
      case BLOCK_AND:
        t->predicate = count == (int) m.n;
        break;
      default:
        t->predicate = count > 0;
        break;
    }
    make_ready (t);
  }
  m.n_at_barrier = 0;
  race_barrier ();
}

/* Returns the mask of the lanes in @here whose value is @value. */
unsigned
find_equal (const unsigned long long *shares, unsigned here,
    unsigned long long value)
{
  unsigned equal = 0;

  for (unsigned i = 0; i < 32; i++)
    if (here >> i & 1)
      equal |= (shares[i] == value) << i;
  return equal;
}

/* Whether all lanes of @t's mask that have not left wait with that mask; if so,
 * they get their results and become ready. */
bool
try_finish_warp (Thread *t)
{
  unsigned first = (unsigned) (t - m.threads) & ~31u, here = 0, ballot = 0;
  Thread *lanes = &m.threads[first];
  unsigned long long shares[32];

  for (unsigned i = 0; i < 32; i++) {
    if (!(t->mask >> i & 1) || first + i >= m.n || lanes[i].state == LEFT)
      continue;
    if (lanes[i].state != IN_WARP || lanes[i].mask != t->mask)
      return false;
    here |= 1u << i;
  }
  for (unsigned i = 0; i < 32; i++) {
    if (!(here >> i & 1))
      continue;
    if (lanes[i].op != t->op)
      fail (&lanes[i], "lanes of one mask are at different warp functions",
          lanes[i].file, lanes[i].line);
    shares[i] = lanes[i].value;
    ballot |= (shares[i] != 0) << i;
  }
  if (t->op == WARP_SYNC)
    race_sync_lanes (first, here);
  for (unsigned i = 0; i < 32; i++) {
    if (!(here >> i & 1))
      continue;
    switch (t->op) {
      case WARP_SHFL:
        lanes[i].value = lanes[i].arg >= 0 && lanes[i].arg < 32
                && here >> lanes[i].arg & 1
            ? shares[lanes[i].arg]
            : ~0ull;
        break;
      case WARP_BALLOT:
        lanes[i].value = ballot;
        break;
      case WARP_MATCH_ANY:
        lanes[i].value = find_equal (shares, here, shares[i]);
        break;
      case WARP_MATCH_ALL:
        lanes[i].value = find_equal (shares, here, shares[i]) == here ? t->mask
                                                                      : 0;
        break;
      default:
        break;
    }
    make_ready (&lanes[i]);
  }
  return true;
}

void
leave (Thread *t)
{
  t->state = LEFT;
  m.n_left++;
  if (m.n_at_barrier > 0) {
    for (unsigned i = 0; i < m.n; i++)
      if (m.threads[i].state == AT_BARRIER)
        fail (t, "the thread left the kernel while others wait at a barrier",
            m.threads[i].file, m.threads[i].line);
  }
  /* All other threads that have started have left or are ready, so none waits. */
  if (m.n_started == m.n_left + m.n_ready)
    return;
  /* Waiting lanes of this warp may have waited for this lane only. */
  unsigned first = (unsigned) (t - m.threads) & ~31u;
  for (unsigned i = first; i < first + 32 && i < m.n; i++)
    if (m.threads[i].state == IN_WARP
        && m.threads[i].mask >> (t - m.threads - first) & 1)
      try_finish_warp (&m.threads[i]);
}

/* The function of every fiber: runs threads and blocks until none is left. */
void
fiber_main ()
{
  fiber_arrived ();
  for (;;) {
    if (m.n_started < m.n) {
      Thread *t = &m.threads[m.order[m.n_started++]];

      set_current (t);
      m.kernel->run (m.params);
      leave (t);
    } else if (m.n_ready > 0) {
      Thread *t = take_ready ();

      m.idle.push_back (m.running);
      set_current (t);
      go_to (t->fiber);
    } else if (m.n_left < m.n) {
      fail_deadlock ();
    } else if (!next_block ()) {
      m.idle.push_back (m.running);
      fiber_switch (m.running, &m.outside);
    }
  }
}

unsigned long long
gcd (unsigned long long a, unsigned long long b)
{
  return b ? gcd (b, a % b) : a;
}

}

int
block_sync (BlockOp op, int predicate, const char *file, int line)
{
  Thread *self = m.self;

  if (y10_sim_skips_barrier (file, line))
    return predicate;
  if (m.n_left > 0)
    fail (self, "a barrier after other threads have left the kernel", file,
        line);
  self->file = file;
  self->line = line;
  self->op = op;
  self->predicate = predicate;
  if (m.n_at_barrier > 0) {
    for (unsigned i = 0; i < m.n; i++) {
      Thread *t = &m.threads[i];

      if (t->state != AT_BARRIER)
        continue;
      if (t->op != op || t->line != line || strcmp (t->file, file) != 0)
        fail (self, "divergent barrier: other threads wait at another one",
            t->file, t->line);
      break;
    }
  }
  self->state = AT_BARRIER;
  if (++m.n_at_barrier == m.n)
    finish_barrier ();
  give_way ();
  return self->predicate;
}

unsigned long long
warp_sync (WarpOp op, unsigned mask, unsigned long long value, int arg,
    const char *file, int line)
{
  Thread *self = m.self;

  if (op == WARP_SYNC && y10_sim_skips_barrier (file, line))
    return 0;
  if (!(mask >> current.lane & 1))
    fail (self, "the mask does not name the lane itself", file, line);
  self->file = file;
  self->line = line;
  self->op = op;
  self->mask = mask;
  self->value = value;
  self->arg = arg;
  self->state = IN_WARP;
  try_finish_warp (self);
  give_way ();
  return self->value;
}

bool
in_kernel ()
{
  return m.self;
}

const char *
current_kernel ()
{
  return m.self ? m.kernel->name : "a copy or the host";
}

void
describe_thread (unsigned thread, char *text, size_t size)
{
  uint3 i = m.threads[thread].index;

  snprintf (text, size, "thread (%u, %u, %u)", i.x, i.y, i.z);
}

void
fail_race (const char *what)
{
  char where[128];

  place (m.self, where, sizeof where);
  y10_sim_report ("kernel %s, %s: %s", m.kernel->name, where, what);
  give_up ();
}

void
trap (const char *what, const char *file, int line)
{
  fail (m.self, what, file, line);
}
}

using namespace y10_sim;

gboolean
y10_sim_run (const Y10SimKernel *kernel, Y10KLaunch launch, guint max_dynamic,
    const void *params)
{
  static std::mutex lock;
  bool ok;

  if (!y10_sim_check_launch (kernel, launch, max_dynamic))
    return FALSE;
  if (y10_ptx_has (kernel->name))
    return y10_ptx_run (kernel, launch, params);
  lock.lock ();
  m.kernel = kernel;
  m.params = params;
  memcpy (m.grid, launch.grid, sizeof m.grid);
  m.n = launch.block[0] * launch.block[1] * launch.block[2];
  m.n_blocks = (unsigned long long) m.grid[0] * m.grid[1] * m.grid[2];
  m.next_block = 0;
  m.first_block = y10_sim_random () % m.n_blocks;
  do
    m.stride = 1 + y10_sim_random () % m.n_blocks;
  while (gcd (m.stride, m.n_blocks) != 1);
  m.failed = false;
  m.n_left = 0;
  m.self = nullptr;
  current.grid_dim = dim3 (launch.grid[0], launch.grid[1], launch.grid[2]);
  current.block_dim = dim3 (launch.block[0], launch.block[1], launch.block[2]);
  for (unsigned i = 0; i < m.n; i++)
    m.threads[i].index = { i % launch.block[0],
      i / launch.block[0] % launch.block[1],
      i / launch.block[0] / launch.block[1] };

  shared_begin_kernel (launch.shared_bytes);
  next_block ();
  m.running = take_idle_fiber ();
  fiber_switch (&m.outside, m.running);
  m.self = nullptr;
  if (m.failed) {
    m.idle = m.all;
    for (Fiber *fiber : m.idle)
      fiber_reset (fiber, fiber_main);
  }
  ok = !m.failed;
  lock.unlock ();
  return ok;
}
