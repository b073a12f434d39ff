/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What a disk may have after power loss: of a file, what was synced and any part of what
 * was not, with zeros or garbage in place of some; of a new file without a sync of its
 * folder, nothing; of a file that replaced another one without that, the other one. */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  gchar *text;
  gsize length, synced;
} Saved;

static GMutex lock;
static GCond changed;
static gchar *folder;
static GHashTable *synced;   /* inode -> bytes */
static GHashTable *created;  /* names whose creation is not synced */
static GHashTable *replaced; /* name -> contents before it was replaced */
static GHashTable *left;     /* name -> Saved, at the moment of power loss */
static gboolean counts, is_lost, is_stopped;
static guint n_changes, n_write_errors, n_sync_errors, n_waiting;
static int write_error, sync_error;
static gsize most;

ssize_t __real_write (int file, const void *data, size_t size);
ssize_t __wrap_write (int file, const void *data, size_t size);
int __wrap_fdatasync (int file);
int __wrap_fsync (int file);
int __real_openat (int at, const char *name, int flags, ...);
int __wrap_openat (int at, const char *name, int flags, ...);
int __wrap_openat64 (int at, const char *name, int flags, ...);
int __real_renameat (int at, const char *from, int to_at, const char *to);
int __wrap_renameat (int at, const char *from, int to_at, const char *to);
int __real_unlinkat (int at, const char *name, int flags);
int __wrap_unlinkat (int at, const char *name, int flags);

static void
saved_free (gpointer data)
{
  Saved *saved = data;

  g_free (saved->text);
  g_free (saved);
}

static GHashTable *
renew (GHashTable *table, GDestroyNotify free_value)
{
  g_clear_pointer (&table, g_hash_table_unref);
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_value);
}

void
disk_begin (const gchar *path)
{
  g_mutex_lock (&lock);
  g_free (folder);
  folder = g_strdup (path);
  g_clear_pointer (&synced, g_hash_table_unref);
  synced = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  created = renew (created, NULL);
  replaced = renew (replaced, saved_free);
  left = renew (left, saved_free);
  counts = is_lost = is_stopped = FALSE;
  n_write_errors = n_sync_errors = 0;
  most = 0;
  g_mutex_unlock (&lock);
}

static gsize
get_synced (const struct stat *status)
{
  const gint64 inode = (gint64) status->st_ino;
  const gsize *size = g_hash_table_lookup (synced, &inode);

  return size ? *size : 0;
}

static void
set_synced (const struct stat *status)
{
  const gint64 inode = (gint64) status->st_ino;
  const gsize size = (gsize) status->st_size;

  g_hash_table_replace (synced, g_memdup2 (&inode, sizeof inode),
      g_memdup2 (&size, sizeof size));
}

static Saved *
save (const gchar *name)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);
  Saved *saved = g_new0 (Saved, 1);
  struct stat status;

  if (stat (path, &status) != 0 || !S_ISREG (status.st_mode)
      || !g_file_get_contents (path, &saved->text, &saved->length, NULL))
    g_clear_pointer (&saved, saved_free);
  else
    saved->synced = MIN (get_synced (&status), saved->length);
  return saved;
}

/* Notes what is in the folder. */
static void
note_all (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  g_hash_table_remove_all (left);
  while (dir && (name = g_dir_read_name (dir))) {
    Saved *saved = strstr (name, "current") ? NULL : save (name);

    if (saved)
      g_hash_table_replace (left, g_strdup (name), saved);
  }
  if (dir)
    g_dir_close (dir);
}

/* Call with the lock held, before something on the disk changes. */
static gboolean
fails (void)
{
  if (counts && !is_lost && n_changes-- == 0) {
    note_all ();
    is_lost = TRUE;
  }
  if (is_lost)
    errno = EIO;
  return is_lost;
}

void
disk_lose_power (guint n)
{
  g_mutex_lock (&lock);
  counts = TRUE;
  n_changes = n;
  g_mutex_unlock (&lock);
}

gboolean
disk_has_lost_power (void)
{
  gboolean lost;

  g_mutex_lock (&lock);
  lost = is_lost;
  g_mutex_unlock (&lock);
  return lost;
}

/* Of what was not synced, any part is there, or zeros or garbage are. */
static void
put_back (const gchar *name, const Saved *saved, GRand *random)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);
  gsize length = saved->synced;

  if (saved->length > saved->synced)
    length += (gsize) g_rand_int_range (random, 0,
        (gint32) (saved->length - saved->synced) + 1);
  if (length > saved->synced && g_rand_int_range (random, 0, 3) == 0) {
    const gsize from = saved->synced
        + (gsize) g_rand_int_range (random, 0,
            (gint32) (length - saved->synced));

    memset (saved->text + from, g_rand_boolean (random) ? 0 : 0xb7,
        length - from);
  }
  g_assert_true (g_file_set_contents_full (path, saved->text, (gssize) length,
      G_FILE_SET_CONTENTS_NONE, 0666, NULL));
}

static void
empty_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
    g_free (path);
  }
  if (dir)
    g_dir_close (dir);
}

