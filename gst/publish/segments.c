/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which file a line goes to, and keeps what makes (producer, segment, offset) a
 * name for ever: a segment is created once, under a number that the state on disk has
 * given away before; only this process appends to it, and it ends at the first error. So
 * bytes that followers have seen are never written again, whatever power loss takes.
 * Segments go as a whole: for their age, or for their size where that exceeds the limit;
 * only the latter takes lines that a follower still needs. */
#include "publish/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "publish/folder.h"

#define MAX_SEGMENT (16 << 20)
#define MIN_SEGMENT 4096

/* A limit takes at least so many segments, or each removal would take too much. */
#define SEGMENTS_PER_LIMIT 8

typedef struct
{
  guint64 number;
  guint64 size; /* what is safe of it */
  gint64
      written_at; /* its last line, monotonic; earlier processes' by their age */
} Segment;

struct _GstY10Segments
{
  gchar *path;
  int folder, lock_file;
  guint64 max_bytes, segment_bytes;
  gint64 max_age;
  gboolean is_followed;
  gchar producer[17];

  /* Writer's thread. */
  int file; /* the last segment; -1: the next line begins one */
  gint64 began_at;

  GMutex lock;
  GArray *segments; /* Segment, in their order */
  guint64 next;
  guint64 bytes, removed_unacknowledged;
  GstY10SpoolPosition acknowledged;
  gboolean must_save_acknowledged;
};

static Segment *
get_segment (GstY10Segments *self, guint i)
{
  return &g_array_index (self->segments, Segment, i);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const Segment *first = a, *second = b;

  return first->number < second->number ? -1 : first->number > second->number;
}

/* Finds the segments of earlier processes. The wall clock may jump, so it is asked only
 * once how old they are. */
static gboolean
find_segments (GstY10Segments *self, GError **error)
{
  GDir *dir = g_dir_open (self->path, 0, error);
  const gint64 now = g_get_real_time (), clock = g_get_monotonic_time ();
  const gchar *name;

  if (!dir)
    return FALSE;
  while ((name = g_dir_read_name (dir))) {
    Segment segment = { .number = gst_y10_folder_parse_name (name) };
    struct stat status;

    if (!segment.number
        || fstatat (self->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0
        || !S_ISREG (status.st_mode))
      continue;
    segment.size = (guint64) status.st_size;
    segment.written_at = clock
        - MAX (0, now - (gint64) status.st_mtim.tv_sec * G_USEC_PER_SEC);
    g_array_append_val (self->segments, segment);
    self->bytes += segment.size;
    self->next = MAX (self->next, segment.number + 1);
  }
  g_dir_close (dir);
  g_array_sort (self->segments, compare);
  return TRUE;
}

/* What a process that was killed has written is not synced. */
static void
sync_last (GstY10Segments *self)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];
  int file;

  if (!self->segments->len)
    return;
  gst_y10_folder_make_name (get_segment (self, self->segments->len - 1)->number,
      name);
  file = openat (self->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return;
  fdatasync (file);
  close (file);
}

/* A folder without its state gets another producer, whose numbers nobody has seen. */
static void
read_state (GstY10Segments *self)
{
  gchar text[128], producer[17];
  guint64 next;

  if (gst_y10_folder_read (self->folder, "state", text, sizeof text)
      && sscanf (text, "producer=%16[0-9a-f]\nnext=%" G_GUINT64_FORMAT "\n",
             producer, &next)
          == 2
      && strlen (producer) == 16 && next < G_MAXINT64) {
    memcpy (self->producer, producer, sizeof producer);
    self->next = MAX (self->next, next);
  } else {
    g_snprintf (self->producer, sizeof self->producer, "%08x%08x",
        g_random_int (), g_random_int ());
  }
}

static gboolean
write_state (GstY10Segments *self, guint64 next, GError **error)
{
  gchar text[128];

  g_snprintf (text, sizeof text, "producer=%s\nnext=%" G_GUINT64_FORMAT "\n",
      self->producer, next);
  return gst_y10_folder_replace (self->folder, self->path, "state", text,
      error);
}

