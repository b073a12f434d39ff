/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Draws precision over recall: the mean of the classes at three thresholds of IoU, and behind
 * it each class at 0.50. Up to ten classes have colours and names; more are grey, because
 * nobody can tell their colours apart. It writes SVG; PNG is that, drawn by gdk-pixbuf. */

#include "config.h"

#include <string.h>

#ifdef HAVE_PIXBUF
#include <gdk-pixbuf/gdk-pixbuf.h>
#endif

#include "base/terminal.h"
#include "val/show.h"

#define WIDTH 780
#define HEIGHT 560
#define LEFT 64 /* of the axes */
#define TOP 76
#define SIDE 420
#define LEGEND (LEFT + SIDE + 28)
#define SCALE 2 /* pixels of PNG */
#define MAX_COLOURS 10
#define LINE_HEIGHT 22
#define NAME_LENGTH 18
#define TITLE_LENGTH 48
#define N_EXTREMES 6 /* best and worst classes that are named */

typedef struct
{
  int iou; /* number of the threshold */
  const char *title, *colour;
} Mean;

static const Mean means[] = {
  { 0, "IoU 0.50", "#0b3c6f" },
  { 5, "IoU 0.75", "#3f7fbf" },
  { 8, "IoU 0.90", "#9cc3e6" },
};

/* Of Tableau, without the blues and greys of the other lines. */
static const char *const colours[MAX_COLOURS] = { "#f28e2b", "#59a14f",
  "#e15759", "#b07aa1", "#9c755f", "#edc948", "#76b7b2", "#ff9da7", "#8cd17d",
  "#d4a6c8" };

static double
x_of (double recall)
{
  return LEFT + SIDE * recall;
}

static double
y_of (double precision)
{
  return TOP + SIDE * (1 - precision);
}

static void
append_text (GString *svg, double x, double y, const char *style,
    const char *text)
{
  g_autofree char *safe = tool_escape (text),
                  *quoted = g_markup_escape_text (safe, -1);

  g_string_append_printf (svg, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x,
      y, style, quoted);
}

static char *
shorten (const char *name, glong length)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);

  if (g_utf8_strlen (valid, -1) <= length)
    return g_steal_pointer (&valid);
  *g_utf8_offset_to_pointer (valid, length - 1) = 0;
  return g_strconcat (valid, "…", NULL);
}

static void
append_axes (GString *svg)
{
  for (int i = 0; i <= 5; i++) {
    char number[8];

    g_snprintf (number, sizeof number, "%.1f", i / 5.0);
    g_string_append_printf (svg,
        "<path d=\"M%.1f %dv%dM%d %.1fh%d\" stroke=\"%s\"/>\n", x_of (i / 5.0),
        TOP, SIDE, LEFT, y_of (i / 5.0), SIDE, i ? "#e6e6e6" : "#777");
    append_text (svg, x_of (i / 5.0), TOP + SIDE + 20,
        "text-anchor=\"middle\" class=\"tick\"", number);
    append_text (svg, LEFT - 8, y_of (i / 5.0) + 4,
        "text-anchor=\"end\" class=\"tick\"", number);
  }
  append_text (svg, LEFT + SIDE / 2.0, TOP + SIDE + 44,
      "text-anchor=\"middle\"", "recall");
  g_string_append_printf (svg,
      "<text transform=\"translate(20 %d) rotate(-90)\" "
      "text-anchor=\"middle\">precision</text>\n",
      TOP + SIDE / 2);
}

/* A curve ends where no box is left that would find more. */
static void
append_curve (GString *svg, const double *precision, const char *style)
{
  guint i;

  g_string_append (svg, "<path d=\"");
  for (i = 0; i < VAL_N_RECALLS && precision[i] > 0; i++)
    g_string_append_printf (svg, "%c%.1f %.1f", i ? 'L' : 'M', x_of (i / 100.0),
        y_of (precision[i]));
  if (i && i < VAL_N_RECALLS)
    g_string_append_printf (svg, "V%.1f", y_of (0));
  g_string_append_printf (svg, "\" %s/>\n", style);
}

