/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds the pictures in a file that has several: pages of a TIFF, views of an
 * MPO, and JPEG, PNG or PNM pictures one after the other. gdk-pixbuf reads the
 * first one only, so each becomes a file in memory of its own. Previews, gain
 * maps, overviews and whatever else goes with a picture are no pictures of their
 * own. Animations that gdk-pixbuf cannot read are counted. */

#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <y10/y10.h>

#include "media/pages.h"
#include "media/stream.h"

#define MAX_PAGES 100000
#define N_MAGIC 8

typedef struct
{
  gsize at, size; /* of the file; TIFF: @at of the directory */
} Page;

struct _ToolPages
{
  GMappedFile *file;
  const guint8 *data; /* its contents */
  gsize n;
  GArray *pages; /* of Page */
  guint next;
  gboolean is_tiff, is_big_endian;
  int memory; /* the current page, or -1 */
};

static guint64
read_int (const guint8 *bytes, guint n, gboolean is_big_endian)
{
  guint64 value = 0;

  for (guint i = 0; i < n; i++)
    value = value << 8 | bytes[is_big_endian ? i : n - 1 - i];
  return value;
}

static void
add_page (ToolPages *self, gsize at, gsize size)
{
  const Page page = { at, size };

  g_array_append_val (self->pages, page);
}

/* JPEG */

/* What is known of a JPEG after its markers were read. */
typedef struct
{
  gsize end; /* after the marker EOI; 0: there is none */
  gsize mpf; /* of the multi-picture header, or 0 */
  guint64 area, n_channels;
  gboolean has_exif;
} Jpeg;

/* Returns the offset of the next marker in the coded data from @at on. */
static gsize
skip_scan (const ToolPages *self, gsize at)
{
  const guint8 *ff;

  while (at + 1 < self->n
      && (ff = memchr (self->data + at, 0xff, self->n - at - 1))) {
    at = (gsize) (ff - self->data);
    if (ff[1] != 0 && ff[1] != 0xff && (ff[1] < 0xd0 || ff[1] > 0xd7))
      return at;
    at += ff[1] == 0xff ? 1 : 2;
  }
  return self->n;
}

static void
read_segment (const ToolPages *self, gsize at, gsize size, Jpeg *jpeg)
{
  const guint8 *s = self->data + at; /* marker, length, contents */

  if (s[1] == 0xe1 && size >= 8 && !memcmp (s + 4, "Exif", 4))
    jpeg->has_exif = TRUE;
  else if (s[1] == 0xe2 && size >= 8 && !memcmp (s + 4, "MPF", 4))
    jpeg->mpf = at + 8;
  else if (s[1] >= 0xc0 && s[1] <= 0xc2 && size >= 10) {
    jpeg->area = read_int (s + 5, 2, TRUE) * read_int (s + 7, 2, TRUE);
    jpeg->n_channels = s[9];
  }
}

static Jpeg
read_jpeg (const ToolPages *self, gsize at)
{
  Jpeg jpeg = { 0 };
  gsize size;
  guint8 type;

  at += 2; /* SOI */
  while (at + 4 <= self->n && self->data[at] == 0xff) {
    type = self->data[at + 1];
    if (type == 0xff) { /* a fill byte */
      at++;
      continue;
    }
    if (type == 0xd9)
      break;
    size = (gsize) read_int (self->data + at + 2, 2, TRUE) + 2;
    if (size < 4 || size > self->n - at)
      return jpeg;
    read_segment (self, at, size, &jpeg);
    at += size;
    if (type == 0xda)
      at = skip_scan (self, at);
  }
  if (at + 2 <= self->n && self->data[at] == 0xff && self->data[at + 1] == 0xd9)
    jpeg.end = at + 2;
  return jpeg;
}

static gboolean
is_jpeg (const ToolPages *self, gsize at)
{
  return self->n - MIN (at, self->n) >= 4
      && !memcmp (self->data + at, "\xff\xd8\xff", 3);
}

/* The types of CIPA DC-007, 5.2.3.3. Writers that do not care give 0, but so do
 * those of gain maps for high dynamic range. */
