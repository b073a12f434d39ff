/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads texts from stdin, each behind its length, and prints a line for each, for test-json.py:
 * why it is no JSON, or its values as a cursor finds them: names and strings as hexadecimal
 * digits of what they say. */

#include "config.h"

#include <stdio.h>

#include "base/json-cursor.h"

#define MAX_DEPTH 100

static void
print_string (Y10Json string)
{
  g_autofree char *buffer = g_malloc (string.length);
  const gsize n = y10_json_decode (string, buffer);

  putchar ('"');
  for (gsize i = 0; i < n; i++)
    printf ("%02x", (guchar) buffer[i]);
  putchar ('"');
}

/* A text that is but a number need not end with a byte that ends it. */
static void
print_number (Y10Json number)
{
  g_autofree char *own = g_strndup (number.text, number.length);
  double real = 0;
  gint64 whole;

  if (y10_json_get_int ((Y10Json){ own, number.length }, &whole)) {
    printf ("%" G_GINT64_FORMAT, whole);
  } else {
    g_assert_true (
        y10_json_get_double ((Y10Json){ own, number.length }, &real));
    printf ("%.17e", real);
  }
}

static void
print_value (Y10Json root, Y10Json value)
{
  const Y10JsonKind kind = y10_json_get_kind (value);
  G_GNUC_UNUSED g_autofree char *path = y10_json_get_path (root, value, NULL);
  Y10JsonCursor cursor;

  if (kind == Y10_JSON_STRING)
    print_string (value);
  else if (kind == Y10_JSON_NUMBER)
    print_number (value);
  else if (kind == Y10_JSON_BOOLEAN || kind == Y10_JSON_NULL)
    printf ("%.*s", (int) value.length, value.text);
  else {
    putchar ('[');
    y10_json_enter (&cursor, value);
    for (guint i = 0; y10_json_next (&cursor, &value); i++) {
      if (i)
        putchar (',');
      if (kind == Y10_JSON_OBJECT) {
        putchar ('[');
        print_string (cursor.name);
        putchar (',');
      }
      print_value (root, value);
      if (kind == Y10_JSON_OBJECT)
        putchar (']');
    }
    putchar (']');
  }
}

int
main (void)
{
  guint32 size;

  while (fread (&size, sizeof size, 1, stdin) == 1) {
    /* No byte more, so that sanitizers see who reads on. */
    g_autofree char *text = g_malloc (MAX (size, 1));
    Y10JsonFault fault;
    Y10Json root;

    g_assert_cmpuint (fread (text, 1, size, stdin), ==, size);
    if (y10_json_check (text, size, MAX_DEPTH, &root, &fault)) {
      G_GNUC_UNUSED g_autofree char *compact = y10_json_dup_compact (root);
      G_GNUC_UNUSED g_autofree char *shown = y10_json_show (root);

      print_value (root, root);
    } else {
      printf ("%" G_GSIZE_FORMAT " %s", fault.offset, fault.message);
    }
    putchar ('\n');
  }
  return 0;
}
