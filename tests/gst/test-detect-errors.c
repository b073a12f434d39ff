/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Error messages: each fault gives one message, with a domain, a code and a
 * text that names what was found and what was expected. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcommon.h"

#ifdef HAVE_GST_ANALYTICS
#define HAVE_ANALYTICS TRUE
#else
#define HAVE_ANALYTICS FALSE
#endif

/* Asserts that @text is safe for a terminal. */
static void
assert_printable (const char *text)
{
  fail_unless (g_utf8_validate (text, -1, NULL));
  for (; *text; text = g_utf8_next_char (text))
    fail_if (g_unichar_iscntrl (g_utf8_get_char (text)) && *text != '\n',
        "0x%02x", *text);
}

/* Takes the messages of @type that the detector has posted; there must be
 * exactly one. */
static void
assert_one_message (GstBus *bus, GstMessageType type, GQuark domain, gint code,
    const char *const *words)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, type))) {
    GError *error = NULL;
    gchar *debug = NULL;

    if (g_str_equal (GST_OBJECT_NAME (message->src), "d")) {
      if (type == GST_MESSAGE_ERROR)
        gst_message_parse_error (message, &error, &debug);
      else
        gst_message_parse_warning (message, &error, &debug);
      n++;
      fail_unless (error->domain == domain && error->code == code,
          "%s %d instead of %s %d: %s", g_quark_to_string (error->domain),
          error->code, g_quark_to_string (domain), code, error->message);
      for (guint i = 0; words[i]; i++)
        fail_unless (strstr (error->message, words[i]) != NULL,
            "\"%s\" is not in \"%s\"", words[i], error->message);
      fail_if (strstr (debug, "quark"), "%s", debug);
      assert_printable (error->message);
      assert_printable (debug);
      g_clear_error (&error);
      g_free (debug);
    }
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, 1);
}

/* Asserts that starting yolov10detect with @properties fails with exactly this
 * error. */
