/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The driver's results that mean a lost context, by cuda.h's numbers, and the
 * error message for each. */

#include <string.h>
#include <y10/error.h>

#include "driver/driver.h"

static int
get_text (int result, const char **text)
{
  *text = result == 999 ? NULL : "its text";
  return 0;
}

static const Y10CudaDriver driver = {
  .get_error_name = get_text,
  .get_error_string = get_text,
};

static void
assert_code (int result, Y10Error code)
{
  g_autofree char *number = g_strdup_printf (", %d)", result);
  GError *error = NULL;

  g_assert_false (y10_cuda_check (&driver, result, "a call", &error));
  g_assert_error (error, Y10_ERROR, (gint) code);
  g_assert_nonnull (strstr (error->message, "a call"));
  g_assert_nonnull (strstr (error->message, number));
  g_assert_cmpint (y10_cuda_is_lost (result), ==,
      code == Y10_ERROR_DEVICE_LOST);
  g_error_free (error);
}

static void
test_codes (void)
{
  /* Results after which, by cuda.h, the process must be restarted or the
   * context no longer exists; and results that a call may return repeatedly. */
  static const int lost[] = { 46, 201, 214, 220, 226, 700, 702, 709, 710, 714,
    715, 716, 717, 718, 719, 999 };
  static const int others[] = { 1, 3, 34, 100, 101, 200, 209, 222, 304, 400,
    500, 600, 701, 720, 801, 802, 803, 804, 900, 901, 907, 910 };
  GError *error = NULL;

  g_assert_true (y10_cuda_check (&driver, 0, "a call", &error));
  g_assert_no_error (error);
  assert_code (2, Y10_ERROR_NO_MEMORY);
  for (guint i = 0; i < G_N_ELEMENTS (lost); i++)
    assert_code (lost[i], Y10_ERROR_DEVICE_LOST);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    assert_code (others[i], Y10_ERROR_BACKEND);
}

/* Freeing through the dead driver frees nothing and returns an error. */
static void
test_dead (void)
{
  unsigned int n = 0;
#define Y10_COUNT(member, name, params) \
  n += y10_cuda_dead_driver.member != NULL;
  Y10_CUDA_DRIVER_FUNCTIONS (Y10_COUNT)
#undef Y10_COUNT
  g_assert_cmpuint (n * sizeof (void *), ==, sizeof y10_cuda_dead_driver);
  g_assert_true (y10_cuda_is_lost (y10_cuda_dead_driver.mem_free (1)));
  g_assert_true (y10_cuda_is_lost (y10_cuda_dead_driver.ctx_push (NULL)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/check/codes", test_codes);
  g_test_add_func ("/check/dead", test_dead);
  return g_test_run ();
}
