/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Takes a uri apart. Kafka's may list several brokers, which GUri refuses. Our own
 * settings are the query; of a web address, whose query is the server's, the fragment,
 * which is never sent. A user in a uri is refused, since properties are printed, and not
 * quoted by the error. */
#include "send/uri.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>

/* All authorities that a system knows have a quarter of a MiB. */
#define MAX_CAFILE (4 << 20)

static gboolean
fail (const gchar *text, const gchar *found, const gchar *expected,
    GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "uri: \"%s\" has %s; expected %s", text, found, expected);
  return FALSE;
}

/* Returns: (nullable): the scheme in lower case */
gchar *
gst_y10_uri_get_scheme (const gchar *text)
{
  const gchar *colon = strstr (text, "://");

  if (!colon || colon == text)
    return NULL;
  for (const gchar *c = text; c < colon; c++)
    if (!g_ascii_isalnum (*c) && !strchr ("+-.", *c))
      return NULL;
  return g_ascii_strdown (text, colon - text);
}

/* Reads a setting "name=value" into the table. */
static gboolean
add_setting (GstY10Uri *uri, const gchar *text, const gchar *setting,
    const gchar *const *names, GError **error)
{
  const gchar *equals = strchr (setting, '=');
  g_autofree gchar *name = equals
      ? g_strndup (setting, (gsize) (equals - setting))
      : g_strdup (setting);
  g_autofree gchar *value = equals ? g_uri_unescape_string (equals + 1, NULL)
                                   : NULL;
  g_autofree gchar *known = g_strjoinv (", ", (gchar **) names);
  gboolean ok = FALSE;

  if (!g_strv_contains (names, name))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: \"%s\" has the setting \"%s\"; expected any of %s", text, name,
        known);
  else if (!value || !*value || !g_utf8_validate (value, -1, NULL))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: \"%s\" has no value of \"%s\"; expected %s=VALUE", text, name,
        name);
  else
    ok = g_hash_table_replace (uri->settings, g_strdup (name), g_strdup (value))
        || TRUE;
  return ok;
}

static gboolean
parse_settings (GstY10Uri *uri, const gchar *text, const gchar *settings,
    const gchar *const *names, GError **error)
{
  g_auto (GStrv) each = g_strsplit (settings, "&", -1);
  gboolean ok = TRUE;

  for (guint i = 0; each[i] && ok; i++)
    if (*each[i])
      ok = add_setting (uri, text, each[i], names, error);
  return ok;
}

/* Reads the first of the addresses. */
static gboolean
parse_authority (GstY10Uri *uri, const gchar *text, GError **error)
{
  const gchar *end = strchr (uri->authority, ',');
  g_autofree gchar *first = end
      ? g_strndup (uri->authority, (gsize) (end - uri->authority))
      : g_strdup (uri->authority);
  gchar *bracket = *first == '[' ? strchr (first, ']') : NULL;
  gchar *colon = strrchr (bracket ? bracket : first, ':');
  guint64 port = 0;
  gboolean ok = TRUE;

  if (colon) {
    ok = g_ascii_string_to_unsigned (colon + 1, 10, 1, 65535, &port, NULL);
    *colon = '\0';
  }
  if (bracket)
    *bracket = '\0';
  uri->host = g_strdup (bracket ? first + 1 : first);
  uri->port = (guint) port;
  if (!ok)
    return fail (text, "no usable port", "a port from 1 to 65535", error);
  return *uri->host || fail (text, "no host", "SCHEME://HOST/…", error);
}

static gboolean
parse (GstY10Uri *uri, const gchar *text, const gchar *const *names,
    GError **error)
{
  const gboolean is_web = !strncmp (uri->scheme, "http", 4);
  const gchar *begin = text + strlen (uri->scheme) + 3;
  const gsize n = strcspn (begin, "/?#");
  const gchar *settings = strchr (text, is_web ? '#' : '?');
  const gchar *path = begin + n + (begin[n] == '/');

  if (memchr (begin, '@', n)) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: it has a user or password, and properties are printed; expected "
        "these in the file that credentials names, or in the environment, "
        "Y10_PUBLISH_USER and Y10_PUBLISH_PASSWORD");
    return FALSE;
  }
  uri->authority = g_strndup (begin, n);
  uri->address = settings ? g_strndup (text, (gsize) (settings - text))
                          : g_strdup (text);
  uri->path = g_uri_unescape_segment (path, path + strcspn (path, "?#"), NULL);
  if (!uri->path || !g_utf8_validate (uri->path, -1, NULL))
    return fail (text, "an escape in its path that is no UTF-8", "%XX of UTF-8",
        error);
  return parse_authority (uri, text, error)
      && (!settings || parse_settings (uri, text, settings + 1, names, error));
}

/**
 * gst_y10_uri_parse:
 * @text: a uri with a scheme
 * @names: names of the settings that it may have, ending with %NULL
 * @error: what was found and expected
 *
 * Returns: (transfer full) (nullable): the parts, or %NULL with an error
 */
GstY10Uri *
gst_y10_uri_parse (const gchar *text, const gchar *const *names, GError **error)
{
  g_autoptr (GstY10Uri) uri = g_new0 (GstY10Uri, 1);

  uri->settings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      g_free);
  uri->scheme = gst_y10_uri_get_scheme (text);
  if (uri->scheme ? parse (uri, text, names, error)
                  : fail (text, "no scheme", "SCHEME://HOST/…", error))
    return g_steal_pointer (&uri);
  return NULL;
}

void
gst_y10_uri_free (GstY10Uri *uri)
{
  if (!uri)
    return;
  g_free (uri->scheme);
  g_free (uri->authority);
  g_free (uri->host);
  g_free (uri->path);
  g_free (uri->address);
  g_hash_table_unref (uri->settings);
  g_free (uri);
}

/* Returns: (nullable): the value of a setting */
const gchar *
gst_y10_uri_get (const GstY10Uri *uri, const gchar *name)
{
  return g_hash_table_lookup (uri->settings, name);
}

/* Reads a setting that is a number from 1 to @most, if it is there. */
gboolean
gst_y10_uri_get_count (const GstY10Uri *uri, const gchar *name, guint most,
    guint *value, GError **error)
{
  const gchar *text = gst_y10_uri_get (uri, name);
  guint64 count;

  if (!text)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 1, most, &count, NULL)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: %s is \"%s\"; expected a number from 1 to %u", name, text, most);
    return FALSE;
  }
  *value = (guint) count;
  return TRUE;
}

/* Whether the certificates that are named, if any, can be read: devices have no end. */
gboolean
gst_y10_uri_check_cafile (const GstY10Uri *uri, GError **error)
{
  const gchar *file = gst_y10_uri_get (uri, "cafile");
  struct stat status;

  if (!file)
    return TRUE;
  if (stat (file, &status) == 0 && S_ISREG (status.st_mode)
      && status.st_size <= MAX_CAFILE)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
      "uri: cafile %s is no file of certificates; expected a regular file of at most "
      "%d MiB",
      file, MAX_CAFILE >> 20);
  return FALSE;
}