static void
assert_start_fails (const char *properties, GQuark domain, gint code,
    const char *const *words)
{
  gchar *line = g_strdup_printf ("yolov10detect name=d backend=ref %s",
      properties);
  GError *error = NULL;
  GstElement *e = gst_parse_launch (line, &error);
  g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  g_assert_no_error (error);
  gst_bin_add (GST_BIN (pipeline), e);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  assert_one_message (bus, GST_MESSAGE_ERROR, domain, code, words);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_free (line);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* As assert_start_fails(), for properties besides a good model file. */
#define ASSERT_MODEL_FAILS(properties, domain, code, ...) \
  G_STMT_START \
  { \
    gchar *all_ = g_strdup_printf ("model-file=%s %s", test_gst_model (), \
        properties); \
    assert_start_fails (all_, domain, code, WORDS (__VA_ARGS__)); \
    g_free (all_); \
  } \
  G_STMT_END

GST_START_TEST (test_missing_file)
{
  assert_start_fails ("model-file=/nowhere/at-all.safetensors",
      GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
      WORDS ("/nowhere/at-all.safetensors"));
}

GST_END_TEST;

static guint n_logged;

static void
look_at_log (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer data)
{
  if (level > GST_LEVEL_INFO
      || strcmp (gst_debug_category_get_name (category), "yolov10detect"))
    return;
  assert_printable (gst_debug_message_get (message));
  n_logged++;
}

/* A file name may contain control characters, which terminals would obey. */
GST_START_TEST (test_file_name)
{
  gchar *missing = test_gst_file ("no\033[31m\x9b\xff\a.safetensors", NULL, 0);
  gchar *path = test_gst_file ("\033]0;model\a\xff.safetensors", NULL, 0);
  GstHarness *h = test_gst_harness (NULL);
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  g_autoptr (GstCaps) caps = test_gst_caps ("RGB", 96, 64);
  g_autoptr (GstBus) bus = gst_bus_new ();
  gboolean taken = FALSE, refused = FALSE;
  gchar *weights;
  gsize length;

  fail_unless (
      g_file_get_contents (test_gst_other_model (), &weights, &length, NULL));
  fail_unless (g_file_set_contents (path, weights, (gssize) length, NULL));
  gst_debug_set_threshold_for_name ("yolov10detect", GST_LEVEL_INFO);
  gst_debug_add_log_function (look_at_log, NULL, NULL);
  gst_element_set_bus (e, bus);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  for (guint i = 0; !(taken && refused); i++) {
    GstBuffer *buffer = test_gst_picture_caps (caps, i);
    GstMessage *message;

    if (i == 0 || taken)
      g_object_set (e, "model-file", taken ? missing : path, NULL);
    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 30;
    gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
    while (
        !taken && (message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT))) {
      const GstStructure *s = gst_message_get_structure (message);
      const gchar *file = gst_structure_get_string (s, "model-file");

      taken = taken || (file && strstr (file, "\\x1b]0;model\\x07\\xff"));
      gst_message_unref (message);
    }
    if (taken && (message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
      const GstStructure *details = NULL;
      GError *error;
      gchar *debug;

      gst_message_parse_warning (message, &error, &debug);
      gst_message_parse_warning_details (message, &details);
      assert_printable (error->message);
      fail_unless (strstr (error->message, "no\\x1b[31m\\x9b\\xff\\x07")
              != NULL,
          "%s", error->message);
      fail_unless (gst_structure_has_field (details, "model-file"));
      fail_unless (gst_structure_has_field (details, "active-model-file"));
      refused = TRUE;
      g_error_free (error);
      g_free (debug);
      gst_message_unref (message);
    }
  }
  fail_unless (n_logged > 0);
  gst_debug_remove_log_function (look_at_log);
  gst_element_set_bus (e, NULL);
  gst_harness_teardown (h);
  g_free (weights);
  g_free (missing);
  g_free (path);
}

GST_END_TEST;

GST_START_TEST (test_not_a_model)
{
  gchar *text = test_gst_file ("text.safetensors", "not weights at all, sorry",
      -1);
  gchar *empty = test_gst_file ("empty.safetensors", "", 0);
  /* A well-formed file whose network is no YOLOv10. */
  const char other[] = "\x50\0\0\0\0\0\0\0"
                       "{\"other.weight\":{\"dtype\":\"F32\",\"shape\":[1],"
                       "\"data_offsets\":[0,4]}}                     \0\0\0\0";
  gchar *stranger = test_gst_file ("other.safetensors", other, 8 + 0x50 + 4);
  const gchar *files[] = { text, empty, stranger };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    gchar *properties = g_strdup_printf ("model-file=%s", files[i]);

    assert_start_fails (properties, GST_STREAM_ERROR,
        GST_STREAM_ERROR_WRONG_TYPE, WORDS (files[i]));
    g_free (properties);
  }
  g_free (text);
  g_free (empty);
  g_free (stranger);
}

GST_END_TEST;

GST_START_TEST (test_directory)
{
  assert_start_fails ("model-file=/tmp", GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NOT_FOUND, WORDS ("/tmp", "directory"));
}

GST_END_TEST;

GST_START_TEST (test_labels)
{
  gchar *few = test_gst_file ("few.txt", "person\nbus\n", -1);
  gchar *latin = test_gst_file ("latin.txt",
      "one\ntwo\nthr\xe9"
      "e\n",
      -1);
  gchar *properties = g_strdup_printf ("label-file=%s", few);

  ASSERT_MODEL_FAILS (properties, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      few, "2", "3");
  g_free (properties);
  properties = g_strdup_printf ("label-file=%s", latin);
  ASSERT_MODEL_FAILS (properties, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      latin, "UTF-8");
  g_free (properties);
  ASSERT_MODEL_FAILS ("label-file=/nowhere/labels.txt", GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_READ, "/nowhere/labels.txt");
  g_free (few);
  g_free (latin);
}

GST_END_TEST;

