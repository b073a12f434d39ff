/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 detect --store: tasks, each a whole input or a segment of a manifest, whose
 * results go into a store under a key of their own. A task that is already there
 * is skipped; one that fails leaves nothing. Each prints one line of JSON, its
 * receipt, from which results are merged. Stored lines name the content as
 * their source, because the same content may lie under many names. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "archive/digest.h"
#include "archive/key.h"
#include "archive/manifest.h"
#include "archive/store.h"
#include "base/command.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/supervisor.h"
#include "base/terminal.h"
#include "detect/detect.h"
#include "detect/runner.h"
#include "media/video.h"

typedef struct
{
  char *source, *path;
  char *error;         /* known before, or NULL */
  char *content;       /* NULL: not computed yet */
  ToolFileStamp stamp; /* if @content is that of a file */
  gboolean is_uri, has_range;
  ToolRange range;
  gint64 segment; /* number in the manifest, or -1 */
} Task;

typedef struct
{
  ToolDetect *detect;
  ToolStore *store;
  char *settings;
} Run;

static void
task_free (gpointer data)
{
  Task *task = data;

  g_free (task->source);
  g_free (task->path);
  g_free (task->error);
  g_free (task->content);
  g_free (task);
}

/* Planning */

static gboolean
plan_inputs (ToolStoreOptions *options)
{
  const guint n = g_strv_length (options->inputs);

  for (guint i = 0; i < n; i++) {
    const char *source = options->inputs[i];
    /* A file: URI is a file, unless its content has a name. */
    const gboolean is_uri = tool_is_remote (source)
        || (options->content_id && strstr (source, "://"));
    g_autoptr (GError) error = NULL;
    Task *task;

    if (tool_is_stdin (source)) {
      tool_error ("--store needs files: the content of standard input is not "
                  "known before it is read");
      return FALSE;
    }
    if (is_uri != (options->content_id != NULL) || (is_uri && n > 1)) {
      tool_error (is_uri
              ? "%s: with --store, a URI is the only input and needs "
                "--content-id"
              : "%s: --content-id is for one URI",
          tool_address_name (source));
      return FALSE;
    }
    task = g_new0 (Task, 1);
    task->source = tool_source_to_utf8 (source);
    task->path = is_uri ? g_strdup (source)
                        : tool_source_to_path (source, &error);
    task->error = error ? g_strdup (error->message) : NULL;
    task->is_uri = is_uri;
    task->segment = -1;
    if (is_uri)
      task->content = g_strconcat ("id:", options->content_id, NULL);
    g_ptr_array_add (options->tasks, task);
  }
  return TRUE;
}

/* One byte a segment, non-zero where @text ("0,4-9") names it; NULL after a
 * message. */
static guint8 *
parse_segments (const char *text, guint n)
{
  g_autofree guint8 *wanted = g_malloc0 (n);
  char *end;
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  gboolean ok = *text != 0;

  for (guint i = 0; parts[i] && ok; i++) {
    guint64 first, last;

    first = last = g_ascii_strtoull (parts[i], &end, 10);
    ok = g_ascii_isdigit (parts[i][0]);
    if (ok && *end == '-') {
      ok = g_ascii_isdigit (end[1]);
      last = g_ascii_strtoull (end + 1, &end, 10);
    }
    ok = ok && !*end && first <= last && last < n;
    for (guint64 k = first; ok && k <= last; k++)
      wanted[k] = 1;
  }
  if (ok)
    return g_steal_pointer (&wanted);
  tool_error (
      "--segments is '%s'; it must be numbers and ranges such as 0,4-9, "
      "below %u, the number of segments in the manifest",
      text, n);
  return NULL;
}

static void
add_segment (ToolStoreOptions *options, const ToolManifestInput *input,
    guint index, guint segment)
{
  Task *task = g_new0 (Task, 1);

  task->source = g_strdup (input->source);
  task->path = g_strdup (input->path);
  task->content = g_strdup (input->content);
  task->stamp = input->stamp;
  task->has_range = !input->whole;
  task->range = g_array_index (input->segments, ToolRange, index);
  task->segment = segment;
  g_ptr_array_add (options->tasks, task);
}

static void
add_failed (ToolStoreOptions *options, const ToolManifestInput *input)
{
  Task *task = g_new0 (Task, 1);

  task->source = g_strdup (input->source);
  task->error = g_strdup (input->error);
  task->segment = -1;
  g_ptr_array_add (options->tasks, task);
}

static guint
count_segments (const GPtrArray *inputs)
{
  guint n = 0;

  for (guint i = 0; i < inputs->len; i++) {
    const ToolManifestInput *input = g_ptr_array_index (inputs, i);

    n += input->error ? 0 : input->segments->len;
  }
  return n;
}

static gboolean
plan_manifest (ToolStoreOptions *options, int *status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs = tool_manifest_read (options->manifest, &error);
  g_autofree guint8 *wanted = NULL;
  guint segment = 0;

  *status = TOOL_FAILED;
  if (!inputs) {
    tool_error ("%s", error->message);
    return FALSE;
  }
  if (options->segments
      && !(wanted = parse_segments (options->segments,
               count_segments (inputs)))) {
    *status = TOOL_USAGE;
    return FALSE;
  }
  for (guint i = 0; i < inputs->len; i++) {
    const ToolManifestInput *input = g_ptr_array_index (inputs, i);

    if (input->error && !wanted)
      add_failed (options, input);
    for (guint k = 0; !input->error && k < input->segments->len; k++, segment++)
      if (!wanted || wanted[segment])
        add_segment (options, input, k, segment);
  }
  return TRUE;
}

