/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Where the frames of a camera come from, and what of that may be shown.
 *
 * Everything but the scheme, host and port of a URI counts as secret: cameras have
 * passwords in the user information, but also in paths and queries. Names of files
 * come from a page, so the kernel keeps them below the folder of media, and only
 * containers are opened: a playlist would lead elsewhere. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <y10/y10.h>
#ifdef HAVE_PIXBUF
#include <gdk-pixbuf/gdk-pixbuf.h>
#endif

#include "camera/source.h"
#include "media/gst.h"

#define URI_FLAGS \
  (G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_ENCODED_PATH \
      | G_URI_FLAGS_ENCODED_QUERY)
#define LATENCY 200  /* ms that late packets have */
#define TIMEOUT 5000 /* ms of silence on a connection */

static gboolean
is_rtsp (const char *source)
{
  return g_str_has_prefix (source, "rtsp://")
      || g_str_has_prefix (source, "rtsps://");
}

static gboolean
is_pattern (const char *text)
{
  return strspn (text, G_CSET_a_2_z G_CSET_DIGITS "-") == strlen (text);
}

gboolean
tool_source_is_file (const char *source)
{
  return g_str_has_prefix (source, "file:");
}

static gboolean
is_container (const guint8 *head, gsize n)
{
  return (n >= 12 && !memcmp (head + 4, "ftyp", 4))
      || (n >= 12 && !memcmp (head, "RIFF", 4) && !memcmp (head + 8, "AVI ", 4))
      || (n >= 4 && !memcmp (head, "\x1A\x45\xDF\xA3", 4))
      || (n >= 189 && head[0] == 0x47 && head[188] == 0x47);
}

/* Returns a descriptor, or -1 with an error. */
static int
open_media (const char *name, const char *media, GError **error)
{
  struct open_how how = {
    .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
  };
  guint8 head[192];
  struct stat status;
  int folder, fd = -1;
  ssize_t n;

  if (!media) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "there is no folder of media; expected --media DIR");
    return -1;
  }
  folder = open (media, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0)
    fd = (int) syscall (SYS_openat2, folder, name, &how, sizeof how);
  if (fd < 0)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "cannot open '%s' below the folder of media: %s", name,
        errno == EXDEV ? "it leads outside" : g_strerror (errno));
  if (folder >= 0)
    close (folder);
  if (fd < 0)
    return -1;
  n = fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      ? pread (fd, head, sizeof head, 0)
      : -1;
  if (n > 0 && is_container (head, (gsize) n))
    return fd;
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "'%s' is no video; expected MP4, Matroska, AVI or MPEG-TS", name);
  close (fd);
  return -1;
}

gboolean
tool_source_check (const char *source, const char *media, GError **error)
{
  GUri *uri;
  int fd;

  if (!strcmp (source, "demo")
      || (g_str_has_prefix (source, "test:") && is_pattern (source + 5))
      || (g_str_has_prefix (source, "/dev/video") && source[10]
          && strspn (source + 10, G_CSET_DIGITS) == strlen (source + 10)))
    return TRUE;
  if (is_rtsp (source)) {
    /* GLib's error has the URI. */
    uri = g_uri_parse (source, URI_FLAGS, NULL);
    if (uri && g_uri_get_host (uri) && *g_uri_get_host (uri)) {
      g_uri_unref (uri);
      return TRUE;
    }
    g_clear_pointer (&uri, g_uri_unref);
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "the source is no valid URI; expected rtsp://[USER:PASSWORD@]HOST[:PORT]/PATH, "
        "with %%40 for an @ in the password");
    return FALSE;
  }
  if (tool_source_is_file (source)) {
    fd = open_media (source + 5, media, error);
    if (fd >= 0)
      close (fd);
    return fd >= 0;
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "the source is unknown; expected rtsp://…, rtsps://…, /dev/videoN, file:NAME, "
      "test: or demo");
  return FALSE;
}

char *
tool_source_show (const char *source)
{
  GUri *uri;
  char *shown;

  if (!is_rtsp (source))
    return g_strdup (source);
  uri = g_uri_parse (source, URI_FLAGS, NULL);
  if (!uri)
    return g_strdup ("rtsp:");
  shown = g_uri_join (G_URI_FLAGS_NONE, g_uri_get_scheme (uri), NULL,
      g_uri_get_host (uri), g_uri_get_port (uri), "", NULL, NULL);
  g_uri_unref (uri);
  return shown;
}

