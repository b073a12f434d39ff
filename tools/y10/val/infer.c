/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs the pictures of data through an engine, read as y10 detect reads them: upright, and as
 * much of a damaged one as there is. */

#include "config.h"

#include "base/interrupt.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "detect/runner.h"
#include "media/picture.h"
#include "val/infer.h"

#define MAX_NAMED 10 /* pictures that are named on stderr */

typedef struct
{
  ValData *data;
  const ValModel *model;
  ToolProgress *progress;
  GArray *found;
  guint8 *is_read;
  guint n_unread;
  gint64 read_time; /* µs */
  GError *error;    /* of the engine */
} Infer;

static void
name_unread (Infer *self, const ValPicture *picture, const char *why)
{
  if (self->progress)
    tool_progress_hide (self->progress);
  if (self->n_unread++ < MAX_NAMED)
    tool_error ("%s: %s", picture->path, why);
}

static void
on_result (const ToolFrame *frame, const Y10Detection *rows, guint n,
    const GError *failure, gpointer user)
{
  Infer *self = user;

  if (failure) {
    if (!self->error)
      self->error = g_error_copy (failure);
    return;
  }
  for (guint i = 0; i < n; i++) {
    const int class = self->model->class_of[rows[i].class_id];
    ValFound found = { .confidence = val_round (rows[i].confidence) };

    if (class < 0)
      continue;
    found.box = (ValBox){ val_round (rows[i].x0), val_round (rows[i].y0),
      val_round (rows[i].x1 - rows[i].x0), val_round (rows[i].y1 - rows[i].y0),
      frame->input, (guint) class };
    g_array_append_val (self->found, found);
  }
  tool_progress_update (self->progress, frame->input, 1, frame->source);
}

/* Sets the size of a picture, and gives it to @runner unless that is NULL. */
static void
read_picture (Infer *self, guint index, ToolRunner *runner)
{
  ValPicture *picture = g_ptr_array_index (self->data->pictures, index);
  const gint64 start = g_get_monotonic_time ();
  g_autofree char *damage = NULL;
  g_autoptr (GError) error = NULL;
  ToolFrame frame;

  if (!tool_picture_load (picture->path, picture->path, &frame, &damage,
          &error)) {
    name_unread (self, picture, error->message);
    return;
  }
  self->read_time += g_get_monotonic_time () - start;
  if (damage)
    val_data_note (self->data, "%s: damaged: %s", picture->path, damage);
  self->is_read[index] = 1;
  frame.input = index;
  picture->width = frame.image.width;
  picture->height = frame.image.height;
  if (runner)
    tool_runner_push (runner, &frame);
  else
    frame.free_pixels (frame.pixels);
}

static void
set_speed (const Infer *self, const ToolRunner *runner, ValSpeed *speed)
{
  const guint n = self->data->pictures->len - self->n_unread;
  Y10StepTimes times;

  tool_runner_get_times (runner, &times);
  *speed = (ValSpeed){ .n = n };
  if (!n)
    return;
  speed->read = (double) self->read_time / 1e3 / n;
  speed->preprocess = (double) times.preprocess / 1e6 / n;
  speed->inference = (double) times.inference / 1e6 / n;
  speed->postprocess = (double) times.postprocess / 1e6 / n;
}

/* Takes the pictures out that could not be read, of which nothing was found. */
static void
drop_unread (Infer *self)
{
  guint n = 0;
  g_autofree guint *numbers = g_new (guint,
      (gsize) self->data->pictures->len + 1);

  if (self->n_unread > MAX_NAMED)
    tool_error ("%u more pictures cannot be read", self->n_unread - MAX_NAMED);
  for (guint i = 0; i < self->data->pictures->len; i++)
    numbers[i] = self->is_read[i] ? n++ : 0;
  for (guint i = 0; i < self->found->len; i++) {
    ValFound *found = &g_array_index (self->found, ValFound, i);

    found->box.picture = numbers[found->box.picture];
  }
  val_data_keep (self->data, NULL, self->is_read);
}

GArray *
val_infer (ValData *data, const ValModel *model, guint *n_unread,
    ValSpeed *speed, GError **error)
{
  const guint n = data->pictures->len;
  Infer self = {
    .data = data,
    .model = model,
    .found = g_array_new (FALSE, FALSE, sizeof (ValFound)),
    .is_read = g_new0 (guint8, (gsize) n + 1),
  };
  const ToolParts whole = { 0 };
  ToolRunner *runner = NULL;

  if (model) {
    runner = tool_runner_new (model->engine, &model->params, &whole, on_result,
        &self);
    self.progress = tool_progress_new (n, model->engine);
  }
  for (guint i = 0; i < n && !self.error && !tool_interrupted (); i++)
    read_picture (&self, i, runner);
  if (runner)
    tool_runner_flush (runner);
  if (runner && !self.error)
    set_speed (&self, runner, speed);
  tool_runner_free (runner);
  tool_progress_free (self.progress);
  *n_unread = self.n_unread;
  if (self.error || tool_interrupted ()) {
    if (self.error)
      g_propagate_error (error, self.error);
    g_clear_pointer (&self.found, g_array_unref);
  } else if (self.n_unread) {
    drop_unread (&self);
  }
  g_free (self.is_read);
  return self.found;
}
