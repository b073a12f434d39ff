/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What is JSON by RFC 8259, where it ceases to be, what values say, and what is written.
 * test-json.py compares many more texts with another parser. */

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/json-cursor.h"
#include "base/json.h"

static gboolean
check (const char *text, guint max_depth, Y10Json *root, Y10JsonFault *fault)
{
  return y10_json_check (text, strlen (text), max_depth, root, fault);
}

static const char *const good[] = {
  "7",
  "-0",
  "1E5",
  "1e+5",
  "0.5e-7",
  "\"\"",
  "null",
  " \t\r\n[ ] \n",
  "{}",
  "{\"a\":1,\"a\":2}",
  "{\"\":[true,false,null,{\"\":{}}]}",
  "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD83D\\uDE97\\u0000\x7f\xf0\x9f\x9a\x97\"",
  "\"[[[{{{\\\"'//\"",
  "\xef\xbb\xbf{}",
};

static void
test_good (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    Y10JsonFault fault;
    Y10Json root;

    if (!check (good[i], 4, &root, &fault))
      g_error ("%s: %s", good[i], fault.message);
  }
}

#define NONE "a string has an escape that is none"

static const struct
{
  const char *text;
  guint line, column;
  const char *message;
} bad[] = {
  { "", 1, 1, "unexpected end; expected a value" },
  { " \n", 2, 1, "unexpected end; expected a value" },
  { "\xef\xbb\xbf", 1, 4, "unexpected end; expected a value" },
  { "{}\xef\xbb\xbf", 1, 3, "unexpected byte 0xef; expected the end" },
  { "[1]\n ]", 2, 2, "unexpected character ']'; expected the end" },
  { "1 2", 1, 3, "unexpected character '2'; expected the end" },
  { "[1", 1, 3, "unexpected end; expected a comma or ']'" },
  { "[1 2]", 1, 4, "unexpected character '2'; expected a comma or ']'" },
  { "[1}", 1, 3, "unexpected character '}'; expected a comma or ']'" },
  { "[1,]", 1, 4, "unexpected character ']'; expected a value" },
  { "[,1]", 1, 2, "unexpected character ','; expected a value" },
  { "[", 1, 2, "unexpected end; expected a value" },
  { "{", 1, 2, "unexpected end; expected a name in quotation marks" },
  { "{1:2}", 1, 2,
      "unexpected character '1'; expected a name in quotation marks" },
  { "{'a':1}", 1, 2,
      "unexpected character '''; expected a name in quotation marks" },
  { "{\"a\":1,}", 1, 8,
      "unexpected character '}'; expected a name in quotation marks" },
  { "{\"a\" 1}", 1, 6, "unexpected character '1'; expected a colon" },
  { "{\"a\":}", 1, 6, "unexpected character '}'; expected a value" },
  { "{\"a\":1 \"b\":2}", 1, 8,
      "unexpected character '\"'; expected a comma or '}'" },
  { "[1] // a", 1, 5, "unexpected character '/'; expected the end" },
  { "\n\n#", 3, 1, "unexpected character '#'; expected a value" },
  { "[\xc3\xa4]", 1, 2, "unexpected byte 0xc3; expected a value" },
  { "[\f1]", 1, 2, "unexpected byte 0x0c; expected a value" },
  /* Numbers and words. */
  { "-", 1, 2, "unexpected end; expected a digit" },
  { "01", 1, 2, "unexpected character '1'; expected the end" },
  { "0x1", 1, 2, "unexpected character 'x'; expected the end" },
  { "[-a]", 1, 3, "unexpected character 'a'; expected a digit" },
  { "[1.]", 1, 4, "unexpected character ']'; expected a digit" },
  { "[1.5e]", 1, 6, "unexpected character ']'; expected a digit" },
  { "[1e+-1]", 1, 5, "unexpected character '-'; expected a digit" },
  { "+1", 1, 1, "unexpected character '+'; expected a value" },
  { ".5", 1, 1, "unexpected character '.'; expected a value" },
  { "NaN", 1, 1, "unexpected character 'N'; expected a value" },
  { "tru", 1, 1, "unexpected character 't'; expected a value" },
  { "[nulL]", 1, 2, "unexpected character 'n'; expected a value" },
  { "truer", 1, 5, "unexpected character 'r'; expected the end" },
  /* Strings. */
  { "\"a", 1, 3, "unexpected end; expected the string to end" },
  { "[\"a\nb\"]", 1, 4,
      "unexpected byte 0x0a; expected an escape for it in a string" },
  { "[\"\t\"]", 1, 3,
      "unexpected byte 0x09; expected an escape for it in a string" },
  { "[\"\xff\"]", 1, 3, "unexpected byte 0xff; expected UTF-8 in a string" },
  { "[\"\xed\xa0\x80\"]", 1, 3,
      "unexpected byte 0xed; expected UTF-8 in a string" },
  { "[\"\xc0\x80\"]", 1, 3,
      "unexpected byte 0xc0; expected UTF-8 in a string" },
  { "[\n \"\\x\"]", 2, 2, NONE },
  { "\"\\u12g4\"", 1, 1, NONE },
  { "\"\\ud800\"", 1, 1, NONE },
  { "\"\\udc00\"", 1, 1, NONE },
  { "\"\\ud800\\u0041\"", 1, 1, NONE },
  { "\"\\", 1, 1, NONE },
  { "\"\\u00", 1, 1, NONE },
  /* Nesting, before what is wrong behind it. */
  { "[[[[[x", 1, 5, "it nests more than 4 deep" },
  { "{\"a\":\n[{\"b\":[{}]}]}", 2, 8, "it nests more than 4 deep" },
};

static void
test_bad (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    Y10JsonFault fault;
    Y10Json root;

    g_assert_false (check (bad[i].text, 4, &root, NULL));
    g_assert_false (check (bad[i].text, 4, &root, &fault));
    g_assert_cmpstr (fault.message, ==, bad[i].message);
    g_assert_cmpuint (fault.line, ==, bad[i].line);
    g_assert_cmpuint (fault.column, ==, bad[i].column);
  }
}

/* A NUL ends nothing, and no byte behind the text is read. */
static void
test_bytes (void)
{
  static const char nul[] = "[1]\0";
  const gsize size = 8 << 20;
  g_autofree char *text = g_malloc (size);
  Y10JsonFault fault;
  Y10Json root;

  g_assert_false (y10_json_check (nul, sizeof nul - 1, 4, &root, &fault));
  g_assert_cmpstr (fault.message, ==, "unexpected byte 0x00; expected the end");
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    for (gsize length = 0; length < strlen (good[i]); length++) {
      char *own = g_memdup2 (good[i], length);

      y10_json_check (own, length, 4, &root, &fault);
      g_free (own);
    }
  memset (text, '[', size);
  g_assert_false (y10_json_check (text, size, 100, &root, &fault));
  g_assert_cmpuint (fault.offset, ==, 100);
}

static void
test_values (void)
{
  static const char text[] =
      "{ \"n\\u0061me\" : \"\\u00e4\\ud83d\\ude97\\\"\" , \"whole\":-9223372036854775808,"
      "\"large\":9223372036854775808,\"real\":1.5e3,\"nul\":\"a\\u0000b\",\"none\":null,"
      "\"true\":true, \"list\" : [ 1 , [ ] , {\"in\":\"}],\"} ], \"real\":2.5 }";
  static const char *const names[] = { "real", "missing", "name" };
  g_autofree char *name = NULL, *path = NULL, *missing = NULL, *compact = NULL;
  Y10Json root, list, value, values[G_N_ELEMENTS (names)], other;
  Y10JsonCursor cursor;
  gint64 whole;
  double real;

  g_assert_true (check (text, 3, &root, NULL));
  g_assert_cmpuint (y10_json_count (root), ==, 9);
  value = y10_json_find (root, "name");
  name = y10_json_dup_text (value);
  g_assert_cmpstr (name, ==, "ä🚗\"");
  g_assert_true (y10_json_is_text (value, name));
  g_assert_false (y10_json_is_text (value, "ä🚗"));
  g_assert_false (y10_json_is_text (value, "ä🚗\"\""));
  g_assert_true (y10_json_get_int (y10_json_find (root, "whole"), &whole));
  g_assert_cmpint (whole, ==, G_MININT64);
  g_assert_false (y10_json_get_int (y10_json_find (root, "large"), &whole));
  g_assert_true (y10_json_get_double (y10_json_find (root, "large"), &real));
  g_assert_cmpfloat (real, ==, 0x1p63);
  g_assert_false (y10_json_get_int (y10_json_find (root, "real"), &whole));
  /* C's strings end at NUL. */
  value = y10_json_find (root, "nul");
  g_assert_null (y10_json_dup_text (value));
  g_assert_false (y10_json_is_text (value, "a"));
  g_assert_cmpint (y10_json_get_kind (y10_json_find (root, "none")), ==,
      Y10_JSON_NULL);
  g_assert_cmpint (y10_json_get_kind (y10_json_find (root, "true")), ==,
      Y10_JSON_BOOLEAN);
  g_assert_cmpint (y10_json_get_kind (y10_json_find (root, "tru")), ==,
      Y10_JSON_NONE);
  /* The last of a name counts. */
  g_assert_false (
      y10_json_find_all (root, names, G_N_ELEMENTS (names), values, &other));
  g_assert_true (y10_json_get_double (values[0], &real));
  g_assert_cmpfloat (real, ==, 2.5);
  g_assert_null (values[1].text);
  g_assert_true (other.text == y10_json_find (root, "whole").text);
  list = y10_json_find (root, "list");
  g_assert_cmpuint (y10_json_count (list), ==, 3);
  compact = y10_json_dup_compact (list);
  g_assert_cmpstr (compact, ==, "[1,[],{\"in\":\"}],\"}]");
  y10_json_enter (&cursor, list);
  for (guint i = 0; i < 3; i++)
    g_assert_true (y10_json_next (&cursor, &value));
  path = y10_json_get_path (root, y10_json_find (value, "in"), NULL);
  g_assert_cmpstr (path, ==, "list[2].in");
  missing = y10_json_get_path (root, value, "out");
  g_assert_cmpstr (missing, ==, "list[2].out");
  g_assert_false (y10_json_next (&cursor, &value));
  /* Nothing is in what is no array and no object, or is not there. */
  g_assert_cmpuint (y10_json_count (y10_json_find (root, "name")), ==, 0);
  g_assert_null (y10_json_find (y10_json_find (root, "x"), "y").text);
  g_assert_null (y10_json_find (list, "in").text);
}

