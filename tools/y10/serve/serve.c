/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 serve: a page that shows cameras live, with boxes. This file has the options, and the
 * start and the end of the program; see routes.c for requests, cameras.c for cameras. */

#include "config.h"

#include <stdio.h>

#include "base/command.h"
#include "base/terminal.h"

#ifdef HAVE_SERVE

#include <glib-unix.h>
#include <libsoup/soup.h>
#include <signal.h>
#include <unistd.h>
#include <y10/y10.h>

#include "base/log.h"
#include "base/options.h"
#include "camera/memory.h"
#include "http/listener.h"
#include "http/inflight.h"
#include "media/gst.h"
#include "serve/notify.h"
#include "serve/routes.h"
#include "serve/spoolfolder.h"

#define STOP_TIME (2 * G_USEC_PER_SEC)  /* for cameras */
#define LEAVE_TIME (G_USEC_PER_SEC / 2) /* for connections, after that */

typedef struct
{
  char *listen, *config, *model, *models, *backend, *media, *cert, *key;
  char **hosts;
  gboolean insecure, url;
  /* Derived from these: */
  GInetAddress *address;
  guint port;
  GTlsCertificate *certificate;
  char *token_path, *sessions_path, *crashes_path;
} Options;

typedef struct
{
  SoupServer *soup;
  HttpListener *listener;
  HttpServer *http;
  ServeSettings *settings;
  ServeCrashes *crashes;
  ServeNotify *notify;
  ServeParts parts;
  gboolean stops;
} Program;

static void
clear_options (Options *options)
{
  g_clear_object (&options->address);
  g_clear_object (&options->certificate);
  g_free (options->token_path);
  g_free (options->sessions_path);
  g_free (options->crashes_path);
}

/* Sets the address and the port. */
static gboolean
parse_listen (Options *options)
{
  const char *text = options->listen ? options->listen : "127.0.0.1:8010";
  const char *colon = strrchr (text, ':');
  guint64 port = 0;

  if (colon
      && g_ascii_string_to_unsigned (colon + 1, 10, 0, 65535, &port, NULL)) {
    g_autofree char *host = *text == '[' && colon > text + 1 && colon[-1] == ']'
        ? g_strndup (text + 1, (gsize) (colon - text) - 2)
        : g_strndup (text, (gsize) (colon - text));
    options->address = g_inet_address_new_from_string (
        !strcmp (host, "localhost") ? "127.0.0.1" : host);
  }
  options->port = (guint) port;
  if (options->address)
    return TRUE;
  tool_error ("--listen is '%s'; expected ADDRESS:PORT, such as 127.0.0.1:8010",
      text);
  return FALSE;
}

static gboolean
load_certificate (Options *options)
{
  g_autoptr (GError) error = NULL;

  if (!options->cert != !options->key) {
    tool_error ("expected --cert and --key together");
    return FALSE;
  }
  if (!options->cert)
    return TRUE;
  options->certificate = g_tls_certificate_new_from_files (options->cert,
      options->key, &error);
  if (!options->certificate)
    tool_error ("serve: cannot use %s and %s: %s", options->cert, options->key,
        error->message);
  return options->certificate != NULL;
}

/* Other machines are served without TLS only where that was asked for. */
static gboolean
check_exposure (const Options *options)
{
  if (options->certificate || options->insecure
      || g_inet_address_get_is_loopback (options->address))
    return TRUE;
  tool_error (
      "--listen %s can be reached from other machines, which could read along; "
      "expected --cert and --key, or --insecure behind a proxy with TLS",
      options->listen);
  return FALSE;
}

static void
choose_paths (Options *options)
{
  if (!options->config)
    options->config = g_build_filename (g_get_user_config_dir (), "y10",
        "serve.ini", NULL);
  options->token_path = g_strconcat (options->config, ".token", NULL);
  options->sessions_path = g_strconcat (options->config, ".sessions", NULL);
  options->crashes_path = g_strconcat (options->config, ".crashes", NULL);
}

