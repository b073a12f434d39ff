/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Answers that clients have not received as a whole, such as pictures of a camera, so that
 * they can be called back. Main thread only. */

#include <libsoup/soup.h>

/* What is added to @message next shows @subject. */
void http_inflight_add (SoupServerMessage *message, const char *subject);
/* libsoup has handed all parts of @message that were added to the kernel. */
void http_inflight_written (const SoupServerMessage *message);
/* Resets the connections that have not delivered all that shows @subject: nothing that
 * libsoup or the kernel has queued leaves any more. */
void http_inflight_reset (const char *subject);
/* At the end. */
void http_inflight_stop (void);
