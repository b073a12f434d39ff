/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <sys/stat.h>

G_BEGIN_DECLS

/* Opens @path for reading and fills in @s. Returns a descriptor, or -1 and
 * in @why the reason, such as "no such file" or "it is a FIFO; expected a
 * regular file". Never blocks on a FIFO or device. */
int y10_regular_file_open (const char *path, struct stat *s, char **why);
/* Likewise for the file @name in the folder of @path; rejects symbolic
 * links. */
int y10_regular_file_open_beside (const char *path, const char *name,
    struct stat *s, char **why);
/* Reads up to @size bytes at @offset. Returns the number read, or -1 with errno
 * set. */
gssize y10_regular_file_read (int fd, guint64 offset, gpointer data,
    gsize size);

G_END_DECLS
