/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Notifies applications, independently of buffer metadata: which model runs on
 * which device, how autotuning proceeds, and the detections of each frame, as a
 * signal and as element messages. Both carry the same data as the metadata, and are created only if
 * someone asked for them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/messages.h"

#include "common/text.h"
#include "meta/write.h"

#include <y10/report.h>

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

static guint detections_signal;

void
gst_y10_messages_install (GObjectClass *class)
{
  /**
   * GstYolov10Detect::detections:
   * @detect: the element
   * @buffer: a frame that is about to be pushed, with its metadata
   * @detections: the fields of its GstYolov10FrameMeta, and `timestamp`
   *   (uint64), the frame's PTS
   *
   * Emitted from the streaming thread for each frame while the element is
   * active, so slow handlers delay the stream. If a handler keeps a reference
   * to @buffer, the next element has to copy it.
   */
  detections_signal = g_signal_new ("detections", G_TYPE_FROM_CLASS (class),
      G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
      GST_TYPE_BUFFER | G_SIGNAL_TYPE_STATIC_SCOPE,
      GST_TYPE_STRUCTURE | G_SIGNAL_TYPE_STATIC_SCOPE);
}

static gchar *
list_labels (const Y10Model *model)
{
  GString *labels = g_string_new (NULL);

  for (guint i = 0; i < y10_model_get_n_classes (model); i++)
    g_string_append_printf (labels, "%s\n",
        y10_model_get_class_name (model, i));
  return g_string_free (labels, FALSE);
}

/* Announces the engine in use and the time from the request to the first
 * frame. */
void
gst_y10_messages_model (GstElement *element, GstY10Session *session)
{
  g_autoptr (Y10Engine) engine = gst_y10_session_get_engine (session);
  gint64 took = (g_get_monotonic_time () - session->began_at) * 1000;
  const gchar *reason;
  guint width, height;
  g_autofree gchar *labels = NULL, *path = NULL;

  if (!engine) /* lost since then */
    return;
  reason = y10_engine_get_fallback_reason (engine);
  y10_engine_get_input_size (engine, &width, &height);
  labels = list_labels (session->model);
  path = gst_y10_text_utf8 (y10_model_get_path (session->model));
  GST_INFO_OBJECT (element,
      "first frame by %s on %s after %" G_GINT64_FORMAT " ms%s%s",
      y10_model_get_variant (session->model), y10_engine_get_device (engine),
      took / 1000000, reason ? "; fallback reason: " : "",
      reason ? reason : "");
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("yolov10-model", "model-file", G_TYPE_STRING, path,
              "variant", G_TYPE_STRING, y10_model_get_variant (session->model),
              "classes", G_TYPE_UINT, y10_model_get_n_classes (session->model),
              "labels", G_TYPE_STRING, labels, "width", G_TYPE_UINT, width,
              "height", G_TYPE_UINT, height, "backend", G_TYPE_STRING,
              y10_backend_get_name (y10_engine_get_backend (engine)), "device",
              G_TYPE_STRING, y10_engine_get_device (engine), "precision",
              G_TYPE_STRING,
              y10_precision_get_name (y10_engine_get_precision (engine)),
              "fallback-reason", G_TYPE_STRING, reason, "time-to-first-frame",
              G_TYPE_UINT64, (guint64) took, NULL)));
  if (y10_model_get_labels_note (session->model))
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
        ("%s", y10_model_get_labels_note (session->model)),
        ("label-file names the classes"));
}

/* Another engine, or none: the properties that describe it have changed. */
void
gst_y10_messages_engine_changed (GstElement *element)
{
  static const gchar *const names[] = { "active-backend", "active-device",
    "active-precision", "fallback-reason" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_object_notify (G_OBJECT (element), names[i]);
}

static void
post (GstElement *element, const GstY10Result *result, const Y10Model *model)
{
  const GstY10DetectionList *list = &result->list;
  const gchar *inference = gst_y10_state_get_name (result->state);
  g_autofree gint *ids = g_new (gint, list->n);
  const Y10Report report = {
    .size = sizeof report,
    .source = GST_OBJECT_NAME (element),
    .timestamp = GST_CLOCK_TIME_IS_VALID (result->pts) ? (gint64) result->pts
                                                       : -1,
    .width = list->width,
    .height = list->height,
    .inference = inference,
    .detections = result->rows,
    .n_detections = list->n,
    .ids = ids,
  };
  GstStructure *structure = gst_structure_new ("yolov10-detections",
      "timestamp", G_TYPE_UINT64, (guint64) result->pts, "inference",
      G_TYPE_STRING, inference, "age", G_TYPE_UINT64, (guint64) result->age,
      "count", G_TYPE_UINT, list->n, NULL);
  GValue value = G_VALUE_INIT;

  for (guint i = 0; i < list->n; i++)
    ids[i] = list->items[i].id;
  g_value_init (&value, G_TYPE_STRING);
  g_value_take_string (&value, y10_report_to_json (model, &report));
  gst_structure_take_value (structure, "json", &value);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element), structure));
}

/* Emits the signal for @buffer, which has the metadata of @result, if anyone asked
 * for it, and posts the message unless @model, which provides its labels, is
 * NULL. */
void
gst_y10_messages_detections (GstElement *element, GstBuffer *buffer,
    const GstY10Result *result, const Y10Model *model)
{
  if (g_signal_has_handler_pending (element, detections_signal, 0, FALSE)) {
    g_autoptr (GstStructure)
        structure = gst_y10_result_describe (result, "yolov10-detections");

    gst_structure_set (structure, "timestamp", G_TYPE_UINT64,
        (guint64) result->pts, NULL);
    g_signal_emit (element, detections_signal, 0, buffer, structure);
  }
  if (model)
    post (element, result, model);
}

static void
post_progress (GstElement *element, const Y10TuningProgress *p)
{
  GST_INFO_OBJECT (element,
      "autotuning: %u of %u kinds of convolutions tried, "
      "%u of them cached; %u run faster, %u candidates gave wrong results%s%s",
      p->done, p->total, p->loaded, p->faster, p->wrong, p->note ? ": " : "",
      p->note ? p->note : "");
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new ("yolov10-tuning", "done", G_TYPE_UINT, p->done,
              "total", G_TYPE_UINT, p->total, "faster", G_TYPE_UINT, p->faster,
              "finished", G_TYPE_BOOLEAN, p->finished, NULL)));
}

/* Reports autotuning, which on a GPU takes up to minutes at the first start.
 * Frames flow meanwhile, so these are element messages: while a GstMessage
 * progress is pending, gst-launch-1.0 and others delay PLAYING. Call once per
 * frame. Posts at the start, for each tenth, and at the end;
 * posts nothing if autotuning is off or was over before the first frame. */
void
gst_y10_messages_tuning (GstY10Tuning *tuning, GstElement *element,
    Y10Engine *engine)
{
  Y10TuningProgress progress = { .size = sizeof progress };
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
  post_progress (element, &progress);
}
