/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which elements share a spool. A folder has one writer in a process, and the lock of the
 * folder keeps other processes out; so elements that name the same folder, by whatever
 * path, get the same spool, or an error if their configurations differ. */
#include "spool/spool.h"

#include <gio/gio.h>
#include <string.h>

#include "spool/segments.h"
#include "spool/watch.h"
#include "spool/writer.h"

#define MAX_NAME 24

struct _GstY10Spool
{
  gchar *path; /* absolute */
  GstY10SpoolConfig config;
  GstY10Segments *segments;
  GstY10Writer *writer;

  GMutex lock;
  GList *clients; /* the oldest first */

  GList *followers; /* Follower; lock of the registry */
};

typedef struct
{
  gchar *name, *share;
  gpointer shared;
  GDestroyNotify free_shared;
} Follower;

struct _GstY10SpoolClient
{
  GstY10Spool *spool;
  Follower *follower; /* NULL: the client wants none */
  gboolean flushing;
  GstY10SpoolStateFunc on_state;
  gpointer user;
};

static GMutex registry;
static GList *spools;

static GstY10WriteResult
write_lines (gpointer user, const gchar *text, gsize length, gsize *done,
    GError **error)
{
  GstY10Spool *self = user;
  const gsize before = *done;
  const gboolean ok = gst_y10_segments_append (self->segments, text, length,
      done, error);

  if (*done > before)
    gst_y10_spool_watch_notify (self->path);
  return ok ? GST_Y10_WRITE_DONE : GST_Y10_WRITE_FAILED;
}

static gboolean
tend (gpointer user, GError **error)
{
  GstY10Spool *self = user;

  return gst_y10_segments_tend (self->segments, error);
}

/* Tells the oldest client that something fails, or with %NULL that it works again. */
void
gst_y10_spool_tell (GstY10Spool *self, const GError *error)
{
  g_mutex_lock (&self->lock);
  if (self->clients) {
    const GstY10SpoolClient *client = self->clients->data;

    if (client->on_state)
      client->on_state (error, client->user);
  }
  g_mutex_unlock (&self->lock);
}

static void
on_state (const GError *error, gpointer user)
{
  gst_y10_spool_tell (user, error);
}

static const GstY10Store store = { write_lines, tend, on_state };

static void
follower_free (gpointer data)
{
  Follower *follower = data;

  if (follower->shared && follower->free_shared)
    follower->free_shared (follower->shared);
  g_free (follower->name);
  g_free (follower->share);
  g_free (follower);
}

static void
spool_free (GstY10Spool *self)
{
  if (self->writer)
    gst_y10_writer_stop (self->writer);
  g_list_free_full (self->followers, follower_free);
  gst_y10_writer_free (self->writer);
  gst_y10_segments_close (self->segments);
  g_free (self->path);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static GstY10Spool *
spool_new (const gchar *folder, const GstY10SpoolConfig *config, GError **error)
{
  GstY10Segments *segments = gst_y10_segments_open (folder, config, error);
  GstY10Spool *self;

  if (!segments)
    return NULL;
  self = g_new0 (GstY10Spool, 1);
  g_mutex_init (&self->lock);
  self->segments = segments;
  self->config = *config;
  self->path = g_canonicalize_filename (folder, NULL);
  self->writer = gst_y10_writer_new (&store, self, config->sync_interval,
      config->queue_bytes);
  spools = g_list_prepend (spools, self);
  return self;
}

/* The spool of this process in a folder, or the one whose folder is missing at this path,
 * which will make it again; or NULL. */
static GstY10Spool *
find (const gchar *folder)
{
  g_autofree gchar *path = g_canonicalize_filename (folder, NULL);
  GstY10Spool *found = NULL;

  for (GList *l = spools; l && !found; l = l->next) {
    GstY10Spool *spool = l->data;

    if (!strcmp (spool->path, path)
        || gst_y10_segments_is_at (spool->segments, path))
      found = spool;
  }
  return found;
}

static gboolean
check_same (const gchar *folder, const gchar *name, gint64 found,
    gint64 expected, GError **error)
{
  if (found == expected)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "%s is in use by another element of this process with another %s: found "
      "%" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT
      ", or a folder of its own",
      folder, name, found, expected);
  return FALSE;
}

