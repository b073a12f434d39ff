/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Converts a picture to the network's input, row by row: loads the sampled
 * source pixels, converts them to R'G'B', blends columns, blends rows and
 * divides by 255. Skips unnecessary work: never reads pixels between the
 * samples of a large picture, converts a row that two output rows share only
 * once, and blends nothing if each output is one source pixel (1080p to
 * 640). The loops are in cpu/kernels/preprocess.c; ref/preprocess.c defines
 * the result. */

#include "cpu/preprocess.h"

#include <string.h>

#include "core/image.h"
#include "cpu/cpu-kernels.h"
#include "cpu/cpu.h"
#include "cpu/kernels/preprocess.h"

#define MIN_ROWS \
  16 /* of a part, which reuses no row of the one
                                 * before */

/* Constant for all rows of a picture. */
typedef struct
{
  const Y10PreprocessKernels *k;
  const Y10Image *image;
  const Y10FormatInfo *info;
  const Y10Letterbox *letterbox;
  gfloat *planes;
  guint8 *workers; /* scratch memory of the threads */
  guint n_parts;
  Y10LoadKind load;
  Y10ColorArgs color;
  int shift[3]; /* of R, G, B in a loaded pixel */

  gboolean mixed; /* columns are blended */
  guint n_load;   /* pixels to load per row: those at load_pos,
                                 * or if NULL, all of the region */
  const guint32 *load_pos;
  guint32 *pos, *weights; /* of each output column, into loaded pixels;
                                 * pos NULL: 2 i */
} Job;

/* Scratch memory of one thread. */
typedef struct
{
  guint32 *pixels; /* loaded pixels, 2 × dst_width + 1 */
  gint16 *row[2];  /* blended columns, 4 × dst_width each */
  guint row_y[2];  /* the rows of the region in row */
  guint32 *out;    /* blended rows, dst_width */
} Worker;

static gsize
aligned (gsize size)
{
  return (size + Y10_PREPROCESS_SLACK + 63) & ~(gsize) 63;
}

/* Allocates from a block of memory; without a base it only computes the
 * size. */
typedef struct
{
  guint8 *base;
  gsize used;
} Scratch;

static gpointer
take (Scratch *s, gsize size)
{
  gpointer p = s->base != NULL ? s->base + s->used : NULL;

  s->used += aligned (size);
  return p;
}

static void
take_job (Job *j, guint32 **load_pos, guint dst_width, Scratch *s)
{
  *load_pos = take (s, 2 * dst_width * sizeof (guint32));
  j->pos = take (s, dst_width * sizeof (guint32));
  j->weights = take (s, dst_width * sizeof (guint32));
}

static void
take_worker (Worker *w, guint dst_width, Scratch *s)
{
  w->pixels = take (s, (2 * dst_width + 1) * sizeof (guint32));
  w->row[0] = take (s, 4 * dst_width * sizeof (gint16));
  w->row[1] = take (s, 4 * dst_width * sizeof (gint16));
  w->out = take (s, dst_width * sizeof (guint32));
}

gsize
y10_cpu_preprocess_scratch (guint dst_width, guint threads)
{
  Scratch s = { NULL, 0 };
  guint32 *load_pos;
  Job job;
  Worker worker;

  take_job (&job, &load_pos, dst_width, &s);
  for (guint i = 0; i < threads; i++)
    take_worker (&worker, dst_width, &s);
  return s.used;
}

static const Y10PreprocessKernels *
choose_kernels (const char **name)
{
  const Y10PreprocessKernels *k = &y10_preprocess_kernels_c;

  *name = "c";
#ifdef __x86_64__
  if (y10_cpu_isa () >= Y10_ISA_AVX512) {
    *name = "avx512";
    k = &y10_preprocess_kernels_avx512;
  } else if (y10_cpu_isa () >= Y10_ISA_AVX2) {
    *name = "avx2";
    k = &y10_preprocess_kernels_avx2;
  }
#elif defined(__aarch64__)
  if (y10_cpu_isa () >= Y10_ISA_NEON) {
    *name = "neon";
    k = &y10_preprocess_kernels_neon;
  }
#endif
  return k;
}

const char *
y10_cpu_preprocess_impl (void)
{
  const char *name;

  choose_kernels (&name);
  return name;
}

