/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Per-label data computed ahead of drawing: whether the filter accepts the
 * label, its colours in the frame's format, and its text as a coverage mask.
 * Pango and cairo run once per label, per track id and per percentage (101 of
 * them); drawing a frame only looks them up. Labels and ids come from metadata
 * of unknown origin, so names are cut at 64 bytes and made valid UTF-8, and
 * both caches are bounded with least-recently-used eviction.
 *
 * All texts of one configuration have the same height and baseline. */

#include "overlay/label.h"

#include <pango/pangocairo.h>
#include <string.h>

#define MAX_NAME 64
/* Limit of each cache; more than one frame can use. */
#define MAX_REMEMBERED (2 * GST_Y10_READ_MAX)

typedef struct
{
  guint64 number; /* hash key, must be first */
  GstY10Text text;
  guint64 used; /* last frame that used it */
} Number;

struct _GstY10Labels
{
  GstVideoInfo info; /* of the canvas */
  gint max_width;
  guint x_shift, y_shift;

  PangoContext *context;
  PangoLayout *layout;
  gint height, baseline, padding;

  gchar **filter;
  GHashTable *table;   /* GstY10Label, owned; key is the value */
  GHashTable *numbers; /* Number, owned; key is the value */
  GstY10Text percent[101];
  guint64 frame;
};

static guint
label_hash (gconstpointer key)
{
  return ((const GstY10Label *) key)->hash;
}

static gboolean
label_equal (gconstpointer a, gconstpointer b)
{
  const GstY10Label *x = a, *y = b;

  return x->length == y->length && memcmp (x->name, y->name, x->length) == 0;
}

static void
text_clear (GstY10Text *text)
{
  g_clear_pointer (&text->full, g_free);
  g_clear_pointer (&text->half, g_free);
  text->width = 0;
  text->serial = 0;
}

static void
label_free (gpointer data)
{
  GstY10Label *label = data;

  text_clear (&label->text);
  g_free (label->name);
  g_free (label);
}

static void
number_free (gpointer data)
{
  Number *number = data;

  text_clear (&number->text);
  g_free (number);
}

/* For use by one thread. Call gst_y10_labels_configure() before anything
 * else. */
GstY10Labels *
gst_y10_labels_new (void)
{
  GstY10Labels *labels = g_new0 (GstY10Labels, 1);
  /* A private font map: pango's default one belongs to the application's
   * thread. */
  g_autoptr (PangoFontMap) map = pango_cairo_font_map_new ();
  cairo_font_options_t *options = cairo_font_options_create ();

  labels->context = pango_font_map_create_context (map);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_ON);
  pango_cairo_context_set_font_options (labels->context, options);
  cairo_font_options_destroy (options);
  labels->layout = pango_layout_new (labels->context);
  pango_layout_set_single_paragraph_mode (labels->layout, TRUE);
  pango_layout_set_ellipsize (labels->layout, PANGO_ELLIPSIZE_END);
  labels->table = g_hash_table_new_full (label_hash, label_equal, NULL,
      label_free);
  labels->numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL,
      number_free);
  return labels;
}

static void
forget (GstY10Labels *labels)
{
  guint i;

  g_hash_table_remove_all (labels->table);
  g_hash_table_remove_all (labels->numbers);
  for (i = 0; i < G_N_ELEMENTS (labels->percent); i++)
    text_clear (&labels->percent[i]);
}

void
gst_y10_labels_free (GstY10Labels *labels)
{
  if (!labels)
    return;
  forget (labels);
  g_hash_table_unref (labels->table);
  g_hash_table_unref (labels->numbers);
  g_object_unref (labels->layout);
  g_object_unref (labels->context);
  g_strfreev (labels->filter);
  g_free (labels);
}

