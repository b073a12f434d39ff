/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Memory of pipelines that come and go. */

#include <glib.h>

/* Before there are threads: keeps arenas few. */
void tool_memory_set_up (void);
/* When a pipeline is gone. Any thread; takes about a millisecond. */
void tool_memory_trim (void);
