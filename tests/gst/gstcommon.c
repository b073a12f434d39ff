/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See gstcommon.h. The model is written once, before any test runs, into a
 * directory that is removed when the process ends. Expected results come from
 * the engine's public interface, through code that shares nothing with the
 * element's. */
#include "gstcommon.h"

#include <glib/gstdio.h>
#include <meta/gstyolov10framemeta.h>
#include <stdarg.h>
#include <stdio.h>

#include "tensors.h"

#define SKIP 77

static gchar *directory, *model_path, *other_path;

static gchar *
write_model (const char *name, const char *metadata, guint seed)
{
  const Y10TestFormat format = { .metadata = metadata };
  gchar *path = test_gst_file (name, NULL, 0);
  GError *error = NULL;
  Y10TestTensors *tensors = y10_test_tensors_new (TEST_DATA_DIR
      "/tiny-nc3.shapes.json",
      seed, &error);

  g_assert_no_error (error);
  y10_test_tensors_write (tensors, path, &format, &error);
  g_assert_no_error (error);
  y10_test_tensors_free (tensors);
  return path;
}

void
test_gst_init (int *argc, char ***argv)
{
  GError *error = NULL;

  gst_check_init (argc, argv);
  directory = g_dir_make_tmp ("yolov10-XXXXXX", &error);
  g_assert_no_error (error);
  model_path = write_model ("tiny.safetensors",
      "{\"names\":\"{0: 'person', 1: 'bus', 2: 'stop sign'}\","
      "\"imgsz\":\"[96, 96]\"}",
      0);
  other_path = write_model ("tiny-other.safetensors",
      "{\"names\":\"{0: 'one', 1: 'two', 2: 'three'}\","
      "\"imgsz\":\"[96, 96]\"}",
      1);
}