void
disk_restart (GRand *random)
{
  GHashTableIter iter;
  gpointer name, saved;

  g_mutex_lock (&lock);
  g_assert_true (is_lost);
  empty_folder ();
  g_hash_table_iter_init (&iter, left);
  while (g_hash_table_iter_next (&iter, &name, &saved)) {
    Saved *before = g_hash_table_lookup (replaced, name);

    if (g_hash_table_contains (created, name) && g_rand_boolean (random))
      continue;
    put_back (name, before && g_rand_boolean (random) ? before : saved, random);
  }
  g_hash_table_remove_all (left);
  g_hash_table_remove_all (synced);
  g_hash_table_remove_all (created);
  g_hash_table_remove_all (replaced);
  counts = is_lost = FALSE;
  g_mutex_unlock (&lock);
  /* What has survived once, survives again. */
  g_mutex_lock (&lock);
  {
    GDir *dir = g_dir_open (folder, 0, NULL);
    const gchar *entry;

    while (dir && (entry = g_dir_read_name (dir))) {
      gchar *path = g_build_filename (folder, entry, NULL);
      struct stat status;

      if (stat (path, &status) == 0)
        set_synced (&status);
      g_free (path);
    }
    if (dir)
      g_dir_close (dir);
  }
  g_mutex_unlock (&lock);
}

void
disk_fail_writes (guint n, int code)
{
  g_mutex_lock (&lock);
  n_write_errors = n;
  write_error = code;
  g_mutex_unlock (&lock);
}

void
disk_fail_syncs (guint n, int code)
{
  g_mutex_lock (&lock);
  n_sync_errors = n;
  sync_error = code;
  g_mutex_unlock (&lock);
}

void
disk_shorten_writes (gsize bytes)
{
  g_mutex_lock (&lock);
  most = bytes;
  g_mutex_unlock (&lock);
}

void
disk_stop (void)
{
  g_mutex_lock (&lock);
  is_stopped = TRUE;
  g_mutex_unlock (&lock);
}

void
disk_await_sync (void)
{
  g_mutex_lock (&lock);
  while (!n_waiting)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}

void
disk_go_on (void)
{
  g_mutex_lock (&lock);
  is_stopped = FALSE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

ssize_t
__wrap_write (int file, const void *data, size_t size)
{
  ssize_t n = -1;

  g_mutex_lock (&lock);
  /* The power may fail within the write. */
  if (!is_lost && counts && n_changes == 0)
    n = __real_write (file, data, size);
  if (n_write_errors) {
    n_write_errors--;
    errno = write_error;
    n = -1;
  } else if (fails ()) {
    n = -1;
  } else {
    n = __real_write (file, data, most ? MIN (most, size) : size);
  }
  g_mutex_unlock (&lock);
  return n;
}

static int
sync_file (int file)
{
  struct stat status;
  int result = -1;

  g_mutex_lock (&lock);
  n_waiting++;
  g_cond_broadcast (&changed);
  while (is_stopped)
    g_cond_wait (&changed, &lock);
  n_waiting--;
  if (n_sync_errors) {
    n_sync_errors--;
    errno = sync_error;
  } else if (!fails () && fstat (file, &status) == 0) {
    if (S_ISDIR (status.st_mode)) {
      g_hash_table_remove_all (created);
      g_hash_table_remove_all (replaced);
    } else {
      set_synced (&status);
    }
    result = 0;
  }
  g_mutex_unlock (&lock);
  return result;
}

int
__wrap_fdatasync (int file)
{
  return sync_file (file);
}

int
__wrap_fsync (int file)
{
  return sync_file (file);
}

int
__wrap_openat (int at, const char *name, int flags, ...)
{
  int file = -1, mode = 0;
  va_list args;

  if (flags & O_CREAT) {
    va_start (args, flags);
    mode = va_arg (args, int);
    va_end (args);
  }
  g_mutex_lock (&lock);
  if (!(flags & O_CREAT) || !fails ()) {
    struct stat status;

    file = __real_openat (at, name, flags, mode);
    if (file >= 0 && (flags & O_CREAT)) {
      g_hash_table_add (created, g_strdup (name));
      /* An older file had that inode. */
      if (fstat (file, &status) == 0 && status.st_size == 0)
        set_synced (&status);
    }
  }
  g_mutex_unlock (&lock);
  return file;
}

int
__wrap_openat64 (int at, const char *name, int flags, ...)
{
  int mode = 0;
  va_list args;

  if (flags & O_CREAT) {
    va_start (args, flags);
    mode = va_arg (args, int);
    va_end (args);
  }
  return __wrap_openat (at, name, flags, mode);
}

int
__wrap_renameat (int at, const char *from, int to_at, const char *to)
{
  int result = -1;

  g_mutex_lock (&lock);
  if (!fails ()) {
    Saved *before = g_hash_table_contains (replaced, to) ? NULL : save (to);

    result = __real_renameat (at, from, to_at, to);
    if (before)
      g_hash_table_replace (replaced, g_strdup (to), before);
    if (g_hash_table_remove (created, from) && !before
        && !g_hash_table_contains (replaced, to))
      g_hash_table_add (created, g_strdup (to));
  }
  g_mutex_unlock (&lock);
  return result;
}

int
__wrap_unlinkat (int at, const char *name, int flags)
{
  int result = -1;

  g_mutex_lock (&lock);
  if (!fails ())
    result = __real_unlinkat (at, name, flags);
  g_mutex_unlock (&lock);
  return result;
}
