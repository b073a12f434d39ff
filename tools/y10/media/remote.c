/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Cameras, videos and pictures behind an address: the elements that receive them, for
 * y10 detect and y10 serve alike. The user and the password are properties, since elements
 * print their location. A server that gets them may not send them elsewhere. */

#include "config.h"

#ifdef HAVE_GST

#include <string.h>
#include <y10/y10.h>

#include "base/text.h"
#include "media/multipart.h"
#include "media/pin.h"
#include "media/remote.h"

#define LATENCY 200      /* ms that late packets have */
#define TIMEOUT 5        /* s of silence on a connection */
#define MAX_PHRASE 80    /* bytes of what a camera says */
#define LEAST_STATUS 100 /* others are libsoup's own */
#define UNAUTHORIZED 401
#define NOT_FOUND 404

/* GStreamer's schemes that say how RTP comes, too. */
static const struct
{
  const char *scheme, *plain;
  ToolRemoteKind kind;
  const char *transport; /* NULL: any */
  guint port;
} schemes[] = {
  { "rtsp", "rtsp", TOOL_REMOTE_RTSP, NULL, 554 },
  { "rtspt", "rtsp", TOOL_REMOTE_RTSP, "tcp", 554 },
  { "rtspu", "rtsp", TOOL_REMOTE_RTSP, "udp", 554 },
  { "rtsph", "rtsp", TOOL_REMOTE_RTSP, "http", 554 },
  /* rtspsrc has this port here, too. */
  { "rtsps", "rtsps", TOOL_REMOTE_RTSP, NULL, 554 },
  { "rtspst", "rtsps", TOOL_REMOTE_RTSP, "tcp", 554 },
  { "http", "http", TOOL_REMOTE_HTTP, NULL, 80 },
  { "https", "https", TOOL_REMOTE_HTTP, NULL, 443 },
};

/* What is chosen of what a camera describes. */
typedef struct
{
  guint wanted; /* from 1 */
  guint last;   /* number of the medium that was offered last */
  guint n;      /* videos up to that */
} Choice;

static guint
find_scheme (const ToolAddress *address)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (schemes)
      && strcmp (schemes[i].scheme, address->scheme) != 0)
    i++;
  return i;
}

ToolRemoteKind
tool_remote_get_kind (const ToolAddress *address)
{
  const guint i = find_scheme (address);

  return i < G_N_ELEMENTS (schemes) ? schemes[i].kind : TOOL_REMOTE_NONE;
}

const char *
tool_remote_get_element (ToolRemoteKind kind)
{
  return kind == TOOL_REMOTE_RTSP ? "rtspsrc"
      : kind == TOOL_REMOTE_HTTP  ? "souphttpsrc"
                                  : NULL;
}

guint
tool_remote_get_port (const ToolAddress *address)
{
  const guint i = find_scheme (address);

  if (address->port || i == G_N_ELEMENTS (schemes))
    return address->port;
  return schemes[i].port;
}

char *
tool_remote_get_uri (const ToolAddress *address)
{
  g_autofree char *location = tool_address_locate (address);
  const guint i = find_scheme (address);

  return i == G_N_ELEMENTS (schemes)
      ? g_steal_pointer (&location)
      : g_strconcat (schemes[i].plain, strstr (location, "://"), NULL);
}

char *
tool_remote_open (const char *text, ToolAddress **address, GError **error)
{
  g_autoptr (GError) why = NULL;

  *address = tool_address_parse (text, &why);
  if (*address && tool_remote_get_kind (*address) != TOOL_REMOTE_NONE)
    return tool_remote_get_uri (*address);
  /* Without an @ nothing in it is a user: "videotestsrc://" has no host at all. */
  if (*address || !strchr (text, '@'))
    return g_strdup (text);
  g_propagate_error (error, g_steal_pointer (&why));
  return NULL;
}

gboolean
tool_remote_check_transport (const char *transport, GError **error)
{
  static const char *const known[] = { "auto", "tcp", "udp", "udp-mcast",
    "http", NULL };

  if (!transport || g_strv_contains (known, transport))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "the transport is \"%.*s\"; expected auto, tcp, udp, udp-mcast or http",
      y10_text_fit (transport, MAX_PHRASE), transport);
  return FALSE;
}

