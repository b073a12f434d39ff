/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads animated GIFs frame by frame, as gdk-pixbuf composes them. The timestamp
 * of a frame is the sum of the delays before it. Each animation is read once;
 * the loop count in the file is ignored. */

#include "config.h"

#include <string.h>

#include "media/animation.h"
#include "media/frame.h"
#include "media/gif.h"
#include "media/picture.h"

#ifdef HAVE_PIXBUF

/* gdk-pixbuf has no replacement for the deprecated GTimeVal here. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS

struct _ToolAnimation
{
  const char *source; /* borrowed */
  GdkPixbufAnimation *animation;
  GdkPixbufAnimationIter *iter;
  gint64 time; /* of the next frame, milliseconds */
  guint64 n_frames;
  gboolean ended;
};

static GTimeVal
time_val (gint64 ms)
{
  /* Start at 1 s: some functions of gdk-pixbuf treat 0 as the current time. */
  GTimeVal time = {
    .tv_sec = (glong) (1 + ms / 1000),
    .tv_usec = (glong) (ms % 1000 * 1000),
  };

  return time;
}

ToolAnimation *
tool_animation_open (const char *source, const char *path, char **damage)
{
  const GTimeVal start = time_val (0);
  g_autoptr (GdkPixbufAnimation) animation = tool_gif_load (path, damage);
  ToolAnimation *self;

  if (!animation || gdk_pixbuf_animation_is_static_image (animation)) {
    g_clear_pointer (damage, g_free);
    return NULL;
  }
  self = g_new0 (ToolAnimation, 1);
  self->source = source;
  self->iter = gdk_pixbuf_animation_get_iter (animation, &start);
  self->animation = g_steal_pointer (&animation);
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
  /* Copy: the iterator composes the next frame in the same memory. */
  shown = gdk_pixbuf_copy (gdk_pixbuf_animation_iter_get_pixbuf (self->iter));
  memset (frame, 0, sizeof *frame);
  frame->source = self->source;
  frame->timestamp = self->time * 1000000;
  frame->number = self->n_frames++;
  tool_pixbuf_to_image (shown, &frame->image);
  frame->pixels = shown;
  frame->free_pixels = g_object_unref;

  delay = gdk_pixbuf_animation_iter_get_delay_time (self->iter);
  /* In a truncated file, the frame being loaded is the last one. */
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
