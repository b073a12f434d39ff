/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties of yolov10publish: names, documentation and storage until start() reads
 * them. */
#include "publish/element.h"

#include "common/fields.h"
#include "common/readyonly.h"

#define MAX_SYNC_INTERVAL 100
#define MIN_TIMEOUT (10 * GST_MSECOND)
#define MAX_TIMEOUT (3600 * GST_SECOND)
#define DEFAULT_TIMEOUT (20 * GST_SECOND)
#define DEFAULT_MAX_BYTES (G_GUINT64_CONSTANT (1) << 30)

enum
{
  PROP_0,
  PROP_LOCATION,
  PROP_CONTENT,
  PROP_STREAM,
  PROP_SPOOL,
  PROP_MAX_AGE,
  PROP_MAX_BYTES,
  PROP_SYNC_INTERVAL,
  PROP_URI,
  PROP_CREDENTIALS,
  PROP_MAX_DELAY,
  PROP_TIMEOUT,
  PROP_HOME_ASSISTANT,
  PROP_SNAPSHOTS,
  PROP_SNAPSHOT_CROP,
  PROP_SNAPSHOT_INLINE,
  PROP_STATS,
};

#define FIELD(ID, MEMBER) \
  { \
    PROP_##ID, G_STRUCT_OFFSET (GstYolov10Publish, settings.MEMBER) \
  }

static const GstY10Field fields[] = { FIELD (LOCATION, location),
  FIELD (CONTENT, content), FIELD (STREAM, stream), FIELD (SPOOL, spool),
  FIELD (MAX_AGE, max_age), FIELD (MAX_BYTES, max_bytes),
  FIELD (SYNC_INTERVAL, sync_interval), FIELD (URI, uri),
  FIELD (CREDENTIALS, credentials), FIELD (MAX_DELAY, max_delay),
  FIELD (TIMEOUT, timeout), FIELD (HOME_ASSISTANT, home_assistant),
  FIELD (SNAPSHOTS, snapshots), FIELD (SNAPSHOT_CROP, snapshot_crop),
  FIELD (SNAPSHOT_INLINE, snapshot_inline), { 0 } };

void
gst_y10_publish_props_init (GstYolov10Publish *self)
{
  self->settings = (GstY10PublishSettings){
    .content = GST_YOLOV10_PUBLISH_ALL,
    .max_bytes = DEFAULT_MAX_BYTES,
    .sync_interval = MAX_SYNC_INTERVAL,
    .timeout = DEFAULT_TIMEOUT,
  };
}

void
gst_y10_publish_props_clear (GstYolov10Publish *self)
{
  gst_y10_fields_set_string (&self->settings.location, NULL);
  gst_y10_fields_set_string (&self->settings.spool, NULL);
  gst_y10_fields_set_string (&self->settings.stream, NULL);
  gst_y10_fields_set_string (&self->settings.uri, NULL);
  gst_y10_fields_set_string (&self->settings.credentials, NULL);
  gst_y10_fields_set_string (&self->settings.snapshots, NULL);
}

