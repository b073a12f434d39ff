/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Instance structure of yolov10publish, private to gst/publish, and which thread or lock
 * owns each field. */

#include <gst/base/gstbasetransform.h>

#include "common/enums.h"
#include "common/settings.h"
#include "spool/file.h"
#include "send/follower.h"
#include "publish/lines.h"
#include "publish/sink.h"
#include "publish/snapshots.h"
#include "spool/spool.h"

G_BEGIN_DECLS

#define GST_TYPE_YOLOV10_PUBLISH (gst_yolov10_publish_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Publish, gst_yolov10_publish, GST,
    YOLOV10_PUBLISH, GstBaseTransform)

typedef struct
{
  GstY10Settings parent;
  gchar *location, *spool, *stream, *uri, *follower, *credentials, *snapshots;
  GstYolov10PublishContent content;
  guint64 max_age, max_bytes, max_delay, timeout;
  guint sync_interval;
  gboolean home_assistant, snapshot_crop, snapshot_inline;
} GstY10PublishSettings;

struct _GstYolov10Publish
{
  GstY10Filter parent;
  GstY10Sink sink;

  /* Object lock. */
  gchar *covers_below; /* an overlay downstream that has said so; NULL: none */

  /* Lock of what lines go to, which start() makes and stop() frees. */
  GMutex lock;
  GstY10LineFile *file;       /* NULL: none */
  GstY10SpoolClient *client;  /* NULL: none */
  GstY10Follower *follower;   /* of the spool; NULL: none */
  gchar *followed;            /* name of the stream there */
  GstY10Snapshots *snapshots; /* events go through it; NULL: none */
  gboolean flushing;

  /* Streaming thread. */
  GstYolov10PublishContent content;
  GstY10FrameLines frames;
  GString *line;       /* scratch */
  gchar *stream;       /* `,"stream":"NAME"` */
  gchar *zone_names;   /* of the latest zones that the follower knows */
  guint n_bare;        /* frames without any */
  gboolean names_file; /* lines of the file have it, too */
  gboolean is_live;
  gint live_known;    /* atomic; 0: upstream has to be asked */
  gint privacy_known; /* atomic; 0: the neighbours have to be asked */
  GstVideoInfo info;  /* of raw video, if its format is known */
  gboolean told_caps; /* that pictures cannot be made of them */
};

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_publish_debug);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10PublishSettings, gst_y10_settings_unref)

/* props.c */
extern GstY10Properties gst_y10_publish_properties;
void gst_y10_publish_props_install (GObjectClass *class);

/* outputs.c */
gboolean gst_y10_publish_open (GstYolov10Publish *self, GError **error);
void gst_y10_publish_close (GstYolov10Publish *self);
void gst_y10_publish_put (GstYolov10Publish *self, GstY10LineKind kind,
    const gchar *json);
void gst_y10_publish_put_event (GstYolov10Publish *self,
    const GstStructure *event, const gchar *json);
void gst_y10_publish_note_zones (GstYolov10Publish *self, GstBuffer *buffer);
void gst_y10_publish_set_flushing (GstYolov10Publish *self, gboolean flushing);
void gst_y10_publish_flush (GstYolov10Publish *self);
GstStructure *gst_y10_publish_get_stats (GstYolov10Publish *self);

/* privacy.c */
gboolean gst_y10_publish_check_privacy (GstYolov10Publish *self,
    gboolean *is_covered);
void gst_y10_publish_note_privacy (GstYolov10Publish *self, GstEvent *event);

G_END_DECLS
