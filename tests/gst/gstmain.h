/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* main() of a program of tests. A block follows that adds them to @tc:
 *
 *   TEST_CHECK_MAIN (overlay)
 *   {
 *     tcase_add_test (tc, test_boxes);
 *   }
 */

#include <gst/check/gstcheck.h>

#define TEST_SUITE(name) \
  static void add_tests (TCase *tc); \
  static Suite *name##_suite (void) \
  { \
    Suite *suite = suite_create (#name); \
    TCase *tc = tcase_create (#name); \
\
    suite_add_tcase (suite, tc); \
    tcase_set_timeout (tc, 240); \
    add_tests (tc); \
    return suite; \
  }

#define TEST_CHECK_MAIN(name) \
  TEST_SUITE (name) \
  GST_CHECK_MAIN (name) \
  static void add_tests (TCase *tc)

/* The same with what gstcommon.h offers. */
#define TEST_GST_MAIN(name) \
  TEST_SUITE (name) \
  int main (int argc, char **argv) \
  { \
    test_gst_init (&argc, &argv); \
    return test_gst_run (name##_suite (), #name, __FILE__); \
  } \
  static void add_tests (TCase *tc)
