/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Verdicts of self-checks on disk, one small file for each key in
 * ~/.cache/yolov10detect/checks. A file holds the key and a checksum, so a
 * damaged one is ignored and replaced. g_file_set_contents() writes aside and
 * renames: concurrent processes read a whole file or none. */

#include "config.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/verdict.h"

#define HEADER "yolov10detect check 1\n"

static char *
folder_of_checks (void)
{
  return g_build_filename (g_get_user_cache_dir (), "yolov10detect", "checks",
      NULL);
}

static char *
path_of (const char *key)
{
  g_autofree char *folder = folder_of_checks ();
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, key,
      -1);

  return g_build_filename (folder, hash, NULL);
}

/* HEADER, the key's lines, "passed" or "failed REASON", and their checksum. */
static char *
text_of (const char *key, Y10Verdict verdict, const char *why)
{
  g_autofree char *reason = g_strescape (why ? why : "", NULL);
  g_autofree char *body = g_strdup_printf (HEADER "%s%s%s%s\n", key,
      verdict == Y10_VERDICT_PASSED ? "passed" : "failed", *reason ? " " : "",
      reason);
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256,
      body, -1);

  return g_strconcat (body, "sha256 ", hash, "\n", NULL);
}

/* Only files that nobody else can write are read. */
static gboolean
is_own (const char *path)
{
  struct stat st;

  return lstat (path, &st) == 0 && S_ISREG (st.st_mode)
      && st.st_uid == geteuid () && !(st.st_mode & (S_IWGRP | S_IWOTH))
      && st.st_size < 65536;
}

Y10Verdict
y10_verdict_load (const char *key, GString *why)
{
  g_autofree char *path = path_of (key), *text = NULL, *expected = NULL;
  g_autofree char *prefix = g_strconcat (HEADER, key, NULL), *reason = NULL;
  g_autofree char *line = NULL;
  const char *end;
  Y10Verdict verdict;
  gsize size;

  if (!is_own (path) || !g_file_get_contents (path, &text, &size, NULL)
      || strlen (text) != size || !g_str_has_prefix (text, prefix)
      || !(end = strchr (text + strlen (prefix), '\n')))
    return Y10_VERDICT_UNKNOWN;
  line = g_strndup (text + strlen (prefix),
      (gsize) (end - text) - strlen (prefix));
  verdict = g_str_has_prefix (line, "passed") ? Y10_VERDICT_PASSED
                                              : Y10_VERDICT_FAILED;
  reason = g_strcompress (strlen (line) > 7 ? line + 7 : "");
  expected = text_of (key, verdict, reason);
  if (strcmp (expected, text) != 0)
    return Y10_VERDICT_UNKNOWN;
  g_string_append (why, reason);
  return verdict;
}

void
y10_verdict_store (const char *key, Y10Verdict verdict, const char *why)
{
  g_autofree char *path = path_of (key), *folder = folder_of_checks ();
  g_autofree char *text = text_of (key, verdict, why);
  g_autoptr (GError) error = NULL;

  if (g_mkdir_with_parents (folder, 0700) != 0)
    g_debug ("cannot create %s: %s", folder, g_strerror (errno));
  else if (!g_file_set_contents_full (path, text, -1,
               G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error))
    g_debug ("the verdict is not stored: %s", error->message);
}

typedef struct
{
  const void *address;
  GString *text;
  gboolean found;
} Search;

static gboolean
contains (const struct dl_phdr_info *info, const void *address)
{
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW (Phdr) *p = &info->dlpi_phdr[i];
    const char *start = (const char *) info->dlpi_addr + p->p_vaddr;

    if (p->p_type == PT_LOAD && (const char *) address >= start
        && (const char *) address < start + p->p_memsz)
      return TRUE;
  }
  return FALSE;
}

static void
read_notes (Search *s, const char *note, gsize size)
{
  while (!s->found && size >= sizeof (ElfW (Nhdr))) {
    const ElfW (Nhdr) *n = (const ElfW (Nhdr) *) (const void *) note;
    const gsize name = sizeof *n, id = name + ((n->n_namesz + 3) & ~3u);
    const gsize next = id + ((n->n_descsz + 3) & ~3u);

    if (next > size)
      return;
    if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4
        && !memcmp (note + name, "GNU", 4)) {
      for (gsize i = 0; i < n->n_descsz; i++)
        g_string_append_printf (s->text, "%02x", (guint8) note[id + i]);
      s->found = n->n_descsz > 0;
    }
    note += next;
    size -= next;
  }
}

static int
visit (struct dl_phdr_info *info, size_t size, void *data)
{
  Search *s = data;

  if (!contains (info, s->address))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW (Phdr) *p = &info->dlpi_phdr[i];

    if (p->p_type == PT_NOTE)
      read_notes (s, (const char *) info->dlpi_addr + p->p_vaddr, p->p_memsz);
  }
  return 1;
}

gboolean
y10_build_id_append (const void *address, GString *text)
{
  Search s = { .address = address, .text = text };

  dl_iterate_phdr (visit, &s);
  return s.found;
}