static gboolean
is_view (const ToolPages *self, const Jpeg *first, guint64 type, gsize at)
{
  static const char *const maps[] = { "hdrgm", "HDRGainMap", "hdrgainmap" };
  Jpeg jpeg;

  if ((type & 0xff0000) == 0x020000 || type == 0x030000)
    return TRUE;
  if (type != 0)
    return FALSE; /* a preview */
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    if (memmem (self->data, self->n, maps[i], strlen (maps[i])))
      return FALSE;
  jpeg = read_jpeg (self, at);
  return jpeg.area == first->area && jpeg.n_channels == first->n_channels;
}

static void
find_views (ToolPages *self, const Jpeg *first)
{
  const gsize mpf = first->mpf;
  const guint8 *d = self->data + mpf;
  const gsize n = self->n - mpf;
  gboolean big;
  guint64 ifd, n_tags, size = 0, list = 0, offset;

  if (n < 16)
    return;
  big = d[0] == 'M';
  ifd = read_int (d + 4, 4, big);
  if (ifd > n - 2)
    return;
  n_tags = read_int (d + ifd, 2, big);
  for (guint64 i = 0; i < n_tags && ifd + 2 + (i + 1) * 12 <= n; i++) {
    const guint8 *tag = d + ifd + 2 + i * 12;

    if (read_int (tag, 2, big) == 0xb002) { /* MPEntry */
      size = read_int (tag + 4, 4, big);
      list = read_int (tag + 8, 4, big);
    }
  }
  for (; size >= 16 && list + 16 <= n; list += 16, size -= 16) {
    offset = read_int (d + list + 8, 4, big);
    offset = offset ? mpf + offset : 0;
    if (is_jpeg (self, (gsize) MIN (offset, self->n))
        && is_view (self, first, read_int (d + list, 4, big) & 0xffffff,
            (gsize) offset))
      add_page (self, (gsize) offset,
          (gsize) MIN (read_int (d + list + 4, 4, big), self->n - offset));
  }
}

static void
find_jpegs (ToolPages *self)
{
  const Jpeg first = read_jpeg (self, 0);
  Jpeg jpeg = first;
  gsize at = 0, end;

  if (first.mpf) {
    find_views (self, &first);
    return;
  }
  while (self->pages->len < MAX_PAGES) {
    end = jpeg.end ? jpeg.end : self->n;
    /* Cameras append a preview. */
    if (at > 0 && first.has_exif && !jpeg.has_exif && jpeg.area < first.area)
      return;
    add_page (self, at, end - at);
    at = end;
    if (!is_jpeg (self, at))
      return;
    jpeg = read_jpeg (self, at);
  }
}

/* PNG */

static gboolean
is_png (const ToolPages *self, gsize at)
{
  return self->n - MIN (at, self->n) >= N_MAGIC
      && !memcmp (self->data + at, "\x89PNG\r\n\x1a\n", N_MAGIC);
}

/* Returns the end of the picture at @at; adds the frames of an animation. */
static gsize
read_png (const ToolPages *self, gsize at, guint *n_frames)
{
  const guint8 *chunk;
  guint64 size;

  at += N_MAGIC;
  while (self->n - at >= 12) {
    chunk = self->data + at;
    size = read_int (chunk, 4, TRUE) + 12;
    if (size > self->n - at)
      break;
    if (!memcmp (chunk + 4, "acTL", 4) && size >= 20)
      *n_frames += (guint) read_int (chunk + 8, 4, TRUE);
    at += (gsize) size;
    if (!memcmp (chunk + 4, "IEND", 4))
      return at;
  }
  return self->n;
}

static void
find_pngs (ToolPages *self)
{
  guint n_frames = 0;
  gsize at = 0, end;

  while (is_png (self, at) && self->pages->len < MAX_PAGES) {
    end = read_png (self, at, &n_frames);
    add_page (self, at, end - at);
    at = end;
  }
}

/* PNM */

/* Reads the numbers of a header; FALSE if they are not there. */
static gboolean
read_pnm_header (const ToolPages *self, gsize *at, guint n, guint64 *values)
{
  for (guint i = 0; i < n; i++) {
    while (*at < self->n
        && (g_ascii_isspace (self->data[*at]) || self->data[*at] == '#'))
      if (self->data[(*at)++] == '#')
        while (*at < self->n && self->data[*at] != '\n')
          ++*at;
    if (*at >= self->n || !g_ascii_isdigit (self->data[*at]))
      return FALSE;
    for (values[i] = 0; *at < self->n && g_ascii_isdigit (self->data[*at]);
         ++*at)
      values[i] = MIN (values[i] * 10 + self->data[*at] - '0', 1 << 20);
  }
  return *at < self->n && g_ascii_isspace (self->data[(*at)++]);
}