static void
remove_directory (void)
{
  GDir *dir = g_dir_open (directory, 0, NULL);
  const gchar *entry;

  while ((entry = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (directory, entry, NULL);

    g_remove (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (directory);
}

/* Tests run in child processes, so skips are recorded in a file. */
int
test_gst_run (Suite *suite, const char *name, const char *file)
{
  gchar *marker = g_build_filename (directory, "skipped", NULL);
  int status = gst_check_run_suite (suite, name, file);

  if (!status && g_file_test (marker, G_FILE_TEST_EXISTS))
    status = SKIP;
  g_free (marker);
  remove_directory ();
  return status;
}

void
test_gst_skip (const char *format, ...)
{
  gchar *marker = test_gst_file ("skipped", "", 0);
  va_list args;

  g_free (marker);
  printf ("SKIP: ");
  va_start (args, format);
  vprintf (format, args);
  va_end (args);
  printf ("\n");
  fflush (stdout);
}

gboolean
test_gst_load_plugin (const char *name)
{
  gchar *path = g_strdup_printf ("%s/libgst%s.so", GST_PLUGINS_DIR, name);
  GstPlugin *plugin = gst_plugin_load_file (path, NULL);

  if (plugin) {
    gst_registry_add_plugin (gst_registry_get (), plugin);
    gst_object_unref (plugin);
  }
  g_free (path);
  return plugin != NULL;
}

const char *
test_gst_model (void)
{
  return model_path;
}

const char *
test_gst_other_model (void)
{
  return other_path;
}

/* @contents NULL: only the name. */
gchar *
test_gst_file (const char *name, const char *contents, gssize length)
{
  gchar *path = g_build_filename (directory, name, NULL);
  GError *error = NULL;

  if (contents)
    g_file_set_contents (path, contents, length, &error);
  g_assert_no_error (error);
  return path;
}

GstHarness *
test_gst_harness (const char *properties)
{
  gchar *line = g_strdup_printf ("yolov10detect name=d model-file=%s "
                                 "backend=ref late-policy=infer-all %s",
      model_path, properties ? properties : "");
  GError *error = NULL;
  g_autoptr (GstElement) e = gst_parse_launch (line, &error);
  GstHarness *h;

  g_assert_no_error (error);
  h = gst_harness_new_with_element (e, "sink", "src");
  g_free (line);
  return h;
}

GstHarness *
test_gst_slow_harness (const char *step_ms, const char *properties,
    const GstCaps *caps)
{
  gchar *all =
      g_strdup_printf ("backend=cuda precision=fp32 confidence=0.02 %s",
          properties);
  GstHarness *h;

  g_setenv ("Y10_BACKEND_PATH", FAKE_BACKEND_DIR, TRUE);
  g_setenv ("Y10_FAKE_STEP_MS", step_ms, TRUE);
  h = test_gst_harness (all);
  gst_harness_set_src_caps (h, gst_caps_copy (caps));
  g_free (all);
  return h;
}

GstCaps *
test_gst_caps (const char *format, gint width, gint height)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format,
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
      GST_TYPE_FRACTION, 30, 1, NULL);
}

static guint8
noise (guint seed, guint x, guint y, guint component)
{
  guint32 v = seed * 0x9e3779b9u + x * 0x85ebca6bu + y * 0xc2b2ae35u
      + component * 0x27d4eb2fu;

  v = (v ^ (v >> 15)) * 0x2c1b3c6du;
  v = (v ^ (v >> 12)) * 0x297a2d39u;
  return (v ^ (v >> 15)) >> 24;
}

/* One line of A, c1, c2, c3 in 8 or 16 bits. @rgb: every pixel has a separate
 * colour; else every square of 2 × 2 pixels, the most that YUV formats can
 * keep. */
static void
fill_line (guint8 *line, gboolean wide, gboolean rgb, gboolean gray, guint seed,
    guint y, guint width)
{
  for (guint x = 0; x < width; x++) {
    for (guint c = 0; c < 4; c++) {
      guint shift = c > 1 && !rgb ? 1 : 0;
      guint8 v = c == 0 ? 255
                        : noise (seed, x >> shift, y >> shift, gray ? 1 : c);

      if (wide)
        ((guint16 *) line)[4 * x + c] = v << 8;
      else
        line[4 * x + c] = v;
    }
  }
}

GstBuffer *
test_gst_picture (const GstVideoInfo *info, guint seed, gboolean gray)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  const GstVideoFormatInfo *unpacked = gst_video_format_get_info (
      info->finfo->unpack_format);
  gboolean rgb = GST_VIDEO_FORMAT_INFO_IS_RGB (unpacked);
  gboolean wide = GST_VIDEO_FORMAT_INFO_BITS (unpacked) == 16;
  g_autofree guint8 *line = g_malloc (info->width * 8);
  GstVideoFrame frame;

  gst_buffer_memset (buffer, 0, 0, info->size);
  fail_unless (gst_video_frame_map (&frame, (GstVideoInfo *) info, buffer,
      GST_MAP_WRITE));
  for (gint y = 0; y < info->height; y++) {
    fill_line (line, wide, rgb, gray, seed, y, info->width);
    info->finfo->pack_func (info->finfo, GST_VIDEO_PACK_FLAG_NONE, line, 0,
        frame.data, frame.info.stride, GST_VIDEO_CHROMA_SITE_UNKNOWN, y,
        info->width);
  }
  gst_video_frame_unmap (&frame);
  return buffer;
}

GstBuffer *
test_gst_picture_caps (const GstCaps *caps, guint seed)
{
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  return test_gst_picture (&info, seed, FALSE);
}

GstBuffer *
test_gst_picture_at (const GstCaps *caps, guint seed, guint i)
{
  GstBuffer *buffer = test_gst_picture_caps (caps, seed);

  GST_BUFFER_PTS (buffer) = i * TEST_GST_FRAME;
  return buffer;
}

static Y10PixelFormat
pixel_format (const GstVideoInfo *info)
{
  static const char *const names[] = { "RGB", "BGR", "RGBx", "BGRx", "xRGB",
    "xBGR", "RGBA", "BGRA", "ARGB", "ABGR", "GBR", "RGBP", "NV12", "NV21",
    "I420", "YV12", "Y42B", "Y444", "YUY2", "UYVY", "GRAY8", "P010_10LE" };
  const gchar *name = GST_VIDEO_INFO_NAME (info);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      return (Y10PixelFormat) i;
  ck_abort_msg ("no format %s", name);
  return Y10_PIXEL_RGB;
}

