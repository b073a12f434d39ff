/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The folder of the models that a request may choose. Names come from a page, so none is a
 * path, and the kernel keeps links below the folder. */

#include "config.h"

#ifdef HAVE_SERVE

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <y10/y10.h>

#include "base/text.h"
#include "serve/modelfolder.h"

#define MAX_NAME 255
#define MAX_LISTED 256
#define MAX_SHOWN 64 /* bytes of another name */
#define NAMES "NAME.safetensors, NAME.pt, NAME.pth or NAME.onnx"

/* Whether it is one component, of a weights file. */
static gboolean
is_name (const char *name)
{
  static const char *const endings[] = { ".safetensors", ".pt", ".pth",
    ".onnx" };
  gboolean ends = FALSE;

  for (guint i = 0; !ends && i < G_N_ELEMENTS (endings); i++)
    ends = g_str_has_suffix (name, endings[i]);
  return ends && *name != '.' && strlen (name) <= MAX_NAME
      && !strchr (name, '/') && g_utf8_validate (name, -1, NULL);
}

static gboolean
is_regular (int folder, const char *name)
{
  struct stat status;

  return fstatat (folder, name, &status, 0) == 0 && S_ISREG (status.st_mode);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

char **
serve_model_folder_list (const char *folder)
{
  GPtrArray *names = g_ptr_array_new ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const int fd = open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  const char *name;

  while (dir && fd >= 0 && names->len < MAX_LISTED
      && (name = g_dir_read_name (dir))) {
    if (is_name (name) && is_regular (fd, name))
      g_ptr_array_add (names, g_strdup (name));
  }
  if (fd >= 0)
    close (fd);
  g_ptr_array_sort (names, compare);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* Returns 0, or the error's number. */
static int
look_beneath (const char *path, const char *name)
{
  struct open_how how = {
    .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
  };
  const int folder = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  struct stat status;
  int fd, problem = 0;

  if (folder < 0)
    return errno;
  fd = (int) syscall (SYS_openat2, folder, name, &how, sizeof how);
  if (fd < 0)
    problem = errno;
  else if (fstat (fd, &status) < 0 || !S_ISREG (status.st_mode))
    problem = EINVAL;
  if (fd >= 0)
    close (fd);
  close (folder);
  return problem;
}

static const char *
describe (int problem)
{
  if (problem == EXDEV)
    return "it leads outside";
  return problem == EINVAL ? "it is no regular file" : g_strerror (problem);
}

/* The detectors open it by its path. Who could exchange it meanwhile can write to the
 * folder, and so has a say in what they load anyway. */
char *
serve_model_folder_find (const char *folder, const char *name, GError **error)
{
  g_autofree char *path = NULL;
  int problem;

  if (!is_name (name)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "model is '%.*s'; expected the name of a file in the folder of models: " NAMES,
        y10_text_fit (name, MAX_SHOWN), name);
    return NULL;
  }
  problem = look_beneath (folder, name);
  if (problem) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
        "cannot open '%s' in the folder of models: %s", name,
        describe (problem));
    return NULL;
  }
  path = g_build_filename (folder, name, NULL);
  /* The next start may be from another folder. */
  return g_canonicalize_filename (path, NULL);
}

char *
serve_model_folder_get_name (const char *folder, const char *path)
{
  char *name = g_path_get_basename (path);
  g_autofree char *in_folder = g_build_filename (folder, name, NULL);
  g_autofree char *whole = g_canonicalize_filename (in_folder, NULL);
  g_autofree char *found = g_canonicalize_filename (path, NULL);

  if (strcmp (whole, found) != 0)
    g_clear_pointer (&name, g_free);
  return name;
}

#endif
