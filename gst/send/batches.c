/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Cuts batches when they are posted, within limits of lines and of bytes. The server's own
 * limit of bytes is learned from what it takes and refuses. A batch that was refused is sent
 * again in halves until the line is found that it is refused for; what is taken meanwhile
 * makes the parts larger again. */
#include "send/batches.h"

#define MAX_BYTES (1 << 20) /* lines that are sent together */

void
gst_y10_batches_init (GstY10Batches *self)
{
  *self = (GstY10Batches){ .lines = G_QUEUE_INIT,
    .most_lines = 1,
    .too_large = G_MAXSIZE };
}

void
gst_y10_batch_line_free (gpointer data)
{
  GstY10BatchLine *line = data;

  g_free (line->text);
  g_free (line);
}

GstY10BatchLine *
gst_y10_batch_line_new (guint64 serial, const gchar *text, gsize length)
{
  GstY10BatchLine *line = g_new (GstY10BatchLine, 1);

  *line = (GstY10BatchLine){ serial, g_strndup (text, length), length };
  return line;
}

void
gst_y10_batches_empty (GstY10Batches *self)
{
  g_queue_clear_full (&self->lines, gst_y10_batch_line_free);
  self->left = 0;
}

void
gst_y10_batches_put (GstY10Batches *self, GstY10BatchLine *line)
{
  g_queue_push_tail (&self->lines, line);
}

static gsize
get_limit (const GstY10Batches *self)
{
  return MIN (MAX (self->taken, self->too_large / 2), MAX_BYTES);
}

/* Returns: (transfer full): the lines of the next request, at least one if any waits */
GPtrArray *
gst_y10_batches_cut (GstY10Batches *self)
{
  const guint most = self->left ? MIN (self->part, self->left)
                                : self->most_lines;
  const gsize limit = get_limit (self);
  GPtrArray *lines = g_ptr_array_new_with_free_func (gst_y10_batch_line_free);
  gsize size = 2; /* brackets */

  while (lines->len < most) {
    const GstY10BatchLine *line = g_queue_peek_head (&self->lines);

    if (!line || (lines->len && size + line->length + 1 > limit))
      break;
    size += line->length + 1;
    g_ptr_array_add (lines, g_queue_pop_head (&self->lines));
  }
  return lines;
}

GBytes *
gst_y10_batches_make_body (const GstY10Batches *self, const GPtrArray *lines)
{
  const gboolean is_array = !self->is_ndjson && self->most_lines > 1;
  GString *text = g_string_new (is_array ? "[" : NULL);

  for (guint i = 0; i < lines->len; i++) {
    const GstY10BatchLine *line = g_ptr_array_index (lines, i);

    if (is_array && i)
      g_string_append_c (text, ',');
    g_string_append_len (text, line->text, (gssize) line->length);
    if (self->is_ndjson)
      g_string_append_c (text, '\n');
  }
  if (is_array)
    g_string_append_c (text, ']');
  return g_string_free_to_bytes (text);
}

static void
shrink (GstY10Batches *self, guint n)
{
  self->left -= MIN (self->left, n);
}

/* @n lines were taken, in a request of @size bytes. */
void
gst_y10_batches_note_taken (GstY10Batches *self, guint n, gsize size)
{
  self->taken = MAX (self->taken, size);
  /* The limit is another one now. */
  if (self->taken >= self->too_large)
    self->too_large = G_MAXSIZE;
  shrink (self, n);
  self->part = MIN (2 * self->part, self->most_lines);
}

/**
 * gst_y10_batches_note_refused:
 * @self: batches
 * @lines: what gst_y10_batches_cut() has returned; several wait again, in front
 * @size: of the request, in bytes
 * @is_too_large: whether that is why
 */
void
gst_y10_batches_note_refused (GstY10Batches *self, GPtrArray *lines, gsize size,
    gboolean is_too_large)
{
  const guint n = lines->len;

  if (is_too_large) {
    self->too_large = MIN (self->too_large, size);
    /* It has become less. */
    if (self->taken >= size)
      self->taken = 0;
  }
  if (n == 1) {
    shrink (self, 1);
    return;
  }
  g_ptr_array_set_free_func (lines, NULL);
  for (guint i = n; i > 0; i--)
    g_queue_push_head (&self->lines, g_ptr_array_index (lines, i - 1));
  g_ptr_array_set_size (lines, 0);
  self->left = MAX (self->left, n);
  self->part = MAX (n / 2, 1);
}
