/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The list of cases. The ops of all six variants are read from their graphs, so
 * that no shape can be forgotten; each distinct op becomes one case. Further
 * cases have shapes that no variant uses but another network may. */

#include <string.h>

#include "checkop.h"

static void
append_segs (GString *s, const Segs *segs)
{
  for (guint i = 0; i < segs->n; i++)
    g_string_append_printf (s, "%s%u", i ? "+" : "", segs->channels[i]);
}

static char *
name_op (const OpCase *c)
{
  GString *s = g_string_new (y10_op_kind_get_name (c->kind));

  if (c->kind == Y10_OP_CONV)
    g_string_append_printf (s, " %sk%us%u", c->depthwise ? "dw " : "",
        c->kernel, c->stride);
  if (c->chain)
    g_string_append_printf (s, " chain %u", c->chain);
  if (c->heads)
    g_string_append_printf (s, " %u heads %u/%u", c->heads, c->key_dim,
        c->head_dim);
  g_string_append_c (s, ' ');
  append_segs (s, &c->in);
  g_string_append_c (s, '>');
  append_segs (s, &c->out);
  g_string_append_printf (s, " %ux%u", c->height, c->width);
  if (c->silu)
    g_string_append (s, " silu");
  if (c->residual)
    g_string_append (s,
        c->residual == RESIDUAL_IN_PLACE ? " add-in-place" : " add");
  if (c->guards)
    g_string_append (s, " view");
  if (c->same_tensor)
    g_string_append (s, " same-tensor");
  if (c->from_input)
    g_string_append (s, " input");
  if (c->to_logits)
    g_string_append (s, " logits");
  if (c->batch > 1)
    g_string_append_printf (s, " batch %u", c->batch);
  return g_string_free (s, FALSE);
}

static void
add_case (GPtrArray *cases, Case *c)
{
  for (guint i = 0; i < cases->len; i++) {
    const Case *other = g_ptr_array_index (cases, i);

    if (strcmp (other->name, c->name) == 0) {
      g_free (c->name);
      return;
    }
  }
  g_ptr_array_add (cases, g_memdup2 (c, sizeof *c));
}

static void
add_op (GPtrArray *cases, const OpCase *op, gboolean odd)
{
  Case c = { .type = CASE_OP, .odd = odd, .op = *op };

  c.op.batch = MAX (c.op.batch, 1);
  if (op->kind == Y10_OP_CONV && !op->stride)
    c.op.stride = 1;
  c.name = name_op (&c.op);
  add_case (cases, &c);
}

static Segs
segs_of (const Y10Graph *graph, Y10View view)
{
  Segs segs = { .n = view.n };

  g_assert_cmpuint (view.n, <=, MAX_SEGS);
  memcpy (segs.channels, graph->tensors[view.tensor].seg_channels + view.first,
      view.n * sizeof *segs.channels);
  return segs;
}

static gboolean
is_part (const Y10Graph *graph, Y10View view)
{
  return view.n != graph->tensors[view.tensor].n_segs;
}

/* Adds a case for each op of @graph. */
static void
add_graph (GPtrArray *cases, const Y10Graph *graph, gboolean odd)
{
  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10Op *op = &graph->ops[i];
    const Y10Tensor *in = &graph->tensors[op->in.tensor];
    OpCase c = {
      .kind = op->kind,
      .in = segs_of (graph, op->in),
      .out = segs_of (graph, op->out),
      .height = in->height,
      .width = in->width,
      .kernel = op->kernel,
      .stride = op->stride,
      .depthwise = op->kind == Y10_OP_CONV && op->groups > 1,
      .silu = op->act == Y10_ACT_SILU,
      .heads = op->heads,
      .key_dim = op->key_dim,
      .head_dim = op->head_dim,
    };

    c.from_input = in->role == Y10_ROLE_INPUT;
    c.to_logits = graph->tensors[op->out.tensor].role == Y10_ROLE_LOGITS;
    c.same_tensor = op->in.tensor == op->out.tensor;
    c.guards = !c.from_input
        && (is_part (graph, op->in) || is_part (graph, op->out));
    if (op->add.n)
      c.residual = memcmp (&op->add, &op->out, sizeof op->add) == 0
          ? RESIDUAL_IN_PLACE
          : RESIDUAL_SEPARATE;
    if (c.residual == RESIDUAL_IN_PLACE)
      c.same_tensor = FALSE; /* x += f(h): h is elsewhere */
    add_op (cases, &c, odd);
  }
}

