/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The routes. The first whose path fits counts, so what is special stands in front of what
 * is general; what no flag makes public needs a session or the token. */

#include "config.h"

#ifdef HAVE_SERVE

#include "events/eventexport.h"
#include "events/eventpicture.h"
#include "http/sessionapi.h"
#include "serve/cameraapi.h"
#include "serve/metrics.h"
#include "serve/modelapi.h"
#include "serve/routes.h"

#define ANYONE (HTTP_PUBLIC | HTTP_HEAD)
#define PROBE (HTTP_PROBE | HTTP_HEAD)
#define PAGE(TYPE, NAME) get_##TYPE, (gpointer) "/y10/page/" NAME

static void
reply_page (SoupServerMessage *message, const char *type, const char *path)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, 0, NULL);

  http_reply_bytes (message, SOUP_STATUS_OK, type, bytes);
}

static void
get_html (SoupServerMessage *message, const char *name, gpointer path)
{
  reply_page (message, "text/html; charset=utf-8", path);
}

static void
get_css (SoupServerMessage *message, const char *name, gpointer path)
{
  reply_page (message, "text/css; charset=utf-8", path);
}

static void
get_script (SoupServerMessage *message, const char *name, gpointer path)
{
  reply_page (message, "text/javascript; charset=utf-8", path);
}

static void
get_svg (SoupServerMessage *message, const char *name, gpointer path)
{
  reply_page (message, "image/svg+xml", path);
}

static void
probe (SoupServerMessage *message, const char *name, gpointer unused)
{
  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
}

/* @what: there is none. */
static void
find_nothing (SoupServerMessage *message, const char *name, gpointer what)
{
  g_autofree char *text = g_strconcat ("there is no such ", what, NULL);

  http_reply_error (message, SOUP_STATUS_NOT_FOUND, text);
}

HttpServer *
serve_routes_open (SoupServer *soup, ServeParts *o)
{
  HttpSockets *sockets = serve_push_get_sockets (o->push);
  /* clang-format off */
  const HttpRoute routes[] = {
    { "GET",    "/",                          ANYONE, PAGE (html, "index.html") },
    { "GET",    "/app.js",                    ANYONE, PAGE (script, "app.js") },
    { "GET",    "/cameras.js",               ANYONE, PAGE (script, "cameras.js") },
    { "GET",    "/capacity.js",               ANYONE, PAGE (script, "capacity.js") },
    { "GET",    "/cards.js",                 ANYONE, PAGE (script, "cards.js") },
    { "GET",    "/classes.js",               ANYONE, PAGE (script, "classes.js") },
    { "GET",    "/dom.js",                   ANYONE, PAGE (script, "dom.js") },
    { "GET",    "/events.css",                ANYONE, PAGE (css, "events.css") },
    { "GET",    "/events.js",                 ANYONE, PAGE (script, "events.js") },
    { "GET",    "/icon.svg",                  ANYONE, PAGE (svg, "icon.svg") },
    { "GET",    "/model.js",                  ANYONE, PAGE (script, "model.js") },
    { "GET",    "/server.js",                ANYONE, PAGE (script, "server.js") },
    { "GET",    "/settings.js",               ANYONE, PAGE (script, "settings.js") },
    { "GET",    "/style.css",                 ANYONE, PAGE (css, "style.css") },
    { "GET",    "/zones.js",                  ANYONE, PAGE (script, "zones.js") },

    { "GET",    "/healthz",                   PROBE, probe },
    { "GET",    "/readyz",                    PROBE, serve_cameras_probe, o->cameras },
    { "GET",    "/metrics",                   HTTP_HEAD, serve_metrics_get, o->cameras },

    { "GET",    "/live/*",                    0, serve_camera_view, o->cameras },
    { "GET",    "/snapshot/*.jpg",            0, serve_camera_snapshot, o->cameras },
    { NULL,     "/api/live",                  HTTP_WEBSOCKET, http_sockets_judge, sockets },

    { "POST",   "/api/session",               HTTP_PUBLIC, http_session_open, o->auth },
    { "DELETE", "/api/session",               0, http_session_end, o->auth },
    { "DELETE", "/api/sessions",              0, http_sessions_end, o->auth },

    { "GET",    "/api/cameras",               0, serve_cameras_list, o->cameras },
    { "POST",   "/api/cameras",               0, serve_camera_create, o->cameras },
    { "POST",   "/api/cameras/*/release",     0, serve_camera_release, o->cameras },
    { "GET",    "/api/cameras/*",             0, serve_camera_get, o->cameras },
    { "PATCH",  "/api/cameras/*",             HTTP_LARGE, serve_camera_patch, o->cameras },
    { "DELETE", "/api/cameras/*",             0, serve_camera_delete, o->cameras },

    { "GET",    "/api/capacity",              0, serve_capacity_get, o->capacity },
    { "GET",    "/api/model",                 0, serve_model_get, &o->model },
    { "PATCH",  "/api/model",                 HTTP_LARGE, serve_model_patch, &o->model },

    { "GET",    "/api/events",                0, serve_events_list, o->events },
    { "GET",    "/api/events.csv",            0, serve_events_export_csv, o->events },
    { "GET",    "/api/events.jsonl",          0, serve_events_export_lines, o->events },
    { "GET",    "/api/events/counts",         0, serve_events_get_counts, o->events },
    { "GET",    "/api/events/names",          0, serve_events_list_names, o->events },
    { "GET",    "/api/events/*/snapshot.jpg", 0, serve_event_get_picture, o->events },
    { "GET",    "/api/events/*/thumbnail.jpg", 0, serve_event_get_thumbnail, o->events },
    { "GET",    "/api/events/*",              0, serve_events_find_nothing, o->events },

    { NULL,     "/api/*",                     0, find_nothing, (gpointer) "thing" },
    { "GET",    "/*",                         HTTP_HEAD, find_nothing, (gpointer) "page" },
  };
  /* clang-format on */

  return http_server_new (soup, o->auth, routes, G_N_ELEMENTS (routes));
}

#endif
