/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <sys/stat.h>

G_BEGIN_DECLS

/* A descriptor of @path for reading and what fstat() says of it, or -1 and in
 * @why the reason, as "no such file" or "it is a FIFO; expected a regular
 * file". Never blocks on what is at the other end of a file. */
int y10_regular_file_open (const char *path, struct stat *s, char **why);
/* Likewise the file @name in the folder of @path, unless it is a symbolic
 * link. */
int y10_regular_file_open_beside (const char *path, const char *name,
    struct stat *s, char **why);
/* Up to @size bytes at @offset: how many there were, or -1 with errno set. */
gssize y10_regular_file_read (int fd, guint64 offset, gpointer data,
    gsize size);

G_END_DECLS
