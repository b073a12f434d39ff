/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The directory of a zip archive (PKWARE's APPNOTE.TXT, sections 4.3 and 4.4,
 * with zip64), read with pread(). torch.save() stores members uncompressed, so
 * a member is a range of the file. The archive is untrusted. */

#include "config.h"

#include <string.h>

#include "weights/zip.h"

#define END_SIZE 22
#define END64_SIZE 56
#define LOCATOR_SIZE 20
#define ENTRY_SIZE 46
#define LOCAL_SIZE 30
#define MAX_COMMENT 65535
/* A checkpoint of yolov10x with its optimizer has 4,000 members. */
#define MAX_MEMBERS 65535
#define MAX_DIRECTORY (8u << 20)

#define METHOD_STORED 0
#define FLAG_ENCRYPTED 1
#define EXTRA_ZIP64 1

typedef struct
{
  guint64 header; /* offset of the local header */
  guint64 size, stored_size;
  guint16 method, flags;
} Member;

struct _Y10Zip
{
  const Y10TensorFile *file;
  GHashTable *by_name; /* name → Member; owns both */
  GPtrArray *names;    /* in the archive's order, borrowed */
};

static guint64
get (const guint8 *p, guint n)
{
  guint64 value = 0;

  for (guint i = 0; i < n; i++)
    value |= (guint64) p[i] << (8 * i);
  return value;
}

G_GNUC_PRINTF (3, 4)
static gboolean
bad (const Y10TensorFile *file, GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL_FORMAT,
      "%s is not a valid zip archive: %s", y10_tensor_file_get_path (file),
      text);
  return FALSE;
}

/* Fields that exceed 32 bits are 0xffffffff; their values are in the zip64
 * extra field, in this order. */
static void
read_zip64 (Member *member, const guint8 *extra, gsize size)
{
  guint64 *fields[] = { &member->size, &member->stored_size, &member->header };

  while (size >= 4) {
    gsize length = get (extra + 2, 2);

    if (length > size - 4)
      return;
    if (get (extra, 2) == EXTRA_ZIP64) {
      const guint8 *p = extra + 4;

      for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
        if (*fields[i] == G_MAXUINT32
            && (gsize) (p - extra) - 4 + 8 <= length) {
          *fields[i] = get (p, 8);
          p += 8;
        }
      return;
    }
    extra += 4 + length;
    size -= 4 + length;
  }
}

static gboolean
read_directory (Y10Zip *zip, const guint8 *p, gsize size, guint64 n,
    GError **error)
{
  for (guint64 i = 0; i < n; i++) {
    gsize name_size, extra_size, comment_size;
    Member *member;
    char *name;

    if (size < ENTRY_SIZE || memcmp (p, "PK\1\2", 4))
      return bad (zip->file, error,
          "entry %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
          " is missing from its directory",
          i, n);
    name_size = get (p + 28, 2);
    extra_size = get (p + 30, 2);
    comment_size = get (p + 32, 2);
    if (size - ENTRY_SIZE < name_size + extra_size + comment_size)
      return bad (zip->file, error,
          "entry %" G_GUINT64_FORMAT " exceeds its "
          "directory",
          i);
    name = g_strndup ((const char *) p + ENTRY_SIZE, name_size);
    if (g_hash_table_contains (zip->by_name, name)) {
      g_autofree char *shown = g_utf8_make_valid (name, -1);

      g_free (name);
      return bad (zip->file, error, "member \"%s\" occurs twice", shown);
    }
    member = g_new (Member, 1);
    *member = (Member){
      .flags = get (p + 8, 2),
      .method = get (p + 10, 2),
      .stored_size = get (p + 20, 4),
      .size = get (p + 24, 4),
      .header = get (p + 42, 4),
    };
    read_zip64 (member, p + ENTRY_SIZE + name_size, extra_size);
    g_ptr_array_add (zip->names, name);
    g_hash_table_insert (zip->by_name, name, member);
    p += ENTRY_SIZE + name_size + extra_size + comment_size;
    size -= ENTRY_SIZE + name_size + extra_size + comment_size;
  }
  return TRUE;
}

/* Finds the directory through the record at the end of the file, which only
 * a comment may follow. */
