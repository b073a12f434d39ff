/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The output of y10 on stdout. The library formats a frame as JSON
 * (y10/report.h); the table here has the same contents for people, and the summary
 * says of all frames together which classes were found. */

#include "config.h"

#include "base/names.h"
#include "base/terminal.h"
#include "detect/report.h"
#include "media/frame.h"

char *
tool_report_json (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n, const gint *ids)
{
  g_autofree char *source = tool_source_to_utf8 (frame->source);
  const Y10Report report = {
    .size = sizeof (Y10Report),
    .source = source,
    .timestamp = frame->timestamp,
    .width = frame->image.width,
    .height = frame->image.height,
    .detections = rows,
    .n_detections = n,
    .ids = ids,
  };

  return y10_report_to_json (model, &report);
}

static int
text_width (const char *text)
{
  int width = 0;

  for (; *text; text = g_utf8_next_char (text)) {
    gunichar c = g_utf8_get_char (text);

    width += g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
  }
  return width;
}

char *
tool_report_table (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n)
{
  GString *text = g_string_new (NULL);
  g_autofree char *source = tool_escape (frame->source);
  g_auto (GStrv) labels = g_new0 (char *, n + 1);
  int widest = 5;

  g_string_append (text, source);
  if (frame->timestamp >= 0)
    g_string_append_printf (text, "  %.3f s", (double) frame->timestamp / 1e9);
  g_string_append_printf (text, "  %ux%u  %u object%s\n", frame->image.width,
      frame->image.height, n, n == 1 ? "" : "s");
  for (guint i = 0; i < n; i++) {
    labels[i] = tool_escape (
        y10_model_get_class_name (model, (guint) rows[i].class_id));
    widest = MAX (widest, text_width (labels[i]));
  }
  if (n)
    g_string_append_printf (text,
        "  %*s  confidence      x      y  width height\n", -widest, "label");
  for (guint i = 0; i < n; i++) {
    Y10PixelBox p;

    y10_detection_to_pixels (&rows[i], frame->image.width, frame->image.height,
        &p);
    g_string_append_printf (text, "  %s%*s  %10.3f %6d %6d %6d %6d\n",
        labels[i], widest - text_width (labels[i]), "",
        (double) rows[i].confidence, p.x, p.y, p.w, p.h);
  }
  return g_string_free (text, FALSE);
}

/* The classes that were found, the most frequent first. Free with g_free(). */
static guint *
sort_classes (const ToolClassCount *classes, guint n_classes, guint *n)
{
  guint *order = g_new (guint, MAX (1, n_classes));

  *n = 0;
  for (guint i = 0; i < n_classes; i++) {
    guint at = *n;

    if (!classes[i].n_objects)
      continue;
    for (; at > 0 && classes[order[at - 1]].n_objects < classes[i].n_objects;
         at--)
      order[at] = order[at - 1];
    order[at] = i;
    (*n)++;
  }
  return order;
}

static void
append_classes (GString *text, const Y10Model *model,
    const ToolClassCount *classes, gboolean is_one)
{
  const guint n_classes = y10_model_get_n_classes (model);
  g_auto (GStrv) labels = g_new0 (char *, n_classes + 1);
  guint n, *order = sort_classes (classes, n_classes, &n);
  int widest = 5;

  for (guint i = 0; i < n; i++) {
    labels[i] = tool_escape (y10_model_get_class_name (model, order[i]));
    widest = MAX (widest, text_width (labels[i]));
  }
  if (!n)
    g_string_append (text, "  nothing found\n");
  else if (is_one)
    g_string_append_printf (text, "  %*s   found   best\n", -widest, "class");
  else
    g_string_append_printf (text, "  %*s   frames   most at once   best\n",
        -widest, "class");
  for (guint i = 0; i < n; i++) {
    const ToolClassCount *count = &classes[order[i]];

    g_string_append_printf (text, "  %s%*s", labels[i],
        widest - text_width (labels[i]), "");
    if (is_one)
      g_string_append_printf (text, "   %5" G_GUINT64_FORMAT, count->n_objects);
    else
      g_string_append_printf (text, "   %6u   %12u", count->n_frames,
          count->most);
    g_string_append_printf (text, "   %.2f\n", (double) count->best);
  }
  g_free (order);
}

char *
tool_report_summary (const Y10Model *model, const Y10Engine *engine,
    const ToolCounts *counts, const ToolClassCount *classes, double seconds)
{
  GString *text = g_string_new (NULL);
  const char *passed_over = y10_engine_get_fallback_reason (engine);

  g_string_append_printf (text, "%s on %s (%s), %s\n",
      y10_model_get_variant (model),
      y10_backend_get_name (y10_engine_get_backend (engine)),
      y10_engine_get_device (engine),
      y10_precision_get_name (y10_engine_get_precision (engine)));
  if (passed_over)
    g_string_append_printf (text, "(nothing faster: %s)\n", passed_over);
  g_string_append_c (text, '\n');
  append_classes (text, model, classes, counts->n_frames == 1);
  g_string_append_printf (text, "\n%u frame%s", counts->n_frames,
      counts->n_frames == 1 ? "" : "s");
  if (counts->width)
    g_string_append_printf (text, " of %ux%u", counts->width, counts->height);
  g_string_append_printf (text,
      " in %.2f s: %.1f frames per second, with reading and "
      "writing\n",
      seconds, counts->n_frames / MAX (seconds, 1e-9));
  return g_string_free (text, FALSE);
}
