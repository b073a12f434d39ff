/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The model of all cameras, and its change while they run. Main thread only. */

#include "http/sockets.h"
#include "serve/cameras.h"

typedef struct _ServeModelChange ServeModelChange;

/* All but the change is borrowed. */
typedef struct
{
  ServeSettings *settings;
  ServeCameras *cameras;
  HttpSockets *sockets;     /* of the pages that are told */
  ServeModelChange *change; /* that is under way, or NULL */
} ServeModel;

/* Called once. @problem: NULL if all cameras have the model. */
typedef void (
    *ServeModelDone) (gpointer user, guint status, const char *problem);

/* Begins to change to the file @name of the folder of models, or to the bundled model for
 * NULL. None may be under way. */
void serve_model_begin (ServeModel *model, const char *name,
    ServeModelDone done, gpointer user);
/* Gives up what is under way. */
void serve_model_stop (ServeModel *model);

/* The path of the model that the settings keep until all have another one; NULL: the
 * bundled one. */
const char *serve_model_get_kept (const ServeModel *model);
/* Adds the member "change": what is under way, or null. */
void serve_model_write (const ServeModel *model, GString *json);
