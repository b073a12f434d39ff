/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared declarations of the y10 command. Each command is one function that
 * takes its argc and argv and returns the exit status. Frames are passed as
 * ToolFrame; report.c formats all results. */

#include <json-glib/json-glib.h>
#include <y10/y10.h>

G_BEGIN_DECLS

/* Exit statuses, the same for every command. */
enum
{
  TOOL_OK = 0,
  TOOL_FAILED = 1,              /* an input was not read completely, or an
                                 * output was not written */
  TOOL_USAGE = 2,               /* the command line is wrong */
  TOOL_NO_ENGINE = 3,           /* the model cannot be loaded or run here;
                                 * doctor: something does not work at all */
  TOOL_INTERRUPTED = 130,       /* ended early by SIGINT or SIGTERM, with all that
                                 * was begun written */
};

int tool_detect (int argc, char **argv);
int tool_segments (int argc, char **argv);
int tool_info (int argc, char **argv);
int tool_convert (int argc, char **argv);
int tool_quantize (int argc, char **argv);
int tool_bench (int argc, char **argv);
int tool_doctor (int argc, char **argv);

/* Explains the exit statuses in every --help. */
#define TOOL_STATUS_HELP \
  "Exit status: 0 success, 1 an input was not read completely or an output " \
  "was not written,\n2 the command line is wrong, 3 the model cannot be " \
  "loaded, or cannot run here with these\noptions, 130 ended by SIGINT or " \
  "SIGTERM.\n"

/* interrupt.c */

/* Catches SIGINT and SIGTERM, once. */
void tool_interrupt_catch (void);
/* Returns TRUE after such a signal: begin nothing more, and finish what was begun. Any
 * thread. */
gboolean tool_interrupted (void);

/* supervisor.c: survives inputs that crash */

#define TOOL_MAX_COUNTED_CLASSES 1024

/* What children count, over all of them. */
typedef struct
{
  guint n_frames;
  guint64 n_objects[TOOL_MAX_COUNTED_CLASSES];
} ToolCounts;

/* The work on a list of @n inputs. */
typedef struct
{
  guint n;
  /* Processes the inputs that are not done in a child process, calls
   * tool_supervisor_begin() and tool_supervisor_end() for each, and returns the exit
   * status. */
  int (*run) (gpointer user);
  /* Tells in the parent that input @index has ended the child, and @why. */
  void (*report) (guint index, const char *why, gpointer user);
  gpointer user;
} ToolWork;

/* Does @work, and returns the exit status. Call it before anything starts a thread. */
int tool_supervise (const ToolWork *work);

/* The following are for the child. */

/* Returns TRUE if an earlier child has done input @index, or was ended by it. */
gboolean tool_supervisor_is_done (guint index);
/* Input @index is being read from now on. */
void tool_supervisor_begin (guint index);
/* All output of input @index has been written; in the parent: it is given up. */
void tool_supervisor_end (guint index);
/* No input is being read any more. */
void tool_supervisor_rest (void);
/* A line of the results is being written to stdout. */
void tool_supervisor_set_in_line (gboolean in_line);
ToolCounts *tool_supervisor_get_counts (void);
/* When the first child began, by g_get_monotonic_time(). */
gint64 tool_supervisor_get_began (void);
/* When the first child began, in seconds since 1970; 0 in the first one. What was written
 * since belongs to an earlier child. */
gint64 tool_supervisor_get_start (void);

/* terminal.c: text for people */

/* Returns a copy of @text that is safe for a terminal: control characters and
 * bytes that are not UTF-8 become \n, \t or \xNN. */