static void
read_acknowledged (GstY10Segments *self)
{
  GstY10SpoolPosition position;
  gchar text[128];

  if (gst_y10_folder_read (self->folder, "acknowledged", text, sizeof text)
      && sscanf (text,
             "segment=%" G_GUINT64_FORMAT "\noffset=%" G_GUINT64_FORMAT "\n",
             &position.segment, &position.offset)
          == 2
      && position.segment < self->next)
    self->acknowledged = position;
}

static void
save_acknowledged (GstY10Segments *self)
{
  GstY10SpoolPosition position;
  gchar text[128];
  gboolean must;

  g_mutex_lock (&self->lock);
  position = self->acknowledged;
  must = self->must_save_acknowledged;
  self->must_save_acknowledged = FALSE;
  g_mutex_unlock (&self->lock);
  if (!must)
    return;
  g_snprintf (text, sizeof text,
      "segment=%" G_GUINT64_FORMAT "\noffset=%" G_GUINT64_FORMAT "\n",
      position.segment, position.offset);
  if (gst_y10_folder_replace (self->folder, self->path, "acknowledged", text,
          NULL))
    return;
  g_mutex_lock (&self->lock);
  self->must_save_acknowledged = TRUE;
  g_mutex_unlock (&self->lock);
}

static gboolean
open_files (GstY10Segments *self, GError **error)
{
  self->folder = gst_y10_folder_open (self->path, error);
  if (self->folder < 0)
    return FALSE;
  self->lock_file = gst_y10_folder_lock (self->folder, self->path, error);
  if (self->lock_file < 0)
    return FALSE;
  if (!find_segments (self, error))
    return FALSE;
  read_state (self);
  read_acknowledged (self);
  sync_last (self);
  return write_state (self, self->next, error);
}

/**
 * gst_y10_segments_open:
 * @folder: path of the folder, which is made if only its last part is missing
 * @config: how much to keep
 *
 * Locks a folder, and finds out what is in it.
 *
 * Returns: (transfer full): its segments, or %NULL with an error
 */
GstY10Segments *
gst_y10_segments_open (const gchar *folder, const GstY10SpoolConfig *config,
    GError **error)
{
  GstY10Segments *self = g_new0 (GstY10Segments, 1);
  const guint64 part = config->max_bytes / SEGMENTS_PER_LIMIT;

  self->path = g_strdup (folder);
  self->folder = self->lock_file = self->file = -1;
  self->max_age = config->max_age;
  self->max_bytes = config->max_bytes;
  self->segment_bytes = config->max_bytes
      ? CLAMP (part, MIN_SEGMENT, MAX_SEGMENT)
      : MAX_SEGMENT;
  self->is_followed = config->is_followed;
  self->segments = g_array_new (FALSE, FALSE, sizeof (Segment));
  self->next = 1;
  g_mutex_init (&self->lock);
  if (open_files (self, error))
    return self;
  gst_y10_segments_close (self);
  return NULL;
}

void
gst_y10_segments_close (GstY10Segments *self)
{
  if (!self)
    return;
  if (self->folder >= 0)
    save_acknowledged (self);
  if (self->file >= 0)
    close (self->file);
  if (self->lock_file >= 0)
    close (self->lock_file);
  if (self->folder >= 0)
    close (self->folder);
  g_array_unref (self->segments);
  g_mutex_clear (&self->lock);
  g_free (self->path);
  g_free (self);
}

/* Ends the segment that lines go to. Bytes that are not safe go, too: they are written
 * again, to another one. */
static void
end_segment (GstY10Segments *self)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];
  Segment last;

  if (self->file < 0)
    return;
  g_mutex_lock (&self->lock);
  last = *get_segment (self, self->segments->len - 1);
  if (!last.size)
    g_array_set_size (self->segments, self->segments->len - 1);
  g_mutex_unlock (&self->lock);
  if (last.size) {
    /* Whoever reads in this process stops at the size anyway. */
    if (ftruncate (self->file, (off_t) last.size) != 0)
      errno = 0;
  } else {
    gst_y10_folder_make_name (last.number, name);
    unlinkat (self->folder, name, 0);
  }
  close (self->file);
  self->file = -1;
}

