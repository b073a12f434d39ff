/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "weights/weights.h"

G_BEGIN_DECLS

/* The members of a zip archive, which must be stored without compression. */
typedef struct _Y10Zip Y10Zip;

/* Reads the central directory. NULL and error if there is none. */
Y10Zip *y10_zip_open (const Y10TensorFile *file, GError **error);
void y10_zip_free (Y10Zip *zip);
/* The name of the first member that ends in @suffix, or NULL. */
const char *y10_zip_find_suffix (const Y10Zip *zip, const char *suffix);
gboolean y10_zip_has (const Y10Zip *zip, const char *name);
/* Locates the data of a member in the file. Fails if it does not exist or is
 * compressed, encrypted or outside the file. */
gboolean y10_zip_locate (const Y10Zip *zip, const char *name, guint64 *offset,
    guint64 *size, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Y10Zip, y10_zip_free)

G_END_DECLS