char *tool_escape (const char *text);
/* Prints to stdout, escaped except for line feeds. */
void tool_print (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Prints one escaped line to stderr. */
void tool_error (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* options.c */

/* The options that select a model and configure an engine. */
typedef struct
{
  char *model, *labels;
  char *backend, *precision, *head, *size;
  int threads;
  gboolean no_cuda_graphs, no_tune;
} ToolEngineOptions;

/* Adds these options to @context; --model only if @with_model. */
void tool_engine_options_add (GOptionContext *context,
    ToolEngineOptions *options, gboolean with_model);
void tool_engine_options_clear (ToolEngineOptions *options);
/* Fills @config, or prints an error and returns FALSE. */
gboolean tool_engine_options_parse (const ToolEngineOptions *options,
    Y10EngineConfig *config);
/* Parses the command line, or prints an error and returns FALSE. */
gboolean tool_options_parse (GOptionContext *context, const char *command,
    int *argc, char ***argv);
/* Parses comma-separated class names and numbers. Returns one byte per class,
 * 1 if listed, or prints an error and returns NULL. Free with g_free(). */
guint8 *tool_classes_parse (const char *text, const Y10Model *model);
/* Returns TRUE if @value is from @min to @max, or prints an error for the option
 * @name and returns FALSE. */
gboolean tool_check_range (const char *name, double value, double min,
    double max);

/* bench/capacity.c */

#define TOOL_CAMERA_FPS 15

typedef struct
{
  gboolean wanted;
  char *fps, *source;           /* as given, or NULL */
  double min_inferences;        /* of each camera, in a second */
  double max_delay;             /* ms */
  double seconds;
  guint batch;
  gboolean json;
} ToolCameraOptions;

/* Measures how many cameras this machine carries, and returns the exit status. */
int tool_bench_cameras (const ToolEngineOptions *engine,
    const ToolCameraOptions *options);

/* hints.c: what somebody meant; NULL if that is not known, else free with g_free() */

/* @known: the commands, NULL-terminated. */
char *tool_hint_command (const char *word, const char *const *known);
/* For the first option in @arguments that the text @help does not have. */
char *tool_hint_options (char *const *arguments, const char *help);
/* For an input such as "model=yolov10n.pt". */
char *tool_hint_input (const char *input, const char *help);

/* detect/runner.c: runs frames through the engine's two slots */

/* One picture or video frame. */
typedef struct
{
  const char *source;           /* name of the input, borrowed */
  gint64 timestamp;             /* nanoseconds, or -1 for a picture */
  guint64 number;               /* index of the frame in its source, from 0 */
  guint input;                  /* of a picture: index of its source */
  Y10Image image;               /* the input of the engine */
  gpointer pixels;              /* owns the pixels; a GdkPixbuf or ToolSample */
  gboolean is_sample;           /* TRUE: ToolSample */
  GDestroyNotify free_pixels;
} ToolFrame;

/* What to infer of each frame. NULL: all of it, in one inference. */
typedef struct
{
  Y10Region *region;
  Y10RegionAnchor anchor;
  const Y10Tiles *tiles;
} ToolParts;

/* Receives the rows of a frame, or an error and no rows. Called in the order in
 * which the frames were pushed. */
typedef void (*ToolResultFunc) (const ToolFrame *frame,
    const Y10Detection *rows, guint n, const GError *error, gpointer user);

typedef struct _ToolRunner ToolRunner;

/* Borrows @parts. */
ToolRunner *tool_runner_new (Y10Engine *engine, const Y10HeadParams *params,
    const ToolParts *parts, ToolResultFunc result, gpointer user);
void tool_runner_free (ToolRunner *runner);
/* Submits @frame and takes ownership of its pixels. If all slots are in use,
 * first waits for the oldest frame and reports it. */
void tool_runner_push (ToolRunner *runner, ToolFrame *frame);
/* Waits for all submitted frames and reports them. */
void tool_runner_flush (ToolRunner *runner);

/* media/picture.c: pictures, read by gdk-pixbuf */

/* Returns TRUE if @path has the signature of a picture. */
gboolean tool_picture_probe (const char *path);
/* Returns TRUE if the first @n bytes of a file are those of a picture. */
gboolean tool_picture_recognise (const guint8 *start, gsize n);
/* Decodes @path into @frame and names @source as its input. If only a part can
 * be decoded, returns TRUE and sets @damage to the reason. */
gboolean tool_picture_load (const char *source, const char *path,
    ToolFrame *frame, char **damage, GError **error);
/* Points @image to the pixels of @pixbuf, a GdkPixbuf. */
void tool_pixbuf_to_image (gpointer pixbuf, Y10Image *image);
/* Writes RGB or RGBA pixels as JPEG or PNG, according to @path's extension. */
gboolean tool_picture_save (const char *path, const Y10Image *image,
    GError **error);
gboolean tool_picture_can_save (const char *path);

/* jpeg.c, media/gif.c, container.c: describe the damage of a file that can be
 * read. Return NULL if there is none, or if the file has another format. */
char *tool_jpeg_find_damage (const char *path);
char *tool_gif_find_damage (const char *path);
char *tool_container_find_damage (const char *path);
/* Returns how many frames of a track a fragmented MP4, a Matroska or an AVI file
 * has; 0: unknown. */
guint64 tool_container_count_frames (const char *path, guint track);
/* Returns why a demuxer may not find frames of an MP4 or Matroska file by their time, or
 * NULL. */
const char *tool_container_find_doubt (const char *path);

/* pages.c: files with several pictures */

typedef struct _ToolPages ToolPages;

/* Returns NULL if there is one picture, or none, in @path. */
ToolPages *tool_pages_open (const char *path);
/* Returns a path to the next picture, which is valid until the next call; NULL at
 * the end or with an error. */
char *tool_pages_next (ToolPages *pages, GError **error);
void tool_pages_close (ToolPages *pages);
/* Returns what is missing to read a file that begins with these @n bytes, if that
 * is known. */
char *tool_pages_find_need (const guint8 *start, gsize n);
/* Returns the number of frames of an APNG or an animated WebP, else 0. */
guint tool_pages_count_animation (const char *path);

/* animation.c: animated GIFs */

typedef struct _ToolAnimation ToolAnimation;

/* Returns NULL if @path is not an animation; @damage as above. */
ToolAnimation *tool_animation_open (const char *source, const char *path,
    char **damage);
/* Returns FALSE at the end. */
gboolean tool_animation_next (ToolAnimation *animation, ToolFrame *frame);
void tool_animation_close (ToolAnimation *animation);

/* inputs.c */

/* Replaces folders by the files in them, and says what is left out. Free with
 * g_strfreev(). */
char **tool_inputs_expand (char **arguments, gboolean recursive);
/* Returns TRUE if @name has the extension of a picture. */
gboolean tool_is_picture_name (const char *name);

/* stream.c: inputs that can be read only once, such as pipes */

typedef struct _ToolStream ToolStream;

ToolStream *tool_stream_open (const char *path, GError **error);
ToolStream *tool_stream_open_uri (const char *uri, GError **error);
gboolean tool_stream_is_picture (const ToolStream *stream);
/* Copies at most @n of the first bytes and returns their number. */
gsize tool_stream_get_start (const ToolStream *stream, guint8 *bytes, gsize n);
/* Reads the whole stream into memory and returns a path to it, which is valid
 * until the stream is closed. */
char *tool_stream_to_file (ToolStream *stream, GError **error);
/* Returns the number of bytes read, -1 on error, or 0 at the end or if another
 * thread has set *@stop. */
gssize tool_stream_read (ToolStream *stream, guint8 *bytes, gsize n,
    const gint *stop);
void tool_stream_close (ToolStream *stream);
gboolean tool_write_all (int fd, const guint8 *bytes, gsize n);

/* media/video.c: videos, decoded by GStreamer */

typedef struct _ToolVideo ToolVideo;

/* Opens @path, a file or a URI, or the borrowed @stream unless it is NULL. */
ToolVideo *tool_video_open (const char *source, const char *path,
    ToolStream *stream, GError **error);
/* The frames of a video from @start until before @end, times of the whole video
 * in ns. */
typedef struct
{
  gint64 start, end;
  gint64 seek;                  /* where decoding starts: at the last key frame
                                 * from here back; -1: at the beginning */
  guint64 first_frame;          /* number of its first frame in the video */
  guint64 n_frames;             /* expected */
} ToolRange;

/* Gives only the frames of @range. A number of frames that differs from the
 * expected is an error at the end. */
ToolVideo *tool_video_open_range (const char *source, const char *path,
    const ToolRange *range, GError **error);
/* Call these after the first frame. */
/* Returns TRUE if the video comes in real time, as from a camera. */
gboolean tool_video_is_live (ToolVideo *video);
/* Returns TRUE if the end of the video is known. */
gboolean tool_video_has_end (ToolVideo *video);
gboolean tool_video_has_sound (ToolVideo *video);
/* Returns the URI at which the video can be read a second time, or NULL. */
const char *tool_video_get_uri (ToolVideo *video);
/* Call it after the end: returns why not everything was decoded, or NULL. */
char *tool_video_find_damage (ToolVideo *video);
/* The number of frames that were read. */
guint64 tool_video_get_n_frames (ToolVideo *video);
/* Returns 1 with a frame, 0 at the end or when interrupted, or -1 with an error. */
int tool_video_next (ToolVideo *video, ToolFrame *frame, GError **error);
/* Returns 0 to 1, or -1 if the duration is unknown. */
double tool_video_get_progress (ToolVideo *video, gint64 timestamp);
void tool_video_close (ToolVideo *video);

/* draw/draw.c: annotated copies, drawn by the yolov10overlay element */

typedef struct _ToolDraw ToolDraw;

/* Creates @dir if necessary and checks that the required elements exist. */
ToolDraw *tool_draw_new (const char *dir, Y10Model *model, GError **error);
gboolean tool_draw_picture (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error);
void tool_draw_free (ToolDraw *draw);

/* draw/recorder.c: the annotated copy of a video or animation */

typedef struct _ToolRecorder ToolRecorder;

/* @source names the input; @sound_uri: where to read the sound, or NULL. Borrows
 * @draw. */
ToolRecorder *tool_recorder_new (ToolDraw *draw, const char *source,
    const char *sound_uri, gboolean is_live);
/* Writes the next frame, once it has its boxes: those of its result if it
 * @is_inferred, else those of the latest result before it. The functions that follow
 * fail with the first error of any of them. Any thread. */
gboolean tool_recorder_add (ToolRecorder *recorder, const ToolFrame *frame,
    gboolean is_inferred, GError **error);
/* Takes the result of frame @number; results come in order. */
gboolean tool_recorder_take_result (ToolRecorder *recorder, guint64 number,
    const Y10Detection *rows, guint n, GError **error);
/* The number of frames that wait for their boxes. */
guint tool_recorder_get_n_waiting (ToolRecorder *recorder);
/* The number of frames of a live video for which the encoder was too slow. */
guint64 tool_recorder_get_n_left_out (ToolRecorder *recorder);
/* Completes the file. */
gboolean tool_recorder_finish (ToolRecorder *recorder, GError **error);
void tool_recorder_free (ToolRecorder *recorder);

/* crops.c: the contents of boxes as JPEG files */

typedef struct _ToolCrops ToolCrops;

ToolCrops *tool_crops_new (const char *dir, Y10Model *model, GError **error);
gboolean tool_crops_save (ToolCrops *crops, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error);
void tool_crops_free (ToolCrops *crops);

/* names.c */

gboolean tool_is_stdin (const char *source);
/* Returns TRUE for URIs other than those of files. */
gboolean tool_is_remote (const char *source);
/* Returns the path that @source or its file: URI stands for; NULL if it is remote,
 * or with an error. */
char *tool_source_to_path (const char *source, GError **error);
/* Returns @source for the JSON member "source": a file name that is not UTF-8
 * becomes a file: URI of the absolute name, with each such byte as %NN. */
char *tool_source_to_utf8 (const char *source);
/* Returns the last component of a file name or URI. */
char *tool_source_basename (const char *source);
/* Makes a file name of @name: not hidden, not too long, without slashes. */
char *tool_safe_name (const char *name);

/* report.c: the output on stdout */

/* Returns one line of JSON for a frame, without the newline. */
char *tool_report_json (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n);
/* Returns a human-readable table for a frame. */
char *tool_report_table (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n);
/* Returns a built object as one line of JSON, without the newline. */
char *tool_json_to_line (JsonBuilder *builder);
/* Prints a built object as indented JSON. */
void tool_print_json (JsonBuilder *builder);
/* Add a member in one call. */
void tool_json_string (JsonBuilder *builder, const char *name,
    const char *value);     /* NULL gives null */
void tool_json_int (JsonBuilder *builder, const char *name, gint64 value);
void tool_json_double (JsonBuilder *builder, const char *name, double value);
void tool_json_bool (JsonBuilder *builder, const char *name, gboolean value);
void tool_json_size (JsonBuilder *builder, const char *name, guint width,
    guint height);
/* Prints an error and returns FALSE if writing to stdout failed. */
gboolean tool_flush_stdout (void);

/* progress.c: a bar on stderr */

typedef struct _ToolProgress ToolProgress;

/* The bar also shows the progress of @engine's tuning. @engine is borrowed until
 * the bar is freed. */
ToolProgress *tool_progress_new (guint n_inputs, Y10Engine *engine);
/* Counts one more frame and shows that @fraction of input number @input is done,
 * -1: unknown. */
void tool_progress_update (ToolProgress *progress, guint input,
    double fraction, const char *name);
/* Prints a summary if stderr is a terminal or the command was interrupted. */
void tool_progress_summarise (ToolProgress *progress, guint n_inputs,
    const Y10Model *model, const guint64 *n_objects);
/* Removes the bar before other output. */
void tool_progress_hide (ToolProgress *progress);
void tool_progress_free (ToolProgress *progress);
/* Shows one line in place of a bar, if stderr is a terminal; NULL: removes it. */
void tool_progress_show (const char *line);
/* Waits until @engine's tuning has finished, and shows its progress. */
void tool_progress_wait_tuned (Y10Engine *engine);

/* stats.c: statistics over many runs */

typedef struct
{
  double median, p95, min, mean;
} ToolStats;

/* Sorts @values. */
void tool_stats (double *values, guint n, ToolStats *stats);

G_END_DECLS
