/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

/* The evaluation of COCO: its thresholds of IoU (0.50, 0.55 … 0.95), points of recall
 * (0, 0.01 … 1) and areas of objects. */
#define VAL_N_IOUS 10
#define VAL_N_RECALLS 101

typedef enum
{
  VAL_AREA_ALL,
  VAL_AREA_SMALL, /* up to 32 × 32 pixels */
  VAL_AREA_MEDIUM,
  VAL_AREA_LARGE, /* from 96 × 96 pixels on */
  VAL_N_AREAS
} ValArea;

/* The most detections of one picture and class that count: one, ten or a hundred. */
typedef enum
{
  VAL_MOST_1,
  VAL_MOST_10,
  VAL_MOST_100,
  VAL_N_MOST
} ValMost;

/* A box in pixels; pictures and classes are numbers from 0 on. */
typedef struct
{
  double x, y, width, height;
  guint picture, category;
} ValBox;

/* An object that is in a picture. */
typedef struct
{
  ValBox box;
  double area;       /* of its outline, which may be less than the box's */
  gboolean is_crowd; /* several objects, of which none is to be found */
} ValTruth;

/* An object that was found. */
typedef struct
{
  ValBox box;
  double confidence;
} ValFound;

typedef struct
{
  guint n_pictures, n_categories;
  const ValTruth *truths;
  const ValFound *found; /* those of equal confidence count in this order */
  guint n_truths, n_found;
} ValInput;

/* One class. A number is -1 where there is no object to find. */
typedef struct
{
  guint n_truths,
      n_pictures; /* objects that are no crowds, and pictures with some */
  double precision[VAL_N_AREAS][VAL_N_IOUS][VAL_N_RECALLS];
  double recall[VAL_N_AREAS][VAL_N_MOST][VAL_N_IOUS];
} ValCategory;

/* Returns one for each class. Free with g_free(). */
ValCategory *val_evaluate (const ValInput *input);
/* Average precision over @n classes, for one threshold of IoU or, with -1, over all of
 * them; -1 if none of the classes has objects. */
double val_average_precision (const ValCategory *categories, guint n,
    ValArea area, int iou);
/* Average recall over all thresholds of IoU. */
double val_average_recall (const ValCategory *categories, guint n, ValArea area,
    ValMost most);

/* What was taken for what: row × column, of what was found × of what is there; the last row
 * and column stand for nothing. Free with g_free(). */
guint *val_confuse (const ValInput *input, double confidence, double iou);
