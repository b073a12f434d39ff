/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Addresses with any character at any place of a user and a password, as they are and
 * encoded by GLib: either understood exactly, or refused; nothing of them is shown. */
#include <string.h>
#include <y10/y10.h>

#include "base/address.h"

/* No word of a message. */
#define USER "wxqvk"
#define WORD "zq7xj"

/* Every printable byte of ASCII, and some that are not. */
static const char *const pieces[] = { "\xc3\xa4", "\xe2\x82\xac", "\t", "\x01",
  "\x7f", "%zz", "%", "%4", "%00", "%0d%0a", "%e4", "/x@", "?a=", "@h/", "#/",
  "://", "12/3", ":@", "[::1]", "..", "@1", "/@", NULL };

static const char *
get_piece (guint i)
{
  static char one[2];

  if (i >= 0x7f - 0x20)
    return pieces[i - (0x7f - 0x20)];
  one[0] = (char) (0x20 + i);
  return one;
}

static char *
insert (const char *word, const char *piece, guint place)
{
  const gsize at = place == 0 ? 0
      : place == 1            ? strlen (word) / 2
                              : strlen (word);

  return g_strdup_printf ("%.*s%s%s", (int) at, word, piece, word + at);
}

/* @secret: what must not be in @text, in halves too. */
static void
check_hidden (const char *text, const char *secret, const char *word)
{
  char *start = g_strndup (word, 2), *end = g_strdup (word + 3);

  g_assert_null (strstr (text, secret));
  g_assert_null (strstr (text, start));
  g_assert_null (strstr (text, end));
  g_free (start);
  g_free (end);
}

/* @exact: what @user and @password stand for if they are understood; NULL: nobody
 * knows. */
static gboolean
check (const char *user, const char *password, const char *const exact[2],
    const char *behind)
{
  char *text = g_strconcat ("rtsp://", user, ":", password, "@camera.test",
      behind, NULL);
  GError *error = NULL;
  ToolAddress *address = tool_address_parse (text, &error);
  const gboolean is_understood = address != NULL;
  char *shown, *located;

  if (!address) {
    g_assert_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT);
    check_hidden (error->message, user, USER);
    check_hidden (error->message, password, WORD);
    g_error_free (error);
  } else {
    g_assert_no_error (error);
    g_assert_cmpstr (address->host, ==, "camera.test");
    if (exact) {
      g_assert_cmpstr (address->user, ==, exact[0]);
      g_assert_cmpstr (address->password, ==, exact[1]);
    }
    shown = tool_address_show (address);
    located = tool_address_locate (address);
    g_assert_true (g_str_has_prefix (shown, "rtsp://camera.test"));
    check_hidden (located, user, USER);
    check_hidden (located, password, WORD);
    g_free (located);
    g_free (shown);
  }
  check_hidden (tool_address_name (text), user, USER);
  check_hidden (tool_address_name (text), password, WORD);
  tool_address_free (address);
  g_free (text);
  return is_understood;
}

static void
test_every_character (void)
{
  static const char *const behinds[] = { "/x", ":554/x?y=1", "", "?y=z/@w" };
  guint n_raw = 0, n = 0x7f - 0x20 + g_strv_length ((char **) pieces);

  for (guint i = 0; i < n; i++) {
    const char *piece = get_piece (i);
    const gboolean is_printable = i < 0x7f - 0x20;

    for (guint place = 0; place < 3; place++)
      for (guint who = 0; who < 2; who++)
        for (guint b = 0; b < G_N_ELEMENTS (behinds); b++) {
          char *raw = insert (who ? WORD : USER, piece, place);
          char *encoded = g_uri_escape_string (raw, NULL, FALSE);
          const char *exact[2] = { who ? USER : raw, who ? raw : WORD };
          const gboolean is_known = is_printable && *piece != '%'
              && (who || *piece != ':') && !(*piece == ' ' && !who && !place);

          if (b < 3)
            n_raw += check (who ? USER : raw, who ? raw : WORD,
                is_known ? exact : NULL, behinds[b]);
          if (is_printable && b < 3)
            g_assert_true (check (who ? USER : encoded, who ? encoded : WORD,
                exact, behinds[b]));
          check (who ? USER : encoded, who ? encoded : WORD, NULL, behinds[b]);
          g_free (encoded);
          g_free (raw);
        }
  }
  /* All printable ones but /, ? and %, at each of three places in two words. */
  g_assert_cmpuint (n_raw, >=, (0x7f - 0x20 - 3) * 3 * 2 * 3);
}

