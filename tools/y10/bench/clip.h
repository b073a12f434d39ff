/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

/* Some seconds of encoded video in memory, which cameras of a measurement send again
 * and again. It begins with a key frame. */
typedef struct
{
  GstCaps *caps;     /* as a decoder needs them, with the frame rate */
  GPtrArray *frames; /* GstBuffer, in the order of decoding */
  guint *rank;       /* of each frame, in the order of presentation */
  guint *at_rank;    /* the frame of each rank */
  guint reorder;     /* the most ranks that a frame is ahead of its place */
  guint width, height;
  double fps;
  const char *codec;   /* for people */
  const char *encoder; /* NULL: from a file */
} ToolClip;

/* Encodes a moving scene with the best encoder that is here: of H.264 if possible. */
ToolClip *tool_clip_make (guint width, guint height, double fps,
    GError **error);
/* Reads the beginning of a file. @fps: of the cameras, 0: the file's. */
ToolClip *tool_clip_read (const char *path, double fps, GError **error);
/* Returns bits per second. */
double tool_clip_get_bit_rate (const ToolClip *clip);
void tool_clip_free (ToolClip *clip);

/* scene.c */

typedef struct _ToolScene ToolScene;

/* A scene of @n_frames that ends as it begins, in I420 without padding. */
ToolScene *tool_scene_new (guint width, guint height, guint n_frames);
void tool_scene_draw (const ToolScene *scene, guint frame, guint8 *pixels);
void tool_scene_free (ToolScene *scene);
