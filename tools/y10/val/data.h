/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Pictures and the objects that are in them, whatever file says so. Data are untrusted. */

#include "val/evaluate.h"

#define VAL_MAX_CLASSES 4096
#define VAL_MAX_PICTURES (1 << 24)

typedef struct
{
  char *id;   /* what results call it: a number, or a name */
  char *name; /* what people call it */
  char *path;
  guint width, height; /* upright; 0: nobody said so yet */
} ValPicture;

typedef struct
{
  gint64 id; /* what results call it */
  char *name;
} ValClass;

typedef struct
{
  char *source;
  char *folder;         /* where the pictures should be */
  GPtrArray *pictures;  /* of ValPicture, numbers first, then by name */
  GPtrArray *classes;   /* of ValClass, by id */
  GArray *truths;       /* of ValTruth */
  gboolean is_relative; /* boxes are fractions, until val_data_scale() */
  guint n_left_out;     /* pictures whose label files are not valid */
  GPtrArray *notes;     /* lines about what was left out */
} ValData;

void val_data_free (ValData *data);
/* Turns fractions into pixels; all pictures that matter have a size. */
void val_data_scale (ValData *data);

/* Leaves out the classes and pictures whose byte is 0, with their objects; NULL keeps all.
 * The others get new numbers in the same order. */
void val_data_keep (ValData *data, const guint8 *classes,
    const guint8 *pictures);

/* Leaves out all but the classes of a list of names and numbers, which are those of the
 * data: the id of a category, the number in data.yaml. */
gboolean val_data_choose (ValData *data, const char *list, GError **error);

/* For readers. */
ValData *val_data_new (const char *source);
void val_data_add_class (ValData *data, gint64 id, const char *name);
/* Takes over all strings. */
void val_data_add_picture (ValData *data, char *id, char *name, char *path);
/* Sorts pictures by id; an id that occurs twice is an error. */
gboolean val_data_sort_pictures (ValData *data, GError **error);
int val_data_compare_ids (const char *a, const char *b);
/* Returns the number of the picture, or -1. After val_data_sort_pictures(). */
int val_data_find_picture (const ValData *data, const char *id);
void val_data_note (ValData *data, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* open.c */

/* Reads COCO's JSON or the data.yaml of Ultralytics. @split: which pictures of the latter, or
 * NULL: val. @images: the folder of the pictures of the former, or NULL: the file's own. */
ValData *val_data_open (const char *path, const char *split, const char *images,
    GError **error);

/* coco.c */
ValData *val_coco_open (const char *path, const char *images, GError **error);

/* yaml.c: what Ultralytics' files say */

typedef struct
{
  char *path;          /* NULL: not there */
  GPtrArray *pictures; /* of char *: folders and lists of the split */
  GPtrArray *names;    /* of char * */
} ValYaml;

gboolean val_yaml_read (const char *file, const char *split, ValYaml *yaml,
    GError **error);
void val_yaml_clear (ValYaml *yaml);

/* pictures.c */

/* Adds the pictures of @yaml, which is that of the file data->source. */
gboolean val_pictures_find (ValData *data, const ValYaml *yaml, GError **error);

/* labels.c: a folder of pictures and one of label files */
ValData *val_labels_open (const char *path, const char *split, GError **error);

/* results.c: COCO's list of detections */

/* Reads those of @data's pictures and classes. */
GArray *val_results_read (ValData *data, const char *path, GError **error);
gboolean val_results_write (const ValData *data, const GArray *found,
    const char *path, GError **error);
/* The number that is written for @value and read again. */
double val_round (float value);

/* text.c: without a byte order mark */

/* Reads a file that must be a regular one; free with g_free(). */
char *val_read_file (const char *path, gsize *size, GError **error);
/* Reads the lines of one in UTF-8, without blanks around them; free with g_strfreev(). */
char **val_read_lines (const char *path, GError **error);