static Y10Engine *
make_engine (Y10Head head)
{
  GError *error = NULL;
  g_autoptr (Y10Model) model = y10_model_load (model_path, NULL, &error);
  Y10EngineConfig config;
  Y10Engine *engine;

  g_assert_no_error (error);
  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_REF;
  config.head = head;
  config.max_detections = 1000;
  engine = y10_engine_new (model, &config, NULL, &error);
  g_assert_no_error (error);
  return engine;
}

GArray *
test_gst_expected (GstBuffer *buffer, const GstCaps *caps,
    const GstVideoRectangle *crop, const Y10HeadParams *params, Y10Head head)
{
  GArray *found = g_array_sized_new (FALSE, FALSE, sizeof (Y10Detection), 1000);
  Y10Engine *engine = make_engine (head);
  const Y10HeadParams defaults = Y10_HEAD_PARAMS_INIT;
  Y10Image image = { .size = sizeof image };
  GstVideoFrame frame;
  GstVideoInfo info;
  GError *error = NULL;
  Y10Step step;
  gint n;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  image.format = pixel_format (&info);
  image.matrix = info.colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_BT709
      ? Y10_MATRIX_BT709
      : Y10_MATRIX_BT601;
  image.full_range = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  image.x = crop ? crop->x : 0;
  image.y = crop ? crop->y : 0;
  image.width = crop ? crop->w : frame.info.width;
  image.height = crop ? crop->h : frame.info.height;
  for (guint i = 0; i < frame.info.finfo->n_planes; i++) {
    image.plane[i] = frame.data[i];
    image.stride[i] = frame.info.stride[i];
  }
  fail_unless (y10_step_begin (engine, -1, &step, &error));
  fail_unless (
      y10_step_add (&step, &image, params ? params : &defaults, &error));
  fail_unless (y10_step_submit (&step, &error));
  fail_unless (y10_step_wait (&step, -1, &error));
  n = y10_step_read (&step, 0, (Y10Detection *) found->data, 1000, &error);
  g_assert_no_error (error);
  y10_step_end (&step);
  gst_video_frame_unmap (&frame);
  y10_engine_unref (engine);
  g_array_set_size (found, n);
  for (gint i = 0; crop && i < n; i++) {
    Y10Detection *d = &g_array_index (found, Y10Detection, i);

    d->x0 += crop->x;
    d->x1 += crop->x;
    d->y0 += crop->y;
    d->y1 += crop->y;
  }
  return found;
}

GstHarness *
test_gst_cuda_harness (const char *properties, const GstCaps *caps,
    GstBus **bus)
{
  gchar *all = g_strdup_printf ("backend=cuda precision=fp32 confidence=0.05 "
                                "max-detections=1000 %s",
      properties);
  GstHarness *h = test_gst_harness (all);

  gst_harness_set_caps (h, gst_caps_copy (caps), gst_caps_copy (caps));
  *bus = gst_bus_new ();
  gst_element_set_bus (h->element, *bus);
  g_free (all);
  return h;
}

GArray *
test_gst_cuda_expected (const GstCaps *caps)
{
  static const Y10HeadParams params = {
    .size = sizeof (Y10HeadParams),
    .confidence = 0.05f,
    .iou = 0.7f,
    .max_detections = 1000,
  };
  g_autoptr (GstBuffer) picture = test_gst_picture_caps (caps, 3);
  GArray *found = test_gst_expected (picture, caps, NULL, &params,
      Y10_HEAD_AUTO);

  fail_unless (found->len >= 10);
  return found;
}

guint64
test_gst_stat (GstElement *e, const char *name)
{
  GstStructure *stats;
  guint64 value;

  g_object_get (e, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "%s", name);
  gst_structure_free (stats);
  return value;
}

guint64
test_gst_harness_stat (GstHarness *h, const char *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (h->element), "p");
  const guint64 value = test_gst_stat (element, name);

  gst_object_unref (element);
  return value;
}

