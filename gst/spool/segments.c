/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which file a line goes to, and keeps what makes (producer, segment, offset) a
 * name for ever: a segment is created once, under a number that the state on disk has
 * given away before; only this process appends to it, and it ends at the first error. So
 * bytes that followers have seen are never written again, whatever power loss takes. And
 * it is where the path leads: a line in a folder that was removed, moved or replaced, and
 * in a segment that somebody else has changed, is not safe. Then all files are left, and the
 * folder is opened, or made, as at the start.
 * Segments go as a whole: for their age, or for their size where that exceeds the limit;
 * only the latter takes lines that one of the followers still needs. */
#include "spool/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/contents.h"
#include "spool/folder.h"

#define MAX_SEGMENT (16 << 20)
#define MIN_SEGMENT 4096

/* A limit takes at least so many segments, or each removal would take too much. */
#define SEGMENTS_PER_LIMIT 8

struct _GstY10Segments
{
  gchar *path;
  guint64 max_bytes, segment_bytes;
  gint64 max_age;

  /* Writer's thread. */
  guint mode; /* of the folder, for the next one */
  int lock_file;
  int file; /* the last segment; -1: the next line begins one */
  gint64 began_at;

  GMutex lock;     /* the writer may read without */
  int folder;      /* -1: it could not be opened again */
  guint n_folders; /* that were there before */
  GstY10Naming naming;
  GArray *segments; /* GstY10Segment, in their order */
  guint64 next;
  guint64 bytes, removed_unacknowledged, bad_lines;
  GArray *marks; /* GstY10Mark */
};

static GstY10Segment *
get_segment (GstY10Segments *self, guint i)
{
  return &g_array_index (self->segments, GstY10Segment, i);
}

static GstY10Mark *
get_mark (const GstY10Segments *self, guint i)
{
  return &g_array_index (self->marks, GstY10Mark, i);
}

/* NULL: there is no such follower. Call with the lock held. */
static GstY10Mark *
find_mark (const GstY10Segments *self, const gchar *name)
{
  for (guint i = 0; i < self->marks->len; i++)
    if (!strcmp (get_mark (self, i)->name, name))
      return get_mark (self, i);
  return NULL;
}

/* Where there is no such follower, it has acknowledged nothing. Call with the lock held. */
static GstY10Mark *
make_mark (GstY10Segments *self, const gchar *name)
{
  const GstY10Mark mark = { .name = g_intern_string (name),
    .at.folder = self->n_folders };
  GstY10Mark *found = find_mark (self, name);

  if (found)
    return found;
  g_array_append_val (self->marks, mark);
  return get_mark (self, self->marks->len - 1);
}

/* The position of the follower that is behind all others. G_MAXUINT64: none follows, so
 * nothing has to stay. Call with the lock held. */
static GstY10SpoolPosition
get_least (const GstY10Segments *self)
{
  GstY10SpoolPosition least = { G_MAXUINT64, 0, self->n_folders };
  gboolean is_followed = FALSE;

  for (guint i = 0; i < self->marks->len; i++) {
    const GstY10Mark *mark = get_mark (self, i);

    is_followed |= mark->is_open;
    if (gst_y10_spool_position_compare (mark->at, least) < 0)
      least = mark->at;
  }
  if (!is_followed)
    least.segment = G_MAXUINT64;
  return least;
}

static void
save_mark (GstY10Segments *self, guint i)
{
  gchar text[128], file[64];
  GstY10Mark mark;

  g_mutex_lock (&self->lock);
  mark = *get_mark (self, i);
  get_mark (self, i)->must_save = FALSE;
  g_mutex_unlock (&self->lock);
  if (!mark.must_save)
    return;
  g_snprintf (text, sizeof text,
      "segment=%" G_GUINT64_FORMAT "\noffset=%" G_GUINT64_FORMAT "\n",
      mark.at.segment, mark.at.offset);
  g_snprintf (file, sizeof file, *mark.name ? "%s.%s" : "%s", GST_Y10_MARK_FILE,
      mark.name);
  if (gst_y10_folder_replace (self->folder, self->path, file, text, NULL))
    return;
  g_mutex_lock (&self->lock);
  get_mark (self, i)->must_save = TRUE;
  g_mutex_unlock (&self->lock);
}

/* Others only add marks behind those that there are. */
static void
save_marks (GstY10Segments *self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->marks->len;
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < n; i++)
    save_mark (self, i);
}

/* Takes the marks of another folder. Who follows begins there with what that has not
 * acknowledged. Call with the lock held. */
static void
exchange_marks (GstY10Segments *self, GArray *marks)
{
  GArray *old = self->marks;

  self->marks = marks;
  for (guint i = 0; i < marks->len; i++)
    get_mark (self, i)->at.folder = self->n_folders;
  for (guint i = 0; i < old->len; i++)
    if (g_array_index (old, GstY10Mark, i).is_open)
      make_mark (self, g_array_index (old, GstY10Mark, i).name)->is_open = TRUE;
  g_array_unref (old);
}

