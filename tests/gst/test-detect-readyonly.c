/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties whose flags allow changes in NULL and READY only: in later states
 * they keep their values, and a warning reports the attempt. */
#include "gstcommon.h"

static gboolean
is_ready_only (const GParamSpec *pspec)
{
  return (pspec->flags & G_PARAM_WRITABLE)
      && (pspec->flags & GST_PARAM_MUTABLE_READY);
}

/* A value that differs from the default and from that of any other @i. */
static void
other_value (GParamSpec *pspec, guint i, GValue *value)
{
  g_value_init (value, pspec->value_type);
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    g_value_set_enum (value, 1 + (gint) i);
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    g_value_set_uint (value, 1 + i);
  else if (G_IS_PARAM_SPEC_INT (pspec))
    g_value_set_int (value, 1 + (gint) i);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_value_set_boolean (value,
        (G_PARAM_SPEC_BOOLEAN (pspec)->default_value + i + 1) % 2);
  else if (G_IS_PARAM_SPEC_STRING (pspec))
    g_value_set_string (value, i ? "32" : "64");
  else
    g_assert_not_reached ();
}

static gboolean
has_value (GstElement *e, GParamSpec *pspec, const GValue *value)
{
  GValue now = G_VALUE_INIT;
  gboolean same;

  g_value_init (&now, pspec->value_type);
  g_object_get_property (G_OBJECT (e), pspec->name, &now);
  same = g_param_values_cmp (pspec, &now, value) == 0;
  g_value_unset (&now);
  return same;
}

