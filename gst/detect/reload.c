/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Changes the model while playing. A separate thread loads the new model,
 * creates its engine and warms it up while the old session keeps running; the
 * input thread switches between two frames. Frames already queued keep their
 * session. If loading fails, nothing changes and the element posts a warning.
 * Of several requests made during a load, only the last one counts.
 *
 * Another thread frees the replaced session once its last frame has left. That
 * joins the engine's thread and frees a lot of memory, which must not delay a
 * frame. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/reload.h"

#include "common/elementerror.h"
#include "common/text.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

struct _GstY10Reload
{
  GstYolov10Detect *detect; /* not owned; it owns this object */
  GCancellable *cancellable;
  GMutex lock;
  GCond changed;
  /* Under the lock. */
  GThread *thread;
  gboolean open;
  guint wanted, done; /* requests made and handled */
  guint n_retiring;
  GstY10Session *ready; /* also read atomically without it */
};

typedef struct
{
  GstY10Reload *reload;
  GstY10Session *session;
} Retiring;

/* Borrows @detect, which must outlive it. Starts closed. */
GstY10Reload *
gst_y10_reload_new (GstYolov10Detect *detect)
{
  GstY10Reload *self = g_new0 (GstY10Reload, 1);

  self->detect = detect;
  self->cancellable = g_cancellable_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  return self;
}

/* Call after gst_y10_reload_close(). */
void
gst_y10_reload_free (GstY10Reload *self)
{
  g_object_unref (self->cancellable);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

static GstY10Session *
swap_ready (GstY10Reload *self, GstY10Session *session)
{
  GstY10Session *before;

  g_mutex_lock (&self->lock);
  before = self->ready;
  g_atomic_pointer_set (&self->ready, session);
  g_mutex_unlock (&self->lock);
  return before;
}

/* Queued or negotiated frames may be in CUDA memory, which only a CUDA engine
 * reads. So a lost GPU does not turn a new model to the CPU, either. */
static gboolean
fits (GstY10Session *old, GstY10Session *new, GError **error)
{
  g_autoptr (Y10Engine) engine = NULL;

  if (old->backend != Y10_BACKEND_CUDA || new->backend == Y10_BACKEND_CUDA)
    return TRUE;
  engine = gst_y10_session_get_engine (new);
  g_set_error (error, Y10_ERROR, Y10_ERROR_NO_BACKEND,
      "%s would run on backend %s, but frames may be in CUDA memory, which "
      "only backend cuda reads (%s)",
      y10_model_get_path (new->model), y10_backend_get_name (new->backend),
      y10_engine_get_fallback_reason (engine));
  return FALSE;
}

static GstY10Session *
make_session (GstY10Reload *self, GstY10Session *old, GstY10Config *config,
    GError **error)
{
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (self->detect));
  GstY10Session *session;

  session = gst_y10_session_new (config,
      gst_y10_cuda_get_handle (self->detect->cuda), name, self->cancellable,
      error);
  if (session && !fits (old, session, error))
    g_clear_pointer (&session, gst_y10_session_unref);
  return session;
}

/* Goes back from the model file of @from to that of @to, unless one was set
 * meanwhile. Setting the same path again counts, since the file may have been
 * repaired; it makes another string, so the pointers tell. */
static void
reset_model_file (GstYolov10Detect *detect, const GstY10Config *from,
    const GstY10Config *to)
{
  GstY10Config *old, *new;

  g_mutex_lock (&detect->config_lock);
  old = detect->config;
  if (old->text.model_file == from->text.model_file) {
    new = gst_y10_config_copy (old);
    gst_y10_settings_set_text (&new->text.model_file, to->text.model_file);
    GST_OBJECT_LOCK (detect);
    detect->config = new;
    GST_OBJECT_UNLOCK (detect);
    gst_y10_settings_unref (old);
  }
  g_mutex_unlock (&detect->config_lock);
}

static void
refuse (GstY10Reload *self, GstY10Session *old, const GstY10Config *config,
    GError *error)
{
  GstYolov10Detect *detect = self->detect;
  g_autofree gchar *wanted = gst_y10_text_utf8 (config->text.model_file);
  g_autofree gchar *active = gst_y10_text_utf8 (old->config->text.model_file);

  reset_model_file (detect, config, old->config);
  g_prefix_error (&error, "failed to load the new model, keeping %s: ",
      y10_model_get_path (old->model));
  GST_Y10_ELEMENT_WARNING_WITH_DETAILS (detect, error,
      gst_structure_new ("yolov10-model-refused", "model-file", G_TYPE_STRING,
          wanted, "active-model-file", G_TYPE_STRING, active, NULL));
  g_object_notify (G_OBJECT (detect), "model-file");
}

