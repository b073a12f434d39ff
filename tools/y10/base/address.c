/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Takes the address of a camera apart, once for all that use it. People paste passwords as
 * they are, so what RFC 3986 says of delimiters is not enough: read by it, a part of a
 * password becomes a host, which is shown and looked up.
 *
 * The user and the password end at the last @ in front of the first / or ?, and the
 * first : parts them. An @ further behind would make both readings possible; only where
 * the host is an IP address, or nothing in an http: address can be a password, is it part
 * of the path. Whatever is refused is not quoted. */

#include "config.h"

#include <string.h>
#include <y10/y10.h>

#include "base/address.h"

#define FORM "expected SCHEME://[USER:PASSWORD@]HOST[:PORT]/PATH"
/* These are no part of a URI (RFC 3986). */
#define UNWISE "\"#<>\\^`{|}"

/* Always FALSE. */
static gboolean
refuse (GError **error, const char *why)
{
  g_set_error_literal (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT, why);
  return FALSE;
}

static const char *
skip_blanks (const char *text)
{
  while (g_ascii_isspace (*text))
    text++;
  return text;
}

static gsize
scheme_length (const char *text)
{
  const gsize n = strspn (text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "+-.");

  return g_ascii_isalpha (*text) && g_str_has_prefix (text + n, "://") ? n : 0;
}

gboolean
tool_address_is_one (const char *text)
{
  return scheme_length (skip_blanks (text)) > 0;
}

static gboolean
is_ip (const char *host)
{
  g_autofree char *address = g_strndup (host, strcspn (host, "%"));

  return g_hostname_is_ip_address (address);
}

static gboolean
is_name (const char *host)
{
  for (const char *c = host; *c; c++)
    if (!g_ascii_isalnum (*c) && !strchr ("-._", *c) && (guchar) *c < 0x80)
      return FALSE;
  return *host != 0;
}

static gboolean
read_port (ToolAddress *self, const char *text, GError **error)
{
  guint64 port = 0;

  if (*text
      && !g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT16, &port, NULL))
    return refuse (error, "the address has no valid port; expected 1 to 65535");
  self->port = (guint) port;
  return TRUE;
}

/* @text: a host, and a port behind a colon. */
static gboolean
read_host (ToolAddress *self, const char *text, GError **error)
{
  const gboolean is_bracketed = *text == '[';
  const char *end = text + strcspn (text, is_bracketed ? "]" : ":");
  g_autofree char *host = g_strndup (text + is_bracketed,
      (gsize) (end - text) - is_bracketed);
  g_autofree char *plain = g_uri_unescape_string (host, NULL);

  if (is_bracketed && *end == ']' && plain && is_ip (plain))
    self->host = g_steal_pointer (&plain);
  else if (!is_bracketed && is_name (host))
    self->host = g_hostname_to_ascii (host);
  if (!self->host)
    return refuse (error, "the address has no valid host; " FORM);
  end += is_bracketed;
  if (*end && *end != ':')
    return refuse (error, "the address has no valid port; expected 1 to 65535");
  return read_port (self, *end ? end + 1 : "", error);
}

/* Returns NULL with an error. */
static char *
decode (const char *text, gssize length, GError **error)
{
  g_autofree char *raw = g_strndup (text,
      length >= 0 ? (gsize) length : strlen (text));
  GString *plain = g_string_new (NULL);
  gboolean ok = TRUE;

  for (const char *c = raw; *c && ok; c++) {
    int byte = (guchar) *c;

    if (byte == '%') {
      if (!g_ascii_isxdigit (c[1]) || !g_ascii_isxdigit (c[2])) {
        ok = refuse (error,
            "the user or password has a % without two hexadecimal digits behind it; "
            "expected %25 for a %");
        break;
      }
      byte = g_ascii_xdigit_value (c[1]) * 16 + g_ascii_xdigit_value (c[2]);
      c += 2;
    }
    if (byte < 0x20 || byte == 0x7f)
      ok = refuse (error,
          "the user or password has a control character; expected none");
    g_string_append_c (plain, (char) byte);
  }
  return g_string_free (plain, !ok);
}

static gboolean
read_user (ToolAddress *self, const char *text, GError **error)
{
  const char *colon = strchr (text, ':');

  if (!*text)
    return TRUE;
  self->user = decode (text, colon ? colon - text : -1, error);
  if (!self->user)
    return FALSE;
  if (colon)
    self->password = decode (colon + 1, -1, error);
  return !colon || self->password;
}

