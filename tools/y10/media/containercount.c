/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Counts the frames of a track that are in a file, to compare them with those
 * that a demuxer gives. Numbers in headers and tags are not used: programs that
 * cut files without encoding them again copy those of the whole. Empty frames do
 * not count. */

#include "config.h"

#include <string.h>
#include <sys/stat.h>

#include "media/container.h"
#include "media/containerread.h"
#include "media/movie.h"

#define SIMPLE_BLOCK 0xa3
#define BLOCK_GROUP 0xa0
#define BLOCK 0xa1
#define LACING 0x06 /* several frames in a block */
#define MAX_MOOF (16u << 20)

/* The samples in fragments (ISO/IEC 14496-12, 8.8). */
static guint64
count_fragments (const ToolContainer *c, guint track)
{
  guint64 at = 0, length, n = 0;
  guint8 head[16], *moof;

  while (at < c->size && tool_container_read_at (c, at, head, 8)) {
    length = tool_container_big_endian (head, 4);
    if (length == 1 && tool_container_read_at (c, at, head, 16))
      length = tool_container_big_endian (head + 8, 8);
    if (length < 8 || length > c->size - at)
      break;
    if (!memcmp (head + 4, "moof", 4) && length <= MAX_MOOF) {
      moof = g_malloc ((gsize) length);
      if (tool_container_read_at (c, at, moof, (gsize) length))
        n += tool_movie_count_fragment (moof, (gsize) length, track);
      g_free (moof);
    }
    at += length;
  }
  return n;
}

/* Adds the block at @at to *@n if it is of @track. FALSE if frames cannot be
 * counted (RFC 9559, 10). */
static gboolean
count_block (const ToolContainer *c, guint64 at, guint64 length, guint track,
    guint64 *n)
{
  const guint64 end = at + length;
  guint64 number;
  guint8 rest[3];

  if (!tool_container_read_vint (c, &at, &number)
      || !tool_container_read_at (c, at, rest, sizeof rest))
    return FALSE;
  if (number != track)
    return TRUE;
  *n += at + sizeof rest < end;
  return !(rest[2] & LACING);
}

static guint64
count_blocks (const ToolContainer *c, guint track)
{
  guint64 at = 0, id, length, n = 0;

  while (at < c->size && tool_container_read_element (c, &at, &id, &length)) {
    if (id == TOOL_EBML_SEGMENT || id == TOOL_EBML_CLUSTER || id == BLOCK_GROUP)
      continue;
    if (length == TOOL_EBML_UNKNOWN || length > c->size - at)
      return 0;
    if ((id == SIMPLE_BLOCK || id == BLOCK)
        && !count_block (c, at, length, track, &n))
      return 0;
    at += length;
  }
  return n;
}

/* The chunks 00dc and 00db of AVI, also in lists 'rec ' and, beyond 1 GB, in
 * further RIFF lists. */
static guint64
count_chunks (const ToolContainer *c, guint track)
{
  const char number[] = { (char) ('0' + track / 10),
    (char) ('0' + track % 10) };
  guint64 at = 0, n = 0;
  guint32 length;
  guint8 head[12];

  while (at < c->size && tool_container_read_at (c, at, head, 8)) {
    length = tool_container_little_endian (head + 4);
    if (!memcmp (head, "RIFF", 4)
        || (!memcmp (head, "LIST", 4)
            && tool_container_read_at (c, at, head, 12)
            && (!memcmp (head + 8, "movi", 4)
                || !memcmp (head + 8, "rec ", 4)))) {
      at += 12;
      continue;
    }
    if (length > c->size - at)
      return 0;
    n += length > 0 && !memcmp (head, number, 2)
        && (!memcmp (head + 2, "dc", 2) || !memcmp (head + 2, "db", 2));
    at += 8 + (guint64) length + (length & 1);
  }
  return n;
}

guint64
tool_container_count_frames (const char *path, guint track)
{
  ToolContainer c = { .file = fopen (path, "rbe") };
  struct stat info;
  guint8 head[12];
  guint64 n = 0;

  if (!c.file)
    return 0;
  if (fstat (fileno (c.file), &info) == 0
      && tool_container_read_at (&c, 0, head, sizeof head)) {
    c.size = (guint64) info.st_size;
    if (!memcmp (head + 4, "ftyp", 4))
      n = count_fragments (&c, track);
    else if (tool_container_big_endian (head, 4) == 0x1a45dfa3)
      n = count_blocks (&c, track);
    else if (!memcmp (head, "RIFF", 4) && !memcmp (head + 8, "AVI ", 4))
      n = track ? count_chunks (&c, track - 1) : 0; /* avidemux: from 1 */
  }
  fclose (c.file);
  return n;
}
