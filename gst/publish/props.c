/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Properties of yolov10publish, which start() reads. */
#include "publish/element.h"

#define MAX_SYNC_INTERVAL 100

#define ROW(MEMBER, TYPE, ...) \
  gst_y10_properties_add (&gst_y10_publish_properties, class, \
      G_STRUCT_OFFSET (GstY10PublishSettings, MEMBER), \
      g_param_spec_##TYPE (__VA_ARGS__))

GstY10Properties gst_y10_publish_properties = {
  .size = sizeof (GstY10PublishSettings),
};

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (g_str_equal (pspec->name, "stats"))
    g_value_take_boxed (value,
        gst_y10_publish_get_stats (GST_YOLOV10_PUBLISH (object)));
  else
    gst_y10_filter_get_property (object, id, value, pspec);
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
  ROW (location, string, "location", "Location",
      "File to append lines of JSON to, as y10 detect and yolov10zones tell them; "
      "\"-\": standard output. Empty: none",
      "", flags);
  /**
   * GstYolov10Publish:content:
   *
   * Since: 0.2
   */
  ROW (content, enum, "content", "Content", "What to write lines of",
      GST_TYPE_YOLOV10_PUBLISH_CONTENT, GST_YOLOV10_PUBLISH_ALL, flags);
  /**
   * GstYolov10Publish:stream:
   *
   * Since: 0.2
   */
  ROW (stream, string, "stream", "Stream",
      "Name of the stream, which lines carry. Empty: the element's name, in the "
      "spool only",
      "", flags);
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
  ROW (spool, string, "spool", "Spool",
      "Folder to write lines of JSON to that survive a crash and power loss: a "
      "line is safe within sync-interval. Empty: none",
      "", flags);
  /**
   * GstYolov10Publish:max-age:
   *
   * Since: 0.2
   */
  ROW (max_age, uint64, "max-age", "Max age",
      "Remove segments of the spool whose last line is older than this, in "
      "nanoseconds; 0: never",
      0, G_MAXINT64, 0, flags);
  /**
   * GstYolov10Publish:max-bytes:
   *
   * Since: 0.2
   */
  ROW (max_bytes, uint64, "max-bytes", "Max bytes",
      "Remove the oldest segments of the spool where all are larger than this; 0: "
      "no limit",
      0, G_MAXINT64, G_GUINT64_CONSTANT (1) << 30, flags);
  /**
   * GstYolov10Publish:sync-interval:
   *
   * Since: 0.2
   */
  ROW (sync_interval, uint, "sync-interval", "Sync interval",
      "How long lines are collected before they are written to the spool and "
      "synced, in milliseconds",
      0, MAX_SYNC_INTERVAL, MAX_SYNC_INTERVAL, flags);
}

static void
install_network (GObjectClass *class, GParamFlags flags)
{
  /**
   * GstYolov10Publish:uri:
   *
   * Elements that share a spool share the connection of each follower. A user or
   * password in it is refused, since properties are printed.
   *
   * Since: 0.2
   */
  ROW (uri, string, "uri", "URI",
      "Where to send the lines of the spool to: mqtt://HOST[:PORT]/PREFIX, mqtts:, "
      "http:, https: or kafka://HOST[:PORT]/TOPIC. Empty: nowhere",
      "", flags);
  /**
   * GstYolov10Publish:follower:
   *
   * Elements that send a spool to several places have followers of several names: each
   * keeps its own position, so that none waits for another.
   *
   * Since: 0.2
   */
  ROW (follower, string, "follower", "Follower",
      "Name of what sends to uri, which keeps its own position in the spool: up to 24 "
      "letters, digits, - and _",
      "", flags);
  /**
   * GstYolov10Publish:credentials:
   *
   * Without it, those of the environment, `Y10_PUBLISH_USER`, `Y10_PUBLISH_PASSWORD` and
   * `Y10_PUBLISH_TOKEN`.
   *
   * Since: 0.2
   */
  ROW (credentials, string, "credentials", "Credentials",
      "File that only its owner can read, with a line USER:PASSWORD, or [publish] "
      "and below it user= and password=, or token=. Empty: from the environment",
      "", flags);
  /**
   * GstYolov10Publish:max-delay:
   *
   * Since: 0.2
   */
  ROW (max_delay, uint64, "max-delay", "Max delay",
      "Lines that are older than this are not sent any more, in nanoseconds; 0: all "
      "are",
      0, G_MAXINT64, 0, flags);
  /**
   * GstYolov10Publish:timeout:
   *
   * Also the longest time for a connection. A line without an answer for three times as
   * long is sent again.
   *
   * Since: 0.2
   */
  ROW (timeout, uint64, "timeout", "Timeout",
      "How long lines wait for the answer to those before them, in nanoseconds",
      10 * GST_MSECOND, 3600 * GST_SECOND, 20 * GST_SECOND, flags);
  /**
   * GstYolov10Publish:home-assistant:
   *
   * Since: 0.2
   */
  ROW (home_assistant, boolean, "home-assistant", "Home Assistant",
      "Tell Home Assistant of zones and lines as its devices, by MQTT", FALSE,
      flags);
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
  ROW (snapshots, string, "snapshots", "Snapshots",
      "Folder to write a JPEG of the frame of each event to in which somebody "
      "enters, crosses, dwells or is one too many. Empty: none",
      "", flags);
  /**
   * GstYolov10Publish:snapshot-crop:
   *
   * Since: 0.2
   */
  ROW (snapshot_crop, boolean, "snapshot-crop", "Snapshot crop",
      "Pictures have only the object of the event, with a margin; all of the frame "
      "where its box is not known",
      FALSE, flags);
  /**
   * GstYolov10Publish:snapshot-inline:
   *
   * Since: 0.2
   */
  ROW (snapshot_inline, boolean, "snapshot-inline", "Snapshot inline",
      "Lines have the picture, too, in base64, if it has at most 512 KiB",
      FALSE, flags);
}

void
gst_y10_publish_props_install (GObjectClass *class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  gst_y10_filter_class_init (class);
  class->get_property = get_property;
  install_lines (class, flags);
  install_spool (class, flags);
  install_network (class, flags);
  install_snapshots (class, flags);
  /**
   * GstYolov10Publish:stats:
   *
   * Since: 0.2
   */
  gst_y10_properties_add (&gst_y10_publish_properties, class, 0,
      g_param_spec_boxed ("stats", "Stats",
          "What has become of the lines (see the documentation)",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