/* Encodes what a URI cannot have, such as the # of a password in a query. */
static gboolean
read_path (ToolAddress *self, const char *text, GError **error)
{
  g_autoptr (GString) path = g_string_new (NULL);

  for (const char *c = text; *c; c++) {
    const guchar byte = (guchar) *c;
    const gboolean is_wrong = byte <= ' ' || byte >= 0x7f
        || strchr (UNWISE, byte)
        || (byte == '%'
            && (!g_ascii_isxdigit (c[1]) || !g_ascii_isxdigit (c[2])));

    if (byte < ' ' || byte == 0x7f)
      return refuse (error,
          "the address has a control character; expected none");
    if (is_wrong)
      g_string_append_printf (path, "%%%02X", byte);
    else
      g_string_append_c (path, *c);
  }
  self->path = g_string_free (g_steal_pointer (&path), FALSE);
  return TRUE;
}

/* Whether an @ in the path can only be that: where a host would have to be the user. */
static gboolean
is_of_path (const ToolAddress *self, const char *authority)
{
  return is_ip (self->host)
      || (g_str_has_prefix (self->scheme, "http")
          && !strpbrk (authority, ":@"));
}

/* @text: what is behind "://". */
static gboolean
read_rest (ToolAddress *self, const char *text, GError **error)
{
  const gsize n = strcspn (text, "/?");
  g_autofree char *authority = g_strndup (text, n);
  char *at = strrchr (authority, '@');
  gboolean ok = TRUE;

  if (at) /* before the host: it is part of a password if there is another one */
    *at = 0;
  ok = read_host (self, at ? at + 1 : authority, error)
      && (!at || read_user (self, authority, error))
      && read_path (self, text + n, error);
  if (at)
    *at = '@';
  if (strchr (text + n, '@') && !(self->host && is_of_path (self, authority))) {
    g_clear_error (error);
    ok = refuse (error,
        "the address has an @ behind a / or ?; expected %2F for a / and %3F for a ? of "
        "the user or password, and %40 for an @ behind the host");
  }
  return ok;
}

ToolAddress *
tool_address_parse (const char *text, GError **error)
{
  ToolAddress *self = g_new0 (ToolAddress, 1);
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  const gsize n = scheme_length (stripped);

  self->scheme = g_ascii_strdown (stripped, (gssize) n);
  if (!n)
    refuse (error, "the address has no scheme; " FORM);
  if (!n || !read_rest (self, stripped + n + strlen ("://"), error))
    g_clear_pointer (&self, tool_address_free);
  return self;
}

void
tool_address_free (ToolAddress *self)
{
  if (!self)
    return;
  g_free (self->scheme);
  g_free (self->user);
  g_free (self->password);
  g_free (self->host);
  g_free (self->path);
  g_free (self);
}

static char *
join (const ToolAddress *self, const char *path)
{
  const gboolean is_v6 = strchr (self->host, ':') != NULL;
  g_autofree char *zone = is_v6 ? g_uri_escape_string (self->host, ":", FALSE)
                                : NULL;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, is_v6 ? "%s://[%s]" : "%s://%s", self->scheme,
      zone ? zone : self->host);
  if (self->port)
    g_string_append_printf (text, ":%u", self->port);
  g_string_append (text, path);
  return g_string_free (text, FALSE);
}

char *
tool_address_show (const ToolAddress *self)
{
  return join (self, "");
}

char *
tool_address_locate (const ToolAddress *self)
{
  return join (self, self->path);
}

const char *
tool_address_name (const char *input)
{
  g_autoptr (ToolAddress) address = NULL;
  g_autofree char *location = NULL;

  if (!tool_address_is_one (input) || !strchr (input, '@')
      || !g_ascii_strncasecmp (input, "file:", strlen ("file:")))
    return input;
  address = tool_address_parse (input, NULL);
  if (address && !address->user)
    return input;
  location = address
      ? tool_address_locate (address)
      : g_strndup (input, (gsize) (strstr (input, "://") - input) + 1);
  return g_intern_string (location);
}

static void
hide (GString *text, const char *secret)
{
  /* One character is in every text. */
  if (secret && strlen (secret) > 1)
    g_string_replace (text, secret, "…", 0);
}

/* Also as a URI has it, whoever encoded it. */
static void
hide_all (GString *text, const char *secret)
{
  g_autofree char *encoded = secret ? g_uri_escape_string (secret, NULL, FALSE)
                                    : NULL;

  hide (text, secret);
  hide (text, encoded);
}

char *
tool_address_censor (const ToolAddress *self, const char *text)
{
  GString *clean = g_string_new (text);
  const char *query = strchr (self->path, '?');
  g_autofree char *path = g_strndup (self->path, strcspn (self->path, "?"));
  g_autofree char *plain = g_uri_unescape_string (path, NULL);

  hide (clean, self->path);
  hide (clean, query ? query + 1 : NULL);
  hide (clean, path);
  hide (clean, plain);
  hide_all (clean, self->password);
  hide_all (clean, self->user);
  return g_string_free (clean, FALSE);
}
