/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Where cameras may lead: a playlist (HLS) names URIs, and demuxers open each with any
 * element that can, so that a camera could have files and descriptors of this machine read.
 * Here an element comes before all of these, which opens nothing. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include <gst/base/gstpushsrc.h>

#include "camera/guard.h"

#define TOOL_TYPE_GUARD (tool_guard_get_type ())
G_DECLARE_FINAL_TYPE (ToolGuard, tool_guard, TOOL, GUARD, GstPushSrc)

struct _ToolGuard
{
  GstPushSrc parent;
  char *uri;
};

static char **protocols; /* all that GStreamer knows but those that are free */

static void set_up_handler (gpointer interface, gpointer data);

G_DEFINE_FINAL_TYPE_WITH_CODE (ToolGuard, tool_guard, GST_TYPE_PUSH_SRC,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, set_up_handler))

static GstURIType
get_uri_type (GType type)
{
  return GST_URI_SRC;
}

static const gchar *const *
get_protocols (GType type)
{
  return (const gchar *const *) protocols;
}

static gchar *
get_uri (GstURIHandler *handler)
{
  return g_strdup (TOOL_GUARD (handler)->uri);
}

static gboolean
set_uri (GstURIHandler *handler, const gchar *uri, GError **error)
{
  ToolGuard *self = TOOL_GUARD (handler);

  g_free (self->uri);
  self->uri = g_strdup (uri);
  return TRUE;
}

static void
set_up_handler (gpointer data, gpointer unused)
{
  GstURIHandlerInterface *interface = data;

  interface->get_type = get_uri_type;
  interface->get_protocols = get_protocols;
  interface->get_uri = get_uri;
  interface->set_uri = set_uri;
}

static gboolean
start (GstBaseSrc *source)
{
  ToolGuard *self = TOOL_GUARD (source);
  g_autofree char *scheme = gst_uri_get_protocol (self->uri);

  GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
      ("its playlist leads to a %s: address; expected http: or https:", scheme),
      (NULL));
  return FALSE;
}

static GstFlowReturn
create (GstPushSrc *source, GstBuffer **buffer)
{
  return GST_FLOW_ERROR;
}

static void
tool_guard_finalize (GObject *object)
{
  g_free (TOOL_GUARD (object)->uri);
  G_OBJECT_CLASS (tool_guard_parent_class)->finalize (object);
}

static void
tool_guard_class_init (ToolGuardClass *class)
{
  static GstStaticPadTemplate template = GST_STATIC_PAD_TEMPLATE ("src",
      GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

  G_OBJECT_CLASS (class)->finalize = tool_guard_finalize;
  GST_BASE_SRC_CLASS (class)->start = start;
  GST_PUSH_SRC_CLASS (class)->create = create;
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (class),
      &template);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (class), "Guard",
      "Source", "Opens nothing", "the yolov10detect authors");
}

static void
tool_guard_init (ToolGuard *self)
{
}

/* rtspsrc opens its ports by "udp:", which asks nobody for anything. */
static gboolean
is_free (const char *protocol)
{
  static const char *const names[] = { "http", "https", "udp", NULL };

  return g_strv_contains (names, protocol);
}

static char **
list_protocols (void)
{
  GList *all = gst_registry_get_feature_list (gst_registry_get (),
      GST_TYPE_ELEMENT_FACTORY);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  char **list;

  for (const GList *i = all; i; i = i->next) {
    GstElementFactory *factory = i->data;
    const gchar *const *known = gst_element_factory_get_uri_protocols (factory);

    if (gst_element_factory_get_uri_type (factory) != GST_URI_SRC)
      continue;
    for (; known && *known; known++)
      if (!is_free (*known))
        g_strv_builder_add (names, *known);
  }
  list = g_strv_builder_end (names);
  gst_plugin_feature_list_free (all);
  return list;
}

void
tool_guard_install (void)
{
  static gsize done = 0;

  if (!g_once_init_enter (&done))
    return;
  protocols = list_protocols ();
  gst_element_register (NULL, "y10guard", G_MAXINT, TOOL_TYPE_GUARD);
  g_once_init_leave (&done, 1);
}

#endif
