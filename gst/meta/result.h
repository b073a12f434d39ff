/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The result for one frame, as the elements exchange it. The detector fills one
 * from the engine's rows and writes it to a buffer (meta/write.h); consumers read
 * one from a buffer (meta/read.h). */

#include <gst/video/video.h>
#include <y10/detection.h>
#include <y10/model.h>

#include "common/rect.h"
#include "meta/areas.h"

G_BEGIN_DECLS

/* Name of the custom event by which a tracker asks detectors upstream for weak boxes,
 * which are less confident than detections. Fields: `sender` (string), unique;
 * `confidence` (double), of the least confident box. Holds for so many frames unless it
 * is repeated. */
#define GST_Y10_WEAK_EVENT "GstYolov10WeakRequest"
#define GST_Y10_WEAK_FRAMES 128

/* Where the objects of a frame come from, and whether all of them are known. The
 * order counts: gst_y10_state_is_known() and so on compare, and of the states of two
 * detectors that know something, the later one holds for both. */
typedef enum
{
  /* All of them are. */
  GST_Y10_STATE_FRESH, /* this picture was inferred */
  GST_Y10_STATE_HELD,  /* an earlier picture was inferred */

  /* Some may be missing. */
  GST_Y10_STATE_FRESH_PARTIAL,    /* only objects in parts of it are reported */
  GST_Y10_STATE_HELD_PARTIAL,     /* likewise, of the earlier one */
  GST_Y10_STATE_HELD_OTHER_MODEL, /* the result is from the previous model */
  GST_Y10_STATE_HELD_OTHER_SETTINGS, /* classes, confidence or sizes changed since */

  /* There are none, since the frame was skipped. */
  GST_Y10_STATE_NO_RESULT, /* no result since the start or a flush */
  GST_Y10_STATE_OTHER_STREAM, /* the result is from before a new stream or segment */
  GST_Y10_STATE_NOT_HELD,   /* skipped-boxes=none */
  GST_Y10_STATE_EXPIRED,    /* the result is too old */
  GST_Y10_STATE_NO_TIME,    /* no timestamps, so the age is unknown */
  GST_Y10_STATE_OTHER_SIZE, /* the result is for a picture of another size */
  GST_Y10_STATE_LOST,       /* the GPU is lost */

  /* Only readers use these, for metadata that is missing or that they do not
   * trust. */
  GST_Y10_STATE_NO_DETECTOR, /* no detector has written metadata */
  GST_Y10_STATE_UNTRUSTED,   /* only regions from another producer */
  GST_Y10_STATE_MOVED,       /* the picture was modified since detection */
  GST_Y10_STATE_MISSING,     /* boxes were dropped on the way, if only one */
  GST_Y10_STATE_OVERFLOW,    /* more boxes than the reader accepts */
} GstY10State;

#define GST_Y10_N_STATES (GST_Y10_STATE_OVERFLOW + 1)

typedef struct
{
  gdouble x0, y0, x1, y1; /* edges in pixels, clipped to the frame */
  gint class_id;          /* index into the model's classes; -1: unknown */
  gfloat confidence;      /* 0 to 1; -1: unknown */
  const gchar *label;     /* borrowed, not NUL-terminated */
  gsize label_length;     /* bytes */
  GQuark quark;           /* of the label, where a producer set it; else 0 */
  gint id;                /* unique on the buffer, same in all metas */
  gint parent_id;         /* of the region it was found in; -1: none */
  gboolean tracked;       /* a tracker assigned @track_id */
  guint64 track_id;
} GstY10Detection;

typedef struct
{
  guint width, height;    /* of the frame, in pixels */
  guint n, capacity;      /* of @items */
  GstY10Detection *items; /* highest confidence first */
} GstY10DetectionList;

/**
 * GstY10Result:
 * @list: the objects; writing a result sets their ids
 * @rows: (nullable): the engine's rows that @list was made from; %NULL if the
 *   result was read from a buffer
 * @weak: (nullable): boxes that are no detections, since they are less confident;
 *   %NULL if nobody asked for them. Their ids are -1
 * @state: where the objects come from, and whether they are all
 * @age: age of the objects in nanoseconds; 0 unless they are held
 * @pts: timestamp of the frame; may be %GST_CLOCK_TIME_NONE
 * @region: the part of the frame in which all objects are known, in pixels
 * @areas: (nullable): where the detector has looked; %NULL if not known
 * @producer: (nullable): name of the detector; %NULL if not known
 * @model: (nullable): variant of its model; %NULL if not known
 *
 * What one detector knows of one frame. Strings and arrays are borrowed.
 */
typedef struct
{
  GstY10DetectionList list;
  const Y10Detection *rows;
  const GstY10DetectionList *weak;
  GstY10State state;
  GstClockTime age, pts;
  GstVideoRectangle region;
  const GstY10Areas *areas;
  const gchar *producer, *model;
} GstY10Result;

/* Fills results for one element and one model: holds what is the same for all
 * frames, such as interned labels. */
typedef struct _GstY10Producer GstY10Producer;

gboolean gst_y10_state_is_known (GstY10State state);
gboolean gst_y10_state_is_fresh (GstY10State state);
gboolean gst_y10_state_is_held (GstY10State state);
const gchar *gst_y10_state_get_name (GstY10State state);

void gst_y10_detection_list_init (GstY10DetectionList *list, guint capacity);
void gst_y10_detection_list_clear (GstY10DetectionList *list);
void gst_y10_detection_list_begin (GstY10DetectionList *list, guint width,
    guint height);
gboolean gst_y10_detection_list_add (GstY10DetectionList *list,
    const GstY10Detection *detection);
GstY10Rect gst_y10_detection_get_rect (const GstY10Detection *detection);

GstY10Producer *gst_y10_producer_new (const Y10Model *model, const gchar *name);
void gst_y10_producer_free (GstY10Producer *producer);
void gst_y10_producer_fill (const GstY10Producer *producer,
    GstY10Result *result, const Y10Detection *rows, guint n_rows);
void gst_y10_producer_fill_list (const GstY10Producer *producer,
    GstY10DetectionList *list, const Y10Detection *rows, guint n_rows);

G_END_DECLS
