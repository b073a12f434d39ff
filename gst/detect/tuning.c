/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What the element says while its engine looks for faster ways to run the
 * network, which on a GPU it does for up to minutes when it is started for the
 * first time. Frames flow meanwhile, so these are element messages: where
 * GstMessage progress is under way, gst-launch-1.0 and others wait for its end
 * before they go to PLAYING. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/tuning.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

static void
post (GstElement * element, const Y10TuningProgress * p)
{
  GST_INFO_OBJECT (element, "%u of %u kinds of convolutions tried, %u of them "
      "known from before; %u run faster, %u ways were wrong%s%s", p->done,
      p->total, p->loaded, p->faster, p->wrong, p->note ? ": " : "",
      p->note ? p->note : "");
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("yolov10-tuning",
              "done", G_TYPE_UINT, p->done, "total", G_TYPE_UINT, p->total,
              "faster", G_TYPE_UINT, p->faster,
              "finished", G_TYPE_BOOLEAN, p->finished, NULL)));
}

/**
 * gst_y10_tuning_look:
 * @tuning: what has been said so far
 * @element: the one that says it
 * @engine: its engine
 *
 * Once a frame. Posts at the beginning, for each tenth, and at the end; nothing
 * where all was over before the first frame, or nothing is looked for.
 */
void
gst_y10_tuning_look (GstY10Tuning * tuning, GstElement * element,
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
      GST_INFO_OBJECT (element, "no faster ways to run the network are looked "
          "for: %s", progress.note);
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
