/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "core/graph.h"

G_BEGIN_DECLS

/* A network that is being built. Each function below adds one module to the graph and
 * returns its output; after a failure they do nothing that matters. */
typedef struct
{
  Y10GraphBuilder *graph;
  GStringChunk *names;
  const Y10TensorFile *file;
} Y10Modules;

/* Deviations of a convolution from Conv(k, stride 1, SiLU). */
typedef struct
{
  guint stride;    /* 0 means 1 */
  gboolean linear; /* no SiLU */
  gboolean depthwise;
  gboolean halves;   /* two equal segments of the output */
  const guint *segs; /* … or the channels of each segment */
  guint n_segs;
  gboolean logits;   /* output is read by the head */
  Y10View add;       /* residual, added after the activation */
  gboolean in_place; /* the output overwrites the residual */
} Y10ConvSpec;

#define Y10_CONV(...) ((Y10ConvSpec){ __VA_ARGS__ })

Y10View y10_module_conv (Y10Modules *m, Y10View x, const char *module,
    Y10ConvSpec spec);
/* The convolution MODULE.NAME. */
Y10View y10_module_conv_in (Y10Modules *m, Y10View x, const char *module,
    const char *name, Y10ConvSpec spec);
/* @shortcut: whether its bottlenecks add their input to their output. */
Y10View y10_module_c2f (Y10Modules *m, Y10View x, const char *module,
    gboolean shortcut);
/* @residual: adds the input to the output, and has no activation in front of the
 * pools; without it the file may say that it has none. */
Y10View y10_module_sppf (Y10Modules *m, Y10View x, const char *module,
    gboolean residual);
/* Overwrites @x and returns it. */
Y10View y10_module_psa_block (Y10Modules *m, Y10View x, const char *module);
/* Half of the channels go through a chain of such blocks. */
Y10View y10_module_c2psa (Y10Modules *m, Y10View x, const char *module);
/* Segment @i of @x. */
Y10View y10_module_part (Y10View x, guint i);
Y10View y10_module_concat (Y10Modules *m, Y10View a, Y10View b);
Y10View y10_module_upsample2x (Y10Modules *m, Y10View x, const char *module);
/* Its inputs are those of the levels, finest first. Sets what the head determines
 * in @out. */
void y10_module_detect (Y10Modules *m, const Y10View *x, const char *module,
    Y10Graph *out);

G_END_DECLS
