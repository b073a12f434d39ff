/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#include "preprocesscommon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/preprocess.h"
#include "ref/preprocess.h"

Guarded
guarded_new (gsize size)
{
  gsize page = sysconf (_SC_PAGESIZE);
  Guarded g = {
    .size = size,
    .map_size = (size + page - 1) / page * page + page,
  };

  g.map = mmap (NULL, g.map_size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (g.map != MAP_FAILED);
  g_assert_cmpint (mprotect (g.map + g.map_size - page, page, PROT_NONE), ==,
      0);
  g.data = g.map + g.map_size - page - size;
  return g;
}

void
guarded_clear (Guarded *g)
{
  munmap (g->map, g->map_size);
}

guint
random_int (GRand *rand, guint least, guint most)
{
  return g_rand_int_range (rand, least, most + 1);
}

void
picture_init (Picture *pic, GRand *rand, Y10PixelFormat format, guint frame_w,
    guint frame_h, guint pad)
{
  const Y10FormatInfo *info = y10_pixel_format_get_info (format);

  memset (pic, 0, sizeof (*pic));
  pic->image.format = format;
  pic->image.matrix = random_int (rand, 0, Y10_MATRIX_FCC);
  pic->image.full_range = random_int (rand, 0, 1);
  for (guint p = 0; p < info->n_planes; p++) {
    gsize row = 0, rows = 0;

    for (guint i = 0; i < 3; i++) {
      const Y10Component *c = &info->component[i];
      gsize end = (gsize) (((frame_w - 1) >> c->xshift) + 1) * c->step;

      if (c->plane == p) {
        row = MAX (row, end);
        rows = ((frame_h - 1) >> c->yshift) + 1;
      }
    }
    pic->image.stride[p] = row + pad;
    pic->plane[p] = guarded_new ((rows - 1) * (row + pad) + row);
    pic->image.plane[p] = pic->plane[p].data;
    for (gsize i = 0; i < pic->plane[p].size; i++)
      pic->plane[p].data[i] = g_rand_int (rand);
  }
}

void
picture_clear (Picture *pic)
{
  for (guint p = 0; p < 3; p++)
    if (pic->plane[p].map != NULL)
      guarded_clear (&pic->plane[p]);
}

void
preprocess (gboolean cpu, const Y10Image *image, const Y10Letterbox *l,
    guint threads, gfloat *planes)
{
  memset (planes, 0xff,
      (gsize) 3 * l->dst_width * l->dst_height * sizeof (gfloat));
  if (cpu) {
    gsize size = y10_cpu_preprocess_scratch (l->dst_width, threads);
    gpointer scratch = aligned_alloc (64, (size + 63) / 64 * 64);
    Y10ThreadPool *pool = NULL;
    GError *error = NULL;

    if (threads > 1)
      pool = y10_threadpool_new (threads, &error);
    g_assert_no_error (error);
    memset (scratch, 0xff, size);
    y10_cpu_preprocess (image, l, pool, scratch, planes);
    y10_threadpool_free (pool);
    free (scratch);
  } else {
    y10_ref_preprocess (image, l, planes);
  }
}

guint8 *
to_bytes (const gfloat *planes, gsize n)
{
  guint8 *rgb = g_malloc (3 * n);

  for (gsize i = 0; i < n; i++)
    for (guint c = 0; c < 3; c++) {
      gfloat v = planes[c * n + i];
      long byte = lrintf (v * 255.0f);

      g_assert_cmpint (byte, >=, 0);
      g_assert_cmpint (byte, <=, 255);
      g_assert_true (v == (gfloat) byte / 255.0f);
      rgb[3 * i + c] = byte;
    }
  return rgb;
}

gboolean
tests_init (int *argc, char ***argv)
{
  const char *wanted = g_getenv ("Y10_MAX_CPU_ISA");

  if ((g_strcmp0 (wanted, "avx2") == 0 || g_strcmp0 (wanted, "avx512") == 0)
      && strcmp (wanted, y10_cpu_preprocess_impl ()) != 0) {
    g_print ("1..0 # SKIP this CPU has no %s\n", wanted);
    return FALSE;
  }
  g_test_init (argc, argv, NULL);
  g_test_message ("cpu kernels: %s", y10_cpu_preprocess_impl ());
  return TRUE;
}

void
tests_add (const char *name, GTestDataFunc test)
{
  static const char *const backends[] = { "ref", "cpu" };

  for (gsize i = 0; i < G_N_ELEMENTS (backends); i++) {
    char *path = g_strdup_printf ("/preprocess/%s/%s", backends[i], name);

    g_test_add_data_func (path, GSIZE_TO_POINTER (i), test);
    g_free (path);
  }
}