static void
find_pnms (ToolPages *self)
{
  guint64 v[3] = { 0, 0, 1 }, size;
  gsize at = 0, start;
  guint8 kind;

  while (self->n - at >= 8 && self->data[at] == 'P'
      && self->pages->len < MAX_PAGES) {
    start = at;
    kind = self->data[at + 1];
    at += 2;
    if (kind < '4' || kind > '6'
        || !read_pnm_header (self, &at, kind == '4' ? 2 : 3, v))
      return;
    size = kind == '4'
        ? (v[0] + 7) / 8 * v[1]
        : v[0] * v[1] * (kind == '6' ? 3 : 1) * (v[2] > 255 ? 2 : 1);
    size = MIN (size, self->n - at);
    at += (gsize) size;
    add_page (self, start, at - start);
  }
}

/* TIFF */

/* A directory of a TIFF, or of a BigTIFF. */
typedef struct
{
  guint n_count, n_entry, n_offset; /* bytes */
} TiffForm;

/* Returns whether the directory is one of a picture and sets that of the next. */
static gboolean
read_directory (const ToolPages *self, const TiffForm *form, guint64 at,
    guint64 *next)
{
  const gboolean big = self->is_big_endian;
  const guint8 *tag = self->data + at + form->n_count;
  const guint64 n = read_int (self->data + at, form->n_count, big);
  gboolean is_picture = TRUE;

  *next = 0;
  if (n > (self->n - at - form->n_count - form->n_offset) / form->n_entry)
    return FALSE;
  for (guint64 i = 0; i < n; i++, tag += form->n_entry) {
    const guint64 number = read_int (tag, 2, big);
    const guint8 *value = tag + 4 + form->n_offset;

    /* NewSubfileType: reduced, or a mask; SubfileType: reduced. */
    if ((number == 254 && read_int (value, 4, big) & 5)
        || (number == 255 && read_int (value, 2, big) == 2))
      is_picture = FALSE;
  }
  *next = read_int (tag, form->n_offset, big);
  return is_picture;
}

static void
find_directories (ToolPages *self)
{
  static const TiffForm forms[] = { { 2, 12, 4 }, { 8, 20, 8 } };
  const gboolean big = self->data[0] == 'M';
  const gboolean is_long = read_int (self->data + 2, 2, big) == 43;
  const TiffForm *form = &forms[is_long];
  guint64 at, next;

  self->is_tiff = TRUE;
  self->is_big_endian = big;
  if (self->n < 16)
    return;
  at = is_long ? read_int (self->data + 8, 8, big)
               : read_int (self->data + 4, 4, big);
  for (guint i = 0; i < MAX_PAGES && at >= 8
       && at < self->n - MIN (self->n, form->n_count + form->n_offset);
       i++, at = next)
    if (read_directory (self, form, at, &next) || i == 0)
      add_page (self, (gsize) at, form->n_offset);
}

/* All */

static gboolean
find_pages (ToolPages *self)
{
  if (self->n < N_MAGIC)
    return FALSE;
  if (is_jpeg (self, 0))
    find_jpegs (self);
  else if (is_png (self, 0))
    find_pngs (self);
  else if (self->data[0] == 'P' && g_ascii_isdigit (self->data[1]))
    find_pnms (self);
  else if (!memcmp (self->data, "II*\0", 4) || !memcmp (self->data, "II+\0", 4)
      || !memcmp (self->data, "MM\0*", 4) || !memcmp (self->data, "MM\0+", 4))
    find_directories (self);
  return self->pages->len > 1;
}

static ToolPages *
map_file (const char *path)
{
  GMappedFile *file = g_mapped_file_new (path, FALSE, NULL);
  ToolPages *self;

  if (!file)
    return NULL;
  self = g_new0 (ToolPages, 1);
  self->file = file;
  self->data = (const guint8 *) g_mapped_file_get_contents (file);
  self->n = self->data ? g_mapped_file_get_length (file) : 0;
  self->pages = g_array_new (FALSE, FALSE, sizeof (Page));
  self->memory = -1;
  return self;
}

