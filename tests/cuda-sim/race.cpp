/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A vector-clock race detector for shared memory: two accesses to one byte, of
 * which at least one writes and at most one is atomic, must be ordered by
 * synchronization. The detector judges what the program guarantees, not what
 * the simulator happened to do, so that any order of threads shows a race.
 *
 * Only a barrier of the block and __syncwarp () order memory. A barrier orders
 * all threads of the block, and kernels have no barrier for some of its warps.
 * So a thread is ordered after everything that another warp did before the last
 * barrier, and after nothing since: its clock is the number of that barrier
 * (the phase) and one entry for each lane of its warp. Warps do not run in
 * lock-step. Shuffles, votes and matches do not order memory (CUDA C++
 * Programming Guide, "Warp Shuffle Functions"). Atomics are relaxed: they do
 * not race with each other and order nothing else. A fence with atomics as
 * flags, which no kernel uses, would be reported as a race.
 *
 * A read before any write in the block is reported, too: this is how a missing
 * barrier shows if the reader comes first, and the value may be used as an
 * index and end the process before the writer comes. */

#include "block.h"
#include "race.h"
#include "sim.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <vector>

namespace y10_sim {
unsigned race_thread;

namespace {
constexpr unsigned LANES = 32, NO_LANES = ~0u;

/* An access; phase 0: none. */
struct Access
{
  unsigned long long phase;
  unsigned thread, clock;
  const void *pc;
};

/* Accesses of one phase that cannot race with each other: all reads or all
 * atomics. A second warp needs one entry only: with two warps recorded, a
 * conflicting access races with one of the two. */
struct Group
{
  Access first, foreign;
  unsigned lanes; /* index in lane_sets: more lanes of first's warp */
};

struct Cell
{
  unsigned long long block; /* that has written */
  Access write;
  Group reads, atomics;
};

struct LaneSet
{
  unsigned mask, clock[LANES];
  const void *pc[LANES];
};

/* A word has one cell until it is accessed in part, then four. */
Cell cells[SHARED_ARENA];
bool is_split[SHARED_ARENA / 4];
/* Of the current phase. Never freed: a thread may still be in a kernel when the
 * process ends. */
std::vector<LaneSet> &lane_sets = *new std::vector<LaneSet>;
unsigned long long phase = 1, block = 1;

/* Each thread's clock for the lanes of its warp. Its own entry is larger than
 * any other thread's entry for it. */
struct Clocks
{
  unsigned of[MAX_THREADS][LANES];