guint
test_gst_count_messages (GstBus *bus, GstMessageType types)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, types))) {
    n++;
    gst_message_unref (message);
  }
  return n;
}

GArray *
test_gst_rois (GstBuffer *buffer)
{
  GArray *boxes = g_array_new (FALSE, TRUE, sizeof (TestBox));
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *roi = (gpointer) meta;
    GstStructure *p = gst_video_region_of_interest_meta_get_param (roi,
        "detection");
    TestBox box = {
      .id = roi->id,
      .x = roi->x,
      .y = roi->y,
      .w = roi->w,
      .h = roi->h,
      .label_id = -1,
    };

    g_strlcpy (box.label, g_quark_to_string (roi->roi_type), sizeof box.label);
    if (p) {
      fail_unless_equals_string (gst_structure_get_string (p, "label"),
          box.label);
      fail_unless (gst_structure_get (p, "label_id", G_TYPE_INT, &box.label_id,
          "confidence", G_TYPE_DOUBLE, &box.confidence, "x_min", G_TYPE_DOUBLE,
          &box.x_min, "y_min", G_TYPE_DOUBLE, &box.y_min, "x_max",
          G_TYPE_DOUBLE, &box.x_max, "y_max", G_TYPE_DOUBLE, &box.y_max, NULL));
      g_strlcpy (box.model, gst_structure_get_string (p, "model_name"),
          sizeof box.model);
    }
    g_array_append_val (boxes, box);
  }
  return boxes;
}

const GstStructure *
test_gst_frame_meta (GstBuffer *buffer, guint index)
{
  gpointer state = NULL;
  const GstStructure *structure;

  do {
    structure = gst_yolov10_frame_meta_find (buffer, &state);
  } while (structure && index--);
  return structure;
}

GArray *
test_gst_records (const GstStructure *structure)
{
  GArray *boxes = g_array_new (FALSE, TRUE, sizeof (TestBox));
  GstYolov10Record record;
  gchar *label;

  for (guint i = 0;
       gst_yolov10_frame_meta_get_record (structure, i, &record, &label); i++) {
    TestBox box = {
      .id = record.id,
      .label_id = record.label_id,
      .confidence = record.confidence,
      .x_min = record.x_min,
      .y_min = record.y_min,
      .x_max = record.x_max,
      .y_max = record.y_max,
    };

    g_strlcpy (box.label, label, sizeof box.label);
    g_strlcpy (box.model, gst_structure_get_string (structure, "model"),
        sizeof box.model);
    g_free (label);
    g_array_append_val (boxes, box);
  }
  return boxes;
}

guint
test_gst_n_metas (GstBuffer *buffer)
{
  gpointer state = NULL;
  guint n = 0;

  while (gst_buffer_iterate_meta (buffer, &state))
    n++;
  return n;
}

/* Fractions of floats: a millionth is a rounding error, and a hundredth of a
 * pixel of the largest frame here. */
static void
assert_near (gdouble a, gdouble b)
{
  fail_unless (ABS (a - b) < 1e-6, "%.9f is not %.9f", a, b);
}

void
test_gst_assert_same (GArray *boxes, GArray *detections, guint width,
    guint height)
{
  static const char *const labels[] = { "person", "bus", "stop sign" };

  fail_unless_equals_int (boxes->len, detections->len);
  for (guint i = 0; i < boxes->len; i++) {
    const TestBox *box = &g_array_index (boxes, TestBox, i);
    const Y10Detection *d = &g_array_index (detections, Y10Detection, i);

    fail_unless_equals_int (box->label_id, d->class_id);
    fail_unless_equals_string (box->label, labels[d->class_id]);
    assert_near (box->confidence, d->confidence);
    assert_near (box->x_min, d->x0 / (gdouble) width);
    assert_near (box->y_min, d->y0 / (gdouble) height);
    assert_near (box->x_max, d->x1 / (gdouble) width);
    assert_near (box->y_max, d->y1 / (gdouble) height);
  }
}