static void
set_font (GstY10Labels *labels, const gchar *font_desc, gint size)
{
  g_autoptr (PangoFontDescription) font = NULL;
  PangoFontMetrics *metrics;
  gint ascent, descent;

  font = pango_font_description_from_string (
      font_desc && *font_desc ? font_desc : "Sans Bold");
  if (pango_font_description_get_size (font) == 0)
    pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  pango_layout_set_font_description (labels->layout, font);
  metrics = pango_context_get_metrics (labels->context, font, NULL);
  ascent = PANGO_PIXELS_CEIL (pango_font_metrics_get_ascent (metrics));
  descent = PANGO_PIXELS_CEIL (pango_font_metrics_get_descent (metrics));
  pango_font_metrics_unref (metrics);

  /* Ascent includes room for accents, so the text looks centred without extra
   * space above. */
  labels->padding = MAX (3, (ascent + descent) / 4);
  labels->height = GST_ROUND_UP_2 (
      MAX (2, ascent + descent + labels->padding / 4));
  labels->baseline = (labels->height - ascent - descent) / 2 + ascent;
}

/* Sets the canvas format, the frame size, the font and the label filter, and
 * clears both caches. Without a @font_desc, the font is bold; without a size in
 * it, the size follows the frame. @filter is a comma-separated list of labels;
 * NULL or empty accepts all. */
void
gst_y10_labels_configure (GstY10Labels *labels, const GstVideoInfo *info,
    gint frame_width, gint frame_height, const gchar *font_desc,
    const gchar *filter)
{
  const GstVideoFormatInfo *finfo = info->finfo;
  gchar **name;

  forget (labels);
  labels->info = *info;
  labels->max_width = frame_width;
  labels->x_shift = labels->y_shift = 0;
  if (GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo) >= 3) {
    labels->x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (finfo, 1);
    labels->y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (finfo, 1);
  }
  set_font (labels, font_desc,
      CLAMP ((MIN (frame_width, frame_height) + 24) / 48, 12, 200));

  g_clear_pointer (&labels->filter, g_strfreev);
  if (filter && *filter) {
    labels->filter = g_strsplit (filter, ",", -1);
    for (name = labels->filter; *name; name++)
      g_strstrip (*name);
  }
}

static gboolean
is_wanted (GstY10Labels *labels, const gchar *name, gsize length)
{
  gboolean any = FALSE;
  gchar **wanted;

  for (wanted = labels->filter; wanted && *wanted; wanted++) {
    if (strlen (*wanted) == length && memcmp (*wanted, name, length) == 0)
      return TRUE;
    any = any || **wanted;
  }
  return !any;
}

/* Averages the pixels of each chroma sample, as a video converter would. */
static guint8 *
make_half (const GstY10Labels *labels, const GstY10Text *text)
{
  guint xs = labels->x_shift, ys = labels->y_shift;
  gint width = text->width >> xs, height = text->height >> ys;
  guint8 *half = g_malloc ((gsize) width * height);
  gint x, y, i, j;

  for (y = 0; y < height; y++)
    for (x = 0; x < width; x++) {
      guint sum = 0;

      for (j = 0; j < 1 << ys; j++)
        for (i = 0; i < 1 << xs; i++)
          sum += text->full[((y << ys) + j) * text->width + (x << xs) + i];
      half[y * width + x] = (guint8) (sum >> (xs + ys));
    }
  return half;
}

static void
render (GstY10Labels *labels, GstY10Text *text, const gchar *string, gint left,
    gint right)
{
  cairo_surface_t *surface;
  const guint8 *pixels;
  gint width, y, stride;
  cairo_t *cr;

  pango_layout_set_width (labels->layout,
      MAX (1, labels->max_width - left - right) * PANGO_SCALE);
  pango_layout_set_text (labels->layout, string, -1);
  pango_layout_get_pixel_size (labels->layout, &width, NULL);
  text->width = GST_ROUND_UP_2 (
      CLAMP (width + left + right, 2, labels->max_width));
  text->height = labels->height;
  text->half_width = text->width >> labels->x_shift;
  text->half_height = text->height >> labels->y_shift;
  text->serial = 0;

  surface = cairo_image_surface_create (CAIRO_FORMAT_A8, text->width,
      text->height);
  cr = cairo_create (surface);
  cairo_set_source_rgba (cr, 0, 0, 0, 1);
  cairo_move_to (cr, left,
      labels->baseline
          - pango_layout_get_baseline (labels->layout) / (gdouble) PANGO_SCALE);
  pango_cairo_show_layout (cr, labels->layout);
  cairo_destroy (cr);
  cairo_surface_flush (surface);

  text->size = sizeof *text;
  text->full = g_malloc0 ((gsize) text->width * text->height);
  pixels = cairo_image_surface_get_data (surface);
  stride = cairo_image_surface_get_stride (surface);
  for (y = 0; pixels && y < text->height; y++)
    memcpy (text->full + (gsize) y * text->width, pixels + (gsize) y * stride,
        text->width);
  cairo_surface_destroy (surface);
  if (labels->x_shift || labels->y_shift)
    text->half = make_half (labels, text);
}

