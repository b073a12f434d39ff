/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Loads GIF files with gdk-pixbuf and detects truncated ones. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "media/gif.h"

#ifdef HAVE_PIXBUF

/* gdk-pixbuf deprecated its animations without a replacement. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS

static gboolean
is_gif (const char *path)
{
  char start[4] = "";
  FILE *file = fopen (path, "rbe");
  gboolean gif = file && fread (start, 1, 4, file) == 4
      && !memcmp (start, "GIF8", 4);

  if (file)
    fclose (file);
  return gif;
}

GdkPixbufAnimation *
tool_gif_load (const char *path, char **damage)
{
  GdkPixbufAnimation *animation;
  g_autoptr (GdkPixbufLoader) loader = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = NULL;
  gsize size;

  *damage = NULL;
  if (!is_gif (path) || !g_file_get_contents (path, &bytes, &size, NULL))
    return NULL;
  /* A loader returns both the frames that are present and the error; other
   * functions return one of the two. */
  loader = gdk_pixbuf_loader_new ();
  if (gdk_pixbuf_loader_write (loader, (const guchar *) bytes, size, &error))
    gdk_pixbuf_loader_close (loader, &error);
  else
    gdk_pixbuf_loader_close (loader, NULL);
  animation = gdk_pixbuf_loader_get_animation (loader);
  if (animation)
    g_object_ref (animation);
  *damage = error ? g_strdup (error->message) : NULL;
  return animation;
}

char *
tool_gif_find_damage (const char *path)
{
  char *damage;
  GdkPixbufAnimation *animation = tool_gif_load (path, &damage);

  g_clear_object (&animation);
  return damage;
}

G_GNUC_END_IGNORE_DEPRECATIONS

#else /* !HAVE_PIXBUF */

char *
tool_gif_find_damage (const char *path)
{
  return NULL;
}

#endif