/* With the token in the fragment, which no server sees. Where the server listens on any
 * address, a browser here takes the loopback one. Free with g_free(). */
static char *
make_url (const Options *options, const char *token)
{
  const GSocketFamily family = g_inet_address_get_family (options->address);
  g_autoptr (GInetAddress) own = g_inet_address_get_is_any (options->address)
      ? g_inet_address_new_loopback (family)
      : g_object_ref (options->address);
  g_autofree char *host = g_inet_address_to_string (own);
  const gboolean v6 = family == G_SOCKET_FAMILY_IPV6;

  return g_strdup_printf ("%s://%s%s%s:%u/%s%s",
      options->certificate ? "https" : "http", v6 ? "[" : "", host,
      v6 ? "]" : "", options->port, token ? "#t=" : "", token ? token : "");
}

/* The source stays until the process ends: without it, a second signal would kill it. */
static gboolean
on_signal (gpointer data)
{
  Program *program = data;

  program->stops = TRUE;
  return G_SOURCE_CONTINUE;
}

static void
override (char **setting, const char *option)
{
  if (!option)
    return;
  g_free (*setting);
  *setting = g_strdup (option);
}

/* A ServeIsPrivate. */
static gboolean
is_private (const char *camera, gpointer settings)
{
  return serve_settings_is_private (settings, camera);
}

static void
make_parts (ServeParts *parts, ServeSettings *settings, ServeCrashes *crashes)
{
  HttpSockets *sockets;

  parts->cameras = serve_cameras_new (settings, crashes);
  parts->push = serve_push_new (parts->cameras);
  sockets = serve_push_get_sockets (parts->push);
  parts->events = serve_event_api_new (settings->snapshots, sockets, is_private,
      settings);
  parts->model = (ServeModel){ settings, parts->cameras, sockets, NULL };
  parts->capacity = serve_capacity_new (parts->cameras);
}

static gboolean
set_up (Program *program, Options *options, GError **error)
{
  ServeSettings *settings;

  tool_log_set_up ();
  /* A failed write is an error like others. */
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
  if (!tool_gst_init (error))
    return FALSE;
  if (!tool_have_element ("yolov10overlay") || !tool_have_element ("jpegenc")) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "GStreamer has no yolov10overlay or no jpegenc; 'y10 doctor' tells more");
    return FALSE;
  }
  settings = program->settings = serve_settings_load (options->config, error);
  if (!settings)
    return FALSE;
  override (&settings->model, options->model);
  settings->model_is_option = options->model != NULL;
  override (&settings->models, options->models);
  override (&settings->backend, options->backend);
  override (&settings->media, options->media);
  /* A wrong model would fail each camera, so it ends the start. */
  if (!serve_settings_load_model (settings, error)
      || !serve_spool_folder_prepare (settings, error))
    return FALSE;
  program->listener = http_listener_new (program->soup, options->address,
      options->certificate, &options->port, error);
  if (!program->listener)
    return FALSE;
  program->parts.auth = http_auth_new (options->token_path,
      options->sessions_path, options->port, options->certificate != NULL,
      g_inet_address_get_is_loopback (options->address), options->hosts, error);
  if (!program->parts.auth)
    return FALSE;
  program->crashes = serve_crashes_new (options->crashes_path, settings);
  return TRUE;
}

/* For whoever reads the log where no terminal shows the token. */
static void
log_url_command (const Options *options)
{
  g_autofree char *host = g_inet_address_to_string (options->address);
  g_autofree char *config = g_canonicalize_filename (options->config, NULL);
  const gboolean v6 = g_inet_address_get_family (options->address)
      == G_SOCKET_FAMILY_IPV6;

  tool_log (TOOL_LOG_NOTICE,
      "for the address with the token: y10 serve --url --config '%s' --listen "
      "%s%s%s:%u%s",
      config, v6 ? "[" : "", host, v6 ? "]" : "", options->port,
      options->certificate ? " --cert … --key …" : "");
}

