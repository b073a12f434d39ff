/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The control table, which the module on the simulated GPU exports beside the
 * backend. */

#include "control.h"

__attribute__ ((
    visibility ("default"))) extern const Y10SimControl y10_sim_control;

const Y10SimControl y10_sim_control = {
  .driver = y10_cuda_driver_get,
  .n_reports = y10_sim_n_reports,
  .last_report = y10_sim_last_report,
  .reset_reports = y10_sim_reset_reports,
  .set_quiet = y10_sim_set_quiet,
  .mark_started = y10_sim_mark_started,
  .mark_stopped = y10_sim_mark_stopped,
  .do_break = y10_sim_break,
  .lose = y10_sim_lose,
  .refuse = y10_sim_refuse,
  .set_gone = y10_sim_set_gone,
  .n_kernels = y10_sim_n_kernels,
  .n_graph_launches = y10_sim_n_graph_launches,
  .n_invalidated = y10_sim_n_invalidated,
  .n_launches = y10_sim_n_launches,
  .n_copies = y10_sim_n_copies,
  .n_spins = y10_sim_n_spins,
  .n_unset = y10_sim_n_unset,
  .n_nodes = y10_sim_n_nodes,
  .longest_chain = y10_sim_longest_chain,
  .n_waits = y10_sim_n_waits,
  .forget_wait = y10_sim_forget_wait,
  .delay_node = y10_sim_delay_node,
  .ctx_synchronize = y10_sim_ctx_synchronize,
  .set_slow_captures = y10_sim_set_slow_captures,
  .context_new = y10_sim_context_new,
  .context_new_on = y10_sim_context_new_on,
  .context_free = y10_sim_context_free,
};