static Follower *
find_follower (const GstY10Spool *self, const gchar *name)
{
  for (GList *l = self->followers; l; l = l->next)
    if (!strcmp (((const Follower *) l->data)->name, name))
      return l->data;
  return NULL;
}

/* The follower that a client wants, which begins to follow; NULL: none. */
static Follower *
follow (GstY10Spool *self, const GstY10SpoolConfig *config)
{
  Follower *follower;

  if (!config->follower)
    return NULL;
  follower = find_follower (self, config->follower);
  if (follower)
    return follower;
  follower = g_new0 (Follower, 1);
  follower->name = g_strdup (config->follower);
  follower->share = g_strdup (config->share);
  self->followers = g_list_prepend (self->followers, follower);
  gst_y10_segments_follow (self->segments, follower->name);
  return follower;
}

/* A name is part of a file's name. */
static gboolean
check_name (const gchar *name, GError **error)
{
  if (!name
      || (strlen (name) <= MAX_NAME
          && strspn (name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_")
              == strlen (name)))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "follower is \"%s\"; expected up to %d letters, digits, - and _", name,
      MAX_NAME);
  return FALSE;
}

/* Whether @config asks for what the spool already is. */
static gboolean
check_config (const GstY10Spool *self, const gchar *folder,
    const GstY10SpoolConfig *config, GError **error)
{
  const Follower *follower = config->follower
      ? find_follower (self, config->follower)
      : NULL;

  if (follower && g_strcmp0 (follower->share, config->share)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "%s is in use by another element of this process with another uri: found "
        "\"%s\"; expected \"%s\", another follower, or a folder of its own",
        folder, config->share, follower->share);
    return FALSE;
  }
  return check_same (folder, "max-age", config->max_age, self->config.max_age,
             error)
      && check_same (folder, "max-bytes", (gint64) config->max_bytes,
          (gint64) self->config.max_bytes, error)
      && check_same (folder, "sync-interval", config->sync_interval,
          self->config.sync_interval, error);
}

static GstY10SpoolClient *
client_new (GstY10Spool *spool, GstY10SpoolStateFunc func, gpointer user)
{
  GstY10SpoolClient *client = g_new0 (GstY10SpoolClient, 1);

  client->spool = spool;
  client->on_state = func;
  client->user = user;
  g_mutex_lock (&spool->lock);
  spool->clients = g_list_append (spool->clients, client);
  g_mutex_unlock (&spool->lock);
  return client;
}

/**
 * gst_y10_spool_open:
 * @folder: path of the spool
 * @config: what the spool is to be like
 * @on_state: (nullable): is told when writing fails
 * @user: passed to @on_state
 *
 * Opens a spool, or shares the one that this process has open there.
 *
 * Returns: (transfer full): what to put lines with, or %NULL with an error
 */
GstY10SpoolClient *
gst_y10_spool_open (const gchar *folder, const GstY10SpoolConfig *config,
    GstY10SpoolStateFunc on_state_func, gpointer user, GError **error)
{
  GstY10SpoolClient *client = NULL;
  GstY10Spool *spool;

  if (!check_name (config->follower, error))
    return NULL;
  g_mutex_lock (&registry);
  spool = find (folder);
  if (!spool)
    spool = spool_new (folder, config, error);
  else if (!check_config (spool, folder, config, error))
    spool = NULL;
  if (spool) {
    client = client_new (spool, on_state_func, user);
    client->follower = follow (spool, config);
  }
  g_mutex_unlock (&registry);
  return client;
}

/**
 * gst_y10_spool_join:
 * @folder: path of a spool
 *
 * Shares a spool as those that have opened it want it.
 *
 * Returns: (transfer full) (nullable): what to put lines with; %NULL if this process does not
 *   have it open
 */
GstY10SpoolClient *
gst_y10_spool_join (const gchar *folder)
{
  GstY10SpoolClient *client = NULL;
  GstY10Spool *spool;

  g_mutex_lock (&registry);
  spool = find (folder);
  if (spool)
    client = client_new (spool, NULL, NULL);
  g_mutex_unlock (&registry);
  return client;
}

/* Frees what gst_y10_spool_open() or gst_y10_spool_join() returned. The last one of a spool writes and syncs what
 * is left, which others that open it wait for. */