static void
add_odd_convs (GPtrArray *cases)
{
  static const guint odd[] = { 1, 3, 7, 8, 12, 255, 257 };
  static const guint classes[] = { 1, 3, 7, 90, 1000 };

#define CONV(in_channels, out_channels, ...) \
  add_op (cases, \
      &(OpCase){ .kind = Y10_OP_CONV, \
          .in = { 1, { in_channels } }, \
          .out = { 1, { out_channels } }, \
          .height = 7, \
          .width = 13, \
          __VA_ARGS__ }, \
      TRUE)
  for (guint i = 0; i < G_N_ELEMENTS (odd); i++) {
    guint c = odd[i], next = odd[(i + 1) % G_N_ELEMENTS (odd)];

    CONV (c, next, .kernel = 1, .silu = TRUE);
    CONV (next, c, .kernel = 3, .silu = TRUE, .guards = TRUE);
    CONV (c, next, .kernel = 3, .stride = 2, .silu = TRUE);
    CONV (c, c, .kernel = 3, .silu = TRUE, .residual = RESIDUAL_SEPARATE,
        .guards = TRUE);
    CONV (c, c, .kernel = 1, .residual = RESIDUAL_IN_PLACE, .guards = TRUE);
    CONV (c, c, .kernel = 3, .silu = TRUE, .same_tensor = TRUE, .guards = TRUE);
    CONV (c, c, .kernel = 3, .depthwise = TRUE, .silu = TRUE, .guards = TRUE);
    CONV (c, c, .kernel = 3, .stride = 2, .depthwise = TRUE);
    CONV (c, c, .kernel = 7, .depthwise = TRUE, .silu = TRUE);
    CONV (c, c, .kernel = 3, .depthwise = TRUE, .silu = TRUE,
        .residual = RESIDUAL_SEPARATE);
    CONV (c, c, .kernel = 3, .silu = TRUE, .batch = 3);
    CONV (3, c, .kernel = 3, .stride = 2, .silu = TRUE, .from_input = TRUE,
        .guards = TRUE);
  }
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    CONV (24, classes[i], .kernel = 1, .to_logits = TRUE);
  CONV (64, 32, .kernel = 1, .to_logits = TRUE); /* 8 box bins */
  CONV (16, 16, .kernel = 5, .silu = TRUE);
  CONV (16, 16, .kernel = 5, .depthwise = TRUE);
  CONV (16, 12, .kernel = 7, .stride = 2, .silu = TRUE);
#undef CONV
  /* Pictures of one row, one column, one pixel; row lengths that are no
   * multiple of the vector width. */
  for (guint i = 0; i < 6; i++) {
    static const guint size[6][2] = { { 1, 1 }, { 1, 9 }, { 9, 1 }, { 2, 2 },
      { 5, 33 }, { 3, 31 } };
    OpCase c = {
      .kind = Y10_OP_CONV,
      .in = { 1, { 12 } },
      .out = { 1, { 20 } },
      .height = size[i][0],
      .width = size[i][1],
      .kernel = 3,
      .silu = TRUE,
    };

    add_op (cases, &c, TRUE);
    c.stride = 2;
    add_op (cases, &c, TRUE);
    c.out = c.in;
    c.depthwise = TRUE;
    add_op (cases, &c, TRUE);
    c.stride = 1;
    c.kernel = 7;
    add_op (cases, &c, TRUE);
    c.kernel = 1;
    c.depthwise = FALSE;
    add_op (cases, &c, TRUE);
  }
  /* A concat whose operands all have padding, read and written. */
  add_op (cases,
      &(OpCase){ .kind = Y10_OP_CONV,
          .in = { 4, { 12, 12, 12, 7 } },
          .out = { 2, { 9, 9 } },
          .height = 6,
          .width = 10,
          .kernel = 1,
          .silu = TRUE,
          .guards = TRUE },
      TRUE);
  add_op (cases,
      &(OpCase){ .kind = Y10_OP_CONV,
          .in = { 3, { 8, 24, 5 } },
          .out = { 3, { 3, 1, 30 } },
          .height = 6,
          .width = 10,
          .kernel = 3,
          .silu = TRUE },
      TRUE);
  add_op (cases,
      &(OpCase){ .kind = Y10_OP_CONV,
          .in = { 2, { 12, 20 } },
          .out = { 2, { 12, 20 } },
          .height = 6,
          .width = 10,
          .kernel = 3,
          .depthwise = TRUE },
      TRUE);
}

