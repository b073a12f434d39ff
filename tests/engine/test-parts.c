/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Parts of an image: where they lie, and which boxes of several parts remain. No
 * network runs here; the expected rectangles and rows were written by hand. */

#include <math.h>
#include <string.h>

#include <y10/error.h>
#include <y10/parts.h>

static Y10Image
make_image (guint x, guint y, guint width, guint height, Y10PixelFormat format)
{
  return (Y10Image){
    .size = sizeof (Y10Image),
    .format = format,
    .x = x,
    .y = y,
    .width = width,
    .height = height,
  };
}

static guint
plan (const Y10Image *image, const char *region_text, const char *tiles_text,
    gdouble overlap, Y10Part *parts)
{
  Y10Tiles tiles = { .size = sizeof tiles };
  g_autoptr (Y10Region) region = NULL;
  GError *error = NULL;
  guint n;

  if (region_text)
    region = y10_region_parse (region_text, &error);
  g_assert_no_error (error);
  if (tiles_text)
    g_assert_true (y10_tiles_parse (tiles_text, &tiles, &error));
  g_assert_no_error (error);
  tiles.overlap = overlap;
  g_assert_true (y10_parts_plan (image, region, tiles_text ? &tiles : NULL, 640,
      640, parts, Y10_MAX_PARTS, &n, &error));
  g_assert_no_error (error);
  return n;
}

static void
assert_part (const Y10Part *part, guint x, guint y, guint width, guint height)
{
  g_assert_cmpuint (part->x, ==, x);
  g_assert_cmpuint (part->y, ==, y);
  g_assert_cmpuint (part->width, ==, width);
  g_assert_cmpuint (part->height, ==, height);
}

static void
test_grid (void)
{
  Y10Image image = make_image (0, 0, 1800, 900, Y10_PIXEL_RGB);
  Y10Part parts[Y10_MAX_PARTS];

  g_assert_cmpuint (plan (&image, NULL, "2x2", 0.2, parts), ==, 5);
  assert_part (&parts[0], 0, 0, 1800, 900);
  assert_part (&parts[1], 0, 0, 1000, 500);
  assert_part (&parts[2], 800, 0, 1000, 500);
  assert_part (&parts[3], 0, 400, 1000, 500);
  assert_part (&parts[4], 800, 400, 1000, 500);
  g_assert_cmpuint (plan (&image, NULL, "3x1", 0, parts), ==, 4);
  assert_part (&parts[2], 600, 0, 600, 900);
  /* One tile is the image itself. */
  g_assert_cmpuint (plan (&image, NULL, "1x1", 0.2, parts), ==, 0);
  g_assert_cmpuint (plan (&image, NULL, NULL, 0.2, parts), ==, 0);
}

static void
test_side (void)
{
  Y10Image image = make_image (0, 0, 1920, 1080, Y10_PIXEL_RGB);
  Y10Part parts[Y10_MAX_PARTS];

  /* 640 + 512 + 512 = 1664 < 1920, so four columns; 640 + 512 >= 1080. */
  g_assert_cmpuint (plan (&image, NULL, "640", 0.2, parts), ==, 9);
  assert_part (&parts[1], 0, 0, 640, 640);
  assert_part (&parts[4], 1280, 0, 640, 640);
  assert_part (&parts[8], 1280, 440, 640, 640);
  /* A tile larger than the image. */
  g_assert_cmpuint (plan (&image, NULL, "1200", 0.2, parts), ==, 3);
  assert_part (&parts[2], 720, 0, 1200, 1080);
  g_assert_cmpuint (plan (&image, NULL, "1920", 0.2, parts), ==, 0);
}

/* Every pixel is in a tile, and neighbours overlap by the requested amount. */
static void
test_auto (void)
{
  static const guint sizes[][2] = { { 640, 480 }, { 1280, 720 }, { 1920, 1080 },
    { 3840, 2160 }, { 7680, 4320 }, { 16384, 16384 }, { 16384, 10 },
    { 10, 16384 }, { 1, 1 } };
  Y10Part parts[Y10_MAX_PARTS];

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    Y10Image image = make_image (0, 0, sizes[i][0], sizes[i][1],
        Y10_PIXEL_NV12);
    guint n = plan (&image, NULL, "auto", 0.2, parts);
    guint right = 0, columns = 0;

    g_assert_cmpuint (n, <=, Y10_MAX_PARTS);
    g_test_message ("%u x %u: %u parts, tiles of %u x %u", sizes[i][0],
        sizes[i][1], n, n ? parts[n - 1].width : 0,
        n ? parts[n - 1].height : 0);
    if (i == 0)
      g_assert_cmpuint (n, ==, 0);
    if (sizes[i][0] == 16384 && sizes[i][1] == 16384) {
      g_assert_cmpuint (n, ==, Y10_MAX_PARTS);
      /* In the second column and row. */
      g_assert_cmpuint (parts[10].width, ==, parts[10].height);
    }
    if (n == 0)
      continue;
    while (columns + 1 < n && parts[columns + 1].y == 0) {
      const Y10Part *part = &parts[++columns];

      if (columns > 1)
        g_assert_cmpuint (part->x + part->width / 6, <=, right);
      right = part->x + part->width;
    }
    g_assert_cmpuint (right, ==, sizes[i][0]);
    g_assert_cmpuint (parts[n - 1].x + parts[n - 1].width, ==, sizes[i][0]);
    g_assert_cmpuint (parts[n - 1].y + parts[n - 1].height, ==, sizes[i][1]);
  }
}

static void
test_alignment (void)
{
  Y10Image image = make_image (3, 5, 99, 101, Y10_PIXEL_NV12);
  Y10Part parts[Y10_MAX_PARTS];

  /* 4:2:0: the frame's even columns and rows, as far as the image goes. */
  y10_part_set (parts, &image, 10.5, 10.5, 20.5, 20.5);
  assert_part (parts, 9, 9, 12, 12);
  y10_part_set (parts, &image, -5, -5, 1000, 1000);
  assert_part (parts, 0, 0, 99, 101);
  y10_part_set (parts, &image, 200, 200, 300, 300);
  g_assert_cmpuint (parts->x + parts->width, ==, 99);
  g_assert_cmpuint (parts->width, >=, 1);
  image.format = Y10_PIXEL_YUY2;
  y10_part_set (parts, &image, 10.5, 10.5, 20.5, 20.5);
  assert_part (parts, 9, 10, 12, 11);
  image.format = Y10_PIXEL_RGB;
  y10_part_set (parts, &image, 10.5, 10.5, 20.5, 20.5);
  assert_part (parts, 10, 10, 11, 11);
}

static void
test_region_parts (void)
{
  Y10Image image = make_image (0, 0, 1000, 800, Y10_PIXEL_RGB);
  Y10Part parts[Y10_MAX_PARTS];

  g_assert_cmpuint (plan (&image, "0.1,0.25 0.6,0.75", NULL, 0.2, parts), ==,
      1);
  assert_part (&parts[0], 100, 200, 500, 400);
  g_assert_cmpuint (plan (&image, "0.1,0.25 0.2,0.5;0.5,0.5 0.6,0.75", NULL,
                        0.2, parts),
      ==, 1);
  assert_part (&parts[0], 100, 200, 500, 400);
  g_assert_cmpuint (plan (&image, "0.6,0.75 0.1,0.25", "2x1", 0, parts), ==, 3);
  assert_part (&parts[1], 100, 200, 250, 400);
  assert_part (&parts[2], 350, 200, 250, 400);
}

static void
test_tiles_text (void)
{
  static const char *const wrong[] = { "", "x", "2x", "x2", "2x2x2", "0x2",
    "2x0", "-1x2", "65x1", "9x8", "2 x 2", "16385", "31", "0", "4294967297x1",
    "2x4294967297", "640px", "Auto", "99999999999999999999" };
  static const struct
  {
    const char *text;
    guint columns, rows, side;
  } right[] = {
    { "32", 0, 0, 32 },
    { "16384", 0, 0, 16384 },
    { "auto", 0, 0, 0 },
    { "1x1", 1, 1, 0 },
    { "64x1", 64, 1, 0 },
    { "1x64", 1, 64, 0 },
    { "8x8", 8, 8, 0 },
  };
  Y10Tiles tiles = { .size = sizeof tiles };
  Y10Part parts[Y10_MAX_PARTS];
  Y10Image image = make_image (0, 0, 3840, 2160, Y10_PIXEL_RGB);
  GError *error = NULL;
  guint n;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_assert_false (y10_tiles_parse (wrong[i], &tiles, &error));
    g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, wrong[i]));
    g_clear_error (&error);
  }
  for (guint i = 0; i < G_N_ELEMENTS (right); i++) {
    g_assert_true (y10_tiles_parse (right[i].text, &tiles, &error));
    g_assert_cmpuint (tiles.columns, ==, right[i].columns);
    g_assert_cmpuint (tiles.rows, ==, right[i].rows);
    g_assert_cmpuint (tiles.side, ==, right[i].side);
  }
  g_assert_true (y10_tiles_parse ("64", &tiles, &error));
  g_assert_false (y10_parts_plan (&image, NULL, &tiles, 640, 640, parts,
      Y10_MAX_PARTS, &n, &error));
  g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
  g_assert_cmpuint (n, ==, 0);
  g_clear_error (&error);
  tiles.overlap = NAN;
  g_assert_false (y10_parts_plan (&image, NULL, &tiles, 640, 640, parts,
      Y10_MAX_PARTS, &n, &error));
  g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
}

