/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the parts of the y10 command share. Each command is one function that
 * takes its own argc and argv and returns the exit status; between the parts
 * a frame is a ToolFrame and everything printed goes through report.c. */

#include <json-glib/json-glib.h>
#include <y10/y10.h>

G_BEGIN_DECLS

/* Exit statuses, the same for every command. */
enum
{
  TOOL_OK = 0,
  TOOL_FAILED = 1,              /* an input was not read whole, or an output
                                 * not written */
  TOOL_USAGE = 2,               /* the command line makes no sense */
  TOOL_NO_ENGINE = 3,           /* the model cannot be loaded or run here;
                                 * doctor: nothing can */
};

int tool_detect (int argc, char **argv);
int tool_info (int argc, char **argv);
int tool_convert (int argc, char **argv);
int tool_bench (int argc, char **argv);
int tool_doctor (int argc, char **argv);

/* The lines of every --help that explain them. */
#define TOOL_STATUS_HELP \
  "Exit status: 0 when all was done, 1 when an input was not read whole or " \
  "an output not\nwritten, 2 when the command line is wrong, 3 when the " \
  "model cannot be loaded or run\nhere with these options.\n"

/* terminal.c: text for people */

/* @text without what a terminal would obey: control characters and bytes that
 * are not UTF-8 become \n, \t or \xNN. */
