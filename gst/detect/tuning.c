/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Progress messages while the engine autotunes, which on a GPU takes up to
 * minutes at the first start. Frames flow meanwhile, so these are element
 * messages: while a GstMessage progress is pending, gst-launch-1.0 and others
 * delay PLAYING. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/tuning.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

static void
post (GstElement * element, const Y10TuningProgress * p)
{
  GST_INFO_OBJECT (element, "autotuning: %u of %u kinds of convolutions tried, "
      "%u of them cached; %u run faster, %u candidates gave wrong results%s%s",
      p->done,
      p->total, p->loaded, p->faster, p->wrong, p->note ? ": " : "",
      p->note ? p->note : "");
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("yolov10-tuning",
              "done", G_TYPE_UINT, p->done, "total", G_TYPE_UINT, p->total,
              "faster", G_TYPE_UINT, p->faster,
              "finished", G_TYPE_BOOLEAN, p->finished, NULL)));
}

/* Call once per frame. Posts at the start, for each tenth, and at the end;
 * posts nothing if autotuning is off or was over before the first frame. */
void
gst_y10_tuning_poll (GstY10Tuning * tuning, GstElement * element,
    Y10Engine * engine)
{
  Y10TuningProgress progress = {.size = sizeof progress };
  guint tenths;

  if (tuning->over)
    return;
  y10_engine_get_tuning_progress (engine, &progress);
  tuning->over = progress.finished;
  if (progress.finished && !tuning->begun) {
    if (progress.note)
      GST_INFO_OBJECT (element, "not autotuning: %s", progress.note);
    return;
  }
  if (!progress.total)
    return;
  tenths = 10 * progress.done / progress.total;
  if (tuning->begun && tenths == tuning->tenths && !progress.finished)
    return;
  tuning->begun = TRUE;
  tuning->tenths = tenths;
  post (element, &progress);
}