/* The only transport that is to be offered, or NULL. */
static const char *
find_transport (const ToolAddress *address, const ToolRemoteOptions *options)
{
  const guint i = find_scheme (address);

  if (options->transport && strcmp (options->transport, "auto") != 0)
    return options->transport;
  return i < G_N_ELEMENTS (schemes) ? schemes[i].transport : NULL;
}

/* rtspsrc asks in the order of the camera's description, and begins anew where it
 * connects once more. Runs in a thread of its own. */
static gboolean
on_select_stream (GstElement *source, guint number, GstCaps *caps,
    gpointer user)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  Choice *choice = user;

  if (number <= choice->last)
    choice->n = 0;
  choice->last = number;
  return !g_strcmp0 (gst_structure_get_string (structure, "media"), "video")
      && ++choice->n == choice->wanted;
}

static void
free_choice (gpointer choice, GClosure *closure)
{
  g_free (choice);
}

static void
set_up_rtsp (GstElement *source, const ToolAddress *address,
    const ToolRemoteOptions *options, gboolean udp)
{
  const char *transport = find_transport (address, options);
  Choice *choice = g_new0 (Choice, 1);

  choice->wanted = MAX (options->stream, 1);
  g_object_set (source, "latency", LATENCY, "tcp-timeout",
      (guint64) TIMEOUT * G_USEC_PER_SEC, "timeout",
      (guint64) TIMEOUT * G_USEC_PER_SEC, NULL);
  gst_util_set_object_arg (G_OBJECT (source), "protocols",
      transport ? transport
          : udp ? "udp+udp-mcast"
                : "tcp");
  g_signal_connect_data (source, "select-stream", G_CALLBACK (on_select_stream),
      choice, free_choice, 0);
  g_object_set_data (G_OBJECT (source), "y10-choice", choice);
}

static void
set_up_http (GstElement *source, const ToolAddress *address)
{
  /* It would answer any server that asks for them. */
  g_object_set (source, "automatic-redirect", !address->user, "timeout",
      (guint) TIMEOUT, NULL);
  tool_multipart_watch (source);
}

void
tool_remote_set_up (GstElement *source, const ToolAddress *address,
    const ToolRemoteOptions *options, gboolean udp)
{
  const ToolRemoteKind kind = tool_remote_get_kind (address);
  GObjectClass *class = G_OBJECT_GET_CLASS (source);
  g_autoptr (ToolPin) pin = NULL;
  g_autofree char *uri = NULL;

  if (kind == TOOL_REMOTE_NONE
      || !g_object_class_find_property (class, "user-id")
      || !g_object_class_find_property (class, "tls-database"))
    return;
  uri = tool_remote_get_uri (address);
  pin = tool_pin_new (options->fingerprint);
  g_object_set (source, "location", uri, "user-id", address->user, "user-pw",
      address->user && !address->password ? "" : address->password,
      "tls-database", pin, NULL);
  if (kind == TOOL_REMOTE_RTSP)
    set_up_rtsp (source, address, options, udp);
  else
    set_up_http (source, address);
}

/* rtspsrc says so where no medium was set up, whatever the reason. */
static gboolean
found_no_stream (GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *debug = NULL;
  gboolean is;

  gst_message_parse_error (message, &error, &debug);
  is = g_error_matches (error, GST_STREAM_ERROR,
           GST_STREAM_ERROR_CODEC_NOT_FOUND)
      || (debug && strstr (debug, "no protocols left"));
  return is && GST_MESSAGE_SRC (message)
      && g_object_get_data (G_OBJECT (GST_MESSAGE_SRC (message)), "y10-choice");
}

/* NULL: the camera has the video that is wanted. */
static char *
explain_choice (GstMessage *message)
{
  const Choice *choice = g_object_get_data (G_OBJECT (
                                                GST_MESSAGE_SRC (message)),
      "y10-choice");

  if (choice->n >= choice->wanted)
    return NULL;
  return choice->n ? g_strdup_printf (
             "it describes %u video%s; expected a stream from 1 to %u, found "
             "%u",
             choice->n, choice->n == 1 ? "" : "s", choice->n, choice->wanted)
                   : g_strdup ("it describes no video");
}

