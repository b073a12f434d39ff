/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>
#include <stdio.h>

/* A folder of immutable files, each named by its key. */
typedef struct _ToolStore ToolStore;
/* A file that is being written and that nobody else sees. */
typedef struct _ToolEntry ToolEntry;

/* Creates @dir if it is missing and removes what dead processes left there. */
ToolStore *tool_store_open (const char *dir, GError **error);
void tool_store_close (ToolStore *store);
/* The file of @key, relative to the store's folder. */
char *tool_store_get_name (const char *key);
gboolean tool_store_has (const ToolStore *store, const char *key);

ToolEntry *tool_entry_new (ToolStore *store, const char *key, GError **error);
FILE *tool_entry_get_file (ToolEntry *entry);
/* Takes @entry over. *@existed is TRUE if another process has published the key
 * first; its file stays. */
gboolean tool_entry_publish (ToolEntry *entry, gboolean *existed,
    GError **error);
/* Takes @entry over. */
void tool_entry_discard (ToolEntry *entry);
