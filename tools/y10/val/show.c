/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What y10 val prints: a table for people, with what was most often taken for something else,
 * and everything as JSON for programs. A number that nothing was measured for is a dash, and
 * null. */

#include "config.h"

#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/names.h"
#include "base/terminal.h"
#include "val/show.h"

#define N_CONFUSIONS 5
#define LABEL_WIDTH 18

/* Columns of the table, and members of JSON. */
typedef struct
{
  const char *title, *member;
  ValArea area;
  int iou; /* number of the threshold; -1: all */
} Column;

static const Column columns[] = {
  { "AP", "ap", VAL_AREA_ALL, -1 },
  { "AP50", "ap50", VAL_AREA_ALL, 0 },
  { "AP75", "ap75", VAL_AREA_ALL, 5 },
  { "small", "ap_small", VAL_AREA_SMALL, -1 },
  { "medium", "ap_medium", VAL_AREA_MEDIUM, -1 },
  { "large", "ap_large", VAL_AREA_LARGE, -1 },
};

typedef struct
{
  const char *member;
  ValArea area;
  ValMost most;
} Recall;

static const Recall recalls[] = {
  { "ar_1", VAL_AREA_ALL, VAL_MOST_1 },
  { "ar_10", VAL_AREA_ALL, VAL_MOST_10 },
  { "ar_100", VAL_AREA_ALL, VAL_MOST_100 },
  { "ar_small", VAL_AREA_SMALL, VAL_MOST_100 },
  { "ar_medium", VAL_AREA_MEDIUM, VAL_MOST_100 },
  { "ar_large", VAL_AREA_LARGE, VAL_MOST_100 },
};

static const char *
class_name (const ValReport *report, guint index)
{
  return index < report->data->classes->len
      ? ((ValClass *) g_ptr_array_index (report->data->classes, index))->name
      : "nothing";
}

static void
print_number (double value)
{
  if (value < 0)
    printf (" %7s", "-");
  else
    printf (" %7.4f", value);
}

/* Prints @label, cut or filled to the width of the column. */
static void
print_label (const char *label)
{
  g_autofree char *safe = tool_escape (label);
  glong length = g_utf8_strlen (safe, -1);

  if (length > LABEL_WIDTH) {
    *g_utf8_offset_to_pointer (safe, LABEL_WIDTH - 1) = 0;
    printf ("%s…", safe);
  } else {
    printf ("%s%*s", safe, (int) (LABEL_WIDTH - length), "");
  }
}

static void
print_row (const char *label, const ValCategory *categories, guint n,
    guint n_pictures, guint n_truths)
{
  print_label (label);
  printf (" %8u %8u", n_pictures, n_truths);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    print_number (
        val_average_precision (categories, n, columns[i].area, columns[i].iou));
  putchar ('\n');
}

static guint
count_truths (const ValReport *report)
{
  guint n = 0;

  for (guint i = 0; i < report->data->classes->len; i++)
    n += report->categories[i].n_truths;
  return n;
}

static void
print_table (const ValReport *report)
{
  const guint n = report->data->classes->len;

  printf ("%-*s %8s %8s", LABEL_WIDTH, "class", "pictures", "objects");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    printf (" %7s", columns[i].title);
  putchar ('\n');
  print_row ("all", report->categories, n, report->data->pictures->len,
      count_truths (report));
  for (guint i = 0; i < n && n > 1; i++)
    if (report->categories[i].n_truths)
      print_row (class_name (report, i), &report->categories[i], 1,
          report->categories[i].n_pictures, report->categories[i].n_truths);
}

static void
print_recall (const ValReport *report)
{
  static const char *const titles[] = { "1 box", "10", "100", "small", "medium",
    "large" };

  printf ("\naverage recall ");
  for (guint i = 0; i < G_N_ELEMENTS (recalls); i++) {
    printf ("%s  %s", i ? "," : "", titles[i]);
    print_number (val_average_recall (report->categories,
        report->data->classes->len, recalls[i].area, recalls[i].most));
  }
  putchar ('\n');
}

typedef struct
{
  guint row, column, n;
} Confusion;

static int
compare_confusions (gconstpointer a, gconstpointer b)
{
  const Confusion *x = a, *y = b;

  if (x->n != y->n)
    return x->n > y->n ? -1 : 1;
  return x->row != y->row     ? (x->row < y->row ? -1 : 1)
      : x->column < y->column ? -1
                              : x->column > y->column;
}

static void
print_confusions (const ValReport *report)
{
  const guint n = report->data->classes->len, size = n + 1;
  g_autoptr (GArray)
      confusions = g_array_new (FALSE, FALSE, sizeof (Confusion));
  guint right = 0, missed = 0, extra = 0, confused = 0;

  for (guint row = 0; row < size; row++)
    for (guint column = 0; column < size; column++) {
      const Confusion c = { row, column,
        report->confusion[(gsize) row * size + column] };

      if (row == column)
        right += c.n;
      else if (row == n)
        missed += c.n;
      else if (column == n)
        extra += c.n;
      else
        confused += c.n;
      if (c.n && row != column && row < n && column < n)
        g_array_append_val (confusions, c);
    }
  printf (
      "at confidence %g: %u right, %u of another class, %u missed, %u on nothing\n",
      VAL_CONFUSION_CONFIDENCE, right, confused, missed, extra);
  g_array_sort (confusions, compare_confusions);
  for (guint i = 0; i < MIN (confusions->len, N_CONFUSIONS); i++) {
    const Confusion *c = &g_array_index (confusions, Confusion, i);

    tool_print ("%s%s taken for %s %u",
        i ? ", " : "most often: ", class_name (report, c->column),
        class_name (report, c->row), c->n);
  }
  if (confusions->len)
    putchar ('\n');
}

