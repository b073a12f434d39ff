/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Where a tracker expects objects: yolov10overlay draws them there between inferences,
 * with gaps in the lines, and privacy covers these places beside those that it covers
 * anyway, pixel by pixel, whatever the tracker says. */
#include <math.h>
#include <meta/gstyolov10framemeta.h>
#include <string.h>

#include "gstcommon.h"
#include "overlaycommon.h"

#define WIDTH 320
#define HEIGHT 240
#define BARE "show-label=false show-confidence=false show-id=false line-width=4"

static GstCaps *caps;

static void
setup (void)
{
  caps = overlay_caps ("RGB", WIDTH, HEIGHT, NULL);
}

static void
teardown (void)
{
  gst_caps_unref (caps);
}

/* Sets the fields of a tracker in the frame meta of @buffer. */
static void
set_tracks (GstBuffer *buffer, const GstYolov10Track *tracks, guint n)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      GST_YOLOV10_FRAME_META_NAME);
  g_autoptr (GBytes) bytes = g_bytes_new (tracks, n * sizeof *tracks);

  gst_structure_set (gst_custom_meta_get_structure (meta), "tracker",
      G_TYPE_STRING, "t", "track-size", G_TYPE_UINT, (guint) sizeof *tracks,
      "tracks", G_TYPE_BYTES, bytes, "track-labels", G_TYPE_STRING, "person\n",
      NULL);
}

static GstYolov10Track
track_at (gint record_id, gint x, gint y, gint w, gint h)
{
  return (GstYolov10Track){
    .track_id = 1,
    .record_id = record_id,
    .confidence = 0.9f,
    .x_min = x / (gfloat) WIDTH,
    .y_min = y / (gfloat) HEIGHT,
    .x_max = (x + w) / (gfloat) WIDTH,
    .y_max = (y + h) / (gfloat) HEIGHT,
  };
}

/* On a frame without boxes. */
static GstBuffer *
predicted (const gchar *properties, GstYolov10Track track)
{
  GstBuffer *buffer = overlay_picture (caps, FALSE);

  overlay_add_frame_meta (buffer, "d", WIDTH, HEIGHT, NULL, 0);
  set_tracks (buffer, &track, 1);
  return overlay_run (properties, caps, buffer);
}

static GstBuffer *
boxed (const gchar *properties, gint x, gint y, gint w, gint h)
{
  const OverlayBox box = { 3, "person", 0.9, x, y, w, h };
  GstBuffer *buffer = overlay_picture (caps, FALSE);

  overlay_add_frame_meta (buffer, "d", WIDTH, HEIGHT, &box, 1);
  return overlay_run (properties, caps, buffer);
}

/* The line is where that of a box would be, with two gaps in each side. */
GST_START_TEST (test_dashes)
{
  g_autoptr (GstBuffer) before = overlay_picture (caps, FALSE);
  g_autoptr (GstBuffer) solid = boxed (BARE, 60, 40, 100, 120);
  GstBuffer *dashed = predicted (BARE, track_at (-1, 60, 40, 100, 120));
  GstVideoRectangle a, b;
  guint n_gaps = 0;
  gboolean was_same = TRUE;

  overlay_changed_area (before, solid, caps, &a);
  overlay_changed_area (before, dashed, caps, &b);
  fail_unless (!memcmp (&a, &b, sizeof a));
  /* The gaps are all that differs, and nothing is drawn there. */
  for (gint x = 60; x < 160; x++) {
    const gboolean is_same = !overlay_n_changed (solid, dashed, caps, x, 40,
        x + 1, 44);

    n_gaps += was_same && !is_same;
    if (!is_same)
      fail_unless_equals_int (overlay_n_changed (before, dashed, caps, x, 40,
                                  x + 1, 44),
          0);
    was_same = is_same;
  }
  fail_unless_equals_int (n_gaps, 2);
  n_gaps = 0;
  was_same = TRUE;
  for (gint y = 44; y < 156; y++) {
    const gboolean is_same = !overlay_n_changed (solid, dashed, caps, 156, y,
        160, y + 1);

    n_gaps += was_same && !is_same;
    was_same = is_same;
  }
  fail_unless_equals_int (n_gaps, 2);
  gst_buffer_unref (dashed);
}

GST_END_TEST;

/* Its badge is that of the object, which the properties may exclude. */
GST_START_TEST (test_badge)
{
  const GstYolov10Track track = track_at (-1, 60, 80, 100, 120);
  g_autoptr (GstBuffer) before = overlay_picture (caps, FALSE);
  g_autoptr (GstBuffer) badge = predicted ("line-width=4", track);
  g_autoptr (GstBuffer) bare = predicted (BARE, track);
  g_autoptr (GstBuffer) other = predicted ("labels=car", track);
  g_autoptr (GstBuffer) weak = predicted ("min-confidence=0.95", track);

  fail_unless (overlay_n_changed (badge, bare, caps, 60, 0, 160, 78) > 100);
  overlay_assert_same_outside (badge, bare, caps, 0, 0, WIDTH, 80);
  fail_unless (overlay_is_same (before, other, caps));
  fail_unless (overlay_is_same (before, weak, caps));
}