static gboolean
begin_segment (GstY10Segments *self, GError **error)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];
  Segment segment = { .number = self->next };
  int file;

  g_mutex_lock (&self->lock);
  self->next++;
  g_mutex_unlock (&self->lock);
  if (!write_state (self, self->next, error))
    return FALSE;
  gst_y10_folder_make_name (segment.number, name);
  file = openat (self->folder, name,
      O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0)
    return gst_y10_folder_fail ("make", self->path, name, error);
  /* Some file systems cannot sync folders. */
  if (fsync (self->folder) != 0 && errno != EINVAL) {
    gst_y10_folder_fail ("sync", self->path, name, error);
    close (file);
    unlinkat (self->folder, name, 0);
    return FALSE;
  }
  gst_y10_folder_link (self->folder, "current.jsonl", name);
  self->file = file;
  self->began_at = segment.written_at = g_get_monotonic_time ();
  g_mutex_lock (&self->lock);
  g_array_append_val (self->segments, segment);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/* Whether the next line begins another segment. */
static gboolean
is_full (GstY10Segments *self)
{
  const guint64 size = get_segment (self, self->segments->len - 1)->size;

  return size >= self->segment_bytes
      || (self->max_age
          && g_get_monotonic_time () - self->began_at
              > self->max_age / SEGMENTS_PER_LIMIT);
}

/* How much of @text goes into one segment: whole lines, at least one. */
static gsize
find_part (const GstY10Segments *self, const gchar *text, gsize length,
    guint64 size)
{
  const guint64 room = self->segment_bytes - MIN (size, self->segment_bytes);
  const gchar *end;

  /* Without text there is nothing, which a compiler with sanitizers wants to read. */
  if (length <= room || !text)
    return length;
  end = room ? memrchr (text, '\n', (gsize) room) : NULL;
  if (!end)
    end = memchr (text, '\n', length);
  return end ? (gsize) (end - text) + 1 : length;
}

static gboolean
append_part (GstY10Segments *self, const gchar *text, gsize length,
    GError **error)
{
  if (!gst_y10_folder_write (self->file, text, length)
      || fdatasync (self->file) != 0) {
    gchar name[GST_Y10_SEGMENT_NAME_SIZE];

    gst_y10_folder_make_name (get_segment (self, self->segments->len - 1)
                                  ->number,
        name);
    gst_y10_folder_fail ("write", self->path, name, error);
    end_segment (self);
    return FALSE;
  }
  g_mutex_lock (&self->lock);
  {
    Segment *segment = get_segment (self, self->segments->len - 1);

    segment->size += length;
    segment->written_at = g_get_monotonic_time ();
    self->bytes += length;
  }
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/* Counts the lines of a segment behind @offset. */
static guint64
count_lines (GstY10Segments *self, const gchar *name, guint64 offset)
{
  const int file = openat (self->folder, name,
      O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  gchar part[16384];
  guint64 n_lines = 0;
  gssize n;

  while (
      file >= 0 && (n = pread (file, part, sizeof part, (off_t) offset)) > 0) {
    for (gssize i = 0; i < n; i++)
      n_lines += part[i] == '\n';
    offset += (guint64) n;
  }
  if (file >= 0)
    close (file);
  return n_lines;
}

/* Whether the follower is done with a segment. Call with the lock held. */
static gboolean
is_acknowledged (const GstY10Segments *self, const Segment *segment)
{
  return self->acknowledged.segment > segment->number
      || (self->acknowledged.segment == segment->number
          && self->acknowledged.offset >= segment->size);
}

/* Removes the first segment. */
static void
remove_first (GstY10Segments *self)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];
  GstY10SpoolPosition acknowledged;
  gboolean is_needed;
  guint64 n_lines = 0;
  Segment segment;

  if (self->segments->len == 1)
    end_segment (self);
  g_mutex_lock (&self->lock);
  segment = *get_segment (self, 0);
  acknowledged = self->acknowledged;
  is_needed = self->is_followed && !is_acknowledged (self, &segment);
  g_mutex_unlock (&self->lock);
  gst_y10_folder_make_name (segment.number, name);
  if (is_needed)
    n_lines = count_lines (self, name,
        acknowledged.segment == segment.number ? acknowledged.offset : 0);
  unlinkat (self->folder, name, 0);
  g_mutex_lock (&self->lock);
  g_array_remove_index (self->segments, 0);
  self->bytes -= segment.size;
  self->removed_unacknowledged += n_lines;
  g_mutex_unlock (&self->lock);
}

