/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Measures yolov10overlay's time for a frame with 20 boxes of 300x220 pixels,
 * lines of 3 pixels, labels and confidences, on one thread, in milliseconds and
 * as a ratio to a memcpy of a 1080p NV12 frame in the same run: the ratio
 * compares between machines. It times the whole element, from the buffer's
 * arrival to its departure. Frames rotate, so that none is still in the caches;
 * each figure is the median. */

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_FRAMES 4
#define MAX_RUNS 2000

static gint n_boxes = 20;
static gdouble seconds = 0.5;
static gboolean as_json = FALSE;
static gchar *frame_size = NULL;

static const GOptionEntry entries[] = { { "boxes", 'b', 0, G_OPTION_ARG_INT,
                                            &n_boxes,
                                            "Boxes on each frame (20)", "N" },
  { "frame", 'f', 0, G_OPTION_ARG_STRING, &frame_size,
      "Size of the frames (1920x1080)", "WxH" },
  { "seconds", 's', 0, G_OPTION_ARG_DOUBLE, &seconds,
      "Time for each figure (0.5)", "S" },
  { "json", 'j', 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
  { NULL } };

typedef struct
{
  const gchar *name, *format, *properties;
  gboolean boxes, compose;
} Case;

static const Case cases[] = {
  { "draw", "NV12", "", TRUE, FALSE },
  { "draw", "I420", "", TRUE, FALSE },
  { "draw", "RGB", "", TRUE, FALSE },
  { "draw", "BGRx", "", TRUE, FALSE },
  { "draw", "YUY2", "", TRUE, FALSE },
  { "draw", "P010_10LE", "", TRUE, FALSE },
  { "draw", "v210", "", TRUE, FALSE },
  { "compose", "NV12", "", TRUE, TRUE },
  { "blur", "NV12", "privacy-trust=roi privacy=blur", TRUE, FALSE },
  { "no-boxes", "NV12", "", FALSE, FALSE },
};

static int
compare (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

static gdouble
now_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static gdouble
memcpy_ms (void)
{
  const gsize size = 1920 * 1080 * 3 / 2;
  guint8 *from[N_FRAMES], *to = g_malloc0 (size);
  gdouble ms[MAX_RUNS], start = now_ms (), t;
  guint i, n = 0;

  for (i = 0; i < N_FRAMES; i++) {
    from[i] = g_malloc (size);
    memset (from[i], i, size);
  }
  do {
    t = now_ms ();
    memcpy (to, from[n % N_FRAMES], size);
    ms[n++] = now_ms () - t;
  } while (n < MAX_RUNS && (n < 5 || now_ms () - start < 1000 * seconds));
  for (i = 0; i < N_FRAMES; i++)
    g_free (from[i]);
  g_free (to);
  qsort (ms, n, sizeof ms[0], compare);
  return ms[n / 2];
}

static GstBuffer *
make_frame (const GstVideoInfo *info, gboolean boxes)
{
  static const gchar *const labels[] = { "person", "car", "bicycle", "dog",
    "traffic light" };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  gint i;

  gst_buffer_memset (buffer, 0, 100, info->size);
  for (i = 0; boxes && i < n_boxes; i++) {
    const gchar *label = labels[i % G_N_ELEMENTS (labels)];
    GstVideoRegionOfInterestMeta *roi =
        gst_buffer_add_video_region_of_interest_meta (buffer, label,
            (i % 5) * 370 + 11, (i / 5) * 260 + 37, 300, 220);

    roi->id = i;
    gst_video_region_of_interest_meta_add_param (roi,
        gst_structure_new ("detection", "label", G_TYPE_STRING, label,
            "confidence", G_TYPE_DOUBLE, 0.3 + 0.03 * (i % 20), NULL));
  }
  return buffer;
}

static gdouble
overlay_ms (const Case *c, gint width, gint height)
{
  gchar *line = g_strdup_printf ("yolov10overlay line-width=3 %s",
      c->properties);
  GstHarness *h = gst_harness_new_parse (line);
  gdouble ms[MAX_RUNS], start, t;
  GstBuffer *frames[N_FRAMES];
  GstVideoInfo info;
  guint i, n = 0;
  GstCaps *caps;

  caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, c->format,
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
      GST_TYPE_FRACTION, 30, 1, NULL);
  gst_video_info_from_caps (&info, caps);
  if (c->compose)
    gst_harness_add_propose_allocation_meta (h,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_harness_set_src_caps (h, caps);
  for (i = 0; i < N_FRAMES; i++)
    frames[i] = make_frame (&info, c->boxes);

  start = now_ms ();
  do {
    /* Otherwise every round would add to the composition. */
    GstBuffer *out,
        *in = c->compose ? make_frame (&info, c->boxes) : frames[n % N_FRAMES];

    t = now_ms ();
    gst_harness_push (h, in);
    ms[n++] = now_ms () - t;
    out = gst_harness_pull (h);
    if (c->compose)
      gst_buffer_unref (out);
    else
      frames[(n - 1) % N_FRAMES] = out;
  } while (n < MAX_RUNS && (n < 5 || now_ms () - start < 1000 * seconds));

  for (i = 0; i < N_FRAMES; i++)
    gst_buffer_unref (frames[i]);
  gst_harness_teardown (h);
  g_free (line);
  qsort (ms, n, sizeof ms[0], compare);
  return ms[n / 2];
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- boxes on frames");
  gint width = 1920, height = 1080;
  GError *error = NULL;
  guint i;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  if ((frame_size && sscanf (frame_size, "%dx%d", &width, &height) != 2)
      || width < 1 || height < 1 || width > 16384 || height > 16384
      || n_boxes < 0 || seconds <= 0) {
    g_printerr ("--frame, --boxes or --seconds out of range\n");
    return 1;
  }

  if (!as_json)
    g_print ("%d boxes on %dx%d, 1 thread\n%-10s %-10s %8s %8s %8s\n", n_boxes,
        width, height, "what", "format", "ms", "memcpy", "ratio");
  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *c = &cases[i];
    gdouble copy_ms = memcpy_ms (), ms = overlay_ms (c, width, height);

    if (as_json)
      g_print (
          "{\"bench\": \"overlay\", \"case\": \"%s\", \"format\": \"%s\", "
          "\"width\": %d, \"height\": %d, \"boxes\": %d, \"median_ms\": %.4f, "
          "\"memcpy_1080p_nv12_ms\": %.4f, \"ratio\": %.3f}\n",
          c->name, c->format, width, height, n_boxes, ms, copy_ms,
          ms / copy_ms);
    else
      g_print ("%-10s %-10s %8.3f %8.3f %8.2f\n", c->name, c->format, ms,
          copy_ms, ms / copy_ms);
  }
  g_option_context_free (context);
  g_free (frame_size);
  return 0;
}