void
val_show (const ValReport *report)
{
  const ValSpeed *speed = &report->speed;

  print_table (report);
  print_recall (report);
  print_confusions (report);
  if (report->data->n_left_out)
    printf ("left out for their label files: %u pictures\n",
        report->data->n_left_out);
  if (speed->n)
    printf (
        "ms a picture: read %.1f, letterbox %.1f, network %.1f, boxes %.1f\n",
        speed->read, speed->preprocess, speed->inference, speed->postprocess);
}

static void
add_number (GString *json, const char *name, double value)
{
  y10_json_add_double (json, name, value < 0 ? (double) NAN : value);
}

static void
add_numbers (GString *json, const ValCategory *categories, guint n)
{
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    add_number (json, columns[i].member,
        val_average_precision (categories, n, columns[i].area, columns[i].iou));
  for (guint i = 0; i < G_N_ELEMENTS (recalls); i++)
    add_number (json, recalls[i].member,
        val_average_recall (categories, n, recalls[i].area, recalls[i].most));
}

static void
add_class (GString *json, const ValReport *report, guint index)
{
  const ValClass *class = g_ptr_array_index (report->data->classes, index);
  const ValCategory *category = &report->categories[index];

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "name", class->name);
  y10_json_add_int (json, "id", class->id);
  y10_json_add_int (json, "pictures", category->n_pictures);
  y10_json_add_int (json, "objects", category->n_truths);
  add_numbers (json, category, 1);
  /* At 50 % of overlap, for the recalls 0, 0.01 … 1. */
  y10_json_open (json, "precision", '[');
  for (guint i = 0;
       i < VAL_N_RECALLS && category->precision[VAL_AREA_ALL][0][0] >= 0; i++)
    y10_json_add_double (json, NULL, category->precision[VAL_AREA_ALL][0][i]);
  y10_json_close (json, ']');
  y10_json_close (json, '}');
}

static void
add_confusion (GString *json, const ValReport *report)
{
  const guint size = report->data->classes->len + 1;

  y10_json_open (json, "confusion", '{');
  y10_json_add_double (json, "confidence", VAL_CONFUSION_CONFIDENCE);
  y10_json_add_double (json, "iou", VAL_CONFUSION_IOU);
  y10_json_open (json, "matrix", '[');
  for (guint row = 0; row < size; row++) {
    y10_json_open (json, NULL, '[');
    for (guint column = 0; column < size; column++)
      y10_json_add_int (json, NULL,
          report->confusion[(gsize) row * size + column]);
    y10_json_close (json, ']');
  }
  y10_json_close (json, ']');
  y10_json_close (json, '}');
}

static void
add_engine (GString *json, const ValReport *report)
{
  const Y10Engine *engine = report->engine;
  const ValSpeed *speed = &report->speed;
  g_autofree char *path = tool_source_to_utf8 (
      y10_model_get_path (y10_engine_get_model (engine)));
  guint width, height;

  y10_engine_get_input_size (engine, &width, &height);
  y10_json_add_string (json, "model", path);
  y10_json_add_string (json, "backend",
      y10_backend_get_name (y10_engine_get_backend (engine)));
  y10_json_add_string (json, "precision",
      y10_precision_get_name (y10_engine_get_precision (engine)));
  y10_json_add_string (json, "head",
      y10_head_get_name (y10_engine_get_head (engine)));
  y10_json_add_size (json, "size", width, height);
  y10_json_add_bool (json, "auto_size", y10_engine_get_auto_size (engine));
  y10_json_open (json, "ms", '{');
  y10_json_add_double (json, "read", speed->read);
  y10_json_add_double (json, "letterbox", speed->preprocess);
  y10_json_add_double (json, "network", speed->inference);
  y10_json_add_double (json, "boxes", speed->postprocess);
  y10_json_close (json, '}');
}

char *
val_to_json (const ValReport *report)
{
  GString *json = g_string_new (NULL);
  const guint n = report->data->classes->len;
  g_autofree char *source = tool_source_to_utf8 (report->data->source);

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "data", source);
  if (report->engine)
    add_engine (json, report);
  y10_json_add_int (json, "pictures", report->data->pictures->len);
  y10_json_add_int (json, "unread", report->n_unread);
  y10_json_add_int (json, "left_out", report->data->n_left_out);
  y10_json_add_int (json, "objects", count_truths (report));
  y10_json_add_int (json, "detections", report->n_found);
  add_numbers (json, report->categories, n);
  y10_json_open (json, "classes", '[');
  for (guint i = 0; i < n; i++)
    add_class (json, report, i);
  y10_json_close (json, ']');
  add_confusion (json, report);
  y10_json_close (json, '}');
  return g_string_free (json, FALSE);
}