void
gst_y10_spool_close (GstY10SpoolClient *client)
{
  GstY10Spool *spool;

  if (!client)
    return;
  spool = client->spool;
  g_mutex_lock (&registry);
  if (spool->clients->next == NULL) {
    gst_y10_writer_stop (spool->writer);
    spools = g_list_remove (spools, spool);
  }
  g_mutex_lock (&spool->lock);
  spool->clients = g_list_remove (spool->clients, client);
  g_mutex_unlock (&spool->lock);
  if (!spool->clients)
    spool_free (spool);
  g_mutex_unlock (&registry);
  g_free (client);
}

GstY10Spool *
gst_y10_spool_client_get_spool (GstY10SpoolClient *client)
{
  return client->spool;
}

/**
 * gst_y10_spool_put:
 * @client: of the spool
 * @kind: of the line
 * @line: one JSON object, without a newline
 * @length: of @line, in bytes
 * @may_wait: whether to wait where the queue is full; else frames are dropped, and then
 *   events
 *
 * Hands a line to the writer. It is safe once it is synced.
 *
 * Returns: %FALSE if the line is lost, which is counted
 */
gboolean
gst_y10_spool_put (GstY10SpoolClient *client, GstY10LineKind kind,
    const gchar *line, gsize length, gboolean may_wait)
{
  return gst_y10_writer_put (client->spool->writer, &client->flushing, kind,
      line, length, may_wait);
}

/* Ends waiting, also later ones until it is reset. */
void
gst_y10_spool_set_flushing (GstY10SpoolClient *client, gboolean flushing)
{
  gst_y10_writer_set_flag (client->spool->writer, &client->flushing, flushing);
}

/* Waits until all lines are synced; FALSE: they are not, since writing fails or by
 * gst_y10_spool_set_flushing(). */
gboolean
gst_y10_spool_flush (GstY10SpoolClient *client)
{
  return gst_y10_writer_flush (client->spool->writer, &client->flushing);
}

void
gst_y10_spool_get_stats (GstY10Spool *self, GstY10SpoolStats *stats)
{
  *stats = (GstY10SpoolStats){ 0 };
  gst_y10_writer_get_stats (self->writer, stats);
  gst_y10_segments_get_stats (self->segments, stats);
}

/**
 * gst_y10_spool_share:
 * @client: of the spool, opened with a follower
 * @make: makes what is shared, for the first client of the follower that asks
 * @user: passed to @make
 * @free_func: frees it, when the spool's last client closes: everything is synced then, and
 *   the folder still locked
 *
 * Returns: (transfer none): what all clients of the follower share, or %NULL with an error
 */
gpointer
gst_y10_spool_share (GstY10SpoolClient *client, GstY10SpoolMakeFunc make,
    gpointer user, GDestroyNotify free_func, GError **error)
{
  Follower *follower = client->follower;
  gpointer shared;

  g_mutex_lock (&registry);
  if (!follower->shared) {
    follower->shared = make (client->spool, user, error);
    follower->free_shared = free_func;
  }
  shared = follower->shared;
  g_mutex_unlock (&registry);
  return shared;
}

const gchar *
gst_y10_spool_get_producer (GstY10Spool *self)
{
  return gst_y10_segments_get_producer (self->segments, G_MAXUINT64);
}

const gchar *
gst_y10_spool_get_producer_of (GstY10Spool *self, GstY10SpoolPosition at)
{
  return gst_y10_segments_get_producer (self->segments, at.segment);
}

const gchar *
gst_y10_spool_get_path (GstY10Spool *self)
{
  return self->path;
}

GstY10SpoolPosition
gst_y10_spool_get_synced (GstY10Spool *self)
{
  return gst_y10_segments_get_synced (self->segments);
}

GstY10SpoolPosition
gst_y10_spool_get_acknowledged (GstY10Spool *self, const gchar *follower)
{
  return gst_y10_segments_get_acknowledged (self->segments, follower);
}

/* The follower is done with all lines before @position. */
void
gst_y10_spool_acknowledge (GstY10Spool *self, const gchar *follower,
    GstY10SpoolPosition position)
{
  gst_y10_segments_acknowledge (self->segments, follower, position);
}

/* For readers. */
GstY10Segments *
gst_y10_spool_get_segments (GstY10Spool *self)
{
  return self->segments;
}
