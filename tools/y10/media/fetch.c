/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads what is behind a URI with the element by which GStreamer would play it,
 * so that pictures and videos have the same proxies, certificates and limits. */

#include "config.h"

#include <y10/y10.h>

#include "base/interrupt.h"
#include "media/fetch.h"

#ifdef HAVE_GST

#include <gst/app/gstappsink.h>

#include "media/gst.h"
#include "media/remote.h"

#define POLL_INTERVAL (50 * GST_MSECOND)
#define MAX_QUEUED 4

struct _ToolFetch
{
  GstElement *pipeline;
  GstAppSink *sink;
  GstBus *bus;
  ToolAddress *address; /* or NULL */
  ToolRemoteOptions options;
  GstSample *sample; /* the one being read, or NULL */
  gsize at;          /* in it */
  guint64 n_read;    /* bytes */
};

/* The element that plays @text, or NULL with an error. */
static GstElement *
make_source (const char *text, const ToolRemoteOptions *options,
    ToolAddress **address, GError **error)
{
  const ToolRemoteOptions none = { 0 };
  g_autofree char *uri = tool_remote_open (text, address, error);
  GstElement *source = uri
      ? gst_element_make_from_uri (GST_URI_SRC, uri, NULL, error)
      : NULL;

  if (source && *address)
    tool_remote_set_up (source, *address, options ? options : &none, FALSE);
  return source;
}

ToolFetch *
tool_fetch_open (const char *uri, const ToolRemoteOptions *options,
    GError **error)
{
  g_autoptr (ToolAddress) address = NULL;
  GstElement *source, *sink;
  ToolFetch *self;

  if (!tool_gst_init (error))
    return NULL;
  source = make_source (uri, options, &address, error);
  if (!source)
    return NULL;
  sink = gst_element_factory_make ("appsink", NULL);
  if (!sink) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "GStreamer has no appsink");
    gst_object_unref (source);
    return NULL;
  }
  self = g_new0 (ToolFetch, 1);
  self->address = g_steal_pointer (&address);
  if (options)
    self->options = *options;
  self->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  self->sink = GST_APP_SINK (gst_object_ref (sink));
  self->bus = gst_element_get_bus (self->pipeline);
  g_object_set (sink, "sync", FALSE, "max-buffers", MAX_QUEUED, NULL);
  gst_bin_add_many (GST_BIN (self->pipeline), source, sink, NULL);
  gst_element_link (source, sink);
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
  return self;
}

const char *
tool_fetch_explain (const GError *cause)
{
  return cause->domain == GST_STREAM_ERROR
          || cause->code == GST_RESOURCE_ERROR_OPEN_READ
          || cause->code == GST_RESOURCE_ERROR_OPEN_READ_WRITE
      ? "the connection failed"
      : "the server did not send it";
}

/* Returns FALSE and sets @error if there is an error on the bus. */
static gboolean
check_bus (ToolFetch *self, GError **error)
{
  g_autoptr (GstMessage)
      message = gst_bus_pop_filtered (self->bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) cause = NULL;
  g_autofree char *why = NULL;

  if (!message)
    return TRUE;
  gst_message_parse_error (message, &cause, NULL);
  why = self->address && !self->n_read
      ? tool_remote_explain (message, self->address, &self->options)
      : NULL;
  if (why)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: %s",
        tool_fetch_explain (cause), why);
  else if (self->n_read) /* the cause is that of a second attempt */
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "the connection ended "
        "after %" G_GUINT64_FORMAT " bytes: %s",
        self->n_read, cause->message);
  else
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: %s",
        tool_fetch_explain (cause), cause->message);
  return FALSE;
}

/* FALSE at the end, or with an error. */
static gboolean
next_sample (ToolFetch *self, GError **error)
{
  g_clear_pointer (&self->sample, gst_sample_unref);
  self->at = 0;
  while (!(
      self->sample = gst_app_sink_try_pull_sample (self->sink, POLL_INTERVAL)))
    if (tool_interrupted ()) {
      g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED, "interrupted");
      return FALSE;
    } else if (!check_bus (self, error) || gst_app_sink_is_eos (self->sink)) {
      /* Checked first: a source may post an error and send end of stream. */
      return FALSE;
    }
  return TRUE;
}

gssize
tool_fetch_read (ToolFetch *self, guint8 *bytes, gsize n, GError **error)
{
  GError *why = NULL;
  gsize got = 0;

  while (got == 0) {
    if (self->sample)
      got = gst_buffer_extract (gst_sample_get_buffer (self->sample), self->at,
          bytes, n);
    self->at += got;
    self->n_read += got;
    if (got == 0 && !next_sample (self, &why)) {
      if (!why)
        return 0;
      g_propagate_error (error, why);
      return -1;
    }
  }
  return (gssize) got;
}

void
tool_fetch_close (ToolFetch *self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  g_clear_pointer (&self->sample, gst_sample_unref);
  gst_object_unref (self->bus);
  gst_object_unref (self->sink);
  gst_object_unref (self->pipeline);
  tool_address_free (self->address);
  g_free (self);
}

#else /* !HAVE_GST */

ToolFetch *
tool_fetch_open (const char *uri, const ToolRemoteOptions *options,
    GError **error)
{
  g_set_error_literal (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "this y10 was built without GStreamer and cannot read URIs");
  return NULL;
}

gssize
tool_fetch_read (ToolFetch *fetch, guint8 *bytes, gsize n, GError **error)
{
  return 0;
}

void
tool_fetch_close (ToolFetch *fetch)
{
}

#endif
