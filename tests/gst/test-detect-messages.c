/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect's messages and signal agree with the buffers' metadata. */
#include <json-glib/json-glib.h>

#include "gstcommon.h"

#define FRAME TEST_GST_FRAME

static GstCaps *caps;

static GstHarness *
make_harness (const char *properties)
{
  g_autofree gchar *all = g_strdup_printf ("confidence=0.02 %s", properties);
  GstHarness *h = test_gst_harness (all);

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  return h;
}

static GstBuffer *
picture (guint i)
{
  return test_gst_picture_at (caps, i, i);
}

/* The JSON of the messages equals the buffers' metadata. */
GST_START_TEST (test_messages)
{
  GstHarness *h = make_harness ("post-messages=true inference-interval=2");
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *out = gst_harness_push_and_pull (h, picture (i));
    GArray *boxes = test_gst_rois (out);
    GstMessage *message;
    const GstStructure *s;
    JsonParser *parser = json_parser_new ();
    JsonObject *root;
    JsonArray *objects;
    guint64 timestamp;

    do {
      message = gst_bus_timed_pop_filtered (bus, GST_SECOND,
          GST_MESSAGE_ELEMENT);
      fail_unless (message != NULL);
      s = gst_message_get_structure (message);
    } while (gst_structure_has_name (s, "yolov10-model"));
    fail_unless (gst_structure_has_name (s, "yolov10-detections"));
    fail_unless (gst_structure_get_uint64 (s, "timestamp", &timestamp));
    fail_unless_equals_uint64 (timestamp, i * FRAME);
    fail_unless (json_parser_load_from_data (parser,
        gst_structure_get_string (s, "json"), -1, NULL));
    root = json_node_get_object (json_parser_get_root (parser));
    fail_unless_equals_string (json_object_get_string_member (root, "source"),
        "d");
    fail_unless_equals_string (json_object_get_string_member (root,
                                   "inference"),
        i % 2 ? "held" : "fresh");
    objects = json_object_get_array_member (root, "objects");
    fail_unless_equals_int (json_array_get_length (objects), boxes->len);
    fail_unless (boxes->len > 3);
    for (guint k = 0; k < boxes->len; k++) {
      const TestBox *box = &g_array_index (boxes, TestBox, k);
      JsonObject *object = json_array_get_object_element (objects, k);
      JsonObject *detection = json_object_get_object_member (object,
          "detection");
      JsonObject *bounds = json_object_get_object_member (detection,
          "bounding_box");

      fail_unless_equals_int (json_object_get_int_member (object, "id"),
          box->id);
      fail_unless_equals_int (json_object_get_int_member (object, "x"), box->x);
      fail_unless_equals_int (json_object_get_int_member (object, "h"), box->h);
      fail_unless_equals_string (json_object_get_string_member (object,
                                     "roi_type"),
          box->label);
      fail_unless (ABS (json_object_get_double_member (detection, "confidence")
                       - box->confidence)
          < 1e-6);
      fail_unless (
          ABS (json_object_get_double_member (bounds, "x_min") - box->x_min)
          < 1e-6);
    }
    g_object_unref (parser);
    gst_message_unref (message);
    g_array_unref (boxes);
    gst_buffer_unref (out);
  }
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
on_detections (GstElement *e, GstBuffer *buffer, const GstStructure *s,
    GArray *seen)
{
  const GstStructure *meta = test_gst_frame_meta (buffer, 0);
  static const char *const same[] = { "count", "width", "age", "inference",
    "records", "labels", "producer", "model" };
  guint64 timestamp;

  fail_unless (gst_structure_has_name (s, "yolov10-detections"));
  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    fail_unless_equals_int (gst_value_compare (gst_structure_get_value (meta,
                                                   same[i]),
                                gst_structure_get_value (s, same[i])),
        GST_VALUE_EQUAL);
  fail_unless (gst_structure_get_uint64 (s, "timestamp", &timestamp));
  g_array_append_val (seen, timestamp);
}

GST_START_TEST (test_signal)
{
  GstHarness *h = make_harness ("inference-interval=2");
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (guint64));
  gulong id = g_signal_connect (h->element, "detections",
      G_CALLBACK (on_detections), seen);

  for (guint i = 0; i < 6; i++) {
    if (i == 5)
      g_signal_handler_disconnect (h->element, id);
    gst_buffer_unref (gst_harness_push_and_pull (h, picture (i)));
  }
  fail_unless_equals_int (seen->len, 5);
  for (guint i = 0; i < 5; i++)
    fail_unless_equals_uint64 (g_array_index (seen, guint64, i), i * FRAME);
  gst_harness_teardown (h);
}

GST_END_TEST;

TEST_GST_MAIN (detect_messages)
{
  caps = test_gst_caps ("NV12", 96, 64);
  tcase_add_test (tc, test_messages);
  tcase_add_test (tc, test_signal);
}