ToolPages *
tool_pages_open (const char *path)
{
  ToolPages *self = map_file (path);

  if (self && !find_pages (self))
    g_clear_pointer (&self, tool_pages_close);
  return self;
}

/* Writes a page to the memory. A TIFF stays, but begins with another page. */
static gboolean
write_page (ToolPages *self, const Page *page)
{
  const gboolean is_long = page->size == 8;
  guint8 offset[8];

  if (!self->is_tiff)
    return ftruncate (self->memory, 0) == 0
        && lseek (self->memory, 0, SEEK_SET) == 0
        && tool_write_all (self->memory, self->data + page->at, page->size);
  for (guint i = 0; i < page->size; i++)
    offset[self->is_big_endian ? page->size - 1 - i : i] =
        (guint8) ((guint64) page->at >> 8 * i);
  return (self->next > 0 || tool_write_all (self->memory, self->data, self->n))
      && pwrite (self->memory, offset, page->size, is_long ? 8 : 4)
      == (gssize) page->size;
}

char *
tool_pages_next (ToolPages *self, GError **error)
{
  if (self->next == self->pages->len)
    return NULL;
  if (self->memory < 0)
    self->memory = memfd_create ("y10-page", MFD_CLOEXEC);
  if (self->memory < 0
      || !write_page (self, &g_array_index (self->pages, Page, self->next))) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED,
        "there is no memory for a copy of the page");
    return NULL;
  }
  self->next++;
  return g_strdup_printf ("/proc/self/fd/%d", self->memory);
}

void
tool_pages_close (ToolPages *self)
{
  if (self->memory >= 0)
    close (self->memory);
  g_array_unref (self->pages);
  g_mapped_file_unref (self->file);
  g_free (self);
}

/* Files that nothing here reads */

char *
tool_pages_find_need (const guint8 *start, gsize n)
{
  static const struct
  {
    guint at;
    const char *magic, *what, *package;
  } kinds[] = {
    { 4, "ftypheic", "a HEIC picture", "heif-gdk-pixbuf" },
    { 4, "ftypheix", "a HEIC picture", "heif-gdk-pixbuf" },
    { 4, "ftypheim", "a HEIC picture", "heif-gdk-pixbuf" },
    { 4, "ftyphevc", "a HEIC picture", "heif-gdk-pixbuf" },
    { 4, "ftypmif1", "a HEIF picture", "heif-gdk-pixbuf" },
    { 4, "ftypmsf1", "a HEIF picture", "heif-gdk-pixbuf" },
    { 4, "ftypavif", "an AVIF picture", "libavif-gdk-pixbuf" },
    { 4, "ftypavis", "an AVIF picture", "libavif-gdk-pixbuf" },
    { 4, "JXL \r\n", "a JPEG XL picture", "libjxl-gdk-pixbuf" },
    { 0, "\xff\x0a", "a JPEG XL picture", "libjxl-gdk-pixbuf" },
    { 8, "WEBPVP8X", "a WebP picture", "webp-pixbuf-loader" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const gsize length = strlen (kinds[i].magic);

    if (n >= kinds[i].at + length
        && !memcmp (start + kinds[i].at, kinds[i].magic, length))
      return g_strdup_printf ("it is %s, for which gdk-pixbuf needs another "
                              "loader (Debian: %s)",
          kinds[i].what, kinds[i].package);
  }
  return NULL;
}

/* Animations */

/* The frames (ANMF) of an animated WebP; 0: it is not one. */
static guint
count_webp_frames (const ToolPages *self)
{
  guint n = 0;
  gsize at = 12;
  guint64 size;

  if (self->n < 12 || memcmp (self->data, "RIFF", 4) != 0
      || memcmp (self->data + 8, "WEBP", 4) != 0)
    return 0;
  while (self->n - at >= 8) {
    n += !memcmp (self->data + at, "ANMF", 4);
    size = read_int (self->data + at + 4, 4, FALSE) + 8;
    size += size & 1;
    if (size > self->n - at)
      break;
    at += (gsize) size;
  }
  return n;
}

guint
tool_pages_count_animation (const char *path)
{
  ToolPages *self = map_file (path);
  guint n = 0;

  if (self && is_png (self, 0))
    read_png (self, 0, &n);
  else if (self)
    n = count_webp_frames (self);
  g_clear_pointer (&self, tool_pages_close);
  return n;
}
