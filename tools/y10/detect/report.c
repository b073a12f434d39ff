/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The output of y10 on stdout. The library formats a frame as JSON
 * (y10/report.h); the table here has the same contents for people. */

#include "config.h"

#include "base/names.h"
#include "base/terminal.h"
#include "detect/report.h"
#include "media/frame.h"

char *
tool_report_json (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n)
{
  char *source = tool_source_to_utf8 (frame->source), *text;
  const Y10Report report = {.size = sizeof (Y10Report),
    .source = source,.timestamp = frame->timestamp,
    .width = frame->image.width,.height = frame->image.height,
    .detections = rows,.n_detections = n
  };

  text = y10_report_to_json (model, &report);
  g_free (source);
  return text;
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
  char *source = tool_escape (frame->source);
  char **labels = g_new0 (char *, n + 1);
  int widest = 5;

  g_string_append (text, source);
  if (frame->timestamp >= 0)
    g_string_append_printf (text, "  %.3f s", (double) frame->timestamp / 1e9);
  g_string_append_printf (text, "  %ux%u  %u object%s\n", frame->image.width,
      frame->image.height, n, n == 1 ? "" : "s");
  for (guint i = 0; i < n; i++) {
    labels[i] = tool_escape (y10_model_get_class_name (model,
            (guint) rows[i].class_id));
    widest = MAX (widest, text_width (labels[i]));
  }
  if (n)
    g_string_append_printf (text, "  %*s  confidence      x      y  width height\n",
        -widest, "label");
  for (guint i = 0; i < n; i++) {
    Y10PixelBox p;

    y10_detection_to_pixels (&rows[i], frame->image.width,
        frame->image.height, &p);
    g_string_append_printf (text, "  %s%*s  %10.3f %6d %6d %6d %6d\n",
        labels[i], widest - text_width (labels[i]), "",
        (double) rows[i].confidence, p.x, p.y, p.w, p.h);
  }
  g_strfreev (labels);
  g_free (source);
  return g_string_free (text, FALSE);
}
