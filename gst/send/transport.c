/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds the transport for a uri. One whose library this build lacks is known by name, so
 * that the error can say what is missing. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "send/transport.h"

#include <gio/gio.h>

#ifndef HAVE_MOSQUITTO
const GstY10TransportClass gst_y10_mqtt = {
  .schemes = { "mqtt", "mqtts" },
  .library = "libmosquitto",
  .package = "libmosquitto-dev",
};
#endif

#ifndef HAVE_SOUP
const GstY10TransportClass gst_y10_webhook = {
  .schemes = { "http", "https" },
  .library = "libsoup 3",
  .package = "libsoup-3.0-dev",
};
#endif

#ifndef HAVE_RDKAFKA
const GstY10TransportClass gst_y10_kafka = {
  .schemes = { "kafka" },
  .library = "librdkafka",
  .package = "librdkafka-dev",
};
#endif

static const GstY10TransportClass *const classes[] = { &gst_y10_mqtt,
  &gst_y10_webhook, &gst_y10_kafka };

/**
 * gst_y10_transport_find:
 * @uri: where lines go to
 * @error: names what is missing, or the schemes there are
 *
 * Returns: (nullable): the transport of the uri's scheme
 */
const GstY10TransportClass *
gst_y10_transport_find (const gchar *uri, GError **error)
{
  g_autofree gchar *scheme = gst_y10_uri_get_scheme (uri);
  const GstY10TransportClass *class = NULL;

  for (guint i = 0; scheme && i < G_N_ELEMENTS (classes) && !class; i++)
    if (g_strv_contains (classes[i]->schemes, scheme))
      class = classes[i];
  if (!class) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: its scheme is %s; expected mqtt, mqtts, http, https or kafka, as "
        "in mqtt://HOST/PREFIX",
        scheme ? scheme : "missing");
  } else if (!class->open) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
        "uri: %s needs %s, which this build lacks; run 'tools/setup.sh' in "
        "the clone, or install it (Debian's package %s) and build again",
        scheme, class->library, class->package);
    class = NULL;
  }
  return class;
}
