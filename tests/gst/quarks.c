/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Keeps LeakSanitizer from reporting tables of quarks. When one is full, GLib makes a
 * larger one and keeps the old one, which a thread might still be reading, but nothing
 * points to it any longer. tests/lsan.supp recognises that only by complete call stacks,
 * which take several times as long as those along frame pointers, which GLib lacks. So
 * tables for more quarks than a test has are made while LeakSanitizer does not look; more
 * quarks would show as a leak. Only AddressSanitizer's builds have this file. */

#include <glib.h>
#include <sanitizer/lsan_interface.h>

#define TABLE 2048 /* quarks by which GLib makes tables larger */

/* Before the constructors of libraries, thus before GLib has a table. */
static void
ignore_tables (void)
{
  __lsan_disable ();
}

__attribute__ ((section (".preinit_array"), used)) static void (*const first) (
    void) = ignore_tables;

/* Behind the constructors of libraries. The names are those of the labels in
 * test-overlay-many.c, which are the most. */
__attribute__ ((constructor)) static void
fill_tables (void)
{
  GQuark last;
  guint i = 0;

  do {
    char name[16];

    g_snprintf (name, sizeof name, "%u", i++);
    last = g_quark_from_string (name);
  } while (last <= 3 * TABLE);
  __lsan_enable ();
}
