/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The pictures of the self-check. */

#include <glib.h>

G_BEGIN_DECLS

#define Y10_TEST_PICTURE_WIDTH 200
#define Y10_TEST_PICTURE_HEIGHT 150
#define Y10_TEST_PICTURES 2

/* Draws picture @which into packed RGB. */
void y10_test_picture_draw (guint which, guint8 *rgb);

G_END_DECLS