/* Images and tiles that no parser has seen. */
static void
test_refused (void)
{
  static const struct
  {
    guint format, width, height;
    Y10Tiles tiles;
    guint input_width, input_height, max_parts;
    const char *found;
  } cases[] = {
    { 99, 640, 480, { .columns = 2, .rows = 2 }, 64, 64, 65, "format 99" },
    { Y10_PIXEL_TENSOR, 640, 480, { .columns = 2, .rows = 2 }, 64, 64, 65,
        "640 x 480 pixels has no parts" },
    { Y10_PIXEL_RGB, 0, 480, { .columns = 2, .rows = 2 }, 64, 64, 65,
        "0 x 480" },
    { Y10_PIXEL_RGB, 640, 0, { .columns = 2, .rows = 2 }, 64, 64, 65,
        "640 x 0" },
    { Y10_PIXEL_RGB, 16385, 1, { .columns = 2, .rows = 2 }, 64, 64, 65,
        "16385 x 1" },
    { Y10_PIXEL_RGB, 1, 16385, { .columns = 2, .rows = 2 }, 64, 64, 65,
        "1 x 16385" },
    { Y10_PIXEL_RGB, 640, 480, { .overlap = -0.01 }, 64, 64, 65, "is -0.01" },
    { Y10_PIXEL_RGB, 640, 480, { .overlap = 0.91 }, 64, 64, 65, "is 0.91" },
    { Y10_PIXEL_RGB, 640, 480, { .columns = 2 }, 64, 64, 65,
        "tiles are 2 x 0" },
    { Y10_PIXEL_RGB, 640, 480, { .rows = 2 }, 64, 64, 65, "tiles are 0 x 2" },
    { Y10_PIXEL_RGB, 640, 480, { .columns = 5, .rows = 13 }, 64, 64, 65,
        "at most 64" },
    { Y10_PIXEL_RGB, 640, 480, { .columns = 1u << 31, .rows = 2 }, 64, 64, 65,
        "at most 64" },
    { Y10_PIXEL_RGB, 640, 480, { .side = 0 }, 0, 64, 65, "input of 0 x 64" },
    { Y10_PIXEL_RGB, 640, 480, { .side = 0 }, 64, 0, 65, "input of 64 x 0" },
    { Y10_PIXEL_RGB, 640, 480, { .columns = 2, .rows = 2 }, 64, 64, 4,
        "has 5 parts; expected at most 4" },
    /* The largest that are allowed. */
    { Y10_PIXEL_RGB, 16384, 16384, { .columns = 8, .rows = 8, .overlap = 0.9 },
        1, 1, 65, NULL },
  };
  Y10Part parts[Y10_MAX_PARTS];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Y10Image image = make_image (0, 0, cases[i].width, cases[i].height,
        (Y10PixelFormat) cases[i].format);
    Y10Tiles tiles = cases[i].tiles;
    g_autoptr (GError) error = NULL;
    guint n = 99;
    gboolean ok;

    tiles.size = sizeof tiles;
    ok = y10_parts_plan (&image, NULL, &tiles, cases[i].input_width,
        cases[i].input_height, parts, cases[i].max_parts, &n, &error);
    g_test_message ("%u: %s", i, error ? error->message : "taken");
    g_assert_true (ok == !cases[i].found);
    g_assert_cmpuint (n, ==, ok ? 65 : 0);
    if (ok)
      continue;
    g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, cases[i].found));
  }
}

static Y10Detection
row (gfloat x0, gfloat y0, gfloat x1, gfloat y1, gfloat confidence, gint class)
{
  return (Y10Detection){
    .x0 = x0,
    .y0 = y0,
    .x1 = x1,
    .y1 = y1,
    .confidence = confidence,
    .class_id = class,
  };
}