GST_START_TEST (test_backend)
{
  if (y10_backend_probe (Y10_BACKEND_CUDA, NULL)) {
    test_gst_skip ("there is a GPU, so backend=cuda works");
    return;
  }
  ASSERT_MODEL_FAILS ("backend=cuda", GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
      "cuda");
}

GST_END_TEST;

static void
look_for_cuda (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer data)
{
  gchar *text = g_ascii_strdown (gst_debug_message_get (message), -1);

  if (level <= GST_LEVEL_INFO
      && (strstr (text, "cuda") || strstr (text, "nvidia"))
      && !strstr (text, "memory:cuda"))
    g_string_append_printf (data, "%s: %s\n",
        gst_debug_category_get_name (category), text);
  g_free (text);
}

/* Without such a GPU and without asking for one, no message mentions it. */
GST_START_TEST (test_no_cuda)
{
  static const char *const elements[] = { "yolov10detect", "yolov10overlay" };
  g_autoptr (GString) seen = g_string_new (NULL);

  if (y10_backend_probe (Y10_BACKEND_CUDA, NULL)) {
    test_gst_skip ("there is a GPU, which may be mentioned");
    return;
  }
  gst_debug_set_default_threshold (GST_LEVEL_INFO);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (look_for_cuda, seen, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    GstElement *e = gst_element_factory_make (elements[i], NULL);

    if (!e) /* this build has no overlay */
      continue;
    if (!i)
      g_object_set (e, "model-file", test_gst_model (), NULL);
    fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
        GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state (e, GST_STATE_NULL);
    gst_object_unref (e);
  }
  gst_debug_remove_log_function (look_for_cuda);
  fail_unless_equals_string (seen->str, "");
}

GST_END_TEST;

GST_START_TEST (test_precision)
{
  ASSERT_MODEL_FAILS ("precision=tf32", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "tf32", "fp32");
}

GST_END_TEST;

GST_START_TEST (test_input_size)
{
  const char *const unreadable[] = { "big", "640x", "x640", "640x480x3", "-640",
    "640 480", "0", "1e3", "99999999999999999999" };

  ASSERT_MODEL_FAILS ("input-size=100", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "100", "multiple of 32");
  ASSERT_MODEL_FAILS ("input-size=96x100", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "100", "multiple of 32");
  for (guint i = 0; i < G_N_ELEMENTS (unreadable); i++) {
    gchar *properties = g_strdup_printf ("input-size=\"%s\"", unreadable[i]);

    ASSERT_MODEL_FAILS (properties, GST_LIBRARY_ERROR,
        GST_LIBRARY_ERROR_SETTINGS, "input-size", unreadable[i], "WxH");
    g_free (properties);
  }
}

GST_END_TEST;

GST_START_TEST (test_classes)
{
  ASSERT_MODEL_FAILS ("classes=\"person,zebra\"", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "classes", "\"zebra\"", "3 classes",
      "stop sign");
  ASSERT_MODEL_FAILS ("class-confidence=zebra=0.5", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "class-confidence", "\"zebra\"");
  ASSERT_MODEL_FAILS ("min-size=large", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "min-size", "\"large\"");
  ASSERT_MODEL_FAILS ("max-size=32x", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "max-size", "\"32x\"");
  ASSERT_MODEL_FAILS ("classes=3", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "\"3\"");
  ASSERT_MODEL_FAILS ("classes=-1", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "\"-1\"");
}

GST_END_TEST;