static void
hide (GString *text, const char *secret)
{
  /* A path of one character is in every text. */
  if (secret && strlen (secret) > 1)
    g_string_replace (text, secret, "…", 0);
}

char *
tool_source_censor (const char *source, const char *text)
{
  GString *clean = g_string_new (text);
  GUri *uri = is_rtsp (source) ? g_uri_parse (source, URI_FLAGS, NULL) : NULL;

  if (uri) {
    hide (clean, g_uri_get_query (uri));
    hide (clean, g_uri_get_path (uri));
    hide (clean, g_uri_get_password (uri));
    g_uri_unref (uri);
  }
  return g_string_free (clean, FALSE);
}

char *
tool_source_describe (const char *source)
{
  if (!strcmp (source, "demo") && tool_have_element ("gdkpixbufoverlay"))
    return g_strdup (
        "videotestsrc is-live=true pattern=ball ! "
        "video/x-raw,format=I420,width=160,height=270,framerate=10/1 ! videoscale ! "
        "video/x-raw,width=320,height=540 ! videobox left=-640 ! "
        "gdkpixbufoverlay name=codes");
  if (!strcmp (source, "demo") || g_str_has_prefix (source, "test:"))
    return g_strdup (
        "videotestsrc name=test is-live=true ! "
        "video/x-raw,format=I420,width=640,height=360,framerate=10/1");
  if (is_rtsp (source))
    return g_strdup ("rtspsrc name=source ! decodebin");
  if (tool_source_is_file (source))
    return g_strdup ("fdsrc name=source ! decodebin ! clocksync");
  return g_strdup ("v4l2src name=source ! decodebin");
}

static gboolean
select_stream (GstElement *source, guint number, GstCaps *caps,
    gpointer selected)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  return !g_strcmp0 (gst_structure_get_string (structure, "media"), "video");
}

static gboolean
set_up_rtsp (GstElement *element, const char *source, GError **error)
{
  GUri *uri = g_uri_parse (source, URI_FLAGS, NULL);
  char *location;

  if (!uri) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "the source is no valid URI");
    return FALSE;
  }
  /* Elements print their location, but not these. */
  location = g_uri_join (URI_FLAGS, g_uri_get_scheme (uri), NULL,
      g_uri_get_host (uri), g_uri_get_port (uri), g_uri_get_path (uri),
      g_uri_get_query (uri), NULL);
  g_object_set (element, "location", location, "user-id", g_uri_get_user (uri),
      "user-pw", g_uri_get_password (uri), "latency", LATENCY, "tcp-timeout",
      (guint64) TIMEOUT * 1000, "timeout", (guint64) TIMEOUT * 1000, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "protocols", "tcp");
  g_signal_connect (element, "select-stream", G_CALLBACK (select_stream), NULL);
  g_free (location);
  g_uri_unref (uri);
  return TRUE;
}

/* The codes of the demo scene. */
static void
set_up_codes (GstElement *overlay)
{
#ifdef HAVE_PIXBUF
  GdkPixbuf *codes = gdk_pixbuf_new_from_resource ("/y10/codes.png", NULL);

  if (codes) {
    g_object_set (overlay, "pixbuf", codes, NULL);
    g_object_unref (codes);
  }
#endif
}

gboolean
tool_source_set_up (const char *source, const char *media, GstBin *pipeline,
    int *fd, GError **error)
{
  GstElement *element = gst_bin_get_by_name (pipeline, "source");
  GstElement *codes = gst_bin_get_by_name (pipeline, "codes");
  GstElement *test = gst_bin_get_by_name (pipeline, "test");
  gboolean ok = TRUE;

  *fd = -1;
  if (is_rtsp (source)) {
    ok = set_up_rtsp (element, source, error);
  } else if (tool_source_is_file (source)) {
    *fd = open_media (source + 5, media, error);
    ok = *fd >= 0;
    if (ok)
      g_object_set (element, "fd", *fd, NULL);
  } else if (element) {
    g_object_set (element, "device", source, NULL);
  }
  if (codes)
    set_up_codes (codes);
  if (test && g_str_has_prefix (source, "test:") && source[5])
    gst_util_set_object_arg (G_OBJECT (test), "pattern", source + 5);
  gst_clear_object (&element);
  gst_clear_object (&codes);
  gst_clear_object (&test);
  return ok;
}

#endif
