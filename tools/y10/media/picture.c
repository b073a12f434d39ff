/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads pictures with gdk-pixbuf, as RGB like the training code: full-resolution
 * chroma, no alpha, rotated upright according to the EXIF orientation. Decoded to
 * 4:2:0 by a video decoder, the same pictures lose one detection in fifteen. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "media/container.h"
#include "media/frame.h"
#include "media/gif.h"
#include "media/jpeg.h"
#include "media/picture.h"

#ifdef HAVE_PIXBUF

#include <gdk-pixbuf/gdk-pixbuf.h>

#define START_SIZE 4096  /* enough for gdk-pixbuf to detect the format */
#define HEADER_SIZE 1024 /* what its loaders get first if it detects it */

/* gdk-pixbuf asks shared-mime-info for the type. That of Debian 13 tells animated
 * PNG from PNG, and no loader has the former's name; that of PNG reads the first
 * frame. */
static GdkPixbufLoader *
make_loader (const guint8 *start, gsize n)
{
  GdkPixbufLoader *loader = NULL;

  if (n >= 8 && !memcmp (start, "\x89PNG\r\n\x1a\n", 8))
    loader = gdk_pixbuf_loader_new_with_type ("png", NULL);
  return loader ? loader : gdk_pixbuf_loader_new ();
}

/* Returns the picture only if it is complete. */
static GdkPixbuf *
load_by_loader (const char *path, GError **error)
{
  g_autoptr (GdkPixbufLoader) loader = NULL;
  GdkPixbuf *pixbuf = NULL;
  g_autofree char *bytes = NULL;
  gsize size;

  if (!g_file_get_contents (path, &bytes, &size, error))
    return NULL;
  loader = make_loader ((const guint8 *) bytes, size);
  if (!gdk_pixbuf_loader_write (loader, (const guchar *) bytes, size, error))
    gdk_pixbuf_loader_close (loader, NULL);
  else if (gdk_pixbuf_loader_close (loader, error))
    pixbuf = g_object_ref (gdk_pixbuf_loader_get_pixbuf (loader));
  return pixbuf;
}

gboolean
tool_picture_probe (const char *path)
{
  guint8 start[START_SIZE];
  FILE *file;
  gsize n;

  if (gdk_pixbuf_get_file_info (path, NULL, NULL))
    return TRUE;
  /* The damage is in front of the pixels. */
  file = fopen (path, "rbe");
  n = file ? fread (start, 1, sizeof start, file) : 0;
  if (file)
    fclose (file);
  return tool_picture_recognise (start, n);
}

/* Fills the picture with grey, like the borders of the letterbox. */
static void
on_area_prepared (GdkPixbufLoader *loader, gpointer user)
{
  gdk_pixbuf_fill (gdk_pixbuf_loader_get_pixbuf (loader), 0x727272ff);
}

static void
on_area_updated (GdkPixbufLoader *loader, int x, int y, int width, int height,
    gpointer user)
{
  *(gboolean *) user = TRUE;
}

/* Returns what can be decoded of a damaged file, or NULL. */
static GdkPixbuf *
load_part (const char *path)
{
  g_autoptr (GdkPixbufLoader) loader = NULL;
  GdkPixbuf *pixbuf = NULL;
  gboolean any = FALSE;
  g_autofree char *bytes = NULL;
  gsize size = 0, n;

  if (!g_file_get_contents (path, &bytes, &size, NULL))
    return NULL;
  loader = make_loader ((const guint8 *) bytes, size);
  g_signal_connect (loader, "area-prepared", G_CALLBACK (on_area_prepared),
      NULL);
  g_signal_connect (loader, "area-updated", G_CALLBACK (on_area_updated), &any);
  /* That of PNG says nothing of a piece of the file that is damaged. */
  n = MIN (size, HEADER_SIZE);
  if (gdk_pixbuf_loader_write (loader, (const guchar *) bytes, n, NULL))
    gdk_pixbuf_loader_write (loader, (const guchar *) bytes + n, size - n,
        NULL);
  gdk_pixbuf_loader_close (loader, NULL);
  if (any && (pixbuf = gdk_pixbuf_loader_get_pixbuf (loader)))
    g_object_ref (pixbuf);
  return pixbuf;
}

/* Returns gdk-pixbuf's message without the prefix that names the file. */
static char *
reason_of (const GError *error)
{
  const char *name_end = strstr (error->message, "”: ");

  return g_strdup (name_end ? name_end + strlen ("”: ") : error->message);
}