static void
choose_load (Job *j)
{
  const Y10Component *c = j->info->component;
  gboolean packed = FALSE;

  if (j->info->yuv) {
    j->load = j->info->sample_size == 2 ? Y10_LOAD_YUV_SEMI10
        : c[0].step == 2                ? Y10_LOAD_YUV_MACROPIXEL
        : c[1].step == 2                ? Y10_LOAD_YUV_SEMI
        : c[1].xshift == 1              ? Y10_LOAD_YUV_HALF
                                        : Y10_LOAD_YUV_PLANAR;
  } else {
    packed = c[0].step > 1;
    j->load = c[0].step == 4 ? Y10_LOAD_PACKED4
        : c[0].step == 3     ? Y10_LOAD_PACKED3
                             : Y10_LOAD_PLANAR;
  }
  for (guint i = 0; i < 3; i++)
    j->shift[i] = 8 * (packed ? c[i].offset : i);
}

static void
init_color (Job *j)
{
  Y10ColorTransform t;

  y10_color_transform_init (&t, j->image->matrix, j->image->full_range,
      j->info->sample_size == 2 ? 10 : 8);
  j->color = (Y10ColorArgs){
    .y_gain = t.y_gain,
    .v_to_r = t.v_to_r,
    .u_to_g = t.u_to_g,
    .v_to_g = t.v_to_g,
    .u_to_b = t.u_to_b,
    .r_bias = t.r_bias,
    .g_bias = t.g_bias,
    .b_bias = t.b_bias,
  };
}

/* Avoids loading a pixel of weight zero: the result's first weight is not zero.
 * Blending with weights 1 and 0 returns the first pixel exactly. */
static Y10Tap
simplify (Y10Tap tap)
{
  if (tap.weight[0] == 0) {
    tap.pos[0] = tap.pos[1];
    tap.weight[0] = tap.weight[1];
    tap.weight[1] = 0;
  }
  return tap;
}

static void
init_columns (Job *j, guint32 *load_pos)
{
  const Y10Letterbox *l = j->letterbox;
  const guint n = l->width, n_src = j->image->width, x = j->image->x;
  gboolean even = TRUE;

  j->mixed = FALSE;
  for (guint i = 0; i < n; i++) {
    Y10Tap tap = simplify (y10_tap_column (i, n_src, n));

    j->pos[i] = tap.pos[0];
    j->weights[i] = (guint32) tap.weight[0] | (guint32) tap.weight[1] << 16;
    j->mixed |= tap.weight[0] != Y10_TAP_ONE;
    load_pos[2 * i] = x + tap.pos[0];
    load_pos[2 * i + 1] = x + tap.pos[1];
    even &= tap.pos[0] == 2 * i;
  }

  j->load_pos = NULL;
  j->n_load = n_src;
  if (j->mixed && n_src > 2 * n) {
    j->load_pos = load_pos;
    j->n_load = 2 * n;
    j->pos = NULL;
  } else if (!j->mixed && n_src != n) {
    for (guint i = 0; i < n; i++) {
      load_pos[i] = x + j->pos[i];
      j->pos[i] = i;
    }
    j->load_pos = load_pos;
    j->n_load = n;
  } else if (even) {
    j->pos = NULL;
  }
}

/* Loads the sampled pixels of row @y of the region as R'G'B'. */
static void
load_row (const Job *j, Worker *w, guint y)
{
  const guint frame_y = j->image->y + y;
  Y10LoadRow row;

  for (guint i = 0; i < 3; i++) {
    const Y10Component *c = &j->info->component[i];

    row.component[i] = j->image->plane[c->plane]
        + (frame_y >> c->yshift) * j->image->stride[c->plane];
    if (j->load != Y10_LOAD_PACKED3 && j->load != Y10_LOAD_PACKED4)
      row.component[i] += c->offset;
  }
  if (j->load_pos != NULL)
    j->k->load_at[j->load](&row, j->load_pos, j->n_load, w->pixels);
  else
    j->k->load_range[j->load](&row, j->image->x, j->n_load, w->pixels);
  if (j->info->yuv)
    j->k->color (&j->color, j->n_load, w->pixels);
}

/* Blends the columns of row @y of the region and returns its index in
 * w->row. Does not overwrite the one that holds row @keep. */
static guint
get_row (const Job *j, Worker *w, guint y, guint keep)
{
  guint i;

  for (i = 0; i < 2; i++)
    if (w->row_y[i] == y)
      return i;

  i = w->row_y[0] == keep ? 1 : 0;
  load_row (j, w, y);
  /* The right neighbour of the last pixel; its weight is zero. */
  w->pixels[j->n_load] = 0;
  j->k->blend_columns (w->pixels, j->pos, j->weights, j->letterbox->width,
      w->row[i]);
  w->row_y[i] = y;
  return i;
}

