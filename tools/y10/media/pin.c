/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which certificate a camera may have. Most have one of their own, which nobody has
 * signed: its user compares the fingerprint, and from then on only this one will do,
 * whatever it says of names and times. It is a database of certificates since both
 * rtspsrc and souphttpsrc take one. */

#include "config.h"

#ifdef HAVE_GST

#include <string.h>
#include <y10/y10.h>

#include "base/text.h"
#include "media/pin.h"

#define DIGITS 64     /* of SHA-256 */
#define MAX_SHOWN 100 /* bytes of what is none */

struct _ToolPin
{
  GTlsDatabase parent;
  GTlsDatabase *system;
  char *wanted; /* NULL: what the system trusts */
  GMutex lock;
  char *refused; /* guarded by the lock */
};

G_DEFINE_FINAL_TYPE (ToolPin, tool_pin, G_TYPE_TLS_DATABASE)

static char *
find_fingerprint (GTlsCertificate *certificate)
{
  g_autoptr (GByteArray) der = NULL;

  g_object_get (certificate, "certificate", &der, NULL);
  if (!der)
    return g_strdup ("");
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, der->data, der->len);
}

/* Runs in the thread that connects. */
static GTlsCertificateFlags
verify (GTlsDatabase *database, GTlsCertificate *chain, const char *purpose,
    GSocketConnectable *identity, GTlsInteraction *interaction,
    GTlsDatabaseVerifyFlags flags, GCancellable *cancellable, GError **error)
{
  ToolPin *self = TOOL_PIN (database);
  g_autofree char *fingerprint = find_fingerprint (chain);
  GTlsCertificateFlags wrong = G_TLS_CERTIFICATE_UNKNOWN_CA;

  if (self->wanted)
    wrong = strcmp (self->wanted, fingerprint) ? wrong : 0;
  else if (self->system)
    wrong = g_tls_database_verify_chain (self->system, chain, purpose, identity,
        interaction, flags, cancellable, error);
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->refused, g_free);
  if (wrong)
    self->refused = g_steal_pointer (&fingerprint);
  g_mutex_unlock (&self->lock);
  return wrong;
}

static void
tool_pin_finalize (GObject *object)
{
  ToolPin *self = TOOL_PIN (object);

  g_clear_object (&self->system);
  g_free (self->wanted);
  g_free (self->refused);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (tool_pin_parent_class)->finalize (object);
}

static void
tool_pin_class_init (ToolPinClass *class)
{
  G_OBJECT_CLASS (class)->finalize = tool_pin_finalize;
  G_TLS_DATABASE_CLASS (class)->verify_chain = verify;
}

static void
tool_pin_init (ToolPin *self)
{
  g_mutex_init (&self->lock);
}

ToolPin *
tool_pin_new (const char *fingerprint)
{
  ToolPin *self = g_object_new (TOOL_TYPE_PIN, NULL);

  self->system = g_tls_backend_get_default_database (
      g_tls_backend_get_default ());
  self->wanted = g_strdup (fingerprint);
  return self;
}

char *
tool_pin_get_refused (ToolPin *self)
{
  char *refused;

  g_mutex_lock (&self->lock);
  refused = g_strdup (self->refused);
  g_mutex_unlock (&self->lock);
  return refused;
}

char *
tool_pin_parse (const char *text, GError **error)
{
  g_autoptr (GString) digits = g_string_new (NULL);
  const char *c = text;

  for (; g_ascii_isxdigit (*c) || strchr (": ", *c); c++) {
    if (!*c)
      break;
    if (g_ascii_isxdigit (*c))
      g_string_append_c (digits, g_ascii_tolower (*c));
  }
  if (!*c && digits->len == DIGITS)
    return g_string_free (g_steal_pointer (&digits), FALSE);
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "the fingerprint is \"%.*s\"; expected a SHA-256: 64 hexadecimal digits, with "
      "or without colons",
      y10_text_fit (text, MAX_SHOWN), text);
  return NULL;
}

#endif
