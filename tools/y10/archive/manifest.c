/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Manifests: JSON Lines, a header and then one object for each input. A manifest
 * may come from anywhere, so everything that the decoder and the store rely on
 * is checked here: no input is missing, ranges are in order and do not overlap, frames
 * are counted without a gap, and digests have their form. */

#include "config.h"

#include <string.h>

#include "archive/digest.h"
#include "archive/manifest.h"
#include "base/json-cursor.h"
#include "base/json.h"
#include "base/names.h"
#include "media/video.h"

#define FORMAT "y10-manifest"
#define VERSION 1
#define MAX_LINE (64 << 20) /* bytes: about a million segments */
#define MAX_DEPTH 4

ToolManifestInput *
tool_manifest_input_new (void)
{
  ToolManifestInput *input = g_new0 (ToolManifestInput, 1);

  input->segments = g_array_new (FALSE, TRUE, sizeof (ToolRange));
  return input;
}

void
tool_manifest_input_free (ToolManifestInput *input)
{
  g_free (input->source);
  g_free (input->path);
  g_free (input->error);
  g_free (input->content);
  g_free (input->whole);
  g_array_unref (input->segments);
  g_free (input);
}

char *
tool_manifest_header (double seconds, guint n_inputs)
{
  GString *json = g_string_new (NULL);

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "format", FORMAT);
  y10_json_add_int (json, "version", VERSION);
  y10_json_add_double (json, "seconds", seconds);
  y10_json_add_int (json, "inputs", n_inputs);
  y10_json_close (json, '}');
  return g_string_free (json, FALSE);
}

static void
add_segment (GString *json, const ToolRange *range)
{
  y10_json_open (json, NULL, '{');
  y10_json_add_int (json, "start", range->start);
  y10_json_add_int (json, "end", range->end);
  y10_json_add_int (json, "seek", range->seek);
  y10_json_add_int (json, "first_frame", (gint64) range->first_frame);
  y10_json_add_int (json, "n_frames", (gint64) range->n_frames);
  y10_json_close (json, '}');
}

static void
add_contents (GString *json, const ToolManifestInput *input)
{
  y10_json_add_string (json, "content", input->content);
  y10_json_add_int (json, "size", input->stamp.size);
  y10_json_add_int (json, "mtime", input->stamp.mtime);
  y10_json_add_string (json, "whole", input->whole);
  y10_json_open (json, "segments", '[');
  for (guint i = 0; i < input->segments->len; i++)
    if (input->whole)
      y10_json_add_string (json, NULL, NULL);
    else
      add_segment (json, &g_array_index (input->segments, ToolRange, i));
  y10_json_close (json, ']');
}

char *
tool_manifest_line (const ToolManifestInput *input)
{
  GString *json = g_string_new (NULL);
  g_autofree char *path = tool_source_to_utf8 (input->path);

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "source", input->source);
  y10_json_add_string (json, "path", path);
  if (input->error)
    y10_json_add_string (json, "error", input->error);
  else
    add_contents (json, input);
  y10_json_close (json, '}');
  return g_string_free (json, FALSE);
}

/* Reading */

static gboolean
fail (GError **error, const char *name, const char *expected)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "\"%s\" must be %s", name,
      expected);
  return FALSE;
}

static gboolean
get_string (Y10Json object, const char *name, char **value, GError **error)
{
  *value = y10_json_dup_text (y10_json_find (object, name));
  return (*value && **value) || fail (error, name, "a text");
}

static gboolean
get_int (Y10Json object, const char *name, gint64 min, gint64 *value,
    GError **error)
{
  return (y10_json_get_int (y10_json_find (object, name), value)
             && *value >= min)
      || fail (error, name,
          min < 0 ? "a whole number from -1" : "a whole number from 0");
}

static gboolean
parse_object (const char *line, Y10Json *object, GError **error)
{
  Y10JsonFault fault;

  if (!y10_json_check (line, strlen (line), MAX_DEPTH, object, &fault))
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "this is not a JSON object of a manifest: column %u: %s", fault.column,
        fault.message);
  else if (y10_json_get_kind (*object) != Y10_JSON_OBJECT)
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED,
        "this is not a JSON object of a manifest");
  else
    return TRUE;
  return FALSE;
}

/* @previous is NULL for the first range of an input. */
static gboolean
read_range (Y10Json object, const ToolRange *previous, ToolRange *range,
    GError **error)
{
  gint64 first, n;

  if (y10_json_get_kind (object) != Y10_JSON_OBJECT)
    return fail (error, "segments", "a list of objects, or [null]");
  if (!get_int (object, "start", 0, &range->start, error)
      || !get_int (object, "end", 0, &range->end, error)
      || !get_int (object, "seek", -1, &range->seek, error)
      || !get_int (object, "first_frame", 0, &first, error)
      || !get_int (object, "n_frames", 0, &n, error))
    return FALSE;
  range->first_frame = (guint64) first;
  range->n_frames = (guint64) n;
  if (range->start >= range->end)
    return fail (error, "end", "greater than \"start\"");
  if (range->seek >= range->start)
    return fail (error, "seek", "-1 or less than \"start\"");
  if (previous && previous->end != range->start)
    return fail (error, "start", "the \"end\" of the segment before it");
  if (first
      != (previous ? (gint64) (previous->first_frame + previous->n_frames) : 0))
    return fail (error, "first_frame", "the number of frames before it");
  return TRUE;
}

