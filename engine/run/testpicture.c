/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Draws what the bundled model detects, without a file: something like a QR code
 * in the middle, and a barcode at the lower right. Their classes and boxes differ,
 * so that images of a step cannot be taken for one another. */

#include "config.h"

#include <string.h>

#include "run/testpicture.h"

#define WIDTH Y10_TEST_PICTURE_WIDTH
#define HEIGHT Y10_TEST_PICTURE_HEIGHT
#define MODULE 4 /* pixels of a QR code's module */
#define N_MODULES 25
#define BAR 2 /* pixels of a barcode's module */
#define N_BARS 67
#define BAR_HEIGHT 60
#define INK 25

static void
draw_paper (guint8 *rgb)
{
  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++) {
      guint8 *p = rgb + 3 * (y * WIDTH + x);

      p[0] = (guint8) (230 - y / 8);
      p[1] = (guint8) (225 - x / 16);
      p[2] = (guint8) (215 + y / 16);
    }
}

static guint32
next_random (guint32 *seed)
{
  return *seed = *seed * 1664525 + 1013904223;
}

static gboolean
is_finder (guint x, guint y)
{
  const guint dx = x < 7 ? x : N_MODULES - 1 - x;
  const guint dy = y < 7 ? y : N_MODULES - 1 - y;
  const guint ring = MAX (ABS ((int) dx - 3), ABS ((int) dy - 3));

  return ring == 3 || ring <= 1;
}

/* Three finder patterns and seeded modules. */
static void
draw_qr_code (guint8 *rgb)
{
  const guint left = (WIDTH - MODULE * N_MODULES) / 2;
  const guint top = (HEIGHT - MODULE * N_MODULES) / 2;
  guint32 seed = 1;

  for (guint y = 0; y < N_MODULES; y++)
    for (guint x = 0; x < N_MODULES; x++) {
      const gboolean finder = (x < 8 || x >= N_MODULES - 8) && y < 8;
      const gboolean lower = x < 8 && y >= N_MODULES - 8;
      gboolean dark = next_random (&seed) >> 31;

      if (finder || lower)
        dark = x != 7 && x != N_MODULES - 8 && y != 7 && y != N_MODULES - 8
            && is_finder (x, y);
      for (guint i = 0; dark && i < MODULE * MODULE; i++)
        memset (rgb
                + 3
                    * ((top + y * MODULE + i / MODULE) * WIDTH + left
                        + x * MODULE + i % MODULE),
            INK, 3);
    }
}

/* Seeded bars of one to four modules. */
static void
draw_barcode (guint8 *rgb)
{
  const guint left = WIDTH - BAR * N_BARS - 24;
  const guint top = HEIGHT - BAR_HEIGHT - 16;
  guint32 seed = 3;
  gboolean dark = FALSE;
  guint n_left = 0;

  for (guint i = 0; i < N_BARS; i++) {
    if (n_left == 0) {
      dark = !dark;
      n_left = 1 + (next_random (&seed) >> 30);
    }
    n_left--;
    for (guint y = 0; dark && y < BAR_HEIGHT; y++)
      memset (rgb + 3 * ((top + y) * WIDTH + left + i * BAR), INK, 3 * BAR);
  }
}

void
y10_test_picture_draw (guint which, guint8 *rgb)
{
  draw_paper (rgb);
  if (which == 0)
    draw_qr_code (rgb);
  else
    draw_barcode (rgb);
}
