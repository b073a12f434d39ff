/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Live views: JPEG pictures one after the other. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

/* Answers @message with pictures as long as it lasts, or with the next one (@once). */
void serve_mjpeg_view (ServeCamera *camera, SoupServerMessage *message,
    gboolean once);
/* For tool_camera_new(); @camera: a ServeCamera. */
void serve_mjpeg_on_picture (gpointer camera);
/* Ends those that wait too long for a picture. */
void serve_mjpeg_look (ServeCamera *camera);
/* Lets no picture that there is go out any more, as before privacy: views that are sending
 * one end. */
void serve_mjpeg_forget (ServeCamera *camera);
/* Ends all views. */
void serve_mjpeg_end (ServeCamera *camera);

G_END_DECLS
