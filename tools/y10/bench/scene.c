/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A scene as a fixed camera sees it: a still background with texture, a few bodies
 * that move across it, and the noise of a sensor. A test picture of flat colours would
 * cost a decoder next to nothing. All of it follows from the frame's number, and the
 * last frame is followed by the first. */

#include "config.h"

#ifdef HAVE_GST

#include <math.h>
#include <string.h>

#include "bench/clip.h"

#define N_BODIES 8

struct _ToolScene
{
  guint width, height, n_frames;
  guint8 *background;
};

static guint32
hash (guint32 x)
{
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  return x ^ x >> 16;
}

/* Blocks of some pixels with a grain on them, darker towards the lower edge. */
static guint8
texture (const ToolScene *scene, guint x, guint y)
{
  const guint32 block = hash (x / 24 + y / 16 * 4096u) % 48;

  return (guint8) (60 + 90 * (scene->height - y) / scene->height + block
      + hash (x + y * 8192u) % 12);
}

ToolScene *
tool_scene_new (guint width, guint height, guint n_frames)
{
  ToolScene *scene = g_new0 (ToolScene, 1);
  guint8 *p;

  scene->width = width;
  scene->height = height;
  scene->n_frames = n_frames;
  p = scene->background = g_malloc ((gsize) width * height);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      *p++ = texture (scene, x, y);
  return scene;
}

static void
draw_body (const ToolScene *scene, guint body, guint frame, guint8 *luma)
{
  const double t = 2 * G_PI * frame / scene->n_frames;
  const guint w = scene->width / 12, h = scene->height / 5;
  const guint turns = 1 + body % 2;
  const double x = 0.5 + 0.45 * sin (turns * t + body);
  const double y = (body + 0.5) / N_BODIES + 0.04 * cos (turns * t + 2 * body);
  const guint x0 = (guint) (CLAMP (x, 0, 1) * (scene->width - w));
  const guint y0 = (guint) (CLAMP (y, 0, 1) * (scene->height - h));

  /* The texture moves along. */
  for (guint j = 0; j < h; j++)
    for (guint i = 0; i < w; i++)
      luma[(gsize) (y0 + j) * scene->width + x0 + i] = (guint8) (30 + 20 * body
          + hash (i / 6 + j / 6 * 512 + body * 65536) % 60);
}

void
tool_scene_draw (const ToolScene *scene, guint frame, guint8 *pixels)
{
  const gsize n = (gsize) scene->width * scene->height;
  guint32 noise = hash (frame + 1) | 1;

  memcpy (pixels, scene->background, n);
  for (guint body = 0; body < N_BODIES; body++)
    draw_body (scene, body, frame, pixels);
  for (gsize i = 0; i < n; i++) {
    noise = noise * 1664525u + 1013904223u;
    pixels[i] = (guint8) (pixels[i] + (noise >> 30));
  }
  /* A little colour, which does not move. */
  memset (pixels + n, 120, n / 4);
  memset (pixels + n + n / 4, 136, n / 4);
}

void
tool_scene_free (ToolScene *scene)
{
  g_free (scene->background);
  g_free (scene);
}

#endif
