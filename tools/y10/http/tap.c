/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A stream that asks about each read before its reader gets the bytes, and tells of each
 * write. libsoup reads as long as something comes, and the main loop waits meanwhile:
 * nothing outside of the stream could stop it. Nor does it say how much of what it was
 * given has gone out. */

#include "config.h"

#ifdef HAVE_SERVE

#include "http/tap.h"

typedef struct
{
  const HttpTapFuncs *funcs;
  gpointer data;
  GSocket *socket;
} Watch;

G_DECLARE_FINAL_TYPE (HttpTapInput, http_tap_input, HTTP, TAP_INPUT,
    GFilterInputStream)
G_DECLARE_FINAL_TYPE (HttpTapOutput, http_tap_output, HTTP, TAP_OUTPUT,
    GFilterOutputStream)
G_DECLARE_FINAL_TYPE (HttpTap, http_tap, HTTP, TAP, GIOStream)

struct _HttpTapInput
{
  GFilterInputStream parent;
  Watch *watch;
};

struct _HttpTapOutput
{
  GFilterOutputStream parent;
  Watch *watch;
};

struct _HttpTap
{
  GIOStream parent;
  GIOStream *base;
  GInputStream *input;
  GOutputStream *output;
  Watch *watch;
};

static void pollable_input_init (GPollableInputStreamInterface *interface);
static void pollable_output_init (GPollableOutputStreamInterface *interface);

G_DEFINE_TYPE_WITH_CODE (HttpTapInput, http_tap_input,
    G_TYPE_FILTER_INPUT_STREAM,
    G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM, pollable_input_init))
G_DEFINE_TYPE_WITH_CODE (HttpTapOutput, http_tap_output,
    G_TYPE_FILTER_OUTPUT_STREAM,
    G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_OUTPUT_STREAM, pollable_output_init))
G_DEFINE_TYPE (HttpTap, http_tap, G_TYPE_IO_STREAM)

static void
clear_watch (gpointer data)
{
  Watch *watch = data;

  watch->funcs->destroy (watch->data);
  g_object_unref (watch->socket);
}

static void
unref_watch (Watch *watch)
{
  g_rc_box_release_full (watch, clear_watch);
}

static GInputStream *
get_base (gpointer input)
{
  return g_filter_input_stream_get_base_stream (G_FILTER_INPUT_STREAM (input));
}

static gssize
ask (HttpTapInput *input, const guint8 *bytes, gssize n, GError **error)
{
  if (n <= 0
      || input->watch->funcs->admit (bytes, (gsize) n, input->watch->data))
    return n;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE,
      "the client sends too much");
  return -1;
}

static gssize
input_read (GInputStream *stream, void *buffer, gsize n,
    GCancellable *cancellable, GError **error)
{
  return ask (HTTP_TAP_INPUT (stream), buffer,
      g_input_stream_read (get_base (stream), buffer, n, cancellable, error),
      error);
}

static gssize
input_read_nonblocking (GPollableInputStream *stream, void *buffer, gsize n,
    GError **error)
{
  return ask (HTTP_TAP_INPUT (stream), buffer,
      g_pollable_input_stream_read_nonblocking (G_POLLABLE_INPUT_STREAM (
                                                    get_base (stream)),
          buffer, n, NULL, error),
      error);
}

static gboolean
input_is_readable (GPollableInputStream *stream)
{
  return g_pollable_input_stream_is_readable (
      G_POLLABLE_INPUT_STREAM (get_base (stream)));
}

static GSource *
input_create_source (GPollableInputStream *stream, GCancellable *cancellable)
{
  g_autoptr (GSource)
      child = g_pollable_input_stream_create_source (G_POLLABLE_INPUT_STREAM (
                                                         get_base (stream)),
          NULL);

  return g_pollable_source_new_full (stream, child, cancellable);
}

static void
pollable_input_init (GPollableInputStreamInterface *interface)
{
  interface->is_readable = input_is_readable;
  interface->create_source = input_create_source;
  interface->read_nonblocking = input_read_nonblocking;
}

static void
input_finalize (GObject *object)
{
  unref_watch (HTTP_TAP_INPUT (object)->watch);
  G_OBJECT_CLASS (http_tap_input_parent_class)->finalize (object);
}

static void
http_tap_input_class_init (HttpTapInputClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = input_finalize;
  G_INPUT_STREAM_CLASS (klass)->read_fn = input_read;
}

static void
http_tap_input_init (HttpTapInput *input)
{
}

static GPollableOutputStream *
get_base_output (gpointer output)
{
  return G_POLLABLE_OUTPUT_STREAM (
      g_filter_output_stream_get_base_stream (G_FILTER_OUTPUT_STREAM (output)));
}

static gssize
tell (HttpTapOutput *output, gssize n)
{
  if (n > 0 && output->watch->funcs->count)
    output->watch->funcs->count ((gsize) n, output->watch->data);
  return n;
}