char *tool_escape (const char *text);
/* To stdout; line feeds stay. */
void tool_print (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* One line on stderr. */
void tool_error (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* options.c */

/* The options that choose a model and make an engine. */
typedef struct
{
  char *model, *labels;
  char *backend, *precision, *head, *size;
  int threads;
  gboolean no_cuda_graphs, no_tune;
} ToolEngineOptions;

/* Adds --model (if @with_model), --labels, --backend and so on. */
void tool_engine_options_add (GOptionContext *context,
    ToolEngineOptions *options, gboolean with_model);
void tool_engine_options_clear (ToolEngineOptions *options);
/* Fills @config, prints what is wrong and returns FALSE where it cannot. */
gboolean tool_engine_options_parse (const ToolEngineOptions *options,
    Y10EngineConfig *config);
/* Parses the command line; prints what is wrong and how to get help. */
gboolean tool_options_parse (GOptionContext *context, const char *command,
    int *argc, char ***argv);
/* One byte a class for the names and numbers in @text, separated by commas;
 * NULL after a message. */
guint8 *tool_classes_parse (const char *text, const Y10Model *model);
/* TRUE, or prints that the option @name must be from @min to @max. */
gboolean tool_check_range (const char *name, double value, double min,
    double max);

/* frame.c: frames and the two slots they go through */

/* One picture or video frame on its way through the engine. */
typedef struct
{
  const char *source;           /* the input it comes from, borrowed */
  gint64 timestamp;             /* nanoseconds, or -1 for a picture */
  guint64 number;               /* of the frame in its source, from 0 */
  Y10Image image;               /* what the engine reads */
  gpointer pixels;              /* owns the pixels; a GdkPixbuf or ToolSample */
  gboolean is_sample;           /* which of the two */
  GDestroyNotify free_pixels;
} ToolFrame;

/* Takes the frame's rows, or the error that took their place. Frames come in
 * the order they were pushed. */
typedef void (*ToolResultFunc) (const ToolFrame *frame,
    const Y10Detection *rows, guint n, const GError *error, gpointer user);

typedef struct _ToolRunner ToolRunner;

ToolRunner *tool_runner_new (Y10Engine *engine, const Y10HeadParams *params,
    ToolResultFunc result, gpointer user);
void tool_runner_free (ToolRunner *runner);
/* Starts @frame, which it takes over, and reports the oldest one when all
 * slots are under way. */
void tool_runner_push (ToolRunner *runner, ToolFrame *frame);
/* Reports every frame that is still under way. */
void tool_runner_flush (ToolRunner *runner);

/* picture.c: pictures by gdk-pixbuf */

gboolean tool_picture_probe (const char *path);
/* Whether the first @n bytes of a file are those of a picture. */
gboolean tool_picture_recognise (const guint8 *start, gsize n);
/* FALSE and error when @path has no picture that can be read. Where only a part
 * can be read, @damage says why. @source is what the frame is said to be of. */
gboolean tool_picture_load (const char *source, const char *path,
    ToolFrame *frame, char **damage, GError **error);
/* @pixbuf is a GdkPixbuf, whose pixels are borrowed. */
void tool_pixbuf_to_image (gpointer pixbuf, Y10Image *image);
/* Writes RGB or RGBA pixels as JPEG or PNG, after @path's extension. */
gboolean tool_picture_save (const char *path, const Y10Image *image,
    GError **error);
gboolean tool_picture_can_save (const char *path);

/* jpeg.c, media/gif.c, container.c: what is wrong with a file that can be read,
 * or NULL, also where it is of another kind */
char *tool_jpeg_find_damage (const char *path);
char *tool_gif_find_damage (const char *path);
char *tool_container_find_damage (const char *path);

/* animation.c: animated GIFs */

typedef struct _ToolAnimation ToolAnimation;

/* NULL when @path is none; @damage as above. */
ToolAnimation *tool_animation_open (const char *source, const char *path,
    char **damage);
/* FALSE at the end. */
gboolean tool_animation_next (ToolAnimation *animation, ToolFrame *frame);
void tool_animation_close (ToolAnimation *animation);

/* inputs.c */

/* Folders become the files in them. Free with g_strfreev(). */
char **tool_inputs_expand (char **arguments);

/* stream.c: what can be read only once */

typedef struct _ToolStream ToolStream;

ToolStream *tool_stream_open (const char *path, GError **error);
gboolean tool_stream_is_picture (const ToolStream *stream);
/* Reads all of it; the path is valid until the stream is closed. */
char *tool_stream_to_file (ToolStream *stream, GError **error);
/* -1, 0 at the end and when *@stop is set from another thread. */
gssize tool_stream_read (ToolStream *stream, guint8 *bytes, gsize n,
    const gint *stop);
void tool_stream_close (ToolStream *stream);

/* video.c: videos by GStreamer */

typedef struct _ToolVideo ToolVideo;

/* @path is a file or a URI; or else what @stream, which is borrowed, brings. */
ToolVideo *tool_video_open (const char *source, const char *path,
    ToolStream *stream, GError **error);
/* After the end: what shows that not all could be decoded, or NULL. */
char *tool_video_find_damage (ToolVideo *video);
/* 1 and a frame, 0 at the end, -1 and error. */
int tool_video_next (ToolVideo *video, ToolFrame *frame, GError **error);
/* 0 to 1, or -1 where the length is not known. */
double tool_video_get_progress (ToolVideo *video, gint64 timestamp);
void tool_video_close (ToolVideo *video);

/* draw.c: annotated copies by the yolov10overlay element */

typedef struct _ToolDraw ToolDraw;

/* Makes @dir where it is missing and checks that everything needed is there. */
ToolDraw *tool_draw_new (const char *dir, Y10Model *model, GError **error);
gboolean tool_draw_picture (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error);
/* Frames of one source, in order; tool_draw_finish() completes its file. */
gboolean tool_draw_frame (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error);
gboolean tool_draw_finish (ToolDraw *draw, GError **error);
void tool_draw_free (ToolDraw *draw);

/* crops.c: what is in the boxes, as files */

typedef struct _ToolCrops ToolCrops;

ToolCrops *tool_crops_new (const char *dir, Y10Model *model, GError **error);
gboolean tool_crops_save (ToolCrops *crops, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error);
void tool_crops_free (ToolCrops *crops);

/* names.c */

gboolean tool_is_stdin (const char *source);
/* @source as "source" has it: a file name that is not UTF-8 becomes a file: URI
 * of the absolute name, with each such byte as %NN. */
char *tool_source_to_utf8 (const char *source);
/* The last part of a file name or URI. */
char *tool_source_basename (const char *source);
/* A name for a file made of @name: not hidden, not long, without slashes. */
char *tool_safe_name (const char *name);

/* report.c: what goes to stdout */

/* One line of JSON for one frame, without the newline. */
char *tool_report_json (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n);
/* Rows of a table for people. */
char *tool_report_table (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n);
/* Prints a built object as indented JSON. */
void tool_print_json (JsonBuilder *builder);
/* Adds a member in one call. */
void tool_json_string (JsonBuilder *builder, const char *name,
    const char *value);     /* NULL gives null */
void tool_json_int (JsonBuilder *builder, const char *name, gint64 value);
void tool_json_double (JsonBuilder *builder, const char *name, double value);
void tool_json_bool (JsonBuilder *builder, const char *name, gboolean value);
void tool_json_size (JsonBuilder *builder, const char *name, guint width,
    guint height);
/* FALSE and a message where stdout could not take what was printed. */
gboolean tool_flush_stdout (void);

/* progress.c: a bar on stderr */

typedef struct _ToolProgress ToolProgress;

/* While @engine looks for faster ways the bar says how far that is; the caller
 * keeps it until the bar is freed. */
ToolProgress *tool_progress_new (guint n_inputs, Y10Engine *engine);
/* @input is finished to @fraction (-1: not known); one more frame is done. */
void tool_progress_update (ToolProgress *progress, guint input,
    double fraction, const char *name);
/* What was done, for people: nothing where stderr is no terminal. */
void tool_progress_summarise (ToolProgress *progress, guint n_inputs,
    const Y10Model *model, const guint64 *n_objects);
/* Takes the bar away, so that something else can be printed. */
void tool_progress_hide (ToolProgress *progress);
void tool_progress_free (ToolProgress *progress);
/* Waits until @engine has nothing more to look for. */
void tool_progress_wait_tuned (Y10Engine *engine);

/* stats.c: figures over many runs */

typedef struct
{
  double median, p95, min, mean;
} ToolStats;

/* Sorts @values. */
void tool_stats (double *values, guint n, ToolStats *stats);

G_END_DECLS