gboolean
tool_store_options_parse (ToolStoreOptions *options, int *status)
{
  options->tasks = g_ptr_array_new_with_free_func (task_free);
  if (options->manifest)
    return plan_manifest (options, status);
  *status = TOOL_USAGE;
  return plan_inputs (options);
}

void
tool_store_options_clear (ToolStoreOptions *options)
{
  g_clear_pointer (&options->tasks, g_ptr_array_unref);
}

/* Running */

/* Takes @error over. */
static void
print_receipt (const Task *task, const char *key, const char *status,
    GError *error)
{
  g_autoptr (GString) json = g_string_new (NULL);
  g_autofree char *name = NULL;

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "source", task->source);
  if (task->segment >= 0)
    y10_json_add_int (json, "segment", task->segment);
  y10_json_add_string (json, "status", status);
  if (error) {
    y10_json_add_string (json, "error", error->message);
    g_error_free (error);
  } else {
    name = tool_store_get_name (key);
    y10_json_add_string (json, "content", task->content);
    y10_json_add_int (json, "first_frame",
        (gint64) (task->has_range ? task->range.first_frame : 0));
    y10_json_add_string (json, "file", name);
  }
  y10_json_close (json, '}');
  puts (json->str);
  fflush (stdout);
}

/* Sets the content, or makes sure that it still is what the manifest has. */
static gboolean
identify (Task *task, GError **error)
{
  if (task->error) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED, task->error);
    return FALSE;
  }
  if (task->is_uri)
    return TRUE;
  if (task->content)
    return tool_file_check_stamp (task->path, &task->stamp, error);
  task->content = tool_digest_file (task->path, &task->stamp, error);
  return task->content != NULL;
}

/* Writes the results of @task to @file. */
static gboolean
detect_task (ToolDetect *detect, Task *task, FILE *file, GError **error)
{
  g_clear_pointer (&detect->failure, g_free);
  detect->out = file;
  detect->name = task->content;
  if (task->has_range)
    tool_detect_range (detect, task->source, task->path, &task->range);
  else
    tool_detect_input (detect, task->path);
  tool_runner_flush (detect->runner);
  detect->out = stdout;
  detect->name = NULL;
  if (detect->failure || tool_interrupted ()) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED,
        detect->failure ? detect->failure : "interrupted");
    return FALSE;
  }
  return task->is_uri
      || tool_file_check_stamp (task->path, &task->stamp, error);
}

/* Sets *@status on success. */
static gboolean
store_task (Run *run, Task *task, const char *key, const char **status,
    GError **error)
{
  ToolEntry *entry = tool_entry_new (run->store, key, error);
  gboolean existed;

  if (!entry)
    return FALSE;
  if (!detect_task (run->detect, task, tool_entry_get_file (entry), error)) {
    tool_entry_discard (entry);
    return FALSE;
  }
  if (!tool_entry_publish (entry, &existed, error))
    return FALSE;
  *status = existed ? "exists" : "stored";
  return TRUE;
}

static void
give_up (const Task *task, guint index, const char *why)
{
  print_receipt (task, NULL, "failed",
      g_error_new_literal (Y10_ERROR, Y10_ERROR_FAILED, why));
  tool_supervisor_end (index);
}

/* The other segments of the file would probably do the same. */
void
tool_store_report (const ToolStoreOptions *options, guint index,
    const char *why)
{
  const Task *task = g_ptr_array_index (options->tasks, index);

  tool_error ("%s: %s", task->source, why);
  give_up (task, index, why);
  for (guint i = index + 1; i < options->tasks->len; i++) {
    const Task *other = g_ptr_array_index (options->tasks, i);

    if (!tool_supervisor_is_done (i) && !g_strcmp0 (other->path, task->path))
      give_up (other, i,
          "not tried: reading another segment of the file ended "
          "the process");
  }
}

static void
run_task (Run *run, Task *task)
{
  const char *status = "exists";
  GError *error = NULL;
  g_autofree char *key = NULL;

  if (identify (task, &error)) {
    key = tool_key_make (run->settings, task->content,
        task->has_range ? &task->range : NULL);
    if (!tool_store_has (run->store, key))
      store_task (run, task, key, &status, &error);
  }
  if (error) {
    /* Failures of detection were printed when they occurred. */
    if (g_strcmp0 (error->message, run->detect->failure) != 0) {
      tool_progress_hide (run->detect->progress);
      tool_error ("%s: %s", task->source, error->message);
    }
    run->detect->failed = TRUE;
    status = "failed";
  }
  print_receipt (task, key, status, error);
  g_clear_pointer (&run->detect->failure, g_free);
}

int
tool_detect_store (ToolDetect *detect, const ToolStoreOptions *options,
    const Y10Engine *engine, const Y10HeadParams *params)
{
  const ToolKeySettings settings = {
    .model = detect->model,
    .engine = engine,
    .params = params,
    .interval = detect->interval,
    .ignore_par = detect->ignore_par,
    .texts = options->texts,
  };
  Run run = { .detect = detect };
  g_autoptr (GError) error = NULL;

  run.settings = tool_key_describe_settings (&settings, &error);
  if (run.settings)
    run.store = tool_store_open (options->store, &error);
  if (error) {
    tool_error ("%s", error->message);
    detect->failed = TRUE;
  }
  for (guint i = 0;
       run.store && i < options->tasks->len && !tool_interrupted (); i++) {
    if (!tool_supervisor_is_done (i)) {
      tool_supervisor_begin (i);
      run_task (&run, g_ptr_array_index (options->tasks, i));
      tool_supervisor_end (i);
    }
    detect->n_done = i + 1;
  }
  tool_store_close (run.store);
  g_free (run.settings);
  return tool_flush_stdout () && !detect->failed ? TOOL_OK : TOOL_FAILED;
}
