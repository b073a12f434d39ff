/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Lets a program that runs the backend on the simulated GPU control the
 * simulator: the module exports a table of functions, which a real GPU's module
 * lacks. sim.h documents them. */

#include <dlfcn.h>

#include "driver/driver.h"
#include "sim.h"

G_BEGIN_DECLS

typedef struct
{
  const Y10CudaDriver *(*driver) (GString *why);
  guint (*n_reports) (void);
  const char *(*last_report) (void);
  void (*reset_reports) (void);
  void (*set_quiet) (gboolean quiet);
  void (*mark_started) (void);
  void (*mark_stopped) (void);
  void (*do_break) (Y10SimBreak kind, guint n);
  void (*lose) (guint n, int code);
  void (*refuse) (guint n_kernels, guint n_graphs);
  void (*set_gone) (gboolean gone);
  guint64 (*n_kernels) (void);
  guint64 (*n_graph_launches) (void);
  guint64 (*n_invalidated) (void);
  guint64 (*n_launches) (void);
  guint64 (*n_copies) (void);
  guint64 (*n_spins) (void);
  guint64 (*n_unset) (void);
  guint (*n_nodes) (void);
  guint (*longest_chain) (void);
  guint (*n_waits) (void);
  void (*forget_wait) (guint wait);
  void (*delay_node) (guint node);
  int (*ctx_synchronize) (void);
  void (*set_slow_captures) (gboolean slow);
  struct CUctx_st *(*context_new) (void);
  struct CUctx_st *(*context_new_on) (int device);
  void (*context_free) (struct CUctx_st *context);
} Y10SimControl;

/* Call this after an engine has loaded the module; returns NULL without a
 * simulator. */
static inline const Y10SimControl *
y10_sim_control_get (void)
{
  const char *folder = g_getenv ("Y10_BACKEND_PATH");
  char *path = g_build_filename (folder ? folder : ".", "liby10-cuda.so", NULL);
  gpointer module = dlopen (path, RTLD_NOW | RTLD_NOLOAD);
  gpointer control = module ? dlsym (module, "y10_sim_control") : NULL;

  g_free (path);
  if (module) /* it is never unloaded */
    dlclose (module);
  return (const Y10SimControl *) control;
}

G_END_DECLS
