/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the engine's tests: weights files in a temporary directory, and a
 * detection by one call. */

#include <y10/y10.h>

#include "tensors.h"

G_BEGIN_DECLS

/* Removed with everything in it by test_dir_remove(). */
const char *test_dir (void);
void test_dir_remove (void);
/* Returns a path in that directory; free it with g_free(). */
char *test_path (const char *name);
char *test_write (const char *name, gconstpointer data, gsize size);

/* From tests/data/NAME.shapes.json. */
Y10TestTensors *test_tensors (const char *name, guint64 seed);
/* Writes, loads and deletes them. */
Y10Model *test_model (const Y10TestTensors *tensors,
    const Y10TestFormat *format);

Y10Engine *test_engine (Y10Model *model, Y10BackendKind backend, guint width,
    guint height);
/* Seeded pixels of the engine's input size, three planes of float. */
float *test_pixels (const Y10Engine *engine, guint64 seed);
void test_tensor_image (const Y10Engine *engine, const float *pixels,
    Y10Image *image);
/* Rows of one image at confidence 0. */
guint test_detect (Y10Engine *engine, const float *pixels, Y10Detection *rows,
    guint max_rows);
guint test_detect_params (Y10Engine *engine, const float *pixels,
    const Y10HeadParams *params, Y10Detection *rows, guint max_rows);

/* Reads --backend NAME, of ref, cpu and cuda, into @backend, which stays as it is without;
 * FALSE if the arguments are wrong. */
gboolean test_parse_backend (int *argc, char ***argv, Y10BackendKind *backend);

/* Asserts that @error has this code and that its message contains all of the
 * NULL-terminated texts; frees it. */
void test_expect_error (GError *error, Y10Error code,
    ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS
