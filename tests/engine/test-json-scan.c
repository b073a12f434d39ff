/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What json-glib's parser may see: all JSON up to the depth, whatever its strings say; and
 * of what it is shown and takes, it never nests deeper than was counted. The second is
 * tried with mutated texts: its own tree says how deep it went. */

#include <json-glib/json-glib.h>
#include <string.h>

#include "base/json-scan.h"

#define N_MUTATED 60000

static const struct
{
  const char *text;
  guint max_depth;
  Y10JsonDanger danger;
  guint line, column, depth, nul_line;
} cases[] = {
  { "", 0, Y10_JSON_SAFE, 1, 1, 0, 0 },
  { "7", 0, Y10_JSON_SAFE, 1, 2, 0, 0 },
  { "[]", 1, Y10_JSON_SAFE, 1, 3, 1, 0 },
  { "[]", 0, Y10_JSON_DEEP, 1, 1, 1, 0 },
  { "{\"a\":\n [{}]}", 2, Y10_JSON_DEEP, 2, 3, 3, 0 },
  { "[[],[],{},[[]]]]]]]", 3, Y10_JSON_SAFE, 1, 20, 3, 0 },
  { "\"[[[{{{\\\"[[[\"", 0, Y10_JSON_SAFE, 1, 14, 0, 0 },
  { "\"\\\\\"[", 0, Y10_JSON_DEEP, 1, 5, 1, 0 },
  { "{\"\\b\\f\\n\\r\\t\\/\\u00e4\\ud83d\\ude97\":-1.5E+7}", 1, Y10_JSON_SAFE,
      1, 43, 1, 0 },
  { "[true,false,null]", 1, Y10_JSON_SAFE, 1, 18, 1, 0 },
  { "[[[[[[[[x", 2, Y10_JSON_DEEP, 1, 3, 8, 0 },
  /* What C, JavaScript or an older JSON would have. */
  { "{'a':1}", 9, Y10_JSON_CHARACTER, 1, 2, 1, 0 },
  { "[1] // a", 9, Y10_JSON_CHARACTER, 1, 5, 1, 0 },
  { "\n\n#", 9, Y10_JSON_CHARACTER, 3, 1, 0, 0 },
  { "var a", 9, Y10_JSON_CHARACTER, 1, 1, 0, 0 },
  { "[0x1]", 9, Y10_JSON_CHARACTER, 1, 3, 1, 0 },
  { "[\xc3\xa4]", 9, Y10_JSON_CHARACTER, 1, 2, 1, 0 },
  /* Escapes. */
  { "[\"\\x\"]", 9, Y10_JSON_ESCAPE, 1, 2, 1, 0 },
  { "\"\\u12g4\"", 9, Y10_JSON_ESCAPE, 1, 1, 0, 0 },
  { "\"\\ud800\"", 9, Y10_JSON_ESCAPE, 1, 1, 0, 0 },
  { "\"\\udc00\"", 9, Y10_JSON_ESCAPE, 1, 1, 0, 0 },
  { "\"\\ud800\\u0041\"", 9, Y10_JSON_ESCAPE, 1, 1, 0, 0 },
  { "\"\\", 9, Y10_JSON_ESCAPE, 1, 1, 0, 0 },
  { "\"\\u00", 9, Y10_JSON_ESCAPE, 1, 1, 0, 0 },
  { "[\n\"a\\u0000\"]", 9, Y10_JSON_SAFE, 2, 11, 1, 2 },
  { "\"\\\\u0000\"", 9, Y10_JSON_SAFE, 1, 10, 0, 0 },
  /* The mark of byte order, at the beginning only. */
  { "\xef\xbb\xbf{}", 9, Y10_JSON_SAFE, 1, 6, 1, 0 },
  { "{}\xef\xbb\xbf", 9, Y10_JSON_CHARACTER, 1, 3, 1, 0 },
};

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Y10JsonScan scan;

    g_test_message ("%s", cases[i].text);
    g_assert_cmpint (y10_json_scan (cases[i].text, strlen (cases[i].text),
                         cases[i].max_depth, &scan),
        ==, cases[i].danger == Y10_JSON_SAFE);
    g_assert_cmpuint (scan.danger, ==, cases[i].danger);
    g_assert_cmpuint (scan.line, ==, cases[i].line);
    g_assert_cmpuint (scan.column, ==, cases[i].column);
    g_assert_cmpuint (scan.depth, ==, cases[i].depth);
    g_assert_cmpuint (scan.nul_line, ==, cases[i].nul_line);
  }
}

/* It reads only its bytes, and needs no stack for them. */
static void
test_size (void)
{
  const gsize size = 8 << 20;
  char *text = g_malloc (size);
  Y10JsonScan scan;

  for (gsize i = 0; i < 7; i++) {
    char *own = g_memdup2 ("\"\\u0041", i + 1);

    y10_json_scan (own, i, 1, &scan);
    g_free (own);
  }
  memset (text, '[', size);
  g_assert_false (y10_json_scan (text, size, 100, &scan));
  g_assert_cmpuint (scan.depth, ==, size);
  g_assert_cmpuint (scan.offset, ==, 100);
  g_free (text);
}

