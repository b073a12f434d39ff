/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Detects truncated files. Demuxers play what is present and then end normally,
 * so this file compares the file size with the lengths in the container: the
 * boxes of MP4 and QuickTime, Matroska's segment, clusters and blocks, RIFF
 * (AVI, WebP), the packets of a transport stream, and the pixels of a BMP. Other
 * formats count as complete. */

#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "media/container.h"
#include "media/containerread.h"

#define N_PACKETS 5 /* required to recognise a transport stream */

/* Returns NULL if @length bytes of @what fit into the file at @start. */
static char *
check_length (const ToolContainer *c, const char *what, guint64 start,
    guint64 length)
{
  if (start > c->size || length <= c->size - start)
    return NULL;
  return g_strdup_printf ("truncated: %" G_GUINT64_FORMAT
                          " of the %" G_GUINT64_FORMAT
                          " bytes of its %s are present",
      c->size - start, length, what);
}

static gboolean
is_box_type (const guint8 *type)
{
  for (guint i = 0; i < 4; i++)
    if (type[i] < 0x20 || type[i] > 0x7e)
      return type[0] == 0xa9;
  return TRUE;
}

/* ISO/IEC 14496-12, 4.2. */
static char *
check_boxes (const ToolContainer *c)
{
  guint8 head[16];
  guint64 at = 0, length;
  char *damage = NULL, what[16];

  while (!damage && c->size - at >= 8 && tool_container_read_at (c, at, head, 8)
      && is_box_type (head + 4)) {
    length = tool_container_big_endian (head, 4);
    if (length == 1 && c->size - at >= 16
        && tool_container_read_at (c, at, head, 16))
      length = tool_container_big_endian (head + 8, 8);
    if (length < 8) /* 0: to the end of the file */
      break;
    g_snprintf (what, sizeof what, "box '%.4s'", head + 4);
    damage = check_length (c, what, at, length);
    at += damage ? 0 : length;
  }
  return damage;
}

/* Checks that elements follow each other without gaps and end with their parent.
 * At a gap, demuxers silently skip frames up to the next cluster. */
static char *
check_elements (const ToolContainer *c, guint64 at, guint64 end)
{
  guint64 start, id, length, parent_end = end;

  while (at < end) {
    if (at == parent_end)
      parent_end = end;
    start = at;
    if (!tool_container_read_element (c, &at, &id, &length) || at > parent_end
        || (length == TOOL_EBML_UNKNOWN
                ? id != TOOL_EBML_CLUSTER && id != TOOL_EBML_SEGMENT
                : length > parent_end - at))
      return g_strdup_printf (
          "there is no Matroska element at byte %" G_GUINT64_FORMAT, start);
    if (id != TOOL_EBML_CLUSTER && id != TOOL_EBML_SEGMENT)
      at += length;
    else if (length != TOOL_EBML_UNKNOWN)
      parent_end = at + length;
  }
  return NULL;
}

static char *
check_matroska (const ToolContainer *c)
{
  guint64 at = 0, id, length;
  char *damage;

  if (!tool_container_read_element (c, &at, &id, &length)
      || length > c->size - at)
    return NULL;
  at += length;
  if (!tool_container_read_element (c, &at, &id, &length)
      || id != TOOL_EBML_SEGMENT)
    return NULL;
  if (length == TOOL_EBML_UNKNOWN)
    return check_elements (c, at, c->size);
  damage = check_length (c, "segment", at, length);
  return damage ? damage : check_elements (c, at, at + length);
}

/* ISO/IEC 13818-1, 2.4.3: packets of one size. Recorders may put a timestamp
 * before each (192 bytes) or parity after each (204 bytes). */
static char *
check_packets (const ToolContainer *c)
{
  static const struct
  {
    guint size, sync;
  } kinds[] = { { 188, 0 }, { 192, 4 }, { 204, 0 } };
  guint8 sync;
  guint n;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    for (n = 0; n < N_PACKETS; n++)
      if (!tool_container_read_at (c, n * kinds[i].size + kinds[i].sync, &sync,
              1)
          || sync != 0x47)
        break;
    if (n == N_PACKETS && c->size % kinds[i].size)
      return g_strdup_printf ("truncated: %u of the %u bytes of its last "
                              "packet are present",
          (guint) (c->size % kinds[i].size), kinds[i].size);
  }
  return NULL;
}

