/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "val/infer.h"

#define VAL_CONFUSION_CONFIDENCE 0.25
#define VAL_CONFUSION_IOU 0.45

/* All that the command found out. */
typedef struct
{
  const ValData *data;
  const ValCategory *categories; /* one for each class of the data */
  const guint *confusion;
  guint n_found, n_unread;
  ValSpeed speed;
  const Y10Engine *engine; /* NULL: the detections are from a file */
} ValReport;

/* show.c */

/* Prints a table to stdout. */
void val_show (const ValReport *report);
/* Returns all of it as JSON. */
char *val_to_json (const ValReport *report);

/* plot.c: curves of precision over recall */
/* Writes a picture, .svg or .png. */
gboolean val_plot (const ValReport *report, const char *path, GError **error);
gboolean val_plot_check (const char *path, GError **error);
