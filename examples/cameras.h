/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

#pragma once

/* What the files of the example share. */

#include <gst/gst.h>
#include <json-glib/json-glib.h>

/* As the command line says; constant once cameras are there. */
typedef struct
{
  gchar *model, *backend, *classes, *stills, *sink;
  gint latency, interval;
  gboolean udp, found;
  gdouble timeout, most_pause, still_pause;
} Options;

typedef struct _Link Link;

/* A camera that somebody wants; the main thread's. */
typedef struct
{
  gchar *name, *uri;
  GstElement *pipeline;         /* NULL in a pause */
  Link *link;                   /* of that pipeline */
  gint64 began, connected;      /* when; 0 before the first frame */
  gint64 still_due;
  guint attempts;               /* since the last good connection */
  guint pause;                  /* source id */
  guint closing;                /* pipelines of its that are being stopped */
} Camera;

extern Options options;

/* cameras.c: a line about a camera; line_print() takes it. By the main thread. */
JsonObject *line_new (const gchar * camera);
void line_print (JsonObject * line);
void print_text (const gchar * line);

/* camera.c */
Camera *camera_new (const gchar * name, const gchar * uri);
void camera_unref (gpointer camera);
void camera_close (Camera * camera);
void camera_look_for_stall (Camera * camera);
gboolean camera_all_closed (void);
void set_up_detector (GstElement * detector);
gboolean check_pipeline (GError ** error);

/* still.c: from any thread; FALSE when too many wait already. */
gboolean still_want (const gchar * camera, GstPad * pad, GstBuffer * buffer);
void still_finish (void);
