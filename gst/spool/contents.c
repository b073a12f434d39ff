/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Locks the folder of a spool, and finds out what earlier processes have left in it. All
 * of that is untrusted: files may be missing, torn or of another kind. */
#include "spool/contents.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/folder.h"

/* Finds the segments of earlier processes. The wall clock may jump, so it is asked only
 * once how old they are. */
static gboolean
find_segments (const gchar *path, GstY10Contents *found, GError **error)
{
  const gint64 now = g_get_real_time (), clock = g_get_monotonic_time ();
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
  const gboolean ok = gst_y10_folder_list (path, numbers, error);

  for (guint i = 0; i < numbers->len; i++) {
    GstY10Segment segment = { .number = g_array_index (numbers, guint64, i) };
    gchar name[GST_Y10_SEGMENT_NAME_SIZE];
    struct stat status;

    gst_y10_folder_make_name (segment.number, name);
    if (fstatat (found->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0
        || !S_ISREG (status.st_mode))
      continue;
    segment.size = (guint64) status.st_size;
    segment.written_at = clock
        - MAX (0, now - (gint64) status.st_mtim.tv_sec * G_USEC_PER_SEC);
    g_array_append_val (found->segments, segment);
    found->bytes += segment.size;
    found->next = MAX (found->next, segment.number + 1);
  }
  return ok;
}

/* What a process that was killed has written is not synced. */
static void
sync_last (const GstY10Contents *found)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];
  int file;

  if (!found->segments->len)
    return;
  gst_y10_folder_make_name (g_array_index (found->segments, GstY10Segment,
                                found->segments->len - 1)
                                .number,
      name);
  file = gst_y10_folder_open_file (found->folder, name);
  if (file < 0)
    return;
  fdatasync (file);
  close (file);
}

static void
read_state (GstY10Contents *found)
{
  gchar text[GST_Y10_STATE_SIZE];

  gst_y10_naming_init (&found->naming, found->folder);
  if (gst_y10_folder_read (found->folder, "state", text, sizeof text)
      && gst_y10_naming_read (&found->naming, text, found->next))
    found->next = found->naming.next;
}

gboolean
gst_y10_contents_write_state (int folder, const gchar *path,
    const GstY10Naming *naming, guint64 next, GError **error)
{
  gchar text[GST_Y10_STATE_SIZE];

  gst_y10_naming_write (naming, next, text);
  return gst_y10_folder_replace (folder, path, "state", text, error);
}

static void
read_mark (GstY10Contents *found, const gchar *file, const gchar *name)
{
  GstY10Mark mark = { .name = g_intern_string (name) };
  gchar text[128];

  if (gst_y10_folder_read (found->folder, file, text, sizeof text)
      && sscanf (text,
             "segment=%" G_GUINT64_FORMAT "\noffset=%" G_GUINT64_FORMAT "\n",
             &mark.at.segment, &mark.at.offset)
          == 2
      && mark.at.segment < found->next)
    g_array_append_val (found->marks, mark);
}

/* Those of followers that are not there now keep segments, too. */
static void
find_marks (const gchar *path, GstY10Contents *found)
{
  GDir *folder = g_dir_open (path, 0, NULL);
  const gchar *file;

  while (folder && (file = g_dir_read_name (folder))) {
    if (!strcmp (file, GST_Y10_MARK_FILE))
      read_mark (found, file, "");
    else if (g_str_has_prefix (file, GST_Y10_MARK_FILE "."))
      read_mark (found, file, file + strlen (GST_Y10_MARK_FILE "."));
  }
  g_clear_pointer (&folder, g_dir_close);
}

static gboolean
read_all (const gchar *path, GstY10Contents *found, GError **error)
{
  found->lock_file = gst_y10_folder_lock (found->folder, path, error);
  if (found->lock_file < 0 || !find_segments (path, found, error))
    return FALSE;
  read_state (found);
  find_marks (path, found);
  sync_last (found);
  return gst_y10_contents_write_state (found->folder, path, &found->naming,
      found->next, error);
}

static void
close_file (int *file)
{
  if (*file >= 0)
    close (*file);
  *file = -1;
}

/**
 * gst_y10_contents_find:
 * @found: (out): what is in the folder, which is locked until its files are closed
 * @path: of the folder, which is made if only its last part is missing
 * @mode: see gst_y10_folder_open()
 * @next: the least number of a new segment
 *
 * Returns: whether lines can be written there; else sets an error, and nothing is open
 */
gboolean
gst_y10_contents_find (GstY10Contents *found, const gchar *path, guint mode,
    guint64 next, GError **error)
{
  *found = (GstY10Contents){ .folder = gst_y10_folder_open (path, mode, error),
    .lock_file = -1,
    .next = next };
  if (found->folder < 0)
    return FALSE;
  found->segments = g_array_new (FALSE, FALSE, sizeof (GstY10Segment));
  found->marks = g_array_new (FALSE, FALSE, sizeof (GstY10Mark));
  if (read_all (path, found, error))
    return TRUE;
  g_array_unref (found->segments);
  g_array_unref (found->marks);
  close_file (&found->lock_file);
  close_file (&found->folder);
  return FALSE;
}