GST_START_TEST (test_encoder_hints)
{
  static const char *const unreadable[] = { "person", "person=", "person=x",
    "person=1.5", "person=-52", "person=52", "*=99999999999999999999",
    "person=1 2", "person:3" };

  for (guint i = 0; i < G_N_ELEMENTS (unreadable); i++) {
    gchar *properties = g_strdup_printf ("encoder-hints=\"bus=2,%s\"",
        unreadable[i]);
    gchar *quoted = g_strdup_printf ("\"%s\"", unreadable[i]);

    ASSERT_MODEL_FAILS (properties, GST_LIBRARY_ERROR,
        GST_LIBRARY_ERROR_SETTINGS, "encoder-hints", quoted, "CLASS=DELTA",
        "-51 to 51");
    g_free (quoted);
    g_free (properties);
  }
  ASSERT_MODEL_FAILS ("encoder-hints=\"zebra=1\"", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "encoder-hints", "\"zebra\"", "3 classes");
  ASSERT_MODEL_FAILS ("encoder-hints=\"=1\"", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "encoder-hints", "\"\"", "3 classes");
  ASSERT_MODEL_FAILS ("encoder-hints=\"person=1,bus=2,0=3\"", GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, "encoder-hints", "both 1 and 3", "\"0\"",
      "each class once");
}

GST_END_TEST;