static void
close_file (int *file)
{
  if (*file >= 0)
    close (*file);
  *file = -1;
}

/* Opens the folder. Numbers only grow, in a folder that replaced another one, too. */
static gboolean
open_folder (GstY10Segments *self, GError **error)
{
  const gboolean had_folder = *self->naming.producer;
  GstY10Contents found;
  struct stat status;

  if (!gst_y10_contents_find (&found, self->path, self->mode, self->next,
          error))
    return FALSE;
  if (fstat (found.folder, &status) == 0)
    self->mode = status.st_mode;
  self->lock_file = found.lock_file;
  g_mutex_lock (&self->lock);
  g_array_unref (self->segments);
  self->segments = found.segments;
  self->folder = found.folder;
  self->naming = found.naming;
  self->next = found.next;
  self->bytes = found.bytes;
  self->n_folders += had_folder;
  exchange_marks (self, found.marks);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

static void
close_folder (GstY10Segments *self)
{
  if (self->folder >= 0)
    save_marks (self);
  close_file (&self->lock_file);
  g_mutex_lock (&self->lock);
  close_file (&self->folder);
  g_mutex_unlock (&self->lock);
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
  self->segments = g_array_new (FALSE, FALSE, sizeof (GstY10Segment));
  self->marks = g_array_new (FALSE, FALSE, sizeof (GstY10Mark));
  self->next = 1;
  g_mutex_init (&self->lock);
  if (config->follower)
    gst_y10_segments_follow (self, config->follower);
  if (open_folder (self, error))
    return self;
  gst_y10_segments_close (self);
  return NULL;
}

void
gst_y10_segments_close (GstY10Segments *self)
{
  if (!self)
    return;
  close_file (&self->file);
  close_folder (self);
  g_array_unref (self->segments);
  g_array_unref (self->marks);
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
  struct stat status;
  GstY10Segment last;

  if (self->file < 0)
    return;
  g_mutex_lock (&self->lock);
  last = *get_segment (self, self->segments->len - 1);
  if (!last.size)
    g_array_set_size (self->segments, self->segments->len - 1);
  g_mutex_unlock (&self->lock);
  gst_y10_folder_make_name (last.number, name);
  /* Whoever reads in this process stops at the size anyway. */
  if (!last.size && gst_y10_folder_is_at (self->folder, name, self->file))
    unlinkat (self->folder, name, 0);
  else if (fstat (self->file, &status) == 0
      && (guint64) status.st_size > last.size
      && ftruncate (self->file, (off_t) last.size) != 0)
    errno = 0;
  close_file (&self->file);
}

/* Always FALSE. */
static gboolean
fail_lost (const GstY10Segments *self, const gchar *name, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
      "%s%s%s was removed, replaced or changed by somebody else; expected it to stay "
      "while lines are written to %s",
      self->path, name ? "/" : "", name ? name : "", self->path);
  return FALSE;
}

/* Whether all is where whoever goes by the path finds it, and the segment has @more bytes
 * behind those that are safe. */
static gboolean
check_place (GstY10Segments *self, gsize more, GError **error)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];
  struct stat status;

  if (!gst_y10_folder_is_at (AT_FDCWD, self->path, self->folder))
    return fail_lost (self, NULL, error);
  if (!gst_y10_folder_is_at (self->folder, "lock", self->lock_file))
    return fail_lost (self, "lock", error);
  if (self->file < 0)
    return TRUE;
  gst_y10_folder_make_name (get_segment (self, self->segments->len - 1)->number,
      name);
  return (gst_y10_folder_is_at (self->folder, name, self->file)
             && fstat (self->file, &status) == 0
             && (guint64) status.st_size
                 == get_segment (self, self->segments->len - 1)->size + more)
      || fail_lost (self, name, error);
}

/* Opens the folder where that is to be done again. */
static gboolean
find_place (GstY10Segments *self, GError **error)
{
  if (self->folder < 0)
    return open_folder (self, error);
  if (check_place (self, 0, error))
    return TRUE;
  end_segment (self);
  close_folder (self);
  return FALSE;
}

