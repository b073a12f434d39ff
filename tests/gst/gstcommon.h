/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the element tests share: a small model with seeded weights, pictures,
 * what the engine alone finds in them, and what is written on a buffer. */

#include <gst/check/check.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <y10/y10.h>

G_BEGIN_DECLS

/* One detection read back from a buffer, by whichever metadata. */
typedef struct
{
  gint id, label_id;
  gchar label[64];
  gchar model[64];
  gdouble confidence;
  gdouble x_min, y_min, x_max, y_max;
  guint x, y, w, h;             /* region of interest only */
} TestBox;

/* gst_check_init(), and nothing from the system but what is loaded by name. */
void test_gst_init (int *argc, char ***argv);
int test_gst_run (Suite * suite, const char *name, const char *file);

/* Loads libgst@name.so of the installed GStreamer. */
gboolean test_gst_load_plugin (const char *name);
/* Prints why and tells test_gst_run() to report a skip. */
void test_gst_skip (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* 3 classes, person, bus and "stop sign"; input 96 × 96; seeded weights. */
const char *test_gst_model (void);
/* The same weights, seeded otherwise, with the classes one, two and three. */
const char *test_gst_other_model (void);
/* Path of a file in the test's own directory, written unless @contents is
 * NULL. */
gchar *test_gst_file (const char *name, const char *contents, gssize length);

/* yolov10detect with that model, the reference backend, and @properties. A
 * harness is live, and all frames are to be inferred unless these say
 * otherwise. */
GstHarness *test_gst_harness (const char *properties);

/* Noise, chroma the same in squares of two pixels, packed by GStreamer, so
 * that all YUV formats of 8 bits hold the same picture, and all RGB formats. */
GstBuffer *test_gst_picture (const GstVideoInfo * info, guint seed,
    gboolean gray);
GstCaps *test_gst_caps (const char *format, gint width, gint height);
GstBuffer *test_gst_picture_caps (const GstCaps * caps, guint seed);

/* What the engine finds in (a part of) a frame; @crop NULL: all of it. */
GArray *test_gst_expected (GstBuffer * buffer, const GstCaps * caps,
    const GstVideoRectangle * crop, const Y10HeadParams * params, Y10Head head);

/* With every detection there is, on the GPU in fp32, whose results are those of
 * the reference; @bus gets its messages. */
GstHarness *test_gst_cuda_harness (const char *properties,
    const GstCaps * caps, GstBus ** bus);
/* What that finds in picture 3 of these caps. */
GArray *test_gst_cuda_expected (const GstCaps * caps);

/* A number of the element's property "stats". */
guint64 test_gst_stat (GstElement * e, const char *name);
/* Takes all messages of these types from the bus. */
guint test_gst_count_messages (GstBus * bus, GstMessageType types);

GArray *test_gst_rois (GstBuffer * buffer);
/* Frame meta number @index of the buffer; NULL when there is none. */
const GstStructure *test_gst_frame_meta (GstBuffer * buffer, guint index);
GArray *test_gst_records (const GstStructure * structure);
guint test_gst_n_metas (GstBuffer * buffer);

/* Fails unless @boxes are @detections in a frame of that size. */
void test_gst_assert_same (GArray * boxes, GArray * detections, guint width,
    guint height);

G_END_DECLS
