/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Class names of a model's metadata are read whichever program wrote them; others give
 * none, without a crash. */

#include <string.h>

#include "model/labels.h"
#include "util.h"

/* The metadata "names" as json.dumps and Python's repr write them, and
 * malformed ones. Each has an allocation of its exact length, for
 * AddressSanitizer. */
static void
test_names (void)
{
#define GRIN "\xf0\x9f\x98\x80"
#define LOST "\xef\xbf\xbd" /* U+FFFD */
  static const struct
  {
    const char *names, *first; /* NULL: not understood */
  } cases[] = {
    { "[\"\\ud83d\\ude00\"]", GRIN },
    { "{0: '\\U0001f600'}", GRIN },
    { "{\"0\": \"\\ud842\\udfb7\\u91ce\"}", "\xf0\xa0\xae\xb7\xe9\x87\x8e" },
    { "[\"" GRIN "\"]", GRIN },
    { "['\\xe9\\u00e9']", "\xc3\xa9\xc3\xa9" },
    { "['\\ud83d']", LOST },
    { "['\\ude00x']", LOST "x" },
    { "['\\ud83d\\ud83d\\ude00']", LOST GRIN },
    { "['\\ud83d\\u0041']", LOST "A" },
    { "['\\ud83d\\ude0']", LOST "ude0" },
    { "['\\u0000a']", LOST "a" },
    { "['\\U00110000']", LOST },
    { "['\\Uffffffff']", LOST },
    { "['\\u-001']", "u-001" },
    { "['\\u 12f']", "u 12f" },
    { "['\\u12']", "u12" },
    { "['a\xff"
      "b']",
        "a" LOST "b" },
    { "['\\\xff']", LOST },
    { "['\xed\xa0\xbd']", LOST LOST LOST },
    { "['\\'\\\"\\\\\\/']", "'\"\\/" },
    { "['a\\tb\\nc\rd']", "a\tb c d" },
    { "['\\u001b[2J']", "\x1b[2J" },
    { "{\"0", NULL },
    { "{'0", NULL },
    { "{\"0'", NULL },
    { "{\"0\"", NULL },
    { "{\"0\":", NULL },
    { "{0:", NULL },
    { "{0: '", NULL },
    { "{0: 'a", NULL },
    { "('a',)", "a" },
    { "(u'a')", "a" },
    { "{'0': 'a'}", "a" },
    { "{ 0 : a }", "a" },
    { "{'a': 0}", "a" },
    { "[7]", "7" },
    { "[None]", "None" },
    { "['a', 'b']", NULL },
    { "['a'] and more", NULL },
    { "[['a']]", NULL },
    { "{0: 'a'", NULL },
    { "{0: 'a\\", NULL },
    { "{0: 'a\\u", NULL },
    { "{0: 'a\\ud83d\\", NULL },
    { "{0: 'a\\ud83d\\u", NULL },
    { "['\\ud83d\\ud", NULL },
    { "{\"", NULL },
    { "{", NULL },
    { "[", NULL },
    { "", NULL },
    { "{-0: 'a'}", NULL },
    { "{ +0: 'a'}", NULL },
    { "{1: 'a'}", NULL },
    { "{\"0': 'a'}", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *exact = g_memdup2 (cases[i].names, strlen (cases[i].names) + 1);
    char *note, **names = y10_labels_parse (exact, 1, &note);

    if (!cases[i].first != !!note
        || (!note && strcmp (names[0], cases[i].first))) {
      g_test_message ("%s: found \"%s\", expected \"%s\": %s", cases[i].names,
          names[0], cases[i].first, note);
      g_test_fail ();
    }
    g_assert_true (g_utf8_validate (names[0], -1, NULL));
    g_assert_true (!note || g_utf8_validate (note, -1, NULL));
    g_free (note);
    g_strfreev (names);
    g_free (exact);
  }
}

/* What has a name keeps it, and the note tells how many have none. */
static void
test_gaps (void)
{
  static const struct
  {
    const char *names, *first, *last, *says;
  } cases[] = {
    { "['a', 'b', 'c']", "a", "c", NULL },
    { "{2: 'c', 0: 'a', 1: 'b'}", "a", "c", NULL },
    { "{'c': 2, 'a': 0, 'b': 1}", "a", "c", NULL },
    { "['a', 'b']", "a", "class 2", "2 names; expected one for each of 3" },
    { "{0: 'a', 2: 'c'}", "a", "c", "class 1 is called \"class 1\"" },
    { "{1: 'a', 2: 'b', 3: 'c'}", "class 0", "b", "class 0 is called" },
    { "['a', 'b', 'c', 'd']", "a", "c", "4 names; expected one for each of 3" },
    { "{2: 'c'}", "class 0", "c", "2 classes are called \"class N\", from 0" },
    { "a,b,c", "class 0", "class 2", "is a,b,c; expected a list" },
    { NULL, "class 0", "class 2", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *note, **names = y10_labels_parse (cases[i].names, 3, &note);

    g_assert_cmpuint (g_strv_length (names), ==, 3);
    g_assert_cmpstr (names[0], ==, cases[i].first);
    g_assert_cmpstr (names[2], ==, cases[i].last);
    g_assert_true (!note == !cases[i].says);
    if (note)
      g_assert_nonnull (strstr (note, cases[i].says));
    g_free (note);
    g_strfreev (names);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/labels/names", test_names);
  g_test_add_func ("/labels/gaps", test_gaps);
  return g_test_run ();
}