static const guint32 *
make_row (const Job *j, Worker *w, guint y)
{
  const Y10Letterbox *l = j->letterbox;
  Y10Tap tap = simplify (y10_tap_row (y, l->src_height, l->height));
  guint a, b;

  if (!j->mixed && tap.weight[0] == Y10_TAP_ONE) {
    load_row (j, w, tap.pos[0]);
    return w->pixels;
  }

  a = get_row (j, w, tap.pos[0], tap.pos[1]);
  b = tap.weight[1] != 0 ? get_row (j, w, tap.pos[1], tap.pos[0]) : a;
  j->k->blend_rows (w->row[a], w->row[b], tap.weight[0], tap.weight[1],
      l->width, w->out);
  return w->out;
}

static gfloat *
output (const Job *j, guint plane, guint x, guint y)
{
  const Y10Letterbox *l = j->letterbox;

  return j->planes + ((gsize) plane * l->dst_height + y) * l->dst_width + x;
}

static void
fill_rows (const Job *j, guint first, guint end)
{
  for (guint p = 0; p < 3; p++)
    j->k->fill (Y10_LETTERBOX_FILL / 255.0f,
        (gsize) (end - first) * j->letterbox->dst_width,
        output (j, p, 0, first));
}

/* Computes one of @n_parts parts of the picture and of the border. @thread: the
 * one that runs it. */
static void
run_part (const Job *j, guint part, guint n_parts, guint thread)
{
  const Y10Letterbox *l = j->letterbox;
  const guint right = l->left + l->width, bottom = l->top + l->height;
  const guint first = (guint64) l->height * part / n_parts;
  const guint end = (guint64) l->height * (part + 1) / n_parts;
  Scratch own = { j->workers, 0 };
  Worker worker, *w = &worker;

  for (guint i = 0; i <= thread; i++)
    take_worker (w, l->dst_width, &own);
  w->row_y[0] = w->row_y[1] = G_MAXUINT;
  fill_rows (j, (guint64) l->top * part / n_parts,
      (guint64) l->top * (part + 1) / n_parts);
  for (guint y = first; y < end; y++) {
    const guint32 *row = make_row (j, w, y);

    for (guint p = 0; p < 3; p++) {
      j->k->fill (Y10_LETTERBOX_FILL / 255.0f, l->left,
          output (j, p, 0, l->top + y));
      j->k->fill (Y10_LETTERBOX_FILL / 255.0f, l->dst_width - right,
          output (j, p, right, l->top + y));
    }
    j->k->store (row, l->width, j->shift, output (j, 0, l->left, l->top + y),
        output (j, 1, l->left, l->top + y), output (j, 2, l->left, l->top + y));
  }
  fill_rows (j, bottom + (guint64) (l->dst_height - bottom) * part / n_parts,
      bottom + (guint64) (l->dst_height - bottom) * (part + 1) / n_parts);
}

static guint
count_parts (gpointer data, guint stage)
{
  const Job *j = data;

  return j->n_parts;
}

static void
run_chunk (gpointer data, guint stage, guint chunk, guint thread)
{
  const Job *j = data;

  run_part (j, chunk, j->n_parts, thread);
}

static const Y10ThreadPoolJob preprocess_job = { count_parts, run_chunk };

static void
copy_tensor (const Y10Image *image, const Y10Letterbox *l, gfloat *planes)
{
  for (guint p = 0; p < 3; p++)
    for (guint y = 0; y < l->dst_height; y++)
      memcpy (planes + ((gsize) p * l->dst_height + y) * l->dst_width,
          image->plane[p] + (image->y + y) * image->stride[p]
              + image->x * sizeof (gfloat),
          l->dst_width * sizeof (gfloat));
}

void
y10_cpu_preprocess (const Y10Image *image, const Y10Letterbox *letterbox,
    Y10ThreadPool *pool, gpointer scratch, gfloat *planes)
{
  const char *name;
  Job job = {
    .k = choose_kernels (&name),
    .image = image,
    .info = y10_pixel_format_get_info (image->format),
    .letterbox = letterbox,
    .planes = planes,
  };
  Scratch shared = { scratch, 0 };
  guint32 *load_pos;

  if (image->format == Y10_PIXEL_TENSOR) {
    copy_tensor (image, letterbox, planes);
    return;
  }

  choose_load (&job);
  if (job.info->yuv)
    init_color (&job);
  take_job (&job, &load_pos, letterbox->dst_width, &shared);
  init_columns (&job, load_pos);

  job.workers = shared.base + shared.used;
  if (pool != NULL) {
    job.n_parts = y10_cpu_choose_chunks (y10_threadpool_get_n_threads (pool),
        letterbox->height / MIN_ROWS);
    y10_threadpool_run (pool, &preprocess_job, 1, &job);
  } else {
    run_part (&job, 0, 1, 0);
  }
}
