/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Looks for a spool by its path, at any time: where another folder is there, nothing of
 * the one before counts. */
#include "spool/view.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/folder.h"

/* The list is read anew after this time, even if the folder looks unchanged. */
#define LIST_TIME (2 * G_USEC_PER_SEC)

struct _GstY10SpoolView
{
  gchar *path;
  int folder;      /* -1: not there */
  guint n_folders; /* that were there before */
  struct timespec changed;
  gint64 listed_at;
  GArray *segments; /* guint64, in their order */
};

/**
 * gst_y10_spool_view_new:
 * @folder: path of a spool, which need not be there
 *
 * Returns: (transfer full): a view, in which nothing is found yet
 */
GstY10SpoolView *
gst_y10_spool_view_new (const gchar *folder)
{
  GstY10SpoolView *self = g_new0 (GstY10SpoolView, 1);

  self->path = g_strdup (folder);
  self->folder = -1;
  self->segments = g_array_new (FALSE, FALSE, sizeof (guint64));
  return self;
}

void
gst_y10_spool_view_free (GstY10SpoolView *self)
{
  if (self->folder >= 0)
    close (self->folder);
  g_array_unref (self->segments);
  g_free (self->path);
  g_free (self);
}

/* Returns whether a folder is there. */
static gboolean
find_folder (GstY10SpoolView *self)
{
  if (self->folder >= 0) {
    if (gst_y10_folder_is_at (AT_FDCWD, self->path, self->folder))
      return TRUE;
    close (self->folder);
    self->n_folders++;
  }
  g_array_set_size (self->segments, 0);
  self->listed_at = G_MININT64 / 2;
  self->folder = open (self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return self->folder >= 0;
}

/* Finds out which segments there are. */
void
gst_y10_spool_view_refresh (GstY10SpoolView *self)
{
  const gint64 now = g_get_monotonic_time ();
  struct stat status;

  if (!find_folder (self) || fstat (self->folder, &status) != 0
      || (!memcmp (&status.st_mtim, &self->changed, sizeof self->changed)
          && now - self->listed_at < LIST_TIME)
      || !gst_y10_folder_list (self->path, self->segments, NULL))
    return;
  self->changed = status.st_mtim;
  self->listed_at = now;
}

/* Counts the folders that were there before, as GstY10SpoolPosition does. */
guint
gst_y10_spool_view_count_folders (const GstY10SpoolView *self)
{
  return self->n_folders;
}

/* Returns: (transfer none) (element-type guint64): the numbers, in their order */
const GArray *
gst_y10_spool_view_get_segments (const GstY10SpoolView *self)
{
  return self->segments;
}

/* Whether a segment has grown for the last time: a newer one is there, or it is gone. */
gboolean
gst_y10_spool_view_is_final (const GstY10SpoolView *self, guint64 number)
{
  return !self->segments->len
      || g_array_index (self->segments, guint64, self->segments->len - 1)
      != number;
}

int
gst_y10_spool_view_open_segment (const GstY10SpoolView *self, guint64 from,
    guint64 *number)
{
  int file = -1;

  for (guint i = 0; i < self->segments->len && file < 0; i++) {
    gchar name[GST_Y10_SEGMENT_NAME_SIZE];

    *number = g_array_index (self->segments, guint64, i);
    if (*number < from)
      continue;
    gst_y10_folder_make_name (*number, name);
    file = gst_y10_folder_open_file (self->folder, name);
  }
  return file;
}