/* An address, and what it is taken apart into; NULL: it is refused. */
static const struct
{
  const char *text, *user, *password, *located;
} cases[] = {
  { " rtsp://camera.test/a\n", NULL, NULL, "rtsp://camera.test/a" },
  { "RTSP://CAM:8554", NULL, NULL, "rtsp://cam:8554" },
  { "rtsp://a@b", "a", NULL, "rtsp://b" },
  { "rtsp://a:@b", "a", "", "rtsp://b" },
  { "rtsp://@b", NULL, NULL, "rtsp://b" },
  { "rtsp://a:b:c@d/", "a", "b:c", "rtsp://d/" },
  { "rtsp://a@b:c@d/", "a@b", "c", "rtsp://d/" },
  { "rtsp://a:b@[::1]:99/x", "a", "b", "rtsp://[::1]:99/x" },
  { "rtsp://[fe80::1%25eth0]/x", NULL, NULL, "rtsp://[fe80::1%25eth0]/x" },
  { "rtsp://h/a b#c%zz%41", NULL, NULL, "rtsp://h/a%20b%23c%25zz%41" },
  /* An @ in a path, where what would be a user is an address. */
  { "rtsp://192.0.2.7/live@main", NULL, NULL, "rtsp://192.0.2.7/live@main" },
  { "rtsp://a:b@192.0.2.7:1/u=c@d", "a", "b", "rtsp://192.0.2.7:1/u=c@d" },
  { "http://h/npm/x@1.2/a.png", NULL, NULL, "http://h/npm/x@1.2/a.png" },
  { "http://h:80/x@1.2/a.png", NULL, NULL, NULL },
  { "rtsp://host/live@main", NULL, NULL, NULL },
  { "rtsp://a:b@host/live@main", NULL, NULL, NULL },
  { "rtsp://a:12/3@host/", NULL, NULL, NULL },
  { "rtsp://a:b@", NULL, NULL, NULL },
  { "rtsp://", NULL, NULL, NULL },
  { "rtsp:///x", NULL, NULL, NULL },
  { "rtsp:host/x", NULL, NULL, NULL },
  { "a:b@host", NULL, NULL, NULL },
  { "rtsp://host:0/", NULL, NULL, NULL },
  { "rtsp://host:65536/", NULL, NULL, NULL },
  { "rtsp://host:5a/", NULL, NULL, NULL },
  { "rtsp://[::1/", NULL, NULL, NULL },
  { "rtsp://[::1]x/", NULL, NULL, NULL },
  { "rtsp://[host]/", NULL, NULL, NULL },
  { "rtsp://h/\x01", NULL, NULL, NULL },
};

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    ToolAddress *address = tool_address_parse (cases[i].text, &error);
    char *located = address ? tool_address_locate (address) : NULL;

    g_test_message ("%s", cases[i].text);
    g_assert_cmpstr (located, ==, cases[i].located);
    g_assert_true (!address == (error != NULL));
    if (address) {
      g_assert_cmpstr (address->user, ==, cases[i].user);
      g_assert_cmpstr (address->password, ==, cases[i].password);
    }
    g_clear_error (&error);
    g_free (located);
    tool_address_free (address);
  }
}

static void
test_names (void)
{
  g_assert_cmpstr (tool_address_name ("a@b.png"), ==, "a@b.png");
  g_assert_cmpstr (tool_address_name ("file:///a@b.png"), ==,
      "file:///a@b.png");
  g_assert_cmpstr (tool_address_name ("http://h/a b#c"), ==, "http://h/a b#c");
  g_assert_cmpstr (tool_address_name ("rtsp://u:p@h/x"), ==, "rtsp://h/x");
  g_assert_cmpstr (tool_address_name ("rtsp://u:p/q@h/x"), ==, "rtsp:");
}

static void
test_censor (void)
{
  ToolAddress *address =
      tool_address_parse ("rtsp://oprtr:p%40ss@host/hidden%20path?key=v4lue",
          NULL);
  char *clean = tool_address_censor (address,
      "rtsp://oprtr:p@ss@host/hidden path?key=v4lue p%40ss: a key=v4lue");

  g_assert_cmpstr (clean, ==, "rtsp://…:…@host…?… …: a …");
  g_free (clean);
  tool_address_free (address);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/address/every-character", test_every_character);
  g_test_add_func ("/address/cases", test_cases);
  g_test_add_func ("/address/names", test_names);
  g_test_add_func ("/address/censor", test_censor);
  return g_test_run ();
}
