/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by test-preprocess and test-colors: pictures in guarded memory, and tests
 * that run on the reference and on the cpu backend. */

#include "core/image.h"

G_BEGIN_DECLS

/* Memory that ends at an inaccessible page. */
typedef struct
{
  guint8 *map, *data;
  gsize map_size, size;
} Guarded;

typedef struct
{
  Y10Image image;
  Guarded plane[3];
} Picture;

Guarded guarded_new (gsize size);
void guarded_clear (Guarded *g);

/* Random pixels, matrix and range; rows have @pad bytes of padding. The caller sets
 * the image's size. */
void picture_init (Picture *pic, GRand *rand, Y10PixelFormat format,
    guint frame_w, guint frame_h, guint pad);
void picture_clear (Picture *pic);

guint random_int (GRand *rand, guint least, guint most);

/* Runs one of the backends on an output whose bits are all set. */
void preprocess (gboolean cpu, const Y10Image *image, const Y10Letterbox *l,
    guint threads, gfloat *planes);
/* Planar floats to packed bytes; each float must be one of v / 255. */
guint8 *to_bytes (const gfloat *planes, gsize n);

/* Initializes GTest. FALSE: this CPU lacks the instruction set in
 * Y10_MAX_CPU_ISA; prints TAP's line for skipped tests. */
gboolean tests_init (int *argc, char ***argv);
/* Adds /preprocess/ref/NAME and /preprocess/cpu/NAME. The argument of @test is
 * TRUE for cpu. */
void tests_add (const char *name, GTestDataFunc test);

G_END_DECLS