static guint
depth_of (JsonNode *node)
{
  guint deepest = 0;

  if (JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *array = json_node_get_array (node);

    for (guint i = 0; i < json_array_get_length (array); i++)
      deepest = MAX (deepest, depth_of (json_array_get_element (array, i)));
    return deepest + 1;
  }
  if (JSON_NODE_HOLDS_OBJECT (node)) {
    GList *values = json_object_get_values (json_node_get_object (node));

    for (GList *v = values; v; v = v->next)
      deepest = MAX (deepest, depth_of (v->data));
    g_list_free (values);
    return deepest + 1;
  }
  return 0;
}

/* A value with at most @depth levels, with strings that could be taken for something
 * else. */
static JsonNode *
make_value (GRand *rand, guint depth)
{
  static const char *const strings[] = { "", "[[[", "\"", "\\", "\\\"{", "'",
    "//", "\n\t\b", "\303\244\360\237\232\227", "var a = [", "\\ud800" };
  const guint kind = g_rand_int_range (rand, depth ? 0 : 2, 5);
  const guint n = g_rand_int_range (rand, 0, 4);
  JsonNode *node = json_node_alloc ();

  if (kind == 0) {
    JsonArray *array = json_array_new ();

    for (guint i = 0; i < n; i++)
      json_array_add_element (array, make_value (rand, depth - 1));
    json_node_init_array (node, array);
    json_array_unref (array);
  } else if (kind == 1) {
    JsonObject *object = json_object_new ();

    for (guint i = 0; i < n; i++)
      json_object_set_member (object,
          strings[g_rand_int_range (rand, 0, G_N_ELEMENTS (strings))],
          make_value (rand, depth - 1));
    json_node_init_object (node, object);
    json_object_unref (object);
  } else if (kind == 2) {
    json_node_init_string (node,
        strings[g_rand_int_range (rand, 0, G_N_ELEMENTS (strings))]);
  } else if (kind == 3) {
    json_node_init_double (node, g_rand_double_range (rand, -1e9, 1e-9));
  } else {
    json_node_init_boolean (node, n & 1);
  }
  return node;
}

static GString *
make_text (GRand *rand, guint *depth)
{
  JsonNode *node = make_value (rand, 6);
  char *text = json_to_string (node, g_rand_boolean (rand));
  GString *string = g_string_new (text);

  *depth = depth_of (node);
  g_free (text);
  json_node_unref (node);
  return string;
}

/* What json-glib writes is safe, and as deep as it is. */
static void
test_written (void)
{
  GRand *rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < 3000; i++) {
    guint depth;
    GString *text = make_text (rand, &depth);
    Y10JsonScan scan;

    g_assert_true (y10_json_scan (text->str, text->len, depth, &scan));
    g_assert_cmpuint (scan.depth, ==, depth);
    if (depth)
      g_assert_false (y10_json_scan (text->str, text->len, depth - 1, &scan));
    g_string_free (text, TRUE);
  }
  g_rand_free (rand);
}

static void
mutate (GRand *rand, GString *text)
{
  static const char *const pieces[] = { "\"", "'", "\\", "\\ud800", "\\u00",
    "[", "{\"a\":", "]", "}", "/", "/*", "*/", "//", "#", "var a = ", "\n",
    "\\u0000", ":", ",", "\xff", "\xef\xbb\xbf", "0x", "`", "$", "\"\"" };
  const guint n = g_rand_int_range (rand, 1, 6);

  for (guint i = 0; i < n; i++) {
    const gssize at = g_rand_int_range (rand, 0, (gint) text->len + 1);

    if (g_rand_int_range (rand, 0, 3) == 0 && (gsize) at < text->len)
      g_string_erase (text, at, 1);
    else
      g_string_insert (text, at,
          pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
  }
}

/* Puts what the parser takes for a string or a comment that ends elsewhere than one of JSON
 * behind a bracket. */
static void
disguise (GRand *rand, GString *text)
{
  static const char *const pieces[] = { "'\"',", "\"\\ud800\" \",",
    "\"\\u00\" \",", "/*\"*/", "\"\\x\\\"\"," };
  const char *bracket = strchr (text->str
          + g_rand_int_range (rand, 0, (gint) text->len),
      '[');

  if (bracket)
    g_string_insert (text, bracket + 1 - text->str,
        pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
}

static void
test_mutated (void)
{
  GRand *rand = g_rand_new_with_seed (2);
  JsonParser *parser = json_parser_new ();
  guint n_safe = 0, n_taken = 0;

  for (guint i = 0; i < N_MUTATED; i++) {
    guint depth;
    GString *text = make_text (rand, &depth);
    Y10JsonScan scan;
    JsonNode *root;

    (i % 2 ? mutate : disguise) (rand, text);
    if (y10_json_scan (text->str, text->len, 50, &scan)) {
      n_safe++;
      if (json_parser_load_from_data (parser, text->str, (gssize) text->len,
              NULL)
          && (root = json_parser_get_root (parser))) {
        n_taken++;
        if (depth_of (root) > scan.depth)
          g_error ("nests %u deep, not %u: %s", depth_of (root), scan.depth,
              text->str);
      }
    }
    g_string_free (text, TRUE);
  }
  g_test_message ("%u of %u are safe, %u of these parse", n_safe, N_MUTATED,
      n_taken);
  g_assert_cmpuint (n_taken, >, N_MUTATED / 50);
  g_assert_cmpuint (n_safe, <, N_MUTATED * 9 / 10);
  g_object_unref (parser);
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-scan/cases", test_cases);
  g_test_add_func ("/json-scan/size", test_size);
  g_test_add_func ("/json-scan/written", test_written);
  g_test_add_func ("/json-scan/mutated", test_mutated);
  return g_test_run ();
}