static gboolean
begin_segment (GstY10Segments *self, GError **error)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];
  GstY10Segment segment = { .number = self->next };
  int file;

  g_mutex_lock (&self->lock);
  self->next++;
  g_mutex_unlock (&self->lock);
  if (!gst_y10_contents_write_state (self->folder, self->path, &self->naming,
          self->next, error))
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
  if (!check_place (self, length, error)) {
    end_segment (self);
    close_folder (self);
    return FALSE;
  }
  g_mutex_lock (&self->lock);
  {
    GstY10Segment *segment = get_segment (self, self->segments->len - 1);

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
  const int file = gst_y10_folder_open_file (self->folder, name);
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

/* Whether all followers are done with a segment. */
static gboolean
is_acknowledged (GstY10SpoolPosition least, const GstY10Segment *segment)
{
  return least.segment > segment->number
      || (least.segment == segment->number && least.offset >= segment->size);
}

/* Removes the first segment. */
static void
remove_first (GstY10Segments *self)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];
  GstY10SpoolPosition least;
  guint64 n_lines = 0;
  GstY10Segment segment;

  if (self->segments->len == 1)
    end_segment (self);
  g_mutex_lock (&self->lock);
  segment = *get_segment (self, 0);
  least = get_least (self);
  g_mutex_unlock (&self->lock);
  gst_y10_folder_make_name (segment.number, name);
  if (!is_acknowledged (least, &segment))
    n_lines = count_lines (self, name,
        least.segment == segment.number ? least.offset : 0);
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
  const GstY10Segment *first = get_segment (self, 0);
  GstY10SpoolPosition least;

  if (self->max_bytes && self->bytes > self->max_bytes
      && self->segments->len > 1)
    return TRUE;
  if (!self->max_age || !first->size
      || g_get_monotonic_time () - first->written_at <= self->max_age)
    return FALSE;
  g_mutex_lock (&self->lock);
  least = get_least (self);
  g_mutex_unlock (&self->lock);
  return is_acknowledged (least, first);
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
 * Returns: whether all are safe; else sets an error, %G_IO_ERROR_NOT_FOUND if nobody finds
 *   what was there, and the next call begins another segment
 */
gboolean
gst_y10_segments_append (GstY10Segments *self, const gchar *text, gsize length,
    gsize *done, GError **error)
{
  while (length) {
    gsize part;

    if (!find_place (self, error))
      return FALSE;
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

/* What is to be done from time to time. FALSE: nobody finds what was there, or the folder
 * cannot be opened again. */
gboolean
gst_y10_segments_tend (GstY10Segments *self, GError **error)
{
  gchar name[GST_Y10_SEGMENT_NAME_SIZE];

  if (!find_place (self, error))
    return FALSE;
  while (self->segments->len && must_go (self))
    remove_first (self);
  save_marks (self);
  if (self->file >= 0
      && faccessat (self->folder, "current.jsonl", F_OK, AT_SYMLINK_NOFOLLOW)
          != 0) {
    gst_y10_folder_make_name (get_segment (self, self->segments->len - 1)
                                  ->number,
        name);
    gst_y10_folder_link (self->folder, "current.jsonl", name);
  }
  return TRUE;
}

/* Whether @path leads to the folder. */
gboolean
gst_y10_segments_is_at (GstY10Segments *self, const gchar *path)
{
  gboolean is;

  g_mutex_lock (&self->lock);
  is = self->folder >= 0 && gst_y10_folder_is_at (AT_FDCWD, path, self->folder);
  g_mutex_unlock (&self->lock);
  return is;
}

guint
gst_y10_segments_count_folders (GstY10Segments *self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->n_folders;
  g_mutex_unlock (&self->lock);
  return n;
}

const gchar *
gst_y10_segments_get_producer (GstY10Segments *self, guint64 segment)
{
  const gchar *producer;

  g_mutex_lock (&self->lock);
  producer = g_intern_string (
      gst_y10_naming_get_producer (&self->naming, segment));
  g_mutex_unlock (&self->lock);
  return producer;
}

GstY10SpoolPosition
gst_y10_segments_get_synced (GstY10Segments *self)
{
  GstY10SpoolPosition position;

  g_mutex_lock (&self->lock);
  position.segment = self->next;
  position.offset = 0;
  position.folder = self->n_folders;
  if (self->segments->len) {
    const GstY10Segment *last = get_segment (self, self->segments->len - 1);

    position.segment = last->number;
    position.offset = last->size;
  }
  g_mutex_unlock (&self->lock);
  return position;
}

/* From now on segments stay until @follower has acknowledged them. */
void
gst_y10_segments_follow (GstY10Segments *self, const gchar *follower)
{
  g_mutex_lock (&self->lock);
  make_mark (self, follower)->is_open = TRUE;
  g_mutex_unlock (&self->lock);
}

GstY10SpoolPosition
gst_y10_segments_get_acknowledged (GstY10Segments *self, const gchar *follower)
{
  GstY10SpoolPosition position = { 0 };
  const GstY10Mark *mark;

  g_mutex_lock (&self->lock);
  mark = find_mark (self, follower);
  position.folder = self->n_folders;
  if (mark)
    position = mark->at;
  g_mutex_unlock (&self->lock);
  return position;
}

void
gst_y10_segments_acknowledge (GstY10Segments *self, const gchar *follower,
    GstY10SpoolPosition position)
{
  GstY10Mark *mark;

  g_mutex_lock (&self->lock);
  mark = make_mark (self, follower);
  if (position.folder == self->n_folders
      && gst_y10_spool_position_compare (position, mark->at) > 0) {
    mark->at = position;
    mark->must_save = TRUE;
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
  stats->bad_lines = self->bad_lines;
  g_mutex_unlock (&self->lock);
}

void
gst_y10_segments_count_bad_line (GstY10Segments *self)
{
  g_mutex_lock (&self->lock);
  self->bad_lines++;
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
    file = gst_y10_folder_open_file (self->folder, name);
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