gboolean
tool_remote_wants_other (GstMessage *message, const ToolAddress *address,
    const ToolRemoteOptions *options)
{
  g_autofree char *why = NULL;

  if (find_transport (address, options) || !found_no_stream (message))
    return FALSE;
  why = explain_choice (message);
  return !why;
}

static char *
explain_no_stream (GstMessage *message, const ToolAddress *address,
    const ToolRemoteOptions *options)
{
  const char *transport = find_transport (address, options);
  char *why = explain_choice (message);

  if (why)
    return why;
  return transport
      ? g_strdup_printf (
          "the camera does not send by %s; expected another transport, or auto",
          transport)
      : g_strdup (
          "the camera takes neither TCP nor UDP as a transport; one is tried "
          "after the other");
}

/* Of a certificate that would not do; else NULL. */
static char *
explain_certificate (GObject *source, const ToolRemoteOptions *options)
{
  g_autoptr (GTlsDatabase) pin = NULL;
  char *text = NULL;
  g_autofree char *refused = NULL;

  if (!g_object_class_find_property (G_OBJECT_GET_CLASS (source),
          "tls-database"))
    return NULL;
  g_object_get (source, "tls-database", &pin, NULL);
  refused = TOOL_IS_PIN (pin) ? tool_pin_get_refused (TOOL_PIN (pin)) : NULL;
  if (refused && options->fingerprint)
    text = g_strdup_printf (
        "the camera's certificate is another one: its fingerprint is %s; expected %s",
        refused, options->fingerprint);
  else if (refused)
    text = g_strdup_printf (
        "nobody that this machine trusts has signed the camera's certificate; if its "
        "fingerprint (SHA-256) is %s, set that as the camera's fingerprint",
        refused);
  return text;
}

static char *
explain_status (const ToolAddress *address, guint status, const char *phrase)
{
  g_autofree char *text = NULL, *clean = NULL, *valid = NULL;

  if (status == UNAUTHORIZED)
    return g_strdup (address->user
            ? "401: wrong user or password"
            : "401: expected a user and a password, SCHEME://USER:PASSWORD@…");
  if (status == NOT_FOUND)
    return g_strdup ("404: no such path");
  if (status / 100 == 3)
    return g_strdup_printf (
        "%u: it is elsewhere; expected the address that this one leads to",
        status);
  if (!phrase)
    phrase = "no reason given";
  text = g_strndup (phrase, (gsize) y10_text_fit (phrase, MAX_PHRASE));
  clean = tool_address_censor (address, text);
  valid = g_utf8_make_valid (clean, -1);
  return g_strdup_printf ("%u: %s", status, valid);
}

/* @phrase: set to what stands beside it, or to NULL; borrowed. */
static guint
read_status (GstMessage *message, const char **phrase)
{
  const GstStructure *details = NULL;
  guint status = 0;

  *phrase = NULL;
  gst_message_parse_error_details (message, &details);
  if (details && gst_structure_get_uint (details, "rtsp-status-code", &status))
    *phrase = gst_structure_get_string (details, "rtsp-status-reason");
  else if (details)
    gst_structure_get_uint (details, "http-status-code", &status);
  return status >= LEAST_STATUS ? status : 0;
}

guint
tool_remote_get_status (GstMessage *message)
{
  const char *phrase;

  return read_status (message, &phrase);
}

char *
tool_remote_explain (GstMessage *message, const ToolAddress *address,
    const ToolRemoteOptions *options)
{
  const char *phrase;
  const guint status = read_status (message, &phrase);

  if (!GST_MESSAGE_SRC (message))
    return NULL;
  if (status)
    return explain_status (address, status, phrase);
  if (found_no_stream (message))
    return explain_no_stream (message, address, options);
  return GST_IS_ELEMENT (GST_MESSAGE_SRC (message))
      ? explain_certificate (G_OBJECT (GST_MESSAGE_SRC (message)), options)
      : NULL;
}

#endif
