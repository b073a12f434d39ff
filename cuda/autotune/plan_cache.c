/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The plan cache has one file per plan. Its name is a hash of everything that the
 * plan depends on; the file contains the same as text. A plan contains code for
 * the GPU, so the folder and each file must belong to the user and be writable by
 * nobody else. All access goes through the folder's descriptor that was checked. */

#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autotune/plan_cache.h"

/* Increment it when the file format or the making of plans changes. */
#define FORMAT 1
#define SUFFIX ".plan"
#define TEMPORARY ".new-"
#define MAX_FILE ((gint64) 64 << 20)
/* Size limit of the folder at opening; a variant needs up to 20 MB. */
#define MAX_FOLDER ((gint64) 512 << 20)
#define MAX_TEMPORARY_AGE (24 * 60 * 60)

struct _Y10PlanCache
{
  char *folder, *key;
  int fd;
};

static gboolean
only_ours (const struct stat *st)
{
  return st->st_uid == geteuid () && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

typedef struct
{
  char *name;
  gint64 size, used;
} Entry;

static void
free_entry (gpointer data)
{
  g_free (((Entry *) data)->name);
  g_free (data);
}

static int
oldest_first (gconstpointer a, gconstpointer b)
{
  gint64 x = (*(Entry *const *) a)->used, y = (*(Entry *const *) b)->used;

  return x < y ? -1 : x > y;
}

/* Deletes old temporary files, and the least recently used plans over the limit. */
static void
prune (const Y10PlanCache *cache)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (free_entry);
  int fd = openat (cache->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  gint64 total = 0, now = g_get_real_time () / G_USEC_PER_SEC;
  struct dirent *d;

  while (dir && (d = readdir (dir))) {
    struct stat st;
    Entry *entry;

    if (fstatat (cache->fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
      continue;
    if (g_str_has_prefix (d->d_name, TEMPORARY)
        && now - st.st_mtime > MAX_TEMPORARY_AGE)
      unlinkat (cache->fd, d->d_name, 0);
    if (!g_str_has_suffix (d->d_name, SUFFIX))
      continue;
    entry = g_new (Entry, 1);
    entry->name = g_strdup (d->d_name);
    entry->size = st.st_size;
    entry->used = st.st_mtime;
    total += st.st_size;
    g_ptr_array_add (entries, entry);
  }
  g_ptr_array_sort (entries, oldest_first);
  for (guint i = 0; i < entries->len && total > MAX_FOLDER; i++) {
    const Entry *entry = entries->pdata[i];

    unlinkat (cache->fd, entry->name, 0);
    total -= entry->size;
  }
  g_ptr_array_unref (entries);
  if (dir)
    closedir (dir);
  else if (fd >= 0)
    close (fd);
}

Y10PlanCache *
y10_plan_cache_open (const char *folder, const Y10PlanCacheKey *key,
    GString *why)
{
  Y10PlanCache *cache = g_new0 (Y10PlanCache, 1);
  char *gpu = g_strescape (key->gpu, NULL);
  char *model = g_strescape (key->model, NULL);
  struct stat st;

  cache->folder = folder ? g_strdup (folder)
                         : g_build_filename (g_get_user_cache_dir (),
                             "yolov10detect", "plans", NULL);
  cache->key = g_strdup_printf (
      "format %d\ncudnn %u\nown %u\n"
      "gpu %s\ncapability %d.%d\nmultiprocessors %d\nmodel %s\n",
      FORMAT, key->cudnn, key->own, gpu, key->major, key->minor,
      key->multiprocessors, model);
  g_free (gpu);
  g_free (model);

  cache->fd = -1;
  if (g_mkdir_with_parents (cache->folder, 0700) == 0)
    cache->fd = open (cache->folder,
        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (cache->fd < 0 || fstat (cache->fd, &st)) {
    g_string_append_printf (why, "cannot use %s: %s", cache->folder,
        g_strerror (errno));
  } else if (st.st_uid != geteuid ()) {
    g_string_append_printf (why, "%s belongs to another user", cache->folder);
  } else if (!only_ours (&st)) {
    g_string_append_printf (why, "%s is writable by other users (chmod go-w)",
        cache->folder);
  } else {
    prune (cache);
    return cache;
  }
  y10_plan_cache_free (cache);
  return NULL;
}

void
y10_plan_cache_free (Y10PlanCache *cache)
{
  if (!cache)
    return;
  if (cache->fd >= 0)
    close (cache->fd);
  g_free (cache->folder);
  g_free (cache->key);
  g_free (cache);
}

const char *
y10_plan_cache_get_folder (const Y10PlanCache *cache)
{
  return cache->folder;
}

static void
append_view (GString *text, const char *name, const Y10CudaConvView *v)
{
  g_string_append_printf (text,
      "%s %dx%dx%d pixel %" G_GINT64_FORMAT " image %" G_GINT64_FORMAT "\n",
      name, v->height, v->width, v->channels, v->pixel, v->image);
}

/* Lists everything that a plan depends on, line by line. */
static char *
describe (const Y10PlanCache *cache, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage)
{
  GString *text = g_string_new (cache->key);

  g_string_append_printf (text, "stage %s\nprecision %s\nbatch %u\n",
      stage == Y10_CUDA_CONV_FUSED      ? "fused"
          : stage == Y10_CUDA_CONV_PAIR ? "pair"
                                        : "bias",
      y10_precision_get_name (desc->precision), desc->images);
  append_view (text, "in", &desc->in);
  append_view (text, "out", &desc->out);
  append_view (text, "add", &desc->add);
  g_string_append_printf (text,
      "kernel %d stride %d pad %d silu %d float %d "
      "in place %d\n",
      desc->kernel, desc->stride, desc->pad, desc->silu != 0,
      desc->out_float != 0, desc->in_place != 0);
  return g_string_free (text, FALSE);
}

static char *
name_of (const char *description)
{
  char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, description,
      -1);
  char *name = g_strconcat (hash, SUFFIX, NULL);

  g_free (hash);
  return name;
}

/* Returns the header of a plan's file. */
static char *
header_of (const char *description, GBytes *plan)
{
  char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, plan);
  char *header = g_strdup_printf ("yolov10detect plan\n%ssize %" G_GSIZE_FORMAT
                                  " sha256 %s\n",
      description, g_bytes_get_size (plan), hash);

  g_free (hash);
  return header;
}

static GBytes *
read_all (int fd)
{
  struct stat st;
  guint8 *data;
  gsize size, got = 0;

  if (fstat (fd, &st) || !S_ISREG (st.st_mode) || !only_ours (&st)
      || st.st_size > MAX_FILE)
    return NULL;
  size = (gsize) st.st_size;
  data = g_try_malloc (size ? size : 1);
  while (data && got < size) {
    ssize_t n = read (fd, data + got, size - got);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    got += (gsize) n;
  }
  if (!data || got < size) {
    g_free (data);
    return NULL;
  }
  return g_bytes_new_take (data, size);
}

/* Returns the plan in a file; NULL if it is damaged or another plan. */
static GBytes *
unwrap (GBytes *file, const char *description)
{
  gsize size, header_size;
  const char *data = g_bytes_get_data (file, &size);
  const char *end = data;
  GBytes *plan;
  char *header;
  gsize n = 2; /* lines of the header besides @description */

  for (const char *p = description; *p; p++)
    n += *p == '\n';
  for (; n > 0 && end; n--) {
    end = memchr (end, '\n', size - (gsize) (end - data));
    end = end ? end + 1 : NULL;
  }
  if (!end)
    return NULL;
  header_size = (gsize) (end - data);
  plan = g_bytes_new_from_bytes (file, header_size, size - header_size);
  header = header_of (description, plan);
  if (strlen (header) != header_size || memcmp (header, data, header_size))
    g_clear_pointer (&plan, g_bytes_unref);
  g_free (header);
  return plan;
}

GBytes *
y10_plan_cache_load (const Y10PlanCache *cache, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage)
{
  char *description = describe (cache, desc, stage);
  char *name = name_of (description);
  int fd = openat (cache->fd, name,
      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  GBytes *file = NULL, *plan = NULL;

  if (fd >= 0) {
    file = read_all (fd);
    if (file)
      plan = unwrap (file, description);
    if (plan)
      futimens (fd, NULL); /* marks it as used for prune() */
    close (fd);
  }
  if (file)
    g_bytes_unref (file);
  g_free (name);
  g_free (description);
  return plan;
}

static gboolean
write_all (int fd, const void *data, gsize size)
{
  const guint8 *p = data;

  while (size > 0) {
    ssize_t n = write (fd, p, size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FALSE;
    p += n;
    size -= (gsize) n;
  }
  return TRUE;
}

gboolean
y10_plan_cache_store (const Y10PlanCache *cache, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GBytes *plan, GError **error)
{
  static gint counter;
  char *description = describe (cache, desc, stage);
  char *name = name_of (description);
  char *header = header_of (description, plan);
  char *temporary = g_strdup_printf (TEMPORARY "%ld-%d-%08x", (long) getpid (),
      g_atomic_int_add (&counter, 1), g_random_int ());
  int fd = openat (cache->fd, temporary,
      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  gboolean ok = fd >= 0 && write_all (fd, header, strlen (header))
      && write_all (fd, g_bytes_get_data (plan, NULL), g_bytes_get_size (plan));
  int saved = errno;

  /* A full disk may cause an error only here. */
  if (fd >= 0 && close (fd) && ok) {
    saved = errno;
    ok = FALSE;
  }
  if (ok && renameat (cache->fd, temporary, cache->fd, name)) {
    saved = errno;
    ok = FALSE;
  }
  if (!ok) {
    if (fd >= 0)
      unlinkat (cache->fd, temporary, 0);
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "cannot store a plan in %s: %s", cache->folder, g_strerror (saved));
  }
  g_free (temporary);
  g_free (header);
  g_free (name);
  g_free (description);
  return ok;
}