/* The token is for people, not for logs. */
static void
print_url (const Program *program, const Options *options)
{
  const gboolean person = isatty (STDOUT_FILENO);
  const guint n = program->settings->cameras->len;
  g_autofree char *shown = make_url (options, NULL);
  g_autofree char *url = make_url (options,
      person ? http_auth_get_token (program->parts.auth) : NULL);

  tool_log (TOOL_LOG_NOTICE, "y10 %s serves %u camera%s at %s", PACKAGE_VERSION,
      n, n == 1 ? "" : "s", shown);
  if (!person)
    log_url_command (options);
  printf ("%s\n", url);
  fflush (stdout);
}

static void
run (Program *program, const Options *options)
{
  const ServeSettings *settings = program->settings;

  g_unix_signal_add (SIGINT, on_signal, program);
  g_unix_signal_add (SIGTERM, on_signal, program);
  if (settings->spool)
    serve_event_api_start (program->parts.events, settings->spool);
  serve_cameras_start (program->parts.cameras);
  program->notify = serve_notify_new (program->parts.cameras);
  print_url (program, options);
  serve_notify_ready (program->notify);
  while (!program->stops)
    g_main_context_iteration (NULL, TRUE);
  tool_log (TOOL_LOG_NOTICE, "y10 serve stops");
  serve_notify_stopping (program->notify);
}

/* Dispatches what is ready. Returns FALSE once it is @until. */
static gboolean
iterate (gint64 until)
{
  if (!g_main_context_iteration (NULL, FALSE))
    g_usleep (10000);
  return g_get_monotonic_time () < until;
}

/* The order is such that nothing is used after it was freed: first no connection is accepted,
 * then no request is answered, then pending answers end, and only then what they use. */
static void
stop (Program *program)
{
  ServeParts *parts = &program->parts;
  gint64 until = g_get_monotonic_time () + STOP_TIME;

  http_listener_stop (program->listener);
  http_server_stop (program->http);
  serve_model_stop (&parts->model);
  serve_event_api_stop (parts->events);
  serve_cameras_stop (parts->cameras);
  g_clear_pointer (&parts->push, serve_push_free);
  /* A network or a driver that takes longer does not keep the process. */
  while (!tool_cameras_have_stopped () && iterate (until))
    ;
  /* The last answers are on their way. */
  while (
      g_main_context_iteration (NULL, FALSE) && g_get_monotonic_time () < until)
    ;
  until = g_get_monotonic_time () + LEAVE_TIME;
  while (!http_listener_end (program->listener) && iterate (until))
    ;
  soup_server_disconnect (program->soup);
  http_inflight_stop ();
}

static void
clear_program (Program *program)
{
  ServeParts *parts = &program->parts;

  g_clear_pointer (&program->notify, serve_notify_free);
  g_clear_pointer (&program->http, http_server_free);
  g_object_unref (program->soup);
  g_clear_pointer (&program->listener, http_listener_free);
  g_clear_pointer (&parts->capacity, serve_capacity_free);
  g_clear_pointer (&parts->events, serve_event_api_free);
  g_clear_pointer (&parts->cameras, serve_cameras_free);
  g_clear_pointer (&parts->auth, http_auth_free);
  g_clear_pointer (&program->crashes, serve_crashes_free);
  g_clear_pointer (&program->settings, serve_settings_free);
}

static int
serve (Options *options)
{
  Program program = {
    .soup = g_object_new (SOUP_TYPE_SERVER, "server-header", "y10", NULL),
  };
  g_autoptr (GError) error = NULL;

  if (set_up (&program, options, &error)) {
    make_parts (&program.parts, program.settings, program.crashes);
    program.http = serve_routes_open (program.soup, &program.parts);
    run (&program, options);
    stop (&program);
    /* Threads that still run would use what the end of a process takes away. */
    if (!tool_cameras_have_stopped ())
      _exit (TOOL_OK);
  } else {
    tool_error ("serve: %s", error->message);
  }
  clear_program (&program);
  return error ? TOOL_FAILED : TOOL_OK;
}

