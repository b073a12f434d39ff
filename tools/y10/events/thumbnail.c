/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Scales pictures down. gdk-pixbuf has libjpeg decode them at an eighth to all of their
 * size, so memory is that of little more than the result. */

#include "config.h"

#ifdef HAVE_SERVE

#include "events/thumbnail.h"

#ifdef HAVE_PIXBUF

#include <gdk-pixbuf/gdk-pixbuf.h>

#define WIDTH 320
#define MAX_SIZE 16384 /* pixels of a side */
#define MAX_MAKING 4

typedef struct
{
  GBytes *picture;
  ServeThumbnailFunc done;
  gpointer user;
} Making;

static guint n_making;

static void
on_size (GdkPixbufLoader *loader, int width, int height, gpointer unused)
{
  if (width <= WIDTH || width > MAX_SIZE || height > MAX_SIZE)
    gdk_pixbuf_loader_set_size (loader, 0, 0); /* it need not be decoded */
  else
    gdk_pixbuf_loader_set_size (loader, WIDTH, MAX (height * WIDTH / width, 1));
}

static GBytes *
scale (GBytes *picture)
{
  g_autoptr (GdkPixbufLoader)
      loader = gdk_pixbuf_loader_new_with_type ("jpeg", NULL);
  GdkPixbuf *pixbuf = NULL;
  gboolean ok;
  char *data;
  gsize size;

  if (!loader)
    return NULL;
  g_signal_connect (loader, "size-prepared", G_CALLBACK (on_size), NULL);
  ok = gdk_pixbuf_loader_write_bytes (loader, picture, NULL);
  ok = gdk_pixbuf_loader_close (loader, NULL) && ok;
  if (ok)
    pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  ok = pixbuf
      && gdk_pixbuf_save_to_buffer (pixbuf, &data, &size, "jpeg", NULL,
          "quality", "80", NULL);
  return ok ? g_bytes_new_take (data, size) : NULL;
}

static void
make (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Making *making = data;

  g_task_return_pointer (task, scale (making->picture),
      (GDestroyNotify) g_bytes_unref);
}

static void
on_made (GObject *source, GAsyncResult *result, gpointer unused)
{
  const Making *making = g_task_get_task_data (G_TASK (result));
  g_autoptr (GBytes) small = g_task_propagate_pointer (G_TASK (result), NULL);

  n_making--;
  making->done (small, making->user);
}

static void
free_making (gpointer data)
{
  Making *making = data;

  g_bytes_unref (making->picture);
  g_free (making);
}

gboolean
serve_thumbnail_make (GBytes *picture, ServeThumbnailFunc done, gpointer user)
{
  Making *making;
  g_autoptr (GTask) task = NULL;

  if (n_making >= MAX_MAKING)
    return FALSE;
  n_making++;
  making = g_new0 (Making, 1);
  making->picture = g_bytes_ref (picture);
  making->done = done;
  making->user = user;
  task = g_task_new (NULL, NULL, on_made, NULL);
  g_task_set_task_data (task, making, free_making);
  g_task_run_in_thread (task, make);
  return TRUE;
}

#else

gboolean
serve_thumbnail_make (GBytes *picture, ServeThumbnailFunc done, gpointer user)
{
  return FALSE;
}

#endif

#endif
