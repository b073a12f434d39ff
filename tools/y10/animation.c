/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Animated GIFs, frame by frame as gdk-pixbuf composes them. A frame's time is
 * the sum of the delays before it; the animation is shown once, however often
 * the file wants it repeated. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tool.h"

#ifdef HAVE_PIXBUF

#include <gdk-pixbuf/gdk-pixbuf.h>

/* gdk-pixbuf has no replacement for the times of an animation. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS

struct _ToolAnimation
{
  const char *source;           /* borrowed */
  GdkPixbufAnimation *animation;
  GdkPixbufAnimationIter *iter;
  gint64 time;                  /* of the next frame, milliseconds */
  guint64 n_frames;
  gboolean ended;
};

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

static GTimeVal
time_val (gint64 ms)
{
  /* Not 0, which gdk-pixbuf takes for "now" here and there. */
  GTimeVal time = {.tv_sec = (glong) (1 + ms / 1000),
    .tv_usec = (glong) (ms % 1000 * 1000)
  };

  return time;
}

/* NULL when @path is no GIF; @damage where not all of it was there. */
static GdkPixbufAnimation *
load (const char *path, char **damage)
{
  GdkPixbufAnimation *animation;
  GdkPixbufLoader *loader;
  GError *error = NULL;
  char *bytes = NULL;
  gsize size;

  *damage = NULL;
  if (!is_gif (path) || !g_file_get_contents (path, &bytes, &size, NULL))
    return NULL;
  /* Which gives what there is and then complains; other calls do either. */
  loader = gdk_pixbuf_loader_new ();
  if (gdk_pixbuf_loader_write (loader, (const guchar *) bytes, size, &error))
    gdk_pixbuf_loader_close (loader, &error);
  else
    gdk_pixbuf_loader_close (loader, NULL);
  g_free (bytes);
  animation = gdk_pixbuf_loader_get_animation (loader);
  if (animation)
    g_object_ref (animation);
  *damage = error ? g_strdup (error->message) : NULL;
  g_clear_error (&error);
  g_object_unref (loader);
  return animation;
}

char *
tool_gif_find_damage (const char *path)
{
  char *damage;
  GdkPixbufAnimation *animation = load (path, &damage);

  g_clear_object (&animation);
  return damage;
}

ToolAnimation *
tool_animation_open (const char *source, const char *path, char **damage)
{
  const GTimeVal start = time_val (0);
  GdkPixbufAnimation *animation = load (path, damage);
  ToolAnimation *self;

  if (!animation || gdk_pixbuf_animation_is_static_image (animation)) {
    g_clear_object (&animation);
    g_clear_pointer (damage, g_free);
    return NULL;
  }
  self = g_new0 (ToolAnimation, 1);
  self->source = source;
  self->animation = animation;
  self->iter = gdk_pixbuf_animation_get_iter (animation, &start);
  return self;
}

gboolean
tool_animation_next (ToolAnimation *self, ToolFrame *frame)
{
  GdkPixbuf *shown;
  GTimeVal next;
  int delay;

  if (self->ended)
    return FALSE;
  /* The iterator composes the next frame in the same memory. */
  shown = gdk_pixbuf_copy (gdk_pixbuf_animation_iter_get_pixbuf (self->iter));
  memset (frame, 0, sizeof *frame);
  frame->source = self->source;
  frame->timestamp = self->time * 1000000;
  frame->number = self->n_frames++;
  tool_pixbuf_to_image (shown, &frame->image);
  frame->pixels = shown;
  frame->free_pixels = g_object_unref;

  delay = gdk_pixbuf_animation_iter_get_delay_time (self->iter);
  /* What is being loaded is the last one that there is. */
  self->ended = delay < 0
      || gdk_pixbuf_animation_iter_on_currently_loading_frame (self->iter);
  self->time += MAX (delay, 0);
  next = time_val (self->time);
  if (!self->ended)
    gdk_pixbuf_animation_iter_advance (self->iter, &next);
  return TRUE;
}

void
tool_animation_close (ToolAnimation *self)
{
  g_object_unref (self->iter);
  g_object_unref (self->animation);
  g_free (self);
}

G_GNUC_END_IGNORE_DEPRECATIONS

#else /* !HAVE_PIXBUF */

char *
tool_gif_find_damage (const char *path)
{
  return NULL;
}

ToolAnimation *
tool_animation_open (const char *source, const char *path, char **damage)
{
  return NULL;
}

gboolean
tool_animation_next (ToolAnimation *self, ToolFrame *frame)
{
  return FALSE;
}

void
tool_animation_close (ToolAnimation *self)
{
}

#endif