GST_END_TEST;

/* What is no track is not drawn. */
GST_START_TEST (test_wild)
{
  g_autoptr (GstBuffer) before = overlay_picture (caps, FALSE);
  GstYolov10Track track = track_at (-1, 60, 40, 100, 120);

  for (guint i = 0; i < 4; i++) {
    GstYolov10Track wild = track;
    GstBuffer *out;

    if (i == 0)
      wild.x_min = NAN;
    else if (i == 1)
      wild.x_max = wild.x_min;
    else if (i == 2)
      wild.y_min = 2;
    else
      wild.y_max = -INFINITY;
    out = predicted (BARE, wild);
    fail_unless (overlay_is_same (before, out, caps), "%u", i);
    gst_buffer_unref (out);
  }
}

GST_END_TEST;

#define RADIUS 20

/* White balls on black, which the bundled model knows, with their centres. */
static GstBuffer *
balls_at (gdouble x, gdouble y, gdouble x2, gdouble y2, guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 3, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gint row = 0; row < HEIGHT; row++)
    for (gint column = 0; column < WIDTH; column++) {
      const gdouble away = MIN (hypot (column - x, row - y),
          hypot (column - x2, row - y2));

      memset (map.data + 3 * (row * WIDTH + column),
          (gint) (255 * CLAMP (RADIUS - away + 0.5, 0, 1)), 3);
    }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = i * TEST_GST_FRAME;
  return buffer;
}

static GstBuffer *
ball_at (gdouble x, gdouble y, guint i)
{
  return balls_at (x, y, x, y, i);
}

/* A detector, and what a tracker behind it says of the object of the first box in each
 * frame; or a real tracker; or none. */
typedef struct
{
  GstHarness *h;
  gboolean says;    /* the test is the tracker */
  gboolean removes; /* a box */
  gboolean is_lost;
  gint dx, dy;             /* pixels from the box */
  GstVideoRectangle place; /* where it said that */
} Scene;

static gboolean
remove_first (GstBuffer *buffer, GstMeta **meta, gpointer n)
{
  if ((*meta)->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE
      && !(*(guint *) n)++)
    *meta = NULL;
  return TRUE;
}

static GstPadProbeReturn
say (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Scene *scene = data;
  GstBuffer *buffer = gst_buffer_make_writable (
      GST_PAD_PROBE_INFO_BUFFER (info));
  GArray *boxes = test_gst_records (test_gst_frame_meta (buffer, 0));
  GstVideoRectangle *place = &scene->place;
  const TestBox *box = (const TestBox *) boxes->data;
  GstYolov10Track track;
  guint n = 0;

  info->data = buffer;
  if (scene->says && boxes->len) {
    place->x = (gint) (box->x_min * WIDTH + 0.5) + scene->dx;
    place->y = (gint) (box->y_min * HEIGHT + 0.5) + scene->dy;
    place->w = (gint) ((box->x_max - box->x_min) * WIDTH);
    place->h = (gint) ((box->y_max - box->y_min) * HEIGHT);
    track = track_at (box->id, place->x, place->y, place->w, place->h);
    set_tracks (buffer, &track, !scene->is_lost);
  }
  if (scene->removes)
    gst_buffer_foreach_meta (buffer, remove_first, &n);
  g_array_unref (boxes);
  return GST_PAD_PROBE_OK;
}