/* Long values are cut between letters. */
static void
test_show (void)
{
  g_autofree char *text = g_strdup_printf ("[\"%055d\xc3\xa4\xc3\xa4\", 1]", 7);
  g_autofree char *shown = NULL, *nothing = NULL, *path = NULL;
  g_autofree char *cut = g_strdup_printf ("[\"%054d…", 0);
  g_autofree char *named = g_strdup_printf ("{\"%059d\xc3\xa4\":1}", 0);
  g_autofree char *name = g_strdup_printf ("%059d", 0);
  Y10JsonCursor cursor;
  Y10Json root, value;

  g_assert_true (check (text, 1, &root, NULL));
  shown = y10_json_show (root);
  g_assert_cmpstr (shown, ==, cut);
  nothing = y10_json_show (y10_json_find (root, "x"));
  g_assert_cmpstr (nothing, ==, "nothing");
  g_assert_true (check (named, 1, &root, NULL));
  y10_json_enter (&cursor, root);
  g_assert_true (y10_json_next (&cursor, &value));
  path = y10_json_get_path (root, value, NULL);
  g_assert_cmpstr (path, ==, name);
}

/* As the documented output of commands has it: reals stay reals, with the digits that they
 * need. */
static void
test_written (void)
{
  static const char line[] =
      "{\"a\":\"[{\\\"\\\\\\n\\u0001\",\"\":[],\"b\":[1,0.3,5.0,1e+20,null,null,true,{}],"
      "\"c\":{\"width\":3,\"height\":4},\"d\":[0]}";
  static const char lines[] =
      "{\n  \"a\" : \"[{\\\"\\\\\\n\\u0001\",\n  \"\" : [],\n"
      "  \"b\" : [\n    1,\n    0.3,\n    5.0,\n    1e+20,\n"
      "    null,\n    null,\n    true,\n    {}\n  ],\n"
      "  \"c\" : {\n    \"width\" : 3,\n    \"height\" : 4\n  },\n"
      "  \"d\" : [\n    0\n  ]\n}";
  const double reals[] = { 0.3, 5, 1e20, (double) INFINITY };
  GString *json = g_string_new (NULL);
  g_autofree char *indented = NULL, *compact = NULL;
  Y10Json root;

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "a", "[{\"\\\n\001");
  y10_json_open (json, "", '[');
  y10_json_close (json, ']');
  y10_json_open (json, "b", '[');
  y10_json_add_int (json, NULL, 1);
  for (guint i = 0; i < G_N_ELEMENTS (reals); i++)
    y10_json_add_double (json, NULL, reals[i]);
  y10_json_add_string (json, NULL, NULL);
  y10_json_add_bool (json, NULL, TRUE);
  y10_json_open (json, NULL, '{');
  y10_json_close (json, '}');
  y10_json_close (json, ']');
  y10_json_add_size (json, "c", 3, 4);
  y10_json_add_raw (json, "d", "[0]");
  y10_json_close (json, '}');
  g_assert_cmpstr (json->str, ==, line);
  indented = y10_json_indent (json->str);
  g_assert_cmpstr (indented, ==, lines);
  g_assert_true (check (indented, 3, &root, NULL));
  compact = y10_json_dup_compact (root);
  g_assert_cmpstr (compact, ==, line);
  g_string_free (json, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/good", test_good);
  g_test_add_func ("/json/bad", test_bad);
  g_test_add_func ("/json/bytes", test_bytes);
  g_test_add_func ("/json/values", test_values);
  g_test_add_func ("/json/show", test_show);
  g_test_add_func ("/json/written", test_written);
  return g_test_run ();
}