/* Hints are part of region metas: without those there are no hints. */
GST_START_TEST (test_encoder_hints_without_roi)
{
  GstHarness *h = test_gst_harness ("attach=frame");
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (e, bus);
  g_object_set (e, "encoder-hints", "person=-8", NULL);
  assert_one_message (bus, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, WORDS ("encoder-hints", "attach", "roi"));
  gst_util_set_object_arg (G_OBJECT (e), "attach", "roi+frame");
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_WARNING),
      0);
  gst_element_set_state (e, GST_STATE_NULL);
  gst_element_set_bus (e, bus);
  gst_util_set_object_arg (G_OBJECT (e), "attach", "frame");
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_WARNING),
      0);
  fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
      GST_STATE_CHANGE_SUCCESS);
  assert_one_message (bus, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, WORDS ("encoder-hints", "attach", "roi"));
  gst_element_set_bus (e, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A detector that failed to start can be reconfigured and started again. */
GST_START_TEST (test_recovers)
{
  g_autoptr (GstElement) e = gst_element_factory_make ("yolov10detect", NULL);

  g_object_set (e, "model-file", "/nowhere/at-all.safetensors", NULL);
  fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (e, GST_STATE_NULL);
  g_object_set (e, "model-file", test_gst_model (), NULL);
  fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
      GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (e, GST_STATE_NULL);
}

GST_END_TEST;

/* While playing a wrong value is a warning; the old one stays. */
static void
assert_refused (GstElement *e, GstBus *bus, const gchar *name,
    const gchar *good, const gchar *bad, const gchar *word)
{
  gchar *value;

  g_object_set (e, name, good, NULL);
  fail_if (gst_bus_have_pending (bus), "%s=%s", name, good);
  g_object_set (e, name, bad, NULL);
  assert_one_message (bus, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS, WORDS (word));
  g_object_get (e, name, &value, NULL);
  fail_unless_equals_string (value, good);
  g_free (value);
}

GST_START_TEST (test_classes_while_playing)
{
  GstHarness *h = test_gst_harness ("classes=bus");
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (e, bus);
  assert_refused (e, bus, "classes", "bus", "person,zebra", "\"zebra\"");
  assert_refused (e, bus, "class-confidence", "person=0.4,*=0.5", "zebra=0.4",
      "\"zebra\"");
  assert_refused (e, bus, "class-confidence", "", "person=1.5", "person=1.5");
  assert_refused (e, bus, "min-size", "32x0.5", "large", "min-size");
  assert_refused (e, bus, "max-size", "640", "-3", "max-size");
  gst_element_set_bus (e, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Requesting analytics metadata where it is not available gives a warning, at
 * the start and while playing; the default, all available kinds, gives none. */
GST_START_TEST (test_attach_analytics)
{
  static const char *const attach[] = { "roi+analytics+frame", "roi+frame",
    "analytics", "roi+analytics" };

  for (guint i = 0; i < G_N_ELEMENTS (attach); i++) {
    GstElement *e = gst_element_factory_make ("yolov10detect", "d");
    GstBus *bus = gst_bus_new ();

    gst_element_set_bus (e, bus);
    g_object_set (e, "model-file", test_gst_model (), NULL);
    for (guint started = 0; started < 2; started++) {
      gst_util_set_object_arg (G_OBJECT (e), "attach", attach[i]);
      if (!started) {
        fail_if (gst_bus_have_pending (bus));
        gst_element_set_state (e, GST_STATE_PAUSED);
      }
      if (i < 2 || HAVE_ANALYTICS)
        fail_unless (!gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
      else
        assert_one_message (bus, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR,
            GST_LIBRARY_ERROR_SETTINGS, WORDS ("analytics", "1.24"));
      gst_bus_set_flushing (bus, TRUE);
      gst_bus_set_flushing (bus, FALSE);
    }
    gst_element_set_state (e, GST_STATE_NULL);
    gst_element_set_bus (e, NULL);
    gst_object_unref (bus);
    gst_object_unref (e);
  }
}

GST_END_TEST;

/* Upstream pushes @caps and a frame of @size bytes. */
static void
assert_stream_fails (const char *caps_text, gsize size,
    const char *const *words)
{
  GstHarness *h = test_gst_harness ("");
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  GstSegment segment;
  GstFlowReturn flow;

  gst_element_set_bus (e, bus);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (h->srcpad, gst_event_new_caps (caps));
  gst_pad_push_event (h->srcpad, gst_event_new_segment (&segment));
  flow = gst_pad_push (h->srcpad, gst_buffer_new_allocate (NULL, size, NULL));
  fail_unless (flow == GST_FLOW_NOT_NEGOTIATED || flow == GST_FLOW_ERROR);
  assert_one_message (bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR,
      GST_STREAM_ERROR_FORMAT, words);
  gst_element_set_bus (e, NULL);
  gst_harness_teardown (h);
}

GST_START_TEST (test_caps)
{
  assert_stream_fails ("video/x-raw,format=v210,width=96,height=96,"
                       "framerate=30/1",
      96 * 256, WORDS ("v210", "videoconvert"));
  assert_stream_fails ("video/x-raw(memory:CUDAMemory),format=NV12,width=96,"
                       "height=96,framerate=30/1",
      96 * 144, WORDS ("CUDAMemory", "system memory"));
  assert_stream_fails ("video/x-raw,format=I420,width=96,height=96,"
                       "framerate=30/1,interlace-mode=alternate",
      96 * 144, WORDS ("interlace-mode=alternate", "deinterlace"));
  assert_stream_fails ("video/x-raw(format:Interlaced),format=I420,width=96,"
                       "height=96,framerate=30/1,interlace-mode=alternate",
      96 * 144, WORDS ("alternate"));
  assert_stream_fails ("video/x-raw,format=GRAY8,width=16385,height=1,"
                       "framerate=30/1",
      16388, WORDS ("16385", "16384"));
}

GST_END_TEST;

GST_START_TEST (test_short_frame)
{
  assert_stream_fails ("video/x-raw,format=RGB,width=96,height=96,"
                       "framerate=30/1",
      1000, WORDS ("1000 bytes", "96x96 RGB", "27648"));
}

GST_END_TEST;

TEST_GST_MAIN (detect_errors)
{
  tcase_add_test (tc, test_missing_file);
  tcase_add_test (tc, test_file_name);
  tcase_add_test (tc, test_not_a_model);
  tcase_add_test (tc, test_directory);
  tcase_add_test (tc, test_labels);
  tcase_add_test (tc, test_backend);
  tcase_add_test (tc, test_no_cuda);
  tcase_add_test (tc, test_precision);
  tcase_add_test (tc, test_input_size);
  tcase_add_test (tc, test_classes);
  tcase_add_test (tc, test_encoder_hints);
  tcase_add_test (tc, test_encoder_hints_without_roi);
  tcase_add_test (tc, test_recovers);
  tcase_add_test (tc, test_classes_while_playing);
  tcase_add_test (tc, test_attach_analytics);
  tcase_add_test (tc, test_caps);
  tcase_add_test (tc, test_short_frame);
}
