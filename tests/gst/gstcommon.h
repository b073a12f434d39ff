/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the element tests: a small model with seeded weights, pictures, the
 * engine's own detections in them, and readers of a buffer's metadata. */

#include "gstmain.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <y10/y10.h>

G_BEGIN_DECLS

/* One detection read back from a buffer, from any kind of metadata. */
typedef struct
{
  gint id, label_id;
  gchar label[64];
  gchar model[64];
  gdouble confidence;
  gdouble x_min, y_min, x_max, y_max;
  guint x, y, w, h; /* region of interest only */
} TestBox;

/* Calls gst_check_init() so that only plugins loaded by name come from the
 * system. */
void test_gst_init (int *argc, char ***argv);
int test_gst_run (Suite *suite, const char *name, const char *file);

/* Loads libgst@name.so of the installed GStreamer. */
gboolean test_gst_load_plugin (const char *name);
/* Prints why and tells test_gst_run() to report a skip. */
void test_gst_skip (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* 3 classes, person, bus and "stop sign"; input 96 × 96; seeded weights. */
const char *test_gst_model (void);
/* The same network with another seed and the classes one, two and three. */
const char *test_gst_other_model (void);
/* Path of a file in the test's own directory, written unless @contents is
 * NULL. */
gchar *test_gst_file (const char *name, const char *contents, gssize length);

/* Returns a harness of yolov10detect with that model, the reference backend,
 * and @properties. The harness is live; every frame is inferred unless
 * @properties set another policy. */
GstHarness *test_gst_harness (const char *properties);

/* Returns noise, with one chroma value for each square of 2 × 2 pixels, packed
 * by GStreamer, so that all 8-bit YUV formats hold the same picture, and all
 * RGB formats do. */
GstBuffer *test_gst_picture (const GstVideoInfo *info, guint seed,
    gboolean gray);
GstCaps *test_gst_caps (const char *format, gint width, gint height);
GstBuffer *test_gst_picture_caps (const GstCaps *caps, guint seed);
/* Such a picture as frame number @i of 30 a second. */
GstBuffer *test_gst_picture_at (const GstCaps *caps, guint seed, guint i);
#define TEST_GST_FRAME (GST_SECOND / 30)

/* Returns the engine's detections in a frame or its part @crop (may be
 * NULL). */
GArray *test_gst_expected (GstBuffer *buffer, const GstCaps *caps,
    const GstVideoRectangle *crop, const Y10HeadParams *params, Y10Head head);

/* Returns a harness on fakebackend.c's backend, whose steps take @step_ms, see
 * there. */
GstHarness *test_gst_slow_harness (const char *step_ms, const char *properties,
    const GstCaps *caps);

/* Returns a harness that keeps all detections, on the simulated GPU in fp32,
 * whose results equal the reference's; @bus gets its messages. */
GstHarness *test_gst_cuda_harness (const char *properties, const GstCaps *caps,
    GstBus **bus);
/* Returns its detections in picture 3 of these caps. */
GArray *test_gst_cuda_expected (const GstCaps *caps);

/* Returns a field of the element's property "stats". */
guint64 test_gst_stat (GstElement *e, const char *name);
/* The same of the element p of a harness that was parsed. */
guint64 test_gst_harness_stat (GstHarness *h, const char *name);
/* Removes all messages of these types from the bus and returns their number. */
guint test_gst_count_messages (GstBus *bus, GstMessageType types);

GArray *test_gst_rois (GstBuffer *buffer);
/* Frame meta number @index of the buffer; NULL when there is none. */
const GstStructure *test_gst_frame_meta (GstBuffer *buffer, guint index);
GArray *test_gst_records (const GstStructure *structure);
guint test_gst_n_metas (GstBuffer *buffer);

/* Fails unless @boxes are @detections in a frame of that size. */
void test_gst_assert_same (GArray *boxes, GArray *detections, guint width,
    guint height);

G_END_DECLS