static GdkPixbuf *
load (const char *path, char **damage, GError **error)
{
  g_autoptr (GError) failure = NULL;
  GdkPixbuf *pixbuf = gdk_pixbuf_new_from_file (path, &failure);
  g_autofree char *reason = NULL;

  if (g_error_matches (failure, GDK_PIXBUF_ERROR,
          GDK_PIXBUF_ERROR_UNKNOWN_TYPE)) {
    g_clear_error (&failure);
    pixbuf = load_by_loader (path, &failure);
  }
  if (pixbuf) {
    *damage = tool_jpeg_find_damage (path);
    if (!*damage)
      *damage = tool_gif_find_damage (path);
    if (!*damage)
      *damage = tool_container_find_damage (path);
    return pixbuf;
  }
  pixbuf = load_part (path);
  if (pixbuf) {
    *damage = reason_of (failure);
  } else {
    reason = reason_of (failure);
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED, reason);
  }
  return pixbuf;
}

gboolean
tool_picture_load (const char *source, const char *path, ToolFrame *frame,
    char **damage, GError **error)
{
  GdkPixbuf *upright;
  g_autoptr (GdkPixbuf) pixbuf = NULL;

  *damage = NULL;
  pixbuf = load (path, damage, error);
  if (!pixbuf)
    return FALSE;
  upright = gdk_pixbuf_apply_embedded_orientation (pixbuf);
  memset (frame, 0, sizeof *frame);
  frame->source = source;
  frame->timestamp = -1;
  frame->pixels = upright;
  frame->free_pixels = g_object_unref;
  tool_pixbuf_to_image (upright, &frame->image);
  return TRUE;
}

void
tool_pixbuf_to_image (gpointer data, Y10Image *image)
{
  GdkPixbuf *pixbuf = data;

  image->size = sizeof *image;
  image->format = gdk_pixbuf_get_has_alpha (pixbuf) ? Y10_PIXEL_RGBA
                                                    : Y10_PIXEL_RGB;
  image->memory = Y10_MEMORY_HOST;
  image->width = (guint) gdk_pixbuf_get_width (pixbuf);
  image->height = (guint) gdk_pixbuf_get_height (pixbuf);
  image->plane[0] = gdk_pixbuf_read_pixels (pixbuf);
  image->stride[0] = (gsize) gdk_pixbuf_get_rowstride (pixbuf);
}

gboolean
tool_picture_recognise (const guint8 *start, gsize n)
{
  g_autoptr (GdkPixbufLoader) loader = make_loader (start, n);
  g_autoptr (GError) error = NULL;

  /* The loader detects the format once it has enough data, or at its close. */
  if (gdk_pixbuf_loader_write (loader, start, n, &error))
    gdk_pixbuf_loader_close (loader, &error);
  else
    gdk_pixbuf_loader_close (loader, NULL);
  return n
      && !g_error_matches (error, GDK_PIXBUF_ERROR,
          GDK_PIXBUF_ERROR_UNKNOWN_TYPE);
}

static const char *
save_type (const char *path)
{
  const char *dot = strrchr (path, '.');

  if (dot
      && (!g_ascii_strcasecmp (dot, ".jpg")
          || !g_ascii_strcasecmp (dot, ".jpeg")))
    return "jpeg";
  if (dot && !g_ascii_strcasecmp (dot, ".png"))
    return "png";
  return NULL;
}

gboolean
tool_picture_can_save (const char *path)
{
  return save_type (path) != NULL;
}

gboolean
tool_picture_save (const char *path, const Y10Image *image, GError **error)
{
  const char *type = save_type (path);
  gboolean ok, alpha = image->format == Y10_PIXEL_RGBA;
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new_from_data (image->plane[0],
      GDK_COLORSPACE_RGB, alpha, 8, (int) image->width, (int) image->height,
      (int) image->stride[0], NULL, NULL);

  if (type && !strcmp (type, "jpeg"))
    ok = gdk_pixbuf_save (pixbuf, path, type, error, "quality", "95", NULL);
  else
    ok = gdk_pixbuf_save (pixbuf, path, "png", error, NULL);
  return ok;
}

#else /* !HAVE_PIXBUF */

gboolean
tool_picture_probe (const char *path)
{
  return FALSE;
}

gboolean
tool_picture_recognise (const guint8 *start, gsize n)
{
  return FALSE;
}

static gboolean
unsupported (GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "this y10 was built without gdk-pixbuf and cannot read pictures");
  return FALSE;
}

gboolean
tool_picture_load (const char *source, const char *path, ToolFrame *frame,
    char **damage, GError **error)
{
  return unsupported (error);
}

gboolean
tool_picture_can_save (const char *path)
{
  return FALSE;
}

gboolean
tool_picture_save (const char *path, const Y10Image *image, GError **error)
{
  return unsupported (error);
}

#endif
