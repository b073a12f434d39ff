/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Who used a byte of shared memory, and whether a barrier, or a warp's own, has
 * ordered that before what follows. Epochs count these. */

namespace y10_ptx {
#define SEVERAL (~0u)

/* Who used a byte of shared memory since the last barrier. */
struct Use
{
  unsigned epoch;              /* of the block; another one: nobody */
  unsigned warp;               /* or SEVERAL */
  unsigned warp_epoch, thread; /* of the last use; thread: or SEVERAL */
};

struct Shadow
{
  Use written, read;
  bool copying; /* an asynchronous copy has begun to write it */
};

/* Whether @use, which another thread may have made, is ordered before @thread now. */
static inline bool
is_ordered (const Use &use, unsigned epoch, unsigned warp_epoch,
    unsigned thread)
{
  return use.epoch != epoch || use.thread == thread
      || (use.warp == thread / 32 && use.warp_epoch != warp_epoch);
}

static inline void
note (Use *use, unsigned epoch, unsigned warp_epoch, unsigned thread)
{
  const unsigned warp = thread / 32;

  if (use->epoch != epoch)
    *use = { epoch, warp, warp_epoch, thread };
  else if (use->warp != warp)
    use->warp = use->thread = SEVERAL;
  else if (use->warp_epoch == warp_epoch && use->thread != thread)
    use->thread = SEVERAL;
  else
    use->warp_epoch = warp_epoch, use->thread = thread;
}
}
