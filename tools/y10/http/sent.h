/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What is on its way to clients, such as pictures of a camera. Main thread only. */

#include <libsoup/soup.h>

/* @message, or the next part of it, shows @subject. */
void http_sent_add (SoupServerMessage *message, const char *subject);
/* libsoup has handed all parts of @message that were added to the kernel. */
void http_sent_written (const SoupServerMessage *message);
/* Resets the connections that have not delivered all that shows @subject: nothing that
 * libsoup or the kernel has queued leaves any more. */
void http_sent_reset (const char *subject);
/* At the end. */
void http_sent_stop (void);
