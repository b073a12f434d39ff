/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What somebody meant who types a command or an option that there is not: as
 * Ultralytics' command line calls it, or with a typing error. */

#include "config.h"

#include <string.h>

#include "base/hints.h"
#include "common/classes.h"

typedef struct
{
  const char *theirs, *hint;
} Hint;

static const Hint commands[] = {
  { "predict", "'y10 detect' does that" },
  { "detection", "'y10 detect' does that" },
  { "benchmark", "'y10 bench' does that" },
  { "export",
      "weights load as they are, and 'y10 convert' writes safetensors" },
  { "checks", "'y10 doctor' does that" },
  { "check", "'y10 doctor' does that" },
  { "version", "'y10 --version' does that" },
  { "track", "'y10 detect --track' follows the objects of a video" },
  { "validate", "'y10 val' does that" },
  { "train", "y10 does not train; it runs what Ultralytics has trained" },
};

static const Hint options[] = {
  { "conf", "--confidence" },
  { "conf-thres", "--confidence" },
  { "threshold", "--confidence" },
  { "imgsz", "--size" },
  { "img-size", "--size" },
  { "img", "--size" },
  { "weights", "--model" },
  { "source", "INPUT without an option" },
  { "input", "INPUT without an option" },
  { "save", "--draw DIR" },
  { "save-img", "--draw DIR" },
  { "project", "--draw DIR" },
  { "name", "--draw DIR" },
  { "save-crop", "--save-crops DIR" },
  { "save-txt", "--format yolo --output DIR" },
  { "show", "'y10 serve', which shows cameras live in a page" },
  { "save-json", "--format coco --output FILE" },
  { "device", "--backend" },
  { "half", "--precision" },
  { "vid-stride", "--interval" },
  { "stride", "--interval" },
  { "max-det", "--max-detections" },
  { "iou-thres", "--iou" },
  { "agnostic-nms", "--class-agnostic-nms" },
  { "workers", "--threads" },
  { "names", "--labels" },
  { "data", "--labels" },
};

static const char *
find (const Hint *hints, guint n, const char *word)
{
  for (guint i = 0; i < n; i++)
    if (!strcmp (hints[i].theirs, word))
      return hints[i].hint;
  return NULL;
}

char *
tool_hint_command (const char *word, const char *const *known)
{
  const char *hint = find (commands, G_N_ELEMENTS (commands), word);

  if (hint)
    return g_strdup (hint);
  for (; *known; known++)
    if (gst_y10_text_is_similar (word, *known))
      return g_strdup_printf ("did you mean '%s'?", *known);
  return NULL;
}

/* The options in the text of a command's --help, such as "--model". */
static char **
list_options (const char *help)
{
  GPtrArray *names = g_ptr_array_new ();

  while ((help = strstr (help, "--"))) {
    const gsize n = strspn (help + 2, "abcdefghijklmnopqrstuvwxyz0123456789-");

    if (n)
      g_ptr_array_add (names, g_strndup (help + 2, n));
    help += 2 + n;
  }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* @word: without the dashes, up to a '='. */
static char *
hint_option (const char *word, char **known)
{
  g_autofree char *name = g_strdelimit (g_ascii_strdown (word, -1), "_", '-');
  const char *hint = find (options, G_N_ELEMENTS (options), name);
  char *text = hint ? g_strdup_printf ("did you mean %s?", hint) : NULL;

  for (; !text && *known; known++)
    if (gst_y10_text_is_similar (name, *known))
      text = g_strdup_printf ("did you mean --%s?", *known);
  return text;
}

char *
tool_hint_options (char *const *arguments, const char *help)
{
  char *text = NULL;
  g_auto (GStrv) known = list_options (help);

  for (; *arguments && !text && strcmp (*arguments, "--"); arguments++) {
    g_autofree char *word = NULL;

    if (!g_str_has_prefix (*arguments, "--"))
      continue;
    word = g_strndup (*arguments + 2, strcspn (*arguments + 2, "="));
    if (!g_strv_contains ((const char *const *) known, word))
      text = hint_option (word, known);
  }
  return text;
}

char *
tool_hint_input (const char *input, const char *help)
{
  const char *equals = strchr (input, '=');
  char *text = NULL;
  g_auto (GStrv) known = NULL;
  g_autofree char *word = NULL;

  if (!equals || equals == input)
    return NULL;
  known = list_options (help);
  word = g_strndup (input, equals - input);
  if (g_strv_contains ((const char *const *) known, word))
    text = g_strdup_printf ("did you mean --%s %s?", word, equals + 1);
  else
    text = hint_option (word, known);
  return text;
}