  Clocks () : of{}
  {
    for (unsigned i = 0; i < MAX_THREADS; i++)
      of[i][i % LANES] = 1;
  }
};
Clocks clocks;

unsigned
lane_of (unsigned thread)
{
  return thread % LANES;
}

bool
is_same_warp (unsigned a, unsigned b)
{
  return a / LANES == b / LANES;
}

/* Whether @a happens before the running thread's current access. */
bool
is_ordered (const Access &a)
{
  return a.phase != phase || a.thread == race_thread
      || (is_same_warp (a.thread, race_thread)
          && a.clock <= clocks.of[race_thread][lane_of (a.thread)]);
}

/* Finds an access of @g that is not ordered before now; FALSE: there is
 * none. */
bool
find_unordered (const Group &g, Access *found)
{
  if (g.first.phase != phase)
    return false;
  for (const Access *a : { &g.first, &g.foreign }) {
    if (!is_ordered (*a)) {
      *found = *a;
      return true;
    }
  }
  if (g.lanes == NO_LANES || !is_same_warp (g.first.thread, race_thread))
    return false;
  const LaneSet &set = lane_sets[g.lanes];
  for (unsigned i = 0; i < LANES; i++) {
    unsigned thread = race_thread / LANES * LANES + i;

    *found = { phase, thread, set.clock[i], set.pc[i] };
    if (set.mask >> i & 1 && !is_ordered (*found))
      return true;
  }
  return false;
}

void
add_lane (LaneSet *set, const Access &a)
{
  set->mask |= 1u << lane_of (a.thread);
  set->clock[lane_of (a.thread)] = a.clock;
  set->pc[lane_of (a.thread)] = a.pc;
}

void
add (Group *g, const Access &now)
{
  if (g->first.phase != phase) {
    *g = { now, {}, NO_LANES };
  } else if (!is_same_warp (g->first.thread, now.thread)) {
    g->foreign = now;
  } else if (g->lanes != NO_LANES) {
    add_lane (&lane_sets[g->lanes], now);
  } else if (is_ordered (g->first)) {
    g->first = now;
  } else {
    g->lanes = (unsigned) lane_sets.size ();
    lane_sets.push_back ({});
    add_lane (&lane_sets[g->lanes], now);
  }
}

/* Converts @pc to the module's address, as in its debug information. */
const char *
find_module (const void *pc, size_t *address)
{
  Dl_info info;

  if (!dladdr (pc, &info) || !info.dli_fname)
    return nullptr;
  /* @pc is the address after the call. */
  *address = (size_t) pc - 1;
  if (((const ElfW (Ehdr) *) info.dli_fbase)->e_type != ET_EXEC)
    *address -= (size_t) info.dli_fbase;
  return info.dli_fname;
}

/* "head_topk.cuh:167 (head_select.cu:150)": the line of the access and, if the
 * compiler inlined its function, that of the outermost caller. */
void
describe_place (const void *pc, char *text, size_t size)
{
  char line[512], command[1024], inner[128] = "", outer[128] = "";
  size_t address;
  const char *module = find_module (pc, &address);

  g_snprintf (text, size, "an unknown line");
  if (!module)
    return;
  g_snprintf (text, size, "%s+0x%zx", module, address);
  g_snprintf (command, sizeof command,
      "addr2line -s -i -e '%s' 0x%zx 2>/dev/null", module, address);
  FILE *f = popen (command, "r");
  if (!f)
    return;
  while (fgets (line, sizeof line, f)) {
    line[strcspn (line, " \n")] = 0;
    if (line[0] == '?')
      continue;
    g_strlcpy (inner[0] ? outer : inner, line, sizeof inner);
  }
  pclose (f);
  if (inner[0])
    g_snprintf (text, size, outer[0] ? "%s (%s)" : "%s", inner, outer);
}

[[noreturn]] void
report (const void *p, const Access &before, RaceKind kind_before,
    const Access &now, RaceKind kind)
{
  static const char *const names[] = { "read", "written",
    "changed atomically" };
  char text[1024], place_before[300], place_now[300], array[100],
      thread_before[64];

  describe_place (before.pc, place_before, sizeof place_before);
  describe_place (now.pc, place_now, sizeof place_now);
  shared_describe (p, array, sizeof array);
  describe_thread (before.thread, thread_before, sizeof thread_before);
  g_snprintf (text, sizeof text,
      "race on shared memory, %s: %s at %s, %s by %s at %s, not "
      "synchronized",
      array, names[kind], place_now, names[kind_before], thread_before,
      place_before);
  fail_race (text);
}

[[noreturn]] void
report_unwritten (const void *p, const Access &now)
{
  char text[512], place_now[300], array[100];

  describe_place (now.pc, place_now, sizeof place_now);
  shared_describe (p, array, sizeof array);
  g_snprintf (text, sizeof text,
      "shared memory, %s: read at %s before any thread has written it", array,
      place_now);
  fail_race (text);
}

void
access_cell (Cell *cell, const void *p, RaceKind kind, const Access &now)
{
  Access found;

  if (kind == RACE_WRITE)
    cell->block = block;
  else if (cell->block != block)
    report_unwritten (p, now);
  if (!is_ordered (cell->write))
    report (p, cell->write, RACE_WRITE, now, kind);
  if (kind != RACE_READ && find_unordered (cell->reads, &found))
    report (p, found, RACE_READ, now, kind);
  if (kind != RACE_ATOMIC && find_unordered (cell->atomics, &found))
    report (p, found, RACE_ATOMIC, now, kind);
  if (kind == RACE_READ) {
    add (&cell->reads, now);
  } else if (kind == RACE_ATOMIC) {
    add (&cell->atomics, now);
  } else {
    /* This write comes after all earlier accesses, so an access ordered after
     * it is ordered after them, too. */
    cell->write = now;
    cell->reads.first.phase = cell->atomics.first.phase = 0;
  }
}

void
copy_lanes (Group *g)
{
  if (g->first.phase != phase || g->lanes == NO_LANES)
    return;
  LaneSet set = lane_sets[g->lanes];
  g->lanes = (unsigned) lane_sets.size ();
  lane_sets.push_back (set);
}

void
split (size_t word)
{
  is_split[word] = true;
  for (size_t i = 1; i < 4; i++) {
    Cell *cell = &cells[4 * word + i];

    *cell = cells[4 * word];
    copy_lanes (&cell->reads);
    copy_lanes (&cell->atomics);
  }
}
}

void
race_begin_block ()
{
  block++;
  race_barrier ();
}

void
race_barrier ()
{
  phase++;
  lane_sets.clear ();
}

void
race_sync_lanes (unsigned first, unsigned lanes)
{
  unsigned joined[LANES] = { 0 };

  for (unsigned i = 0; i < LANES; i++)
    for (unsigned j = 0; lanes >> i & 1 && j < LANES; j++)
      joined[j] = MAX (joined[j], clocks.of[first + i][j]);
  for (unsigned i = 0; i < LANES; i++) {
    if (!(lanes >> i & 1))
      continue;
    memcpy (clocks.of[first + i], joined, sizeof joined);
    clocks.of[first + i][i]++;
  }
}

void
race_shared_access (const void *p, size_t size, RaceKind kind, const void *pc)
{
  size_t at = shared_offset (p), end = at + size;
  const unsigned char *base = (const unsigned char *) p - at;

  const Access now = { phase, race_thread,
    clocks.of[race_thread][lane_of (race_thread)], pc };
  while (at < end && at < SHARED_ARENA) {
    size_t word = at / 4;

    if (!is_split[word] && (at % 4 != 0 || end - at < 4))
      split (word);
    access_cell (&cells[at], base + at, kind, now);
    at += is_split[word] ? 1 : 4;
  }
}
}
