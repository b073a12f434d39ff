/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a follower counts. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 sent, acknowledged, replayed, skipped, failed, reconnects;
  gboolean is_connected;
} GstY10FollowerStats;

G_END_DECLS
