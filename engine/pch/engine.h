/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Precompiled: what most files of the engine include. It saves time only: each file
 * includes what it uses, and builds with -Db_pch=false show where one does not. */

#include <gio/gio.h>
#include <glib.h>
#include <math.h>
#include <string.h>