/* @interval: of inferences, in frames. */
static void
scene_begin (Scene *scene, guint interval, const gchar *tracker,
    const gchar *overlay)
{
  gchar *line =
      g_strdup_printf ("yolov10detect threads=1 late-policy=infer-all "
                       "inference-interval=%u %s ! yolov10overlay " BARE " %s",
          interval, tracker, overlay);
  GstElement *element;
  GstPad *pad;

  *scene = (Scene){ .h = gst_harness_new_parse (line) };
  element = gst_harness_find_element (scene->h, "yolov10overlay");
  pad = gst_element_get_static_pad (element, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, say, scene, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
  gst_harness_set_src_caps (scene->h, gst_caps_ref (caps));
  g_free (line);
}

/* In an inferred frame the box is where the detector found it. In one that shows it
 * later, it is where its object is expected; unless the tracker has lost that. */
GST_START_TEST (test_held)
{
  Scene plain, tracked;

  scene_begin (&plain, 1000, "", "");
  scene_begin (&tracked, 1000, "", "");
  tracked.says = TRUE;
  tracked.dx = 50;
  for (guint i = 0; i < 4; i++) {
    GstBuffer *before = ball_at (100, 100, i), *without, *with;
    GstVideoRectangle area;

    tracked.is_lost = i == 3;
    without = gst_harness_push_and_pull (plain.h,
        gst_buffer_copy_deep (before));
    with = gst_harness_push_and_pull (tracked.h, gst_buffer_copy_deep (before));
    fail_unless_equals_int (overlay_is_same (without, with, caps),
        i == 0 || i == 3);
    overlay_changed_area (before, with, caps, &area);
    if (i == 1 || i == 2)
      fail_unless (ABS (area.x - tracked.place.x) <= 3
              && ABS (area.x + area.w - tracked.place.x - tracked.place.w) <= 3,
          "%d+%d, not %d+%d", area.x, area.w, tracked.place.x, tracked.place.w);
    else
      fail_unless (ABS (area.x - 80) <= 8 && ABS (area.w - 40) <= 12, "%d+%d",
          area.x, area.w);
    gst_buffer_unref (before);
    gst_buffer_unref (without);
    gst_buffer_unref (with);
  }
  gst_harness_teardown (plain.h);
  gst_harness_teardown (tracked.h);
}

GST_END_TEST;

/* Pushes the same frame through both. What the first one covers, the second one covers,
 * too. Returns how many pixels it covers besides. */
static guint
push_both (Scene *plain, Scene *tracked, GstBuffer *before, const char *name)
{
  GstBuffer *without = gst_harness_push_and_pull (plain->h,
      gst_buffer_copy_deep (before));
  GstBuffer *with = gst_harness_push_and_pull (tracked->h,
      gst_buffer_copy_deep (before));
  g_autofree guint16 *was = overlay_values (before, caps);
  guint16 *a = overlay_values (without, caps), *b = overlay_values (with, caps);
  guint n_more = 0;

  for (gsize i = 0; i < WIDTH * HEIGHT; i++) {
    const gboolean covers = memcmp (was + 4 * i, a + 4 * i, 8) != 0;
    const gboolean covers_with = memcmp (was + 4 * i, b + 4 * i, 8) != 0;

    fail_unless (covers_with || !covers,
        "%s: %" GST_TIME_FORMAT " shows %zu, %zu", name,
        GST_TIME_ARGS (GST_BUFFER_PTS (before)), i % WIDTH, i / WIDTH);
    n_more += covers_with && !covers;
  }
  if (tracked->says && !tracked->is_lost && tracked->dx) {
    const GstVideoRectangle *place = &tracked->place;

    fail_unless_equals_int (overlay_n_changed (before, with, caps, place->x,
                                place->y, place->x + place->w,
                                place->y + place->h),
        (MIN (place->x + place->w, WIDTH) - place->x)
            * (MIN (place->y + place->h, HEIGHT) - place->y));
  }
  g_free (a);
  g_free (b);
  gst_buffer_unref (before);
  gst_buffer_unref (without);
  gst_buffer_unref (with);
  return n_more;
}

/* Whatever the tracker says. Where it is silent nothing changes, nor where one of two boxes
 * is gone, since all of the picture is covered then. */
GST_START_TEST (test_privacy)
{
  static const struct
  {
    const char *name;
    gint vx, vy; /* pixels a frame */
    gboolean is_lost, removes;
  } cases[] = {
    { "ahead", 6, 0, FALSE, FALSE },
    { "aside", -3, 4, FALSE, FALSE },
    { "silent", 3, 1, TRUE, FALSE },
    { "one box", 6, 0, FALSE, TRUE },
  };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    guint n_more = 0;
    Scene plain, tracked;

    scene_begin (&plain, 1000, "", "privacy=fill privacy-growth=0.1");
    scene_begin (&tracked, 1000, "", "privacy=fill privacy-growth=0.1");
    plain.removes = tracked.removes = cases[k].removes;
    tracked.says = TRUE;
    tracked.is_lost = cases[k].is_lost;
    for (guint i = 0; i < 12; i++) {
      tracked.dx = cases[k].vx * (gint) i;
      tracked.dy = cases[k].vy * (gint) i;
      n_more += push_both (&plain, &tracked, balls_at (100, 100, 240, 170, i),
          cases[k].name);
    }
    fail_unless_equals_int (n_more > 0, k < 2);
    gst_harness_teardown (plain.h);
    gst_harness_teardown (tracked.h);
  }
}

GST_END_TEST;

/* A ball behind our tracker that stops, turns, or is occluded, when every third frame is
 * inferred. */
GST_START_TEST (test_tracker)
{
  static const char *const names[] = { "stops", "turns", "is occluded" };

  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    guint n_more = 0;
    Scene plain, tracked;

    scene_begin (&plain, 3, "", "privacy=fill privacy-growth=0.1");
    scene_begin (&tracked, 3, "! yolov10track",
        "privacy=fill privacy-growth=0.1");
    for (guint i = 0; i < 36; i++) {
      const guint before = MIN (i, 19), after = i - before;
      gdouble x = 60 + 5.0 * before, y = 100;

      if (k == 1)
        y += 4.0 * after;
      if (k == 2)
        x = i >= 19 && i < 28 ? -100 : 60 + 5.0 * i;
      n_more += push_both (&plain, &tracked, ball_at (x, y, i), names[k]);
    }
    fail_unless (n_more > 0);
    gst_harness_teardown (plain.h);
    gst_harness_teardown (tracked.h);
  }
}

GST_END_TEST;

TEST_GST_MAIN (overlay_tracks)
{
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_dashes);
  tcase_add_test (tc, test_badge);
  tcase_add_test (tc, test_wild);
  tcase_add_test (tc, test_held);
  tcase_add_test (tc, test_privacy);
  tcase_add_test (tc, test_tracker);
}
