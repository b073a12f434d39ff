/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Another model for all cameras, while they run. Main thread only. */

#include <json-glib/json-glib.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

/* @problem: NULL if all have it. It is called once. */
typedef void (
    *ServeModelDone) (gpointer user, guint status, const char *problem);

/* Begins to change to the file @name of the folder of models, or to the bundled model for
 * NULL. None may be under way. */
void serve_model_change_begin (Serve *serve, const char *name,
    ServeModelDone done, gpointer user);
/* To be called a few times a second. */
void serve_model_change_look (Serve *serve);
/* Gives up what is under way. */
void serve_model_change_stop (Serve *serve);

/* The path of the model that the settings keep until all have another one; NULL: the
 * bundled one. */
const char *serve_model_change_get_kept (const Serve *serve);
/* Adds the member "change": what is under way, or null. */
void serve_model_change_write (const Serve *serve, JsonBuilder *builder);

G_END_DECLS
