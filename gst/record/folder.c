/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Names are NUMBER_TIME.mp4. The number alone gives the order, so that a clock that is set
 * back neither reorders recordings nor lets one replace another. What is not named so is
 * never deleted. */
#include "record/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct _GstY10RecordFolder
{
  gchar *path;
  int fd;
  guint64 number; /* of the last name */
};

typedef struct
{
  guint64 number;
  guint64 size; /* bytes */
  gint64 time;  /* of the last write, seconds since 1970 */
  gchar *name;
} Recording;

static void
clear_recording (gpointer data)
{
  g_free (((Recording *) data)->name);
}

/* The number of a recording; 0 for other files. */
static guint64
get_number (const gchar *name)
{
  static const char pattern[] = "_0000-00-00T00-00-00Z.mp4";
  gchar *end;
  guint64 number;

  if (!g_ascii_isdigit (*name))
    return 0;
  number = g_ascii_strtoull (name, &end, 10);
  if (strlen (end) != sizeof pattern - 1)
    return 0;
  for (guint i = 0; pattern[i]; i++)
    if (pattern[i] == '0' && i < sizeof pattern - 5 ? !g_ascii_isdigit (end[i])
                                                    : pattern[i] != end[i])
      return 0;
  return number;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const guint64 first = ((const Recording *) a)->number;
  const guint64 second = ((const Recording *) b)->number;

  return (first > second) - (first < second);
}

/* The recordings, the oldest first. */
static GArray *
list (const GstY10RecordFolder *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder->path, 0, error);
  GArray *found;
  const gchar *name;

  if (!dir)
    return NULL;
  found = g_array_new (FALSE, FALSE, sizeof (Recording));
  g_array_set_clear_func (found, clear_recording);
  while ((name = g_dir_read_name (dir))) {
    Recording recording = { .number = get_number (name) };
    struct stat status;

    if (recording.number == 0
        || fstatat (folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0
        || !S_ISREG (status.st_mode))
      continue;
    recording.size = (guint64) status.st_blocks * 512;
    recording.time = status.st_mtime;
    recording.name = g_strdup (name);
    g_array_append_val (found, recording);
  }
  g_array_sort (found, compare);
  return found;
}

/**
 * gst_y10_record_folder_open:
 * @path: of the folder, which is made if it is missing
 * @error: set if it cannot be written
 *
 * Returns: (transfer full) (nullable):
 */
GstY10RecordFolder *
gst_y10_record_folder_open (const gchar *path, GError **error)
{
  GstY10RecordFolder *folder = g_new0 (GstY10RecordFolder, 1);
  g_autoptr (GArray) found = NULL;

  folder->path = g_strdup (path);
  folder->fd = -1;
  if (g_mkdir_with_parents (path, 0750) == 0)
    folder->fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->fd < 0 || faccessat (folder->fd, ".", W_OK, 0) != 0) {
    const int saved = errno;

    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
        "location: %s: %s; expected a folder that can be written", path,
        g_strerror (saved));
  } else if ((found = list (folder, error))) {
    if (found->len > 0)
      folder->number = g_array_index (found, Recording, found->len - 1).number;
    return folder;
  }
  gst_y10_record_folder_close (folder);
  return NULL;
}

void
gst_y10_record_folder_close (GstY10RecordFolder *folder)
{
  if (folder->fd >= 0)
    close (folder->fd);
  g_free (folder->path);
  g_free (folder);
}

int
gst_y10_record_folder_get_fd (const GstY10RecordFolder *folder)
{
  return folder->fd;
}

/* The name of the next recording, whose first frame arrived at @utc, in microseconds since
 * 1970. */
gchar *
gst_y10_record_folder_make_name (GstY10RecordFolder *folder, gint64 utc)
{
  g_autoptr (GDateTime)
      time = g_date_time_new_from_unix_utc (utc / G_USEC_PER_SEC);
  g_autofree gchar *text = g_date_time_format (time, "%Y-%m-%dT%H-%M-%SZ");

  return g_strdup_printf ("%08" G_GUINT64_FORMAT "_%s.mp4", ++folder->number,
      text);
}

/**
 * gst_y10_record_folder_delete_old:
 * @folder: a folder
 * @current: (nullable): a recording that stays
 * @max_age: since a recording was last written; 0: no limit
 * @max_bytes: that all take on the disk, the current one included; 0: no limit
 * @error: set if one cannot be deleted
 *
 * Deletes the oldest recordings until the others are within both limits.
 */
gboolean
gst_y10_record_folder_delete_old (GstY10RecordFolder *folder,
    const gchar *current, GstClockTime max_age, guint64 max_bytes,
    GError **error)
{
  const gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  g_autoptr (GArray) found = NULL;
  guint64 n_bytes = 0;

  if (max_age == 0 && max_bytes == 0)
    return TRUE;
  found = list (folder, error);
  if (!found)
    return FALSE;
  for (guint i = 0; i < found->len; i++)
    n_bytes += g_array_index (found, Recording, i).size;
  for (guint i = 0; i < found->len; i++) {
    const Recording *recording = &g_array_index (found, Recording, i);
    const gboolean is_old = max_age > 0
        && now - recording->time > (gint64) (max_age / GST_SECOND);

    if (g_strcmp0 (recording->name, current) == 0
        || (!is_old && (max_bytes == 0 || n_bytes <= max_bytes)))
      break;
    if (unlinkat (folder->fd, recording->name, 0) != 0 && errno != ENOENT) {
      const int saved = errno;

      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
          "%s/%s: deleting failed: %s", folder->path, recording->name,
          g_strerror (saved));
      return FALSE;
    }
    n_bytes -= recording->size;
  }
  return TRUE;
}
