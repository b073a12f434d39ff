/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The store: DIR/ab/KEY.jsonl for a key that begins with "ab", and DIR/.tmp for
 * files being written. A file appears under its key at once and complete, and
 * never changes: it is written aside, synced, and linked to its name, which
 * fails if the name exists. So any number of processes on any number of
 * machines may work on the same key, and each may die at any moment. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <y10/y10.h>

#include "archive/owner.h"
#include "archive/store.h"

#define TMP ".tmp"
#define SUFFIX ".jsonl"
#define MAX_AGE (24 * 60 * 60) /* seconds since the last write */

struct _ToolStore
{
  char *path;
  int dir, tmp;
};

struct _ToolEntry
{
  ToolStore *store; /* borrowed */
  char *name;       /* in .tmp */
  char *final;      /* relative to the store */
  char shard[3];
  FILE *file;
};

static gboolean
fail (GError **error, const char *action, const char *dir, const char *name)
{
  const int saved = errno;

  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "cannot %s '%s%s%s': %s",
      action, dir, name ? "/" : "", name ? name : "", g_strerror (saved));
  return FALSE;
}

/* The time by the clock that dates the files of the store, which need not be this
 * machine's; G_MININT64 if it cannot be had. */
static gint64
get_time (const ToolStore *store)
{
  g_autofree char *name = tool_owner_make_name ("time");
  const int fd = openat (store->tmp, name,
      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  gint64 now = G_MININT64;
  struct stat info;

  if (fd >= 0 && write (fd, "", 1) == 1 && fstat (fd, &info) == 0)
    now = info.st_mtime;
  if (fd >= 0) {
    close (fd);
    unlinkat (store->tmp, name, 0);
  }
  return now;
}

static gboolean
is_abandoned (const char *name, const struct stat *info, gint64 now)
{
  switch (tool_owner_get_state (name)) {
    case TOOL_OWNER_GONE:
      return TRUE;
    case TOOL_OWNER_ALIVE:
      return FALSE;
    default:
      return now > info->st_mtime && now - info->st_mtime > MAX_AGE;
  }
}

static void
sweep (ToolStore *store)
{
  g_autofree char *path = g_build_filename (store->path, TMP, NULL);
  const gint64 now = get_time (store);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  struct stat info;

  while (dir && (name = g_dir_read_name (dir)))
    if (fstatat (store->tmp, name, &info, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISREG (info.st_mode) && is_abandoned (name, &info, now))
      unlinkat (store->tmp, name, 0);
}

ToolStore *
tool_store_open (const char *path, GError **error)
{
  ToolStore *store = g_new0 (ToolStore, 1);

  store->path = g_strdup (path);
  store->tmp = -1;
  if (g_mkdir_with_parents (path, 0777) != 0) {
    store->dir = -1;
    fail (error, "create the store", path, NULL);
  } else if ((store->dir = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
      < 0) {
    fail (error, "open the store", path, NULL);
  } else if (mkdirat (store->dir, TMP, 0777) != 0 && errno != EEXIST) {
    fail (error, "create", path, TMP);
  } else if ((store->tmp = openat (store->dir, TMP,
                  O_RDONLY | O_DIRECTORY | O_CLOEXEC))
      < 0) {
    fail (error, "open", path, TMP);
  } else {
    sweep (store);
    return store;
  }
  tool_store_close (store);
  return NULL;
}

void
tool_store_close (ToolStore *store)
{
  if (!store)
    return;
  if (store->tmp >= 0)
    close (store->tmp);
  if (store->dir >= 0)
    close (store->dir);
  g_free (store->path);
  g_free (store);
}

char *
tool_store_get_name (const char *key)
{
  return g_strdup_printf ("%.2s/%s" SUFFIX, key, key);
}

gboolean
tool_store_has (const ToolStore *store, const char *key)
{
  g_autofree char *name = tool_store_get_name (key);

  return faccessat (store->dir, name, F_OK, 0) == 0;
}

static void
entry_free (ToolEntry *entry)
{
  if (entry->file)
    fclose (entry->file);
  g_free (entry->name);
  g_free (entry->final);
  g_free (entry);
}

ToolEntry *
tool_entry_new (ToolStore *store, const char *key, GError **error)
{
  ToolEntry *entry = g_new0 (ToolEntry, 1);
  int fd;

  entry->store = store;
  entry->name = tool_owner_make_name (key);
  entry->final = tool_store_get_name (key);
  g_strlcpy (entry->shard, key, sizeof entry->shard);
  fd = openat (store->tmp, entry->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
      0666);
  if (fd < 0) {
    fail (error, "write into", store->path, TMP);
    entry_free (entry);
    return NULL;
  }
  entry->file = fdopen (fd, "w");
  return entry;
}

FILE *
tool_entry_get_file (ToolEntry *entry)
{
  return entry->file;
}

void
tool_entry_discard (ToolEntry *entry)
{
  if (!entry)
    return;
  unlinkat (entry->store->tmp, entry->name, 0);
  entry_free (entry);
}

/* The data is on the disk. */
static gboolean
sync_file (ToolEntry *entry, GError **error)
{
  gboolean ok = fflush (entry->file) == 0 && !ferror (entry->file)
      && fsync (fileno (entry->file)) == 0;

  /* A network file system may report a full disk only here. */
  ok = fclose (entry->file) == 0 && ok;
  entry->file = NULL;
  return ok || fail (error, "write into", entry->store->path, TMP);
}

/* The folder of the file, or -1 with errno set. */
static int
open_shard (ToolEntry *entry)
{
  const int dir = entry->store->dir;

  if (mkdirat (dir, entry->shard, 0777) == 0)
    fsync (dir);
  else if (errno != EEXIST)
    return -1;
  return openat (dir, entry->shard, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Whether link() failed for a reason that rename() would share. */
static gboolean
is_final (int code)
{
  return code == EEXIST || code == ENOENT || code == ENOSPC || code == EDQUOT
      || code == EROFS || code == EIO;
}

/* Gives the file its name unless that is taken: 0, or -1 with errno set. */
static int
move_to_final (ToolEntry *entry, gboolean *linked)
{
  const ToolStore *store = entry->store;

  *linked = linkat (store->tmp, entry->name, store->dir, entry->final, 0) == 0;
  if (*linked)
    return 0;
  if (is_final (errno))
    return -1;
  /* No hard links here, as on FAT and some FUSE file systems. */
  return renameat2 (store->tmp, entry->name, store->dir, entry->final,
      RENAME_NOREPLACE);
}

gboolean
tool_entry_publish (ToolEntry *entry, gboolean *existed, GError **error)
{
  gboolean ok = sync_file (entry, error), linked = FALSE;
  int shard = -1;

  *existed = FALSE;
  if (ok && (shard = open_shard (entry)) < 0)
    ok = fail (error, "create", entry->store->path, entry->shard);
  if (ok && move_to_final (entry, &linked) != 0) {
    *existed = errno == EEXIST;
    ok = *existed
        || fail (error, "name without replacing, by link or rename,",
            entry->store->path, entry->final);
  }
  if (ok && fsync (shard) != 0 && errno != EINVAL)
    ok = fail (error, "sync", entry->store->path, entry->shard);
  if (shard >= 0)
    close (shard);
  if (!ok || linked || *existed)
    unlinkat (entry->store->tmp, entry->name, 0);
  entry_free (entry);
  return ok;
}
