/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads how to cover what is detected. Copies are covered by yolov10overlay itself, crops
 * with the code that it covers with. */

#include "config.h"

#include "draw/privacy.h"

#ifdef HAVE_GST

#include "common/enums.h"
#include "common/seen.h"
#include "draw/cover.h"
#include "paint/cover.h"

static const GEnumValue *
find (const char *word)
{
  GEnumClass *class = g_type_class_ref (GST_TYPE_YOLOV10_PRIVACY);
  const GEnumValue *value = g_enum_get_value_by_nick (class, word);

  /* The class of a static type stays. */
  g_type_class_unref (class);
  return value;
}

gboolean
tool_privacy_parse (const char *text, const char **word, GError **error)
{
  const GEnumValue *value = find (text);

  if (value) {
    *word = value->value == GST_YOLOV10_PRIVACY_NONE ? NULL : value->value_nick;
    return TRUE;
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "--privacy: it is \"%s\"; expected none, blur or fill", text);
  return FALSE;
}

gboolean
tool_privacy_check_region (const ToolPrivacy *privacy, GError **error)
{
  const Y10Image any = { .width = 1, .height = 1 };
  GstVideoRectangle seen;

  if (!privacy->word
      || gst_y10_seen_find (privacy->region, privacy->anchor, &any, &seen))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "--privacy would cover copies as a whole: with this --region it is not known "
      "what else is in the picture; expected one rectangle and --region-anchor "
      "overlap, or only --save-crops");
  return FALSE;
}

void
tool_cover (GstVideoFrame *frame, const Y10Detection *rows, guint n,
    const char *word)
{
  const guint width = (guint) GST_VIDEO_FRAME_WIDTH (frame);
  const guint height = (guint) GST_VIDEO_FRAME_HEIGHT (frame);
  GstY10Canvas canvas;
  GstY10Paint paint;

  gst_y10_canvas_init_frame (&canvas, frame);
  gst_y10_cover_init_paint (&paint, &frame->info);
  /* The most confident one last, as yolov10overlay does. */
  for (guint i = n; i-- > 0;) {
    GstY10Rect area;
    Y10PixelBox box;

    y10_detection_to_pixels (&rows[i], width, height, &box);
    area = (GstY10Rect){ box.x, box.y, box.x + box.w, box.y + box.h };
    gst_y10_cover (&canvas, &area, 1, (GstYolov10Privacy) find (word)->value,
        &paint);
  }
}

#else

gboolean
tool_privacy_parse (const char *text, const char **word, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "--privacy: this y10 was built without GStreamer and cannot cover");
  return FALSE;
}

gboolean
tool_privacy_check_region (const ToolPrivacy *privacy, GError **error)
{
  return TRUE;
}

#endif