static void
append_legend (GString *svg, guint *row, const char *style, const char *name,
    double ap)
{
  const double y = TOP + 8 + LINE_HEIGHT * (*row)++;
  char number[16];

  g_string_append_printf (svg, "<path d=\"M%d %.1fh22\" %s/>\n", LEGEND, y - 4,
      style);
  append_text (svg, LEGEND + 32, y, "", name);
  g_snprintf (number, sizeof number, "%.3f", ap);
  append_text (svg, WIDTH - 24, y, "text-anchor=\"end\"", number);
}

typedef struct
{
  const char *name;
  const ValCategory *category;
  double ap;
} Shown;

/* The classes that have objects. */
static GArray *
list_classes (const ValReport *report)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Shown));

  for (guint i = 0; i < report->data->classes->len; i++) {
    const ValClass *class = g_ptr_array_index (report->data->classes, i);
    const Shown shown = { class->name, &report->categories[i],
      val_average_precision (&report->categories[i], 1, VAL_AREA_ALL, 0) };

    if (shown.ap >= 0)
      g_array_append_val (list, shown);
  }
  return list;
}

static char *
style_of (const GArray *list, guint index)
{
  return list->len > MAX_COLOURS
      ? g_strdup ("stroke=\"#999\" stroke-opacity=\"0.35\"")
      : g_strdup_printf ("stroke=\"%s\" stroke-width=\"1.4\"", colours[index]);
}

static void
append_class_curves (GString *svg, const GArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    g_autofree char *style = style_of (list, i);

    append_curve (svg,
        g_array_index (list, Shown, i).category->precision[VAL_AREA_ALL][0],
        style);
  }
}

static int
compare_shown (gconstpointer a, gconstpointer b)
{
  const Shown *x = a, *y = b;

  return x->ap != y->ap ? (x->ap > y->ap ? -1 : 1) : strcmp (x->name, y->name);
}

/* The names of all classes, or of the best and the worst. Sorts @list in that case. */
static void
append_class_legend (GString *svg, GArray *list, guint *row)
{
  const gboolean is_long = list->len > 2 * N_EXTREMES;

  if (list->len > MAX_COLOURS)
    g_array_sort (list, compare_shown);
  for (guint i = 0; i < list->len; i++) {
    const Shown *shown = &g_array_index (list, Shown, i);
    g_autofree char *style = NULL, *name = NULL;

    if (is_long && i == N_EXTREMES) {
      append_text (svg, LEGEND + 32, TOP + 8 + LINE_HEIGHT * (*row)++, "", "…");
      i = list->len - N_EXTREMES - 1;
      continue;
    }
    style = style_of (list, i);
    name = shorten (shown->name, NAME_LENGTH);
    append_legend (svg, row, style, name, shown->ap);
  }
}

static void
mean_curve (const ValReport *report, int iou, double *precision)
{
  const guint n = report->data->classes->len;
  guint count = 0;

  memset (precision, 0, VAL_N_RECALLS * sizeof *precision);
  for (guint i = 0; i < n; i++) {
    if (report->categories[i].precision[VAL_AREA_ALL][iou][0] < 0)
      continue;
    count++;
    for (guint r = 0; r < VAL_N_RECALLS; r++)
      precision[r] += report->categories[i].precision[VAL_AREA_ALL][iou][r];
  }
  for (guint r = 0; r < VAL_N_RECALLS && count; r++)
    precision[r] /= count;
}

static void
append_means (GString *svg, const ValReport *report, guint *row)
{
  const guint n = report->data->classes->len;

  for (guint i = G_N_ELEMENTS (means); i-- > 0;) {
    g_autofree char *style =
        g_strdup_printf ("stroke=\"%s\" stroke-width=\"3\"", means[i].colour);
    double precision[VAL_N_RECALLS];

    mean_curve (report, means[i].iou, precision);
    append_curve (svg, precision, style);
  }
  for (guint i = 0; i < G_N_ELEMENTS (means); i++) {
    g_autofree char *style =
        g_strdup_printf ("stroke=\"%s\" stroke-width=\"3\"", means[i].colour);

    append_legend (svg, row, style, means[i].title,
        val_average_precision (report->categories, n, VAL_AREA_ALL,
            means[i].iou));
  }
}