static gboolean
find_directory (const Y10TensorFile *file, guint64 *offset, guint64 *size,
    guint64 *n, GError **error)
{
  guint64 file_size = y10_tensor_file_get_size (file);
  gsize tail_size = MIN (file_size, END_SIZE + MAX_COMMENT + LOCATOR_SIZE);
  g_autofree guint8 *tail = g_malloc (MAX (tail_size, 1));
  guint8 end64[END64_SIZE];
  const guint8 *end;
  guint64 at;

  if (tail_size < END_SIZE)
    return bad (file, error,
        "it has %" G_GSIZE_FORMAT " bytes; expected at least "
        "%d",
        tail_size, END_SIZE);
  if (!y10_tensor_file_read (file, file_size - tail_size, tail, tail_size,
          error))
    return FALSE;
  for (end = tail + tail_size - END_SIZE; memcmp (end, "PK\5\6", 4); end--)
    if (end == tail)
      return bad (file, error, "its end is missing: the file is truncated");
  *n = get (end + 10, 2);
  *size = get (end + 12, 4);
  *offset = get (end + 16, 4);
  if ((*n != G_MAXUINT16 && *size != G_MAXUINT32 && *offset != G_MAXUINT32)
      || end - tail < LOCATOR_SIZE || memcmp (end - LOCATOR_SIZE, "PK\6\7", 4))
    return TRUE;
  at = get (end - LOCATOR_SIZE + 8, 8);
  if (at > file_size - END64_SIZE || file_size < END64_SIZE)
    return bad (file, error, "its zip64 record is outside the file");
  if (!y10_tensor_file_read (file, at, end64, END64_SIZE, error))
    return FALSE;
  if (memcmp (end64, "PK\6\6", 4))
    return bad (file, error, "its zip64 record is missing");
  *n = get (end64 + 32, 8);
  *size = get (end64 + 40, 8);
  *offset = get (end64 + 48, 8);
  return TRUE;
}

Y10Zip *
y10_zip_open (const Y10TensorFile *file, GError **error)
{
  guint64 file_size = y10_tensor_file_get_size (file), offset = 0, size = 0;
  guint64 n = 0;
  g_autofree guint8 *directory = NULL;
  g_autoptr (Y10Zip) zip = NULL;

  if (!find_directory (file, &offset, &size, &n, error))
    return NULL;
  if (offset > file_size || size > file_size - offset) {
    bad (file, error,
        "its directory is at bytes %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
        " of %" G_GUINT64_FORMAT,
        offset, offset + size, file_size);
    return NULL;
  }
  if (n > MAX_MEMBERS || size > MAX_DIRECTORY) {
    bad (file, error,
        "its directory has %" G_GUINT64_FORMAT " members and %" G_GUINT64_FORMAT
        " bytes; expected at most %u and %u",
        n, size, MAX_MEMBERS, MAX_DIRECTORY);
    return NULL;
  }
  directory = g_malloc (MAX (size, 1));
  if (!y10_tensor_file_read (file, offset, directory, size, error))
    return NULL;
  zip = g_new0 (Y10Zip, 1);
  zip->file = file;
  zip->names = g_ptr_array_new ();
  zip->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  if (!read_directory (zip, directory, size, n, error))
    return NULL;
  return g_steal_pointer (&zip);
}

void
y10_zip_free (Y10Zip *zip)
{
  if (!zip)
    return;
  g_ptr_array_unref (zip->names);
  g_hash_table_unref (zip->by_name);
  g_free (zip);
}

const char *
y10_zip_find_suffix (const Y10Zip *zip, const char *suffix)
{
  for (guint i = 0; i < zip->names->len; i++)
    if (g_str_has_suffix (zip->names->pdata[i], suffix))
      return zip->names->pdata[i];
  return NULL;
}

gboolean
y10_zip_has (const Y10Zip *zip, const char *name)
{
  return g_hash_table_contains (zip->by_name, name);
}

gboolean
y10_zip_locate (const Y10Zip *zip, const char *name, guint64 *offset,
    guint64 *size, GError **error)
{
  const Member *member = g_hash_table_lookup (zip->by_name, name);
  guint64 file_size = y10_tensor_file_get_size (zip->file);
  g_autofree char *shown = g_utf8_make_valid (name, -1);
  guint8 header[LOCAL_SIZE];

  if (!member)
    return bad (zip->file, error, "member \"%s\" is missing", shown);
  if (member->flags & FLAG_ENCRYPTED)
    return bad (zip->file, error, "member \"%s\" is encrypted", shown);
  if (member->method != METHOD_STORED || member->size != member->stored_size)
    return bad (zip->file, error,
        "member \"%s\" is compressed; expected a "
        "stored one, as torch.save() writes it",
        shown);
  if (file_size < LOCAL_SIZE || member->header > file_size - LOCAL_SIZE)
    return bad (zip->file, error,
        "member \"%s\" begins at byte %" G_GUINT64_FORMAT
        " of %" G_GUINT64_FORMAT,
        shown, member->header, file_size);
  if (!y10_tensor_file_read (zip->file, member->header, header, LOCAL_SIZE,
          error))
    return FALSE;
  if (memcmp (header, "PK\3\4", 4))
    return bad (zip->file, error, "member \"%s\" has no header", shown);
  /* The name and extra field may be longer here than in the directory. */
  *offset = member->header + LOCAL_SIZE + get (header + 26, 2)
      + get (header + 28, 2);
  *size = member->size;
  if (*offset > file_size || *size > file_size - *offset)
    return bad (zip->file, error,
        "member \"%s\" has %" G_GUINT64_FORMAT
        " bytes at byte %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ": the "
        "file is truncated",
        shown, *size, *offset, file_size);
  return TRUE;
}