#define MAX_ROWS 8

typedef struct
{
  Y10Part parts[Y10_MAX_PARTS];
  Y10Detection rows[Y10_MAX_PARTS][MAX_ROWS];
  guint n_parts;
} Found;

static void
begin_found (Found *found, const Y10Image *image, const char *tiles)
{
  found->n_parts = plan (image, NULL, tiles, 0.2, found->parts);
  for (guint i = 0; i < found->n_parts; i++) {
    found->parts[i].detections = found->rows[i];
    found->parts[i].max_detections = MAX_ROWS;
    found->parts[i].n_detections = 0;
  }
}

/* A box that lies in the image at these pixels, as the part sees it. */
static void
see (Found *found, guint part, Y10Detection box)
{
  Y10Part *p = &found->parts[part];

  box.x0 -= (gfloat) p->x;
  box.x1 -= (gfloat) p->x;
  box.y0 -= (gfloat) p->y;
  box.y1 -= (gfloat) p->y;
  p->detections[p->n_detections++] = box;
}

/* 1800 x 900 pixels: tiles of 1000 x 500 that begin at 0 and 800, 0 and 400. */
static void
test_merge (void)
{
  Y10Image image = make_image (0, 0, 1800, 900, Y10_PIXEL_RGB);
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  g_autoptr (Y10Region) region = NULL;
  Y10Detection out[64];
  Found found;

  /* An object across the inner edge: the halves are dropped, the whole box
   * stays, although it has the lowest confidence. */
  begin_found (&found, &image, "2x2");
  see (&found, 0, row (700, 100, 1100, 300, .5f, 0));
  see (&found, 1, row (700, 100, 998, 300, .9f, 0));
  see (&found, 2, row (801, 100, 1100, 300, .8f, 0));
  g_assert_cmpuint (y10_parts_merge (&image, found.parts, found.n_parts,
                        &params, NULL, 0, out, 64),
      ==, 1);
  g_assert_cmpfloat (out[0].x0, ==, 700);
  g_assert_cmpfloat (out[0].x1, ==, 1100);

  /* The image's own edge cuts nothing. */
  begin_found (&found, &image, "2x2");
  see (&found, 1, row (0, 0, 100, 100, .9f, 0));
  see (&found, 4, row (1700, 800, 1800, 900, .8f, 0));
  g_assert_cmpuint (y10_parts_merge (&image, found.parts, found.n_parts,
                        &params, NULL, 0, out, 64),
      ==, 2);

  /* One object in three parts once; two close objects of one part twice. */
  begin_found (&found, &image, "2x2");
  see (&found, 0, row (850, 410, 950, 490, .5f, 0));
  see (&found, 1, row (852, 411, 950, 488, .7f, 0));
  see (&found, 2, row (850, 412, 952, 490, .9f, 0));
  see (&found, 3, row (100, 600, 200, 800, .8f, 0));
  see (&found, 3, row (110, 600, 210, 800, .6f, 0));
  g_assert_cmpuint (y10_parts_merge (&image, found.parts, found.n_parts,
                        &params, NULL, 0, out, 64),
      ==, 3);
  g_assert_cmpfloat (out[0].confidence, ==, .9f);
  g_assert_cmpfloat (out[0].x0, ==, 850);
  g_assert_cmpfloat (out[1].confidence, ==, .8f);
  g_assert_cmpfloat (out[2].confidence, ==, .6f);

  /* Classes do not compete; size, region and number are those of the image. */
  begin_found (&found, &image, "2x2");
  see (&found, 0, row (850, 410, 950, 490, .9f, 0));
  see (&found, 1, row (850, 410, 950, 490, .8f, 1));
  see (&found, 4, row (1000, 600, 1030, 640, .7f, 0));
  see (&found, 4, row (1500, 600, 1630, 640, .6f, 0));
  params.min_width = 0.05f; /* 90 pixels */
  g_assert_cmpuint (y10_parts_merge (&image, found.parts, found.n_parts,
                        &params, NULL, 0, out, 64),
      ==, 3);
  g_assert_cmpint (out[1].class_id, ==, 1);
  g_assert_cmpfloat (out[2].x0, ==, 1500);

  /* As many parts as there may be. */
  params = (Y10HeadParams) Y10_HEAD_PARAMS_INIT;
  begin_found (&found, &image, "8x8");
  g_assert_cmpuint (found.n_parts, ==, Y10_MAX_PARTS);
  see (&found, 0, row (850, 410, 950, 440, .9f, 0));
  see (&found, 64, row (1700, 850, 1750, 880, .6f, 0));
  g_assert_cmpuint (y10_parts_merge (&image, found.parts, found.n_parts,
                        &params, NULL, 0, out, 64),
      ==, 2);

  begin_found (&found, &image, "2x2");
  see (&found, 0, row (850, 410, 950, 440, .9f, 0));
  see (&found, 4, row (1500, 600, 1630, 640, .6f, 0));
  see (&found, 4, row (1200, 600, 1330, 640, .5f, 0));
  params.min_width = 0.05f;
  params.max_detections = 1;
  region = y10_region_parse ("0,0.5 1,1", NULL);
  g_assert_cmpuint (y10_parts_merge (&image, found.parts, found.n_parts,
                        &params, region, Y10_REGION_ANCHOR_BOTTOM, out, 64),
      ==, 1);
  g_assert_cmpfloat (out[0].x0, ==, 1500);
}

