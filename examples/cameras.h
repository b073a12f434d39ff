/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#pragma once

/* Shared by the files of the example. */

#include <gio/gio.h>
#include <gst/gst.h>

/* The command line's options; constant once there are cameras. */
typedef struct
{
  gchar *model, *backend, *classes, *stills, *sink;
  gint latency, interval;
  gboolean udp, found;
  gdouble timeout, most_pause, still_pause;
} Options;

typedef struct _Link Link;

/* A camera on the list; used by the main thread only. */
typedef struct
{
  gchar *name, *uri;
  GstElement *pipeline;    /* NULL in a pause */
  Link *link;              /* of that pipeline */
  gint64 began, connected; /* times; connected is 0 before the first frame */
  gint64 still_due;
  guint attempts; /* since the last good connection */
  guint pause;    /* source id */
  guint closing;  /* its pipelines that are being stopped */
} Camera;

extern Options options;

/* cameras.c: makes a line of JSON about a camera; line_print() takes it. Main
 * thread only. */
GString *line_new (const gchar *camera);
void line_add (GString *line, const gchar *name, const gchar *text);
void line_print (GString *line);
void print_text (const gchar *line);

/* camera.c */
Camera *camera_new (const gchar *name, const gchar *uri);
void camera_unref (gpointer camera);
void camera_close (Camera *camera);
void camera_look_for_stall (Camera *camera);
gboolean camera_all_closed (void);
void set_up_detector (GstElement *detector);
gboolean check_pipeline (GError **error);

/* still.c: any thread may call this; FALSE if too many stills wait already. */
gboolean still_want (const gchar *camera, GstPad *pad, GstBuffer *buffer);
void still_finish (void);