static void
log_model (GstY10Reload *self, const gchar *what, const gchar *path)
{
  g_autofree gchar *text = gst_y10_text_printable (
      path && *path ? path : "the bundled model");

  GST_INFO_OBJECT (self->detect, "%s %s", what, text);
}

static void
load (GstY10Reload *self)
{
  GstYolov10Detect *detect = self->detect;
  GstY10Session *old = gst_yolov10_detect_get_session (detect), *new;
  g_autoptr (GstY10Config) config = NULL;
  g_autoptr (GError) error = NULL;

  if (!old)
    return;
  config = gst_yolov10_detect_get_config (detect);
  log_model (self, "loading", config->text.model_file);
  new = make_session (self, old, config, &error);
  if (new) {
    /* The input thread never took it. */
    gst_y10_session_unref (swap_ready (self, new));
  } else if (!g_cancellable_is_cancelled (self->cancellable)) {
    refuse (self, old, config, error);
  }
  gst_y10_session_unref (old);
}

static gpointer
run (gpointer data)
{
  GstY10Reload *self = data;

  g_mutex_lock (&self->lock);
  for (;;) {
    guint wanted;

    while (self->open && self->wanted == self->done)
      g_cond_wait (&self->changed, &self->lock);
    if (!self->open)
      break;
    wanted = self->wanted;
    g_mutex_unlock (&self->lock);
    load (self);
    g_mutex_lock (&self->lock);
    self->done = wanted;
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* Starts accepting requests. Call once the element has a session. */
void
gst_y10_reload_open (GstY10Reload *self)
{
  g_mutex_lock (&self->lock);
  self->open = TRUE;
  self->done = self->wanted;
  g_mutex_unlock (&self->lock);
}

/* Cancels a running load and waits for replaced sessions to be freed. Call
 * before the session ends, with an empty frame queue. */
void
gst_y10_reload_close (GstY10Reload *self)
{
  GThread *thread;

  g_cancellable_cancel (self->cancellable);
  g_mutex_lock (&self->lock);
  self->open = FALSE;
  thread = g_steal_pointer (&self->thread);
  g_cond_broadcast (&self->changed);
  while (self->n_retiring)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&thread, g_thread_join);
  g_cancellable_reset (self->cancellable);
  gst_y10_session_unref (swap_ready (self, NULL));
}

/* Requests a new session from the current properties. Any thread; does nothing
 * while closed. */
void
gst_y10_reload_request (GstY10Reload *self)
{
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&self->lock);
  if (self->open) {
    self->wanted++;
    if (!self->thread)
      self->thread = g_thread_try_new ("y10-reload", run, self, &error);
    g_cond_broadcast (&self->changed);
  }
  g_mutex_unlock (&self->lock);
  if (error)
    GST_Y10_ELEMENT_WARNING (self->detect, error);
}

/* Returns whether a new session is ready. Input thread; lock-free, as it runs for
 * each frame. */
gboolean
gst_y10_reload_is_ready (GstY10Reload *self)
{
  return g_atomic_pointer_get (&self->ready) != NULL;
}

/* Returns the new session, owned by the caller. Input thread; one must be ready, and
 * stays so until this thread takes it or closes the reload. */
GstY10Session *
gst_y10_reload_take (GstY10Reload *self)
{
  GstY10Session *session = swap_ready (self, NULL);

  log_model (self, "switched to", y10_model_get_path (session->model));
  return session;
}

static void
add_retiring (GstY10Reload *self, gint n)
{
  g_mutex_lock (&self->lock);
  self->n_retiring += n;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static gpointer
retire (gpointer data)
{
  Retiring *retiring = data;
  GstY10Reload *self = retiring->reload;

  gst_y10_session_retire (retiring->session, self->cancellable);
  g_free (retiring);
  add_retiring (self, -1);
  return NULL;
}

/* Takes ownership of a replaced session and frees it after its last frame has
 * left. */
void
gst_y10_reload_retire (GstY10Reload *self, GstY10Session *session)
{
  Retiring *retiring = g_new (Retiring, 1);
  g_autoptr (GThread) thread = NULL;

  *retiring = (Retiring){ self, session };
  add_retiring (self, 1);
  thread = g_thread_try_new ("y10-retire", retire, retiring, NULL);
  if (thread)
    return;
  /* Without a thread, the caller has to block. */
  g_free (retiring);
  add_retiring (self, -1);
  gst_y10_session_unref (session);
}
