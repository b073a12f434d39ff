/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The address of a camera or of another thing in a network, taken apart. */

#include <glib.h>

typedef struct
{
  char *scheme;          /* in lower case */
  char *user, *password; /* decoded; NULL: none. Secret */
  char *host;            /* without the brackets of IPv6 */
  guint port;            /* 0: that of the scheme */
  char *path;            /* with the query, percent-encoded; may be empty */
} ToolAddress;

/* What an address does not say of a camera. NULL and 0: the default. */
typedef struct
{
  const char *transport;   /* "auto", "tcp", "udp", "udp-mcast" or "http" */
  const char *fingerprint; /* of its certificate: SHA-256, in lower case */
  guint
      stream; /* which of several videos in the order of its description, from 1 */
} ToolRemoteOptions;

/* Whether @text begins with a scheme and "://", behind blanks. */
gboolean tool_address_is_one (const char *text);
/* Returns NULL with an error that shows nothing of @text. */
ToolAddress *tool_address_parse (const char *text, GError **error);
void tool_address_free (ToolAddress *address);
/* The scheme, host and port. */
char *tool_address_show (const ToolAddress *address);
/* All but the user and the password. */
char *tool_address_locate (const ToolAddress *address);
/* What to call an input: itself, or without a user and a password that are in it. Never
 * freed. */
const char *tool_address_name (const char *input);
/* Replaces all but the host in a text of others by "…". */
char *tool_address_censor (const ToolAddress *address, const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ToolAddress, tool_address_free)