/* "coco.json: 80 pictures, 12 classes, AP 0.397" */
static void
append_title (GString *svg, const ValReport *report, guint n_shown)
{
  g_autofree char *base = g_path_get_basename (report->data->source),
                  *name = shorten (base, TITLE_LENGTH);
  const double ap = val_average_precision (report->categories,
      report->data->classes->len, VAL_AREA_ALL, -1);
  g_autofree char *text =
      g_strdup_printf ("%s: %u pictures, %u class%s with objects, AP %.3f",
          name, report->data->pictures->len, n_shown, n_shown == 1 ? "" : "es",
          ap < 0 ? 0 : ap);

  append_text (svg, LEFT, 32, "class=\"title\"", "Precision and recall");
  append_text (svg, LEFT, 54, "class=\"tick\"", text);
}

static char *
make_svg (const ValReport *report, int scale)
{
  GString *svg = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  g_autoptr (GArray) list = list_classes (report);
  guint row = 1;

  g_string_append_printf (svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
      "height=\"%d\" viewBox=\"0 0 %d %d\">\n",
      WIDTH * scale, HEIGHT * scale, WIDTH, HEIGHT);
  g_string_append (svg,
      "<style>text{font:14px sans-serif;fill:#222}"
      ".title{font:bold 18px sans-serif}.tick{font:12px sans-serif;fill:#555}"
      "path{fill:none;stroke-linejoin:round}</style>\n");
  g_string_append_printf (svg,
      "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT);
  append_axes (svg);
  append_class_curves (svg, list);
  append_title (svg, report, list->len);
  append_text (svg, LEGEND, TOP + 8, "class=\"tick\"", "mean of the classes");
  append_text (svg, WIDTH - 24, TOP + 8, "class=\"tick\" text-anchor=\"end\"",
      "AP");
  append_means (svg, report, &row);
  row++;
  append_text (svg, LEGEND, TOP + 8 + LINE_HEIGHT * row, "class=\"tick\"",
      "each class, IoU 0.50");
  row++;
  append_class_legend (svg, list, &row);
  g_string_append (svg, "</svg>\n");
  return g_string_free (svg, FALSE);
}

static gboolean
has_extension (const char *path, const char *extension)
{
  const char *dot = strrchr (path, '.');

  return dot && !g_ascii_strcasecmp (dot, extension);
}

#ifdef HAVE_PIXBUF

static gboolean
can_draw (void)
{
  g_autoptr (GdkPixbufLoader)
      loader = gdk_pixbuf_loader_new_with_mime_type ("image/svg+xml", NULL);

  if (!loader)
    return FALSE;
  gdk_pixbuf_loader_close (loader, NULL);
  return TRUE;
}

static gboolean
save_png (const char *svg, const char *path, GError **error)
{
  g_autoptr (GdkPixbufLoader)
      loader = gdk_pixbuf_loader_new_with_mime_type ("image/svg+xml", error);
  gboolean ok;

  if (!loader)
    return FALSE;
  ok = gdk_pixbuf_loader_write (loader, (const guchar *) svg, strlen (svg),
      error);
  ok = gdk_pixbuf_loader_close (loader, ok ? error : NULL) && ok;
  if (ok)
    ok = gdk_pixbuf_save (gdk_pixbuf_loader_get_pixbuf (loader), path, "png",
        error, NULL);
  return ok;
}

#else

static gboolean
can_draw (void)
{
  return FALSE;
}

static gboolean
save_png (const char *svg, const char *path, GError **error)
{
  return FALSE;
}

#endif

gboolean
val_plot_check (const char *path, GError **error)
{
  if (has_extension (path, ".svg")
      || (has_extension (path, ".png") && can_draw ()))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      has_extension (path, ".png")
          ? "--plot: %s needs gdk-pixbuf's loader of SVG (Debian: librsvg2-common); .svg needs "
            "nothing"
          : "--plot: %s should end in .svg or .png",
      path);
  return FALSE;
}

gboolean
val_plot (const ValReport *report, const char *path, GError **error)
{
  const gboolean is_png = has_extension (path, ".png");
  g_autofree char *svg = make_svg (report, is_png ? SCALE : 1);
  gboolean ok = is_png ? save_png (svg, path, error)
                       : g_file_set_contents (path, svg, -1, error);

  if (!ok)
    g_prefix_error (error, "--plot: %s: ", path);
  return ok;
}