/* Objects at the image's edges, which two parts share there, cut by the edge that
 * they do not share: the halves are dropped. */
static void
test_merge_borders (void)
{
  static const struct
  {
    guint half_in, whole_in;
    gfloat half[4], whole[4];
  } cases[] = {
    { 1, 2, { 850, 0, 998, 50 }, { 850, 0, 1200, 50 } },
    { 4, 3, { 802, 850, 950, 900 }, { 600, 850, 950, 900 } },
    { 1, 3, { 0, 420, 50, 499 }, { 0, 420, 50, 640 } },
    { 4, 2, { 1750, 401, 1800, 480 }, { 1750, 260, 1800, 480 } },
  };
  Y10Image image = make_image (0, 0, 1800, 900, Y10_PIXEL_RGB);
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Detection out[4];
  Found found;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gfloat *half = cases[i].half, *whole = cases[i].whole;

    begin_found (&found, &image, "2x2");
    see (&found, cases[i].half_in,
        row (half[0], half[1], half[2], half[3], .9f, 0));
    see (&found, cases[i].whole_in,
        row (whole[0], whole[1], whole[2], whole[3], .5f, 0));
    g_assert_cmpuint (y10_parts_merge (&image, found.parts, found.n_parts,
                          &params, NULL, 0, out, 4),
        ==, 1);
    g_assert_cmpfloat (out[0].confidence, ==, .5f);
  }
}

/* Parts that the caller chose: none covers the whole image. */
static void
test_merge_rois (void)
{
  Y10Image image = make_image (0, 0, 1000, 1000, Y10_PIXEL_RGB);
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Detection rows[2][2] = { { row (290, 10, 400, 100, .9f, 0),
                                  row (390, 10, 400, 90, .8f, 0) },
    { row (0, 10, 110, 100, .7f, 0) } };
  Y10Part parts[2] = { { 0, 0, 400, 200, rows[0], 2, 2 },
    { 290, 0, 400, 200, rows[1], 2, 1 } };
  Y10Detection out[8];

  /* A single part drops nothing. */
  g_assert_cmpuint (y10_parts_merge (&image, parts, 1, &params, NULL, 0, out,
                        8),
      ==, 2);
  parts[0].n_detections = 2;
  parts[1].n_detections = 1;
  /* Cut at 400, where the other part continues and shows the whole object. */
  rows[0][0] = row (310, 10, 399, 100, .9f, 0);
  /* Reaches into the other part, which would cut the object, too. */
  rows[0][1] = row (200, 10, 399, 90, .8f, 0);
  rows[1][0] = row (20, 10, 200, 100, .7f, 0);
  g_assert_cmpuint (y10_parts_merge (&image, parts, 2, &params, NULL, 0, out,
                        8),
      ==, 2);
  g_assert_cmpfloat (out[0].confidence, ==, .8f);
  g_assert_cmpfloat (out[1].confidence, ==, .7f);
  g_assert_cmpfloat (out[1].x0, ==, 310);
  /* As wide as the overlap of both parts: must not be dropped. */
  parts[0].n_detections = parts[1].n_detections = 1;
  rows[0][0] = row (290, 10, 400, 100, .9f, 0);
  rows[1][0] = row (0, 10, 110, 100, .7f, 0);
  g_assert_cmpuint (y10_parts_merge (&image, parts, 2, &params, NULL, 0, out,
                        8),
      ==, 1);
  g_assert_cmpfloat (out[0].confidence, ==, .9f);
}