static void
add_odd_others (GPtrArray *cases)
{
  static const guint odd[] = { 1, 3, 7, 12, 16, 257 };
  static const guint attention[][4] = {
    /* heads, head_dim, h, w */
    { 1, 8, 3, 5 },
    { 1, 12, 2, 2 },
    { 1, 32, 1, 1 },
    { 1, 48, 5, 7 },
    { 2, 33, 4, 9 },
    { 3, 70, 3, 3 },
    { 4, 72, 10, 10 },
    { 2, 64, 12, 13 },
    { 2, 64, 20, 20 },
    { 5, 64, 3, 17 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    for (guint guards = 0; guards < 2; guards++) {
      OpCase c = {
        .kind = Y10_OP_MAXPOOL5,
        .in = { 1, { odd[i] } },
        .out = { 1, { odd[i] } },
        .height = 7,
        .width = 13,
        .guards = guards,
        .batch = 1 + 2 * guards,
      };

      add_op (cases, &c, TRUE);
      c.kind = Y10_OP_UPSAMPLE2X;
      add_op (cases, &c, TRUE);
    }
  for (guint i = 0; i < 4; i++) {
    static const guint size[4][2] = { { 1, 1 }, { 2, 3 }, { 1, 20 },
      { 20, 20 } };
    OpCase c = {
      .kind = Y10_OP_MAXPOOL5,
      .in = { 1, { 24 } },
      .out = { 1, { 24 } },
      .height = size[i][0],
      .width = size[i][1],
    };

    add_op (cases, &c, TRUE);
    c.chain = 3;
    c.out = (Segs){ 3, { 24, 24, 24 } };
    c.same_tensor = TRUE;
    add_op (cases, &c, TRUE);
    c.guards = TRUE;
    c.in.channels[0] = c.out.channels[0] = c.out.channels[1] =
        c.out.channels[2] = 13;
    add_op (cases, &c, TRUE);
  }
  for (guint i = 0; i < G_N_ELEMENTS (attention); i++) {
    guint heads = attention[i][0], head_dim = attention[i][1];
    OpCase c = {
      .kind = Y10_OP_ATTENTION,
      .height = attention[i][2],
      .width = attention[i][3],
      .kernel = 3,
      .stride = 1,
      .heads = heads,
      .head_dim = head_dim,
      .key_dim = head_dim / 2,
      .batch = i == 3 ? 3 : 1,
      .guards = i == 4,
    };

    for (guint h = 0; h < heads; h++) {
      c.in.channels[c.in.n++] = c.key_dim;
      c.in.channels[c.in.n++] = c.key_dim;
      c.in.channels[c.in.n++] = head_dim;
      c.out.channels[c.out.n++] = head_dim;
    }
    add_op (cases, &c, TRUE);
  }
}

static void
add_head (GPtrArray *cases, const HeadCase *head)
{
  Case c = { .type = CASE_HEAD, .odd = TRUE, .head = *head };
  GString *s = g_string_new (NULL);

  g_string_printf (s, "head %s %ux%u nc %u", y10_head_get_name (head->head),
      head->height, head->width, head->n_classes);
  if (head->n_bins != 16)
    g_string_append_printf (s, " bins %u", head->n_bins);
  g_string_append_printf (s, " conf %g max %u", head->confidence,
      head->max_detections);
  if (head->head != Y10_HEAD_ONE2ONE)
    g_string_append_printf (s, " iou %g%s", head->iou,
        head->agnostic ? " agnostic" : "");
  if (head->multi_label)
    g_string_append (s, " pairs");
  if (head->ties)
    g_string_append (s, " ties");
  if (head->nan)
    g_string_append (s, " nan");
  if (head->unwanted)
    g_string_append_printf (s, " unwanted %u", head->unwanted);
  if (head->src_width != head->width || head->src_height != head->height)
    g_string_append_printf (s, " from %ux%u", head->src_height,
        head->src_width);
  c.name = g_string_free (s, FALSE);
  add_case (cases, &c);
}

static void
add_heads (GPtrArray *cases)
{
  static const guint classes[] = { 1, 3, 7, 90, 1000 };

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    for (int head = Y10_HEAD_ONE2ONE; head <= Y10_HEAD_ONE2ONE_NMS; head++) {
      HeadCase c = {
        .head = (Y10Head) head,
        .width = 96,
        .height = 64,
        .src_width = 96,
        .src_height = 64,
        .n_classes = classes[i],
        .n_bins = 16,
        .iou = 0.7f,
        .max_detections = 300,
      };

      add_head (cases, &c);
      c.confidence = 0.25f;
      add_head (cases, &c);
      c.ties = TRUE;
      add_head (cases, &c);
      c.agnostic = head != Y10_HEAD_ONE2ONE;
      c.confidence = 0.001f;
      c.iou = 0.45f;
      add_head (cases, &c);
      c.unwanted = 2;
      c.max_detections = 7;
      add_head (cases, &c);
      c.ties = FALSE;
      c.n_bins = 8;
      c.src_width = 100;
      c.src_height = 37;
      c.max_detections = 1;
      add_head (cases, &c);
      c.max_detections = 300;
      c.unwanted = 1; /* no class is wanted */
      add_head (cases, &c);
      c.unwanted = 3;
      c.nan = TRUE;
      add_head (cases, &c);
      c.confidence = 0.99f;
      add_head (cases, &c);
      c = (HeadCase){
        .head = (Y10Head) head,
        .width = 96,
        .height = 64,
        .src_width = 100,
        .src_height = 37,
        .n_classes = classes[i],
        .n_bins = 1,
        .iou = 0.7f,
        .confidence = 0.1f,
        .max_detections = 300,
      };
      add_head (cases, &c);
      if (head != Y10_HEAD_ONE2MANY)
        continue;
      c.multi_label = TRUE;
      for (guint k = 0; k < 4; k++) {
        c.confidence = k ? 0.001f : 0.9f;
        c.ties = k == 1;
        c.agnostic = k == 2;
        c.unwanted = k == 3 ? 0 : 3;
        c.nan = k == 3;
        add_head (cases, &c);
      }
    }
  add_head (cases,
      &(HeadCase){
          .head = Y10_HEAD_ONE2ONE,
          .width = 1280,
          .height = 1280,
          .src_width = 1920,
          .src_height = 1080,
          .n_classes = 8,
          .n_bins = 16,
          .max_detections = 300,
      });
  add_head (cases,
      &(HeadCase){
          .head = Y10_HEAD_ONE2MANY,
          .width = 640,
          .height = 640,
          .src_width = 1920,
          .src_height = 1080,
          .n_classes = 8,
          .n_bins = 16,
          .iou = 0.7f,
          .confidence = 0.1f,
          .max_detections = 300,
      });
  add_head (cases,
      &(HeadCase){
          .head = Y10_HEAD_ONE2ONE,
          .width = 32,
          .height = 32,
          .src_width = 1,
          .src_height = 1,
          .n_classes = 1,
          .n_bins = 16,
          .max_detections = 300,
      });
}

static void
add_preprocess (GPtrArray *cases, const PreprocessCase *p)
{
  Case c = { .type = CASE_PREPROCESS, .odd = TRUE, .preprocess = *p };

  c.name = g_strdup_printf ("preprocess %s matrix %u%s %ux%u+%u+%u to %ux%u",
      y10_pixel_format_get_name (p->format), p->matrix,
      p->full_range ? " full" : "", p->height, p->width, p->y, p->x,
      p->dst_height, p->dst_width);
  add_case (cases, &c);
}

static void
add_preprocesses (GPtrArray *cases)
{
  static const guint sizes[][2] = { { 64, 48 }, { 1, 1 }, { 200, 113 },
    { 31, 257 }, { 640, 360 } };

  for (guint format = 0; format < Y10_PIXEL_TENSOR; format++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      PreprocessCase p = {
        .format = format,
        .matrix = (format + i) % 5,
        .full_range = i & 1,
        .width = sizes[i][0],
        .height = sizes[i][1],
        .dst_width = i & 1 ? 64 : 160,
        .dst_height = 96,
      };

      add_preprocess (cases, &p);
      p.x = 6;
      p.y = 4;
      add_preprocess (cases, &p);
    }
  add_preprocess (cases,
      &(PreprocessCase){
          .format = Y10_PIXEL_TENSOR,
          .width = 160,
          .height = 96,
          .dst_width = 160,
          .dst_height = 96,
      });
}

static void
case_free (gpointer data)
{
  Case *c = data;

  g_free (c->name);
  g_free (c);
}

GPtrArray *
cases_new (guint width, guint height, gboolean variants)
{
  GPtrArray *cases = g_ptr_array_new_with_free_func (case_free);
  Y10Graph *tiny;

  for (const char *v = "nsmblx"; variants && *v; v++)
    for (guint many = 0; many < 2; many++) {
      Y10Graph *graph = variant_graph_new (*v, width, height,
          many ? Y10_HEAD_ONE2MANY : Y10_HEAD_ONE2ONE);

      add_graph (cases, graph, FALSE);
      y10_graph_free (graph);
    }
  tiny = tiny_graph_new (96, 64, 3, 8, Y10_HEAD_ONE2ONE);
  add_graph (cases, tiny, TRUE);
  y10_graph_free (tiny);
  add_odd_convs (cases);
  add_odd_others (cases);
  add_heads (cases);
  add_preprocesses (cases);
  return cases;
}

const char *
case_op (const Case *c)
{
  return c->type == CASE_HEAD      ? "head"
      : c->type == CASE_PREPROCESS ? "preprocess"
                                   : y10_op_kind_get_name (c->op.kind);
}