static gssize
output_write (GOutputStream *stream, const void *buffer, gsize n,
    GCancellable *cancellable, GError **error)
{
  return tell (HTTP_TAP_OUTPUT (stream),
      g_output_stream_write (G_OUTPUT_STREAM (get_base_output (stream)), buffer,
          n, cancellable, error));
}

static gssize
output_write_nonblocking (GPollableOutputStream *stream, const void *buffer,
    gsize n, GError **error)
{
  return tell (HTTP_TAP_OUTPUT (stream),
      g_pollable_output_stream_write_nonblocking (get_base_output (stream),
          buffer, n, NULL, error));
}

static gboolean
output_is_writable (GPollableOutputStream *stream)
{
  return g_pollable_output_stream_is_writable (get_base_output (stream));
}

static GSource *
output_create_source (GPollableOutputStream *stream, GCancellable *cancellable)
{
  g_autoptr (GSource)
      child = g_pollable_output_stream_create_source (get_base_output (stream),
          NULL);

  return g_pollable_source_new_full (stream, child, cancellable);
}

static void
pollable_output_init (GPollableOutputStreamInterface *interface)
{
  interface->is_writable = output_is_writable;
  interface->create_source = output_create_source;
  interface->write_nonblocking = output_write_nonblocking;
}

static void
output_finalize (GObject *object)
{
  unref_watch (HTTP_TAP_OUTPUT (object)->watch);
  G_OBJECT_CLASS (http_tap_output_parent_class)->finalize (object);
}

static void
http_tap_output_class_init (HttpTapOutputClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = output_finalize;
  G_OUTPUT_STREAM_CLASS (klass)->write_fn = output_write;
}

static void
http_tap_output_init (HttpTapOutput *output)
{
}

static GInputStream *
tap_get_input (GIOStream *stream)
{
  return HTTP_TAP (stream)->input;
}

static GOutputStream *
tap_get_output (GIOStream *stream)
{
  return HTTP_TAP (stream)->output;
}

/* TLS says goodbye, and would wait for a client that does not read. */
static void
prepare_to_close (HttpTap *tap)
{
  if (!(g_socket_condition_check (tap->watch->socket, G_IO_OUT) & G_IO_OUT))
    g_socket_shutdown (tap->watch->socket, TRUE, TRUE, NULL);
}

static gboolean
tap_close (GIOStream *stream, GCancellable *cancellable, GError **error)
{
  HttpTap *tap = HTTP_TAP (stream);

  prepare_to_close (tap);
  return g_io_stream_close (tap->base, cancellable, error);
}

static void
on_closed (GObject *base, GAsyncResult *result, gpointer task)
{
  GError *error = NULL;

  if (g_io_stream_close_finish (G_IO_STREAM (base), result, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
  g_object_unref (task);
}

static void
tap_close_async (GIOStream *stream, int priority, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer data)
{
  HttpTap *tap = HTTP_TAP (stream);
  GTask *task = g_task_new (stream, cancellable, callback, data);

  prepare_to_close (tap);
  g_io_stream_close_async (tap->base, priority, cancellable, on_closed, task);
}

static gboolean
tap_close_finish (GIOStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static void
tap_finalize (GObject *object)
{
  HttpTap *tap = HTTP_TAP (object);

  g_object_unref (tap->input);
  g_object_unref (tap->output);
  g_object_unref (tap->base);
  unref_watch (tap->watch);
  G_OBJECT_CLASS (http_tap_parent_class)->finalize (object);
}

static void
http_tap_class_init (HttpTapClass *klass)
{
  GIOStreamClass *stream = G_IO_STREAM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tap_finalize;
  stream->get_input_stream = tap_get_input;
  stream->get_output_stream = tap_get_output;
  stream->close_fn = tap_close;
  stream->close_async = tap_close_async;
  stream->close_finish = tap_close_finish;
}

static void
http_tap_init (HttpTap *tap)
{
}

GIOStream *
http_tap_new (GIOStream *base, GSocket *socket, const HttpTapFuncs *funcs,
    gpointer data)
{
  Watch *watch = g_rc_box_new0 (Watch);
  HttpTap *tap = g_object_new (http_tap_get_type (), NULL);
  HttpTapInput *input = g_object_new (http_tap_input_get_type (), "base-stream",
      g_io_stream_get_input_stream (base), "close-base-stream", FALSE, NULL);
  HttpTapOutput *output = g_object_new (http_tap_output_get_type (),
      "base-stream", g_io_stream_get_output_stream (base), "close-base-stream",
      FALSE, NULL);

  watch->funcs = funcs;
  watch->data = data;
  watch->socket = g_object_ref (socket);
  input->watch = g_rc_box_acquire (watch);
  output->watch = g_rc_box_acquire (watch);
  tap->watch = watch;
  tap->base = g_object_ref (base);
  tap->input = G_INPUT_STREAM (input);
  tap->output = G_OUTPUT_STREAM (output);
  return G_IO_STREAM (tap);
}

#endif
