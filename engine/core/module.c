/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Loads backends that are separate modules, because not every machine has what
 * they depend on: liby10-NAME.so, found by base/paths.c. A module built for
 * another version of the backend interface is rejected. */

#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/paths.h"
#include "core/module.h"

#define MODULE_SYMBOL "y10_backend_module"

typedef struct
{
  char *name;
  void *handle;
  const Y10BackendClass *class;
} Module;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GSList *loaded; /* of Module; never freed */

static const Y10BackendClass *
open_file (const char *path, const char *name, void **handle_out, GString *why)
{
  void *handle = *handle_out = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  const Y10BackendClass *class;
  Y10BackendModule get;

  if (!handle) {
    g_string_append_printf (why, "%s cannot be loaded: %s", path, dlerror ());
    return NULL;
  }
  get = (Y10BackendModule) dlsym (handle, MODULE_SYMBOL);
  class = get ? get () : NULL;
  if (class && class->api_version == Y10_BACKEND_API_VERSION
      && class->size == sizeof *class && strcmp (class->name, name) == 0)
    return class;
  if (!class)
    g_string_append_printf (why, "%s does not export %s", path, MODULE_SYMBOL);
  else
    g_string_append_printf (why,
        "%s is backend %s with interface version %u (%" G_GSIZE_FORMAT
        " bytes); expected %s with version %u (%" G_GSIZE_FORMAT " bytes)",
        path, class->name, class->api_version, class->size, name,
        Y10_BACKEND_API_VERSION, sizeof *class);
  dlclose (handle);
  return NULL;
}

static const Y10BackendClass *
find (const char *name, void **handle, GString *why)
{
  g_autofree char *path = y10_paths_find_module (name, why);

  return path ? open_file (path, name, handle, why) : NULL;
}

/* Returns the module from the list, or loads it. */
static const Module *
get_module (const char *name, GString *why)
{
  Module found = { 0 }, *module;

  for (GSList *l = loaded; l; l = l->next) {
    module = l->data;
    if (strcmp (module->name, name) == 0)
      return module;
  }
  found.class = find (name, &found.handle, why);
  if (!found.class)
    return NULL;
  module = g_new (Module, 1);
  *module = found;
  module->name = g_strdup (name);
  loaded = g_slist_prepend (loaded, module);
  return module;
}

const Y10BackendClass *
y10_module_load (const char *name, GString *why)
{
  const Module *module;

  pthread_mutex_lock (&lock);
  module = get_module (name, why);
  pthread_mutex_unlock (&lock);
  return module ? module->class : NULL;
}

void *
y10_module_symbol (const char *name, const char *symbol, GString *why)
{
  const Module *module;
  void *address;

  pthread_mutex_lock (&lock);
  module = get_module (name, why);
  pthread_mutex_unlock (&lock);
  if (!module)
    return NULL;
  address = dlsym (module->handle, symbol);
  if (!address)
    g_string_append_printf (why, "liby10-%s.so does not export %s", name,
        symbol);
  return address;
}
