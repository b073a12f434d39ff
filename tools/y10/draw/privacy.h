/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Covers what is detected, in copies and crops. */

#include <y10/y10.h>

/* How, in the words of yolov10overlay's privacy, and where objects count. */
typedef struct
{
  const char *word;  /* NULL: nothing is covered */
  Y10Region *region; /* NULL: the whole picture; borrowed */
  Y10RegionAnchor anchor;
} ToolPrivacy;

/* Reads @text, which may be "none", into the word. FALSE with an error if it is no word of
 * yolov10overlay, or if this build cannot cover. */
gboolean tool_privacy_parse (const char *text, const char **word,
    GError **error);
/* FALSE with an error if copies would be covered as a whole, since it is not known what is
 * in all of the picture. */
gboolean tool_privacy_check_region (const ToolPrivacy *privacy, GError **error);