/* Whether the first segment has to go. Only the writer changes the list. */
static gboolean
must_go (GstY10Segments *self)
{
  const Segment *first = get_segment (self, 0);
  gboolean is_needed;

  if (self->max_bytes && self->bytes > self->max_bytes
      && self->segments->len > 1)
    return TRUE;
  if (!self->max_age || !first->size
      || g_get_monotonic_time () - first->written_at <= self->max_age)
    return FALSE;
  g_mutex_lock (&self->lock);
  is_needed = self->is_followed && !is_acknowledged (self, first);
  g_mutex_unlock (&self->lock);
  return !is_needed;
}

/**
 * gst_y10_segments_append:
 * @self: segments
 * @text: whole lines
 * @length: of @text, in bytes
 * @done: (inout): increased by what is safe now
 *
 * Appends and syncs lines. What is not safe is in no segment.
 *
 * Returns: whether all are safe; else sets an error, and the next call begins another
 *   segment
 */
gboolean
gst_y10_segments_append (GstY10Segments *self, const gchar *text, gsize length,
    gsize *done, GError **error)
{
  while (length) {
    gsize part;

    while (self->segments->len && must_go (self))
      remove_first (self);
    if (self->file >= 0 && is_full (self))
      end_segment (self);
    if (self->file < 0 && !begin_segment (self, error))
      return FALSE;
    part = find_part (self, text, length,
        get_segment (self, self->segments->len - 1)->size);
    if (!append_part (self, text, part, error))
      return FALSE;
    text += part;
    length -= part;
    *done += part;
  }
  return TRUE;
}

/* What is to be done from time to time. */
void
gst_y10_segments_tend (GstY10Segments *self)
{
  while (self->segments->len && must_go (self))
    remove_first (self);
  save_acknowledged (self);
}

const gchar *
gst_y10_segments_get_producer (const GstY10Segments *self)
{
  return self->producer;
}

GstY10SpoolPosition
gst_y10_segments_get_synced (GstY10Segments *self)
{
  GstY10SpoolPosition position;

  g_mutex_lock (&self->lock);
  position.segment = self->next;
  position.offset = 0;
  if (self->segments->len) {
    const Segment *last = get_segment (self, self->segments->len - 1);

    position.segment = last->number;
    position.offset = last->size;
  }
  g_mutex_unlock (&self->lock);
  return position;
}

GstY10SpoolPosition
gst_y10_segments_get_acknowledged (GstY10Segments *self)
{
  GstY10SpoolPosition position;

  g_mutex_lock (&self->lock);
  position = self->acknowledged;
  g_mutex_unlock (&self->lock);
  return position;
}

void
gst_y10_segments_acknowledge (GstY10Segments *self,
    GstY10SpoolPosition position)
{
  g_mutex_lock (&self->lock);
  if (position.segment > self->acknowledged.segment
      || (position.segment == self->acknowledged.segment
          && position.offset > self->acknowledged.offset)) {
    self->acknowledged = position;
    self->must_save_acknowledged = TRUE;
  }
  g_mutex_unlock (&self->lock);
}

/* Adds what is known of the files. */
void
gst_y10_segments_get_stats (GstY10Segments *self, GstY10SpoolStats *stats)
{
  g_mutex_lock (&self->lock);
  stats->n_segments = self->segments->len;
  stats->bytes = self->bytes;
  stats->removed_unacknowledged = self->removed_unacknowledged;
  g_mutex_unlock (&self->lock);
}

int
gst_y10_segments_open_segment (GstY10Segments *self, guint64 from,
    guint64 *number)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];
  int file = -1;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->segments->len && file < 0; i++) {
    *number = get_segment (self, i)->number;
    if (*number < from)
      continue;
    gst_y10_folder_make_name (*number, name);
    file = openat (self->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  }
  g_mutex_unlock (&self->lock);
  return file;
}

/* Returns how many bytes of segment @number are safe, and sets whether there will be no
 * more. */
guint64
gst_y10_segments_get_end (GstY10Segments *self, guint64 number,
    gboolean *is_final)
{
  guint64 size = 0;

  *is_final = TRUE;
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->segments->len; i++)
    if (get_segment (self, i)->number == number) {
      size = get_segment (self, i)->size;
      *is_final = i + 1 < self->segments->len;
    }
  g_mutex_unlock (&self->lock);
  return size;
}