static gboolean
read_segments (Y10Json object, ToolManifestInput *input, GError **error)
{
  const Y10Json whole = y10_json_find (object, "whole");
  const Y10Json list = y10_json_find (object, "segments");
  const guint n = y10_json_count (list);
  const ToolRange *previous = NULL;
  Y10JsonCursor cursor;
  Y10Json segment;

  if (y10_json_get_kind (list) != Y10_JSON_ARRAY)
    return fail (error, "segments", "a list of objects, or [null]");
  if (y10_json_get_kind (whole) > Y10_JSON_NULL
      && !get_string (object, "whole", &input->whole, error))
    return FALSE;
  if (n == 0)
    return fail (error, "segments", input->whole ? "[null]" : "not empty");
  g_array_set_size (input->segments, n);
  y10_json_enter (&cursor, list);
  for (guint i = 0; y10_json_next (&cursor, &segment); i++) {
    ToolRange *range = &g_array_index (input->segments, ToolRange, i);

    if (input->whole) {
      if (n != 1 || y10_json_get_kind (segment) != Y10_JSON_NULL)
        return fail (error, "segments", "[null]");
    } else if (!read_range (segment, previous, range, error)) {
      g_prefix_error (error, "segment %u: ", i);
      return FALSE;
    }
    previous = range;
  }
  return TRUE;
}

static gboolean
read_path (Y10Json object, ToolManifestInput *input, GError **error)
{
  g_autofree char *text = NULL;

  if (!get_string (object, "path", &text, error))
    return FALSE;
  input->path = g_str_has_prefix (text, "file://")
      ? g_filename_from_uri (text, NULL, NULL)
      : g_strdup (text);
  if (!input->path || !g_path_is_absolute (input->path))
    return fail (error, "path", "an absolute file name");
  return TRUE;
}

static ToolManifestInput *
read_input (const char *line, GError **error)
{
  ToolManifestInput *input = tool_manifest_input_new ();
  Y10Json object;
  gboolean ok = parse_object (line, &object, error)
      && get_string (object, "source", &input->source, error)
      && read_path (object, input, error);

  if (ok && y10_json_find (object, "error").text)
    ok = get_string (object, "error", &input->error, error);
  else if (ok)
    ok = get_string (object, "content", &input->content, error)
        && (tool_digest_is_valid (input->content)
            || fail (error, "content", "sha256: and 64 hexadecimal digits"))
        && get_int (object, "size", 0, &input->stamp.size, error)
        && get_int (object, "mtime", G_MININT64, &input->stamp.mtime, error)
        && read_segments (object, input, error);
  if (!ok)
    g_clear_pointer (&input, tool_manifest_input_free);
  return input;
}

static gboolean
read_header (const char *line, gint64 *n_inputs, GError **error)
{
  g_autofree char *format = NULL;
  gint64 version = 0;
  Y10Json object;
  gboolean ok = parse_object (line, &object, error)
      && get_string (object, "format", &format, error)
      && get_int (object, "version", 0, &version, error);

  if (ok && strcmp (format, FORMAT) != 0)
    ok = fail (error, "format", "\"" FORMAT "\"");
  if (ok && version != VERSION) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "\"version\" is %" G_GINT64_FORMAT "; this y10 reads version %d",
        version, VERSION);
    ok = FALSE;
  }
  return ok && get_int (object, "inputs", 0, n_inputs, error);
}

/* NULL at the end or with an error. */
static char *
read_line (FILE *file, GError **error)
{
  GString *line = g_string_new (NULL);
  int c;

  while ((c = getc_unlocked (file)) != EOF && c != '\n' && c
      && line->len < MAX_LINE)
    g_string_append_c (line, (char) c);
  if (ferror (file) || (c != EOF && c != '\n')) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED,
        ferror (file) ? "cannot be read"
            : c       ? "the line is too long"
                      : "this is not text");
    return g_string_free (line, TRUE);
  }
  return g_string_free (line, c == EOF && !line->len);
}

GPtrArray *
tool_manifest_read (const char *path, GError **error)
{
  FILE *file = tool_is_stdin (path) ? stdin : fopen (path, "re");
  GPtrArray *inputs = g_ptr_array_new_with_free_func (
      (GDestroyNotify) tool_manifest_input_free);
  ToolManifestInput *input;
  gint64 n_inputs = 0;
  GError *why = NULL;
  char *line;
  guint n = 0;

  if (!file)
    g_set_error_literal (&why, Y10_ERROR, Y10_ERROR_NOT_FOUND,
        "cannot be read");
  while (!why && (line = read_line (file, &why))) {
    if (n++ == 0)
      read_header (line, &n_inputs, &why);
    else if (*line && (input = read_input (line, &why)))
      g_ptr_array_add (inputs, input);
    g_free (line);
  }
  if (!why && n == 0)
    g_set_error_literal (&why, Y10_ERROR, Y10_ERROR_FAILED, "is empty");
  if (!why && inputs->len != n_inputs)
    g_set_error (&why, Y10_ERROR, Y10_ERROR_FAILED,
        "the manifest ends with %u "
        "inputs; it began with \"inputs\":%" G_GINT64_FORMAT,
        inputs->len, n_inputs);
  if (file && file != stdin)
    fclose (file);
  if (why) {
    g_propagate_prefixed_error (error, why, "manifest '%s', line %u: ", path,
        MAX (n, 1));
    g_clear_pointer (&inputs, g_ptr_array_unref);
  }
  return inputs;
}