/* For --url: of a server that was started before. */
static int
print_existing_url (const Options *options)
{
  g_autoptr (GError) error = NULL;
  HttpAuth *auth;

  if (!g_file_test (options->token_path, G_FILE_TEST_EXISTS)) {
    tool_error ("serve: there is no %s; 'y10 serve' makes it",
        options->token_path);
    return TOOL_FAILED;
  }
  auth = http_auth_new (options->token_path, NULL, options->port, FALSE, TRUE,
      NULL, &error);
  if (auth) {
    g_autofree char *url = make_url (options, http_auth_get_token (auth));

    puts (url);
    http_auth_free (auth);
    return TOOL_OK;
  }
  tool_error ("serve: %s", error->message);
  return TOOL_FAILED;
}

int
tool_serve (int argc, char **argv)
{
  Options options = { 0 };
  const GOptionEntry entries[] = {
    { "listen", 0, 0, G_OPTION_ARG_STRING, &options.listen,
        "Where the page is [127.0.0.1:8010]", "ADDRESS:PORT" },
    { "config", 0, 0, G_OPTION_ARG_FILENAME, &options.config,
        "The settings, which the page writes back [~/.config/y10/serve.ini]",
        "FILE" },
    { "model", 'm', 0, G_OPTION_ARG_FILENAME, &options.model,
        "Weights file [the settings', or the bundled model]", "FILE" },
    { "models", 0, 0, G_OPTION_ARG_FILENAME, &options.models,
        "Folder of the weights files that the page may choose from [the settings']",
        "DIR" },
    { "backend", 'b', 0, G_OPTION_ARG_STRING, &options.backend,
        "auto, ref, cpu or cuda [the settings', or auto]", "NAME" },
    { "media", 0, 0, G_OPTION_ARG_FILENAME, &options.media,
        "Folder of the videos that file:NAME cameras play", "DIR" },
    { "url", 0, 0, G_OPTION_ARG_NONE, &options.url,
        "Print the address with the token, and end", NULL },
    { "host", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.hosts,
        "A name by which browsers call this machine; can be repeated", "NAME" },
    { "cert", 0, 0, G_OPTION_ARG_FILENAME, &options.cert,
        "Certificate for TLS, PEM", "FILE" },
    { "key", 0, 0, G_OPTION_ARG_FILENAME, &options.key, "Its key, PEM",
        "FILE" },
    { "insecure", 0, 0, G_OPTION_ARG_NONE, &options.insecure,
        "Listen to other machines without TLS", NULL },
    { NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  int status = TOOL_USAGE;

  g_option_context_set_summary (context,
      "Shows cameras live, with boxes, in a page for a browser.");
  g_option_context_set_description (context, TOOL_STATUS_HELP);
  g_option_context_add_main_entries (context, entries, NULL);
  if (!tool_options_parse (context, "serve", &argc, &argv)) {
    status = TOOL_USAGE;
  } else if (argc > 1) {
    tool_error ("serve takes no argument, found '%s'", argv[1]);
  } else if (parse_listen (&options) && load_certificate (&options)
      && check_exposure (&options)) {
    choose_paths (&options);
    tool_memory_set_up ();
    status = options.url ? print_existing_url (&options) : serve (&options);
  }
  clear_options (&options);
  tool_options_clear (entries);
  return status;
}

#else

int
tool_serve (int argc, char **argv)
{
  tool_error (
      "serve: this y10 was built without libsoup 3 or GStreamer; install "
      "libsoup-3.0-dev (Debian) and build again");
  return TOOL_FAILED;
}

#endif