/* Evicts the least recently used label when the cache is full. */
static void
make_room (GstY10Labels *labels)
{
  GstY10Label *label, *oldest = NULL;
  GHashTableIter iter;

  if (g_hash_table_size (labels->table) < MAX_REMEMBERED)
    return;
  g_hash_table_iter_init (&iter, labels->table);
  while (g_hash_table_iter_next (&iter, (gpointer *) &label, NULL))
    if (!oldest || label->used < oldest->used)
      oldest = label;
  g_hash_table_remove (labels->table, oldest);
}

/* Starts a frame: entries used from here on stay valid until the next call. */
void
gst_y10_labels_begin (GstY10Labels *labels)
{
  labels->frame++;
}

/* Looks up a label, of which only the first 64 bytes count; need not be UTF-8
 * or terminated. Allocates only for a new label. The result stays valid for the
 * frame if it looks up no more than GST_Y10_READ_MAX labels. */
const GstY10Label *
gst_y10_labels_get (GstY10Labels *labels, const gchar *name, gsize length)
{
  GstY10Label key, *label;
  GstY10Color color;

  key.length = (guint) MIN (length, MAX_NAME);
  key.name = (gchar *) name;
  key.hash = gst_y10_label_hash (name, key.length);
  label = g_hash_table_lookup (labels->table, &key);
  if (!label) {
    make_room (labels);
    label = g_new0 (GstY10Label, 1);
    label->hash = key.hash;
    label->length = key.length;
    label->name = g_memdup2 (name, MAX (key.length, 1));
    label->wanted = is_wanted (labels, name, length);
    color = gst_y10_color_for_label (name, key.length);
    gst_y10_paint_init (&label->color, &labels->info, color);
    gst_y10_paint_init (&label->ink, &labels->info,
        gst_y10_color_for_text (color));
    if (label->wanted && key.length > 0) {
      g_autofree gchar *string = g_utf8_make_valid (name, key.length);

      render (labels, &label->text, string, labels->padding, labels->padding);
    }
    g_hash_table_add (labels->table, label);
  }
  label->used = labels->frame;
  return label;
}

/* Returns a text such as "87%", padded on the right only. Owned by @labels. */
const GstY10Text *
gst_y10_labels_percent (GstY10Labels *labels, guint percent)
{
  GstY10Text *text = &labels->percent[MIN (percent, 100)];
  gchar string[8];

  if (text->width == 0) {
    g_snprintf (string, sizeof string, "%u%%", MIN (percent, 100));
    render (labels, text, string, 0, labels->padding);
  }
  return text;
}

/* Evicts the least recently used number when the cache is full. */
static void
make_room_for_number (GstY10Labels *labels)
{
  Number *number, *oldest = NULL;
  GHashTableIter iter;

  if (g_hash_table_size (labels->numbers) < MAX_REMEMBERED)
    return;
  g_hash_table_iter_init (&iter, labels->numbers);
  while (g_hash_table_iter_next (&iter, (gpointer *) &number, NULL))
    if (!oldest || number->used < oldest->used)
      oldest = number;
  g_hash_table_remove (labels->numbers, oldest);
}

/* Returns the digits of a track id, padded on the right only. Allocation and
 * lifetime as for gst_y10_labels_get(). */
const GstY10Text *
gst_y10_labels_number (GstY10Labels *labels, guint64 number)
{
  Number *found = g_hash_table_lookup (labels->numbers, &number);
  gchar string[24];

  if (!found) {
    make_room_for_number (labels);
    found = g_new0 (Number, 1);
    found->number = number;
    g_snprintf (string, sizeof string, "%" G_GUINT64_FORMAT, number);
    render (labels, &found->text, string, 0, labels->padding);
    g_hash_table_add (labels->numbers, found);
  }
  found->used = labels->frame;
  return &found->text;
}
