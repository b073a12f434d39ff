/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads who sends from a file that only its owner can read, or from the environment. No
 * error quotes what the file contains. */
#include "send/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP "publish"
#define MAX_FILE 65536

static gboolean
fail (const gchar *file, const gchar *found, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "credentials: %s %s; expected a line USER:PASSWORD, or [" GROUP
      "] with user= and password=, or token=",
      file, found);
  return FALSE;
}

/* Reads a file that is for its owner alone. */
static gchar *
read_file (const gchar *file, GError **error)
{
  const int fd = open (file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  gchar *text = NULL;
  struct stat status;
  gssize n;

  if (fd < 0 || fstat (fd, &status) != 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "credentials: cannot open %s: %s", file, g_strerror (errno));
  } else if (!S_ISREG (status.st_mode) || status.st_size > MAX_FILE) {
    fail (file, "is no small file", error);
  } else if (status.st_mode & 077) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
        "credentials: %s can be read by others, mode %04o; expected 0600 "
        "(chmod 600 %s)",
        file, (guint) status.st_mode & 07777, file);
  } else {
    text = g_malloc0 (MAX_FILE + 1);
    n = read (fd, text, MAX_FILE);
    if (n < 0)
      text[0] = '\0';
  }
  if (fd >= 0)
    close (fd);
  return text;
}

static gboolean
parse_group (GstY10Credentials *self, const gchar *file, const gchar *text,
    GError **error)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  gboolean ok = g_key_file_load_from_data (keys, text, strlen (text),
      G_KEY_FILE_NONE, NULL);

  if (ok) {
    self->user = g_key_file_get_value (keys, GROUP, "user", NULL);
    self->password = g_key_file_get_value (keys, GROUP, "password", NULL);
    self->token = g_key_file_get_value (keys, GROUP, "token", NULL);
  }
  if (!ok)
    return fail (file, "is no key file", error);
  return self->user || self->token || fail (file, "names no user", error);
}

static gboolean
parse_line (GstY10Credentials *self, const gchar *file, gchar *text,
    GError **error)
{
  gchar *colon;

  text[strcspn (text, "\r\n")] = '\0';
  colon = strchr (text, ':');
  if (!colon || colon == text)
    return fail (file, "has no USER: at its beginning", error);
  self->user = g_strndup (text, (gsize) (colon - text));
  self->password = g_strdup (colon + 1);
  return TRUE;
}

/* A line break would begin another header of a request. */
static gboolean
is_usable (const gchar *text)
{
  if (!text)
    return TRUE;
  for (const gchar *c = text; *c; c++)
    if (g_ascii_iscntrl (*c))
      return FALSE;
  return g_utf8_validate (text, -1, NULL);
}

/**
 * gst_y10_credentials_load:
 * @self: (out): to be cleared by gst_y10_credentials_clear()
 * @file: (nullable): name of a file; %NULL or empty: from the environment
 * @error: what was found and expected
 *
 * Returns: whether @self is usable; it may be empty
 */
gboolean
gst_y10_credentials_load (GstY10Credentials *self, const gchar *file,
    GError **error)
{
  gboolean ok = TRUE;

  memset (self, 0, sizeof *self);
  if (file && *file) {
    g_autofree gchar *text = read_file (file, error);

    ok = text
        && (text[strspn (text, " \t\r\n")] == '['
                ? parse_group (self, file, text, error)
                : parse_line (self, file, text, error));
  } else {
    self->user = g_strdup (g_getenv ("Y10_PUBLISH_USER"));
    self->password = g_strdup (g_getenv ("Y10_PUBLISH_PASSWORD"));
    self->token = g_strdup (g_getenv ("Y10_PUBLISH_TOKEN"));
  }
  if (ok
      && !(is_usable (self->user) && is_usable (self->password)
          && is_usable (self->token)))
    ok = fail (file && *file ? file : "the environment",
        "has control characters or no UTF-8 in them", error);
  if (!ok)
    gst_y10_credentials_clear (self);
  return ok;
}

static void
clear (gchar **text)
{
  if (*text)
    memset (*text, 0, strlen (*text));
  g_clear_pointer (text, g_free);
}

void
gst_y10_credentials_clear (GstY10Credentials *self)
{
  clear (&self->user);
  clear (&self->password);
  clear (&self->token);
}
