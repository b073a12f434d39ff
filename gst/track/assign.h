/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Memory for assignments of up to as many rows and columns as it was made for. */
typedef struct _GstY10Assigner GstY10Assigner;

GstY10Assigner *gst_y10_assigner_new (guint max_rows, guint max_columns);
void gst_y10_assigner_free (GstY10Assigner *assigner);
gfloat *gst_y10_assigner_get_costs (GstY10Assigner *assigner);
void gst_y10_assigner_solve (GstY10Assigner *assigner, guint n_rows,
    guint n_columns, gfloat limit, gint *column_of_row);

G_END_DECLS