/* Checks that all pixels of an uncompressed BMP are present. */
static char *
check_bmp (const ToolContainer *c)
{
  guint8 h[34];
  guint64 row;
  gint32 height;

  if (!tool_container_read_at (c, 0, h, sizeof h)
      || tool_container_little_endian (h + 14) < 40
      || (tool_container_little_endian (h + 30) != 0
          && tool_container_little_endian (h + 30) != 3))
    return NULL;
  row = ((guint64) tool_container_little_endian (h + 18) * (h[28] | h[29] << 8)
            + 31)
      / 32 * 4;
  height = (gint32) tool_container_little_endian (h + 22);
  return check_length (c, "pixels", tool_container_little_endian (h + 10),
      row * (guint64) ABS ((gint64) height));
}

/* Whether a box of @type is on the top level. */
static gboolean
has_box (const ToolContainer *c, const char *type)
{
  guint8 head[16];
  guint64 at = 0, length;

  while (at < c->size && tool_container_read_at (c, at, head, 8)) {
    if (!memcmp (head + 4, type, 4))
      return TRUE;
    length = tool_container_big_endian (head, 4);
    if (length == 1 && tool_container_read_at (c, at, head, 16))
      length = tool_container_big_endian (head + 8, 8);
    if (length < 8 || length > c->size - at)
      break;
    at += length;
  }
  return FALSE;
}

/* Whether the segment of a Matroska file has an index. */
static gboolean
has_cues (const ToolContainer *c)
{
  guint64 at = 0, id, length;

  while (at < c->size && tool_container_read_element (c, &at, &id, &length)) {
    if (id == TOOL_EBML_CUES)
      return TRUE;
    if (id == TOOL_EBML_SEGMENT)
      continue;
    if (length == TOOL_EBML_UNKNOWN || length > c->size - at)
      break;
    at += length;
  }
  return FALSE;
}

const char *
tool_container_find_doubt (const char *path)
{
  ToolContainer c = { .file = fopen (path, "rbe") };
  const char *doubt = NULL;
  struct stat info;
  guint8 head[4];

  if (!c.file)
    return NULL;
  if (fstat (fileno (c.file), &info) == 0
      && tool_container_read_at (&c, 0, head, 4)) {
    c.size = (guint64) info.st_size;
    if (tool_container_big_endian (head, 4) == 0x1a45dfa3)
      doubt = has_cues (&c) ? NULL : "its container has no index (Cues)";
    else if (has_box (&c, "moof"))
      doubt = "it is a fragmented MP4";
  }
  fclose (c.file);
  return doubt;
}

char *
tool_container_find_damage (const char *path)
{
  ToolContainer c = { .file = fopen (path, "rbe") };
  char *damage = NULL;
  struct stat info;
  guint8 head[12];

  if (!c.file)
    return NULL;
  if (fstat (fileno (c.file), &info) == 0 && S_ISREG (info.st_mode)
      && tool_container_read_at (&c, 0, head, sizeof head)) {
    c.size = (guint64) info.st_size;
    if (!memcmp (head + 4, "ftyp", 4) || !memcmp (head + 4, "moov", 4)
        || !memcmp (head + 4, "mdat", 4) || !memcmp (head + 4, "wide", 4))
      damage = check_boxes (&c);
    else if (tool_container_big_endian (head, 4) == 0x1a45dfa3)
      damage = check_matroska (&c);
    else if (!memcmp (head, "RIFF", 4)
        && tool_container_little_endian (head + 4) != G_MAXUINT32)
      damage = check_length (&c, "RIFF list", 8,
          tool_container_little_endian (head + 4));
    else if (!memcmp (head, "BM", 2))
      damage = check_bmp (&c);
    else
      damage = check_packets (&c);
  }
  fclose (c.file);
  return damage;
}