void
gst_y10_publish_props_set (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Publish *self = GST_YOLOV10_PUBLISH (object);
  gboolean closed;

  GST_OBJECT_LOCK (self);
  closed = gst_y10_ready_only_is_closed (GST_ELEMENT (self), pspec);
  if (!closed && !gst_y10_fields_set (fields, self, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
  if (closed)
    gst_y10_ready_only_refuse (GST_ELEMENT (self), pspec, value);
}

void
gst_y10_publish_props_get (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Publish *self = GST_YOLOV10_PUBLISH (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_y10_publish_get_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (!gst_y10_fields_get (fields, self, id, value, pspec))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
install_lines (GObjectClass *class, GParamFlags flags)
{
  /**
   * GstYolov10Publish:location:
   *
   * Several elements may append to one file; each line stays whole.
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "File to append lines of JSON to, as y10 detect and yolov10zones tell them; "
          "\"-\": standard output. Empty: none",
          "", flags));
  /**
   * GstYolov10Publish:content:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_CONTENT,
      g_param_spec_enum ("content", "Content", "What to write lines of",
          GST_TYPE_YOLOV10_PUBLISH_CONTENT, GST_YOLOV10_PUBLISH_ALL, flags));
  /**
   * GstYolov10Publish:stream:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_STREAM,
      g_param_spec_string ("stream", "Stream",
          "Name of the stream, which lines carry. Empty: the element's name, in the "
          "spool only",
          "", flags));
  gst_type_mark_as_plugin_api (GST_TYPE_YOLOV10_PUBLISH_CONTENT, 0);
}

static void
install_spool (GObjectClass *class, GParamFlags flags)
{
  /**
   * GstYolov10Publish:spool:
   *
   * Made if only the last part of the path is missing. Elements of one process may
   * share a spool, if its other properties are equal; other processes may not.
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_SPOOL,
      g_param_spec_string ("spool", "Spool",
          "Folder to write lines of JSON to that survive a crash and power loss: a "
          "line is safe within sync-interval. Empty: none",
          "", flags));
  /**
   * GstYolov10Publish:max-age:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_MAX_AGE,
      g_param_spec_uint64 ("max-age", "Max age",
          "Remove segments of the spool whose last line is older than this, in "
          "nanoseconds; 0: never",
          0, G_MAXINT64, 0, flags));
  /**
   * GstYolov10Publish:max-bytes:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_MAX_BYTES,
      g_param_spec_uint64 ("max-bytes", "Max bytes",
          "Remove the oldest segments of the spool where all are larger than this; 0: "
          "no limit",
          0, G_MAXINT64, DEFAULT_MAX_BYTES, flags));
  /**
   * GstYolov10Publish:sync-interval:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_SYNC_INTERVAL,
      g_param_spec_uint ("sync-interval", "Sync interval",
          "How long lines are collected before they are written to the spool and "
          "synced, in milliseconds",
          0, MAX_SYNC_INTERVAL, MAX_SYNC_INTERVAL, flags));
}

static void
install_network (GObjectClass *class, GParamFlags flags)
{
  /**
   * GstYolov10Publish:uri:
   *
   * Elements that share a spool share the connection. A user or password in it is
   * refused, since properties are printed.
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_URI,
      g_param_spec_string ("uri", "URI",
          "Where to send the lines of the spool to: mqtt://HOST[:PORT]/PREFIX, mqtts:, "
          "http:, https: or kafka://HOST[:PORT]/TOPIC. Empty: nowhere",
          "", flags));
  /**
   * GstYolov10Publish:credentials:
   *
   * Without it, those of the environment, `Y10_PUBLISH_USER`, `Y10_PUBLISH_PASSWORD` and
   * `Y10_PUBLISH_TOKEN`.
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_CREDENTIALS,
      g_param_spec_string ("credentials", "Credentials",
          "File that only its owner can read, with a line USER:PASSWORD, or [publish] "
          "and below it user= and password=, or token=. Empty: from the environment",
          "", flags));
  /**
   * GstYolov10Publish:max-delay:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_MAX_DELAY,
      g_param_spec_uint64 ("max-delay", "Max delay",
          "Lines that are older than this are not sent any more, in nanoseconds; 0: all "
          "are",
          0, G_MAXINT64, 0, flags));
  /**
   * GstYolov10Publish:timeout:
   *
   * Also the longest time for a connection. A line without an answer for three times as
   * long is sent again.
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_TIMEOUT,
      g_param_spec_uint64 ("timeout", "Timeout",
          "How long lines wait for the answer to those before them, in nanoseconds",
          MIN_TIMEOUT, MAX_TIMEOUT, DEFAULT_TIMEOUT, flags));
  /**
   * GstYolov10Publish:home-assistant:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_HOME_ASSISTANT,
      g_param_spec_boolean ("home-assistant", "Home Assistant",
          "Tell Home Assistant of zones and lines as its devices, by MQTT",
          FALSE, flags));
}

static void
install_snapshots (GObjectClass *class, GParamFlags flags)
{
  /**
   * GstYolov10Publish:snapshots:
   *
   * Made if only the last part of the path is missing. Pictures go as #GstYolov10Publish:max-age
   * and #GstYolov10Publish:max-bytes say, which count them apart from lines. An overlay
   * with privacy must be upstream.
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_SNAPSHOTS,
      g_param_spec_string ("snapshots", "Snapshots",
          "Folder to write a JPEG of the frame of each event to in which somebody "
          "enters, crosses, dwells or is one too many. Empty: none",
          "", flags));
  /**
   * GstYolov10Publish:snapshot-crop:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_SNAPSHOT_CROP,
      g_param_spec_boolean ("snapshot-crop", "Snapshot crop",
          "Pictures have only the object of the event, with a margin; all of the frame "
          "where its box is not known",
          FALSE, flags));
  /**
   * GstYolov10Publish:snapshot-inline:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_SNAPSHOT_INLINE,
      g_param_spec_boolean ("snapshot-inline", "Snapshot inline",
          "Lines have the picture, too, in base64, if it has at most 512 KiB",
          FALSE, flags));
}

void
gst_y10_publish_props_install (GObjectClass *class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  install_lines (class, flags);
  install_spool (class, flags);
  install_network (class, flags);
  install_snapshots (class, flags);
  /**
   * GstYolov10Publish:stats:
   *
   * Since: 0.2
   */
  g_object_class_install_property (class, PROP_STATS,
      g_param_spec_boxed ("stats", "Stats",
          "What has become of the lines (see the documentation)",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
