/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Where the frames of a camera come from, and what of that may be shown.
 *
 * Everything but the scheme, host and port of an address counts as secret: cameras have
 * users and passwords in front of the host, but also in paths and queries. Names of files
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

#include "camera/guard.h"
#include "camera/source.h"
#include "media/chain.h"
#include "media/gst.h"
#include "media/remote.h"

#define FORMS \
  "rtsp://…, rtsps://…, http://…, https://…, /dev/videoN, /dev/v4l/by-id/…, " \
  "file:NAME, test: or demo"

static gboolean
is_pattern (const char *text)
{
  return strspn (text, G_CSET_a_2_z G_CSET_DIGITS "-") == strlen (text);
}

/* Also by the names that udev gives it, which stay the same. */
static gboolean
is_device (const char *text)
{
  static const char *const folders[] = { "/dev/v4l/by-id/",
    "/dev/v4l/by-path/" };

  if (g_str_has_prefix (text, "/dev/video"))
    return text[10] && strspn (text + 10, G_CSET_DIGITS) == strlen (text + 10);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    if (g_str_has_prefix (text, folders[i])) {
      text += strlen (folders[i]);
      return *text && *text != '.' && !strchr (text, '/');
    }
  return FALSE;
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

ToolAddress *
tool_source_get_address (const char *source)
{
  return tool_address_is_one (source) ? tool_address_parse (source, NULL)
                                      : NULL;
}

static gboolean
check_address (const char *source, GError **error)
{
  g_autoptr (ToolAddress) address = tool_address_parse (source, error);
  gboolean is_known;

  if (!address)
    return FALSE;
  is_known = tool_remote_get_kind (address) != TOOL_REMOTE_NONE;
  if (!is_known)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "the source is a %.20s: address; expected " FORMS, address->scheme);
  return is_known;
}

gboolean
tool_source_check (const char *source, const char *media, GError **error)
{
  int fd;

  if (!strcmp (source, "demo") || is_device (source)
      || (g_str_has_prefix (source, "test:") && is_pattern (source + 5)))
    return TRUE;
  if (tool_address_is_one (source))
    return check_address (source, error);
  if (tool_source_is_file (source)) {
    fd = open_media (source + 5, media, error);
    if (fd >= 0)
      close (fd);
    return fd >= 0;
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "the source is unknown; expected " FORMS);
  return FALSE;
}

char *
tool_source_show (const char *source)
{
  g_autoptr (ToolAddress) address = tool_source_get_address (source);

  if (!address)
    return tool_address_is_one (source) ? g_strdup ("") : g_strdup (source);
  return tool_address_show (address);
}

/* Without elements that not every kind of frame passes, such as one in CUDA memory, where
 * nothing can be turned. */
static char *
describe_decoded (const char *play, gboolean is_upright, gboolean is_timed)
{
  g_autofree char *chain = tool_chain_describe (is_upright);

  return g_strconcat (play, " name=source ! decodebin name=decoder ", chain,
      is_timed ? " ! clocksync" : NULL, NULL);
}

char *
tool_source_describe (const char *source)
{
  g_autoptr (ToolAddress) address = tool_source_get_address (source);
  ToolRemoteKind kind = address ? tool_remote_get_kind (address)
                                : TOOL_REMOTE_NONE;

  if (!strcmp (source, "demo") && tool_have_element ("gdkpixbufoverlay"))
    return g_strdup (
        "videotestsrc is-live=true pattern=ball ! "
        "video/x-raw,format=I420,width=160,height=270,framerate=10/1 ! videoscale ! "
        "video/x-raw,width=320,height=540 ! videobox left=-640 ! "
        "gdkpixbufoverlay name=codes ! videoconvert");
  if (!strcmp (source, "demo") || g_str_has_prefix (source, "test:"))
    return g_strdup (
        "videotestsrc name=test is-live=true ! "
        "video/x-raw,format=I420,width=640,height=360,framerate=10/1 ! videoconvert");
  if (kind != TOOL_REMOTE_NONE)
    return describe_decoded (tool_remote_get_element (kind),
        kind == TOOL_REMOTE_HTTP, kind == TOOL_REMOTE_HTTP);
  if (tool_source_is_file (source))
    return describe_decoded ("fdsrc", TRUE, TRUE);
  return describe_decoded ("v4l2src", FALSE, FALSE);
}

static void
set_up_decoder (const ToolCameraSetup *setup, GstBin *pipeline,
    gboolean is_rtsp)
{
  g_autoptr (GstElement) decoder = gst_bin_get_by_name (pipeline, "decoder");

  if (!decoder)
    return;
  tool_chain_set_up (GST_ELEMENT (pipeline), decoder,
      is_rtsp ? 1 : setup->settings.remote.stream, is_rtsp);
}

/* The codes of the demo scene. */
static void
set_up_codes (GstElement *overlay)
{
#ifdef HAVE_PIXBUF
  g_autoptr (GdkPixbuf)
      codes = gdk_pixbuf_new_from_resource ("/y10/codes.png", NULL);

  if (codes)
    g_object_set (overlay, "pixbuf", codes, NULL);
#endif
}

gboolean
tool_source_set_up (const ToolCameraSetup *setup, gboolean udp,
    GstBin *pipeline, int *fd, GError **error)
{
  const char *source = setup->settings.source;
  g_autoptr (ToolAddress) address = tool_source_get_address (source);
  g_autoptr (GstElement) element = gst_bin_get_by_name (pipeline, "source");
  g_autoptr (GstElement) codes = gst_bin_get_by_name (pipeline, "codes");
  g_autoptr (GstElement) test = gst_bin_get_by_name (pipeline, "test");
  gboolean ok = TRUE;

  *fd = -1;
  if (address && element) {
    tool_guard_install ();
    tool_remote_set_up (element, address, &setup->settings.remote, udp);
  } else if (tool_source_is_file (source)) {
    *fd = open_media (source + 5, setup->media, error);
    ok = *fd >= 0;
    if (ok)
      g_object_set (element, "fd", *fd, NULL);
  } else if (element) {
    g_object_set (element, "device", source, NULL);
  }
  set_up_decoder (setup, pipeline,
      address && tool_remote_get_kind (address) == TOOL_REMOTE_RTSP);
  if (codes)
    set_up_codes (codes);
  if (test && g_str_has_prefix (source, "test:") && source[5])
    gst_util_set_object_arg (G_OBJECT (test), "pattern", source + 5);
  return ok;
}

#endif
