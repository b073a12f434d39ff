/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The pictures of a folder as frames of a video, as the sequences of the MOT Challenge are:
 * SEQUENCE/img1/000001.jpg and so on, with the frame rate in SEQUENCE/seqinfo.ini. */

#include "config.h"

#include "detect/sequence.h"

#define FPS 30 /* where nobody says it; also MOT17's */

gboolean
tool_sequence_has (const ToolSequence *self, const char *source)
{
  g_autofree char *folder = g_path_get_dirname (source);

  return !g_strcmp0 (folder, self->folder);
}

/* Returns 0 where there is no such file, or nothing of use in it. */
static double
read_fps (const char *folder)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = g_build_filename (folder, "..", "seqinfo.ini", NULL);
  double fps = 0;

  if (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    fps = g_key_file_get_double (file, "Sequence", "frameRate", NULL);
  return fps > 0 && fps <= 1000 ? fps : 0;
}

void
tool_sequence_begin (ToolSequence *self, const char *source, double fps)
{
  self->folder = g_path_get_dirname (source);
  self->fps = fps > 0 ? fps : read_fps (self->folder);
  self->n = 0;
  if (!(self->fps > 0))
    self->fps = FPS;
}

void
tool_sequence_take (ToolSequence *self, const char *source, ToolFrame *frame)
{
  self->source = source;
  frame->number = self->n++;
  frame->timestamp = (gint64) ((double) frame->number * 1e9 / self->fps);
}

void
tool_sequence_clear (ToolSequence *self)
{
  g_clear_pointer (&self->folder, g_free);
}