/* Returns the text of the only warning, or NULL. */
static gchar *
take_warning (GstBus *bus)
{
  GstMessage *message, *more;
  GError *error = NULL;
  gchar *text;

  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  if (!message)
    return NULL;
  more = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_if (more != NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (
      g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

/* Asserts that setting @pspec to another value is rejected with a warning. */
static void
assert_kept (GstElement *e, GstBus *bus, GParamSpec *pspec)
{
  GValue kept = G_VALUE_INIT, other = G_VALUE_INIT;
  gchar *text;

  g_value_init (&kept, pspec->value_type);
  g_object_get_property (G_OBJECT (e), pspec->name, &kept);
  other_value (pspec, 0, &other);
  if (!g_param_values_cmp (pspec, &kept, &other)) {
    g_value_unset (&other);
    other_value (pspec, 1, &other);
  }
  g_object_set_property (G_OBJECT (e), pspec->name, &other);
  fail_unless (has_value (e, pspec, &kept), "%s", pspec->name);
  text = take_warning (bus);
  fail_unless (text != NULL, "no warning for %s", pspec->name);
  fail_unless (g_str_has_prefix (text, pspec->name), "%s", text);
  fail_unless (strstr (text, "READY") != NULL, "%s", text);
  if (G_VALUE_HOLDS_STRING (&kept))
    fail_unless (strstr (text, g_value_get_string (&kept)) != NULL, "%s", text);
  g_free (text);
  /* Setting the same value is no change. */
  g_object_set_property (G_OBJECT (e), pspec->name, &kept);
  fail_unless ((text = take_warning (bus)) == NULL, "%s", text);
  g_value_unset (&kept);
  g_value_unset (&other);
}

GST_START_TEST (test_kept)
{
  GstHarness *h = test_gst_harness (NULL);
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  g_autoptr (GstBus) bus = gst_bus_new ();
  guint n, n_ready_only = 0;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (e),
      &n);

  gst_element_set_bus (e, bus);
  for (guint i = 0; i < n; i++)
    if (is_ready_only (all[i])) {
      GValue value = G_VALUE_INIT;

      n_ready_only++;
      gst_element_set_state (e, GST_STATE_PLAYING);
      assert_kept (e, bus, all[i]);
      gst_element_set_state (e, GST_STATE_PAUSED);
      assert_kept (e, bus, all[i]);
      gst_element_set_state (e, GST_STATE_READY);
      other_value (all[i], 0, &value);
      g_object_set_property (G_OBJECT (e), all[i]->name, &value);
      fail_unless (has_value (e, all[i], &value), "%s", all[i]->name);
      fail_unless (take_warning (bus) == NULL);
      g_param_value_set_default (all[i], &value);
      g_object_set_property (G_OBJECT (e), all[i]->name, &value);
      g_value_unset (&value);
    }
  fail_unless (n_ready_only >= 10, "%u", n_ready_only);
  g_free (all);
  gst_element_set_bus (e, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The next model is loaded with the kept values, too. */
GST_START_TEST (test_exchange)
{
  GstHarness *h = test_gst_harness (NULL);
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstCaps *caps = test_gst_caps ("RGB", 96, 64);
  GstMessage *message;
  guint n = 0, width = 0;
  gchar *text;

  gst_element_set_bus (e, bus);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  g_object_set (e, "input-size", "64", NULL);
  text = take_warning (bus);
  fail_unless (text && strstr (text, "\"64\""), "%s", text);
  g_free (text);
  g_object_set (e, "model-file", test_gst_other_model (), NULL);
  for (guint i = 0; n < 1; i++) {
    GstBuffer *buffer = test_gst_picture_caps (caps, i);

    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 30;
    gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
    while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT))) {
      const GstStructure *s = gst_message_get_structure (message);

      if (gst_structure_has_name (s, "yolov10-model")
          && g_str_equal (gst_structure_get_string (s, "model-file"),
              test_gst_other_model ())) {
        gst_structure_get_uint (s, "width", &width);
        n++;
      }
      gst_message_unref (message);
    }
  }
  fail_unless_equals_int (n, 1);
  fail_unless_equals_int (width, 96);
  gst_caps_unref (caps);
  gst_element_set_bus (e, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

static gpointer
set_all (gpointer e)
{
  guint n;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (e),
      &n);

  for (guint k = 0; !g_object_get_data (e, "enough") || k < 300; k++)
    for (guint i = 0; i < n; i++)
      if (is_ready_only (all[i]) && !g_str_equal (all[i]->name, "backend")
          && !g_str_equal (all[i]->name, "precision")) {
        GValue value = G_VALUE_INIT;

        other_value (all[i], k % 2, &value);
        g_object_set_property (e, all[i]->name, &value);
        g_value_unset (&value);
        g_usleep (20);
      }
  g_free (all);
  return NULL;
}

/* Two threads set properties while the element changes state: as long as it
 * runs, the properties have the values that it was started with. */
GST_START_TEST (test_storm)
{
  gchar *line = g_strdup_printf ("yolov10detect backend=ref model-file=%s",
      test_gst_model ());
  g_autoptr (GstElement) e = gst_parse_launch (line, NULL);
  GThread *threads[2];
  guint n_other = 0;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("set", set_all, e);
  for (guint i = 0; i < 20; i++) {
    gchar *first, *last;

    fail_unless_equals_int (gst_element_set_state (e, GST_STATE_PAUSED),
        GST_STATE_CHANGE_SUCCESS);
    g_object_get (e, "input-size", &first, NULL);
    g_usleep (10000);
    g_object_get (e, "input-size", &last, NULL);
    n_other += g_strcmp0 (first, last) != 0;
    gst_element_set_state (e, GST_STATE_READY);
    g_free (first);
    g_free (last);
  }
  fail_unless_equals_int (n_other, 0);
  g_object_set_data (G_OBJECT (e), "enough", e);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  gst_element_set_state (e, GST_STATE_NULL);
  g_free (line);
}

GST_END_TEST;

/* Of the overlay, only the stream that it declares may not change in any state. */
GST_START_TEST (test_overlay)
{
  g_autoptr (GstElement) e = gst_element_factory_make ("yolov10overlay", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GParamSpec **all;
  guint n;

  if (!e) {
    test_gst_skip ("this build has no yolov10overlay");
    return;
  }
  gst_element_set_bus (e, bus);
  gst_element_set_state (e, GST_STATE_PAUSED);
  all = g_object_class_list_properties (G_OBJECT_GET_CLASS (e), &n);
  for (guint i = 0; i < n; i++) {
    fail_unless_equals_int (is_ready_only (all[i]),
        g_str_equal (all[i]->name, "stream"));
    if (is_ready_only (all[i]))
      assert_kept (e, bus, all[i]);
  }
  g_free (all);
  gst_element_set_state (e, GST_STATE_NULL);
}

GST_END_TEST;

TEST_GST_MAIN (detect_readyonly)
{
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_kept);
  tcase_add_test (tc, test_exchange);
  tcase_add_test (tc, test_storm);
  tcase_add_test (tc, test_overlay);
}