/* How near a box must be to an edge to count as cut: a 128th of the size of the
 * part whose edge it is, wherever that part lies. */
static void
test_merge_tolerance (void)
{
  static const struct
  {
    guint parts[2][4]; /* the box is in the first one */
    gfloat box[4];
    guint n;
  } cases[] = {
    /* Ends at an edge of its part, 7.8 and 3.9 pixels wide: the other continues. */
    { { { 800, 400, 1000, 500 }, { 0, 0, 1800, 900 } }, { 807, 500, 900, 600 },
        0 },
    { { { 800, 400, 1000, 500 }, { 0, 0, 1800, 900 } }, { 809, 500, 900, 600 },
        1 },
    { { { 800, 400, 1000, 500 }, { 0, 0, 1800, 900 } }, { 900, 403, 950, 600 },
        0 },
    { { { 800, 400, 1000, 500 }, { 0, 0, 1800, 900 } }, { 900, 405, 950, 600 },
        1 },
    { { { 400, 200, 1000, 500 }, { 0, 0, 1800, 900 } }, { 900, 500, 1393, 600 },
        0 },
    { { { 400, 200, 1000, 500 }, { 0, 0, 1800, 900 } }, { 900, 500, 1391, 600 },
        1 },
    { { { 400, 200, 1000, 500 }, { 0, 0, 1800, 900 } }, { 900, 500, 950, 697 },
        0 },
    { { { 400, 200, 1000, 500 }, { 0, 0, 1800, 900 } }, { 900, 500, 950, 695 },
        1 },
    /* Ends at the inner edge of the other part, 3.1 pixels wide, too. */
    { { { 0, 0, 400, 200 }, { 290, 0, 400, 200 } }, { 293, 50, 399, 90 }, 1 },
    { { { 0, 0, 400, 200 }, { 290, 0, 400, 200 } }, { 294, 50, 399, 90 }, 0 },
    { { { 0, 0, 200, 400 }, { 0, 290, 200, 400 } }, { 50, 293, 90, 399 }, 1 },
    { { { 0, 0, 200, 400 }, { 0, 290, 200, 400 } }, { 50, 294, 90, 399 }, 0 },
    { { { 590, 0, 400, 200 }, { 300, 0, 400, 200 } }, { 591, 50, 697, 90 }, 1 },
    { { { 590, 0, 400, 200 }, { 300, 0, 400, 200 } }, { 591, 50, 696, 90 }, 0 },
    { { { 0, 590, 200, 400 }, { 0, 300, 200, 400 } }, { 50, 591, 90, 697 }, 1 },
    { { { 0, 590, 200, 400 }, { 0, 300, 200, 400 } }, { 50, 591, 90, 696 }, 0 },
  };
  Y10Image image = make_image (0, 0, 1800, 1000, Y10_PIXEL_RGB);
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gfloat *box = cases[i].box;
    Y10Detection out[2];
    Found found = { .n_parts = 2 };

    for (guint p = 0; p < 2; p++) {
      const guint *r = cases[i].parts[p];

      found.parts[p] = (Y10Part){
        .x = r[0],
        .y = r[1],
        .width = r[2],
        .height = r[3],
        .detections = found.rows[p],
        .max_detections = MAX_ROWS,
      };
    }
    see (&found, 0, row (box[0], box[1], box[2], box[3], .9f, 0));
    g_test_message ("case %u", i);
    g_assert_cmpuint (y10_parts_merge (&image, found.parts, 2, &params, NULL, 0,
                          out, 2),
        ==, cases[i].n);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parts/grid", test_grid);
  g_test_add_func ("/parts/side", test_side);
  g_test_add_func ("/parts/auto", test_auto);
  g_test_add_func ("/parts/alignment", test_alignment);
  g_test_add_func ("/parts/region", test_region_parts);
  g_test_add_func ("/parts/tiles-text", test_tiles_text);
  g_test_add_func ("/parts/refused", test_refused);
  g_test_add_func ("/parts/merge", test_merge);
  g_test_add_func ("/parts/merge-borders", test_merge_borders);
  g_test_add_func ("/parts/merge-rois", test_merge_rois);
  g_test_add_func ("/parts/merge-tolerance", test_merge_tolerance);
  return g_test_run ();
}
